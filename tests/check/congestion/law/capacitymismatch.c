/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capacitymismatch.h"
#include "cctest.h"
#include <math.h>

#define NOW (100 * CC_SECOND)
#define LOOP 0.2

static const MismatchRow row = {{0.4, 0, false}, true, 25, 0.05, 0, 0.005};

/* R of c, trains that are spread. */
static void
setup (PathView *v, double rate_Bps, double c_Bps)
{
  path_view_init (v, rate_Bps);
  v->R = 100 * CC_MSECOND;
  v->share.capacity_Bps = v->share.known_Bps = c_Bps;
  v->share.trains = v->share.dispersed = true;
  v->last.wire_bytes = 1000;
}

static double
e_of (const PathView *v, OwnerKind kind, RateOwner *owner)
{
  CapacityMismatch m = capacity_mismatch (v, kind, &row, 0.6, HUGE_VAL, NOW);

  if (owner)
    *owner = m.owner;
  return m.e;
}

START_TEST (test_down_to_the_capacity)
{
  PathView v;
  RateOwner owner;

  setup (&v, 100e3, 80e3);
  v.queue.q = v.queue.q_lag = 0.020;
  ck_assert_double_eq_tol (e_of (&v, QUEUE_OWN, &owner), 0.98 * 0.8 - 1, 1e-9);
  ck_assert_int_eq (owner, RATE_OWNER_OWN);
}
END_TEST

START_TEST (test_grows_by_the_row)
{
  PathView v;

  setup (&v, 110e3, 900e3);
  ck_assert_double_eq_tol (e_of (&v, QUEUE_OWN_KIND, NULL), 0.5 * 0.4 * LOOP, 1e-9);
}
END_TEST

/* Of whom nothing is known but that others are there: by the row, whoever of them keeps the queue but a TCP. */
START_TEST (test_grows_by_the_row_beside_others_without_trains)
{
  PathView v;

  setup (&v, 110e3, 0);
  ck_assert_double_eq_tol (e_of (&v, QUEUE_OWN_KIND, NULL), 0.4, 1e-9);
  v.cross.state = CROSS_TRAFFIC_SOME;
  ck_assert_double_eq_tol (e_of (&v, QUEUE_OWN_KIND, NULL), 0.4 * LOOP, 1e-9);
  ck_assert_double_eq_tol (e_of (&v, QUEUE_OWN, NULL), 0.4 * LOOP, 1e-9);
  ck_assert_double_eq_tol (e_of (&v, QUEUE_OTHERS, NULL), 0.4, 1e-9);
}
END_TEST

/* 2 to 1 on a path of 300 kB/s, with what trains of 2 R show of it. */
START_TEST (test_a_heavier_call_has_the_room_of_the_lighter)
{
  PathView heavier, lighter;
  double e;

  setup (&heavier, 200e3, 2 * 200e3 * 300e3 / (300e3 + 200e3));
  setup (&lighter, 100e3, 2 * 100e3 * 300e3 / (300e3 + 100e3));
  e = e_of (&lighter, QUEUE_OWN_KIND, NULL);
  ck_assert_double_lt (e_of (&heavier, QUEUE_OWN_KIND, NULL), 0.7 * e);
  heavier.weight = 2;
  ck_assert_double_eq_tol (e_of (&heavier, QUEUE_OWN_KIND, NULL), e, 1e-6);
}
END_TEST

START_TEST (test_packets_as_they_left_have_seen_room)
{
  PathView v;
  RateOwner owner;

  setup (&v, 100e3, 100e3);
  v.share.dispersed = false;
  ck_assert_double_eq (e_of (&v, QUEUE_OWN, &owner), 0.4);
  ck_assert_int_eq (owner, RATE_OWNER_UNMET);
}
END_TEST

