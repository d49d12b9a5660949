/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "losscause.h"
#include "tfrcequation.h"
#include <math.h>

#define MEMORY 1.5 /* s */
#define LEAST_PACKETS 150
#define FLOOR_PACKETS 2000
#define MAX_GAP 200     /* packets: a longer one is an outage or a restart */
#define QUIET_SHARE 0.7 /* of the packets, for a test */
#define STEP 1.5 /* x what is sent, where there is room for a trial; above a floor, as encoders may stay well below */
#define GAPLESS_PACKETS 50
#define LEARN_SHARE 1.1 /* x the rate of the last test: so low it still tells the floor */
#define CLEAN_GAPS 4.0  /* expected, and none came */
#define OVER_GAPS 8.0   /* expected of the floor, and none came: once in 3000 by chance */
#define SMALL_LOSS 0.02 /* gaps per packet */
#define WELL_ABOVE 1.2
#define PAUSE CC_SECOND

void
loss_cause_init (LossCause *l)
{
  *l = (LossCause){0};
}

static void
on_late_packet (LossCause *l)
{
  loss_count_take_back (&l->all);
  loss_count_take_back (&l->quiet);
  loss_count_take_back (&l->floor);
  loss_count_take_back (&l->trial.count);
  calm_loss_take_back (&l->calm);
}

static void
count (LossCause *l, unsigned lost, bool busy)
{
  loss_count_packet (&l->all, lost);
  calm_loss_on_packet (&l->calm, lost);
  l->clean_packets += 1 + lost;
  l->gapless_packets = lost > 0 ? 0 : l->gapless_packets + 1;
  if (busy)
    return;
  loss_count_packet (&l->quiet, lost);
  loss_trial_on_packet (&l->trial, lost);
  if (l->learning)
    loss_count_packet (&l->floor, lost);
}

void
loss_cause_on_packet (LossCause *l, uint64_t seq, double q, bool busy)
{
  if (l->started && seq <= l->seq) {
    on_late_packet (l);
    return;
  }
  if (l->started)
    count (l, seq - l->seq <= MAX_GAP ? (unsigned)(seq - l->seq - 1) : 0, busy);
  l->started = true;
  l->seq = seq;
  calm_loss_on_delay (&l->calm, q, busy);
}

static void
fade (LossCause *l, CcTime now)
{
  double T = cc_seconds (cc_time_since (now, l->at));
  double keep = loss_count_kept (T, MEMORY, l->all.packets, LEAST_PACKETS);

  l->at = now;
  loss_count_scale (&l->all, keep);
  loss_count_scale (&l->quiet, keep);
  calm_loss_fade (&l->calm, T);
  if (l->floor.packets > FLOOR_PACKETS)
    loss_count_scale (&l->floor, FLOOR_PACKETS / l->floor.packets);
}

static double
by_queue (const LossCause *l, bool queue_is_others)
{
  return queue_is_others ? l->all.gaps : calm_loss_of_queue (&l->calm) * l->all.gaps;
}

static double
by_rate (const LossCause *l)
{
  return l->trial.phase == LOSS_IDLE ? loss_count_excess (&l->quiet, &l->floor) : 0;
}

bool
loss_cause_testing (const LossCause *l)
{
  return loss_trial_is_down (&l->trial);
}

static void
pause_tests (LossCause *l, CcTime now)
{
  l->test_at = cc_time_add (now, PAUSE);
}

void
loss_cause_abort (LossCause *l, CcTime now)
{
  loss_trial_abort (&l->trial);
  l->learning = false;
  pause_tests (l, now);
}

double
loss_cause_loss (const LossCause *l)
{
  return l->all.packets > 0 ? l->all.lost / l->all.packets : 0;
}

double
loss_cause_excused (const LossCause *l, bool queue_is_others)
{
  double congestion = fmax (by_queue (l, queue_is_others), by_rate (l));

  /* nothing is excused that is not being tried, or has been */
  if (l->trial.phase == LOSS_IDLE && l->floor.gaps < 1)
    return 0;
  return l->all.gaps > 0 ? loss_cause_loss (l) * (1 - fmin (congestion / l->all.gaps, 1)) : 0;
}

static LossVerdict
begin_test (LossCause *l, const LossPath *path, double sent_Bps, CcTime now)
{
  double receive_Bps = fmin (path->receive_Bps, path->receive_now_Bps);
  bool more = loss_count_rate (&l->quiet) > loss_count_rate (&l->floor);

  l->learning = false;
  l->tests++;
  l->verified_Bps = sent_Bps;
  loss_trial_begin_down (&l->trial, more ? &l->quiet : &l->floor, sent_Bps, receive_Bps, now);
  return LOSS_BEGIN_TEST;
}

static LossVerdict
meet_limit (LossCause *l, double arrived_Bps, CcTime now)
{
  loss_trial_abort (&l->trial);
  l->congestions++;
  loss_limit_meet (&l->limit, arrived_Bps, now);
  pause_tests (l, now);
  l->all = l->quiet = (LossCount){0}; /* answered */
  return LOSS_CONGESTION;
}

static LossVerdict
go_on_testing (LossCause *l, const LossPath *path, double sent_Bps, CcTime now)
{
  LossFinding found = loss_trial_go_on (&l->trial, sent_Bps, path->loop, now);

  if (found == LOSS_TRIAL_GOES_ON)
    return LOSS_GO_ON;
  l->floor = loss_trial_floor (&l->trial);
  if (found == LOSS_TRIAL_CAUSE)
    return meet_limit (l, l->trial.arrived_Bps, now);
  loss_trial_abort (&l->trial);
  if (l->trial.count.gaps >= 2)
    loss_limit_forget (&l->limit);
  pause_tests (l, now);
  return LOSS_RATE_FREE;
}

