/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stamptrack.h"

#include "cctest.h"

#define PERIOD (40 * CC_MSECOND)

static StampTrack t;

/* Captured 5 s by its clock before it is 0 in running time. */
static void
read_stamp (uint32_t number)
{
  LumaStamp stamp = {number, 5 * CC_SECOND + number * PERIOD, LUMA_STAMP_MONOTONIC};

  stamp_track_on_stamp (&t, &stamp, number * PERIOD);
}

static void
setup (void)
{
  stamp_track_init (&t);
  for (uint32_t i = 10; i <= 20; i++)
    read_stamp (i);
}

START_TEST (test_nothing_known)
{
  LumaStamp stamp = {1, 1, LUMA_STAMP_MONOTONIC};

  stamp_track_init (&t);
  ck_assert (!stamp_track_guess (&t, CC_SECOND, &stamp));
  stamp_track_on_stamp (&t, &stamp, CC_TIME_NONE);
  ck_assert (!stamp_track_guess (&t, CC_SECOND, &stamp));
  stamp_track_on_stamp (&t, &stamp, PERIOD);
  ck_assert (!stamp_track_guess (&t, CC_SECOND, &stamp)); /* one tells no spacing */
}
END_TEST

START_TEST (test_goes_on)
{
  LumaStamp stamp;

  setup ();
  for (uint32_t i = 21; i < 200; i += 7) {
    ck_assert (stamp_track_guess (&t, i * PERIOD + 9 * CC_MSECOND, &stamp));
    ck_assert_uint_eq (stamp.number, i);
    ck_assert_uint_eq (stamp.time, 5 * CC_SECOND + i * PERIOD + 9 * CC_MSECOND);
    ck_assert_int_eq (stamp.clock, LUMA_STAMP_MONOTONIC);
  }
}
END_TEST

/* 11 ms of 40 are more than a quarter; 10 s are 250 pictures; nothing is behind. */
START_TEST (test_not_told)
{
  LumaStamp stamp;

  setup ();
  ck_assert (!stamp_track_guess (&t, 25 * PERIOD + 11 * CC_MSECOND, &stamp));
  ck_assert (stamp_track_guess (&t, 270 * PERIOD, &stamp));
  ck_assert (!stamp_track_guess (&t, 271 * PERIOD, &stamp));
  ck_assert (!stamp_track_guess (&t, 20 * PERIOD, &stamp));
  ck_assert (!stamp_track_guess (&t, 20 * PERIOD + 1, &stamp));
  ck_assert (!stamp_track_guess (&t, 0, &stamp));
  ck_assert (!stamp_track_guess (&t, CC_TIME_NONE, &stamp));
}
END_TEST

/* Losses between two stamps do not lengthen the spacing; one shown again does not move it. */
START_TEST (test_gaps_and_repeats)
{
  LumaStamp again, stamp;

  setup ();
  read_stamp (60);
  again = t.stamp;
  stamp_track_on_stamp (&t, &again, 63 * PERIOD);
  again.number -= 2;
  again.time -= 2 * PERIOD;
  stamp_track_on_stamp (&t, &again, 64 * PERIOD);
  ck_assert (stamp_track_guess (&t, 65 * PERIOD, &stamp));
  ck_assert_uint_eq (stamp.number, 65);
  again = (LumaStamp){0, 0, LUMA_STAMP_RUNNING_TIME};
  stamp_track_on_stamp (&t, &again, 66 * PERIOD); /* less than 300 back */
  ck_assert_uint_eq (t.stamp.number, 60);
  t.stamp.number = 300;
  stamp_track_on_stamp (&t, &again, 66 * PERIOD);
  ck_assert_uint_eq (t.stamp.number, 0);
}
END_TEST

/* From 25 to 50 pictures/s: within 40 it has learned. */
START_TEST (test_other_rate)
{
  LumaStamp stamp = {20, 0, LUMA_STAMP_MONOTONIC};
  CcTime at = 20 * PERIOD;

  setup ();
  for (unsigned i = 0; i < 40; i++) {
    stamp.number++;
    stamp.time += PERIOD / 2;
    stamp_track_on_stamp (&t, &stamp, at += PERIOD / 2);
  }
  ck_assert (stamp_track_guess (&t, at + 5 * PERIOD, &stamp));
  ck_assert_uint_eq (stamp.number, 70);
}
END_TEST

CC_TEST_MAIN ("stamptrack", test_nothing_known, test_goes_on, test_not_told, test_gaps_and_repeats, test_other_rate)
