/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "callweight.h"
#include <math.h>

double
call_weight_sane (double weight)
{
  return weight > 1 ? fmin (weight, CALL_WEIGHT_MOST) : 1;
}

double
call_weight_rate (const PathView *v)
{
  return cross_traffic_is_none (&v->cross) ? v->rate_Bps : v->rate_Bps / v->weight;
}
