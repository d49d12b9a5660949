/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathrate.h"
#include "lawnumber.h"
#include "pathlaw.h"
#include <math.h>

#define ETA 0.98 /* x c */
#define FIRST_PERIOD (50 * CC_MSECOND)
#define MAX_PERIOD 0.2                         /* s: a longer pause was none of the law's */
#define JUMP_REST LAW (JUMP_REST, 0.05, 0)     /* s, and the loop: until what R is shows */
#define OTHERS_TIME LAW (OTHERS_TIME, 0.55, 0) /* s in which others, with longer loops, have done their part of it */
#define LOSS_FORGOTTEN (2 * CC_SECOND) /* without a packet: more than what counts of loss, and the path is another */
#define SAME_LOSSES (2 * CC_SECOND)    /* between two of them, at most: what counts of loss remembers as long */
#define WORTH_TELLING 0.85             /* x what was told: sooner than the next report */

void
path_rate_params_init (PathRateParams *params)
{
  *params = (PathRateParams){.start_Bps = 300e3 / 8, .min_Bps = 30e3 / 8, .max_Bps = 20e6 / 8};
}

static void
set_rate (PathRate *p, double rate_Bps, RateOwner owner)
{
  p->rate_Bps = rate_Bps < p->params.min_Bps ? p->params.min_Bps : fmin (rate_Bps, p->params.max_Bps);
  p->owner = owner;
  path_view_on_rate (&p->view, p->rate_Bps);
}

void
path_rate_init (PathRate *p, const PathRateParams *params)
{
  *p = (PathRate){.params = *params, .gap_at = CC_TIME_NONE};
  if (!(p->params.min_Bps >= 1))
    p->params.min_Bps = 1;
  if (!(p->params.max_Bps >= p->params.min_Bps))
    p->params.max_Bps = p->params.min_Bps;
  if (!(p->params.start_Bps > 0))
    p->params.start_Bps = p->params.min_Bps;
  path_view_init (&p->view, fmin (fmax (p->params.start_Bps, p->params.min_Bps), p->params.max_Bps));
  loss_cause_init (&p->loss);
  set_rate (p, p->params.start_Bps, RATE_OWNER_START);
  p->reported_Bps = p->rate_Bps;
}

void
path_rate_on_explicit_rate (PathRate *p, double rate_Bps, CcTime now)
{
  bool first = p->view.word_at == CC_TIME_NONE;

  if (!(rate_Bps > 0))
    return;
  path_view_on_router_word (&p->view, now);
  if (!first || p->view.met_limit || p->jumps > 0 || p->queue.others)
    return;
  p->start_word_Bps = rate_Bps;
  if (rate_Bps < p->rate_Bps)
    set_rate (p, rate_Bps, RATE_OWNER_ROUTER);
}

static void
watch_jump (PathRate *p, CcTime now)
{
  bool alone = path_view_is_alone (&p->view, now);

  if (p->queue.others || now < p->hold_until || !path_view_queue_has_jumped (&p->view, now))
    return;
  p->jump = !alone;
  if (!alone || !p->backlog.stands)
    p->next_at = now;
}

/* After a silence. A test of loss that it cut short has found nothing. */
static void
forget_loss (PathRate *p)
{
  if (loss_cause_testing (&p->loss))
    set_rate (p, p->before_loss_test_Bps, RATE_OWNER_LOSS);
  loss_cause_init (&p->loss);
}

/* R when the first of some losses came, for those that turn out to be none. */
static void
note_gap (PathRate *p, const PathPacket *packet)
{
  const PathPacket *last = &p->view.last;
  CcTime now = packet->arrived_at;

  if (!p->view.started || packet->counted <= last->counted + 1)
    return;
  if (p->gap_at == CC_TIME_NONE || cc_time_since (now, p->gap_at) > SAME_LOSSES) {
    p->before_gap = last->counted + 1;
    p->before_gap_Bps = p->rate_Bps;
  }
  p->gap_at = now;
}

void
path_rate_excuse (PathRate *p, uint64_t first, uint64_t last)
{
  forget_loss (p);
  if (p->gap_at == CC_TIME_NONE || p->before_gap < first || p->before_gap > last)
    return;
  p->gap_at = CC_TIME_NONE;
  if (p->before_gap_Bps > p->rate_Bps)
    set_rate (p, p->before_gap_Bps, RATE_OWNER_LOSS);
}

