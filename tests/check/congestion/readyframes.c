/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "readyframes.h"
#include "cctest.h"

#define T0 (100 * CC_SECOND)

static ReadyFrames f;
static CcPcg32 pcg;

static void
begin (bool spread)
{
  BurstControlParams burst;

  burst_control_params_init (&burst);
  ready_frames_init (&f, &burst, cc_pcg32_init (&pcg, 1), spread);
}

static void
push (uint32_t frame, unsigned packets, bool whole, CcTime now)
{
  for (unsigned i = 0; i < packets; i++)
    ready_frames_on_push (&f, &(CcPacket){.frame = frame, .frame_end = whole && i + 1 == packets}, now);
}

START_TEST (test_interval)
{
  begin (false);
  for (uint32_t i = 0; i < 60; i++)
    push (i, 3, true, T0 + i * 40 * CC_MSECOND);
  ck_assert_uint_ge (f.interval, 39 * CC_MSECOND);
  ck_assert_uint_le (f.interval, 40 * CC_MSECOND);
  push (60, 3, true, T0 + 10 * CC_SECOND); /* a pause is none */
  ck_assert_uint_le (f.interval, 40 * CC_MSECOND);
}
END_TEST

/* A frame is ready when its last packet is there, or the next one begins; what goes out of turn is at once. */
START_TEST (test_complete_frames_alone)
{
  begin (true);
  push (1, 3, false, T0);
  ck_assert_uint_eq (ready_frames_next (&f), CC_TIME_NONE);
  push (1, 1, true, T0);
  ck_assert_uint_eq (f.ready, 4);
  ck_assert_uint_ne (ready_frames_next (&f), CC_TIME_NONE);
  push (2, 2, false, T0 + 40 * CC_MSECOND);
  push (3, 2, false, T0 + 80 * CC_MSECOND);
  ck_assert_uint_eq (f.ready, 6);
  ready_frames_on_push (&f, &(CcPacket){.frame = 1, .resent = true}, T0 + 81 * CC_MSECOND);
  ck_assert_uint_eq (f.ready, 7);
}
END_TEST

/* Nothing leaves for a frame's time, and a packet is given up: they share the next period, and the one after that is a
   frame's own again. */
START_TEST (test_a_stall_is_over_when_it_is)
{
  begin (true);
  push (1, 10, true, T0);
  ready_frames_on_discard (&f);
  push (2, 10, true, T0 + 40 * CC_MSECOND);
  ck_assert_uint_eq (f.burst.waiting, 19);
  for (unsigned i = 0; i < 19; i++)
    ready_frames_on_sent (&f, T0 + (41 + 2 * i) * CC_MSECOND);
  push (3, 10, true, T0 + 80 * CC_MSECOND);
  ck_assert_uint_eq (f.burst.waiting, 10);
  ck_assert_uint_eq (f.burst.gap, cc_duration (0.040 * 0.95) / 10);
}
END_TEST

START_TEST (test_gone)
{
  begin (true);
  push (1, 2, true, T0);
  push (2, 2, false, T0 + 40 * CC_MSECOND);
  ready_frames_on_sent (&f, T0 + 41 * CC_MSECOND);
  ready_frames_on_discard (&f);
  ck_assert_uint_eq (f.ready, 0);
  ck_assert_uint_eq (f.open, 2);
  ready_frames_on_discard (&f);
  ck_assert_uint_eq (f.open, 1);
  ready_frames_set_spread (&f, true, 5);
  ck_assert_uint_eq (f.ready, 5);
  ck_assert_uint_eq (f.open, 0);
}
END_TEST

CC_TEST_MAIN ("readyframes", test_interval, test_complete_frames_alone, test_a_stall_is_over_when_it_is, test_gone)
