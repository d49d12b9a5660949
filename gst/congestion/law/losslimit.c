/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "losslimit.h"
#include <math.h>

#define LIFE (60 * CC_SECOND)
#define BACK_OFF 0.95
#define NEAR 0.85
#define BEYOND 2.0

void
loss_limit_meet (LossLimit *l, double arrived_Bps, CcTime now)
{
  *l = (LossLimit){BACK_OFF * arrived_Bps, now};
}

void
loss_limit_forget (LossLimit *l)
{
  l->rate_Bps = 0;
}

double
loss_limit_Bps (const LossLimit *l, CcTime now)
{
  return l->rate_Bps > 0 && cc_time_since (now, l->at) < LIFE ? l->rate_Bps : HUGE_VAL;
}

bool
loss_limit_is_far (const LossLimit *l, double sent_Bps, CcTime now)
{
  return sent_Bps <= NEAR * loss_limit_Bps (l, now);
}

bool
loss_limit_is_passed (const LossLimit *l, double sent_Bps, CcTime now)
{
  return sent_Bps > BEYOND * loss_limit_Bps (l, now);
}

double
loss_limit_arrives (const LossLimit *l, double receive_Bps, CcTime now)
{
  return fmin (receive_Bps, loss_limit_Bps (l, now) / BACK_OFF);
}
