/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What loss (losscause.h) does to R: a test of its cause takes R down for a moment and gives it back, a rate that was
   the cause is left. And to the growth of R: none while more is lost than can be explained, slow close to the rate at
   which loss was met, no further than has been seen to hold. */
#ifndef LOSSANSWER_H
#define LOSSANSWER_H

#include "losscause.h"
#include "pathview.h"
#include "ratewish.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double before_test_Bps; /* R */
} LossAnswer;

/* Once a period. others: the queue may be somebody else's: no test now, all loss is congestion. */
RateWish loss_answer_step (LossAnswer *a, LossCause *l, const PathView *v, bool others, CcTime now);
/* What was counted is void. A test that is cut short has found nothing. */
RateWish loss_answer_forget (const LossAnswer *a, LossCause *l);
/* A packet, so long after the last one: the same, where the path may be another. */
RateWish loss_answer_on_pause (const LossAnswer *a, LossCause *l, CcDuration pause);

typedef struct {
  double near_Bps;  /* loss has been met there lately; HUGE_VAL: no */
  double next_Bps;  /* growth ends there until it is seen to hold; HUGE_VAL: no such limit */
  bool unexplained; /* nothing grows */
} LossGrowth;

LossGrowth loss_growth (const LossCause *l, CcTime now);
/* 1/s, at most; HUGE_VAL: loss says nothing. */
double loss_growth_most (LossGrowth g, double rate_Bps);

#ifdef __cplusplus
}
#endif
#endif
