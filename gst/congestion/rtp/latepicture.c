/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "latepicture.h"

void
late_picture_init (LatePicture *p)
{
  *p = (LatePicture){0};
}

CcDuration
late_picture_move (LatePicture *p, CcTime time, CcTime decoded, CcDuration latency)
{
  CcDuration late = cc_time_since (decoded, time + latency);
  CcDuration following = time >= p->time ? cc_time_since (p->moved, (time - p->time) / 2) : 0;

  p->time = time;
  p->moved = late > following ? late : following;
  return p->moved;
}
