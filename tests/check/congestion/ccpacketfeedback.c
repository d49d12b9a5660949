/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How it steers a sender over a link stands in ccsender.c. */
#include "ccpacketfeedback.h"
#include "cctest.h"
#include "rtcpbytes.h"

#include <string.h>

#define MS CC_MSECOND
#define T0 (100 * CC_SECOND)
#define GAP (10 * MS) /* between packets */
#define ONE_WAY (40 * MS)
#define R (80 * MS)
#define CLOCK (3000 * CC_SECOND) /* the receiver's is ahead by that */
#define SIZE 972

static CcPacketFeedback f;
static CcPacketVerdict verdict;
static ArrivalHistory a, b, all;
static uint8_t bytes[4000];
static unsigned sent;
static ArrivalEcn ecn; /* of what arrives */

static void
reset (void)
{
  CcPacketFeedbackParams params;

  cc_packet_feedback_params_init (&params);
  cc_packet_feedback_init (&f, &params);
  memset (&verdict, 0, sizeof verdict);
  arrival_history_init (&a, 0);
  arrival_history_init (&b, 0);
  arrival_history_init (&all, 0);
  sent = 0;
  ecn = ARRIVAL_NOT_ECT;
}

/* When the next packet leaves. */
static CcTime
next (void)
{
  return T0 + sent * GAP;
}

/* Packet of stream 1 or 2; lost where arrives is false. */
static void
send_packet (uint32_t ssrc, uint16_t seq, uint32_t size, bool arrives)
{
  CcTime at = next () + ONE_WAY + CLOCK;

  if (arrives) {
    arrival_history_on_packet (&all, cc_packet_feedback_number (&f), ecn, at);
    arrival_history_on_packet (ssrc == 1 ? &a : &b, seq, ecn, at);
  }
  cc_packet_feedback_on_sent (&f, ssrc, seq, size, sent, next ());
  sent++;
}

static void
send_one (uint32_t ssrc, uint16_t seq, bool arrives)
{
  send_packet (ssrc, seq, SIZE, arrives);
}

/* Leaves `delay` after the last packet's arrival. */
static bool
report_ccfb (CcDuration delay)
{
  CcTime at = next () - GAP + ONE_WAY + delay, theirs = at + CLOCK;
  RtcpCcfbWriter writer;
  RtcpCcfbReader reader;
  size_t size;

  rtcp_ccfb_begin (&writer, bytes, sizeof bytes, theirs);
  rtcp_ccfb_add (&writer, 1, &a);
  rtcp_ccfb_add (&writer, 2, &b);
  size = rtcp_ccfb_end (&writer, (uint32_t)((theirs / CC_SECOND << 16) + ((theirs % CC_SECOND << 16) / CC_SECOND)));
  ck_assert (rtcp_ccfb_open (&reader, bytes, size));
  return cc_packet_feedback_on_ccfb (&f, &reader, R, SIZE, at + ONE_WAY, &verdict);
}

static bool
report_twcc (uint8_t fb_pkt_count)
{
  RtcpTwccReader reader;

  ck_assert (rtcp_twcc_open (&reader, bytes, rtcp_twcc_write (bytes, sizeof bytes, &all, fb_pkt_count)));
  return cc_packet_feedback_on_twcc (&f, &reader, R, SIZE, next () - GAP + 2 * ONE_WAY, &verdict);
}

/* 20 ms at the receiver; the offsets are told in 1/1024 s. */
START_TEST (test_round_trip_time)
{
  reset ();
  for (uint16_t i = 0; i < 10; i++)
    send_one (1, (uint16_t)(65530 + i), true);
  ck_assert (report_ccfb (20 * MS));
  ck_assert_uint_eq (verdict.tfrc.t_recvdata, next () - GAP);
  ck_assert_double_eq_tol (cc_seconds (verdict.tfrc.t_delay), 0.02, 0.001);
  ck_assert_double_eq_tol (cc_seconds (verdict.tfrc.received_at - verdict.tfrc.t_recvdata), 0.1, 1e-9);
  ck_assert_double_eq (verdict.tfrc.p, 0);
  /* nothing new: no verdict */
  ck_assert (!report_ccfb (30 * MS));
  ck_assert_uint_eq (f.nonsense + cc_packet_feedback_unknown (&f), 0);
}
END_TEST

