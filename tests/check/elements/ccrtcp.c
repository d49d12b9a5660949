/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/check/gstcheck.h>

#include <string.h>
#include <time.h>

#include "gstccextension.h"
#include "gstccrtcp.h"

#include <gst/rtp/gstrtcpbuffer.h>

#define US 0x11111111u
#define THEM 0x22222222u

typedef struct {
  guint sr, blocks, cname, bye, tfrc, remb, path, pli, fir, malformed;
  RtcpSenderInfo info;
  RtcpReportBlock block;
  gchar name[256];
  TfrcReport report;
  RtcpRemb last_remb;
  RtcpPath last_path;
  guint32 sender, media;
  guint8 fir_seq;
  guint speaks, sdes, app, xr, nacks, slices, rpsis, afb; /* sdes, xr: one bit a type */
  guint32 speaker;
  gchar note[256], reason[256], app_name[5];
  guint8 subtype;
  gsize xr_bytes;
  guint app_sum, afb_sum;
  guint16 last_nack;
  RtcpSli slice;
  RtcpRpsi rpsi;
} Seen;

static void
on_sr (gpointer user, const RtcpSenderInfo *info)
{
  Seen *seen = user;

  seen->sr++;
  seen->info = *info;
}

static void
on_block (gpointer user, guint32 sender, const RtcpReportBlock *block)
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

static void
on_speaks (gpointer user, guint32 ssrc)
{
  Seen *seen = user;

  seen->speaks++;
  seen->speaker = ssrc;
}

static void
on_sdes (gpointer user, guint32 ssrc, RtcpSdesType type, const gchar *text)
{
  Seen *seen = user;

  seen->sdes |= 1u << type;
  if (type == RTCP_SDES_NOTE)
    g_strlcpy (seen->note, text, sizeof seen->note);
}

static void
on_bye_reason (gpointer user, guint32 ssrc, const gchar *reason)
{
  Seen *seen = user;

  fail_unless_equals_int (seen->bye, 0);
  g_strlcpy (seen->reason, reason, sizeof seen->reason);
}

static void
on_app (gpointer user, guint32 ssrc, guint8 subtype, const guint8 name[4], const guint8 *data, gsize size)
{
  Seen *seen = user;

  seen->app++;
  seen->subtype = subtype;
  memcpy (seen->app_name, name, 4);
  seen->app_sum = 0;
  while (size-- > 0)
    seen->app_sum += *data++;
}

static void
on_xr_block (gpointer user, guint32 sender, guint8 type, guint8 specific, const guint8 *content, gsize size)
{
  Seen *seen = user;

  seen->xr |= 1u << type;
  seen->xr_bytes += size;
}

static void
on_nack (gpointer user, guint32 sender, guint32 media, const guint16 *seqs, guint n)
{
  Seen *seen = user;

  seen->nacks += n;
  seen->last_nack = seqs[n - 1];
}

static void
on_sli (gpointer user, guint32 sender, guint32 media, const RtcpSli *slices, guint n)
{
  Seen *seen = user;

  seen->slices += n;
  seen->slice = slices[0];
}

static void
on_rpsi (gpointer user, guint32 sender, guint32 media, const RtcpRpsi *rpsi)
{
  Seen *seen = user;

  seen->rpsis++;
  seen->rpsi = *rpsi;
}

static void
on_afb (gpointer user, guint32 sender, guint32 media, const guint8 *fci, gsize size)
{
  Seen *seen = user;

  seen->afb++;
  while (size-- > 0)
    seen->afb_sum += *fci++;
}

static const RtcpHandlers handlers = {.speaks = on_speaks,
    .sr = on_sr,
    .report_block = on_block,
    .cname = on_cname,
    .sdes = on_sdes,
    .bye = on_bye,
    .bye_reason = on_bye_reason,
    .app = on_app,
    .xr_block = on_xr_block,
    .tfrc = on_tfrc,
    .remb = on_remb,
    .path = on_path,
    .pli = on_pli,
    .fir = on_fir,
    .nack = on_nack,
    .sli = on_sli,
    .rpsi = on_rpsi,
    .afb = on_afb,
    .malformed = on_malformed};

