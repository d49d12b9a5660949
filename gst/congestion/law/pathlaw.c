/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathlaw.h"
#include "backlog.h"
#include "lawnumber.h"
#include <math.h>

#define ALPHA 0.75
#define BETA 0.35
#define ETA 0.98
#define Q_TARGET LAW (Q_TARGET, 0.005, 0) /* s: standing queue that counts as none */
#define PROBE_GROWTH                                                                                                   \
  LAW (PROBE_GROWTH, 0.04, 0.15)                /* e beyond the capacity last seen where packets say nothing, per s    \
                                                   without a queue */
#define GROWTH LAW (GROWTH, 0.4, 0.15)          /* e where packets arrive as they left */
#define LONE_GROWTH LAW (LONE_GROWTH, 0.05, -1) /* e at least, for single packets */
#define SERVED 1.05                             /* x c: below, single packets are served as they come */
#define SHARED_GROWTH LAW (SHARED_GROWTH, 3.0, 0.4) /* 1/s, at most, x e > 0: whatever the RTT */
#define SHARED_LEAST LAW (SHARED_LEAST, 0.4, 1.8)   /* 1/s, while a queue is met, at */
#define SHARED_RATE LAW (SHARED_RATE, 110e3, 1)     /* bytes/s; x its share in R, to the power of one half */
#define SHARED_BOLDER LAW (SHARED_BOLDER, 0.5, 0)   /* 1/s, per s since */
#define SHARED_MOST 0.5                             /* e where they do not, at most */
#define OTHERS_GROWTH                                                                                                  \
  LAW (OTHERS_GROWTH, 0.35, 1.8)                    /* 1/s, at, beside a queue of others: the equation says how far    \
                                                     */
#define NEAR_FROM LAW (NEAR_FROM, 0.9, 1.3)         /* x what arrived when the path was last full: from there */
#define NEAR_TO LAW (NEAR_TO, 1.3, 0.9)             /* x it, to there, growth is */
#define NEAR_CAPACITY LAW (NEAR_CAPACITY, 1.4, 1e9) /* x c then: beyond, the path is another */
#define NEAR_GROWTH LAW (NEAR_GROWTH, 7e3, 7e6)     /* bytes/s^2, at most, x alpha */
#define NEAR_LEAST LAW (NEAR_LEAST, 0.04, 0)        /* 1/s */
#define SLOPE_GAIN LAW (SLOPE_GAIN, 25., 0)         /* 1/s, x what comes in too much, beside others */
#define RECEIVED LAW (RECEIVED, 2.0, 100.0)         /* x what arrives, at most */
#define YIELDS 1.2                                  /* x R/c, to a queue */
#define YIELDS_LEAST LAW (YIELDS_LEAST, 0.25, 0)
#define MARKS LAW (MARKS, BETA, 0)           /* x their fraction: all marked is as a queue of a loop */
#define LOSS_PROBE LAW (LOSS_PROBE, 0.02, 1) /* the growth per s close to the rate at which loss was met */
#define LOSS_BOLDER LAW (LOSS_BOLDER, 0.1, 0.02)
#define LOSS_BEYOND LAW (LOSS_BEYOND, 1.15, 0.9)
#define LOSS_NEAR 0.9 /* x that rate */

/* growth, bolder, gentle, queue_s, yields_least, slope, single, unhindered */
PathLawRow
path_law_row (OwnerKind kind)
{
  const PathLawRow rows[QUEUE_KINDS] = {
      [QUEUE_OTHERS] = {OTHERS_GROWTH, 0, false, HUGE_VAL, 1, 0, GROWTH, -1},
      [QUEUE_ROUTER] = {SHARED_GROWTH, 0, false, Q_TARGET, 1, 0, -1, PROBE_GROWTH},
      [QUEUE_L4S] = {SHARED_LEAST, SHARED_BOLDER, true, Q_TARGET, 1, 0, LONE_GROWTH, 0},
      [QUEUE_MARKED] = {SHARED_LEAST, SHARED_BOLDER, false, Q_TARGET, YIELDS_LEAST, 0, LONE_GROWTH, 0},
      [QUEUE_ALONE] = {SHARED_LEAST, SHARED_BOLDER, false, Q_TARGET, YIELDS_LEAST, SLOPE_GAIN, LONE_GROWTH, 0},
      [QUEUE_OWN] = {SHARED_LEAST, SHARED_BOLDER, true, Q_TARGET, YIELDS_LEAST, SLOPE_GAIN, LONE_GROWTH, 0},
      [QUEUE_OWN_KIND] = {SHARED_LEAST, SHARED_BOLDER, true, Q_TARGET, YIELDS_LEAST, SLOPE_GAIN, LONE_GROWTH, 0},
  };

  return rows[kind];
}

