/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmembers.h"
#include "ccrandom.h"
#include "cctest.h"

#include <math.h>
#include <string.h>

#define START (1000 * CC_SECOND)
#define T (5 * CC_SECOND) /* report interval: the default member_timeout is 5 T, sender_timeout 2 T */
#define LARGEST 8192

static uint64_t memory[LARGEST * RTP_MEMBERS_BYTES / 8], larger[LARGEST * RTP_MEMBERS_BYTES / 8];
static RtpMembers table;
static RtpMembersParams params;
static CcPcg32 pcg;
static CcRandom source;

static void
begin (uint32_t capacity)
{
  rtp_members_params_init (&params);
  params.key[0] = 0x0123456789abcdef;
  params.key[1] = 0xfedcba9876543210;
  ck_assert_uint_le (rtp_members_memory (capacity), sizeof memory);
  rtp_members_init (&table, &params, memory, capacity, START);
  source = cc_pcg32_init (&pcg, 7);
}

/* In long loops: an assertion of the test library costs a system call. */
#define HOLDS(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      ck_abort_msg ("%s", #condition);                                                                                 \
  } while (0)

static uint32_t
chance (uint32_t below)
{
  return source.next (source.user) % below;
}

static RtpMemberVerdict
rtp (uint32_t ssrc, uint16_t seq, CcTime now)
{
  return rtp_members_on_rtp (&table, ssrc, seq, 0, now);
}

static RtpMemberVerdict
named (uint32_t ssrc, CcTime now)
{
  return rtp_members_on_rtcp (&table, ssrc, true, 0, now);
}

static RtpMemberVerdict
valid (uint32_t ssrc, bool sends, CcTime now)
{
  return rtp_members_on_valid (&table, ssrc, sends, 0, now);
}

static unsigned
expire (CcTime now)
{
  unsigned events = 0;

  while (rtp_members_expire (&table, now, NULL) != RTP_MEMBER_EVENT_NONE)
    events++;
  return events;
}

static void
check_count (uint32_t members, uint32_t senders)
{
  ck_assert_uint_eq (rtp_members_members (&table), members);
  ck_assert_uint_eq (rtp_members_senders (&table), senders);
  ck_assert (rtp_members_is_sound (&table));
}

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

/* RFC 3550 A.1 with MIN_SEQUENTIAL 2 */
START_TEST (two_packets_in_sequence_make_a_sender)
{
  begin (64);
  ck_assert_int_eq (rtp (1, 5, START), RTP_MEMBER_CANDIDATE);
  ck_assert_int_eq (rtp (1, 5, START), RTP_MEMBER_CANDIDATE);
  ck_assert_int_eq (rtp (1, 7, START), RTP_MEMBER_CANDIDATE);
  ck_assert_int_eq (rtp (1, 6, START), RTP_MEMBER_CANDIDATE);
  check_count (0, 0);
  ck_assert_int_eq (rtp (1, 65535, START), RTP_MEMBER_CANDIDATE);
  ck_assert_int_eq (rtp (1, 0, START), RTP_MEMBER_NEW);
  check_count (1, 1);
  ck_assert_int_eq (rtp (1, 100, START), RTP_MEMBER_KNOWN);
  ck_assert_int_eq (rtp_members_on_rtcp (&table, 1, false, 0, START), RTP_MEMBER_KNOWN);
  ck_assert_uint_eq (table.joins, 1);
}
END_TEST

START_TEST (so_many_in_sequence_as_asked_for)
{
  begin (64);
  params.min_sequential = 4;
  rtp_members_init (&table, &params, memory, 64, START);
  for (uint16_t seq = 0; seq < 3; seq++)
    ck_assert_int_eq (rtp (1, seq, START), RTP_MEMBER_CANDIDATE);
  ck_assert_int_eq (rtp (1, 3, START), RTP_MEMBER_NEW);
  params.min_sequential = 0;
  rtp_members_init (&table, &params, memory, 64, START);
  ck_assert_int_eq (rtp (1, 0, START), RTP_MEMBER_NEW);
}
END_TEST

