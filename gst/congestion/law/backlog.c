/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "backlog.h"
#include "lawnumber.h"
#include <math.h>

#define STANDING LAW (STANDING, 0.030, 0.005) /* s, beyond a packet: what frames and short gaps make is less */
#define DRAIN_TIME LAW (DRAIN_TIME, 0.4, 4.0) /* s: drains the queue within, */
#define TWICE 2.0
#define LEAST LAW (LEAST, 0.4, 0.05) /* of it at least: who sends nothing sees nothing */

double
backlog_drain (double q)
{
  return fmin (fmax (LAW_ETA - q / DRAIN_TIME, LEAST), LAW_ETA);
}

/* By arrivals: while nothing comes, nothing is known to be served. */
static void
count_drained (Backlog *b, BacklogQueue queue, bool stood)
{
  if (!stood)
    b->drained = b->longest = 0;
  else
    b->drained += cc_seconds (cc_time_since (queue.arrived_at, b->counted_at)) * (1 - b->rate_Bps / b->served_Bps);
  b->longest = fmax (b->longest, queue.waited);
  b->counted_at = queue.arrived_at;
}

BacklogState
backlog_step (Backlog *b, BacklogQueue queue)
{
  bool stood = b->stands;

  b->stands = queue.standing > STANDING + queue.one_packet && (stood || queue.served_Bps > 0);
  if (queue.served_Bps > 0 && (stood || b->stands))
    b->served_Bps = queue.served_Bps; /* to its end: what came first had waited for a gap */
  if (!b->stands)
    return stood ? BACKLOG_OVER : BACKLOG_NONE;
  count_drained (b, queue, stood);
  b->stands = b->drained <= TWICE * b->longest;
  if (!b->stands)
    return BACKLOG_NOT_OURS;
  b->rate_Bps = b->served_Bps * backlog_drain (fmax (queue.waited, queue.standing));
  return stood ? BACKLOG_STANDS : BACKLOG_BEGINS;
}

RateWish
backlog_wish (const Backlog *b, BacklogState state, double rate_Bps)
{
  if (state == BACKLOG_BEGINS || state == BACKLOG_STANDS)
    return (RateWish){b->rate_Bps, RATE_OWNER_OWN};
  return state == BACKLOG_OVER && b->served_Bps > rate_Bps ? (RateWish){b->served_Bps, RATE_OWNER_OWN} : rate_wish_none;
}

BacklogState
backlog_forget (Backlog *b)
{
  b->stands = false;
  return BACKLOG_NONE;
}
