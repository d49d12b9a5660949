/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths that are arithmetic: what they lose follows from chance, from the rate or from the queue. Packets of 1000 bytes
   in frames of three at 30 frames/s; the sender follows the verdicts as pathrate.c does, and does not grow. */
#include "losscause.h"
#include "cctest.h"
#include <math.h>

#define FPS 30
#define PACKET 1000
#define kbps(x) ((x)*1e3 / 8)

typedef struct {
  LossCause cause;
  double rate_Bps, before_Bps;
  double chance;       /* of loss */
  double police_Bps;   /* what goes beyond is lost, evenly; 0: nothing */
  double queue_chance; /* of loss while the queue is full */
  bool others, room;   /* the path shows room: the rate grows by a fifth in 200 ms, as the law does */
  uint32_t random;
  CcTime now;
  uint64_t seq;
  double owed, passed, sent, arrived;
  unsigned begun, freed, congested;
} Path;

static void
setup (Path *p, double rate_Bps)
{
  *p = (Path){.rate_Bps = rate_Bps, .now = CC_SECOND, .random = 1};
  loss_cause_init (&p->cause);
}

static double
chance (Path *p)
{
  p->random = p->random * 1664525u + 1013904223u;
  return (p->random >> 8) / (double)(1 << 24);
}

static bool
is_lost (Path *p, double q)
{
  bool lost = chance (p) < p->chance;

  lost |= q > 0.015 && chance (p) < p->queue_chance;
  if (p->police_Bps > 0 && p->rate_Bps > p->police_Bps) {
    p->passed += p->police_Bps / p->rate_Bps;
    lost |= p->passed < 1;
    if (p->passed >= 1)
      p->passed -= 1;
  }
  return lost;
}

/* The queue fills and drains within 0.3 s, up to 20 ms. */
static void
send_frame (Path *p)
{
  double phase = fmod (cc_seconds (p->now), 0.3) / 0.3, q = 0.02 * (phase < 0.5 ? 2 * phase : 2 - 2 * phase);

  for (p->owed += p->rate_Bps / FPS / PACKET; p->owed >= 1; p->owed -= 1) {
    p->seq++;
    p->sent++;
    if (is_lost (p, q))
      continue;
    p->arrived++;
    loss_cause_on_packet (&p->cause, p->seq, q, false);
  }
}

static void
judge (Path *p)
{
  double share = p->sent > 0 ? p->arrived / p->sent : 1;
  LossPath path = {.rate_Bps = p->rate_Bps,
      .receive_Bps = p->rate_Bps * share,
      .receive_now_Bps = p->rate_Bps * share,
      .limit_Bps = p->room ? HUGE_VAL : 0,
      .packet_bytes = PACKET,
      .R = 0.1,
      .loop = 0.2,
      .queue_is_others = p->others};

  p->sent = p->arrived = 0;
  switch (loss_cause_judge (&p->cause, &path, p->now)) {
  case LOSS_BEGIN_TEST:
    p->begun++;
    p->before_Bps = p->rate_Bps;
    p->rate_Bps = p->cause.trial.test_Bps;
    break;
  case LOSS_RATE_FREE:
    p->freed++;
    p->rate_Bps = p->before_Bps;
    break;
  case LOSS_CONGESTION:
    p->congested++;
    p->rate_Bps = fmin (fmax (p->rate_Bps, p->before_Bps), p->cause.limit.rate_Bps);
    break;
  default:
    break;
  }
}

static void
grow (Path *p)
{
  double most_Bps = fmin (loss_cause_next_step (&p->cause), loss_limit_Bps (&p->cause.limit, p->now));

  if (p->room && !loss_cause_testing (&p->cause))
    p->rate_Bps = fmax (fmin (1.2 * p->rate_Bps, most_Bps), p->rate_Bps);
}

static void
run (Path *p, double seconds)
{
  unsigned frames = (unsigned)(seconds * FPS);

  for (unsigned i = 0; i < frames; i++, p->now += CC_SECOND / FPS) {
    send_frame (p);
    if (i % 6 == 5) /* 200 ms: enough packets for what arrives */
      judge (p), grow (p);
  }
}

