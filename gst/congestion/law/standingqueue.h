/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands in the queue, from the queueing delays of packets: the least of each frame, as the rest of it waits
   behind its own packets, without the time by which a packet larger than the least takes longer on the bottleneck. */
#ifndef STANDINGQUEUE_H
#define STANDINGQUEUE_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double q, q_lag;        /* s, smoothed over two frames; the same, behind: their difference is the slope */
  double noise;           /* s: by how much jitter moves frames beside each other, beyond what frames of their own do */
  double bends, q_1, q_2; /* the mean of second differences of frame_q; it, one and two frames ago */
  double least_bytes;     /* the smallest packet of late */
  double frame_q;         /* s, of the frame that is arriving */
  CcDuration frame_delay, ended_delay; /* its least delay beyond the base; that of the frame before it */
} StandingQueue;

/* In the order of arrival. passing_Bps: at which it passes the bottleneck, at least; HUGE_VAL: nobody knows. Returns s
   that stood before it. */
double standing_queue_before (StandingQueue *s, uint32_t bytes, CcDuration delay, double passing_Bps);
/* The same, of packets in sequence: of a frame's first packet and of the others. */
void standing_queue_begin_frame (StandingQueue *s, double standing, CcDuration delay, bool is_first);
void standing_queue_go_on (StandingQueue *s, double standing, CcDuration delay);
/* T: s since the last time. */
void standing_queue_update (StandingQueue *s, double T);
/* s per s. Pure. */
double standing_queue_slope (const StandingQueue *s);
/* The base has changed: none. */
void standing_queue_forget (StandingQueue *s);

#ifdef __cplusplus
}
#endif
#endif
