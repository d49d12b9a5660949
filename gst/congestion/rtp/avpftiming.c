/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "avpftiming.h"

#include <math.h>

/* e - 3/2: unconditional reconsideration lengthens the mean interval by this much (RFC 3550 6.3.1). */
#define COMPENSATION 1.21828182845904523536
#define SIZE_GAIN (1.0 / 16)
#define MAX_DRAWS 64
#define DEFAULT_SHARE 0.25
#define DEFAULT_SIZE 128
#define MAX_SIZE 1500 /* bytes of others' packets that count: Ethernet's MTU; RTCP is no larger (RFC 3550 6.1) */
#define DEFAULT_DITHER 0.5
#define MAX_DITHER 100
#define DEFAULT_T_MIN (5 * CC_SECOND)
#define AVPF_FIRST_T_MIN 1.0 /* s, RFC 4585 3.4 d */
#define BACK_OFF_MEMBERS 50
#define MAX_BANDWIDTH 1e15 /* bytes/s; intervals keep a ratio to each other up to there */

void
avpf_timing_params_init (AvpfTimingParams *params)
{
  *params = (AvpfTimingParams){.sender_share = DEFAULT_SHARE,
      .T_min = DEFAULT_T_MIN,
      .dither_factor = DEFAULT_DITHER,
      .avpf = true,
      .initial_size = DEFAULT_SIZE};
}

static double
bandwidth (double Bps)
{
  return Bps > 0 ? fmin (Bps, MAX_BANDWIDTH) : 0;
}

void
avpf_timing_params_set_shares (AvpfTimingParams *params, double senders_Bps, double receivers_Bps)
{
  double S = bandwidth (senders_Bps), R = bandwidth (receivers_Bps);

  params->rtcp_bw_Bps = S + R;
  params->sender_share = S + R > 0 ? S / (S + R) : DEFAULT_SHARE;
}

CcDuration
avpf_timing_reduced_minimum (double session_Bps)
{
  double T = 360 / (session_Bps * 8 / 1000);

  return T > 0 && T < 5 ? cc_duration (T) : DEFAULT_T_MIN;
}

/* To the nanosecond where seconds would round. */
static CcDuration
scaled (CcDuration d, double ratio)
{
  double ns = ratio * (double)d;

  return ns < (double)CC_SECOND * 9e9 ? (CcDuration)ns : 9000000000 * CC_SECOND;
}

static bool
point_to_point (const AvpfTiming *t)
{
  return !t->params.group && t->members <= 2 && t->membership == AVPF_MEMBER;
}

/* Seconds. RFC 3550 6.2 */
static double
avp_minimum (const AvpfTiming *t, bool we_sent)
{
  CcDuration T_min = t->params.T_min;

  if (t->params.T_min_reduced > 0 && t->params.T_min_reduced < T_min && (we_sent || !t->params.group))
    T_min = t->params.T_min_reduced;
  return cc_seconds (T_min) / (t->initial ? 2 : 1);
}

/* Seconds. RFC 3550 6.3.1, RFC 4585 3.4 */
static double
minimum_interval (const AvpfTiming *t, bool we_sent)
{
  if (!t->params.avpf)
    return avp_minimum (t, we_sent);
  return point_to_point (t) || !t->initial ? 0 : AVPF_FIRST_T_MIN;
}

/* Bytes/s that one participant of a kind has for itself. RFC 3550 6.3.1 (1)-(2) */
static double
own_bandwidth (const AvpfTiming *t, bool we_sent)
{
  double S = t->params.sender_share, bw = t->params.rtcp_bw_Bps;
  double n = t->members;

  /* who leaves a session without bandwidth for receivers still says so */
  if (t->senders <= t->members * S && (t->membership == AVPF_MEMBER || S < 1)) {
    bw *= we_sent ? S : 1 - S;
    n = we_sent ? t->senders : t->members - t->senders;
  }
  return bw / fmax (n, 1);
}

/* Seconds, HUGE_VAL where there is no bandwidth. RFC 3550 6.3.1 (3) */
static double
deterministic_interval (const AvpfTiming *t, bool we_sent, double Tmin)
{
  double bw = own_bandwidth (t, we_sent);

  return bw > 0 ? fmax (Tmin, t->avg_rtcp_size / bw) : HUGE_VAL;
}

static double
Td (const AvpfTiming *t)
{
  return deterministic_interval (t, t->we_sent, minimum_interval (t, t->we_sent));
}

/* Without unconditional reconsideration the mean of what is drawn is the mean of what comes. */
static double
compensation (const AvpfTiming *t)
{
  bool unconditional = t->params.reconsideration == AVPF_RECONSIDER_UNCONDITIONAL;

  return unconditional && !t->params.uncompensated ? COMPENSATION : 1;
}