void
path_rate_on_packet (PathRate *p, const PathPacket *packet)
{
  PathView *v = &p->view;
  CcTime now = packet->arrived_at;
  bool first = !v->started, late = !first && packet->seq <= v->last.seq, rerouted = v->rerouted;
  bool stood = path_view_queue_stands (v, now);
  CcDuration delay;

  if (!first && cc_time_since (now, v->last.arrived_at) > LOSS_FORGOTTEN)
    forget_loss (p);
  note_gap (p, packet);
  delay = path_view_on_packet (v, packet);
  loss_cause_on_packet (&p->loss, packet->counted, packet->frame, cc_seconds (delay), stood);
  if (first) {
    p->next_at = cc_time_add (now, FIRST_PERIOD);
    p->updated_at = now;
  }
  if (v->rerouted && !rerouted)
    p->next_at = now;
  if (!late)
    watch_jump (p, now);
}

CcTime
path_rate_next_timeout (const PathRate *p)
{
  return p->view.started ? p->next_at : CC_TIME_NONE;
}

/* If it was the capacity after all, c has shown it by the next jump. */
static void
react_to_jump (PathRate *p, CcTime now)
{
  PathView *v = &p->view;
  double hold = path_view_loop (v), c = path_view_jumped_to (v, now), rate_Bps;
  OwnerKind kind = queue_owner_kind (&p->queue, v, now);

  p->jump = false;
  p->jumps++;
  loss_cause_abort (&p->loss, now);
  rate_Bps = path_law_jump (v, kind, c);
  if (path_law_yields_only (v, kind)) {
    hold = fmax (hold, OTHERS_TIME);
  } else {
    path_view_take_capacity (v, c);
    p->drained_Bps = p->drained_Bps > 0 ? fmin (p->drained_Bps, ETA * c) : ETA * c;
    kind = queue_owner_kind (&p->queue, v, now);
    hold += JUMP_REST;
  }
  set_rate (p, rate_Bps, rate_owner_of_queue (kind));
  p->hold_until = cc_time_add (now, cc_duration (hold));
}

static void
take_route (PathRate *p)
{
  p->jump = false;
  queue_owner_forget (&p->queue);
  set_rate (p, fmax (p->rate_Bps, p->view.route.rate_Bps), RATE_OWNER_UNMET);
  path_view_take_route (&p->view);
}

/* Trains as they arrived prove that much, whether they were spread or not. */
static bool
take_start (PathRate *p)
{
  double c = p->view.share.capacity_Bps, rate_Bps = fmin (p->start_word_Bps, ETA * c);

  if (p->start_word_Bps == 0 || c == 0)
    return false;
  p->start_word_Bps = 0;
  if (rate_Bps <= p->rate_Bps)
    return false;
  set_rate (p, rate_Bps, RATE_OWNER_ROUTER);
  return true;
}

static void
answer_owner (PathRate *p, const QueueJudgement *j, CcTime now)
{
  switch (j->verdict) {
  case QUEUE_AS_IT_WAS:
  case QUEUE_IS_OTHERS:
    return;
  case QUEUE_IS_OURS:
    path_view_wait_anew (&p->view);
    return;
  case QUEUE_TEST_BEGINS:
    p->hold_until = cc_time_add (now, j->hold);
    break;
  case QUEUE_TEST_OVER:
    break;
  }
  set_rate (p, j->rate_Bps, RATE_OWNER_OTHERS);
}

/* Where loss is put to the test, or has been. */
static void
answer_loss (PathRate *p, CcTime now)
{
  const PathView *v = &p->view;
  LossPath path = {.rate_Bps = p->rate_Bps,
      .receive_Bps = v->receive_Bps,
      .packet_bytes = v->last.wire_bytes,
      .R = cc_seconds (v->R),
      .loop = path_view_loop (v),
      .queue_is_others = queue_owner_may_be_others (&p->queue, v, p->updated_at)};
  bool testing = loss_cause_testing (&p->loss);

  if (testing && path.queue_is_others) {
    loss_cause_abort (&p->loss, now);
    set_rate (p, p->before_loss_test_Bps, RATE_OWNER_OTHERS);
    return;
  }
  switch (loss_cause_judge (&p->loss, &path, now)) {
  case LOSS_BEGIN_TEST:
    p->before_loss_test_Bps = p->rate_Bps;
    set_rate (p, p->loss.test_Bps, RATE_OWNER_LOSS);
    break;
  case LOSS_RATE_FREE:
    set_rate (p, p->before_loss_test_Bps, RATE_OWNER_LOSS);
    break;
  case LOSS_CONGESTION:
    set_rate (p, fmin (testing ? p->before_loss_test_Bps : p->rate_Bps, p->loss.limit_Bps), RATE_OWNER_LOSS);
    break;
  case LOSS_GO_ON:
    break;
  }
}

