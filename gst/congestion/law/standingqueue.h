/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands in the queue, from the queueing delays of packets: the least of each frame, as the rest of it waits
   behind its own packets, without the time by which a packet larger than the least takes longer on the bottleneck.
   Where the path moves frames about by more than a queue is long, as one does that serves in turns, what stands is what
   each frame of late has met. */
#ifndef STANDINGQUEUE_H
#define STANDINGQUEUE_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STANDING_QUEUE_FRAMES 16

typedef struct {
  double q;         /* s, that stood before all of it */
  CcDuration delay; /* the least beyond the base */
  CcTime at;        /* its first packet arrived */
} StandingFrame;

typedef struct {
  double q, q_lag; /* s, smoothed over two frames; the same, behind: their difference is the slope */
  double noise;    /* s: by how much jitter moves frames beside each other, beyond what frames of their own do; at most
                      as much as is taken for that */
  double bends;    /* the mean of second differences of the frames' q */
  double least_bytes;                        /* the smallest packet of late */
  StandingFrame frame;                       /* the one that is arriving */
  StandingFrame past[STANDING_QUEUE_FRAMES]; /* those before it, by number */
  unsigned frames;                           /* of them */
} StandingQueue;

/* In the order of arrival. passing_Bps: at which it passes the bottleneck, at least; HUGE_VAL: nobody knows. Returns s
   that stood before it. */
double standing_queue_before (StandingQueue *s, uint32_t bytes, CcDuration delay, double passing_Bps);
/* The same, of packets in sequence: of a frame's first packet, which takes packet_s at R, and of the others. is_first:
   none has come before. */
void standing_queue_begin_frame (StandingQueue *s, const StandingFrame *frame, bool is_first, double packet_s);
void standing_queue_go_on (StandingQueue *s, double standing, CcDuration delay);
/* T: s since the last time. */
void standing_queue_update (StandingQueue *s, double T);
/* The frame before, as it ended; none: zeroes. Pure. */
StandingFrame standing_queue_ended (const StandingQueue *s);
/* s per s. Pure. */
double standing_queue_slope (const StandingQueue *s);
/* The base has changed: none. */
void standing_queue_forget (StandingQueue *s);

#ifdef __cplusplus
}
#endif
#endif
