/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtcpavpf in a sender: media through send_rtp_sink and send_rtp_src, RTCP through the other harness, on a test clock.
 */
#include "gstccrtcp.h"
#include "gstrateevent.h"
#include "rtcpavpffixture.h"

#include <gst/rtp/gstrtpbuffer.h>
#include <gst/net/gstnetaddressmeta.h>
#include <gst/video/video.h>
#include <string.h>

#define RECEIVER 0x0badcafe
#define TICKS 1800 /* of 90 kHz in PERIOD */
#define PAYLOAD_BYTES 1000

static void
setup (Fixture *f)
{
  fixture_open (f, "send_rtp_sink", "send_rtp_src");
}

/* Its RTP time is that of the clock. */
static GstBuffer *
rtp_packet (Fixture *f, guint32 ssrc, guint16 seq)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD_BYTES, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, (guint32)gst_util_uint64_scale (now_of (f), 90000, GST_SECOND));
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static void
send_of (Fixture *f, guint32 ssrc, guint packets)
{
  guint i;

  for (i = 0; i < packets; i++) {
    fail_unless_equals_int (gst_harness_push (f->rtp, rtp_packet (f, ssrc, f->seq++)), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (f->rtp));
    advance (f, PERIOD);
  }
}

/* ---- what leaves ---- */

typedef struct {
  guint packets, srs, rrs, cnames, byes, tmmbns, tmmbn_tuples;
  RtcpSenderInfo info; /* of the last SR */
  guint32 spoke[16];
  guint n_spoke;
  guint32 bye;
  RtcpTmmb tuple;
} Heard;

static gboolean
spoke (const Heard *h, guint32 ssrc)
{
  guint i;

  for (i = 0; i < h->n_spoke; i++)
    if (h->spoke[i] == ssrc)
      return TRUE;
  return FALSE;
}

static void
heard_speaks (gpointer user, guint32 ssrc)
{
  Heard *h = user;

  if (!spoke (h, ssrc) && h->n_spoke < G_N_ELEMENTS (h->spoke))
    h->spoke[h->n_spoke++] = ssrc;
}

static void
heard_sr (gpointer user, const RtcpSenderInfo *info)
{
  Heard *h = user;

  h->srs++;
  h->info = *info;
}

static void
heard_cname (gpointer user, guint32 ssrc, const gchar *cname)
{
  ((Heard *)user)->cnames++;
}

static void
heard_bye (gpointer user, guint32 ssrc)
{
  Heard *h = user;

  h->byes++;
  h->bye = ssrc;
}

static void
heard_tmmbn (gpointer user, guint32 sender, const RtcpTmmb *entries, guint n)
{
  Heard *h = user;

  h->tmmbns++;
  h->tmmbn_tuples = n;
  if (n > 0)
    h->tuple = entries[0];
}

static void
heard_malformed (gpointer user, guint packet_type)
{
  fail ("malformed packet %u sent", packet_type);
}

static const RtcpHandlers ears = {.speaks = heard_speaks,
    .sr = heard_sr,
    .cname = heard_cname,
    .bye = heard_bye,
    .tmmbn = heard_tmmbn,
    .malformed = heard_malformed};

static void
listen (Fixture *f, Heard *h)
{
  GstBuffer *buffer;
  GstMapInfo map;

  while ((buffer = gst_harness_try_pull (f->rtcp)) != NULL) {
    gst_buffer_map (buffer, &map, GST_MAP_READ);
    h->packets++;
    h->rrs += map.data[1] == 201;
    fail_unless (rtcp_walk (map.data, map.size, &ears, h));
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
}

/* ---- what a receiver says ---- */

/* Zeros stand for RECEIVER, MEDIA and "receiver", and for nothing. */
typedef struct {
  guint32 ssrc, media;
  const gchar *cname;
  const RtcpReportBlock *block;
  gboolean pli, bye;
  guint8 fir;
  const guint16 *nack;
  guint n_nack;
  const RtcpTmmb *tmmbr;
  const RtcpRemb *remb;
  const RtcpPath *path, *explicit_rate;
} Says;

#define SAYS(...) (&(Says){__VA_ARGS__})

static void
says (Fixture *f, const Says *s)
{
  guint32 ssrc = s->ssrc != 0 ? s->ssrc : RECEIVER, media = s->media != 0 ? s->media : MEDIA;
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  rtcp_add_rr (&rtcp, ssrc, s->block, s->block != NULL ? 1 : 0);
  rtcp_add_cname (&rtcp, ssrc, s->cname != NULL ? s->cname : "receiver");
  if (s->pli)
    rtcp_add_pli (&rtcp, ssrc, media);
  if (s->fir != 0)
    rtcp_add_fir (&rtcp, ssrc, media, s->fir);
  if (s->n_nack > 0)
    fail_unless (rtcp_add_nack (&rtcp, ssrc, media, s->nack, s->n_nack, NULL));
  if (s->tmmbr != NULL)
    rtcp_add_tmmbr (&rtcp, ssrc, s->tmmbr, 1);
  if (s->remb != NULL)
    rtcp_add_remb (&rtcp, ssrc, s->remb);
  if (s->path != NULL)
    rtcp_add_path (&rtcp, ssrc, media, s->path);
  if (s->explicit_rate != NULL)
    rtcp_add_path (&rtcp, ssrc, media, s->explicit_rate);
  if (s->bye)
    rtcp_add_bye (&rtcp, &ssrc, 1);
  gst_cc_rtcp_close (&rtcp, buffer);
  fail_unless_equals_int (gst_harness_push (f->rtcp, buffer), GST_FLOW_OK);
}

static GstBuffer *
report_with (guint32 ssrc, const RtcpRemb *remb, const RtcpTmmb *tmmbr, gboolean named)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  rtcp_add_rr (&rtcp, ssrc, NULL, 0);
  if (named)
    rtcp_add_cname (&rtcp, ssrc, "receiver");
  if (remb != NULL)
    rtcp_add_remb (&rtcp, ssrc, remb);
  if (tmmbr != NULL)
    rtcp_add_tmmbr (&rtcp, ssrc, tmmbr, 1);
  gst_cc_rtcp_close (&rtcp, buffer);
  return buffer;
}

