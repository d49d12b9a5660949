/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tmmbrset.h"
#include "cctest.h"
#include <math.h>

#define MS CC_MSECOND
#define R (50 * MS)
#define DITHER (30 * MS)

static const RtcpTmmb A = {0xa, 35000, 40}, B = {0xb, 40000, 60};
static TmmbrSender s;
static TmmbrReceiver r;
static RtcpTmmb out[2 * TMMBR_SET_TUPLES];

static void
expect_set (const RtcpTmmb *tuples, unsigned n, const char *owners)
{
  unsigned n_out = tmmbr_bounding_set (tuples, n, 0, out);

  for (unsigned i = 0; i < n_out; i++)
    ck_assert_int_eq ((char)out[i].ssrc, owners[i]);
  ck_assert_int_eq (owners[n_out], 0);
}

/* RFC 5104 3.5.4.2: 35000 - 8 x 40 PR = 40000 - 8 x 60 PR at PR = 5000 / 160 = 31.25; both bound. */
START_TEST (test_the_example_of_the_rfc)
{
  const RtcpTmmb tuples[] = {B, A};

  ck_assert_uint_eq (tmmbr_bounding_set (tuples, 2, 0, out), 2);
  ck_assert_uint_eq (out[0].ssrc, 0xa);
  ck_assert_uint_eq (out[1].ssrc, 0xb);
  /* at the switch both allow 25 kb/s; on either side the lower one holds */
  ck_assert_double_eq_tol (tmmbr_net_rate (out, 2, 31.25), 25000, 1e-6);
  ck_assert_double_eq_tol (tmmbr_net_rate (out, 2, 30), 35000 - 320 * 30, 1e-6);
  ck_assert_double_eq_tol (tmmbr_net_rate (out, 2, 32), 40000 - 480 * 32, 1e-6);
  ck_assert_double_eq (tmmbr_net_rate (out, 2, 1000), 0);
  ck_assert_double_eq (tmmbr_net_rate (out, 0, 30), INFINITY);
  /* no more than 31 packets per second: the second never limits */
  ck_assert_uint_eq (tmmbr_bounding_set (tuples, 2, 31, out), 1);
  ck_assert_uint_eq (tmmbr_bounding_set (tuples, 2, 31.5, out), 2);
}
END_TEST

START_TEST (test_bounding_set)
{
  const RtcpTmmb same_overhead[] = {{'a', 50, 40}, {'b', 40, 40}, {'c', 60, 40}};
  const RtcpTmmb same_rate[] = {{'a', 4000, 40}, {'b', 4000, 60}, {'c', 4000, 20}};
  const RtcpTmmb equal[] = {{'a', 4000, 40}, {'b', 4000, 40}};
  /* 'b' would limit from (5000-4000)/(8x10) = 12.5/s on, but 'c' does so from (5100-4000)/(8x20) = 6.9/s on */
  const RtcpTmmb popped[] = {{'a', 4000, 40}, {'b', 5000, 50}, {'c', 5100, 60}};
  /* beyond 4000/(8x40) = 12.5/s nothing is left of 'a': 'b', from 15/s on, never limits */
  const RtcpTmmb too_high[] = {{'a', 4000, 40}, {'b', 5200, 50}};
  const RtcpTmmb one[] = {{'a', 4000, 40}};

  expect_set (NULL, 0, "");
  expect_set (one, 1, "a");
  expect_set (same_overhead, 3, "b");
  expect_set (same_rate, 3, "b");
  expect_set (equal, 2, "a");
  expect_set (popped, 3, "ac");
  expect_set (too_high, 2, "a");
}
END_TEST

/* No overhead: the packet rate is not bounded by it. */
START_TEST (test_no_overhead)
{
  const RtcpTmmb tuples[] = {{'a', 4000, 0}, {'b', 1000000, 1}}, zero[] = {{'a', 0, 0}, {'b', 0, 10}};

  expect_set (tuples, 2, "ab");
  /* the second limits from (1000000-4000)/8 = 124500/s on */
  ck_assert_double_eq_tol (tmmbr_net_rate (tuples, 2, 1e5), 4000, 1e-6);
  ck_assert_double_eq_tol (tmmbr_net_rate (tuples, 2, 124600), 1000000 - 8 * 124600, 1e-6);
  expect_set (zero, 2, "b");
  ck_assert_double_eq (tmmbr_net_rate (zero, 2, 0), 0);
}
END_TEST