/* RFC 3550 6.2.1, but twice: a single packet is forged too easily. */
START_TEST (a_cname_twice_makes_a_receiver)
{
  begin (64);
  ck_assert_int_eq (named (1, START), RTP_MEMBER_CANDIDATE);
  for (int i = 0; i < 5; i++)
    ck_assert_int_eq (rtp_members_on_rtcp (&table, 1, false, 0, START), RTP_MEMBER_CANDIDATE);
  check_count (0, 0);
  ck_assert_int_eq (named (1, START + T), RTP_MEMBER_NEW);
  ck_assert_int_eq (named (1, START + T), RTP_MEMBER_KNOWN);
  check_count (1, 0);
  params.min_named = 1;
  rtp_members_init (&table, &params, memory, 64, START);
  ck_assert_int_eq (named (1, START), RTP_MEMBER_NEW);
}
END_TEST

/* RFC 3550 6.3.3 */
START_TEST (a_member_becomes_a_sender_with_its_first_packet)
{
  begin (64);
  named (1, START);
  named (1, START);
  ck_assert_int_eq (rtp (1, 77, START), RTP_MEMBER_BECAME_SENDER);
  ck_assert_int_eq (rtp (1, 70, START), RTP_MEMBER_KNOWN);
  check_count (1, 1);
  ck_assert (rtp_members_is_sender (&table, 1));
}
END_TEST

/* RFC 3550 6.3.3: the same for each CSRC; it receives as far as we know. */
START_TEST (a_csrc_becomes_a_member)
{
  begin (64);
  ck_assert_int_eq (rtp_members_on_csrc (&table, 9, 3, START), RTP_MEMBER_CANDIDATE);
  ck_assert_int_eq (rtp_members_on_csrc (&table, 9, 3, START), RTP_MEMBER_NEW);
  ck_assert_int_eq (rtp_members_on_csrc (&table, 9, 3, START), RTP_MEMBER_KNOWN);
  ck_assert_int_eq (rtp_members_on_csrc (&table, 9, 4, START), RTP_MEMBER_CONFLICT);
  check_count (1, 0);
}
END_TEST

START_TEST (the_caller_may_vouch_for_it)
{
  begin (64);
  ck_assert_int_eq (valid (1, false, START), RTP_MEMBER_NEW);
  check_count (1, 0);
  ck_assert_int_eq (valid (1, false, START), RTP_MEMBER_KNOWN);
  ck_assert_int_eq (valid (1, true, START), RTP_MEMBER_BECAME_SENDER);
  ck_assert_int_eq (valid (1, true, START), RTP_MEMBER_KNOWN);
  named (2, START);
  ck_assert_int_eq (valid (2, true, START), RTP_MEMBER_NEW);
  check_count (2, 2);
}
END_TEST

/* RFC 3550 6.3.4, and 6.2.1: packets that a BYE overtook make no new member. */
START_TEST (a_bye_is_final_for_two_seconds)
{
  CcTime bye = START + CC_SECOND;

  begin (64);
  valid (1, true, START);
  ck_assert_int_eq (rtp_members_on_bye (&table, 1, 0, bye), RTP_MEMBER_LEFT);
  check_count (0, 0);
  ck_assert_int_eq (rtp (1, 1, bye), RTP_MEMBER_STRAGGLER);
  ck_assert_int_eq (named (1, bye), RTP_MEMBER_STRAGGLER);
  ck_assert_int_eq (valid (1, true, bye), RTP_MEMBER_STRAGGLER);
  ck_assert_int_eq (rtp_members_on_bye (&table, 1, 0, bye), RTP_MEMBER_STRAGGLER);
  ck_assert_uint_eq (rtp_members_next_timeout (&table), bye + 2 * CC_SECOND);
  ck_assert_uint_eq (expire (bye + 2 * CC_SECOND - 1), 0);
  ck_assert_int_eq (rtp_members_state (&table, 1), RTP_MEMBER_STATE_LEFT);
  ck_assert_uint_eq (expire (bye + 2 * CC_SECOND), 0);
  ck_assert_int_eq (rtp (1, 1, bye + 2 * CC_SECOND), RTP_MEMBER_CANDIDATE);
  ck_assert_uint_eq (table.byes, 1);
  ck_assert_uint_eq (table.stragglers, 4);
}
END_TEST

