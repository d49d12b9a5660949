/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "playoutdelay.h"

#include <math.h>

/* Pictures in time, before any: the first one, a key picture, says nothing by itself. */
#define PRIOR 30.0

void
playout_delay_params_init (PlayoutDelayParams *params)
{
  *params = (PlayoutDelayParams){.first = 100 * CC_MSECOND,
      .most = 400 * CC_MSECOND,
      .exchange = CC_SECOND,
      .memory = 10 * CC_SECOND,
      .hold = 500 * CC_MSECOND};
}

void
playout_delay_init (PlayoutDelay *d, const PlayoutDelayParams *params)
{
  *d = (PlayoutDelay){.params = *params, .delay = params->first};
  d->pictures[0] = d->all = PRIOR;
}

/* ---- what was seen ---- */

static void
forget (PlayoutDelay *d, CcTime now)
{
  double kept = exp (-cc_seconds (cc_time_since (now, d->counted_at)) / cc_seconds (d->params.memory));

  for (unsigned k = 0; k < PLAYOUT_DELAY_STEPS; k++)
    d->pictures[k] *= kept;
  d->all *= kept;
  d->counted_at = now;
}

static unsigned
steps_of (CcDuration lateness)
{
  CcDuration k = lateness / PLAYOUT_DELAY_STEP;

  return k < PLAYOUT_DELAY_STEPS ? (unsigned)k : PLAYOUT_DELAY_STEPS - 1;
}

/* ---- the delay ---- */

static CcDuration
best (const PlayoutDelay *d)
{
  double late = d->all, least = INFINITY;
  CcDuration found = PLAYOUT_DELAY_STEP;

  for (unsigned k = 0; k < PLAYOUT_DELAY_STEPS && (k + 1) * PLAYOUT_DELAY_STEP <= d->params.most; k++) {
    CcDuration delay = (k + 1) * PLAYOUT_DELAY_STEP;
    double cost;

    late -= d->pictures[k];
    cost = cc_seconds (delay) + cc_seconds (d->params.exchange) * late / d->all;
    if (cost < least) {
      least = cost;
      found = delay;
    }
  }
  return found;
}

static bool
follow (PlayoutDelay *d, CcTime now)
{
  CcDuration before = d->delay, wanted = best (d);

  if (wanted >= d->delay) {
    d->needed_at = now;
    d->delay = wanted;
  } else if (cc_time_since (now, d->needed_at) > d->params.hold) {
    d->needed_at = now;
    d->delay -= PLAYOUT_DELAY_STEP;
  }
  return d->delay != before;
}

static bool
on_picture (PlayoutDelay *d, CcTime now)
{
  forget (d, now);
  d->pictures[steps_of (d->lateness)]++;
  d->all++;
  return follow (d, now);
}

bool
playout_delay_on_packet (PlayoutDelay *d, uint64_t picture, CcDuration lateness, CcTime now)
{
  bool changed = false;

  if (d->started && picture == d->picture) {
    d->lateness = cc_time_max (d->lateness, lateness);
    return false;
  }
  if (d->started)
    changed = on_picture (d, now);
  else
    d->counted_at = d->needed_at = now;
  d->started = true;
  d->picture = picture;
  d->lateness = lateness;
  return changed;
}
