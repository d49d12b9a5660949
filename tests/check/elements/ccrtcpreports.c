/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports of every packet and TMMBR inside of RTCP: built, checked byte by byte, walked. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/check/gstcheck.h>

#include "gstccrtcp.h"

#define US 0x11111111u
#define THEM 0x22222222u
#define NOW (100 * GST_SECOND)

typedef struct {
  guint ccfb, blocks, received, twcc, statuses, tmmbr, tmmbn, malformed;
  guint32 media, rts, first_ssrc;
  guint8 fb_pkt_count;
  RtcpTmmb entries[RTCP_WALK_MAX_TMMB];
  guint n_entries;
} Seen;

static void
on_ccfb (gpointer user, guint32 sender, const RtcpCcfbReader *report)
{
  RtcpCcfbReader reader = *report;
  RtcpCcfbBlock block;
  Seen *seen = user;

  fail_unless_equals_int (sender, US);
  seen->ccfb++;
  seen->rts = reader.rts;
  while (rtcp_ccfb_next (&reader, &block)) {
    if (seen->blocks++ == 0)
      seen->first_ssrc = block.ssrc;
    for (guint i = 0; i < block.num_reports; i++)
      seen->received += rtcp_ccfb_metric (&block, i).received;
  }
}

static void
on_twcc (gpointer user, guint32 sender, guint32 media, const RtcpTwccReader *report)
{
  RtcpTwccReader reader = *report;
  RtcpTwccStatus status;
  Seen *seen = user;

  fail_unless_equals_int (sender, US);
  seen->twcc++;
  seen->media = media;
  seen->fb_pkt_count = reader.fb_pkt_count;
  while (rtcp_twcc_next (&reader, &status))
    seen->statuses++;
}

static void
on_tmmbr (gpointer user, guint32 sender, const RtcpTmmb *entry)
{
  Seen *seen = user;

  seen->entries[seen->tmmbr++] = *entry;
}

static void
on_tmmbn (gpointer user, guint32 sender, const RtcpTmmb *entries, guint n)
{
  Seen *seen = user;

  seen->tmmbn++;
  seen->n_entries = n;
  memcpy (seen->entries, entries, n * sizeof *entries);
}

static void
on_malformed (gpointer user, guint packet_type)
{
  ((Seen *)user)->malformed++;
}

static const RtcpHandlers handlers = {
    .ccfb = on_ccfb, .twcc = on_twcc, .tmmbr = on_tmmbr, .tmmbn = on_tmmbn, .malformed = on_malformed};

static GstBuffer *buffer;
static RtcpWriter rtcp;
static guint8 data[RTCP_MTU];
static Seen seen;

static void
begin (guint mtu)
{
  buffer = gst_cc_rtcp_open (&rtcp, mtu);
}

static gsize
end (void)
{
  gsize size;

  gst_cc_rtcp_close (&rtcp, buffer);
  size = gst_buffer_extract (buffer, 0, data, sizeof data);
  gst_buffer_unref (buffer);
  return size;
}

static gboolean
walk (gsize size)
{
  memset (&seen, 0, sizeof seen);
  return rtcp_walk (data, size, &handlers, &seen);
}

/* 8f|11: RTPFB FMT 11, length 5 words: our SSRC, then block and timestamp; 0x400 is 1 s of 1024ths. */
GST_START_TEST (test_ccfb_bytes)
{
  static const guint8 golden[] = {
      0x8b, 205, 0, 5, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22, 0, 7, 0, 1, 0x84, 0, 0, 0, 0xca, 0xfe, 0, 1};
  ArrivalHistory history;
  RtcpCcfbStream stream = {THEM, &history};

  arrival_history_init (&history, 0);
  arrival_history_on_packet (&history, 7, ARRIVAL_NOT_ECT, NOW - GST_SECOND);
  begin (RTCP_MTU);
  fail_unless (rtcp_add_ccfb (&rtcp, US, &stream, 1, NOW, 0xcafe0001));
  fail_if (rtcp_add_ccfb (&rtcp, US, &stream, 1, NOW, 0xcafe0001)); /* nothing new */
  fail_unless_equals_int (end (), sizeof golden);
  fail_unless (memcmp (data, golden, sizeof golden) == 0);
  fail_unless (walk (sizeof golden));
  fail_unless_equals_int (seen.ccfb, 1);
  fail_unless_equals_int (seen.blocks, 1);
  fail_unless_equals_int (seen.rts, 0xcafe0001);
  fail_unless_equals_int (seen.first_ssrc, THEM);
}