/* The set allows what all tuples together allow, and none of its members can be left out. */
START_TEST (test_against_brute_force)
{
  uint32_t seed = 7;

  for (unsigned round = 0; round < (unsigned)scaled (3000); round++) {
    RtcpTmmb tuples[40], without[40];
    unsigned n = 1 + round % 40, n_set;

    for (unsigned i = 0; i < n; i++) {
      seed = seed * 1664525 + 1013904223;
      tuples[i] = (RtcpTmmb){i, 10000 + (seed >> 12) % 100000, (uint16_t)(seed >> 8 & 0x7f)};
    }
    n_set = tmmbr_bounding_set (tuples, n, 0, out);
    ck_assert (n_set >= 1 && n_set <= n);
    for (double pr = 0; pr < 300; pr += 0.37)
      ck_assert_double_eq_tol (tmmbr_net_rate (out, n_set, pr), tmmbr_net_rate (tuples, n, pr), 1e-6);
    for (unsigned i = 0; i < n_set && n_set > 1; i++) {
      bool limits = false;
      unsigned m = 0;

      for (unsigned j = 0; j < n_set; j++)
        if (j != i)
          without[m++] = out[j];
      for (double pr = 0; pr < 20000 && !limits; pr += pr < 400 ? 0.05 : 25)
        limits = tmmbr_net_rate (out, n_set, pr) < tmmbr_net_rate (without, m, pr);
      ck_assert_msg (limits || (i > 0 && i + 1 < n_set), "round %u: %u of %u limits nowhere", round, i, n_set);
    }
  }
}
END_TEST

static double
limit (CcTime now)
{
  return tmmbr_sender_limit (&s, 10, 40, now);
}

START_TEST (test_a_lower_limit_holds_at_once)
{
  tmmbr_sender_init (&s);
  ck_assert_double_eq (limit (0), INFINITY);
  ck_assert (!s.owes_tmmbn);
  tmmbr_sender_on_request (&s, 1, 500000, 40, 1000 * MS);
  ck_assert (s.owes_tmmbn);
  /* the overhead of our packets is that of the tuple: all of the rate */
  ck_assert_double_eq_tol (limit (1000 * MS), 500000, 1e-6);
  ck_assert_uint_eq (tmmbr_sender_notification (&s, R, DITHER, 1000 * MS, out), 1);
  ck_assert (!s.owes_tmmbn);
  ck_assert_uint_eq (out[0].ssrc, 1);
  ck_assert_uint_eq (out[0].bitrate_bps, 500000);
  tmmbr_sender_on_request (&s, 2, 300000, 40, 2000 * MS);
  ck_assert_double_eq_tol (limit (2000 * MS), 300000, 1e-6);
  ck_assert_uint_eq (tmmbr_sender_next_timeout (&s, 2000 * MS), CC_TIME_NONE);
}
END_TEST

/* RFC 5104 4.2.2.2: one notification for however many requests, also for one that changes nothing. */
START_TEST (test_every_request_is_answered)
{
  tmmbr_sender_init (&s);
  tmmbr_sender_on_request (&s, 1, 300000, 40, 0);
  tmmbr_sender_on_request (&s, 2, 900000, 40, 0);
  ck_assert_uint_eq (tmmbr_sender_notification (&s, R, DITHER, 0, out), 1);
  ck_assert_uint_eq (out[0].ssrc, 1);
  ck_assert (!s.owes_tmmbn);
  tmmbr_sender_on_request (&s, 2, 900000, 40, 0);
  ck_assert (s.owes_tmmbn);
}
END_TEST

/* RFC 5104 4.2.1.2: 2 x 50 + 30 ms after the notification, not after the request. */
START_TEST (test_a_rise_waits_for_the_others)
{
  tmmbr_sender_init (&s);
  tmmbr_sender_on_request (&s, 1, 300000, 40, 0);
  tmmbr_sender_notification (&s, R, DITHER, 0, out);
  tmmbr_sender_on_request (&s, 1, 800000, 40, 1000 * MS);
  ck_assert_double_eq_tol (limit (9000 * MS), 300000, 1e-6);
  tmmbr_sender_notification (&s, R, DITHER, 9000 * MS, out);
  ck_assert_uint_eq (out[0].bitrate_bps, 800000);
  ck_assert_uint_eq (tmmbr_sender_next_timeout (&s, 9000 * MS), 9130 * MS);
  ck_assert_double_eq_tol (limit (9130 * MS - 1), 300000, 1e-6);
  ck_assert_double_eq_tol (limit (9130 * MS), 800000, 1e-6);
  ck_assert_uint_eq (tmmbr_sender_next_timeout (&s, 9130 * MS), CC_TIME_NONE);
  /* a second one that says the same does not put it off */
  tmmbr_sender_on_request (&s, 1, 900000, 40, 10000 * MS);
  tmmbr_sender_notification (&s, R, DITHER, 10000 * MS, out);
  tmmbr_sender_on_request (&s, 1, 900000, 40, 10100 * MS);
  tmmbr_sender_notification (&s, R, DITHER, 10100 * MS, out);
  ck_assert_double_eq_tol (limit (10130 * MS), 900000, 1e-6);
}
END_TEST

