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

/* Against the definition, window by window, on more of them than are taken at a time, and odd sizes. */
START_TEST (test_all_windows)
{
  enum { WIDTH = 4 * 150 + 3, HEIGHT = 30 };
  static uint8_t x[WIDTH * HEIGHT], y[WIDTH * HEIGHT];
  LumaPlane p = {x, WIDTH, 1, WIDTH, HEIGHT}, q = {y, WIDTH, 1, WIDTH, HEIGHT};
  double sum = 0, expected;
  unsigned n = 0;

  for (unsigned i = 0; i < sizeof x; i++) {
    x[i] = (uint8_t)(i * i / 7);
    y[i] = (uint8_t)(x[i] + i % 13);
  }
  for (int top = 0; top + 8 <= HEIGHT; top += 4)
    for (int left = 0; left + 8 <= WIDTH; left += 4, n++) {
      double ma = 0, mb = 0, va = 0, vb = 0, c = 0;

      for (int i = 0; i < 64; i++) {
        ma += *luma_at (&p, left + i % 8, top + i / 8) / 64.0;
        mb += *luma_at (&q, left + i % 8, top + i / 8) / 64.0;
      }
      for (int i = 0; i < 64; i++) {
        double da = *luma_at (&p, left + i % 8, top + i / 8) - ma, db = *luma_at (&q, left + i % 8, top + i / 8) - mb;

        va += da * da / 63;
        vb += db * db / 63;
        c += da * db / 63;
      }
      sum += (2 * ma * mb + 6.5025) * (2 * c + 58.5225) / ((ma * ma + mb * mb + 6.5025) * (va + vb + 58.5225));
    }
  expected = sum / n;
  ck_assert_uint_eq (n, 149 * 6);
  ck_assert_double_eq_tol (picture_error_ssim (&p, &q, NULL), expected, 1e-9);
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

CC_TEST_MAIN ("pictureerror", test_levels, test_structure, test_skip, test_all_windows, test_nothing_left)
