/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccrandom.h"
#include "cctest.h"

#include <stddef.h>

START_TEST (test_same_seed_same_numbers)
{
  CcPcg32 a, b;
  CcRandom ra = cc_pcg32_init (&a, 7), rb = cc_pcg32_init (&b, 7);

  for (int i = 0; i < 1000; i++)
    ck_assert_uint_eq (ra.next (ra.user), rb.next (rb.user));
}
END_TEST

/* Mean 0.5 (b - a), and variance (b - a)^2 / 12, of 1e6 draws: the error of the mean is 0.0003 (b - a). */
START_TEST (test_uniform_moments)
{
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 1);
  double sum = 0, squares = 0;
  const int n = scaled (1000000);
  double tolerance = slow_machine () ? 0.01 : 0.003;

  for (int i = 0; i < n; i++) {
    double x = cc_random_uniform (&random, -1, 1);
    ck_assert (x >= -1 && x < 1);
    sum += x;
    squares += x * x;
  }
  ck_assert_double_eq_tol (sum / n, 0, tolerance);
  ck_assert_double_eq_tol (squares / n, 1.0 / 3, tolerance);
}
END_TEST

START_TEST (test_no_source_is_the_low_end)
{
  CcRandom none = {NULL, NULL};

  ck_assert (cc_random_uniform (&none, 0.5, 1.5) == 0.5);
  ck_assert (cc_random_uniform (NULL, 0.5, 1.5) == 0.5);
}
END_TEST

CC_TEST_MAIN ("ccrandom", test_same_seed_same_numbers, test_uniform_moments, test_no_source_is_the_low_end)