/* Somebody else asks for less while the rise waits. */
START_TEST (test_a_rise_that_is_overtaken)
{
  tmmbr_sender_init (&s);
  tmmbr_sender_on_request (&s, 1, 300000, 40, 0);
  tmmbr_sender_notification (&s, R, DITHER, 0, out);
  tmmbr_sender_on_request (&s, 1, 800000, 40, 1000 * MS);
  tmmbr_sender_notification (&s, R, DITHER, 1000 * MS, out);
  tmmbr_sender_on_request (&s, 2, 500000, 40, 1100 * MS);
  ck_assert_double_eq_tol (limit (1100 * MS), 300000, 1e-6);
  tmmbr_sender_notification (&s, R, DITHER, 1100 * MS, out);
  ck_assert_double_eq_tol (limit (1130 * MS), 300000, 1e-6);
  ck_assert_double_eq_tol (limit (1230 * MS), 500000, 1e-6);
}
END_TEST

START_TEST (test_owners_that_leave)
{
  tmmbr_sender_init (&s);
  tmmbr_sender_on_request (&s, 1, 300000, 40, 0);
  tmmbr_sender_on_request (&s, 2, 500000, 40, 0);
  tmmbr_sender_on_request (&s, 3, 900000, 40, 0);
  tmmbr_sender_notification (&s, R, DITHER, 0, out);
  ck_assert (!tmmbr_sender_remove (&s, 9, 1000 * MS));
  ck_assert (!tmmbr_sender_remove (&s, 3, 1000 * MS)); /* it did not limit */
  ck_assert (!s.owes_tmmbn);
  ck_assert (tmmbr_sender_remove (&s, 1, 1000 * MS));
  ck_assert (s.owes_tmmbn);
  ck_assert_uint_eq (tmmbr_sender_notification (&s, R, DITHER, 1000 * MS, out), 1);
  ck_assert_uint_eq (out[0].ssrc, 2);
  ck_assert_double_eq_tol (limit (1129 * MS), 300000, 1e-6);
  ck_assert_double_eq_tol (limit (1130 * MS), 500000, 1e-6);
  ck_assert (tmmbr_sender_remove (&s, 2, 2000 * MS));
  ck_assert_uint_eq (tmmbr_sender_notification (&s, R, DITHER, 2000 * MS, out), 0);
  ck_assert_double_eq_tol (limit (2129 * MS), 500000, 1e-6);
  ck_assert_double_eq (limit (2130 * MS), INFINITY);
}
END_TEST

/* More owners than there is room for: those that do not limit go first. */
START_TEST (test_many_owners)
{
  tmmbr_sender_init (&s);
  for (unsigned i = 0; i < 10000; i++)
    tmmbr_sender_on_request (&s, i, 10000000 - i * 100, 40, 0);
  ck_assert_uint_eq (s.n_tuples, TMMBR_SET_TUPLES);
  ck_assert_uint_eq (s.dropped, 0);
  ck_assert_double_eq_tol (limit (0), 10000000 - 9999 * 100, 1e-6);
  ck_assert_uint_eq (tmmbr_sender_notification (&s, R, DITHER, 0, out), 1);
  ck_assert_uint_eq (out[0].ssrc, 9999);
}
END_TEST

/* The peer is another. */
START_TEST (test_all_leave_at_once)
{
  tmmbr_sender_init (&s);
  ck_assert (!tmmbr_sender_remove_all (&s, 0));
  tmmbr_sender_on_request (&s, 1, 500000, 40, 0);
  tmmbr_sender_on_request (&s, 2, 300000, 40, 0);
  tmmbr_sender_notification (&s, R, DITHER, 0, out);
  ck_assert (tmmbr_sender_remove_all (&s, 1000 * MS));
  ck_assert (s.owes_tmmbn);
  ck_assert_uint_eq (tmmbr_sender_notification (&s, R, DITHER, 1000 * MS, out), 0);
  ck_assert_double_eq_tol (limit (1001 * MS), 300000, 1e-6);
  ck_assert (isinf (limit (10000 * MS)));
}
END_TEST

