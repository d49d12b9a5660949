/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SRTP of tfrcsink and tfrcsrc, each with a socket on the loopback device that plays the other end, has its key or does
   not; then with each other. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "erfextension.h"
#include "gstccsrtp.h"
#include "gstrateevent.h"
#include "rtpextension.h"
#include "tfrctest.h"

#define SSRC 0x12345678u
#define PEER_SSRC 0x87654321u
#define CAPS                                                                                                           \
  "application/x-rtp, media=(string)video, clock-rate=(int)90000, encoding-name=(string)X-TEST, payload=(int)96"
#define RATE_CAPS CAPS ", extmap-10=(string)" ERF_EXTENSION_URI
#define KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"
#define OTHER_KEY "f00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"
#define UDP_IP 28
#define TAG 10

/* ---- keys and packets ---- */

static GstBuffer *
key_of (const gchar *hex)
{
  GValue value = G_VALUE_INIT;
  GstBuffer *key;

  g_value_init (&value, GST_TYPE_BUFFER);
  fail_unless (gst_value_deserialize (&value, hex));
  key = g_value_dup_boxed (&value);
  g_value_unset (&value);
  return key;
}

static GstCcSrtp *
end_of (const gchar *key, const gchar *peer_key)
{
  GstCcSrtpParams params;
  GstCcSrtp *srtp;

  gst_cc_srtp_params_init (&params);
  params.key = key_of (key);
  params.peer_key = peer_key != NULL ? key_of (peer_key) : NULL;
  srtp = gst_cc_srtp_new (&params, NULL);
  fail_unless (srtp != NULL);
  gst_cc_srtp_params_clear (&params);
  return srtp;
}

typedef struct {
  guint8 data[2048];
  gsize size;
} Bytes;

/* srtp NULL: as it is. Takes the buffer. */
static void
protect_into (Bytes *b, GstCcSrtp *srtp, GstBuffer *buffer, gboolean rtcp)
{
  b->size = gst_buffer_extract (buffer, 0, b->data, sizeof b->data - GST_CC_SRTP_ROOM);
  gst_buffer_unref (buffer);
  if (srtp != NULL)
    fail_unless (
        rtcp ? gst_cc_srtp_protect_rtcp (srtp, b->data, &b->size) : gst_cc_srtp_protect_rtp (srtp, b->data, &b->size));
}

static GstBuffer *
new_remb (guint64 bitrate)
{
  RtcpRemb remb = {.bitrate_bps = bitrate, .n_ssrcs = 1, .ssrcs = {SSRC}};
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  rtcp_add_remb (&rtcp, PEER_SSRC, &remb);
  gst_cc_rtcp_close (&rtcp, buffer);
  return buffer;
}

/* SR and CNAME. */
static GstBuffer *
new_sr (guint32 ssrc)
{
  RtcpSenderInfo info = {.ssrc = ssrc, .ntp_time = gst_cc_rtcp_ntp_now (), .packet_count = 1, .octet_count = 100};
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  rtcp_add_sr (&rtcp, &info, NULL, 0);
  rtcp_add_cname (&rtcp, ssrc, "peer");
  gst_cc_rtcp_close (&rtcp, buffer);
  return buffer;
}

static guint
count_warnings (GstBus *bus, const gchar *word)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)) != NULL) {
    GError *error;

    gst_message_parse_warning (message, &error, NULL);
    n += strstr (error->message, word) != NULL;
    g_error_free (error);
    gst_message_unref (message);
  }
  return n;
}

/* ---- tfrcsink ---- */

typedef struct {
  Flow f;
  GstBus *bus;
  GstCcSrtp *srtp; /* of the peer */
  Bytes bytes;
} Sink;

static void
sink_open (Sink *s, const gchar *caps, const gchar *key, const gchar *peer_key)
{
  GstBuffer *buffer = key_of (key), *peer_buffer = peer_key != NULL ? key_of (peer_key) : NULL;

  memset (s, 0, sizeof *s);
  s->srtp = end_of (peer_key != NULL ? peer_key : key, peer_key != NULL ? key : NULL);
  s->bus = gst_bus_new ();
  peer_open (&s->f.peer);
  s->f.sink = gst_element_factory_make ("tfrcsink", NULL);
  gst_element_set_bus (s->f.sink, s->bus);
  g_object_set (s->f.sink, "sync", FALSE, "async", FALSE, "host", "127.0.0.1", "port", s->f.peer.port, "srtp-key",
      buffer, "srtp-peer-key", peer_buffer, NULL);
  s->f.h = gst_harness_new_with_element (s->f.sink, "sink", NULL);
  gst_harness_set_src_caps_str (s->f.h, caps);
  gst_buffer_unref (buffer);
  gst_clear_buffer (&peer_buffer);
}

