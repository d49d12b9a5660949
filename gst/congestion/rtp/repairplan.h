/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What asking again can mend, and what it costs in waiting. From what a stream shows (loss p and its mean burst b,
   packets a frame n, how late packets are) and how requests fare (time L until a packet is late at all, N until it is
   asked for, S until the answer is there with its mean deviation V, share q that stays without one):

     a frame is hit with e = min (1, n p / b), and lost after k rounds with  F(k) = e (1 - (1 - q^k)^b)
     the player has to wait  W(k) = L + N + (k - 1) (S + 2 V) + S + z D

   with D the deviations of L, N and S together and z such that what is later still is tolerable.

   The plan is the least k for which F(k) is tolerable, within what the player may wait: fewer rounds where W(k) is
   more, none where not even one fits (a key unit is the better request then, and at once). Where redundancy (fecplan.h)
   mends frames by itself, e is what it leaves, and requests wait until it has had its time. Where a second round would
   come when the picture already stands, each round asks twice, so far apart that one burst does not take both.
   nackrequest.h keeps the packets; this sets its times. */
#ifndef REPAIRPLAN_H
#define REPAIRPLAN_H

#include "nackrequest.h"
#include "recentloss.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  CcDuration least, most; /* the player waits so long at least, and at most; default 100 and 400 ms */
  double tolerable;       /* share of frames lost for which nothing more is done, default 0.001: two a minute */
  CcDuration patience;    /* a picture that stands so much longer than usual is a freeze, default 150 ms: the W3C's
                             freezeCount */
  unsigned max_rounds;    /* default 4 */
  uint32_t clock_rate;    /* of RTP timestamps, default 90000 */
} RepairPlanParams;

/* Mean and mean deviation, RFC 6298 2. */
typedef struct {
  bool any;
  double mean, deviation; /* s */
} RepairSpan;

typedef struct {
  RepairPlanParams params;
  CcDuration rtt; /* 0: not known */
  bool started;
  uint32_t highest, frame; /* extended sequence number; RTP timestamp */
  unsigned in_frame;
  RecentLoss all;       /* p, b */
  RecentLoss own;       /* the same of packets that met no queue */
  double frame_packets; /* n */
  double interval;      /* s: between two frames; 0: not known */
  double base;          /* s: least arrival - RTP time, of late */
  double late;          /* s: by how much the newest packet was later */
  RepairSpan lateness, reveal, notice, answer;
  double asks, unanswered; /* lately */
  unsigned reordered;      /* the furthest that a packet has been overtaken by, of late */
  CcTime reordered_at, last_at, answered_at, needed_at;
  double failing;             /* share of frames hit that redundancy does not mend; 1: there is none */
  CcDuration redundancy_wait; /* it needs */
  CcDuration grace;           /* and has, before anything is asked for */
  /* the plan */
  unsigned rounds, copies; /* 0 rounds: asking is of no use */
  double need;             /* s: W, smoothed; 0: no rounds */
  CcDuration spacing;      /* between two rounds */
  CcDuration copy_spacing; /* between two requests of one round */
  CcDuration wait;         /* W, within least and most; falls only after it was not needed for a while */
  double frame_loss;       /* F, expected */
} RepairPlan;

void repair_plan_params_init (RepairPlanParams *params);
void repair_plan_init (RepairPlan *r, const RepairPlanParams *params);
void repair_plan_set_limits (RepairPlan *r, CcDuration least, CcDuration most);
void repair_plan_set_rtt (RepairPlan *r, CcDuration rtt);
/* What redundancy does by itself, failing 1: nothing; wait: what the player needs for it beside how late packets are.
 */
void repair_plan_set_redundancy (RepairPlan *r, double failing, CcDuration wait, CcDuration grace);
/* A packet of the stream itself, not one that was sent again. queued: a queue stands on its path. */
void repair_plan_on_packet (RepairPlan *r, uint32_t seq, uint32_t rtp_time, bool queued, CcTime now);
/* A packet was asked for first, so long after it was missed: the guard against reordering and RTCP's turn. */
void repair_plan_on_asked (RepairPlan *r, CcDuration waited);
/* It came after so many requests; since: the last of them. Only a first request's answer can be told to be its own
   (Karn's rule). */
void repair_plan_on_answer (RepairPlan *r, unsigned tries, CcDuration since);
/* It has not come after so many requests. */
void repair_plan_on_failure (RepairPlan *r, unsigned tries);
/* What the path loses of its own: of packets that met no queue, and no more than of all, where a queue stays. */
RecentLoss repair_plan_own_loss (const RepairPlan *r);
/* What asking can do within `most`, without redundancy; false: nothing. answer: from when a gap is there to the answer,
   in the mean; unanswered: share of the packets that stay missing. */
bool repair_plan_can_ask (const RepairPlan *r, CcDuration *answer, double *unanswered);
/* Works the plan out anew. */
void repair_plan_update (RepairPlan *r, CcTime now);
/* Hands it over. */
void repair_plan_apply (const RepairPlan *r, NackRequest *n);

#ifdef __cplusplus
}
#endif
#endif
