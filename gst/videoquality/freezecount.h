/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Freezes of a picture, by two rules: the W3C's (webrtc-stats, freezeCount: a gap between two pictures of at least
   max (3 d, d + 150 ms), d the mean of the last 30 gaps before it), and gaps of at least a fixed time. */
#ifndef FREEZECOUNT_H
#define FREEZECOUNT_H

#include "cctime.h"

#include <stdbool.h>

#define FREEZE_COUNT_GAPS 30
#define FREEZE_COUNT_FIXED (200 * CC_MSECOND) /* default */

typedef struct {
  uint64_t n;
  CcDuration time; /* in gaps that are freezes */
} FreezeTotal;

typedef struct {
  CcDuration fixed_rule; /* > 0 */
  CcTime last;           /* CC_TIME_NONE: no picture yet */
  CcDuration gaps[FREEZE_COUNT_GAPS], sum;
  unsigned n, at;
  FreezeTotal w3c, fixed;
  CcDuration longest;
} FreezeCount;

void freeze_count_init (FreezeCount *f, CcDuration fixed_rule);
/* The next picture is the first of what follows a pause or a seek: the gap before it is no freeze. */
void freeze_count_forget_gap (FreezeCount *f);
/* A picture that was not shown before is displayed. now: not before the last one's, else it counts as that; more than
   2 s before it, time began anew. Returns the gap before it, CC_TIME_NONE: it is the first. */
CcDuration freeze_count_on_picture (FreezeCount *f, CcTime now);

#endif
