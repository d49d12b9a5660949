/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink and tfrcsrc against whole packets as Farstream 0.2.9 writes them, and their packets against the conditions
   under which it reads them, with the calls it reads them by. The peer is a socket on the loopback device. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/gstrtcpbuffer.h>
#include <gst/rtp/gstrtpbuffer.h>

#include <string.h>

#define SSRC 0x12345678u
#define PEER_SSRC 0x87654321u
#define CAPS                                                                                                           \
  "application/x-rtp, media=(string)video, clock-rate=(int)90000, encoding-name=(string)X-TEST, payload=(int)96"
#define URI "urn:ietf:params:rtp-hdrext:rtt-sendts"
#define PAYLOAD 100
#define FB_TYPE_TFRC 2

typedef struct {
  GSocket *socket;
  GSocketAddress *other; /* whom the last packet came from */
  guint16 port;
  guint8 data[4096];
  gsize size;
} Peer;

static void
peer_open (Peer *peer)
{
  GSocketAddress *any = g_inet_socket_address_new_from_string ("127.0.0.1", 0), *bound;

  memset (peer, 0, sizeof *peer);
  peer->socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  fail_unless (g_socket_bind (peer->socket, any, FALSE, NULL));
  bound = g_socket_get_local_address (peer->socket, NULL);
  peer->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
  g_object_unref (bound);
  g_object_unref (any);
}

static void
peer_close (Peer *peer)
{
  g_clear_object (&peer->socket);
  g_clear_object (&peer->other);
}

/* RFC 5761 4: which of the two came. FALSE: neither within the time. */
static gboolean
peer_receive (Peer *peer, gboolean rtcp, gint64 end)
{
  for (;;) {
    gint64 left = end - g_get_monotonic_time ();

    if (left <= 0 || !g_socket_condition_timed_wait (peer->socket, G_IO_IN, left, NULL, NULL))
      return FALSE;
    g_clear_object (&peer->other);
    peer->size =
        (gsize)g_socket_receive_from (peer->socket, &peer->other, (gchar *)peer->data, sizeof peer->data, NULL, NULL);
    if ((peer->data[1] >= 192 && peer->data[1] <= 223) == rtcp)
      return TRUE;
  }
}

static gint64
in_seconds (guint seconds)
{
  return g_get_monotonic_time () + seconds * G_USEC_PER_SEC;
}

static void
peer_send (Peer *peer, const guint8 *data, gsize size)
{
  fail_unless_equals_int (
      g_socket_send_to (peer->socket, peer->other, (const gchar *)data, size, NULL, NULL), (gint)size);
}

/* ---- Farstream's writers ---- */

/* A compound: RR without blocks, CNAME "a@b", the report. */
#define REPORT_AT 24
#define REPORT_END 52

static void
farstream_report (guint8 out[REPORT_END], guint32 media, guint32 t_i_us, guint32 t_delay_us, guint32 X_recv, gdouble p)
{
  static const guint8 head[REPORT_AT] = {
      0x80, 201, 0, 1, 0x87, 0x65, 0x43, 0x21, 0x81, 202, 0, 3, 0x87, 0x65, 0x43, 0x21, 1, 3, 'a', '@', 'b', 0, 0, 0};

  memcpy (out, head, REPORT_AT);
  memcpy (out + REPORT_AT, "\x82\xcd\0\6", 4);
  GST_WRITE_UINT32_BE (out + REPORT_AT + 4, PEER_SSRC);
  GST_WRITE_UINT32_BE (out + REPORT_AT + 8, media);
  GST_WRITE_UINT32_BE (out + REPORT_AT + 12, t_i_us);
  GST_WRITE_UINT32_BE (out + REPORT_AT + 16, t_delay_us);
  GST_WRITE_UINT32_BE (out + REPORT_AT + 20, X_recv);
  GST_WRITE_UINT32_BE (out + REPORT_AT + 24, (guint32)(p * G_MAXUINT));
}

