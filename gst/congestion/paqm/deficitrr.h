/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of two queues sends its head next, so that each gets its weight's part of the bytes: deficit round robin
   (Shreedhar and Varghese 1996) with quanta as small as can be. Rounds in which nobody could send are skipped in one
   step, so a decision is O(1) whatever the weights. While both queues hold packets, the bytes of each since any instant
   stay within two largest packets of its weight's part (one, from when both were empty). Work conserving: a queue alone
   gets all. An empty one saves nothing up, or, where that is set, what its weight would have given it while the other
   was served, up to a bound: a burst then goes at once that it would else have to wait for. */
#ifndef DEFICITRR_H
#define DEFICITRR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DEFICIT_RR_QUEUES 2
#define DEFICIT_RR_NONE (-1)

typedef struct {
  double weight[DEFICIT_RR_QUEUES];  /* [0, 1], sum 1; 0: served only where the other is empty */
  double deficit[DEFICIT_RR_QUEUES]; /* bytes it may send */
  double saving[DEFICIT_RR_QUEUES];  /* most it may keep while empty; default 0 */
  bool idle[DEFICIT_RR_QUEUES];      /* empty when last asked */
  int last;                          /* served last: the other one goes first where both may */
} DeficitRr;

/* weight of queue 0 in [0, 1], queue 1 has the rest; out of range is clamped, NaN counts as one half. */
void deficit_rr_init (DeficitRr *d, double weight);
/* At any time; what has been earned stays. */
void deficit_rr_set_weight (DeficitRr *d, double weight);
/* bytes >= 0; at any time. */
void deficit_rr_set_saving (DeficitRr *d, int queue, double bytes);
/* head_bytes: size of each queue's first packet, 0: the queue is empty. Returns the queue to serve or DEFICIT_RR_NONE.
   Asking again with the same heads gives the same answer. */
int deficit_rr_next (DeficitRr *d, const uint32_t head_bytes[DEFICIT_RR_QUEUES]);
/* A packet of `queue` was sent. Others than deficit_rr_next named are charged as well. */
void deficit_rr_on_served (DeficitRr *d, int queue, uint32_t bytes);

#ifdef __cplusplus
}
#endif
#endif
