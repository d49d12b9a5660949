/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "streamtime.h"
#include "cctest.h"

START_TEST (test_runs_with_the_stamps)
{
  StreamTime t = {0};

  ck_assert (stream_time_advance (&t, 7 * CC_SECOND));
  ck_assert_uint_eq (t.now, 0);
  ck_assert (stream_time_advance (&t, 7 * CC_SECOND + 40 * CC_MSECOND));
  ck_assert_uint_eq (t.now, 40 * CC_MSECOND);
  ck_assert (!stream_time_advance (&t, 7 * CC_SECOND + 40 * CC_MSECOND));
  ck_assert_uint_eq (t.now, 40 * CC_MSECOND);
}
END_TEST

START_TEST (test_never_goes_back_and_goes_on_after_a_seek)
{
  StreamTime t = {0};

  stream_time_advance (&t, 100 * CC_SECOND);
  stream_time_advance (&t, 101 * CC_SECOND);
  stream_time_advance (&t, 3 * CC_SECOND);
  ck_assert_uint_eq (t.now, CC_SECOND);
  stream_time_advance (&t, 4 * CC_SECOND);
  ck_assert_uint_eq (t.now, 2 * CC_SECOND);
}
END_TEST

START_TEST (test_a_gap_is_bounded)
{
  StreamTime t = {0};

  stream_time_advance (&t, 0);
  stream_time_advance (&t, 3600 * CC_SECOND);
  ck_assert_uint_eq (t.now, 10 * CC_SECOND);
}
END_TEST

CC_TEST_MAIN (
    "streamtime", test_runs_with_the_stamps, test_never_goes_back_and_goes_on_after_a_seek, test_a_gap_is_bounded)