static void
begin_rise (LossCause *l, double receive_Bps, CcTime now)
{
  loss_trial_begin_up (&l->trial, &l->quiet, receive_Bps, now);
  l->rises++;
}

static void
end_rise (LossCause *l, double sent_Bps)
{
  l->floor = loss_trial_floor (&l->trial);
  loss_trial_abort (&l->trial);
  l->verified_Bps = sent_Bps;
}

static LossVerdict
go_on_rising (LossCause *l, const LossPath *path, double sent_Bps, CcTime now)
{
  LossFinding found = loss_trial_go_on (&l->trial, sent_Bps, path->loop, now);

  if (found == LOSS_TRIAL_FREE)
    end_rise (l, sent_Bps);
  else if (found == LOSS_TRIAL_CAUSE)
    return meet_limit (l, fmin (path->receive_Bps, l->trial.arrived_Bps), now);
  else if (path->queue_is_others)
    loss_cause_abort (l, now);
  else if (found == LOSS_TRIAL_ENDS && l->trial.count.gaps > 0)
    return begin_test (l, path, sent_Bps, now);
  else if (found == LOSS_TRIAL_ENDS)
    loss_cause_abort (l, now); /* nothing is lost any more */
  return LOSS_GO_ON;
}

static bool
is_less (const LossCount *c, double gaps_per_packet)
{
  return loss_count_are_fewer (c->gaps, gaps_per_packet * c->packets) && c->packets >= 0.9 * LEAST_PACKETS;
}

/* Loss has become less: so has the floor. */
static void
lower_floor (LossCause *l)
{
  if (is_less (&l->all, loss_count_rate (&l->floor)))
    l->floor = l->all;
  else if (is_less (&l->calm.whole, loss_count_rate (&l->floor)))
    l->floor = l->calm.whole;
  if (l->gapless_packets * loss_count_rate (&l->floor) > OVER_GAPS)
    l->floor = l->all = l->quiet = (LossCount){0};
}

double
loss_cause_next_step (const LossCause *l)
{
  return l->floor.gaps >= 1 && l->verified_Bps > 0 ? STEP * l->verified_Bps : HUGE_VAL;
}

/* Few losses that the equation leaves alone are not worth a test. */
static bool
matters (const LossCause *l, const LossPath *path, double sent_Bps)
{
  double p = fmax (fmax (l->quiet.gaps - 1, 0) / fmax (l->quiet.packets, 1), loss_count_rate (&l->floor));

  return p > SMALL_LOSS || path->R <= 0 ||
         tfrc_throughput (path->packet_bytes, path->R, p, TFRC_RTO_4R) < WELL_ABOVE * sent_Bps;
}

/* The first loss of a path that shows room, and no limit. */
static bool
may_rise (const LossCause *l, const LossPath *path, double sent_Bps, double limit_Bps)
{
  return l->quiet.gaps > 0.5 && l->floor.gaps < 1 && isinf (limit_Bps) && path->limit_Bps > STEP * sent_Bps;
}

/* Nothing is being tested. */
static LossVerdict
watch (LossCause *l, const LossPath *path, double sent_Bps, CcTime now)
{
  bool seen = l->quiet.packets > QUIET_SHARE * l->all.packets && !path->queue_is_others &&
              !calm_loss_looks_like_queue (&l->calm);
  bool more = seen && by_rate (l) > 1, was_clean = l->clean_packets * loss_trial_rate_before (&l->trial) >= CLEAN_GAPS;
  const LossLimit limit = l->limit;

  l->unexplained = more;
  l->learning = seen && !more && sent_Bps <= LEARN_SHARE * l->trial.test_Bps;
  lower_floor (l);
  if (more)
    l->clean_packets = 0;
  else
    l->verified_Bps = fmax (l->verified_Bps, sent_Bps);
  if (l->gapless_packets > GAPLESS_PACKETS && loss_limit_is_passed (&limit, sent_Bps, now))
    loss_limit_forget (&l->limit); /* whatever a queue says of what was lost before */
  if (!seen || path->receive_Bps <= 0)
    return LOSS_GO_ON;
  if (more && was_clean && matters (l, path, sent_Bps) && !loss_limit_is_far (&limit, sent_Bps, now))
    return meet_limit (l, loss_limit_arrives (&limit, path->receive_Bps, now), now);
  if (now >= l->test_at && may_rise (l, path, sent_Bps, loss_limit_Bps (&limit, now))) {
    l->unexplained = false;
    begin_rise (l, path->receive_Bps, now);
  } else if (now >= l->test_at && more && matters (l, path, sent_Bps)) {
    return begin_test (l, path, sent_Bps, now);
  }
  return LOSS_GO_ON;
}

LossVerdict
loss_cause_judge (LossCause *l, const LossPath *path, CcTime now)
{
  double sent_Bps = fmin (path->rate_Bps, path->receive_Bps / fmax (1 - loss_cause_loss (l), 0.1));

  fade (l, now);
  switch (l->trial.phase) {
  case LOSS_IDLE:
    return watch (l, path, sent_Bps, now);
  case LOSS_RISING:
    return go_on_rising (l, path, sent_Bps, now);
  default:
    return go_on_testing (l, path, sent_Bps, now);
  }
}