static GstBuffer *
from_host (GstBuffer *buffer, const gchar *host)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string (host, 5005);

  gst_buffer_add_net_address_meta (buffer, address);
  g_object_unref (address);
  return buffer;
}

/* The next upstream event of that name, NULL: none. */
static GstEvent *
next_event (Fixture *f, const gchar *name)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (f->rtp)) != NULL) {
    if (gst_event_get_structure (event) != NULL && gst_event_has_name (event, name))
      return event;
    gst_event_unref (event);
  }
  return NULL;
}

static guint
count_events (Fixture *f, const gchar *name)
{
  GstEvent *event;
  guint n = 0;

  for (; (event = next_event (f, name)) != NULL; n++)
    gst_event_unref (event);
  return n;
}

static GstStructure *
take_stats (Fixture *f)
{
  GstStructure *stats;

  g_object_get (f->rtp->element, "stats", &stats, NULL);
  return stats;
}

/* Of the first SSRC of ours. */
static guint64
local_stat (Fixture *f, const gchar *name)
{
  GstStructure *stats = take_stats (f);
  const GstStructure *local =
      gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (stats, "local"), 0));
  guint64 number = 0;
  guint small;

  if (gst_structure_get_uint (local, name, &small))
    number = small;
  else
    fail_unless (gst_structure_get_uint64 (local, name, &number), "no %s", name);
  gst_structure_free (stats);
  return number;
}

static guint
n_locals (Fixture *f)
{
  GstStructure *stats = take_stats (f);
  guint n = gst_value_array_get_size (gst_structure_get_value (stats, "local"));

  gst_structure_free (stats);
  return n;
}

#define TEST(name)                                                                                                     \
  static void run_##name (Fixture *f);                                                                                 \
  GST_START_TEST (name)                                                                                                \
  {                                                                                                                    \
    Fixture f;                                                                                                         \
                                                                                                                       \
    setup (&f);                                                                                                        \
    run_##name (&f);                                                                                                   \
    teardown (&f);                                                                                                     \
  }                                                                                                                    \
  GST_END_TEST;                                                                                                        \
  static void run_##name (Fixture *f)

/* ---- media ---- */

TEST (test_media_passes_untouched)
{
  GstBuffer *buffer = rtp_packet (f, MEDIA, 1), *out;
  GstBufferList *list = gst_buffer_list_new ();
  guint i;

  gst_harness_push (f->rtp, buffer);
  out = gst_harness_pull (f->rtp);
  fail_unless (out == buffer);
  gst_buffer_unref (out);
  for (i = 2; i < 12; i++)
    gst_buffer_list_add (list, rtp_packet (f, MEDIA, (guint16)i));
  fail_unless_equals_int (gst_pad_push_list (f->rtp->srcpad, list), GST_FLOW_OK);
  for (i = 2; i < 12; i++)
    gst_buffer_unref (gst_harness_pull (f->rtp));
  fail_unless_equals_uint64 (local_stat (f, "packets-sent"), 11);
  fail_unless_equals_uint64 (local_stat (f, "octets-sent"), 11 * PAYLOAD_BYTES);
  fail_unless_equals_uint64 (local_stat (f, "ssrc"), MEDIA);
}

/* What is no RTP passes, too: it is not ours to judge. */
TEST (test_what_is_no_rtp_passes)
{
  gst_harness_push (f->rtp, gst_buffer_new_memdup ("hello", 5));
  gst_buffer_unref (gst_harness_pull (f->rtp));
  fail_unless_equals_int (n_locals (f), 1);
}

GST_START_TEST (test_pads)
{
  GstElement *element = gst_element_factory_make ("rtcpavpf", NULL);
  GstPad *pad = gst_element_request_pad_simple (element, "send_rtp_sink"), *src;
  guint i;

  for (i = 0; i < 3; i++) {
    fail_unless (pad != NULL);
    src = gst_element_get_static_pad (element, "send_rtp_src");
    fail_unless (src != NULL);
    fail_unless (
        gst_element_request_pad (element, gst_element_get_pad_template (element, "send_rtp_sink"), NULL, NULL) == NULL);
    gst_object_unref (src);
    gst_element_release_request_pad (element, pad);
    gst_object_unref (pad);
    fail_unless (gst_element_get_static_pad (element, "send_rtp_src") == NULL);
    pad = gst_element_request_pad_simple (element, "send_rtp_sink");
  }
  gst_element_release_request_pad (element, pad);
  gst_object_unref (pad);
  gst_object_unref (element);
}
GST_END_TEST;

static GstPadProbeReturn
on_blocked (GstPad *pad, GstPadProbeInfo *info, gpointer blocked)
{
  g_atomic_int_set ((gint *)blocked, TRUE);
  return GST_PAD_PROBE_OK;
}

static gpointer
push_one (gpointer harness)
{
  gst_harness_push (harness, gst_rtp_buffer_new_allocate (PAYLOAD_BYTES, 0, 0));
  return NULL;
}

