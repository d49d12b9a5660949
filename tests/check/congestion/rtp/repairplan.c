/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "repairplan.h"
#include "ccrandom.h"
#include "cctest.h"

#include <math.h>

#define MS CC_MSECOND
#define FRAME (33 * MS)
#define PACKETS 4 /* a frame */
#define SPACING (6 * MS)

static RepairPlan plan;
static bool queued; /* a queue stands on the path */
static NackRequest nack;

static void
fresh (CcDuration rtt)
{
  RepairPlanParams params;
  NackRequestParams requests;

  repair_plan_params_init (&params);
  repair_plan_init (&plan, &params);
  repair_plan_set_rtt (&plan, rtt);
  nack_request_params_init (&requests);
  nack_request_init (&nack, &requests);
}

/* Whether a packet is lost: `loss` of them, `burst` in a row in the mean. */
static CcPcg32 seeded;

typedef struct {
  double loss, burst;
  bool in_burst;
  CcRandom random;
} Path;

static Path
path_of (double loss, double burst)
{
  return (Path){.loss = loss, .burst = burst, .random = cc_pcg32_init (&seeded, 7)};
}

static double
chance (Path *p)
{
  return cc_random_uniform (&p->random, 0, 1);
}

static bool
loses (Path *p)
{
  double end = 1 / p->burst, begin = p->loss * end / (1 - p->loss);

  p->in_burst = chance (p) < (p->in_burst ? 1 - end : begin);
  return p->in_burst;
}

/* A stream of `frames`, of which only the plan hears. */
static CcTime
stream (Path *p, unsigned frames, CcTime now)
{
  static uint32_t seq = 1000;

  for (unsigned f = 0; f < frames; f++)
    for (unsigned i = 0; i < PACKETS; i++, seq++)
      if (!loses (p))
        repair_plan_on_packet (&plan, seq, 3000 * (seq / PACKETS), queued, now + f * FRAME + i * SPACING);
  now += frames * FRAME;
  repair_plan_update (&plan, now);
  return now;
}

static void
answers (unsigned count, CcDuration notice, CcDuration answer)
{
  for (unsigned i = 0; i < count; i++) {
    repair_plan_on_asked (&plan, notice);
    repair_plan_on_answer (&plan, 1, answer);
  }
}

START_TEST (test_nothing_lost_nothing_waited_for)
{
  Path path = path_of (0, 1);

  fresh (100 * MS);
  stream (&path, 3000, CC_SECOND);
  ck_assert_uint_eq (plan.wait, 100 * MS);
  ck_assert_uint_eq (plan.copies, 1);
  ck_assert_double_eq (plan.frame_loss, 0);
}
END_TEST

/* One round of 20 ms, and what is needed beside it, is within what the player waits for anyway. */
START_TEST (test_short_round_trips_need_no_longer_wait)
{
  Path path = path_of (0.02, 1);
  CcTime now;

  fresh (20 * MS);
  now = stream (&path, 100, CC_SECOND);
  answers (20, 5 * MS, 28 * MS);
  stream (&path, 300, now);
  ck_assert_uint_ge (plan.rounds, 1);
  ck_assert_uint_eq (plan.copies, 1);
  ck_assert_uint_le (plan.wait, 140 * MS);
  ck_assert_double_lt (plan.frame_loss, 0.001);
}
END_TEST

/* A second round would come after 240 ms: the first asks twice. */
START_TEST (test_long_round_trips_ask_twice)
{
  Path path = path_of (0.05, 1);
  CcTime now;

  fresh (100 * MS);
  now = stream (&path, 300, CC_SECOND);
  answers (40, 5 * MS, 110 * MS);
  stream (&path, 300, now);
  ck_assert_uint_eq (plan.copies, 2);
  ck_assert_uint_ge (plan.wait, 130 * MS);
  ck_assert_uint_le (plan.wait, 400 * MS);
  ck_assert_uint_ge (plan.copy_spacing, 20 * MS);
}
END_TEST