START_TEST (test_twcc_numbers)
{
  reset ();
  ck_assert_uint_eq (cc_packet_feedback_number (&f), 0);
  for (unsigned i = 0; i < 70000; i++) {
    ck_assert_uint_eq (cc_packet_feedback_number (&f), i & 0xffff);
    send_one (1, (uint16_t)(3 * i), true);
    if (i % 10 == 9)
      ck_assert (report_twcc ((uint8_t)(i / 10)));
  }
  ck_assert_uint_eq (verdict.tfrc.t_recvdata, next () - GAP);
  /* 972 bytes every 10 ms; reports every 100 ms */
  ck_assert_double_eq_tol (verdict.tfrc.X_recv, 97200, 1);
  ck_assert_uint_eq (f.gaps + f.nonsense + cc_packet_feedback_unknown (&f), 0);
}
END_TEST

/* Streams take turns; one packet of each is lost, 100 ms apart, in the order they left: R is 80 ms, so two events. In
   the order of the blocks, all of one stream before the other, the second would be late news. */
START_TEST (test_losses_of_two_streams)
{
  reset ();
  for (uint16_t i = 0; i < 100; i++) {
    send_one (1, i, i != 40);
    send_one (2, i, i != 45);
  }
  ck_assert (report_ccfb (0));
  ck_assert_uint_eq (f.tfrc.history.lost_packets, 2);
  ck_assert_uint_eq (f.tfrc.history.loss_events, 2);
  ck_assert_uint_eq (f.tfrc.unknown, 0);
}
END_TEST

/* The second of three messages does not come. What it told is "not received" in the third where that reaches back for
   a late packet, and no loss. */
START_TEST (test_a_message_that_is_missing)
{
  uint64_t number;

  reset ();
  for (uint16_t i = 0; i < 10; i++)
    send_one (1, i, true);
  ck_assert (report_twcc (0));
  number = f.next & 0xffff;
  for (uint16_t i = 10; i < 20; i++)
    send_one (1, i, i != 10);
  rtcp_twcc_write (bytes, sizeof bytes, &all, 1);
  arrival_history_on_packet (&all, (uint16_t)number, ARRIVAL_NOT_ECT, next () + ONE_WAY + CLOCK);
  for (uint16_t i = 20; i < 30; i++)
    send_one (1, i, true);
  ck_assert (report_twcc (2));
  ck_assert_uint_eq (f.gaps, 1);
  ck_assert_uint_eq (f.tfrc.history.lost_packets, 0);
  ck_assert_double_eq (verdict.tfrc.p, 0);
  /* the next one is whole again */
  for (uint16_t i = 30; i < 40; i++)
    send_one (1, i, i != 33);
  ck_assert (report_twcc (3));
  ck_assert_uint_eq (f.gaps, 1);
  ck_assert_uint_eq (f.tfrc.history.lost_packets, 1);
  ck_assert_double_eq (f.path.loss.cause.all.lost, 1);
}
END_TEST

/* CE is a loss event without a loss (RFC 8888 3.1, RFC 5348 3.2.1). */
START_TEST (test_marks)
{
  reset ();
  for (uint16_t i = 0; i < 50; i++)
    send_one (1, i, true);
  arrival_history_on_packet (&a, 30, ARRIVAL_CE, next () + CLOCK);
  ck_assert (report_ccfb (0));
  ck_assert_uint_eq (f.tfrc.history.marks, 1);
  ck_assert_uint_eq (f.tfrc.history.loss_events, 1);
  ck_assert_double_gt (verdict.tfrc.p, 0);
}
END_TEST

