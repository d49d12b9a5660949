/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A time that only runs forward, from the time stamps of frames: seeks, new segments and reordered frames do not turn
   it back, and a gap counts for at most 10 s. */
#ifndef STREAMTIME_H
#define STREAMTIME_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STREAM_TIME_GAP (10 * CC_SECOND)

typedef struct {
  CcTime now, stamp;
  bool started;
} StreamTime;

/* A buffer stamped `stamp`. True where it begins a new frame: its stamp is not that of the buffer before. */
static inline bool
stream_time_advance (StreamTime *t, CcTime stamp)
{
  bool begins = !t->started || stamp != t->stamp;

  if (t->started)
    t->now = cc_time_add (t->now, cc_time_min (cc_time_since (stamp, t->stamp), STREAM_TIME_GAP));
  t->stamp = stamp;
  t->started = true;
  return begins;
}

#ifdef __cplusplus
}
#endif
#endif
