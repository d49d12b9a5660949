/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathgrowth.h"
#include "callweight.h"
#include <math.h>

#define SHARED_RATE LAW (SHARED_RATE, 110e3, 1) /* bytes/s; x its share in R, to the power of one half */
#define NEAR_GROWTH LAW (NEAR_GROWTH, 7e3, 7e6) /* bytes/s^2, at most */

double
path_growth_unmet (const PathView *v, CcTime now)
{
  if (!v->met_limit || v->rate_Bps < LAW_ETA * v->share.known_Bps)
    return PATH_GROWTH;
  return fmin (fmax (PATH_GROWTH_PROBE * filled_path_since (&v->filled, now), PATH_GROWTH_PROBE), PATH_GROWTH);
}

/* 1/s */
static double
shared_growth (const PathView *v, const GrowthRow *row, CcTime now)
{
  double scale = sqrt (fmin (fmax (SHARED_RATE / call_weight_rate (v), 1), 4));

  return fmin (row->growth * scale + row->bolder * filled_path_since (&v->filled, now), PATH_GROWTH_MOST);
}

/* 1/s, at most */
static double
near_growth (const PathView *v, const GrowthRow *row)
{
  if (!row->gentle || !filled_path_is_near (&v->filled, v->rate_Bps))
    return HUGE_VAL;
  return fmax (NEAR_GROWTH / call_weight_rate (v), PATH_GROWTH_PROBE);
}

double
path_growth_shared (const PathView *v, const GrowthRow *row, double room, CcTime now)
{
  return fmin (room * shared_growth (v, row, now), near_growth (v, row)) * path_view_loop (v);
}
