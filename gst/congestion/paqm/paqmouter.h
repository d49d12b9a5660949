/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outer loop of P-AQM (Lie 2008, paper F eq. 1-4, paper D 2.3): what the media flows of a link are told to send,
   once per d = tau1 + tau2. tau1, the mean round-trip time, lets the flows follow; r is measured over tau2 only.

     ERF, per flow:   R <- R + (alpha (c - r) + beta dq/d)/N,   N = c/R; r/R where more than c arrives
     ECF, aggregate:  r' = r + alpha (c - r) + beta dq/d;       literal_ecf: x d/tau2, eq. 1 to the letter
       told as r'/r in [0.1, 1) (decrease), or (r' - r)/flows (increase); after five changes by less than 0.04, 0.96

   c: utilisation x the link's media part; dq: N* - mean backlog over tau2. Where less
   than 0.9 c arrives and R is below c/flows, N = flows: newcomers find their share in a few periods.

   Measuring over groups of pictures longer than tau2. What arrives is taken as a multiple y of what the flows were
   told, and y averaged over as many periods (fading with 8 s; less where traffic hardly varies) as show the same within
   the variation this traffic has had so far: r = told x mean (y). So the average lags behind flows that change what
   they send, but not behind R, nor behind who joins: a newcomer is taken to have come with its share, as R is lowered
   for it. A change larger than that variation, or one that stays, or more than a tenth of the flows gone, starts the
   average anew; a change that came back (a key frame) counts as variation for the next 15 s. `paper_window` takes the
   last tau2 alone.

   Flows that do not use their share: R is at most c, and above 1.1 c/flows it grows by 8 % per period at most,
   so that flows that only start, or hold back after a loss, do not come back to twice what fits. Where the inner loop
   has dropped or marked, half of what R has above c/flows is taken back: else loss would govern flows that do obey.
   Where the rate of the heaviest flow is known, R above c/flows is no more than twice that: else it would grow
   while flows limit themselves, and take as long to come back when others join. */
#ifndef PAQMOUTER_H
#define PAQMOUTER_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double alpha, beta;  /* default 0.75, 0.35; see paqmstability.h */
  CcDuration tau2;     /* [20 ms, 10 s], default 0.5 s */
  double utilisation;  /* (0, 1], default 0.95; 1.0 for large aggregates */
  double target_bytes; /* N* of the outer loop, >= 0, default 3500: a tenth of the inner loop's */
  double floor_Bps;    /* R is never below, > 0, default 3750 (30 kb/s) */
  double ceiling_Bps;  /* nor above, default HUGE_VAL: c alone */
  bool literal_ecf;  /* eq. 1 where its region for the present tau2/d has (alpha, beta), else as eq. 3; default false */
  bool follow_ecf;   /* flows follow ECF rather than ERF: what they were told is r'; default false */
  bool paper_window; /* r over the last tau2 alone; default false */
} PaqmOuterParams;

typedef struct {
  bool decrease;       /* ratio is valid, else increase_Bps */
  double ratio;        /* [0.1, 1): each flow's rate times this */
  double increase_Bps; /* >= 0, per flow, bytes/s */
} PaqmEcf;

typedef struct {
  double bytes; /* arrived */
  double told;  /* R's or r's worth, bytes */
} PaqmWindow;

typedef struct {
  PaqmOuterParams params;
  double R; /* explicit rate per flow, bytes/s; 0: not yet known */
  PaqmEcf ecf;
  double told, told_before; /* bytes/s: what flows follow after tau1, and until then */
  double r_hat;             /* bytes/s, of the last tau2 */
  double r_long;            /* the same as averaged: what the laws use */
  double c;                 /* utilisation counted in */
  double flows;             /* 0: not counted */
  double N_hat;
  double heaviest_Bps; /* 0: not known */
  CcDuration tau1, next_tau1;
  CcTime period_at;        /* the running period began; CC_TIME_NONE: not started */
  PaqmWindow all, settled; /* of the running period, and of its tau2 */
  CcTime told_at;          /* up to when `told` is counted in them */
  double backlog_sum;
  uint32_t backlog_samples;
  PaqmWindow fading; /* y over as many periods as show the same, 8 s at most */
  uint32_t averaged; /* periods in it */
  double averaged_flows;
  bool losing;         /* the inner loop has dropped or marked since the period began */
  bool steady;         /* told the same as in the period before */
  double up, down;     /* cumulated change, in units of the variation */
  double variation[2]; /* |ln| of the largest deviation, in the last block of 15 s and in this one */
  CcTime block_at, turned_at;
  double turned_by;
  uint32_t small_changes; /* by less than 0.04, in a row */
  uint64_t periods, restarts;
} PaqmOuter;

void paqm_outer_params_init (PaqmOuterParams *params);
/* params out of range are replaced by their defaults. */
void paqm_outer_init (PaqmOuter *p, const PaqmOuterParams *params);
/* Live: R and what was measured stay. */
void paqm_outer_set_params (PaqmOuter *p, const PaqmOuterParams *params);
/* c is known: R starts at c/flows, if nothing is known of it yet. */
void paqm_outer_start (PaqmOuter *p, double c_media_Bps, double flows);
/* Media bytes that arrive, dropped ones included. Starts the first period. */
void paqm_outer_on_arrival (PaqmOuter *p, uint32_t bytes, CcTime now);
void paqm_outer_on_loss (PaqmOuter *p); /* the inner loop drops or marks a media packet that has arrived */
/* The media backlog, at even intervals (the inner loop's): the mean over tau2 is what counts. */
void paqm_outer_on_backlog (PaqmOuter *p, double bytes, CcTime now);
/* Mean round-trip time of the flows, [0, 5 s]; used from the next period on. */
void paqm_outer_set_tau1 (PaqmOuter *p, CcDuration tau1);
/* What the heaviest flow has sent lately; 0: not known. Used from the next period on. */
void paqm_outer_set_heaviest (PaqmOuter *p, double heaviest_Bps);
/* No more than 1.25 times what the counted flows were told has come of late, so that dropping is not what regulates.
   Pure. */
bool paqm_outer_is_followed (const PaqmOuter *p);
/* End of tau1 + tau2; CC_TIME_NONE before the first arrival. Pure. */
CcTime paqm_outer_next_timeout (const PaqmOuter *p);
/* c_media_Bps: the media part of the link, before utilisation; flows: media flows counted, 0: unknown. Returns true
   where a period ended and R and ecf are new. c of 0: nothing is changed. */
bool paqm_outer_on_timeout (PaqmOuter *p, double c_media_Bps, double flows, CcTime now);
/* The media part of the link or the flows in it have changed: R follows at once, without waiting for a measurement. It
   is scaled with c; newcomers lower it to their part, who leaves does not raise it. */
void paqm_outer_set_share (PaqmOuter *p, double c_media_Bps, double flows, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
