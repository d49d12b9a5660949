/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathlaw.h"
#include "cctest.h"
#include <math.h>

#define NOW (100 * CC_SECOND)
#define T 0.1

static const LossGrowth no_loss = {HUGE_VAL, HUGE_VAL, false};

/* R of c, trains that are spread, no queue for a second; as much arrives as may be sent. */
static void
setup (PathView *v, double rate_Bps, double c_Bps)
{
  path_view_init (v, rate_Bps);
  v->R = 100 * CC_MSECOND;
  v->receive_Bps = rate_Bps;
  v->share.capacity_Bps = v->share.known_Bps = c_Bps;
  v->share.trains = v->share.dispersed = true;
  v->met_limit = true;
  v->last.wire_bytes = 1000;
  filled_path_meet (&v->filled, 0, NOW - CC_SECOND);
}

static double
growth (const PathView *v, OwnerKind kind, RateOwner *owner)
{
  RateWish step = path_law_step (v, kind, no_loss, T, NOW);

  if (owner)
    *owner = step.owner;
  return step.rate_Bps / v->rate_Bps - 1;
}

START_TEST (test_comes_down_to_the_capacity)
{
  PathView v;

  setup (&v, 100e3, 80e3);
  v.queue.q = v.queue.q_lag = 0.020; /* of which a packet's half and 5 ms are left alone */
  /* T/d (0.75 (0.98 x 0.8 - 1) - 0.35 x 11 ms/d) */
  ck_assert_double_eq_tol (growth (&v, QUEUE_OWN, NULL), 0.5 * (0.75 * -0.216 - 0.35 * 0.011 / 0.2), 1e-3);
}
END_TEST

START_TEST (test_drains_by_its_part_of_the_queue)
{
  PathView v;
  double all, part;

  setup (&v, 98e3, 100e3);
  v.queue.q = v.queue.q_lag = 0.045; /* of which a packet's half and 5 ms are left alone */
  all = growth (&v, QUEUE_OWN, NULL);
  ck_assert_double_eq_tol (all, -0.5 * 0.35 * 0.036 / 0.2, 1e-3);
  setup (&v, 25e3, 100e3);
  v.share.capacity_Bps = 25.5e3; /* no room */
  v.queue.q = v.queue.q_lag = 0.045;
  part = growth (&v, QUEUE_OWN_KIND, NULL);
  ck_assert_double_lt (part, 0);
  ck_assert_double_gt (part, 0.4 * all);
  ck_assert_double_lt (growth (&v, QUEUE_ROUTER, NULL), part); /* all of it */
}
END_TEST

/* Twice the rate and twice the weight, about what filled the path: in proportion the same, so that it stays. */
START_TEST (test_does_as_two_calls)
{
  const double queues_s[] = {0.002, 0.030};

  for (unsigned i = 0; i < 2; i++) {
    double one, two, as_one;
    PathView v;

    setup (&v, 50e3, 125e3);
    filled_path_meet (&v.filled, 50e3, NOW);
    v.queue.q = v.queue.q_lag = queues_s[i];
    one = growth (&v, QUEUE_OWN_KIND, NULL);
    setup (&v, 100e3, 250e3);
    filled_path_meet (&v.filled, 100e3, NOW);
    v.queue.q = v.queue.q_lag = queues_s[i];
    as_one = growth (&v, QUEUE_OWN_KIND, NULL);
    v.weight = 2;
    two = growth (&v, QUEUE_OWN_KIND, NULL);
    ck_assert_double_eq_tol (two, one, 1e-3);
    ck_assert_double_gt (two, as_one + 2e-3);
  }
}
END_TEST

START_TEST (test_a_queue_of_others_is_left_out)
{
  PathView v;
  RateOwner owner;

  setup (&v, 50e3, 100e3);
  v.queue.q = 0.200;
  v.queue.q_lag = 0.150;
  ck_assert_double_eq_tol (growth (&v, QUEUE_OTHERS, &owner), 0.5 * 0.75 * 0.5 * 0.4 * sqrt (2.2) * 0.2, 1e-4);
  ck_assert_int_eq (owner, RATE_OWNER_OTHERS);
  ck_assert_double_lt (growth (&v, QUEUE_OWN_KIND, &owner), -0.05);
  ck_assert_int_eq (owner, RATE_OWNER_OWN_KIND);
}
END_TEST

START_TEST (test_a_rising_queue_counts_beside_growth)
{
  PathView v;
  double standing;

  setup (&v, 50e3, 100e3);
  v.queue.q = v.queue.q_lag = 0.020;
  standing = growth (&v, QUEUE_OWN_KIND, NULL);
  v.queue.q_lag = 0.014; /* 4 % comes in too much: 25 x 0.2 s x 0.6 x it */
  ck_assert_double_eq_tol (standing - growth (&v, QUEUE_OWN_KIND, NULL), 0.5 * 0.75 * 0.12, 1e-6);
  setup (&v, 90e3, 100e3); /* most of it is ours: all that comes in too much, 4 % */
  v.queue.q = 0.020;
  v.queue.q_lag = 0.014;
  ck_assert_double_eq_tol (growth (&v, QUEUE_OWN, NULL), 0.5 * (-0.75 * 0.04 - 0.35 * 0.010 / 0.2), 3e-3);
}
END_TEST