START_TEST (test_a_clean_path_is_left_alone)
{
  Path p;

  setup (&p, kbps (1000));
  run (&p, 60);
  ck_assert_uint_eq (p.begun, 0);
  ck_assert_double_eq (loss_cause_loss (&p.cause), 0);
  ck_assert_double_eq (loss_cause_excused (&p.cause, false), 0);
  ck_assert (isinf (loss_limit_Bps (&p.cause.limit, p.now)));
  ck_assert (isinf (loss_cause_next_step (&p.cause)));
}
END_TEST

/* Six of ten seconds of random loss, in the mean, are excused for at least three quarters: chance (an excess of 2 and
   more in one window of 150) may count the rest. Where no test has been made nothing is. */
START_TEST (test_random_loss_is_excused_after_a_test)
{
  const double loss[] = {0.03, 0.05, 0.1};

  for (unsigned i = 0; i < 3; i++) {
    double excused = 0, lost = 0;
    Path p;

    setup (&p, kbps (1000));
    run (&p, 10);
    p.chance = loss[i];
    while (p.begun == 0) {
      ck_assert_double_eq (loss_cause_excused (&p.cause, false), 0);
      run (&p, 0.2);
      ck_assert_uint_lt (p.now, 20 * CC_SECOND);
    }
    run (&p, 15);
    ck_assert_uint_ge (p.freed, 1);
    for (unsigned n = 0; n < 300; n++) {
      run (&p, 0.2);
      excused += loss_cause_excused (&p.cause, false);
      lost += loss_cause_loss (&p.cause);
    }
    ck_assert_double_eq_tol (lost / 300, loss[i], 0.4 * loss[i]);
    ck_assert_double_gt (excused, 0.75 * lost);
    ck_assert_double_gt (p.before_Bps, kbps (600));
  }
}
END_TEST

/* At 1200 kb/s a sixth of the packets exceeds the policer, at 0.65 of it, 780, none. */
START_TEST (test_a_policer_is_found)
{
  Path p;

  setup (&p, kbps (1200));
  p.police_Bps = kbps (1000);
  run (&p, 10);
  ck_assert_uint_eq (p.begun, 1);
  ck_assert_uint_eq (p.freed, 0);
  ck_assert_uint_eq (p.congested, 1);
  ck_assert_double_le (p.cause.limit.rate_Bps, kbps (1000) * 1.02);
  ck_assert_double_ge (p.cause.limit.rate_Bps, kbps (900));
  ck_assert_double_eq (loss_limit_Bps (&p.cause.limit, p.now), p.cause.limit.rate_Bps);
  ck_assert_double_eq (loss_cause_excused (&p.cause, false), 0);
}
END_TEST

/* With room for more, growing tells: no test has to lower the rate, and all is excused from the first gap on. */
START_TEST (test_growing_tells_random_loss)
{
  const double loss[] = {0.02, 0.05, 0.1};

  for (unsigned i = 0; i < 3; i++) {
    Path p;

    setup (&p, kbps (1000));
    p.room = true;
    run (&p, 2);
    p.chance = loss[i];
    while (p.cause.rises == 0)
      run (&p, 0.2);
    ck_assert_double_gt (loss_cause_excused (&p.cause, false), 0);
    while (p.cause.floor.gaps < 1) {
      run (&p, 0.2);
      ck_assert_uint_lt (p.now, 10 * CC_SECOND);
    }
    ck_assert_uint_eq (p.begun, 0);
    ck_assert_uint_eq (p.congested, 0);
    ck_assert_double_gt (p.rate_Bps, kbps (1000));
  }
}
END_TEST

/* Forty packets are enough to know which of them met more of a queue than others: a call that begins with a few frames
   of a packet each has no more for a second. */
START_TEST (test_a_calm_queue_is_known_at_once)
{
  LossCause l;
  uint64_t seq = 0;

  loss_cause_init (&l);
  l.trial.phase = LOSS_RISING;
  for (unsigned i = 0; i < 40; i++)
    loss_cause_on_packet (&l, seq += 1 + (i % 13 == 12), i == 0 ? 0 : 0.004 + 0.001 * (i % 5), false);
  ck_assert_double_ge (l.calm.calm.packets, 0.3 * l.calm.whole.packets);
  ck_assert_double_le (l.calm.calm.packets, 0.8 * l.calm.whole.packets);
  ck_assert_double_gt (loss_cause_excused (&l, false), 0.5 * loss_cause_loss (&l));
}
END_TEST