/* 2 mean deviations beyond the mean: 110 and 150 ms in turns. */
START_TEST (test_an_answer_is_lost_after_two_deviations)
{
  Path path = path_of (0.05, 1);
  CcTime now;

  fresh (100 * MS);
  now = stream (&path, 300, CC_SECOND);
  for (unsigned i = 0; i < 40; i++)
    answers (1, 5 * MS, (i % 2 ? 110 : 150) * MS);
  stream (&path, 3, now);
  ck_assert_double_eq_tol (cc_seconds (plan.spacing), plan.answer.mean + 2 * plan.answer.deviation, 1e-6);
  ck_assert_double_eq_tol (plan.answer.deviation, 0.020, 0.003);
  ck_assert_double_eq_tol (cc_seconds (plan.spacing), 0.170, 0.010);
}
END_TEST

/* A burst of four takes both requests' answers where they are closer than itself. */
START_TEST (test_bursts_are_told_and_outlasted)
{
  Path path = path_of (0.05, 4);

  fresh (100 * MS);
  stream (&path, 3000, CC_SECOND);
  ck_assert_double_ge (plan.all.burst, 2.5);
  ck_assert_double_le (plan.all.burst, 6);
  ck_assert_uint_ge (plan.copy_spacing, (CcDuration)(plan.all.burst * 8) * MS);
}
END_TEST

/* What a queue has no room for is asked for, and says nothing of the path. */
START_TEST (test_a_queues_losses_are_not_the_paths_own)
{
  Path clean = path_of (0, 1), full = path_of (0.3, 2), lossy = path_of (0.05, 1);
  CcTime now;

  fresh (100 * MS);
  now = stream (&clean, 300, CC_SECOND);
  queued = true;
  now = stream (&full, 30, now);
  queued = false;
  ck_assert_double_gt (plan.all.loss, 0.03);
  ck_assert_uint_ge (plan.rounds, 1);
  ck_assert_double_eq (repair_plan_own_loss (&plan).loss, 0);
  now = stream (&lossy, 1000, now);
  ck_assert_double_eq_tol (repair_plan_own_loss (&plan).loss, 0.05, 0.03);
  /* where the queue stays, what nobody loses any more is forgotten all the same */
  queued = true;
  stream (&clean, 1000, now);
  queued = false;
  ck_assert_double_lt (repair_plan_own_loss (&plan).loss, 0.001);
}
END_TEST

/* Slow once: so slow that none are asked for, and none come that could be faster. */
START_TEST (test_answers_of_another_time_are_forgotten)
{
  Path path = path_of (0.05, 1);
  CcTime now;

  fresh (100 * MS);
  now = stream (&path, 300, CC_SECOND);
  answers (40, 5 * MS, 450 * MS);
  now = stream (&path, 30, now);
  ck_assert_uint_eq (plan.rounds, 0);
  stream (&path, 300, now);
  ck_assert_uint_ge (plan.rounds, 1);
}
END_TEST

/* No answer can come within 400 ms: nothing is asked for, and a key unit not waited with. */
START_TEST (test_too_far_away)
{
  Path path = path_of (0.05, 1);

  fresh (500 * MS);
  stream (&path, 300, CC_SECOND);
  ck_assert_uint_eq (plan.rounds, 0);
  ck_assert_uint_eq (plan.wait, 100 * MS);
  ck_assert_double_gt (plan.frame_loss, 0.1);
  repair_plan_apply (&plan, &nack);
  ck_assert_uint_eq (nack.params.max_tries, 0);
  ck_assert_uint_le (nack.params.latency, 20 * MS);
}
END_TEST

START_TEST (test_the_user_has_the_last_word)
{
  Path path = path_of (0.05, 1);
  CcTime now;

  fresh (100 * MS);
  repair_plan_set_limits (&plan, 100 * MS, 100 * MS);
  now = stream (&path, 300, CC_SECOND);
  ck_assert_uint_eq (plan.wait, 100 * MS);
  ck_assert_uint_eq (plan.rounds, 0);
  repair_plan_set_limits (&plan, 100 * MS, 500 * MS);
  stream (&path, 1, now);
  ck_assert_uint_gt (plan.wait, 200 * MS);
}
END_TEST