static gsize
build (guint8 *out, gsize capacity, gboolean reduced)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  RtcpSenderInfo info = {US, G_GUINT64_CONSTANT (0x0102030405060708), 90000, 10, 12000};
  RtcpReportBlock block = {THEM, 64, -3, 65536 + 7, 450, 0x33334444, 6553};
  TfrcReport report = {.t_i_us = 123456, .t_delay = 2 * CC_MSECOND, .X_recv = 125000, .p = 0.25};
  RtcpRemb remb = {.bitrate_bps = 1000000, .n_ssrcs = 1, .ssrcs = {THEM}};
  RtcpPath path = {.rate_bps = 2000000, .capacity_bps = 3000000, .queue_delay = 15 * CC_MSECOND};
  guint32 ssrc = US;
  gsize size;

  if (!reduced) {
    fail_unless (rtcp_add_sr (&rtcp, &info, &block, 1));
    fail_unless (rtcp_add_cname (&rtcp, US, "name"));
  }
  fail_unless (rtcp_add_tfrc (&rtcp, US, THEM, &report));
  fail_unless (rtcp_add_path (&rtcp, US, THEM, &path));
  fail_unless (rtcp_add_remb (&rtcp, US, &remb));
  fail_unless (rtcp_add_pli (&rtcp, US, THEM));
  fail_unless (rtcp_add_fir (&rtcp, US, THEM, 77));
  fail_unless (rtcp_add_bye (&rtcp, &ssrc, 1));
  gst_cc_rtcp_close (&rtcp, buffer);
  size = gst_buffer_extract (buffer, 0, out, capacity);
  gst_buffer_unref (buffer);
  return size;
}

GST_START_TEST (test_round_trip)
{
  guint8 data[RTCP_MTU];
  gsize size = build (data, sizeof data, FALSE);
  Seen seen = {0};

  fail_unless (rtcp_walk (data, size, &handlers, &seen));
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

typedef gboolean (*Add) (RtcpWriter *rtcp);

/* A packet of what add () adds; returns its size. */
static gsize
build_one (guint8 *out, gsize capacity, Add add)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  gsize size;

  fail_unless (add (&rtcp));
  gst_cc_rtcp_close (&rtcp, buffer);
  size = gst_buffer_extract (buffer, 0, out, capacity);
  gst_buffer_unref (buffer);
  return size;
}

static gboolean
add_one_nack (RtcpWriter *rtcp)
{
  static const guint16 seqs[] = {65535, 0, 2};

  return rtcp_add_nack (rtcp, US, THEM, seqs, 3, NULL);
}

static gboolean
add_one_sli (RtcpWriter *rtcp)
{
  static const RtcpSli slice = {1, 11, 5};

  return rtcp_add_sli (rtcp, US, THEM, &slice, 1);
}

static gboolean
add_one_rpsi (RtcpWriter *rtcp)
{
  static const RtcpRpsi rpsi = {.payload_type = 96, .n_bits = 15, .bits = {0xb3, 0xc4}};

  return rtcp_add_rpsi (rtcp, US, THEM, &rpsi);
}

static gboolean
add_one_afb (RtcpWriter *rtcp)
{
  return rtcp_add_afb (rtcp, US, THEM, (const guint8 *)"mine\1\2\3\4", 8);
}

static gboolean
add_one_app (RtcpWriter *rtcp)
{
  return rtcp_add_app (rtcp, US, 17, "test", (const guint8 *)"\1\2\3\4", 4);
}

static gboolean
add_one_bye (RtcpWriter *rtcp)
{
  static const guint32 ssrcs[] = {US, THEM};

  return rtcp_add_bye_with_reason (rtcp, ssrcs, 2, "over");
}

/* First word: version 2, then FMT, subtype or count in 5 bits, the packet type, and the length in words less one (RFC
   4585 6.1, RFC 3550 6.6, 6.7). The FCIs are those of the tests rtcpnack and rtcppicture: 65535 with 0 and 2 is PID
   ffff, bits 0 and 2. The reason of a BYE has its length in front and is filled to a word: 1 + 4 bytes become 8. */
