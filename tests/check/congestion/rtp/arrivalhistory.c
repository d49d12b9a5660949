/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "arrivalhistory.h"
#include "cctest.h"

#define MS CC_MSECOND

static ArrivalHistory h;
static ArrivalRange range;

static ArrivalVerdict
arrive (uint16_t number, CcTime at)
{
  return arrival_history_on_packet (&h, number, ARRIVAL_NOT_ECT, at);
}

static void
arrive_all (uint16_t first, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    ck_assert_int_eq (arrive ((uint16_t)(first + i), (1000 + i) * MS), ARRIVAL_NEW);
}

static void
expect_range (uint16_t begin, unsigned count)
{
  ck_assert (arrival_history_range (&h, &range));
  ck_assert_uint_eq ((uint16_t)range.begin, begin);
  ck_assert_uint_eq (range.count, count);
}

static const Arrival *
arrival (uint16_t number)
{
  uint64_t base = h.highest & ~(uint64_t)0xffff;
  uint64_t full = base | number;

  return arrival_history_get (&h, full > h.highest ? full - 65536 : full);
}

START_TEST (test_nothing_yet)
{
  arrival_history_init (&h, 0);
  ck_assert (!arrival_history_range (&h, &range));
  ck_assert_ptr_null (arrival_history_get (&h, 0));
  arrival_history_reported (&h, 5);
  ck_assert (!arrival_history_range (&h, &range));
}
END_TEST

START_TEST (test_ranges_follow_each_other)
{
  arrival_history_init (&h, 0);
  arrive_all (10, 5);
  expect_range (10, 5);
  arrival_history_reported (&h, 5);
  ck_assert (!arrival_history_range (&h, &range));
  /* 15 and 16 are missing: they belong to the next range */
  arrive_all (17, 2);
  expect_range (15, 4);
  ck_assert_uint_eq (arrival (15)->at, CC_TIME_NONE);
  ck_assert_uint_eq (arrival (17)->at, 1000 * MS);
}
END_TEST

START_TEST (test_numbers_wrap)
{
  arrival_history_init (&h, 0);
  arrive_all (65534, 4);
  expect_range (65534, 4);
  ck_assert_uint_eq (range.begin + 3, h.highest);
  ck_assert_uint_eq (arrival (1)->at, 1003 * MS);
}
END_TEST

START_TEST (test_overlap)
{
  arrival_history_init (&h, 3);
  arrive_all (0, 2);
  expect_range (0, 2); /* nothing is reported from before the first one */
  arrival_history_reported (&h, 2);
  arrive_all (2, 8);
  expect_range (0, 10);
  arrival_history_reported (&h, 10);
  ck_assert (!arrival_history_range (&h, &range));
  arrive_all (10, 1);
  expect_range (7, 4);
}
END_TEST

START_TEST (test_a_late_packet_reopens_the_range)
{
  arrival_history_init (&h, 0);
  arrive_all (0, 3);
  arrive_all (5, 5);
  arrival_history_reported (&h, 10);
  ck_assert_int_eq (arrive (4, 2000 * MS), ARRIVAL_NEW);
  expect_range (4, 6);
  ck_assert (!arrival (4)->announced && arrival (5)->announced);
  /* and another one, earlier, while a part of it is in a report */
  ck_assert_int_eq (arrive (3, 2001 * MS), ARRIVAL_NEW);
  expect_range (3, 7);
  arrival_history_reported (&h, 7);
  ck_assert (!arrival_history_range (&h, &range));
}
END_TEST

/* Reordering at the very start: the range reaches back. */
START_TEST (test_a_packet_from_before_the_first)
{
  arrival_history_init (&h, 0);
  arrive (100, 1000 * MS);
  ck_assert_int_eq (arrive (98, 1001 * MS), ARRIVAL_NEW);
  expect_range (98, 3);
}
END_TEST

START_TEST (test_a_long_range_goes_in_parts)
{
  arrival_history_init (&h, 10);
  arrive_all (0, 30);
  arrival_history_reported (&h, 30);
  arrive_all (30, 10);
  expect_range (20, 20);
  /* less than the overlap is taken each time: it comes to an end all the same */
  for (unsigned i = 0; i < 4; i++) {
    expect_range ((uint16_t)(20 + 5 * i), 20 - 5 * i);
    arrival_history_reported (&h, 5);
  }
  ck_assert (!arrival_history_range (&h, &range));
}
END_TEST

START_TEST (test_late_while_a_part_is_due)
{
  arrival_history_init (&h, 0);
  arrive_all (0, 5);
  arrive_all (6, 14);
  arrival_history_reported (&h, 10);
  arrive (5, 3000 * MS);
  expect_range (10, 10);
  arrival_history_reported (&h, 10);
  expect_range (5, 15);
  arrival_history_reported (&h, 15);
  ck_assert (!arrival_history_range (&h, &range));
}
END_TEST

