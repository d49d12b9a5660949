/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "srecho.h"
#include "cctest.h"

#define SSRC 0x1234u
#define NTP(middle) ((uint64_t)(middle) << 16)
#define T0 (1000 * CC_SECOND)

static SrEcho e;

/* 65536 are a second; the time in the SR may be of 1900 or of a clock that stands. */
START_TEST (test_round_trip)
{
  sr_echo_init (&e);
  sr_echo_on_sent (&e, SSRC, NTP (77) + 0xffff, T0);
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 77, 0, T0 + 80 * CC_MSECOND), 80 * CC_MSECOND);
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 77, 65536, T0 + 1080 * CC_MSECOND), 80 * CC_MSECOND);
  sr_echo_on_sent (&e, SSRC, NTP (76), T0 + CC_SECOND);
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 76, 32768, T0 + 1550 * CC_MSECOND), 50 * CC_MSECOND);
}
END_TEST

START_TEST (test_no_sample)
{
  sr_echo_init (&e);
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 77, 0, T0), 0);
  ck_assert_uint_eq (sr_echo_round_trip (&e, 0, 0, 0, T0), 0);
  sr_echo_on_sent (&e, SSRC, NTP (77), T0);
  /* none echoed, one we do not know, another's */
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 0, 0, T0 + CC_SECOND), 0);
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 78, 0, T0 + CC_SECOND), 0);
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC + 1, 77, 0, T0 + CC_SECOND), 0);
  /* held for longer than it was away */
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 77, 65537, T0 + CC_SECOND), 0);
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 77, UINT32_MAX, T0 + CC_SECOND), 0);
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 77, 65536, T0 + CC_SECOND), CC_USECOND);
}
END_TEST

START_TEST (test_the_oldest_gives_way)
{
  sr_echo_init (&e);
  for (unsigned i = 0; i <= SR_ECHO_PLACES; i++)
    sr_echo_on_sent (&e, SSRC, NTP (100 + i), T0 + i * CC_MSECOND);
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 100, 0, T0 + CC_SECOND), 0);
  ck_assert_uint_eq (sr_echo_round_trip (&e, SSRC, 101, 0, T0 + CC_SECOND), 999 * CC_MSECOND);
  ck_assert_uint_eq (
      sr_echo_round_trip (&e, SSRC, 100 + SR_ECHO_PLACES, 0, T0 + CC_SECOND), (1000 - SR_ECHO_PLACES) * CC_MSECOND);
}
END_TEST

CC_TEST_MAIN ("srecho", test_round_trip, test_no_sample, test_the_oldest_gives_way)
