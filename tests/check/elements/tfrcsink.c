/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink against a socket on the loopback device that plays the receiver. Buffers without time stamps leave the clock
   out of it; where time matters it is real and the bounds are wide. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrateevent.h"
#include "rtpextension.h"
#include "tfrctest.h"

#include <gst/rtp/gstrtcpbuffer.h>
#include <gst/video/video.h>

#define SSRC 0x12345678u
#define PEER_SSRC 0x87654321u
#define CAPS                                                                                                           \
  "application/x-rtp, media=(string)video, clock-rate=(int)90000, encoding-name=(string)X-TEST, payload=(int)96"
#define DEFAULT_ID 9
#define RTP_HEADER 12
#define STAMPED 12 /* bytes a packet without extensions grows by: head 4, id and length 1, value 7 */

/* ---- the peer ---- */

typedef struct {
  const TfrcReport *tfrc;
  const RtcpPath *path;
  const RtcpRemb *remb;
  gboolean pli, fir;
  guint32 media;
} Feedback;

/* A reduced-size packet with what is set. */
static gsize
feedback_build (const Feedback *f, guint8 *out, gsize capacity)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  gsize size;

  if (f->tfrc)
    rtcp_add_tfrc (&rtcp, PEER_SSRC, f->media, f->tfrc);
  if (f->path)
    rtcp_add_path (&rtcp, PEER_SSRC, f->media, f->path);
  if (f->remb)
    rtcp_add_remb (&rtcp, PEER_SSRC, f->remb);
  if (f->pli)
    rtcp_add_pli (&rtcp, PEER_SSRC, f->media);
  if (f->fir)
    rtcp_add_fir (&rtcp, PEER_SSRC, f->media, 1);
  gst_cc_rtcp_close (&rtcp, buffer);
  size = gst_buffer_extract (buffer, 0, out, capacity);
  gst_buffer_unref (buffer);
  return size;
}

static void
peer_feedback (Peer *peer, const Feedback *f)
{
  guint8 data[RTCP_MTU];

  send_from (peer->socket, peer->sender, data, feedback_build (f, data, sizeof data));
}

static void
peer_receiver_report (Peer *peer, guint8 fraction_lost, guint32 lsr, guint32 dlsr)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  RtcpReportBlock block = {.ssrc = SSRC, .fraction_lost = fraction_lost, .lsr = lsr, .dlsr = dlsr};
  guint8 data[RTCP_MTU];

  rtcp_add_rr (&rtcp, PEER_SSRC, &block, 1);
  rtcp_add_cname (&rtcp, PEER_SSRC, "peer");
  gst_cc_rtcp_close (&rtcp, buffer);
  send_from (peer->socket, peer->sender, data, gst_buffer_extract (buffer, 0, data, sizeof data));
  gst_buffer_unref (buffer);
}

/* ---- the sink ---- */

typedef struct {
  GstHarness *h;
  GstElement *sink;
  GstBus *bus;
  guint16 seq;
  guint32 timestamp, ssrc;
} Sink;

static void
sink_open_with (Sink *s, const gchar *host, guint16 port, const gchar *caps, const gchar *first_property, ...)
{
  va_list args;

  memset (s, 0, sizeof *s);
  s->sink = gst_element_factory_make ("tfrcsink", NULL);
  fail_unless (s->sink != NULL);
  g_object_set (s->sink, "host", host, "port", port, "sync", FALSE, "async", FALSE, NULL);
  va_start (args, first_property);
  if (first_property != NULL)
    g_object_set_valist (G_OBJECT (s->sink), first_property, args);
  va_end (args);
  s->bus = gst_bus_new ();
  gst_element_set_bus (s->sink, s->bus);
  s->h = gst_harness_new_with_element (s->sink, "sink", NULL);
  gst_harness_set_src_caps_str (s->h, caps);
  s->ssrc = SSRC;
  s->timestamp = 1000;
}

#define sink_open(s, peer, ...) sink_open_with (s, "127.0.0.1", (peer)->port, CAPS, __VA_ARGS__)

static void
sink_close (Sink *s)
{
  gst_harness_teardown (s->h);
  gst_element_set_bus (s->sink, NULL);
  gst_object_unref (s->sink);
  gst_object_unref (s->bus);
}

/* payload bytes are 0, 1, 2, ... in a memory of their own, as payloaders make them */
static GstBuffer *
sink_packet (Sink *s, guint payload, gboolean marker)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (0, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 *bytes = g_malloc (payload + 1);
  guint i;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_seq (&rtp, s->seq++);
  gst_rtp_buffer_set_timestamp (&rtp, s->timestamp);
  gst_rtp_buffer_set_ssrc (&rtp, s->ssrc);
  gst_rtp_buffer_set_marker (&rtp, marker);
  gst_rtp_buffer_unmap (&rtp);
  for (i = 0; i < payload; i++)
    bytes[i] = (guint8)i;
  gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, bytes, payload + 1, 0, payload, bytes, g_free));
  return buffer;
}

static void
sink_push_frame (Sink *s, guint packets, guint payload)
{
  guint i;

  for (i = 0; i < packets; i++)
    fail_unless_equals_int (gst_harness_push (s->h, sink_packet (s, payload, i == packets - 1)), GST_FLOW_OK);
  s->timestamp += 3000;
}

static guint64
sink_stat (Sink *s, const gchar *name)
{
  return stat_of (s->sink, name);
}

static gboolean
sink_wait_stat (Sink *s, const gchar *name, guint64 at_least)
{
  return wait_stat (s->sink, name, at_least);
}

static guint
sink_estimate (Sink *s)
{
  return bitrate_of (s->sink);
}

static gboolean
sink_wait_estimate (Sink *s, guint low, guint high)
{
  guint i;

  for (i = 0; i < 200 && (sink_estimate (s) < low || sink_estimate (s) > high); i++)
    g_usleep (5000);
  return sink_estimate (s) >= low && sink_estimate (s) <= high;
}

/* The last rate event of those that wait; FALSE: none. Counts key unit requests by the way. */
static gboolean
sink_last_rate (Sink *s, GstRateInfo *info, guint *key_units)
{
  gboolean found = FALSE;
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (s->h)) != NULL) {
    found |= gst_rate_event_parse (event, info);
    if (key_units != NULL && gst_video_event_is_force_key_unit (event))
      (*key_units)++;
    gst_event_unref (event);
  }
  return found;
}

/* ---- stamping ---- */

static gboolean
find_stamp (const guint8 *packet, guint id, RtpRttSendts *stamp)
{
  gsize size, block = 4 * (gsize)GST_READ_UINT16_BE (packet + 14);
  const guint8 *data = rtp_ext_find (GST_READ_UINT16_BE (packet + 12), packet + 16, block, id, &size);

  return (packet[0] & 0x10) != 0 && data != NULL && rtp_ext_rtt_sendts_parse (data, size, stamp);
}

GST_START_TEST (test_loss_tolerance)
{
  const guint percent[] = {0, 10, 20};
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);
  guint i, value;

  g_object_get (sink, "loss-tolerance", &value, NULL);
  fail_unless_equals_int (value, 20);
  for (i = 0; i < G_N_ELEMENTS (percent); i++) {
    g_object_set (sink, "loss-tolerance", percent[i], NULL);
    g_object_get (sink, "loss-tolerance", &value, NULL);
    fail_unless_equals_int (value, percent[i]);
  }
  gst_object_unref (sink);
}
GST_END_TEST;

GST_START_TEST (test_extension_not_reserved)
{
  RtpRttSendts stamp;
  Peer peer;
  Sink s;
  guint i;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  fail_unless_equals_int (peer.size, 12 + STAMPED + 100);
  fail_unless (find_stamp (peer.data, DEFAULT_ID, &stamp));
  fail_unless_equals_uint64 (stamp.rtt, 0);
  fail_unless_equals_int (GST_READ_UINT32_BE (peer.data + 8), SSRC);
  for (i = 0; i < 100; i++)
    fail_unless_equals_int (peer.data[24 + i], i);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* Send times of two packets 100 ms apart differ by that, give or take what a busy machine holds a thread up between
   reading the clock and taking the packet. */
GST_START_TEST (test_extension_tells_send_time)
{
  RtpRttSendts one, two;
  Peer peer;
  Sink s;
  gint64 before, after;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  before = g_get_monotonic_time ();
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000) && find_stamp (peer.data, DEFAULT_ID, &one));
  g_usleep (100000);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000) && find_stamp (peer.data, DEFAULT_ID, &two));
  after = g_get_monotonic_time ();
  fail_unless (two.sent_at_us - one.sent_at_us >= 50000);
  fail_unless (two.sent_at_us - one.sent_at_us <= after - before + 50000);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* The payloader left room under the id its caps name, beside another element. */