/* Offsets of 0x1fff: it arrived, nobody knows when. */
START_TEST (test_arrivals_without_a_time)
{
  static const uint8_t body[] = {
      0, 0, 0, 1, 0, 0, 0, 4, 0x9f, 0xff, 0x9f, 0xff, 0x9f, 0xff, 0x9f, 0xff, 0x0b, 0xb8, 0, 0};
  RtcpCcfbReader reader;

  reset ();
  for (uint16_t i = 0; i < 4; i++)
    send_one (1, i, true);
  ck_assert (rtcp_ccfb_open (&reader, body, sizeof body));
  ck_assert (cc_packet_feedback_on_ccfb (&f, &reader, R, SIZE, next () + ONE_WAY, &verdict));
  ck_assert_uint_eq (verdict.tfrc.t_delay, 0);
  ck_assert_uint_eq (verdict.tfrc.t_recvdata, next () - GAP);
  ck_assert (!f.path.view.started);
  ck_assert_double_gt (verdict.path.rate_Bps, 0);
  ck_assert_uint_eq (f.newest, 0); /* no number from which a loss could be counted */
}
END_TEST

/* Older than the window of packets remembered, or of another stream. */
START_TEST (test_packets_nobody_remembers)
{
  reset ();
  for (unsigned i = 0; i < TFRC_PACKET_REPORT_SLOTS + 20; i++)
    send_one (1, (uint16_t)i, i < 10);
  ck_assert (!report_ccfb (0));
  ck_assert_uint_eq (cc_packet_feedback_unknown (&f), 10);
  arrival_history_on_packet (&b, 20, ARRIVAL_NOT_ECT, next () + CLOCK);
  ck_assert (!report_ccfb (0));
  ck_assert_uint_eq (cc_packet_feedback_unknown (&f), 11);
  ck_assert (!f.has_report);
}
END_TEST

/* Another path: reports of packets from before mean nothing; the numbers on the wire go on. */
START_TEST (test_restart)
{
  CcPacketFeedbackParams params;

  reset ();
  cc_packet_feedback_params_init (&params);
  for (uint16_t i = 0; i < 10; i++)
    send_one (1, i, true);
  cc_packet_feedback_restart (&f, &params);
  ck_assert_uint_eq (cc_packet_feedback_number (&f), 10);
  ck_assert (!report_twcc (0));
  ck_assert_uint_eq (cc_packet_feedback_unknown (&f), 10);
  for (uint16_t i = 10; i < 20; i++)
    send_one (1, i, true);
  ck_assert (report_twcc (1));
  ck_assert_uint_eq (verdict.tfrc.t_recvdata, next () - GAP);
  ck_assert_uint_eq (cc_packet_feedback_unknown (&f), 10);
}
END_TEST

/* ---- packets that somebody else numbers ---- */

/* n of them from number `first` on, sent GAP apart; `lost` (an index) did not arrive. */
static bool
tell (uint16_t first, unsigned n, unsigned lost)
{
  CcToldPacket told[64];

  for (unsigned i = 0; i < n; i++, sent++)
    told[i] = (CcToldPacket){.number = (uint16_t)(first + i),
        .sent_at = next (),
        .size_bytes = SIZE,
        .frame = sent,
        .received = i != lost,
        .arrived_at = next () + ONE_WAY + CLOCK};
  return cc_packet_feedback_on_told (&f, told, n, R, SIZE, next () - GAP + 2 * ONE_WAY, &verdict);
}

#define NONE_LOST 64

