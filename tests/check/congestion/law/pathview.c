/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A path that is arithmetic: a packet leaves it bytes/c after the one before, and what others have put in lies before
   it. */
#include "pathview.h"
#include "cctest.h"
#include <math.h>

#define BASE (30 * CC_MSECOND)
#define PACKET 1000

typedef struct {
  PathView view;
  double c;
  CcTime now, free_at;
  uint64_t seq;
  uint32_t frame;
} Path;

static void
setup (Path *p, double c, double rate_Bps)
{
  *p = (Path){.c = c, .now = CC_SECOND};
  path_view_init (&p->view, rate_Bps);
}

static void
send_packet (Path *p, CcTime sent_at)
{
  PathPacket packet = {.seq = ++p->seq, .counted = p->seq, .frame = p->frame, .sent_at = sent_at, .wire_bytes = PACKET};

  packet.R = 2 * BASE;
  p->free_at = (sent_at > p->free_at ? sent_at : p->free_at) + cc_duration (PACKET / p->c);
  packet.arrived_at = p->free_at + BASE;
  path_view_on_packet (&p->view, &packet);
}

/* Frames of `packets` each 33 ms, their packets at twice the rate; a period each 100 ms. */
static void
run (Path *p, unsigned packets, CcDuration span)
{
  CcTime end = p->now + span;

  for (unsigned n = 1; p->now < end; p->now += 33 * CC_MSECOND, n++) {
    p->frame++;
    for (unsigned i = 0; i < packets; i++)
      send_packet (p, p->now + cc_duration (i * PACKET / (2 * p->view.rate_Bps)));
    path_view_receive (&p->view, p->now);
    if (n % 3 == 0)
      path_view_update (&p->view, false, 0.1, p->now);
  }
}

/* Frames of eight packets, more than the path carries; every third is lost: before the queue, which had no room and
   took no time for it, or behind it. */
static double
served_beside_losses (bool lost_in_queue)
{
  Path p;

  setup (&p, 150e3, 200e3);
  for (unsigned n = 0; n < 60; n++, p.now += 33 * CC_MSECOND, p.frame++) {
    for (unsigned i = 0; i < 8; i++) {
      if (i % 3 != 2) {
        send_packet (&p, p.now);
        continue;
      }
      p.seq++;
      if (!lost_in_queue)
        p.free_at += cc_duration (PACKET / p.c);
    }
  }
  return packet_pairs_rate (&p.view.served, PACKET_PAIRS_TELL);
}

START_TEST (test_pairs_beside_a_loss_tell_nothing)
{
  ck_assert_double_eq_tol (served_beside_losses (true), 150e3, 2e3);
  ck_assert_double_eq_tol (served_beside_losses (false), 150e3, 2e3);
}
END_TEST

START_TEST (test_sees_the_bottleneck_and_what_arrives)
{
  Path p;

  setup (&p, 150e3, 120e3);
  run (&p, 4, 5 * CC_SECOND);
  ck_assert_double_eq_tol (p.view.share.capacity_Bps, 150e3, 2e3);
  ck_assert (p.view.share.trains && p.view.share.dispersed);
  ck_assert_double_eq_tol (p.view.receive_Bps, 4000 / 0.033, 7e3);
  ck_assert_double_lt (p.view.queue.q, 0.002);
  ck_assert (!path_view_queue_stands (&p.view, p.now));
}
END_TEST

START_TEST (test_sees_a_queue_and_who_keeps_it)
{
  Path p;

  setup (&p, 150e3, 120e3);
  run (&p, 4, 2 * CC_SECOND);
  ck_assert (!path_view_is_alone (&p.view, p.now)); /* not known */
  p.c = 100e3;
  run (&p, 4, CC_SECOND);
  ck_assert (path_view_queue_stands (&p.view, p.now));
  ck_assert_double_gt (standing_queue_slope (&p.view.queue), 0.1);
  ck_assert (path_view_is_alone (&p.view, p.now));
  ck_assert_double_eq_tol (path_view_backlog (&p.view, p.now).served_Bps, 100e3, 3e3);
  ck_assert (path_view_queue_has_jumped (&p.view, p.now));
}
END_TEST

