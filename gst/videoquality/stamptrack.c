/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stamptrack.h"

#include <math.h>

#define NUMBERS_MAX 100 /* between two stamps that tell the spacing */
#define BEHIND_MAX 300  /* what is further back is a new beginning */
#define AGE_MAX (10 * CC_SECOND)
#define GAIN 0.125
#define TOLERANCE 0.25 /* pictures */

void
stamp_track_init (StampTrack *t)
{
  *t = (StampTrack){.at = CC_TIME_NONE};
}

static void
learn_spacing (StampTrack *t, const LumaStamp *stamp, CcTime at)
{
  uint32_t numbers = stamp->number - t->stamp.number;
  double spacing;

  if (numbers < 1 || numbers > NUMBERS_MAX || at <= t->at)
    return;
  spacing = (double)(at - t->at) / numbers;
  t->spacing += (t->spacing > 0 ? GAIN : 1) * (spacing - t->spacing);
}

/* Decoders put an older picture where one is missing. */
static bool
is_shown_again (const StampTrack *t, const LumaStamp *stamp)
{
  return t->known && t->stamp.number - stamp->number < BEHIND_MAX && stamp->time <= t->stamp.time;
}

void
stamp_track_on_stamp (StampTrack *t, const LumaStamp *stamp, CcTime at)
{
  if (at == CC_TIME_NONE || is_shown_again (t, stamp))
    return;
  if (t->known)
    learn_spacing (t, stamp, at);
  t->known = true;
  t->stamp = *stamp;
  t->at = at;
}

bool
stamp_track_guess (const StampTrack *t, CcTime at, LumaStamp *stamp)
{
  double pictures;

  if (!t->known || !(t->spacing > 0) || at == CC_TIME_NONE || at <= t->at || at - t->at > AGE_MAX)
    return false;
  pictures = (double)(at - t->at) / t->spacing;
  if (pictures < 1 - TOLERANCE || fabs (pictures - round (pictures)) > TOLERANCE)
    return false;
  *stamp = t->stamp;
  stamp->number += (uint32_t)round (pictures);
  stamp->time += at - t->at;
  return true;
}
