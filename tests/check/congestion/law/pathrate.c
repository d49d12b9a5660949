/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The law against a drop-tail bottleneck that is arithmetic: a packet leaves it bytes/c after it arrived or after the
   one before left. Scenarios with real traffic are in tests/sim. */
#include "pathrate.h"
#include "cctest.h"
#include <math.h>

#define FPS 30
#define BASE (50 * CC_MSECOND)
#define FEEDBACK (50 * CC_MSECOND)
#define PACKET 1000
#define kbps(x) ((x)*1e3 / 8)

typedef struct {
  PathRate law;
  double c, sender_Bps, next_Bps; /* capacity; what the sender follows, and what is on its way to it */
  double gain;                    /* frames leave at gain x the rate */
  CcTime next_at;
  double source_max_Bps;
  CcDuration others; /* queueing delay kept by somebody else */
  double frames_Bps; /* of others, whose frames begin when ours do, paced as ours */
  double frames_left;
  double loss;
  bool counts; /* what the law makes of loss */
  uint32_t chance;
  CcTime now, free_at;
  uint64_t seq;
  uint32_t frame;
  double owed;
  CcDuration worst_queue;
  CcTime early_at; /* first time the law asked for an early report; 0: not yet */
} Loop;

static void
setup (Loop *l, double capacity_Bps, double start_Bps)
{
  PathRateParams params;

  path_rate_params_init (&params);
  params.start_Bps = start_Bps;
  params.min_Bps = kbps (30);
  params.max_Bps = kbps (5000);
  *l = (Loop){
      .c = capacity_Bps, .sender_Bps = start_Bps, .next_Bps = start_Bps, .source_max_Bps = HUGE_VAL, .gain = 1.5};
  l->now = l->free_at = CC_SECOND;
  path_rate_init (&l->law, &params);
}

/* From now on that is sent. */
static void
send_at (Loop *l, double rate_Bps)
{
  l->law.rate_Bps = l->sender_Bps = l->next_Bps = rate_Bps;
  path_view_on_rate (&l->law.view, rate_Bps);
}

static bool
lost (Loop *l)
{
  l->chance = l->chance * 1664525u + 1013904223u;
  return (l->chance >> 8) / (double)(1 << 24) < l->loss;
}

static void
run_law (Loop *l, CcTime until)
{
  CcTime at;

  while ((at = path_rate_next_timeout (&l->law)) <= until) {
    if (path_rate_on_timeout (&l->law, at) && l->early_at == 0)
      l->early_at = at;
    if (at >= l->next_at) {
      l->sender_Bps = l->next_Bps;
      l->next_Bps = l->law.rate_Bps;
      l->next_at = at + FEEDBACK;
    }
  }
}

static void
send_packet (Loop *l, CcTime sent_at, uint32_t bytes)
{
  CcTime arrived = sent_at > l->free_at ? sent_at : l->free_at;
  PathPacket packet = {.seq = ++l->seq, .sent_at = sent_at, .wire_bytes = bytes, .frame = l->frame, .R = 2 * BASE};

  packet.ecn = ARRIVAL_ECT_0;
  packet.counted = l->counts ? l->seq : 0;
  l->free_at = arrived + cc_duration (bytes / l->c);
  if (l->free_at - sent_at > l->worst_queue)
    l->worst_queue = l->free_at - sent_at;
  packet.arrived_at = l->free_at + BASE + l->others;
  if (lost (l))
    return;
  run_law (l, packet.arrived_at);
  path_rate_on_packet (&l->law, &packet);
}

/* What others have put into the queue by then, as if it flowed. */
static void
let_others_send (Loop *l, CcTime until)
{
  double bytes = l->frames_left - l->frames_Bps * fmax (1.0 / FPS - l->gain * cc_seconds (until - l->now), 0);

  if (!(bytes > 0))
    return;
  l->frames_left -= bytes;
  l->free_at = (l->free_at > l->now ? l->free_at : l->now) + cc_duration (bytes / l->c);
}