START_TEST (test_told_packets)
{
  reset ();
  for (unsigned i = 0; i < 7000; i++)
    ck_assert (tell ((uint16_t)(65000 + 10 * i), 10, NONE_LOST));
  ck_assert_uint_eq (verdict.tfrc.t_recvdata, next () - GAP);
  /* 972 bytes every 10 ms; reports every 100 ms */
  ck_assert_double_eq_tol (verdict.tfrc.X_recv, 97200, 1);
  ck_assert_double_eq (verdict.tfrc.p, 0);
  ck_assert_uint_eq (f.nonsense + cc_packet_feedback_unknown (&f), 0);
  ck_assert (tell ((uint16_t)(65000 + 70000), 10, 4));
  ck_assert_uint_eq (f.tfrc.history.lost_packets, 1);
}
END_TEST

/* Frames of `frame` packets, n of them told: is the receiver taken for one that speaks at their ends? */
static bool
tell_frames (unsigned frame, unsigned n)
{
  static unsigned number;
  CcToldPacket told[64];

  for (unsigned i = 0; i < n; i++, sent++, number++)
    told[i] = (CcToldPacket){.number = (uint16_t)number,
        .sent_at = next (),
        .size_bytes = SIZE,
        .frame = number / frame,
        .received = true,
        .arrived_at = next () + ONE_WAY + CLOCK};
  ck_assert (cc_packet_feedback_on_told (&f, told, n, R, SIZE, next () - GAP + 2 * ONE_WAY, &verdict));
  return verdict.whole_frames;
}

/* Until a report within a frame says otherwise, as the one behind it shows; eight others in a row, and it is again. */
START_TEST (test_reports_of_whole_frames)
{
  reset ();
  ck_assert (tell_frames (1, 1));
  for (unsigned i = 1; i < 20; i++)
    ck_assert (tell_frames (1, 1));
  ck_assert (tell_frames (5, 5));
  ck_assert (tell_frames (5, 2));
  ck_assert (!tell_frames (5, 3));
  for (unsigned i = 0; i < 7; i++)
    ck_assert (!tell_frames (5, i == 3 ? 10 : 5));
  ck_assert (tell_frames (5, 5));
}
END_TEST

/* Ten numbers between two reports were told of by nobody: unknown, not lost. So is a jump beyond all memory. */
START_TEST (test_told_packets_with_gaps)
{
  reset ();
  ck_assert (tell (0, 10, NONE_LOST));
  ck_assert (tell (20, 10, NONE_LOST));
  ck_assert (tell (30, 10, NONE_LOST));
  ck_assert_uint_eq (f.tfrc.history.lost_packets, 0);
  ck_assert_uint_eq (f.tfrc.unknown, 10);
  ck_assert (tell (20000, 10, NONE_LOST));
  ck_assert (tell (20010, 10, 3));
  ck_assert_uint_eq (f.tfrc.history.lost_packets, 1);
}
END_TEST

/* Numbers the sender never used have no send time; old and repeated ones tell nothing new. */
START_TEST (test_told_nonsense)
{
  CcToldPacket told = {.number = 5, .sent_at = CC_TIME_NONE, .size_bytes = SIZE, .received = true, .arrived_at = CLOCK};

  reset ();
  ck_assert (tell (0, 10, NONE_LOST));
  ck_assert (!cc_packet_feedback_on_told (&f, &told, 1, R, SIZE, next () + R, &verdict));
  told.number = 40000;
  ck_assert (!cc_packet_feedback_on_told (&f, &told, 1, R, SIZE, next () + R, &verdict));
  ck_assert_uint_eq (cc_packet_feedback_unknown (&f), 2);
  ck_assert_uint_eq (f.next & 0xffff, 10);
  /* sent in the future */
  told.number = 10;
  told.sent_at = next () + CC_SECOND;
  ck_assert (!cc_packet_feedback_on_told (&f, &told, 1, R, SIZE, next () + R, &verdict));
  ck_assert_uint_eq (f.next & 0xffff, 10);
  /* known already */
  told = (CcToldPacket){9, next () - GAP, SIZE, 9, true, next () - GAP + ONE_WAY + CLOCK};
  ck_assert (!cc_packet_feedback_on_told (&f, &told, 1, R, SIZE, next () + R, &verdict));
  ck_assert (tell (10, 10, NONE_LOST));
}
END_TEST