GST_START_TEST (test_extension_reserved)
{
  static const guint8 other[2] = {0xaa, 0xbb}, room[RTP_EXT_RTT_SENDTS_SIZE] = {0};
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  RtpRttSendts stamp;
  GstBuffer *buffer;
  const guint8 *kept;
  gsize size, before;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open_with (&s, "127.0.0.1", peer.port, CAPS ", extmap-5=(string)" RTP_EXT_RTT_SENDTS_URI, NULL);
  buffer = sink_packet (&s, 100, TRUE);
  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp, 1, other, sizeof other));
  fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp, 5, room, sizeof room));
  gst_rtp_buffer_unmap (&rtp);
  before = gst_buffer_get_size (buffer);
  gst_harness_push (s.h, buffer);
  fail_unless (peer_receive_rtp (&peer, 1000));
  fail_unless_equals_int (peer.size, before);
  fail_unless (find_stamp (peer.data, 5, &stamp));
  kept = rtp_ext_find (
      GST_READ_UINT16_BE (peer.data + 12), peer.data + 16, 4 * (gsize)GST_READ_UINT16_BE (peer.data + 14), 1, &size);
  fail_unless (kept != NULL && size == 2 && memcmp (kept, other, 2) == 0);
  fail_unless_equals_int (peer.data[peer.size - 1], 99);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

