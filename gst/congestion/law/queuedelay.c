/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "queuedelay.h"
#include <math.h>

#define STEP ((int64_t)CC_SECOND)
#define MIN_WINDOWS_FOR_DRIFT 6

void
queue_delay_params_init (QueueDelayParams *params)
{
  *params = (QueueDelayParams){.window = 60 * CC_SECOND, .max_drift_ppm = 200};
}

void
queue_delay_init (QueueDelay *q, const QueueDelayParams *params)
{
  *q = (QueueDelay){.params = *params};
  if (q->params.window < QUEUE_DELAY_WINDOWS * CC_MSECOND)
    q->params.window = QUEUE_DELAY_WINDOWS * CC_MSECOND;
  if (!(q->params.max_drift_ppm >= 0))
    q->params.max_drift_ppm = 0;
}

void
queue_delay_reset (QueueDelay *q)
{
  q->started = false;
  q->count = 0;
  q->head = 0;
  q->last = 0;
}

static unsigned
nth_newest (const QueueDelay *q, unsigned n)
{
  return (q->head + QUEUE_DELAY_WINDOWS - n) % QUEUE_DELAY_WINDOWS;
}

static double
seconds_between (CcTime later, CcTime earlier)
{
  return (double)(int64_t)(later - earlier) / 1e9;
}

/* ns by which the minimum of window i lies above the line of this slope through that of window a. */
static double
above_line (const QueueDelay *q, unsigned a, unsigned i, double slope)
{
  return (double)(q->windows[i].min - q->windows[a].min) -
         slope * seconds_between (q->windows[i].min_at, q->windows[a].min_at) * 1e9;
}

static bool
supports_all (const QueueDelay *q, unsigned a, double slope)
{
  for (unsigned n = 0; n < q->count; n++)
    if (above_line (q, a, nth_newest (q, n), slope) < -1.0)
      return false;
  return true;
}

static void
take_drift (QueueDelay *q, double slope)
{
  double most = q->params.max_drift_ppm * 1e-6;

  if (fabs (slope) > 1.1 * most)
    return;
  q->drift = slope > most ? most : slope < -most ? -most : slope;
}

/* The drift is the slope of the line below all minima that lies closest to them in sum: the edge of their lower convex
   hull that crosses the mean time (Moon, Skelly, Towsley 1999). A slope no clock has is a queue, not a drift. */
static void
update_drift (QueueDelay *q)
{
  CcTime origin = q->windows[nth_newest (q, q->count - 1)].min_at;
  double mean = 0;

  if (q->count < MIN_WINDOWS_FOR_DRIFT)
    return;
  for (unsigned n = 0; n < q->count; n++)
    mean += seconds_between (q->windows[nth_newest (q, n)].min_at, origin) / q->count;
  for (unsigned m = 1; m < q->count; m++)
    for (unsigned n = 0; n < m; n++) {
      unsigned a = nth_newest (q, m), b = nth_newest (q, n);
      double left = seconds_between (q->windows[a].min_at, origin);
      double right = seconds_between (q->windows[b].min_at, origin);
      double slope;

      if (left > mean || right < mean || right - left < 1e-3)
        continue;
      slope = (double)(q->windows[b].min - q->windows[a].min) / 1e9 / (right - left);
      if (supports_all (q, a, slope)) {
        take_drift (q, slope);
        return;
      }
    }
}

static void
open_window (QueueDelay *q, int64_t delay, CcTime now)
{
  q->head = (q->head + 1) % QUEUE_DELAY_WINDOWS;
  if (q->count < QUEUE_DELAY_WINDOWS)
    q->count++;
  q->windows[q->head].start = now;
  q->windows[q->head].min = delay;
  q->windows[q->head].min_at = now;
}

static void
start (QueueDelay *q, CcTime sent_at, CcTime arrived_at)
{
  q->started = true;
  q->offset = (int64_t)(arrived_at - sent_at);
  q->count = 0;
  open_window (q, 0, arrived_at);
}

static int64_t
base_delay (const QueueDelay *q, CcTime now)
{
  int64_t base = INT64_MAX;

  for (unsigned n = 0; n < q->count; n++) {
    unsigned i = nth_newest (q, n);
    double moved = q->drift * (double)(int64_t)(now - q->windows[i].min_at);
    int64_t min = q->windows[i].min + (int64_t)moved;

    if (min < base)
      base = min;
  }
  return base;
}

CcDuration
queue_delay_on_packet (QueueDelay *q, CcTime sent_at, CcTime arrived_at)
{
  int64_t delay, base;

  if (!q->started)
    start (q, sent_at, arrived_at);
  delay = (int64_t)(arrived_at - sent_at - (uint64_t)q->offset);
  base = base_delay (q, arrived_at);
  if (delay - base - (int64_t)q->last > STEP || delay - base < -STEP) {
    queue_delay_reset (q);
    start (q, sent_at, arrived_at);
    return 0;
  }
  if (cc_time_since (arrived_at, q->windows[q->head].start) >= q->params.window / QUEUE_DELAY_WINDOWS) {
    update_drift (q);
    open_window (q, delay, arrived_at);
  } else if (delay < q->windows[q->head].min) {
    q->windows[q->head].min = delay;
    q->windows[q->head].min_at = arrived_at;
  }
  q->last = delay > base ? (CcDuration)(delay - base) : 0;
  return q->last;
}
