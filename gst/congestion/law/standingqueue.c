/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "standingqueue.h"
#include "lawnumber.h"
#include <math.h>

#define NOISE_FRAMES LAW (NOISE_FRAMES, 16.0, 4.0)
#define QUIET LAW (QUIET, 0.0025, 0.0) /* s: frames of varying size do as much */

double
standing_queue_before (StandingQueue *s, uint32_t bytes, CcDuration delay, double passing_Bps)
{
  s->least_bytes = s->least_bytes > 0 ? fmin (1.001 * s->least_bytes, bytes) : bytes;
  return fmax (cc_seconds (delay) - (bytes - s->least_bytes) / passing_Bps, 0);
}

/* A queue that rises or drains is a ramp, and bends nowhere; jitter bends at each frame. */
static void
watch_noise (StandingQueue *s)
{
  double bend = fabs (s->frame_q - 2 * s->q_1 + s->q_2) / 2;

  s->bends += (bend - s->bends) / NOISE_FRAMES;
  s->noise = fmax (s->bends - QUIET, 0);
  s->q_2 = s->q_1;
  s->q_1 = s->frame_q;
}

void
standing_queue_begin_frame (StandingQueue *s, double standing, CcDuration delay, bool is_first)
{
  if (!is_first) {
    s->q = s->q < 1e-9 ? 0.5 * s->frame_q : 0.5 * s->q + 0.5 * s->frame_q;
    watch_noise (s);
  }
  s->ended_delay = s->frame_delay;
  s->frame_q = standing;
  s->frame_delay = delay;
}

void
standing_queue_go_on (StandingQueue *s, double standing, CcDuration delay)
{
  s->frame_q = fmin (s->frame_q, standing);
  s->frame_delay = delay < s->frame_delay ? delay : s->frame_delay;
}

void
standing_queue_update (StandingQueue *s, double T)
{
  s->q_lag += (s->q - s->q_lag) * fmin (T / LAW_OF_LATE, 1);
}

double
standing_queue_slope (const StandingQueue *s)
{
  return (s->q - s->q_lag) / LAW_OF_LATE;
}

void
standing_queue_forget (StandingQueue *s)
{
  s->q = s->q_lag = s->frame_q = s->q_1 = s->q_2 = 0;
  s->frame_delay = 0;
}
