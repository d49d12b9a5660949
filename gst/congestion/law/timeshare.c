/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "timeshare.h"
#include <math.h>

void
time_share_count (double *share, bool is_so, double T)
{
  *share += (is_so - *share) * fmin (T / TIME_SHARE_MEMORY, 1);
}