static double
clamp (double value, double low, double high)
{
  return value < low ? low : value > high ? high : value;
}

/* Of the back-off from a queue: it is as much ours as c is. */
static double
yielding (const PathView *v, double c_Bps, const PathLawRow *row)
{
  return c_Bps > 0 ? clamp (YIELDS * v->rate_Bps / c_Bps, row->yields_least, 1) : 1;
}

bool
path_law_yields_only (const PathView *v, OwnerKind kind)
{
  return kind != QUEUE_ROUTER && !queue_owner_has_most (v, v->share.capacity_Bps);
}

double
path_law_jump (const PathView *v, OwnerKind kind, double c_Bps)
{
  const PathLawRow row = path_law_row (kind);
  double drain = backlog_drain (v->waited);

  if (path_law_yields_only (v, kind))
    return v->rate_Bps * (kind == QUEUE_MARKED ? 1 - (1 - drain) * yielding (v, v->share.capacity_Bps, &row) : drain);
  return fmin (v->rate_Bps, c_Bps * drain);
}

/* Where packets say nothing of the capacity: as bold as the time since a queue was last seen. */
static double
blind_growth (const PathView *v, CcTime now)
{
  if (!v->met_limit || v->rate_Bps < ETA * v->share.known_Bps)
    return GROWTH;
  return clamp (PROBE_GROWTH * path_view_since_busy (v, now), PROBE_GROWTH, GROWTH);
}

/* 1/s: bolder the longer ago a queue was met: flows that share the path met it together, and it comes back the sooner
   the faster all of them grow. Who has less of it grows faster (binomial control, Bansal & Balakrishnan 2001). */
static double
shared_growth (const PathView *v, const PathLawRow *row, CcTime now)
{
  double scale = sqrt (clamp (SHARED_RATE / v->rate_Bps, 1, 4));

  return fmin (row->growth * scale + row->bolder * path_view_since_busy (v, now), SHARED_GROWTH);
}

/* 1/s, at most: those that share the path are all close to their part of it where it was full before, and their
   encoders follow late. Additive, so that the smaller one gains on the larger. Well beyond, the path is another. */
static double
near_growth (const PathView *v, const PathLawRow *row)
{
  if (!row->gentle || v->rate_Bps < NEAR_FROM * v->filled_Bps || v->rate_Bps > NEAR_TO * v->filled_Bps ||
      v->share.capacity_Bps > NEAR_CAPACITY * v->filled_capacity_Bps)
    return HUGE_VAL;
  return fmax (NEAR_GROWTH / v->rate_Bps, NEAR_LEAST);
}

typedef struct {
  double value;
  RateOwner owner; /* whose it is */
} Bound;

static void
at_most (Bound *m, double value, RateOwner owner)
{
  if (value < m->value)
    *m = (Bound){value, owner};
}

static void
at_least (Bound *m, double value, RateOwner owner)
{
  if (value > m->value)
    *m = (Bound){value, owner};
}

/* Packets that arrive spaced as they left have seen room for the gain they left with. */
static Bound
capacity_mismatch (const PathView *v, OwnerKind kind, const PathLawRow *row, CcTime now)
{
  double c = v->share.capacity_Bps;
  Bound m = {blind_growth (v, now), RATE_OWNER_UNMET};

  if (kind == QUEUE_L4S) { /* no trains are sent, marks say where it ends */
    m.value = fmin (shared_growth (v, row, now), near_growth (v, row)) * path_view_loop (v);
    return m;
  }
  if (c == 0)
    return m;
  m.value = ETA * c / v->rate_Bps - 1;
  if (!v->share.dispersed) {
    m.value = fmax (m.value, GROWTH);
    return m;
  }
  m.owner = rate_owner_of_queue (kind);
  if (m.value > 0)
    m.value =
        fmin (fmin (m.value, SHARED_MOST) * shared_growth (v, row, now), near_growth (v, row)) * path_view_loop (v);
  return m;
}

