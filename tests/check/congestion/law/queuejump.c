/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "queuejump.h"
#include "cctest.h"

#define NOW (100 * CC_SECOND)

/* R of c; 50 kB/s arrive of late, in a queue of 80 ms. */
static void
setup (PathView *v, double rate_Bps, double c_Bps)
{
  path_view_init (v, rate_Bps);
  v->R = 100 * CC_MSECOND;
  v->share.capacity_Bps = v->share.known_Bps = c_Bps;
  v->share.trains = true;
  v->share.slow = v->share.fast = (PacketPairs){10e3, 0.1, 0.2, 10, NOW};
  v->waited = v->queue.q = 0.08;
  v->last.wire_bytes = 1000;
}

START_TEST (test_mostly_ours_goes_below_what_arrives)
{
  PathView v;
  QueueOwner o = {0};
  QueueJump j = {.pending = true};
  QueueJumpAnswer answer;

  setup (&v, 90e3, 100e3);
  v.share.slow = (PacketPairs){20e3, 0.1, 0.2, 10, NOW}; /* before it: 100 kB/s */
  answer = queue_jump_answer (&j, &v, &o, NOW);
  ck_assert (!j.pending);
  ck_assert_double_eq_tol (answer.wish.rate_Bps, (0.98 - 0.2) * 50e3, 1);
  ck_assert_int_eq (answer.wish.owner, RATE_OWNER_OWN);
  ck_assert_uint_eq (answer.rest, 200 * CC_MSECOND); /* the loop */
  ck_assert_double_eq_tol (v.share.capacity_Bps, 50e3, 1);
}
END_TEST

START_TEST (test_comes_back_when_it_is_drained)
{
  PathView v;
  QueueOwner o = {0};
  QueueJump j = {.pending = true};

  setup (&v, 90e3, 100e3);
  v.share.slow = (PacketPairs){20e3, 0.1, 0.2, 10, NOW};
  path_view_on_rate (&v, queue_jump_answer (&j, &v, &o, NOW).wish.rate_Bps);
  ck_assert_int_eq (queue_jump_return (&j, &v).owner, RATE_OWNER_UNKNOWN);
  v.queue.q = 0.005;
  ck_assert_double_eq_tol (queue_jump_return (&j, &v).rate_Bps, 49e3, 1);
  ck_assert_int_eq (queue_jump_return (&j, &v).owner, RATE_OWNER_UNKNOWN); /* once */
}
END_TEST

START_TEST (test_others_yield_as_much)
{
  PathView v;
  QueueOwner o = {0};
  QueueJump j = {.pending = true};
  QueueJumpAnswer answer;

  setup (&v, 30e3, 100e3);
  v.share.slow = (PacketPairs){20e3, 0.1, 0.2, 10, NOW};
  answer = queue_jump_answer (&j, &v, &o, NOW);
  ck_assert_double_eq_tol (answer.wish.rate_Bps, (0.98 - 0.2) * 30e3, 1);
  ck_assert_uint_eq (answer.rest, 700 * CC_MSECOND);
  v.queue.q = 0.005;
  ck_assert_int_eq (queue_jump_return (&j, &v).owner, RATE_OWNER_UNKNOWN); /* nothing to come back to */
}
END_TEST

START_TEST (test_whose_it_is)
{
  PathView v;

  setup (&v, 90e3, 100e3);
  ck_assert (!queue_jump_is_of_others (&v, QUEUE_OWN));
  setup (&v, 30e3, 100e3);
  ck_assert (queue_jump_is_of_others (&v, QUEUE_OWN_KIND));
  ck_assert (!queue_jump_is_of_others (&v, QUEUE_ROUTER));
}
END_TEST

START_TEST (test_a_long_wait_while_less_arrives_is_one)
{
  PathView v;
  QueueOwner o = {0};
  QueueJump j = {0};

  setup (&v, 90e3, 100e3);
  ck_assert (!queue_jump_on_packet (&j, &v, &o, NOW));
  v.long_wait.since = NOW - 40 * CC_MSECOND;
  ck_assert (queue_jump_on_packet (&j, &v, &o, NOW));
  ck_assert (j.pending);
  v.cross.state = CROSS_TRAFFIC_NONE; /* a backlog */
  v.served = (PacketPairs){10e3, 0.1, 0.2, 10, NOW};
  ck_assert (queue_jump_on_packet (&j, &v, &o, NOW));
  ck_assert (!j.pending);
  v.cross.state = CROSS_TRAFFIC_UNKNOWN;
  path_view_on_rate (&v, 50e3); /* all of it arrives */
  ck_assert (!queue_jump_on_packet (&j, &v, &o, NOW));
  path_view_on_rate (&v, 90e3);
  o.others = true;
  ck_assert (!queue_jump_on_packet (&j, &v, &o, NOW));
}
END_TEST

CC_TEST_MAIN ("queuejump", test_mostly_ours_goes_below_what_arrives, test_comes_back_when_it_is_drained,
    test_others_yield_as_much, test_whose_it_is, test_a_long_wait_while_less_arrives_is_one)
