/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who takes part, and with that when RTCP may leave. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

#include "avpfaggregate.h"

/* bytes/s: a report every 3 ms. More would only make the timer tick. */
#define RTCP_BANDWIDTH_MAX 62500.0
#define BANDWIDTH_FLOOR 500000.0
#define SENDER_SHARE 0.25
#define REPAIRING_SENDER 1000.0          /* bytes/s: RTCP_BANDWIDTH_MAX of tfrcsink */
#define MEMBER_TIMEOUT (25 * GST_SECOND) /* before there is a session: 5 intervals of 5 s */
#define SENDER_TIMEOUT (10 * GST_SECOND) /* 2 T */

static uint32_t
next_random (void *user)
{
  return g_random_int ();
}

static gdouble
session_bandwidth (GstRtcpAvpf *self)
{
  return self->settings.bandwidth != 0 ? self->settings.bandwidth : MAX (self->receive_bps, BANDWIDTH_FLOOR);
}

/* bytes/s. RFC 3550 6.2; RFC 3556 where the shares are given. */
static void
rtcp_shares (GstRtcpAvpf *self, gdouble *senders, gdouble *receivers)
{
  const GstRtcpAvpfSettings *s = &self->settings;
  gdouble all = session_bandwidth (self) / 8 * s->rtcp_fraction, excess;

  /* one sender and one receiver share by halves (RFC 3550 6.3.1); whoever repairs with us takes less */
  if (self->repair.agreed && all > 2 * REPAIRING_SENDER)
    all = 2 * (all - REPAIRING_SENDER);
  *senders = s->rs_bandwidth >= 0 ? s->rs_bandwidth / 8.0 : all * SENDER_SHARE;
  *receivers = s->rr_bandwidth >= 0 ? s->rr_bandwidth / 8.0 : all * (1 - SENDER_SHARE);
  excess = (*senders + *receivers) / RTCP_BANDWIDTH_MAX;
  if (excess > 1) {
    *senders /= excess;
    *receivers /= excess;
  }
}

gdouble
gst_rtcp_avpf_rtcp_bandwidth (GstRtcpAvpf *self)
{
  gdouble senders, receivers;

  rtcp_shares (self, &senders, &receivers);
  return senders + receivers;
}

static gboolean
is_avpf (const GstRtcpAvpfSettings *s)
{
  return s->profile != GST_RTP_PROFILE_AVP && s->profile != GST_RTP_PROFILE_SAVP;
}

RtpSessionKind
gst_rtcp_avpf_session_kind (GstRtcpAvpf *self)
{
  switch (self->settings.group) {
  case GST_RTCP_AVPF_GROUP_GROUP:
    return RTP_SESSION_GROUP;
  case GST_RTCP_AVPF_GROUP_POINT_TO_POINT:
    return RTP_SESSION_UNICAST;
  default:
    return self->multicast ? RTP_SESSION_GROUP : RTP_SESSION_UNICAST;
  }
}

gboolean
gst_rtcp_avpf_timing_runs (GstRtcpAvpf *self)
{
  return self->locals.locals[0].timing_runs;
}

static void
start_timing (GstRtcpAvpf *self, AvpfLocal *local, GstClockTime now)
{
  AvpfTimingParams params;
  gdouble senders, receivers;

  avpf_timing_params_init (&params);
  rtcp_shares (self, &senders, &receivers);
  avpf_timing_params_set_shares (&params, senders, receivers);
  params.T_rr_interval = self->settings.trr_int;
  params.dither_factor = self->settings.dither_factor;
  params.reconsideration = self->settings.reconsideration;
  params.avpf = is_avpf (&self->settings);
  params.group = self->peer.kind == RTP_SESSION_GROUP;
  params.random = (CcRandom){.next = next_random};
  avpf_timing_init (&local->timing, &params, now);
  local->timing_runs = TRUE;
}

/* A receiver that hears nobody has nobody to tell. */
void
gst_rtcp_avpf_update_members (GstRtcpAvpf *self, GstClockTime now)
{
  guint members = rtp_peer_members (&self->peer, rtp_members_members (&self->members)),
        senders = rtp_members_senders (&self->members);
  guint sending = avpf_local_table_senders (&self->locals), i;
  gboolean runs = members > 0 || sending > 0;

  /* the stream of packets sent again is the peer's as well, and neither shares the bandwidth nor answers in its place
   */
  members -= members > 1 && self->repair.agreed ? 1 : 0;
  senders -= senders > 1 && self->repair.agreed ? 1 : 0;
  for (i = 0; i < self->locals.n; i++) {
    AvpfLocal *local = &self->locals.locals[i];

    if (runs && !local->timing_runs)
      start_timing (self, local, now);
    local->timing_runs = runs;
    if (runs)
      avpf_timing_set_members (&local->timing, self->locals.n + members, sending + senders, local->we_sent, now);
  }
  gst_rtcp_avpf_wake_before (self, gst_rtcp_avpf_timing_next (self));
}

