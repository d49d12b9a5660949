/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictureerror.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define PEAK 255.0
#define WINDOW 8
#define BLOCK 4  /* windows begin every so many pixels */
#define STRIP 64 /* windows side by side whose sums are kept */
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

/* Over 4 x 4 pixels, of which two by two make a window. In integers: exact. */
typedef struct {
  int a, b, aa, bb, ab;
} Sums;

static Sums
block_sums (const LumaPlane *a, const LumaPlane *b, int x, int y)
{
  Sums s = {0, 0, 0, 0, 0};

  for (int row = y; row < y + BLOCK; row++) {
    const uint8_t *p = luma_at (a, x, row), *q = luma_at (b, x, row);

    for (int i = 0; i < BLOCK; i++, p += a->step, q += b->step) {
      s.a += *p;
      s.b += *q;
      s.aa += *p * *p;
      s.bb += *q * *q;
      s.ab += *p * *q;
    }
  }
  return s;
}

static double
window_ssim (const Sums *upper, const Sums *lower)
{
  double sum_a = upper[0].a + upper[1].a + lower[0].a + lower[1].a;
  double sum_b = upper[0].b + upper[1].b + lower[0].b + lower[1].b;
  double aa = upper[0].aa + upper[1].aa + lower[0].aa + lower[1].aa;
  double bb = upper[0].bb + upper[1].bb + lower[0].bb + lower[1].bb;
  double ab = upper[0].ab + upper[1].ab + lower[0].ab + lower[1].ab;
  double n = WINDOW * WINDOW, mean_a = sum_a / n, mean_b = sum_b / n;
  double squares = (aa + bb - sum_a * mean_a - sum_b * mean_b) / (n - 1), covariance = (ab - sum_a * mean_b) / (n - 1);

  return (2 * mean_a * mean_b + C1) * (2 * covariance + C2) /
         ((mean_a * mean_a + mean_b * mean_b + C1) * (squares + C2));
}

typedef struct {
  double sum;
  unsigned n;
} Mean;

/* The windows that begin in these columns of blocks. */
static void
add_strip (Mean *mean, const LumaPlane *a, const LumaPlane *b, const LumaRect *skip, int from, int windows)
{
  Sums rows[2][STRIP + 1];

  for (int y = 0; y < a->height / BLOCK; y++) {
    const Sums *upper = rows[(y + 1) % 2], *lower = rows[y % 2];

    for (int i = 0; i <= windows; i++)
      rows[y % 2][i] = block_sums (a, b, (from + i) * BLOCK, y * BLOCK);
    for (int i = 0; y > 0 && i < windows; i++) {
      if (overlaps (skip, (from + i) * BLOCK, (y - 1) * BLOCK, WINDOW, WINDOW))
        continue;
      mean->sum += window_ssim (upper + i, lower + i);
      mean->n++;
    }
  }
}

double
picture_error_ssim (const LumaPlane *a, const LumaPlane *b, const LumaRect *skip)
{
  int windows = a->width / BLOCK - 1;
  Mean mean = {0, 0};

  for (int from = 0; from < windows; from += STRIP)
    add_strip (&mean, a, b, skip, from, windows - from < STRIP ? windows - from : STRIP);
  return mean.n > 0 ? mean.sum / mean.n : NAN;
}
