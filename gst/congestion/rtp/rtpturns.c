/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpturns.h"

#include "avpfaggregate.h"

/* bytes/s: a report every 3 ms. More would only make the timer tick. */
#define RTCP_BANDWIDTH_MAX 62500.0
#define SESSION_BPS_MIN 500000.0
#define SENDER_SHARE 0.25
#define MEMBER_TIMEOUT (25 * CC_SECOND) /* before there is a session: 5 intervals of 5 s */
#define SENDER_TIMEOUT (10 * CC_SECOND) /* 2 T */

void
rtp_turns_params_init (RtpTurnsParams *params)
{
  *params = (RtpTurnsParams){.rtcp_fraction = 0.05,
      .senders_bps = -1,
      .receivers_bps = -1,
      .T_rr_interval = CC_SECOND,
      .dither_factor = 0.5,
      .reconsideration = AVPF_RECONSIDER_UNCONDITIONAL,
      .avpf = true};
}

void
rtp_turns_init (RtpTurns *t, const RtpTurnsParams *params, const CcRandom *random, RtpLocals *locals)
{
  *t = (RtpTurns){.params = *params, .random = *random, .locals = locals, .wake_at = CC_TIME_NONE};
}

double
rtp_turns_beside_little_Bps (double all_Bps)
{
  return all_Bps > 2 * RTP_TURNS_LITTLE_Bps ? 2 * (all_Bps - RTP_TURNS_LITTLE_Bps) : all_Bps;
}

static void
shares (const RtpTurns *t, double *senders_Bps, double *receivers_Bps)
{
  const RtpTurnsParams *p = &t->params;
  double received = t->received_bps > SESSION_BPS_MIN ? t->received_bps : SESSION_BPS_MIN;
  double all = (p->session_bps != 0 ? p->session_bps : received) / 8 * p->rtcp_fraction, excess;

  if (t->peer_takes_less)
    all = rtp_turns_beside_little_Bps (all);
  *senders_Bps = p->senders_bps >= 0 ? p->senders_bps / 8 : all * SENDER_SHARE;
  *receivers_Bps = p->receivers_bps >= 0 ? p->receivers_bps / 8 : all * (1 - SENDER_SHARE);
  excess = (*senders_Bps + *receivers_Bps) / RTCP_BANDWIDTH_MAX;
  if (excess > 1) {
    *senders_Bps /= excess;
    *receivers_Bps /= excess;
  }
}

double
rtp_turns_bandwidth_Bps (const RtpTurns *t)
{
  double senders, receivers;

  shares (t, &senders, &receivers);
  return senders + receivers;
}

static void
wake_before (RtpTurns *t, CcTime when)
{
  t->wake_at = cc_time_min (t->wake_at, when);
}

static void
start (const RtpTurns *t, RtpLocal *local, CcTime now)
{
  AvpfTimingParams params;
  double senders, receivers;

  avpf_timing_params_init (&params);
  shares (t, &senders, &receivers);
  avpf_timing_params_set_shares (&params, senders, receivers);
  params.T_rr_interval = t->params.T_rr_interval;
  params.dither_factor = t->params.dither_factor;
  params.reconsideration = t->params.reconsideration;
  params.avpf = t->params.avpf;
  params.group = t->params.group;
  params.literal_early_slot = t->params.literal_early_slot;
  params.random = t->random;
  avpf_timing_init (&local->timing, &params, now);
  local->timing_runs = true;
}

/* A receiver that hears nobody has nobody to tell. Whoever has sent takes part until its BYE (RFC 3550 6.3.7). */
void
rtp_turns_set_members (RtpTurns *t, unsigned members, unsigned senders, CcTime now)
{
  unsigned sending = rtp_locals_senders (t->locals), i;
  bool runs = members > 0 || rtp_locals_have_sent (t->locals);

  for (i = 0; i < t->locals->n; i++) {
    RtpLocal *local = &t->locals->locals[i];

    if (runs && !local->timing_runs)
      start (t, local, now);
    local->timing_runs = runs;
    if (runs)
      avpf_timing_set_members (&local->timing, t->locals->n + members, sending + senders, local->we_sent, now);
  }
  wake_before (t, rtp_turns_next_timeout (t));
}

