/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much redundancy (fecencoder.h) a stream is worth, and what that mends.

   Each packet lost is an unknown, each sum that arrives takes one away; where none are left all is known. On a path
   that loses p of the packets, b in a row (Gilbert), for frames of n packets with s n sums behind each, the number of
   unknowns is a Markov chain whose distribution is followed packet by packet: a frame is whole, and all in front of it,
   when it has been back at 0. That gives, for each share s,

     delay:  by which frames are shown later, as they or others in front of them are not whole, s
     lost:   frames hit that are not whole when the player has waited for as long as it may

   of which requests (repairplan.h) mend what they can. The plan is the share that costs least, in dB:

     cost (s) = rate_dB log2 (1 + s + a) + delay_dB delay + lost_dB lost / (1 + (b - 1) / n)

   a being the packets that are sent again, as sums have not mended them; frames that one burst takes break the picture
   once. */
#ifndef FECPLAN_H
#define FECPLAN_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double rate_dB;      /* what half of the rate costs, default 2.5: x264enc at 1 Mb/s */
  double delay_dB;     /* that all frames are shown a second sooner, default 12 */
  double lost_dB;      /* that none is lost, default 150: a third of a second of a broken picture and a key unit */
  double tolerable;    /* share of frames lost for which the player waits no longer, default 0.001 */
  CcDuration patience; /* requests wait for sums so long, a frame that comes so much later is late; default 60 ms */
} FecPlanParams;

/* The path, the stream, and what requests do for it. */
typedef struct {
  double loss, burst;              /* p, b >= 1 */
  double frame_packets;            /* n */
  CcDuration frame_interval, most; /* most: that a packet may be waited for */
  CcDuration answer;               /* until a request is answered, from when the packet is missed; 0: nobody asks */
  double unanswered;               /* share of requests without an answer in time, 1: nobody asks */
} FecView;

#define FEC_PLAN_FRAMES 16

/* What a share of sums does: shares of all frames. */
typedef struct {
  double hit;
  double late[FEC_PLAN_FRAMES + 1];   /* hit, and not whole with the sums of so many frames behind their own */
  double behind[FEC_PLAN_FRAMES + 1]; /* those, and those that have such in front of them */
} FecOutcome;

typedef struct {
  FecPlanParams params;
  double share;      /* sums per packet; 0: none are wanted */
  CcDuration wait;   /* the player needs for it, from when the frame should be whole */
  double late, lost; /* shares of all frames, expected with that of sums; late: not shown within patience */
  double delay;      /* s, the mean of all frames */
  double failing;    /* share of the frames hit that sums do not mend in time, 1 with none */
} FecPlan;

void fec_plan_params_init (FecPlanParams *params);
void fec_plan_init (FecPlan *f, const FecPlanParams *params);
void fec_plan_update (FecPlan *f, const FecView *view);
/* The chain by itself. share: 0 .. 2. */
void fec_plan_outcome (const FecView *view, double share, FecOutcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
