/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "queueowner.h"
#include "cctest.h"

#define T 0.1

/* R is half of c, a queue of q stands, and serves as fast as is sent. */
static void
setup (PathView *v, double q)
{
  path_view_init (v, 60e3);
  v->share.capacity_Bps = v->share.known_Bps = 120e3;
  v->receive_Bps = 120e3;
  v->last.wire_bytes = 1000;
  v->queue.q = q;
  v->share.busy = (PacketPairs){.pairs = 10, .sent = 0.3, .arrived = 0.3};
}

/* Until it says something, of so many packets a period; the s that took, or 60. */
static double
judge_by (QueueOwner *o, PathView *v, unsigned packets, CcTime *now, QueueJudgement *j)
{
  CcTime began = *now;

  do {
    v->last.seq += packets;
    *now += cc_duration (T);
    *j = queue_owner_judge (o, v, false, T, *now);
  } while (j->verdict == QUEUE_AS_IT_WAS && *now - began < 60 * CC_SECOND);
  return cc_seconds (*now - began);
}

/* Of 120 a second. */
static double
judge_until (QueueOwner *o, PathView *v, CcTime *now, QueueJudgement *j)
{
  return judge_by (o, v, 12, now, j);
}

/* After a loop, in which ours would have gone, and the time that others need. */
START_TEST (test_a_queue_that_stays_is_others)
{
  for (unsigned i = 0; i < 2; i++) {
    QueueOwner o = {0};
    QueueJudgement j;
    PathView v;
    CcTime now = CC_SECOND;

    setup (&v, 0.060);
    v.R = i * 600 * CC_MSECOND;
    ck_assert_double_eq_tol (judge_until (&o, &v, &now, &j), path_view_loop (&v) + 0.7, 1.5 * T);
    ck_assert_int_eq (j.verdict, QUEUE_IS_OTHERS);
    ck_assert_int_eq (queue_owner_kind (&o, &v, now), QUEUE_OTHERS);
  }
}
END_TEST

/* 60 of them, at 20 a second: of a call that began elsewhere, after a pause without a queue, after one of others. */
START_TEST (test_few_packets_tell_later)
{
  QueueOwner o = {0};
  QueueJudgement j;
  PathView v;
  CcTime now = CC_SECOND;

  setup (&v, 0.060);
  v.last.seq = 40000;
  ck_assert_double_eq_tol (judge_by (&o, &v, 2, &now, &j), 3, 0.25);
  ck_assert_int_eq (j.verdict, QUEUE_IS_OTHERS);
  v.queue.q = 0;
  judge_until (&o, &v, &now, &j);
  ck_assert_int_eq (j.verdict, QUEUE_IS_OURS);
  o.others_share = 0;
  v.queue.q = 0.060;
  for (unsigned n = 0; n < 25; n++) {
    v.last.seq += 2;
    ck_assert_int_eq (queue_owner_judge (&o, &v, false, T, now += cc_duration (T)).verdict, QUEUE_AS_IT_WAS);
  }
  v.queue.q = 0;
  queue_owner_judge (&o, &v, false, T, now += cc_duration (T));
  v.queue.q = 0.060;
  ck_assert_double_eq_tol (judge_by (&o, &v, 2, &now, &j), 3, 0.25);
}
END_TEST

/* A path that carries less than is sent: whoever's the queue is, that we back off is yet to come. */
START_TEST (test_a_queue_that_grows_by_us_is_no_proof)
{
  QueueOwner o = {0};
  QueueJudgement j;
  PathView v;
  CcTime now = CC_SECOND;

  setup (&v, 0.060);
  v.share.busy.arrived = 0.33;
  ck_assert_double_ge (judge_until (&o, &v, &now, &j), 60);
  v.share.busy.arrived = 0.31;
  ck_assert_double_le (judge_until (&o, &v, &now, &j), 1.7);
  ck_assert_int_eq (j.verdict, QUEUE_IS_OTHERS);
}
END_TEST

/* The gaps of a link leave a queue that stays as well: who meets nobody else's packets has a backlog, and only when
   that does not drain (pathrate.c forgets what it knew) is there somebody. */
START_TEST (test_who_is_alone_has_no_competitor)
{
  QueueOwner o = {0};
  QueueJudgement j;
  PathView v;
  CcTime now = CC_SECOND;

  setup (&v, 0.060);
  v.cross.state = CROSS_TRAFFIC_NONE;
  ck_assert_double_ge (judge_until (&o, &v, &now, &j), 60);
  path_view_forget_cross (&v);
  ck_assert_double_le (judge_until (&o, &v, &now, &j), 1.7);
  ck_assert_int_eq (j.verdict, QUEUE_IS_OTHERS);
}
END_TEST