/* Numbers from behind of packets that were sent later: who numbers them began anew. Each is a new packet at once, and
   what comes out of it is what came before. */
START_TEST (test_told_packets_numbered_anew)
{
  const uint16_t first[] = {65000, 64000, 30000, 29950, 30000 - 32768};

  reset ();
  for (unsigned jump = 0; jump < 5; jump++) {
    for (unsigned i = 0; i < 100; i++)
      ck_assert (tell ((uint16_t)(first[jump] + 10 * i), 10, NONE_LOST));
    ck_assert_double_eq_tol (verdict.tfrc.X_recv, 97200, 1);
    ck_assert_double_eq (verdict.tfrc.p, 0);
  }
  ck_assert_uint_eq (f.nonsense + cc_packet_feedback_unknown (&f), 0);
}
END_TEST

/* They come through a report as they came to the receiver, and those of ECT(1) are no losses (RFC 9331 4.3). */
START_TEST (test_marks_of_ect_1)
{
  reset ();
  for (uint16_t i = 0; i < 100; i++) {
    ecn = i % 4 == 3 ? ARRIVAL_CE : ARRIVAL_ECT_1;
    send_one (1, i, true);
    if (i % 10 == 9)
      ck_assert (report_ccfb (0));
  }
  ck_assert_uint_eq (f.tfrc.history.marks, 0);
  ck_assert_double_eq (verdict.tfrc.p, 0);
  ck_assert_double_eq_tol (f.path.view.marks.fraction, 0.25, 0.15);
  ck_assert_uint_eq (verdict.path.ecn, ARRIVAL_ECN_BIT (ARRIVAL_ECT_1) | ARRIVAL_ECN_BIT (ARRIVAL_CE));
}
END_TEST

/* Every third packet is larger than the path takes. It counts as no loss when that is clear; what is lost later does.
 */
START_TEST (test_what_is_too_large_is_no_loss)
{
  reset ();
  for (unsigned i = 0; i < 200; i++) {
    bool large = i % 3 == 0;

    send_packet (1, (uint16_t)i, large ? 1300 : 900, i < 100 || !large);
    if (i % 5 == 4)
      report_ccfb (0);
  }
  ck_assert_uint_eq (path_mtu_limit (&f.mtu, next ()), 900);
  ck_assert_double_eq (verdict.tfrc.p, 0);
  for (unsigned i = 200; i < 300; i++) {
    send_packet (1, (uint16_t)i, 900, i % 10 > 0);
    if (i % 5 == 4)
      report_ccfb (0);
  }
  ck_assert_double_gt (verdict.tfrc.p, 0.01);
  ck_assert_uint_eq (f.mtu.limited, 1);
}
END_TEST

static void
send_many (void)
{
  reset ();
  for (unsigned i = 0; i < 2 * TFRC_PACKET_REPORT_SLOTS; i++)
    send_one (1, (uint16_t)i, false);
}

/* A message of so many statuses in runs of which the first is of number `base`: none has arrived. */
static RtcpTwccReader
read_runs (uint16_t base, uint16_t count)
{
  RtcpTwccReader reader;
  size_t size = RTCP_TWCC_HEADER_SIZE;

  memset (bytes, 0, sizeof bytes);
  rtcp_put_u16 (bytes, base);
  rtcp_put_u16 (bytes + 2, count);
  for (unsigned left = count; left > 0; size += 2) {
    unsigned run = left < 8191 ? left : 8191;

    rtcp_put_u16 (bytes + size, (uint16_t)run);
    left -= run;
  }
  ck_assert (rtcp_twcc_open (&reader, bytes, size));
  return reader;
}

/* 28 bytes that name all numbers there are tell of the packets that are remembered what
   those do that name no others; tests/bench/core.c has what it costs. */