/* It goes no further than a step beyond what comes through, and then below that. */
START_TEST (test_growing_tells_a_policer)
{
  double most_Bps = 0;
  Path p;

  setup (&p, kbps (1000));
  p.room = true;
  p.police_Bps = kbps (1500);
  while (p.congested == 0) {
    run (&p, 0.2);
    most_Bps = fmax (most_Bps, p.rate_Bps);
    ck_assert_uint_lt (p.now, 20 * CC_SECOND);
  }
  ck_assert_uint_eq (p.cause.rises, 1);
  ck_assert_uint_eq (p.begun, 0);
  ck_assert_double_lt (most_Bps, kbps (1500) * 1.5);
  ck_assert_double_le (p.cause.limit.rate_Bps, kbps (1500));
  ck_assert_double_ge (p.cause.limit.rate_Bps, kbps (1200));
  ck_assert_double_le (p.rate_Bps, kbps (1500));
  /* while there is a limit, more loss does not try again */
  run (&p, 10);
  ck_assert_uint_eq (p.cause.rises, 1);
}
END_TEST

/* The capacity was gone for a moment, with 40 packets in a row; what arrives at the time is little. */
START_TEST (test_losses_that_are_over_are_not_tested)
{
  Path p;

  setup (&p, kbps (200));
  run (&p, 4);
  p.seq += 40;
  p.room = true;
  run (&p, 4);
  ck_assert_uint_eq (p.cause.rises, 1);
  ck_assert_double_gt (p.rate_Bps, kbps (600)); /* a step of a half, and more, as nothing is lost in it */
  run (&p, 6);
  ck_assert_uint_eq (p.begun, 0);
}
END_TEST

START_TEST (test_growing_tells_nothing_beside_others)
{
  Path p;

  setup (&p, kbps (1000));
  p.room = true;
  p.chance = 0.05;
  while (p.cause.trial.phase != LOSS_RISING)
    run (&p, 0.2);
  p.others = true;
  run (&p, 2);
  ck_assert_int_eq (p.cause.trial.phase, LOSS_IDLE);
  ck_assert_double_eq (p.cause.floor.gaps, 0);
  ck_assert_double_eq (loss_cause_excused (&p.cause, true), 0);
}
END_TEST

/* Random loss was excused; then a policer begins: the excess is found, and is not excused. */
START_TEST (test_a_policer_shows_through_random_loss)
{
  Path p;

  setup (&p, kbps (1000));
  p.chance = 0.03;
  run (&p, 40);
  ck_assert_uint_ge (p.freed, 1);
  p.congested = 0;
  p.rate_Bps = kbps (1000);
  p.police_Bps = kbps (700);
  run (&p, 10);
  ck_assert_uint_ge (p.congested, 1);
  ck_assert_double_lt (p.rate_Bps, kbps (750));
}
END_TEST

/* Lost only while the queue is above 15 of 20 ms: a quarter of the time, all of it above the median. */
START_TEST (test_loss_by_a_short_queue_is_congestion)
{
  Path p;

  setup (&p, kbps (1000));
  p.queue_chance = 0.15;
  run (&p, 30);
  ck_assert_double_gt (loss_cause_loss (&p.cause), 0.01);
  ck_assert_uint_eq (p.freed, 0);
  ck_assert_double_lt (loss_cause_excused (&p.cause, false), 0.35 * loss_cause_loss (&p.cause));
}
END_TEST

START_TEST (test_in_the_queue_of_others_all_loss_is_congestion)
{
  Path p;

  setup (&p, kbps (1000));
  p.chance = 0.05;
  p.others = true;
  run (&p, 30);
  ck_assert_uint_eq (p.begun, 0);
  ck_assert_double_eq (loss_cause_excused (&p.cause, true), 0);
  /* nor is what a test has excused before they came */
  setup (&p, kbps (1000));
  p.chance = 0.08;
  run (&p, 30);
  ck_assert_double_gt (loss_cause_excused (&p.cause, false), 0);
  ck_assert_double_eq (loss_cause_excused (&p.cause, true), 0);
}
END_TEST

