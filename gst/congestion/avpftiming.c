/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "avpftiming.h"

#include <math.h>

/* e - 3/2: unconditional reconsideration lengthens the mean interval by this much (RFC 3550 6.3.1). */
#define COMPENSATION 1.21828182845904523536
#define SIZE_GAIN (1.0 / 16)
#define MAX_DRAWS 64

void
avpf_timing_params_init (AvpfTimingParams *params)
{
  *params = (AvpfTimingParams){.sender_share = 0.25, .avpf = true, .initial_size = 128};
}

static bool
point_to_point (const AvpfTiming *t)
{
  return !t->params.group && t->members <= 2;
}

/* Seconds. RFC 3550 6.3.1, RFC 4585 3.4 */
static double
minimum_interval (const AvpfTiming *t)
{
  if (!t->params.avpf)
    return t->initial ? 2.5 : 5;
  return point_to_point (t) || !t->initial ? 0 : 1;
}

/* Seconds, HUGE_VAL where there is no bandwidth. RFC 3550 6.3.1 (1)-(2) */
static double
deterministic_interval (const AvpfTiming *t, bool we_sent, double Tmin)
{
  double S = t->params.sender_share, bw = t->params.rtcp_bw_Bps;
  double n = t->members;

  if (t->senders <= t->members * S) {
    bw *= we_sent ? S : 1 - S;
    n = we_sent ? t->senders : t->members - t->senders;
  }
  if (!(bw > 0))
    return HUGE_VAL;
  return fmax (Tmin, fmax (n, 1) * t->avg_rtcp_size / bw);
}

static double
Td (const AvpfTiming *t)
{
  return deterministic_interval (t, t->we_sent, minimum_interval (t));
}

static CcDuration
draw_interval (AvpfTiming *t)
{
  CcDuration T = cc_duration (Td (t) * cc_random_uniform (&t->params.random, 0.5, 1.5) / COMPENSATION);

  return T > CC_USECOND ? T : CC_USECOND;
}

static void
schedule (AvpfTiming *t, CcTime from)
{
  t->T_rr = draw_interval (t);
  t->tn = cc_time_add (from, t->T_rr);
}

void
avpf_timing_init (AvpfTiming *t, const AvpfTimingParams *params, CcTime now)
{
  *t = (AvpfTiming){.params = *params,
      .tp = now,
      .te = CC_TIME_NONE,
      .t_rr_last = CC_TIME_NONE,
      .members = 1,
      .pmembers = 1,
      .initial = true,
      .allow_early = true,
      .avg_rtcp_size = params->initial_size > 0 ? params->initial_size : 128};
  if (!(t->params.sender_share >= 0 && t->params.sender_share <= 1))
    t->params.sender_share = 0.25;
  schedule (t, now);
}

static CcTime
shrink_distance (CcTime at, CcTime now, double ratio)
{
  if (at >= now)
    return cc_time_add (now, cc_duration (ratio * cc_seconds (at - now)));
  return now - cc_duration (ratio * cc_seconds (now - at));
}

/* RFC 3550 6.3.4 */
static void
move_forward (AvpfTiming *t, double ratio, CcTime now)
{
  if (!(ratio < 1))
    return;
  t->tn = shrink_distance (t->tn, now, ratio);
  t->tp = shrink_distance (t->tp, now, ratio);
  t->T_rr = cc_duration (ratio * cc_seconds (t->T_rr));
}

void
avpf_timing_set_bandwidth (AvpfTiming *t, double rtcp_bw_Bps)
{
  double was = Td (t), is;

  t->params.rtcp_bw_Bps = rtcp_bw_Bps > 0 ? rtcp_bw_Bps : 0;
  is = Td (t);
  if (isinf (was) || isinf (is)) {
    schedule (t, t->tp);
    return;
  }
  t->T_rr = cc_duration (is / was * cc_seconds (t->T_rr));
  t->tn = cc_time_add (t->tp, t->T_rr);
}

void
avpf_timing_set_members (AvpfTiming *t, unsigned members, unsigned senders, bool we_sent, CcTime now)
{
  bool begins = we_sent && !t->we_sent;
  double was;

  t->members = members > 0 ? members : 1;
  t->senders = senders < t->members ? senders : t->members;
  if (t->members < t->pmembers) {
    move_forward (t, (double)t->members / t->pmembers, now);
    t->pmembers = t->members;
  }
  was = Td (t);
  t->we_sent = we_sent;
  if (begins)
    move_forward (t, Td (t) / was, now);
}

static void
update_size (AvpfTiming *t, uint32_t size_bytes)
{
  t->avg_rtcp_size += SIZE_GAIN * (size_bytes - t->avg_rtcp_size);
}

