/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For how much of the last quarter of a minute something was so: [0, 1], 0 at first. */
#ifndef TIMESHARE_H
#define TIMESHARE_H

#include "lawnumber.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TIME_SHARE_MEMORY LAW (SHARE_MEMORY, 15.0, 2.0) /* s; what is believed is tested as often */

/* It is so, or is not, for T s. */
void time_share_count (double *share, bool is_so, double T);

#ifdef __cplusplus
}
#endif
#endif
