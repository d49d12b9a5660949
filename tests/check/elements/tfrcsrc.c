/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsrc with a socket on the loopback device that plays the sender; then with real senders. Time is real, so the
   bounds are wide. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcp.h"
#include "rtpextension.h"

#include <arpa/inet.h>
#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>

#define MEDIA 0x2345bcde
#define PAYLOAD_BYTES 500
#define MAX_SEEN 20000

/* ---- the receiving pipeline ---- */

typedef struct {
  GstElement *pipeline, *src;
  GMutex lock;
  guint16 seqs[MAX_SEEN];
  guint32 ssrcs[MAX_SEEN];
  gint64 times[MAX_SEEN];    /* us */
  guint seen, others, bytes; /* of payload */
} Receiver;

static GstPadProbeReturn
see (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Receiver *r = user;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  g_mutex_lock (&r->lock);
  if (!gst_rtp_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), GST_MAP_READ, &rtp)) {
    r->others++;
  } else if (r->seen < MAX_SEEN) {
    r->times[r->seen] = g_get_monotonic_time ();
    r->bytes += gst_rtp_buffer_get_payload_len (&rtp);
    r->ssrcs[r->seen] = gst_rtp_buffer_get_ssrc (&rtp);
    r->seqs[r->seen++] = gst_rtp_buffer_get_seq (&rtp);
    gst_rtp_buffer_unmap (&rtp);
  }
  g_mutex_unlock (&r->lock);
  return GST_PAD_PROBE_OK;
}

static void
receiver_open_to (Receiver *r, const gchar *properties, const gchar *sink)
{
  gchar *line = g_strdup_printf ("tfrcsrc name=src port=0 %s ! %s", properties, sink);
  GstPad *pad;

  memset (r, 0, sizeof *r);
  g_mutex_init (&r->lock);
  r->pipeline = gst_parse_launch (line, NULL);
  fail_unless (r->pipeline != NULL);
  r->src = gst_bin_get_by_name (GST_BIN (r->pipeline), "src");
  pad = gst_element_get_static_pad (r->src, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, see, r, NULL);
  gst_object_unref (pad);
  g_free (line);
}

static void
receiver_open (Receiver *r, const gchar *properties)
{
  receiver_open_to (r, properties, "fakesink sync=false async=false");
}

static void
receiver_play (Receiver *r)
{
  fail_unless (gst_element_set_state (r->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  fail_unless (gst_element_get_state (r->pipeline, NULL, NULL, 5 * GST_SECOND) != GST_STATE_CHANGE_FAILURE);
}

static void
receiver_close (Receiver *r)
{
  gst_element_set_state (r->pipeline, GST_STATE_NULL);
  gst_object_unref (r->src);
  gst_object_unref (r->pipeline);
  g_mutex_clear (&r->lock);
}

static guint
receiver_seen (Receiver *r)
{
  guint seen;

  g_mutex_lock (&r->lock);
  seen = r->seen;
  g_mutex_unlock (&r->lock);
  return seen;
}

/* Of the numbers first to first + n - 1, how many came out. */
static guint
receiver_count (Receiver *r, guint32 ssrc, guint16 first, guint n)
{
  gboolean *came = g_new0 (gboolean, n);
  guint i, count = 0;

  g_mutex_lock (&r->lock);
  for (i = 0; i < r->seen; i++)
    if (r->ssrcs[i] == ssrc && (guint16)(r->seqs[i] - first) < n)
      came[(guint16)(r->seqs[i] - first)] = TRUE;
  g_mutex_unlock (&r->lock);
  for (i = 0; i < n; i++)
    count += came[i];
  g_free (came);
  return count;
}

static gboolean
receiver_wait (Receiver *r, guint packets, guint timeout_ms)
{
  gint64 end = g_get_monotonic_time () + timeout_ms * G_GINT64_CONSTANT (1000);

  while (receiver_seen (r) < packets && g_get_monotonic_time () < end)
    g_usleep (2000);
  return receiver_seen (r) >= packets;
}

static guint64
receiver_stat (Receiver *r, const gchar *name)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (r->src, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, name, &value);
  gst_structure_free (stats);
  return value;
}

/* ---- the sending socket ---- */

typedef struct {
  GSocket *socket;
  GSocketAddress *to;
  guint32 ssrc, timestamp_offset;
} Sender;

static void
sender_open_from (Sender *s, Receiver *r, const gchar *host, const gchar *from)
{
  GSocketAddress *local = g_inet_socket_address_new_from_string (from, 0);
  GError *error = NULL;
  gint port;

  g_object_get (r->src, "port", &port, NULL);
  fail_unless (port > 0);
  s->ssrc = MEDIA;
  s->timestamp_offset = 0;
  s->to = g_inet_socket_address_new_from_string (host, (guint)port);
  s->socket = g_socket_new (g_socket_address_get_family (local), G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, &error);
  g_assert_no_error (error);
  g_socket_bind (s->socket, local, FALSE, &error);
  g_assert_no_error (error);
  g_object_unref (local);
}

static void
sender_open (Sender *s, Receiver *r, const gchar *host)
{
  sender_open_from (s, r, host, host);
}

static void
sender_close (Sender *s)
{
  g_object_unref (s->socket);
  g_object_unref (s->to);
}

static void
sender_send (Sender *s, GstBuffer *buffer)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  fail_unless (g_socket_send_to (s->socket, s->to, (gchar *)map.data, map.size, NULL, NULL) == (gssize)map.size);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
}

static void
sender_send_part (Sender *s, guint16 seq, guint8 payload_type, guint payload_bytes, guint32 timestamp, gboolean marker)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (payload_bytes, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  RtpRttSendts stamp = {.rtt = 0, .sent_at_us = (guint32)g_get_monotonic_time ()};
  guint8 data[RTP_EXT_RTT_SENDTS_SIZE];

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, s->ssrc);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_payload_type (&rtp, payload_type);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  gst_rtp_buffer_set_marker (&rtp, marker);
  memset (gst_rtp_buffer_get_payload (&rtp), 0x61, payload_bytes);
  rtp_ext_rtt_sendts_write (data, &stamp);
  gst_rtp_buffer_add_extension_onebyte_header (&rtp, 9, data, sizeof data);
  gst_rtp_buffer_unmap (&rtp);
  sender_send (s, buffer);
}

static guint32
sender_timestamp (const Sender *s)
{
  return s->timestamp_offset + (guint32)(g_get_monotonic_time () * 9 / 100);
}

static void
sender_send_sized (Sender *s, guint16 seq, guint8 payload_type, guint payload_bytes)
{
  sender_send_part (s, seq, payload_type, payload_bytes, sender_timestamp (s), FALSE);
}

static void
sender_send_rtp (Sender *s, guint16 seq, guint8 payload_type)
{
  sender_send_sized (s, seq, payload_type, PAYLOAD_BYTES);
}

static void
sender_stream (Sender *s, guint16 first, guint packets, guint interval_ms)
{
  guint i;

  for (i = 0; i < packets; i++) {
    sender_send_rtp (s, (guint16)(first + i), 96);
    g_usleep (interval_ms * 1000);
  }
}

