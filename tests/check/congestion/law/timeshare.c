/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "timeshare.h"
#include "cctest.h"
#include <math.h>

START_TEST (test_how_much_of_the_time)
{
  double share = 0;

  for (unsigned i = 0; i < 200; i++)
    time_share_count (&share, i % 4 != 0, 0.1);
  ck_assert_double_eq_tol (share, 0.75 * (1 - exp (-20 / 15.0)), 0.02);
  for (unsigned i = 0; i < 1500; i++)
    time_share_count (&share, false, 0.1);
  ck_assert_double_lt (share, 0.001);
}
END_TEST

/* However long nobody counted. */
START_TEST (test_it_is_a_share)
{
  double share = 0.5;

  time_share_count (&share, true, 100);
  ck_assert_double_eq (share, 1);
  time_share_count (&share, false, 100);
  ck_assert_double_eq (share, 0);
}
END_TEST

CC_TEST_MAIN ("timeshare", test_how_much_of_the_time, test_it_is_a_share)
