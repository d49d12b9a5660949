/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The low-delay law: P-AQM's outer loop (Lie 2008, paper F eq. 3) at the end of the path, one pure step. With T since
   the last step, d the loop's delay, and a row of numbers for whoever owns the queue:

     R <- R + R (T/d) (alpha e - y beta max (q - q*, 0)/d - beta m)

   e   how much less R is than c, or how much it may grow (capacitymismatch.h)
   y   the part of the queue that is ours to drain, about R/c, 1 where the row says so
   q*  what is left alone: the row's, and half of what one packet more or jitter makes
   m   the fraction of packets marked by routers that mark at once (ecnmarks.h); 0 where none do

   Growth ends at a multiple of what arrives: what was not sent has not been tried. */
#ifndef PATHLAW_H
#define PATHLAW_H

#include "capacitymismatch.h"
#include "lossanswer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  MismatchRow mismatch;
  bool yields_all; /* y is 1, whatever part of the path is ours */
} PathLawRow;

/* Pure, all of them. */
PathLawRow path_law_row (OwnerKind kind);
/* y */
double path_law_yields (const PathView *v, const PathLawRow *row, double c_Bps);
/* T: s since the last one. R is the one that the view was told. */
RateWish path_law_step (const PathView *v, OwnerKind kind, LossGrowth loss, double T, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