/* RTP header with the extension of one byte (id up to 15) or two, then the payload. */
static gsize
farstream_packet (guint8 *out, guint id, guint16 seq, guint32 rtt_us, guint32 sent_at_us)
{
  guint8 stamp[7];
  gsize head;

  GST_WRITE_UINT24_BE (stamp, rtt_us);
  GST_WRITE_UINT32_BE (stamp + 3, sent_at_us);
  memset (out, 0, 32 + PAYLOAD);
  out[0] = 0x90;
  out[1] = 0x80 | 96;
  GST_WRITE_UINT16_BE (out + 2, seq);
  GST_WRITE_UINT32_BE (out + 4, 3000u * seq);
  GST_WRITE_UINT32_BE (out + 8, PEER_SSRC);
  if (id <= 15) {
    memcpy (out + 12, "\xbe\xde\0\2", 4);
    out[16] = (guint8)(id << 4 | 6);
    memcpy (out + 17, stamp, 7);
    head = 24;
  } else {
    memcpy (out + 12, "\x10\0\0\3", 4);
    out[16] = (guint8)id;
    out[17] = 7;
    memcpy (out + 18, stamp, 7);
    head = 28;
  }
  return head + PAYLOAD;
}

/* ---- Farstream's readers ---- */

/* FALSE: it would take the packet for one without a stamp, and send no feedback. */
static gboolean
farstream_reads_stamp (const Peer *peer, guint id, guint32 *rtt_us, guint32 *sent_at_us)
{
  GstBuffer *buffer = gst_buffer_new_memdup (peer->data, peer->size);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gpointer data;
  guint size;
  gboolean found;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  if (id <= 15)
    found = gst_rtp_buffer_get_extension_onebyte_header (&rtp, (guint8)id, 0, &data, &size);
  else
    found = gst_rtp_buffer_get_extension_twobytes_header (&rtp, NULL, (guint8)id, 0, &data, &size);
  found = found && size == 7;
  if (found) {
    *rtt_us = GST_READ_UINT24_BE (data);
    *sent_at_us = GST_READ_UINT32_BE ((guint8 *)data + 3);
  }
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
  return found;
}

/* Type 205, format 2, length 6, its SSRC, in a packet that is a compound. */
static gboolean
farstream_reads_report (const Peer *peer, guint32 media, guint8 report[28])
{
  GstBuffer *buffer = gst_buffer_new_memdup (peer->data, peer->size);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gboolean more = gst_rtcp_buffer_validate (buffer), found = FALSE;

  if (more) {
    gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp);
    for (more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet); more && !found;
         more = gst_rtcp_packet_move_to_next (&packet)) {
      found = gst_rtcp_packet_get_type (&packet) == GST_RTCP_TYPE_RTPFB &&
              (guint)gst_rtcp_packet_fb_get_type (&packet) == FB_TYPE_TFRC &&
              gst_rtcp_packet_get_length (&packet) == 6 && gst_rtcp_packet_fb_get_media_ssrc (&packet) == media;
      if (found)
        memcpy (report, rtcp.map.data + packet.offset, 28);
    }
    gst_rtcp_buffer_unmap (&rtcp);
  }
  gst_buffer_unref (buffer);
  return found;
}

/* ---- tfrcsink ---- */

typedef struct {
  GstHarness *h;
  GstElement *sink;
  Peer peer;
  guint16 seq;
} Sending;

static void
sending_open (Sending *s, guint extension_id)
{
  gchar *caps = g_strdup_printf (CAPS ", extmap-%u=(string)" URI, extension_id);

  memset (s, 0, sizeof *s);
  peer_open (&s->peer);
  s->sink = gst_element_factory_make ("tfrcsink", NULL);
  fail_unless (s->sink != NULL);
  g_object_set (s->sink, "host", "127.0.0.1", "port", s->peer.port, "sync", FALSE, "async", FALSE, NULL);
  s->h = gst_harness_new_with_element (s->sink, "sink", NULL);
  gst_harness_set_src_caps_str (s->h, caps);
  g_free (caps);
}

static void
sending_close (Sending *s)
{
  gst_harness_teardown (s->h);
  gst_object_unref (s->sink);
  peer_close (&s->peer);
}

/* One packet through the sink to the peer. */
static void
sending_send (Sending *s)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_seq (&rtp, s->seq++);
  gst_rtp_buffer_set_timestamp (&rtp, 3000u * s->seq);
  gst_rtp_buffer_set_ssrc (&rtp, SSRC);
  gst_rtp_buffer_set_marker (&rtp, TRUE);
  memset (gst_rtp_buffer_get_payload (&rtp), 0x55, PAYLOAD);
  gst_rtp_buffer_unmap (&rtp);
  fail_unless_equals_int (gst_harness_push (s->h, buffer), GST_FLOW_OK);
  fail_unless (peer_receive (&s->peer, FALSE, in_seconds (5)));
}