typedef struct {
  guint packets, cnames, tfrcs, paths, byes, plis;
} Heard;

static guint32 listen_for = MEDIA;

static void
heard_cname (gpointer user, guint32 ssrc, const gchar *cname)
{
  ((Heard *)user)->cnames++;
}

static void
heard_tfrc (gpointer user, guint32 sender, guint32 media, const TfrcReport *report)
{
  ((Heard *)user)->tfrcs += media == listen_for;
}

static void
heard_path (gpointer user, guint32 sender, guint32 media, const RtcpPath *path)
{
  ((Heard *)user)->paths++;
}

static void
heard_pli (gpointer user, guint32 sender, guint32 media)
{
  ((Heard *)user)->plis++;
}

static void
heard_bye (gpointer user, guint32 ssrc)
{
  ((Heard *)user)->byes++;
}

static void
check_same_address (GSocketAddress *found, GSocketAddress *expected)
{
  gchar *texts[] = {g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (found)),
      g_socket_connectable_to_string (G_SOCKET_CONNECTABLE (expected))};

  fail_unless_equals_string (texts[0], texts[1]);
  g_free (texts[0]);
  g_free (texts[1]);
}

/* All that has come, and what comes within the time. It must all be RTCP from where the media went to. */
static void
sender_listen (Sender *s, Heard *heard, guint timeout_ms)
{
  static const RtcpHandlers ears = {
      .cname = heard_cname, .tfrc = heard_tfrc, .path = heard_path, .pli = heard_pli, .bye = heard_bye};
  guint8 data[2000];

  while (g_socket_condition_timed_wait (s->socket, G_IO_IN, timeout_ms * G_GINT64_CONSTANT (1000), NULL, NULL)) {
    GSocketAddress *from = NULL;
    gssize size = g_socket_receive_from (s->socket, &from, (gchar *)data, sizeof data, NULL, NULL);

    fail_unless (size > 0);
    check_same_address (from, s->to);
    fail_unless (rtcp_walk (data, (gsize)size, &ears, heard));
    heard->packets++;
    g_object_unref (from);
  }
}

/* ---- tests ---- */

