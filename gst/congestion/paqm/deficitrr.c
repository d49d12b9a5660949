/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "deficitrr.h"

#include <math.h>

#define MOST_OWED 65536. /* bytes: what a caller that serves as it likes can run up */

void
deficit_rr_set_weight (DeficitRr *d, double weight)
{
  weight = isnan (weight) ? 0.5 : fmin (fmax (weight, 0), 1);
  d->weight[0] = weight;
  d->weight[1] = 1 - weight;
}

void
deficit_rr_init (DeficitRr *d, double weight)
{
  *d = (DeficitRr){.last = 1};
  deficit_rr_set_weight (d, weight);
}

void
deficit_rr_set_saving (DeficitRr *d, int queue, double bytes)
{
  if (queue >= 0 && queue < DEFICIT_RR_QUEUES)
    d->saving[queue] = bytes > 0 ? bytes : 0;
}

/* Rounds of one byte times weight until the head is paid for. */
static double
rounds_to_wait (const DeficitRr *d, int queue, uint32_t head_bytes)
{
  double lacking = head_bytes - d->deficit[queue];

  if (lacking <= 0)
    return 0;
  return d->weight[queue] > 0 ? lacking / d->weight[queue] : HUGE_VAL;
}

static double
kept (const DeficitRr *d, int queue)
{
  return fmin (fmax (d->deficit[queue], 0), d->saving[queue]);
}

static int
alone (DeficitRr *d, const uint32_t head_bytes[DEFICIT_RR_QUEUES])
{
  for (int i = 0; i < DEFICIT_RR_QUEUES; i++)
    d->deficit[i] = head_bytes[i] > 0 ? fmax (d->deficit[i], head_bytes[i]) : kept (d, i);
  if (head_bytes[0] > 0)
    return 0;
  return head_bytes[1] > 0 ? 1 : DEFICIT_RR_NONE;
}

static int
sooner (const DeficitRr *d, double rounds0, double rounds1)
{
  if (rounds0 == rounds1)
    return 1 - d->last;
  return rounds0 < rounds1 ? 0 : 1;
}

int
deficit_rr_next (DeficitRr *d, const uint32_t head_bytes[DEFICIT_RR_QUEUES])
{
  double rounds0, rounds1, rounds;

  for (int i = 0; i < DEFICIT_RR_QUEUES; i++)
    d->idle[i] = head_bytes[i] == 0;
  if (d->idle[0] || d->idle[1])
    return alone (d, head_bytes);
  rounds0 = rounds_to_wait (d, 0, head_bytes[0]);
  rounds1 = rounds_to_wait (d, 1, head_bytes[1]);
  rounds = fmin (rounds0, rounds1);
  if (isinf (rounds))
    rounds = 0;
  for (int i = 0; i < DEFICIT_RR_QUEUES; i++)
    d->deficit[i] += rounds * d->weight[i];
  /* exactly, so that asking again adds nothing */
  if (rounds0 == rounds)
    d->deficit[0] = fmax (d->deficit[0], head_bytes[0]);
  if (rounds1 == rounds)
    d->deficit[1] = fmax (d->deficit[1], head_bytes[1]);
  return sooner (d, rounds0, rounds1);
}

void
deficit_rr_on_served (DeficitRr *d, int queue, uint32_t bytes)
{
  if (queue < 0 || queue >= DEFICIT_RR_QUEUES)
    return;
  d->deficit[queue] = fmax (d->deficit[queue] - bytes, -MOST_OWED);
  if (d->idle[1 - queue] && d->weight[queue] > 0) {
    d->deficit[1 - queue] += bytes * d->weight[1 - queue] / d->weight[queue];
    d->deficit[1 - queue] = kept (d, 1 - queue);
  }
  d->last = queue;
}