/* An application that takes a stream out of a running pipeline blocks a pad first. */
GST_START_TEST (test_release_while_blocked)
{
  GstHarness *h = gst_harness_new_with_padnames ("rtcpavpf", "send_rtp_sink", "send_rtp_src");
  GstPad *sink = gst_element_get_static_pad (h->element, "send_rtp_sink");
  GstPad *src = gst_element_get_static_pad (h->element, "send_rtp_src");
  gint blocked = FALSE;
  GThread *thread;

  gst_harness_set_src_caps_str (h, CAPS);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, on_blocked, &blocked, NULL);
  thread = g_thread_new (NULL, push_one, h);
  while (!g_atomic_int_get (&blocked))
    g_usleep (1000);
  gst_element_release_request_pad (h->element, sink);
  g_thread_join (thread);
  gst_object_unref (src);
  gst_object_unref (sink);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* ---- sender reports ---- */

/* RFC 3550 6.4.1. RTP time is the clock's, so that of an SR is that of the clock when it left: between the last packet
   and now. */
TEST (test_sender_report)
{
  Heard h = {0};
  guint64 ntp_before = gst_cc_rtcp_ntp_time (g_get_real_time ());
  guint32 ticks;

  send_of (f, MEDIA, 500);
  listen (f, &h);
  fail_unless (h.srs >= 2);
  fail_unless_equals_int (h.rrs, 0);
  fail_unless_equals_int (h.cnames, h.srs);
  fail_unless_equals_int (h.info.ssrc, MEDIA);
  fail_unless (h.info.packet_count > 100 && h.info.packet_count <= 500);
  fail_unless_equals_int (h.info.octet_count, h.info.packet_count * PAYLOAD_BYTES);
  fail_unless (h.info.ntp_time >= ntp_before);
  fail_unless (h.info.ntp_time <= gst_cc_rtcp_ntp_time (g_get_real_time () + (gint64)((now_of (f) - START) / 1000)));
  ticks = h.info.rtp_time - (guint32)gst_util_uint64_scale (START, 90000, GST_SECOND);
  fail_unless (ticks >= (h.info.packet_count - 1) * TICKS && ticks <= h.info.packet_count * TICKS,
      "%u ticks, %u packets", ticks, h.info.packet_count);
}

/* PTS 0 at START with a latency of 300 ms: the packet is on the wire at START + 300 ms, and so its RTP time. */
TEST (test_sender_report_counts_the_latency)
{
  const GstClockTime latency = 300 * GST_MSECOND;
  Heard h = {0};
  guint32 first, ticks;
  guint i;

  gst_element_set_base_time (f->rtp->element, START);
  gst_harness_push_upstream_event (f->rtp, gst_event_new_latency (latency));
  for (i = 0; i < 500; i++) {
    GstBuffer *buffer = rtp_packet (f, MEDIA, f->seq++);

    GST_BUFFER_PTS (buffer) = now_of (f) - START;
    gst_harness_push (f->rtp, buffer);
    gst_buffer_unref (gst_harness_pull (f->rtp));
    advance (f, PERIOD);
  }
  listen (f, &h);
  first = (guint32)gst_util_uint64_scale (START, 90000, GST_SECOND);
  ticks = h.info.rtp_time - first + (guint32)gst_util_uint64_scale (latency, 90000, GST_SECOND);
  fail_unless (h.srs >= 2);
  fail_unless (ticks >= (h.info.packet_count - 1) * TICKS && ticks <= h.info.packet_count * TICKS,
      "%u ticks, %u packets", ticks, h.info.packet_count);
}

/* Every SSRC gets its SR, and its name. */
TEST (test_several_streams)
{
  Heard h = {0};
  guint i;

  for (i = 0; i < 500; i++) {
    send_of (f, MEDIA, 1);
    gst_harness_push (f->rtp, rtp_packet (f, MEDIA + 1, (guint16)i));
    gst_buffer_unref (gst_harness_pull (f->rtp));
  }
  fail_unless_equals_int (n_locals (f), 2);
  listen (f, &h);
  fail_unless (spoke (&h, MEDIA) && spoke (&h, MEDIA + 1));
  fail_unless_equals_int (h.n_spoke, 2);
  fail_unless_equals_int (h.cnames, h.srs);
}

/* RFC 3550 6.3.8: beside one that goes on it becomes a receiver, and says no BYE: a muted microphone is no hang-up. */
TEST (test_a_stream_that_rests_is_not_gone)
{
  Heard before = {0}, later = {0};

  gst_harness_push (f->rtp, rtp_packet (f, MEDIA + 1, 1));
  gst_buffer_unref (gst_harness_pull (f->rtp));
  send_of (f, MEDIA, 1000);
  listen (f, &before);
  send_of (f, MEDIA, 500);
  listen (f, &later);
  fail_unless_equals_int (before.byes + later.byes, 0);
  fail_unless (spoke (&later, MEDIA + 1) && later.rrs > 0);
  fail_unless_equals_int (n_locals (f), 2);
}

/* RFC 3550 6.3.8: 10 s after the last packet it is no sender any more, and reports as a receiver. */
TEST (test_silent_sender_reports_as_a_receiver)
{
  Heard h = {0}, later = {0};

  send_of (f, MEDIA, 100);
  says (f, SAYS (0));
  says (f, SAYS (0));
  advance (f, 9 * GST_SECOND);
  listen (f, &h);
  fail_unless (h.srs > 0);
  fail_unless_equals_int (h.rrs, 0);
  advance (f, 2 * GST_SECOND);
  listen (f, &h);
  advance (f, 10 * GST_SECOND);
  listen (f, &later);
  fail_unless (later.rrs > 0);
  fail_unless_equals_int (later.srs, 0);
}

/* The NTP time of now, by the instant of an SR and its NTP time. */
static guint64
ntp_of_now (Fixture *f, const RtcpSenderInfo *info)
{
  guint32 ticks = info->rtp_time - (guint32)gst_util_uint64_scale (START, 90000, GST_SECOND);
  GstClockTime since = now_of (f) - START - gst_util_uint64_scale (ticks, GST_SECOND, 90000);

  return info->ntp_time + gst_util_uint64_scale (since, (guint64)1 << 32, GST_SECOND);
}

