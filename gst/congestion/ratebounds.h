/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What others tell a sender of its rate: routers and its receiver, whose rate it may take, and anybody who may only
   lower it. Each by who told it, the least counts, and what is no longer repeated expires (hoprates.h). Rates are wire
   bytes/s. */
#ifndef RATEBOUNDS_H
#define RATEBOUNDS_H

#include "hoprates.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  HopRates explicit_rates, bounds; /* a table each: no `from` in one takes the place of one in the other */
} RateBounds;

typedef struct {
  double floor_Bps; /* no word takes the rate below */
  CcDuration life;  /* of a word that is not repeated */
} RateBoundsParams;

void rate_bounds_init (RateBounds *b);
/* False, and nothing is taken, where the rate is none: zero, negative, infinite or no number. */
bool rate_bounds_on_explicit_rate (
    RateBounds *b, const RateBoundsParams *params, uint32_t from, double rate_Bps, CcTime now);
bool rate_bounds_on_bound (RateBounds *b, const RateBoundsParams *params, uint32_t from, double rate_Bps, CcTime now);
double rate_bounds_explicit (const RateBounds *b, CcTime now); /* HUGE_VAL: nobody says */
double rate_bounds_upper (const RateBounds *b, CcTime now);    /* the least of all */
CcTime rate_bounds_next_timeout (const RateBounds *b);         /* pure */
void rate_bounds_on_timeout (RateBounds *b, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