START_TEST (a_bye_of_nobody_leaves_no_trace)
{
  begin (64);
  ck_assert_int_eq (rtp_members_on_bye (&table, 1, 0, START), RTP_MEMBER_UNKNOWN);
  named (2, START);
  ck_assert_int_eq (rtp_members_on_bye (&table, 2, 0, START), RTP_MEMBER_UNKNOWN);
  ck_assert_int_eq (rtp_members_state (&table, 2), RTP_MEMBER_STATE_FREE);
  ck_assert_uint_eq (table.byes, 0);
  check_count (0, 0);
}
END_TEST

START_TEST (a_bye_counts_from_the_members_own_address)
{
  begin (64);
  rtp_members_on_valid (&table, 1, false, 10, START);
  ck_assert_int_eq (rtp_members_on_bye (&table, 1, 11, START), RTP_MEMBER_CONFLICT);
  check_count (1, 0);
  ck_assert_int_eq (rtp_members_on_bye (&table, 1, 10, START), RTP_MEMBER_LEFT);
}
END_TEST

/* RFC 3550 8.2: the first address stays, and what comes from the other keeps nothing alive. */
START_TEST (another_address_is_ignored_until_the_first_is_silent)
{
  CcTime last = START + 3 * T, now = last + 4 * T;

  begin (64);
  rtp_members_on_valid (&table, 1, true, 10, START);
  ck_assert_int_eq (rtp_members_on_rtp (&table, 1, 1, 11, START), RTP_MEMBER_CONFLICT);
  ck_assert_int_eq (rtp_members_on_rtcp (&table, 1, true, 10, last), RTP_MEMBER_KNOWN);
  ck_assert_uint_eq (expire (now), 1); /* no sender any more: 11's packets did not count */
  ck_assert_int_eq (rtp_members_on_rtp (&table, 1, 1, 11, now), RTP_MEMBER_CONFLICT);
  ck_assert_uint_eq (expire (last + 5 * T - 1), 0);
  ck_assert_uint_eq (expire (last + 5 * T), 1);
  ck_assert_int_eq (rtp_members_on_rtp (&table, 1, 1, 11, last + 5 * T), RTP_MEMBER_CANDIDATE);
  ck_assert_int_eq (rtp_members_on_rtp (&table, 1, 2, 11, last + 5 * T), RTP_MEMBER_NEW);
  ck_assert_uint_eq (table.conflicts, 2);
}
END_TEST

START_TEST (an_address_may_be_learnt_later)
{
  begin (64);
  valid (1, false, START);
  ck_assert_int_eq (rtp_members_on_rtcp (&table, 1, true, 10, START), RTP_MEMBER_KNOWN);
  ck_assert_int_eq (rtp_members_on_rtcp (&table, 1, true, 11, START), RTP_MEMBER_CONFLICT);
  ck_assert_int_eq (named (1, START), RTP_MEMBER_KNOWN);
}
END_TEST

