/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfturns.h"

#define DEFAULT_PROFILE GST_RTP_PROFILE_AVPF
#define DEFAULT_BANDWIDTH 0
#define DEFAULT_RTCP_FRACTION 0.05
#define DEFAULT_RS_BANDWIDTH (-1)
#define DEFAULT_RR_BANDWIDTH (-1)
#define DEFAULT_TRR_INT GST_SECOND
#define DEFAULT_MAX_FEEDBACK_DELAY GST_CLOCK_TIME_NONE
#define DEFAULT_DITHER_FACTOR 0.5
#define DEFAULT_GROUP GST_RTCP_AVPF_GROUP_AUTO
#define DEFAULT_RECONSIDERATION AVPF_RECONSIDER_UNCONDITIONAL

#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)

/* Properties, in this order. */
enum {
  PROFILE,
  BANDWIDTH,
  RTCP_FRACTION,
  RS_BANDWIDTH,
  RR_BANDWIDTH,
  TRR_INT,
  MAX_FEEDBACK_DELAY,
  DITHER_FACTOR,
  GROUP,
  RECONSIDERATION
};

void
gst_rtcp_avpf_turns_init (GstRtcpAvpfTurns *t)
{
  *t = (GstRtcpAvpfTurns){.profile = DEFAULT_PROFILE,
      .bandwidth = DEFAULT_BANDWIDTH,
      .rtcp_fraction = DEFAULT_RTCP_FRACTION,
      .rs_bandwidth = DEFAULT_RS_BANDWIDTH,
      .rr_bandwidth = DEFAULT_RR_BANDWIDTH,
      .trr_int = DEFAULT_TRR_INT,
      .max_feedback_delay = DEFAULT_MAX_FEEDBACK_DELAY,
      .dither_factor = DEFAULT_DITHER_FACTOR,
      .group = DEFAULT_GROUP,
      .reconsideration = DEFAULT_RECONSIDERATION};
}

/* ---- for the participant ---- */

RtpSessionKind
gst_rtcp_avpf_turns_kind (const GstRtcpAvpfTurns *t, gboolean multicast)
{
  switch (t->group) {
  case GST_RTCP_AVPF_GROUP_GROUP:
    return RTP_SESSION_GROUP;
  case GST_RTCP_AVPF_GROUP_POINT_TO_POINT:
    return RTP_SESSION_UNICAST;
  default:
    return multicast ? RTP_SESSION_GROUP : RTP_SESSION_UNICAST;
  }
}

RtpTurnsParams
gst_rtcp_avpf_turns_params (const GstRtcpAvpfTurns *t)
{
  return (RtpTurnsParams){.session_bps = t->bandwidth,
      .rtcp_fraction = t->rtcp_fraction,
      .senders_bps = t->rs_bandwidth,
      .receivers_bps = t->rr_bandwidth,
      .T_rr_interval = t->trr_int,
      .dither_factor = t->dither_factor,
      .reconsideration = t->reconsideration,
      .avpf = t->profile != GST_RTP_PROFILE_AVP && t->profile != GST_RTP_PROFILE_SAVP};
}

/* ---- properties ---- */

void
gst_rtcp_avpf_turns_set (GstRtcpAvpfTurns *t, guint index, const GValue *value)
{
  switch (index) {
  case PROFILE:
    t->profile = (GstRTPProfile)g_value_get_enum (value);
    break;
  case BANDWIDTH:
    t->bandwidth = g_value_get_uint (value);
    break;
  case RTCP_FRACTION:
    t->rtcp_fraction = g_value_get_double (value);
    break;
  case RS_BANDWIDTH:
    t->rs_bandwidth = g_value_get_int (value);
    break;
  case RR_BANDWIDTH:
    t->rr_bandwidth = g_value_get_int (value);
    break;
  case TRR_INT:
    t->trr_int = g_value_get_uint64 (value);
    break;
  case MAX_FEEDBACK_DELAY:
    t->max_feedback_delay = g_value_get_uint64 (value);
    break;
  case DITHER_FACTOR:
    t->dither_factor = g_value_get_double (value);
    break;
  case GROUP:
    t->group = (GstRtcpAvpfGroup)g_value_get_enum (value);
    break;
  case RECONSIDERATION:
    t->reconsideration = (AvpfReconsideration)g_value_get_enum (value);
    break;
  default:
    break;
  }
}

