/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "queuejump.h"
#include "backlog.h"
#include "lawnumber.h"
#include <math.h>

bool
queue_jump_is_of_others (const PathView *v, OwnerKind kind)
{
  return kind != QUEUE_ROUTER && !queue_owner_has_most (v, v->share.capacity_Bps);
}

double
queue_jump_rate (const PathView *v, OwnerKind kind, double arriving_Bps)
{
  double drain = backlog_drain (v->waited);

  if (!queue_jump_is_of_others (v, kind))
    return fmin (v->rate_Bps, arriving_Bps * drain);
  return v->rate_Bps * drain;
}

bool
queue_jump_on_packet (QueueJump *j, const PathView *v, const QueueOwner *o, CcTime now)
{
  if (o->others || !path_view_queue_has_jumped (v, now))
    return false;
  j->pending = !path_view_is_alone (v, now);
  return true;
}

/* If it was the capacity after all, c has shown it by the next jump. */
static QueueJumpAnswer
yield (const PathView *v, OwnerKind kind, double arriving_Bps)
{
  return (QueueJumpAnswer){.wish = {queue_jump_rate (v, kind, arriving_Bps), rate_owner_of_queue (kind)},
      .rest = cc_duration (fmax (path_view_loop (v), OTHERS_TIME))};
}

QueueJumpAnswer
queue_jump_answer (QueueJump *j, PathView *v, const QueueOwner *o, CcTime now)
{
  double arriving_Bps = path_view_jumped_to (v, now), rate_Bps;
  OwnerKind kind = queue_owner_kind (o, v, now);

  j->pending = false;
  if (queue_jump_is_of_others (v, kind))
    return yield (v, kind, arriving_Bps);
  rate_Bps = queue_jump_rate (v, kind, arriving_Bps);
  path_view_take_capacity (v, arriving_Bps);
  j->drained_Bps = j->drained_Bps > 0 ? fmin (j->drained_Bps, LAW_ETA * arriving_Bps) : LAW_ETA * arriving_Bps;
  return (QueueJumpAnswer){
      .wish = {rate_Bps, rate_owner_of_queue (queue_owner_kind (o, v, now))}, .rest = cc_duration (path_view_loop (v))};
}

RateWish
queue_jump_return (QueueJump *j, const PathView *v)
{
  double rate_Bps = j->drained_Bps;

  if (rate_Bps == 0 || !path_view_queue_is_short (v))
    return rate_wish_none;
  j->drained_Bps = 0;
  return rate_Bps > v->rate_Bps ? (RateWish){rate_Bps, RATE_OWNER_OWN} : rate_wish_none;
}
