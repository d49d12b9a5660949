/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backlog.h"
#include "cctest.h"

static BacklogState
step (Backlog *b, double standing, double waited, double one_packet, CcTime now)
{
  return backlog_step (b, (BacklogQueue){standing, waited, one_packet, 100e3, now});
}

START_TEST (test_a_short_queue_is_none)
{
  Backlog b = {0};
  CcTime now = CC_SECOND;

  ck_assert_int_eq (step (&b, 0.035, 0.035, 0.008, now), BACKLOG_NONE);
  ck_assert_int_eq (step (&b, 0.039, 0.035, 0.008, now), BACKLOG_BEGINS);
}
END_TEST

START_TEST (test_follows_what_is_served_and_drains)
{
  Backlog b = {0};
  CcTime now = CC_SECOND;

  ck_assert_int_eq (step (&b, 0.100, 0.060, 0, now), BACKLOG_BEGINS);
  ck_assert_double_eq_tol (b.rate_Bps, (0.98 - 0.25) * 100e3, 1);
  ck_assert_int_eq (step (&b, 0.100, 0.600, 0, now), BACKLOG_STANDS);
  ck_assert_double_eq_tol (b.rate_Bps, 0.4 * 100e3, 1); /* no less */
}
END_TEST

START_TEST (test_what_was_served_is_had_again)
{
  Backlog b = {0};
  CcTime now = CC_SECOND;

  step (&b, 0.200, 0.200, 0, now);
  ck_assert_int_eq (step (&b, 0.010, 0.300, 0, now += 50 * CC_MSECOND), BACKLOG_OVER);
  ck_assert_double_eq_tol (b.served_Bps, 100e3, 1);
  ck_assert_int_eq (step (&b, 0.010, 0.010, 0, now += 50 * CC_MSECOND), BACKLOG_NONE);
}
END_TEST

/* The first packet behind a gap of the link says little of what it serves, the last one of the queue most. */
START_TEST (test_what_is_served_counts_to_the_end)
{
  Backlog b = {0};
  CcTime now = CC_SECOND;

  backlog_step (&b, (BacklogQueue){0.2, 0.2, 0, 20e3, now});
  ck_assert_double_eq_tol (b.served_Bps, 20e3, 1);
  ck_assert_int_eq (step (&b, 0.010, 0.010, 0, now += 50 * CC_MSECOND), BACKLOG_OVER);
  ck_assert_double_eq_tol (b.served_Bps, 100e3, 1);
  ck_assert_double_eq_tol (backlog_wish (&b, BACKLOG_OVER, 10e3).rate_Bps, 100e3, 1);
}
END_TEST

START_TEST (test_forgotten_it_is_not_over_but_none)
{
  Backlog b = {0};
  CcTime now = CC_SECOND;

  step (&b, 0.200, 0.200, 0, now);
  backlog_forget (&b);
  ck_assert_int_eq (step (&b, 0.010, 0.010, 0, now), BACKLOG_NONE);
}
END_TEST

/* 100 ms that stay, at 0.73 of what is served: 0.27 s drained a second, 0.2 s of it after 0.8 s. */
START_TEST (test_a_queue_that_does_not_drain_is_not_ours)
{
  Backlog b = {0};
  CcTime now = CC_SECOND;
  BacklogState state;

  do {
    state = step (&b, 0.100, 0.100, 0, now += CC_SECOND / 10);
    ck_assert_uint_lt (now, 3 * CC_SECOND);
  } while (state != BACKLOG_NOT_OURS);
  ck_assert_uint_gt (now, 3 * CC_SECOND / 2);
  ck_assert_int_eq (step (&b, 0.100, 0.100, 0, now), BACKLOG_BEGINS);
}
END_TEST

/* Nothing comes for 5 s: then all of it has waited for as long. */
START_TEST (test_an_outage_is_a_queue_of_ours)
{
  Backlog b = {0};
  CcTime now = CC_SECOND, heard = now;

  step (&b, 0.100, 0.100, 0, now);
  for (; now < heard + 5 * CC_SECOND; now += CC_SECOND / 10)
    ck_assert_int_eq (backlog_step (&b, (BacklogQueue){0.1, 0.1, 0, 100e3, heard}), BACKLOG_STANDS);
  ck_assert_int_eq (step (&b, 5, 5, 0, now), BACKLOG_STANDS);
}
END_TEST

START_TEST (test_nothing_served_is_no_answer)
{
  Backlog b = {0};

  ck_assert_int_eq (backlog_step (&b, (BacklogQueue){0.2, 0.2, 0, 0, CC_SECOND}), BACKLOG_NONE);
  ck_assert_int_eq (step (&b, 0.200, 0.200, 0, CC_SECOND), BACKLOG_BEGINS);
  ck_assert_int_eq (backlog_step (&b, (BacklogQueue){0.2, 0.2, 0, 0, CC_SECOND}), BACKLOG_STANDS);
  ck_assert_double_eq_tol (b.served_Bps, 100e3, 1); /* what is known of it last */
}
END_TEST

CC_TEST_MAIN ("backlog", test_a_short_queue_is_none, test_follows_what_is_served_and_drains,
    test_what_was_served_is_had_again, test_what_is_served_counts_to_the_end, test_forgotten_it_is_not_over_but_none,
    test_a_queue_that_does_not_drain_is_not_ours, test_an_outage_is_a_queue_of_ours, test_nothing_served_is_no_answer)