static void
sink_close (Sink *s)
{
  gst_element_set_bus (s->f.sink, NULL);
  flow_close (&s->f);
  gst_object_unref (s->bus);
  gst_cc_srtp_free (s->srtp);
}

static void
sink_tell (Sink *s, GstCcSrtp *srtp, GstBuffer *buffer)
{
  protect_into (&s->bytes, srtp, buffer, TRUE);
  send_from (s->f.peer.socket, s->f.peer.sender, s->bytes.data, s->bytes.size);
}

static gboolean
sink_opens (Sink *s, gboolean rtcp)
{
  gsize size = s->f.peer.size;
  gboolean opened = rtcp ? gst_cc_srtp_open_rtcp (s->srtp, s->f.peer.data, &size)
                         : gst_cc_srtp_open_rtp (s->srtp, s->f.peer.data, &size);

  s->f.peer.size = size;
  return opened;
}

/* More than a batch at once, the head written anew in front of the cipher; and each byte of it is counted. */
GST_START_TEST (test_what_leaves_is_protected)
{
  guint64 wire = 0;
  guint i, n;
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  g_object_set (s.f.sink, "start-bitrate", 20000000, "min-bitrate", 20000000, NULL);
  for (n = 0; n < 4; n++) {
    flow_push_frame (&s.f, SSRC, 50, 500 + n);
    for (i = 0; i < 50; i++) {
      fail_unless (peer_receive_rtp (&s.f.peer, 2000));
      wire += s.f.peer.size + UDP_IP;
      fail_unless_equals_int (s.f.peer.size, 12 + 12 + 500 + n + TAG);
      fail_unless (s.f.peer.data[24] != 0x55 || s.f.peer.data[25] != 0x55 || s.f.peer.data[26] != 0x55);
      fail_unless (sink_opens (&s, FALSE));
      fail_unless_equals_int (peer_seq (&s.f.peer), 50 * n + i);
      fail_unless_equals_int (s.f.peer.data[24], 0x55);
      fail_unless_equals_int (s.f.peer.data[s.f.peer.size - 1], 0x55);
    }
  }
  fail_unless (wait_stat (s.f.sink, "packets-sent", 200));
  fail_unless_equals_uint64 (stat_of (s.f.sink, "bytes-sent"), wire);
  fail_unless_equals_uint64 (stat_of (s.f.sink, "packets-unprotected"), 0);
  sink_close (&s);
}
GST_END_TEST;

/* SR, and BYE at the end. */
GST_START_TEST (test_rtcp_that_leaves_is_protected)
{
  guint n = 0;
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  flow_push_frame (&s.f, SSRC, 1, 100);
  fail_unless (peer_receive_kind (&s.f.peer, TRUE, 3000));
  fail_unless (sink_opens (&s, TRUE));
  fail_unless (rtcp_walk (s.f.peer.data, s.f.peer.size, &(RtcpHandlers){0}, NULL));
  gst_harness_push_event (s.f.h, gst_event_new_eos ());
  while (peer_receive_kind (&s.f.peer, TRUE, 200)) {
    fail_unless (sink_opens (&s, TRUE));
    n++;
  }
  fail_unless (n > 0);
  sink_close (&s);
}
GST_END_TEST;

/* The peer's address, its SSRC and ours are known to who is on the path; the key is not. */
GST_START_TEST (test_forged_feedback_is_refused)
{
  GstCcSrtp *other = end_of (OTHER_KEY, NULL);
  Bytes seen;
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  flow_push_frame (&s.f, SSRC, 1, 100);
  fail_unless (peer_receive_rtp (&s.f.peer, 2000));
  sink_tell (&s, NULL, new_remb (40000));
  sink_tell (&s, other, new_remb (40000));
  fail_unless (wait_stat (s.f.sink, "srtp-refused", 2));
  fail_unless_equals_uint64 (stat_of (s.f.sink, "remb"), 0);
  fail_unless_equals_uint64 (stat_of (s.f.sink, "rtcp-received"), 0);
  fail_unless_equals_int (bitrate_of (s.f.sink), 300000);
  sink_tell (&s, s.srtp, new_remb (200000));
  seen = s.bytes;
  fail_unless (wait_stat (s.f.sink, "remb", 1));
  sink_tell (&s, s.srtp, new_remb (250000));
  fail_unless (wait_stat (s.f.sink, "remb", 2));
  /* and what was heard on the path is no news */
  send_from (s.f.peer.socket, s.f.peer.sender, seen.data, seen.size);
  fail_unless (wait_stat (s.f.sink, "srtp-replayed", 1));
  fail_unless_equals_uint64 (stat_of (s.f.sink, "remb"), 2);
  fail_unless_equals_uint64 (stat_of (s.f.sink, "srtp-opened"), 2);
  fail_unless_equals_int (count_warnings (s.bus, "srtp-key"), 0);
  sink_close (&s);
  gst_cc_srtp_free (other);
}
GST_END_TEST;