/* RFC 3550 6.3.5: a sender after 2 T without RTP, a member after 5 T without anything. */
START_TEST (the_silent_go_when_they_are_due)
{
  uint32_t ssrc = 0;

  begin (64);
  valid (1, true, START);
  valid (2, false, START + 1);
  named (1, START + 2);
  ck_assert_uint_eq (rtp_members_next_timeout (&table), START + 2 * T);
  ck_assert_int_eq (rtp_members_expire (&table, START + 2 * T - 1, &ssrc), RTP_MEMBER_EVENT_NONE);
  ck_assert_int_eq (rtp_members_expire (&table, START + 2 * T, &ssrc), RTP_MEMBER_EVENT_SENDER_ENDED);
  ck_assert_uint_eq (ssrc, 1);
  check_count (2, 0);
  ck_assert_uint_eq (rtp_members_next_timeout (&table), START + 1 + 5 * T);
  ck_assert_int_eq (rtp_members_expire (&table, START + 1 + 5 * T, &ssrc), RTP_MEMBER_EVENT_TIMED_OUT);
  ck_assert_uint_eq (ssrc, 2);
  ck_assert_int_eq (rtp_members_expire (&table, START + 1 + 5 * T, &ssrc), RTP_MEMBER_EVENT_NONE);
  ck_assert_int_eq (rtp_members_expire (&table, START + 2 + 5 * T, &ssrc), RTP_MEMBER_EVENT_TIMED_OUT);
  ck_assert_uint_eq (ssrc, 1);
  check_count (0, 0);
  ck_assert_uint_eq (rtp_members_next_timeout (&table), CC_TIME_NONE);
  ck_assert_uint_eq (table.timeouts, 2);
  ck_assert_uint_eq (table.sender_timeouts, 1);
}
END_TEST

/* RFC 3550 6.2.1: five intervals are RECOMMENDED before one not yet valid is deleted. */
START_TEST (a_candidate_goes_after_five_intervals)
{
  begin (64);
  named (1, START);
  rtp (2, 0, START + T);
  ck_assert_uint_eq (rtp_members_next_timeout (&table), START + 5 * T);
  expire (START + 5 * T - 1);
  ck_assert_int_eq (rtp_members_state (&table, 1), RTP_MEMBER_STATE_RTCP);
  expire (START + 5 * T);
  ck_assert_int_eq (rtp_members_state (&table, 1), RTP_MEMBER_STATE_FREE);
  ck_assert_int_eq (rtp_members_state (&table, 2), RTP_MEMBER_STATE_RTP);
  ck_assert_uint_eq (table.timeouts, 0);
}
END_TEST