/* RFC 8888 3.1: the first copy's time, CE where any copy was. */
START_TEST (test_duplicates)
{
  arrival_history_init (&h, 0);
  arrival_history_on_packet (&h, 7, ARRIVAL_ECT_0, 1000 * MS);
  ck_assert_int_eq (arrival_history_on_packet (&h, 7, ARRIVAL_ECT_1, 1100 * MS), ARRIVAL_DUPLICATE);
  ck_assert_uint_eq (arrival (7)->at, 1000 * MS);
  ck_assert_uint_eq (arrival (7)->ecn, ARRIVAL_ECT_0);
  arrival_history_on_packet (&h, 7, ARRIVAL_CE, 1200 * MS);
  ck_assert_uint_eq (arrival (7)->ecn, ARRIVAL_CE);
  arrival_history_on_packet (&h, 7, ARRIVAL_ECT_0, 1300 * MS);
  ck_assert_uint_eq (arrival (7)->ecn, ARRIVAL_CE);
  ck_assert_uint_eq (h.duplicates, 3);
}
END_TEST

START_TEST (test_too_late)
{
  arrival_history_init (&h, 0);
  arrive_all (0, 2);
  ck_assert_int_eq (arrive (ARRIVAL_HISTORY_SLOTS + 1, 2000 * MS), ARRIVAL_NEW);
  ck_assert_int_eq (arrive (1, 2001 * MS), ARRIVAL_LATE);
  ck_assert_int_eq (arrive (2, 2001 * MS), ARRIVAL_NEW);
  ck_assert_uint_eq (h.too_late, 1);
  /* 0 and 1 fell out unreported */
  ck_assert_uint_eq (h.overrun, 2);
  expect_range (2, ARRIVAL_HISTORY_SLOTS);
}
END_TEST

START_TEST (test_nobody_asks_for_long)
{
  arrival_history_init (&h, 100);
  for (unsigned i = 0; i < 100000; i++)
    ck_assert_int_eq (arrive ((uint16_t)i, (1000 + i) * MS), ARRIVAL_NEW);
  expect_range ((uint16_t)(100000 - ARRIVAL_HISTORY_SLOTS), ARRIVAL_HISTORY_SLOTS);
  ck_assert_uint_eq (h.overrun, 100000 - ARRIVAL_HISTORY_SLOTS);
}
END_TEST

START_TEST (test_one_stray_packet_is_no_restart)
{
  arrival_history_init (&h, 0);
  arrive_all (1000, 10);
  ck_assert_int_eq (arrive (40000, 2000 * MS), ARRIVAL_JUMP);
  arrive_all (1010, 2);
  ck_assert_int_eq (arrive (40001, 2000 * MS), ARRIVAL_JUMP); /* not in a row */
  expect_range (1000, 12);
  ck_assert_uint_eq (h.jumps, 2);
  ck_assert_uint_eq (h.restarts, 0);
}
END_TEST

START_TEST (test_two_in_a_row_are_a_restart)
{
  arrival_history_init (&h, 0);
  arrive_all (1000, 10);
  ck_assert_int_eq (arrive (40000, 2000 * MS), ARRIVAL_JUMP);
  ck_assert_int_eq (arrive (40001, 2001 * MS), ARRIVAL_RESTART);
  expect_range (40001, 1);
  ck_assert_uint_eq (arrival (40001)->at, 2001 * MS);
  arrive_all (40002, 3);
  expect_range (40001, 4);
  ck_assert_uint_eq (h.restarts, 1);
}
END_TEST

/* As far as it is believed at once, either way. */
START_TEST (test_the_limit_of_jumps)
{
  arrival_history_init (&h, 0);
  arrive (10000, 1000 * MS);
  ck_assert_int_eq (arrive (10000 + ARRIVAL_HISTORY_MAX_JUMP, 1000 * MS), ARRIVAL_NEW);
  ck_assert_int_eq (arrive (10000 + 2 * ARRIVAL_HISTORY_MAX_JUMP + 1, 1000 * MS), ARRIVAL_JUMP);
  ck_assert_int_eq (arrive (10000, 1000 * MS), ARRIVAL_LATE);
  ck_assert_int_eq (arrive (9999, 1000 * MS), ARRIVAL_JUMP);
}
END_TEST

CC_TEST_MAIN ("arrivalhistory", test_nothing_yet, test_ranges_follow_each_other, test_numbers_wrap, test_overlap,
    test_a_late_packet_reopens_the_range, test_a_packet_from_before_the_first, test_a_long_range_goes_in_parts,
    test_late_while_a_part_is_due, test_duplicates, test_too_late, CC_TEST_LONG (test_nobody_asks_for_long),
    test_one_stray_packet_is_no_restart, test_two_in_a_row_are_a_restart, test_the_limit_of_jumps)
