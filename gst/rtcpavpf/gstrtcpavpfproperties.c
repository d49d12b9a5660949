/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcp.h"
#include "gstrtcpavpfprivate.h"
#include "rtpextension.h"

#define DEFAULT_REDUCED_SIZE FALSE
#define DEFAULT_FEEDBACK                                                                                               \
  (RTP_FEEDBACK_TFRC | RTP_FEEDBACK_REMB | RTP_FEEDBACK_PATH | RTP_FEEDBACK_NACK | RTP_FEEDBACK_PLI | RTP_FEEDBACK_FIR)
#define DEFAULT_AUTO_PLI TRUE
#define DEFAULT_AUTO_NACK FALSE
#define DEFAULT_PLI_INTERVAL (500 * GST_MSECOND)
#define DEFAULT_NACK_LATENCY (500 * GST_MSECOND)
#define DEFAULT_TMMBR_BITRATE 0
#define DEFAULT_EXTENSION_ID 0
#define DEFAULT_TWCC_EXTENSION_ID 0
#define DEFAULT_RATE_EXTENSION_ID ERF_EXTENSION_ID
#define DEFAULT_USE_TIMESTAMPS TRUE
#define DEFAULT_MAX_MEMBERS 65536
#define DEFAULT_STATS_INTERVAL 0
#define MAX_OVERHEAD 256 /* bytes: SRTP's longest tag, index and key identifier */
#define MIN_STATS_INTERVAL (10 * GST_MSECOND)

enum {
  PROP_0,
  PROP_TURNS,
  PROP_TURNS_LAST = PROP_TURNS + GST_RTCP_AVPF_TURNS_PROPERTIES - 1,
  PROP_REDUCED_SIZE,
  PROP_CNAME,
  PROP_SDES,
  PROP_FEEDBACK,
  PROP_AUTO_PLI,
  PROP_AUTO_NACK,
  PROP_PLI_INTERVAL,
  PROP_NACK_LATENCY,
  PROP_RTX_MAP,
  PROP_TMMBR_BITRATE,
  PROP_REPAIR,
  PROP_REPAIR_LAST = PROP_REPAIR + GST_RTCP_AVPF_REPAIR_PROPERTIES - 1,
  PROP_EXTENSION_ID,
  PROP_TWCC_EXTENSION_ID,
  PROP_RATE_EXTENSION_ID,
  PROP_USE_TIMESTAMPS,
  PROP_RTP_OVERHEAD,
  PROP_RTCP_OVERHEAD,
  PROP_MAX_MEMBERS,
  PROP_PEER_ADDRESS,
  PROP_SINGLE_STREAM,
  PROP_SSRC,
  PROP_STATS,
  PROP_STATS_INTERVAL
};

static GstStructure *
new_sdes (void)
{
  gchar *cname = gst_cc_rtcp_new_cname ();
  GstStructure *sdes = gst_structure_new ("application/x-rtp-source-sdes", "cname", G_TYPE_STRING, cname, NULL);

  g_free (cname);
  return sdes;
}

void
gst_rtcp_avpf_settings_init (GstRtcpAvpfSettings *s)
{
  *s = (GstRtcpAvpfSettings){.reduced_size = DEFAULT_REDUCED_SIZE,
      .sdes = new_sdes (),
      .feedback = DEFAULT_FEEDBACK,
      .auto_pli = DEFAULT_AUTO_PLI,
      .auto_nack = DEFAULT_AUTO_NACK,
      .pli_interval = DEFAULT_PLI_INTERVAL,
      .nack_latency = DEFAULT_NACK_LATENCY,
      .tmmbr_bitrate = DEFAULT_TMMBR_BITRATE,
      .repair_by = GST_RTCP_AVPF_REPAIR_BY_RTX | GST_RTCP_AVPF_REPAIR_BY_FEC,
      .repair_latency = GST_RTCP_AVPF_REPAIR_LATENCY,
      .extension_id = DEFAULT_EXTENSION_ID,
      .twcc_extension_id = DEFAULT_TWCC_EXTENSION_ID,
      .rate_extension_id = DEFAULT_RATE_EXTENSION_ID,
      .use_timestamps = DEFAULT_USE_TIMESTAMPS,
      .max_members = DEFAULT_MAX_MEMBERS,
      .stats_interval = DEFAULT_STATS_INTERVAL};
  gst_rtcp_avpf_turns_init (&s->turns);
}

