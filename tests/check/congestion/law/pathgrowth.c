/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathgrowth.h"
#include "cctest.h"
#include <math.h>

#define NOW (100 * CC_SECOND)
#define LOOP 0.2

static const GrowthRow gentle = {0.4, 0.5, true}, bold = {0.4, 0.5, false}, even = {0.4, 0, false};

/* R, c, and since when no queue is met. */
static void
setup (PathView *v, double rate_Bps, double c_Bps, double since_s)
{
  path_view_init (v, rate_Bps);
  v->R = 100 * CC_MSECOND;
  v->share.capacity_Bps = v->share.known_Bps = c_Bps;
  v->met_limit = true;
  filled_path_meet (&v->filled, 0, NOW - cc_duration (since_s));
}

START_TEST (test_bold_where_no_limit_was_met)
{
  PathView v;

  setup (&v, 100e3, 100e3, 0);
  ck_assert_double_eq (path_growth_unmet (&v, NOW), 0.04);
  v.filled.at = NOW - 3 * CC_SECOND;
  ck_assert_double_eq_tol (path_growth_unmet (&v, NOW), 0.12, 1e-9);
  v.filled.at = NOW - 60 * CC_SECOND;
  ck_assert_double_eq (path_growth_unmet (&v, NOW), 0.4);
  v.filled.at = NOW;
  path_view_on_rate (&v, 90e3); /* it has carried more */
  ck_assert_double_eq (path_growth_unmet (&v, NOW), 0.4);
  path_view_on_rate (&v, 100e3);
  v.met_limit = false;
  ck_assert_double_eq (path_growth_unmet (&v, NOW), 0.4);
}
END_TEST

START_TEST (test_bolder_with_time_and_for_who_has_less)
{
  PathView v;

  setup (&v, 110e3, 900e3, 0);
  ck_assert_double_eq_tol (path_growth_shared (&v, &even, 0.5, NOW), 0.5 * 0.4 * LOOP, 1e-9);
  setup (&v, 110e3, 900e3, 2);
  ck_assert_double_eq_tol (path_growth_shared (&v, &bold, 0.5, NOW), 0.5 * 1.4 * LOOP, 1e-9);
  setup (&v, 27.5e3, 900e3, 0);
  ck_assert_double_eq_tol (path_growth_shared (&v, &even, 0.5, NOW), 0.5 * 0.8 * LOOP, 1e-9);
  setup (&v, 110e3, 900e3, 60);
  ck_assert_double_eq_tol (path_growth_shared (&v, &bold, 0.5, NOW), 0.5 * 3 * LOOP, 1e-9);
}
END_TEST

START_TEST (test_gentle_about_the_rate_that_filled_the_path)
{
  PathView v;

  setup (&v, 100e3, 300e3, 2);
  v.filled.rate_Bps = 100e3;
  ck_assert_double_eq_tol (path_growth_shared (&v, &gentle, 0.5, NOW), 0.07 * LOOP, 1e-9);
  ck_assert_double_gt (path_growth_shared (&v, &bold, 0.5, NOW), 0.5 * LOOP);
  setup (&v, 350e3, 1e6, 2); /* 7 kB/s² is little of so much: a test's growth, then */
  v.filled.rate_Bps = 350e3;
  ck_assert_double_eq_tol (path_growth_shared (&v, &gentle, 0.5, NOW), 0.04 * LOOP, 1e-9);
  setup (&v, 100e3, 300e3, 2);
  v.filled.rate_Bps = 70e3; /* well beyond it */
  ck_assert_double_gt (path_growth_shared (&v, &gentle, 0.5, NOW), 0.5 * LOOP);
}
END_TEST

CC_TEST_MAIN ("pathgrowth", test_bold_where_no_limit_was_met, test_bolder_with_time_and_for_who_has_less,
    test_gentle_about_the_rate_that_filled_the_path)
