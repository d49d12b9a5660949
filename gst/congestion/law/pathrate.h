/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The path rate of mode=low-delay, run by the receiver, or by the sender on reports of every packet; and the only one
   who writes it. docs/low-delay.md derives and measures the law.

     pathview.h     what the path shows: q, c, what is served, what arrives, who else is there
     queueowner.h   whose queue it is, judged once a period
     losscause.h    what loses the packets

   The parts say what they want R to be (ratewish.h), once a period of T, in this order; the last of them is what R is:

     queuejump.h    a jump of the queue: down at once, and nothing else until that shows; back when it is drained
     firstword.h    the first word of routers, in place of the rate to start with
     queueowner.h   a test whose queue it is
     lossanswer.h   a test of loss, and what it has shown
     backlog.h      alone on the path: what is served while a queue of ours stands is the capacity
     pathlaw.h      one step by the owner's row, where nothing is being tested and no backlog stands

   A longer route gives back what was had before it. */
#ifndef PATHRATE_H
#define PATHRATE_H

#include "backlog.h"
#include "firstword.h"
#include "lawclock.h"
#include "lossanswer.h"
#include "pathrateparams.h"
#include "pathreport.h"
#include "pathview.h"
#include "queuejump.h"
#include "queueowner.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  PathRateParams params;
  PathView view;
  QueueOwner queue;
  LossAnswer loss;
  Backlog backlog;
  QueueJump jump;
  FirstWord word;
  double rate_Bps;
  RateOwner owner;
  ToldRate told;
  LawClock clock;
  uint64_t jumps;
} PathRate;

void path_rate_init (PathRate *p, const PathRateParams *params);
void path_rate_set_weight (PathRate *p, double weight); /* honoured at once */
/* What a packet says that routers allow. For 2 s after each, 20 ms more of queue are left alone, and trains that arrive
   spread without a queue: routers that give rates keep a queue of their own, and share out. */
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