void
gst_rtcp_avpf_settings_clear (GstRtcpAvpfSettings *s)
{
  gst_clear_structure (&s->sdes);
  gst_clear_structure (&s->rtx_map);
  g_clear_pointer (&s->peer_address, g_free);
}

/* A name there must be (RFC 3550 6.5.1): without one in `sdes` the present one stays. */
static void
set_sdes (GstRtcpAvpfSettings *s, const GstStructure *sdes)
{
  GstStructure *old = s->sdes;

  s->sdes = sdes != NULL ? gst_structure_copy (sdes) : gst_structure_new_empty ("application/x-rtp-source-sdes");
  if (gst_structure_get_string (s->sdes, "cname") == NULL)
    gst_structure_set_value (s->sdes, "cname", gst_structure_get_value (old, "cname"));
  gst_structure_free (old);
}

static void
set_cname (GstRtcpAvpfSettings *s, const gchar *cname)
{
  gchar *name = cname != NULL ? g_strndup (cname, 255) : gst_cc_rtcp_new_cname ();

  gst_structure_set (s->sdes, "cname", G_TYPE_STRING, name, NULL);
  g_free (name);
}

static void
set_stats_interval (GstRtcpAvpf *self, GstClockTime interval)
{
  self->settings.stats_interval = interval != 0 ? MAX (interval, MIN_STATS_INTERVAL) : 0;
  gst_rtcp_avpf_wake_before (self, 0);
}

static gboolean
set_turns_property (GstRtcpAvpfSettings *s, guint id, const GValue *value)
{
  if (id < PROP_TURNS || id > PROP_TURNS_LAST)
    return FALSE;
  gst_rtcp_avpf_turns_set (&s->turns, id - PROP_TURNS, value);
  return TRUE;
}

