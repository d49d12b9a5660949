/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's side of explicit rates (Lie 2008, paper F 3.2): the latest one of each router, the least of them is the
   rate; a router that has fallen silent expires. Rates are wire bytes/s.

   What comes from the network is not believed: a rate outside [floor, ceiling] is clamped, an older one than known is
   left out. In a full table the highest rate gives way to a lower one, so that no number of hops hides the least. */
#ifndef HOPRATES_H
#define HOPRATES_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HOP_RATES_MAX 16
#define HOP_RATES_UNORDERED 0 /* the report's place in the order is not known */

typedef struct {
  double floor_Bps;   /* > 0, default 3750 (30 kb/s) */
  double ceiling_Bps; /* >= floor, default 1.25e10 (100 Gb/s) */
  CcDuration life;    /* [100 ms, 600 s], default 10 s: more than two report intervals */
} HopRatesParams;

typedef struct {
  uint32_t hop; /* as signalled: 16 bits in the header extension, 32 in PATH */
  double rate_Bps;
  uint64_t order;
  CcTime expires_at; /* CC_TIME_NONE: free */
} HopRate;

typedef struct {
  HopRatesParams params;
  HopRate hops[HOP_RATES_MAX];
  uint64_t taken;
  uint64_t low, high; /* clamped: below the floor, above the ceiling */
  uint64_t replayed;  /* not newer than known */
  uint64_t ignored;   /* negative, NaN, infinite */
  uint64_t displaced; /* in a full table: known ones and new ones */
  uint64_t expired;
} HopRates;

void hop_rates_params_init (HopRatesParams *params);
/* params out of range are replaced by their defaults. */
void hop_rates_init (HopRates *h, const HopRatesParams *params);
/* Live: rates known are clamped anew, their life runs on. */
void hop_rates_set_params (HopRates *h, const HopRatesParams *params);
/* order: a number that grows with each report, such as the sequence number, extended, of the packet that carried the
   rate; HOP_RATES_UNORDERED: taken as the latest. Returns true where the minimum is another one than before. */
bool hop_rates_on_rate (HopRates *h, uint32_t hop, double rate_Bps, uint64_t order, CcTime now);
/* The least of the rates that have not expired, HUGE_VAL where there is none. hop (or NULL): whose. Pure. */
double hop_rates_minimum (const HopRates *h, CcTime now, uint32_t *hop);
/* Hops that have not expired. Pure. */
unsigned hop_rates_count (const HopRates *h, CcTime now);
CcTime hop_rates_next_timeout (const HopRates *h); /* the first to expire; CC_TIME_NONE: none. Pure */
/* Returns true where one expired. */
bool hop_rates_on_timeout (HopRates *h, CcTime now);
/* Another path: all is forgotten. */
void hop_rates_reset (HopRates *h);

#ifdef __cplusplus
}
#endif
#endif
