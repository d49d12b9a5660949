/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Burst control (Chodorek & Chodorek): the floor under any pacer. The packets of a frame are spread over duty x the
   frame period, each gap randomised by +-1 %; the bit rate is untouched. For flows without congestion control. */
#ifndef BURSTCONTROL_H
#define BURSTCONTROL_H

#include "cctime.h"
#include "ccrandom.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double duty;          /* (0, 1], default 0.95 */
  double randomisation; /* relative, default 0.01 */
  unsigned batch;       /* b packets per slot, default 1 */
} BurstControlParams;

typedef struct {
  BurstControlParams params;
  CcRandom random;
  CcDuration period; /* Delta T: smoothed spacing of frames */
  CcTime frame_at, next_at;
  CcDuration gap; /* Delta t of this frame */
  unsigned in_slot;
} BurstControl;

void burst_control_params_init (BurstControlParams *params);
void burst_control_init (BurstControl *b, const BurstControlParams *params, CcRandom random);
/* A frame of n_packets is ready; period: to the next frame, 0: use the smoothed spacing of calls. */
void burst_control_on_frame (BurstControl *b, unsigned n_packets, CcDuration period, CcTime now);
CcTime burst_control_next (const BurstControl *b); /* pure */
void burst_control_on_sent (BurstControl *b, CcTime now);
#ifdef __cplusplus
}
#endif
#endif