/* Frames of the rate's size, paced at gain x the rate. */
static void
run (Loop *l, CcDuration span)
{
  CcTime end = l->now + span;

  for (; l->now < end; l->now += CC_SECOND / FPS) {
    double rate = fmin (l->sender_Bps, l->source_max_Bps);
    double bytes = rate / FPS + l->owed;
    CcTime at = l->now;

    l->frame++;
    l->frames_left = l->frames_Bps / FPS;
    for (; bytes >= 300; at += cc_duration (PACKET / (l->gain * l->sender_Bps))) {
      uint32_t size = bytes < PACKET ? (uint32_t)bytes : PACKET;
      let_others_send (l, at);
      send_packet (l, at, size);
      bytes -= size;
    }
    let_others_send (l, l->now + CC_SECOND / FPS);
    l->owed = bytes;
  }
}

/* What others keep in the queue from now on: it has climbed there, or it would be taken for a longer route. */
static void
let_others_queue (Loop *l, CcDuration delay)
{
  l->others = delay;
  run (l, CC_SECOND / 15);
  l->law.view.route.state = ROUTE_CLIMBED;
  l->law.view.route.window_at = CC_TIME_NONE;
}

START_TEST (test_finds_the_capacity_and_stays)
{
  const double capacity[] = {kbps (400), kbps (1000), kbps (2500)};

  for (unsigned i = 0; i < 3; i++) {
    Loop l;
    PathReport report;
    unsigned beyond = 0;

    setup (&l, capacity[i], kbps (200));
    run (&l, 8 * CC_SECOND);
    ck_assert_double_gt (l.law.rate_Bps, 0.9 * capacity[i]);
    l.worst_queue = 0;
    for (unsigned n = 0; n < 100; n++) {
      run (&l, CC_SECOND / 5);
      ck_assert_double_gt (l.law.rate_Bps, 0.75 * capacity[i]);
      ck_assert_double_lt (l.law.rate_Bps, 1.25 * capacity[i]);
      beyond += l.law.rate_Bps < 0.85 * capacity[i] || l.law.rate_Bps > 1.1 * capacity[i];
    }
    /* At 400 kb/s frames are one packet or two, and now and then say nothing. */
    ck_assert_uint_lt (beyond, i > 0 ? 1 : 10);
    path_rate_report (&l.law, &report);
    ck_assert_double_eq_tol (report.capacity_Bps, capacity[i], 0.05 * capacity[i]);
    ck_assert_uint_lt (l.worst_queue, i > 0 ? 60 * CC_MSECOND : 100 * CC_MSECOND);
    ck_assert_uint_lt (report.queue_delay, 20 * CC_MSECOND);
  }
}
END_TEST

START_TEST (test_drop_is_answered_at_once)
{
  Loop l;
  CcTime dropped;

  setup (&l, kbps (2500), kbps (1500));
  l.source_max_Bps = kbps (1500);
  run (&l, 10 * CC_SECOND);
  dropped = l.now;
  l.early_at = 0;
  l.c = kbps (600);
  run (&l, 300 * CC_MSECOND);
  /* Packets queue from the first frame on; Q_JUMP of 45 ms and 30 ms more pass, and 50 ms of path. */
  ck_assert_uint_ge (l.early_at, dropped);
  ck_assert_uint_lt (l.early_at, dropped + 250 * CC_MSECOND);
  ck_assert_uint_eq (l.law.jumps, 1);
  ck_assert_double_lt (l.law.rate_Bps, kbps (600));
  run (&l, 1200 * CC_MSECOND);
  l.worst_queue = 0;
  run (&l, 4 * CC_SECOND);
  ck_assert_uint_lt (l.worst_queue, 100 * CC_MSECOND);
  ck_assert_double_gt (l.law.rate_Bps, kbps (500));
}
END_TEST