void
avpf_timing_on_received (AvpfTiming *t, uint32_t size_bytes)
{
  update_size (t, size_bytes);
}

static CcDuration
dither_max (const AvpfTiming *t)
{
  return point_to_point (t) ? 0 : t->T_rr / 2;
}

bool
avpf_timing_request_feedback (AvpfTiming *t, CcDuration max_delay, CcTime now)
{
  CcDuration T_dither_max = dither_max (t);

  if (isinf (Td (t)))
    return false;
  /* RFC 4585 3.5.2 step 2a */
  if (t->te != CC_TIME_NONE || t->feedback_stored)
    return true;
  /* steps 3 and 4 */
  if (!t->params.avpf || !t->allow_early || cc_time_add (now, T_dither_max) > t->tn) {
    t->feedback_stored = cc_time_since (t->tn, now) <= max_delay || cc_time_add (now, T_dither_max) > t->tn;
    return t->feedback_stored;
  }
  /* step 1 */
  if (T_dither_max > max_delay)
    return false;
  t->te = cc_time_add (now, cc_duration (cc_random_uniform (&t->params.random, 0, cc_seconds (T_dither_max))));
  return true;
}

void
avpf_timing_cancel_feedback (AvpfTiming *t)
{
  t->te = CC_TIME_NONE;
  t->feedback_stored = false;
}

CcTime
avpf_timing_next_timeout (const AvpfTiming *t)
{
  return cc_time_min (t->te, t->tn);
}

/* RFC 3550 6.3.6: true where the packet may go now. */
static bool
reconsider (AvpfTiming *t, CcTime now)
{
  CcDuration T = draw_interval (t);
  bool go = cc_time_add (t->tp, T) <= now;

  t->pmembers = t->members;
  if (go)
    return true;
  t->T_rr = T;
  t->tn = cc_time_add (t->tp, T);
  t->deferred++;
  return false;
}

/* The slot is used, with a packet or without. */
static void
advance (AvpfTiming *t, CcTime now)
{
  t->tp = now;
  t->allow_early = true;
  schedule (t, now);
}

static bool
full_report_due (const AvpfTiming *t)
{
  return t->params.T_rr_interval == 0 || t->t_rr_last == CC_TIME_NONE ||
         cc_time_add (t->t_rr_last, t->T_rr_current_interval) <= t->tn;
}

AvpfVerdict
avpf_timing_on_timeout (AvpfTiming *t, CcTime now)
{
  if (t->te <= now && t->te <= t->tn)
    return AVPF_SEND_EARLY;
  if (now < t->tn || !reconsider (t, now))
    return AVPF_NOTHING;
  /* RFC 4585 3.5.3 (2) */
  t->full_due = full_report_due (t);
  if (t->full_due || t->feedback_stored || t->te != CC_TIME_NONE)
    return AVPF_SEND_REGULAR;
  t->suppressed++;
  advance (t, now);
  return AVPF_NOTHING;
}

/* Where reconsideration would have put the regular packet whose slot is used up, seen from now. */
static CcDuration
reconsidered_slot (AvpfTiming *t)
{
  CcDuration slot = t->T_rr, T;

  for (int i = 0; i < MAX_DRAWS && (T = draw_interval (t)) > slot; i++)
    slot = T;
  return slot;
}

/* RFC 4585 3.5.2 step 6 */
static void
skip_next_slot (AvpfTiming *t)
{
  t->allow_early = false;
  t->tp = cc_time_add (t->tp, reconsidered_slot (t));
  t->tn = cc_time_add (t->tp, t->T_rr);
  t->early_sent++;
}

static void
count_regular (AvpfTiming *t, CcTime now)
{
  double interval = cc_seconds (t->params.T_rr_interval);

  t->initial = false;
  t->pmembers = t->members;
  t->regular_sent++;
  if (t->full_due) {
    t->t_rr_last = now;
    t->T_rr_current_interval = cc_duration (interval * cc_random_uniform (&t->params.random, 0.5, 1.5));
  }
  advance (t, now);
}

void
avpf_timing_on_sent (AvpfTiming *t, AvpfVerdict verdict, uint32_t size_bytes, CcTime now)
{
  if (verdict == AVPF_NOTHING)
    return;
  update_size (t, size_bytes);
  avpf_timing_cancel_feedback (t);
  if (verdict == AVPF_SEND_EARLY)
    skip_next_slot (t);
  else
    count_regular (t, now);
}

CcDuration
avpf_timing_interval (const AvpfTiming *t)
{
  return cc_duration (Td (t));
}

CcDuration
avpf_timing_member_timeout (const AvpfTiming *t)
{
  return cc_duration (5 * deterministic_interval (t, false, 5));
}