GST_END_TEST

/* Without any block the timestamp stands where other messages have a media SSRC. */
GST_START_TEST (test_ccfb_without_blocks)
{
  static const guint8 empty[] = {0x8b, 205, 0, 2, 0x11, 0x11, 0x11, 0x11, 0, 0, 0, 9};

  memcpy (data, empty, sizeof empty);
  fail_unless (walk (sizeof empty));
  fail_unless_equals_int (seen.ccfb, 1);
  fail_unless_equals_int (seen.rts, 9);
  fail_unless_equals_int (seen.blocks + seen.malformed, 0);
  data[3] = 1;
  fail_unless (walk (8));
  fail_unless_equals_int (seen.malformed, 1);
}

GST_END_TEST

/* Two streams of 900 packets in messages of at most 400 bytes: all of it comes over, nothing twice. */
GST_START_TEST (test_ccfb_split)
{
  static ArrivalHistory histories[2];
  RtcpCcfbStream streams[] = {{1, &histories[0]}, {2, &histories[1]}};
  guint received = 0, messages = 0, i;

  for (i = 0; i < 2; i++)
    arrival_history_init (&histories[i], 0);
  for (i = 0; i < 1800; i++)
    arrival_history_on_packet (&histories[i % 2], (guint16)(i / 2), ARRIVAL_NOT_ECT, NOW - GST_SECOND);
  for (;;) {
    gboolean added;
    gsize size;

    begin (400);
    fail_unless (rtcp_add_rr (&rtcp, US, NULL, 0));
    added = rtcp_add_ccfb (&rtcp, US, streams, 2, NOW, 1);
    size = end ();
    if (!added)
      break;
    fail_unless (size <= 400);
    fail_unless (walk (size));
    fail_unless_equals_int (seen.ccfb, 1);
    received += seen.received;
    messages++;
  }
  fail_unless_equals_int (received, 1800);
  /* RR, head, block head and timestamp leave (400 - 8 - 8 - 8 - 4) / 2 = 186 reports. Four of those and 156, which
     leave room for 26 of the other stream; four more and 130 */
  fail_unless_equals_int (messages, 10);
}

GST_END_TEST

GST_START_TEST (test_twcc)
{
  static const guint8 golden[] = {0x8f, 205, 0, 5, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22, 0, 3, 0, 1, 0, 0x06,
      0x1a, 255, 0x20, 1, 0x80, 0};
  ArrivalHistory history;
  guint8 count = 255;

  /* 100 s = 1562.5 x 64 ms: 0x61a, and 32 ms = 128 x 250 us */
  arrival_history_init (&history, 0);
  begin (RTCP_MTU);
  fail_if (rtcp_add_twcc (&rtcp, US, THEM, &history, &count));
  fail_unless_equals_int (count, 255);
  arrival_history_on_packet (&history, 3, ARRIVAL_NOT_ECT, NOW);
  fail_unless (rtcp_add_twcc (&rtcp, US, THEM, &history, &count));
  fail_unless_equals_int (count, 0);
  fail_unless_equals_int (end (), sizeof golden);
  fail_unless (memcmp (data, golden, sizeof golden) == 0);
  fail_unless (walk (sizeof golden));
  fail_unless_equals_int (seen.twcc, 1);
  fail_unless_equals_int (seen.statuses, 1);
  fail_unless_equals_int (seen.media, THEM);
  fail_unless_equals_int (seen.fb_pkt_count, 255);
}

GST_END_TEST