/* Trains that others or jitter have spread: a path as slow as that would have a queue. */
START_TEST (test_does_not_shrink_without_a_queue)
{
  PathView v;

  setup (&v, 100e3, 60e3);
  ck_assert_double_eq (e_of (&v, QUEUE_OWN_KIND, NULL), 0);
  v.queue.q = v.queue.q_lag = 0.019;
  ck_assert_double_lt (e_of (&v, QUEUE_OWN_KIND, NULL), 0);
  v.queue.noise = 0.007; /* nor with one that may be jitter */
  ck_assert_double_eq (e_of (&v, QUEUE_OWN_KIND, NULL), 0);
}
END_TEST

START_TEST (test_a_rising_queue_comes_in_too_much)
{
  PathView v;
  double still;

  setup (&v, 50e3, 100e3);
  v.queue.q = v.queue.q_lag = 0.020;
  still = e_of (&v, QUEUE_OWN_KIND, NULL);
  v.queue.q_lag = 0.014; /* 4 %: 25 x the loop x y x it */
  ck_assert_double_eq_tol (still - e_of (&v, QUEUE_OWN_KIND, NULL), 25 * LOOP * 0.6 * 0.04, 1e-9);
  setup (&v, 97e3, 100e3); /* mostly ours: all of it */
  v.queue.q = 0.020;
  v.queue.q_lag = 0.014;
  ck_assert_double_eq_tol (e_of (&v, QUEUE_OWN, NULL), -0.04, 1e-9);
}
END_TEST

/* c may be of half the path. It gives way by as much as those beside it do, and by what comes in too much at least. */
START_TEST (test_beside_others_who_has_most_gives_way_as_they_do)
{
  PathView v;

  setup (&v, 100e3, 100e3);
  v.cross.state = CROSS_TRAFFIC_SOME;
  v.queue.q = 0.020;
  v.queue.q_lag = 0.014;
  ck_assert_double_eq_tol (e_of (&v, QUEUE_OWN, NULL), -0.02 - 25 * LOOP * 0.6 * 0.04, 1e-9);
  setup (&v, 65e3, 100e3); /* however much there seems to be */
  v.cross.state = CROSS_TRAFFIC_SOME;
  v.queue.q = 0.020;
  v.queue.q_lag = 0.0195; /* 0.3 % */
  ck_assert_double_eq_tol (e_of (&v, QUEUE_OWN, NULL), -0.0005 / 0.15, 1e-9);
}
END_TEST

START_TEST (test_single_packets_grow_a_little)
{
  PathView v;
  RateOwner owner;

  setup (&v, 100e3, 99e3);
  v.share.trains = false;
  ck_assert_double_eq (e_of (&v, QUEUE_OWN_KIND, &owner), 0.05);
  ck_assert_int_eq (owner, RATE_OWNER_OWN_KIND);
  setup (&v, 100e3, 80e3); /* served slower than they come */
  v.share.trains = false;
  v.queue.q = v.queue.q_lag = 0.020;
  ck_assert_double_lt (e_of (&v, QUEUE_OWN_KIND, NULL), 0);
}
END_TEST

START_TEST (test_loss_has_the_last_word)
{
  PathView v;
  CapacityMismatch m;

  setup (&v, 100e3, 900e3);
  m = capacity_mismatch (&v, QUEUE_OWN, &row, 1, 0.01, NOW);
  ck_assert_double_eq (m.e, 0.01);
  ck_assert_int_eq (m.owner, RATE_OWNER_LOSS);
}
END_TEST

START_TEST (test_half_at_most)
{
  PathView v;

  setup (&v, 100e3, 10e3);
  v.queue.q = v.queue.q_lag = 0.100;
  ck_assert_double_eq (e_of (&v, QUEUE_OWN, NULL), -0.5);
}
END_TEST

CC_TEST_MAIN ("capacitymismatch", test_down_to_the_capacity, test_grows_by_the_row,
    test_grows_by_the_row_beside_others_without_trains, test_a_heavier_call_has_the_room_of_the_lighter,
    test_packets_as_they_left_have_seen_room, test_does_not_shrink_without_a_queue,
    test_a_rising_queue_comes_in_too_much, test_beside_others_who_has_most_gives_way_as_they_do,
    test_single_packets_grow_a_little, test_loss_has_the_last_word, test_half_at_most)