GST_START_TEST (test_bytes)
{
  static const guint8 nack[] = {0x81, 205, 0, 3, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22, 0xff, 0xff, 0, 5};
  static const guint8 sli[] = {0x82, 206, 0, 3, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22, 0, 0x08, 0x02, 0xc5};
  static const guint8 rpsi[] = {0x83, 206, 0, 3, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22, 1, 0x60, 0xb3, 0xc4};
  static const guint8 afb[] = {
      0x8f, 206, 0, 4, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22, 'm', 'i', 'n', 'e', 1, 2, 3, 4};
  static const guint8 app[] = {0x91, 204, 0, 3, 0x11, 0x11, 0x11, 0x11, 't', 'e', 's', 't', 1, 2, 3, 4};
  static const guint8 bye[] = {
      0x82, 203, 0, 4, 0x11, 0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x22, 4, 'o', 'v', 'e', 'r', 0, 0, 0};
  static const struct {
    Add add;
    const guint8 *bytes;
    gsize size;
  } cases[] = {{add_one_nack, nack, sizeof nack}, {add_one_sli, sli, sizeof sli}, {add_one_rpsi, rpsi, sizeof rpsi},
      {add_one_afb, afb, sizeof afb}, {add_one_app, app, sizeof app}, {add_one_bye, bye, sizeof bye}};
  Seen seen = {0};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint8 data[RTCP_MTU];

    fail_unless_equals_int (build_one (data, sizeof data, cases[i].add), cases[i].size);
    fail_unless (memcmp (data, cases[i].bytes, cases[i].size) == 0, "case %u", i);
    fail_unless (rtcp_walk (data, cases[i].size, &handlers, &seen));
  }
  fail_unless (seen.nacks == 3 && seen.last_nack == 2);
  fail_unless (seen.slices == 1 && seen.slice.first == 1 && seen.slice.number == 11 && seen.slice.picture_id == 5);
  fail_unless (seen.rpsis == 1 && seen.rpsi.n_bits == 15 && seen.rpsi.bits[1] == 0xc4);
  fail_unless (seen.afb == 1 && seen.afb_sum == 'm' + 'i' + 'n' + 'e' + 10);
  fail_unless (seen.app == 1 && seen.subtype == 17 && seen.app_sum == 10);
  fail_unless_equals_string (seen.app_name, "test");
  fail_unless_equals_int (seen.bye, 2);
  fail_unless_equals_string (seen.reason, "over");
  /* all but the BYE */
  fail_unless (seen.speaks == 5 && seen.speaker == US && seen.malformed == 0);
}
GST_END_TEST;

static gboolean
add_all_sdes (RtcpWriter *rtcp)
{
  static const RtcpSdesItem items[] = {{RTCP_SDES_CNAME, "c"}, {RTCP_SDES_NAME, "na"}, {RTCP_SDES_EMAIL, "ema"},
      {RTCP_SDES_PHONE, "phon"}, {RTCP_SDES_LOC, "locat"}, {RTCP_SDES_TOOL, "tool"}, {RTCP_SDES_NOTE, "a note"}};

  return rtcp_add_sdes (rtcp, US, items, G_N_ELEMENTS (items));
}

/* GstRTCPBuffer's own accessors find in them what was put in. */
GST_START_TEST (test_others_read_it)
{
  static const Add adds[] = {add_one_bye, add_one_app, add_one_nack};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (adds); i++) {
    GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
    GstRTCPPacket packet;
    guint8 data[RTCP_MTU];
    gsize size = build_one (data, sizeof data, adds[i]);
    GstBuffer *buffer = gst_rtcp_buffer_new_copy_data (data, (guint)size);
    gchar *reason;

    fail_unless (gst_rtcp_buffer_validate_reduced (buffer));
    gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp);
    fail_unless (gst_rtcp_buffer_get_first_packet (&rtcp, &packet));
    if (adds[i] == add_one_bye) {
      reason = gst_rtcp_packet_bye_get_reason (&packet);
      fail_unless_equals_string (reason, "over");
      fail_unless_equals_int (gst_rtcp_packet_bye_get_nth_ssrc (&packet, 1), THEM);
      g_free (reason);
    } else if (adds[i] == add_one_app) {
      fail_unless (memcmp (gst_rtcp_packet_app_get_name (&packet), "test", 4) == 0);
      fail_unless_equals_int (gst_rtcp_packet_app_get_subtype (&packet), 17);
      fail_unless_equals_int (gst_rtcp_packet_app_get_data_length (&packet), 1);
    } else {
      fail_unless_equals_int (gst_rtcp_packet_fb_get_type (&packet), GST_RTCP_RTPFB_TYPE_NACK);
      fail_unless_equals_int (gst_rtcp_packet_fb_get_media_ssrc (&packet), THEM);
      fail_unless_equals_int (gst_rtcp_packet_fb_get_fci_length (&packet), 1);
    }
    fail_if (gst_rtcp_packet_move_to_next (&packet));
    gst_rtcp_buffer_unmap (&rtcp);
    gst_buffer_unref (buffer);
  }
}
GST_END_TEST;

