/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/check/gstcheck.h>

#include <string.h>

#include "gstccextension.h"
#include "gstccrtcp.h"

#define US 0x11111111u
#define THEM 0x22222222u

typedef struct {
  guint sr, blocks, cname, bye, tfrc, remb, path, pli, fir, malformed;
  GstCcSenderInfo info;
  GstCcReportBlock block;
  gchar name[256];
  TfrcReport report;
  RtcpRemb last_remb;
  RtcpPath last_path;
  guint32 sender, media;
  guint8 fir_seq;
} Seen;

static void
on_sr (gpointer user, const GstCcSenderInfo *info)
{
  Seen *seen = user;

  seen->sr++;
  seen->info = *info;
}

static void
on_block (gpointer user, guint32 sender, const GstCcReportBlock *block)
{
  Seen *seen = user;

  seen->blocks++;
  seen->block = *block;
}

static void
on_cname (gpointer user, guint32 ssrc, const gchar *cname)
{
  Seen *seen = user;

  seen->cname++;
  g_strlcpy (seen->name, cname, sizeof seen->name);
}

static void
on_bye (gpointer user, guint32 ssrc)
{
  ((Seen *)user)->bye++;
}

static void
on_tfrc (gpointer user, guint32 sender, guint32 media, const TfrcReport *report)
{
  Seen *seen = user;

  seen->tfrc++;
  seen->report = *report;
  seen->sender = sender;
  seen->media = media;
}

static void
on_remb (gpointer user, guint32 sender, const RtcpRemb *remb)
{
  Seen *seen = user;

  seen->remb++;
  seen->last_remb = *remb;
}

static void
on_path (gpointer user, guint32 sender, guint32 media, const RtcpPath *path)
{
  Seen *seen = user;

  seen->path++;
  seen->last_path = *path;
}

static void
on_pli (gpointer user, guint32 sender, guint32 media)
{
  ((Seen *)user)->pli++;
}

static void
on_fir (gpointer user, guint32 sender, guint32 media, guint8 seq)
{
  Seen *seen = user;

  seen->fir++;
  seen->media = media;
  seen->fir_seq = seq;
}

static void
on_malformed (gpointer user, guint packet_type)
{
  ((Seen *)user)->malformed++;
}

static const GstCcRtcpHandlers handlers = {
    on_sr, on_block, on_cname, on_bye, on_tfrc, on_remb, on_path, on_pli, on_fir, on_malformed};

static gsize
build (guint8 *out, gsize capacity, gboolean reduced)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (GST_CC_RTCP_MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstCcSenderInfo info = {US, G_GUINT64_CONSTANT (0x0102030405060708), 90000, 10, 12000};
  GstCcReportBlock block = {THEM, 64, -3, 65536 + 7, 450, 0x33334444, 6553};
  TfrcReport report = {.t_i_us = 123456, .t_delay = 2 * CC_MSECOND, .X_recv = 125000, .p = 0.25};
  RtcpRemb remb = {.bitrate_bps = 1000000, .n_ssrcs = 1, .ssrcs = {THEM}};
  RtcpPath path = {.rate_bps = 2000000, .capacity_bps = 3000000, .queue_delay = 15 * CC_MSECOND};
  guint32 ssrc = US;
  gsize size;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  if (!reduced) {
    fail_unless (gst_cc_rtcp_add_sr (&rtcp, &info, &block, 1));
    fail_unless (gst_cc_rtcp_add_cname (&rtcp, US, "name"));
  }
  fail_unless (gst_cc_rtcp_add_tfrc (&rtcp, US, THEM, &report));
  fail_unless (gst_cc_rtcp_add_path (&rtcp, US, THEM, &path));
  fail_unless (gst_cc_rtcp_add_remb (&rtcp, US, &remb));
  fail_unless (gst_cc_rtcp_add_pli (&rtcp, US, THEM));
  fail_unless (gst_cc_rtcp_add_fir (&rtcp, US, THEM, 77));
  fail_unless (gst_cc_rtcp_add_bye (&rtcp, &ssrc, 1));
  gst_rtcp_buffer_unmap (&rtcp);
  size = gst_buffer_extract (buffer, 0, out, capacity);
  gst_buffer_unref (buffer);
  return size;
}

