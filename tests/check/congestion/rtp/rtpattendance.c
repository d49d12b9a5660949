/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpattendance.h"
#include "cctest.h"

#include <stdlib.h>
#include <string.h>

#define START (1000 * CC_SECOND)
#define GAP (20 * CC_MSECOND)

static const RtpAddress peer = {.family = RTP_ADDRESS_IPV4, .bytes = {10, 0, 0, 1}, .port = 1};
static const RtpAddress other = {.family = RTP_ADDRESS_IPV4, .bytes = {10, 0, 0, 2}, .port = 1};
static RtpAttendance a;
static RtpLocals locals;
static unsigned told[RTP_EVENTS];
static CcPcg32 pcg;
static CcTime now;

static void *
get (void *user, size_t size)
{
  return malloc (size);
}

static void
put (void *user, void *memory)
{
  free (memory);
}

static void
tell (void *user, const RtpEvent *event)
{
  told[event->type]++;
}

static void
begin (RtpSessionKind kind)
{
  RtpAttendanceParams params = {.kind = kind, .max_members = 65536};
  CcMemory memory = {get, put, NULL};
  CcRandom secrets = cc_pcg32_init (&pcg, 1);
  RtpEvents events = {.tell = tell};

  memset (told, 0, sizeof told);
  now = START;
  rtp_locals_init (&locals, 99);
  ck_assert (rtp_attendance_init (&a, &params, &memory, &secrets, &events, now));
}

static bool
rtp (const RtpAddress *from, uint32_t ssrc, uint16_t seq, uint32_t csrc)
{
  uint8_t csrcs[4] = {0, 0, 0, (uint8_t)csrc};
  RtpPacket packet = {.ssrc = ssrc, .seq = seq, .csrcs = csrcs, .n_csrcs = csrc != 0};
  bool taken = rtp_attendance_on_rtp (&a, rtp_attendance_host (&a, from), &packet, now);

  if (taken)
    rtp_attendance_count_rtp (&a, &locals, &packet, now);
  now += GAP;
  return taken;
}

START_TEST (two_packets_make_a_member)
{
  begin (RTP_SESSION_UNICAST);
  ck_assert (rtp (&peer, 1, 1, 0));
  ck_assert_uint_eq (rtp_attendance_members (&a), 0);
  ck_assert (rtp (&peer, 1, 2, 0));
  ck_assert_uint_eq (rtp_attendance_members (&a), 1);
  ck_assert (a.changed && told[RTP_EVENT_VALIDATED] == 1);
  ck_assert (!rtp (&other, 2, 1, 0) && !rtp (&other, 2, 2, 0));
  ck_assert_uint_eq (a.peer.strangers, 2);
  rtp_attendance_clear (&a);
}
END_TEST

/* RFC 3550 6.2.1: in a group one RTCP packet with a CNAME, of a few of one host; who it is is not to be obeyed yet. Of
   two ends two packets. */
START_TEST (one_report_counts_in_a_group)
{
  begin (RTP_SESSION_GROUP);
  for (uint32_t ssrc = 1; ssrc <= 1000; ssrc++)
    ck_assert_int_eq (rtp_attendance_on_rtcp (&a, ssrc, true, ssrc, now), RTP_MEMBER_CANDIDATE);
  ck_assert_uint_eq (rtp_attendance_members (&a), 1000);
  ck_assert_int_eq (rtp_attendance_on_rtcp (&a, 1, true, 1, now), RTP_MEMBER_KNOWN);
  rtp_attendance_on_rtcp (&a, 2000, false, 2000, now);
  ck_assert_uint_eq (rtp_attendance_members (&a), 1000);
  rtp_attendance_clear (&a);
  begin (RTP_SESSION_GROUP);
  for (uint32_t ssrc = 1; ssrc <= 1000; ssrc++)
    rtp_attendance_on_rtcp (&a, ssrc, true, 7, now);
  ck_assert_uint_eq (rtp_attendance_members (&a), RTP_NEWCOMERS_AT_ONCE);
  rtp_attendance_clear (&a);
  begin (RTP_SESSION_UNICAST);
  rtp_attendance_on_rtcp (&a, 1, true, 7, now);
  ck_assert_uint_eq (rtp_attendance_members (&a), 0);
  rtp_attendance_clear (&a);
}
END_TEST

/* Of two ends contributors share no RTCP; in a group they do. */
START_TEST (contributors_count_in_a_group)
{
  for (unsigned kind = 0; kind < 2; kind++) {
    begin (kind == 0 ? RTP_SESSION_UNICAST : RTP_SESSION_GROUP);
    for (uint16_t seq = 1; seq < 6; seq++)
      rtp (&peer, 1, seq, 5);
    for (uint16_t seq = 6; seq < 10; seq++)
      rtp (&peer, 1, seq, 99);
    ck_assert_uint_eq (rtp_attendance_members (&a), 1 + kind);
    rtp_attendance_clear (&a);
  }
}
END_TEST

