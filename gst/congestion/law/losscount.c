/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "losscount.h"
#include <math.h>

#define SIGMAS 1.5 /* by chance */
#define SURE_SIGMAS 2.0

void
loss_count_packet (LossCount *c, unsigned lost)
{
  c->packets += 1 + lost;
  c->lost += lost;
  c->gaps += lost > 0;
}

void
loss_count_take_back (LossCount *c)
{
  if (c->lost < 1)
    return;
  c->lost -= 1;
  c->gaps = fmax (c->gaps - 1, 0);
}

void
loss_count_scale (LossCount *c, double by)
{
  c->packets *= by;
  c->lost *= by;
  c->gaps *= by;
}

void
loss_count_add (LossCount *to, const LossCount *c)
{
  to->packets += c->packets;
  to->lost += c->lost;
  to->gaps += c->gaps;
}

double
loss_count_kept (double T, double memory, double packets, double least)
{
  return fmin (fmax (exp (-T / memory), least / fmax (packets, 1)), 1);
}

void
loss_count_take_out (LossCount *from, const LossCount *part)
{
  from->packets -= part->packets;
  from->lost -= part->lost;
  from->gaps -= part->gaps;
}

double
loss_count_rate (const LossCount *c)
{
  return c->packets > 0 ? c->gaps / c->packets : 0;
}

/* rate: gaps per packet that chance is worked out with. */
static double
excess (const LossCount *c, const LossCount *elsewhere, double rate)
{
  double more = elsewhere->packets > 0 ? c->packets / elsewhere->packets : 0;
  double spread = rate * c->packets * (1 + more);

  return fmax (c->gaps - elsewhere->gaps * more - 1 - SIGMAS * sqrt (spread), 0);
}

double
loss_count_excess (const LossCount *c, const LossCount *elsewhere)
{
  return excess (c, elsewhere, loss_count_rate (elsewhere));
}

double
loss_count_sure_excess (const LossCount *c, const LossCount *elsewhere)
{
  LossCount both = *elsewhere;

  loss_count_add (&both, c);
  return excess (c, elsewhere, loss_count_rate (&both));
}

bool
loss_count_are_fewer (double gaps, double expected)
{
  return gaps + 1 + SURE_SIGMAS * sqrt (expected) < expected;
}