/* 30 s after it was needed last. */
START_TEST (test_the_wait_falls_late)
{
  Path lossy = path_of (0.03, 1), clean = path_of (0, 1);
  CcDuration wait;
  CcTime now;

  fresh (100 * MS);
  now = stream (&lossy, 300, CC_SECOND);
  wait = plan.wait;
  ck_assert_uint_gt (wait, 130 * MS);
  for (CcTime end = now + 20 * CC_SECOND; now < end;)
    now = stream (&clean, 10, now);
  ck_assert_uint_eq (plan.wait, wait);
  for (CcTime end = now + 60 * CC_SECOND; now < end;)
    now = stream (&clean, 10, now);
  ck_assert_uint_eq (plan.wait, 100 * MS);
}
END_TEST

/* Where packets overtake each other a gap proves nothing at once. */
START_TEST (test_reordering_is_waited_for)
{
  fresh (50 * MS);
  repair_plan_apply (&plan, &nack);
  ck_assert_uint_eq (nack.params.reorder_packets, 1);
  for (uint32_t seq = 0; seq < 100; seq++)
    repair_plan_on_packet (&plan, 10 + (seq ^ 1), 0, false, CC_SECOND + seq * MS);
  ck_assert_double_lt (plan.all.loss, 0.02);
  repair_plan_apply (&plan, &nack);
  ck_assert_uint_eq (nack.params.reorder_packets, 3);
  for (uint32_t seq = 0; seq < 100; seq++)
    repair_plan_on_packet (&plan, 110 + seq, 0, false, 62 * CC_SECOND + seq * MS);
  repair_plan_apply (&plan, &nack);
  ck_assert_uint_eq (nack.params.reorder_packets, 1);
}
END_TEST

/* Requests that stay without an answer are asked more often, up to the limit. */
START_TEST (test_deaf_senders)
{
  Path path = path_of (0.01, 1);
  CcTime now;

  fresh (20 * MS);
  now = stream (&path, 300, CC_SECOND);
  repair_plan_on_failure (&plan, 64);
  stream (&path, 30, now);
  ck_assert_double_gt (plan.frame_loss, 0.01);
  ck_assert_uint_le (plan.rounds, plan.params.max_rounds);
}
END_TEST

/* ---- the loop: plan and requests against a path ---- */

#define MOST 20000

typedef struct {
  CcTime due;
  uint32_t seq;
} Coming;

static struct {
  Coming queue[512];
  unsigned n;
  CcTime shown[MOST]; /* when the packet was there; 0: never */
  CcTime sent[MOST];
} call;

static void
come (uint32_t seq, CcTime due)
{
  ck_assert_uint_lt (call.n, 512);
  call.queue[call.n++] = (Coming){due, seq};
}

static void
take_answers (CcTime now)
{
  for (unsigned i = 0; i < call.n;) {
    Coming c = call.queue[i];

    if (c.due > now) {
      i++;
      continue;
    }
    call.queue[i] = call.queue[--call.n];
    for (unsigned k = 0; k < nack.n_missing; k++)
      if (nack.missing[k].seq == c.seq)
        repair_plan_on_answer (&plan, nack.missing[k].tries, now - nack.missing[k].at);
    if (call.shown[c.seq] == 0) {
      call.shown[c.seq] = now;
      nack_request_on_packet (&nack, c.seq, now);
    }
  }
}

static void
ask (Path *p, CcDuration rtt, CcTime now)
{
  uint16_t due[64];
  unsigned n = nack_request_take_due (&nack, due, 64, now);

  for (unsigned i = 0; i < n; i++) {
    for (unsigned k = 0; k < nack.n_missing; k++)
      if ((uint16_t)nack.missing[k].seq == due[i] && nack.missing[k].tries == 0)
        repair_plan_on_asked (&plan, now - nack.missing[k].at);
    if (!loses (p))
      come (due[i], now + rtt + 5 * MS);
  }
  nack_request_on_sent (&nack, due, n, now);
}

