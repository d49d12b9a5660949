/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrcsender.h"

#include <math.h>
#include <string.h>

#define T_MBI 64.0 /* s, RFC 5348 4.3 */
#define FIRST_TIMEOUT (2 * CC_SECOND)
#define R_MIN (100 * CC_USECOND)
#define R_SAMPLE_MAX (10 * CC_SECOND)
#define FEEDBACK_INTERVAL_MAX (5 * CC_SECOND) /* RFC 3550's minimum interval of regular RTCP */
#define X_RECV_MAX 1e10
#define S_PACKETS 64               /* packets the mean size looks back on */
#define STAMP_PRECISION CC_USECOND /* of echoed timestamps */

void
tfrc_sender_params_init (TfrcSenderParams *params)
{
  memset (params, 0, sizeof *params);
  params->mss = 1460;
  params->rto = TFRC_RTO_4R;
  params->oscillation_prevention = true;
  params->min_rto = 20 * CC_MSECOND;
}

/* RFC 5348 4.2 */
static double
start_rate (const TfrcSender *t)
{
  return t->params.initial_Bps > 0 ? t->params.initial_Bps : t->s;
}

void
tfrc_sender_init (TfrcSender *t, const TfrcSenderParams *params, CcTime now)
{
  memset (t, 0, sizeof *t);
  t->params = *params;
  t->s = params->mss;
  t->X = t->X_inst = start_rate (t);
  t->X_recv_infinite = true;
  t->infinite_at = t->started_at = now;
  t->RTO = FIRST_TIMEOUT;
  t->nofeedback_at = cc_time_add (now, FIRST_TIMEOUT);
  t->unreported_at = CC_TIME_NONE;
  t->limit = TFRC_START;
}

static double
min_rate (const TfrcSender *t)
{
  return t->s / T_MBI;
}

/* Bytes; RFC 5348 4.2. */
static double
W_init (const TfrcSender *t)
{
  return fmin (4 * t->params.mss, fmax (2 * t->params.mss, 4380));
}

/* What one round trip of reports lasts. */
static CcDuration
report_span (const TfrcSender *t)
{
  return t->feedback_interval > 2 * t->R ? t->feedback_interval : t->R;
}

static CcDuration
longer (CcDuration a, CcDuration b)
{
  return a > b ? a : b;
}

/* RFC 5348 4.3 step 3, 4.4 step 2. */
static CcDuration
timeout (const TfrcSender *t)
{
  CcDuration two_packets = cc_duration (2 * t->s / t->X);

  if (t->R == 0)
    return longer (FIRST_TIMEOUT, two_packets);
  return longer (longer (4 * report_span (t), two_packets), t->params.min_rto);
}

static void
arm_nofeedback_timer (TfrcSender *t, CcTime now, CcDuration RTO)
{
  t->RTO = RTO;
  t->nofeedback_at = cc_time_add (now, RTO);
  t->sent_since_timer_set = false;
}

/* RFC 5348 4.5; only paces. */
static void
set_X_inst (TfrcSender *t)
{
  t->X_inst = t->X;
  if (t->params.oscillation_prevention && t->sqrt_R_sample > 0)
    t->X_inst = fmax (t->X * t->R_sqmean / t->sqrt_R_sample, min_rate (t));
}

/* RFC 5348 8.2.1: at this instant the data was not the limit. */
static void
note_not_limited (TfrcSender *t, CcTime now)
{
  if (t->NotLimited1 <= t->t_new)
    t->NotLimited1 = now;
  else if (t->NotLimited2 <= t->t_next)
    t->NotLimited2 = now;
}

void
tfrc_sender_on_sent (TfrcSender *t, uint32_t size_bytes, bool not_limited, CcTime now)
{
  t->packets++;
  if (size_bytes > 0)
    t->s += (size_bytes - t->s) / (t->packets < S_PACKETS ? (double)(t->packets + 1) : S_PACKETS);
  t->sent_since_timer_set = true;
  t->last_sent_at = now;
  if (t->unreported_at == CC_TIME_NONE)
    t->unreported_at = now;
  if (not_limited)
    note_not_limited (t, now);
}

static bool
is_valid (const TfrcSender *t, const TfrcFeedback *f)
{
  CcDuration round_trip = cc_time_since (f->received_at, f->t_recvdata);

  if (!(f->p >= 0 && f->p <= 1 && f->X_recv >= 0 && f->X_recv <= X_RECV_MAX))
    return false;
  if (t->packets == 0 || f->t_recvdata > cc_time_add (t->last_sent_at, STAMP_PRECISION) ||
      cc_time_add (f->t_recvdata, STAMP_PRECISION) < t->started_at)
    return false;
  return round_trip > f->t_delay && round_trip - f->t_delay <= R_SAMPLE_MAX;
}

