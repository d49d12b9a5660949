/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fecplan.h"

#include <math.h>
#include <string.h>

#include "fecsymbol.h"

#define MOST_UNKNOWNS 48       /* more are as good as lost */
#define MOST_PACKETS 32        /* a frame; larger ones are followed as if they had no more */
#define SETTLING_FRAMES 24     /* until the chain is what it is in the long run */
#define PHASES 4               /* of frames with and without a sum, where there is less than one a frame */
#define SOME_LOSS 0.0005       /* below that there is nothing to plan for: a packet in twenty seconds of 1 Mb/s */
#define DEFAULT_INTERVAL 0.033 /* s */
#define SPREAD_FRAMES 2 /* a frame takes its time to leave, and so do its sums: the player waits so much longer */
#define KEEP 0.05       /* dB that another share has to be better by */

static const double shares[] = {0, 1 / 16.0, 1 / 8.0, 3 / 16.0, 1 / 4.0, 1 / 3.0, 1 / 2.0};

void
fec_plan_params_init (FecPlanParams *params)
{
  *params =
      (FecPlanParams){.rate_dB = 2.5, .delay_dB = 12, .lost_dB = 150, .tolerable = 0.001, .patience = 60 * CC_MSECOND};
}

void
fec_plan_init (FecPlan *f, const FecPlanParams *params)
{
  *f = (FecPlan){.params = *params, .failing = 1};
}

/* ---- the chain ---- */

/* Probabilities, by whether the last packet was lost and by the number of unknowns. */
typedef struct {
  double p[2][MOST_UNKNOWNS + 1];
} Chain;

typedef struct {
  double begin, end; /* of a burst, per packet */
  unsigned packets;  /* a frame */
  double sums;       /* a frame */
} Path;

static Path
path_of (const FecView *v, double share)
{
  double burst = fmax (v->burst, 1), loss = fmin (v->loss, 0.9);
  double n = fmin (fmax (v->frame_packets, 1), MOST_PACKETS);
  Path path = {.end = 1 / burst, .packets = (unsigned)lround (n)};

  path.begin = fmin (loss * path.end / (1 - loss), 1);
  path.sums = share * path.packets;
  return path;
}

/* One packet more: where it is lost and one of the stream there is an unknown more, where it comes and is a sum one
   less. */
static void
pass (Chain *c, const Path *path, bool sum)
{
  Chain next = {0};

  for (unsigned lost = 0; lost < 2; lost++)
    for (unsigned u = 0; u <= MOST_UNKNOWNS; u++) {
      double p = c->p[lost][u], loses = lost ? 1 - path->end : path->begin;

      next.p[1][!sum && u < MOST_UNKNOWNS ? u + 1 : u] += p * loses;
      next.p[0][sum && u > 0 ? u - 1 : u] += p * (1 - loses);
    }
  *c = next;
}

static unsigned
sums_behind (const Path *path, unsigned frame)
{
  return (unsigned)(floor ((frame + 1) * path->sums) - floor (frame * path->sums));
}

static void
pass_frame (Chain *c, const Path *path, unsigned frame)
{
  for (unsigned i = 0; i < path->packets; i++)
    pass (c, path, false);
  for (unsigned i = sums_behind (path, frame); i > 0; i--)
    pass (c, path, true);
}

/* Those where the frame's own packets all come take no part any more: what is left was hit. */
static void
keep_hit (Chain *c, const Path *path)
{
  Chain whole = *c;

  for (unsigned i = 0; i < path->packets; i++) {
    pass (c, path, false);
    for (unsigned u = 0; u <= MOST_UNKNOWNS; u++) {
      whole.p[0][u] = whole.p[0][u] * (1 - path->begin) + whole.p[1][u] * path->end;
      whole.p[1][u] = 0;
    }
  }
  for (unsigned u = 0; u <= MOST_UNKNOWNS; u++)
    c->p[0][u] = fmax (c->p[0][u] - whole.p[0][u], 0);
}

static double
left (const Chain *c)
{
  double sum = 0;

  for (unsigned u = 0; u <= MOST_UNKNOWNS; u++)
    sum += c->p[0][u] + c->p[1][u];
  return sum;
}

/* Sums one by one: a frame that is whole once stays so. */
static void
pass_sums (Chain *c, const Path *path, unsigned frame)
{
  for (unsigned i = sums_behind (path, frame); i > 0; i--) {
    pass (c, path, true);
    c->p[0][0] = c->p[1][0] = 0;
  }
}

/* c: with all packets of `frame`, and none of its sums. */
static void
follow (Chain *c, const Path *path, unsigned frame, double late[FEC_PLAN_FRAMES + 1])
{
  c->p[0][0] = c->p[1][0] = 0;
  for (unsigned later = 0; later <= FEC_PLAN_FRAMES; later++) {
    if (later > 0)
      for (unsigned i = 0; i < path->packets; i++)
        pass (c, path, false);
    pass_sums (c, path, frame + later);
    late[later] += left (c) / PHASES;
  }
}

static void
add_tagged (const Chain *before, const Path *path, unsigned frame, FecOutcome *outcome)
{
  Chain hit = *before, any = *before;

  keep_hit (&hit, path);
  outcome->hit += left (&hit) / PHASES;
  follow (&hit, path, frame, outcome->late);
  for (unsigned i = 0; i < path->packets; i++)
    pass (&any, path, false);
  follow (&any, path, frame, outcome->behind);
}

