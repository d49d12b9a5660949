/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does anybody else use the bottleneck? While a queue of ours reaches from one frame to the next, a bottleneck that
   serves nobody else spaces the first packet of a frame, per byte, as it spaces those within the frame: all of them
   stood in one queue. Others get in where we pause, and more of them the longer the pause.

     ln (s per byte between two frames / s per byte within the frame behind), mean over frames

   is near 0 alone, whatever the capacity and however it comes and goes (-0.5 to 0.05 over recorded mobile links), 0.2
   to 0.5 for the larger of two flows of the same kind, and 0.8 to 1.2 beside more. One frame counts for twice the limit
   at most: who else is there is met by most of them, a gap of the link by few. Nothing is known without such frames. */
#ifndef CROSSTRAFFIC_H
#define CROSSTRAFFIC_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Two packets that arrived one behind the other. */
typedef struct {
  bool same_frame;
  bool queued;    /* the second left before the first was through the bottleneck */
  bool train;     /* they left faster than the rate */
  bool adjacent;  /* nothing was lost between */
  double bytes;   /* of the second */
  double arrived; /* s between their arrivals */
} TrafficPair;

typedef enum { CROSS_TRAFFIC_UNKNOWN, CROSS_TRAFFIC_NONE, CROSS_TRAFFIC_SOME } CrossTrafficState;

typedef struct {
  double first;                  /* s per byte of the pair that began the frame, 0: it met no queue of ours */
  double within_bytes, within_s; /* of its trains */
  double spacing;                /* the mean logarithm */
  double frames;                 /* that it is of */
  CrossTrafficState state;
} CrossTraffic;

/* weight: of this call; between two of its frames a call beside it sends so much the less. */
void cross_traffic_on_pair (CrossTraffic *c, const TrafficPair *pair, double weight);
/* Nobody else does; somebody does. Neither while it is not known. Pure. */
bool cross_traffic_is_none (const CrossTraffic *c);
bool cross_traffic_is_some (const CrossTraffic *c);

#ifdef __cplusplus
}
#endif
#endif
