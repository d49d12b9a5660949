/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recentloss.h"

#include <math.h>

#define GAIN (1.0 / 512)      /* a packet's part: some five seconds of 1 Mb/s, two losses a minute show */
#define START_PACKETS 64      /* and a packet's part at the beginning, when there is nothing to be forgotten yet */
#define BURST_GAIN (1.0 / 16) /* a gap's part */

void
recent_loss_init (RecentLoss *l)
{
  *l = (RecentLoss){.burst = 1};
}

static double
gain (const RecentLoss *l)
{
  return fmax (GAIN, 1.0 / (START_PACKETS + l->counted));
}

void
recent_loss_on_packet (RecentLoss *l, unsigned lost)
{
  l->loss -= gain (l) * l->loss;
  l->counted += l->counted < 1 / GAIN;
  for (unsigned i = 0; i < lost; i++)
    l->loss += gain (l) * (1 - l->loss);
  if (lost > 0)
    l->burst += BURST_GAIN * (lost - l->burst);
}

void
recent_loss_take_back (RecentLoss *l)
{
  l->loss = fmax (l->loss - gain (l), 0);
}