/* True while that is what decides. */
static bool
answer_backlog (PathRate *p, CcTime now)
{
  PathView *v = &p->view;
  Backlog *b = &p->backlog;
  BacklogQueue queue = {.waited = v->waited, .one_packet = path_view_no_queue (v), .arrived_at = v->last.arrived_at};

  if (!path_view_is_alone (v, now) || p->queue.others || loss_cause_testing (&p->loss)) {
    backlog_forget (b);
    return false;
  }
  queue.standing = path_view_queue_has_jumped (v, now) ? fmax (v->queue.q, v->waited) : v->queue.q;
  queue.served_Bps = path_view_served (v, now);
  switch (backlog_step (b, &queue)) {
  case BACKLOG_BEGINS:
    p->jumps++;
    loss_cause_abort (&p->loss, now);
    break;
  case BACKLOG_STANDS:
    break;
  case BACKLOG_OVER:
    if (b->served_Bps > p->rate_Bps)
      set_rate (p, b->served_Bps, RATE_OWNER_OWN);
    return false;
  case BACKLOG_NOT_OURS:
    path_view_forget_cross (v);
    return false;
  case BACKLOG_NONE:
    return false;
  }
  path_view_meet_queue (v, now);
  set_rate (p, b->rate_Bps, RATE_OWNER_OWN);
  return true;
}

static void
run_law (PathRate *p, double T, CcTime now)
{
  const PathLawLoss loss = {loss_cause_limit (&p->loss, now), loss_cause_next_step (&p->loss), p->loss.unexplained};
  PathLawStep step;

  path_view_note_limit (&p->view, now);
  step = path_law_step (&p->view, queue_owner_kind (&p->queue, &p->view, now), &loss, fmin (T, MAX_PERIOD), now);
  set_rate (p, step.rate_Bps, step.owner);
}

/* What arrived while our queue stood is what the path carries, as behind a backlog. */
static void
return_from_jump (PathRate *p)
{
  if (p->drained_Bps == 0 || !path_view_queue_is_short (&p->view))
    return;
  if (p->drained_Bps > p->rate_Bps)
    set_rate (p, p->drained_Bps, RATE_OWNER_OWN);
  p->drained_Bps = 0;
}

/* Returns whether routers have begun to say. */
static bool
run_period (PathRate *p, double T, CcTime now)
{
  QueueJudgement j;
  bool began;

  path_view_update (&p->view, p->queue.others, T, now);
  began = take_start (p);
  j = queue_owner_judge (&p->queue, &p->view, T, now);
  answer_owner (p, &j, now);
  answer_loss (p, now);
  return_from_jump (p);
  if (!answer_backlog (p, now) && !p->queue.testing && !loss_cause_testing (&p->loss))
    run_law (p, T, now);
  return began;
}

static bool
worth_telling (PathRate *p)
{
  if (p->rate_Bps > WORTH_TELLING * p->reported_Bps)
    return false;
  p->reported_Bps = p->rate_Bps;
  return true;
}

bool
path_rate_on_timeout (PathRate *p, CcTime now)
{
  bool began = false;
  double T;

  if (!p->view.started || now < p->next_at)
    return false;
  T = cc_seconds (cc_time_since (now, p->updated_at));
  path_view_receive (&p->view, now);
  if (p->view.rerouted) {
    take_route (p);
    began = true;
  } else if (p->jump) {
    react_to_jump (p, now);
  } else if (now >= p->hold_until && T > 0) {
    began = run_period (p, T, now);
  } else {
    QueueJudgement j = queue_owner_judge_resting (&p->queue, &p->view, T, now);
    answer_owner (p, &j, now);
  }
  p->updated_at = now;
  p->next_at = cc_time_add (now, cc_duration (path_view_period (&p->view)));
  return worth_telling (p) || began;
}

void
path_rate_report (const PathRate *p, PathReport *report)
{
  bool others = queue_owner_may_be_others (&p->queue, &p->view, p->updated_at);

  *report = (PathReport){.rate_Bps = p->rate_Bps,
      .capacity_Bps = p->view.share.capacity_Bps,
      .receive_Bps = p->view.receive_Bps,
      .queue_delay = cc_duration (p->view.queue.q),
      .owner = p->rate_Bps < p->params.max_Bps ? p->owner : RATE_OWNER_MAX,
      .ecn = p->view.marks.seen,
      .loss = loss_cause_loss (&p->loss),
      .excused = loss_cause_excused (&p->loss, others)};
}

void
path_rate_reported (PathRate *p)
{
  p->reported_Bps = p->rate_Bps;
  ecn_marks_reported (&p->view.marks);
}
