/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "explicitrate.h"

#include <math.h>

#define MAX_STEP_BACK 3000

void
explicit_rate_init (ExplicitRate *e)
{
  *e = (ExplicitRate){.at = CC_TIME_NONE, .relay_at = CC_TIME_NONE};
}

/* HUGE_VAL: it is not. */
static double
fresh (double rate_Bps, CcTime at, CcTime now)
{
  return at != CC_TIME_NONE && cc_time_since (now, at) < EXPLICIT_RATE_LIFE ? rate_Bps : HUGE_VAL;
}

double
explicit_rate_current (const ExplicitRate *e, CcTime now)
{
  double least = fmin (fresh (e->rate_Bps, e->at, now), fresh (e->relay_Bps, e->relay_at, now));

  return isfinite (least) ? least : 0;
}

uint16_t
explicit_rate_hop (const ExplicitRate *e, CcTime now)
{
  return fresh (e->relay_Bps, e->relay_at, now) < fresh (e->rate_Bps, e->at, now) ? EXPLICIT_RATE_RELAY : e->hop;
}

static bool
becomes_urgent (ExplicitRate *e, CcTime now)
{
  if (e->urgent || (e->told_Bps > 0 && explicit_rate_current (e, now) > EXPLICIT_RATE_FALL * e->told_Bps))
    return false;
  e->urgent = true;
  return true;
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
  return becomes_urgent (e, now);
}

bool
explicit_rate_on_relay (ExplicitRate *e, double rate_Bps, CcTime now)
{
  if (!(explicit_rate_current (e, now) > 0))
    e->told_Bps = 0;
  e->relay_Bps = rate_Bps;
  e->relay_at = now;
  return becomes_urgent (e, now);
}

void
explicit_rate_told (ExplicitRate *e, CcTime now)
{
  e->told_Bps = explicit_rate_current (e, now);
  e->urgent = false;
}
