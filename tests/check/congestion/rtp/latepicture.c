/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "latepicture.h"
#include "cctest.h"

#define FRAME (32 * CC_MSECOND)
#define LATENCY (40 * CC_MSECOND)

/* The k-th picture, decoded so long after its time. */
static CcDuration
move (LatePicture *p, unsigned k, unsigned late_ms)
{
  CcTime time = CC_SECOND + k * FRAME;

  return late_picture_move (p, time, time + late_ms * CC_MSECOND, LATENCY) / CC_MSECOND;
}

START_TEST (test_in_time_is_not_moved)
{
  LatePicture p;

  late_picture_init (&p);
  ck_assert_uint_eq (move (&p, 0, 0), 0);
  ck_assert_uint_eq (move (&p, 1, 40), 0);
}
END_TEST

START_TEST (test_late_is_shown_when_it_is_there)
{
  LatePicture p;

  late_picture_init (&p);
  ck_assert_uint_eq (move (&p, 0, 140), 100);
  ck_assert_uint_eq (move (&p, 20, 45), 5);
  ck_assert_uint_eq (move (&p, 40, 10), 0);
}
END_TEST

/* All of them are there with the first: half an interval from one to the next. */
START_TEST (test_those_behind_follow_at_twice_their_pace)
{
  LatePicture p;

  late_picture_init (&p);
  ck_assert_uint_eq (move (&p, 0, 140), 100);
  ck_assert_uint_eq (move (&p, 1, 140 - 32), 100 - 16);
  ck_assert_uint_eq (move (&p, 2, 140 - 64), 100 - 32);
  ck_assert_uint_eq (move (&p, 3, 140 - 96), 100 - 48);
  ck_assert_uint_eq (move (&p, 6, 0), 100 - 96);
  ck_assert_uint_eq (move (&p, 7, 0), 0);
}
END_TEST

START_TEST (test_a_time_that_goes_back_begins_anew)
{
  LatePicture p;

  late_picture_init (&p);
  ck_assert_uint_eq (move (&p, 50, 140), 100);
  ck_assert_uint_eq (move (&p, 50, 0), 100); /* the same picture */
  ck_assert_uint_eq (move (&p, 0, 0), 0);
}
END_TEST

CC_TEST_MAIN ("latepicture", test_in_time_is_not_moved, test_late_is_shown_when_it_is_there,
    test_those_behind_follow_at_twice_their_pace, test_a_time_that_goes_back_begins_anew)