/* A payloader that begins again under its old SSRC: nothing leaves by which the key could be found, and one warning. */
GST_START_TEST (test_numbers_used_again)
{
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  flow_push_frame (&s.f, SSRC, 10, 100);
  fail_unless (wait_stat (s.f.sink, "packets-sent", 10));
  s.f.seq = 0;
  flow_push_frame (&s.f, SSRC, 10, 101);
  fail_unless (wait_stat (s.f.sink, "packets-unprotected", 10));
  fail_unless_equals_int (count_warnings (s.bus, "srtp-key"), 1);
  s.f.seq = 0;
  flow_push_frame (&s.f, SSRC + 1, 10, 102);
  fail_unless (wait_stat (s.f.sink, "packets-sent", 20));
  fail_unless_equals_uint64 (stat_of (s.f.sink, "packets-unprotected"), 10);
  sink_close (&s);
}
GST_END_TEST;

/* What we said ourselves, sent back: neither a conflict of SSRCs nor anything else. */
GST_START_TEST (test_own_rtcp_comes_back)
{
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  flow_push_frame (&s.f, SSRC, 1, 100);
  fail_unless (peer_receive_kind (&s.f.peer, TRUE, 3000));
  send_from (s.f.peer.socket, s.f.peer.sender, s.f.peer.data, s.f.peer.size);
  fail_unless (wait_stat (s.f.sink, "srtp-refused", 1));
  fail_unless_equals_uint64 (stat_of (s.f.sink, "rtcp-received"), 0);
  fail_unless_equals_uint64 (stat_of (s.f.sink, "collisions"), 0);
  sink_close (&s);
}
GST_END_TEST;

GST_START_TEST (test_one_warning_of_another_key_at_the_sink)
{
  GstCcSrtp *other = end_of (OTHER_KEY, NULL);
  guint i;
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  flow_push_frame (&s.f, SSRC, 1, 100);
  fail_unless (peer_receive_rtp (&s.f.peer, 2000));
  for (i = 0; i < 30; i++)
    sink_tell (&s, i % 2 ? other : NULL, new_remb (40000));
  fail_unless (wait_stat (s.f.sink, "srtp-refused", 30));
  fail_unless_equals_int (count_warnings (s.bus, "srtp-key"), 1);
  sink_close (&s);
  gst_cc_srtp_free (other);
}
GST_END_TEST;

/* UDP takes none of them, and that is what is said, also where the packet is larger than the room to protect it in. */
GST_START_TEST (test_too_large_to_protect)
{
  GstMessage *message;
  GError *error;
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  g_object_set (s.f.sink, "start-bitrate", 20000000, "min-bitrate", 20000000, NULL);
  flow_push_frame (&s.f, SSRC, 1, 200000);
  fail_unless (wait_stat (s.f.sink, "packets-too-large", 1));
  fail_unless_equals_uint64 (stat_of (s.f.sink, "packets-unprotected"), 0);
  message = gst_bus_timed_pop_filtered (s.bus, GST_SECOND, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "mtu=1200") != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  sink_close (&s);
}
GST_END_TEST;

/* Each way its own key, as SDES and DTLS agree on them. */
GST_START_TEST (test_two_keys)
{
  Sink s;

  sink_open (&s, CAPS, KEY, OTHER_KEY);
  flow_push_frame (&s.f, SSRC, 1, 100);
  fail_unless (peer_receive_rtp (&s.f.peer, 2000));
  fail_unless (sink_opens (&s, FALSE));
  sink_tell (&s, s.srtp, new_remb (200000));
  fail_unless (wait_stat (s.f.sink, "remb", 1));
  sink_close (&s);
}
GST_END_TEST;

/* Routers could not write into it. */
GST_START_TEST (test_no_explicit_rate_is_asked_for)
{
  Sink s;

  sink_open (&s, RATE_CAPS, KEY, NULL);
  flow_push_frame (&s.f, SSRC, 1, 100);
  fail_unless (peer_receive_rtp (&s.f.peer, 2000));
  fail_unless_equals_int (s.f.peer.size, 12 + 12 + 100 + TAG);
  sink_close (&s);
}
GST_END_TEST;

