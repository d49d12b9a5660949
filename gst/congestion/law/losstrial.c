/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "losstrial.h"
#include <math.h>

#define TEST_SHARE 0.65 /* of the rate: what is sent, but for a frame's first packets, is less than it was */
#define BELOW_ARRIVED 0.9
#define TEST_GAPS 4.0
#define TEST_TIME 4.0 /* s */
#define ALIKE 0.8
#define SETTLE_TIME 0.1 /* s, beyond the loop's delay */

static void
begin (LossTrial *t, LossPhase phase, const LossCount *before, double arrived_Bps, CcTime now)
{
  t->phase = phase;
  t->at = now;
  t->before = *before;
  t->count = (LossCount){0};
  t->arrived_Bps = arrived_Bps;
}

void
loss_trial_begin_up (LossTrial *t, const LossCount *before, double arrived_Bps, CcTime now)
{
  begin (t, LOSS_RISING, before, arrived_Bps, now);
  t->policed_gaps = t->policed_packets = 0;
}

void
loss_trial_begin_down (LossTrial *t, const LossCount *before, double sent_Bps, double arrived_Bps, CcTime now)
{
  begin (t, LOSS_SETTLING, before, arrived_Bps, now);
  t->test_Bps = fmin (TEST_SHARE * sent_Bps, BELOW_ARRIVED * arrived_Bps);
}

void
loss_trial_abort (LossTrial *t)
{
  t->phase = LOSS_IDLE;
}

void
loss_trial_on_packet (LossTrial *t, unsigned lost)
{
  if (t->phase == LOSS_RISING || t->phase == LOSS_COUNTING)
    loss_count_packet (&t->count, lost);
}

bool
loss_trial_is_down (const LossTrial *t)
{
  return t->phase == LOSS_SETTLING || t->phase == LOSS_COUNTING;
}

double
loss_trial_rate_before (const LossTrial *t)
{
  double gaps = t->before.gaps - 1 - 0.5 * sqrt (t->before.gaps);

  return fmax (gaps, 0.5) / fmax (t->before.packets, 1);
}

static double
expected_gaps (const LossTrial *t)
{
  return loss_trial_rate_before (t) * t->count.packets;
}

/* With the trial goes what was counted before it, where both agree; an excess began it if it is down. */
LossCount
loss_trial_floor (const LossTrial *t)
{
  LossCount floor = t->before;

  if (loss_trial_is_down (t) && t->count.gaps < ALIKE * expected_gaps (t))
    return t->count;
  if (loss_trial_is_down (t))
    floor.gaps = fmax (floor.gaps - 1, 0);
  loss_count_add (&floor, &t->count);
  return floor;
}

/* A policer lets through no more than what arrived when the first packet was lost. */
static void
expect_policer (LossTrial *t, double sent_Bps)
{
  double burst = fmax ((t->before.lost + t->count.lost) / fmax (t->before.gaps + t->count.gaps, 1), 1);

  t->policed_gaps += fmax (1 - t->arrived_Bps / sent_Bps, 0) / burst * (t->count.packets - t->policed_packets);
  t->policed_packets = t->count.packets;
}

/* More comes through than when the first was lost: the rate is not the cause. Or more is lost: it is. */
static LossFinding
go_on_rising (LossTrial *t, double sent_Bps, double since)
{
  expect_policer (t, sent_Bps);
  if (loss_count_are_fewer (t->count.gaps, t->policed_gaps))
    return LOSS_TRIAL_FREE;
  if (t->policed_gaps > 1 && loss_count_sure_excess (&t->count, &t->before) > 1)
    return LOSS_TRIAL_CAUSE;
  return since > TEST_TIME ? LOSS_TRIAL_ENDS : LOSS_TRIAL_GOES_ON;
}

static LossFinding
go_on_counting (LossTrial *t, double since)
{
  if (since <= TEST_TIME && expected_gaps (t) < TEST_GAPS && t->count.gaps < TEST_GAPS)
    return LOSS_TRIAL_GOES_ON;
  return loss_count_sure_excess (&t->before, &t->count) > 0 ? LOSS_TRIAL_CAUSE : LOSS_TRIAL_FREE;
}

LossFinding
loss_trial_go_on (LossTrial *t, double sent_Bps, double loop, CcTime now)
{
  double since = cc_seconds (cc_time_since (now, t->at));

  if (t->phase == LOSS_RISING)
    return go_on_rising (t, sent_Bps, since);
  if (t->phase == LOSS_COUNTING)
    return go_on_counting (t, since);
  if (since > loop + SETTLE_TIME) {
    t->phase = LOSS_COUNTING;
    t->at = now;
    t->count = (LossCount){0};
  }
  return LOSS_TRIAL_GOES_ON;
}
