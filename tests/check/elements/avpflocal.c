/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The SSRCs of rtcpavpf's end. */
#include "avpflocal.h"

#include <gst/check/gstcheck.h>

#define REPORTER 100

static AvpfLocalTable t;

static AvpfLocal *
send_at (guint32 ssrc, guint32 rtp_time, GstClockTime now, gboolean *changed)
{
  AvpfLocalPacket packet = {
      .ssrc = ssrc, .rtp_time = rtp_time, .payload_bytes = 1000, .clock_rate = 90000, .due_at = now};

  return avpf_local_table_on_rtp (&t, &packet, now, changed);
}

static gboolean
owes_bye (guint32 ssrc)
{
  guint i;

  for (i = 0; i < t.n_leaving; i++)
    if (t.leaving[i] == ssrc)
      return TRUE;
  return FALSE;
}

/* One that only reports stands for the end until it sends; who never spoke owes no BYE. */
GST_START_TEST (test_media_takes_the_reporters_place)
{
  gboolean changed;

  avpf_local_table_init (&t, REPORTER);
  fail_unless_equals_int (t.n, 1);
  fail_unless (!t.locals[0].media && !t.locals[0].we_sent);
  t.locals[0].timing_runs = TRUE;
  t.locals[0].timing.tp = 12345;
  fail_unless (send_at (1, 0, 0, &changed) != NULL);
  fail_unless (changed);
  fail_unless_equals_int (t.n, 1);
  fail_unless (t.locals[0].timing_runs && t.locals[0].timing.tp == 12345);
  fail_unless (avpf_local_table_find (&t, REPORTER) == NULL);
  fail_unless_equals_int (t.n_leaving, 0);
  send_at (1, 0, 0, &changed);
  fail_unless (!changed);
  send_at (2, 0, 0, &changed);
  fail_unless (changed);
  fail_unless_equals_int (t.n, 2);
  fail_unless_equals_int (avpf_local_table_senders (&t), 2);
}
GST_END_TEST;

GST_START_TEST (test_a_known_reporter_owes_bye)
{
  gboolean changed;

  avpf_local_table_init (&t, REPORTER);
  t.locals[0].known = TRUE;
  send_at (1, 0, 0, &changed);
  fail_unless (owes_bye (REPORTER));
}
GST_END_TEST;

/* RFC 3550 6.4.1: 100 packets of 1000 bytes; 40 ms after one of RTP time 5000 that left on time it is 5000 + 3600, and
   20 ms before one that is due it is 5000 - 1800. */
GST_START_TEST (test_sender_info)
{
  AvpfLocalPacket packet = {.ssrc = 1, .rtp_time = 5000, .clock_rate = 90000};
  const GstClockTime now = 10 * GST_SECOND;
  RtcpSenderInfo info;
  gboolean changed;
  guint i;

  avpf_local_table_init (&t, REPORTER);
  for (i = 0; i < 100; i++)
    send_at (1, 5000, now, &changed);
  avpf_local_sender_info (&t.locals[0], G_GUINT64_CONSTANT (0x123456789abcdef0), now + 40 * GST_MSECOND, &info);
  fail_unless_equals_int (info.ssrc, 1);
  fail_unless_equals_uint64 (info.ntp_time, G_GUINT64_CONSTANT (0x123456789abcdef0));
  fail_unless_equals_int (info.rtp_time, 5000 + 3600);
  fail_unless_equals_int (info.packet_count, 100);
  fail_unless_equals_int (info.octet_count, 100000);
  packet.due_at = now + 20 * GST_MSECOND;
  avpf_local_table_on_rtp (&t, &packet, now, &changed);
  avpf_local_sender_info (&t.locals[0], 0, now, &info);
  fail_unless_equals_int (info.rtp_time, 5000 - 1800);
  packet.clock_rate = 0;
  avpf_local_table_on_rtp (&t, &packet, now, &changed);
  avpf_local_sender_info (&t.locals[0], 0, now, &info);
  fail_unless_equals_int (info.rtp_time, 5000);
}
GST_END_TEST;

