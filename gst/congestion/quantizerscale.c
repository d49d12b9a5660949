/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quantizerscale.h"

#include "jpegquality.h"

#include <math.h>

/* RFC 6386 14.1, at the quantizer index each value of the encoder's interface stands for. */
static const double vp8_steps[64] = {4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 19, 21, 22, 23, 24, 25, 27, 28, 29, 30,
    31, 32, 33, 34, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 60, 64, 68, 72, 78, 84, 90, 96, 102, 108, 114, 122,
    131, 140, 149, 158, 167, 177, 189, 201, 213, 225, 239, 254, 269, 284};

/* VP9 8.6.1, likewise: four indices a value. */
static const double vp9_steps[64] = {4, 11, 15, 19, 23, 27, 31, 35, 39, 43, 47, 51, 55, 59, 63, 67, 71, 75, 79, 83, 87,
    91, 95, 99, 104, 112, 120, 128, 136, 144, 152, 164, 176, 188, 200, 215, 231, 247, 265, 285, 305, 329, 353, 380, 408,
    440, 474, 510, 550, 593, 639, 689, 743, 801, 864, 933, 1007, 1087, 1173, 1267, 1369, 1479, 1628, 1828};

static void
copy_steps (QuantizerScale *scale, const double steps[64])
{
  scale->first = 0;
  scale->last = 63;
  for (int i = 0; i < 64; i++)
    scale->step[i] = steps[i];
}

void
quantizer_scale_mpeg4 (QuantizerScale *scale)
{
  scale->first = 1;
  scale->last = 31;
  for (int i = 0; i <= 31; i++)
    scale->step[i] = i;
}

void
quantizer_scale_vp8 (QuantizerScale *scale)
{
  copy_steps (scale, vp8_steps);
}

void
quantizer_scale_vp9 (QuantizerScale *scale)
{
  copy_steps (scale, vp9_steps);
}

void
quantizer_scale_h264 (QuantizerScale *scale)
{
  scale->first = 0;
  scale->last = 51;
  for (int i = 0; i <= 51; i++)
    scale->step[i] = exp2 ((i - 4) / 6.0);
}

void
quantizer_scale_jpeg (QuantizerScale *scale)
{
  scale->first = 1;
  scale->last = 100;
  for (int i = 0; i <= 100; i++)
    scale->step[i] = jpeg_quality_step (i);
}

static int
clamp (int v, int lo, int hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

double
quantizer_scale_step (const QuantizerScale *scale, int value)
{
  return scale->step[clamp (value, scale->first, scale->last)];
}

int
quantizer_scale_nearest (const QuantizerScale *scale, double step, int lowest, int highest)
{
  int lo = clamp (lowest, scale->first, scale->last), hi = clamp (highest, lo, scale->last), best = lo;

  if (isnan (step))
    step = 0;
  for (int i = lo + 1; i <= hi; i++)
    if (fabs (scale->step[i] - step) < fabs (scale->step[best] - step))
      best = i;
  return best;
}
