/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "resendlimit.h"
#include "cctest.h"

static ResendLimit r;

static void
open_limit (double share, unsigned burst)
{
  ResendLimitParams params;

  resend_limit_params_init (&params);
  params.share = share;
  params.burst = burst;
  resend_limit_init (&r, &params);
}

static void
send (unsigned from, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    resend_limit_on_sent (&r, (uint16_t)(from + i));
}

START_TEST (test_only_what_was_sent)
{
  open_limit (1, 128);
  ck_assert (!resend_limit_on_request (&r, 0, 0, 0));
  send (65530, 10); /* 65530 to 3 */
  ck_assert (resend_limit_on_request (&r, 65530, 0, 0));
  ck_assert (resend_limit_on_request (&r, 3, 0, 0));
  ck_assert (!resend_limit_on_request (&r, 65529, 0, 0));
  ck_assert (!resend_limit_on_request (&r, 4, 0, 0));
  ck_assert (!resend_limit_on_request (&r, 30000, 0, 0));
  ck_assert_uint_eq (r.unknown, 4);
  ck_assert_uint_eq (r.granted, 2);
}
END_TEST

/* The window holds RESEND_LIMIT_WINDOW packets. */
START_TEST (test_not_what_is_long_ago)
{
  open_limit (1, 128);
  send (0, RESEND_LIMIT_WINDOW + 10);
  ck_assert (!resend_limit_on_request (&r, 9, 0, 0));
  ck_assert (resend_limit_on_request (&r, 10, 0, 0));
}
END_TEST

START_TEST (test_once_in_a_round_trip)
{
  const CcDuration R = 80 * CC_MSECOND;

  open_limit (1, 128);
  send (100, 10);
  ck_assert (resend_limit_on_request (&r, 105, R, CC_SECOND));
  ck_assert (!resend_limit_on_request (&r, 105, R, CC_SECOND + R - 1));
  ck_assert (resend_limit_on_request (&r, 106, R, CC_SECOND + R - 1));
  ck_assert (resend_limit_on_request (&r, 105, R, CC_SECOND + R));
  ck_assert_uint_eq (r.repeated, 1);
}
END_TEST

/* Round trips that are unknown or impossible must not make the sender deaf. */
START_TEST (test_unbelievable_round_trip)
{
  open_limit (1, 128);
  send (100, 10);
  ck_assert (resend_limit_on_request (&r, 105, 0, CC_SECOND));
  ck_assert (!resend_limit_on_request (&r, 105, 0, CC_SECOND + 9 * CC_MSECOND));
  ck_assert (resend_limit_on_request (&r, 105, 10 * CC_SECOND, CC_SECOND + 10 * CC_MSECOND));
}
END_TEST

/* 10 at once, then a quarter of a packet for each that is sent: 40 packets make 10 more. */
START_TEST (test_share)
{
  unsigned granted = 0;

  open_limit (0.25, 10);
  send (0, 50);
  for (unsigned seq = 0; seq < 50; seq++)
    granted += resend_limit_on_request (&r, (uint16_t)seq, 0, 0);
  ck_assert_uint_eq (granted, 10);
  ck_assert_uint_eq (r.excess, 40);
  send (50, 40);
  for (unsigned seq = 10; seq < 50; seq++)
    granted += resend_limit_on_request (&r, (uint16_t)seq, 0, CC_SECOND);
  ck_assert_uint_eq (granted, 20);
}
END_TEST

/* A thousand requests a second for ten seconds at 100 packets/s: 128 + 1000 at most. */
START_TEST (test_flood)
{
  uint32_t random = 1;

  open_limit (1, 128);
  for (unsigned ms = 0; ms < 10000; ms++) {
    if (ms % 10 == 0)
      send (ms / 10, 1);
    random = random * 1664525 + 1013904223;
    resend_limit_on_request (&r, (uint16_t)(random >> 16), 0, ms * CC_MSECOND);
    resend_limit_on_request (&r, (uint16_t)(ms / 10), 0, ms * CC_MSECOND);
  }
  ck_assert_uint_le (r.granted, 128 + 1000);
  ck_assert_uint_ge (r.granted, 1000);
  ck_assert_uint_eq (r.granted + r.unknown + r.repeated + r.excess, 20000);
}
END_TEST

START_TEST (test_restart)
{
  open_limit (1, 128);
  send (100, 10);
  send (40000, 2);
  ck_assert (!resend_limit_on_request (&r, 105, 0, 0));
  ck_assert (resend_limit_on_request (&r, 40000, 0, 0));
  send (39990, 1); /* late, but its own */
  ck_assert (resend_limit_on_request (&r, 39990, 0, 0));
}
END_TEST

CC_TEST_MAIN ("resendlimit", test_only_what_was_sent, test_not_what_is_long_ago, test_once_in_a_round_trip,
    test_unbelievable_round_trip, test_share, test_flood, test_restart)
