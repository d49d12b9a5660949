/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lawclock.h"
#include "cctest.h"

#define NOW (10 * CC_SECOND)

START_TEST (test_once_a_period)
{
  LawClock c = {0};

  law_clock_start (&c, NOW);
  ck_assert (!law_clock_is_due (&c, NOW + 49 * CC_MSECOND));
  ck_assert (law_clock_is_due (&c, NOW + 50 * CC_MSECOND));
  law_clock_ran (&c, 0.1, NOW + 60 * CC_MSECOND);
  ck_assert (!law_clock_is_due (&c, NOW + 159 * CC_MSECOND));
  ck_assert (law_clock_is_due (&c, NOW + 160 * CC_MSECOND));
  ck_assert_double_eq_tol (law_clock_since (&c, NOW + 160 * CC_MSECOND), 0.1, 1e-9);
}
END_TEST

START_TEST (test_at_once)
{
  LawClock c = {0};

  law_clock_start (&c, NOW);
  law_clock_at_once (&c, NOW + CC_MSECOND);
  ck_assert (law_clock_is_due (&c, NOW + CC_MSECOND));
}
END_TEST

/* A longer pause was none of the law's. */
START_TEST (test_a_pause_counts_for_a_fifth_of_a_second)
{
  LawClock c = {0};

  law_clock_start (&c, NOW);
  ck_assert_double_eq_tol (law_clock_since (&c, NOW + 190 * CC_MSECOND), 0.19, 1e-9);
  ck_assert_double_eq_tol (law_clock_since (&c, NOW + CC_SECOND), 0.2, 1e-9);
}
END_TEST

/* It is due then, for those who judge, and nobody sets R. */
START_TEST (test_rests)
{
  LawClock c = {0};

  law_clock_start (&c, NOW);
  ck_assert (!law_clock_rests (&c, NOW));
  law_clock_rest (&c, 300 * CC_MSECOND, NOW);
  ck_assert (law_clock_rests (&c, NOW + 299 * CC_MSECOND));
  ck_assert (law_clock_is_due (&c, NOW + 299 * CC_MSECOND));
  ck_assert (!law_clock_rests (&c, NOW + 300 * CC_MSECOND));
}
END_TEST

CC_TEST_MAIN ("lawclock", test_once_a_period, test_a_pause_counts_for_a_fifth_of_a_second, test_at_once, test_rests)
