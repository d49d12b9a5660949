/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmembersprivate.h"
#include "rtpmemberstest.h"

#include <math.h>

#define REAL 100
#define FLOOD 1000000

/* 100 members, ten of which send, among 1e6 invented SSRCs in 10 s; half of those come by RTCP with a CNAME. */
static CcTime
flood (void)
{
  CcTime now = START;

  for (uint32_t i = 0; i < REAL; i++)
    valid (i, i < 10, START);
  for (uint32_t i = 0; i < FLOOD; i++, now += 10 * CC_USECOND) {
    uint32_t invented = 0x10000000 + i * 2654435761u % 0xe0000000;
    HOLDS ((i % 2 ? rtp (invented, (uint16_t)i, now) : named (invented, now)) != RTP_MEMBER_NEW);
    if (i % 1000 == 0)
      rtp (i / 1000 % 10, (uint16_t)i, now);
    if (i % 5000 == 0)
      named (i / 5000 % REAL, now);
    if (rtp_members_next_timeout (&table) <= now)
      HOLDS (expire (now) == 0);
    HOLDS (rtp_members_members (&table) == REAL);
  }
  return now;
}

START_TEST (a_flood_of_candidates_displaces_nobody)
{
  CcTime now;

  begin (256);
  now = flood ();
  check_count (REAL, 10);
  for (uint32_t i = 0; i < REAL; i++)
    ck_assert_int_eq (rtp_members_state (&table, i), RTP_MEMBER_STATE_VALID);
  ck_assert_uint_eq (table.capacity, 256);
  ck_assert_uint_eq (rtp_members_wanted_capacity (&table), 0);
  ck_assert_uint_gt (table.evicted, FLOOD / 4);
  ck_assert_uint_eq (table.sampled_out, 0);
  /* When it is over the mask opens again, and a newcomer is heard: 5 T until the invented are gone, 3 T to settle. */
  for (unsigned i = 0; i < 10; i++) {
    now += T;
    for (uint32_t ssrc = 0; ssrc < REAL; ssrc++)
      rtp_members_on_valid (&table, ssrc, ssrc < 10, 0, now);
    expire (now);
  }
  ck_assert_uint_eq (rtp_members_sampled_bits (&table), 0);
  ck_assert_int_eq (named (1000, now), RTP_MEMBER_CANDIDATE);
  ck_assert_int_eq (named (1000, now), RTP_MEMBER_NEW);
  check_count (REAL + 1, 10);
}
END_TEST

#define GROUP 100000

/* Multiples of 2^12 and runs, as of those who do not choose by chance. */
static uint32_t
ssrc_of (uint32_t i)
{
  return i % 2 ? i << 12 : i;
}

/* Everybody of the group reports once; G - 4 sd <= members () <= G + 4 sd throughout where checked. */
static CcTime
one_round (uint32_t size, CcTime now, double sd)
{
  CcTime begin_at = now;

  for (uint32_t i = 0; i < size; i++) {
    now = begin_at + (CcTime)i * T / size;
    named (ssrc_of (i), now);
    if (rtp_members_next_timeout (&table) <= now)
      expire (now);
    if (sd > 0)
      HOLDS (fabs ((double)rtp_members_members (&table) - size) <= 4 * sd);
  }
  return begin_at + T;
}

/* Binomial: each of G is in the sample with p = 2^-m; var (N/p) = G (1 - p)/p = G (2^m - 1) (RFC 2762 2.1). */
static double
deviation (uint32_t size, unsigned bits)
{
  return sqrt (size * ((double)(1u << bits) - 1));
}

static void
check_estimate (uint32_t size)
{
  double sd = deviation (size, rtp_members_sampled_bits (&table));

  ck_assert_double_le (fabs ((double)rtp_members_members (&table) - size), 4 * sd);
  ck_assert (rtp_members_is_sound (&table));
}

/* 4096 places, 3840 of them for members: 100000/3840 = 26, so 5 bits; 6 where candidates arrive close together. */
START_TEST (a_large_group_is_sampled)
{
  CcTime now = START;

  begin (4096);
  for (int i = 0; i < 3; i++)
    now = one_round (GROUP, now, 0);
  ck_assert_uint_ge (rtp_members_sampled_bits (&table), 5);
  ck_assert_uint_le (rtp_members_sampled_bits (&table), 6);
  check_estimate (GROUP);
  one_round (GROUP, now, deviation (GROUP, 6));
  ck_assert_uint_le (rtp_members_in_table (&table), 3840);
}
END_TEST

/* Twenty keys: the mean of the estimates within 4 sd/sqrt (20), so there is no bias. */
START_TEST (the_estimate_has_no_bias)
{
  double sum = 0, variance = 0;

  for (unsigned run = 0; run < 20; run++) {
    CcTime now = START;
    begin (1024);
    params.key[0] += run;
    rtp_members_init (&table, &params, memory, 1024, START);
    for (int i = 0; i < 3; i++)
      now = one_round (20000, now, 0);
    sum += rtp_members_members (&table) / 20.;
    variance += pow (deviation (20000, rtp_members_sampled_bits (&table)) / 20, 2);
  }
  ck_assert_double_le (fabs (sum - 20000), 4 * sqrt (variance));
}
END_TEST

