/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmembersprivate.h"
#include "rtpmemberstest.h"

#include <string.h>

static uint64_t larger[LARGEST * RTP_MEMBERS_BYTES / 8];

/* A table full of members, 15 of 16 places, divided by them. */
START_TEST (a_member_costs_64_bytes)
{
  for (uint32_t capacity = 64; capacity <= LARGEST; capacity += 61) {
    uint32_t places = capacity - capacity / 16;
    begin (capacity);
    for (uint32_t i = 0; i < places; i++)
      ck_assert_int_eq (valid (i, true, START), RTP_MEMBER_NEW);
    check_count (places, places);
    ck_assert_uint_le (rtp_members_memory (capacity), (size_t)places * RTP_MEMBERS_BYTES);
    ck_assert_int_eq (valid (places, true, START), RTP_MEMBER_REFUSED);
    ck_assert_uint_eq (table.refused, 1);
  }
  ck_assert_uint_le (rtp_members_memory (1000000), 1000000 * RTP_MEMBERS_BYTES);
  ck_assert_uint_eq (rtp_members_memory (0), rtp_members_memory (RTP_MEMBERS_MIN));
  ck_assert_uint_eq (rtp_members_memory (UINT32_MAX), rtp_members_memory (RTP_MEMBERS_MAX));
}
END_TEST

static unsigned
longest_chain (void)
{
  unsigned longest = 0;

  for (uint32_t bucket = 0; bucket < table.capacity; bucket++) {
    unsigned length = 0;
    for (uint32_t i = table.buckets[bucket]; i != NOBODY; i = table.slots[i].next)
      length++;
    longest = length > longest ? length : longest;
  }
  return longest;
}

/* 3840 in 4096 buckets: a chain of ten or more somewhere has a probability of 4096 x 0.94^10 e^-0.94/10! = 2e-4. */
START_TEST (chosen_ssrcs_make_no_chains)
{
  static uint32_t chosen[64];
  unsigned n = 0;

  begin (4096);
  for (uint32_t i = 0; i < 3840; i++)
    valid (i << 20 | i >> 12, true, START);
  ck_assert_uint_lt (longest_chain (), 10);
  for (uint32_t ssrc = 0; n < 64; ssrc++)
    if ((members_hash (&table, ssrc) & UINT32_MAX) * 4096 >> 32 == 0)
      chosen[n++] = ssrc;
  begin (4096);
  for (unsigned i = 0; i < n; i++)
    valid (chosen[i], true, START);
  ck_assert_uint_eq (longest_chain (), 64);
  /* With another key they are strewn. */
  params.key[1]++;
  rtp_members_init (&table, &params, memory, 4096, START);
  for (unsigned i = 0; i < n; i++)
    valid (chosen[i], true, START);
  ck_assert_uint_lt (longest_chain (), 5);
}
END_TEST

START_TEST (grows_into_a_larger_memory)
{
  begin (64);
  for (uint32_t ssrc = 0; ssrc < 30; ssrc++)
    rtp_members_on_valid (&table, ssrc, ssrc % 3 == 0, 5, START + ssrc);
  ck_assert_uint_eq (rtp_members_wanted_capacity (&table), 0);
  valid (30, false, START + 30);
  valid (31, false, START + 31);
  /* 31 x 2 x 16/15 = 66.1 places */
  ck_assert_uint_eq (rtp_members_wanted_capacity (&table), 128);
  ck_assert (!rtp_members_grow (&table, larger, 64));
  ck_assert (rtp_members_grow (&table, larger, 128));
  memset (memory, 0xee, sizeof memory);
  check_count (32, 10);
  ck_assert_uint_eq (table.sweep, table.capacity);
  ck_assert_uint_eq (rtp_members_wanted_capacity (&table), 0);
  for (uint32_t ssrc = 0; ssrc < 30; ssrc++)
    ck_assert_int_eq (rtp_members_on_rtcp (&table, ssrc, true, 6, START + 31), RTP_MEMBER_CONFLICT);
  for (uint32_t ssrc = 100; ssrc < 172; ssrc++)
    ck_assert_int_eq (valid (ssrc, true, START + 31), RTP_MEMBER_NEW);
  check_count (104, 82);
  ck_assert_uint_eq (expire (START + 7 * T), 104);
}
END_TEST

START_TEST (asks_for_no_more_than_it_may)
{
  begin (64);
  params.max_capacity = 100;
  rtp_members_init (&table, &params, memory, 64, START);
  for (uint32_t ssrc = 0; ssrc < 60; ssrc++)
    valid (ssrc, true, START);
  ck_assert_uint_eq (rtp_members_wanted_capacity (&table), 100);
  ck_assert (rtp_members_grow (&table, larger, 100));
  for (uint32_t ssrc = 0; ssrc < 90; ssrc++)
    valid (ssrc, true, START);
  ck_assert_uint_eq (rtp_members_wanted_capacity (&table), 0);
}
END_TEST

/* 64 places for thousands: sound after every step, and members leave only for a reason that is counted. */
START_TEST (stays_sound_under_pressure)
{
  CcTime now = START;

  begin (64);
  for (unsigned step = 0; step < (unsigned)scaled (100000); step++) {
    uint32_t ssrc = chance (step % 20000 < 10000 ? 5000 : 80);
    now += chance (100) * CC_MSECOND;
    if (chance (4) == 0)
      rtp (ssrc, (uint16_t)chance (3), now);
    else if (chance (4) == 0)
      valid (ssrc, chance (8) == 0, now);
    else if (chance (20) == 0)
      rtp_members_on_bye (&table, ssrc, 0, now);
    else
      named (ssrc, now);
    if (chance (4) == 0)
      expire (now);
    ck_assert (rtp_members_is_sound (&table));
    ck_assert_uint_eq (table.joins, rtp_members_in_table (&table) + table.byes + table.timeouts + table.sampled_out);
  }
  ck_assert_uint_gt (table.sampled_out, 20);
  ck_assert_uint_gt (table.evicted, 400);
}
END_TEST

CC_TEST_MAIN ("rtpmembersplaces", CC_TEST_LONG (a_member_costs_64_bytes), chosen_ssrcs_make_no_chains,
    grows_into_a_larger_memory, asks_for_no_more_than_it_may, stays_sound_under_pressure)