START_TEST (test_runs_of_what_nobody_remembers)
{
  uint16_t oldest = TFRC_PACKET_REPORT_SLOTS;
  const struct {
    uint16_t base, count;
  } runs[] = {{0, UINT16_MAX}, {oldest, TFRC_PACKET_REPORT_SLOTS}};

  for (unsigned i = 0; i < 2; i++) {
    RtcpTwccReader reader = read_runs (runs[i].base, runs[i].count);

    send_many ();
    ck_assert (!cc_packet_feedback_on_twcc (&f, &reader, R, SIZE, next (), &verdict));
    ck_assert_uint_eq (f.first_noted, f.next - TFRC_PACKET_REPORT_SLOTS);
    ck_assert_uint_eq (f.last_noted, f.next - 1);
  }
}
END_TEST

static RtcpCcfbReader
read_blocks (uint32_t ssrc, uint32_t step, unsigned blocks, uint16_t seq, CcTime theirs)
{
  static uint8_t body[12 * 1000 + 4];
  RtcpCcfbReader reader;
  uint8_t *at = body;

  for (unsigned i = 0; i < blocks; i++, at += 12) {
    rtcp_put_u32 (at, ssrc + i * step);
    rtcp_put_u16 (at + 4, seq);
    rtcp_put_u16 (at + 6, 2);
    rtcp_put_u32 (at + 8, i == 0 || step > 0 ? 0x80000000 : 0); /* the first has arrived; or no, it has not */
  }
  rtcp_put_u32 (at, (uint32_t)(theirs / CC_SECOND << 16));
  ck_assert (rtcp_ccfb_open (&reader, body, 12 * (size_t)blocks + 4));
  return reader;
}

/* Of many blocks on a stream the first counts, of a stranger's none. */
START_TEST (test_a_stream_has_one_block)
{
  const uint32_t ssrcs[] = {1, 77};

  for (unsigned i = 0; i < 2; i++) {
    RtcpCcfbReader reader;
    CcTime now;

    send_many ();
    now = next ();
    reader = read_blocks (ssrcs[i], 0, 1000, 8000, now + CLOCK);
    ck_assert_int_eq (cc_packet_feedback_on_ccfb (&f, &reader, R, SIZE, now, &verdict), ssrcs[i] == 1);
    ck_assert_uint_eq (f.known, ssrcs[i] == 1);
    ck_assert_uint_eq (f.told, 1);
  }
}
END_TEST

/* In turn, as a bundle of many sends. */
START_TEST (test_as_many_streams_as_a_sender_has)
{
  RtcpCcfbReader reader;
  CcTime now;

  reset ();
  for (unsigned i = 0; i < 3 * CC_PACKET_FEEDBACK_STREAMS; i++)
    send_one (10 + i % CC_PACKET_FEEDBACK_STREAMS, (uint16_t)(100 + i / CC_PACKET_FEEDBACK_STREAMS), false);
  now = next ();
  reader = read_blocks (10, 1, CC_PACKET_FEEDBACK_STREAMS, 100, now + CLOCK);
  ck_assert (cc_packet_feedback_on_ccfb (&f, &reader, R, SIZE, now, &verdict));
  ck_assert_uint_eq (f.known, CC_PACKET_FEEDBACK_STREAMS);
}
END_TEST

CC_TEST_MAIN ("ccpacketfeedback", test_round_trip_time, CC_TEST_LONG (test_twcc_numbers), test_losses_of_two_streams,
    test_a_message_that_is_missing, test_marks, test_arrivals_without_a_time, test_packets_nobody_remembers,
    test_restart, test_told_packets, test_reports_of_whole_frames, test_told_packets_with_gaps,
    test_told_packets_numbered_anew, test_told_nonsense, test_marks_of_ect_1, test_what_is_too_large_is_no_loss,
    test_runs_of_what_nobody_remembers, test_a_stream_has_one_block, test_as_many_streams_as_a_sender_has)