GST_START_TEST (test_round_trip)
{
  guint8 data[GST_CC_RTCP_MTU];
  gsize size = build (data, sizeof data, FALSE);
  Seen seen = {0};

  fail_unless (gst_cc_rtcp_walk (data, size, &handlers, &seen));
  fail_unless (seen.sr == 1 && seen.blocks == 1 && seen.cname == 1 && seen.bye == 1 && seen.tfrc == 1);
  fail_unless (seen.remb == 1 && seen.path == 1 && seen.pli == 1 && seen.fir == 1 && seen.malformed == 0);
  fail_unless_equals_uint64 (seen.info.ntp_time, G_GUINT64_CONSTANT (0x0102030405060708));
  fail_unless_equals_int (seen.info.octet_count, 12000);
  fail_unless_equals_int (seen.block.packets_lost, -3);
  fail_unless_equals_int (seen.block.ext_highest_seq, 65543);
  fail_unless_equals_string (seen.name, "name");
  fail_unless_equals_int (seen.report.t_i_us, 123456);
  fail_unless_equals_uint64 (seen.report.t_delay, 2 * CC_MSECOND);
  fail_unless_equals_float (seen.report.X_recv, 125000);
  fail_unless_equals_int (seen.sender, US);
  fail_unless_equals_int (seen.media, THEM);
  fail_unless_equals_int (seen.fir_seq, 77);
  fail_unless_equals_uint64 (seen.last_path.queue_delay, 15 * CC_MSECOND);
  fail_unless (seen.last_remb.ssrcs[0] == THEM);
}
GST_END_TEST;

/* FIR (RFC 5104 4.3.1.2) and REMB name their targets in the FCI; the header's SSRC of media source is 0. */
GST_START_TEST (test_targets_in_the_fci)
{
  guint8 data[GST_CC_RTCP_MTU];
  gsize size = build (data, sizeof data, TRUE), at;
  guint found = 0;

  for (at = 0; at + 16 <= size; at += 4 + 4 * (gsize)GST_READ_UINT16_BE (data + at + 2)) {
    gboolean fir = data[at] == 0x84 && data[at + 1] == 206;
    gboolean remb = data[at] == 0x8f && data[at + 1] == 206 && memcmp (data + at + 12, "REMB", 4) == 0;

    if (!fir && !remb)
      continue;
    found++;
    fail_unless_equals_int (GST_READ_UINT32_BE (data + at + 4), US);
    fail_unless_equals_int (GST_READ_UINT32_BE (data + at + 8), 0);
    fail_unless_equals_int (GST_READ_UINT32_BE (data + at + (fir ? 12 : 20)), THEM);
  }
  fail_unless_equals_int (found, 2);
}
GST_END_TEST;

GST_START_TEST (test_reduced_size)
{
  guint8 data[GST_CC_RTCP_MTU];
  gsize size = build (data, sizeof data, TRUE);
  Seen seen = {0};

  fail_unless (gst_cc_rtcp_is_rtcp (data, size));
  fail_unless (gst_cc_rtcp_walk (data, size, &handlers, &seen));
  fail_unless (seen.tfrc == 1 && seen.bye == 1 && seen.sr == 0);
}
GST_END_TEST;

/* Counts in the header that the body does not hold. */
GST_START_TEST (test_bodies_that_lie)
{
  static const guint8 rr[] = {0x82, 201, 0, 1, 0, 0, 0, 1};
  static const guint8 bye[] = {0x9f, 203, 0, 1, 0, 0, 0, 1};
  static const guint8 sdes[] = {0x81, 202, 0, 2, 0, 0, 0, 1, 1, 200, 'a', 'b'};
  static const guint8 feedback[] = {0x82, 205, 0, 1, 0, 0, 0, 1};
  static const guint8 padding[] = {0xa0, 201, 0, 1, 0, 0, 0, 200};
  static const guint8 sr[] = {0x80, 200, 0, 1, 0, 0, 0, 1};
  static const struct {
    const guint8 *data;
    gsize size;
  } cases[] = {{rr, sizeof rr}, {bye, sizeof bye}, {sdes, sizeof sdes}, {feedback, sizeof feedback},
      {padding, sizeof padding}, {sr, sizeof sr}};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    Seen seen = {0};
    gboolean valid = gst_cc_rtcp_walk (cases[i].data, cases[i].size, &handlers, &seen);

    fail_unless (!valid || seen.malformed == 1, "case %u", i);
    fail_unless (seen.sr + seen.blocks + seen.cname + seen.bye + seen.tfrc == 0, "case %u", i);
  }
  fail_if (gst_cc_rtcp_walk (rr, 3, &handlers, NULL));
}
GST_END_TEST;