/* A - LSR - DLSR of what is echoed 80 ms late, 30 of which the receiver owns up to. */
TEST (test_round_trip)
{
  RtcpReportBlock block = {
      .ssrc = MEDIA, .fraction_lost = 64, .packets_lost = 7, .jitter = 900, .dlsr = 65536 * 30 / 1000};
  Heard h = {0};
  GstStructure *stats;
  const GstStructure *local, *report;
  gdouble fraction;
  guint64 rtt, jitter;
  gint lost;

  send_of (f, MEDIA, 250);
  listen (f, &h);
  fail_unless (h.srs > 0);
  block.lsr = (guint32)(ntp_of_now (f, &h.info) >> 16);
  advance (f, 80 * GST_MSECOND);
  says (f, SAYS (.block = &block));
  rtt = local_stat (f, "round-trip");
  fail_unless (rtt >= 49900 * GST_USECOND && rtt <= 50100 * GST_USECOND, "%" G_GUINT64_FORMAT, rtt);
  stats = take_stats (f);
  local = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (stats, "local"), 0));
  report = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (local, "reports"), 0));
  fail_unless (gst_structure_get (report, "fraction-lost", G_TYPE_DOUBLE, &fraction, "packets-lost", G_TYPE_INT, &lost,
      "jitter", G_TYPE_UINT64, &jitter, NULL));
  fail_unless (fraction == 0.25);
  fail_unless_equals_int (lost, 7);
  fail_unless_equals_uint64 (jitter, 10 * GST_MSECOND); /* 900 / 90000 s */
  gst_structure_free (stats);
}

/* ---- key units ---- */

TEST (test_pli_and_fir_become_events)
{
  gboolean all_headers;
  GstEvent *event;
  guint ssrc;

  send_of (f, MEDIA, 2);
  says (f, SAYS (.pli = TRUE));
  event = next_event (f, "GstForceKeyUnit");
  fail_unless (event != NULL);
  fail_unless (gst_video_event_parse_upstream_force_key_unit (event, NULL, &all_headers, NULL));
  fail_unless (!all_headers);
  fail_unless (gst_structure_get_uint (gst_event_get_structure (event), "ssrc", &ssrc));
  fail_unless_equals_int (ssrc, MEDIA);
  gst_event_unref (event);
  advance (f, GST_SECOND);
  says (f, SAYS (.fir = 3));
  event = next_event (f, "GstForceKeyUnit");
  fail_unless (event != NULL);
  fail_unless (gst_video_event_parse_upstream_force_key_unit (event, NULL, &all_headers, NULL));
  fail_unless (all_headers);
  gst_event_unref (event);
  says (f, SAYS (.pli = TRUE, .media = MEDIA + 1));
  fail_unless_equals_int (count_events (f, "GstForceKeyUnit"), 0);
}

/* RFC 5104 4.3.1.2. What came too soon after another is obeyed once it may be, repeated or not. */
TEST (test_fir_by_number)
{
  send_of (f, MEDIA, 2);
  says (f, SAYS (.fir = 3));
  fail_unless_equals_int (count_events (f, "GstForceKeyUnit"), 1);
  advance (f, GST_SECOND);
  says (f, SAYS (.fir = 3));
  fail_unless_equals_int (count_events (f, "GstForceKeyUnit"), 0);
  says (f, SAYS (.fir = 4));
  fail_unless_equals_int (count_events (f, "GstForceKeyUnit"), 1);
  advance (f, 20 * GST_MSECOND);
  says (f, SAYS (.fir = 5));
  fail_unless_equals_int (count_events (f, "GstForceKeyUnit"), 0);
  advance (f, 279 * GST_MSECOND);
  fail_unless_equals_int (count_events (f, "GstForceKeyUnit"), 0);
  advance (f, GST_MSECOND);
  fail_unless_equals_int (count_events (f, "GstForceKeyUnit"), 1);
  says (f, SAYS (.fir = 5));
  advance (f, GST_SECOND);
  fail_unless_equals_int (count_events (f, "GstForceKeyUnit"), 0);
}

/* 1000 in a second: one in 300 ms gets through. */
TEST (test_pli_flood)
{
  guint i;

  send_of (f, MEDIA, 2);
  for (i = 0; i < 1000; i++) {
    says (f, SAYS (.pli = TRUE));
    advance (f, GST_MSECOND);
  }
  fail_unless_equals_int (count_events (f, "GstForceKeyUnit"), 4);
  fail_unless_equals_uint64 (local_stat (f, "key-units-refused"), 996);
}

/* ---- packets sent again ---- */

TEST (test_nack_becomes_events)
{
  const guint16 lost[] = {1001, 1003, 1040}, never[] = {999, 1050, 5000};
  guint i, seq, ssrc;

  send_of (f, MEDIA, 50);
  says (f, SAYS (.nack = lost, .n_nack = 3));
  for (i = 0; i < 3; i++) {
    GstEvent *event = next_event (f, "GstRTPRetransmissionRequest");

    fail_unless (event != NULL);
    fail_unless (gst_structure_get (
        gst_event_get_structure (event), "seqnum", G_TYPE_UINT, &seq, "ssrc", G_TYPE_UINT, &ssrc, NULL));
    fail_unless_equals_int (seq, lost[i]);
    fail_unless_equals_int (ssrc, MEDIA);
    gst_event_unref (event);
  }
  says (f, SAYS (.nack = never, .n_nack = 3));
  fail_unless_equals_int (count_events (f, "GstRTPRetransmissionRequest"), 0);
  fail_unless_equals_uint64 (local_stat (f, "resends-unknown"), 3);
}

