/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What R was when the first of some losses came, for those that turn out to be no congestion: it is that again. */
#ifndef LOSSGAP_H
#define LOSSGAP_H

#include "cctime.h"
#include "ratewish.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  CcTime at;       /* the last loss; CC_TIME_NONE: none, or it was excused */
  uint64_t first;  /* number of the first of those that it belongs to */
  double rate_Bps; /* R then */
} LossGap;

void loss_gap_init (LossGap *g);
/* Numbers of the packet and of the one before it, among those of which is known whether they arrived. */
void loss_gap_on_packet (LossGap *g, uint64_t before, uint64_t number, double rate_Bps, CcTime now);
/* What is missing from first to last is excused. rate_Bps: R as it is. */
RateWish loss_gap_excuse (LossGap *g, uint64_t first, uint64_t last, double rate_Bps);

#ifdef __cplusplus
}
#endif
#endif