/* The queue grows by the part of the path that comes in too much. One that is not ours alone shrinks if all who make it
   give way, whatever their RTT, who has more of it by more; growth goes on beside that. */
static double
answer_slope (const PathView *v, double e, const PathLawRow *row)
{
  double slope = standing_queue_slope (&v->queue), known = v->share.known_Bps;

  if (queue_owner_has_most (v, known))
    return fmin (e, -slope);
  return e - row->slope * path_view_loop (v) * yielding (v, known, row) * fmax (slope, 0);
}

/* Single packets among larger flows meet a queue whatever they do, and none shows them a share of the path: they grow a
   little all the time, more beside a queue of others. One of their own serves them slower than they come. */
static bool
served_as_sent (const PathView *v)
{
  return !v->share.trains && (v->share.capacity_Bps == 0 || v->rate_Bps < SERVED * v->share.capacity_Bps);
}

/* A path as slow as trains say that others or jitter have spread would have a queue: without one nothing shrinks. Where
   routers share out, who has the larger part is theirs to say. */
static double
unhindered (const PathView *v, const PathLawRow *row)
{
  if (!path_view_queue_is_short (v))
    return -1;
  return v->queue.q < Q_TARGET + path_view_no_queue (v) / 2 ? row->unhindered : fmin (row->unhindered, 0);
}

/* Per s: slow where loss has been met, then bolder. */
static double
probe_growth (const PathView *v, const PathLawLoss *loss)
{
  return v->rate_Bps < LOSS_BEYOND * loss->near_Bps ? LOSS_PROBE : LOSS_BOLDER;
}

static Bound
mismatch (const PathView *v, OwnerKind kind, const PathLawRow *row, const PathLawLoss *loss, CcTime now)
{
  Bound m = capacity_mismatch (v, kind, row, now);

  at_least (&m, unhindered (v, row), rate_owner_of_queue (kind));
  if (path_view_queue_stands (v, now) && isfinite (row->queue_s))
    at_most (&m, answer_slope (v, m.value, row), rate_owner_of_queue (kind));
  if (served_as_sent (v))
    at_least (&m, row->single, kind == QUEUE_OTHERS ? RATE_OWNER_OTHERS : RATE_OWNER_OWN_KIND);
  if (loss->unexplained)
    at_most (&m, 0, RATE_OWNER_LOSS);
  if (v->rate_Bps > LOSS_NEAR * loss->near_Bps)
    at_most (&m, probe_growth (v, loss) * path_view_loop (v) / ALPHA, RATE_OWNER_LOSS);
  m.value = clamp (m.value, -0.5, 0.5);
  return m;
}

/* s of queue beyond what is left alone. */
static double
excess_queue (const PathView *v, const PathLawRow *row, CcTime now)
{
  return fmax (v->queue.q - row->queue_s - path_view_no_queue (v) / 2 - path_view_router_queue (v, now), 0);
}

/* Growth ends there. */
static void
grow_to (const PathView *v, PathLawStep *step, double most_Bps, RateOwner owner)
{
  if (step->rate_Bps > v->rate_Bps && step->rate_Bps > most_Bps)
    *step = (PathLawStep){fmax (v->rate_Bps, most_Bps), owner};
}

PathLawStep
path_law_step (const PathView *v, OwnerKind kind, const PathLawLoss *loss, double T, CcTime now)
{
  const PathLawRow row = path_law_row (kind);
  double d = path_view_loop (v);
  double drain = yielding (v, v->share.known_Bps, &row) * BETA * excess_queue (v, &row, now) / d;
  double marks = MARKS * v->marks.fraction;
  Bound m = mismatch (v, kind, &row, loss, now);
  PathLawStep step = {v->rate_Bps * (1 + clamp (T / d * (ALPHA * m.value - drain - marks), -0.3, 0.3)), m.owner};

  if (drain + marks > ALPHA * fmax (m.value, 0))
    step.owner = rate_owner_of_queue (kind);
  grow_to (v, &step, loss->next_Bps, RATE_OWNER_LOSS);
  /* what was not sent has not been tried */
  grow_to (v, &step, RECEIVED * fmax (v->receive_Bps, v->receive_now_Bps), RATE_OWNER_APPLICATION);
  return step;
}