START_TEST (test_rise_is_found)
{
  Loop l;

  setup (&l, kbps (600), kbps (300));
  run (&l, 10 * CC_SECOND);
  l.c = kbps (2000);
  run (&l, 5 * CC_SECOND);
  ck_assert_double_gt (l.law.rate_Bps, kbps (1700));
}
END_TEST

START_TEST (test_stays_within_its_limits)
{
  Loop l;

  setup (&l, kbps (20), kbps (100)); /* less than the least rate */
  run (&l, 5 * CC_SECOND);
  ck_assert_double_ge (l.law.rate_Bps, kbps (30));
  setup (&l, kbps (50000), kbps (1000)); /* more than the most */
  run (&l, 10 * CC_SECOND);
  ck_assert_double_eq_tol (l.law.rate_Bps, kbps (5000), 1);
}
END_TEST

START_TEST (test_application_limited)
{
  Loop l;

  setup (&l, kbps (3000), kbps (1000));
  l.source_max_Bps = kbps (400);
  for (unsigned n = 0; n < 200; n++) {
    run (&l, CC_SECOND / 5);
    /* Neither beyond 3 x what is received, once above it, nor below what it was. */
    ck_assert_double_le (l.law.rate_Bps, kbps (1300));
    ck_assert_double_ge (l.law.rate_Bps, kbps (700));
  }
}
END_TEST

START_TEST (test_loss_is_not_congestion)
{
  Loop l;

  setup (&l, kbps (1000), kbps (300));
  l.loss = 0.1;
  run (&l, 10 * CC_SECOND);
  for (unsigned n = 0; n < 50; n++) {
    run (&l, CC_SECOND / 5);
    ck_assert_double_gt (l.law.rate_Bps, kbps (800));
    ck_assert_double_lt (l.law.rate_Bps, kbps (1080));
  }
}
END_TEST

START_TEST (test_single_packets_find_it_too)
{
  Loop l;

  /* 150 kb/s at 30 fps: 625 bytes a frame. */
  setup (&l, kbps (150), kbps (60));
  run (&l, 10 * CC_SECOND);
  l.worst_queue = 0;
  for (unsigned n = 0; n < 100; n++) {
    run (&l, CC_SECOND / 5);
    ck_assert_double_gt (l.law.rate_Bps, kbps (90));
    ck_assert_double_lt (l.law.rate_Bps, kbps (200));
  }
  ck_assert_uint_lt (l.worst_queue, 200 * CC_MSECOND);
}
END_TEST

START_TEST (test_does_not_yield_to_a_queue_of_others)
{
  Loop l;

  setup (&l, kbps (1000), kbps (800));
  run (&l, 5 * CC_SECOND);
  let_others_queue (&l, 150 * CC_MSECOND);
  run (&l, 8 * CC_SECOND);
  ck_assert (l.law.queue.others);
  ck_assert_double_gt (l.law.rate_Bps, kbps (400));
  l.others = 0;
  run (&l, 8 * CC_SECOND);
  ck_assert (!l.law.queue.others);
  ck_assert_double_gt (l.law.rate_Bps, kbps (800));
}
END_TEST

/* A step of 50 and of 200 ms that stays: without, it backed off for the minute that the base is remembered. */
START_TEST (test_a_longer_route_is_taken)
{
  for (unsigned i = 0; i < 2; i++) {
    Loop l;

    setup (&l, kbps (1000), kbps (800));
    run (&l, 10 * CC_SECOND);
    l.others = (i ? 200 : 50) * CC_MSECOND;
    run (&l, 5 * CC_SECOND / 2);
    ck_assert_uint_eq (l.law.view.route.changes, 1);
    ck_assert_double_gt (l.law.rate_Bps, kbps (850));
    run (&l, 5 * CC_SECOND);
    ck_assert_double_gt (l.law.rate_Bps, kbps (850));
    ck_assert (!l.law.queue.others);
  }
}
END_TEST

