/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "losscause.h"
#include "tfrcequation.h"
#include <math.h>

#define MEMORY 1.5 /* s */
#define LEAST_PACKETS 150
#define QUEUE_MEMORY 5.0 /* s */
#define QUEUE_PACKETS 600
#define FLOOR_PACKETS 2000
#define MAX_GAP 200     /* packets: a longer one is an outage or a restart */
#define QUIET_SHARE 0.7 /* of the packets, for a test */
#define CALM_SHARE 0.15 /* of the packets, for anything to compare with */
#define TEST_SHARE 0.65 /* of the rate: what is sent, but for a frame's first packets, is less than it was */
#define BELOW_ARRIVED 0.9
#define TEST_GAPS 4.0
#define TEST_TIME 4.0    /* s */
#define TELLING_GAPS 2.5 /* expected, for less to say something */
#define ALIKE 0.8
#define FEWER 0.4       /* x the gaps expected: fewer are a sign of congestion before */
#define SETTLE_TIME 0.1 /* s, beyond the loop's delay */
#define STEP 1.5        /* x the rate, where loss is tried; encoders may stay well below what is allowed */
#define STEP_PACKETS 50
#define LEARN_SHARE 1.1 /* x the rate of the last test: so low it still tells the floor */
#define CLEAN_GAPS 4.0  /* expected, and none came */
#define OVER_GAPS 8.0   /* expected of the floor, and none came: once in 3000 by chance */
#define SMALL_LOSS 0.02 /* gaps per packet */
#define WELL_ABOVE 1.2
#define PAUSE CC_SECOND
#define LIMIT_LIFE (60 * CC_SECOND)
#define NEAR_LIMIT 0.85
#define BEYOND_LIMIT 2.0
#define BACK_OFF 0.95

void
loss_cause_init (LossCause *l)
{
  *l = (LossCause){.phase = LOSS_IDLE};
}

/* The median by steps that are small beside it; of the first packets, the mean. */
static void
follow_median (LossCause *l, double q)
{
  double step = fmax (0.02 * l->q_mid, fabs (q - l->q_mid) / fmax (l->whole.packets, 1));

  l->q_mid += q > l->q_mid ? step : -step;
  l->q_mid = fmax (l->q_mid, 0);
}

static void
on_late_packet (LossCause *l)
{
  loss_count_take_back (&l->all);
  loss_count_take_back (&l->whole);
  loss_count_take_back (&l->calm_part);
  loss_count_take_back (&l->quiet);
  loss_count_take_back (&l->floor);
  loss_count_take_back (&l->test);
}

void
loss_cause_on_packet (LossCause *l, uint64_t seq, double q, bool busy)
{
  unsigned lost = l->started && seq > l->seq && seq - l->seq <= MAX_GAP ? (unsigned)(seq - l->seq - 1) : 0;
  bool calm = !l->busy && l->q <= l->q_mid; /* the same before packets that arrive and that do not */

  if (l->started && seq <= l->seq) {
    on_late_packet (l);
    return;
  }
  if (l->started) {
    loss_count_packet (&l->all, lost);
    loss_count_packet (&l->whole, lost);
    if (calm)
      loss_count_packet (&l->calm_part, lost);
    if (!busy)
      loss_count_packet (&l->quiet, lost);
    if ((l->phase == LOSS_RISING || l->phase == LOSS_COUNTING) && !busy)
      loss_count_packet (&l->test, lost);
    if (l->learning && !busy)
      loss_count_packet (&l->floor, lost);
    l->clean_packets += 1 + lost;
    l->whole_packets = lost > 0 ? 0 : l->whole_packets + 1;
    l->step_packets += 1 + lost;
    follow_median (l, l->q);
  }
  l->started = true;
  l->seq = seq;
  l->q = q;
  l->busy = busy;
}

/* By time, but for a least number of packets. */
static double
kept (double T, double memory, double packets, double least)
{
  return fmin (fmax (exp (-T / memory), least / fmax (packets, 1)), 1);
}