/* Peers set the padding bit for the one to three bytes behind the deltas; elsewhere only multiples of four will do. */
GST_START_TEST (test_twcc_padding)
{
  guint8 message[] = {
      0xaf, 205, 0, 5, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22, 0, 3, 0, 1, 0, 0x06, 0x1a, 0, 0x20, 1, 0x80, 1};

  memcpy (data, message, sizeof message);
  fail_unless (walk (sizeof message));
  fail_unless_equals_int (seen.twcc, 1);
  fail_unless_equals_int (seen.statuses, 1);
  data[23] = 2; /* then the delta is missing */
  fail_unless (walk (sizeof message));
  fail_unless_equals_int (seen.malformed, 1);
  data[0] = 0xab; /* CCFB */
  data[23] = 1;
  fail_unless (walk (sizeof message));
  fail_unless_equals_int (seen.malformed, 1);
}

GST_END_TEST

/* 1 Mb/s and 40 bytes as in rtcptmmb.c; the header's media SSRC is 0. */
GST_START_TEST (test_tmmbr)
{
  static const guint8 golden[] = {
      0x83, 205, 0, 4, 0x11, 0x11, 0x11, 0x11, 0, 0, 0, 0, 0x22, 0x22, 0x22, 0x22, 0x0f, 0xd0, 0x90, 0x28};
  RtcpTmmb entry = {THEM, 1000000, 40};

  begin (RTCP_MTU);
  fail_if (rtcp_add_tmmbr (&rtcp, US, NULL, 0));
  fail_unless (rtcp_add_tmmbr (&rtcp, US, &entry, 1));
  fail_unless_equals_int (end (), sizeof golden);
  fail_unless (memcmp (data, golden, sizeof golden) == 0);
  fail_unless (walk (sizeof golden));
  fail_unless_equals_int (seen.tmmbr, 1);
  fail_unless_equals_uint64 (seen.entries[0].bitrate_bps, 1000000);
  data[3] = 3; /* half an entry */
  fail_unless (walk (16));
  fail_unless_equals_int (seen.malformed, 1);
  data[3] = 2; /* a request for nothing */
  fail_unless (walk (12));
  fail_unless_equals_int (seen.malformed, 1);
}

GST_END_TEST

GST_START_TEST (test_tmmbn)
{
  RtcpTmmb entries[RTCP_WALK_MAX_TMMB + 1];
  gsize size;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (entries); i++)
    entries[i] = (RtcpTmmb){i, 1000 * i, 40};
  begin (RTCP_MTU);
  fail_unless (rtcp_add_tmmbn (&rtcp, US, NULL, 0)); /* nobody limits */
  size = end ();
  fail_unless_equals_int (size, 12);
  fail_unless_equals_int (data[0], 0x84);
  fail_unless (walk (size));
  fail_unless_equals_int (seen.tmmbn, 1);
  fail_unless_equals_int (seen.n_entries + seen.malformed, 0);
  begin (RTCP_MTU);
  fail_if (rtcp_add_tmmbn (&rtcp, US, entries, G_N_ELEMENTS (entries))); /* 12 + 8 x 149 = 1204 */
  fail_unless (rtcp_add_tmmbn (&rtcp, US, entries, RTCP_WALK_MAX_TMMB));
  size = end ();
  fail_unless (walk (size));
  fail_unless_equals_int (seen.n_entries, RTCP_WALK_MAX_TMMB);
  fail_unless_equals_int (seen.entries[147].ssrc, 147);
}

GST_END_TEST

static Suite *
ccrtcpreports_suite (void)
{
  Suite *suite = suite_create ("ccrtcpreports");
  TCase *tcase = tcase_create ("ccrtcpreports");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_ccfb_bytes);
  tcase_add_test (tcase, test_ccfb_without_blocks);
  tcase_add_test (tcase, test_ccfb_split);
  tcase_add_test (tcase, test_twcc);
  tcase_add_test (tcase, test_twcc_padding);
  tcase_add_test (tcase, test_tmmbr);
  tcase_add_test (tcase, test_tmmbn);
  return suite;
}

GST_CHECK_MAIN (ccrtcpreports);