GST_START_TEST (test_extension_off)
{
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "extension-id", 0, NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  fail_unless_equals_int (peer.size, 112);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* The buffer that was pushed is not written to: somebody else may hold it. */
GST_START_TEST (test_shared_buffer_is_untouched)
{
  GstBuffer *buffer;
  guint8 before[12], after[12];
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  buffer = sink_packet (&s, 10, TRUE);
  gst_buffer_extract (buffer, 0, before, 12);
  gst_harness_push (s.h, gst_buffer_ref (buffer));
  fail_unless (peer_receive_rtp (&peer, 1000));
  gst_buffer_extract (buffer, 0, after, 12);
  fail_unless (memcmp (before, after, 12) == 0);
  gst_buffer_unref (buffer);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* ---- packets ---- */

GST_START_TEST (test_buffer_list)
{
  GstBufferList *list = gst_buffer_list_new ();
  Peer peer;
  Sink s;
  guint i;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 10000000, NULL);
  for (i = 0; i < 50; i++)
    gst_buffer_list_add (list, sink_packet (&s, 500, i == 49));
  fail_unless_equals_int (gst_pad_push_list (s.h->srcpad, list), GST_FLOW_OK);
  for (i = 0; i < 50; i++) {
    fail_unless (peer_receive_rtp (&peer, 1000));
    fail_unless_equals_int (peer_seq (&peer), i);
    fail_unless_equals_int (peer.size, 12 + STAMPED + 500);
  }
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* 60 packets of 12 + 12 + 1176 + 28 bytes on the wire, 73680 bytes, at 1 Mb/s and a gain of 1.5: 0.393 s at least for
   all, less 5 ms of credit. */
GST_START_TEST (test_pacing_spreads_a_frame)
{
  gint64 begun = 0, middle = 0, last = 0;
  Peer peer;
  Sink s;
  guint i;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 1000000, "min-bitrate", 1000000, "max-bitrate", 1000000, "max-delay",
      2 * GST_SECOND, NULL);
  sink_push_frame (&s, 60, 1176);
  for (i = 0; i < 60; i++) {
    fail_unless (peer_receive_rtp (&peer, 1000));
    fail_unless_equals_int (peer_seq (&peer), i);
    last = g_get_monotonic_time ();
    if (i == 0)
      begun = last;
    if (i == 30)
      middle = last;
  }
  fail_unless (last - begun >= 350000, "%" G_GINT64_FORMAT " us", last - begun);
  fail_unless (last - begun <= 900000, "%" G_GINT64_FORMAT " us", last - begun);
  fail_unless (middle - begun >= 120000, "%" G_GINT64_FORMAT " us", middle - begun);
  fail_unless (sink_stat (&s, "pacing-error-max") > 0);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

GST_START_TEST (test_odd_packets)
{
  static const guint8 version_1[20] = {0x40},
                      long_extension[16] = {0x90, 96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xbe, 0xde, 9, 9};
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  fail_unless_equals_int (gst_harness_push (s.h, gst_buffer_new_allocate (NULL, 1, NULL)), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (s.h, gst_buffer_new ()), GST_FLOW_OK);
  gst_harness_push (s.h, gst_buffer_new_memdup (version_1, sizeof version_1));
  gst_harness_push (s.h, gst_buffer_new_memdup (long_extension, sizeof long_extension));
  fail_unless (sink_wait_stat (&s, "packets-malformed", 4));
  fail_if (peer_receive (&peer, 50));
  /* the smallest there is: no payload */
  sink_push_frame (&s, 1, 0);
  fail_unless (peer_receive_rtp (&peer, 1000));
  fail_unless_equals_int (peer.size, 12 + STAMPED);
  fail_unless_equals_uint64 (sink_stat (&s, "packets-malformed"), 4);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

static gchar *
message_text (Sink *s, GstMessageType type)
{
  GstMessage *message = gst_bus_timed_pop_filtered (s->bus, GST_SECOND, type);
  GError *error = NULL;
  gchar *text;

  if (message == NULL)
    return NULL;
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  gst_message_unref (message);
  return text;
}

/* UDP takes 65507 bytes: 65000 and the stamp go, 65500 and the stamp do not. */
GST_START_TEST (test_large_packets)
{
  gchar *text;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 20000000, NULL);
  sink_push_frame (&s, 1, 65000 - 12);
  fail_unless (peer_receive_rtp (&peer, 1000));
  fail_unless_equals_int (peer.size, 65000 + STAMPED);
  sink_push_frame (&s, 1, 65500 - 12);
  fail_unless (sink_wait_stat (&s, "packets-too-large", 1));
  text = message_text (&s, GST_MESSAGE_WARNING);
  fail_unless (text != NULL && strstr (text, "mtu=1200") != NULL);
  g_free (text);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

GST_START_TEST (test_sequence_wrap_and_new_ssrc)
{
  Feedback pli = {.pli = TRUE, .media = SSRC + 1};
  Peer peer;
  Sink s;
  guint i;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 2000000, NULL);
  s.seq = 65530;
  s.timestamp = G_MAXUINT32 - 7000;
  for (i = 0; i < 12; i++) {
    sink_push_frame (&s, 1, 100);
    fail_unless (peer_receive_rtp (&peer, 1000));
    fail_unless_equals_int (peer_seq (&peer), (guint16)(65530 + i));
  }
  s.ssrc = SSRC + 1;
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  fail_unless_equals_int (GST_READ_UINT32_BE (peer.data + 8), SSRC + 1);
  peer_feedback (&peer, &pli);
  fail_unless (sink_wait_stat (&s, "pli", 1));
  fail_unless_equals_uint64 (sink_stat (&s, "unknown-ssrc"), 0);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* ---- rate ---- */

/* Frames for `ms`; every 40 ms the peer reports on the last packet, with a path rate where one is given. */
static void
converse (Sink *s, Peer *peer, guint ms, guint packets, const RtcpPath *path, const RtcpRemb *remb, guint32 media)
{
  gint64 end = g_get_monotonic_time () + ms * G_GINT64_CONSTANT (1000);
  guint bytes = 0;

  while (g_get_monotonic_time () < end) {
    TfrcReport report = {.X_recv = 0};
    RtpRttSendts stamp;

    sink_push_frame (s, packets, 1000);
    g_usleep (40000);
    for (bytes = 0; peer_receive (peer, 0);)
      if (!rtcp_is_rtcp (peer->data, peer->size) && find_stamp (peer->data, DEFAULT_ID, &stamp)) {
        bytes += peer->size;
        report.t_i_us = stamp.sent_at_us;
      }
    report.X_recv = bytes / 0.04;
    if (bytes > 0)
      peer_feedback (peer, &(Feedback){.tfrc = &report, .path = path, .remb = remb, .media = media});
  }
}

/* 5 packets of 1052 bytes every 40 ms are 1.05 Mb/s offered: twice what is sent may be allowed, so 300 kb/s rises well
   above 450 kb/s within 2 s, and falls below 110 kb/s when the path says 100 kb/s. */
GST_START_TEST (test_reports_move_the_rate)
{
  RtcpPath up = {.rate_bps = 3000000, .capacity_bps = 3000000}, down = {.rate_bps = 100000};
  GstRateInfo info;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  fail_unless_equals_int (sink_estimate (&s), 300000);
  converse (&s, &peer, 2000, 5, &up, NULL, SSRC);
  fail_unless (sink_estimate (&s) > 450000, "%u", sink_estimate (&s));
  fail_unless (sink_last_rate (&s, &info, NULL));
  fail_unless (info.wire_bitrate > 450000 && info.bitrate < info.wire_bitrate && info.bitrate > 300000);
  fail_unless (info.rtt < 100 * GST_MSECOND);
  converse (&s, &peer, 400, 1, &down, NULL, SSRC);
  fail_unless (sink_estimate (&s) <= 110000, "%u", sink_estimate (&s));
  fail_unless (sink_last_rate (&s, &info, NULL));
  fail_unless (info.wire_bitrate <= 110000);
  fail_unless_equals_string (info.limit, "delay");
  fail_unless (sink_stat (&s, "reports") > 10 && sink_stat (&s, "path-reports") > 10);
  fail_unless_equals_uint64 (sink_stat (&s, "bad-reports"), 0);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* Nobody answers for a second, and does again. */
GST_START_TEST (test_the_encoder_is_told_to_pause)
{
  RtcpPath up = {.rate_bps = 3000000, .capacity_bps = 3000000};
  GstRateInfo info = {0};
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  converse (&s, &peer, 1000, 2, &up, NULL, SSRC);
  fail_unless (sink_last_rate (&s, &info, NULL));
  fail_if (info.pause);
  for (guint i = 0; i < 30; i++) {
    sink_push_frame (&s, 2, 1000);
    g_usleep (40000);
  }
  fail_unless (sink_last_rate (&s, &info, NULL));
  fail_unless (info.pause);
  converse (&s, &peer, 1000, 1, &up, NULL, SSRC);
  fail_unless (sink_last_rate (&s, &info, NULL));
  fail_if (info.pause);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* A queue that others make lowers video to 100 kb/s, as reported; audio no lower than min-audio-bitrate, and that only
   within max-bitrate. */
GST_START_TEST (test_audio_is_sent_as_it_comes)
{
  static const struct {
    const gchar *media;
    guint max_bitrate, expected;
  } cases[] = {{"video", 1000000, 100000}, {"audio", 1000000, 128000}, {"audio", 110000, 110000}};
  RtcpPath down = {.rate_bps = 100000};
  gchar *caps = g_strdup_printf (
      "application/x-rtp, media=(string)%s, clock-rate=(int)48000, encoding-name=(string)OPUS, payload=(int)96",
      cases[__i__].media);
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open_with (&s, "127.0.0.1", peer.port, caps, "max-bitrate", cases[__i__].max_bitrate, NULL);
  converse (&s, &peer, 600, 1, &down, NULL, SSRC);
  fail_unless (ABS ((gint)sink_estimate (&s) - (gint)cases[__i__].expected) < 3000, "%s: %u", cases[__i__].media,
      sink_estimate (&s));
  g_object_set (s.sink, "min-audio-bitrate", 30000, NULL);
  converse (&s, &peer, 300, 1, &down, NULL, SSRC);
  fail_unless (ABS ((gint)sink_estimate (&s) - 100000) < 3000, "%u", sink_estimate (&s));
  sink_close (&s);
  peer_close (&peer);
  g_free (caps);
}
GST_END_TEST;

/* Nobody reports: after 2 s, 4 s and 8 s the rate has been halved three times, from 400 kb/s to the minimum of 60 kb/s;
   packets trickle on. A receiver that appears brings the rate back. */
GST_START_TEST (test_no_feedback_trickles_and_recovers)
{
  RtcpPath up = {.rate_bps = 3000000, .capacity_bps = 3000000};
  guint i, received = 0;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 400000, "min-bitrate", 60000, NULL);
  for (i = 0; i < 500 && sink_estimate (&s) > 60000; i++) {
    sink_push_frame (&s, 1, 1000);
    g_usleep (40000);
    while (peer_receive (&peer, 0))
      ;
  }
  fail_unless_equals_int (sink_estimate (&s), 60000);
  /* 60 kb/s are 7 packets of 1052 bytes a second */
  for (i = 0; i < 25; i++) {
    sink_push_frame (&s, 1, 1000);
    g_usleep (40000);
    while (peer_receive (&peer, 0))
      received += !rtcp_is_rtcp (peer.data, peer.size);
  }
  fail_unless (received >= 4 && received <= 15, "%u", received);
  converse (&s, &peer, 2000, 4, &up, NULL, SSRC);
  fail_unless (sink_estimate (&s) >= 300000, "%u", sink_estimate (&s));
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* The receiver goes and another one comes up at its port, which reports on what it got: reports are believed at once.
 */
GST_START_TEST (test_receiver_starts_over)
{
  RtcpPath up = {.rate_bps = 3000000, .capacity_bps = 3000000}, low = {.rate_bps = 150000};
  guint16 port;
  Peer peer;
  Sink s;

  peer_open (&peer);
  port = peer.port;
  sink_open (&s, &peer, NULL);
  converse (&s, &peer, 1000, 4, &up, NULL, SSRC);
  fail_unless (sink_estimate (&s) > 300000);
  peer_close (&peer);
  sink_push_frame (&s, 4, 1000);
  g_usleep (200000);
  peer_open_at (&peer, "127.0.0.1", port);
  converse (&s, &peer, 600, 2, &low, NULL, SSRC);
  fail_unless (sink_estimate (&s) <= 160000, "%u", sink_estimate (&s));
  converse (&s, &peer, 2000, 4, &up, NULL, SSRC);
  fail_unless (sink_estimate (&s) > 300000, "%u", sink_estimate (&s));
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* A receiver that knows nothing but RFC 3550 is heard all the same. For 5 s, in which the no-feedback timer would have
   halved twice; then loss of a quarter, with the 200 ms of an unknown round trip: at 1036 bytes a packet (RFC 5348 3.1)
   1036 / (0.2 sqrt (p 2/3) + 2.4 sqrt (p 3/8) p (1 + 32 p^2)), p on its way to 0.25: 40 kb/s in the end. */
GST_START_TEST (test_plain_receiver_reports)
{
  guint i;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  for (i = 0; i < 20; i++) {
    sink_push_frame (&s, 1, 1000);
    fail_unless (peer_receive_rtp (&peer, 2000));
    peer_receiver_report (&peer, 0, 0, 0);
    g_usleep (250000);
    fail_unless (sink_estimate (&s) >= 290000, "%u", sink_estimate (&s));
  }
  for (i = 0; i < 20; i++)
    peer_receiver_report (&peer, 64, 0, 0);
  fail_unless (sink_wait_stat (&s, "rtcp-received", 40));
  fail_unless (sink_wait_estimate (&s, 30000, 80000), "%u", sink_estimate (&s));
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

GST_START_TEST (test_remb_without_path)
{
  RtcpRemb remb = {.bitrate_bps = 150000, .n_ssrcs = 1, .ssrcs = {SSRC}};
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  converse (&s, &peer, 400, 1, NULL, &remb, SSRC);
  fail_unless (sink_estimate (&s) <= 153000 && sink_estimate (&s) >= 140000, "%u", sink_estimate (&s));
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

GST_START_TEST (test_absurd_rates_stay_within_limits)
{
  RtcpPath path = {.rate_bps = G_MAXUINT64, .capacity_bps = G_MAXUINT64, .queue_delay = 0};
  RtcpRemb remb = {.bitrate_bps = G_MAXUINT64, .n_ssrcs = 1, .ssrcs = {SSRC}};
  RtcpPath none = {.rate_bps = 1};
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "max-bitrate", 500000, "min-bitrate", 50000, NULL);
  converse (&s, &peer, 600, 4, &path, &remb, SSRC);
  fail_unless (sink_estimate (&s) <= 500000, "%u", sink_estimate (&s));
  converse (&s, &peer, 300, 1, &none, NULL, SSRC);
  fail_unless_equals_int (sink_estimate (&s), 50000);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* Whatever the properties are set to, in whatever order: packets leave and nothing spins or overflows. min-bitrate wins
   over a lower max-bitrate. */
GST_START_TEST (test_absurd_properties)
{
  static const gchar *const modes[] = {"low-delay", "rfc5348", "burst-control"};
  static const guint bitrates[][2] = {{G_MAXUINT, G_MAXUINT}, {G_MAXUINT, 1000}, {1000, G_MAXUINT}};
  RtcpPath path = {.rate_bps = G_MAXUINT64, .capacity_bps = G_MAXUINT64, .queue_delay = G_MAXUINT64};
  guint m, b;
  Peer peer;
  Sink s;

  for (m = 0; m < G_N_ELEMENTS (modes); m++)
    for (b = 0; b < G_N_ELEMENTS (bitrates); b++) {
      clock_t before = clock ();

      peer_open (&peer);
      sink_open (&s, &peer, "start-bitrate", G_MAXUINT, "min-bitrate", bitrates[b][0], "max-bitrate", bitrates[b][1],
          "max-delay", m == 0 ? GST_MSECOND : 10 * GST_SECOND, "stats-interval", G_GUINT64_CONSTANT (1), NULL);
      gst_util_set_object_arg (G_OBJECT (s.sink), "mode", modes[m]);
      converse (&s, &peer, 200, 3, &path, NULL, SSRC);
      fail_unless (sink_estimate (&s) >= bitrates[b][0] && (b != 0 || sink_estimate (&s) == G_MAXUINT));
      fail_unless (sink_stat (&s, "packets-sent") > 0);
      g_object_set (s.sink, "max-delay", GST_MSECOND, "stats-interval", G_MAXUINT64 / 4, "min-bitrate", 1000, NULL);
      sink_push_frame (&s, 3, 1000);
      fail_unless (clock () - before < CLOCKS_PER_SEC / 10, "%ld", (long)(clock () - before));
      sink_close (&s);
      peer_close (&peer);
    }
}
GST_END_TEST;

/* A wrong SSRC and a stranger's address change nothing and are counted. */
GST_START_TEST (test_spoofed_feedback)
{
  RtcpPath low = {.rate_bps = 40000};
  RtcpRemb others = {.bitrate_bps = 40000, .n_ssrcs = 1, .ssrcs = {SSRC + 77}};
  Feedback f = {.path = &low, .remb = &others, .pli = TRUE, .fir = TRUE, .media = SSRC};
  guint8 data[RTCP_MTU];
  guint key_units = 0;
  GstRateInfo info;
  Peer peer, stranger;
  Sink s;

  peer_open (&peer);
  peer_open (&stranger);
  sink_open (&s, &peer, NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  send_from (stranger.socket, peer.sender, data, feedback_build (&f, data, sizeof data));
  fail_unless (sink_wait_stat (&s, "unknown-source", 1));
  f.media = SSRC + 77;
  peer_feedback (&peer, &f);
  fail_unless (sink_wait_stat (&s, "unknown-ssrc", 4));
  send_from (peer.socket, peer.sender, (const guint8 *)"\x80\xc8\xff\xff malformed", 14);
  fail_unless (sink_wait_stat (&s, "bad-rtcp", 1));
  fail_unless_equals_int (sink_estimate (&s), 300000);
  sink_last_rate (&s, &info, &key_units);
  fail_unless_equals_int (key_units, 0);
  sink_close (&s);
  peer_close (&peer);
  peer_close (&stranger);
}
GST_END_TEST;

/* ---- noise ---- */

#define NOISE_ROUNDS 200
#define NOISE_PER_ROUND 50
#define NOISE_MAX_BITRATE 500000

static gsize
noise_bytes (GRand *random, guint8 *data)
{
  gsize size = (gsize)g_rand_int_range (random, 0, 400), i;

  for (i = 0; i < size; i++)
    data[i] = (guint8)g_rand_int (random);
  return size;
}

static guint64
random_64 (GRand *random)
{
  guint64 value = (guint64)g_rand_int (random) << 32 | g_rand_int (random);

  return value >> g_rand_int_range (random, 0, 64);
}

/* Feedback of any values, mostly about our source, then some bits turned over. */
static gsize
noise_feedback (GRand *random, guint32 t_i_us, guint8 *data)
{
  TfrcReport tfrc = {.t_i_us = t_i_us - (guint32)g_rand_int_range (random, 0, 200000),
      .t_delay = random_64 (random) % (10 * GST_SECOND),
      .X_recv = (gdouble)random_64 (random),
      .p = g_rand_double (random)};
  RtcpPath path = {
      .rate_bps = random_64 (random), .capacity_bps = random_64 (random), .queue_delay = random_64 (random)};
  RtcpRemb remb = {.bitrate_bps = random_64 (random), .n_ssrcs = 1, .ssrcs = {SSRC}};
  guint32 what = g_rand_int (random);
  Feedback f = {.tfrc = what & 1 ? &tfrc : NULL,
      .path = what & 2 ? &path : NULL,
      .remb = what & 4 ? &remb : NULL,
      .pli = (what & 8) != 0,
      .fir = (what & 16) != 0,
      .media = what & 0x60 ? SSRC : what};
  gsize size = feedback_build (&f, data, RTCP_MTU);
  gint flips;

  for (flips = size > 0 ? g_rand_int_range (random, 0, 4) : 0; flips > 0; flips--)
    data[g_rand_int_range (random, 0, (gint)size)] ^= (guint8)(1 << g_rand_int_range (random, 0, 8));
  return size;
}

static void
make_noise (GSocket *socket, GSocketAddress *to, guint32 t_i_us, GRand *random)
{
  guint8 data[RTCP_MTU];
  guint i;

  for (i = 0; i < NOISE_PER_ROUND; i++) {
    gsize size = i % 3 == 0 ? noise_bytes (random, data) : noise_feedback (random, t_i_us, data);

    g_socket_send_to (socket, to, (gchar *)data, size, NULL, NULL);
  }
}

/* 10000 datagrams in 2 s, random or reports with random values, from the receiver's own address (the worst case) or a
   stranger's, while two packets are offered every 10 ms. The rate stays within its limits, at 100 kb/s no packet takes
   longer than 100 ms, the first no-feedback period is 2 s; and once the noise is over, reports are believed again:
   start-bitrate and more within 3 s. */
static void
check_noise (gboolean from_receiver)
{
  RtcpPath up = {.rate_bps = 3000000, .capacity_bps = 3000000};
  GRand *random = g_rand_new_with_seed (5 + from_receiver);
  gint64 last;
  RtpRttSendts stamp = {0};
  Peer peer, stranger;
  Sink s;
  guint i;

  peer_open (&peer);
  peer_open (&stranger);
  sink_open (&s, &peer, "max-bitrate", NOISE_MAX_BITRATE, "min-bitrate", 100000, NULL);
  converse (&s, &peer, 200, 2, &up, NULL, SSRC);
  for (i = 0, last = g_get_monotonic_time (); i < NOISE_ROUNDS; i++) {
    guint estimate = sink_estimate (&s);

    sink_push_frame (&s, 2, 1000);
    g_usleep (10000);
    while (peer_receive (&peer, 0))
      if (!rtcp_is_rtcp (peer.data, peer.size) && find_stamp (peer.data, DEFAULT_ID, &stamp))
        last = g_get_monotonic_time ();
    fail_unless (estimate <= NOISE_MAX_BITRATE && estimate >= 100000, "%u", estimate);
    fail_unless (g_get_monotonic_time () - last < 2000000);
    make_noise (from_receiver ? peer.socket : stranger.socket, peer.sender, stamp.sent_at_us, random);
  }
  fail_unless (sink_wait_stat (&s, from_receiver ? "bad-rtcp" : "unknown-source", 100));
  if (!from_receiver) {
    fail_unless_equals_uint64 (sink_stat (&s, "bad-rtcp"), 0);
    fail_unless_equals_uint64 (sink_stat (&s, "key-unit-requests"), 0);
  }
  converse (&s, &peer, 3000, 4, &up, NULL, SSRC);
  fail_unless (sink_estimate (&s) >= 300000, "%u", sink_estimate (&s));
  sink_close (&s);
  peer_close (&peer);
  peer_close (&stranger);
  g_rand_free (random);
}

GST_START_TEST (test_noise_of_a_stranger)
{
  check_noise (FALSE);
}
GST_END_TEST;

GST_START_TEST (test_noise_in_the_receivers_name)
{
  check_noise (TRUE);
}
GST_END_TEST;

GST_START_TEST (test_key_unit_once_per_interval)
{
  Feedback pli = {.pli = TRUE, .media = SSRC}, fir = {.fir = TRUE, .media = SSRC};
  guint i, key_units = 0;
  GstRateInfo info;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  for (i = 0; i < 5; i++)
    peer_feedback (&peer, i % 2 ? &fir : &pli);
  fail_unless (sink_wait_stat (&s, "pli", 3) && sink_wait_stat (&s, "fir", 2));
  sink_last_rate (&s, &info, &key_units);
  fail_unless_equals_int (key_units, 1);
  g_usleep (320000);
  peer_feedback (&peer, &fir);
  fail_unless (sink_wait_stat (&s, "key-unit-requests", 2));
  for (i = 0; i < 200 && key_units < 2; i++) {
    g_usleep (5000);
    sink_last_rate (&s, &info, &key_units);
  }
  fail_unless_equals_int (key_units, 2);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* At 30 kb/s nine frames of 5 kB are 12 s: all but few are dropped, and what they referred to has to come anew. */
GST_START_TEST (test_dropped_frames_ask_for_a_key_unit)
{
  guint i, key_units = 0;
  GstRateInfo info;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 30000, "max-bitrate", 30000, NULL);
  for (i = 0; i < 9; i++) {
    guint n;

    for (n = 0; n < 5; n++) {
      GstBuffer *buffer = sink_packet (&s, 1000, n == 4);

      if (i > 0)
        GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
      gst_harness_push (s.h, buffer);
    }
    s.timestamp += 3000;
    g_usleep (33000);
  }
  g_usleep (1500000);
  fail_unless (sink_stat (&s, "frames-dropped") > 0);
  sink_last_rate (&s, &info, &key_units);
  fail_unless (key_units >= 1 && key_units <= 7, "%u", key_units);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

static void
push_nal (Sink *s, guint payload, const guint8 *begin, gsize size, gboolean marker)
{
  GstBuffer *buffer = sink_packet (s, payload, marker);

  gst_buffer_fill (buffer, RTP_HEADER, begin, size);
  fail_unless_equals_int (gst_harness_push (s->h, buffer), GST_FLOW_OK);
}

/* AUD, SPS, then an IDR picture in two fragments, between deltas at a rate at which nearly all is skipped: nothing that
   the headers in front say, but the key unit leaves whole. */
GST_START_TEST (test_key_units_behind_headers_are_not_skipped)
{
  static const guint8 aud[] = {0x09, 0xf0}, sps[] = {0x67, 0x42}, begins[] = {0x7c, 0x85, 0x88}, ends[] = {0x7c, 0x45};
  guint i, received = 0;
  guint32 key = 0;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open_with (&s, "127.0.0.1", peer.port,
      "application/x-rtp, media=(string)video, clock-rate=(int)90000, encoding-name=(string)H264, payload=(int)96",
      "start-bitrate", 60000, "max-bitrate", 60000, NULL);
  for (i = 0; i < 9; i++) {
    if (i == 2) {
      key = s.timestamp;
      push_nal (&s, 2, aud, sizeof aud, FALSE);
      push_nal (&s, 30, sps, sizeof sps, FALSE);
      push_nal (&s, 1000, begins, sizeof begins, FALSE);
      push_nal (&s, 1000, ends, sizeof ends, TRUE);
      s.timestamp += 3000;
    }
    sink_push_frame (&s, 2, 1000);
    g_usleep (33000);
  }
  while (received < 4 && peer_receive_rtp (&peer, 3000))
    received += GST_READ_UINT32_BE (peer.data + 4) == key;
  fail_unless_equals_int (received, 4);
  fail_unless (sink_stat (&s, "frames-dropped") > 0);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* As above; the receiver sees consecutive numbers all the same, so that it counts no loss and the rate stays. */
GST_START_TEST (test_dropped_frames_leave_no_gap)
{
  guint i, received = 1, pushed = 12 * 5;
  guint16 seq;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 300000, "max-bitrate", 300000, NULL);
  for (i = 0; i < 12; i++) {
    sink_push_frame (&s, 5, 1000);
    g_usleep (33000);
  }
  fail_unless (peer_receive_rtp (&peer, 1000));
  seq = peer_seq (&peer);
  while (peer_receive_rtp (&peer, 500)) {
    fail_unless_equals_int (peer_seq (&peer), ++seq);
    received++;
  }
  fail_unless (sink_stat (&s, "packets-dropped") > 0);
  fail_unless_equals_int (received + sink_stat (&s, "packets-dropped"), pushed);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* Returns how many packets came within the time, which have to be numbered one after the other. */
static guint
receive_in_sequence (Peer *peer, gint *seq, guint timeout_ms)
{
  guint received = 0;

  for (; peer_receive (peer, timeout_ms); received++) {
    if (rtcp_is_rtcp (peer->data, peer->size))
      continue;
    if (*seq >= 0)
      fail_unless_equals_int (peer_seq (peer), (guint16)(*seq + 1));
    *seq = peer_seq (peer);
  }
  return received;
}

/* While twenty small frames more are sent. */
static guint
receive_the_rest (Sink *s, Peer *peer, gint *seq)
{
  guint i, received = 0;

  for (i = 0; i < 20; i++) {
    received += receive_in_sequence (peer, seq, 20);
    sink_push_frame (s, 5, 112);
  }
  return received;
}

/* 30000 packets as fast as they go: the queue and the sending buffer both overflow, and frames are dropped ahead of the
   one that is leaving. What comes through, several hundred, has no gap and nothing twice. */
GST_START_TEST (test_overflow_leaves_no_gap)
{
  guint i, received = 0;
  gint seq = -1;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 2000000, "max-bitrate", 2000000, "min-bitrate", 2000000, NULL);
  for (i = 0; i < 600; i++) {
    sink_push_frame (&s, 50, 112);
    received += receive_in_sequence (&peer, &seq, 0);
  }
  fail_unless (sink_stat (&s, "packets-overflowed") + sink_stat (&s, "packets-dropped") > 0);
  received += receive_the_rest (&s, &peer, &seq);
  fail_unless (received > 300, "%u", received);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* 6000 packets at once are more than the queue takes: some are given up before the first of them has left. */
GST_START_TEST (test_overflow_before_the_first_leaves_no_gap)
{
  GstBufferList *list = gst_buffer_list_new ();
  guint i, received = 0;
  gint seq = -1;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 2000000, "max-bitrate", 2000000, "min-bitrate", 2000000, NULL);
  for (i = 0; i < 6000; i++) {
    gst_buffer_list_add (list, sink_packet (&s, 112, i % 50 == 49));
    s.timestamp += i % 50 == 49 ? 3000 : 0;
  }
  fail_unless_equals_int (gst_pad_push_list (s.h->srcpad, list), GST_FLOW_OK);
  fail_unless (sink_stat (&s, "packets-overflowed") > 0);
  received += receive_the_rest (&s, &peer, &seq);
  fail_unless (received > 100, "%u", received);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

typedef struct {
  guint32 given_up;
  guint spoke, srs, others_srs;
} Silent;

static void
silent_speaks (gpointer user, guint32 ssrc)
{
  ((Silent *)user)->spoke += ssrc == ((Silent *)user)->given_up;
}

static void
silent_sr (gpointer user, const RtcpSenderInfo *info)
{
  if (info->ssrc == ((Silent *)user)->given_up)
    ((Silent *)user)->srs++;
  else
    ((Silent *)user)->others_srs++;
}

/* RFC 3550 3: all packets of a second SSRC find no room, so that it takes no part. */
GST_START_TEST (test_source_given_up_whole_is_no_sender)
{
  static const RtcpHandlers ears = {.speaks = silent_speaks, .sr = silent_sr};
  GstBufferList *list = gst_buffer_list_new ();
  gint64 end = g_get_monotonic_time () + 3 * G_USEC_PER_SEC;
  Silent silent = {0};
  Peer peer;
  Sink s;
  guint i;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 2000000, "max-bitrate", 2000000, "min-bitrate", 2000000, NULL);
  for (i = 0; i < 4200; i++) {
    if (i == 4150)
      silent.given_up = ++s.ssrc;
    gst_buffer_list_add (list, sink_packet (&s, 112, i % 50 == 49));
    s.timestamp += i % 50 == 49 ? 3000 : 0;
  }
  fail_unless_equals_int (gst_pad_push_list (s.h->srcpad, list), GST_FLOW_OK);
  while (silent.others_srs < 2 && g_get_monotonic_time () < end)
    if (peer_receive_kind (&peer, TRUE, 500))
      fail_unless (rtcp_walk (peer.data, peer.size, &ears, &silent));
  fail_unless (silent.others_srs >= 2);
  fail_unless_equals_int (silent.spoke, 0);
  fail_unless_equals_int (silent.srs, 0);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* With nothing happening: at least every 200 ms, five in 1.1 s. */
GST_START_TEST (test_rate_events_repeat)
{
  guint n = 0;
  GstEvent *event;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  g_usleep (1100000);
  while ((event = gst_harness_try_pull_upstream_event (s.h)) != NULL) {
    GstRateInfo info;

    n += gst_rate_event_parse (event, &info);
    gst_event_unref (event);
  }
  fail_unless (n >= 4 && n <= 12, "%u", n);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* ---- stream and state ---- */

static guint
count_byes (const Peer *peer)
{
  GstBuffer *buffer = gst_buffer_new_memdup (peer->data, peer->size);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  guint byes = 0;
  gboolean more;

  fail_unless (gst_rtcp_buffer_validate (buffer));
  gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp);
  for (more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet); more; more = gst_rtcp_packet_move_to_next (&packet))
    if (gst_rtcp_packet_get_type (&packet) == GST_RTCP_TYPE_BYE) {
      fail_unless_equals_int (gst_rtcp_packet_bye_get_nth_ssrc (&packet, 0), SSRC);
      byes++;
    }
  gst_rtcp_buffer_unmap (&rtcp);
  gst_buffer_unref (buffer);
  return byes;
}

/* All that was queued, then BYE, then the message. 20 packets of 1052 bytes at 1 Mb/s and the gain: 0.11 s. */
GST_START_TEST (test_eos_drains_and_says_bye)
{
  guint packets = 0, byes = 0;
  GstMessage *message;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 1000000, NULL);
  sink_push_frame (&s, 20, 1000);
  fail_unless (gst_harness_push_event (s.h, gst_event_new_eos ()));
  message = gst_bus_timed_pop_filtered (s.bus, 0, GST_MESSAGE_EOS);
  fail_unless (message != NULL);
  gst_message_unref (message);
  while (peer_receive (&peer, 20)) {
    if (rtcp_is_rtcp (peer.data, peer.size))
      byes += count_byes (&peer);
    else
      packets++;
    fail_unless (byes == 0 || packets == 20);
  }
  fail_unless_equals_int (packets, 20);
  fail_unless_equals_int (byes, 1);
  sink_close (&s);
  fail_if (peer_receive (&peer, 50), "a second BYE");
  peer_close (&peer);
}
GST_END_TEST;

GST_START_TEST (test_stop_says_bye)
{
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  sink_close (&s);
  while (peer_receive_kind (&peer, TRUE, 500))
    if (count_byes (&peer) == 1)
      break;
  fail_unless_equals_int (count_byes (&peer), 1);
  peer_close (&peer);
}
GST_END_TEST;

/* 10 frames of 30 packets at 30 kb/s would take a minute. */
GST_START_TEST (test_flush)
{
  guint i, before = 0;
  GstSegment segment;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 30000, "max-bitrate", 30000, "max-delay", 10 * GST_SECOND, NULL);
  for (i = 0; i < 10; i++)
    sink_push_frame (&s, 30, 1000);
  fail_unless (gst_harness_push_event (s.h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (s.h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (s.h, gst_event_new_segment (&segment));
  sink_push_frame (&s, 1, 100);
  do {
    fail_unless (peer_receive_rtp (&peer, 2000));
    before++;
  } while (peer.size != 12 + STAMPED + 100);
  fail_unless (before < 10, "%u", before);
  for (i = 0; i < 100 && sink_stat (&s, "backlog") > 0; i++)
    g_usleep (5000);
  fail_unless_equals_uint64 (sink_stat (&s, "backlog"), 0);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* EOS waits for the queue; a flush from another thread breaks the wait off. */
static gpointer
flush_later (gpointer user)
{
  g_usleep (100000);
  gst_pad_push_event (((Sink *)user)->h->srcpad, gst_event_new_flush_start ());
  return NULL;
}

GST_START_TEST (test_flush_unblocks_eos)
{
  gint64 start = g_get_monotonic_time ();
  GThread *thread;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 30000, "max-bitrate", 30000, "max-delay", 10 * GST_SECOND, NULL);
  sink_push_frame (&s, 200, 1000);
  thread = g_thread_new ("flush", flush_later, &s);
  gst_harness_push_event (s.h, gst_event_new_eos ());
  fail_unless (g_get_monotonic_time () - start < 2000000);
  fail_unless (gst_bus_pop_filtered (s.bus, GST_MESSAGE_EOS) == NULL);
  g_thread_join (thread);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* A pause while EOS waits, then PLAYING again: EOS is posted in the end. 20 packets of 1052 bytes at 400 kb/s and the
   gain take 0.3 s. */
static gpointer
push_eos (gpointer user)
{
  gst_harness_push_event (((Sink *)user)->h, gst_event_new_eos ());
  return NULL;
}

GST_START_TEST (test_pause_during_eos)
{
  GstMessage *message;
  GThread *thread;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 400000, "max-delay", GST_SECOND, NULL);
  sink_push_frame (&s, 20, 1000);
  thread = g_thread_new ("eos", push_eos, &s);
  g_usleep (50000);
  gst_element_set_state (s.sink, GST_STATE_PAUSED);
  fail_unless (gst_bus_timed_pop_filtered (s.bus, 500 * GST_MSECOND, GST_MESSAGE_EOS) == NULL);
  gst_element_set_state (s.sink, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (s.bus, 5 * GST_SECOND, GST_MESSAGE_EOS);
  fail_unless (message != NULL);
  gst_message_unref (message);
  g_thread_join (thread);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* A dead path must not hold EOS up: max-delay and half a second. */
GST_START_TEST (test_eos_is_bounded)
{
  gint64 start;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 10000, "max-bitrate", 10000, "min-bitrate", 10000, NULL);
  sink_push_frame (&s, 200, 1000);
  start = g_get_monotonic_time ();
  gst_harness_push_event (s.h, gst_event_new_eos ());
  fail_unless (g_get_monotonic_time () - start < 1500000);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

static guint
count_threads (void)
{
  GDir *dir = g_dir_open ("/proc/self/task", 0, NULL);
  const gchar *task;
  guint n = 0;

  while ((task = g_dir_read_name (dir)) != NULL) {
    gchar *path = g_build_filename ("/proc/self/task", task, "comm", NULL), *name = NULL;

    if (g_file_get_contents (path, &name, NULL, NULL) && g_str_has_prefix (name, "tfrcsink:pace"))
      n++;
    g_free (path);
    g_free (name);
  }
  g_dir_close (dir);
  return n;
}

GST_START_TEST (test_states_in_any_order)
{
  static const GstState states[] = {GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING};
  GRand *random = g_rand_new_with_seed (7);
  Peer peer;
  Sink s;
  guint i, wait;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  for (i = 0; i < 100; i++) {
    GstState state = states[g_rand_int_range (random, 0, 4)];

    fail_unless (gst_element_set_state (s.sink, state) != GST_STATE_CHANGE_FAILURE);
    /* a thread names itself, a moment after its birth */
    for (wait = 0; wait < 200 && count_threads () != (state >= GST_STATE_PAUSED); wait++)
      g_usleep (5000);
    fail_unless_equals_int (count_threads (), state >= GST_STATE_PAUSED);
    if (state == GST_STATE_PLAYING) {
      GstSegment segment;

      gst_segment_init (&segment, GST_FORMAT_TIME);
      gst_pad_push_event (s.h->srcpad, gst_event_new_flush_stop (TRUE));
      gst_pad_push_event (s.h->srcpad, gst_event_new_segment (&segment));
      sink_push_frame (&s, 1, 100);
      fail_unless (peer_receive_rtp (&peer, 1000));
    }
  }
  sink_close (&s);
  fail_unless_equals_int (count_threads (), 0);
  g_rand_free (random);
  peer_close (&peer);
}
GST_END_TEST;

GST_START_TEST (test_live_limits)
{
  GstRateInfo info;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  g_object_set (s.sink, "max-bitrate", 200000, NULL);
  fail_unless (sink_wait_estimate (&s, 200000, 200000));
  g_usleep (250000);
  fail_unless (sink_last_rate (&s, &info, NULL));
  fail_unless_equals_string (info.limit, "max");
  g_object_set (s.sink, "max-bitrate", 20000000, "min-bitrate", 800000, NULL);
  fail_unless (sink_wait_estimate (&s, 800000, 800000));
  gst_util_set_object_arg (G_OBJECT (s.sink), "mode", "burst-control");
  g_object_set (s.sink, "max-delay", 50 * GST_MSECOND, NULL);
  sink_push_frame (&s, 5, 1000);
  fail_unless (peer_receive_rtp (&peer, 1000));
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

GST_START_TEST (test_live_change_of_port)
{
  Peer old, new;
  Sink s;
  guint i;

  peer_open (&old);
  peer_open (&new);
  sink_open (&s, &old, NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&old, 1000));
  /* what waits goes to the new one */
  sink_push_frame (&s, 20, 1000);
  g_object_set (s.sink, "port", new.port, NULL);
  for (i = 0; peer_receive_rtp (&old, 100); i++)
    ;
  for (; peer_receive_rtp (&new, i == 20 ? 50 : 1000); i++)
    ;
  fail_unless_equals_int (i, 20);
  g_object_set (s.sink, "host", "224.0.0.1", NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&new, 1000));
  sink_close (&s);
  peer_close (&old);
  peer_close (&new);
}
GST_END_TEST;

static gboolean
have_ipv6 (void)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string ("::1", 0);
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV6, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  gboolean have = socket != NULL && g_socket_bind (socket, address, FALSE, NULL);

  g_clear_object (&socket);
  g_object_unref (address);
  return have;
}

GST_START_TEST (test_ipv6_and_back)
{
  Feedback pli = {.pli = TRUE, .media = SSRC};
  Peer peer, peer4;
  Sink s;

  if (!have_ipv6 ())
    return;
  peer_open_at (&peer, "::1", 0);
  peer_open_at (&peer4, "127.0.0.1", peer.port);
  sink_open_with (&s, "::1", peer.port, CAPS, NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  peer_feedback (&peer, &pli);
  fail_unless (sink_wait_stat (&s, "pli", 1));
  g_object_set (s.sink, "host", "127.0.0.1", NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer4, 1000));
  peer_feedback (&peer4, &pli);
  fail_unless (sink_wait_stat (&s, "pli", 2));
  fail_unless_equals_uint64 (sink_stat (&s, "unknown-source"), 0);
  sink_close (&s);
  peer_close (&peer);
  peer_close (&peer4);
}
GST_END_TEST;

GST_START_TEST (test_bind_and_external_socket)
{
  Peer peer, own;
  GSocket *socket;
  Sink s;

  peer_open (&peer);
  peer_open (&own);
  sink_open (&s, &peer, "socket", own.socket, NULL);
  g_object_get (s.sink, "socket", &socket, NULL);
  fail_unless (socket == own.socket);
  g_object_unref (socket);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  fail_unless_equals_int (g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (peer.sender)), own.port);
  sink_close (&s);
  fail_if (g_socket_is_closed (own.socket));
  peer_close (&own);
  sink_open (&s, &peer, "bind-address", "127.0.0.1", "bind-port", own.port, "dscp", 34, NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  fail_unless_equals_int (g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (peer.sender)), own.port);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* ---- trouble ---- */

/* Stands in for the system's resolver: no name is known, no packet leaves. */
typedef GResolver NoResolver;
typedef GResolverClass NoResolverClass;
GType no_resolver_get_type (void);
G_DEFINE_TYPE (NoResolver, no_resolver, G_TYPE_RESOLVER)

static GList *
no_resolver_lookup (GResolver *resolver, const gchar *name, GCancellable *cancellable, GError **error)
{
  g_set_error (error, G_RESOLVER_ERROR, G_RESOLVER_ERROR_NOT_FOUND, "%s is not known", name);
  return NULL;
}

static void
no_resolver_class_init (NoResolverClass *klass)
{
  klass->lookup_by_name = no_resolver_lookup;
}

static void
no_resolver_init (NoResolver *resolver)
{
}

/* Another stands in, which answers 127.0.0.1 when it is told to; nobody is not known to it either. */
typedef GResolver SlowResolver;
typedef GResolverClass SlowResolverClass;
GType slow_resolver_get_type (void);
G_DEFINE_TYPE (SlowResolver, slow_resolver, G_TYPE_RESOLVER)

static struct {
  GMutex lock;
  GCond cond;
  gboolean answers;
  guint asked, answered;
} slow;

/* Patience ends, so that who waits for the answer fails and does not hang. */
static GList *
slow_resolver_lookup (GResolver *resolver, const gchar *name, GCancellable *cancellable, GError **error)
{
  gint64 until = g_get_monotonic_time () + 3 * G_TIME_SPAN_SECOND;

  g_mutex_lock (&slow.lock);
  slow.asked++;
  g_cond_broadcast (&slow.cond);
  while (!slow.answers && g_cond_wait_until (&slow.cond, &slow.lock, until))
    ;
  slow.answered++;
  g_cond_broadcast (&slow.cond);
  g_mutex_unlock (&slow.lock);
  return strstr (name, "nobody") != NULL ? no_resolver_lookup (resolver, name, cancellable, error)
                                         : g_list_append (NULL, g_inet_address_new_from_string ("127.0.0.1"));
}

static void
slow_resolver_class_init (SlowResolverClass *klass)
{
  klass->lookup_by_name = slow_resolver_lookup;
}

static void
slow_resolver_init (SlowResolver *resolver)
{
}

static void
slow_resolver_use (void)
{
  GResolver *resolver = g_object_new (slow_resolver_get_type (), NULL);

  slow.answers = FALSE;
  slow.asked = slow.answered = 0;
  g_resolver_set_default (resolver);
  g_object_unref (resolver);
}

static guint
slow_resolver_answered (void)
{
  guint n;

  g_mutex_lock (&slow.lock);
  n = slow.answered;
  g_mutex_unlock (&slow.lock);
  return n;
}

static void
slow_resolver_wait (const guint *count, guint n)
{
  g_mutex_lock (&slow.lock);
  while (*count < n)
    g_cond_wait (&slow.cond, &slow.lock);
  g_mutex_unlock (&slow.lock);
}

static void
slow_resolver_answer (void)
{
  g_mutex_lock (&slow.lock);
  slow.answers = TRUE;
  g_cond_broadcast (&slow.cond);
  g_mutex_unlock (&slow.lock);
}

static void
check_reads (Sink *s, const gchar *host, gint port)
{
  gchar *read_host;
  gint read_port;

  g_object_get (s->sink, "host", &read_host, "port", &read_port, NULL);
  fail_unless_equals_string (read_host, host);
  fail_unless_equals_int (read_port, port);
  g_free (read_host);
}

/* Who sets host, an application's main loop, does not wait for the network; until the name has an address packets go
   where they went. */
GST_START_TEST (test_a_name_that_takes_its_time)
{
  Peer old, new;
  Sink s;

  peer_open (&old);
  peer_open (&new);
  sink_open (&s, &old, NULL);
  slow_resolver_use ();
  g_object_set (s.sink, "host", "later.example", "port", new.port, NULL);
  fail_unless_equals_int (slow_resolver_answered (), 0);
  check_reads (&s, "later.example", new.port);
  slow_resolver_wait (&slow.asked, 1);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&old, 1000));
  slow_resolver_answer ();
  do
    sink_push_frame (&s, 1, 100);
  while (!peer_receive_rtp (&new, 100));
  check_reads (&s, "later.example", new.port);
  fail_unless (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING) == NULL);
  sink_close (&s);
  peer_close (&old);
  peer_close (&new);
}
GST_END_TEST;

/* What is set last holds, whichever name has its address first. */
GST_START_TEST (test_a_name_that_is_too_late)
{
  Peer old, new;
  Sink s;

  peer_open (&old);
  peer_open (&new);
  sink_open (&s, &old, NULL);
  slow_resolver_use ();
  g_object_set (s.sink, "host", "nobody.example", NULL);
  slow_resolver_wait (&slow.asked, 1);
  g_object_set (s.sink, "host", "later.example", NULL);
  slow_resolver_wait (&slow.asked, 2);
  g_object_set (s.sink, "host", "127.0.0.1", "port", new.port, NULL);
  fail_unless_equals_int (slow_resolver_answered (), 0);
  slow_resolver_answer ();
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&new, 1000));
  slow_resolver_wait (&slow.answered, 2);
  check_reads (&s, "127.0.0.1", new.port);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&new, 1000));
  fail_unless (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING) == NULL);
  sink_close (&s);
  peer_close (&old);
  peer_close (&new);
}
GST_END_TEST;

/* One warning, and the properties read what holds. */
GST_START_TEST (test_a_name_that_turns_out_unknown)
{
  GstMessage *message;
  gchar *text;
  Peer peer;
  GError *error;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  slow_resolver_use ();
  g_object_set (s.sink, "host", "nobody.example", NULL);
  fail_unless_equals_int (slow_resolver_answered (), 0);
  slow_resolver_answer ();
  message = gst_bus_timed_pop_filtered (s.bus, 5 * GST_SECOND, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, &text);
  fail_unless (strstr (error->message, "nobody.example is not known") != NULL, "%s", error->message);
  check_reads (&s, "127.0.0.1", peer.port);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  g_error_free (error);
  g_free (text);
  gst_message_unref (message);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

static gpointer
answer_soon (gpointer unused)
{
  slow_resolver_wait (&slow.asked, 1);
  slow_resolver_answer ();
  return NULL;
}

/* Set in READY a name is of the run that begins, which waits for it as the first does. */
GST_START_TEST (test_a_name_set_in_ready)
{
  Peer old, new;
  GstSegment segment;
  GThread *thread;
  Sink s;

  peer_open (&old);
  peer_open (&new);
  sink_open (&s, &old, NULL);
  gst_element_set_state (s.sink, GST_STATE_READY);
  slow_resolver_use ();
  g_object_set (s.sink, "host", "later.example", "port", new.port, NULL);
  fail_unless_equals_int (slow_resolver_answered (), 0);
  thread = g_thread_new ("answer", answer_soon, NULL);
  gst_element_set_state (s.sink, GST_STATE_PLAYING);
  g_thread_join (thread);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (s.h->srcpad, gst_event_new_flush_stop (TRUE));
  gst_pad_push_event (s.h->srcpad, gst_event_new_segment (&segment));
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&new, 1000));
  sink_close (&s);
  peer_close (&old);
  peer_close (&new);
}
GST_END_TEST;

static void
check_refuses_with (const gchar *host, GSocket *socket, const gchar *expected)
{
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);
  Sink s = {.sink = sink, .bus = gst_bus_new ()};
  gchar *text;

  gst_object_ref_sink (sink);
  gst_element_set_bus (sink, s.bus);
  g_object_set (sink, "host", host, "socket", socket, NULL);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_READY), GST_STATE_CHANGE_FAILURE);
  text = message_text (&s, GST_MESSAGE_ERROR);
  fail_unless (text != NULL && strstr (text, expected) != NULL && strstr (text, "Set host") != NULL, "%s", text);
  g_free (text);
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_element_set_bus (sink, NULL);
  gst_object_unref (s.bus);
  gst_object_unref (sink);
}

