/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lossanswer.h"
#include "lawnumber.h"
#include <math.h>

#define FORGOTTEN (2 * CC_SECOND) /* without a packet: more than what counts of loss, and the path is another */
#define NEAR 0.9                  /* x the rate at which loss was met: from there growth is */
#define LOSS_PROBE LAW (LOSS_PROBE, 0.02, 1)     /* 1/s, to */
#define LOSS_BEYOND LAW (LOSS_BEYOND, 1.15, 0.9) /* x that rate, then */
#define LOSS_BOLDER LAW (LOSS_BOLDER, 0.1, 0.02) /* 1/s */

static RateWish
wish (double rate_Bps)
{
  return (RateWish){rate_Bps, RATE_OWNER_LOSS};
}

static LossPath
path_of (const PathView *v, bool others)
{
  return (LossPath){.rate_Bps = v->rate_Bps,
      .receive_Bps = v->receive_Bps,
      .receive_now_Bps = v->receive_now_Bps,
      .limit_Bps = path_view_shows_limit (v) ? v->share.capacity_Bps : HUGE_VAL,
      .packet_bytes = v->last.wire_bytes,
      .R = cc_seconds (v->R),
      .loop = path_view_loop (v),
      .queue_is_others = others};
}

RateWish
loss_answer_step (LossAnswer *a, LossCause *l, const PathView *v, bool others, CcTime now)
{
  const LossPath path = path_of (v, others);
  bool testing = loss_cause_testing (l);

  if (testing && others) {
    loss_cause_abort (l, now);
    return (RateWish){a->before_test_Bps, RATE_OWNER_OTHERS};
  }
  switch (loss_cause_judge (l, &path, now)) {
  case LOSS_BEGIN_TEST:
    a->before_test_Bps = v->rate_Bps;
    return wish (l->trial.test_Bps);
  case LOSS_RATE_FREE:
    return wish (a->before_test_Bps);
  case LOSS_CONGESTION:
    return wish (fmin (testing ? a->before_test_Bps : v->rate_Bps, l->limit_Bps));
  case LOSS_GO_ON:
    break;
  }
  return rate_wish_none;
}

RateWish
loss_answer_forget (const LossAnswer *a, LossCause *l)
{
  bool testing = loss_cause_testing (l);

  loss_cause_init (l);
  return testing ? wish (a->before_test_Bps) : rate_wish_none;
}

RateWish
loss_answer_on_pause (const LossAnswer *a, LossCause *l, CcDuration pause)
{
  return pause > FORGOTTEN ? loss_answer_forget (a, l) : rate_wish_none;
}

LossGrowth
loss_growth (const LossCause *l, CcTime now)
{
  return (LossGrowth){loss_cause_limit (l, now), loss_cause_next_step (l), l->unexplained};
}

double
loss_growth_most (LossGrowth g, double rate_Bps)
{
  if (g.unexplained)
    return 0;
  if (rate_Bps <= NEAR * g.near_Bps)
    return HUGE_VAL;
  return rate_Bps < LOSS_BEYOND * g.near_Bps ? LOSS_PROBE : LOSS_BOLDER;
}
