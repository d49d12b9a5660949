/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "framemodel.h"

#include <math.h>
#include <string.h>

#define SLOPE_START 1.0
#define SLOPE_MIN 0.6
#define SLOPE_MAX 1.6
#define SLOPE_GAIN 0.2
#define SLOPE_NOISE 0.04 /* variance of ln bytes between frames of one picture, over that of the slope */
#define GAIN 0.35
#define JUMP 0.6 /* an error of the factor 1.8 is another picture */
#define JUMP_GAIN 0.8

static bool
usable (double v)
{
  return isfinite (v) && v > 0;
}

static double
clamp (double v, double lo, double hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

void
frame_model_init (FrameModel *m)
{
  memset (m, 0, sizeof *m);
  m->b = SLOPE_START;
}

/* Seen from the last frame's step a new slope is no new offset. */
static void
learn_slope (FrameModel *m, double x, double y)
{
  double dx = x - m->last_x, before = m->b;

  if (dx == 0)
    return;
  m->b += SLOPE_GAIN * dx * dx / (dx * dx + SLOPE_NOISE) * (clamp (-(y - m->last_y) / dx, SLOPE_MIN, SLOPE_MAX) - m->b);
  m->a += (m->b - before) * m->last_x;
}

bool
frame_model_on_frame (FrameModel *m, double bytes, double step)
{
  double x, y, error;

  if (!usable (bytes) || !usable (step))
    return false;
  x = log (step);
  y = log (bytes);
  if (m->started)
    learn_slope (m, x, y);
  error = y + m->b * x - m->a;
  m->a += m->started ? error * (fabs (error) > JUMP ? JUMP_GAIN : GAIN) : error;
  m->last_x = x;
  m->last_y = y;
  m->started = true;
  return true;
}

double
frame_model_bytes (const FrameModel *m, double step)
{
  return m->started && usable (step) ? exp (m->a - m->b * log (step)) : 0;
}

double
frame_model_step (const FrameModel *m, double bytes)
{
  return m->started && usable (bytes) ? exp ((m->a - log (bytes)) / m->b) : 0;
}