/* Delay need not show the queue, as where it is measured from a base that has risen. */
START_TEST (test_loss_while_a_queue_stands_is_congestion)
{
  Path p;

  setup (&p, kbps (1000));
  p.chance = 0.08;
  run (&p, 30);
  ck_assert_double_gt (loss_cause_excused (&p.cause, false), 0);
  p.cause.all = p.cause.calm.whole = p.cause.calm.calm = p.cause.quiet = (LossCount){0};
  for (unsigned i = 0; i < 4000; i++) {
    bool busy = i / 100 % 2;
    p.seq++;
    if (!busy || chance (&p) > 0.08)
      loss_cause_on_packet (&p.cause, p.seq, 0, busy);
  }
  ck_assert_double_gt (loss_cause_loss (&p.cause), 0.03);
  ck_assert_double_lt (loss_cause_excused (&p.cause, false), 0.2 * loss_cause_loss (&p.cause));
}
END_TEST

/* What was the floor does not hide loss that comes later. */
START_TEST (test_the_floor_goes_with_the_loss)
{
  Path p;

  setup (&p, kbps (1000));
  p.chance = 0.08;
  run (&p, 30);
  ck_assert_double_ge (p.cause.floor.gaps, 1);
  ck_assert (isfinite (loss_cause_next_step (&p.cause)));
  p.chance = 0;
  run (&p, 15);
  ck_assert_double_lt (p.cause.floor.gaps, 1);
  ck_assert (isinf (loss_cause_next_step (&p.cause)));
}
END_TEST

START_TEST (test_an_abort_leaves_no_verdict)
{
  Path p;

  setup (&p, kbps (1000));
  p.chance = 0.1;
  while (!loss_cause_testing (&p.cause))
    run (&p, 0.2);
  loss_cause_abort (&p.cause, p.now);
  ck_assert (!loss_cause_testing (&p.cause));
  ck_assert_double_eq (p.cause.floor.packets, 0);
  run (&p, 0.8); /* a pause of 1 s */
  ck_assert_uint_eq (p.begun, 1);
  run (&p, 2);
  ck_assert_uint_eq (p.begun, 2);
}
END_TEST

START_TEST (test_late_packets_outages_and_repeats)
{
  LossCause l;

  loss_cause_init (&l);
  loss_cause_on_packet (&l, 10, 0, false);
  loss_cause_on_packet (&l, 13, 0, false);
  ck_assert_double_eq (l.all.packets, 3);
  ck_assert_double_eq (l.all.lost, 2);
  ck_assert_double_eq (l.all.gaps, 1);
  loss_cause_on_packet (&l, 11, 0, false); /* late: it was not lost */
  ck_assert_double_eq (l.all.lost, 1);
  loss_cause_on_packet (&l, 12, 0, false);
  loss_cause_on_packet (&l, 12, 0, false);
  ck_assert_double_eq (l.all.lost, 0);
  ck_assert_double_eq (l.all.gaps, 0);
  loss_cause_on_packet (&l, 1000, 0, false); /* an outage says nothing of a rate of loss */
  ck_assert_double_eq (l.all.lost, 0);
  loss_cause_on_packet (&l, UINT64_MAX, 0, false);
  ck_assert_double_eq (l.all.lost, 0);
}
END_TEST

/* Growing on needs room for more than is sent, however much more may be. */
START_TEST (test_room_is_what_is_sent_of_what_is_carried)
{
  LossPath path = {.rate_Bps = 90e3, .receive_Bps = 50e3, .receive_now_Bps = 50e3, .limit_Bps = 100e3, .R = 0.1};
  LossCause l;

  path.packet_bytes = 1000;
  for (unsigned sent = 0; sent < 2; sent++) {
    loss_cause_init (&l);
    for (uint64_t seq = 1; seq < 60; seq += seq == 50 ? 2 : 1)
      loss_cause_on_packet (&l, seq, 0, false);
    path.receive_Bps = sent == 0 ? 50e3 : 80e3;
    loss_cause_judge (&l, &path, 2 * CC_SECOND);
    ck_assert_uint_eq (l.rises, sent == 0);
  }
}
END_TEST

/* A second is long where a policer's bucket has just run empty: what is tried is below what arrives now. */
START_TEST (test_goes_below_what_arrives_of_late)
{
  LossPath path = {.rate_Bps = 100e3, .receive_Bps = 80e3, .receive_now_Bps = 50e3, .limit_Bps = 100e3, .R = 0.1};
  LossCause l;

  path.packet_bytes = 1000;
  loss_cause_init (&l);
  for (uint64_t seq = 1; seq < 100; seq += seq % 10 == 0 ? 2 : 1)
    loss_cause_on_packet (&l, seq, 0, false);
  ck_assert_int_eq (loss_cause_judge (&l, &path, 2 * CC_SECOND), LOSS_BEGIN_TEST);
  ck_assert_double_eq_tol (l.trial.test_Bps, 0.9 * 50e3, 1);
}
END_TEST