/* Though R is what it was. */
START_TEST (test_a_route_is_told_at_once)
{
  Loop l;
  PathPacket packet;

  setup (&l, kbps (1000), kbps (800));
  run (&l, 10 * CC_SECOND);
  path_rate_reported (&l.law);
  packet = (PathPacket){.seq = l.seq + 1,
      .sent_at = l.now,
      .arrived_at = l.now + BASE,
      .wire_bytes = PACKET,
      .frame = l.frame + 1,
      .R = 2 * BASE};
  l.law.view.rerouted = true;
  path_rate_on_packet (&l.law, &packet);
  ck_assert_uint_eq (path_rate_next_timeout (&l.law), packet.arrived_at);
  ck_assert (path_rate_on_timeout (&l.law, packet.arrived_at));
  ck_assert (!l.law.view.rerouted);
  ck_assert_uint_gt (path_rate_next_timeout (&l.law), packet.arrived_at);
}
END_TEST

/* Of what was counted before 2 s without a packet, nothing is left; before a shorter pause it is. */
START_TEST (test_loss_from_before_a_pause_is_forgotten)
{
  for (unsigned i = 0; i < 2; i++) {
    Loop l;

    setup (&l, kbps (1000), kbps (800));
    l.loss = 0.3;
    l.counts = true;
    run (&l, 20 * CC_SECOND);
    l.loss = 0;
    ck_assert_double_gt (loss_cause_loss (&l.law.loss.cause), 0.2);
    l.now += i ? 5 * CC_SECOND / 2 : 3 * CC_SECOND / 2;
    run (&l, CC_SECOND / 5);
    ck_assert (i ? loss_cause_loss (&l.law.loss.cause) == 0 : loss_cause_loss (&l.law.loss.cause) > 0.05);
  }
}
END_TEST

/* A test that a silence cuts short has found nothing: the rate is that before it, and not the test's. */
START_TEST (test_a_pause_ends_a_test_of_loss)
{
  Loop l;
  double before;

  setup (&l, kbps (1000), kbps (800));
  run (&l, 10 * CC_SECOND);
  before = l.law.rate_Bps;
  l.loss = 0.6;
  l.counts = true;
  while (!loss_cause_testing (&l.law.loss.cause))
    run (&l, CC_SECOND / 20);
  ck_assert_double_lt (l.law.rate_Bps, 0.7 * before);
  l.loss = 0;
  l.now += 3 * CC_SECOND;
  run (&l, CC_SECOND / 5);
  ck_assert_double_gt (l.law.rate_Bps, 0.9 * before);
}
END_TEST

/* Little is sent while more is lost than is tolerated. Whether the rate is the cause is put to the test all the same,
   and what was allowed before it is allowed behind it. */
START_TEST (test_a_test_of_loss_takes_no_rate)
{
  Loop l;
  double before;

  setup (&l, kbps (1000), kbps (800));
  run (&l, 10 * CC_SECOND);
  before = l.law.rate_Bps;
  l.loss = 0.3;
  l.counts = true;
  l.source_max_Bps = kbps (200);
  run (&l, 30 * CC_SECOND);
  ck_assert_uint_ge (l.law.loss.cause.tests, 1);
  while (loss_cause_testing (&l.law.loss.cause))
    run (&l, CC_SECOND / 20);
  ck_assert_double_gt (l.law.rate_Bps, 0.9 * before);
}
END_TEST

/* Its trains show three times the rate, and the queue is not its own: it grows by 0.75 x 0.5 x 0.4/s x sqrt (880/800),
   and not by what the trains show, which were 0.68/s. */
