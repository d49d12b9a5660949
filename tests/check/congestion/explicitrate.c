/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "explicitrate.h"
#include "cctest.h"

static ExplicitRate e;

static bool
packet (double rate_Bps, uint16_t hop, uint64_t order, CcTime now)
{
  ErfExtension value = {.set = true, .rate_Bps = rate_Bps, .hop = hop};

  return explicit_rate_on_packet (&e, &value, order, now);
}

START_TEST (test_first_and_falls_are_urgent)
{
  explicit_rate_init (&e);
  ck_assert_double_eq (explicit_rate_current (&e, 0), 0);
  ck_assert (packet (100000, 7, 1, 0));
  ck_assert_uint_eq (e.hop, 7);
  /* asked for once, until it went */
  ck_assert (!packet (50000, 7, 2, 1));
  ck_assert (e.urgent);
  ck_assert_double_eq (explicit_rate_current (&e, 1), 50000);
  explicit_rate_told (&e, 2);
  ck_assert (!e.urgent);
  /* 3 % of 50000 are 1500 */
  ck_assert (!packet (48501, 7, 3, 3));
  ck_assert (packet (48500, 7, 4, 4));
  explicit_rate_told (&e, 5);
  /* up: no hurry, but it counts */
  ck_assert (!packet (200000, 7, 5, 6));
  ck_assert_double_eq (explicit_rate_current (&e, 6), 200000);
  /* small falls add up: against what was told, not against the last packet */
  explicit_rate_told (&e, 7);
  ck_assert (!packet (198000, 7, 6, 8));
  ck_assert (!packet (196000, 7, 7, 9));
  ck_assert (packet (194000, 7, 8, 10));
}
END_TEST

/* Whichever router has set it: the packet carries the least of its path. */
START_TEST (test_newest_counts_whoever_set_it)
{
  explicit_rate_init (&e);
  packet (100000, 1, 10, 0);
  packet (120000, 2, 11, 1);
  ck_assert_double_eq (explicit_rate_current (&e, 1), 120000);
  ck_assert_uint_eq (e.hop, 2);
  /* overtaken on the way */
  packet (90000, 1, 9, 2);
  ck_assert_double_eq (explicit_rate_current (&e, 2), 120000);
  ck_assert_uint_eq (e.late, 1);
  /* a sender that began again: far back */
  packet (110000, 3, 5000, 3);
  packet (80000, 3, 1000, 4);
  ck_assert_double_eq (explicit_rate_current (&e, 4), 80000);
  ck_assert_uint_eq (e.marked, 5);
}
END_TEST

START_TEST (test_expires_and_is_new_again)
{
  ErfExtension unset = {.set = false};

  explicit_rate_init (&e);
  packet (100000, 1, 1, CC_SECOND);
  explicit_rate_told (&e, CC_SECOND);
  /* packets no router has marked say nothing: neither yes nor no */
  ck_assert (!explicit_rate_on_packet (&e, &unset, 2, 2 * CC_SECOND));
  ck_assert_double_eq (explicit_rate_current (&e, CC_SECOND + EXPLICIT_RATE_LIFE - 1), 100000);
  ck_assert_double_eq (explicit_rate_current (&e, CC_SECOND + EXPLICIT_RATE_LIFE), 0);
  ck_assert (packet (300000, 1, 3, 9 * CC_SECOND));
}
END_TEST

START_TEST (test_zero_is_nobodys_rate)
{
  explicit_rate_init (&e);
  ck_assert (!packet (0, 1, 1, 0));
  ck_assert_double_eq (explicit_rate_current (&e, 0), 0);
  packet (100000, 1, 2, 1);
  ck_assert (!packet (0, 1, 3, 2));
  ck_assert_double_eq (explicit_rate_current (&e, 2), 100000);
  ck_assert_uint_eq (e.absurd, 2);
}
END_TEST

/* Of two that say something the lower one counts, for as long as it is said. */
START_TEST (test_who_sends_it_on)
{
  explicit_rate_init (&e);
  ck_assert (explicit_rate_on_relay (&e, 100000, 0));
  ck_assert_double_eq (explicit_rate_current (&e, 1), 100000);
  ck_assert_uint_eq (explicit_rate_hop (&e, 1), EXPLICIT_RATE_RELAY);
  explicit_rate_told (&e, 1);
  ck_assert (packet (50000, 7, 1, 2));
  ck_assert_uint_eq (explicit_rate_hop (&e, 2), 7);
  explicit_rate_told (&e, 2);
  ck_assert (!explicit_rate_on_relay (&e, 200000, 3)); /* a rise, and not the lower one */
  ck_assert_double_eq (explicit_rate_current (&e, 3), 50000);
  ck_assert (explicit_rate_on_relay (&e, 40000, CC_SECOND));
  ck_assert_double_eq (explicit_rate_current (&e, CC_SECOND), 40000);
  explicit_rate_told (&e, CC_SECOND);
  packet (60000, 7, 2, 2 * CC_SECOND);
  ck_assert_double_eq (explicit_rate_current (&e, 3 * CC_SECOND - 1), 40000);
  ck_assert_double_eq (explicit_rate_current (&e, 3 * CC_SECOND), 60000);
  ck_assert_uint_eq (explicit_rate_hop (&e, 3 * CC_SECOND), 7);
  ck_assert_double_eq (explicit_rate_current (&e, 4 * CC_SECOND), 0);
  ck_assert (explicit_rate_on_relay (&e, 90000, 5 * CC_SECOND)); /* the first again */
}
END_TEST

CC_TEST_MAIN ("explicitrate", test_first_and_falls_are_urgent, test_newest_counts_whoever_set_it,
    test_expires_and_is_new_again, test_zero_is_nobodys_rate, test_who_sends_it_on)