static void
fade (LossCause *l, CcTime now)
{
  double T = cc_seconds (cc_time_since (now, l->at));
  double keep = kept (T, MEMORY, l->all.packets, LEAST_PACKETS);

  l->at = now;
  loss_count_scale (&l->all, keep);
  loss_count_scale (&l->quiet, keep);
  keep = kept (T, QUEUE_MEMORY, l->whole.packets, QUEUE_PACKETS);
  loss_count_scale (&l->whole, keep);
  loss_count_scale (&l->calm_part, keep);
  if (l->floor.packets > FLOOR_PACKETS)
    loss_count_scale (&l->floor, FLOOR_PACKETS / l->floor.packets);
}

static double
by_queue (const LossCause *l, bool queue_is_others)
{
  if (queue_is_others || l->calm_part.packets < CALM_SHARE * l->whole.packets)
    return l->all.gaps;
  return l->whole.gaps > 0 ? loss_count_excess (&l->whole, &l->calm_part) / l->whole.gaps * l->all.gaps : 0;
}

static double
by_rate (const LossCause *l)
{
  return l->phase == LOSS_IDLE ? loss_count_excess (&l->quiet, &l->floor) : 0;
}

bool
loss_cause_testing (const LossCause *l)
{
  return l->phase == LOSS_SETTLING || l->phase == LOSS_COUNTING;
}

void
loss_cause_abort (LossCause *l, CcTime now)
{
  l->phase = LOSS_IDLE;
  l->learning = false;
  l->test_at = cc_time_add (now, PAUSE);
}

double
loss_cause_loss (const LossCause *l)
{
  return l->all.packets > 0 ? l->all.lost / l->all.packets : 0;
}

double
loss_cause_excused (const LossCause *l, bool queue_is_others)
{
  double congestion = fmax (by_queue (l, queue_is_others), by_rate (l));

  /* nothing is excused that is not being tried, or has been */
  if (l->phase == LOSS_IDLE && l->floor.gaps < 1)
    return 0;
  return l->all.gaps > 0 ? loss_cause_loss (l) * (1 - fmin (congestion / l->all.gaps, 1)) : 0;
}

double
loss_cause_limit (const LossCause *l, CcTime now)
{
  return l->limit_Bps > 0 && cc_time_since (now, l->limit_at) < LIMIT_LIFE ? l->limit_Bps : HUGE_VAL;
}

static LossVerdict
begin_test (LossCause *l, double sent_Bps, double receive_Bps, CcTime now)
{
  l->phase = LOSS_SETTLING;
  l->phase_at = now;
  l->learning = false;
  l->tests++;
  l->before = loss_count_rate (&l->quiet) > loss_count_rate (&l->floor) ? l->quiet : l->floor;
  l->arrived_Bps = receive_Bps;
  l->verified_Bps = sent_Bps;
  l->test_Bps = fmin (TEST_SHARE * sent_Bps, BELOW_ARRIVED * receive_Bps);
  return LOSS_BEGIN_TEST;
}

static LossVerdict
meet_limit (LossCause *l, double arrived_Bps, CcTime now)
{
  l->phase = LOSS_IDLE;
  l->congestions++;
  l->limit_Bps = BACK_OFF * arrived_Bps;
  l->limit_at = now;
  l->test_at = cc_time_add (now, PAUSE);
  l->all = l->quiet = (LossCount){0}; /* answered */
  return LOSS_CONGESTION;
}

/* Gaps per packet when the test began. An excess begins it, so that chance had made them more. */
static double
rate_before (const LossCause *l)
{
  double gaps = l->before.gaps - 1 - 0.5 * sqrt (l->before.gaps);

  return fmax (gaps, 0.5) / fmax (l->before.packets, 1);
}

static double
expected_gaps (const LossCause *l)
{
  return rate_before (l) * l->test.packets;
}

