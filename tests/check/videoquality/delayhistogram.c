/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delayhistogram.h"

#include "cctest.h"

static DelayHistogram h;

START_TEST (test_empty)
{
  delay_histogram_init (&h);
  ck_assert_uint_eq (delay_histogram_quantile (&h, 0.5), CC_TIME_NONE);
  ck_assert_uint_eq (delay_histogram_mean (&h), CC_TIME_NONE);
  ck_assert_uint_eq (h.max, 0);
}
END_TEST

/* 1, 2, ..., 1000 ms: the share q is q x 1000 ms, to half a bin. */
START_TEST (test_quantiles)
{
  const double shares[] = {0.01, 0.5, 0.95, 0.99, 1};

  delay_histogram_init (&h);
  for (unsigned i = 1000; i > 0; i--)
    delay_histogram_add (&h, i * CC_MSECOND);
  for (unsigned i = 0; i < 5; i++)
    ck_assert_double_eq_tol (delay_histogram_quantile (&h, shares[i]) / (shares[i] * 1e9), 1, 0.00501);
  ck_assert_uint_eq (h.min, CC_MSECOND);
  ck_assert_uint_eq (h.max, 1000 * CC_MSECOND);
  ck_assert_uint_eq (delay_histogram_mean (&h), 500500 * CC_USECOND);
}
END_TEST

START_TEST (test_one_value)
{
  delay_histogram_init (&h);
  delay_histogram_add (&h, 123456789);
  ck_assert_uint_eq (delay_histogram_quantile (&h, 0), 123456789);
  ck_assert_uint_eq (delay_histogram_quantile (&h, 0.99), 123456789);
}
END_TEST

START_TEST (test_out_of_range)
{
  delay_histogram_init (&h);
  delay_histogram_add (&h, 0);
  delay_histogram_add (&h, 1);
  delay_histogram_add (&h, 1000 * CC_SECOND);
  ck_assert_uint_le (delay_histogram_quantile (&h, 0.5), 101 * CC_USECOND);
  ck_assert_uint_ge (delay_histogram_quantile (&h, 1), 99 * CC_SECOND);
  ck_assert_uint_eq (h.max, 1000 * CC_SECOND);
}
END_TEST

CC_TEST_MAIN ("delayhistogram", test_empty, test_quantiles, test_one_value, test_out_of_range)