static CcDuration
draw_interval (AvpfTiming *t)
{
  CcDuration T = cc_duration (Td (t) * cc_random_uniform (&t->params.random, 0.5, 1.5) / compensation (t));

  return T > CC_USECOND ? T : CC_USECOND;
}

static void
schedule (AvpfTiming *t, CcTime from)
{
  t->T_rr = draw_interval (t);
  t->tn = cc_time_add (from, t->T_rr);
  t->pmembers = t->members;
}

static void
check_params (AvpfTimingParams *p)
{
  p->rtcp_bw_Bps = bandwidth (p->rtcp_bw_Bps);
  if (!(p->sender_share >= 0 && p->sender_share <= 1))
    p->sender_share = DEFAULT_SHARE;
  if (!(p->dither_factor >= 0 && p->dither_factor <= MAX_DITHER))
    p->dither_factor = DEFAULT_DITHER;
  if (!(p->initial_size > 0) || isinf (p->initial_size))
    p->initial_size = DEFAULT_SIZE;
}

void
avpf_timing_init (AvpfTiming *t, const AvpfTimingParams *params, CcTime now)
{
  *t = (AvpfTiming){.params = *params,
      .tp = now,
      .te = CC_TIME_NONE,
      .t_rr_last = CC_TIME_NONE,
      .members = 1,
      .initial = true,
      .allow_early = true};
  check_params (&t->params);
  t->avg_rtcp_size = t->params.initial_size;
  schedule (t, now);
}

static CcTime
shrink_distance (CcTime at, CcTime now, double ratio)
{
  return at >= now ? cc_time_add (now, scaled (at - now, ratio)) : now - scaled (now - at, ratio);
}

/* RFC 3550 6.3.4 */
static void
move_forward (AvpfTiming *t, double ratio, CcTime now)
{
  if (!(ratio < 1) || t->params.reconsideration == AVPF_RECONSIDER_NONE)
    return;
  t->tn = shrink_distance (t->tn, now, ratio);
  t->tp = shrink_distance (t->tp, now, ratio);
  t->T_rr = scaled (t->T_rr, ratio);
}

static void
rescale (AvpfTiming *t, double was)
{
  double is = Td (t);

  if (isinf (was) || isinf (is)) {
    schedule (t, t->tp);
    return;
  }
  t->T_rr = scaled (t->T_rr, is / was);
  t->tn = cc_time_add (t->tp, t->T_rr);
}

void
avpf_timing_set_bandwidth (AvpfTiming *t, double rtcp_bw_Bps)
{
  double was = Td (t);

  t->params.rtcp_bw_Bps = bandwidth (rtcp_bw_Bps);
  rescale (t, was);
}

void
avpf_timing_set_shares (AvpfTiming *t, double senders_Bps, double receivers_Bps)
{
  double was = Td (t);

  avpf_timing_params_set_shares (&t->params, senders_Bps, receivers_Bps);
  rescale (t, was);
}

/* RFC 3550 6.3.8 */
static void
become_sender (AvpfTiming *t, CcTime now)
{
  double was = Td (t);

  t->we_sent = t->has_sent = true;
  if (isinf (was))
    schedule (t, now);
  else
    move_forward (t, Td (t) / was, now);
}

void
avpf_timing_set_members (AvpfTiming *t, unsigned members, unsigned senders, bool we_sent, CcTime now)
{
  if (t->membership != AVPF_MEMBER)
    return;
  t->members = members > 0 ? members : 1;
  t->senders = senders < t->members ? senders : t->members;
  if (t->members < t->pmembers) {
    move_forward (t, (double)t->members / t->pmembers, now);
    t->pmembers = t->members;
  }
  if (we_sent && !t->we_sent)
    become_sender (t, now);
  t->we_sent = we_sent;
}

static void
update_size (AvpfTiming *t, uint32_t size_bytes)
{
  if (size_bytes > 0)
    t->avg_rtcp_size += SIZE_GAIN * (size_bytes - t->avg_rtcp_size);
}

/* No packet of others, whatever it is, keeps this end from reporting. */
static void
update_size_of_others (AvpfTiming *t, uint32_t size_bytes)
{
  update_size (t, size_bytes < MAX_SIZE ? size_bytes : MAX_SIZE);
}

void
avpf_timing_on_received (AvpfTiming *t, uint32_t size_bytes)
{
  if (t->membership == AVPF_MEMBER)
    update_size_of_others (t, size_bytes);
}

void
avpf_timing_on_received_bye (AvpfTiming *t, uint32_t size_bytes)
{
  if (t->membership == AVPF_LEAVING)
    t->members += t->members < UINT32_MAX;
  update_size_of_others (t, size_bytes);
}

