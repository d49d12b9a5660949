/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the law runs: once a period, at once where something cannot wait for that, and not while it rests until an
   answer to a jump, or a test, shows. */
#ifndef LAWCLOCK_H
#define LAWCLOCK_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  CcTime next_at, ran_at, rests_until;
} LawClock;

void law_clock_start (LawClock *c, CcTime now);
void law_clock_at_once (LawClock *c, CcTime now);
void law_clock_rest (LawClock *c, CcDuration span, CcTime now);
/* It has run; the next time is a period of that many s later. */
void law_clock_ran (LawClock *c, double period, CcTime now);

/* Pure. */
bool law_clock_is_due (const LawClock *c, CcTime now);
bool law_clock_rests (const LawClock *c, CcTime now);
double law_clock_since (const LawClock *c, CcTime now); /* s since it ran, 0.2 at most */

#ifdef __cplusplus
}
#endif
#endif
