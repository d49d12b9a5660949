/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bottleneckshare.h"
#include "lawnumber.h"
#include <math.h>

#define CAPACITY_MEMORY LAW (CAPACITY_MEMORY, 0.4, 4.0) /* s */
#define FAST_MEMORY LAW (FAST_MEMORY, 0.06, 0.4)        /* s */
#define PAIRS 1.5                                       /* one and a part of another */

void
bottleneck_share_on_pair (BottleneckShare *b, bool train, double bytes, double sent, double arrived, CcTime now)
{
  packet_pairs_add (train ? &b->slow : &b->busy, bytes, sent, arrived, now, CAPACITY_MEMORY);
  packet_pairs_add (&b->fast, bytes, sent, arrived, now, FAST_MEMORY);
}

void
bottleneck_share_update (BottleneckShare *b, bool trains_only, CcTime now)
{
  packet_pairs_fade (&b->slow, now, CAPACITY_MEMORY);
  packet_pairs_fade (&b->busy, now, CAPACITY_MEMORY);
  b->capacity_Bps = packet_pairs_rate (&b->slow, PAIRS);
  b->trains = b->capacity_Bps > 0;
  b->dispersed = b->slow.arrived > 1.05 * b->slow.sent + 0.001;
  if (b->trains || trains_only)
    return;
  b->capacity_Bps = packet_pairs_rate (&b->busy, PACKET_PAIRS_TELL);
  b->dispersed = true;
}

void
bottleneck_share_remember (BottleneckShare *b, double T, double receive_Bps)
{
  if (b->capacity_Bps > 0 && b->dispersed)
    b->known_Bps += (b->capacity_Bps - b->known_Bps) * fmin (T / CAPACITY_MEMORY, 1);
  b->known_Bps = fmax (b->known_Bps, receive_Bps);
}

double
bottleneck_share_of_late (const BottleneckShare *b)
{
  return b->trains ? packet_pairs_rate (&b->fast, 2) : packet_pairs_rate (&b->busy, PACKET_PAIRS_TELL);
}

void
bottleneck_share_take (BottleneckShare *b, double capacity_Bps)
{
  b->slow = b->fast;
  b->capacity_Bps = b->known_Bps = capacity_Bps;
}

void
bottleneck_share_forget (BottleneckShare *b, double known_Bps)
{
  b->slow = b->busy = b->fast = (PacketPairs){0};
  b->known_Bps = known_Bps;
}
