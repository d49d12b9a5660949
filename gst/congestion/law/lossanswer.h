/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What loss does to R. Its cause (losscause.h): a test takes R down for a moment and gives it back, a rate that was the
   cause is left. What is excused (lossgap.h): R is what it was before. And to the growth of R: none while more is lost
   than can be explained, slow close to the rate at which loss was met, no further than has been seen to hold. */
#ifndef LOSSANSWER_H
#define LOSSANSWER_H

#include "losscause.h"
#include "lossgap.h"
#include "pathview.h"
#include "ratewish.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  LossCause cause;
  LossGap gap;
  double before_test_Bps; /* R */
  bool started;
  uint64_t newest; /* number of that packet */
  CcTime newest_at;
} LossAnswer;

void loss_answer_init (LossAnswer *a);
/* A packet that the view has taken; queued: one stood in front of it. After a long silence the path may be another:
   what was counted before is void, and a test that is cut short has found nothing. */
RateWish loss_answer_on_packet (LossAnswer *a, const PathView *v, const PathPacket *packet, bool queued);
/* What is missing from first to last is no congestion. What was counted is void, and more of them may be on their way.
 */
RateWish loss_answer_excuse (LossAnswer *a, uint64_t first, uint64_t last, double rate_Bps, CcTime now);
/* Once a period. others: the queue may be somebody else's: no test now, all loss is congestion. */
RateWish loss_answer_step (LossAnswer *a, const PathView *v, bool others, CcTime now);

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
