/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "queuedelay.h"
#include "cctest.h"
#include <math.h>

#define BASE (30 * CC_MSECOND)
#define SPACING (20 * CC_MSECOND)

static QueueDelay q;

static void
setup (void)
{
  QueueDelayParams params;

  queue_delay_params_init (&params);
  queue_delay_init (&q, &params);
}

/* A packet sent at t that meets `queue`, where the receiver's clock is `offset` ahead and runs `ppm` fast. */
static double
ms_at (CcTime t, CcDuration queue, int64_t offset, double ppm)
{
  CcTime arrived = t + BASE + queue;

  arrived += (CcTime)(int64_t)((double)arrived * ppm * 1e-6) + (CcTime)offset;
  return (double)queue_delay_on_packet (&q, t, arrived) / 1e6;
}

START_TEST (test_offset_does_not_matter)
{
  const int64_t offsets[] = {0, 7 * (int64_t)CC_SECOND, 86400 * (int64_t)CC_SECOND, -40 * (int64_t)CC_SECOND};

  for (unsigned i = 0; i < 4; i++) {
    setup ();
    for (CcTime t = 100 * CC_SECOND; t < 110 * CC_SECOND; t += SPACING)
      ck_assert_double_eq_tol (ms_at (t, 0, offsets[i], 0), 0, 1e-6);
    ck_assert_double_eq_tol (ms_at (110 * CC_SECOND, 20 * CC_MSECOND, offsets[i], 0), 20, 1e-6);
    ck_assert_double_eq_tol (ms_at (111 * CC_SECOND, 0, offsets[i], 0), 0, 1e-6);
  }
}
END_TEST

START_TEST (test_base_is_the_least_of_the_window)
{
  CcTime t = CC_SECOND;

  setup ();
  ms_at (t, 0, 0, 0);
  /* A path that became 40 ms longer is a queue as long as the window remembers the old one: 60 s. */
  for (t += SPACING; t < 50 * CC_SECOND; t += SPACING)
    ck_assert_double_eq_tol (ms_at (t, 40 * CC_MSECOND, 0, 0), 40, 1e-6);
  for (; t < 66 * CC_SECOND; t += SPACING)
    ms_at (t, 40 * CC_MSECOND, 0, 0);
  ck_assert_double_eq_tol (ms_at (t, 40 * CC_MSECOND, 0, 0), 0, 1e-6);
}
END_TEST

START_TEST (test_drift_is_removed)
{
  const double ppm[] = {200, 50, -200};

  for (unsigned i = 0; i < 3; i++) {
    double worst_early = 0, worst_late = 0;

    setup ();
    for (CcTime t = CC_SECOND; t < 300 * CC_SECOND; t += SPACING) {
      double error = fabs (ms_at (t, 0, 5 * (int64_t)CC_SECOND, ppm[i]));

      /* Before it is known: 200 ppm in the 6 windows of 3.75 s it takes, 4.5 ms; then within a window, 0.75 ms. */
      if (t < 30 * CC_SECOND)
        worst_early = fmax (worst_early, error);
      else
        worst_late = fmax (worst_late, error);
    }
    ck_assert_double_lt (worst_early, 6);
    ck_assert_double_lt (worst_late, 1);
    ck_assert_double_eq_tol (q.drift * 1e6, ppm[i], 5);
  }
}
END_TEST

START_TEST (test_a_standing_queue_is_no_drift)
{
  CcTime t;

  setup ();
  for (t = CC_SECOND; t < 20 * CC_SECOND; t += SPACING)
    ms_at (t, 0, 0, 0);
  /* Grows 2 ms a second (2000 ppm) and stays: all but 200 ppm x 30 s = 6 ms of it must be seen. */
  for (; t < 50 * CC_SECOND; t += SPACING) {
    CcDuration queue = (t - 20 * CC_SECOND) / 500;

    ck_assert_double_gt (ms_at (t, queue, 0, 0), (double)queue / 1e6 - 6.1);
  }
}
END_TEST

START_TEST (test_clock_steps_start_over)
{
  const int64_t steps[] = {10 * (int64_t)CC_SECOND, -10 * (int64_t)CC_SECOND};

  for (unsigned i = 0; i < 2; i++) {
    setup ();
    for (CcTime t = CC_SECOND; t < 5 * CC_SECOND; t += SPACING)
      ms_at (t, 0, 0, 0);
    for (CcTime t = 5 * CC_SECOND; t < 9 * CC_SECOND; t += SPACING)
      ck_assert_double_eq_tol (ms_at (t, 0, steps[i], 0), 0, 1e-6);
    ck_assert_double_eq_tol (ms_at (9 * CC_SECOND, 15 * CC_MSECOND, steps[i], 0), 15, 1e-6);
  }
}
END_TEST

START_TEST (test_reordered_packets_are_only_late)
{
  setup ();
  for (CcTime t = CC_SECOND; t < 2 * CC_SECOND; t += SPACING)
    ms_at (t, 0, 0, 0);
  ms_at (2 * CC_SECOND, 0, 0, 0);
  /* Sent 20 ms before that one, arrived 5 ms after it: 25 ms late. */
  ck_assert_double_eq_tol (ms_at (2 * CC_SECOND - SPACING, 25 * CC_MSECOND, 0, 0), 25, 1e-6);
  ck_assert_double_eq_tol (ms_at (2 * CC_SECOND + SPACING, 0, 0, 0), 0, 1e-6);
}
END_TEST

CC_TEST_MAIN ("queuedelay", test_offset_does_not_matter, test_base_is_the_least_of_the_window, test_drift_is_removed,
    test_a_standing_queue_is_no_drift, test_clock_steps_start_over, test_reordered_packets_are_only_late)
