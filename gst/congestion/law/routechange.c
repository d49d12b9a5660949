/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "routechange.h"
#include <math.h>

#define WINDOW (200 * CC_MSECOND) /* of which the least delay counts: jitter and the frame's own packets fall out */
#define WINDOWS 4
#define STEP 0.035      /* s */
#define TOLERANCE 0.010 /* s: a packet of 1200 bytes at 1 Mb/s; a queue of ours moves by eight times that */
#define BACKED_OFF 0.9  /* x the rate before */

void
route_change_init (RouteChange *r)
{
  *r = (RouteChange){.window_at = CC_TIME_NONE, .step_at = CC_TIME_NONE};
}

static void
open_window (RouteChange *r, double q, double rate_Bps, CcTime now)
{
  r->window_at = now;
  r->window_q = q;
  r->window_Bps = rate_Bps;
}

static void
begin_level (RouteChange *r, double q)
{
  r->state = ROUTE_STEPPED;
  r->least_q = r->most_q = q;
  r->windows = 1;
}

static void
follow_level (RouteChange *r, double q)
{
  r->least_q = fmin (r->least_q, q);
  r->most_q = fmax (r->most_q, q);
  r->windows++;
  if (r->most_q - r->least_q > TOLERANCE)
    r->state = ROUTE_CLIMBED;
}

static void
close_window (RouteChange *r, double q, CcTime now)
{
  if (q < STEP) {
    r->state = ROUTE_CALM;
    r->rate_Bps = r->window_Bps;
    return;
  }
  switch (r->state) {
  case ROUTE_CALM:
    r->state =
        r->step_at != CC_TIME_NONE && cc_time_since (now, r->step_at) <= 3 * WINDOW ? ROUTE_STEPPING : ROUTE_CLIMBED;
    break;
  case ROUTE_STEPPING:
    begin_level (r, q);
    break;
  case ROUTE_STEPPED:
    follow_level (r, q);
    break;
  case ROUTE_CLIMBED:
    break;
  }
}

bool
route_change_on_frame (RouteChange *r, double q, double rate_Bps, CcTime now)
{
  if (r->window_at == CC_TIME_NONE)
    open_window (r, q, rate_Bps, now);
  if (q - r->last_q > STEP)
    r->step_at = now;
  r->last_q = q;
  r->window_q = fmin (r->window_q, q);
  if (cc_time_since (now, r->window_at) < WINDOW)
    return false;
  close_window (r, r->window_q, now);
  open_window (r, q, rate_Bps, now);
  if (r->state != ROUTE_STEPPED || r->windows < WINDOWS || rate_Bps > BACKED_OFF * r->rate_Bps)
    return false;
  r->state = ROUTE_CALM;
  r->changes++;
  return true;
}