/* RFC 3550 6.3.8: 2 T, 10 s where there is no timing yet. */
GST_START_TEST (test_sender_times_out)
{
  gboolean changed;

  avpf_local_table_init (&t, REPORTER);
  send_at (1, 0, GST_SECOND, &changed);
  fail_unless_equals_int (avpf_local_table_expire (&t, 11 * GST_SECOND - 1), 0);
  fail_unless_equals_int (avpf_local_table_expire (&t, 11 * GST_SECOND), 1);
  fail_unless (!t.locals[0].we_sent && t.locals[0].media);
  fail_unless_equals_int (avpf_local_table_expire (&t, 12 * GST_SECOND), 0);
  send_at (1, 0, 13 * GST_SECOND, &changed);
  fail_unless (changed);
}
GST_END_TEST;

/* All senders: the ninth finds no room. One silent: it gives way, with a BYE. */
GST_START_TEST (test_as_many_as_fit)
{
  gboolean changed;
  guint32 i;

  avpf_local_table_init (&t, REPORTER);
  for (i = 1; i <= AVPF_MAX_LOCALS; i++)
    fail_unless (send_at (i, 0, i == 3 ? 0 : 8 * GST_SECOND, &changed) != NULL);
  fail_unless (send_at (9, 0, 8 * GST_SECOND, &changed) == NULL);
  fail_unless_equals_uint64 (t.refused, 1);
  fail_unless_equals_int (avpf_local_table_expire (&t, 10 * GST_SECOND), 1);
  fail_unless (send_at (9, 0, 10 * GST_SECOND, &changed) != NULL);
  fail_unless (avpf_local_table_find (&t, 3) == NULL);
  fail_unless (owes_bye (3));
  fail_unless_equals_int (t.n, AVPF_MAX_LOCALS);
}
GST_END_TEST;

GST_START_TEST (test_leaving)
{
  gboolean changed;

  avpf_local_table_init (&t, REPORTER);
  send_at (1, 0, 0, &changed);
  send_at (2, 0, 0, &changed);
  avpf_local_table_remove (&t, 1, 200);
  fail_unless (owes_bye (1));
  fail_unless_equals_int (t.n, 1);
  t.locals[0].timing_runs = t.locals[0].timing.has_sent = TRUE;
  avpf_local_table_remove_media (&t, 200);
  fail_unless (owes_bye (2));
  fail_unless_equals_int (t.n, 1);
  fail_unless_equals_int (t.locals[0].ssrc, 200);
  fail_unless (!t.locals[0].media);
  /* RFC 3550 6.3.7: only who never sent leaves without a word */
  fail_unless (t.locals[0].timing_runs && t.locals[0].timing.has_sent);
}
GST_END_TEST;

GST_START_TEST (test_conflict)
{
  gboolean changed;

  avpf_local_table_init (&t, REPORTER);
  t.locals[0].known = TRUE;
  fail_unless (!avpf_local_table_on_conflict (&t, REPORTER, 101));
  fail_unless_equals_int (t.locals[0].ssrc, 101);
  fail_unless (owes_bye (REPORTER));
  send_at (1, 0, 0, &changed);
  fail_unless (avpf_local_table_on_conflict (&t, 1, 102));
  fail_unless (owes_bye (1));
  fail_unless_equals_int (t.locals[0].ssrc, 102);
  fail_unless (!avpf_local_table_on_conflict (&t, 4711, 103));
  fail_unless_equals_uint64 (t.conflicts, 2);
}
GST_END_TEST;

/* However many leave before a packet goes, the memory is bounded. */
GST_START_TEST (test_many_leave)
{
  gboolean changed;
  guint32 i;

  avpf_local_table_init (&t, REPORTER);
  for (i = 1; i < 1000; i++) {
    send_at (i, 0, 0, &changed);
    avpf_local_table_remove (&t, i, 1000 + i);
  }
  fail_unless_equals_int (t.n_leaving, AVPF_MAX_LOCALS);
  fail_unless (owes_bye (999));
}
GST_END_TEST;

static Suite *
avpflocal_suite (void)
{
  Suite *suite = suite_create ("avpflocal");
  TCase *tcase = tcase_create ("avpflocal");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_media_takes_the_reporters_place);
  tcase_add_test (tcase, test_a_known_reporter_owes_bye);
  tcase_add_test (tcase, test_sender_info);
  tcase_add_test (tcase, test_sender_times_out);
  tcase_add_test (tcase, test_as_many_as_fit);
  tcase_add_test (tcase, test_leaving);
  tcase_add_test (tcase, test_conflict);
  tcase_add_test (tcase, test_many_leave);
  return suite;
}

GST_CHECK_MAIN (avpflocal);