START_TEST (test_grows_beside_a_queue_of_others)
{
  Loop l;
  double before;

  setup (&l, kbps (2400), kbps (800));
  l.source_max_Bps = kbps (800);
  l.gain = 4;
  run (&l, 3 * CC_SECOND);
  let_others_queue (&l, 150 * CC_MSECOND);
  l.law.queue.others = true;
  l.law.queue.short_at = l.now;
  l.law.queue.test_at = CC_TIME_NONE;
  run (&l, 2 * CC_SECOND);
  before = kbps (800);
  send_at (&l, before);
  run (&l, CC_SECOND / 5); /* trains are spread again */
  before = l.law.rate_Bps;
  run (&l, CC_SECOND);
  ck_assert (l.law.queue.others);
  ck_assert_double_gt (l.law.rate_Bps, 1.12 * before);
  ck_assert_double_lt (l.law.rate_Bps, 1.22 * before);
}
END_TEST

/* 600 of 4000 kb/s, as its trains show. */
static void
have_a_small_part (Loop *l)
{
  setup (l, kbps (4000), kbps (600));
  l->source_max_Bps = kbps (600);
  l->gain = 4;
  run (l, 5 * CC_SECOND);
}

/* A queue grows for a second whatever it does, so that it yields and rests, and stays for another. Shortly after others
   have had the queue what it stands while at rest counts; else it does not: flows of one kind would take each other for
   others. */
START_TEST (test_a_queue_that_stays_at_rest_is_of_others)
{
  for (unsigned wary = 0; wary < 2; wary++) {
    Loop l;

    have_a_small_part (&l);
    l.law.queue.others_share = wary;
    for (unsigned n = 0; n < 2 * FPS; n++) {
      l.others += n < FPS ? 6 * CC_MSECOND : 0;
      run (&l, CC_SECOND / FPS);
    }
    ck_assert_uint_ge (l.law.jumps, 1);
    ck_assert_int_eq (l.law.queue.others, wary);
  }
}
END_TEST

/* A queue of all: it yields as much as the others do, not down to what comes through between theirs. */
START_TEST (test_yields_as_all_do_to_a_jump)
{
  Loop l;
  double fall = 1;

  have_a_small_part (&l);
  for (unsigned n = 0; n < 10; n++) {
    double before = l.law.rate_Bps;

    l.others += 12 * CC_MSECOND;
    run (&l, CC_SECOND / FPS);
    fall = fmin (fall, l.law.rate_Bps / before);
  }
  ck_assert_uint_eq (l.law.jumps, 1);
  ck_assert_double_lt (fall, 0.88);
  ck_assert_double_gt (fall, 0.6);
}
END_TEST

/* Bytes/s gained in a second at the rate at which a queue of all has come, and gone since. Trains leave at four times
   the rate, twice what they do, and show 3.5 times it. */
static double
grow_where_it_was_full (double rate_Bps)
{
  Loop l;
  double before;

  setup (&l, 3.5 * rate_Bps, rate_Bps);
  l.source_max_Bps = rate_Bps;
  l.gain = 4;
  run (&l, 3 * CC_SECOND);
  l.others = 25 * CC_MSECOND;
  run (&l, CC_SECOND / 2);
  send_at (&l, rate_Bps);
  l.others = 0;
  run (&l, CC_SECOND / 5);
  before = l.law.rate_Bps;
  run (&l, CC_SECOND);
  return l.law.rate_Bps - before;
}

/* By 0.75 x 7 kB/s^2 whatever the rate, and bolder with time: the smaller one gains. Without that it were 24 and 43
   kB/s. */
START_TEST (test_gentle_where_the_path_was_full)
{
  const double rate[] = {kbps (500), kbps (1000)};
  double grown[2];

  for (unsigned i = 0; i < 2; i++) {
    grown[i] = grow_where_it_was_full (rate[i]);
    ck_assert_double_gt (grown[i], 3e3);
    ck_assert_double_lt (grown[i], 8e3);
  }
  ck_assert_double_lt (grown[1], 1.3 * grown[0]);
}
END_TEST

/* x what it had, after 1 s of a queue of all that has come, stood half a second and stands at 30 ms, or rises again
   from 0 to that. Trains show that the path has that many times the rate. */
