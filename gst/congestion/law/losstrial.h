/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does the rate lose the packets? Another one is tried, and what is lost then is counted.

     up     for 4 s, while R grows on. A policer lets through no more than what arrived when the first packet was lost,
            and loses the rest. Significantly fewer gaps than that, and the rate is not the cause; more than before, and
            it is.
     down   at 0.65 of what is sent, or 0.9 of what arrives where that is less, until 4 gaps are expected or have come,
            for 4 s at most. More before than now, by more than chance, and the rate was the cause.

   So is found a policer. What is lost meanwhile where the rate is not the cause is lost at any rate: the floor. */
#ifndef LOSSTRIAL_H
#define LOSSTRIAL_H

#include "cctime.h"
#include "losscount.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  LOSS_IDLE,
  LOSS_RISING,   /* up; excused meanwhile */
  LOSS_SETTLING, /* down; the lower rate has not come through yet */
  LOSS_COUNTING  /* down */
} LossPhase;

typedef enum {
  LOSS_TRIAL_GOES_ON,
  LOSS_TRIAL_FREE,  /* the rate is not the cause */
  LOSS_TRIAL_CAUSE, /* it is, or was */
  LOSS_TRIAL_ENDS   /* in time, without having told */
} LossFinding;

typedef struct {
  LossPhase phase;
  CcTime at;
  LossCount before, count; /* when it began; since, while no queue stands */
  double arrived_Bps;      /* what arrived when it began */
  double test_Bps;         /* down: the rate that is tried, or was last */
  double policed_gaps;     /* up: that a policer would have made, */
  double policed_packets;  /* of so many */
} LossTrial;

void loss_trial_begin_up (LossTrial *t, const LossCount *before, double arrived_Bps, CcTime now);
void loss_trial_begin_down (LossTrial *t, const LossCount *before, double sent_Bps, double arrived_Bps, CcTime now);
void loss_trial_abort (LossTrial *t);
void loss_trial_on_packet (LossTrial *t, unsigned lost);
/* loop: s until a change of rate shows. */
LossFinding loss_trial_go_on (LossTrial *t, double sent_Bps, double loop, CcTime now);
bool loss_trial_is_down (const LossTrial *t);
/* Gaps per packet when it began, had chance made them more. */
double loss_trial_rate_before (const LossTrial *t);
/* Of a trial that has told, and is not over yet. */
LossCount loss_trial_floor (const LossTrial *t);

#ifdef __cplusplus
}
#endif
#endif
