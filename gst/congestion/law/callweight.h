/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A call of weight w is to have w times what a call like it has. Where others are, it does as w calls would (MulTCP:
   Crowcroft & Oechslin 1998), each of R/w, in how it grows while the queue is met and in how it yields to the queue.

   Each of them would have less of the path than c, which is of trains that leave at gamma times all of R. On a full
   path of C

     c = gamma R C/(C + (gamma - 1) R),  so with R/w in place of R  c' = c R/(R + (w - 1) c/gamma)

   Alone there are no others, and R is R. */
#ifndef CALLWEIGHT_H
#define CALLWEIGHT_H

#include "pathview.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CALL_WEIGHT_MOST 4.0

/* All pure. [1, CALL_WEIGHT_MOST]; what is no weight is 1. */
double call_weight_sane (double weight);
/* Of one of the calls, bytes/s: its R, and what the bottleneck carries of it where that is c of all. */
double call_weight_rate (const PathView *v);
double call_weight_share (const PathView *v, double c_Bps);

#ifdef __cplusplus
}
#endif
#endif
