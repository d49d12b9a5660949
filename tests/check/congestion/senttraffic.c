/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "senttraffic.h"
#include "cctest.h"

#define T0 (100 * CC_SECOND)

static SentTraffic t;

static void
send (unsigned n, CcDuration apart, bool resent, CcTime *now)
{
  for (unsigned i = 0; i < n; i++, *now += apart)
    sent_traffic_on_packet (&t, 972, 1000, resent, *now);
}

/* 100 packets of 1000 bytes a second; then half of it, of which the mean has half after half a second. */
START_TEST (test_rate)
{
  CcTime now = T0;

  sent_traffic_init (&t, now);
  ck_assert_double_eq (sent_traffic_rate (&t, now), 0);
  send (300, 10 * CC_MSECOND, false, &now);
  ck_assert_double_eq_tol (t.Bps, 100e3, 2e3);
  send (26, 20 * CC_MSECOND, false, &now);
  send (26, 20 * CC_MSECOND, false, &now);
  ck_assert_double_eq_tol (t.now_Bps, 50e3, 2e3);
  ck_assert_double_gt (t.Bps, 55e3);
  ck_assert_uint_eq (t.packets, 352);
  ck_assert_uint_eq (t.bytes, 352000);
}
END_TEST

START_TEST (test_idle)
{
  CcTime now = T0;

  sent_traffic_init (&t, now);
  send (300, 10 * CC_MSECOND, false, &now);
  ck_assert_double_lt (sent_traffic_rate (&t, now + 20 * CC_SECOND), 3e3);
}
END_TEST

START_TEST (test_resent)
{
  CcTime now = T0;

  sent_traffic_init (&t, now);
  send (200, 10 * CC_MSECOND, false, &now);
  ck_assert_double_eq (t.resent_Bps, 0);
  send (200, 10 * CC_MSECOND, true, &now);
  ck_assert_double_gt (t.resent_Bps, 80e3);
}
END_TEST

START_TEST (test_packet_size)
{
  CcTime now = T0;

  sent_traffic_init (&t, now);
  sent_traffic_on_packet (&t, 200, 228, false, now);
  ck_assert_double_eq (t.packet_bytes, 200);
  send (100, CC_MSECOND, false, &now);
  ck_assert_double_eq_tol (t.packet_bytes, 972, 5);
  sent_traffic_on_packet (&t, 0, 28, false, now);
  ck_assert_double_ge (t.packet_bytes, 15 * 967 / 16.0);
}
END_TEST

CC_TEST_MAIN ("senttraffic", test_rate, test_idle, test_resent, test_packet_size)
