/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictureerror.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define PEAK 255.0
#define WINDOW 8
#define WINDOW_STEP 4
#define C1 (0.01 * PEAK * 0.01 * PEAK)
#define C2 (0.03 * PEAK * 0.03 * PEAK)

static bool
overlaps (const LumaRect *skip, int x, int y, int width, int height)
{
  return skip != NULL && skip->width > 0 && x < skip->x + skip->width && x + width > skip->x &&
         y < skip->y + skip->height && y + height > skip->y;
}

static uint64_t
row_error (const LumaPlane *a, const LumaPlane *b, int y, int from, int to)
{
  const uint8_t *p = luma_at (a, from, y), *q = luma_at (b, from, y);
  uint64_t sum = 0;

  for (int x = from; x < to; x++, p += a->step, q += b->step)
    sum += (uint64_t)((*p - *q) * (*p - *q));
  return sum;
}

double
picture_error_psnr (const LumaPlane *a, const LumaPlane *b, const LumaRect *skip)
{
  uint64_t sum = 0, n = 0;

  for (int y = 0; y < a->height; y++) {
    bool cut = overlaps (skip, 0, y, a->width, 1);
    int left = cut ? skip->x : a->width, right = cut ? skip->x + skip->width : a->width;

    sum += row_error (a, b, y, 0, left) + row_error (a, b, y, right, a->width);
    n += (uint64_t)(left + a->width - right);
  }
  return sum > 0 ? 10 * log10 (PEAK * PEAK * (double)n / (double)sum) : PICTURE_ERROR_PERFECT;
}

/* Sums in integers: exact. */
static double
window_ssim (const LumaPlane *a, const LumaPlane *b, int x, int y)
{
  int sum_a = 0, sum_b = 0, aa = 0, bb = 0, ab = 0;
  double n = WINDOW * WINDOW, mean_a, mean_b, squares, covariance;

  for (int row = y; row < y + WINDOW; row++) {
    const uint8_t *p = luma_at (a, x, row), *q = luma_at (b, x, row);

    for (int i = 0; i < WINDOW; i++, p += a->step, q += b->step) {
      sum_a += *p;
      sum_b += *q;
      aa += *p * *p;
      bb += *q * *q;
      ab += *p * *q;
    }
  }
  mean_a = sum_a / n;
  mean_b = sum_b / n;
  squares = (aa + bb - sum_a * mean_a - sum_b * mean_b) / (n - 1);
  covariance = (ab - sum_a * mean_b) / (n - 1);
  return (2 * mean_a * mean_b + C1) * (2 * covariance + C2) /
         ((mean_a * mean_a + mean_b * mean_b + C1) * (squares + C2));
}

double
picture_error_ssim (const LumaPlane *a, const LumaPlane *b, const LumaRect *skip)
{
  double sum = 0;
  unsigned n = 0;

  for (int y = 0; y + WINDOW <= a->height; y += WINDOW_STEP)
    for (int x = 0; x + WINDOW <= a->width; x += WINDOW_STEP) {
      if (overlaps (skip, x, y, WINDOW, WINDOW))
        continue;
      sum += window_ssim (a, b, x, y);
      n++;
    }
  return n > 0 ? sum / n : NAN;
}
