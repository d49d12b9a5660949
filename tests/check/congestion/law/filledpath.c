/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filledpath.h"
#include "cctest.h"

START_TEST (test_near_what_came_through)
{
  FilledPath f = {0};

  filled_path_meet (&f, 100e3, CC_SECOND);
  ck_assert (filled_path_is_near (&f, 100e3));
  ck_assert (filled_path_is_near (&f, 91e3));
  ck_assert (filled_path_is_near (&f, 129e3));
  ck_assert (!filled_path_is_near (&f, 89e3));
  ck_assert (!filled_path_is_near (&f, 131e3));
}
END_TEST

START_TEST (test_the_last_time_counts)
{
  FilledPath f = {0};

  filled_path_meet (&f, 100e3, CC_SECOND);
  filled_path_meet (&f, 200e3, 3 * CC_SECOND);
  ck_assert (!filled_path_is_near (&f, 100e3));
  ck_assert_double_eq (filled_path_since (&f, 5 * CC_SECOND), 2);
}
END_TEST

/* Not by where the clock began: of two that have met none the one whose clock has just begun is no closer to it. */
START_TEST (test_never_is_long_ago)
{
  FilledPath f = {0};

  ck_assert_double_eq (filled_path_since (&f, 0), filled_path_since (&f, 100000 * CC_SECOND));
  ck_assert_double_gt (filled_path_since (&f, 0), 3600);
  filled_path_meet (&f, 0, 0);
  ck_assert_double_eq (filled_path_since (&f, 2 * CC_SECOND), 2);
}
END_TEST

CC_TEST_MAIN ("filledpath", test_near_what_came_through, test_the_last_time_counts, test_never_is_long_ago)