static const GValue *
stat_of (GstStructure *stats, const gchar *name)
{
  const GValue *value = gst_structure_get_value (stats, name);

  fail_unless (value != NULL, "no %s in stats", name);
  return value;
}

static guint64
sending_count (Sending *s, const gchar *name)
{
  GstStructure *stats;
  guint64 count;

  g_object_get (s->sink, "stats", &stats, NULL);
  count = g_value_get_uint64 (stat_of (stats, name));
  gst_structure_free (stats);
  return count;
}

static gboolean
sending_wait (Sending *s, const gchar *name, guint64 at_least)
{
  gint64 end = in_seconds (5);

  while (sending_count (s, name) < at_least && g_get_monotonic_time () < end)
    g_usleep (2000);
  return sending_count (s, name) >= at_least;
}

/* 12 bytes of RTP header; be de, 2 words; 3 << 4 | 7 - 1, 24 bits of 0: no round-trip time yet, then the time sent. */
GST_START_TEST (test_one_byte_form_is_read)
{
  static const guint8 head[8] = {0xbe, 0xde, 0, 2, 0x36, 0, 0, 0};
  guint32 rtt, sent_at;
  Sending s;

  sending_open (&s, 3);
  sending_send (&s);
  fail_unless_equals_int (s.peer.size, 12 + 12 + PAYLOAD);
  fail_unless_equals_int (s.peer.data[0], 0x90);
  fail_unless (memcmp (s.peer.data + 12, head, sizeof head) == 0);
  fail_unless (farstream_reads_stamp (&s.peer, 3, &rtt, &sent_at));
  fail_unless_equals_int (rtt, 0);
  fail_unless_equals_int (sent_at, GST_READ_UINT32_BE (s.peer.data + 20));
  fail_unless_equals_int (s.peer.data[24], 0x55);
  sending_close (&s);
}
GST_END_TEST;

/* 10 00, 3 words; 20, 7, the value, padding. Farstream takes this form for ids above 15. */
GST_START_TEST (test_two_byte_form_is_read)
{
  static const guint8 head[9] = {0x10, 0, 0, 3, 20, 7, 0, 0, 0}, padding[3] = {0};
  guint32 rtt, sent_at;
  Sending s;

  sending_open (&s, 20);
  sending_send (&s);
  fail_unless_equals_int (s.peer.size, 12 + 16 + PAYLOAD);
  fail_unless (memcmp (s.peer.data + 12, head, sizeof head) == 0);
  fail_unless (memcmp (s.peer.data + 25, padding, sizeof padding) == 0);
  fail_unless (farstream_reads_stamp (&s.peer, 20, &rtt, &sent_at));
  fail_unless_equals_int (rtt, 0);
  sending_close (&s);
}
GST_END_TEST;

/* Farstream's P = floor (p (2^32 - 1)) is read as P / 2^32: lower by P / (2^32 (2^32 - 1)) <= 2^-32, besides the
   2^-32 it loses by rounding down. */
GST_START_TEST (test_report_is_taken)
{
  const gdouble p = 0.05, unit = 1.0 / 4294967296.0;
  guint8 report[REPORT_END];
  guint32 rtt = 0, sent_at;
  GstStructure *stats;
  gint64 begun = g_get_monotonic_time (), ended;
  gdouble taken;
  guint64 R;
  Sending s;

  sending_open (&s, 3);
  sending_send (&s);
  fail_unless (farstream_reads_stamp (&s.peer, 3, &rtt, &sent_at));
  g_usleep (30000);
  farstream_report (report, SSRC, sent_at, 10000, 12345, p);
  peer_send (&s.peer, report, sizeof report);
  fail_unless (sending_wait (&s, "reports", 1));
  ended = g_get_monotonic_time ();
  g_object_get (s.sink, "stats", &stats, NULL);
  taken = g_value_get_double (stat_of (stats, "loss-event-rate"));
  R = g_value_get_uint64 (stat_of (stats, "rtt"));
  gst_structure_free (stats);
  fail_unless (taken <= p && taken >= p - 2 * unit, "%.12f", taken);
  /* 30 ms and more went by, 10 of which the receiver says it took */
  fail_unless (R >= 20 * GST_MSECOND && R <= (guint64)(ended - begun - 10000) * GST_USECOND);
  fail_unless_equals_uint64 (sending_count (&s, "bad-reports") + sending_count (&s, "bad-rtcp"), 0);
  sending_send (&s);
  fail_unless (farstream_reads_stamp (&s.peer, 3, &rtt, &sent_at));
  fail_unless_equals_int (rtt, R / GST_USECOND);
  sending_close (&s);
}
GST_END_TEST;