/* Who is not heard any more goes; who asked or spoke since stays, wherever its tuple has moved. */
START_TEST (test_who_is_not_heard_goes)
{
  tmmbr_sender_init (&s);
  tmmbr_sender_on_request (&s, 1, 100000, 40, 0);
  tmmbr_sender_on_request (&s, 2, 300000, 40, 0);
  tmmbr_sender_on_request (&s, 3, 200000, 40, 0);
  tmmbr_sender_on_heard (&s, 3, 500 * MS);
  tmmbr_sender_on_heard (&s, 4, 500 * MS);
  tmmbr_sender_on_request (&s, 2, 300000, 40, 400 * MS);
  tmmbr_sender_notification (&s, R, DITHER, 0, out);
  ck_assert (!tmmbr_sender_remove_unheard (&s, 1001 * MS, 600 * MS)); /* longer than the clock runs */
  ck_assert (tmmbr_sender_remove_unheard (&s, 601 * MS, 1000 * MS));
  ck_assert (s.owes_tmmbn);
  ck_assert_uint_eq (tmmbr_sender_notification (&s, R, DITHER, 1000 * MS, out), 1);
  ck_assert_uint_eq (out[0].ssrc, 3);
  ck_assert_uint_eq (s.n_tuples, 2);
  ck_assert (!tmmbr_sender_remove_unheard (&s, 501 * MS, 1000 * MS)); /* 2 did not limit */
  ck_assert_uint_eq (s.n_tuples, 1);
  ck_assert (tmmbr_sender_remove_unheard (&s, 500 * MS, 1000 * MS));
  ck_assert_uint_eq (tmmbr_sender_notification (&s, R, DITHER, 1000 * MS, out), 0);
}
END_TEST

/* RFC 5104 3.5.4.2 */
START_TEST (test_when_a_receiver_may_ask)
{
  const RtcpTmmb set[] = {A, B};

  tmmbr_receiver_init (&r);
  ck_assert (tmmbr_receiver_may_ask (&r, 1, 1000000, 40)); /* nothing is known */
  tmmbr_receiver_on_notification (&r, set, 2);
  ck_assert (tmmbr_receiver_is_owner (&r, 0xa) && !tmmbr_receiver_is_owner (&r, 1));
  ck_assert (!tmmbr_receiver_may_ask (&r, 0xa, 35000, 40));
  ck_assert (tmmbr_receiver_may_ask (&r, 0xa, 36000, 40)); /* an owner may raise */
  ck_assert (tmmbr_receiver_may_ask (&r, 0xa, 35000, 41));
  ck_assert (!tmmbr_receiver_may_ask (&r, 1, 35000, 40)); /* somebody asked for that */
  ck_assert (!tmmbr_receiver_may_ask (&r, 1, 45000, 40));
  ck_assert (tmmbr_receiver_may_ask (&r, 1, 34000, 40));
  /* steeper than both and below them from (45000-40000)/(8x40) = 15.6/s on */
  ck_assert (tmmbr_receiver_may_ask (&r, 1, 45000, 100));
  tmmbr_receiver_on_notification (&r, NULL, 0);
  ck_assert (tmmbr_receiver_may_ask (&r, 1, 45000, 40)); /* nobody limits */
}
END_TEST

/* What 17 bits of mantissa make of a rate is no change. */
START_TEST (test_rounding_is_no_change)
{
  const RtcpTmmb set[] = {{1, rtcp_tmmb_rounded (1234567), 40}};

  tmmbr_receiver_init (&r);
  tmmbr_receiver_on_notification (&r, set, 1);
  ck_assert_uint_ne (set[0].bitrate_bps, 1234567);
  ck_assert (!tmmbr_receiver_may_ask (&r, 1, 1234567, 40));
}
END_TEST

CC_TEST_MAIN ("tmmbrset", test_the_example_of_the_rfc, test_bounding_set, test_no_overhead,
    CC_TEST_LONG (test_against_brute_force), test_a_lower_limit_holds_at_once, test_every_request_is_answered,
    test_a_rise_waits_for_the_others, test_a_rise_that_is_overtaken, test_owners_that_leave, test_many_owners,
    test_all_leave_at_once, test_who_is_not_heard_goes, test_when_a_receiver_may_ask, test_rounding_is_no_change)