START_TEST (test_routers_share_out)
{
  PathView v;
  RateOwner owner;

  setup (&v, 100e3, 60e3); /* spread by others, whose frames meet ours */
  ck_assert_double_eq_tol (growth (&v, QUEUE_ROUTER, &owner), 0.5 * 0.75 * 0.04, 1e-6);
  ck_assert_int_eq (owner, RATE_OWNER_ROUTER);
  v.queue.q = 0.012;
  ck_assert_double_eq_tol (growth (&v, QUEUE_ROUTER, NULL), 0, 0.01);
  v.queue.q = 0.030;
  ck_assert_double_lt (growth (&v, QUEUE_ROUTER, NULL), -0.1);
}
END_TEST

START_TEST (test_no_further_than_what_arrives)
{
  PathView v;
  RateOwner owner;

  setup (&v, 100e3, 300e3);
  v.receive_Bps = 33e3;
  ck_assert_double_eq (growth (&v, QUEUE_OWN_KIND, &owner), 0);
  ck_assert_int_eq (owner, RATE_OWNER_APPLICATION);
  v.receive_now_Bps = 40e3; /* of late */
  ck_assert_double_gt (growth (&v, QUEUE_OWN_KIND, NULL), 0);
}
END_TEST

START_TEST (test_loss_has_the_last_word)
{
  PathView v;
  LossGrowth loss = no_loss;
  RateWish step;

  setup (&v, 100e3, 300e3);
  loss.unexplained = true;
  ck_assert_double_eq (path_law_step (&v, QUEUE_OWN, loss, T, NOW).rate_Bps, 100e3);
  loss = (LossGrowth){100e3, HUGE_VAL, false};
  step = path_law_step (&v, QUEUE_OWN, loss, T, NOW);
  ck_assert_double_eq_tol (step.rate_Bps, 100e3 * (1 + 0.02 * T), 1); /* 2 % a second */
  ck_assert_int_eq (step.owner, RATE_OWNER_LOSS);
  loss = (LossGrowth){HUGE_VAL, 100.1e3, false};
  ck_assert_double_eq (path_law_step (&v, QUEUE_OWN, loss, T, NOW).rate_Bps, 100.1e3);
}
END_TEST

/* RFC 9331 4.3: by the fraction, whoever the queue is said to be of. A loop of all marked takes 0.35 of R. */
START_TEST (test_comes_down_by_the_fraction_of_marks)
{
  PathView v;
  RateOwner owner;
  double none, quarter, half;

  setup (&v, 50e3, 100e3);
  none = growth (&v, QUEUE_L4S, NULL);
  ck_assert_double_gt (none, 0);
  v.marks.fraction = 0.25;
  quarter = growth (&v, QUEUE_L4S, NULL);
  v.marks.fraction = 0.5;
  half = growth (&v, QUEUE_L4S, &owner);
  ck_assert_int_eq (owner, RATE_OWNER_L4S);
  ck_assert_double_eq_tol (none - quarter, 0.5 * 0.35 * 0.25, 1e-9);
  ck_assert_double_eq_tol (none - half, 0.5 * 0.35 * 0.5, 1e-9);
  half = growth (&v, QUEUE_OTHERS, NULL);
  v.marks.fraction = 0;
  ck_assert_double_eq_tol (growth (&v, QUEUE_OTHERS, NULL) - half, 0.5 * 0.35 * 0.5, 1e-9);
}
END_TEST

/* No trains are sent where they would be marked: c, as they show it, says nothing. */
START_TEST (test_marks_alone_say_where_a_marking_path_ends)
{
  PathView v;

  setup (&v, 100e3, 50e3);
  ck_assert_double_gt (growth (&v, QUEUE_L4S, NULL), 0);
  v.queue.q = v.queue.q_lag = 0.020;
  ck_assert_double_lt (growth (&v, QUEUE_OWN, NULL), 0);
}
END_TEST

/* Who has less of the path yields less. */
START_TEST (test_yields_by_its_part)
{
  PathView v;
  const PathLawRow own = path_law_row (QUEUE_OWN_KIND), router = path_law_row (QUEUE_ROUTER);

  setup (&v, 50e3, 100e3);
  ck_assert_double_eq_tol (path_law_yields (&v, &own, 100e3), 0.6, 1e-9);
  ck_assert_double_eq_tol (path_law_yields (&v, &own, 500e3), 0.12, 1e-9);
  ck_assert_double_eq (path_law_yields (&v, &own, 0), 1);
  ck_assert_double_eq (path_law_yields (&v, &router, 1000e3), 1);
}
END_TEST

CC_TEST_MAIN ("pathlaw", test_comes_down_to_the_capacity, test_drains_by_its_part_of_the_queue, test_does_as_two_calls,
    test_a_queue_of_others_is_left_out, test_a_rising_queue_counts_beside_growth, test_routers_share_out,
    test_no_further_than_what_arrives, test_loss_has_the_last_word, test_comes_down_by_the_fraction_of_marks,
    test_marks_alone_say_where_a_marking_path_ends, test_yields_by_its_part)
