/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmedia.h"
#include "cctest.h"

#include <math.h>
#include <string.h>

#define START (1000 * CC_SECOND)
#define OURS 7u
#define THEM 8u

static RtpLocals locals;
static RtpMedia media;
static RtpEvent last[RTP_EVENTS];
static unsigned told[RTP_EVENTS];
static CcTime now;

static void
tell (void *user, const RtpEvent *event)
{
  last[event->type] = *event;
  told[event->type]++;
}

/* A second of 50 packets. */
static void
begin (void)
{
  RtpEvents events = {.tell = tell};
  bool changed;

  memset (told, 0, sizeof told);
  rtp_locals_init (&locals, 1);
  rtp_media_init (&media, &locals, &events);
  media.clock_rate = 90000;
  for (unsigned i = 0; i <= 50; i++) {
    RtpLocalPacket packet = {.ssrc = OURS, .payload_bytes = 1000};

    now = START + i * 20 * CC_MSECOND;
    rtp_locals_on_rtp (&locals, &packet, now, &changed);
    rtp_media_on_sent (&media, OURS, (uint16_t)(1000 + i), false, now);
  }
}

static void
pass (CcDuration span)
{
  for (CcTime end = now + span; now < end;) {
    now = cc_time_min (cc_time_max (rtp_media_next_timeout (&media), now + 1), end);
    rtp_media_on_timeout (&media, now);
  }
}

static RtcpRemb
remb (uint64_t bps)
{
  return (RtcpRemb){.n_ssrcs = 1, .ssrcs = {OURS}, .bitrate_bps = bps};
}

START_TEST (key_units_are_asked_for)
{
  begin ();
  rtp_media_on_pli (&media, OURS + 1, now);
  ck_assert_uint_eq (told[RTP_EVENT_KEY_UNIT], 0);
  rtp_media_on_pli (&media, OURS, now);
  ck_assert_uint_eq (told[RTP_EVENT_KEY_UNIT], 1);
  ck_assert (!last[RTP_EVENT_KEY_UNIT].full);
  rtp_media_on_fir (&media, THEM, OURS, 3, now);
  ck_assert_uint_eq (told[RTP_EVENT_KEY_UNIT], 1);
  pass (CC_SECOND);
  ck_assert_uint_eq (told[RTP_EVENT_KEY_UNIT], 2);
  ck_assert (last[RTP_EVENT_KEY_UNIT].full);
  rtp_media_on_fir (&media, THEM, OURS, 3, now);
  ck_assert_uint_eq (told[RTP_EVENT_KEY_UNIT], 2);
}
END_TEST

START_TEST (packets_are_sent_again_if_they_were_sent)
{
  const uint16_t seqs[] = {1010, 900};

  begin ();
  rtp_media_on_nack (&media, THEM, OURS, seqs, 2, now);
  ck_assert_uint_eq (told[RTP_EVENT_RESEND], 1);
  ck_assert_uint_eq (last[RTP_EVENT_RESEND].seq, 1010);
  ck_assert_uint_eq (rtp_media_find (&media, OURS)->counts.nack, 2);
}
END_TEST

/* Of all that is said the lowest, without the headers of 50 packets a second; what is not repeated ends. */
START_TEST (the_lowest_rate_holds_until_it_ends)
{
  const double headers = 8 * 40 * 50;
  RtcpRemb high = remb (900000), low = remb (500000);
  RtcpPath path = {.kind = RTCP_PATH_END_TO_END, .rate_bps = 700000};

  begin ();
  rtp_media_on_remb (&media, THEM, &high, now);
  ck_assert_double_eq_tol (last[RTP_EVENT_RATE].rate.payload_bps, 900000 - headers, 1);
  ck_assert_double_eq_tol (last[RTP_EVENT_RATE].rate.wire_bps, 900000, 1);
  pass (CC_SECOND);
  rtp_media_on_remb (&media, THEM + 1, &low, now);
  ck_assert_double_eq_tol (last[RTP_EVENT_RATE].rate.wire_bps, 500000, 1);
  pass (5 * CC_SECOND);
  rtp_media_on_path (&media, THEM, OURS, &path, now);
  ck_assert_double_eq_tol (last[RTP_EVENT_RATE].rate.wire_bps, 500000, 1);
  pass (6 * CC_SECOND);
  ck_assert_double_eq_tol (last[RTP_EVENT_RATE].rate.wire_bps, 700000, 1);
}
END_TEST

