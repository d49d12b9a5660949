/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "timeshare.h"
#include "lawnumber.h"
#include <math.h>

#define MEMORY LAW (SHARE_MEMORY, 15.0, 2.0) /* s */

void
time_share_count (double *share, bool is_so, double T)
{
  *share += (is_so - *share) * fmin (T / MEMORY, 1);
}
