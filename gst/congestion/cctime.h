/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time and spans of the core: nanoseconds from any monotonic origin (a GstClockTime fits without conversion). */
#ifndef CC_TIME_H
#define CC_TIME_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t CcTime;     /* an instant, ns */
typedef uint64_t CcDuration; /* a span, ns */

#define CC_TIME_NONE UINT64_MAX
#define CC_USECOND ((CcDuration)1000)
#define CC_MSECOND ((CcDuration)1000000)
#define CC_SECOND ((CcDuration)1000000000)

/* t + d, saturating below CC_TIME_NONE; CC_TIME_NONE stays CC_TIME_NONE. */
static inline CcTime
cc_time_add (CcTime t, CcDuration d)
{
  if (t == CC_TIME_NONE)
    return CC_TIME_NONE;
  return d >= CC_TIME_NONE - t ? CC_TIME_NONE - 1 : t + d;
}

/* The span from `then` to `now`, 0 where `then` lies ahead. */
static inline CcDuration
cc_time_since (CcTime now, CcTime then)
{
  return now > then ? now - then : 0;
}

static inline CcTime
cc_time_min (CcTime a, CcTime b)
{
  return a < b ? a : b;
}

static inline double
cc_seconds (CcDuration d)
{
  return (double)d / 1e9;
}

static inline CcTime
cc_time_max (CcTime a, CcTime b)
{
  return a > b ? a : b;
}

/* Seconds to a span, 0 for negative or NaN, saturating at about 292 years. */
static inline CcDuration
cc_duration (double seconds)
{
  double ns = seconds * 1e9; /* of a double's digits, also where registers have more: 0.7 s is not 699999999 ns */

  if (!(seconds > 0))
    return 0;
  return seconds >= 9.2e9 ? (CcDuration)9200000000000000000 : (CcDuration)ns;
}

/* Steps that a mean of the round-trip time, made for a sample a round trip, takes with one that comes so long after the
   last: 1 to CC_ROUND_TRIP_STEPS_MOST. One, as ever; but a sample of less than half says that what the mean stands for
   is over, and counts once for each round trip since the last. Else what was when reports were frequent stays for as
   long as they are rare. */
#define CC_ROUND_TRIP_STEPS_MOST 64u
static inline unsigned
cc_round_trip_steps (CcDuration mean, CcDuration sample, CcDuration since_last)
{
  if (sample >= mean / 2 || since_last < 2 * sample)
    return 1;
  return since_last / CC_ROUND_TRIP_STEPS_MOST < sample ? (unsigned)(since_last / sample) : CC_ROUND_TRIP_STEPS_MOST;
}

#ifdef __cplusplus
}
#endif
#endif
