/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "linkslots.h"

#include <math.h>

#define CATCH_UP (1.0 / 8)
#define LATENESS_GAIN (1.0 / 16)
#define LONGEST_SERVICE 3600.0 /* s */

void
link_slots_init (LinkSlots *s, double capacity_Bps)
{
  *s = (LinkSlots){.last_at = CC_TIME_NONE, .idle = true};
  link_slots_set_capacity (s, capacity_Bps, 0);
}

void
link_slots_set_capacity (LinkSlots *s, double capacity_Bps, CcTime now)
{
  double left = (double)cc_time_since (s->free_at, now), before = s->capacity_Bps;

  s->capacity_Bps = capacity_Bps > 0 ? capacity_Bps : 0;
  if (left > 0 && before > 0)
    s->free_at = cc_time_add (now, s->capacity_Bps > 0 ? cc_duration (left * 1e-9 * before / s->capacity_Bps) : 0);
}

bool
link_slots_may_send (const LinkSlots *s, CcTime now)
{
  return s->free_at <= now || !(s->capacity_Bps > 0);
}

CcTime
link_slots_next (const LinkSlots *s)
{
  CcTime rested = s->last_at == CC_TIME_NONE ? 0 : cc_time_add (s->last_at, LINK_SLOTS_GRAIN);

  return s->free_at > rested ? s->free_at : rested;
}

static void
note_usual (LinkSlots *s, CcDuration late)
{
  double mean = (double)s->lateness + LATENESS_GAIN * ((double)late - (double)s->lateness);

  s->lateness = mean < LINK_SLOTS_LATENESS_MAX ? (CcDuration)mean : LINK_SLOTS_LATENESS_MAX;
}

static void
note_lateness (LinkSlots *s, CcTime now)
{
  CcDuration late = cc_time_since (now, s->free_at);

  if (s->idle) {
    s->free_at = late > 0 ? now : s->free_at;
  } else {
    CcDuration usual = LINK_SLOTS_GRAIN + s->lateness;

    if (late > usual) {
      s->owed += late - usual;
      s->owed = s->owed < LINK_SLOTS_OWED_MAX ? s->owed : LINK_SLOTS_OWED_MAX;
      s->free_at = now - usual;
    }
    if (now > s->last_at)
      note_usual (s, cc_time_since (late, LINK_SLOTS_GRAIN));
  }
  s->idle = false;
  s->last_at = now;
}

void
link_slots_on_departure (LinkSlots *s, uint32_t bytes, CcTime now)
{
  double service, paid;

  if (!(s->capacity_Bps > 0)) {
    s->free_at = s->last_at = now;
    return;
  }
  note_lateness (s, now);
  service = fmin (bytes / s->capacity_Bps, LONGEST_SERVICE) * 1e9 + s->carry_ns;
  paid = fmin ((double)s->owed, floor (service * CATCH_UP));
  s->owed -= (CcDuration)paid;
  service -= paid;
  s->carry_ns = service - floor (service);
  s->free_at = cc_time_add (s->free_at, (CcDuration)service);
}

void
link_slots_on_idle (LinkSlots *s)
{
  s->idle = true;
  s->owed = 0;
}
