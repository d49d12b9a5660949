/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathrate.h"
#include "callweight.h"
#include "pathlaw.h"
#include <math.h>

/* Nobody else writes R. Returns whether there was a wish. */
static bool
grant (PathRate *p, RateWish wish)
{
  if (wish.owner == RATE_OWNER_UNKNOWN)
    return false;
  p->rate_Bps = path_rate_params_clamp (&p->params, wish.rate_Bps);
  p->owner = wish.owner;
  path_view_on_rate (&p->view, p->rate_Bps);
  return true;
}

void
path_rate_init (PathRate *p, const PathRateParams *params)
{
  *p = (PathRate){.params = path_rate_params_sane (params)};
  path_view_init (&p->view, path_rate_params_clamp (&p->params, p->params.start_Bps));
  p->view.weight = p->params.weight;
  loss_answer_init (&p->loss);
  grant (p, (RateWish){p->params.start_Bps, RATE_OWNER_START});
  p->told.rate_Bps = p->rate_Bps;
}

void
path_rate_set_weight (PathRate *p, double weight)
{
  p->view.weight = p->params.weight = call_weight_sane (weight);
}

void
path_rate_on_explicit_rate (PathRate *p, double rate_Bps, CcTime now)
{
  if (rate_Bps > 0 && router_word_hear (&p->view.word, now) && !p->view.met_limit && !p->queue.others)
    grant (p, first_word_on_word (&p->word, rate_Bps, p->rate_Bps));
}

void
path_rate_excuse (PathRate *p, uint64_t first, uint64_t last)
{
  grant (p, loss_answer_excuse (&p->loss, first, last, p->rate_Bps, p->clock.ran_at));
}

void
path_rate_on_packet (PathRate *p, const PathPacket *packet)
{
  PathView *v = &p->view;
  CcTime now = packet->arrived_at;
  bool first = !v->started, stood = path_view_queue_stands (v, now);

  path_view_on_packet (v, packet);
  grant (p, loss_answer_on_packet (&p->loss, v, packet, stood));
  if (first)
    law_clock_start (&p->clock, now);
  if (v->rerouted || (!law_clock_rests (&p->clock, now) && queue_jump_on_packet (&p->jump, v, &p->queue, now)))
    law_clock_at_once (&p->clock, now);
}

CcTime
path_rate_next_timeout (const PathRate *p)
{
  return p->view.started ? p->clock.next_at : CC_TIME_NONE;
}

static void
note_jump (PathRate *p, CcTime now)
{
  p->jumps++;
  loss_cause_abort (&p->loss.cause, now);
}

static void
answer_jump (PathRate *p, CcTime now)
{
  QueueJumpAnswer answer = queue_jump_answer (&p->jump, &p->view, &p->queue, now);

  note_jump (p, now);
  grant (p, answer.wish);
  law_clock_rest (&p->clock, answer.rest, now);
}

static void
take_route (PathRate *p)
{
  p->jump.pending = false;
  queue_owner_forget (&p->queue);
  grant (p, (RateWish){fmax (p->rate_Bps, p->view.route.rate_Bps), RATE_OWNER_UNMET});
  path_view_take_route (&p->view);
}

static void
ask_owner (PathRate *p, bool resting, double T, CcTime now)
{
  QueueJudgement j = queue_owner_judge (&p->queue, &p->view, resting, T, now);

  if (j.verdict == QUEUE_IS_OURS)
    path_view_wait_anew (&p->view);
  if (j.verdict == QUEUE_TEST_BEGINS)
    law_clock_rest (&p->clock, j.hold, now);
  grant (p, j.wish);
}

/* True while that is what decides. */
static bool
follow_backlog (PathRate *p, CcTime now)
{
  bool ours = path_view_is_alone (&p->view, now) && !p->queue.others && !loss_cause_testing (&p->loss.cause);
  BacklogState state =
      ours ? backlog_step (&p->backlog, path_view_backlog (&p->view, now)) : backlog_forget (&p->backlog);

  if (state == BACKLOG_NOT_OURS)
    path_view_forget_cross (&p->view);
  if (state == BACKLOG_BEGINS)
    note_jump (p, now);
  if (p->backlog.stands)
    path_view_meet_queue (&p->view, now);
  grant (p, backlog_wish (&p->backlog, state, p->rate_Bps));
  return p->backlog.stands;
}

/* Returns whether routers have begun to say. */
static bool
run_period (PathRate *p, double T, CcTime now)
{
  bool began;

  path_view_update (&p->view, p->queue.others, T, now);
  began = grant (p, first_word_step (&p->word, p->view.share.capacity_Bps, p->rate_Bps));
  ask_owner (p, false, T, now);
  grant (p, loss_answer_step (&p->loss, &p->view, queue_owner_may_be_others (&p->queue, &p->view), now));
  grant (p, queue_jump_return (&p->jump, &p->view));
  if (follow_backlog (p, now) || p->queue.testing || loss_cause_testing (&p->loss.cause))
    return began;
  path_view_note_limit (&p->view, now);
  grant (p,
      path_law_step (&p->view, queue_owner_kind (&p->queue, &p->view, now), loss_growth (&p->loss.cause, now), T, now));
  return began;
}

bool
path_rate_on_timeout (PathRate *p, CcTime now)
{
  double T = law_clock_since (&p->clock, now);
  bool worth_telling = p->view.rerouted;

  if (!p->view.started || !law_clock_is_due (&p->clock, now))
    return false;
  path_view_receive (&p->view, now);
  if (p->view.rerouted)
    take_route (p);
  else if (p->jump.pending)
    answer_jump (p, now);
  else if (!law_clock_rests (&p->clock, now) && T > 0)
    worth_telling = run_period (p, T, now);
  else
    ask_owner (p, true, T, now);
  law_clock_ran (&p->clock, path_view_period (&p->view), now);
  return told_rate_is_urgent (&p->told, p->rate_Bps) || worth_telling;
}

void
path_rate_report (const PathRate *p, PathReport *report)
{
  *report = path_report_of (&p->view, &p->loss.cause, queue_owner_is_others (&p->queue));
  report->owner = p->rate_Bps < p->params.max_Bps ? p->owner : RATE_OWNER_MAX;
}

void
path_rate_reported (PathRate *p)
{
  p->told.rate_Bps = p->rate_Bps;
  ecn_marks_reported (&p->view.marks);
}
