/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path rate of mode=low-delay: the explicit-rate outer loop of P-AQM (Lie 2008, paper F eq. 3) run by the receiver
   on what the path shows: queueing delay, receive rate, and the capacity that the spacing of each frame's packet train
   reveals. */
#ifndef PATHRATE_H
#define PATHRATE_H

#include "queuedelay.h"

#ifdef __cplusplus
extern "C" {
#endif
typedef struct {
  double start_Bps, min_Bps, max_Bps; /* wire bytes/s */
} PathRateParams;
typedef struct {
  uint64_t seq;               /* unwrapped */
  CcTime sent_at, arrived_at; /* sender's and receiver's clock */
  uint32_t wire_bytes;        /* RTP packet + UDP + IP */
  uint32_t frame;             /* equal within a frame: the RTP timestamp */
  CcDuration R;               /* round-trip time carried by the packet, 0: unknown */
} PathPacket;
typedef struct {
  double rate_Bps;     /* what the sender may send, wire bytes/s */
  double capacity_Bps; /* bottleneck estimate, 0: unknown */
  double receive_Bps;
  CcDuration queue_delay; /* smoothed */
} PathReport;

typedef struct {
  PathRateParams params;
  QueueDelay delay;
  double rate_Bps;
} PathRate;

void path_rate_params_init (PathRateParams *params);
void path_rate_init (PathRate *p, const PathRateParams *params);
void path_rate_on_packet (PathRate *p, const PathPacket *packet);
/* When the law wants to run next (once per period, sooner where the queue jumps); CC_TIME_NONE before the first packet.
 * Pure. */
CcTime path_rate_next_timeout (const PathRate *p);
/* Runs the law where it is due. Returns true when the rate changed enough to be worth an early report. */
bool path_rate_on_timeout (PathRate *p, CcTime now);
void path_rate_report (const PathRate *p, PathReport *report);

#ifdef __cplusplus
}
#endif
#endif
