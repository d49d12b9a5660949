/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of two queues sends its head next, so that each gets its weight's part of the bytes: deficit round robin
   (Shreedhar and Varghese 1996) with quanta as small as can be. Rounds in which nobody could send are skipped in one
   step, so a decision is O(1) whatever the weights. While both queues hold packets, the bytes of each since any instant
   stay within two largest packets of its weight's part (one, from when both were empty). Work conserving: a queue alone
   gets all; an empty one saves nothing up. */
#ifndef DEFICITRR_H
#define DEFICITRR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DEFICIT_RR_QUEUES 2
#define DEFICIT_RR_NONE (-1)

typedef struct {
  double weight[DEFICIT_RR_QUEUES];  /* [0, 1], sum 1; 0: served only where the other is empty */
  double deficit[DEFICIT_RR_QUEUES]; /* bytes it may send */
  int last;                          /* served last: the other one goes first where both may */
} DeficitRr;

/* weight of queue 0 in [0, 1], queue 1 has the rest; out of range is clamped, NaN counts as one half. */
void deficit_rr_init (DeficitRr *d, double weight);
/* At any time; what has been earned stays. */
void deficit_rr_set_weight (DeficitRr *d, double weight);
/* head_bytes: size of each queue's first packet, 0: the queue is empty. Returns the queue to serve or DEFICIT_RR_NONE.
   Asking again with the same heads gives the same answer. */
int deficit_rr_next (DeficitRr *d, const uint32_t head_bytes[DEFICIT_RR_QUEUES]);
/* A packet of `queue` was sent. Others than deficit_rr_next named are charged as well. */
void deficit_rr_on_served (DeficitRr *d, int queue, uint32_t bytes);

#ifdef __cplusplus
}
#endif
#endif