/* An eighth of the places for those heard by RTP. */
START_TEST (the_oldest_candidate_gives_way)
{
  begin (64);
  for (uint32_t ssrc = 0; ssrc < 9; ssrc++)
    rtp (ssrc, 0, START);
  ck_assert_int_eq (rtp_members_state (&table, 0), RTP_MEMBER_STATE_FREE);
  for (uint32_t ssrc = 1; ssrc < 9; ssrc++)
    ck_assert_int_eq (rtp_members_state (&table, ssrc), RTP_MEMBER_STATE_RTP);
  ck_assert_uint_eq (table.evicted, 1);
  ck_assert_uint_eq (rtp_members_sampled_bits (&table), 0);
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

START_TEST (a_clock_that_goes_back_does_no_harm)
{
  begin (64);
  valid (1, true, START + T);
  valid (2, true, START);
  named (3, 0);
  named (4, CC_TIME_NONE);
  check_count (2, 2);
  ck_assert_uint_eq (rtp_members_next_timeout (&table), START + 3 * T);
}
END_TEST

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

/* What the table should do where nothing presses: no lists, no index, no sample. */
#define MODELLED 200

typedef struct {
  RtpMemberState state;
  CcTime heard, last_rtp;
  uint64_t address;
  unsigned run, named;
  uint16_t next_seq;
} Modelled;

static Modelled model[MODELLED];

static RtpMemberVerdict
model_examine (Modelled *e, RtpMemberState as, uint64_t address, CcTime now)
{
  if (e->state == RTP_MEMBER_STATE_LEFT)
    return RTP_MEMBER_STRAGGLER;
  if (e->state == RTP_MEMBER_STATE_FREE)
    *e = (Modelled){.state = as, .last_rtp = CC_TIME_NONE};
  if (e->address != 0 && address != 0 && address != e->address)
    return RTP_MEMBER_CONFLICT;
  e->address = e->address != 0 ? e->address : address;
  e->heard = now;
  return e->state == RTP_MEMBER_STATE_VALID ? RTP_MEMBER_KNOWN : RTP_MEMBER_CANDIDATE;
}

static RtpMemberVerdict
model_rtp (Modelled *e, uint16_t seq, uint64_t address, CcTime now)
{
  RtpMemberVerdict verdict = model_examine (e, RTP_MEMBER_STATE_RTP, address, now);

  if (verdict == RTP_MEMBER_KNOWN) {
    verdict = e->last_rtp == CC_TIME_NONE ? RTP_MEMBER_BECAME_SENDER : RTP_MEMBER_KNOWN;
    e->last_rtp = now;
  }
  if (verdict != RTP_MEMBER_CANDIDATE)
    return verdict;
  e->run = e->run > 0 && seq == e->next_seq ? e->run + 1 : 1;
  e->next_seq = (uint16_t)(seq + 1);
  if (e->run < 2)
    return verdict;
  e->state = RTP_MEMBER_STATE_VALID;
  e->last_rtp = now;
  return RTP_MEMBER_NEW;
}

static RtpMemberVerdict
model_rtcp (Modelled *e, bool has_name, bool is_csrc, uint64_t address, CcTime now)
{
  RtpMemberVerdict verdict = model_examine (e, RTP_MEMBER_STATE_RTCP, address, now);

  if (verdict != RTP_MEMBER_CANDIDATE)
    return verdict;
  e->named += has_name;
  e->run += is_csrc;
  if (e->named < 2 && (!is_csrc || e->run < 2))
    return verdict;
  e->state = RTP_MEMBER_STATE_VALID;
  return RTP_MEMBER_NEW;
}

static RtpMemberVerdict
model_valid (Modelled *e, bool sends, uint64_t address, CcTime now)
{
  RtpMemberVerdict verdict = model_examine (e, RTP_MEMBER_STATE_RTCP, address, now);

  if (verdict == RTP_MEMBER_CANDIDATE)
    verdict = RTP_MEMBER_NEW;
  else if (verdict == RTP_MEMBER_KNOWN && sends && e->last_rtp == CC_TIME_NONE)
    verdict = RTP_MEMBER_BECAME_SENDER;
  else if (verdict != RTP_MEMBER_KNOWN)
    return verdict;
  e->state = RTP_MEMBER_STATE_VALID;
  if (sends)
    e->last_rtp = now;
  return verdict;
}

static RtpMemberVerdict
model_bye (Modelled *e, uint64_t address, CcTime now)
{
  bool known = e->state != RTP_MEMBER_STATE_FREE;
  RtpMemberVerdict verdict = model_examine (e, RTP_MEMBER_STATE_RTCP, address, now);

  if (verdict == RTP_MEMBER_KNOWN) {
    e->state = RTP_MEMBER_STATE_LEFT;
    return RTP_MEMBER_LEFT;
  }
  if (verdict != RTP_MEMBER_CANDIDATE)
    return verdict;
  ck_assert (known || e->run == 0);
  e->state = RTP_MEMBER_STATE_FREE;
  return RTP_MEMBER_UNKNOWN;
}

static CcDuration
model_span (const Modelled *e)
{
  return e->state == RTP_MEMBER_STATE_LEFT ? 2 * CC_SECOND : 5 * T;
}

static unsigned
model_expire (CcTime now)
{
  unsigned events = 0;

  for (Modelled *e = model; e < model + MODELLED; e++) {
    if (e->state == RTP_MEMBER_STATE_FREE)
      continue;
    if (now - e->heard >= model_span (e)) {
      events += e->state == RTP_MEMBER_STATE_VALID;
      e->state = RTP_MEMBER_STATE_FREE;
    } else if (e->state == RTP_MEMBER_STATE_VALID && e->last_rtp != CC_TIME_NONE && now - e->last_rtp >= 2 * T) {
      events++;
      e->last_rtp = CC_TIME_NONE;
    }
  }
  return events;
}

static void
check_against_model (void)
{
  uint32_t members = 0, senders = 0;
  CcTime at = CC_TIME_NONE;

  for (uint32_t i = 0; i < MODELLED; i++) {
    const Modelled *e = &model[i];
    bool is_valid = e->state == RTP_MEMBER_STATE_VALID;
    HOLDS (rtp_members_state (&table, i) == e->state);
    members += is_valid;
    senders += is_valid && e->last_rtp != CC_TIME_NONE;
    if (e->state != RTP_MEMBER_STATE_FREE)
      at = cc_time_min (at, e->heard + model_span (e));
    if (is_valid && e->last_rtp != CC_TIME_NONE)
      at = cc_time_min (at, e->last_rtp + 2 * T);
  }
  check_count (members, senders);
  ck_assert_uint_eq (rtp_members_next_timeout (&table), at);
}

static void
one_random_step (CcTime now)
{
  uint32_t i = chance (MODELLED);
  uint16_t seq = (uint16_t)chance (3);
  uint64_t address = chance (20) ? i % 5 : 7;
  bool has_name = chance (2), sending = chance (2);

  switch (chance (16)) {
  case 0:
    HOLDS (rtp_members_on_bye (&table, i, address, now) == model_bye (&model[i], address, now));
    break;
  case 1:
    HOLDS (rtp_members_on_csrc (&table, i, address, now) == model_rtcp (&model[i], false, true, address, now));
    break;
  case 2:
    HOLDS (rtp_members_on_valid (&table, i, sending, address, now) == model_valid (&model[i], sending, address, now));
    break;
  case 3:
    HOLDS (expire (now) == model_expire (now));
    break;
  case 4:
  case 5:
  case 6:
  case 7:
    HOLDS (rtp_members_on_rtcp (&table, i, has_name, address, now) ==
           model_rtcp (&model[i], has_name, false, address, now));
    break;
  default:
    HOLDS (rtp_members_on_rtp (&table, i, seq, address, now) == model_rtp (&model[i], seq, address, now));
  }
}

START_TEST (does_what_a_plain_list_would)
{
  CcTime now = START;

  begin (4096);
  memset (model, 0, sizeof model);
  for (unsigned step = 0; step < 100000; step++) {
    now += chance (8) ? chance (50) * CC_MSECOND : chance (2000) ? 0 : chance (60) * CC_SECOND;
    one_random_step (now);
    if (step % 8 == 0)
      check_against_model ();
  }
}
END_TEST

/* 64 places for thousands: sound after every step, and members leave only for a reason that is counted. */
START_TEST (stays_sound_under_pressure)
{
  CcTime now = START;

  begin (64);
  for (unsigned step = 0; step < 100000; step++) {
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
  ck_assert_uint_gt (table.sampled_out, 100);
  ck_assert_uint_gt (table.evicted, 1000);
}
END_TEST

CC_TEST_MAIN ("rtpmembers", a_member_costs_64_bytes, two_packets_in_sequence_make_a_sender,
    so_many_in_sequence_as_asked_for, a_cname_twice_makes_a_receiver, a_member_becomes_a_sender_with_its_first_packet,
    a_csrc_becomes_a_member, the_caller_may_vouch_for_it, a_bye_is_final_for_two_seconds,
    a_bye_of_nobody_leaves_no_trace, a_bye_counts_from_the_members_own_address,
    another_address_is_ignored_until_the_first_is_silent, an_address_may_be_learnt_later,
    the_silent_go_when_they_are_due, a_candidate_goes_after_five_intervals, the_oldest_candidate_gives_way,
    grows_into_a_larger_memory, asks_for_no_more_than_it_may, a_clock_that_goes_back_does_no_harm,
    a_flood_of_candidates_displaces_nobody, a_large_group_is_sampled, the_estimate_has_no_bias,
    the_mask_shrinks_with_the_group, the_mask_has_hysteresis, senders_are_never_sampled_away,
    does_what_a_plain_list_would, stays_sound_under_pressure)
