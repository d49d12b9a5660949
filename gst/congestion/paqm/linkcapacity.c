/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "linkcapacity.h"

#include <math.h>

#define MIN_BPS 1000
#define MAX_BPS 1.25e10
#define DEFAULT_MEMORY CC_SECOND
#define SETTLING (10 * CC_MSECOND)
#define GAP_FADING 0.05 /* s of busy time */
#define BURST_GAP 0.5   /* of the longest: a burst begins */
#define SAMPLE_TIME 0.1 /* s */
#define VARIATION_FIRST 0.1
#define VARIATION_LEAST 0.03
#define VARIATION_GAIN (1.0 / 32)
#define DEVIATION_MOST 3      /* x variation: what a change adds to it */
#define MEAN_TO_STANDARD 1.25 /* sqrt (pi/2): standard deviation by mean absolute deviation */
/* Page's test: with these a steady link is taken for a changed one once in many thousand samples. */
#define CHANGE_SLACK 0.75
#define CHANGE_LIMIT 7
#define SLOT (250 * CC_MSECOND)
#define SLOT_LONGEST (2 * SLOT)
#define WELL_USED 0.92
#define GROWTH 1.02

void
link_capacity_params_init (LinkCapacityParams *params)
{
  *params = (LinkCapacityParams){.min_Bps = MIN_BPS, .max_Bps = MAX_BPS, .memory = DEFAULT_MEMORY};
}

void
link_capacity_init (LinkCapacity *c, const LinkCapacityParams *params)
{
  *c = (LinkCapacity){.params = *params,
      .variation = VARIATION_FIRST,
      .busy_at = CC_TIME_NONE,
      .burst_at = CC_TIME_NONE,
      .last_at = CC_TIME_NONE,
      .slot_at = CC_TIME_NONE};
  if (!(params->min_Bps > 0) || !(params->max_Bps >= params->min_Bps) || isinf (params->max_Bps)) {
    c->params.min_Bps = MIN_BPS;
    c->params.max_Bps = MAX_BPS;
  }
  if (params->memory < CC_SECOND / 10 || params->memory > 60 * CC_SECOND)
    c->params.memory = DEFAULT_MEMORY;
}

/* `since` leaves out the first sample since the sum left 0, part of which is from before the change. Returns true where
   the sum tells a change. */
static bool
cumulate (double *sum, LinkCapacitySum *since, double deviation, double sigma, const LinkCapacitySum *sample)
{
  bool at_zero = !(*sum > 0);

  *sum = fmax (*sum + deviation - CHANGE_SLACK * sigma, 0);
  if (at_zero || !(*sum > 0)) {
    *since = (LinkCapacitySum){0};
    return false;
  }
  since->bytes += sample->bytes;
  since->time += sample->time;
  return *sum > CHANGE_LIMIT * sigma;
}

static void
start_anew (LinkCapacity *c, LinkCapacitySum from)
{
  c->average = from;
  c->down = c->up = 0;
  c->changes++;
}

static void
average_in (LinkCapacity *c)
{
  double kept = exp (-c->sample.time / cc_seconds (c->params.memory));

  c->average.bytes = c->average.bytes * kept + c->sample.bytes;
  c->average.time = c->average.time * kept + c->sample.time;
}

static void
examine (LinkCapacity *c)
{
  double deviation = log (c->sample.bytes / c->sample.time / c->capacity_Bps);
  double sigma = fmax (c->variation, VARIATION_LEAST);
  bool lower = cumulate (&c->down, &c->lower, -deviation, sigma, &c->sample);
  bool higher = cumulate (&c->up, &c->higher, deviation, sigma, &c->sample);

  c->variation += (fmin (MEAN_TO_STANDARD * fabs (deviation), DEVIATION_MOST * sigma) - c->variation) * VARIATION_GAIN;
  average_in (c);
  if (lower || higher)
    start_anew (c, lower ? c->lower : c->higher);
}

static void
take_sample (LinkCapacity *c)
{
  if (c->capacity_Bps > 0)
    examine (c);
  else
    c->average = c->sample;
  c->capacity_Bps = c->average.bytes / c->average.time;
  c->sample = (LinkCapacitySum){0};
  c->samples++;
}

static void
end_burst (LinkCapacity *c, CcTime now)
{
  c->sample.bytes += c->pending_bytes;
  c->sample.time += cc_seconds (cc_time_since (now, c->burst_at));
  c->slot_busy = true;
  if (c->sample.time >= SAMPLE_TIME)
    take_sample (c);
}

/* Packets were waiting since the last departure. */
static void
go_on (LinkCapacity *c, CcTime now)
{
  double gap = cc_seconds (cc_time_since (now, c->last_at));

  c->longest_gap = fmax (gap, c->longest_gap * fmax (1 - gap / GAP_FADING, 0));
  if (!(gap > 0) || gap < BURST_GAP * c->longest_gap)
    return;
  if (c->burst_at != CC_TIME_NONE)
    end_burst (c, now);
  else if (cc_time_since (now, c->busy_at) < SETTLING)
    return;
  c->burst_at = now;
  c->pending_bytes = 0;
}

static void
grow (LinkCapacity *c, double departing_Bps)
{
  double grown = fmin (c->capacity_Bps * GROWTH, departing_Bps / WELL_USED);

  if (!(grown > c->capacity_Bps))
    return;
  c->average.bytes *= grown / c->capacity_Bps;
  c->capacity_Bps = grown;
  c->growths++;
}

static void
end_slot (LinkCapacity *c, CcTime now)
{
  CcDuration T = cc_time_since (now, c->slot_at);

  if (c->slot_at != CC_TIME_NONE && T < SLOT)
    return;
  if (c->slot_at != CC_TIME_NONE && T <= SLOT_LONGEST && !c->slot_busy && c->capacity_Bps > 0)
    grow (c, c->slot_bytes / cc_seconds (T));
  c->slot_at = now;
  c->slot_bytes = 0;
  c->slot_busy = false;
}

void
link_capacity_on_departure (LinkCapacity *c, uint32_t bytes, bool backlogged, CcTime now)
{
  if (c->busy_at == CC_TIME_NONE)
    c->busy_at = now;
  else
    go_on (c, now);
  end_slot (c, now);
  c->pending_bytes += bytes;
  c->slot_bytes += bytes;
  c->last_at = now;
  if (!backlogged)
    c->busy_at = c->burst_at = CC_TIME_NONE;
}

double
link_capacity_Bps (const LinkCapacity *c)
{
  return c->capacity_Bps > 0 ? fmin (fmax (c->capacity_Bps, c->params.min_Bps), c->params.max_Bps) : 0;
}
