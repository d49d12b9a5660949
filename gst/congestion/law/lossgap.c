/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lossgap.h"

#define SAME_LOSSES (2 * CC_SECOND) /* between two of them, at most: what counts of loss remembers as long */

void
loss_gap_init (LossGap *g)
{
  *g = (LossGap){.at = CC_TIME_NONE};
}

void
loss_gap_on_packet (LossGap *g, uint64_t before, uint64_t number, double rate_Bps, CcTime now)
{
  if (number <= before + 1)
    return;
  if (g->at == CC_TIME_NONE || cc_time_since (now, g->at) > SAME_LOSSES) {
    g->first = before + 1;
    g->rate_Bps = rate_Bps;
  }
  g->at = now;
}

RateWish
loss_gap_excuse (LossGap *g, uint64_t first, uint64_t last, double rate_Bps)
{
  if (g->at == CC_TIME_NONE || g->first < first || g->first > last)
    return rate_wish_none;
  g->at = CC_TIME_NONE;
  return g->rate_Bps > rate_Bps ? (RateWish){g->rate_Bps, RATE_OWNER_LOSS} : rate_wish_none;
}
