/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bottleneckshare.h"
#include "cctest.h"

#define PACKET 1000.0

/* Pairs of 1000 bytes that left at `sent` bytes/s and arrive at `arrived`, for 200 ms. */
static CcTime
pairs (BottleneckShare *b, bool train, double sent, double arrived, CcTime now)
{
  for (CcTime end = now + 200 * CC_MSECOND; now < end; now += cc_duration (PACKET / arrived))
    bottleneck_share_on_pair (b, train, PACKET, PACKET / sent, PACKET / arrived, now);
  return now;
}

START_TEST (test_trains_that_are_spread_show_the_bottleneck)
{
  BottleneckShare b = {0};
  CcTime now = pairs (&b, true, 200e3, 100e3, CC_SECOND);

  bottleneck_share_update (&b, false, now);
  ck_assert (b.trains && b.dispersed);
  ck_assert_double_eq_tol (b.capacity_Bps, 100e3, 1);
}
END_TEST

START_TEST (test_trains_that_are_not_show_what_they_were_sent_with)
{
  BottleneckShare b = {0};
  CcTime now = pairs (&b, true, 100e3, 100e3, CC_SECOND);

  bottleneck_share_update (&b, false, now);
  ck_assert (b.trains && !b.dispersed);
  ck_assert_double_eq_tol (b.capacity_Bps, 100e3, 1);
}
END_TEST

/* What the queue serves of us is not the path's where somebody else keeps it. */
START_TEST (test_single_packets_count_where_there_are_no_trains)
{
  BottleneckShare b = {0};
  CcTime now = pairs (&b, false, 200e3, 100e3, CC_SECOND);

  bottleneck_share_update (&b, true, now);
  ck_assert_double_eq (b.capacity_Bps, 0);
  bottleneck_share_update (&b, false, now);
  ck_assert (!b.trains && b.dispersed);
  ck_assert_double_eq_tol (b.capacity_Bps, 100e3, 1);
}
END_TEST

START_TEST (test_is_unknown_once_it_is_old_and_remembered)
{
  BottleneckShare b = {0};
  CcTime now = pairs (&b, true, 200e3, 100e3, CC_SECOND);

  bottleneck_share_update (&b, false, now);
  bottleneck_share_remember (&b, 0.4, 50e3);
  ck_assert_double_eq_tol (b.known_Bps, 100e3, 1);
  now += 5 * CC_SECOND;
  bottleneck_share_update (&b, false, now);
  ck_assert_double_eq (b.capacity_Bps, 0);
  bottleneck_share_remember (&b, 1, 50e3);
  ck_assert_double_eq_tol (b.known_Bps, 100e3, 1);
  bottleneck_share_remember (&b, 1, 120e3); /* that came through */
  ck_assert_double_eq_tol (b.known_Bps, 120e3, 1);
}
END_TEST

START_TEST (test_of_late_is_the_last_moment)
{
  BottleneckShare b = {0};
  CcTime now = pairs (&b, true, 200e3, 100e3, CC_SECOND);

  now = pairs (&b, true, 200e3, 20e3, now);
  bottleneck_share_update (&b, false, now);
  ck_assert_double_gt (b.capacity_Bps, 30e3);
  ck_assert_double_eq_tol (bottleneck_share_of_late (&b), 20e3, 4e3);
  bottleneck_share_take (&b, 20e3);
  bottleneck_share_update (&b, false, now);
  ck_assert_double_lt (b.capacity_Bps, 25e3);
  bottleneck_share_forget (&b, 60e3);
  bottleneck_share_update (&b, false, now);
  ck_assert_double_eq (b.capacity_Bps, 0);
  ck_assert_double_eq (b.known_Bps, 60e3);
}
END_TEST

CC_TEST_MAIN ("bottleneckshare", test_trains_that_are_spread_show_the_bottleneck,
    test_trains_that_are_not_show_what_they_were_sent_with, test_single_packets_count_where_there_are_no_trains,
    test_is_unknown_once_it_is_old_and_remembered, test_of_late_is_the_last_moment)