/* What the encoder may have is less by the tag: 1 Mb/s in packets of 100 bytes of payload. */
GST_START_TEST (test_the_tag_is_no_media)
{
  GstStructure *stats;
  guint64 media, wire;
  guint i;
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  g_object_set (s.f.sink, "start-bitrate", 1000000, "min-bitrate", 1000000, "max-bitrate", 1000000, NULL);
  for (i = 0; i < 40; i++) {
    flow_push_frame (&s.f, SSRC, 5, 100);
    g_usleep (5000);
  }
  fail_unless (wait_stat (s.f.sink, "packets-sent", 200));
  g_usleep (50000);
  stats = stats_of (s.f.sink);
  fail_unless (gst_structure_get_uint64 (stats, "bitrate", &media));
  fail_unless (gst_structure_get_uint64 (stats, "wire-bitrate", &wire));
  gst_structure_free (stats);
  /* up to 95 % of the payload's share, less what waits: without the tag in it the share would be 100 in 152 */
  fail_unless (
      media <= wire * 100 / (12 + 12 + 100 + TAG + UDP_IP), "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, media, wire);
  sink_close (&s);
}
GST_END_TEST;

static GstBuffer *
new_limit (guint16 reported, guint64 bitrate, guint16 overhead)
{
  RtcpReportBlock block = {.ssrc = SSRC, .ext_highest_seq = reported};
  RtcpTmmb limit = {.ssrc = SSRC, .bitrate_bps = bitrate, .overhead_bytes = overhead};
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  rtcp_add_rr (&rtcp, PEER_SSRC, &block, 1);
  rtcp_add_cname (&rtcp, PEER_SSRC, "peer");
  rtcp_add_tmmbr (&rtcp, PEER_SSRC, &limit, 1);
  gst_cc_rtcp_close (&rtcp, buffer);
  return buffer;
}

/* RFC 5104 4.2.1: of a limit the receiver's overhead a packet is taken off and ours put on. Where the two are the same,
   the tag in them, the limit holds as it is, at whatever packet rate. */
GST_START_TEST (test_the_tag_counts_for_limits)
{
  guint i;
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  for (i = 0; i < 60; i++) {
    flow_push_frame (&s.f, SSRC, 3, 100);
    g_usleep (20000);
  }
  fail_unless (wait_stat (s.f.sink, "packets-sent", 180));
  fail_unless (peer_receive_rtp (&s.f.peer, 2000));
  /* the second makes it a member, who alone may limit */
  for (i = 0; i < 2; i++)
    sink_tell (&s, s.srtp, new_limit ((guint16)(s.f.seq - 1), 131072, UDP_IP + 24 + TAG));
  fail_unless (wait_stat (s.f.sink, "tmmbr", 1));
  fail_unless_equals_uint64 (stat_of (s.f.sink, "tmmbr-bitrate"), 131072);
  sink_close (&s);
}
GST_END_TEST;

/* ---- a key that comes later ---- */

static GstElement *
new_sink (GstBus *bus, guint16 port)
{
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);

  gst_element_set_bus (sink, bus);
  g_object_set (sink, "sync", FALSE, "async", FALSE, "host", "127.0.0.1", "port", (gint)port, NULL);
  return sink;
}

static void
flow_play (Flow *f, GstElement *sink)
{
  f->sink = sink;
  f->h = gst_harness_new_with_element (sink, "sink", NULL);
  gst_harness_set_src_caps_str (f->h, CAPS);
}

/* Nothing of it in the clear, also where the element has run without a key, or with another one. */
GST_START_TEST (test_a_key_set_in_ready)
{
  static const gchar *const before[] = {NULL, OTHER_KEY};
  GstCcSrtp *srtp = end_of (KEY, NULL);
  gsize size;
  Flow f;

  memset (&f, 0, sizeof f);
  peer_open (&f.peer);
  f.sink = new_sink (NULL, f.peer.port);
  if (before[__i__] != NULL)
    gst_util_set_object_arg (G_OBJECT (f.sink), "srtp-key", before[__i__]);
  gst_element_set_state (f.sink, GST_STATE_READY);
  gst_util_set_object_arg (G_OBJECT (f.sink), "srtp-key", KEY);
  flow_play (&f, f.sink);
  flow_push_frame (&f, SSRC, 1, 100);
  fail_unless (peer_receive_rtp (&f.peer, 2000));
  size = f.peer.size;
  fail_unless_equals_int (size, 12 + 12 + 100 + TAG);
  fail_unless (gst_cc_srtp_open_rtp (srtp, f.peer.data, &size));
  flow_close (&f);
  gst_cc_srtp_free (srtp);
}
GST_END_TEST;

