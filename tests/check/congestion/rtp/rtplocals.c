/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The SSRCs of this end. */
#include "rtplocals.h"
#include "cctest.h"

#define REPORTER 100

static RtpLocals t;

static RtpLocal *
send_at (uint32_t ssrc, uint32_t rtp_time, CcTime now, bool *changed)
{
  RtpLocalPacket packet = {
      .ssrc = ssrc, .rtp_time = rtp_time, .payload_bytes = 1000, .clock_rate = 90000, .due_at = now};

  return rtp_locals_on_rtp (&t, &packet, now, changed);
}

static bool
owes_bye (uint32_t ssrc)
{
  unsigned i;

  for (i = 0; i < t.n_leaving; i++)
    if (t.leaving[i] == ssrc)
      return true;
  return false;
}

/* One that only reports stands for the end until it sends; who never spoke owes no BYE. */
START_TEST (media_takes_the_reporters_place)
{
  bool changed;

  rtp_locals_init (&t, REPORTER);
  ck_assert_int_eq (t.n, 1);
  ck_assert (!t.locals[0].media && !t.locals[0].we_sent);
  t.locals[0].timing_runs = true;
  t.locals[0].timing.tp = 12345;
  ck_assert (send_at (1, 0, 0, &changed) != NULL);
  ck_assert (changed);
  ck_assert_int_eq (t.n, 1);
  ck_assert (t.locals[0].timing_runs && t.locals[0].timing.tp == 12345);
  ck_assert (rtp_locals_find (&t, REPORTER) == NULL);
  ck_assert_int_eq (t.n_leaving, 0);
  send_at (1, 0, 0, &changed);
  ck_assert (!changed);
  send_at (2, 0, 0, &changed);
  ck_assert (changed);
  ck_assert_int_eq (t.n, 2);
  ck_assert_int_eq (rtp_locals_senders (&t), 2);
}
END_TEST

START_TEST (a_known_reporter_owes_bye)
{
  bool changed;

  rtp_locals_init (&t, REPORTER);
  t.locals[0].known = true;
  send_at (1, 0, 0, &changed);
  ck_assert (owes_bye (REPORTER));
}
END_TEST

/* RFC 3550 6.4.1: 100 packets of 1000 bytes; 40 ms after one of RTP time 5000 that left on time it is 5000 + 3600, and
   20 ms before one that is due it is 5000 - 1800. */
START_TEST (sender_info)
{
  RtpLocalPacket packet = {.ssrc = 1, .rtp_time = 5000, .clock_rate = 90000};
  const CcTime now = 10 * CC_SECOND;
  RtcpSenderInfo info;
  bool changed;
  unsigned i;

  rtp_locals_init (&t, REPORTER);
  for (i = 0; i < 100; i++)
    send_at (1, 5000, now, &changed);
  rtp_local_sender_info (&t.locals[0], UINT64_C (0x123456789abcdef0), now + 40 * CC_MSECOND, &info);
  ck_assert_int_eq (info.ssrc, 1);
  ck_assert_uint_eq (info.ntp_time, UINT64_C (0x123456789abcdef0));
  ck_assert_int_eq (info.rtp_time, 5000 + 3600);
  ck_assert_int_eq (info.packet_count, 100);
  ck_assert_int_eq (info.octet_count, 100000);
  packet.due_at = now + 20 * CC_MSECOND;
  rtp_locals_on_rtp (&t, &packet, now, &changed);
  rtp_local_sender_info (&t.locals[0], 0, now, &info);
  ck_assert_int_eq (info.rtp_time, 5000 - 1800);
  packet.clock_rate = 0;
  rtp_locals_on_rtp (&t, &packet, now, &changed);
  rtp_local_sender_info (&t.locals[0], 0, now, &info);
  ck_assert_int_eq (info.rtp_time, 5000);
}
END_TEST

