/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "calmloss.h"
#include <math.h>

#define MEMORY 5.0 /* s */
#define LEAST_PACKETS 600
#define CALM_SHARE 0.15 /* of the packets, for anything to compare with */

/* The median by steps that are small beside it; of the first packets, the mean. */
static void
follow_median (CalmLoss *c)
{
  double step = fmax (0.02 * c->q_mid, fabs (c->q - c->q_mid) / fmax (c->whole.packets, 1));

  c->q_mid += c->q > c->q_mid ? step : -step;
  c->q_mid = fmax (c->q_mid, 0);
}

void
calm_loss_on_packet (CalmLoss *c, unsigned lost)
{
  bool calm = !c->busy && c->q <= c->q_mid;

  loss_count_packet (&c->whole, lost);
  if (calm)
    loss_count_packet (&c->calm, lost);
  follow_median (c);
}

void
calm_loss_on_delay (CalmLoss *c, double q, bool busy)
{
  c->q = q;
  c->busy = busy;
}

void
calm_loss_take_back (CalmLoss *c)
{
  loss_count_take_back (&c->whole);
  loss_count_take_back (&c->calm);
}

void
calm_loss_fade (CalmLoss *c, double T)
{
  double keep = loss_count_kept (T, MEMORY, c->whole.packets, LEAST_PACKETS);

  loss_count_scale (&c->whole, keep);
  loss_count_scale (&c->calm, keep);
}

double
calm_loss_of_queue (const CalmLoss *c)
{
  LossCount met_queue = c->whole;

  if (c->calm.packets < CALM_SHARE * c->whole.packets)
    return 1;
  loss_count_take_out (&met_queue, &c->calm);
  return c->whole.gaps > 0 ? loss_count_sure_excess (&met_queue, &c->calm) / c->whole.gaps : 0;
}

bool
calm_loss_looks_like_queue (const CalmLoss *c)
{
  return c->whole.gaps >= 3 && loss_count_rate (&c->calm) < 0.5 * loss_count_rate (&c->whole);
}