static void
check_refuses (const gchar *host, const gchar *expected)
{
  check_refuses_with (host, NULL, expected);
}

static void
check_refuses_socket (GSocket *socket)
{
  check_refuses_with ("127.0.0.1", socket, "no open UDP socket");
}

GST_START_TEST (test_hosts_that_cannot_be)
{
  GResolver *resolver = g_object_new (no_resolver_get_type (), NULL);

  g_resolver_set_default (resolver);
  check_refuses ("nobody.example", "nobody.example is not known");
  check_refuses ("", "no host");
  check_refuses ("224.0.0.1", "multicast");
  check_refuses ("255.255.255.255", "255.255.255.255");
  g_object_unref (resolver);
}
GST_END_TEST;

GST_START_TEST (test_sockets_that_cannot_be)
{
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL), *stream;

  g_socket_close (socket, NULL);
  check_refuses_socket (socket);
  stream = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL);
  check_refuses_socket (stream);
  g_object_unref (stream);
  g_object_unref (socket);
}
GST_END_TEST;

/* ICMP says the port is closed; the sink says so once and goes on, and a receiver that comes later gets its packets. */
GST_START_TEST (test_closed_port)
{
  guint16 port;
  gchar *text;
  Peer peer;
  Sink s;
  guint i;

  peer_open (&peer);
  port = peer.port;
  sink_open (&s, &peer, NULL);
  peer_close (&peer);
  for (i = 0; i < 10; i++) {
    sink_push_frame (&s, 1, 100);
    g_usleep (5000);
  }
  fail_unless (sink_wait_stat (&s, "connection-refused", 1));
  text = message_text (&s, GST_MESSAGE_WARNING);
  fail_unless (text != NULL && strstr (text, "start the receiver") != NULL);
  g_free (text);
  fail_unless (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING) == NULL);
  peer_open_at (&peer, "127.0.0.1", port);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* 20000 packets at once at 10 kb/s, 40 minutes: the streaming thread does not wait, frames go, none is torn on its way
   through the queue. */
