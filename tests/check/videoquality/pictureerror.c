/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictureerror.h"

#include "cctest.h"

#include <math.h>
#include <string.h>

#define SIDE 32

static uint8_t pixels_a[2 * SIDE * SIDE], pixels_b[2 * SIDE * SIDE];
static LumaPlane a, b;

static void
setup (uint8_t level_a, uint8_t level_b)
{
  memset (pixels_a, level_a, sizeof pixels_a);
  memset (pixels_b, level_b, sizeof pixels_b);
  a = (LumaPlane){pixels_a, SIDE, 1, SIDE, SIDE};
  b = (LumaPlane){pixels_b, 2 * SIDE, 2, SIDE, SIDE};
}

/* PSNR = 20 log10 (255/d); of planes without structure SSIM = (2ab + C1)/(a^2 + b^2 + C1), C1 = 2.55^2. */
START_TEST (test_levels)
{
  setup (100, 100);
  ck_assert_double_eq (picture_error_psnr (&a, &b, NULL), PICTURE_ERROR_PERFECT);
  ck_assert_double_eq (picture_error_ssim (&a, &b, NULL), 1);
  setup (100, 110);
  ck_assert_double_eq_tol (picture_error_psnr (&a, &b, NULL), 20 * log10 (25.5), 1e-9);
  ck_assert_double_eq_tol (picture_error_ssim (&a, &b, NULL), (22000 + 6.5025) / (10000 + 12100 + 6.5025), 1e-9);
}
END_TEST

/* Stripes of +-20 around 100 against their opposite: variance 400 x 64/63 each, covariance its negative; means equal:
   SSIM = (C2 - 2v)/(C2 + 2v), C2 = 7.65^2. */
START_TEST (test_structure)
{
  double v = 400 * 64 / 63.0, C2 = 7.65 * 7.65;

  setup (0, 0);
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      *luma_at (&a, x, y) = x % 2 ? 120 : 80;
      *luma_at (&b, x, y) = x % 2 ? 80 : 120;
    }
  ck_assert_double_eq_tol (picture_error_ssim (&a, &b, NULL), (C2 - 2 * v) / (C2 + 2 * v), 1e-9);
  ck_assert_double_eq_tol (picture_error_psnr (&a, &b, NULL), 20 * log10 (255 / 40.0), 1e-9);
}
END_TEST

/* One pixel of 1024 is off by 255: 10 log10 1024. Where it is left out there is no error. */
START_TEST (test_skip)
{
  const LumaRect around = {4, 8, 16, 12}, beside = {4, 8, 16, 4};

  setup (0, 0);
  *luma_at (&b, 19, 19) = 255;
  ck_assert_double_eq_tol (picture_error_psnr (&a, &b, NULL), 10 * log10 (1024), 1e-9);
  ck_assert_double_eq (picture_error_psnr (&a, &b, &around), PICTURE_ERROR_PERFECT);
  ck_assert_double_eq (picture_error_ssim (&a, &b, &around), 1);
  /* 1024 - 64 pixels are left */
  ck_assert_double_eq_tol (picture_error_psnr (&a, &b, &beside), 10 * log10 (960), 1e-9);
  ck_assert_double_lt (picture_error_ssim (&a, &b, &beside), 1);
}
END_TEST

START_TEST (test_nothing_left)
{
  const LumaRect all = {0, 0, SIDE, SIDE};

  setup (1, 2);
  ck_assert_double_eq (picture_error_psnr (&a, &b, &all), PICTURE_ERROR_PERFECT);
  ck_assert (isnan (picture_error_ssim (&a, &b, &all)));
  a.width = b.width = 7;
  ck_assert (isnan (picture_error_ssim (&a, &b, NULL)));
}
END_TEST

CC_TEST_MAIN ("pictureerror", test_levels, test_structure, test_skip, test_nothing_left)