/* Nothing new: older than the last report, or the same again. */
static bool
is_old (const TfrcSender *t, const TfrcFeedback *f)
{
  if (!t->got_feedback)
    return false;
  return f->t_recvdata < t->t_new || (f->t_recvdata == t->t_new && f->p == t->p && f->X_recv == t->last_X_recv);
}

/* RFC 5348 8.2.1: data limited all over the interval the report covers. */
static bool
was_data_limited (TfrcSender *t, const TfrcFeedback *f)
{
  CcTime t_old = cc_time_since (f->t_recvdata, report_span (t));
  bool limited;

  t->t_new = f->t_recvdata;
  t->t_next = f->received_at;
  limited = !(
      (t_old < t->NotLimited1 && t->NotLimited1 <= t->t_new) || (t_old < t->NotLimited2 && t->NotLimited2 <= t->t_new));
  if (t->NotLimited1 <= t->t_new && t->NotLimited2 > t->t_new)
    t->NotLimited1 = t->NotLimited2;
  return limited && f->X_recv > 0;
}

static double
max_X_recv (const TfrcSender *t)
{
  double max = t->X_recv_infinite ? HUGE_VAL : 0;

  for (unsigned i = 0; i < t->n_X_recv; i++)
    max = fmax (max, t->X_recv_set[i].value);
  return max;
}

static void
set_only_X_recv (TfrcSender *t, double X_recv, CcTime now)
{
  t->X_recv_set[0] = (TfrcXRecv){X_recv, now};
  t->n_X_recv = 1;
  t->X_recv_infinite = false;
}

/* Maximize X_recv_set () of RFC 5348 4.3. */
static void
maximize (TfrcSender *t, double X_recv, CcTime now)
{
  t->X_recv_infinite = false;
  set_only_X_recv (t, fmax (X_recv, max_X_recv (t)), now);
}

/* Update X_recv_set () of RFC 5348 4.3, 8.2.2. */
static void
update (TfrcSender *t, double X_recv, CcTime now)
{
  CcDuration max_age = 2 * report_span (t);

  if (t->X_recv_infinite && cc_time_since (now, t->infinite_at) > max_age)
    t->X_recv_infinite = false;
  if (t->n_X_recv == TFRC_X_RECV_SET)
    t->n_X_recv--;
  memmove (&t->X_recv_set[1], &t->X_recv_set[0], t->n_X_recv * sizeof t->X_recv_set[0]);
  t->X_recv_set[0] = (TfrcXRecv){X_recv, now};
  t->n_X_recv++;
  while (cc_time_since (now, t->X_recv_set[t->n_X_recv - 1].at) > max_age)
    t->n_X_recv--;
}

/* The receive rate's limit; RFC 5348 4.3 step 4, first half. */
static double
recv_limit (TfrcSender *t, const TfrcFeedback *f, bool data_limited)
{
  if (!data_limited) {
    update (t, f->X_recv, f->received_at);
    return 2 * max_X_recv (t);
  }
  if (!(f->p > t->p)) {
    maximize (t, f->X_recv, f->received_at);
    return 2 * max_X_recv (t);
  }
  for (unsigned i = 0; i < t->n_X_recv; i++)
    t->X_recv_set[i].value *= 0.5;
  maximize (t, 0.85 * f->X_recv, f->received_at);
  return max_X_recv (t);
}

static void
apply_equation (TfrcSender *t, double limit)
{
  t->X = fmax (fmin (t->X_Bps, limit), min_rate (t));
  t->limit = t->X_Bps <= limit ? TFRC_EQUATION : TFRC_RECEIVE_RATE;
}

/* RFC 5348 4.3 step 4, second half. */
static void
set_X (TfrcSender *t, double limit, CcTime now)
{
  if (t->p > 0) {
    t->X_Bps = tfrc_throughput (t->s, cc_seconds (t->R), t->p, t->params.rto);
    apply_equation (t, limit);
  } else if (cc_time_since (now, t->tld) >= t->R) {
    t->limit = 2 * t->X <= limit ? TFRC_SLOW_START : TFRC_RECEIVE_RATE;
    t->X = fmax (fmin (2 * t->X, limit), t->initial_rate);
    t->tld = now;
  }
}

/* RFC 5348 4.3 steps 1 and 2, and the means of 4.5. */
static void
take_sample (TfrcSender *t, const TfrcFeedback *f)
{
  CcDuration R_sample = longer (f->received_at - f->t_recvdata - f->t_delay, R_MIN);
  unsigned steps = cc_round_trip_steps (t->R, R_sample, cc_time_since (f->received_at, t->sampled_at));

  t->sampled_at = f->received_at;
  t->sqrt_R_sample = sqrt (cc_seconds (R_sample));
  if (t->R == 0) {
    t->R = R_sample;
    t->R_sqmean = t->sqrt_R_sample;
  } else {
    for (unsigned i = 0; i < steps; i++) {
      t->R = (9 * t->R + R_sample) / 10;
      t->R_sqmean = 0.9 * t->R_sqmean + 0.1 * t->sqrt_R_sample;
    }
  }
  t->initial_rate = t->recover_rate = W_init (t) / cc_seconds (t->R);
}