GST_START_TEST (test_overflow_does_not_block)
{
  gint64 start = g_get_monotonic_time ();
  Peer peer;
  Sink s;
  guint i;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 10000, "max-bitrate", 10000, "min-bitrate", 10000, "max-delay",
      10 * GST_SECOND, NULL);
  for (i = 0; i < 400; i++)
    sink_push_frame (&s, 50, 100);
  fail_unless (g_get_monotonic_time () - start < 15000000);
  for (i = 0; i < 200 && sink_stat (&s, "packets-dropped") + sink_stat (&s, "packets-overflowed") <= 1000; i++)
    g_usleep (5000);
  fail_unless (sink_stat (&s, "packets-dropped") + sink_stat (&s, "packets-overflowed") > 1000);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

GST_START_TEST (test_stats_message)
{
  const GstStructure *structure;
  GstMessage *message;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, "stats-interval", 50 * GST_MSECOND, NULL);
  message = gst_bus_timed_pop_filtered (s.bus, GST_SECOND, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL);
  structure = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (structure, "application/x-tfrcsink-stats"));
  fail_unless (gst_structure_has_field (structure, "wire-bitrate"));
  gst_message_unref (message);
  g_object_set (s.sink, "stats-interval", G_GUINT64_CONSTANT (0), NULL);
  g_usleep (60000);
  gst_bus_set_flushing (s.bus, TRUE);
  gst_bus_set_flushing (s.bus, FALSE);
  fail_unless (gst_bus_timed_pop_filtered (s.bus, 200 * GST_MSECOND, GST_MESSAGE_ELEMENT) == NULL);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* An idle sink at a high rate, before and after its first packet: less than 5 % of a processor. */
