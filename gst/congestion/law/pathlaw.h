/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The low-delay law: P-AQM's outer loop (Lie 2008, paper F eq. 3) at the end of the path, one pure step. With T since
   the last step, d the loop's delay, and a row of numbers for whoever owns the queue:

     R <- R + R (T/d) (alpha e - y beta max (q - q*, 0)/d - beta m)

   e   how much less R is than c: eta c/R - 1 where c is a limit; positive, it is the row's growth, as others may be
       there. What the queue's slope says is taken off. Never below a little where single packets are served as they
       come, or below 0 without a queue; loss has the last word
   y   the part of the queue that is ours to drain, about R/c, the row's least and 1
   q*  what is left alone: the row's, and half of what one packet more or jitter makes
   m   the fraction of packets marked by routers that mark at once (ecnmarks.h); 0 where none do

   Growth ends at a multiple of what arrives: what was not sent has not been tried. */
#ifndef PATHLAW_H
#define PATHLAW_H

#include "pathview.h"
#include "queueowner.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double growth, bolder; /* 1/s, where c is more than R; more of it per s since a queue was met */
  bool gentle;           /* no more than a little about the rate that filled the path last */
  double queue_s;        /* q*; HUGE_VAL: the queue is not answered at all */
  double yields_least;   /* y */
  double slope;          /* 1/s, x what comes in too much; all of it where most of the path is ours */
  double single;         /* e at least, where single packets are served as they come */
  double unhindered;     /* e at least, while no queue stands; 0 while hardly one does */
} PathLawRow;

typedef struct {
  double near_Bps;  /* loss has been met there lately; HUGE_VAL: no */
  double next_Bps;  /* growth ends there until it is seen to hold; HUGE_VAL: no such limit */
  bool unexplained; /* nothing grows */
} PathLawLoss;

typedef struct {
  double rate_Bps;
  RateOwner owner; /* whose rule that is */
} PathLawStep;

PathLawRow path_law_row (OwnerKind kind);
/* T: s since the last one. R is the one that the view was told. */
PathLawStep path_law_step (const PathView *v, OwnerKind kind, const PathLawLoss *loss, double T, CcTime now);
/* A queue has jumped. One that is mostly of others goes when all of them yield as much: R alone comes down. */
bool path_law_yields_only (const PathView *v, OwnerKind kind);
/* R then, by what drains the queue within 0.4 s; c_Bps: what arrives, which is c from now on where it is mostly ours.
 */
double path_law_jump (const PathView *v, OwnerKind kind, double c_Bps);

#ifdef __cplusplus
}
#endif
#endif