/* n packets in a row that arrive, and what is made of them. */
static void
take_whole (LossCause *l, uint64_t *seq, unsigned n, double rate_Bps, CcTime now)
{
  LossPath path = {.rate_Bps = rate_Bps, .receive_Bps = rate_Bps, .packet_bytes = 1000, .R = 0.05, .loop = 0.2};

  while (n-- > 0)
    loss_cause_on_packet (l, (*seq)++, 0, false);
  loss_cause_judge (l, &path, now);
}

/* A floor of 0.25 gaps a packet is over when 8 were to be expected: after 33 packets. */
START_TEST (test_a_floor_is_over_soon)
{
  uint64_t seq = 1;
  LossCause l;

  loss_cause_init (&l);
  l.floor = (LossCount){.packets = 400, .lost = 240, .gaps = 100};
  take_whole (&l, &seq, 30, 10e3, CC_SECOND);
  ck_assert_double_gt (l.floor.gaps, 0);
  l.all = l.quiet = (LossCount){.packets = 150, .lost = 90, .gaps = 40};
  take_whole (&l, &seq, 6, 10e3, CC_SECOND);
  ck_assert_double_eq (l.floor.gaps, 0);
  take_whole (&l, &seq, 6, 10e3, 3 * CC_SECOND); /* and what was lost before does not begin a test */
  ck_assert_uint_eq (l.tests, 0);
  ck_assert (!l.unexplained);
}
END_TEST

/* More is lost of late than the floor says, less than it over five seconds: the floor does not go up. */
START_TEST (test_a_floor_that_is_lowered_does_not_rise)
{
  uint64_t seq = 1;
  LossCause l;

  loss_cause_init (&l);
  l.floor = (LossCount){.packets = 200, .lost = 24, .gaps = 24};
  l.all = l.quiet = (LossCount){.packets = 200, .lost = 60, .gaps = 60};
  l.calm.whole = l.calm.calm = (LossCount){.packets = 600, .lost = 20, .gaps = 20};
  take_whole (&l, &seq, 1, 10e3, CC_MSECOND);
  ck_assert_double_lt (loss_count_rate (&l.floor), 24 / 200.);
}
END_TEST

/* 50 packets at more than twice the limit, though it looks as if a queue had lost what was lost before. */
START_TEST (test_a_limit_that_is_none_goes)
{
  uint64_t seq = 1;
  LossCause l;

  loss_cause_init (&l);
  l.calm.whole = (LossCount){.packets = 600, .lost = 300, .gaps = 100};
  l.calm.calm = (LossCount){.packets = 200};
  l.limit = (LossLimit){10e3, CC_SECOND};
  take_whole (&l, &seq, 60, 19e3, CC_SECOND);
  ck_assert_double_eq (loss_limit_Bps (&l.limit, CC_SECOND), 10e3);
  take_whole (&l, &seq, 1, 21e3, CC_SECOND);
  ck_assert (isinf (loss_limit_Bps (&l.limit, CC_SECOND)));
}
END_TEST

CC_TEST_MAIN ("losscause", test_a_clean_path_is_left_alone, test_random_loss_is_excused_after_a_test,
    test_a_policer_is_found, test_growing_tells_random_loss, test_growing_tells_a_policer,
    test_a_calm_queue_is_known_at_once, test_losses_that_are_over_are_not_tested,
    test_growing_tells_nothing_beside_others, test_a_policer_shows_through_random_loss,
    test_loss_by_a_short_queue_is_congestion, test_in_the_queue_of_others_all_loss_is_congestion,
    test_loss_while_a_queue_stands_is_congestion, test_the_floor_goes_with_the_loss, test_an_abort_leaves_no_verdict,
    test_late_packets_outages_and_repeats, test_a_floor_is_over_soon, test_a_floor_that_is_lowered_does_not_rise,
    test_room_is_what_is_sent_of_what_is_carried, test_goes_below_what_arrives_of_late, test_a_limit_that_is_none_goes)
