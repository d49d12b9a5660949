/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A call of weight w is to have w times what a call like it has. It does as w calls would (MulTCP: Crowcroft & Oechslin
   1998): wherever the law asks how large R is among others, it is R/w. Alone there are no others, and R is R. */
#ifndef CALLWEIGHT_H
#define CALLWEIGHT_H

#include "pathview.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CALL_WEIGHT_MOST 4.0

/* [1, CALL_WEIGHT_MOST]; what is no weight is 1. Pure. */
double call_weight_sane (double weight);
/* R as it counts among others, bytes/s. Pure. */
double call_weight_rate (const PathView *v);

#ifdef __cplusplus
}
#endif
#endif
