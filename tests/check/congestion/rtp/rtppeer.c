/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtppeer.h"
#include "cctest.h"

#define START (1000 * CC_SECOND)
#define GAP (20 * CC_MSECOND)
#define PEER 7
#define STRANGER 8
#define SSRC 0x1234
#define OTHER 0x4321

static RtpPeer peer;
static CcTime now;
static uint16_t seq;

static bool
rtp (uint64_t address, uint32_t ssrc, uint16_t number)
{
  return rtp_peer_on_rtp (&peer, address, ssrc, number, now);
}

/* So long a call of the peer. */
static void
call (CcDuration length)
{
  rtp_peer_init (&peer, RTP_SESSION_UNICAST, 0);
  seq = 65530;
  for (now = START; now < START + length; now += GAP)
    ck_assert (rtp (PEER, SSRC, seq++));
}

START_TEST (two_packets_in_sequence_make_the_peer)
{
  rtp_peer_init (&peer, RTP_SESSION_UNICAST, 0);
  now = START;
  ck_assert (rtp (PEER, SSRC, 1));
  ck_assert (rtp (STRANGER, OTHER, 5));
  ck_assert (!rtp_peer_is (&peer, PEER));
  ck_assert (rtp (PEER, SSRC, 2));
  ck_assert (rtp_peer_is (&peer, PEER));
  ck_assert (!rtp (STRANGER, OTHER, 6));
  ck_assert (!rtp_peer_is (&peer, STRANGER));
  ck_assert_uint_eq (peer.strangers, 1);
}
END_TEST

START_TEST (a_stranger_has_no_say_while_the_peer_speaks)
{
  call (10 * CC_SECOND);
  for (unsigned i = 0; i < 1000; i++) {
    ck_assert (!rtp (STRANGER, OTHER, (uint16_t)i));
    ck_assert (!rtp_peer_on_rtcp (&peer, STRANGER, now));
    rtp_peer_on_member (&peer, STRANGER, now);
    now += GAP;
    ck_assert (rtp (PEER, SSRC, seq++));
  }
  ck_assert (rtp_peer_is (&peer, PEER));
  ck_assert_uint_eq (peer.moves, 0);
}
END_TEST

/* A report interval of silence, of a call that has lasted. */
START_TEST (a_silent_peer_is_replaced)
{
  CcTime silent;

  call (60 * CC_SECOND);
  silent = now - GAP;
  now = silent + 5 * CC_SECOND - 1;
  ck_assert (!rtp (STRANGER, OTHER, 1));
  ck_assert (!rtp (STRANGER, OTHER, 2));
  now = silent + 5 * CC_SECOND;
  ck_assert (rtp (STRANGER, OTHER, 3));
  ck_assert (rtp_peer_is (&peer, STRANGER));
  ck_assert_uint_eq (peer.newcomers, 1);
}
END_TEST

/* Two packets hold nobody up for longer than 0.2 s. */
START_TEST (who_spoke_for_a_moment_is_given_up_after_a_moment)
{
  call (2 * GAP);
  now += 200 * CC_MSECOND;
  ck_assert (rtp (STRANGER, OTHER, 1));
  ck_assert (rtp_peer_is (&peer, PEER));
  ck_assert (rtp (STRANGER, OTHER, 2));
  ck_assert (rtp_peer_is (&peer, STRANGER));
}
END_TEST

START_TEST (a_stream_that_moves_is_followed_at_once)
{
  call (60 * CC_SECOND);
  now += 100 * CC_MSECOND;
  ck_assert (!rtp (STRANGER, SSRC, (uint16_t)(seq + 5)));
  ck_assert (rtp (STRANGER, SSRC, (uint16_t)(seq + 6)));
  ck_assert (rtp_peer_is (&peer, STRANGER));
  ck_assert_uint_eq (peer.moves, 1);
  ck_assert_uint_eq (peer.newcomers, 0);
}
END_TEST

START_TEST (a_move_needs_the_ssrc_the_numbers_and_a_silent_old_address)
{
  call (60 * CC_SECOND);
  /* the old one still speaks */
  ck_assert (!rtp (STRANGER, SSRC, seq));
  ck_assert (!rtp (STRANGER, SSRC, (uint16_t)(seq + 1)));
  now += 100 * CC_MSECOND;
  ck_assert (!rtp (STRANGER, OTHER, seq));
  ck_assert (!rtp (STRANGER, OTHER, (uint16_t)(seq + 1)));
  ck_assert (!rtp (STRANGER, SSRC, (uint16_t)(seq + RTP_PEER_MAX_AHEAD)));
  ck_assert (!rtp (STRANGER, SSRC, (uint16_t)(seq + RTP_PEER_MAX_AHEAD + 1)));
  ck_assert (!rtp (STRANGER, SSRC, (uint16_t)(seq - 10)));
  ck_assert (!rtp (STRANGER, SSRC, (uint16_t)(seq - 9)));
  ck_assert (rtp_peer_is (&peer, PEER));
}
END_TEST

