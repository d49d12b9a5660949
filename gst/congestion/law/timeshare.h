/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For how much of the last quarter of a minute something was so: [0, 1], 0 at first. */
#ifndef TIMESHARE_H
#define TIMESHARE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* It is so, or is not, for T s. */
void time_share_count (double *share, bool is_so, double T);

#ifdef __cplusplus
}
#endif
#endif
