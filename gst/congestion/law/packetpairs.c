/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "packetpairs.h"
#include <math.h>

#define LEAST_SPAN 1e-5 /* s: less is one chance of a link that serves several at once */

void
packet_pairs_fade (PacketPairs *pairs, CcTime now, double memory)
{
  double keep = exp (-cc_seconds (cc_time_since (now, pairs->at)) / memory);

  pairs->bytes *= keep;
  pairs->sent *= keep;
  pairs->arrived *= keep;
  pairs->pairs *= keep;
  pairs->at = now;
}

void
packet_pairs_add (PacketPairs *pairs, double bytes, double sent, double arrived, CcTime now, double memory)
{
  packet_pairs_fade (pairs, now, memory);
  pairs->bytes += bytes;
  pairs->sent += sent;
  pairs->arrived += arrived;
  pairs->pairs += 1;
}

double
packet_pairs_rate (const PacketPairs *pairs, double enough)
{
  return pairs->pairs >= enough && pairs->arrived > LEAST_SPAN ? pairs->bytes / pairs->arrived : 0;
}

bool
packet_pairs_are_spread (const PacketPairs *pairs, double enough, double gain)
{
  return pairs->pairs >= enough && pairs->arrived > gain * pairs->sent;
}