static double
left_of (double link, bool rising)
{
  Loop l;
  uint32_t jumps;

  setup (&l, link * kbps (1000), kbps (1000));
  l.source_max_Bps = kbps (1000);
  l.gain = 4;
  run (&l, 3 * CC_SECOND);
  let_others_queue (&l, 30 * CC_MSECOND);
  run (&l, CC_SECOND / 2);
  if (rising)
    l.others = 0;
  run (&l, CC_SECOND / 5);
  jumps = l.law.jumps;
  send_at (&l, kbps (1000));
  for (unsigned i = 1; i <= 10; i++) {
    if (rising)
      l.others = i * 3 * CC_MSECOND;
    run (&l, CC_SECOND / 10);
  }
  ck_assert_uint_eq (l.law.jumps, jumps);
  return l.law.rate_Bps / kbps (1000);
}

/* Who has a third of the path, as its trains show, yields a quarter of what it would that has all of it. */
START_TEST (test_yields_by_its_share)
{
  double most = 1 - left_of (1.1, false), third = 1 - left_of (3, false);

  ck_assert_double_gt (most, 0.14);
  ck_assert_double_gt (third, 0.2 * most);
  ck_assert_double_lt (third, 0.4 * most);
}
END_TEST

/* It grew by 2 % but for that 3 % comes in too much. Who has most, of what is known to be others' path as well, gives
   way by more. */
START_TEST (test_yields_to_a_rising_queue)
{
  ck_assert_double_lt (left_of (3, true), 0.99);
  ck_assert_double_gt (left_of (3, true), 0.95);
  ck_assert_double_lt (left_of (1.1, true), 0.9);
  ck_assert_double_gt (left_of (1.1, true), 0.85);
}
END_TEST

/* Single packets, which no queue of their own slows: they grow, though one of others stands. */
START_TEST (test_single_packets_grow_in_a_queue_of_all)
{
  Loop l;
  double before;

  setup (&l, kbps (4000), kbps (220));
  l.source_max_Bps = kbps (220);
  run (&l, 3 * CC_SECOND);
  send_at (&l, kbps (220));
  l.others = 30 * CC_MSECOND;
  run (&l, CC_SECOND / 2);
  before = l.law.rate_Bps;
  run (&l, CC_SECOND);
  ck_assert (!l.law.view.share.trains);
  ck_assert_double_gt (l.law.rate_Bps, 1.002 * before);
}
END_TEST

/* Frames of 3 Mb/s meet ours on a path of 3.5 and spread them, though nothing stands when they are gone: we take what
   is left, 500 kb/s. By the spacing alone it were 340 to 430. */
START_TEST (test_takes_what_frames_of_others_leave)
{
  Loop l;
  double mean = 0;

  setup (&l, kbps (3500), kbps (400));
  l.frames_Bps = kbps (3000);
  run (&l, 20 * CC_SECOND);
  for (unsigned n = 0; n < 100; n++) {
    run (&l, CC_SECOND / 5);
    mean += l.law.rate_Bps / 100;
    ck_assert_double_lt (l.law.view.queue.q, 0.050); /* what stands is answered at 30 ms and a packet */
  }
  ck_assert_double_gt (mean, kbps (450));
  ck_assert_double_lt (mean, kbps (550));
}
END_TEST

START_TEST (test_nothing_before_the_first_packet)
{
  Loop l;
  PathReport report;
  PathPacket packet = {.seq = 7, .sent_at = 5 * CC_SECOND, .arrived_at = 6 * CC_SECOND, .wire_bytes = 1, .frame = 1};

  setup (&l, kbps (1000), kbps (300));
  ck_assert_uint_eq (path_rate_next_timeout (&l.law), CC_TIME_NONE);
  ck_assert (!path_rate_on_timeout (&l.law, 100 * CC_SECOND));
  path_rate_report (&l.law, &report);
  ck_assert_double_eq_tol (report.rate_Bps, kbps (300), 1e-6);
  ck_assert_double_eq (report.capacity_Bps, 0);
  /* One byte, repeated, from before and with a clock that goes back: nothing to do with it, and no harm. */
  for (unsigned i = 0; i < 1000; i++) {
    packet.seq = 7 + i % 3;
    packet.sent_at += i % 2 ? 10 * CC_MSECOND : (CcTime)-5000000;
    packet.arrived_at += i % 3 * CC_MSECOND;
    path_rate_on_packet (&l.law, &packet);
    while (path_rate_next_timeout (&l.law) <= packet.arrived_at)
      path_rate_on_timeout (&l.law, packet.arrived_at);
    ck_assert (l.law.rate_Bps >= kbps (30) && l.law.rate_Bps <= kbps (5000));
  }
}
END_TEST