/* What is lost at the lower rate is lost at any: with the test goes what was counted before it, where both agree. */
static void
set_floor (LossCause *l)
{
  LossCount before = l->before;

  if (l->test.gaps < ALIKE * expected_gaps (l)) {
    l->floor = l->test;
    return;
  }
  before.gaps = fmax (before.gaps - 1, 0);
  l->floor = before;
  loss_count_add (&l->floor, &l->test);
}

static LossVerdict
end_test (LossCause *l, CcTime now)
{
  double k = l->test.gaps;
  double expected = expected_gaps (l);
  bool fewer = expected >= TELLING_GAPS && k < FEWER * expected;

  l->phase = LOSS_IDLE;
  set_floor (l);
  if (fewer)
    return meet_limit (l, l->arrived_Bps, now);
  if (k >= 2)
    l->limit_Bps = 0;
  l->test_at = cc_time_add (now, PAUSE);
  return LOSS_RATE_FREE;
}

static LossVerdict
go_on_testing (LossCause *l, double loop_s, CcTime now)
{
  double since = cc_seconds (cc_time_since (now, l->phase_at));

  if (l->phase == LOSS_SETTLING && since > loop_s + SETTLE_TIME) {
    l->phase = LOSS_COUNTING;
    l->phase_at = now;
    l->test = (LossCount){0};
  } else if (l->phase == LOSS_COUNTING &&
             (since > TEST_TIME || expected_gaps (l) >= TEST_GAPS || l->test.gaps >= TEST_GAPS)) {
    return end_test (l, now);
  }
  return LOSS_GO_ON;
}

static void
begin_rise (LossCause *l, double receive_Bps, CcTime now)
{
  l->phase = LOSS_RISING;
  l->phase_at = now;
  l->rises++;
  l->before = l->quiet;
  l->test = (LossCount){0};
  l->policed_gaps = l->policed_packets = 0;
  l->arrived_Bps = l->verified_Bps = receive_Bps;
  l->step_packets = 0;
}

/* A rate without an excess is verified, step by step. */
static void
verify (LossCause *l, double sent_Bps, bool more)
{
  if (more) {
    l->clean_packets = l->step_packets = 0;
  } else if (l->step_packets > STEP_PACKETS) {
    l->verified_Bps = fmax (l->verified_Bps, sent_Bps);
    l->step_packets = 0;
  }
}

/* A policer lets through no more than what arrived when the first packet was lost. */
static void
expect_policer (LossCause *l, double sent_Bps)
{
  double burst = fmax ((l->before.lost + l->test.lost) / fmax (l->before.gaps + l->test.gaps, 1), 1);

  l->policed_gaps += fmax (1 - l->arrived_Bps / sent_Bps, 0) / burst * (l->test.packets - l->policed_packets);
  l->policed_packets = l->test.packets;
}

/* More comes through than when the first was lost: the rate is not the cause. Or more is lost: it is. */
static LossVerdict
go_on_rising (LossCause *l, const LossPath *path, double sent_Bps, CcTime now)
{
  expect_policer (l, sent_Bps);
  if (loss_count_are_fewer (l->test.gaps, l->policed_gaps)) {
    l->phase = LOSS_IDLE;
    l->floor = l->before;
    loss_count_add (&l->floor, &l->test);
    l->verified_Bps = sent_Bps;
    l->step_packets = 0;
  } else if (l->policed_gaps > 1 && loss_count_excess (&l->test, &l->before) > 1) {
    return meet_limit (l, fmin (path->receive_Bps, l->arrived_Bps), now);
  } else if (path->queue_is_others) {
    loss_cause_abort (l, now);
  } else if (cc_seconds (cc_time_since (now, l->phase_at)) > TEST_TIME) {
    if (l->test.gaps > 0)
      return begin_test (l, sent_Bps, path->receive_Bps, now);
    loss_cause_abort (l, now); /* nothing is lost any more */
  } else {
    verify (l, sent_Bps, loss_count_excess (&l->test, &l->before) > 1);
  }
  return LOSS_GO_ON;
}

