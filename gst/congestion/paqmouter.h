/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outer loop of P-AQM (Lie 2008, paper F eq. 1-4, paper D 2.3): what the media flows of a link are told to send,
   once per d = tau1 + tau2. tau1, the mean round-trip time, lets the flows follow; r is measured over tau2 only.

     ERF, per flow:   R <- R + (alpha (c - r) + beta dq/d)/N,   N = c/R; r/R where more than c arrives
     ECF, aggregate:  r' = r + alpha (c - r) + beta dq/d;       literal_ecf: x d/tau2, eq. 1 to the letter
       told as r'/r in [0.1, 1) (decrease), or (r' - r)/flows (increase); after five decreases above 0.96, 0.96

   c: utilisation x the link's media part; dq: N* - mean backlog over tau2.

   Measuring over groups of pictures longer than tau2. What follows R is counted in flows, y = r/R, and averaged over as
   many periods (up to 32) as show the same within the variation that this traffic has had so far: r = R mean (y). So
   the average lags behind flows that come and go, not behind R. A change larger than that variation, or one that stays,
   starts the average anew; a change that came back (a key frame) counts as variation for the next 15 s. `paper_window`
   takes the last tau2 alone.

   Flows that do not use their share: R stays below what a single flow could take without overload,
   (c - r) + 2 r/flows, and below c. */
#ifndef PAQMOUTER_H
#define PAQMOUTER_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PAQM_OUTER_WINDOWS 32

typedef struct {
  double alpha, beta;  /* default 0.75, 0.35; see paqmstability.h */
  CcDuration tau2;     /* [20 ms, 10 s], default 0.5 s */
  double utilisation;  /* (0, 1], default 0.95; 1.0 for large aggregates */
  double target_bytes; /* N* of the outer loop, >= 0, default 3500: a tenth of the inner loop's */
  double floor_Bps;    /* R is never below, > 0, default 3750 (30 kb/s) */
  double ceiling_Bps;  /* nor above, default HUGE_VAL: c alone */
  bool literal_ecf;    /* eq. 1: stable only within the region for tau2/d; default false */
  bool paper_window;   /* r over the last tau2 alone; default false */
} PaqmOuterParams;

typedef struct {
  bool decrease;       /* ratio is valid, else increase_Bps */
  double ratio;        /* [0.1, 1): each flow's rate times this */
  double increase_Bps; /* > = 0, per flow, bytes/s */
} PaqmEcf;

typedef struct {
  double bytes;    /* arrived */
  double per_flow; /* a flow that follows R sends this, bytes */
} PaqmWindow;

typedef struct {
  PaqmOuterParams params;
  double R;        /* explicit rate per flow, bytes/s; 0: not yet known */
  double R_before; /* what flows followed in tau1 */
  PaqmEcf ecf;
  double r_hat;  /* bytes/s, of the last period */
  double r_long; /* the same as averaged: what the laws use */
  double c, N_hat;
  CcDuration tau1;
  CcTime period_at;        /* when the running period began; CC_TIME_NONE: not started */
  double arrived, settled; /* bytes in this period; of them in tau2 */
  double queue_sum;        /* backlog samples of tau2 */
  uint32_t queue_samples;
  PaqmWindow windows[PAQM_OUTER_WINDOWS]; /* newest first at `head` */
  uint32_t head, n_windows;
  double up, down;     /* cumulated change, in units of the variation */
  double variation[2]; /* largest relative deviation of the last and of this block of 15 s */
  CcTime block_at, turned_at;
  double turned_by;
  uint32_t high_decreases; /* above 0.96, in a row */
  uint64_t periods, restarts;
} PaqmOuter;

void paqm_outer_params_init (PaqmOuterParams *params);
/* params out of range are replaced by their defaults. */
void paqm_outer_init (PaqmOuter *p, const PaqmOuterParams *params);
/* Media bytes that arrive, dropped ones included. Starts the first period. */
void paqm_outer_on_arrival (PaqmOuter *p, uint32_t bytes, CcTime now);
/* The media backlog, at even intervals (the inner loop's): the mean over tau2 is what counts. */
void paqm_outer_on_backlog (PaqmOuter *p, double bytes, CcTime now);
/* Mean round-trip time of the flows, [0, 5 s]; used from the next period on. */
void paqm_outer_set_tau1 (PaqmOuter *p, CcDuration tau1);
/* End of tau1 + tau2; CC_TIME_NONE before the first arrival. Pure. */
CcTime paqm_outer_next_timeout (const PaqmOuter *p);
/* c_media_Bps: the media part of the link, before utilisation; flows: media flows counted, 0: unknown. Returns true
   where a period ended and R and ecf are new. c of 0: nothing is changed. */
bool paqm_outer_on_timeout (PaqmOuter *p, double c_media_Bps, double flows, CcTime now);
/* Flows have joined since the period began: their R is lowered in proportion at once, before the next measurement. */
void paqm_outer_on_join (PaqmOuter *p, double flows_before, double flows_now);

#ifdef __cplusplus
}
#endif
#endif
