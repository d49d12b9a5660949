/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpegquality.h"

#include "jpegquantizers.h"

#include <math.h>
#include <string.h>

#define SLOPE_MIN 0.25
#define SLOPE_MAX 1.3
#define SLOPE_START 0.7
#define AIM_MIN 0.6

static double
clamp (double v, double lo, double hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

static double
table_mean (const uint8_t *table, int bytes_each)
{
  double sum = 0;

  for (int i = 0; i < 64; i++)
    sum += bytes_each == 2 ? table[2 * i] * 256 + table[2 * i + 1] : table[i];
  return sum / 64;
}

double
jpeg_quality_step (int quality)
{
  JpegQuantizers quantizers;

  jpeg_quantizers_of (quality, &quantizers);
  return table_mean (quantizers.table[0], 1);
}

static int
clamp_quality (int quality, const JpegQualityParams *params)
{
  return quality < params->min_quality   ? params->min_quality
         : quality > params->max_quality ? params->max_quality
                                         : quality;
}

void
jpeg_quality_params_init (JpegQualityParams *params)
{
  params->min_quality = 5;
  params->max_quality = 95;
}

void
jpeg_quality_init (JpegQuality *j, const JpegQualityParams *params, int quality)
{
  memset (j, 0, sizeof *j);
  j->params = *params;
  j->params.min_quality = (int)clamp (params->min_quality, 1, 100);
  j->params.max_quality = (int)clamp (params->max_quality, j->params.min_quality, 100);
  for (int q = 1; q <= 100; q++)
    j->x[q] = log (jpeg_quality_step (q));
  j->x[0] = j->x[1];
  j->b = SLOPE_START;
  j->aim = 1;
  j->quality = clamp_quality (quality, &j->params);
}

/* Two frames say something of the slope only where their quantizers differ; the picture may have changed too, so one
   pair moves it by a third of the way and never out of bounds. */
static void
learn_slope (JpegQuality *j, double x, double y)
{
  double dx = x - j->last_x;

  if (fabs (dx) < 0.1)
    return;
  j->b += (clamp (-(y - j->last_y) / dx, SLOPE_MIN, SLOPE_MAX) - j->b) / 3;
}

static void
learn_offset (JpegQuality *j, double x, double y)
{
  double a = y + j->b * x, moved = j->started ? a - j->a : 0;

  j->growth = clamp (0.5 * j->growth + 0.5 * clamp (moved, -0.3, 0.3), 0, 0.3);
  j->a = a;
}

/* A frame far too large is a cut, which the offset takes up; one a little too large is drift, and so is a run. */
static void
adjust_aim (JpegQuality *j, double bytes, double target_bytes)
{
  bool over = bytes > target_bytes;

  if (target_bytes <= 0)
    return;
  if (!over)
    j->aim = fmin (1, j->aim + 0.01 + 0.05 * (1 - j->aim));
  else if (j->quality > j->params.min_quality && (j->over || bytes < 1.25 * target_bytes))
    j->aim = fmax (AIM_MIN, 0.93 * j->aim);
  j->over = over;
}

void
jpeg_quality_on_frame (JpegQuality *j, double bytes, double quantizer, double target_bytes)
{
  double x = quantizer > 0 ? log (quantizer) : j->x[j->quality], y;

  if (!(bytes >= 1) || !isfinite (x))
    return;
  y = log (bytes);
  if (j->started) {
    double before = j->b;
    learn_slope (j, x, y);
    /* Seen from this frame's quantizer a new slope is no growth. */
    j->a += (j->b - before) * j->last_x;
  }
  learn_offset (j, x, y);
  adjust_aim (j, bytes, target_bytes);
  j->last_x = x;
  j->last_y = y;
  j->started = true;
}

int
jpeg_quality_next (JpegQuality *j, double target_bytes)
{
  double x;
  int q;

  if (!j->started || !(target_bytes >= 1))
    return j->quality;
  x = (j->a + j->growth - log (target_bytes * j->aim)) / j->b;
  for (q = j->params.max_quality; q > j->params.min_quality && j->x[q] < x; q--)
    continue;
  return j->quality = q;
}

/* The tables of one DQT segment; length without its own two bytes. */
static double
quantizer_in_segment (const uint8_t *segment, size_t length)
{
  while (length >= 65) {
    int bytes_each = segment[0] >> 4 ? 2 : 1;
    size_t table = 1 + 64 * (size_t)bytes_each;

    if (table > length)
      return 0;
    if ((segment[0] & 15) == 0)
      return table_mean (segment + 1, bytes_each);
    segment += table;
    length -= table;
  }
  return 0;
}

double
jpeg_quality_quantizer (const uint8_t *data, size_t size)
{
  size_t at = 2; /* behind SOI */

  while (at + 4 <= size && data[at] == 0xff && data[at + 1] != 0xda) {
    size_t length = (size_t)data[at + 2] << 8 | data[at + 3];

    if (length < 2 || at + 2 + length > size)
      return 0;
    if (data[at + 1] == 0xdb) {
      double mean = quantizer_in_segment (data + at + 4, length - 2);
      if (mean > 0)
        return mean;
    }
    at += 2 + length;
  }
  return 0;
}

size_t
jpeg_quality_left_out (const uint8_t *data, size_t size)
{
  size_t at = 2, carried = 0;

  while (at + 4 <= size && data[at] == 0xff) {
    size_t length = (size_t)data[at + 2] << 8 | data[at + 3];

    if (length < 2 || at + 2 + length > size)
      return 0;
    if (data[at + 1] == 0xda)
      return at + 2 + length - carried;
    if (data[at + 1] == 0xdb)
      carried += length - 2;
    at += 2 + length;
  }
  return 0;
}