START_TEST (test_how_much_of_the_time_a_queue_is_long)
{
  PathView v;

  path_view_init (&v, 100e3);
  v.queue.q = 0.017;
  path_view_update (&v, false, 0.1, CC_SECOND);
  ck_assert_double_eq (v.long_share, 0);
  v.queue.q = 0.018;
  path_view_update (&v, false, 0.1, CC_SECOND);
  ck_assert_double_gt (v.long_share, 0);
}
END_TEST

/* In 132 ms the link serves nothing for 60: little more than half of its peak, with a queue all the time. */
START_TEST (test_a_gap_is_not_the_end)
{
  Path p;
  double served = 0;

  setup (&p, 200e3, 110e3);
  p.free_at = CC_SECOND + CC_SECOND / 2;
  for (unsigned i = 0; i < 100; i++) {
    p.free_at = (p.free_at > p.now ? p.free_at : p.now) + 60 * CC_MSECOND;
    run (&p, 4, 132 * CC_MSECOND);
    if (i >= 50)
      served += path_view_backlog (&p.view, p.now).served_Bps / 50;
  }
  ck_assert_double_eq_tol (served, 109e3, 25e3);
}
END_TEST

/* What two single packets are spaced by beside others is the rate they were sent at: c is what trains showed last. */
START_TEST (test_single_packets_beside_others_tell_nothing)
{
  for (unsigned beside = 0; beside < 2; beside++) {
    Path p;

    setup (&p, 150e3, 120e3);
    run (&p, 4, 3 * CC_SECOND);
    ck_assert_double_eq_tol (p.view.share.known_Bps, 150e3, 2e3);
    p.view.cross.state = beside ? CROSS_TRAFFIC_SOME : CROSS_TRAFFIC_UNKNOWN;
    p.c = 25e3; /* what others leave of it */
    run (&p, 1, 3 * CC_SECOND);
    ck_assert (!p.view.share.trains);
    ck_assert_double_eq_tol (p.view.share.capacity_Bps, beside ? 0 : 25e3, 1e3);
    ck_assert_double_eq_tol (p.view.share.known_Bps, beside ? 150e3 : 26e3, 4e3);
  }
}
END_TEST

START_TEST (test_a_queue_of_routers_is_theirs)
{
  Path p;

  setup (&p, 150e3, 120e3);
  run (&p, 4, 2 * CC_SECOND);
  p.view.queue.q = 0.030;
  p.view.cross.state = CROSS_TRAFFIC_NONE;
  ck_assert (path_view_queue_stands (&p.view, p.now));
  ck_assert (path_view_is_alone (&p.view, p.now));
  router_word_hear (&p.view.word, p.now);
  ck_assert (!path_view_queue_stands (&p.view, p.now));
  ck_assert (!path_view_is_alone (&p.view, p.now));
}
END_TEST

/* Two packets, the second sent when the first is through: it is larger and takes longer. How much of that is queue?
   What is none besides is the same beside whomever. */
static double
queue_of_a_large_packet (CrossTrafficState state)
{
  PathPacket packet = {.seq = 1, .counted = 1, .frame = 1, .sent_at = CC_SECOND, .wire_bytes = 200};
  PathView v;

  path_view_init (&v, 120e3);
  v.cross.state = state;
  packet.arrived_at = packet.sent_at + BASE;
  path_view_on_packet (&v, &packet);
  packet = (PathPacket){.seq = 2, .counted = 2, .frame = 2, .sent_at = 2 * CC_SECOND, .wire_bytes = 1400};
  packet.arrived_at = packet.sent_at + BASE + 10 * CC_MSECOND;
  path_view_on_packet (&v, &packet);
  ck_assert_double_eq (path_view_no_queue (&v), 0.008);
  return v.queue.frame.q;
}

START_TEST (test_a_large_packet_is_no_queue_on_a_path_of_our_own)
{
  ck_assert_double_eq_tol (queue_of_a_large_packet (CROSS_TRAFFIC_UNKNOWN), 0, 1e-5);
  ck_assert_double_eq_tol (queue_of_a_large_packet (CROSS_TRAFFIC_NONE), 0, 1e-5);
  ck_assert_double_eq_tol (queue_of_a_large_packet (CROSS_TRAFFIC_SOME), 0.010, 1e-5);
}
END_TEST