static void
update_bandwidth (RtpTurns *t)
{
  double senders, receivers;
  unsigned i;

  shares (t, &senders, &receivers);
  for (i = 0; i < t->locals->n; i++)
    if (t->locals->locals[i].timing_runs)
      avpf_timing_set_shares (&t->locals->locals[i].timing, senders, receivers);
}

void
rtp_turns_set_received (RtpTurns *t, double received_bps)
{
  t->received_bps = received_bps;
  update_bandwidth (t);
}

static void
apply_to (const RtpTurns *t, AvpfTiming *timing)
{
  if (timing->params.T_rr_interval != t->params.T_rr_interval)
    timing->T_rr_current_interval = t->params.T_rr_interval; /* until it is drawn again */
  timing->params.T_rr_interval = t->params.T_rr_interval;
  timing->params.dither_factor = t->params.dither_factor;
  timing->params.reconsideration = t->params.reconsideration;
  timing->params.group = t->params.group;
}

void
rtp_turns_apply (RtpTurns *t)
{
  unsigned i;

  for (i = 0; i < t->locals->n; i++)
    if (t->locals->locals[i].timing_runs)
      apply_to (t, &t->locals->locals[i].timing);
  update_bandwidth (t);
  wake_before (t, rtp_turns_next_timeout (t));
}

void
rtp_turns_set_peer_takes_less (RtpTurns *t, bool less)
{
  t->peer_takes_less = less;
  update_bandwidth (t);
}

void
rtp_turns_keep_back (RtpTurns *t)
{
  if (rtp_turns_run (t))
    avpf_timing_store_feedback (&t->locals->locals[0].timing);
}

bool
rtp_turns_run (const RtpTurns *t)
{
  return t->locals->locals[0].timing_runs;
}

bool
rtp_turns_request (RtpTurns *t, CcDuration max_delay, CcTime now)
{
  AvpfTiming *timing = &t->locals->locals[0].timing;
  bool granted;

  if (!rtp_turns_run (t))
    return false;
  t->requests++;
  granted = avpf_timing_request_feedback (timing, max_delay, now);
  wake_before (t, avpf_timing_next_timeout (timing));
  return granted;
}

void
rtp_turns_on_received (RtpTurns *t, unsigned bytes, unsigned reports, bool has_bye)
{
  uint32_t size = avpf_aggregate_div_size (bytes, reports);
  unsigned i;

  for (i = 0; i < t->locals->n; i++) {
    RtpLocal *local = &t->locals->locals[i];

    if (!local->timing_runs)
      continue;
    if (has_bye)
      avpf_timing_on_received_bye (&local->timing, size);
    else
      avpf_timing_on_received (&local->timing, size);
  }
  wake_before (t, rtp_turns_next_timeout (t));
}

CcTime
rtp_turns_next_timeout (const RtpTurns *t)
{
  CcTime next = CC_TIME_NONE;
  unsigned i;

  for (i = 0; i < t->locals->n; i++)
    if (t->locals->locals[i].timing_runs)
      next = cc_time_min (next, avpf_timing_next_timeout (&t->locals->locals[i].timing));
  return next;
}

CcDuration
rtp_turns_member_timeout (const RtpTurns *t)
{
  return rtp_turns_run (t) ? avpf_timing_member_timeout (&t->locals->locals[0].timing) : MEMBER_TIMEOUT;
}

CcDuration
rtp_turns_sender_timeout (const RtpTurns *t)
{
  return rtp_turns_run (t) ? avpf_timing_sender_timeout (&t->locals->locals[0].timing) : SENDER_TIMEOUT;
}
