/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "standingqueue.h"
#include "cctest.h"

#define SERVING 100e3

/* Of the frames that are made. */
static CcDuration interval = 33 * CC_MSECOND;
static double packet_s = 0.008;

/* Frames of three packets, the first of which waits for q. */
static void
frames (StandingQueue *s, unsigned n, CcDuration q)
{
  for (unsigned i = 0; i < n; i++) {
    StandingFrame frame = {standing_queue_before (s, 1000, q, SERVING), q, s->frame.at + interval};

    standing_queue_begin_frame (s, &frame, false, packet_s);
    for (unsigned k = 1; k < 3; k++)
      standing_queue_go_on (
          s, standing_queue_before (s, 1000, q + k * 10 * CC_MSECOND, SERVING), q + k * 10 * CC_MSECOND);
  }
}

START_TEST (test_a_frames_own_packets_are_no_queue)
{
  StandingQueue s = {0};

  frames (&s, 20, 0);
  ck_assert_double_eq (s.q, 0);
  frames (&s, 20, 30 * CC_MSECOND);
  ck_assert_double_eq_tol (s.q, 0.030, 0.0001);
}
END_TEST

START_TEST (test_a_large_packet_is_no_queue)
{
  StandingQueue s = {0};

  ck_assert_double_eq (standing_queue_before (&s, 200, 0, SERVING), 0);
  ck_assert_double_eq_tol (standing_queue_before (&s, 1200, 10 * CC_MSECOND, SERVING), 0, 0.0001);
  ck_assert_double_eq_tol (standing_queue_before (&s, 1200, 30 * CC_MSECOND, SERVING), 0.020, 0.0001);
}
END_TEST

START_TEST (test_the_frame_before_is_told)
{
  StandingQueue s = {0};

  standing_queue_begin_frame (&s, &(StandingFrame){0.020, 20 * CC_MSECOND, 0}, true, packet_s);
  standing_queue_go_on (&s, 0.015, 15 * CC_MSECOND);
  ck_assert_double_eq (s.q, 0);
  standing_queue_begin_frame (&s, &(StandingFrame){0.090, 90 * CC_MSECOND, interval}, false, packet_s);
  ck_assert_uint_eq (standing_queue_ended (&s).delay, 15 * CC_MSECOND);
  ck_assert_double_eq_tol (s.q, 0.0075, 1e-6);
}
END_TEST

/* 1 ms in 33: 30 ms/s. */
START_TEST (test_slope)
{
  StandingQueue s = {0};

  for (unsigned i = 0; i < 30; i++) {
    frames (&s, 1, i * CC_MSECOND);
    standing_queue_update (&s, 0.033);
  }
  ck_assert_double_eq_tol (standing_queue_slope (&s), 0.030, 0.008);
  frames (&s, 30, 29 * CC_MSECOND);
  for (unsigned i = 0; i < 30; i++)
    standing_queue_update (&s, 0.1);
  ck_assert_double_eq_tol (standing_queue_slope (&s), 0, 1e-4);
  standing_queue_forget (&s);
  ck_assert_double_eq (standing_queue_slope (&s), 0);
}
END_TEST

/* Frames that wait 0, 5, 2 and 8 ms in turn; then a queue that rises by 10 ms each frame. */
START_TEST (test_noise)
{
  const CcDuration jitter[] = {0, 5 * CC_MSECOND, 2 * CC_MSECOND, 8 * CC_MSECOND};
  StandingQueue s = {0};

  for (unsigned i = 0; i < 200; i++)
    frames (&s, 1, jitter[i % 4]);
  ck_assert_double_gt (s.noise, 0.001);
  ck_assert_double_lt (s.noise, 0.004);
  for (unsigned i = 0; i < 60; i++)
    frames (&s, 1, i * 10 * CC_MSECOND);
  ck_assert_double_lt (s.noise, 0.001);
  for (unsigned i = 0; i < 200; i++)
    frames (&s, 1, (i % 2) * 2 * CC_MSECOND); /* frames of varying size */
  ck_assert_double_eq (s.noise, 0);
}
END_TEST

/* Each third frame passes at once, the others wait for a gap of the link to end. */
static void
turns (StandingQueue *s, CcDuration standing)
{
  const CcDuration turn[] = {0, 66 * CC_MSECOND, 33 * CC_MSECOND};

  for (unsigned i = 0; i < 60; i++)
    frames (s, 1, turn[i % 3] + standing);
}

/* A queue that stands each frame meets, and none after it is gone. */
START_TEST (test_turns_are_no_queue)
{
  StandingQueue s = {0};

  turns (&s, 0);
  ck_assert_double_eq_tol (s.q, 0, 0.001);
  ck_assert_double_lt (s.noise, 0.006);
  turns (&s, 20 * CC_MSECOND);
  ck_assert_double_eq_tol (s.q, 0.020, 0.001);
  frames (&s, 1, 0);
  ck_assert_double_le (s.q, 0.020);
  frames (&s, 2, 0);
  ck_assert_double_lt (s.q, 0.010);
}
END_TEST

/* At ten frames a second five have come in half a second. */
START_TEST (test_few_frames_tell_no_turns)
{
  StandingQueue s = {0};

  interval = 100 * CC_MSECOND;
  turns (&s, 0);
  ck_assert_double_gt (s.q, 0.015);
  interval = 60 * CC_MSECOND;
  turns (&s, 0);
  ck_assert_double_eq_tol (s.q, 0, 0.001);
}
END_TEST

/* Packets that take long move each other. */
START_TEST (test_packets_of_our_own_are_no_turns)
{
  StandingQueue s = {0};

  packet_s = 0.1;
  turns (&s, 0);
  ck_assert_double_gt (s.q, 0.015);
  ck_assert_double_gt (s.noise, 0.020);
}
END_TEST

CC_TEST_MAIN ("standingqueue", test_a_frames_own_packets_are_no_queue, test_a_large_packet_is_no_queue,
    test_the_frame_before_is_told, test_slope, test_noise, test_turns_are_no_queue, test_few_frames_tell_no_turns,
    test_packets_of_our_own_are_no_turns)