/* All but some say BYE; the mask follows, the size is not underestimated on the way, and at last it is exact. */
START_TEST (the_mask_shrinks_with_the_group)
{
  CcTime now = START;
  unsigned bits;

  begin (4096);
  for (int i = 0; i < 3; i++)
    now = one_round (GROUP, now, 0);
  bits = rtp_members_sampled_bits (&table);
  for (uint32_t i = 2000; i < GROUP; i++)
    rtp_members_on_bye (&table, ssrc_of (i), 0, now);
  check_estimate (2000);
  for (int i = 0; i < 8; i++)
    now = one_round (2000, now, deviation (2000, bits));
  /* 2000 2^-b <= 3840/2: b = 1 */
  ck_assert_uint_eq (rtp_members_sampled_bits (&table), 1);
  check_estimate (2000);
  for (uint32_t i = 1000; i < 2000; i++)
    rtp_members_on_bye (&table, ssrc_of (i), 0, now);
  for (int i = 0; i < 5; i++)
    now = one_round (1000, now, deviation (1000, 1));
  ck_assert_uint_eq (rtp_members_sampled_bits (&table), 0);
  ck_assert_uint_eq (rtp_members_members (&table), 1000);
}
END_TEST

/* Between half of the places and all of them the mask stays: no to and fro. */
START_TEST (the_mask_has_hysteresis)
{
  CcTime now = START;
  unsigned bits;

  begin (1024);
  for (int i = 0; i < 4; i++)
    now = one_round (10000, now, 0);
  bits = rtp_members_sampled_bits (&table);
  for (int i = 0; i < 40; i++) {
    now = one_round (i % 2 ? 9000 : 10000, now, 0);
    ck_assert_uint_eq (rtp_members_sampled_bits (&table), bits);
  }
}
END_TEST

START_TEST (senders_are_never_sampled_away)
{
  begin (256);
  for (uint32_t i = 0; i < 50; i++)
    valid (i, true, START);
  for (uint32_t i = 0; i < 20000; i++)
    valid (1000 + i, false, START + i);
  ck_assert_uint_eq (rtp_members_senders (&table), 50);
  ck_assert_uint_ge (rtp_members_sampled_bits (&table), 7);
  check_estimate (20050);
  ck_assert_uint_eq ((rtp_members_members (&table) - 50) % (1u << rtp_members_sampled_bits (&table)), 0);
  for (uint32_t i = 0; i < 50; i++)
    ck_assert (rtp_members_is_sender (&table, i));
  /* One that was left out of the sample begins to send, and ends. */
  for (uint32_t i = 0; i < 20000; i++)
    if (rtp_members_state (&table, 1000 + i) == RTP_MEMBER_STATE_FREE) {
      rtp (1000 + i, 1, START + T);
      ck_assert_int_eq (rtp (1000 + i, 2, START + T), RTP_MEMBER_NEW);
      ck_assert_uint_eq (rtp_members_senders (&table), 51);
      expire (START + 3 * T);
      ck_assert_int_eq (rtp_members_state (&table, 1000 + i), RTP_MEMBER_STATE_FREE);
      break;
    }
  ck_assert_uint_eq (rtp_members_senders (&table), 0);
  ck_assert (rtp_members_is_sound (&table));
}
END_TEST

/* While its second packet is taken in the table makes room, and it is none of the sample. */
START_TEST (a_candidate_becomes_a_sender_in_a_full_table)
{
  uint32_t ssrc = 0;

  begin (64);
  while (members_level (members_hash (&table, ssrc)) > 0)
    ssrc++;
  named (ssrc, START);
  for (uint32_t i = 0; i < 60; i++)
    valid (1000 + i, false, START);
  ck_assert_uint_eq (rtp_members_in_table (&table), 60);
  rtp (ssrc, 1, START);
  ck_assert_int_eq (rtp (ssrc, 2, START), RTP_MEMBER_NEW);
  ck_assert_uint_eq (rtp_members_sampled_bits (&table), 1);
  ck_assert (rtp_members_is_sender (&table, ssrc));
  ck_assert (rtp_members_is_sound (&table));
}
END_TEST

/* 100 a second, each heard once: 1500 within three intervals, 256 places, so three bits, and no to and fro. */
START_TEST (the_mask_stays_while_candidates_come)
{
  CcTime now = START;

  begin (256);
  for (uint32_t i = 0; i < 20000; i++, now += 10 * CC_MSECOND) {
    named (0x1000000 + i, now);
    if (rtp_members_next_timeout (&table) <= now)
      expire (now);
    if (i > 2000)
      HOLDS (table.admitted_bits >= 2 && table.admitted_bits <= 4);
  }
  check_count (0, 0);
}
END_TEST

/* Those in the table are there, whatever the sample says: here none of those who stay was in it. */
START_TEST (counts_no_fewer_than_it_knows)
{
  CcTime now = START;
  uint32_t stay[20], n = 0;

  begin (4096);
  for (int i = 0; i < 3; i++)
    now = one_round (GROUP, now, 0);
  for (uint32_t i = 0; i < GROUP; i++)
    if (n < 20 && rtp_members_state (&table, ssrc_of (i)) == RTP_MEMBER_STATE_FREE)
      stay[n++] = ssrc_of (i);
    else
      rtp_members_on_bye (&table, ssrc_of (i), 0, now);
  ck_assert_uint_eq (rtp_members_members (&table), 0);
  expire (now + 2 * CC_SECOND);
  now += 4 * T;
  expire (now);
  for (int i = 0; i < 40; i++)
    named (stay[i % 20], now);
  ck_assert_uint_gt (rtp_members_sampled_bits (&table), 0);
  ck_assert_uint_eq (rtp_members_members (&table), 20);
}
END_TEST

CC_TEST_MAIN ("rtpmemberssample", CC_TEST_LONG (a_flood_of_candidates_displaces_nobody), a_large_group_is_sampled,
    CC_TEST_LONG (the_estimate_has_no_bias), the_mask_shrinks_with_the_group, the_mask_has_hysteresis,
    senders_are_never_sampled_away, a_candidate_becomes_a_sender_in_a_full_table, the_mask_stays_while_candidates_come,
    counts_no_fewer_than_it_knows)