GST_START_TEST (test_media_in_feedback_out_of_one_port)
{
  Receiver r;
  Sender s;
  Heard heard = {0};
  guint i;

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  sender_stream (&s, 65500, 200, 5);
  fail_unless (receiver_wait (&r, 200, 3000));
  for (i = 0; i < 200; i++)
    fail_unless_equals_int (r.seqs[i], (guint16)(65500 + i));
  sender_listen (&s, &heard, 50);
  fail_unless (heard.tfrcs > 0 && heard.paths > 0 && heard.cnames > 0);
  fail_unless (heard.plis > 0); /* joined between two key units */
  /* stopping says so */
  gst_element_set_state (r.pipeline, GST_STATE_NULL);
  sender_listen (&s, &heard, 200);
  fail_unless_equals_int (heard.byes, 1);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

/* A translator on the way may give the flow another address; feedback follows the media. */
GST_START_TEST (test_feedback_follows_the_media)
{
  Receiver r;
  Sender before, after;
  Heard heard = {0};

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  sender_open (&before, &r, "127.0.0.1");
  sender_open (&after, &r, "127.0.0.1");
  sender_stream (&before, 0, 60, 5);
  sender_stream (&after, 60, 10, 5);
  sender_listen (&before, &heard, 20);
  heard.packets = heard.tfrcs = 0;
  sender_stream (&after, 70, 100, 5);
  sender_listen (&before, &heard, 20);
  fail_unless_equals_int (heard.packets, 0);
  sender_listen (&after, &heard, 20);
  fail_unless (heard.tfrcs > 0);
  receiver_close (&r);
  sender_close (&before);
  sender_close (&after);
}
GST_END_TEST;

/* A machine has several addresses, and its routes choose one for what leaves: who sends to another believes nothing
   that comes from there. */
GST_START_TEST (test_feedback_comes_from_where_the_media_went)
{
  static const gchar *const addresses[] = {"address=::", "address=0.0.0.0"};
  gchar *properties = g_strdup_printf ("encoding-name=H264 %s", addresses[__i__]);
  Receiver r;
  Sender s, moved, forged, stranger;
  Heard heard = {0};
  gchar ignored[2000];
  guint i;

  receiver_open (&r, properties);
  receiver_play (&r);
  sender_open_from (&s, &r, "127.0.0.2", "127.0.0.1");
  sender_open_from (&moved, &r, "127.0.0.3", "127.0.0.1");
  sender_open_from (&stranger, &r, "127.0.0.4", "127.0.0.9");
  stranger.ssrc++;
  sender_open_from (&forged, &r, "127.0.0.5", "127.0.0.1");
  g_object_unref (forged.socket);
  forged.socket = g_object_ref (s.socket);
  for (i = 0; i < 60; i++) {
    sender_stream (&s, (guint16)i, 1, 5);
    sender_stream (&stranger, (guint16)(7 * i), 1, 0);
  }
  sender_listen (&s, &heard, 50);
  fail_unless (heard.tfrcs > 0 && heard.packets > 1, "%u, %u", heard.tfrcs, heard.packets);
  /* a packet with its address forged, to another one of this machine */
  for (i = 0; i < 30; i++) {
    sender_stream (&s, (guint16)(60 + i), 1, 0);
    sender_stream (&forged, (guint16)(60 + i), 1, 5);
  }
  heard.tfrcs = 0;
  sender_listen (&s, &heard, 50);
  fail_unless (heard.tfrcs > 0);
  /* the sender is told another address of this machine, and says so by the same port */
  g_usleep (550000);
  g_object_unref (moved.socket);
  moved.socket = g_object_ref (s.socket);
  sender_stream (&moved, 90, 1, 5);
  while (g_socket_condition_timed_wait (s.socket, G_IO_IN, 20 * G_TIME_SPAN_MILLISECOND, NULL, NULL))
    g_socket_receive (s.socket, ignored, sizeof ignored, NULL, NULL);
  sender_stream (&moved, 91, 60, 5);
  heard.tfrcs = 0;
  sender_listen (&moved, &heard, 50);
  fail_unless (heard.tfrcs > 0);
  gst_element_set_state (r.pipeline, GST_STATE_NULL);
  sender_listen (&moved, &heard, 200);
  fail_unless_equals_int (heard.byes, 1);
  receiver_close (&r);
  sender_close (&s);
  sender_close (&moved);
  sender_close (&forged);
  sender_close (&stranger);
  g_free (properties);
}
GST_END_TEST;

/* Nothing leaves from an address that stands for many: routes choose then. */
GST_START_TEST (test_feedback_to_who_broadcasts)
{
  gchar data[2000];
  Receiver r;
  Sender s;
  guint i;

  receiver_open (&r, "encoding-name=H264 address=0.0.0.0");
  receiver_play (&r);
  sender_open_from (&s, &r, "127.255.255.255", "127.0.0.1");
  g_socket_set_broadcast (s.socket, TRUE);
  sender_stream (&s, 0, 60, 5);
  for (i = 0; i < 3; i++)
    fail_unless (g_socket_condition_timed_wait (s.socket, G_IO_IN, G_TIME_SPAN_SECOND, NULL, NULL) &&
                 g_socket_receive (s.socket, data, sizeof data, NULL, NULL) > 0);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

/* Of a sender whose circuit is open there is nothing else to answer (RFC 8083 4.5). */
GST_START_TEST (test_rtcp_alone_is_answered)
{
  Receiver r;
  Sender s;
  Heard heard = {0};
  guint i;

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  for (i = 0; i < 10 && heard.packets == 0; i++) {
    RtcpWriter rtcp;
    GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

    rtcp_add_rr (&rtcp, MEDIA, NULL, 0);
    rtcp_add_cname (&rtcp, MEDIA, "sender");
    gst_cc_rtcp_close (&rtcp, buffer);
    sender_send (&s, buffer);
    sender_listen (&s, &heard, 400);
  }
  fail_unless (heard.packets > 0 && heard.cnames > 0);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

GST_START_TEST (test_rtcp_does_not_travel_on)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  RtcpSenderInfo info = {.ssrc = MEDIA, .ntp_time = 1};
  Receiver r;
  Sender s;

  rtcp_add_sr (&rtcp, &info, NULL, 0);
  gst_cc_rtcp_close (&rtcp, buffer);
  receiver_open (&r, "encoding-name=VP8 latency=0");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  sender_stream (&s, 0, 10, 2);
  sender_send (&s, buffer);
  sender_stream (&s, 10, 10, 2);
  fail_unless (receiver_wait (&r, 20, 3000));
  fail_unless_equals_int (r.others, 0);
  fail_unless_equals_uint64 (receiver_stat (&r, "rtcp-received"), 1);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

/* With a jitter buffer packets come out in order, without as they came. */
/* The sender runs already when the receiver starts: what the socket holds before the clock begins is played at once. */
GST_START_TEST (test_joins_a_running_sender)
{
  Receiver r;
  Sender s;

  receiver_open (&r, "encoding-name=H264 latency=50");
  fail_unless (gst_element_set_state (r.pipeline, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  sender_open (&s, &r, "127.0.0.1");
  sender_stream (&s, 1, 5, 2);
  receiver_play (&r);
  sender_stream (&s, 6, 20, 10);
  fail_unless (receiver_wait (&r, 20, 1000), "%u of 25", receiver_seen (&r));
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

GST_START_TEST (test_order)
{
  static const guint16 sent[] = {1, 2, 4, 3, 5, 8, 7, 6, 9, 10};
  guint latency, i;

  for (latency = 0; latency <= 100; latency += 100) {
    gchar *properties = g_strdup_printf ("encoding-name=H264 latency=%u", latency);
    Receiver r;
    Sender s;

    receiver_open (&r, properties);
    receiver_play (&r);
    sender_open (&s, &r, "127.0.0.1");
    for (i = 0; i < G_N_ELEMENTS (sent); i++) {
      sender_send_rtp (&s, sent[i], 96);
      g_usleep (2000);
    }
    fail_unless (receiver_wait (&r, G_N_ELEMENTS (sent), 3000));
    for (i = 0; i < G_N_ELEMENTS (sent); i++)
      fail_unless_equals_int (r.seqs[i], latency > 0 ? i + 1 : sent[i]);
    receiver_close (&r);
    sender_close (&s);
    g_free (properties);
  }
}
GST_END_TEST;

/* Of 300 packets 4 ms apart every 50th is lost. Each gap may hold up what follows by the latency, 100 ms, and no more:
   the last packet is out within that of being sent (and 150 ms of a busy machine). */
GST_START_TEST (test_losses_do_not_add_up)
{
  Receiver r;
  Sender s;
  gint64 sent = 0;
  guint i;

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  for (i = 0; i < 300; i++) {
    if (i % 50 != 25)
      sender_send_rtp (&s, (guint16)i, 96);
    sent = g_get_monotonic_time ();
    g_usleep (4000);
  }
  fail_unless (receiver_wait (&r, 294, 3000));
  fail_unless (r.times[293] - sent < 250000, "%" G_GINT64_FORMAT " us", r.times[293] - sent);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

GST_START_TEST (test_smallest_and_largest_packets)
{
  Receiver r;
  Sender s;
  guint i;

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  for (i = 0; i < 30; i++) {
    g_socket_send_to (s.socket, s.to, "\x80", i % 2, NULL, NULL);
    sender_send_sized (&s, (guint16)i, 96, i % 3 == 0 ? 65000 : 1);
    g_usleep (5000);
  }
  fail_unless (receiver_wait (&r, 30, 3000), "%u", receiver_seen (&r));
  fail_unless (r.bytes == 10 * 65000 + 20, "%u", r.bytes);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

GST_START_TEST (test_any_payload_type)
{
  Receiver r;
  Sender s;
  guint i;

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  for (i = 0; i < 30; i++) {
    sender_send_rtp (&s, (guint16)i, i < 10 ? 96 : i < 20 ? 26 : 127);
    g_usleep (2000);
  }
  fail_unless (receiver_wait (&r, 30, 3000));
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

static void
count_null_maps (GstObject *src, GstObject *child, GParamSpec *pspec, guint *nulls)
{
  if (g_str_equal (pspec->name, "rtx-payload-type-map")) {
    GstStructure *map;

    g_object_get (child, pspec->name, &map, NULL);
    *nulls += map == NULL;
    gst_clear_structure (&map);
  }
}

/* gst-launch-1.0 -v prints what is notified: a critical for each structure that is NULL, up to 1.24. */
GST_START_TEST (test_no_structure_is_notified_as_null)
{
  Receiver r;
  guint nulls = 0;

  receiver_open (&r, "encoding-name=H264");
  g_signal_connect (r.src, "deep-notify", G_CALLBACK (count_null_maps), &nulls);
  receiver_play (&r);
  fail_unless_equals_int (nulls, 0);
  receiver_close (&r);
}
GST_END_TEST

GST_START_TEST (test_caps)
{
  static const struct {
    const gchar *properties, *caps;
  } table[] = {
      {"encoding-name=H264", "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264"},
      {"encoding-name=vp9 payload=98", "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP9,payload=98"},
      {"encoding-name=JPEG", "application/x-rtp,media=video,clock-rate=90000,encoding-name=JPEG"},
      {"encoding-name=OPUS", "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS"},
      {"encoding-name=X-OWN clock-rate=1000", "application/x-rtp,media=video,clock-rate=1000,encoding-name=X-OWN"},
      {"encoding-name=H264 caps=application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU",
          "application/x-rtp,media=audio,clock-rate=8000,encoding-name=PCMU"},
  };
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (table); i++) {
    GstCaps *expected = gst_caps_from_string (table[i].caps), *got;
    Receiver r;
    Sender s;
    GstPad *pad;

    receiver_open (&r, table[i].properties);
    receiver_play (&r);
    sender_open (&s, &r, "127.0.0.1");
    for (k = 0; k < 3; k++)
      sender_send_rtp (&s, (guint16)k, strstr (table[i].properties, "payload=98") != NULL ? 98 : 96);
    fail_unless (receiver_wait (&r, 3, 3000), "%s", table[i].properties);
    pad = gst_element_get_static_pad (r.src, "src");
    got = gst_pad_get_current_caps (pad);
    fail_unless (gst_caps_is_equal (got, expected), "%s", table[i].properties);
    gst_caps_unref (got);
    gst_caps_unref (expected);
    gst_object_unref (pad);
    receiver_close (&r);
    sender_close (&s);
  }
}
GST_END_TEST;

/* ---- latency ---- */

/* What it tells live sinks, ms. */
static guint
receiver_latency (Receiver *r)
{
  GstQuery *query = gst_query_new_latency ();
  GstPad *pad = gst_element_get_static_pad (r->src, "src");
  GstClockTime min;
  gboolean live;

  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_latency (query, &live, &min, NULL);
  fail_unless (live);
  gst_object_unref (pad);
  gst_query_unref (query);
  return (guint)(min / GST_MSECOND);
}

GST_START_TEST (test_latency)
{
  Receiver r;
  Sender s;

  receiver_open (&r, "encoding-name=H264 latency=120");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  sender_stream (&s, 1, 50, 10);
  fail_unless (receiver_wait (&r, 50, 3000));
  fail_unless_equals_int (receiver_latency (&r), 120);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

static guint
count_latency_messages (Receiver *r)
{
  GstBus *bus = gst_element_get_bus (r->pipeline);
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_LATENCY)) != NULL) {
    n += GST_MESSAGE_SRC (message) == GST_OBJECT (r->src);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return n;
}

/* A packet that the path took so much longer for. What is later than the jitter buffer waits moves its time instead. */
static void
send_late (Sender *s, guint16 seq, guint late_ms)
{
  g_usleep (late_ms * 1000);
  s->timestamp_offset -= late_ms * 90;
  sender_send_rtp (s, seq, 96);
  s->timestamp_offset += late_ms * 90;
}

static void
sink_counts (Receiver *r, guint64 *rendered, guint64 *dropped)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (r->pipeline), "sink");
  GstStructure *stats;

  g_object_get (sink, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "rendered", G_TYPE_UINT64, rendered, "dropped", G_TYPE_UINT64, dropped, NULL));
  gst_structure_free (stats);
  gst_object_unref (sink);
}

/* A sink that plays in time holds the packets up, and the thread that pushes them: which makes no packet late. One that
   is, now and then, is shown all the same, and no reason for all to wait. */
GST_START_TEST (test_latency_that_nobody_set_is_what_pictures_need)
{
  guint64 rendered[2], dropped[2];
  guint before;
  Receiver r;
  Sender s;

  receiver_open_to (&r, "encoding-name=H264", "fakesink name=sink sync=true max-lateness=5000000 async=false");
  receiver_play (&r);
  fail_unless_equals_int (receiver_latency (&r), 100);
  sender_open (&s, &r, "127.0.0.1");
  sender_stream (&s, 1, 150, 20);
  before = receiver_latency (&r);
  fail_unless (before < 100, "%u ms", before);
  fail_unless (count_latency_messages (&r) > 0);
  gst_bin_recalculate_latency (GST_BIN (r.pipeline));
  sender_stream (&s, 151, 20, 20);
  sink_counts (&r, &rendered[0], &dropped[0]);
  send_late (&s, 171, 90);
  fail_unless (receiver_wait (&r, 171, 3000));
  g_usleep (100000);
  fail_unless (receiver_latency (&r) <= before);
  sink_counts (&r, &rendered[1], &dropped[1]);
  fail_unless (rendered[1] > rendered[0]);
  fail_unless_equals_uint64 (dropped[1], dropped[0]);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

/* Running time begins anew with it: what was there at 2 s of the last run is not late at 0.1 s of this one. */
GST_START_TEST (test_a_second_run_shows_its_pictures)
{
  guint64 rendered[2], dropped;
  Receiver r;
  Sender s;

  receiver_open_to (&r, "encoding-name=H264", "fakesink name=sink sync=true max-lateness=5000000 async=false");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  sender_stream (&s, 1, 100, 20);
  gst_element_set_state (r.pipeline, GST_STATE_READY);
  receiver_play (&r);
  fail_unless_equals_int (receiver_latency (&r), 100);
  sink_counts (&r, &rendered[0], &dropped);
  sender_stream (&s, 101, 30, 20);
  g_usleep (200000);
  sink_counts (&r, &rendered[1], &dropped);
  fail_unless (rendered[1] - rendered[0] >= 25, "%" G_GUINT64_FORMAT " shown", rendered[1] - rendered[0]);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

static void
send_picture (Sender *s, guint16 first, guint packets, gboolean whole)
{
  guint32 timestamp = sender_timestamp (s);
  guint i;

  for (i = 0; i < packets; i++) {
    sender_send_part (s, (guint16)(first + i), 96, 10, timestamp, whole && i + 1 == packets);
    if (i % 16 == 15)
      g_usleep (1000);
  }
}

/* But of a sender that marks no ends, or of a picture without one. */
GST_START_TEST (test_packets_of_a_picture_leave_together)
{
  Receiver r;
  Sender s;
  guint32 timestamp;

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  send_picture (&s, 1, 2, TRUE);
  fail_unless (receiver_wait (&r, 2, 3000));
  timestamp = sender_timestamp (&s);
  sender_send_part (&s, 3, 96, 10, timestamp, FALSE);
  fail_if (receiver_wait (&r, 3, 100));
  sender_send_part (&s, 4, 96, 10, timestamp, TRUE);
  fail_unless (receiver_wait (&r, 4, 3000));
  send_picture (&s, 5, 2, FALSE);
  g_usleep (20000);
  send_picture (&s, 7, 2, FALSE);
  fail_unless (receiver_wait (&r, 8, 3000));
  send_picture (&s, 9, 1, TRUE);
  send_picture (&s, 10, 1024, FALSE);
  fail_unless (receiver_wait (&r, 9 + 1024, 3000));
  send_picture (&s, 9 + 1025, 1, TRUE);
  send_picture (&s, 9 + 1026, 1, FALSE);
  fail_if (receiver_wait (&r, 9 + 1026, 100));
  gst_element_send_event (r.pipeline, gst_event_new_eos ());
  fail_unless (receiver_wait (&r, 9 + 1026, 3000));
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

GST_START_TEST (test_latency_of_sound_stays)
{
  Receiver r;
  Sender s;

  receiver_open (&r, "encoding-name=OPUS");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  sender_stream (&s, 1, 100, 10);
  send_late (&s, 101, 90);
  fail_unless (receiver_wait (&r, 101, 3000));
  fail_unless_equals_int (receiver_latency (&r), 100);
  fail_unless_equals_int (count_latency_messages (&r), 0);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

/* ---- addresses ---- */

GST_START_TEST (test_ipv6)
{
  GSocket *probe = g_socket_new (G_SOCKET_FAMILY_IPV6, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  GSocketAddress *loopback = g_inet_socket_address_new_from_string ("::1", 0);
  gboolean available = probe != NULL && g_socket_bind (probe, loopback, FALSE, NULL);
  static const gchar *const from[] = {"::1", "127.0.0.1"};
  guint i;

  g_clear_object (&probe);
  g_object_unref (loopback);
  if (!available) {
    g_print ("SKIP test_ipv6: this machine has no IPv6 loopback\n");
    return;
  }
  for (i = 0; i < G_N_ELEMENTS (from); i++) {
    Receiver r;
    Sender s;
    Heard heard = {0};

    receiver_open (&r, "encoding-name=H264 address=::");
    receiver_play (&r);
    sender_open (&s, &r, from[i]);
    sender_stream (&s, 0, 60, 5);
    fail_unless (receiver_wait (&r, 60, 3000));
    sender_listen (&s, &heard, 50);
    fail_unless (heard.tfrcs > 0);
    fail_unless_equals_uint64 (receiver_stat (&r, "send-errors"), 0);
    receiver_close (&r);
    sender_close (&s);
  }
}
GST_END_TEST;

/* The state change fails and the message says what to do. */
static void
expect_error (const gchar *properties, const gchar *cure)
{
  gchar *line = g_strdup_printf ("tfrcsrc %s ! fakesink", properties);
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error;

  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, cure) != NULL, "\"%s\" lacks \"%s\"", error->message, cure);
  g_error_free (error);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (line);
}

/* An address of a link and its interface, as users type it. NULL: this machine has none. */
static gchar *
link_local (void)
{
  struct ifaddrs *all = NULL, *at;
  gchar *found = NULL;

  if (getifaddrs (&all) != 0)
    return NULL;
  for (at = all; at != NULL && found == NULL; at = at->ifa_next) {
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)at->ifa_addr;
    gchar text[INET6_ADDRSTRLEN];

    if (in6 != NULL && in6->sin6_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL (&in6->sin6_addr) &&
        inet_ntop (AF_INET6, &in6->sin6_addr, text, sizeof text) != NULL)
      found = g_strdup_printf ("%s%%%s", text, at->ifa_name);
  }
  freeifaddrs (all);
  return found;
}

GST_START_TEST (test_of_one_link)
{
  gchar *host = link_local (), *properties;
  Heard heard = {0};
  Receiver r;
  Sender s;

  if (host == NULL) {
    g_print ("SKIP test_of_one_link: no interface of this machine has such an address\n");
    return;
  }
  properties = g_strdup_printf ("encoding-name=H264 address=%s", host);
  receiver_open (&r, properties);
  receiver_play (&r);
  sender_open (&s, &r, host);
  sender_stream (&s, 0, 60, 5);
  fail_unless (receiver_wait (&r, 60, 3000));
  sender_listen (&s, &heard, 50);
  fail_unless (heard.tfrcs > 0);
  receiver_close (&r);
  sender_close (&s);
  g_free (properties);
  g_free (host);
}
GST_END_TEST;

GST_START_TEST (test_errors_name_the_cure)
{
  Receiver r;
  gchar *taken;
  gint port;

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  g_object_get (r.src, "port", &port, NULL);
  taken = g_strdup_printf ("encoding-name=H264 port=%d", port);
  expect_error (taken, "set another port");
  expect_error ("port=0", "Set encoding-name");
  expect_error ("port=0 encoding-name=X-OWN", "Set clock-rate");
  expect_error ("port=0 encoding-name=H264 address=192.0.2.1", "Set address");
  expect_error ("port=0 encoding-name=H264 address=nonsense", "Set address");
  expect_error ("port=0 encoding-name=H264 address=fe80::1", "with their interface");
  expect_error ("port=0 encoding-name=H264 address=239.255.76.10 multicast-iface=nowhere0", "Set multicast-iface");
  g_free (taken);
  receiver_close (&r);
}
GST_END_TEST;

/* The port is free again after each stop, and nothing of the last run is left. */
GST_START_TEST (test_start_and_stop)
{
  static const GstState order[] = {GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PLAYING,
      GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_READY, GST_STATE_NULL};
  Receiver r;
  guint round, i;

  receiver_open (&r, "encoding-name=H264 port=0");
  for (round = 0; round < 5; round++) {
    Sender s;
    guint before;

    for (i = 0; i < G_N_ELEMENTS (order); i++)
      fail_unless (gst_element_set_state (r.pipeline, order[i]) != GST_STATE_CHANGE_FAILURE);
    receiver_play (&r);
    before = receiver_seen (&r);
    sender_open (&s, &r, "127.0.0.1");
    sender_stream (&s, 0, 20, 2);
    fail_unless (receiver_wait (&r, before + 20, 3000));
    fail_unless_equals_uint64 (receiver_stat (&r, "packets"), 20);
    sender_close (&s);
  }
  receiver_close (&r);
}
GST_END_TEST;

/* What is set in READY holds as if it had been set before. */
GST_START_TEST (test_set_in_ready)
{
  GstElement *jitterbuffer, *elsewhere = gst_element_factory_make ("tfrcsrc", NULL);
  gint port, chosen, latency;
  GstState state;
  Receiver r;
  Sender s;

  g_object_set (elsewhere, "port", 0, "encoding-name", "H264", NULL);
  gst_element_set_state (elsewhere, GST_STATE_READY);
  g_object_get (elsewhere, "port", &port, NULL);
  gst_element_set_state (elsewhere, GST_STATE_NULL);
  gst_object_unref (elsewhere);
  receiver_open (&r, "");
  fail_unless (gst_element_set_state (r.pipeline, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE);
  g_object_set (r.src, "port", port, "encoding-name", "H264", "latency", 70, NULL);
  receiver_play (&r);
  g_object_get (r.src, "port", &chosen, NULL);
  fail_unless_equals_int (chosen, port);
  sender_open (&s, &r, "127.0.0.1");
  sender_stream (&s, 0, 20, 2);
  fail_unless (receiver_wait (&r, 20, 3000));
  jitterbuffer = gst_bin_get_by_name (GST_BIN (r.src), "jitterbuffer");
  g_object_get (jitterbuffer, "latency", &latency, NULL);
  fail_unless_equals_int (latency, 70);
  gst_element_set_state (r.pipeline, GST_STATE_READY);
  g_object_set (r.src, "latency", 0, NULL);
  receiver_play (&r);
  sender_stream (&s, 20, 20, 2);
  fail_unless (receiver_wait (&r, 40, 3000));
  gst_element_get_state (jitterbuffer, &state, NULL, 0);
  fail_unless_equals_int (state, GST_STATE_NULL);
  gst_object_unref (jitterbuffer);
  sender_close (&s);
  receiver_close (&r);
}
GST_END_TEST;

/* A run without the jitter buffer, or what restores packets, leaves no trace in the next. */
GST_START_TEST (test_children_come_and_go)
{
  static const struct {
    gint latency;
    const gchar *map;
  } runs[] = {{0, NULL}, {100, NULL}, {0, "map,96=(uint)97"}, {0, NULL}, {100, "map,96=(uint)97"}, {0, NULL}};
  Receiver r;
  guint i;

  receiver_open (&r, "encoding-name=H264");
  for (i = 0; i < G_N_ELEMENTS (runs); i++) {
    GstStructure *map = runs[i].map != NULL ? gst_structure_from_string (runs[i].map, NULL) : NULL;
    guint before = receiver_seen (&r);
    Sender s;

    gst_element_set_state (r.pipeline, GST_STATE_READY);
    g_object_set (r.src, "latency", runs[i].latency, "rtx-payload-type-map", map, NULL);
    gst_clear_structure (&map);
    receiver_play (&r);
    sender_open (&s, &r, "127.0.0.1");
    sender_stream (&s, 0, 20, 2);
    fail_unless (receiver_wait (&r, before + 20, 3000), "run %u: %u", i, receiver_seen (&r) - before);
    sender_close (&s);
  }
  receiver_close (&r);
}
GST_END_TEST;

/* A port that is taken fails the start, and the next one; free again, it is listened on. */
GST_START_TEST (test_moved_to_a_port_that_is_taken)
{
  Receiver r, other;
  gint port, chosen;

  receiver_open (&other, "encoding-name=H264");
  receiver_play (&other);
  g_object_get (other.src, "port", &port, NULL);
  receiver_open (&r, "encoding-name=H264");
  fail_unless (gst_element_set_state (r.pipeline, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE);
  g_object_set (r.src, "port", port, NULL);
  fail_unless_equals_int (gst_element_set_state (r.pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (gst_element_set_state (r.pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  receiver_close (&other);
  receiver_play (&r);
  g_object_get (r.src, "port", &chosen, NULL);
  fail_unless_equals_int (chosen, port);
  receiver_close (&r);
}
GST_END_TEST;

/* The pipeline ends with its own sinks; the RTCP sender inside is none of them. */
GST_START_TEST (test_end_of_stream)
{
  Receiver r;
  Sender s;
  GstBus *bus;
  GstMessage *message;

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  sender_stream (&s, 0, 20, 2);
  gst_element_send_event (r.pipeline, gst_event_new_eos ());
  bus = gst_element_get_bus (r.pipeline);
  message = gst_bus_timed_pop_filtered (bus, 5 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
  receiver_close (&r);
  sender_close (&s);
}
GST_END_TEST;

/* The sender's program ends without a farewell and starts anew: other port, SSRC, numbers and time stamps, or all but
   the first the same. Its stream comes out, but for a first packet that may be taken for a stranger's, and gets
   feedback. */
static void
check_restart (guint32 ssrc, guint16 seq, guint32 timestamp_offset, guint pause_ms)
{
  Heard heard = {0};
  Receiver r;
  Sender before, after;

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  sender_open (&before, &r, "127.0.0.1");
  sender_stream (&before, 100, 100, 5);
  sender_close (&before);
  g_usleep (pause_ms * 1000);
  sender_open (&after, &r, "127.0.0.1");
  after.ssrc = ssrc;
  after.timestamp_offset = timestamp_offset;
  sender_stream (&after, seq, 200, 5);
  g_usleep (300000);
  fail_unless (receiver_count (&r, ssrc, seq, 200) >= 190, "%u", receiver_count (&r, ssrc, seq, 200));
  listen_for = ssrc;
  sender_listen (&after, &heard, 20);
  listen_for = MEDIA;
  fail_unless (heard.tfrcs > 0);
  receiver_close (&r);
  sender_close (&after);
}

GST_START_TEST (test_sender_starts_over)
{
  check_restart (MEDIA + 1, 40000, 3000000000u, 100);
  check_restart (MEDIA + 1, 40000, 3000000000u, 1000);
  check_restart (MEDIA, 40000, 3000000000u, 100);
}
GST_END_TEST;

/* ---- noise ---- */

#define NOISE_ROUNDS 400
#define NOISE_PER_ROUND 25

static gsize
noise_rtp (GRand *random, guint8 *data, guint32 ssrc)
{
  gsize size = (gsize)g_rand_int_range (random, 12, 200), i;

  for (i = 0; i < size; i++)
    data[i] = (guint8)g_rand_int (random);
  data[0] = 0x80;
  data[1] = 96;
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  return size;
}

/* A report, a description or a farewell, about our media or anybody, with some bits turned over. */
static gsize
noise_rtcp (GRand *random, guint8 *data)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  guint32 ssrc = g_rand_int_range (random, 0, 4) == 0 ? MEDIA : g_rand_int (random);
  RtcpSenderInfo info = {.ssrc = ssrc, .ntp_time = g_rand_int (random)};
  gsize size;
  gint flips;

  rtcp_add_sr (&rtcp, &info, NULL, 0);
  rtcp_add_cname (&rtcp, ssrc, "noise");
  if (g_rand_int_range (random, 0, 4) == 0)
    rtcp_add_bye (&rtcp, &ssrc, 1);
  gst_cc_rtcp_close (&rtcp, buffer);
  size = gst_buffer_extract (buffer, 0, data, 1000);
  gst_buffer_unref (buffer);
  for (flips = g_rand_int_range (random, 0, 8); flips > 0; flips--)
    data[g_rand_int_range (random, 0, (gint)size)] ^= (guint8)(1 << g_rand_int_range (random, 0, 8));
  return size;
}

static gsize
noise_bytes (GRand *random, guint8 *data)
{
  gsize size = (gsize)g_rand_int_range (random, 0, 1000), i;

  for (i = 0; i < size; i++)
    data[i] = (guint8)g_rand_int (random);
  return size;
}

static void
make_noise (GSocket *socket, GSocketAddress *to, GRand *random)
{
  guint8 data[1000];
  guint i;

  for (i = 0; i < NOISE_PER_ROUND; i++) {
    guint kind = (guint)g_rand_int_range (random, 0, 3);
    gsize size = kind == 0   ? noise_rtp (random, data, g_rand_int (random))
                 : kind == 1 ? noise_rtcp (random, data)
                             : noise_bytes (random, data);

    g_socket_send_to (socket, to, (gchar *)data, size, NULL, NULL);
  }
}

/* 10000 datagrams of strangers in 2 s: random bytes, RTP with invented SSRCs, broken RTCP, farewells in the sender's
   name. 5 % of the media may be late on a busy machine or lost to a full socket; feedback goes on. Broken RTCP has
   named some of the 32 SSRCs that differ by a bit from the sender's twice: these are members (RFC 3550 6.2.1), and with
   34 a report comes every 34 * 100 / 3125 = 1.1 s, 1.34 s at most. */
GST_START_TEST (test_noise)
{
  GRand *random = g_rand_new_with_seed (11);
  Heard heard = {0};
  Receiver r;
  Sender s, stranger;
  guint i;

  receiver_open (&r, "encoding-name=H264");
  receiver_play (&r);
  sender_open (&s, &r, "127.0.0.1");
  sender_open_from (&stranger, &r, "127.0.0.1", "127.0.0.2");
  sender_stream (&s, 0, 20, 5);
  for (i = 0; i < NOISE_ROUNDS; i++) {
    sender_stream (&s, (guint16)(20 + i), 1, 5);
    make_noise (stranger.socket, s.to, random);
  }
  sender_stream (&s, 420, 100, 5);
  g_usleep (300000);
  fail_unless (receiver_count (&r, MEDIA, 20, 400) >= 380, "%u", receiver_count (&r, MEDIA, 20, 400));
  fail_unless (receiver_count (&r, MEDIA, 420, 100) == 100, "%u", receiver_count (&r, MEDIA, 420, 100));
  sender_listen (&s, &heard, 20);
  heard.tfrcs = 0;
  for (i = 0; i < 15 && heard.tfrcs == 0; i++) {
    sender_stream (&s, (guint16)(520 + 40 * i), 40, 5);
    sender_listen (&s, &heard, 20);
  }
  fail_unless (heard.tfrcs > 0);
  receiver_close (&r);
  sender_close (&s);
  sender_close (&stranger);
  g_rand_free (random);
}
GST_END_TEST;

/* rtcpavpf's properties are tfrcsrc's, or its child's. */
GST_START_TEST (test_properties_of_feedback)
{
  GstElement *src = gst_parse_launch ("tfrcsrc port=0 trr-int=3000000000 max-feedback-delay=20000000 cname=me "
                                      "auto-nack=true rtcp-fraction=0.02 rtcpavpf::group=group",
      NULL);
  GstElement *rtcpavpf = gst_bin_get_by_name (GST_BIN (src), "rtcpavpf");
  GstClockTime trr_int, delay;
  gboolean auto_nack;
  gdouble fraction;
  gchar *cname;
  gint group;

  g_object_get (rtcpavpf, "trr-int", &trr_int, "max-feedback-delay", &delay, "cname", &cname, "auto-nack", &auto_nack,
      "rtcp-fraction", &fraction, "group", &group, NULL);
  fail_unless_equals_uint64 (trr_int, 3 * GST_SECOND);
  fail_unless_equals_uint64 (delay, 20 * GST_MSECOND);
  fail_unless_equals_string (cname, "me");
  fail_unless (auto_nack);
  fail_unless_equals_float (fraction, 0.02);
  fail_unless_equals_int (group, 2);
  g_free (cname);
  gst_object_unref (rtcpavpf);
  gst_object_unref (src);
}
GST_END_TEST;

/* ---- retransmission (RFC 4588) ---- */

#define RTX_MAP "rtx-payload-type-map=\"map,96=(uint)97\""
#define RTX_SSRC 0x3456cdef

/* What was lost comes once more, under another SSRC and with its number in front of the payload. */
static void
sender_resend (Sender *s, guint16 seq, guint16 osn)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (2 + PAYLOAD_BYTES, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, RTX_SSRC);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_payload_type (&rtp, 97);
  gst_rtp_buffer_set_timestamp (&rtp, (guint32)(g_get_monotonic_time () * 9 / 100));
  memset (gst_rtp_buffer_get_payload (&rtp), 0x61, 2 + PAYLOAD_BYTES);
  GST_WRITE_UINT16_BE (gst_rtp_buffer_get_payload (&rtp), osn);
  gst_rtp_buffer_unmap (&rtp);
  sender_send (s, buffer);
}

/* 20 packets, number 110 of them lost and sent again `after_ms` later. */
static void
lose_one (Receiver *r, const gchar *properties, guint after_ms)
{
  Sender s;

  receiver_open (r, properties);
  receiver_play (r);
  sender_open (&s, r, "127.0.0.1");
  sender_stream (&s, 100, 10, 5);
  sender_stream (&s, 111, 10, 5);
  g_usleep (after_ms * 1000);
  sender_resend (&s, 7000, 110);
  g_usleep (50 * 1000);
  sender_stream (&s, 121, 10, 5);
  receiver_wait (r, 31, 3000);
  sender_close (&s);
}

/* In its place, as a packet of its source. */
GST_START_TEST (test_what_comes_again_takes_its_place)
{
  Receiver r;
  guint i;

  lose_one (&r, "encoding-name=H264 latency=1000 " RTX_MAP, 100);
  fail_unless_equals_int (receiver_seen (&r), 31);
  for (i = 0; i < 31; i++) {
    fail_unless_equals_int (r.seqs[i], 100 + i);
    fail_unless_equals_int (r.ssrcs[i], MEDIA);
  }
  fail_unless_equals_uint64 (receiver_stat (&r, "restored"), 1);
  receiver_close (&r);
}
GST_END_TEST;

/* 400 ms after the loss, where 100 ms are waited for: the frame is shown without it, or not at all. */
GST_START_TEST (test_what_comes_again_too_late_is_dropped)
{
  Receiver r;
  guint i;

  lose_one (&r, "encoding-name=H264 latency=100 " RTX_MAP, 400);
  fail_unless_equals_int (receiver_seen (&r), 30);
  for (i = 0; i < 30; i++)
    fail_unless_equals_int (r.seqs[i], 100 + i + (i >= 10));
  receiver_close (&r);
}
GST_END_TEST;

/* Without the map nothing is put into a place it did not have. */
GST_START_TEST (test_no_retransmission_without_a_map)
{
  Receiver r;

  lose_one (&r, "encoding-name=H264 latency=0", 100);
  fail_unless_equals_int (receiver_count (&r, MEDIA, 100, 31), 30);
  receiver_close (&r);
}
GST_END_TEST;

/* ---- with real video ---- */

static gint frames;

static GstPadProbeReturn
count_frame (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  g_atomic_int_inc (&frames);
  return GST_PAD_PROBE_OK;
}

/* Skips, saying so, where an element is not installed. */
static gboolean
have_elements (const gchar *test, ...)
{
  va_list names;
  const gchar *name;
  gboolean all = TRUE;

  va_start (names, test);
  while ((name = va_arg (names, const gchar *)) != NULL) {
    GstElementFactory *factory = gst_element_factory_find (name);

    if (factory == NULL) {
      g_print ("SKIP %s: no element %s\n", test, name);
      all = FALSE;
    }
    g_clear_object (&factory);
  }
  va_end (names);
  return all;
}

static GstElement *
decoding_receiver (gint *port)
{
  GstElement *pipeline = gst_parse_launch (
      "tfrcsrc name=src port=0 encoding-name=H264 ! rtph264depay ! avdec_h264 ! fakesink name=sink sync=false", NULL);
  GstElement *src = gst_bin_get_by_name (GST_BIN (pipeline), "src"),
             *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstPad *pad = gst_element_get_static_pad (sink, "sink");

  g_atomic_int_set (&frames, 0);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_frame, NULL, NULL);
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  g_object_get (src, "port", port, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_object_unref (src);
  return pipeline;
}

static gboolean
wait_for_frames (gint wanted, guint timeout_ms)
{
  gint64 end = g_get_monotonic_time () + timeout_ms * G_GINT64_CONSTANT (1000);

  while (g_atomic_int_get (&frames) < wanted && g_get_monotonic_time () < end)
    g_usleep (10000);
  return g_atomic_int_get (&frames) >= wanted;
}

static void
stop (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

#define SOURCE                                                                                                         \
  "videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=30/1 ! "                        \
  "x264enc tune=zerolatency speed-preset=ultrafast bitrate=400 "

GST_START_TEST (test_plain_rtp_sender)
{
  GstElement *receiver, *sender;
  gchar *line;
  gint port;

  if (!have_elements ("test_plain_rtp_sender", "x264enc", "avdec_h264", "rtph264pay", "udpsink", NULL))
    return;
  receiver = decoding_receiver (&port);
  line = g_strdup_printf (SOURCE "! rtph264pay ! udpsink host=127.0.0.1 port=%d", port);
  sender = gst_parse_launch (line, NULL);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  fail_unless (wait_for_frames (30, 20000));
  stop (sender);
  stop (receiver);
  g_free (line);
}
GST_END_TEST;

/* Both ends: reports reach the sender and the rate grows on a path without limits. */
GST_START_TEST (test_with_tfrcsink)
{
  GstElement *receiver, *sender, *sink;
  GstStructure *stats;
  guint64 reports = 0;
  guint start = 0, rate = 0;
  gchar *line;
  gint port;

  if (!have_elements ("test_with_tfrcsink", "x264enc", "avdec_h264", "rtph264pay", "tfrcsink", NULL))
    return;
  receiver = decoding_receiver (&port);
  line = g_strdup_printf (SOURCE "! rtph264pay ! tfrcsink name=sink host=127.0.0.1 port=%d", port);
  sender = gst_parse_launch (line, NULL);
  sink = gst_bin_get_by_name (GST_BIN (sender), "sink");
  g_object_get (sink, "start-bitrate", &start, NULL);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  fail_unless (wait_for_frames (120, 30000));
  g_object_get (sink, "stats", &stats, "estimated-bitrate", &rate, NULL);
  gst_structure_get_uint64 (stats, "reports", &reports);
  fail_unless (reports > 10);
  fail_unless (rate > start, "%u after start at %u", rate, start);
  gst_structure_free (stats);
  gst_object_unref (sink);
  stop (sender);
  stop (receiver);
  g_free (line);
}
GST_END_TEST;

static guint lost_media;

/* Every seventh packet of the media; what is sent again comes through. */
static GstPadProbeReturn
lose_some (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  static guint count;
  guint8 type;

  if (gst_buffer_extract (GST_PAD_PROBE_INFO_BUFFER (info), 1, &type, 1) != 1 || (type & 0x7f) != 96 || ++count % 7)
    return GST_PAD_PROBE_OK;
  lost_media++;
  return GST_PAD_PROBE_DROP;
}

/* Both ends at work: one packet in seven is lost, and nearly all come again before they are missed. A loaded machine
   may be late for a few. */
GST_START_TEST (test_retransmission_with_tfrcsink)
{
  GstElement *sender, *udpsrc;
  Receiver r;
  GstPad *pad;
  gchar *line;
  gint port;

  if (!have_elements ("test_retransmission_with_tfrcsink", "x264enc", "rtph264pay", "rtprtxsend", "tfrcsink", NULL))
    return;
  lost_media = 0;
  receiver_open (&r, "encoding-name=H264 latency=500 " RTX_MAP);
  udpsrc = gst_bin_get_by_name (GST_BIN (r.src), "udpsrc");
  pad = gst_element_get_static_pad (udpsrc, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, lose_some, NULL, NULL);
  receiver_play (&r);
  g_object_get (r.src, "port", &port, NULL);
  line = g_strdup_printf (SOURCE "! rtph264pay pt=96 mtu=300 ! rtprtxsend payload-type-map=\"map,96=(uint)97\" "
                                 "max-size-packets=1000 ! tfrcsink host=127.0.0.1 port=%d",
      port);
  sender = gst_parse_launch (line, NULL);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  fail_unless (receiver_wait (&r, 500, 20000));
  stop (sender);
  fail_unless (lost_media >= 500 / 7 - 1);
  fail_unless (receiver_stat (&r, "restored") >= lost_media * 3 / 4, "%u restored of %u lost",
      (guint)receiver_stat (&r, "restored"), lost_media);
  fail_unless (receiver_count (&r, r.ssrcs[0], r.seqs[0], 500) >= 480, "%u of 500",
      receiver_count (&r, r.ssrcs[0], r.seqs[0], 500));
  gst_object_unref (pad);
  gst_object_unref (udpsrc);
  receiver_close (&r);
  g_free (line);
}
GST_END_TEST;

static Suite *
tfrcsrc_suite (void)
{
  Suite *suite = suite_create ("tfrcsrc");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_media_in_feedback_out_of_one_port);
  tcase_add_test (tcase, test_feedback_follows_the_media);
  tcase_add_loop_test (tcase, test_feedback_comes_from_where_the_media_went, 0, 2);
  tcase_add_test (tcase, test_feedback_to_who_broadcasts);
  tcase_add_test (tcase, test_rtcp_alone_is_answered);
  tcase_add_test (tcase, test_rtcp_does_not_travel_on);
  tcase_add_test (tcase, test_joins_a_running_sender);
  tcase_add_test (tcase, test_order);
  tcase_add_test (tcase, test_losses_do_not_add_up);
  tcase_add_test (tcase, test_smallest_and_largest_packets);
  tcase_add_test (tcase, test_any_payload_type);
  tcase_add_test (tcase, test_no_structure_is_notified_as_null);
  tcase_add_test (tcase, test_caps);
  tcase_add_test (tcase, test_latency);
  tcase_add_test (tcase, test_latency_that_nobody_set_is_what_pictures_need);
  tcase_add_test (tcase, test_a_second_run_shows_its_pictures);
  tcase_add_test (tcase, test_packets_of_a_picture_leave_together);
  tcase_add_test (tcase, test_latency_of_sound_stays);
  tcase_add_test (tcase, test_ipv6);
  tcase_add_test (tcase, test_of_one_link);
  tcase_add_test (tcase, test_errors_name_the_cure);
  tcase_add_test (tcase, test_start_and_stop);
  tcase_add_test (tcase, test_set_in_ready);
  tcase_add_test (tcase, test_children_come_and_go);
  tcase_add_test (tcase, test_moved_to_a_port_that_is_taken);
  tcase_add_test (tcase, test_end_of_stream);
  tcase_add_test (tcase, test_sender_starts_over);
  tcase_add_test (tcase, test_noise);
  tcase_add_test (tcase, test_properties_of_feedback);
  tcase_add_test (tcase, test_what_comes_again_takes_its_place);
  tcase_add_test (tcase, test_what_comes_again_too_late_is_dropped);
  tcase_add_test (tcase, test_no_retransmission_without_a_map);
  tcase_add_test (tcase, test_plain_rtp_sender);
  tcase_add_test (tcase, test_with_tfrcsink);
  tcase_add_test (tcase, test_retransmission_with_tfrcsink);
  return suite;
}

GST_CHECK_MAIN (tfrcsrc)