/* Frames lost for a player that waits as the plan says; `expected`: what the plan says. */
static double
play (double loss, double burst, CcDuration rtt, double *expected)
{
  Path path = path_of (loss, burst);
  unsigned frames = (unsigned)scaled (4000), lost = 0, counted = 0;
  double sum = 0;

  fresh (rtt);
  call.n = 0;
  for (unsigned i = 0; i < MOST; i++)
    call.shown[i] = 0;
  for (CcTime now = CC_SECOND, end = now + frames * FRAME; now < end; now += MS) {
    CcTime at = (now - CC_SECOND) % FRAME, frame = (now - CC_SECOND) / FRAME;
    uint32_t seq = (uint32_t)(frame * PACKETS + at / SPACING);

    take_answers (now);
    if (at % SPACING == 0 && at / SPACING < PACKETS) {
      call.sent[seq] = now;
      if (!loses (&path)) {
        call.shown[seq] = now;
        nack_request_on_packet (&nack, seq, now);
        repair_plan_on_packet (&plan, seq, (uint32_t)(3000 * frame), false, now);
      }
    }
    repair_plan_update (&plan, now);
    repair_plan_apply (&plan, &nack);
    ask (&path, rtt, now);
    if (at == 0 && frame > 300)
      sum += plan.frame_loss, counted++;
  }
  for (unsigned f = 300; f < frames - 30; f++) {
    bool whole = true;

    for (unsigned i = 0; i < PACKETS; i++) {
      CcTime shown = call.shown[f * PACKETS + i];

      whole &= shown != 0 && shown <= call.sent[f * PACKETS + i] + plan.wait;
    }
    lost += !whole;
  }
  *expected = sum / counted;
  return (double)lost / (frames - 330);
}

/* The paths of docs/repair.md: the tolerable loss is kept, and of its order foreseen. */
START_TEST (test_frames_are_lost_as_expected)
{
  static const struct {
    double loss, burst;
    CcDuration rtt;
  } paths[] = {{0.005, 1, 100 * MS}, {0.02, 1, 20 * MS}, {0.02, 1, 100 * MS}, {0.05, 1, 20 * MS}, {0.05, 1, 100 * MS},
      {0.02, 4, 50 * MS}, {0.05, 4, 100 * MS}};

  for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
    double expected, lost = play (paths[i].loss, paths[i].burst, paths[i].rtt, &expected);
    double unrepaired = 1 - pow (1 - paths[i].loss / paths[i].burst, PACKETS);

    ck_assert_msg (lost <= 0.004, "%g %g: %g lost", paths[i].loss, paths[i].burst, lost);
    ck_assert_msg (expected <= 0.004, "%g %g: %g expected", paths[i].loss, paths[i].burst, expected);
    ck_assert_msg (lost < 0.25 * unrepaired, "%g of %g", lost, unrepaired);
  }
}
END_TEST

/* What redundancy is weighed against: at 100 ms what one request does not mend another does, at 300 ms there is one,
   and some of its answers come too late. */
START_TEST (test_what_asking_can_do)
{
  Path path = path_of (0.1, 1);
  double unanswered;
  CcDuration answer;

  fresh (100 * MS);
  stream (&path, 300, CC_SECOND);
  ck_assert (repair_plan_can_ask (&plan, &answer, &unanswered));
  ck_assert_double_le (unanswered, plan.all.loss * plan.all.loss);
  ck_assert_uint_ge (answer, 100 * MS);
  fresh (300 * MS);
  stream (&path, 300, CC_SECOND);
  ck_assert (repair_plan_can_ask (&plan, &answer, &unanswered));
  ck_assert_double_ge (unanswered, plan.all.loss);
  ck_assert_double_le (unanswered, 2 * plan.all.loss);
  fresh (450 * MS);
  stream (&path, 300, CC_SECOND);
  ck_assert (!repair_plan_can_ask (&plan, &answer, &unanswered));
  fresh (100 * MS);
  plan.params.max_rounds = 0;
  stream (&path, 300, CC_SECOND);
  ck_assert (!repair_plan_can_ask (&plan, &answer, &unanswered));
}
END_TEST