START_TEST (who_leaves_limits_no_more)
{
  RtcpRemb high = remb (900000), low = remb (500000);

  begin ();
  rtp_media_on_remb (&media, THEM, &high, now);
  pass (CC_SECOND);
  rtp_media_on_remb (&media, THEM + 1, &low, now);
  pass (CC_SECOND);
  rtp_media_on_gone (&media, THEM + 1, now);
  ck_assert_double_eq_tol (last[RTP_EVENT_RATE].rate.wire_bps, 900000, 1);
  pass (CC_SECOND);
  rtp_media_on_newcomer (&media, now);
  ck_assert (isinf (last[RTP_EVENT_RATE].rate.wire_bps));
}
END_TEST

START_TEST (a_limit_is_owed_a_notification)
{
  RtcpTmmb entry = {.ssrc = OURS, .bitrate_bps = 400000, .overhead_bytes = 40};
  uint8_t bytes[RTCP_MTU];
  RtcpWriter w;

  begin ();
  rtp_media_on_tmmbr (&media, THEM, &entry, RTP_BELIEF_FULL, now);
  ck_assert (media.owes && rtp_media_owes (&media, OURS));
  ck_assert_double_eq_tol (last[RTP_EVENT_RATE].rate.payload_bps, 400000 - 8 * 40 * 50, 1);
  rtcp_writer_init (&w, bytes, sizeof bytes);
  ck_assert (rtp_media_add_owed (&media, &w, OURS, now));
  ck_assert (!rtp_media_owes (&media, OURS) && w.size == 20);
  ck_assert (!rtp_media_add_owed (&media, &w, OURS, now));
  media.owes = false;
  rtp_media_on_gone (&media, THEM, now);
  ck_assert (media.owes);
}
END_TEST

START_TEST (reports_are_kept_by_receiver)
{
  const uint64_t ntp = (uint64_t)3900000000u << 32;
  RtcpReportBlock block = {.ssrc = OURS,
      .fraction_lost = 64,
      .packets_lost = 5,
      .jitter = 900,
      .lsr = (uint32_t)((ntp - ((uint64_t)1 << 30)) >> 16),
      .dlsr = 65536 / 8};
  const RtpMediaStream *s;

  begin ();
  rtp_media_on_report_block (&media, THEM, &block, ntp, now);
  block.fraction_lost = 0;
  rtp_media_on_report_block (&media, THEM + 1, &block, ntp, now + 1);
  s = rtp_media_find (&media, OURS);
  ck_assert (s->reports.reports[0].receiver == THEM && s->reports.reports[1].receiver == THEM + 1);
  ck_assert_double_eq_tol (s->reports.reports[0].fraction_lost, 0.25, 1e-9);
  ck_assert_uint_eq (s->reports.reports[0].jitter, 10 * CC_MSECOND);
  ck_assert_uint_eq (s->round_trip, 125 * CC_MSECOND);
  rtp_media_on_report_block (&media, THEM, &block, ntp, now + 2);
  for (unsigned i = 2; i <= RTP_MEDIA_REPORTS; i++)
    rtp_media_on_report_block (&media, THEM + i, &block, ntp, now + 1 + i);
  ck_assert_uint_eq (s->reports.reports[0].receiver, THEM);
  ck_assert_uint_eq (s->reports.reports[1].receiver, THEM + RTP_MEDIA_REPORTS);
}
END_TEST

/* A limit that lasts is set by who has shown that it receives, where that is asked for. */
START_TEST (a_limit_needs_a_proof)
{
  RtcpTmmb entry = {.ssrc = OURS, .bitrate_bps = 100000, .overhead_bytes = 40};
  RtcpReportBlock block = {.ssrc = OURS};

  begin ();
  rtp_media_on_tmmbr (&media, THEM, &entry, RTP_BELIEF_IF_SHOWN, now);
  block.ext_highest_seq = 1051; /* not sent yet */
  rtp_media_on_report_block (&media, THEM, &block, 0, now);
  rtp_media_on_tmmbr (&media, THEM, &entry, RTP_BELIEF_IF_SHOWN, now);
  ck_assert_uint_eq (media.unproven, 2);
  ck_assert (isinf (rtp_media_limit_Bps (&media, 40, now)));
  block.ext_highest_seq = 0x30000 + 1050;
  rtp_media_on_tmmbr (&media, THEM, &entry, RTP_BELIEF_NONE, now);
  rtp_media_on_report_block (&media, THEM, &block, 0, now);
  rtp_media_on_tmmbr (&media, THEM, &entry, RTP_BELIEF_IF_SHOWN, now);
  ck_assert (!rtp_media_owes (&media, OURS + 1) && rtp_media_owes (&media, OURS));
  ck_assert_double_eq_tol (rtp_media_limit_Bps (&media, 40, now), 100000 / 8, 1);
  /* 50 packets/s with 12 bytes more than the receiver counted */
  ck_assert_double_eq_tol (rtp_media_limit_Bps (&media, 52, now), 100000 / 8 + 50 * 12, 10);
  rtp_media_on_newcomer (&media, now);
  rtp_media_on_tmmbr (&media, THEM, &entry, RTP_BELIEF_IF_SHOWN, now);
  ck_assert_uint_eq (media.unproven, 4);
}
END_TEST

