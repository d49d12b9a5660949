/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "explicitrate.h"

#define MAX_STEP_BACK 3000

void
explicit_rate_init (ExplicitRate *e)
{
  *e = (ExplicitRate){.at = CC_TIME_NONE};
}

double
explicit_rate_current (const ExplicitRate *e, CcTime now)
{
  return e->at != CC_TIME_NONE && cc_time_since (now, e->at) < EXPLICIT_RATE_LIFE ? e->rate_Bps : 0;
}

static bool
is_late (const ExplicitRate *e, uint64_t order)
{
  return e->at != CC_TIME_NONE && order < e->order && e->order - order <= MAX_STEP_BACK;
}

bool
explicit_rate_on_packet (ExplicitRate *e, const ErfExtension *value, uint64_t order, CcTime now)
{
  if (!value->set)
    return false;
  e->marked++;
  if (!(value->rate_Bps > 0)) {
    e->absurd++;
    return false;
  }
  if (is_late (e, order)) {
    e->late++;
    return false;
  }
  if (!(explicit_rate_current (e, now) > 0))
    e->told_Bps = 0;
  e->rate_Bps = value->rate_Bps;
  e->hop = value->hop;
  e->order = order;
  e->at = now;
  if (e->urgent || (e->told_Bps > 0 && e->rate_Bps > EXPLICIT_RATE_FALL * e->told_Bps))
    return false;
  e->urgent = true;
  return true;
}

void
explicit_rate_told (ExplicitRate *e, CcTime now)
{
  e->told_Bps = explicit_rate_current (e, now);
  e->urgent = false;
}