/* RFC 3550 6.3.8: 2 T, 10 s where there is no timing yet. */
START_TEST (sender_times_out)
{
  bool changed;

  rtp_locals_init (&t, REPORTER);
  send_at (1, 0, CC_SECOND, &changed);
  ck_assert_int_eq (rtp_locals_expire (&t, 11 * CC_SECOND - 1), 0);
  ck_assert_int_eq (rtp_locals_expire (&t, 11 * CC_SECOND), 1);
  ck_assert (!t.locals[0].we_sent && t.locals[0].media);
  ck_assert_int_eq (rtp_locals_expire (&t, 12 * CC_SECOND), 0);
  send_at (1, 0, 13 * CC_SECOND, &changed);
  ck_assert (changed);
}
END_TEST

/* All senders: the ninth finds no room. One silent: it gives way, with a BYE. */
START_TEST (as_many_as_fit)
{
  bool changed;
  uint32_t i;

  rtp_locals_init (&t, REPORTER);
  for (i = 1; i <= RTP_LOCALS_MAX; i++)
    ck_assert (send_at (i, 0, i == 3 ? 0 : 8 * CC_SECOND, &changed) != NULL);
  ck_assert (send_at (9, 0, 8 * CC_SECOND, &changed) == NULL);
  ck_assert_uint_eq (t.refused, 1);
  ck_assert_int_eq (rtp_locals_expire (&t, 10 * CC_SECOND), 1);
  ck_assert (send_at (9, 0, 10 * CC_SECOND, &changed) != NULL);
  ck_assert (rtp_locals_find (&t, 3) == NULL);
  ck_assert (owes_bye (3));
  ck_assert_int_eq (t.n, RTP_LOCALS_MAX);
}
END_TEST

START_TEST (leaving)
{
  bool changed;

  rtp_locals_init (&t, REPORTER);
  send_at (1, 0, 0, &changed);
  send_at (2, 0, 0, &changed);
  rtp_locals_remove (&t, 1, 200);
  ck_assert (owes_bye (1));
  ck_assert_int_eq (t.n, 1);
  t.locals[0].timing_runs = t.locals[0].timing.has_sent = true;
  rtp_locals_remove_media (&t, 200);
  ck_assert (owes_bye (2));
  ck_assert_int_eq (t.n, 1);
  ck_assert_int_eq (t.locals[0].ssrc, 200);
  ck_assert (!t.locals[0].media);
  /* RFC 3550 6.3.7: only who never sent leaves without a word */
  ck_assert (t.locals[0].timing_runs && t.locals[0].timing.has_sent);
}
END_TEST

START_TEST (conflict)
{
  bool changed;

  rtp_locals_init (&t, REPORTER);
  t.locals[0].known = true;
  ck_assert (!rtp_locals_on_conflict (&t, REPORTER, 101));
  ck_assert_int_eq (t.locals[0].ssrc, 101);
  ck_assert (owes_bye (REPORTER));
  send_at (1, 0, 0, &changed);
  ck_assert (rtp_locals_on_conflict (&t, 1, 102));
  ck_assert (owes_bye (1));
  ck_assert_int_eq (t.locals[0].ssrc, 102);
  ck_assert (!rtp_locals_on_conflict (&t, 4711, 103));
  ck_assert_uint_eq (t.conflicts, 2);
}
END_TEST

/* However many leave before a packet goes, the memory is bounded. */
START_TEST (many_leave)
{
  bool changed;
  uint32_t i;

  rtp_locals_init (&t, REPORTER);
  for (i = 1; i < 1000; i++) {
    send_at (i, 0, 0, &changed);
    rtp_locals_remove (&t, i, 1000 + i);
  }
  ck_assert_int_eq (t.n_leaving, RTP_LOCALS_MAX);
  ck_assert (owes_bye (999));
}
END_TEST

CC_TEST_MAIN ("rtplocals", media_takes_the_reporters_place, a_known_reporter_owes_bye, sender_info, sender_times_out,
    as_many_as_fit, leaving, conflict, many_leave)
