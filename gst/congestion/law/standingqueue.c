/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "standingqueue.h"
#include "lawnumber.h"
#include <math.h>

#define NOISE_FRAMES LAW (NOISE_FRAMES, 16.0, 4.0)
#define QUIET LAW (QUIET, 0.0025, 0.0)          /* s: frames of varying size do as much */
#define MOST_NOISE LAW (MOST_NOISE, 0.005, 1.0) /* s: more is no jitter, but a path that serves in turns */
#define OWN_NOISE LAW (OWN_NOISE, 0.5, 0.0)     /* x what a packet takes at R: as much packets of our own do */
#define MET_TIME LAW (MET_TIME, 0.5, 0.0)       /* s: in turns, what stands all frames of so long have met */

double
standing_queue_before (StandingQueue *s, uint32_t bytes, CcDuration delay, double passing_Bps)
{
  s->least_bytes = s->least_bytes > 0 ? fmin (1.001 * s->least_bytes, bytes) : bytes;
  return fmax (cc_seconds (delay) - (bytes - s->least_bytes) / passing_Bps, 0);
}

/* So many frames ago, fewer than are remembered. */
static StandingFrame
past (const StandingQueue *s, unsigned ago)
{
  return ago <= s->frames ? s->past[(s->frames - ago) % STANDING_QUEUE_FRAMES] : (StandingFrame){0};
}

StandingFrame
standing_queue_ended (const StandingQueue *s)
{
  return past (s, 1);
}

/* What a gap of the link holds up goes with it; what stands each frame meets. Few frames do not tell. */
static double
met_by_all (const StandingQueue *s)
{
  double least = s->frame.q;
  unsigned met = 1;

  for (; met < STANDING_QUEUE_FRAMES && met <= s->frames; met++) {
    if (cc_seconds (cc_time_since (s->frame.at, past (s, met).at)) >= MET_TIME)
      break;
    least = fmin (least, past (s, met).q);
  }
  return met < STANDING_QUEUE_FRAMES / 2 ? s->frame.q : least;
}

/* A queue that rises or drains is a ramp, and bends nowhere; jitter bends at each frame. */
static void
watch_noise (StandingQueue *s, double most)
{
  double bend = fabs (s->frame.q - 2 * past (s, 1).q + past (s, 2).q) / 2;

  s->bends += (bend - s->bends) / NOISE_FRAMES;
  s->noise = fmin (fmax (s->bends - QUIET, 0), most);
}

static void
end_frame (StandingQueue *s, double packet_s)
{
  double most = fmax (MOST_NOISE, OWN_NOISE * packet_s);
  double stands = s->noise < most ? s->frame.q : met_by_all (s);

  s->q = s->q < 1e-9 ? 0.5 * stands : 0.5 * s->q + 0.5 * stands;
  watch_noise (s, most);
  s->past[s->frames++ % STANDING_QUEUE_FRAMES] = s->frame;
}

void
standing_queue_begin_frame (StandingQueue *s, const StandingFrame *frame, bool is_first, double packet_s)
{
  if (!is_first)
    end_frame (s, packet_s);
  s->frame = *frame;
}

void
standing_queue_go_on (StandingQueue *s, double standing, CcDuration delay)
{
  s->frame.q = fmin (s->frame.q, standing);
  s->frame.delay = delay < s->frame.delay ? delay : s->frame.delay;
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
  s->q = s->q_lag = 0;
  s->frame = (StandingFrame){.at = s->frame.at};
  s->frames = 0;
}
