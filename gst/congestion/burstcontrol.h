/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Burst control (Chodorek & Chodorek, eq. 2-3): the floor under any pacer. The packets of a frame are spread over
   duty x the frame period, each gap randomised by +-1 %; the bit rate is untouched. For flows without congestion
   control. Where a frame is still leaving when the next is ready, the packets of both share the new period. */
#ifndef BURSTCONTROL_H
#define BURSTCONTROL_H

#include "cctime.h"
#include "ccrandom.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double duty;          /* (0, 1], default 0.95; anything else means 1 */
  double randomisation; /* relative, [0, 1], default 0.01 */
  unsigned batch;       /* b packets per slot, default 1 */
} BurstControlParams;

typedef struct {
  BurstControlParams params;
  CcRandom random;
  CcDuration period; /* Delta T: smoothed spacing of frames; 40 ms before the second */
  CcTime frame_at, next_at;
  CcDuration gap;   /* Delta t of this frame */
  unsigned in_slot; /* sent in the present slot */
  unsigned waiting; /* packets, as the last frame was told with, less what was sent since */
} BurstControl;

void burst_control_params_init (BurstControlParams *params);
void burst_control_init (BurstControl *b, const BurstControlParams *params, CcRandom random);
/* Live: from the next frame on. */
void burst_control_set_params (BurstControl *b, const BurstControlParams *params);
/* A frame is ready: `waiting` packets are to leave, those that earlier frames left behind among them. period: to the
   next frame, 0: use the smoothed spacing of calls, spacings of more than 1 s left out. */
void burst_control_on_frame (BurstControl *b, unsigned waiting, CcDuration period, CcTime now);
CcTime burst_control_next (const BurstControl *b); /* when the next packet may leave; 0: at once. Pure */
/* Late by more than a gap: the schedule moves, nothing is caught up in a burst. */
void burst_control_on_sent (BurstControl *b, CcTime now);
#ifdef __cplusplus
}
#endif
#endif
