/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "freezecount.h"

#define W3C_FACTOR 3
#define W3C_EXTRA (150 * CC_MSECOND)
#define BACK_MAX (2 * CC_SECOND) /* what is further back is a clock that began anew */

void
freeze_count_init (FreezeCount *f, CcDuration fixed_rule)
{
  *f = (FreezeCount){.fixed_rule = fixed_rule, .last = CC_TIME_NONE};
}

static bool
is_w3c_freeze (const FreezeCount *f, CcDuration gap)
{
  CcDuration d;

  if (f->n == 0)
    return false;
  d = f->sum / f->n;
  return gap >= W3C_FACTOR * d && gap >= d + W3C_EXTRA;
}

static void
count (FreezeTotal *total, CcDuration gap)
{
  total->n++;
  total->time += gap;
}

static void
remember (FreezeCount *f, CcDuration gap)
{
  if (f->n == FREEZE_COUNT_GAPS)
    f->sum -= f->gaps[f->at];
  else
    f->n++;
  f->gaps[f->at] = gap;
  f->sum += gap;
  f->at = (f->at + 1) % FREEZE_COUNT_GAPS;
}

void
freeze_count_forget_gap (FreezeCount *f)
{
  f->last = CC_TIME_NONE;
}

CcDuration
freeze_count_on_picture (FreezeCount *f, CcTime now)
{
  CcDuration gap;

  if (f->last == CC_TIME_NONE || cc_time_since (f->last, now) > BACK_MAX) {
    f->last = now;
    return CC_TIME_NONE;
  }
  gap = cc_time_since (now, f->last);
  if (now > f->last)
    f->last = now;
  if (is_w3c_freeze (f, gap))
    count (&f->w3c, gap);
  if (gap >= f->fixed_rule)
    count (&f->fixed, gap);
  if (gap > f->longest)
    f->longest = gap;
  remember (f, gap);
  return gap;
}
