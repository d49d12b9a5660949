/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Has the route become longer? A queue climbs, and goes, or moves at least, when its flow backs off. A longer route is
   a step from one frame to the next, and what it adds stands as it is, whatever the flow does.

     calm     no queue worth the name stands
     stepping the first window in which all of the delay is more: what the law makes of it moves the measure
     stepped  since a step the delay stands at one level, and the rate goes down because of that
     climbed  something stands that came or moves as a queue does: calm before it is looked at again

   A level that stands for a second, while the rate has fallen by a tenth and more, is the route's. Up to 35 ms the law
   lives with it, and frames of others that always meet ours do the same. */
#ifndef ROUTECHANGE_H
#define ROUTECHANGE_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { ROUTE_CALM, ROUTE_STEPPING, ROUTE_STEPPED, ROUTE_CLIMBED } RouteState;

typedef struct {
  RouteState state;
  double least_q, most_q; /* s: the level, from .. to */
  double window_Bps;      /* the rate when this window began */
  double window_q;        /* least of this window */
  unsigned windows;       /* of the level */
  double last_q;          /* of the last frame */
  CcTime step_at;         /* from one frame to the next; CC_TIME_NONE: never */
  CcTime window_at;       /* CC_TIME_NONE: none yet */
  double rate_Bps;        /* before the step */
  uint64_t changes;
} RouteChange;

void route_change_init (RouteChange *r);
/* q: the least delay of a frame's packets beyond the base, s; rate_Bps: what may be sent now. True: the route has
   become longer by about q, and rate_Bps of `r` is what was sent before; calm again. */
bool route_change_on_frame (RouteChange *r, double q, double rate_Bps, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