/* Silence does not count, nor does one late report count for more than four. */
static void
take_feedback_interval (TfrcSender *t, CcTime now)
{
  CcDuration sample = t->unreported_at == CC_TIME_NONE ? 0 : cc_time_since (now, t->unreported_at);

  t->unreported_at = CC_TIME_NONE;
  if (sample == 0)
    return;
  if (t->feedback_interval == 0) {
    t->feedback_interval = sample;
  } else {
    if (sample > 4 * t->feedback_interval)
      sample = 4 * t->feedback_interval;
    t->feedback_interval = (9 * t->feedback_interval + sample) / 10;
  }
  if (t->feedback_interval > FEEDBACK_INTERVAL_MAX)
    t->feedback_interval = FEEDBACK_INTERVAL_MAX;
}

/* The first sample replaces step 4 (RFC 5348 4.2). */
static void
start (TfrcSender *t, const TfrcFeedback *f)
{
  was_data_limited (t, f);
  t->tld = t->infinite_at = f->received_at;
  t->X_recv_infinite = true;
  t->n_X_recv = 0;
  t->X = fmax (t->initial_rate, t->params.initial_Bps > 0 ? t->X : 0);
  t->p = f->p;
  t->limit = TFRC_START;
}

static void
adjust (TfrcSender *t, const TfrcFeedback *f)
{
  double limit = recv_limit (t, f, was_data_limited (t, f));

  t->p = f->p;
  set_X (t, limit, f->received_at);
}

TfrcFeedbackResult
tfrc_sender_on_feedback (TfrcSender *t, const TfrcFeedback *f)
{
  bool first = t->R == 0;
  CcDuration RTO;

  if (!is_valid (t, f)) {
    t->invalid_feedbacks++;
    return TFRC_FEEDBACK_INVALID;
  }
  if (is_old (t, f)) {
    t->old_feedbacks++;
    return TFRC_FEEDBACK_OLD;
  }
  t->feedbacks++;
  take_sample (t, f);
  take_feedback_interval (t, f->received_at);
  RTO = timeout (t); /* step 3: with the X that was allowed so far */
  if (first)
    start (t, f);
  else
    adjust (t, f);
  set_X_inst (t);
  t->got_feedback = true;
  t->last_X_recv = f->X_recv;
  arm_nofeedback_timer (t, f->received_at, RTO);
  return TFRC_FEEDBACK_OK;
}

void
tfrc_sender_on_sign_of_life (TfrcSender *t, CcTime now)
{
  if (t->got_feedback)
    return;
  t->X = t->X_inst = start_rate (t);
  arm_nofeedback_timer (t, now, timeout (t));
}

void
tfrc_sender_on_nothing_owed (TfrcSender *t, CcTime now)
{
  if (now >= t->nofeedback_at)
    arm_nofeedback_timer (t, now, timeout (t));
}

/* Update Limits () of RFC 5348 4.4: halving the set halves X, as twice its maximum is the limit. */
static void
update_limits (TfrcSender *t, double timer_limit, CcTime now)
{
  timer_limit = fmax (timer_limit, min_rate (t));
  set_only_X_recv (t, timer_limit / 2, now);
  apply_equation (t, timer_limit);
}

static bool
may_keep_rate_over_idle (const TfrcSender *t)
{
  if (t->sent_since_timer_set)
    return false;
  if (t->R == 0)
    return true;
  return t->p > 0 ? max_X_recv (t) < t->recover_rate : t->X < 2 * t->recover_rate;
}

/* RFC 5348 4.4 step 1 */
static void
reduce (TfrcSender *t, CcTime now)
{
  double X_recv = max_X_recv (t), X = t->X;

  if (may_keep_rate_over_idle (t))
    return;
  if (!(t->X_Bps > 0) || t->p <= 0)
    t->X = fmax (t->X / 2, min_rate (t));
  else if (t->X_Bps > 2 * X_recv)
    update_limits (t, X_recv, now);
  else
    update_limits (t, t->X_Bps / 2, now);
  if (t->X < X)
    t->limit = TFRC_NO_FEEDBACK;
}

CcTime
tfrc_sender_next_timeout (const TfrcSender *t)
{
  return t->nofeedback_at;
}

void
tfrc_sender_on_timeout (TfrcSender *t, CcTime now)
{
  if (now < t->nofeedback_at)
    return;
  t->nofeedback_expiries++;
  reduce (t, now);
  set_X_inst (t);
  arm_nofeedback_timer (t, now, timeout (t));
}

double
tfrc_sender_rate (const TfrcSender *t)
{
  return t->X;
}

double
tfrc_sender_X_recv (const TfrcSender *t)
{
  return max_X_recv (t);
}

double
tfrc_sender_pace_rate (const TfrcSender *t)
{
  return t->X_inst;
}