static void
forget_feedback (AvpfTiming *t)
{
  t->te = CC_TIME_NONE;
  t->feedback_stored = t->kept_back = false;
}

/* RFC 3550 6.3.7 */
static void
start_back_off (AvpfTiming *t, uint32_t bye_size, CcTime now)
{
  t->membership = AVPF_LEAVING;
  t->tp = now;
  t->members = 1;
  t->senders = 0;
  t->we_sent = false;
  t->initial = true;
  t->avg_rtcp_size = bye_size > 0 ? bye_size : DEFAULT_SIZE;
  schedule (t, now);
}

AvpfLeave
avpf_timing_leave (AvpfTiming *t, uint32_t bye_size, CcTime now)
{
  if (t->membership == AVPF_LEAVING)
    return AVPF_LEAVE_BACKED_OFF;
  forget_feedback (t);
  if (t->membership == AVPF_GONE || !t->has_sent || !(t->params.rtcp_bw_Bps > 0)) {
    t->membership = AVPF_GONE;
    return AVPF_LEAVE_SILENTLY;
  }
  if (t->members < BACK_OFF_MEMBERS) {
    t->membership = AVPF_GONE;
    return AVPF_LEAVE_NOW;
  }
  start_back_off (t, bye_size, now);
  return AVPF_LEAVE_BACKED_OFF;
}

CcDuration
avpf_timing_dither_max (const AvpfTiming *t)
{
  return point_to_point (t) ? 0 : scaled (t->T_rr, t->params.dither_factor);
}

static bool
store_feedback (AvpfTiming *t)
{
  t->feedback_stored = true;
  t->stored++;
  return true;
}

/* RFC 4585 3.5.2 steps 1-4, in the order in which they bind */
static bool
plan_feedback (AvpfTiming *t, CcDuration max_delay, CcTime now)
{
  CcDuration T_dither_max = avpf_timing_dither_max (t);

  if (!avpf_timing_may_report (t))
    return false;
  /* step 2a */
  if (t->te != CC_TIME_NONE || t->feedback_stored)
    return true;
  /* step 3 */
  if (cc_time_add (now, T_dither_max) > t->tn)
    return store_feedback (t);
  /* step 4a */
  if (!t->params.avpf || !t->allow_early)
    return cc_time_since (t->tn, now) <= max_delay && store_feedback (t);
  /* step 1 */
  if (T_dither_max > max_delay)
    return false;
  /* step 4b */
  t->te = cc_time_add (now, cc_duration (cc_random_uniform (&t->params.random, 0, cc_seconds (T_dither_max))));
  return true;
}

bool
avpf_timing_request_feedback (AvpfTiming *t, CcDuration max_delay, CcTime now)
{
  bool planned = plan_feedback (t, max_delay, now);

  t->discarded += !planned;
  return planned;
}

void
avpf_timing_store_feedback (AvpfTiming *t)
{
  t->kept_back = avpf_timing_may_report (t);
}

void
avpf_timing_cancel_feedback (AvpfTiming *t)
{
  t->cancelled += t->te != CC_TIME_NONE || t->feedback_stored;
  forget_feedback (t);
}

void
avpf_timing_postpone_feedback (AvpfTiming *t)
{
  if (t->te == CC_TIME_NONE)
    return;
  t->te = CC_TIME_NONE;
  store_feedback (t);
}

CcTime
avpf_timing_next_timeout (const AvpfTiming *t)
{
  return t->membership == AVPF_GONE ? CC_TIME_NONE : cc_time_min (t->te, t->tn);
}

static bool
must_reconsider (const AvpfTiming *t)
{
  switch (t->params.reconsideration) {
  case AVPF_RECONSIDER_NONE:
    return false;
  case AVPF_RECONSIDER_CONDITIONAL:
    return t->pmembers != t->members;
  default:
    return true;
  }
}

/* RFC 3550 6.3.6: true where the packet may go now. */
static bool
reconsider (AvpfTiming *t, CcTime now)
{
  CcDuration T;

  if (!must_reconsider (t))
    return true;
  T = draw_interval (t);
  t->pmembers = t->members;
  if (cc_time_add (t->tp, T) <= now)
    return true;
  t->T_rr = T;
  t->tn = cc_time_add (t->tp, T);
  t->deferred++;
  return false;
}

/* The slot is used, with a packet or without. */
static void
advance (AvpfTiming *t, CcTime tp)
{
  t->tp = tp;
  t->allow_early = true;
  schedule (t, tp);
}

static bool
full_report_due (const AvpfTiming *t)
{
  return t->params.T_rr_interval == 0 || t->t_rr_last == CC_TIME_NONE ||
         cc_time_add (t->t_rr_last, t->T_rr_current_interval) <= t->tn;
}