/* Of five frames a second of a packet each hardly two pairs are remembered: who has been starved to that is not held.
 */
START_TEST (test_too_few_to_tell_prove_it)
{
  QueueOwner o = {0};
  QueueJudgement j;
  PathView v;
  CcTime now = CC_SECOND;

  setup (&v, 0.060);
  v.share.busy = (PacketPairs){.pairs = 2, .sent = 0.3, .arrived = 0.4};
  ck_assert_double_le (judge_until (&o, &v, &now, &j), 1.7);
  ck_assert_int_eq (j.verdict, QUEUE_IS_OTHERS);
}
END_TEST

START_TEST (test_who_did_not_back_off_waits_for_twice_the_queue)
{
  QueueOwner o = {0};
  QueueJudgement j;
  PathView v;
  CcTime now = CC_SECOND;

  setup (&v, 0.060);
  path_view_on_rate (&v, 75e3);
  ck_assert_double_ge (judge_until (&o, &v, &now, &j), 60);
  v.queue.q = 0.090;
  ck_assert_double_le (judge_until (&o, &v, &now, &j), 1.7);
}
END_TEST

/* Of packets that come one by one any queue passes for jitter: beyond 35 + 70 ms it is one. */
START_TEST (test_jitter_hides_no_long_queue)
{
  QueueOwner o = {0};
  QueueJudgement j;
  PathView v;
  CcTime now = CC_SECOND;

  setup (&v, 0.100);
  v.queue.noise = 0.030;
  ck_assert_double_ge (judge_until (&o, &v, &now, &j), 60);
  v.queue.q = 0.110;
  ck_assert_double_le (judge_until (&o, &v, &now, &j), 1.7);
  ck_assert_int_eq (j.verdict, QUEUE_IS_OTHERS);
}
END_TEST

/* A short one, which is long for half of the time where marks should keep it shorter, and half of the path. */
START_TEST (test_a_short_queue_that_stays_in_spite_of_marks_is_others)
{
  const struct {
    double long_share, rate_Bps;
    bool marked, others;
  } cases[] = {{0.5, 60e3, true, true}, {0.4, 60e3, true, false}, {0.5, 80e3, true, false}, {0.5, 60e3, false, false}};

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    QueueOwner o = {0};
    QueueJudgement j;
    PathView v;
    CcTime now = CC_SECOND;

    setup (&v, 0.020);
    v.long_share = cases[i].long_share;
    path_view_on_rate (&v, cases[i].rate_Bps);
    v.marks.lost_at = cases[i].marked ? now : CC_TIME_NONE;
    j = queue_owner_judge (&o, &v, false, T, now);
    ck_assert_int_eq (j.verdict, cases[i].others ? QUEUE_IS_OTHERS : QUEUE_AS_IT_WAS);
  }
}
END_TEST

/* Halved for a moment: it stays, the rate is had again; it goes, it was ours. What was others' for all of the time but
   a moment is believed the sooner. */
START_TEST (test_the_belief_is_tested)
{
  QueueOwner o = {0};
  QueueJudgement j;
  PathView v;
  CcTime now = CC_SECOND;

  setup (&v, 0.060);
  judge_until (&o, &v, &now, &j);
  ck_assert_double_eq_tol (judge_until (&o, &v, &now, &j), 15, 0.15);
  ck_assert_int_eq (j.verdict, QUEUE_TEST_BEGINS);
  ck_assert_double_eq (j.wish.rate_Bps, 30e3);
  ck_assert_uint_gt (j.hold, 700 * CC_MSECOND);
  judge_until (&o, &v, &now, &j);
  ck_assert_int_eq (j.verdict, QUEUE_TEST_OVER);
  ck_assert_double_eq (j.wish.rate_Bps, 60e3);
  ck_assert_double_eq_tol (judge_until (&o, &v, &now, &j), 15, 0.15);
  ck_assert_int_eq (j.verdict, QUEUE_TEST_BEGINS);
  v.queue.q = 0.025;
  judge_until (&o, &v, &now, &j);
  ck_assert_int_eq (j.verdict, QUEUE_IS_OURS);
  ck_assert (!o.others);
  ck_assert_double_eq_tol (o.others_share, 0.87, 0.03);
  v.queue.q = 0.060;
  ck_assert_double_eq_tol (judge_until (&o, &v, &now, &j), 0.3, 0.15);
}
END_TEST

