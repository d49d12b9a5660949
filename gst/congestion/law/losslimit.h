/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate at which a path was found to lose packets by congestion. Known for 60 s, or until it is seen to be over. */
#ifndef LOSSLIMIT_H
#define LOSSLIMIT_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double rate_Bps; /* 0: none */
  CcTime at;
} LossLimit;

/* So much arrived of what was too much. */
void loss_limit_meet (LossLimit *l, double arrived_Bps, CcTime now);
void loss_limit_forget (LossLimit *l);

/* Pure. */
double loss_limit_Bps (const LossLimit *l, CcTime now); /* HUGE_VAL: none */
/* So little is sent that what is lost then has another cause. */
bool loss_limit_is_far (const LossLimit *l, double sent_Bps, CcTime now);
/* So much is sent that it is over if nothing is lost. */
bool loss_limit_is_passed (const LossLimit *l, double sent_Bps, CcTime now);
/* What arrives where it is met once more. */
double loss_limit_arrives (const LossLimit *l, double receive_Bps, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
