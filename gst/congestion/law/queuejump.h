/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A jump of the queue is not left to the next period: R comes down at once, to drain it within 0.4 s, and rests until
   what it is now shows.

     mostly ours    c is what arrives now, and R goes below it. What arrived while the queue stood is what the path
                    carries: R is that again when the queue is gone, as behind a backlog
     of others too  it goes when all of them yield as much: R comes down by itself, and rests until those with longer
                    loops have done their part */
#ifndef QUEUEJUMP_H
#define QUEUEJUMP_H

#include "queueowner.h"
#include "ratewish.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  bool pending;       /* to be answered */
  double drained_Bps; /* R when the queue is gone; 0: nothing to come back to */
} QueueJump;

typedef struct {
  RateWish wish;
  CcDuration rest;
} QueueJumpAnswer;

/* A packet has come, and the law does not rest: is a jump to be answered now? Alone on the path it is a backlog
   (backlog.h). */
bool queue_jump_on_packet (QueueJump *j, const PathView *v, const QueueOwner *o, CcTime now);
/* The view is told where c has become what arrives. */
QueueJumpAnswer queue_jump_answer (QueueJump *j, PathView *v, const QueueOwner *o, CcTime now);
/* Once a period. */
RateWish queue_jump_return (QueueJump *j, const PathView *v);

/* Both pure. arriving_Bps: of late. */
bool queue_jump_is_of_others (const PathView *v, OwnerKind kind);
double queue_jump_rate (const PathView *v, OwnerKind kind, double arriving_Bps);

#ifdef __cplusplus
}
#endif
#endif
