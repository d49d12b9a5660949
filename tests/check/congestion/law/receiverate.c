/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "receiverate.h"
#include "cctest.h"

static CcTime
receive (ReceiveRate *r, double Bps, CcDuration span, CcTime now)
{
  for (CcTime end = now + span; now < end; now += 10 * CC_MSECOND)
    receive_rate_on_packet (r, (uint32_t)(Bps / 100), now);
  return now;
}

START_TEST (test_unknown_at_first)
{
  ReceiveRate r = {0};
  CcTime now = CC_SECOND;

  ck_assert_double_eq (receive_rate_Bps (&r, now), 0);
  now = receive (&r, 100e3, 60 * CC_MSECOND, now);
  ck_assert_double_eq (receive_rate_Bps (&r, now), 0);
  now = receive (&r, 100e3, 100 * CC_MSECOND, now);
  ck_assert_double_eq_tol (receive_rate_Bps (&r, now), 100e3, 10e3);
}
END_TEST

START_TEST (test_is_over_a_second)
{
  ReceiveRate r = {0};
  CcTime now = receive (&r, 100e3, 3 * CC_SECOND, CC_SECOND);

  ck_assert_double_eq_tol (receive_rate_Bps (&r, now), 100e3, 6e3);
  now = receive (&r, 300e3, CC_SECOND / 2, now);
  ck_assert_double_eq_tol (receive_rate_Bps (&r, now), 200e3, 12e3);
  now = receive (&r, 300e3, CC_SECOND / 2, now);
  ck_assert_double_eq_tol (receive_rate_Bps (&r, now), 300e3, 18e3);
}
END_TEST

START_TEST (test_a_pause_counts)
{
  ReceiveRate r = {0};
  CcTime now = receive (&r, 100e3, 3 * CC_SECOND, CC_SECOND);

  ck_assert_double_eq_tol (receive_rate_Bps (&r, now + CC_SECOND / 2), 50e3, 6e3);
  ck_assert_double_eq (receive_rate_Bps (&r, now + 2 * CC_SECOND), 0);
}
END_TEST

START_TEST (test_of_late)
{
  ReceiveRate r = {0};
  CcTime now = CC_SECOND;

  ck_assert_double_eq (receive_rate_of_late (&r, now), 0);
  now = receive (&r, 100e3, 3 * CC_SECOND, now);
  now = receive (&r, 300e3, 300 * CC_MSECOND, now);
  ck_assert_double_eq_tol (receive_rate_of_late (&r, now), 300e3, 30e3);
  ck_assert_double_lt (receive_rate_Bps (&r, now), 200e3);
  ck_assert_double_eq (receive_rate_of_late (&r, now + CC_SECOND), 0);
}
END_TEST

CC_TEST_MAIN ("receiverate", test_unknown_at_first, test_is_over_a_second, test_a_pause_counts, test_of_late)
