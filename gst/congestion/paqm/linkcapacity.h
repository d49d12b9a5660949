/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The capacity of a link whose rate is not known (Wi-Fi, LTE), from departures alone: bytes over time while packets
   were waiting all along.

     busy     from a departure that left packets behind to the next one. A busy run's first 10 ms do not count, as what
              the link's own buffer takes in at once is not its rate
     gaps     links serve in bursts (aggregates of 5-10 ms): a measurement begins and ends where a burst begins, at a
   gap no shorter than half the longest one of late samples  100 ms of busy time, over as many runs as it takes changes
   samples are averaged over `memory`. A cumulative sum of ln (sample/average), in units of the samples' own variation,
   tells a change (down or up); the average then starts anew from the samples that showed it growth   while the link is
   never busy but 0.92 of the estimate leaves it, the estimate grows by 2 % each 250 ms: senders that follow it would
   never find out otherwise. It stays below departure rate/0.92 */
#ifndef LINKCAPACITY_H
#define LINKCAPACITY_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double min_Bps, max_Bps; /* what the result is clamped to; default 1000, 1.25e10 */
  CcDuration memory;       /* [100 ms, 60 s], default 1 s */
} LinkCapacityParams;

typedef struct {
  double bytes, time; /* s */
} LinkCapacitySum;

typedef struct {
  LinkCapacityParams params;
  double capacity_Bps;               /* 0: unknown; not clamped */
  LinkCapacitySum average;           /* fading */
  LinkCapacitySum sample;            /* the running one */
  LinkCapacitySum lower, higher;     /* since the cumulative sums left 0 */
  double down, up;                   /* cumulative sums */
  double variation;                  /* of ln (sample/average) */
  double pending_bytes;              /* since the last burst began */
  double longest_gap;                /* s, fading */
  CcTime busy_at, burst_at, last_at; /* CC_TIME_NONE: the queue was empty; no burst began; no departure */
  CcTime slot_at;                    /* of growth */
  double slot_bytes;
  bool slot_busy; /* a sample was taken in it */
  uint64_t samples, changes, growths;
} LinkCapacity;

void link_capacity_params_init (LinkCapacityParams *params);
/* params out of range are replaced by their defaults. */
void link_capacity_init (LinkCapacity *c, const LinkCapacityParams *params);
/* A packet is handed to the link. backlogged: others are still waiting behind it, whatever their queue. */
void link_capacity_on_departure (LinkCapacity *c, uint32_t bytes, bool backlogged, CcTime now);
/* Wire bytes/s; 0: not yet measured. Pure. */
double link_capacity_Bps (const LinkCapacity *c);

#ifdef __cplusplus
}
#endif
#endif
