/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes and times of packet pairs, fading: a rate as the ratio of sums, which keeps jitter out. */
#ifndef PACKETPAIRS_H
#define PACKETPAIRS_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PACKET_PAIRS_TELL 3.0 /* so many, where any two packets are one: a frame of others may be between two */

typedef struct {
  double bytes, sent, arrived, pairs; /* sent, arrived: s between the packets of each */
  CcTime at;
} PacketPairs;

/* memory: s, the time constant. */
void packet_pairs_fade (PacketPairs *pairs, CcTime now, double memory);
void packet_pairs_add (PacketPairs *pairs, double bytes, double sent, double arrived, CcTime now, double memory);
/* Bytes/s at arrival; 0 where fewer than `enough` pairs are left to say. */
double packet_pairs_rate (const PacketPairs *pairs, double enough);
/* They came more than `gain` times as far apart as they left; false where fewer than `enough` are left to say. */
bool packet_pairs_are_spread (const PacketPairs *pairs, double enough, double gain);

#ifdef __cplusplus
}
#endif
#endif
