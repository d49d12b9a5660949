/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path rate of mode=low-delay, run by the receiver, or by the sender on reports of every packet; and the only one
   who writes it. docs/low-delay.md derives and measures the law.

     pathview.h     what the path shows: q, c, what is served, what arrives, who else is there
     queueowner.h   whose queue it is, judged once a period
     losscause.h    what loses the packets
     backlog.h      alone on the path: what is served while a queue of ours stands is the capacity
     pathlaw.h      a row of numbers for each owner, one step

   Once a period of T each is asked, and the first to answer sets R: a longer route gives back what was had before it; a
   jump of the queue takes R down at once; a test of loss or of an owner holds it; a backlog of ours is followed; else
   the law takes its step. A jump is a packet that waits 35 ms and more, for 30 ms, while less arrives than is sent. */
#ifndef PATHRATE_H
#define PATHRATE_H

#include "backlog.h"
#include "losscause.h"
#include "pathview.h"
#include "queueowner.h"
#include "rateowner.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double start_Bps, min_Bps, max_Bps; /* wire bytes/s */
} PathRateParams;

typedef struct {
  double rate_Bps;     /* what the sender may send, wire bytes/s */
  double capacity_Bps; /* bottleneck estimate, 0: unknown */
  double receive_Bps;
  CcDuration queue_delay; /* smoothed */
  RateOwner owner;        /* who set rate_Bps */
  unsigned ecn;           /* ARRIVAL_ECN_BIT of what has come since the last report; 0: not known */
  double loss, excused;   /* lost of the packets sent, lately, [0, 1]; the part that is no congestion (losscause.h) */
} PathReport;

typedef struct {
  PathRateParams params;
  PathView view;
  QueueOwner queue;
  LossCause loss;
  Backlog backlog;
  double rate_Bps;
  RateOwner owner;
  double reported_Bps;         /* what was told last */
  double before_loss_test_Bps; /* R */
  double start_word_Bps;       /* the first word of routers, waiting for the first trains; 0: none */
  CcTime gap_at;               /* the last loss; CC_TIME_NONE: none, or it was excused */
  uint64_t before_gap;         /* number of the first of those that it belongs to */
  double before_gap_Bps;       /* R then */
  double drained_Bps;          /* R when the queue of a jump is gone, c then; 0: none */
  bool jump;                   /* to be answered */
  CcTime next_at, updated_at, hold_until;
  uint64_t jumps;
} PathRate;

void path_rate_params_init (PathRateParams *params);
void path_rate_init (PathRate *p, const PathRateParams *params);
/* What a packet says that routers allow. The first word takes the place of start_Bps where no packet has shown a limit
   yet: downwards at once, upwards when the first trains have shown how much comes through, and no further. For 2 s
   after each, 20 ms more of queue are left alone, and trains that arrive spread without a queue: routers that give
   rates keep a queue of their own, and share out. */
void path_rate_on_explicit_rate (PathRate *p, double rate_Bps, CcTime now);
void path_rate_on_packet (PathRate *p, const PathPacket *packet);
/* What is missing from first to last, as PathPacket counts, is no congestion: R is what it was before. What that does
   to the path shows in its queue, as ever. */
void path_rate_excuse (PathRate *p, uint64_t first, uint64_t last);
/* When the law wants to run next (once per period, sooner where the queue jumps); CC_TIME_NONE before the first packet.
 * Pure. */
CcTime path_rate_next_timeout (const PathRate *p);
/* Runs the law where it is due. Returns true when the rate changed enough to be worth an early report. */
bool path_rate_on_timeout (PathRate *p, CcTime now);
void path_rate_report (const PathRate *p, PathReport *report);
void path_rate_reported (PathRate *p); /* that was sent */

#ifdef __cplusplus
}
#endif
#endif
