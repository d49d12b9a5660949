/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lawclock.h"
#include <math.h>

#define FIRST_PERIOD (50 * CC_MSECOND)
#define MAX_PERIOD 0.2 /* s: a longer pause was none of the law's */

void
law_clock_start (LawClock *c, CcTime now)
{
  *c = (LawClock){.next_at = cc_time_add (now, FIRST_PERIOD), .ran_at = now, .rests_until = now};
}

void
law_clock_at_once (LawClock *c, CcTime now)
{
  c->next_at = now;
}

void
law_clock_rest (LawClock *c, CcDuration span, CcTime now)
{
  c->rests_until = cc_time_add (now, span);
}

void
law_clock_ran (LawClock *c, double period, CcTime now)
{
  c->ran_at = now;
  c->next_at = cc_time_add (now, cc_duration (period));
}

bool
law_clock_is_due (const LawClock *c, CcTime now)
{
  return now >= c->next_at;
}

bool
law_clock_rests (const LawClock *c, CcTime now)
{
  return now < c->rests_until;
}

double
law_clock_since (const LawClock *c, CcTime now)
{
  return fmin (cc_seconds (cc_time_since (now, c->ran_at)), MAX_PERIOD);
}
