/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames as they are pushed: how far apart, and how many packets of those that are complete wait to leave, which burst
   control (burstcontrol.h) spreads over the time to the next. */
#ifndef READYFRAMES_H
#define READYFRAMES_H

#include "burstcontrol.h"
#include "sendbuffer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  BurstControl burst;
  bool spread;         /* burst control does */
  CcDuration interval; /* smoothed */
  CcTime at;           /* the open frame's; CC_TIME_NONE: none yet */
  uint32_t frame;
  unsigned open, ready; /* packets waiting: of the open frame; of complete ones */
} ReadyFrames;

void ready_frames_init (ReadyFrames *f, const BurstControlParams *burst, CcRandom random, bool spread);
/* All that waits counts as complete. */
void ready_frames_set_spread (ReadyFrames *f, bool spread, unsigned waiting);
void ready_frames_on_push (ReadyFrames *f, const CcPacket *packet, CcTime now);
void ready_frames_on_sent (ReadyFrames *f, CcTime now);
void ready_frames_on_discard (ReadyFrames *f);
CcTime ready_frames_next (const ReadyFrames *f); /* of burst control; CC_TIME_NONE: nothing is complete. Pure */

#ifdef __cplusplus
}
#endif
#endif