/* The sender paused while its RTP time stood, that fell back, or more of it passed than 32 bits tell. */
START_TEST (test_another_rtp_time_is_no_lateness)
{
  const struct {
    CcDuration pause;
    uint32_t rtp_time;
  } leaps[] = {{5 * CC_SECOND, 0}, {CC_SECOND, 0}, {0, -900000u}, {36000 * CC_SECOND, 36000u * 90000u}};
  uint32_t seq = 1000, rtp_time = 0;
  CcTime now = CC_SECOND;

  for (unsigned leap = 0; leap < sizeof leaps / sizeof *leaps; leap++) {
    fresh (40 * MS);
    for (unsigned f = 0; f < 600; f++) {
      for (unsigned i = 0; i < PACKETS; i++)
        if (++seq % 20 != 0)
          repair_plan_on_packet (&plan, seq, rtp_time, false, now + i * SPACING);
      rtp_time += 3000;
      now += FRAME;
      if (f == 299) {
        now += leaps[leap].pause;
        rtp_time += leaps[leap].rtp_time;
      }
    }
    answers (20, 5 * MS, 50 * MS);
    repair_plan_update (&plan, now);
    ck_assert_double_lt (plan.lateness.mean, 0.050);
    ck_assert_uint_ge (plan.rounds, 1);
  }
}
END_TEST

/* Three frames come 2 s late, all at once nearly, as a path lets them go that held them. */
START_TEST (test_packets_held_back_do_not_move_the_base)
{
  Path path = path_of (0, 1);
  CcTime now;
  double before;

  fresh (40 * MS);
  now = stream (&path, 300, CC_SECOND);
  before = plan.base - cc_seconds (now);
  stream (&path, 3, now + 2 * CC_SECOND);
  now = stream (&path, 300, now + 3 * FRAME);
  ck_assert_double_eq_tol (plan.base - cc_seconds (now), before, 0.020);
  ck_assert_double_lt (plan.lateness.mean, 0.050);
}
END_TEST

/* Nothing came for 4 s, and the first packet behind shows all that was lost. */
START_TEST (test_an_outage_does_not_tell_when_gaps_are_seen)
{
  Path path = path_of (0, 1), gone = path_of (0.5, 1e9);
  CcTime now;

  fresh (40 * MS);
  now = stream (&path, 300, CC_SECOND);
  gone.in_burst = true;
  now = stream (&gone, 120, now);
  now = stream (&path, 3, now);
  answers (20, 5 * MS, 50 * MS);
  repair_plan_update (&plan, now);
  ck_assert_double_lt (plan.reveal.mean, 0.050);
  ck_assert_uint_ge (plan.rounds, 1);
}
END_TEST

CC_TEST_MAIN ("repairplan", test_nothing_lost_nothing_waited_for, test_short_round_trips_need_no_longer_wait,
    test_long_round_trips_ask_twice, test_an_answer_is_lost_after_two_deviations, test_bursts_are_told_and_outlasted,
    test_a_queues_losses_are_not_the_paths_own, test_answers_of_another_time_are_forgotten, test_too_far_away,
    test_the_user_has_the_last_word, test_the_wait_falls_late, test_reordering_is_waited_for, test_deaf_senders,
    test_what_asking_can_do, test_another_rtp_time_is_no_lateness, test_packets_held_back_do_not_move_the_base,
    test_an_outage_does_not_tell_when_gaps_are_seen, CC_TEST_LONG (test_frames_are_lost_as_expected))