static gboolean
set_packet_property (GstRtcpAvpfSettings *s, guint id, const GValue *value)
{
  switch (id) {
  case PROP_REDUCED_SIZE:
    s->reduced_size = g_value_get_boolean (value);
    break;
  case PROP_CNAME:
    set_cname (s, g_value_get_string (value));
    break;
  case PROP_SDES:
    set_sdes (s, gst_value_get_structure (value));
    break;
  case PROP_EXTENSION_ID:
    s->extension_id = g_value_get_uint (value);
    break;
  case PROP_TWCC_EXTENSION_ID:
    s->twcc_extension_id = g_value_get_uint (value);
    break;
  case PROP_RATE_EXTENSION_ID:
    s->rate_extension_id = g_value_get_uint (value);
    break;
  case PROP_USE_TIMESTAMPS:
    s->use_timestamps = g_value_get_boolean (value);
    break;
  case PROP_RTP_OVERHEAD:
    s->rtp_overhead = g_value_get_uint (value);
    break;
  case PROP_RTCP_OVERHEAD:
    s->rtcp_overhead = g_value_get_uint (value);
    break;
  case PROP_MAX_MEMBERS:
    s->max_members = g_value_get_uint (value);
    break;
  case PROP_PEER_ADDRESS:
    g_free (s->peer_address);
    s->peer_address = g_value_dup_string (value);
    break;
  case PROP_SINGLE_STREAM:
    s->single_stream = g_value_get_boolean (value);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static gboolean
set_feedback_property (GstRtcpAvpfSettings *s, guint id, const GValue *value)
{
  if (id >= PROP_REPAIR && id <= PROP_REPAIR_LAST) {
    gst_rtcp_avpf_set_repair (s, id - PROP_REPAIR, value);
    return TRUE;
  }
  switch (id) {
  case PROP_FEEDBACK:
    s->feedback = (RtpFeedback)g_value_get_flags (value);
    break;
  case PROP_AUTO_PLI:
    s->auto_pli = g_value_get_boolean (value);
    break;
  case PROP_AUTO_NACK:
    s->auto_nack = g_value_get_boolean (value);
    break;
  case PROP_PLI_INTERVAL:
    s->pli_interval = g_value_get_uint64 (value);
    break;
  case PROP_NACK_LATENCY:
    s->nack_latency = g_value_get_uint64 (value);
    break;
  case PROP_RTX_MAP:
    gst_clear_structure (&s->rtx_map);
    s->rtx_map = g_value_dup_boxed (value);
    break;
  case PROP_TMMBR_BITRATE:
    s->tmmbr_bitrate = g_value_get_uint64 (value);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (object);

  g_mutex_lock (&self->lock);
  if (id == PROP_STATS_INTERVAL)
    set_stats_interval (self, g_value_get_uint64 (value));
  else if (set_turns_property (&self->settings, id, value) || set_feedback_property (&self->settings, id, value) ||
           set_packet_property (&self->settings, id, value))
    gst_rtcp_avpf_core_apply (self);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  g_mutex_unlock (&self->lock);
}

static gboolean
get_packet_property (const GstRtcpAvpfSettings *s, guint id, GValue *value)
{
  switch (id) {
  case PROP_REDUCED_SIZE:
    g_value_set_boolean (value, s->reduced_size);
    break;
  case PROP_CNAME:
    g_value_set_string (value, gst_structure_get_string (s->sdes, "cname"));
    break;
  case PROP_SDES:
    gst_value_set_structure (value, s->sdes);
    break;
  case PROP_EXTENSION_ID:
    g_value_set_uint (value, s->extension_id);
    break;
  case PROP_TWCC_EXTENSION_ID:
    g_value_set_uint (value, s->twcc_extension_id);
    break;
  case PROP_RATE_EXTENSION_ID:
    g_value_set_uint (value, s->rate_extension_id);
    break;
  case PROP_USE_TIMESTAMPS:
    g_value_set_boolean (value, s->use_timestamps);
    break;
  case PROP_RTP_OVERHEAD:
    g_value_set_uint (value, s->rtp_overhead);
    break;
  case PROP_RTCP_OVERHEAD:
    g_value_set_uint (value, s->rtcp_overhead);
    break;
  case PROP_MAX_MEMBERS:
    g_value_set_uint (value, s->max_members);
    break;
  case PROP_PEER_ADDRESS:
    g_value_set_string (value, s->peer_address);
    break;
  case PROP_SINGLE_STREAM:
    g_value_set_boolean (value, s->single_stream);
    break;
  case PROP_STATS_INTERVAL:
    g_value_set_uint64 (value, s->stats_interval);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static gboolean
get_feedback_property (const GstRtcpAvpfSettings *s, guint id, GValue *value)
{
  switch (id) {
  case PROP_FEEDBACK:
    g_value_set_flags (value, s->feedback);
    break;
  case PROP_AUTO_PLI:
    g_value_set_boolean (value, s->auto_pli);
    break;
  case PROP_AUTO_NACK:
    g_value_set_boolean (value, s->auto_nack);
    break;
  case PROP_PLI_INTERVAL:
    g_value_set_uint64 (value, s->pli_interval);
    break;
  case PROP_NACK_LATENCY:
    g_value_set_uint64 (value, s->nack_latency);
    break;
  case PROP_RTX_MAP:
    g_value_set_boxed (value, s->rtx_map);
    break;
  case PROP_TMMBR_BITRATE:
    g_value_set_uint64 (value, s->tmmbr_bitrate);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (object);
  const GstRtcpAvpfSettings *s = &self->settings;

  g_mutex_lock (&self->lock);
  if (id == PROP_SSRC)
    g_value_set_uint (value, self->core->locals.locals[0].ssrc);
  else if (id >= PROP_TURNS && id <= PROP_TURNS_LAST)
    gst_rtcp_avpf_turns_get (&s->turns, id - PROP_TURNS, value);
  else if (id >= PROP_REPAIR && id <= PROP_REPAIR_LAST)
    gst_rtcp_avpf_get_repair (self, id - PROP_REPAIR, value);
  else if (id == PROP_STATS)
    g_value_take_boxed (value, gst_rtcp_avpf_take_stats (self));
  else if (!get_packet_property (s, id, value) && !get_feedback_property (s, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  g_mutex_unlock (&self->lock);
}

#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define SHOWN (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_size_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_RTP_OVERHEAD,
      g_param_spec_uint ("rtp-overhead", "RTP overhead",
          "Bytes of an RTP packet on the wire that its buffer does not have, beside UDP and IP: with srtpdec in front "
          "10 "
          "for hmac-sha1-80",
          0, MAX_OVERHEAD, 0, READY));
  g_object_class_install_property (klass, PROP_RTCP_OVERHEAD,
      g_param_spec_uint ("rtcp-overhead", "RTCP overhead",
          "The same for RTCP: between srtpdec and srtpenc 14 for hmac-sha1-80", 0, MAX_OVERHEAD, 0, READY));
  g_object_class_install_property (klass, PROP_MAX_MEMBERS,
      g_param_spec_uint ("max-members", "Members at most",
          "Participants that are told apart (64 bytes each, taken as they come); of more a sample is kept and their "
          "number estimated (RFC 2762)",
          64, 1 << 24, DEFAULT_MAX_MEMBERS, READY));
}

static void
install_trust_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_PEER_ADDRESS,
      g_param_spec_string ("peer-address", "Peer's address",
          "IP address of the other end of a unicast session: packets from elsewhere are ignored; NULL: whoever sends "
          "first is the peer until it is silent",
          NULL, READY));
  g_object_class_install_property (klass, PROP_SINGLE_STREAM,
      g_param_spec_boolean ("single-stream", "Single stream",
          "Of several SSRCs only one passes, until it is silent, and what is sent again for it; for a jitter buffer or "
          "depayloader that is to play one",
          FALSE, READY));
}

static void
install_packet_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_REDUCED_SIZE,
      g_param_spec_boolean ("reduced-size", "Reduced size",
          "Send early feedback without receiver report and name (RFC 5506); the sender has to agree",
          DEFAULT_REDUCED_SIZE, LIVE));
  g_object_class_install_property (
      klass, PROP_CNAME, g_param_spec_string ("cname", "CNAME", "Name of this end; NULL: a random one", NULL, READY));
  g_object_class_install_property (klass, PROP_SDES,
      g_param_spec_boxed ("sdes", "SDES",
          "What is told of this end: cname, name, email, phone, location, tool, note as strings", GST_TYPE_STRUCTURE,
          READY));
  g_object_class_install_property (klass, PROP_EXTENSION_ID,
      g_param_spec_uint ("extension-id", "Extension id",
          "Header extension id of " RTP_EXT_RTT_SENDTS_URI
          " where caps have no extmap for it; 0: find it by its size, trying 9 first",
          0, 255, DEFAULT_EXTENSION_ID, READY));
  g_object_class_install_property (klass, PROP_TWCC_EXTENSION_ID,
      g_param_spec_uint ("twcc-extension-id", "TWCC extension id",
          "Header extension id of the transport-wide number where caps have no extmap for it; 0: none", 0, 255,
          DEFAULT_TWCC_EXTENSION_ID, READY));
  g_object_class_install_property (klass, PROP_RATE_EXTENSION_ID,
      g_param_spec_uint ("explicit-rate-extension-id", "Explicit rate extension id",
          "Header extension id of " ERF_EXTENSION_URI " where caps have no extmap for it; 0: not read", 0, 255,
          DEFAULT_RATE_EXTENSION_ID, READY));
  g_object_class_install_property (klass, PROP_USE_TIMESTAMPS,
      g_param_spec_boolean ("use-timestamps", "Use timestamps",
          "Take the arrival time from the buffer's DTS (udpsrc socket-timestamp=realtime puts the kernel's there); "
          "FALSE: the time the buffer gets here",
          DEFAULT_USE_TIMESTAMPS, LIVE));
}

static void
install_feedback_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_FEEDBACK,
      g_param_spec_flags ("feedback", "Feedback",
          "What may be sent besides reports; tfrc, remb and path go to senders that stamp their packets with the send "
          "time, remb and path also where routers put an explicit rate into packets",
          GST_TYPE_RTCP_AVPF_FEEDBACK, DEFAULT_FEEDBACK, LIVE));
  g_object_class_install_property (klass, PROP_AUTO_PLI,
      g_param_spec_boolean ("auto-pli", "Automatic PLI",
          "Ask for a key unit on loss of video packets and when joining between two of them, without a decoder's "
          "request",
          DEFAULT_AUTO_PLI, LIVE));
  g_object_class_install_property (klass, PROP_AUTO_NACK,
      g_param_spec_boolean ("auto-nack", "Automatic NACK",
          "Ask for packets again that are missing, without a jitter buffer's request; with auto-pli a key unit is "
          "asked "
          "for only once that has failed",
          DEFAULT_AUTO_NACK, LIVE));
  g_object_class_install_property (klass, PROP_PLI_INTERVAL,
      g_param_spec_uint64 ("pli-interval", "PLI interval",
          "Least time between two key unit requests to a source in ns (and never below two round trips)", 0,
          3600 * GST_SECOND, DEFAULT_PLI_INTERVAL, READY));
  g_object_class_install_property (klass, PROP_NACK_LATENCY,
      g_param_spec_uint64 ("nack-latency", "NACK latency",
          "How long after it was missed a packet is of use in ns, as the latency of the jitter buffer", 0,
          3600 * GST_SECOND, DEFAULT_NACK_LATENCY, READY));
  g_object_class_install_property (klass, PROP_RTX_MAP,
      g_param_spec_boxed ("rtx-payload-type-map", "Payload types of retransmissions",
          "Map of payload types to those of their retransmissions (RFC 4588), as rtprtxreceive's payload-type-map, so "
          "that what is restored is not asked for again",
          GST_TYPE_STRUCTURE, LIVE));
  g_object_class_install_property (klass, PROP_TMMBR_BITRATE,
      g_param_spec_uint64 ("tmmbr-bitrate", "TMMBR bit rate",
          "Limit to ask for with the tmmbr flag of feedback in bit/s, UDP and IP headers counted; 0: the path rate", 0,
          G_MAXUINT64, DEFAULT_TMMBR_BITRATE, LIVE));
}

void
gst_rtcp_avpf_install_properties (GObjectClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  gst_rtcp_avpf_install_turns (klass, PROP_TURNS);
  install_size_properties (klass);
  install_trust_properties (klass);
  install_packet_properties (klass);
  install_feedback_properties (klass);
  gst_rtcp_avpf_install_repair (klass, PROP_REPAIR);
  g_object_class_install_property (klass, PROP_SSRC,
      g_param_spec_uint (
          "ssrc", "SSRC", "SSRC of the RTCP sent (the first, where several send media)", 0, G_MAXUINT, 0, SHOWN));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "State of timing and reception; times in ns, rates in bit/s, x-recv in bytes/s", GST_TYPE_STRUCTURE, SHOWN));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Post stats as an element message every so many ns, 10 ms at least; 0: never", 0, G_MAXINT64,
          DEFAULT_STATS_INTERVAL, LIVE));
}