/* What routers say is taken where trains have proved it: 5 packets of 1000 bytes that arrive every 4 ms are 2 Mb/s, of
   which ETA = 0.98 counts. */
START_TEST (test_starts_from_an_explicit_rate)
{
  const struct {
    double word, start;
  } words[] = {{kbps (1500), kbps (1500)}, {1e12, 0.98 * kbps (2000)}, {kbps (100), kbps (100)}};

  for (unsigned i = 0; i < 3; i++) {
    PathPacket packet = {.wire_bytes = PACKET, .frame = 1};
    Loop l;

    setup (&l, kbps (1000), kbps (300));
    path_rate_on_explicit_rate (&l.law, words[i].word, CC_SECOND);
    ck_assert_double_le (l.law.rate_Bps, kbps (300));
    for (packet.seq = 1; packet.seq <= 5; packet.seq++) {
      packet.sent_at = CC_SECOND + packet.seq * 3 * CC_MSECOND;
      packet.arrived_at = 2 * CC_SECOND + packet.seq * 4 * CC_MSECOND;
      path_rate_on_packet (&l.law, &packet);
    }
    ck_assert (path_rate_on_timeout (&l.law, path_rate_next_timeout (&l.law)));
    ck_assert_double_eq_tol (l.law.rate_Bps, words[i].start, 0.05 * words[i].start);
    /* the first word only */
    path_rate_on_explicit_rate (&l.law, kbps (4000), 2 * CC_SECOND);
    path_rate_on_timeout (&l.law, path_rate_next_timeout (&l.law));
    ck_assert_double_le (l.law.rate_Bps, 1.2 * words[i].start);
  }
}
END_TEST

/* A link that serves nothing for `gap` of each 300 ms, as if it waited for its turn: the mean rate after a while, of
   what it serves. */
static double
use_with_gaps (double peak_Bps, CcDuration gap)
{
  double mean = 0;
  Loop l;

  setup (&l, peak_Bps, kbps (300));
  for (unsigned n = 0; n < 100; n++) {
    run (&l, 300 * CC_MSECOND);
    l.free_at = (l.free_at > l.now ? l.free_at : l.now) + gap;
    mean += n < 50 ? 0 : l.law.rate_Bps / 50;
  }
  return mean / (peak_Bps * (1 - cc_seconds (gap) / 0.3));
}

/* Without what is served, each gap is a capacity of nearly nothing; what gaps leave in the queue is nobody's who would
   have to be kept up with, nor what each frame has met. */
START_TEST (test_a_gap_of_the_link_is_no_capacity)
{
  double off = 0;
  unsigned n = 0;

  for (unsigned peak = 700; peak <= 2000; peak += 100)
    for (unsigned ms = 40; ms <= 200; ms += 20, n++) {
      double use = use_with_gaps (kbps (peak), ms * CC_MSECOND);

      ck_assert (use > 0.6 && use < 1.3);
      off += fabs (log (use));
    }
  ck_assert_double_lt (off / n, 0.09);
}
END_TEST

