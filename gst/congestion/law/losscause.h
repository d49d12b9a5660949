/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What loses the packets of a flow: congestion, or a path that loses some at any rate? Run by whoever runs the path
   rate (pathrate.h), on packets as they arrive. docs/low-delay.md measures it.

   Losses are counted as gaps (runs of lost packets), over the last 1.5 s, 150 packets at least. Congestion are

     by the queue   those that calmloss.h finds
     by the rate    those beyond the floor, which is what stays at any rate. Nothing is excused that is not being tried,
                    or has been (losstrial.h): where the path shows room, by growing on, else where more gaps come than
                    the floor says, by going down. No loss in 4 s of growing on, and what was lost is over.

   What differs by chance is left out: one gap and 1.5 standard deviations. Above a floor the rate grows no further than
   to one and a half of what was sent without an excess. */
#ifndef LOSSCAUSE_H
#define LOSSCAUSE_H

#include "calmloss.h"
#include "losslimit.h"
#include "losstrial.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  LOSS_GO_ON,
  LOSS_BEGIN_TEST, /* hold trial.test_Bps */
  LOSS_RATE_FREE,  /* the test is over: loss does not depend on the rate, take the one before */
  LOSS_CONGESTION  /* go to the limit: what arrived */
} LossVerdict;

typedef struct {
  bool started;
  uint64_t seq;                /* of the newest packet */
  LossCount all, quiet, floor; /* quiet: while no queue stands */
  CalmLoss calm;
  LossTrial trial;
  LossLimit limit;        /* when the rate was found to be the cause */
  bool learning;          /* what is lost now is lost at any rate */
  double verified_Bps;    /* nothing more is lost than is known, up to here */
  double clean_packets;   /* since the last excess */
  double gapless_packets; /* since the last gap */
  bool unexplained;       /* an excess that is still to be tested */
  CcTime at, test_at;
  uint64_t rises, tests, congestions;
} LossCause;

void loss_cause_init (LossCause *l);
/* A packet, in the order of arrival. seq: unwrapped, among the packets of which is known whether they arrived; q: its
   queueing delay, s, >= 0; busy: a queue stands. */
void loss_cause_on_packet (LossCause *l, uint64_t seq, double q, bool busy);

typedef struct {
  double rate_Bps;                     /* what may be sent */
  double receive_Bps, receive_now_Bps; /* what arrives, over the last second; of late */
  double limit_Bps;                    /* what the path shows that it carries; HUGE_VAL: more than was tried */
  double packet_bytes;
  double R;             /* round-trip time, s; 0: unknown */
  double loop;          /* s until a change of rate shows */
  bool queue_is_others; /* no test now, all loss is congestion */
} LossPath;
/* To be called every 50 to 200 ms. */
LossVerdict loss_cause_judge (LossCause *l, const LossPath *path, CcTime now);
/* Something else sets the rate now. */
void loss_cause_abort (LossCause *l, CcTime now);
bool loss_cause_testing (const LossCause *l);
/* Packets lost of those sent, lately, [0, 1]; and that part of it which is no congestion. */
double loss_cause_loss (const LossCause *l);
double loss_cause_excused (const LossCause *l, bool queue_is_others);
/* Above a floor: up to where the rate may grow, HUGE_VAL otherwise. */
double loss_cause_next_step (const LossCause *l);

#ifdef __cplusplus
}
#endif
#endif