void
gst_rtcp_avpf_update_bandwidth (GstRtcpAvpf *self)
{
  gdouble senders, receivers;
  guint i;

  rtcp_shares (self, &senders, &receivers);
  for (i = 0; i < self->locals.n; i++)
    if (self->locals.locals[i].timing_runs)
      avpf_timing_set_shares (&self->locals.locals[i].timing, senders, receivers);
}

void
gst_rtcp_avpf_apply_timing (GstRtcpAvpf *self)
{
  guint i;

  rtp_peer_set_kind (&self->peer, gst_rtcp_avpf_session_kind (self));
  for (i = 0; i < self->locals.n; i++) {
    AvpfTiming *timing = &self->locals.locals[i].timing;

    if (!self->locals.locals[i].timing_runs)
      continue;
    if (timing->params.T_rr_interval != self->settings.trr_int)
      timing->T_rr_current_interval = self->settings.trr_int; /* until it is drawn again */
    timing->params.T_rr_interval = self->settings.trr_int;
    timing->params.dither_factor = self->settings.dither_factor;
    timing->params.reconsideration = self->settings.reconsideration;
    timing->params.group = self->peer.kind == RTP_SESSION_GROUP;
  }
  gst_rtcp_avpf_update_bandwidth (self);
  gst_rtcp_avpf_wake_before (self, gst_rtcp_avpf_timing_next (self));
}

gboolean
gst_rtcp_avpf_request_feedback_within (GstRtcpAvpf *self, GstClockTime max_delay, GstClockTime now)
{
  AvpfTiming *timing = &self->locals.locals[0].timing;
  gboolean granted;

  if (!gst_rtcp_avpf_timing_runs (self))
    return FALSE;
  self->requests++;
  granted = avpf_timing_request_feedback (timing, max_delay, now);
  gst_rtcp_avpf_wake_before (self, avpf_timing_next_timeout (timing));
  return granted;
}

/* Of what is as new as ever when it is late. */
void
gst_rtcp_avpf_request_feedback (GstRtcpAvpf *self, GstClockTime now)
{
  gst_rtcp_avpf_request_feedback_within (self, GST_CLOCK_TIME_NONE, now);
}

GstClockTime
gst_rtcp_avpf_member_timeout (GstRtcpAvpf *self)
{
  return gst_rtcp_avpf_timing_runs (self) ? avpf_timing_member_timeout (&self->locals.locals[0].timing)
                                          : MEMBER_TIMEOUT;
}

GstClockTime
gst_rtcp_avpf_sender_timeout (GstRtcpAvpf *self)
{
  return gst_rtcp_avpf_timing_runs (self) ? avpf_timing_sender_timeout (&self->locals.locals[0].timing)
                                          : SENDER_TIMEOUT;
}

guint
gst_rtcp_avpf_udp_ip_bytes (GSocketAddress *address)
{
  return address != NULL && g_socket_address_get_family (address) == G_SOCKET_FAMILY_IPV6 ? RTCP_AVPF_IPV6_UDP_BYTES
                                                                                          : RTCP_AVPF_IPV4_UDP_BYTES;
}

GstClockTime
gst_rtcp_avpf_timing_next (GstRtcpAvpf *self)
{
  GstClockTime next = GST_CLOCK_TIME_NONE;
  guint i;

  for (i = 0; i < self->locals.n; i++)
    if (self->locals.locals[i].timing_runs)
      next = MIN (next, avpf_timing_next_timeout (&self->locals.locals[i].timing));
  return next;
}

void
gst_rtcp_avpf_timing_on_received (GstRtcpAvpf *self, guint bytes, guint reports, gboolean has_bye)
{
  guint32 size = avpf_aggregate_div_size (bytes, reports);
  guint i;

  for (i = 0; i < self->locals.n; i++) {
    AvpfLocal *local = &self->locals.locals[i];

    if (!local->timing_runs)
      continue;
    if (has_bye)
      avpf_timing_on_received_bye (&local->timing, size);
    else
      avpf_timing_on_received (&local->timing, size);
  }
  gst_rtcp_avpf_wake_before (self, gst_rtcp_avpf_timing_next (self));
}