/* Of two streams of the peer the one that did not send last. */
START_TEST (either_of_two_streams_shows_the_move)
{
  call (60 * CC_SECOND);
  ck_assert (rtp (PEER, OTHER, 9));
  now += 100 * CC_MSECOND;
  ck_assert (!rtp (STRANGER, SSRC, seq));
  ck_assert (rtp (STRANGER, SSRC, (uint16_t)(seq + 1)));
}
END_TEST

START_TEST (others_in_between_keep_nobody_from_proving_itself)
{
  rtp_peer_init (&peer, RTP_SESSION_UNICAST, 0);
  now = START;
  rtp (PEER, SSRC, 1);
  for (unsigned i = 0; i < RTP_PEER_CANDIDATES - 1; i++)
    rtp (100 + i, OTHER, (uint16_t)i);
  rtp (PEER, SSRC, 2);
  ck_assert (rtp_peer_is (&peer, PEER));
}
END_TEST

START_TEST (a_named_peer_is_never_replaced)
{
  rtp_peer_init (&peer, RTP_SESSION_UNICAST, PEER);
  now = START + 1000 * CC_SECOND;
  ck_assert (!rtp (STRANGER, OTHER, 1));
  ck_assert (!rtp (STRANGER, OTHER, 2));
  ck_assert (!rtp_peer_on_rtcp (&peer, STRANGER, now));
  ck_assert (rtp (PEER, SSRC, 2));
}
END_TEST

START_TEST (a_member_is_the_peer_of_who_only_sends)
{
  rtp_peer_init (&peer, RTP_SESSION_UNICAST, 0);
  ck_assert (rtp_peer_on_rtcp (&peer, PEER, START));
  rtp_peer_on_member (&peer, PEER, START);
  ck_assert (rtp_peer_is (&peer, PEER));
  ck_assert (!rtp_peer_on_rtcp (&peer, STRANGER, START + 5 * CC_SECOND - 1));
  ck_assert (rtp_peer_on_rtcp (&peer, PEER, START + 60 * CC_SECOND));
  ck_assert (!rtp_peer_on_rtcp (&peer, STRANGER, START + 85 * CC_SECOND - 1));
  ck_assert (rtp_peer_on_rtcp (&peer, STRANGER, START + 85 * CC_SECOND));
}
END_TEST

START_TEST (in_a_group_everybody_takes_part)
{
  rtp_peer_init (&peer, RTP_SESSION_GROUP, 0);
  now = START;
  for (unsigned i = 1; i < 100; i++) {
    ck_assert (rtp (i, i, 1));
    ck_assert (rtp_peer_on_rtcp (&peer, i, now));
    ck_assert (rtp_peer_is (&peer, i));
  }
  ck_assert_uint_eq (rtp_peer_members (&peer, 1000), 1000);
}
END_TEST

START_TEST (of_one_host_no_more_than_eight_count)
{
  rtp_peer_init (&peer, RTP_SESSION_UNICAST, 0);
  ck_assert_uint_eq (rtp_peer_members (&peer, 1), 1);
  ck_assert_uint_eq (rtp_peer_members (&peer, 1000), 8);
}
END_TEST

/* 33 ms between pictures, packets of one at once: 67 ms of silence end its turn; one that pauses for a second loses it
   after half of that. */
START_TEST (one_stream_is_played_until_it_is_silent)
{
  rtp_peer_init (&peer, RTP_SESSION_UNICAST, 0);
  now = START;
  for (unsigned i = 0; i < 10; i++, now += 33 * CC_MSECOND) {
    ck_assert (rtp_peer_is_stream (&peer, SSRC, now));
    ck_assert (rtp_peer_is_stream (&peer, SSRC, now));
    ck_assert (i == 0 || !rtp_peer_is_stream (&peer, OTHER, now + 32 * CC_MSECOND));
  }
  now -= 33 * CC_MSECOND;
  ck_assert (!rtp_peer_is_stream (&peer, OTHER, now + 60 * CC_MSECOND));
  ck_assert (rtp_peer_is_stream (&peer, OTHER, now + 66 * CC_MSECOND));
  ck_assert (rtp_peer_is_stream (&peer, OTHER, now + CC_SECOND));
  ck_assert (!rtp_peer_is_stream (&peer, SSRC, now + 1499 * CC_MSECOND));
  ck_assert (rtp_peer_is_stream (&peer, SSRC, now + 1500 * CC_MSECOND));
  rtp_peer_end_stream (&peer, SSRC);
  ck_assert (rtp_peer_is_stream (&peer, OTHER, now + 1500 * CC_MSECOND));
}
END_TEST

CC_TEST_MAIN ("rtppeer", two_packets_in_sequence_make_the_peer, a_stranger_has_no_say_while_the_peer_speaks,
    a_silent_peer_is_replaced, who_spoke_for_a_moment_is_given_up_after_a_moment,
    a_stream_that_moves_is_followed_at_once, a_move_needs_the_ssrc_the_numbers_and_a_silent_old_address,
    either_of_two_streams_shows_the_move, others_in_between_keep_nobody_from_proving_itself,
    a_named_peer_is_never_replaced, a_member_is_the_peer_of_who_only_sends, in_a_group_everybody_takes_part,
    of_one_host_no_more_than_eight_count, one_stream_is_played_until_it_is_silent)