/* However long it was theirs, no queue is nobody's. */
START_TEST (test_no_queue_is_not_others)
{
  QueueOwner o = {.others_share = 1};
  QueueJudgement j;
  PathView v;
  CcTime now = CC_SECOND;

  setup (&v, 0.010);
  j = queue_owner_judge (&o, &v, false, 0, now);
  ck_assert_int_eq (j.verdict, QUEUE_AS_IT_WAS);
}
END_TEST

START_TEST (test_a_queue_that_is_gone_is_nobodys)
{
  QueueOwner o = {0};
  QueueJudgement j;
  PathView v;
  CcTime now = CC_SECOND;

  setup (&v, 0.060);
  v.R = 600 * CC_MSECOND;
  judge_until (&o, &v, &now, &j);
  v.queue.q = 0.010;
  ck_assert_double_eq_tol (judge_until (&o, &v, &now, &j), path_view_loop (&v) + 0.7, 1.5 * T);
  ck_assert_int_eq (j.verdict, QUEUE_IS_OURS);
}
END_TEST

/* What stands while at rest counts by as much of the time as others have had it. */
START_TEST (test_at_rest_only_shortly_after_others)
{
  QueueOwner o = {0};
  PathView v;
  QueueJudgement j = {0};

  setup (&v, 0.060);
  for (unsigned i = 0; i < 20; i++, v.last.seq += 12)
    j = queue_owner_judge (&o, &v, true, T, CC_SECOND);
  ck_assert_int_eq (j.verdict, QUEUE_AS_IT_WAS);
  o.others_share = 0.8;
  for (unsigned i = 0; i < 3; i++, v.last.seq += 12)
    j = queue_owner_judge (&o, &v, true, T, CC_SECOND);
  ck_assert_int_eq (j.verdict, QUEUE_IS_OTHERS);
}
END_TEST

START_TEST (test_the_first_that_holds)
{
  QueueOwner o = {0};
  PathView v;
  CcTime now = 100 * CC_SECOND;

  setup (&v, 0.020);
  ck_assert_int_eq (queue_owner_kind (&o, &v, now), QUEUE_OWN_KIND);
  path_view_on_rate (&v, 80e3);
  ck_assert_int_eq (queue_owner_kind (&o, &v, now), QUEUE_OWN);
  v.cross.state = CROSS_TRAFFIC_NONE;
  ck_assert_int_eq (queue_owner_kind (&o, &v, now), QUEUE_ALONE);
  v.marks.marked_at = now;
  ck_assert_int_eq (queue_owner_kind (&o, &v, now), QUEUE_L4S);
  router_word_hear (&v.word, now);
  ck_assert_int_eq (queue_owner_kind (&o, &v, now), QUEUE_ROUTER);
  o.others = true;
  o.others_share = 0.9;
  ck_assert_int_eq (queue_owner_kind (&o, &v, now), QUEUE_OTHERS);
  queue_owner_forget (&o);
  ck_assert_int_eq (queue_owner_kind (&o, &v, now), QUEUE_ROUTER);
  ck_assert (!queue_owner_is_others (&o));
}
END_TEST

START_TEST (test_it_may_be_others)
{
  QueueOwner o = {0};
  PathView v;

  setup (&v, 0.020);
  ck_assert (!queue_owner_may_be_others (&o, &v));
  o.others_share = 0.5;
  ck_assert (queue_owner_may_be_others (&o, &v));
  o.others_share = 0.4;
  ck_assert (!queue_owner_may_be_others (&o, &v));
  v.queue.q = 0.060;
  ck_assert (queue_owner_may_be_others (&o, &v));
}
END_TEST

CC_TEST_MAIN ("queueowner", test_a_queue_that_stays_is_others, test_few_packets_tell_later,
    test_a_queue_that_grows_by_us_is_no_proof, test_who_is_alone_has_no_competitor, test_too_few_to_tell_prove_it,
    test_who_did_not_back_off_waits_for_twice_the_queue, test_jitter_hides_no_long_queue,
    test_a_short_queue_that_stays_in_spite_of_marks_is_others, test_the_belief_is_tested, test_no_queue_is_not_others,
    test_a_queue_that_is_gone_is_nobodys, test_at_rest_only_shortly_after_others, test_the_first_that_holds,
    test_it_may_be_others)