/* 50 packets are sent, and 100000 asked for: 128 + 50 at most are passed on. */
TEST (test_nack_flood)
{
  guint16 all[50];
  guint i;

  send_of (f, MEDIA, 50);
  for (i = 0; i < 50; i++)
    all[i] = (guint16)(1000 + i);
  for (i = 0; i < 2000; i++) {
    says (f, SAYS (.nack = all, .n_nack = 50));
    if (i % 4 == 3)
      advance (f, 20 * GST_MSECOND);
  }
  fail_unless (count_events (f, "GstRTPRetransmissionRequest") <= 128 + 50);
  fail_unless (local_stat (f, "resends-excess") > 10000);
  fail_unless_equals_uint64 (local_stat (f, "nack"), 100000);
}

/* ---- rates ---- */

/* 50 packets/s. 500 kb/s with 40 bytes of overhead, what RTP over UDP over IPv4 has, leave 500 - 50 x 0.32 = 484 kb/s.
   Who shows nothing of what it receives limits nothing. */
TEST (test_tmmbr)
{
  RtcpTmmb limit = {.ssrc = MEDIA, .bitrate_bps = 500000, .overhead_bytes = 40};
  RtcpReportBlock block = {.ssrc = MEDIA};
  GstRateInfo info = {0};
  GstEvent *event;
  Heard h = {0};

  send_of (f, MEDIA, 150);
  says (f, SAYS (0));
  says (f, SAYS (0));
  listen (f, &h);
  says (f, SAYS (.tmmbr = &limit));
  fail_unless (next_event (f, GST_RATE_EVENT_NAME) == NULL);
  block.ext_highest_seq = (guint16)(f->seq - 1);
  says (f, SAYS (.tmmbr = &limit, .block = &block));
  event = next_event (f, GST_RATE_EVENT_NAME);
  fail_unless (event != NULL);
  fail_unless (gst_rate_event_parse (event, &info));
  fail_unless (info.bitrate >= 483000 && info.bitrate <= 485000, "%u", info.bitrate);
  fail_unless (info.wire_bitrate >= 499000 && info.wire_bitrate <= 501000, "%u", info.wire_bitrate);
  fail_unless_equals_string (info.limit, "explicit-rate");
  gst_event_unref (event);
  advance (f, 2 * GST_SECOND);
  listen (f, &h);
  fail_unless_equals_int (h.tmmbns, 1);
  fail_unless_equals_int (h.tmmbn_tuples, 1);
  fail_unless_equals_int (h.tuple.ssrc, RECEIVER);
  fail_unless_equals_uint64 (h.tuple.bitrate_bps, 500000);
  /* lifted with its owner */
  says (f, SAYS (.bye = TRUE));
  advance (f, 3 * GST_SECOND);
  listen (f, &h);
  fail_unless_equals_int (h.tmmbns, 2);
  fail_unless_equals_int (h.tmmbn_tuples, 0);
  info.bitrate = 0;
  while ((event = next_event (f, GST_RATE_EVENT_NAME)) != NULL) {
    fail_unless (gst_rate_event_parse (event, &info));
    gst_event_unref (event);
  }
  fail_unless_equals_int (info.bitrate, G_MAXUINT);
}

TEST (test_remb_becomes_a_rate)
{
  RtcpRemb remb = {.bitrate_bps = 800000, .n_ssrcs = 1, .ssrcs = {MEDIA}};
  GstRateInfo info;
  GstEvent *event;

  send_of (f, MEDIA, 150);
  says (f, SAYS (0));
  says (f, SAYS (.remb = &remb));
  event = next_event (f, GST_RATE_EVENT_NAME);
  fail_unless (event != NULL);
  fail_unless (gst_rate_event_parse (event, &info));
  fail_unless (info.bitrate >= 783000 && info.bitrate <= 785000, "%u", info.bitrate);
  gst_event_unref (event);
}

/* Who was never named limits nobody; nor does who is named, from another host than the receiver's. */
TEST (test_rates_of_strangers_are_refused)
{
  RtcpRemb remb = {.bitrate_bps = 1, .n_ssrcs = 1, .ssrcs = {MEDIA}};
  RtcpTmmb limit = {.ssrc = MEDIA, .bitrate_bps = 1};
  guint i;

  send_of (f, MEDIA, 150);
  for (i = 0; i < 2; i++)
    gst_harness_push (f->rtcp, from_host (report_with (RECEIVER, NULL, NULL, TRUE), "192.0.2.1"));
  gst_harness_push (f->rtcp, from_host (report_with (0x7777, &remb, &limit, FALSE), "192.0.2.1"));
  for (i = 0; i < 5; i++)
    gst_harness_push (f->rtcp, from_host (report_with (0x8888, &remb, &limit, TRUE), "192.0.2.66"));
  advance (f, GST_SECOND);
  fail_unless (next_event (f, GST_RATE_EVENT_NAME) == NULL);
}

/* Of the last rate event so far; 0: none. */
static guint
last_rate (Fixture *f)
{
  GstRateInfo info = {0};
  GstEvent *event;

  while ((event = next_event (f, GST_RATE_EVENT_NAME)) != NULL) {
    fail_unless (gst_rate_event_parse (event, &info));
    gst_event_unref (event);
  }
  return info.bitrate;
}

/* Within 400 ms, as events may be held back. */
static void
expect_rate (Fixture *f, guint low, guint high)
{
  guint i, rate = 0;

  for (i = 0; i < 20 && !(rate >= low && rate <= high); i++) {
    guint told;

    advance (f, 20 * GST_MSECOND);
    told = last_rate (f);
    rate = told != 0 ? told : rate;
  }
  fail_unless (rate >= low && rate <= high, "%u", rate);
}

