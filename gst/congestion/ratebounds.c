/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ratebounds.h"
#include <math.h>
#include <stddef.h>

void
rate_bounds_init (RateBounds *b)
{
  HopRatesParams params;

  hop_rates_params_init (&params);
  hop_rates_init (&b->explicit_rates, &params);
  hop_rates_init (&b->bounds, &params);
}

static bool
take (RateBounds *b, HopRates *rates, const RateBoundsParams *params, uint32_t from, double rate_Bps, CcTime now)
{
  HopRatesParams limits;

  if (!(rate_Bps > 0) || !isfinite (rate_Bps))
    return false;
  hop_rates_params_init (&limits);
  limits.floor_Bps = params->floor_Bps;
  limits.life = params->life;
  hop_rates_set_params (&b->explicit_rates, &limits);
  hop_rates_set_params (&b->bounds, &limits);
  hop_rates_on_rate (rates, from, rate_Bps, HOP_RATES_UNORDERED, now);
  return true;
}

bool
rate_bounds_on_explicit_rate (RateBounds *b, const RateBoundsParams *params, uint32_t from, double rate_Bps, CcTime now)
{
  return take (b, &b->explicit_rates, params, from, rate_Bps, now);
}

bool
rate_bounds_on_bound (RateBounds *b, const RateBoundsParams *params, uint32_t from, double rate_Bps, CcTime now)
{
  return take (b, &b->bounds, params, from, rate_Bps, now);
}

double
rate_bounds_explicit (const RateBounds *b, CcTime now)
{
  return hop_rates_minimum (&b->explicit_rates, now, NULL);
}

double
rate_bounds_upper (const RateBounds *b, CcTime now)
{
  return fmin (rate_bounds_explicit (b, now), hop_rates_minimum (&b->bounds, now, NULL));
}

CcTime
rate_bounds_next_timeout (const RateBounds *b)
{
  return cc_time_min (hop_rates_next_timeout (&b->explicit_rates), hop_rates_next_timeout (&b->bounds));
}

void
rate_bounds_on_timeout (RateBounds *b, CcTime now)
{
  hop_rates_on_timeout (&b->explicit_rates, now);
  hop_rates_on_timeout (&b->bounds, now);
}