/* Once a round trip for others; who has agreed on it asks as often as that says. */
START_TEST (who_has_agreed_asks_twice)
{
  const uint16_t seq = 1040;
  RtpMediaCounts counts;

  begin ();
  media.round_trip = 100 * CC_MSECOND;
  rtp_media_find (&media, OURS)->asker = (RtpMediaAsker){true, THEM, 15 * CC_MSECOND};
  for (unsigned i = 0; i < 2; i++) {
    rtp_media_on_nack (&media, THEM + i, OURS, &seq, 1, now);
    now += 20 * CC_MSECOND;
    rtp_media_on_nack (&media, THEM + i, OURS, &seq, 1, now);
    ck_assert_uint_eq (told[RTP_EVENT_RESEND], 2);
    ck_assert_uint_eq (last[RTP_EVENT_RESEND].receiver, THEM);
  }
  rtp_media_counts (&media, &counts);
  ck_assert_uint_eq (counts.nack, 4);
  ck_assert_uint_eq (counts.granted, 2);
  ck_assert_uint_eq (counts.refused, 2);
}
END_TEST

/* Whoever makes the rate is told of the flow alone. */
START_TEST (what_is_not_of_the_flow_is_counted)
{
  RtcpReportBlock block = {.ssrc = OURS + 1};
  RtcpRemb others = {.n_ssrcs = 1, .ssrcs = {OURS + 1}, .bitrate_bps = 1};
  RtcpPath path = {.rate_bps = 1000000};

  begin ();
  ck_assert (!rtp_media_on_report_block (&media, THEM, &block, 0, now));
  ck_assert (!rtp_media_on_remb (&media, THEM, &others, now));
  ck_assert (!rtp_media_on_path (&media, THEM, OURS + 1, &path, now));
  ck_assert (!rtp_media_on_tfrc (&media, OURS + 1) && !rtp_media_on_twcc (&media, OURS + 1));
  ck_assert (!rtp_media_is_flow (&media, OURS + 1) && !rtp_media_is_named (&media, &others));
  ck_assert_uint_eq (media.elsewhere, 7);
  block.ssrc = others.ssrcs[0] = OURS;
  ck_assert (rtp_media_on_report_block (&media, THEM, &block, 0, now));
  ck_assert (rtp_media_on_remb (&media, THEM, &others, now) && rtp_media_on_path (&media, THEM, OURS, &path, now));
  ck_assert (rtp_media_on_tfrc (&media, OURS) && rtp_media_on_twcc (&media, OURS) && rtp_media_on_twcc (&media, 0));
  rtp_media_find (&media, OURS)->resends = true;
  ck_assert (!rtp_media_on_report_block (&media, THEM, &block, 0, now) && !rtp_media_on_tfrc (&media, OURS));
  ck_assert (!rtp_media_on_path (&media, THEM, OURS, &path, now) && !rtp_media_is_flow (&media, OURS));
  ck_assert_uint_eq (media.elsewhere, 7);
}
END_TEST

/* As a FIR: one at once, the next when it may be asked for. */
START_TEST (this_end_wants_key_units)
{
  begin ();
  ck_assert (rtp_media_want_key_units (&media, now));
  ck_assert_uint_eq (told[RTP_EVENT_KEY_UNIT], 1);
  ck_assert (last[RTP_EVENT_KEY_UNIT].ssrc == OURS && last[RTP_EVENT_KEY_UNIT].full);
  rtp_media_on_pli (&media, OURS, now);
  ck_assert (rtp_media_want_key_units (&media, now + 1));
  ck_assert_uint_eq (told[RTP_EVENT_KEY_UNIT], 1);
  pass (CC_SECOND);
  ck_assert_uint_eq (told[RTP_EVENT_KEY_UNIT], 2);
  rtp_locals_remove (&locals, OURS, 9);
  ck_assert (!rtp_media_want_key_units (&media, now));
}
END_TEST

CC_TEST_MAIN ("rtpmedia", a_limit_needs_a_proof, who_has_agreed_asks_twice, what_is_not_of_the_flow_is_counted,
    this_end_wants_key_units, key_units_are_asked_for, packets_are_sent_again_if_they_were_sent,
    the_lowest_rate_holds_until_it_ends, who_leaves_limits_no_more, a_limit_is_owed_a_notification,
    reports_are_kept_by_receiver)
