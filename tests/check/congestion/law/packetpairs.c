/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "packetpairs.h"
#include "cctest.h"
#include <math.h>

START_TEST (test_rate_is_the_ratio_of_sums)
{
  PacketPairs pairs = {0};

  packet_pairs_add (&pairs, 1000, 0.001, 0.010, CC_SECOND, 0.4);
  packet_pairs_add (&pairs, 1000, 0.001, 0.030, CC_SECOND, 0.4);
  ck_assert_double_eq_tol (packet_pairs_rate (&pairs, 2), 50e3, 1e-6); /* the mean of the two rates were 67e3 */
  ck_assert_double_eq (packet_pairs_rate (&pairs, 3), 0);
}
END_TEST

START_TEST (test_fades)
{
  PacketPairs pairs = {0};

  packet_pairs_add (&pairs, 1000, 0, 0.1, CC_SECOND, 0.5);
  packet_pairs_fade (&pairs, CC_SECOND + CC_SECOND / 2, 0.5);
  ck_assert_double_eq_tol (pairs.bytes, 1000 * exp (-1), 1e-9);
  ck_assert_double_eq_tol (pairs.pairs, exp (-1), 1e-9);
  ck_assert_double_eq_tol (packet_pairs_rate (&pairs, 0.3), 10e3, 1e-6);
}
END_TEST

START_TEST (test_no_time_is_no_rate)
{
  PacketPairs pairs = {0};

  packet_pairs_add (&pairs, 1000, 0, 0, CC_SECOND, 0.5);
  ck_assert_double_eq (packet_pairs_rate (&pairs, 1), 0);
}
END_TEST

START_TEST (test_spread)
{
  PacketPairs pairs = {0};

  packet_pairs_add (&pairs, 1000, 0.010, 0.012, CC_SECOND, 0.4);
  packet_pairs_add (&pairs, 1000, 0.020, 0.021, CC_SECOND, 0.4);
  ck_assert (!packet_pairs_are_spread (&pairs, 2, 1.11));
  ck_assert (packet_pairs_are_spread (&pairs, 2, 1.09)); /* 33 of 30 ms */
  ck_assert (!packet_pairs_are_spread (&pairs, 3, 1.09));
}
END_TEST

CC_TEST_MAIN ("packetpairs", test_rate_is_the_ratio_of_sums, test_fades, test_no_time_is_no_rate, test_spread)
