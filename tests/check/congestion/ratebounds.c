/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ratebounds.h"
#include "cctest.h"
#include <math.h>

static const RateBoundsParams params = {.floor_Bps = 10e3, .life = 2 * CC_SECOND};

START_TEST (test_the_least_counts)
{
  RateBounds b;

  rate_bounds_init (&b);
  ck_assert (isinf (rate_bounds_upper (&b, CC_SECOND)));
  ck_assert (rate_bounds_on_explicit_rate (&b, &params, 1, 80e3, CC_SECOND));
  ck_assert (rate_bounds_on_explicit_rate (&b, &params, 2, 60e3, CC_SECOND));
  ck_assert_double_eq (rate_bounds_explicit (&b, CC_SECOND), 60e3);
  ck_assert (rate_bounds_on_bound (&b, &params, 1, 40e3, CC_SECOND)); /* another table: 1's word above stays */
  ck_assert_double_eq (rate_bounds_explicit (&b, CC_SECOND), 60e3);
  ck_assert_double_eq (rate_bounds_upper (&b, CC_SECOND), 40e3);
}
END_TEST

START_TEST (test_a_word_expires)
{
  RateBounds b;

  rate_bounds_init (&b);
  rate_bounds_on_bound (&b, &params, 1, 40e3, CC_SECOND);
  rate_bounds_on_explicit_rate (&b, &params, 1, 60e3, 2 * CC_SECOND);
  ck_assert_uint_eq (rate_bounds_next_timeout (&b), 3 * CC_SECOND);
  rate_bounds_on_timeout (&b, 3 * CC_SECOND + 1);
  ck_assert_double_eq (rate_bounds_upper (&b, 3 * CC_SECOND + 1), 60e3);
  ck_assert_uint_eq (rate_bounds_next_timeout (&b), 4 * CC_SECOND);
}
END_TEST

START_TEST (test_nonsense_is_not_taken)
{
  const double nonsense[] = {0, -1, NAN, HUGE_VAL};
  RateBounds b;

  rate_bounds_init (&b);
  for (unsigned i = 0; i < 4; i++) {
    ck_assert (!rate_bounds_on_explicit_rate (&b, &params, 1, nonsense[i], CC_SECOND));
    ck_assert (!rate_bounds_on_bound (&b, &params, 1, nonsense[i], CC_SECOND));
  }
  ck_assert (isinf (rate_bounds_upper (&b, CC_SECOND)));
  rate_bounds_on_bound (&b, &params, 1, 1, CC_SECOND);
  ck_assert_double_ge (rate_bounds_upper (&b, CC_SECOND), 10e3); /* the floor */
}
END_TEST

CC_TEST_MAIN ("ratebounds", test_the_least_counts, test_a_word_expires, test_nonsense_is_not_taken)