/* Mutated and cut copies on the heap, for the sanitizers to watch. */
GST_START_TEST (test_mutations)
{
  guint8 data[GST_CC_RTCP_MTU];
  gsize size = build (data, sizeof data, FALSE);
  GRand *random = g_rand_new_with_seed (1);
  Seen seen = {0};
  guint i, j;

  for (i = 0; i < 20000; i++) {
    gsize cut = 4 * (gsize)g_rand_int_range (random, 1, (gint)(size / 4) + 1);
    guint8 *copy = g_memdup2 (data, cut);

    for (j = 0; j < i % 5; j++)
      copy[g_rand_int_range (random, 0, (gint)cut)] = (guint8)g_rand_int (random);
    gst_cc_rtcp_walk (copy, cut, &handlers, &seen);
    g_free (copy);
  }
  fail_unless (seen.malformed > 0 && seen.tfrc > 0);
  g_rand_free (random);
}
GST_END_TEST;

/* 1970-01-01 is 2208988800 s after 1900-01-01; half a second is 2^31. */
/* RFC 7022 4.2: 96 random bits, 16 characters of base64. */
GST_START_TEST (test_cname_is_random)
{
  gchar *one = gst_cc_rtcp_new_cname (), *other = gst_cc_rtcp_new_cname ();

  fail_unless_equals_int (strlen (one), 16);
  fail_unless (strcmp (one, other) != 0);
  g_free (one);
  g_free (other);
}
GST_END_TEST;

GST_START_TEST (test_ntp_time)
{
  fail_unless_equals_uint64 (
      gst_cc_rtcp_ntp_time (1500000), ((G_GUINT64_CONSTANT (2208988801)) << 32) + (G_GUINT64_CONSTANT (1) << 31));
}
GST_END_TEST;

GST_START_TEST (test_extension_id_of_caps)
{
  static const struct {
    const gchar *caps;
    guint id;
  } cases[] = {{"application/x-rtp", 0},
      {"application/x-rtp, extmap-5=(string)urn:ietf:params:rtp-hdrext:rtt-sendts", 5},
      {"application/x-rtp, extmap-3=(string)urn:other, extmap-14=(string)urn:ietf:params:rtp-hdrext:rtt-sendts", 14},
      {"application/x-rtp, extmap-7=(string)< \"\", urn:ietf:params:rtp-hdrext:rtt-sendts, \"\" >", 7},
      {"application/x-rtp, extmap-0=(string)urn:ietf:params:rtp-hdrext:rtt-sendts", 0},
      {"application/x-rtp, extmap-256=(string)urn:ietf:params:rtp-hdrext:rtt-sendts", 0}};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstCaps *caps = gst_caps_from_string (cases[i].caps);

    fail_unless_equals_int (gst_cc_extension_id_from_caps (caps), cases[i].id);
    gst_caps_unref (caps);
  }
}
GST_END_TEST;

static Suite *
ccrtcp_suite (void)
{
  Suite *suite = suite_create ("ccrtcp");
  TCase *tcase = tcase_create ("ccrtcp");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_round_trip);
  tcase_add_test (tcase, test_targets_in_the_fci);
  tcase_add_test (tcase, test_reduced_size);
  tcase_add_test (tcase, test_bodies_that_lie);
  tcase_add_test (tcase, test_mutations);
  tcase_add_test (tcase, test_cname_is_random);
  tcase_add_test (tcase, test_ntp_time);
  tcase_add_test (tcase, test_extension_id_of_caps);
  return suite;
}

GST_CHECK_MAIN (ccrtcp);
