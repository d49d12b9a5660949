/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ssrcconflict.h"
#include "cctest.h"

#define START (1000 * CC_SECOND)
#define INTERVAL (5 * CC_SECOND)

static SsrcConflict conflict;

static void
begin (void)
{
  ssrc_conflict_init (&conflict);
}

static SsrcConflictVerdict
rtp (uint64_t address, CcTime now)
{
  return ssrc_conflict_on_packet (&conflict, address, SSRC_CNAME_NONE, INTERVAL, now);
}

START_TEST (gives_up_its_identifier_once)
{
  begin ();
  ck_assert_int_eq (rtp (7, START), SSRC_CONFLICT_CHANGE);
  ck_assert_int_eq (rtp (7, START + 1), SSRC_CONFLICT_LOOP);
  ck_assert_int_eq (rtp (7, START + 2 * INTERVAL), SSRC_CONFLICT_LOOP);
  ck_assert_uint_eq (conflict.collisions, 1);
  ck_assert_uint_eq (conflict.looped, 2);
}
END_TEST

/* 8.2: a listed address is a loop where there is no CNAME or it is our own. */
START_TEST (another_cname_from_a_listed_address_is_a_collision)
{
  begin ();
  ck_assert_int_eq (rtp (7, START), SSRC_CONFLICT_CHANGE);
  ck_assert_int_eq (
      ssrc_conflict_on_packet (&conflict, 7, SSRC_CNAME_OWN, INTERVAL, START + INTERVAL), SSRC_CONFLICT_LOOP);
  ck_assert_int_eq (
      ssrc_conflict_on_packet (&conflict, 7, SSRC_CNAME_OTHER, INTERVAL, START + INTERVAL), SSRC_CONFLICT_CHANGE);
  ck_assert_uint_eq (conflict.count, 1);
}
END_TEST

/* Ten intervals after the last packet, not after the first. */
START_TEST (forgets_an_address_after_ten_intervals)
{
  CcTime last = START + 9 * INTERVAL;

  begin ();
  rtp (7, START);
  ck_assert_int_eq (rtp (7, last), SSRC_CONFLICT_LOOP);
  ck_assert_int_eq (rtp (7, last + 10 * INTERVAL - 1), SSRC_CONFLICT_LOOP);
  ck_assert_int_eq (rtp (7, last + 20 * INTERVAL - 1), SSRC_CONFLICT_CHANGE);
}
END_TEST

START_TEST (changes_no_more_than_once_an_interval)
{
  unsigned changes = 0;

  begin ();
  /* A forger with a new address each 10 ms for 60 s: 12 intervals, 12 changes. */
  for (unsigned i = 0; i < 6000; i++)
    changes += rtp (100 + i, START + i * 10 * CC_MSECOND) == SSRC_CONFLICT_CHANGE;
  ck_assert_uint_eq (changes, 12);
  ck_assert_uint_eq (conflict.postponed, 6000 - 12);
  ck_assert_uint_le (conflict.count, SSRC_CONFLICT_ADDRESSES);
}
END_TEST

/* Otherwise it would be taken for a loop afterwards, and the collision stay. */
START_TEST (a_postponed_collision_is_answered_later)
{
  begin ();
  rtp (7, START);
  ck_assert_int_eq (rtp (8, START + 1), SSRC_CONFLICT_WAIT);
  ck_assert_int_eq (rtp (8, START + INTERVAL - 1), SSRC_CONFLICT_WAIT);
  ck_assert_int_eq (rtp (8, START + INTERVAL), SSRC_CONFLICT_CHANGE);
}
END_TEST

START_TEST (a_full_list_forgets_the_one_heard_least_lately)
{
  CcTime now = START;

  begin ();
  for (unsigned i = 0; i < SSRC_CONFLICT_ADDRESSES; i++, now += INTERVAL)
    ck_assert_int_eq (rtp (1 + i, now), SSRC_CONFLICT_CHANGE);
  ck_assert_int_eq (rtp (1, now), SSRC_CONFLICT_LOOP);
  ck_assert_int_eq (rtp (99, now), SSRC_CONFLICT_CHANGE);
  ck_assert_uint_eq (conflict.count, SSRC_CONFLICT_ADDRESSES);
  ck_assert_int_eq (rtp (1, now), SSRC_CONFLICT_LOOP);
  ck_assert_int_eq (rtp (2, now + INTERVAL), SSRC_CONFLICT_CHANGE);
}
END_TEST

CC_TEST_MAIN ("ssrcconflict", gives_up_its_identifier_once, another_cname_from_a_listed_address_is_a_collision,
    forgets_an_address_after_ten_intervals, changes_no_more_than_once_an_interval,
    a_postponed_collision_is_answered_later, a_full_list_forgets_the_one_heard_least_lately)