START_TEST (a_newcomer_finds_nobody_of_before)
{
  uint16_t seq;

  begin (RTP_SESSION_UNICAST);
  for (seq = 1; seq < 20; seq++)
    rtp (&peer, 1, seq, 0);
  now += 10 * CC_SECOND;
  for (seq = 500; seq < 503; seq++)
    rtp (&other, 2, seq, 0);
  ck_assert_uint_eq (told[RTP_EVENT_NEWCOMER], 1);
  ck_assert (rtp_members_state (&a.members, 1) == RTP_MEMBER_STATE_FREE);
  ck_assert_uint_eq (rtp_attendance_members (&a), 1);
  rtp_attendance_clear (&a);
}
END_TEST

START_TEST (answers_go_to_the_peer_and_are_bounded)
{
  begin (RTP_SESSION_UNICAST);
  rtp (&peer, 1, 1, 0);
  rtp (&peer, 1, 2, 0);
  ck_assert (!rtp_attendance_may_answer (&a, &peer, 1));
  rtp_answers_on_received (&a.answers, rtp_attendance_host (&a, &peer), 100, now);
  rtp_answers_on_received (&a.answers, rtp_attendance_host (&a, &other), 100, now);
  ck_assert (rtp_attendance_may_answer (&a, &peer, 300));
  ck_assert (!rtp_attendance_may_answer (&a, &peer, 1));
  ck_assert (!rtp_attendance_may_answer (&a, &other, 1));
  rtp_attendance_clear (&a);
}
END_TEST

/* Of the peer alone, wherever it speaks from by now. */
START_TEST (where_the_peer_speaks_from_is_known)
{
  RtpAddress moved = peer;

  begin (RTP_SESSION_UNICAST);
  ck_assert_int_eq (a.speaks_from.family, RTP_ADDRESS_UNKNOWN);
  rtp_attendance_on_member (&a, &peer, now);
  ck_assert (rtp_address_equal (&a.speaks_from, &peer));
  ck_assert_int_eq (a.peer.state, RTP_PEER_BY_RTCP);
  rtp_attendance_on_member (&a, &other, now + GAP);
  ck_assert (rtp_address_equal (&a.speaks_from, &peer));
  moved.port++;
  rtp_attendance_on_member (&a, &moved, now + 2 * GAP);
  ck_assert (rtp_address_equal (&a.speaks_from, &moved));
  rtp_attendance_clear (&a);
}
END_TEST

START_TEST (the_silent_are_gone)
{
  uint32_t ssrc = 0;

  begin (RTP_SESSION_UNICAST);
  rtp (&peer, 1, 1, 0);
  rtp (&peer, 1, 2, 0);
  now += 25 * CC_SECOND;
  ck_assert (rtp_attendance_next_timeout (&a) <= now);
  ck_assert (rtp_attendance_expire (&a, 20 * CC_SECOND, 10 * CC_SECOND, now, &ssrc));
  ck_assert (ssrc == 1 && told[RTP_EVENT_TIMEOUT] == 1 && a.changed);
  ck_assert (!rtp_attendance_expire (&a, 20 * CC_SECOND, 10 * CC_SECOND, now, &ssrc));
  ck_assert_uint_eq (rtp_attendance_members (&a), 0);
  rtp_attendance_clear (&a);
}
END_TEST

START_TEST (a_bye_is_believed_of_its_host)
{
  bool left;

  begin (RTP_SESSION_UNICAST);
  rtp_attendance_on_rtcp (&a, 1, true, 5, now);
  rtp_attendance_on_rtcp (&a, 1, true, 5, now + GAP);
  ck_assert_uint_eq (rtp_attendance_members (&a), 1);
  ck_assert (!rtp_attendance_on_bye (&a, 1, 6, now + 2 * GAP, &left) && !left);
  ck_assert (rtp_attendance_on_bye (&a, 1, 5, now + 2 * GAP, &left) && left);
  ck_assert_uint_eq (told[RTP_EVENT_BYE], 1);
  rtp_attendance_clear (&a);
}
END_TEST

CC_TEST_MAIN ("rtpattendance", two_packets_make_a_member, one_report_counts_in_a_group, contributors_count_in_a_group,
    a_newcomer_finds_nobody_of_before, answers_go_to_the_peer_and_are_bounded, where_the_peer_speaks_from_is_known,
    the_silent_are_gone, a_bye_is_believed_of_its_host)
