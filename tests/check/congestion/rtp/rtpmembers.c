/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmemberstest.h"

#include <string.h>

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

/* 60 members in 64 places: two of the four others for candidates of either kind, whichever floods. */
START_TEST (each_kind_of_candidate_keeps_its_places)
{
  begin (64);
  for (uint32_t ssrc = 0; ssrc < 60; ssrc++)
    valid (ssrc, true, START);
  for (uint32_t ssrc = 100; ssrc < 110; ssrc++)
    rtp (ssrc, 0, START);
  ck_assert_uint_eq (table.lists[RTP_MEMBER_STATE_RTP].count, 4);
  for (uint32_t ssrc = 200; ssrc < 300; ssrc++)
    named (ssrc, START);
  ck_assert_uint_eq (table.lists[RTP_MEMBER_STATE_RTP].count, 2);
  for (uint32_t ssrc = 300; ssrc < 310; ssrc++)
    rtp (ssrc, 0, START);
  ck_assert_uint_le (table.lists[RTP_MEMBER_STATE_RTP].count, 4);
  check_count (60, 60);
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

CC_TEST_MAIN ("rtpmembers", two_packets_in_sequence_make_a_sender, so_many_in_sequence_as_asked_for,
    a_cname_twice_makes_a_receiver, a_member_becomes_a_sender_with_its_first_packet, a_csrc_becomes_a_member,
    the_caller_may_vouch_for_it, a_bye_is_final_for_two_seconds, a_bye_of_nobody_leaves_no_trace,
    a_bye_counts_from_the_members_own_address, another_address_is_ignored_until_the_first_is_silent,
    an_address_may_be_learnt_later, the_silent_go_when_they_are_due, a_candidate_goes_after_five_intervals,
    the_oldest_candidate_gives_way, each_kind_of_candidate_keeps_its_places, a_clock_that_goes_back_does_no_harm,
    CC_TEST_LONG (does_what_a_plain_list_would))