void
fec_plan_outcome (const FecView *view, double share, FecOutcome *outcome)
{
  Path path = path_of (view, share);
  Chain c = {0};

  memset (outcome, 0, sizeof *outcome);
  c.p[0][0] = 1;
  for (unsigned frame = 0; frame < SETTLING_FRAMES; frame++)
    pass_frame (&c, &path, frame);
  for (unsigned frame = SETTLING_FRAMES; frame < SETTLING_FRAMES + PHASES; frame++) {
    add_tagged (&c, &path, frame, outcome);
    pass_frame (&c, &path, frame);
  }
}

/* ---- the plan ---- */

static double
interval_s (const FecView *v)
{
  return v->frame_interval > 0 ? cc_seconds (v->frame_interval) : DEFAULT_INTERVAL;
}

/* Frames behind its own whose sums are there within that time, as far as a window reaches. */
static unsigned
frames_within (const FecView *v, CcDuration time)
{
  unsigned frames = (unsigned)(cc_seconds (time) / interval_s (v));
  unsigned reach = (unsigned)(FEC_WINDOW / fmax (v->frame_packets, 1));

  frames = frames < reach ? frames : reach;
  return frames < FEC_PLAN_FRAMES ? frames : FEC_PLAN_FRAMES;
}

typedef struct {
  double share, late, delay, lost, failing, cost;
  unsigned frames; /* to wait for */
} Choice;

/* Until an answer, or giving up, ends what a loss does, in frames. While sums come requests give them their time. */
static double
ends_after (const FecPlan *f, const FecView *v, double share)
{
  CcDuration answer = v->answer + (share > 0 ? f->params.patience : 0);

  return cc_seconds (v->answer > 0 && answer < v->most ? answer : v->most) / interval_s (v);
}

/* Of all packets those that are asked for: what is lost, where sums have not mended it in their time. */
static double
asked_for (const FecPlan *f, const FecView *v, const FecOutcome *o, double share)
{
  if (v->answer == 0 || o->hit <= 0)
    return 0;
  return share > 0 ? v->loss * o->late[frames_within (v, f->params.patience)] / o->hit : v->loss;
}

/* Of all frames, those not to be shown so many frames later: the sums have not mended them and those in front of them,
   and one was hit of which the answer is still to come. Without any sums a frame that is hit stays so. */
static double
not_shown (const FecOutcome *o, double ends, double later)
{
  unsigned frames = (unsigned)fmin (later, FEC_PLAN_FRAMES);

  return fmin (o->behind[frames], 1 - pow (1 - o->hit, fmax (ends - later, 0)));
}

/* s, mean of all frames */
static double
mean_delay (const FecView *v, const FecOutcome *o, double ends)
{
  double sum = 0;

  for (unsigned later = 0; later < ends; later++)
    sum += not_shown (o, ends, later) * fmin (ends - later, 1);
  return sum * interval_s (v);
}

/* What one burst takes breaks the picture once. */
static double
frames_a_burst (const FecView *v)
{
  return 1 + (fmax (v->burst, 1) - 1) / fmax (v->frame_packets, 1);
}

static Choice
judge (const FecPlan *f, const FecView *v, double share)
{
  Choice c = {.share = share, .frames = frames_within (v, v->most)};
  double ends = ends_after (f, v, share);
  FecOutcome o;

  fec_plan_outcome (v, share, &o);
  c.late = not_shown (&o, ends, cc_seconds (f->params.patience) / interval_s (v));
  c.delay = mean_delay (v, &o, ends);
  c.lost = o.late[c.frames] * v->unanswered;
  c.cost = f->params.rate_dB * log2 (1 + share + asked_for (f, v, &o, share)) + f->params.delay_dB * c.delay +
           f->params.lost_dB * c.lost / frames_a_burst (v);
  while (c.frames > 0 && o.late[c.frames - 1] <= fmax (f->params.tolerable, 1.1 * o.late[frames_within (v, v->most)]))
    c.frames--;
  c.lost = o.late[c.frames] * v->unanswered;
  c.failing = o.hit > 0 ? o.late[c.frames] / o.hit : 1;
  return c;
}

static void
take_choice (FecPlan *f, const FecView *v, const Choice *c)
{
  f->share = c->share;
  f->late = c->late;
  f->delay = c->delay;
  f->lost = c->lost;
  f->failing = c->share > 0 ? c->failing : 1;
  f->wait = c->share > 0 ? cc_duration ((c->frames + SPREAD_FRAMES) * interval_s (v)) : 0;
  f->wait = f->wait < v->most ? f->wait : v->most;
}

void
fec_plan_update (FecPlan *f, const FecView *view)
{
  Choice best, now;

  if (view->loss < SOME_LOSS) {
    *f = (FecPlan){.params = f->params, .failing = 1};
    return;
  }
  best = now = judge (f, view, f->share);
  for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++) {
    Choice c = judge (f, view, shares[i]);

    if (c.cost < best.cost && c.cost < now.cost - KEEP)
      best = c;
  }
  take_choice (f, view, &best);
}