void
gst_rtcp_avpf_turns_get (const GstRtcpAvpfTurns *t, guint index, GValue *value)
{
  switch (index) {
  case PROFILE:
    g_value_set_enum (value, t->profile);
    break;
  case BANDWIDTH:
    g_value_set_uint (value, t->bandwidth);
    break;
  case RTCP_FRACTION:
    g_value_set_double (value, t->rtcp_fraction);
    break;
  case RS_BANDWIDTH:
    g_value_set_int (value, t->rs_bandwidth);
    break;
  case RR_BANDWIDTH:
    g_value_set_int (value, t->rr_bandwidth);
    break;
  case TRR_INT:
    g_value_set_uint64 (value, t->trr_int);
    break;
  case MAX_FEEDBACK_DELAY:
    g_value_set_uint64 (value, t->max_feedback_delay);
    break;
  case DITHER_FACTOR:
    g_value_set_double (value, t->dither_factor);
    break;
  case GROUP:
    g_value_set_enum (value, (gint)t->group);
    break;
  case RECONSIDERATION:
    g_value_set_enum (value, (gint)t->reconsideration);
    break;
  default:
    break;
  }
}

static void
install_bandwidth_properties (GObjectClass *klass, guint first)
{
  g_object_class_install_property (klass, first + BANDWIDTH,
      g_param_spec_uint ("bandwidth", "Bandwidth",
          "Session bandwidth in bit/s, of which RTCP takes rtcp-fraction, but never more than 500 kbit/s; 0: the rate "
          "that is received, 500 kbit/s at least",
          0, G_MAXUINT, DEFAULT_BANDWIDTH, LIVE));
  g_object_class_install_property (klass, first + RTCP_FRACTION,
      g_param_spec_double ("rtcp-fraction", "RTCP fraction",
          "What RTCP of all participants may take of the bandwidth, 0 to 1; 0: no RTCP", 0, 1, DEFAULT_RTCP_FRACTION,
          LIVE));
  g_object_class_install_property (klass, first + RS_BANDWIDTH,
      g_param_spec_int ("rtcp-rs-bandwidth", "RS bandwidth",
          "RTCP bandwidth of those that send media in bit/s (b=RS of RFC 3556, all senders together); -1: a quarter of "
          "the whole",
          -1, G_MAXINT, DEFAULT_RS_BANDWIDTH, LIVE));
  g_object_class_install_property (klass, first + RR_BANDWIDTH,
      g_param_spec_int ("rtcp-rr-bandwidth", "RR bandwidth",
          "RTCP bandwidth of those that only receive in bit/s (b=RR of RFC 3556, all receivers together); -1: three "
          "quarters of the whole; 0: they send none",
          -1, G_MAXINT, DEFAULT_RR_BANDWIDTH, LIVE));
}

static void
install_timing_properties (GObjectClass *klass, guint first)
{
  g_object_class_install_property (klass, first + PROFILE,
      g_param_spec_enum ("rtp-profile", "RTP profile",
          "avpf and savpf: early feedback (RFC 4585); avp and savp: a report every 5 s at most, no early feedback",
          GST_TYPE_RTP_PROFILE, DEFAULT_PROFILE, READY));
  g_object_class_install_property (klass, first + TRR_INT,
      g_param_spec_uint64 ("trr-int", "T_rr_interval",
          "Least mean time between regular RTCP packets that carry no feedback in ns (trr-int of RFC 4585, which SDP "
          "gives in ms); 0: as often as the bandwidth allows",
          0, G_MAXINT64, DEFAULT_TRR_INT, LIVE));
  g_object_class_install_property (klass, first + MAX_FEEDBACK_DELAY,
      g_param_spec_uint64 ("max-feedback-delay", "Longest delay of feedback",
          "How late requests for packets and key units are still of use in ns: what would be later is not sent early "
          "(T_max_fb_delay of RFC 4585); -1: always",
          0, G_MAXUINT64, DEFAULT_MAX_FEEDBACK_DELAY, LIVE));
  g_object_class_install_property (klass, first + DITHER_FACTOR,
      g_param_spec_double ("dither-factor", "Dither factor",
          "Longest time that early feedback waits for another's to make it superfluous, in regular intervals (l of RFC "
          "4585), 0 to 100; groups only",
          0, 100, DEFAULT_DITHER_FACTOR, LIVE));
  g_object_class_install_property (klass, first + GROUP,
      g_param_spec_enum ("group", "Group",
          "Whether more than two may take part: early feedback then waits for a random time, so that not all send the "
          "same",
          GST_TYPE_RTCP_AVPF_GROUP, DEFAULT_GROUP, LIVE));
  g_object_class_install_property (klass, first + RECONSIDERATION,
      g_param_spec_enum ("reconsideration", "Reconsideration",
          "When the interval is drawn again; anything but unconditional is for comparison",
          GST_TYPE_RTCP_AVPF_RECONSIDERATION, DEFAULT_RECONSIDERATION, LIVE));
}

void
gst_rtcp_avpf_install_turns (GObjectClass *klass, guint first)
{
  install_bandwidth_properties (klass, first);
  install_timing_properties (klass, first);
}
