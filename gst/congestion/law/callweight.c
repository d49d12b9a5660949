/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "callweight.h"
#include "lawnumber.h"
#include <math.h>

double
call_weight_sane (double weight)
{
  return weight > 1 ? fmin (weight, CALL_WEIGHT_MOST) : 1;
}

static double
among_others (const PathView *v)
{
  return cross_traffic_is_none (&v->cross) ? 1 : v->weight;
}

double
call_weight_rate (const PathView *v)
{
  return v->rate_Bps / among_others (v);
}

double
call_weight_share (const PathView *v, double c_Bps)
{
  return c_Bps * (v->rate_Bps / (v->rate_Bps + (among_others (v) - 1) * fmin (c_Bps / LAW_TRAIN_GAIN, v->rate_Bps)));
}
