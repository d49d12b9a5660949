/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filledpath.h"
#include "lawnumber.h"
#include <float.h>

#define NEAR_FROM LAW (NEAR_FROM, 0.9, 1.3) /* x what arrived: from there */
#define NEAR_TO LAW (NEAR_TO, 1.3, 0.9)     /* x it: to there */

void
filled_path_meet (FilledPath *f, double receive_Bps, CcTime now)
{
  *f = (FilledPath){receive_Bps, now, true};
}

bool
filled_path_is_near (const FilledPath *f, double rate_Bps)
{
  return rate_Bps >= NEAR_FROM * f->rate_Bps && rate_Bps <= NEAR_TO * f->rate_Bps;
}

double
filled_path_since (const FilledPath *f, CcTime now)
{
  return f->is_met ? cc_seconds (cc_time_since (now, f->at)) : DBL_MAX; /* times 0 it is 0 */
}