/* Farstream takes length 6 and nothing else, and its own SSRC only: so do we. */
GST_START_TEST (test_what_is_no_report)
{
  guint8 report[REPORT_END + 4] = {0};
  guint32 rtt, sent_at;
  Sending s;

  sending_open (&s, 3);
  sending_send (&s);
  fail_unless (farstream_reads_stamp (&s.peer, 3, &rtt, &sent_at));
  farstream_report (report, SSRC, sent_at, 0, 1000, 0);
  report[REPORT_AT + 3] = 7;
  peer_send (&s.peer, report, REPORT_END + 4);
  report[REPORT_AT + 3] = 5;
  peer_send (&s.peer, report, REPORT_END - 4);
  report[REPORT_AT + 3] = 6;
  report[REPORT_AT] = 0x81;
  peer_send (&s.peer, report, REPORT_END);
  farstream_report (report, SSRC + 1, sent_at, 0, 1000, 0);
  peer_send (&s.peer, report, REPORT_END);
  fail_unless (sending_wait (&s, "rtcp-received", 4));
  fail_unless_equals_uint64 (sending_count (&s, "reports"), 0);
  fail_unless_equals_uint64 (sending_count (&s, "unknown-ssrc"), 1);
  fail_unless_equals_uint64 (sending_count (&s, "rtt"), 0);
  farstream_report (report, SSRC, sent_at, 0, 1000, 0);
  peer_send (&s.peer, report, REPORT_END);
  fail_unless (sending_wait (&s, "reports", 1));
  sending_close (&s);
}
GST_END_TEST;

/* ---- tfrcsrc ---- */

#define PERIOD_US 10000
#define RTT_US 200000
#define PACKETS 2000

typedef struct {
  GstElement *pipeline, *src;
  Peer peer;
  guint id, lose_one_of; /* 0: none */
  guint32 base_us;       /* packet n says it was sent at base + n ms */
  guint16 seq;
  gint64 started_at, sent_at[PACKETS];
} Receiving;

static void
receiving_open (Receiving *r, guint extension_id, guint32 base_us)
{
  gchar *description = g_strdup_printf ("tfrcsrc name=src address=127.0.0.1 port=0 latency=0 caps=\"" CAPS
                                        ", extmap-%u=(string)" URI "\" ! fakesink sync=false async=false",
      extension_id);
  gint port;

  memset (r, 0, sizeof *r);
  r->id = extension_id;
  r->base_us = base_us;
  r->pipeline = gst_parse_launch (description, NULL);
  fail_unless (r->pipeline != NULL);
  g_free (description);
  gst_element_set_state (r->pipeline, GST_STATE_PLAYING);
  r->src = gst_bin_get_by_name (GST_BIN (r->pipeline), "src");
  g_object_get (r->src, "port", &port, NULL);
  peer_open (&r->peer);
  r->peer.other = g_inet_socket_address_new_from_string ("127.0.0.1", (guint)port);
  r->started_at = g_get_monotonic_time ();
}

static void
receiving_close (Receiving *r)
{
  gst_element_set_state (r->pipeline, GST_STATE_NULL);
  gst_object_unref (r->src);
  gst_object_unref (r->pipeline);
  peer_close (&r->peer);
}

typedef struct {
  guint echo; /* sequence number of the packet whose send time it has */
  guint32 t_delay_us, X_recv;
  gdouble p;
  gint64 age_us; /* since that packet was sent */
} Report;

static void
report_parse (const Receiving *r, const guint8 bytes[28], Report *report)
{
  static const guint8 head[4] = {0x82, 205, 0, 6};
  guint32 echoed_us = GST_READ_UINT32_BE (bytes + 12) - r->base_us;

  fail_unless (memcmp (bytes, head, 4) == 0);
  fail_unless (GST_READ_UINT32_BE (bytes + 4) != 0 && GST_READ_UINT32_BE (bytes + 4) != PEER_SSRC);
  fail_unless (echoed_us % 1000 == 0 && echoed_us / 1000 < r->seq, "echo %u us of %u packets", echoed_us, r->seq);
  report->echo = echoed_us / 1000;
  report->t_delay_us = GST_READ_UINT32_BE (bytes + 16);
  report->X_recv = GST_READ_UINT32_BE (bytes + 20);
  report->p = GST_READ_UINT32_BE (bytes + 24) / (gdouble)G_MAXUINT;
  report->age_us = g_get_monotonic_time () - r->sent_at[report->echo];
}

