/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "traincredit.h"
#include "lawnumber.h"
#include <math.h>

/* s, at the rate: what left at the gain is never paid back by a longer silence, nor is more lent */
#define MAX_DEBT 1.0
#define TRAIN_QUEUE LAW (TRAIN_QUEUE, 0.008, 0.033) /* s, at the end of a frame that fills its interval */
#define EVEN_GAIN LAW (EVEN_GAIN, 1.03, 1.5)        /* x the rate, all the time: what is left for a backlog to go */
#define KNOWN_SHARE 0.95                            /* of it, where it is well above the rate */
#define WELL_ABOVE 1.2
#define TRAIN_PACKETS 3.0
#define TRAIN_TIME 0.025 /* s */
#define QUEUE_IS_LOW (30 * CC_MSECOND)
#define QUEUE_IS_EMPTY (12 * CC_MSECOND)
#define CATCH_UP 1.2        /* x the rate, while no queue stands: what has piled up is not to wait for room it has */
#define CATCH_UP_FRAMES 2.0 /* more than that is a key frame */
#define FRAMES 1.5          /* of credit, and s of it: */
#define LEAST_CREDIT 0.02
#define MOST_CREDIT 0.1

void
train_credit_init (TrainCredit *t, CcTime now)
{
  *t = (TrainCredit){.credit_at = now};
}

/* What a backlog leaves at. The path has room for more than the rate where no queue stands, and frames vary about the
   rate by less; what goes on for longer makes a queue that ends it. A key frame would make one at once. */
static double
drain_rate (const TrainPath *path)
{
  bool room = path->carried && path->queue_delay < QUEUE_IS_EMPTY;
  bool little = path->queued_bytes < CATCH_UP_FRAMES * path->rate_Bps * cc_seconds (path->frame_interval);

  return room && little ? CATCH_UP * path->rate_Bps : path->rate_Bps;
}

double
train_credit_most (const TrainPath *path)
{
  return path->rate_Bps * fmin (fmax (FRAMES * cc_seconds (path->frame_interval), LEAST_CREDIT), MOST_CREDIT);
}

/* A path that has room lends, but not for ever what is beyond the most that is allowed: an encoder that nobody sets, or
   that can do with no less, would have twice that. */
static bool
is_in_debt (const TrainCredit *t, const TrainPath *path, double train_Bps)
{
  return path->most_Bps > 0 && train_Bps > path->most_Bps && t->credit_bytes < -MAX_DEBT * path->rate_Bps;
}

void
train_credit_refill (TrainCredit *t, const TrainPath *path, CcTime now)
{
  double drain = drain_rate (path);

  if (is_in_debt (t, path, drain))
    drain = path->rate_Bps;
  t->credit_bytes += drain * cc_seconds (cc_time_since (now, t->credit_at));
  t->credit_bytes = fmin (t->credit_bytes, train_credit_most (path));
  t->credit_at = now;
}

void
train_credit_on_sent (TrainCredit *t, const TrainPath *path, uint32_t wire_bytes)
{
  t->credit_bytes = fmax (t->credit_bytes - wire_bytes, -MAX_DEBT * path->rate_Bps - wire_bytes);
}

bool
train_credit_is_owed (const TrainCredit *t, double last_bytes)
{
  return t->credit_bytes < -last_bytes;
}

/* A frame that fills its interval and leaves faster than the path takes it makes a queue, the longer the longer the
   interval is: of few frames a second, one that short queues have no room for. */
static double
most_on_path (const TrainPath *path)
{
  double interval = cc_seconds (path->frame_interval);

  return interval > TRAIN_QUEUE ? interval / (interval - TRAIN_QUEUE) * path->capacity_Bps : HUGE_VAL;
}

/* Beside others a path serves a frame faster than our share of it: what is faster as well waits less here. */
double
train_credit_frame_rate (const TrainPath *path)
{
  if (path->even)
    return EVEN_GAIN * path->rate_Bps;
  if (!path->told || path->shared_out || path->capacity_Bps == 0)
    return path->gain * path->rate_Bps;
  return fmax (fmin (LAW_TRAIN_GAIN * path->rate_Bps, most_on_path (path)), path->rate_Bps);
}

double
train_credit_rate (const TrainCredit *t, const TrainPath *path)
{
  double gain = train_credit_frame_rate (path), known = KNOWN_SHARE * path->capacity_Bps, train;

  if (path->even || t->credit_bytes > 0)
    return gain;
  if (path->told && path->queue_delay < QUEUE_IS_LOW && known > WELL_ABOVE * path->rate_Bps)
    return is_in_debt (t, path, fmin (gain, known)) ? path->rate_Bps : fmin (gain, known);
  train = fmin (TRAIN_PACKETS * path->packet_bytes, TRAIN_TIME * path->rate_Bps);
  return path->last_bytes * drain_rate (path) /
         fmax (train - t->credit_bytes, path->last_bytes * path->rate_Bps / gain);
}