/* RTP that arrives, from that host. */
static void
receive_from (Fixture *f, const gchar *host, guint32 ssrc, guint16 seq)
{
  GstPad *pad = gst_element_get_static_pad (f->rtp->element, "sink");
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (100, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_unmap (&rtp);
  if (seq == 1) {
    GstCaps *caps = gst_caps_from_string (CAPS);
    GstSegment segment;

    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_pad_send_event (pad, gst_event_new_stream_start (host));
    gst_pad_send_event (pad, gst_event_new_caps (caps));
    gst_pad_send_event (pad, gst_event_new_segment (&segment));
    gst_caps_unref (caps);
  }
  gst_pad_chain (pad, from_host (buffer, host));
  gst_object_unref (pad);
}

/* Another participant in the peer's place is not held to what that one asked for. */
TEST (test_limits_go_with_the_peer)
{
  RtcpTmmb limit = {.ssrc = MEDIA, .bitrate_bps = 100000};
  RtcpRemb remb = {.bitrate_bps = 100000, .n_ssrcs = 1, .ssrcs = {MEDIA}};
  guint i;

  for (i = 1; i < 4; i++)
    receive_from (f, "192.0.2.1", RECEIVER, (guint16)i);
  send_of (f, MEDIA, 150);
  for (i = 0; i < 2; i++)
    gst_harness_push (f->rtcp, from_host (report_with (RECEIVER, &remb, &limit, TRUE), "192.0.2.1"));
  advance (f, 100 * GST_MSECOND);
  expect_rate (f, 80000, 101000);
  advance (f, 6 * GST_SECOND);
  for (i = 2; i < 4; i++)
    receive_from (f, "192.0.2.2", 0x7777, (guint16)i);
  advance (f, 3 * GST_SECOND);
  expect_rate (f, G_MAXUINT, G_MAXUINT);
}

/* The lowest of two receivers' rates, and what is left when one leaves. */
TEST (test_rates_of_two_receivers)
{
  RtcpRemb low = {.bitrate_bps = 500000, .n_ssrcs = 1, .ssrcs = {MEDIA}}, high = low;
  GstRateInfo info = {0};
  GstEvent *event;
  guint i;

  high.bitrate_bps = 900000;
  send_of (f, MEDIA, 150);
  for (i = 0; i < 3; i++) {
    says (f, SAYS (.remb = &low, .ssrc = RECEIVER));
    advance (f, 50 * GST_MSECOND);
    says (f, SAYS (.remb = &high, .ssrc = RECEIVER + 1));
    advance (f, 50 * GST_MSECOND);
  }
  while ((event = next_event (f, GST_RATE_EVENT_NAME)) != NULL) {
    fail_unless (gst_rate_event_parse (event, &info));
    gst_event_unref (event);
    fail_unless (info.bitrate >= 483000 && info.bitrate <= 485000, "%u", info.bitrate);
  }
  fail_unless (info.bitrate > 0);
  says (f, SAYS (.bye = TRUE));
  advance (f, GST_SECOND);
  event = next_event (f, GST_RATE_EVENT_NAME);
  fail_unless (event != NULL);
  fail_unless (gst_rate_event_parse (event, &info));
  gst_event_unref (event);
  fail_unless (info.bitrate >= 883000 && info.bitrate <= 885000, "%u", info.bitrate);
}

/* A receiver's own finding and what routers said, in either order: the lower one. What is not repeated for 10 s is
   void, but not the last of all. 40 bytes of headers x 50 packets/s: 16 kb/s, fewer while nothing is sent. */
TEST (test_explicit_rate_beside_path_rate)
{
  RtcpPath path = {.kind = RTCP_PATH_END_TO_END, .rate_bps = 900000};
  RtcpPath erf = {.kind = RTCP_PATH_ERF, .hop = 77, .rate_bps = 500000}, absurd = erf;
  guint i;

  send_of (f, MEDIA, 150);
  says (f, SAYS (0));
  says (f, SAYS (.path = &path, .explicit_rate = &erf));
  expect_rate (f, 483000, 485000);
  says (f, SAYS (.path = &erf, .explicit_rate = &path));
  expect_rate (f, 483000, 485000);
  for (i = 0; i < 11; i++) {
    send_of (f, MEDIA, 50);
    says (f, SAYS (.path = &path));
  }
  expect_rate (f, 883000, 885000);
  /* nothing, and more than there is */
  absurd.rate_bps = 0;
  says (f, SAYS (.explicit_rate = &absurd));
  absurd.rate_bps = G_MAXUINT64;
  says (f, SAYS (.explicit_rate = &absurd));
  expect_rate (f, 883000, 900000);
  for (i = 0; i < 13; i++) {
    send_of (f, MEDIA, 50);
    says (f, SAYS (0));
  }
  says (f, SAYS (.path = &path));
  expect_rate (f, 883000, 885000);
}

/* 1000 in a second, each with another rate: one in 20 ms goes up, and the last one in the end. */
TEST (test_remb_flood)
{
  RtcpRemb remb = {.n_ssrcs = 1, .ssrcs = {MEDIA}};
  GstRateInfo info = {0};
  GstEvent *event;
  guint i, n = 0;

  send_of (f, MEDIA, 150);
  for (i = 0; i < 1000; i++) {
    remb.bitrate_bps = i < 999 ? 100000 + 1000 * i : 800000;
    says (f, SAYS (.remb = &remb));
    advance (f, GST_MSECOND);
  }
  advance (f, 100 * GST_MSECOND);
  for (; (event = next_event (f, GST_RATE_EVENT_NAME)) != NULL; n++) {
    fail_unless (gst_rate_event_parse (event, &info));
    gst_event_unref (event);
  }
  fail_unless (n >= 49 && n <= 52, "%u", n);
  fail_unless (info.bitrate >= 783000 && info.bitrate <= 785000, "%u", info.bitrate);
}

/* ---- conflicts and the end ---- */

TEST (test_ssrc_conflict)
{
  Heard h = {0};
  GstEvent *event;
  guint ssrc;

  send_of (f, MEDIA, 250);
  listen (f, &h);
  says (f, SAYS (.ssrc = MEDIA, .cname = "somebody else"));
  event = next_event (f, "GstRTPCollision");
  fail_unless (event != NULL);
  fail_unless (gst_structure_get_uint (gst_event_get_structure (event), "ssrc", &ssrc));
  fail_unless_equals_int (ssrc, MEDIA);
  gst_event_unref (event);
  send_of (f, MEDIA + 7, 250);
  listen (f, &h);
  fail_unless_equals_int (h.bye, MEDIA);
  fail_unless (spoke (&h, MEDIA + 7));
}

static void
wait_end (Fixture *f)
{
  gboolean ended = FALSE;
  GstEvent *event;
  guint i;

  for (i = 0; i < 1000 && !ended; i++) {
    while ((event = gst_harness_try_pull_event (f->rtcp)) != NULL) {
      ended |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
      gst_event_unref (event);
    }
    g_usleep (1000);
  }
  fail_unless (ended);
}

static GstPadProbeReturn
hold (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  return GST_PAD_PROBE_OK;
}

TEST (test_end_says_bye)
{
  Heard h = {0};

  send_of (f, MEDIA, 250);
  listen (f, &h);
  fail_unless_equals_int (h.byes, 0);
  gst_harness_push_event (f->rtp, gst_event_new_eos ());
  wait_end (f);
  listen (f, &h);
  fail_unless_equals_int (h.byes, 1);
  fail_unless_equals_int (h.bye, MEDIA);
}

static void
advance_until_held (Fixture *f, GstPad *pad)
{
  GstClockID id;

  for (; !gst_pad_is_blocking (pad); g_usleep (1000)) {
    if (!gst_test_clock_peek_next_pending_id (f->clock, &id))
      continue;
    gst_test_clock_set_time (f->clock, MAX (now_of (f), gst_clock_id_get_time (id)));
    gst_clock_id_unref (id);
    id = gst_test_clock_process_next_clock_id (f->clock);
    if (id != NULL)
      gst_clock_id_unref (id);
  }
}

/* Both streams end while the thread is held up in a push: what was sent last owes its BYE all the same. */
TEST (test_end_of_sending_then_receiving_says_bye)
{
  GstHarness *receiving = gst_harness_new_with_element (f->rtp->element, "sink", "src");
  GstPad *pad = gst_element_get_static_pad (f->rtp->element, "rtcp_src");
  Heard h = {0};
  gulong probe;

  gst_harness_set_src_caps_str (receiving, CAPS);
  send_of (f, MEDIA, 250);
  says (f, SAYS (0));
  says (f, SAYS (0));
  probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, hold, NULL, NULL);
  advance_until_held (f, pad);
  gst_harness_push_event (f->rtp, gst_event_new_eos ());
  gst_harness_push_event (receiving, gst_event_new_eos ());
  gst_pad_remove_probe (pad, probe);
  wait_end (f);
  listen (f, &h);
  fail_unless_equals_int (h.byes, 1);
  fail_unless_equals_int (h.bye, MEDIA);
  gst_object_unref (pad);
  gst_harness_teardown (receiving);
}