/* Items 1 to 7. 7 x 2 bytes in front of 1 + 2 + 3 + 4 + 5 + 4 + 6 = 25 of text are 39, with the end 40; with the
   header and the SSRC 48. */
GST_START_TEST (test_all_of_sdes)
{
  guint8 data[RTCP_MTU];
  gsize size = build_one (data, sizeof data, add_all_sdes);
  Seen seen = {0};

  fail_unless_equals_int (size, 48);
  fail_unless (rtcp_walk (data, size, &handlers, &seen));
  fail_unless_equals_int (seen.sdes, 0xfe);
  fail_unless_equals_string (seen.name, "c");
  fail_unless_equals_string (seen.note, "a note");
  fail_unless (seen.malformed == 0);
}
GST_END_TEST;

/* The same packets by way of the application's queue. */
GST_START_TEST (test_queued)
{
  static const struct {
    FbQueueKind kind;
    const gchar *bytes;
    guint size;
    Add add;
  } cases[] = {{FB_QUEUE_SLI, "\0\x08\x02\xc5", 4, add_one_sli}, {FB_QUEUE_RPSI, "\1\x60\xb3\xc4", 4, add_one_rpsi},
      {FB_QUEUE_AFB, "mine\1\2\3\4", 8, add_one_afb}, {FB_QUEUE_APP, "test\1\2\3\4", 8, add_one_app}};
  static FbQueue queue;
  guint i;

  fb_queue_init (&queue);
  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    RtcpWriter rtcp;
    GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
    guint8 expected[64];
    gsize size = build_one (expected, sizeof expected, cases[i].add);

    fail_unless (fb_queue_push (
        &queue, cases[i].kind, 17, THEM, (const guint8 *)cases[i].bytes, cases[i].size, CC_TIME_NONE, 0));
    fail_unless (rtcp_add_queued (&rtcp, US, fb_queue_peek (&queue, 0)));
    gst_cc_rtcp_close (&rtcp, buffer);
    fail_unless_equals_int (gst_buffer_get_size (buffer), size);
    fail_unless (gst_buffer_memcmp (buffer, 0, expected, size) == 0, "case %u", i);
    gst_buffer_unref (buffer);
    fb_queue_pop (&queue);
  }
}
GST_END_TEST;

/* An MTU of 1200 leaves 1188 bytes, 297 entries: 100 apart each number takes one. */
GST_START_TEST (test_as_many_nacks_as_fit)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  guint16 seqs[300];
  guint taken = 0, i;

  for (i = 0; i < G_N_ELEMENTS (seqs); i++)
    seqs[i] = (guint16)(100 * i);
  fail_unless (rtcp_add_nack (&rtcp, US, THEM, seqs, G_N_ELEMENTS (seqs), &taken));
  fail_unless_equals_int (taken, 297);
  fail_if (rtcp_add_nack (&rtcp, US, THEM, seqs + taken, 3, &taken));
  fail_if (rtcp_add_pli (&rtcp, US, THEM));
  gst_cc_rtcp_close (&rtcp, buffer);
  fail_unless_equals_int (gst_buffer_get_size (buffer), RTCP_MTU);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

GST_START_TEST (test_builders_refuse)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  static const RtcpSli slice = {0, 1, 0};
  static const RtcpRpsi rpsi = {0};
  static const guint32 ssrcs[32] = {0};
  gchar reason[257];

  memset (reason, 'a', 256);
  reason[256] = 0;
  fail_if (rtcp_add_nack (&rtcp, US, THEM, NULL, 0, NULL));
  fail_if (rtcp_add_sli (&rtcp, US, THEM, &slice, 1));
  fail_if (rtcp_add_rpsi (&rtcp, US, THEM, &rpsi));
  fail_if (rtcp_add_afb (&rtcp, US, THEM, (const guint8 *)"abc", 3));
  fail_if (rtcp_add_app (&rtcp, US, 32, "name", NULL, 0));
  fail_if (rtcp_add_app (&rtcp, US, 0, "nam", NULL, 0));
  fail_if (rtcp_add_app (&rtcp, US, 0, "name", (const guint8 *)"abc", 3));
  fail_if (rtcp_add_bye (&rtcp, ssrcs, 32));
  fail_if (rtcp_add_bye_with_reason (&rtcp, ssrcs, 1, reason));
  fail_unless_equals_int (rtcp.size, 0);
  gst_cc_rtcp_close (&rtcp, buffer);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

