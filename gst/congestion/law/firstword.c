/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "firstword.h"
#include "lawnumber.h"
#include <math.h>

RateWish
first_word_on_word (FirstWord *w, double word_Bps, double rate_Bps)
{
  w->waiting_Bps = word_Bps;
  return word_Bps < rate_Bps ? (RateWish){word_Bps, RATE_OWNER_ROUTER} : rate_wish_none;
}

RateWish
first_word_step (FirstWord *w, double capacity_Bps, double rate_Bps)
{
  double word_Bps = fmin (w->waiting_Bps, LAW_ETA * capacity_Bps);

  if (w->waiting_Bps == 0 || capacity_Bps == 0)
    return rate_wish_none;
  w->waiting_Bps = 0;
  return word_Bps > rate_Bps ? (RateWish){word_Bps, RATE_OWNER_ROUTER} : rate_wish_none;
}
