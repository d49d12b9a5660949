/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hoprates.h"

#include <math.h>
#include <stddef.h>

#define DEFAULT_FLOOR 3750
#define DEFAULT_CEILING 1.25e10
#define DEFAULT_LIFE (10 * CC_SECOND)

static double
clamp (const HopRates *h, double rate_Bps)
{
  return fmin (fmax (rate_Bps, h->params.floor_Bps), h->params.ceiling_Bps);
}

void
hop_rates_params_init (HopRatesParams *params)
{
  *params = (HopRatesParams){.floor_Bps = DEFAULT_FLOOR, .ceiling_Bps = DEFAULT_CEILING, .life = DEFAULT_LIFE};
}

void
hop_rates_set_params (HopRates *h, const HopRatesParams *params)
{
  h->params = *params;
  if (!(params->floor_Bps > 0) || !(params->ceiling_Bps >= params->floor_Bps)) {
    h->params.floor_Bps = DEFAULT_FLOOR;
    h->params.ceiling_Bps = DEFAULT_CEILING;
  }
  if (params->life < CC_SECOND / 10 || params->life > 600 * CC_SECOND)
    h->params.life = DEFAULT_LIFE;
  for (unsigned i = 0; i < HOP_RATES_MAX; i++)
    h->hops[i].rate_Bps = clamp (h, h->hops[i].rate_Bps);
}

void
hop_rates_reset (HopRates *h)
{
  for (unsigned i = 0; i < HOP_RATES_MAX; i++)
    h->hops[i] = (HopRate){.expires_at = CC_TIME_NONE};
}

void
hop_rates_init (HopRates *h, const HopRatesParams *params)
{
  *h = (HopRates){0};
  hop_rates_reset (h);
  hop_rates_set_params (h, params);
}

static bool
is_fresh (const HopRate *e, CcTime now)
{
  return e->expires_at != CC_TIME_NONE && e->expires_at > now;
}

double
hop_rates_minimum (const HopRates *h, CcTime now, uint32_t *hop)
{
  double least = HUGE_VAL;

  for (unsigned i = 0; i < HOP_RATES_MAX; i++) {
    if (!is_fresh (&h->hops[i], now) || h->hops[i].rate_Bps >= least)
      continue;
    least = h->hops[i].rate_Bps;
    if (hop != NULL)
      *hop = h->hops[i].hop;
  }
  return least;
}

unsigned
hop_rates_count (const HopRates *h, CcTime now)
{
  unsigned n = 0;

  for (unsigned i = 0; i < HOP_RATES_MAX; i++)
    n += is_fresh (&h->hops[i], now);
  return n;
}

static HopRate *
find (HopRates *h, uint32_t hop, CcTime now)
{
  for (unsigned i = 0; i < HOP_RATES_MAX; i++)
    if (is_fresh (&h->hops[i], now) && h->hops[i].hop == hop)
      return &h->hops[i];
  return NULL;
}

/* A free place, else that of the highest rate, unless the new one is no lower. */
static HopRate *
make_place (HopRates *h, double rate_Bps, CcTime now)
{
  HopRate *highest = &h->hops[0];

  for (unsigned i = 0; i < HOP_RATES_MAX; i++) {
    if (!is_fresh (&h->hops[i], now))
      return &h->hops[i];
    if (h->hops[i].rate_Bps > highest->rate_Bps)
      highest = &h->hops[i];
  }
  h->displaced++;
  return rate_Bps < highest->rate_Bps ? highest : NULL;
}

static void
count_clamped (HopRates *h, double rate_Bps)
{
  h->low += rate_Bps < h->params.floor_Bps;
  h->high += rate_Bps > h->params.ceiling_Bps;
}

static void
take (HopRates *h, uint32_t hop, double rate_Bps, uint64_t order, CcTime now)
{
  HopRate *e = find (h, hop, now);

  if (e != NULL && order != HOP_RATES_UNORDERED && order <= e->order) {
    h->replayed++;
    return;
  }
  count_clamped (h, rate_Bps);
  rate_Bps = clamp (h, rate_Bps);
  if (e != NULL && order == HOP_RATES_UNORDERED)
    order = e->order;
  if (e == NULL)
    e = make_place (h, rate_Bps, now);
  if (e == NULL)
    return;
  *e = (HopRate){.hop = hop, .rate_Bps = rate_Bps, .order = order, .expires_at = cc_time_add (now, h->params.life)};
  h->taken++;
}

bool
hop_rates_on_rate (HopRates *h, uint32_t hop, double rate_Bps, uint64_t order, CcTime now)
{
  double before = hop_rates_minimum (h, now, NULL);

  if (!(rate_Bps >= 0) || isinf (rate_Bps)) {
    h->ignored++;
    return false;
  }
  take (h, hop, rate_Bps, order, now);
  return hop_rates_minimum (h, now, NULL) != before;
}

CcTime
hop_rates_next_timeout (const HopRates *h)
{
  CcTime next = CC_TIME_NONE;

  for (unsigned i = 0; i < HOP_RATES_MAX; i++)
    next = cc_time_min (next, h->hops[i].expires_at);
  return next;
}

bool
hop_rates_on_timeout (HopRates *h, CcTime now)
{
  bool any = false;

  for (unsigned i = 0; i < HOP_RATES_MAX; i++) {
    if (h->hops[i].expires_at == CC_TIME_NONE || is_fresh (&h->hops[i], now))
      continue;
    h->hops[i].expires_at = CC_TIME_NONE;
    h->expired++;
    any = true;
  }
  return any;
}