TEST (test_goes_on_after_a_flush)
{
  Heard h = {0};
  GstSegment segment;

  send_of (f, MEDIA, 250);
  gst_harness_push_event (f->rtp, gst_event_new_eos ());
  wait_end (f);
  listen (f, &h);
  memset (&h, 0, sizeof h);
  gst_harness_push_event (f->rtp, gst_event_new_flush_start ());
  gst_harness_push_event (f->rtp, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (f->rtp, gst_event_new_segment (&segment));
  send_of (f, MEDIA, 250);
  listen (f, &h);
  fail_unless (h.srs > 0);
  fail_unless (h.info.packet_count <= 250);
}

/* In the RTCP stream: nothing of its time, and the events of a new one ahead of its first packet. */
static void
expect_rtcp_begins_again (Fixture *f)
{
  static const GstEventType expected[] = {
      GST_EVENT_FLUSH_START, GST_EVENT_FLUSH_STOP, GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT};
  gboolean reset_time = FALSE;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (expected); i++) {
    GstEvent *event = gst_harness_try_pull_event (f->rtcp);

    fail_unless (event != NULL && GST_EVENT_TYPE (event) == expected[i]);
    if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
      gst_event_parse_flush_stop (event, &reset_time);
    fail_if (reset_time);
    gst_event_unref (event);
  }
}

static void
expect_reports (Fixture *f, guint32 ssrc)
{
  Heard h = {0};

  send_of (f, ssrc, 250);
  listen (f, &h);
  fail_unless (h.srs > 0);
  fail_unless (spoke (&h, ssrc));
}

static void
expect_end (Fixture *f, guint32 ssrc)
{
  Heard h = {0};

  gst_harness_push_event (f->rtp, gst_event_new_eos ());
  wait_end (f);
  listen (f, &h);
  fail_unless_equals_int (h.byes, 1);
  fail_unless_equals_int (h.bye, ssrc);
}

/* And ends again. */
TEST (test_goes_on_with_another_stream)
{
  expect_reports (f, MEDIA);
  expect_end (f, MEDIA);
  fixture_begin_stream (f->rtp, "next");
  expect_reports (f, MEDIA + 1);
  expect_rtcp_begins_again (f);
  expect_end (f, MEDIA + 1);
}

