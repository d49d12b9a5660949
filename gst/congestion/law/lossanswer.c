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

void
loss_answer_init (LossAnswer *a)
{
  *a = (LossAnswer){0};
  loss_cause_init (&a->cause);
  loss_gap_init (&a->gap);
}

static RateWish
forget (LossAnswer *a)
{
  bool testing = loss_cause_testing (&a->cause);

  loss_cause_init (&a->cause);
  return testing ? wish (a->before_test_Bps) : rate_wish_none;
}

RateWish
loss_answer_on_packet (LossAnswer *a, const PathView *v, const PathPacket *packet, bool queued)
{
  bool silence = a->started && cc_time_since (packet->arrived_at, a->newest_at) > FORGOTTEN;
  RateWish test = silence ? forget (a) : rate_wish_none;

  loss_cause_on_packet (&a->cause, packet->counted, v->waited, queued);
  if (a->started && packet->counted <= a->newest)
    return test;
  if (a->started)
    loss_gap_on_packet (&a->gap, a->newest, packet->counted, v->rate_Bps, packet->arrived_at);
  a->started = true;
  a->newest = packet->counted;
  a->newest_at = packet->arrived_at;
  return test;
}

RateWish
loss_answer_excuse (LossAnswer *a, uint64_t first, uint64_t last, double rate_Bps, CcTime now)
{
  RateWish test = forget (a), gap;

  loss_cause_abort (&a->cause, now);
  gap = loss_gap_excuse (&a->gap, first, last, test.owner == RATE_OWNER_UNKNOWN ? rate_Bps : test.rate_Bps);
  return gap.owner == RATE_OWNER_UNKNOWN ? test : gap;
}

RateWish
loss_answer_step (LossAnswer *a, const PathView *v, bool others, CcTime now)
{
  const LossPath path = path_of (v, others);
  LossCause *l = &a->cause;
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
    return wish (fmin (testing ? a->before_test_Bps : v->rate_Bps, l->limit.rate_Bps));
  case LOSS_GO_ON:
    break;
  }
  return rate_wish_none;
}

LossGrowth
loss_growth (const LossCause *l, CcTime now)
{
  return (LossGrowth){loss_limit_Bps (&l->limit, now), loss_cause_next_step (l), l->unexplained};
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
