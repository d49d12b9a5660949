/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "silentpath.h"
#include <math.h>

#define LEAST_SCALE 1e-6
#define HAD_MEMORY 10.0                /* s: outages of more are long */
#define RESUME 0.5                     /* x the rate before a silence */
#define RESUME_TIME (500 * CC_MSECOND) /* for that to show on the path, and all of it may be tried */

void
silent_path_init (SilentPath *s)
{
  *s = (SilentPath){.scale = 1, .resumed_at = CC_TIME_NONE};
}

void
silent_path_on_expiry (SilentPath *s)
{
  s->scale = fmax (s->scale / 2, LEAST_SCALE);
}

void
silent_path_on_report (SilentPath *s, double rate_Bps, CcDuration T, CcTime now)
{
  if (silent_path_is_silent (s))
    s->resumed_at = now;
  else
    s->had_Bps = fmax (rate_Bps, s->had_Bps * fmax (1 - cc_seconds (T) / HAD_MEMORY, 0));
  s->scale = 1;
}

void
silent_path_on_plain_report (SilentPath *s)
{
  s->scale = 1;
}

bool
silent_path_is_silent (const SilentPath *s)
{
  return s->scale < 1;
}

bool
silent_path_is_over_lately (const SilentPath *s, CcTime now)
{
  return s->resumed_at != CC_TIME_NONE && cc_time_since (now, s->resumed_at) < RESUME_TIME;
}

double
silent_path_had (const SilentPath *s, CcTime now)
{
  return (silent_path_is_over_lately (s, now) ? RESUME : 1) * s->had_Bps;
}