GST_START_TEST (test_idle_costs_nothing)
{
  Peer peer;
  Sink s;
  guint i;

  peer_open (&peer);
  sink_open (&s, &peer, "start-bitrate", 1000000000, "max-bitrate", 1000000000, NULL);
  for (i = 0; i < 2; i++) {
    clock_t before = clock ();

    g_usleep (1000000);
    fail_unless (clock () - before < CLOCKS_PER_SEC / 20, "%ld", (long)(clock () - before));
    sink_push_frame (&s, 1, 1000);
    fail_unless (peer_receive_rtp (&peer, 1000));
  }
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* SR with CNAME within a second of the first packet, with what was sent. */
GST_START_TEST (test_sender_report)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  guint32 ssrc, rtp_time, packets = 0, octets;
  guint64 ntp_time;
  GstRTCPPacket packet;
  GstBuffer *buffer;
  Peer peer;
  Sink s;
  guint i;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  sink_push_frame (&s, 3, 100);
  for (i = 0; i < 5 && packets < 3; i++) {
    fail_unless (peer_receive_kind (&peer, TRUE, 2000));
    buffer = gst_buffer_new_memdup (peer.data, peer.size);
    fail_unless (gst_rtcp_buffer_validate (buffer));
    gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp);
    fail_unless (gst_rtcp_buffer_get_first_packet (&rtcp, &packet));
    fail_unless_equals_int (gst_rtcp_packet_get_type (&packet), GST_RTCP_TYPE_SR);
    gst_rtcp_packet_sr_get_sender_info (&packet, &ssrc, &ntp_time, &rtp_time, &packets, &octets);
    fail_unless (gst_rtcp_packet_move_to_next (&packet));
    fail_unless_equals_int (gst_rtcp_packet_get_type (&packet), GST_RTCP_TYPE_SDES);
    gst_rtcp_buffer_unmap (&rtcp);
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_int (packets, 3);
  fail_unless_equals_int (octets, 300);
  fail_unless_equals_int (ssrc, SSRC);
  /* the frame's time stamp, moved on by the time since: at most 10 s of 90 kHz */
  fail_unless (rtp_time - 1000 < 900000);
  fail_unless (ntp_time >> 32 > G_GUINT64_CONSTANT (3900000000));
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

/* RFC 3550 6.4.1: A - LSR - DLSR, here 500 ms less 300 ms and what the machine adds. Without an SR, and with a delay
   longer than the time since, there is no sample. */
GST_START_TEST (test_round_trip_of_receiver_reports)
{
  guint32 lsr = (guint32)(gst_cc_rtcp_ntp_time (g_get_real_time ()) >> 16) - 65536 / 2;
  guint64 rtt;
  Peer peer;
  Sink s;

  peer_open (&peer);
  sink_open (&s, &peer, NULL);
  sink_push_frame (&s, 1, 100);
  fail_unless (peer_receive_rtp (&peer, 1000));
  peer_receiver_report (&peer, 0, lsr, 65536 * 3 / 10);
  fail_unless (sink_wait_stat (&s, "rtcp-received", 1));
  rtt = sink_stat (&s, "rr-rtt");
  fail_unless (rtt >= 199 * GST_MSECOND && rtt < 3 * GST_SECOND, "%" G_GUINT64_FORMAT, rtt);
  peer_receiver_report (&peer, 0, 0, 0);
  peer_receiver_report (&peer, 0, lsr, 65536 * 60);
  fail_unless (sink_wait_stat (&s, "rtcp-received", 3));
  fail_unless_equals_uint64 (sink_stat (&s, "rr-rtt"), rtt);
  sink_close (&s);
  peer_close (&peer);
}
GST_END_TEST;

static Suite *
tfrcsink_suite (void)
{
  Suite *suite = suite_create ("tfrcsink");
  TCase *tcase = tcase_create ("tfrcsink");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_extension_not_reserved);
  tcase_add_test (tcase, test_loss_tolerance);
  tcase_add_test (tcase, test_extension_tells_send_time);
  tcase_add_test (tcase, test_extension_reserved);
  tcase_add_test (tcase, test_extension_off);
  tcase_add_test (tcase, test_shared_buffer_is_untouched);
  tcase_add_test (tcase, test_buffer_list);
  tcase_add_test (tcase, test_pacing_spreads_a_frame);
  tcase_add_test (tcase, test_odd_packets);
  tcase_add_test (tcase, test_large_packets);
  tcase_add_test (tcase, test_sequence_wrap_and_new_ssrc);
  tcase_add_test (tcase, test_reports_move_the_rate);
  tcase_add_test (tcase, test_the_encoder_is_told_to_pause);
  tcase_add_loop_test (tcase, test_audio_is_sent_as_it_comes, 0, 3);
  tcase_add_test (tcase, test_no_feedback_trickles_and_recovers);
  tcase_add_test (tcase, test_receiver_starts_over);
  tcase_add_test (tcase, test_plain_receiver_reports);
  tcase_add_test (tcase, test_remb_without_path);
  tcase_add_test (tcase, test_absurd_rates_stay_within_limits);
  tcase_add_test (tcase, test_absurd_properties);
  tcase_add_test (tcase, test_spoofed_feedback);
  tcase_add_test (tcase, test_noise_of_a_stranger);
  tcase_add_test (tcase, test_noise_in_the_receivers_name);
  tcase_add_test (tcase, test_key_unit_once_per_interval);
  tcase_add_test (tcase, test_dropped_frames_ask_for_a_key_unit);
  tcase_add_test (tcase, test_key_units_behind_headers_are_not_skipped);
  tcase_add_test (tcase, test_dropped_frames_leave_no_gap);
  tcase_add_test (tcase, test_overflow_leaves_no_gap);
  tcase_add_test (tcase, test_overflow_before_the_first_leaves_no_gap);
  tcase_add_test (tcase, test_source_given_up_whole_is_no_sender);
  tcase_add_test (tcase, test_rate_events_repeat);
  tcase_add_test (tcase, test_eos_drains_and_says_bye);
  tcase_add_test (tcase, test_stop_says_bye);
  tcase_add_test (tcase, test_flush);
  tcase_add_test (tcase, test_flush_unblocks_eos);
  tcase_add_test (tcase, test_pause_during_eos);
  tcase_add_test (tcase, test_eos_is_bounded);
  tcase_add_test (tcase, test_states_in_any_order);
  tcase_add_test (tcase, test_live_limits);
  tcase_add_test (tcase, test_live_change_of_port);
  tcase_add_test (tcase, test_ipv6_and_back);
  tcase_add_test (tcase, test_bind_and_external_socket);
  tcase_add_test (tcase, test_hosts_that_cannot_be);
  tcase_add_test (tcase, test_a_name_that_takes_its_time);
  tcase_add_test (tcase, test_a_name_that_is_too_late);
  tcase_add_test (tcase, test_a_name_that_turns_out_unknown);
  tcase_add_test (tcase, test_a_name_set_in_ready);
  tcase_add_test (tcase, test_sockets_that_cannot_be);
  tcase_add_test (tcase, test_closed_port);
  tcase_add_test (tcase, test_overflow_does_not_block);
  tcase_add_test (tcase, test_stats_message);
  tcase_add_test (tcase, test_idle_costs_nothing);
  tcase_add_test (tcase, test_sender_report);
  tcase_add_test (tcase, test_round_trip_of_receiver_reports);
  return suite;
}

GST_CHECK_MAIN (tfrcsink);
