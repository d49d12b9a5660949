/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "standingqueue.h"
#include "cctest.h"

#define SERVING 100e3

/* Frames of three packets, the first of which waits for q. */
static void
frames (StandingQueue *s, unsigned n, CcDuration q)
{
  for (unsigned i = 0; i < n; i++) {
    standing_queue_begin_frame (s, standing_queue_before (s, 1000, q, SERVING), q, false);
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

  standing_queue_begin_frame (&s, 0.020, 20 * CC_MSECOND, true);
  standing_queue_go_on (&s, 0.015, 15 * CC_MSECOND);
  ck_assert_double_eq (s.q, 0);
  standing_queue_begin_frame (&s, 0.090, 90 * CC_MSECOND, false);
  ck_assert_uint_eq (s.ended_delay, 15 * CC_MSECOND);
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

/* Frames that wait 0, 20, 5 and 30 ms in turn; then a queue that rises by 10 ms each frame. */
START_TEST (test_noise)
{
  const CcDuration jitter[] = {0, 20 * CC_MSECOND, 5 * CC_MSECOND, 30 * CC_MSECOND};
  StandingQueue s = {0};
  double noise;

  for (unsigned i = 0; i < 200; i++)
    frames (&s, 1, jitter[i % 4]);
  noise = s.noise;
  ck_assert_double_gt (noise, 0.010);
  ck_assert_double_lt (noise, 0.025);
  for (unsigned i = 0; i < 60; i++)
    frames (&s, 1, i * 10 * CC_MSECOND);
  ck_assert_double_lt (s.noise, 0.001);
  for (unsigned i = 0; i < 200; i++)
    frames (&s, 1, (i % 2) * 2 * CC_MSECOND); /* frames of varying size */
  ck_assert_double_eq (s.noise, 0);
}
END_TEST

CC_TEST_MAIN ("standingqueue", test_a_frames_own_packets_are_no_queue, test_a_large_packet_is_no_queue,
    test_the_frame_before_is_told, test_slope, test_noise)