static void
receiving_send (Receiving *r)
{
  guint8 packet[32 + PAYLOAD];

  fail_unless (r->seq + 1 < PACKETS);
  r->sent_at[r->seq] = g_get_monotonic_time ();
  peer_send (&r->peer, packet, farstream_packet (packet, r->id, r->seq, RTT_US, r->base_us + 1000u * r->seq));
  r->seq++;
  if (r->lose_one_of != 0 && r->seq % r->lose_one_of == 0)
    r->seq++;
}

/* Sends on until a report comes that Farstream reads. */
static void
receiving_run (Receiving *r, Report *report)
{
  guint8 bytes[28];

  for (;;) {
    gint64 next = r->started_at + r->seq * (gint64)PERIOD_US;

    fail_unless (g_get_monotonic_time () < r->started_at + 15 * G_USEC_PER_SEC, "no report that Farstream reads");
    while (peer_receive (&r->peer, TRUE, next))
      if (farstream_reads_report (&r->peer, PEER_SSRC, bytes)) {
        report_parse (r, bytes, report);
        return;
      }
    receiving_send (r);
  }
}

/* Half a second of packets of `size` bytes, 100 a second, then reports on them. The window is a round-trip time, 200 ms
   of 20 packets. t_delay is at most the 10 ms between two packets, unless the machine stalls; the peer sees the same
   time, and the way of the packets besides. */
static void
check_reports (guint extension_id, guint32 base_us, guint size)
{
  const gdouble X = size * 1e6 / PERIOD_US;
  guint32 longest_us = 0;
  Report report;
  Receiving r;
  guint i;

  receiving_open (&r, extension_id, base_us);
  do
    receiving_run (&r, &report);
  while (report.echo < 50);
  for (i = 0; i < 4; i++) {
    receiving_run (&r, &report);
    fail_unless (report.X_recv > 0.5 * X && report.X_recv < 2 * X, "%u for %.0f bytes/s", report.X_recv, X);
    fail_unless (report.t_delay_us <= report.age_us);
    fail_unless (report.age_us - report.t_delay_us < 200000);
    fail_unless (report.p == 0);
    longest_us = MAX (longest_us, report.t_delay_us);
  }
  fail_unless (longest_us > PERIOD_US / 10, "t_delay is %u us at most", longest_us);
  receiving_close (&r);
}

GST_START_TEST (test_reports_on_one_byte_form)
{
  check_reports (3, 0xffffd000, 24 + PAYLOAD); /* wraps on the way */
}
GST_END_TEST;

GST_START_TEST (test_reports_on_two_byte_form)
{
  check_reports (20, 0x12345678, 28 + PAYLOAD);
}
GST_END_TEST;

/* Where one in 10 is lost, and losses within 200 ms of 20 packets make one event, an interval has 20 to 30 packets; the
   first, made up from the receive rate, may be longer. */
GST_START_TEST (test_reports_of_loss)
{
  Report report;
  Receiving r;

  receiving_open (&r, 3, 0);
  r.lose_one_of = 10;
  do
    receiving_run (&r, &report);
  while (report.echo < 200);
  fail_unless (report.p > 1.0 / 80 && report.p < 1.0 / 12, "p = %f", report.p);
  receiving_close (&r);
}
GST_END_TEST;

static Suite *
wire_suite (void)
{
  Suite *suite = suite_create ("wire");
  TCase *tcase = tcase_create ("wire");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_one_byte_form_is_read);
  tcase_add_test (tcase, test_two_byte_form_is_read);
  tcase_add_test (tcase, test_report_is_taken);
  tcase_add_test (tcase, test_what_is_no_report);
  tcase_add_test (tcase, test_reports_on_one_byte_form);
  tcase_add_test (tcase, test_reports_on_two_byte_form);
  tcase_add_test (tcase, test_reports_of_loss);
  return suite;
}

GST_CHECK_MAIN (wire);