/* RFC 4585 3.5.3 */
static AvpfVerdict
use_regular_slot (AvpfTiming *t, CcTime now)
{
  t->full_due = full_report_due (t);
  if (t->full_due || t->feedback_stored || t->kept_back || t->te != CC_TIME_NONE)
    return AVPF_SEND_REGULAR;
  t->suppressed++;
  advance (t, now);
  return AVPF_NOTHING;
}

AvpfVerdict
avpf_timing_on_timeout (AvpfTiming *t, CcTime now)
{
  if (t->membership == AVPF_GONE)
    return AVPF_NOTHING;
  if (t->tn <= now && reconsider (t, now))
    return t->membership == AVPF_LEAVING ? AVPF_SEND_BYE : use_regular_slot (t, now);
  return t->te <= now ? AVPF_SEND_EARLY : AVPF_NOTHING;
}

/* When the slot of a packet due at `due` ends, if it is reconsidered until it may go. */
static CcTime
reconsidered_slot (AvpfTiming *t, CcTime due)
{
  CcTime again;

  if (!must_reconsider (t))
    return due;
  for (int i = 0; i < MAX_DRAWS && (again = cc_time_add (t->tp, draw_interval (t))) > due; i++)
    due = again;
  return due;
}

/* RFC 4585 3.5.2 step 6 */
static void
skip_next_slot (AvpfTiming *t)
{
  t->allow_early = false;
  t->tp = t->params.literal_early_slot ? t->tn : reconsidered_slot (t, t->tn);
  t->tn = cc_time_add (t->tp, t->T_rr);
  t->early_sent++;
}

static void
count_regular (AvpfTiming *t, CcTime tp, CcTime now)
{
  double interval = cc_seconds (t->params.T_rr_interval);

  t->initial = false;
  t->regular_sent++;
  if (t->full_due) {
    t->t_rr_last = now;
    t->T_rr_current_interval = cc_duration (interval * cc_random_uniform (&t->params.random, 0.5, 1.5));
  }
  advance (t, tp);
}

void
avpf_timing_on_sent (AvpfTiming *t, AvpfVerdict verdict, uint32_t size_bytes, CcTime now)
{
  if (verdict == AVPF_NOTHING)
    return;
  t->has_sent = true;
  update_size (t, size_bytes);
  forget_feedback (t);
  if (verdict == AVPF_SEND_BYE)
    t->membership = AVPF_GONE;
  else if (verdict == AVPF_SEND_EARLY)
    skip_next_slot (t);
  else
    count_regular (t, now, now);
}

bool
avpf_timing_may_report (const AvpfTiming *t)
{
  return t->membership == AVPF_MEMBER && !isinf (Td (t));
}

CcTime
avpf_timing_effective_time (AvpfTiming *t, CcTime now)
{
  return reconsidered_slot (t, t->tn > now ? t->tn : now);
}

void
avpf_timing_on_aggregated (AvpfTiming *t, uint32_t div_size, CcTime tp, CcTime now)
{
  t->has_sent = true;
  update_size (t, div_size);
  forget_feedback (t);
  count_regular (t, tp, now);
}

CcDuration
avpf_timing_interval (const AvpfTiming *t)
{
  return cc_duration (Td (t));
}

/* As a receiver, with the fixed minimum. Where receivers say nothing there is no T to go by but that. */
static double
timeout_interval (const AvpfTiming *t)
{
  double Tmin = fmax (5, t->params.avpf ? 0 : cc_seconds (t->params.T_min));
  double T = deterministic_interval (t, false, Tmin);

  return isinf (T) ? Tmin : T;
}

CcDuration
avpf_timing_member_timeout (const AvpfTiming *t)
{
  return cc_duration (5 * timeout_interval (t));
}

CcDuration
avpf_timing_sender_timeout (const AvpfTiming *t)
{
  return cc_duration (2 * timeout_interval (t));
}

AvpfMode
avpf_timing_mode (const AvpfTiming *t, double N, CcDuration T, CcDuration max_delay)
{
  double B = own_bandwidth (t, t->we_sent);

  if (!t->params.avpf || !(B > 0))
    return AVPF_MODE_REGULAR;
  if (N <= B * cc_seconds (T) / t->avg_rtcp_size)
    return AVPF_MODE_IMMEDIATE;
  return avpf_timing_dither_max (t) <= max_delay ? AVPF_MODE_EARLY : AVPF_MODE_REGULAR;
}

double
avpf_timing_immediate_receivers (double receivers_Bps, CcDuration T, double S, double N)
{
  return S > 0 && N > 0 ? receivers_Bps * cc_seconds (T) / (S * N) : HUGE_VAL;
}