TEST (test_goes_on_with_a_pad_requested_anew)
{
  GstHarness *first = f->rtp;
  GstPad *pad = gst_element_get_static_pad (first->element, "send_rtp_sink");

  expect_reports (f, MEDIA);
  expect_end (f, MEDIA);
  gst_pad_unlink (first->srcpad, pad);
  gst_element_release_request_pad (first->element, pad);
  gst_object_unref (pad);
  f->rtp = gst_harness_new_with_element (first->element, "send_rtp_sink", "send_rtp_src");
  gst_harness_set_src_caps_str (f->rtp, CAPS);
  expect_reports (f, MEDIA + 1);
  expect_end (f, MEDIA + 1);
  gst_harness_teardown (f->rtp);
  f->rtp = first;
}

/* What was received has ended before, and stays so: the end of what is sent is this end's. */
TEST (test_another_stream_is_one_of_its_pad)
{
  GstHarness *receiving = gst_harness_new_with_element (f->rtp->element, "sink", "src");

  gst_harness_set_src_caps_str (receiving, CAPS);
  gst_harness_push_event (receiving, gst_event_new_eos ());
  expect_reports (f, MEDIA);
  expect_end (f, MEDIA);
  fixture_begin_stream (f->rtp, "next");
  expect_reports (f, MEDIA + 1);
  expect_end (f, MEDIA + 1);
  gst_harness_teardown (receiving);
}

/* The end of what is received is not this end's while another stream is sent, of the same SSRC or not. */
static void
send_streams_then_end_receiving (Fixture *f, guint32 next)
{
  GstHarness *receiving = gst_harness_new_with_element (f->rtp->element, "sink", "src");
  Heard h = {0};

  gst_harness_set_src_caps_str (receiving, CAPS);
  expect_reports (f, MEDIA);
  says (f, SAYS (0));
  says (f, SAYS (0));
  gst_harness_push_event (f->rtp, gst_event_new_eos ());
  advance (f, 10 * GST_SECOND);
  listen (f, &h);
  fail_unless_equals_int (h.byes, 1);
  fixture_begin_stream (f->rtp, "next");
  send_of (f, next, 10);
  gst_harness_push_event (receiving, gst_event_new_eos ());
  expect_reports (f, next);
  gst_harness_teardown (receiving);
}

TEST (test_end_of_receiving_beside_another_stream)
{
  send_streams_then_end_receiving (f, MEDIA + 1);
}

TEST (test_end_of_receiving_beside_the_same_stream)
{
  send_streams_then_end_receiving (f, MEDIA);
}

/* RFC 3550 6.3.7 */
TEST (test_release_says_bye)
{
  Heard h = {0};
  GstPad *pad = gst_element_get_static_pad (f->rtp->element, "send_rtp_sink");

  send_of (f, MEDIA, 250);
  says (f, SAYS (0));
  says (f, SAYS (0));
  listen (f, &h);
  gst_pad_unlink (f->rtp->srcpad, pad);
  gst_element_release_request_pad (f->rtp->element, pad);
  gst_object_unref (pad);
  advance (f, 10 * GST_SECOND);
  listen (f, &h);
  fail_unless_equals_int (h.byes, 1);
  fail_unless_equals_int (h.bye, MEDIA);
}

static Suite *
rtcpavpfsending_suite (void)
{
  Suite *suite = suite_create ("rtcpavpfsending");
  TCase *tcase = tcase_create ("rtcpavpfsending");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_media_passes_untouched);
  tcase_add_test (tcase, test_what_is_no_rtp_passes);
  tcase_add_test (tcase, test_pads);
  tcase_add_test (tcase, test_release_while_blocked);
  tcase_add_test (tcase, test_sender_report);
  tcase_add_test (tcase, test_sender_report_counts_the_latency);
  tcase_add_test (tcase, test_several_streams);
  tcase_add_test (tcase, test_a_stream_that_rests_is_not_gone);
  tcase_add_test (tcase, test_silent_sender_reports_as_a_receiver);
  tcase_add_test (tcase, test_round_trip);
  tcase_add_test (tcase, test_pli_and_fir_become_events);
  tcase_add_test (tcase, test_fir_by_number);
  tcase_add_test (tcase, test_pli_flood);
  tcase_add_test (tcase, test_nack_becomes_events);
  tcase_add_test (tcase, test_nack_flood);
  tcase_add_test (tcase, test_tmmbr);
  tcase_add_test (tcase, test_remb_becomes_a_rate);
  tcase_add_test (tcase, test_rates_of_strangers_are_refused);
  tcase_add_test (tcase, test_limits_go_with_the_peer);
  tcase_add_test (tcase, test_rates_of_two_receivers);
  tcase_add_test (tcase, test_explicit_rate_beside_path_rate);
  tcase_add_test (tcase, test_remb_flood);
  tcase_add_test (tcase, test_ssrc_conflict);
  tcase_add_test (tcase, test_end_says_bye);
  tcase_add_test (tcase, test_end_of_sending_then_receiving_says_bye);
  tcase_add_test (tcase, test_goes_on_after_a_flush);
  tcase_add_test (tcase, test_goes_on_with_another_stream);
  tcase_add_test (tcase, test_goes_on_with_a_pad_requested_anew);
  tcase_add_test (tcase, test_another_stream_is_one_of_its_pad);
  tcase_add_test (tcase, test_end_of_receiving_beside_another_stream);
  tcase_add_test (tcase, test_end_of_receiving_beside_the_same_stream);
  tcase_add_test (tcase, test_release_says_bye);
  return suite;
}

GST_CHECK_MAIN (rtcpavpfsending);