/* RFC 3611: a receiver reference time of two words, an unknown block of none, a DLRR of three; then a PLI, which is
   found behind them. */
GST_START_TEST (test_xr_is_skipped_by_length)
{
  static const guint8 data[] = {0x80, 207, 0, 9, 0, 0, 0, 7, 4, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8, 30, 0, 0, 0, 5, 0, 0,
      3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0x81, 206, 0, 2, 0, 0, 0, 7, 0, 0, 0, 8};
  guint8 lies[sizeof data];
  Seen seen = {0}, wrong = {0};

  fail_unless (rtcp_walk (data, sizeof data, &handlers, &seen));
  fail_unless (seen.xr == (1u << 4 | 1u << 30 | 1u << 5) && seen.xr_bytes == 20);
  fail_unless (seen.pli == 1 && seen.malformed == 0);
  memcpy (lies, data, sizeof data);
  lies[27] = 4;
  fail_unless (rtcp_walk (lies, sizeof lies, &handlers, &wrong));
  fail_unless (wrong.xr_bytes == 8 && wrong.malformed == 1 && wrong.pli == 1);
}
GST_END_TEST;

/* FIR (RFC 5104 4.3.1.2) and REMB name their targets in the FCI; the header's SSRC of media source is 0. */
GST_START_TEST (test_targets_in_the_fci)
{
  guint8 data[RTCP_MTU];
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
  guint8 data[RTCP_MTU];
  gsize size = build (data, sizeof data, TRUE);
  Seen seen = {0};

  fail_unless (rtcp_is_rtcp (data, size));
  fail_unless (rtcp_walk (data, size, &handlers, &seen));
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
  static const guint8 reason[] = {0x81, 203, 0, 2, 0, 0, 0, 1, 4, 'a', 'b', 'c'};
  static const guint8 app[] = {0x80, 204, 0, 1, 0, 0, 0, 1};
  static const guint8 nack[] = {0x81, 205, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2};
  static const guint8 sli[] = {0x82, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2};
  static const guint8 rpsi[] = {0x83, 206, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 16, 96, 0, 0};
  static const guint8 fir[] = {0x84, 206, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
  static const struct {
    const guint8 *data;
    gsize size;
  } cases[] = {{rr, sizeof rr}, {bye, sizeof bye}, {sdes, sizeof sdes}, {feedback, sizeof feedback},
      {padding, sizeof padding}, {sr, sizeof sr}, {reason, sizeof reason}, {app, sizeof app}, {nack, sizeof nack},
      {sli, sizeof sli}, {rpsi, sizeof rpsi}, {fir, sizeof fir}};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    Seen seen = {0};
    gboolean valid = rtcp_walk (cases[i].data, cases[i].size, &handlers, &seen);

    fail_unless (valid && seen.malformed == 1, "case %u", i);
    fail_unless (seen.sr + seen.blocks + seen.cname + seen.bye + seen.tfrc == 0, "case %u", i);
    fail_unless (seen.app + seen.nacks + seen.slices + seen.rpsis + seen.fir == 0, "case %u", i);
  }
  fail_if (rtcp_walk (rr, 3, &handlers, NULL));
}
GST_END_TEST;

/* A PLI; a feedback message without its second SSRC; packet type 211 (RFC 7272), which is nobody's here; another PLI.
 */
GST_START_TEST (test_goes_on_behind_what_it_cannot_read)
{
  static const guint8 data[] = {0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0x81, 206, 0, 1, 0, 0, 0, 1, 0x80, 211, 0, 1,
      0, 0, 0, 1, 0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2};
  Seen seen = {0};

  fail_unless (rtcp_walk (data, sizeof data, &handlers, &seen));
  fail_unless (seen.pli == 2 && seen.malformed == 1);
}
GST_END_TEST;

