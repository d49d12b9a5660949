/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "queueowner.h"
#include "timeshare.h"
#include <math.h>

#define MOST LAW (MOST, 0.6, 0.9)                  /* x c: what stands below that is not ours, or little of it */
#define STAYS LAW (STAYS, 0.45, 1.0)               /* of the time: on a path that marks it is long; it was others' */
#define OTHERS_PACKETS LAW (OTHERS_PACKETS, 60, 0) /* that met a queue, before it is theirs */
#define TEST_RATE 0.5                              /* x R; where as much of the queue goes, it was ours */

static QueueJudgement
says (QueueVerdict verdict, RateWish wish)
{
  return (QueueJudgement){.verdict = verdict, .wish = wish};
}

/* Marks keep every queue short. One of flows of our kind comes and goes; a TCP's stays, and leaves little to us. */
static bool
stays_in_spite_of_marks (const PathView *v, CcTime now)
{
  return ecn_marks_is_classic (&v->marks, now) && v->long_share > STAYS &&
         !queue_owner_has_most (v, v->share.capacity_Bps);
}

/* s until others have answered what we do, too. */
static double
others_answer (const PathView *v)
{
  return path_view_loop (v) + OTHERS_TIME;
}

/* Long enough, by the clock and by packets that met it: where few come, q is known late. */
static bool
has_stood (const QueueOwner *o, const PathView *v, double part)
{
  return o->standing_s > others_answer (v) * part && v->last.seq - o->stood_seq > OTHERS_PACKETS * part;
}

/* A wait, and what is no queue beside it; two where we did not back off. Jitter counts for no more than two: that of
   few packets would hide any queue. */
static bool
is_long (const PathView *v)
{
  bool most = queue_owner_has_most (v, v->share.capacity_Bps);

  return v->queue.q > (most ? 2 : 1) * LONG_WAIT + fmin (path_view_no_queue (v), 2 * LONG_WAIT);
}

/* A queue of our own goes within a second of backing off; one that still grows by what we send does not say that we
   did, and alone it is a backlog, until that does not drain. What others have had is believed to be theirs the
   sooner. */
static QueueJudgement
watch_competition (QueueOwner *o, const PathView *v, double T, CcTime now)
{
  if (o->standing_s == 0)
    o->stood_seq = v->last.seq;
  if (is_long (v) && !path_view_queue_is_outrun (v) && !path_view_is_alone (v, now))
    o->standing_s += T;
  else if (v->queue.q < LONG_WAIT / 2)
    o->standing_s = 0;
  if (!has_stood (o, v, 1 - o->others_share) && !stays_in_spite_of_marks (v, now))
    return says (QUEUE_AS_IT_WAS, rate_wish_none);
  o->others = true;
  o->short_at = now;
  o->test_at = cc_time_add (now, cc_duration (TIME_SHARE_MEMORY));
  return says (QUEUE_IS_OTHERS, rate_wish_none);
}

static QueueJudgement
stop_competing (QueueOwner *o)
{
  o->others = false;
  o->standing_s = 0;
  return says (QUEUE_IS_OURS, rate_wish_none);
}

static QueueJudgement
begin_test (QueueOwner *o, const PathView *v)
{
  o->testing = true;
  o->test_q = v->queue.q;
  o->test_Bps = v->rate_Bps;
  return (QueueJudgement){
      QUEUE_TEST_BEGINS, {TEST_RATE * v->rate_Bps, RATE_OWNER_OTHERS}, cc_duration (others_answer (v))};
}

static QueueJudgement
end_test (QueueOwner *o, const PathView *v, CcTime now)
{
  o->testing = false;
  o->test_at = cc_time_add (now, cc_duration (TIME_SHARE_MEMORY));
  return v->queue.q < TEST_RATE * o->test_q ? stop_competing (o)
                                            : says (QUEUE_TEST_OVER, (RateWish){o->test_Bps, RATE_OWNER_OTHERS});
}

static QueueJudgement
compete (QueueOwner *o, const PathView *v, CcTime now)
{
  if (v->queue.q > LONG_WAIT / 2)
    o->short_at = now;
  if (o->testing)
    return end_test (o, v, now);
  if (cc_seconds (now - o->short_at) > others_answer (v))
    return stop_competing (o);
  return now >= o->test_at ? begin_test (o, v) : says (QUEUE_AS_IT_WAS, rate_wish_none);
}

QueueJudgement
queue_owner_judge (QueueOwner *o, const PathView *v, bool resting, double T, CcTime now)
{
  time_share_count (&o->others_share, o->others, T);
  if (!o->others)
    return watch_competition (o, v, resting ? o->others_share * T : T, now);
  return resting ? says (QUEUE_AS_IT_WAS, rate_wish_none) : compete (o, v, now);
}

void
queue_owner_forget (QueueOwner *o)
{
  o->others = o->testing = false;
  o->others_share = 0;
}

bool
queue_owner_has_most (const PathView *v, double c_Bps)
{
  return v->rate_Bps > MOST * c_Bps;
}

OwnerKind
queue_owner_kind (const QueueOwner *o, const PathView *v, CcTime now)
{
  if (o->others)
    return QUEUE_OTHERS;
  if (router_word_queue (&v->word, now) > 0)
    return QUEUE_ROUTER;
  if (ecn_marks_is_scalable (&v->marks, now))
    return QUEUE_L4S;
  if (path_view_is_alone (v, now))
    return QUEUE_ALONE;
  return queue_owner_has_most (v, v->share.known_Bps) ? QUEUE_OWN : QUEUE_OWN_KIND;
}

bool
queue_owner_is_others (const QueueOwner *o)
{
  return o->others || o->testing || o->others_share > STAYS;
}

bool
queue_owner_may_be_others (const QueueOwner *o, const PathView *v)
{
  return queue_owner_is_others (o) || v->queue.q > LONG_WAIT + path_view_no_queue (v);
}

RateOwner
rate_owner_of_queue (OwnerKind kind)
{
  static const RateOwner owners[QUEUE_KINDS] = {
      RATE_OWNER_OTHERS, RATE_OWNER_ROUTER, RATE_OWNER_L4S, RATE_OWNER_OWN, RATE_OWNER_OWN, RATE_OWNER_OWN_KIND};

  return owners[kind];
}
