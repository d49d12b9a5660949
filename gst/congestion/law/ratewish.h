/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a part of the low-delay law wants R to be, and in whose name. The path rate alone writes it (pathrate.h). */
#ifndef RATEWISH_H
#define RATEWISH_H

#include "rateowner.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double rate_Bps;
  RateOwner owner; /* RATE_OWNER_UNKNOWN: no wish, as it is */
} RateWish;

static const RateWish rate_wish_none = {0, RATE_OWNER_UNKNOWN};

#ifdef __cplusplus
}
#endif
#endif