static bool
is_less (const LossCount *c, double gaps_per_packet)
{
  return loss_count_are_fewer (c->gaps, gaps_per_packet * c->packets) && c->packets >= 0.9 * LEAST_PACKETS;
}

/* Loss has become less: so has the floor. */
static void
lower_floor (LossCause *l)
{
  if (is_less (&l->all, loss_count_rate (&l->floor)) || is_less (&l->whole, loss_count_rate (&l->floor)))
    l->floor = l->all;
  if (l->whole_packets * loss_count_rate (&l->floor) > OVER_GAPS)
    l->floor = l->all = l->quiet = (LossCount){0};
}

double
loss_cause_next_step (const LossCause *l)
{
  bool tried = l->phase == LOSS_RISING || l->floor.gaps >= 1;

  return tried && l->verified_Bps > 0 ? STEP * l->verified_Bps : HUGE_VAL;
}

/* Few losses that the equation leaves alone are not worth a test. */
static bool
matters (const LossCause *l, const LossPath *path, double sent_Bps)
{
  double p = fmax (fmax (l->quiet.gaps - 1, 0) / fmax (l->quiet.packets, 1), loss_count_rate (&l->floor));

  return p > SMALL_LOSS || path->R <= 0 ||
         tfrc_throughput (path->packet_bytes, path->R, p, TFRC_RTO_4R) < WELL_ABOVE * sent_Bps;
}

static bool
looks_like_queue (const LossCause *l)
{
  return l->whole.gaps >= 3 && loss_count_rate (&l->calm_part) < 0.5 * loss_count_rate (&l->whole);
}

/* The first loss of a path that shows room, and no limit. */
static bool
may_rise (const LossCause *l, const LossPath *path, double limit_Bps)
{
  return l->quiet.gaps > 0.5 && l->floor.gaps < 1 && isinf (limit_Bps) && path->limit_Bps > STEP * path->rate_Bps;
}

/* Nothing is being tested. */
static LossVerdict
watch (LossCause *l, const LossPath *path, double sent_Bps, CcTime now)
{
  bool seen = l->quiet.packets > QUIET_SHARE * l->all.packets && !path->queue_is_others && !looks_like_queue (l);
  bool more = seen && by_rate (l) > 1, was_clean = l->clean_packets * rate_before (l) >= CLEAN_GAPS;
  double limit_Bps = loss_cause_limit (l, now);

  l->unexplained = more;
  l->learning = seen && !more && sent_Bps <= LEARN_SHARE * l->test_Bps;
  lower_floor (l);
  verify (l, sent_Bps, more);
  if (l->whole_packets > STEP_PACKETS && sent_Bps > BEYOND_LIMIT * limit_Bps)
    l->limit_Bps = 0; /* whatever a queue says of what was lost before */
  if (!seen || path->receive_Bps <= 0)
    return LOSS_GO_ON;
  if (more && was_clean && matters (l, path, sent_Bps) && sent_Bps > NEAR_LIMIT * limit_Bps)
    return meet_limit (l, fmin (path->receive_Bps, limit_Bps / BACK_OFF), now);
  if (now >= l->test_at && may_rise (l, path, limit_Bps)) {
    l->unexplained = false;
    begin_rise (l, path->receive_Bps, now);
  } else if (now >= l->test_at && more && matters (l, path, sent_Bps)) {
    return begin_test (l, sent_Bps, path->receive_Bps, now);
  }
  return LOSS_GO_ON;
}

LossVerdict
loss_cause_judge (LossCause *l, const LossPath *path, CcTime now)
{
  double sent_Bps = fmin (path->rate_Bps, path->receive_Bps / fmax (1 - loss_cause_loss (l), 0.1));

  fade (l, now);
  switch (l->phase) {
  case LOSS_IDLE:
    return watch (l, path, sent_Bps, now);
  case LOSS_RISING:
    return go_on_rising (l, path, sent_Bps, now);
  default:
    return go_on_testing (l, path->loop, now);
  }
}