/* The link stands still for a second: what was served before is had again as soon as the queue is gone. */
START_TEST (test_returns_to_what_was_served)
{
  CcTime until;
  Loop l;

  setup (&l, kbps (1500), kbps (1000));
  l.law.view.cross.state = CROSS_TRAFFIC_NONE;
  run (&l, 10 * CC_SECOND);
  l.free_at = l.now + CC_SECOND;
  run (&l, CC_SECOND);
  for (until = l.now + 3 * CC_SECOND; l.now < until && l.law.view.queue.q > 0.030;)
    run (&l, CC_SECOND / FPS);
  run (&l, CC_SECOND / 5);
  ck_assert_double_gt (l.law.rate_Bps, kbps (1200));
}
END_TEST

static RateOwner
owner_of (const Loop *l)
{
  PathReport report;

  path_rate_report (&l->law, &report);
  return report.owner;
}

START_TEST (test_says_who_set_the_rate)
{
  Loop l;

  setup (&l, kbps (1000), kbps (300));
  ck_assert_int_eq (owner_of (&l), RATE_OWNER_START);
  run (&l, 10 * CC_SECOND);
  ck_assert_int_eq (owner_of (&l), RATE_OWNER_OWN);
  l.source_max_Bps = kbps (200);
  run (&l, 5 * CC_SECOND);
  ck_assert_int_eq (owner_of (&l), RATE_OWNER_APPLICATION);
  l.source_max_Bps = HUGE_VAL;
  run (&l, 5 * CC_SECOND);
  let_others_queue (&l, 150 * CC_MSECOND);
  run (&l, 4 * CC_SECOND);
  ck_assert_int_eq (owner_of (&l), RATE_OWNER_OTHERS);
  setup (&l, kbps (50000), kbps (1000));
  for (unsigned n = 0; n < 40 && owner_of (&l) != RATE_OWNER_UNMET; n++)
    run (&l, CC_SECOND / FPS);
  ck_assert_int_eq (owner_of (&l), RATE_OWNER_UNMET);
  run (&l, 8 * CC_SECOND);
  ck_assert_int_eq (owner_of (&l), RATE_OWNER_MAX);
  setup (&l, kbps (1000), kbps (300));
  path_rate_on_explicit_rate (&l.law, kbps (100), l.now);
  ck_assert_int_eq (owner_of (&l), RATE_OWNER_ROUTER);
}
END_TEST

/* Loss that begins when the path is nearly full: a test of it owns the rate. */
START_TEST (test_loss_may_own_the_rate)
{
  unsigned owned = 0;
  Loop l;

  setup (&l, kbps (1000), kbps (300));
  l.counts = true;
  run (&l, CC_SECOND);
  l.loss = 0.1;
  for (unsigned n = 0; n < 100; n++) {
    run (&l, CC_SECOND / 10);
    owned += owner_of (&l) == RATE_OWNER_LOSS;
  }
  ck_assert_uint_gt (owned, 0);
}
END_TEST

CC_TEST_MAIN ("pathrate", test_starts_from_an_explicit_rate, test_finds_the_capacity_and_stays,
    test_drop_is_answered_at_once, test_rise_is_found, test_stays_within_its_limits, test_application_limited,
    test_loss_is_not_congestion, test_single_packets_find_it_too, test_does_not_yield_to_a_queue_of_others,
    test_a_longer_route_is_taken, test_a_route_is_told_at_once, test_loss_from_before_a_pause_is_forgotten,
    test_a_pause_ends_a_test_of_loss, test_a_test_of_loss_takes_no_rate, test_grows_beside_a_queue_of_others,
    test_a_queue_that_stays_at_rest_is_of_others, test_yields_as_all_do_to_a_jump, test_gentle_where_the_path_was_full,
    test_yields_by_its_share, test_yields_to_a_rising_queue, test_single_packets_grow_in_a_queue_of_all,
    test_takes_what_frames_of_others_leave, test_nothing_before_the_first_packet, test_a_gap_of_the_link_is_no_capacity,
    test_returns_to_what_was_served, test_says_who_set_the_rate, test_loss_may_own_the_rate)