/* Not RTCP at all: version 1, a length past the end, three bytes left over, a packet type of RTP's. */
GST_START_TEST (test_refuses_what_is_no_compound)
{
  static const guint8 version[] = {0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0x41, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2};
  static const guint8 length[] = {0x81, 206, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2};
  static const guint8 rest[] = {0x81, 206, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0x81, 206, 0};
  static const guint8 rtp[] = {0x80, 96, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2};
  Seen seen = {0};

  fail_if (rtcp_walk (version, sizeof version, &handlers, &seen));
  fail_if (rtcp_walk (length, sizeof length, &handlers, &seen));
  fail_if (rtcp_walk (rest, sizeof rest, &handlers, &seen));
  fail_if (rtcp_walk (rtp, sizeof rtp, &handlers, &seen));
  fail_if (rtcp_walk (NULL, 0, &handlers, &seen));
  fail_unless (seen.pli == 0 && seen.malformed == 0);
}
GST_END_TEST;

/* Mutated and cut copies on the heap, for the sanitizers to watch. */
GST_START_TEST (test_mutations)
{
  guint8 data[RTCP_MTU];
  gsize size = build (data, sizeof data, FALSE);
  GRand *random = g_rand_new_with_seed (1);
  Seen seen = {0};
  guint i, j;

  for (i = 0; i < 20000; i++) {
    gsize cut = 4 * (gsize)g_rand_int_range (random, 1, (gint)(size / 4) + 1);
    guint8 *copy = g_memdup2 (data, cut);

    for (j = 0; j < i % 5; j++)
      copy[g_rand_int_range (random, 0, (gint)cut)] = (guint8)g_rand_int (random);
    rtcp_walk (copy, cut, &handlers, &seen);
    g_free (copy);
  }
  fail_unless (seen.malformed > 0 && seen.tfrc > 0);
  g_rand_free (random);
}
GST_END_TEST;

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

/* Whoever knows the seed of GLib's generator knows no name. */
GST_START_TEST (test_names_are_not_to_be_guessed)
{
  gchar *one, *other;

  g_random_set_seed (7);
  one = gst_cc_rtcp_new_cname ();
  g_random_set_seed (7);
  other = gst_cc_rtcp_new_cname ();
  fail_unless (strcmp (one, other) != 0);
  g_free (one);
  g_free (other);
}
GST_END_TEST;

/* Stands before GLib's: the wall clock, which may step. */
static gint64 wall_step_us;

gint64
g_get_real_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  return (gint64)now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000 + wall_step_us;
}

/* An hour's step between SR and report is no round trip of an hour, nor none at all; 65536 ticks are a second. */
GST_START_TEST (test_round_trip_over_a_step_of_the_wall_clock)
{
  RtcpReportBlock block = {.lsr = (guint32)(gst_cc_rtcp_ntp_now () >> 16)};
  GstClockTime round_trip;

  wall_step_us = G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC;
  g_usleep (20000);
  round_trip = rtcp_round_trip (&block, gst_cc_rtcp_ntp_now ());
  wall_step_us = 0;
  fail_unless (round_trip >= 19 * GST_MSECOND && round_trip < GST_SECOND, "%" G_GUINT64_FORMAT, round_trip);
}
GST_END_TEST;

/* 1970-01-01 is 2208988800 s after 1900-01-01; half a second is 2^31. */
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
  tcase_add_test (tcase, test_bytes);
  tcase_add_test (tcase, test_others_read_it);
  tcase_add_test (tcase, test_all_of_sdes);
  tcase_add_test (tcase, test_queued);
  tcase_add_test (tcase, test_as_many_nacks_as_fit);
  tcase_add_test (tcase, test_builders_refuse);
  tcase_add_test (tcase, test_xr_is_skipped_by_length);
  tcase_add_test (tcase, test_targets_in_the_fci);
  tcase_add_test (tcase, test_reduced_size);
  tcase_add_test (tcase, test_bodies_that_lie);
  tcase_add_test (tcase, test_goes_on_behind_what_it_cannot_read);
  tcase_add_test (tcase, test_refuses_what_is_no_compound);
  tcase_add_test (tcase, test_mutations);
  tcase_add_test (tcase, test_cname_is_random);
  tcase_add_test (tcase, test_names_are_not_to_be_guessed);
  tcase_add_test (tcase, test_round_trip_over_a_step_of_the_wall_clock);
  tcase_add_test (tcase, test_ntp_time);
  tcase_add_test (tcase, test_extension_id_of_caps);
  return suite;
}

GST_CHECK_MAIN (ccrtcp);
