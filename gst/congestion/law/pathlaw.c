/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathlaw.h"
#include "callweight.h"
#include <math.h>

#define ALPHA 0.75
#define BETA 0.35
#define MARKS LAW (MARKS, BETA, 0)                /* x their fraction: all marked is as a queue of a loop */
#define YIELDS 1.2                                /* x R/c, to a queue */
#define MOST 0.3                                  /* of R, a step */
#define Q_TARGET LAW (Q_TARGET, 0.005, 0)         /* s: standing queue that counts as none */
#define SHARED_LEAST LAW (SHARED_LEAST, 0.4, 1.8) /* 1/s, while a queue is met, and beside others' */
#define SHARED_BOLDER LAW (SHARED_BOLDER, 0.5, 0) /* 1/s, per s since */
#define SLOPE_GAIN LAW (SLOPE_GAIN, 25., 0)       /* 1/s, x what comes in too much, beside others */
#define LONE_GROWTH LAW (LONE_GROWTH, 0.05, -1)   /* e at least, for single packets */

PathLawRow
path_law_row (OwnerKind kind)
{
  const GrowthRow gentle = {SHARED_LEAST, SHARED_BOLDER, true}, bold = {SHARED_LEAST, SHARED_BOLDER, false};
  const GrowthRow others = {SHARED_LEAST, 0, false}, routers = {PATH_GROWTH_MOST, 0, false};
  /* growth, whether the queue is answered, slope, single, unhindered, q*; whether y is 1 */
  const PathLawRow rows[QUEUE_KINDS] = {
      [QUEUE_OTHERS] = {{others, false, 0, PATH_GROWTH, -1, Q_TARGET}, true},
      [QUEUE_ROUTER] = {{routers, true, 0, -1, PATH_GROWTH_PROBE, Q_TARGET}, true},
      [QUEUE_L4S] = {{gentle, true, 0, LONE_GROWTH, 0, Q_TARGET}, true},
      [QUEUE_ALONE] = {{bold, true, SLOPE_GAIN, LONE_GROWTH, 0, Q_TARGET}, false},
      [QUEUE_OWN] = {{gentle, true, SLOPE_GAIN, LONE_GROWTH, 0, Q_TARGET}, false},
      [QUEUE_OWN_KIND] = {{gentle, true, SLOPE_GAIN, LONE_GROWTH, 0, Q_TARGET}, false},
  };

  return rows[kind];
}

static double
clamp (double value, double low, double high)
{
  return value < low ? low : value > high ? high : value;
}

double
path_law_yields (const PathView *v, const PathLawRow *row, double c_Bps)
{
  return row->yields_all || c_Bps == 0 ? 1 : fmin (YIELDS * call_weight_rate (v) / call_weight_share (v, c_Bps), 1);
}

/* s of queue beyond what is left alone. */
static double
excess_queue (const PathView *v, const MismatchRow *row, CcTime now)
{
  if (!row->answers_queue)
    return 0;
  return fmax (v->queue.q - row->queue_s - path_view_no_queue (v) / 2 - router_word_queue (&v->word, now), 0);
}

/* Growth ends there. */
static void
grow_to (RateWish *step, const PathView *v, double most_Bps, RateOwner owner)
{
  if (step->rate_Bps > v->rate_Bps && step->rate_Bps > most_Bps)
    *step = (RateWish){fmax (v->rate_Bps, most_Bps), owner};
}

RateWish
path_law_step (const PathView *v, OwnerKind kind, LossGrowth loss, double T, CcTime now)
{
  const PathLawRow row = path_law_row (kind);
  double d = path_view_loop (v), y = path_law_yields (v, &row, v->share.known_Bps);
  double drain = y * BETA * excess_queue (v, &row.mismatch, now) / d, marks = MARKS * v->marks.fraction;
  double loss_e = loss_growth_most (loss, v->rate_Bps) * d / ALPHA;
  CapacityMismatch m = capacity_mismatch (v, kind, &row.mismatch, y, loss_e, now);
  RateWish step = {v->rate_Bps * (1 + clamp (T / d * (ALPHA * m.e - drain - marks), -MOST, MOST)), m.owner};

  if (drain + marks > ALPHA * fmax (m.e, 0))
    step.owner = rate_owner_of_queue (kind);
  grow_to (&step, v, loss.next_Bps, RATE_OWNER_LOSS);
  grow_to (&step, v, LAW_TRIED * fmax (v->receive_Bps, v->receive_now_Bps), RATE_OWNER_APPLICATION);
  return step;
}
