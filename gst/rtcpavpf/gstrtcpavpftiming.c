/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who takes part, and with that when RTCP may leave. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

#define RTCP_FRACTION 0.05 /* RFC 3550 6.2 */
/* bytes/s: a report every 3 ms. More would only make the timer tick. */
#define RTCP_BANDWIDTH_MAX 62500.0
#define BANDWIDTH_FLOOR 500000.0
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

gdouble
gst_rtcp_avpf_rtcp_bandwidth (GstRtcpAvpf *self)
{
  return MIN (session_bandwidth (self) / 8 * RTCP_FRACTION, RTCP_BANDWIDTH_MAX);
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

  avpf_timing_params_init (&params);
  params.rtcp_bw_Bps = gst_rtcp_avpf_rtcp_bandwidth (self);
  params.T_rr_interval = self->settings.trr_int;
  params.random = (CcRandom){.next = next_random};
  avpf_timing_init (&local->timing, &params, now);
  local->timing_runs = TRUE;
}

void
gst_rtcp_avpf_update_members (GstRtcpAvpf *self, GstClockTime now)
{
  guint members, senders, sending = avpf_local_table_senders (&self->locals), i;
  gboolean runs;

  avpf_source_table_count (&self->table, SENDER_TIMEOUT, now, &members, &senders);
  runs = members > 0 || sending > 0;
  for (i = 0; i < self->locals.n; i++) {
    AvpfLocal *local = &self->locals.locals[i];

    if (runs && !local->timing_runs)
      start_timing (self, local, now);
    local->timing_runs = runs;
    if (runs)
      avpf_timing_set_members (&local->timing, self->locals.n + members, sending + senders, local->we_sent, now);
  }
}

void
gst_rtcp_avpf_update_bandwidth (GstRtcpAvpf *self)
{
  guint i;

  for (i = 0; i < self->locals.n; i++)
    if (self->locals.locals[i].timing_runs)
      avpf_timing_set_bandwidth (&self->locals.locals[i].timing, gst_rtcp_avpf_rtcp_bandwidth (self));
}

void
gst_rtcp_avpf_request_feedback (GstRtcpAvpf *self, GstClockTime now)
{
  AvpfTiming *timing = &self->locals.locals[0].timing;

  if (!gst_rtcp_avpf_timing_runs (self))
    return;
  /* late feedback still carries the newest values, so it never goes stale */
  if (!avpf_timing_request_feedback (timing, CC_TIME_NONE, now))
    self->feedback_discarded++;
  gst_rtcp_avpf_wake_before (self, avpf_timing_next_timeout (timing));
}

GstClockTime
gst_rtcp_avpf_member_timeout (GstRtcpAvpf *self)
{
  return gst_rtcp_avpf_timing_runs (self) ? avpf_timing_member_timeout (&self->locals.locals[0].timing)
                                          : MEMBER_TIMEOUT;
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
gst_rtcp_avpf_timing_on_received (GstRtcpAvpf *self, guint bytes)
{
  guint i;

  for (i = 0; i < self->locals.n; i++)
    if (self->locals.locals[i].timing_runs)
      avpf_timing_on_received (&self->locals.locals[i].timing, bytes);
  gst_rtcp_avpf_wake_before (self, gst_rtcp_avpf_timing_next (self));
}
