/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "crosstraffic.h"
#include "lawnumber.h"
#include <math.h>

#define MEMORY LAW (CROSS_MEMORY, 12.0, 100.0) /* frames, as one spreads by 0.9, and as many until it is judged */
#define ALONE LAW (ALONE, 0.1, 0.25)           /* below, nobody else is there */
#define NOT_ALONE LAW (NOT_ALONE, 0.25, 0.1)   /* above, somebody is */
#define MOST (2 * NOT_ALONE)                   /* either way: a gap of the link may fall into half of the frames */
#define LEAST_SPAN 1e-5                        /* s: packets that one chance of the link has served */

static CrossTrafficState
judge (const CrossTraffic *c, double weight)
{
  double none_below = c->state == CROSS_TRAFFIC_NONE ? NOT_ALONE : ALONE;

  if (c->frames < MEMORY)
    return c->state;
  return c->spacing < log1p (expm1 (none_below) / weight) ? CROSS_TRAFFIC_NONE : CROSS_TRAFFIC_SOME;
}

static void
end_frame (CrossTraffic *c, double weight)
{
  double ratio, gain = fmax (1 / (c->frames + 1), 1 / MEMORY);

  if (c->first == 0 || c->within_bytes == 0)
    return;
  ratio = log (c->first * c->within_bytes / c->within_s);
  c->spacing += (fmin (fmax (ratio, -MOST), MOST) - c->spacing) * gain;
  c->frames++;
  c->state = judge (c, weight);
}

void
cross_traffic_on_pair (CrossTraffic *c, const TrafficPair *pair, double weight)
{
  double arrived = fmax (pair->arrived, LEAST_SPAN);

  if (!pair->same_frame) {
    end_frame (c, weight);
    c->within_bytes = c->within_s = 0;
    c->first = pair->queued && pair->adjacent ? arrived / pair->bytes : 0;
  } else if (pair->queued && pair->train && pair->adjacent) {
    c->within_bytes += pair->bytes;
    c->within_s += arrived;
  }
}

bool
cross_traffic_is_none (const CrossTraffic *c)
{
  return c->state == CROSS_TRAFFIC_NONE;
}

bool
cross_traffic_is_some (const CrossTraffic *c)
{
  return c->state == CROSS_TRAFFIC_SOME;
}