/* Nor where the key is of no use and somebody tries once more. */
GST_START_TEST (test_a_useless_key_set_in_ready)
{
  GstElement *sink = new_sink (NULL, free_port ());
  guint i;

  gst_element_set_state (sink, GST_STATE_READY);
  gst_util_set_object_arg (G_OBJECT (sink), "srtp-key", "0011");
  for (i = 0; i < 2; i++)
    fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  gst_util_set_object_arg (G_OBJECT (sink), "srtp-key", KEY);
  fail_unless (gst_element_set_state (sink, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_object_unref (sink);
}
GST_END_TEST;

/* Too late for this run, which says so; once more the same key is no change. The next run has it. */
GST_START_TEST (test_a_key_set_while_playing)
{
  GstCcSrtp *srtp = end_of (OTHER_KEY, NULL);
  gsize size;
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  gst_util_set_object_arg (G_OBJECT (s.f.sink), "srtp-key", KEY);
  fail_unless_equals_int (count_warnings (s.bus, "srtp-key"), 0);
  gst_util_set_object_arg (G_OBJECT (s.f.sink), "srtp-key", OTHER_KEY);
  fail_unless_equals_int (count_warnings (s.bus, "srtp-key"), 1);
  flow_push_frame (&s.f, SSRC, 1, 100);
  fail_unless (peer_receive_rtp (&s.f.peer, 2000));
  fail_unless (sink_opens (&s, FALSE));
  gst_element_set_state (s.f.sink, GST_STATE_READY);
  gst_element_set_state (s.f.sink, GST_STATE_PLAYING);
  flow_push_frame (&s.f, SSRC, 1, 100);
  fail_unless (peer_receive_rtp (&s.f.peer, 2000));
  size = s.f.peer.size;
  fail_unless (gst_cc_srtp_open_rtp (srtp, s.f.peer.data, &size));
  sink_close (&s);
  gst_cc_srtp_free (srtp);
}
GST_END_TEST;

/* Through READY the numbers go on being counted: with the same key one that was used is not used again. */
GST_START_TEST (test_the_same_key_set_in_ready)
{
  Sink s;

  sink_open (&s, CAPS, KEY, NULL);
  flow_push_frame (&s.f, SSRC, 1, 100);
  fail_unless (peer_receive_rtp (&s.f.peer, 2000));
  gst_element_set_state (s.f.sink, GST_STATE_READY);
  gst_util_set_object_arg (G_OBJECT (s.f.sink), "srtp-key", KEY);
  gst_element_set_state (s.f.sink, GST_STATE_PLAYING);
  s.f.seq = 0;
  flow_push_frame (&s.f, SSRC, 1, 100);
  fail_unless (wait_stat (s.f.sink, "packets-unprotected", 1));
  sink_close (&s);
}
GST_END_TEST;

/* ---- tfrcsrc ---- */

typedef struct {
  GstElement *pipeline, *src;
  GstBus *bus;
  Peer peer; /* the sender */
  gint passed;
  guint8 last_byte;
} Source;

static GstPadProbeReturn
on_passed (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  Source *s = user;

  gst_buffer_extract (buffer, gst_buffer_get_size (buffer) - 1, &s->last_byte, 1);
  g_atomic_int_inc (&s->passed);
  return GST_PAD_PROBE_OK;
}

static void
source_make (Source *s, const gchar *properties)
{
  gchar *line = g_strdup_printf ("tfrcsrc name=src address=127.0.0.1 port=0 encoding-name=H264 latency=0 %s ! "
                                 "fakesink sync=false async=false",
      properties);
  GstPad *pad;

  memset (s, 0, sizeof *s);
  s->pipeline = gst_parse_launch (line, NULL);
  s->bus = gst_element_get_bus (s->pipeline);
  s->src = gst_bin_get_by_name (GST_BIN (s->pipeline), "src");
  pad = gst_element_get_static_pad (s->src, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_passed, s, NULL);
  gst_object_unref (pad);
  g_free (line);
}

static void
source_play (Source *s)
{
  gint port;

  fail_unless (gst_element_set_state (s->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_element_get_state (s->pipeline, NULL, NULL, 5 * GST_SECOND) != GST_STATE_CHANGE_FAILURE);
  peer_open (&s->peer);
  g_object_get (s->src, "port", &port, NULL);
  s->peer.sender = g_inet_socket_address_new_from_string ("127.0.0.1", (guint)port);
}

static void
source_open (Source *s, const gchar *properties)
{
  source_make (s, properties);
  source_play (s);
}

static void
source_close (Source *s)
{
  gst_element_set_state (s->pipeline, GST_STATE_NULL);
  gst_object_unref (s->src);
  gst_object_unref (s->bus);
  gst_object_unref (s->pipeline);
  peer_close (&s->peer);
}

static void
source_send (Source *s, GstCcSrtp *srtp, GstBuffer *buffer, gboolean rtcp)
{
  Bytes bytes;

  protect_into (&bytes, srtp, buffer, rtcp);
  send_from (s->peer.socket, s->peer.sender, bytes.data, bytes.size);
}

static void
source_stream (Source *s, GstCcSrtp *srtp, guint32 ssrc, guint16 from, guint n)
{
  guint i;

  for (i = 0; i < n; i++) {
    source_send (s, srtp, new_packet (ssrc, (guint16)(from + i), 1000 * (from + i), 200, TRUE), FALSE);
    g_usleep (2000);
  }
}

static gboolean
source_passed (Source *s, gint n)
{
  guint i;

  for (i = 0; i < 400 && g_atomic_int_get (&s->passed) < n; i++)
    g_usleep (5000);
  return g_atomic_int_get (&s->passed) >= n;
}

/* Media, SR in; reports out, which the key opens. */
GST_START_TEST (test_what_arrives_is_opened)
{
  GstCcSrtp *srtp = end_of (KEY, NULL);
  gboolean opened = FALSE;
  gsize size;
  guint i;
  Source s;

  source_open (&s, "srtp-key=" KEY);
  source_stream (&s, srtp, SSRC, 65500, 100);
  fail_unless (source_passed (&s, 99)); /* the first only makes the second one's sequence */
  fail_unless_equals_int (s.last_byte, 0x55);
  source_send (&s, srtp, new_sr (SSRC), TRUE);
  fail_unless (wait_stat (s.src, "rtcp-received", 1));
  for (i = 0; i < 20 && !opened; i++) {
    fail_unless (peer_receive (&s.peer, 3000));
    size = s.peer.size;
    fail_unless (rtcp_is_rtcp (s.peer.data, s.peer.size));
    opened = gst_cc_srtp_open_rtcp (srtp, s.peer.data, &size);
    fail_unless (opened);
    fail_unless (rtcp_walk (s.peer.data, size, &(RtcpHandlers){0}, NULL));
  }
  fail_unless_equals_uint64 (stat_of (s.src, "srtp-opened"), 101);
  fail_unless_equals_uint64 (stat_of (s.src, "srtp-refused"), 0);
  source_close (&s);
  gst_cc_srtp_free (srtp);
}
GST_END_TEST;

/* From the peer's own port, with the next numbers of its stream. */
GST_START_TEST (test_forged_media_is_refused)
{
  GstCcSrtp *srtp = end_of (KEY, NULL), *other = end_of (OTHER_KEY, NULL);
  gint passed;
  Source s;

  source_open (&s, "srtp-key=" KEY);
  source_stream (&s, srtp, SSRC, 0, 20);
  fail_unless (source_passed (&s, 19));
  passed = g_atomic_int_get (&s.passed);
  source_stream (&s, NULL, SSRC, 20, 20);
  source_stream (&s, other, SSRC, 20, 20);
  source_send (&s, NULL, new_sr (SSRC), TRUE);
  fail_unless (wait_stat (s.src, "srtp-refused", 41));
  fail_unless_equals_int (g_atomic_int_get (&s.passed), passed);
  fail_unless_equals_uint64 (stat_of (s.src, "rtcp-received"), 0);
  source_stream (&s, srtp, SSRC, 20, 20);
  fail_unless (source_passed (&s, passed + 20));
  fail_unless_equals_int (count_warnings (s.bus, "srtp-key"), 0);
  source_close (&s);
  gst_cc_srtp_free (srtp);
  gst_cc_srtp_free (other);
}
GST_END_TEST;

GST_START_TEST (test_one_warning_of_another_key_at_the_source)
{
  GstCcSrtp *other = end_of (OTHER_KEY, NULL);
  Source s;

  source_open (&s, "srtp-key=" KEY);
  source_stream (&s, other, SSRC, 0, 250);
  source_stream (&s, NULL, SSRC + 1, 0, 250);
  fail_unless (wait_stat (s.src, "srtp-refused", 500));
  fail_unless_equals_int (g_atomic_int_get (&s.passed), 0);
  fail_unless_equals_int (count_warnings (s.bus, "srtp-key"), 1);
  source_close (&s);
  gst_cc_srtp_free (other);
}
GST_END_TEST;

/* The same key, another SSRC and other numbers; and a receiver that comes when they have wrapped. */
GST_START_TEST (test_sender_and_receiver_start_again)
{
  GstCcSrtp *srtp = end_of (KEY, NULL), *again = end_of (KEY, NULL);
  Bytes bytes;
  guint at;
  Source s;

  source_open (&s, "srtp-key=" KEY);
  source_stream (&s, srtp, SSRC, 100, 20);
  fail_unless (source_passed (&s, 19));
  source_stream (&s, again, SSRC + 1, 40000, 20);
  fail_unless (source_passed (&s, 19 + 19));
  source_close (&s);

  for (at = 40020; at < 3 << 16; at += 20000)
    protect_into (&bytes, again, new_packet (SSRC + 1, (guint16)at, at, 200, TRUE), FALSE);
  source_open (&s, "srtp-key=" KEY);
  source_stream (&s, again, SSRC + 1, (guint16)at, 30);
  fail_unless (source_passed (&s, 20));
  fail_unless_equals_int (count_warnings (s.bus, "srtp-key"), 0);
  source_close (&s);
  gst_cc_srtp_free (srtp);
  gst_cc_srtp_free (again);
}
GST_END_TEST;

/* What is not of the key is refused from the first packet on. */
GST_START_TEST (test_a_key_set_in_ready_at_the_source)
{
  GstCcSrtp *srtp = end_of (KEY, NULL);
  Source s;

  source_make (&s, "");
  gst_element_set_state (s.pipeline, GST_STATE_READY);
  gst_util_set_object_arg (G_OBJECT (s.src), "srtp-key", KEY);
  source_play (&s);
  source_stream (&s, NULL, SSRC, 0, 20);
  source_stream (&s, srtp, SSRC, 20, 20);
  fail_unless (source_passed (&s, 19));
  fail_unless_equals_uint64 (stat_of (s.src, "srtp-refused"), 20);
  gst_util_set_object_arg (G_OBJECT (s.src), "srtp-key", OTHER_KEY);
  fail_unless_equals_int (count_warnings (s.bus, "srtp-key"), 1);
  source_close (&s);
  gst_cc_srtp_free (srtp);
}
GST_END_TEST;

/* rtcpavpf counts what it does not see: 10 bytes of RTP's tag, 14 of RTCP's and index. */
GST_START_TEST (test_tags_are_counted_at_the_source)
{
  GstElement *avpf;
  guint rtp, rtcp;
  Source s;

  source_open (&s, "srtp-key=" KEY " srtp-auth=hmac-sha1-32");
  avpf = gst_bin_get_by_name (GST_BIN (s.src), "rtcpavpf");
  g_object_get (avpf, "rtp-overhead", &rtp, "rtcp-overhead", &rtcp, NULL);
  fail_unless_equals_int (rtp, 4);
  fail_unless_equals_int (rtcp, 14);
  gst_object_unref (avpf);
  source_close (&s);
}
GST_END_TEST;

/* ---- both ---- */

/* Reports and rates arrive, also when the sender goes through READY and NULL. */
GST_START_TEST (test_a_call)
{
  GstElement *sink;
  GstHarness *h;
  guint round, i;
  gint port;
  Source s;

  source_open (&s, "srtp-key=" KEY " srtp-peer-key=" OTHER_KEY " srtp-cipher=aes-128-icm srtcp-cipher=null");
  g_object_get (s.src, "port", &port, NULL);
  sink = gst_element_factory_make ("tfrcsink", NULL);
  gst_util_set_object_arg (G_OBJECT (sink), "srtp-key", OTHER_KEY);
  gst_util_set_object_arg (G_OBJECT (sink), "srtp-peer-key", KEY);
  gst_util_set_object_arg (G_OBJECT (sink), "srtcp-cipher", "null");
  g_object_set (sink, "sync", FALSE, "async", FALSE, "host", "127.0.0.1", "port", port, NULL);
  for (round = 0; round < 3; round++) {
    gint before = g_atomic_int_get (&s.passed);

    h = gst_harness_new_with_element (sink, "sink", NULL);
    gst_harness_set_src_caps_str (h, CAPS);
    for (i = 0; i < 50; i++) {
      gst_harness_push (h, new_packet (SSRC + round, (guint16)i, 1800 * i, 500, TRUE));
      g_usleep (20000);
    }
    fail_unless (wait_stat (sink, "reports", 3));
    fail_unless (stat_of (sink, "path-reports") > 0);
    fail_unless (source_passed (&s, before + 49));
    gst_element_set_state (sink, round == 1 ? GST_STATE_READY : GST_STATE_NULL);
    gst_harness_teardown (h);
  }
  fail_unless_equals_uint64 (stat_of (s.src, "srtp-refused"), 0);
  gst_object_unref (sink);
  source_close (&s);
}
GST_END_TEST;

/* ---- settings ---- */

static void
check_error (const gchar *line, const gchar *word)
{
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error;

  fail_unless (pipeline != NULL);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, word) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

#define SRC "tfrcsrc address=127.0.0.1 port=0 encoding-name=H264 "

GST_START_TEST (test_errors_name_the_cure)
{
  check_error (SRC "srtp-key=0011 ! fakesink", "60 hexadecimal digits");
  check_error (SRC "srtp-peer-key=" KEY " ! fakesink", "srtp-key");
  check_error ("fakesrc ! tfrcsink host=127.0.0.1 srtp-key=0011", "60 hexadecimal digits");
  check_error ("fakesrc ! tfrcsink host=127.0.0.1 srtp-auth=null srtp-key=" KEY, "hmac-sha1-80");
}
GST_END_TEST;

GST_START_TEST (test_without_the_library)
{
  check_error (SRC "srtp-key=" KEY " ! fakesink", "libsrtp2-dev");
  check_error ("fakesrc ! tfrcsink host=127.0.0.1 srtp-key=" KEY, "libsrtp2-dev");
}
GST_END_TEST;

/* Nobody reads it: neither by the property nor from the statistics. */
GST_START_TEST (test_the_key_is_write_only)
{
  static const gchar *const names[] = {"tfrcsink", "tfrcsrc"};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    GstElement *element = gst_element_factory_make (names[i], NULL);
    GObjectClass *klass = G_OBJECT_GET_CLASS (element);
    GstStructure *stats;
    gchar *text;

    fail_if (g_object_class_find_property (klass, "srtp-key")->flags & G_PARAM_READABLE);
    fail_if (g_object_class_find_property (klass, "srtp-peer-key")->flags & G_PARAM_READABLE);
    gst_util_set_object_arg (G_OBJECT (element), "srtp-key", KEY);
    stats = stats_of (element);
    text = gst_structure_to_string (stats);
    fail_unless (strstr (text, KEY) == NULL);
    g_free (text);
    gst_structure_free (stats);
    gst_object_unref (element);
  }
}
GST_END_TEST;

static Suite *
tfrcsrtp_suite (void)
{
  Suite *s = suite_create ("tfrcsrtp");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_the_key_is_write_only);
  if (!gst_cc_srtp_is_available ()) {
    tcase_add_test (tc, test_without_the_library);
    return s;
  }
  tcase_add_test (tc, test_errors_name_the_cure);
  tcase_add_test (tc, test_what_leaves_is_protected);
  tcase_add_test (tc, test_rtcp_that_leaves_is_protected);
  tcase_add_test (tc, test_forged_feedback_is_refused);
  tcase_add_test (tc, test_numbers_used_again);
  tcase_add_test (tc, test_own_rtcp_comes_back);
  tcase_add_test (tc, test_one_warning_of_another_key_at_the_sink);
  tcase_add_test (tc, test_too_large_to_protect);
  tcase_add_test (tc, test_two_keys);
  tcase_add_test (tc, test_no_explicit_rate_is_asked_for);
  tcase_add_test (tc, test_the_tag_is_no_media);
  tcase_add_test (tc, test_the_tag_counts_for_limits);
  tcase_add_loop_test (tc, test_a_key_set_in_ready, 0, 2);
  tcase_add_test (tc, test_a_useless_key_set_in_ready);
  tcase_add_test (tc, test_a_key_set_while_playing);
  tcase_add_test (tc, test_the_same_key_set_in_ready);
  tcase_add_test (tc, test_what_arrives_is_opened);
  tcase_add_test (tc, test_forged_media_is_refused);
  tcase_add_test (tc, test_one_warning_of_another_key_at_the_source);
  tcase_add_test (tc, test_sender_and_receiver_start_again);
  tcase_add_test (tc, test_a_key_set_in_ready_at_the_source);
  tcase_add_test (tc, test_tags_are_counted_at_the_source);
  tcase_add_test (tc, test_a_call);
  return s;
}

GST_CHECK_MAIN (tfrcsrtp)
