/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathrateparams.h"
#include "callweight.h"
#include <math.h>

void
path_rate_params_init (PathRateParams *params)
{
  *params = (PathRateParams){.start_Bps = 300e3 / 8, .min_Bps = 30e3 / 8, .max_Bps = 20e6 / 8, .weight = 1};
}

/* Written so that what is no number is made one. */
PathRateParams
path_rate_params_sane (const PathRateParams *params)
{
  PathRateParams sane = *params;

  if (!(sane.min_Bps >= 1))
    sane.min_Bps = 1;
  if (!(sane.max_Bps >= sane.min_Bps))
    sane.max_Bps = sane.min_Bps;
  if (!(sane.start_Bps > 0))
    sane.start_Bps = sane.min_Bps;
  sane.weight = call_weight_sane (sane.weight);
  return sane;
}

double
path_rate_params_clamp (const PathRateParams *params, double rate_Bps)
{
  return rate_Bps < params->min_Bps ? params->min_Bps : fmin (rate_Bps, params->max_Bps);
}
