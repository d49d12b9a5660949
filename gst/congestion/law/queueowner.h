/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose queue is it? One judge over what the path shows (pathview.h), who names one owner at a time; the law has a row
   for each (pathlaw.h). The first that holds:

     others    a queue of our own goes within a second of backing off. One that stays although we did is somebody
               else's, and to back off from it would starve us. Believed after a while, the sooner the more of late
               was theirs, put to the test now and then: the rate is halved for a moment, and where the queue goes it
               was ours.
               Where the path marks it is short and stays: long for half of the time, and little of the path ours
     router    routers have told a rate lately: they share out
     l4s       the path marks as soon as a queue begins: the fraction of marks says how much of it is too much
     alone     nobody else is there (crosstraffic.h)
     own       most of the path is ours, and so is its queue
     own kind  the rest: flows that do as we do */
#ifndef QUEUEOWNER_H
#define QUEUEOWNER_H

#include "lawnumber.h"
#include "pathview.h"
#include "ratewish.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OTHERS_TIME LAW (OTHERS_TIME, 0.7, 0.1) /* s in which others, with longer loops, have done their part of it */

typedef enum { QUEUE_OTHERS, QUEUE_ROUTER, QUEUE_L4S, QUEUE_ALONE, QUEUE_OWN, QUEUE_OWN_KIND, QUEUE_KINDS } OwnerKind;

typedef struct {
  bool others, testing;
  double standing_s;       /* so long a queue has stood in spite of us */
  uint64_t stood_seq;      /* the last packet before it did */
  double others_share;     /* of the time of late in which it was others' */
  double test_q, test_Bps; /* queue, s, and rate before the test */
  CcTime short_at;         /* when the queue of others was last no queue */
  CcTime test_at;
} QueueOwner;

typedef enum {
  QUEUE_AS_IT_WAS,
  QUEUE_IS_OTHERS,   /* from now on */
  QUEUE_TEST_BEGINS, /* what is wished and nothing more, for hold */
  QUEUE_TEST_OVER,   /* it was not ours: what was before */
  QUEUE_IS_OURS      /* no longer others' */
} QueueVerdict;

typedef struct {
  QueueVerdict verdict;
  RateWish wish;
  CcDuration hold;
} QueueJudgement;

/* Once a period of T s. resting: after a jump, or in a test; a TCP's queue is one jump after another. */
QueueJudgement queue_owner_judge (QueueOwner *o, const PathView *v, bool resting, double T, CcTime now);
/* The queue was none. */
void queue_owner_forget (QueueOwner *o);

/* Pure. */
OwnerKind queue_owner_kind (const QueueOwner *o, const PathView *v, CcTime now);
/* It is others', or was lately. */
bool queue_owner_is_others (const QueueOwner *o);
/* The same, or it looks like it. */
bool queue_owner_may_be_others (const QueueOwner *o, const PathView *v);
/* A part of c for which the queue is mostly ours to drain. */
bool queue_owner_has_most (const PathView *v, double c_Bps);
RateOwner rate_owner_of_queue (OwnerKind kind);

#ifdef __cplusplus
}
#endif
#endif
