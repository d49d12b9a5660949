/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capacitymismatch.h"
#include "callweight.h"
#include "lawnumber.h"
#include <math.h>

#define MOST 0.5 /* either way */

static void
at_most (CapacityMismatch *m, double e, RateOwner owner)
{
  if (e < m->e)
    *m = (CapacityMismatch){e, owner};
}

static void
at_least (CapacityMismatch *m, double e, RateOwner owner)
{
  if (e > m->e)
    *m = (CapacityMismatch){e, owner};
}

/* Beyond what arrives of it; each of w calls has more of that than their sum. */
static double
room_of_a_call (const PathView *v)
{
  return LAW_ETA * call_weight_share (v, v->share.capacity_Bps) / call_weight_rate (v) - 1;
}

/* Where the path marks at once no trains are sent, marks say where it ends. Beside others a call of few packets a frame
   has none, and grows as those do that have. */
static bool
has_no_trains (const PathView *v, OwnerKind kind)
{
  return kind == QUEUE_L4S || (kind != QUEUE_OTHERS && v->share.capacity_Bps == 0 && cross_traffic_is_some (&v->cross));
}

/* Packets that arrive spaced as they left have seen room for the gain they left with. */
static CapacityMismatch
room (const PathView *v, OwnerKind kind, const GrowthRow *growth, CcTime now)
{
  double e = LAW_ETA * v->share.capacity_Bps / v->rate_Bps - 1;

  if (has_no_trains (v, kind))
    return (CapacityMismatch){path_growth_shared (v, growth, 1, now), RATE_OWNER_UNMET};
  if (v->share.capacity_Bps == 0)
    return (CapacityMismatch){path_growth_unmet (v, now), RATE_OWNER_UNMET};
  if (!v->share.dispersed)
    return (CapacityMismatch){fmax (e, PATH_GROWTH), RATE_OWNER_UNMET};
  if (e > 0)
    e = path_growth_shared (v, growth, fmin (room_of_a_call (v), MOST), now);
  return (CapacityMismatch){e, rate_owner_of_queue (kind)};
}

/* Where routers share out, who has the larger part is theirs to say. */
static double
unhindered (const PathView *v, const MismatchRow *row)
{
  if (!path_view_queue_is_short (v))
    return -1;
  return v->queue.q < row->queue_s + path_view_no_queue (v) / 2 ? row->unhindered : fmin (row->unhindered, 0);
}

/* A queue that is not ours alone shrinks if all who make it give way, whatever their RTT, who has more of it by more;
   growth goes on beside that. It does not where most of the path is ours. Of two calls each may have most of its c: the
   larger one gives way as the other does, too. */
static double
answer_slope (const PathView *v, const MismatchRow *row, double e, double y)
{
  double slope = standing_queue_slope (&v->queue);
  double with_others = e - row->slope * path_view_loop (v) * y * fmax (slope, 0);

  if (!queue_owner_has_most (v, v->share.known_Bps))
    return with_others;
  return fmin (cross_traffic_is_some (&v->cross) ? with_others : e, -slope);
}

CapacityMismatch
capacity_mismatch (const PathView *v, OwnerKind kind, const MismatchRow *row, double y, double loss_e, CcTime now)
{
  CapacityMismatch m = room (v, kind, &row->growth, now);

  at_least (&m, unhindered (v, row), rate_owner_of_queue (kind));
  if (row->answers_queue && path_view_queue_stands (v, now))
    at_most (&m, answer_slope (v, row, m.e, y), rate_owner_of_queue (kind));
  if (path_view_singles_pass (v))
    at_least (&m, row->single, kind == QUEUE_OTHERS ? RATE_OWNER_OTHERS : RATE_OWNER_OWN_KIND);
  at_most (&m, loss_e, RATE_OWNER_LOSS);
  m.e = fmin (fmax (m.e, -MOST), MOST);
  return m;
}