START_TEST (test_one_packet_more_is_no_queue)
{
  PathView v;

  path_view_init (&v, 10e3);
  v.last.wire_bytes = 1200;
  v.queue.q = 0.015;
  ck_assert (!path_view_queue_stands (&v, CC_SECOND)); /* 120 ms it takes, of which 8 count */
  ck_assert_double_eq (path_view_no_queue (&v), 0.008);
  path_view_on_rate (&v, 1e6);
  ck_assert (path_view_queue_stands (&v, CC_SECOND));
  v.queue.noise = 0.005; /* nor what jitter makes */
  ck_assert (!path_view_queue_stands (&v, CC_SECOND));
}
END_TEST

/* 1200 bytes of 600 kB/s; of each of two calls half as much comes, unless nobody else is there. */
START_TEST (test_one_packet_of_a_heavier_call_is_one_of_each_of_so_many)
{
  PathView v;

  path_view_init (&v, 600e3);
  v.last.wire_bytes = 1200;
  v.share.known_Bps = 300e3;
  ck_assert_double_eq_tol (path_view_no_queue (&v), 0.002, 1e-9);
  v.weight = 2;
  ck_assert_double_eq_tol (path_view_no_queue (&v), 0.004, 1e-9);
  v.cross.state = CROSS_TRAFFIC_NONE;
  ck_assert_double_eq_tol (path_view_no_queue (&v), 0.002, 1e-9);
}
END_TEST

START_TEST (test_how_often_and_how_late)
{
  PathView v;

  path_view_init (&v, 10e3);
  ck_assert_double_eq (path_view_period (&v), 0.05);
  v.R = 80 * CC_MSECOND;
  ck_assert_double_eq (path_view_period (&v), 0.08);
  ck_assert_double_eq (path_view_loop (&v), 0.2);
  v.R = 300 * CC_MSECOND;
  ck_assert_double_eq_tol (path_view_loop (&v), 0.4, 1e-9);
}
END_TEST

START_TEST (test_what_arrived_when_it_was_full)
{
  PathView v;

  path_view_init (&v, 10e3);
  v.receive_Bps = 90e3;
  path_view_meet_queue (&v, 10 * CC_SECOND);
  v.receive_Bps = 80e3;
  path_view_meet_queue (&v, 10 * CC_SECOND + CC_SECOND / 10);
  ck_assert_double_eq (v.filled.rate_Bps, 80e3);
  ck_assert_double_eq_tol (filled_path_since (&v.filled, 11 * CC_SECOND), 0.9, 1e-9);
}
END_TEST

START_TEST (test_a_late_packet_says_little)
{
  Path p;
  double q;

  setup (&p, 150e3, 120e3);
  run (&p, 4, 2 * CC_SECOND);
  q = p.view.waited;
  path_view_on_packet (&p.view, &(PathPacket){.seq = p.seq - 3,
                                    .sent_at = p.now - CC_SECOND / 10,
                                    .arrived_at = p.now + CC_SECOND,
                                    .wire_bytes = 500,
                                    .R = CC_SECOND});
  ck_assert_double_eq (p.view.waited, q);
  ck_assert_uint_eq (p.view.R, 2 * BASE);
  ck_assert_uint_eq (p.view.last.seq, p.seq);
}
END_TEST

CC_TEST_MAIN ("pathview", test_sees_the_bottleneck_and_what_arrives, test_pairs_beside_a_loss_tell_nothing,
    test_sees_a_queue_and_who_keeps_it, test_how_much_of_the_time_a_queue_is_long, test_a_gap_is_not_the_end,
    test_single_packets_beside_others_tell_nothing, test_a_queue_of_routers_is_theirs,
    test_a_large_packet_is_no_queue_on_a_path_of_our_own, test_one_packet_more_is_no_queue,
    test_one_packet_of_a_heavier_call_is_one_of_each_of_so_many, test_how_often_and_how_late,
    test_what_arrived_when_it_was_full, test_a_late_packet_says_little)
