/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How fast R grows where there is room.

     unmet    packets say nothing of the capacity, or arrive as they left: as bold as the time since a queue was seen
     shared   others may be there, who met the queue together with us: bolder the longer ago that was, as it comes back
              the sooner the faster all of them grow; and for who has less of the path (binomial control, Bansal &
              Balakrishnan 2001)
     gentle   about the rate that filled the path last (filledpath.h): additive, so that the smaller one gains on the
              larger */
#ifndef PATHGROWTH_H
#define PATHGROWTH_H

#include "lawnumber.h"
#include "pathview.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PATH_GROWTH LAW (GROWTH, 0.4, 0.15)              /* e where packets arrive as they left */
#define PATH_GROWTH_PROBE LAW (PROBE_GROWTH, 0.04, 0.15) /* where little is known: e, per s without a queue; 1/s */
#define PATH_GROWTH_MOST LAW (SHARED_GROWTH, 3.0, 0.4)   /* 1/s: whatever the RTT */

/* What the owner of the queue lets it be. */
typedef struct {
  double growth, bolder; /* 1/s, where c is more than R; more of it per s since a queue was met */
  bool gentle;           /* no more than a little about the rate that filled the path last */
} GrowthRow;

/* Both pure: e. room: that part more would fit. */
double path_growth_unmet (const PathView *v, CcTime now);
double path_growth_shared (const PathView *v, const GrowthRow *row, double room, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
