/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quantizerscale.h"
#include "cctest.h"

#include <math.h>

typedef void (*Make) (QuantizerScale *);
static const Make makes[] = {
    quantizer_scale_mpeg4, quantizer_scale_vp8, quantizer_scale_vp9, quantizer_scale_h264, quantizer_scale_jpeg};

START_TEST (test_scales_are_monotone_and_positive)
{
  for (size_t k = 0; k < sizeof makes / sizeof *makes; k++) {
    QuantizerScale s;
    int sign;
    makes[k](&s);
    ck_assert_int_lt (s.first, s.last);
    ck_assert_int_lt (s.last, QUANTIZER_SCALE_MAX);
    sign = s.step[s.last] > s.step[s.first] ? 1 : -1;
    for (int i = s.first; i <= s.last; i++) {
      ck_assert_double_gt (s.step[i], 0);
      if (i > s.first)
        ck_assert_double_gt (sign * (s.step[i] - s.step[i - 1]), 0);
      ck_assert_int_eq (quantizer_scale_nearest (&s, s.step[i], s.first, s.last), i);
    }
  }
}
END_TEST

START_TEST (test_ends)
{
  QuantizerScale s;

  quantizer_scale_mpeg4 (&s);
  ck_assert_double_eq (quantizer_scale_step (&s, 0), 1);
  ck_assert_double_eq (quantizer_scale_step (&s, 40), 31);
  quantizer_scale_vp8 (&s); /* RFC 6386 14.1: AC steps from 4 to 284 */
  ck_assert_double_eq (s.step[0], 4);
  ck_assert_double_eq (s.step[63], 284);
  quantizer_scale_vp9 (&s); /* VP9 8.6.1: 4 to 1828 */
  ck_assert_double_eq (s.step[0], 4);
  ck_assert_double_eq (s.step[63], 1828);
  quantizer_scale_h264 (&s); /* 6 QP double it */
  ck_assert_double_eq_tol (s.step[34] / s.step[28], 2, 1e-12);
  ck_assert_double_eq_tol (s.step[4], 1, 1e-12);
  quantizer_scale_jpeg (&s); /* T.81 table K.1 as it stands at quality 50, its mean 3688 / 64; all ones at 100 */
  ck_assert_double_eq_tol (s.step[50], 3688.0 / 64, 1e-9);
  ck_assert_double_eq (s.step[100], 1);
}
END_TEST

START_TEST (test_nearest_within_bounds)
{
  QuantizerScale s;

  quantizer_scale_mpeg4 (&s);
  ck_assert_int_eq (quantizer_scale_nearest (&s, 8.4, 1, 31), 8);
  ck_assert_int_eq (quantizer_scale_nearest (&s, 8.6, 1, 31), 9);
  ck_assert_int_eq (quantizer_scale_nearest (&s, 8.6, 12, 31), 12);
  ck_assert_int_eq (quantizer_scale_nearest (&s, 1e9, 1, 20), 20);
  ck_assert_int_eq (quantizer_scale_nearest (&s, INFINITY, -7, 99), 1); /* no step is nearer than another */
  ck_assert_int_eq (quantizer_scale_nearest (&s, NAN, 1, 31), 1);
  ck_assert_int_eq (quantizer_scale_nearest (&s, 10, 20, 5), 20); /* crossed bounds: the lower one */
  quantizer_scale_jpeg (&s);
  ck_assert_int_eq (quantizer_scale_nearest (&s, 0, 5, 95), 95);
  ck_assert_int_eq (quantizer_scale_nearest (&s, 1e9, 5, 95), 5);
}
END_TEST

CC_TEST_MAIN ("quantizerscale", test_scales_are_monotone_and_positive, test_ends, test_nearest_within_bounds)
