/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink against a receiver on the loopback device that tells of every packet (RFC 8888 or TWCC) and knows no TFRC.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/gstrtpbuffer.h>

#include "gstccextension.h"
#include "gstccrtcp.h"
#include "rtpextension.h"

#define SSRC 0x12345678u
#define PEER_SSRC 0x87654321u
#define CAPS                                                                                                           \
  "application/x-rtp, media=(string)video, clock-rate=(int)90000, encoding-name=(string)X-TEST, payload=(int)96"
#define TWCC_ID 5
#define STAMP_ID 9
#define PAYLOAD 500
#define START 800000 /* bit/s */
#define RISEN 1200000
#define OVERHEAD 28
#define REPORT_INTERVAL (50 * GST_MSECOND)

typedef struct {
  GstHarness *h;
  GSocket *socket;
  GSocketAddress *sender;
  ArrivalHistory by_seq, by_number;
  guint16 seq;
  guint32 timestamp;
  guint8 fb_pkt_count;
  guint packets, bad_numbers;
  guint16 number; /* expected next */
  GstClockTime reported_at;
} Fixture;

static void
setup (Fixture *f, const gchar *caps, guint twcc_id)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string ("127.0.0.1", 0), *bound;
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);

  memset (f, 0, sizeof *f);
  arrival_history_init (&f->by_seq, 16);
  arrival_history_init (&f->by_number, 0);
  f->socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  fail_unless (g_socket_bind (f->socket, address, FALSE, NULL));
  g_socket_set_blocking (f->socket, FALSE);
  bound = g_socket_get_local_address (f->socket, NULL);
  g_object_set (sink, "sync", FALSE, "async", FALSE, "host", "127.0.0.1", "port",
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)), "twcc-extension-id", twcc_id, "start-bitrate",
      START, NULL);
  f->h = gst_harness_new_with_element (sink, "sink", NULL);
  gst_harness_set_src_caps_str (f->h, caps);
  gst_object_unref (sink);
  g_object_unref (bound);
  g_object_unref (address);
}

static void
teardown (Fixture *f)
{
  gst_harness_teardown (f->h);
  g_clear_object (&f->sender);
  g_object_unref (f->socket);
}

static guint64
stat (Fixture *f, const gchar *name)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (f->h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s in stats", name);
  gst_structure_free (stats);
  return value;
}

static gchar *
limit (Fixture *f)
{
  GstStructure *stats;
  gchar *name;

  g_object_get (f->h->element, "stats", &stats, NULL);
  name = g_strdup (gst_structure_get_string (stats, "limit"));
  gst_structure_free (stats);
  return name;
}

static void
push_frame (Fixture *f, guint packets)
{
  for (guint i = 0; i < packets; i++) {
    GstBuffer *buffer = gst_rtp_buffer_new_allocate (PAYLOAD, 0, 0);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
    gst_rtp_buffer_set_payload_type (&rtp, 96);
    gst_rtp_buffer_set_seq (&rtp, f->seq++);
    gst_rtp_buffer_set_timestamp (&rtp, f->timestamp);
    gst_rtp_buffer_set_ssrc (&rtp, SSRC);
    gst_rtp_buffer_set_marker (&rtp, i + 1 == packets);
    gst_rtp_buffer_unmap (&rtp);
    fail_unless_equals_int (gst_harness_push (f->h, buffer), GST_FLOW_OK);
  }
  f->timestamp += 1800;
}

static void
take_rtp (Fixture *f, const guint8 *data, gsize size, GstClockTime now)
{
  GstBuffer *buffer = gst_buffer_new_memdup (data, size);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gpointer element;
  guint element_size;
  guint16 number = 0;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  fail_unless_equals_int (gst_rtp_buffer_get_payload_len (&rtp), PAYLOAD);
  arrival_history_on_packet (&f->by_seq, gst_rtp_buffer_get_seq (&rtp), ARRIVAL_NOT_ECT, now);
  fail_unless (gst_rtp_buffer_get_extension_onebyte_header (&rtp, STAMP_ID, 0, &element, &element_size));
  fail_unless_equals_int (element_size, RTP_EXT_RTT_SENDTS_SIZE);
  if (gst_rtp_buffer_get_extension_onebyte_header (&rtp, TWCC_ID, 0, &element, &element_size)) {
    fail_unless (rtp_ext_twcc_parse (element, element_size, &number));
    f->bad_numbers += number != f->number++;
    arrival_history_on_packet (&f->by_number, number, ARRIVAL_NOT_ECT, now);
  }
  f->packets++;
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
}

static void
receive (Fixture *f, GstClockTime now)
{
  guint8 data[2000];
  gssize size;

  for (;;) {
    GSocketAddress *from = NULL;

    size = g_socket_receive_from (f->socket, &from, (gchar *)data, sizeof data, NULL, NULL);
    if (size <= 0)
      return;
    g_clear_object (&f->sender);
    f->sender = from;
    if (!gst_cc_rtcp_is_rtcp (data, (gsize)size))
      take_rtp (f, data, (gsize)size, now);
  }
}

static guint32
middle_of_ntp (GstClockTime now)
{
  return (guint32)gst_util_uint64_scale (now, 65536, GST_SECOND);
}

static void
report (Fixture *f, gboolean twcc, guint32 ssrc, GstClockTime now)
{
  GstCcCcfbStream stream = {ssrc, &f->by_seq};
  GstBuffer *buffer = gst_rtcp_buffer_new (GST_CC_RTCP_MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  guint8 data[GST_CC_RTCP_MTU];
  gboolean added;
  gsize size;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  added = twcc ? gst_cc_rtcp_add_twcc (&rtcp, PEER_SSRC, ssrc, &f->by_number, &f->fb_pkt_count)
               : gst_cc_rtcp_add_ccfb (&rtcp, PEER_SSRC, &stream, 1, now, middle_of_ntp (now));
  gst_rtcp_buffer_unmap (&rtcp);
  size = gst_buffer_extract (buffer, 0, data, sizeof data);
  if (added)
    fail_unless (g_socket_send_to (f->socket, f->sender, (const gchar *)data, size, NULL, NULL) == (gssize)size);
  gst_buffer_unref (buffer);
  f->reported_at = now;
}

static guint
estimated_bitrate (Fixture *f)
{
  guint bitrate;

  g_object_get (f->h->element, "estimated-bitrate", &bitrate, NULL);
  return bitrate;
}

/* Frames at 50 per second that use what is allowed. */
static void
converse (Fixture *f, gboolean twcc, guint frames)
{
  gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < frames; i++) {
    push_frame (f, MAX (1, estimated_bitrate (f) / 50 / 8 / (PAYLOAD + 24 + OVERHEAD)));
    while (g_get_monotonic_time () < start + (i + 1) * 20000) {
      GstClockTime now = (GstClockTime)g_get_monotonic_time () * 1000;

      receive (f, now);
      if (f->sender != NULL && now >= f->reported_at + REPORT_INTERVAL)
        report (f, twcc, SSRC, now);
      g_usleep (500);
    }
  }
}

/* No report would mean the start rate, halved every 2 s. A host that is held up may take a few seconds to rise. */
static void
expect_steering (gboolean twcc, const gchar *caps, guint twcc_id)
{
  Fixture f;
  gchar *name;

  setup (&f, caps, twcc_id);
  for (guint seconds = 0; seconds < 10 && (seconds < 2 || estimated_bitrate (&f) <= RISEN); seconds++)
    converse (&f, twcc, 50);
  fail_unless (stat (&f, "packet-reports") >= 20, "%" G_GUINT64_FORMAT " reports", stat (&f, "packet-reports"));
  fail_unless_equals_uint64 (stat (&f, "packet-reports-refused"), 0);
  fail_unless_equals_uint64 (stat (&f, "bad-reports") + stat (&f, "bad-rtcp") + stat (&f, "unknown-ssrc"), 0);
  fail_unless (stat (&f, "rtt") > 0 && stat (&f, "rtt") < 100 * GST_MSECOND);
  name = limit (&f);
  fail_if (g_str_equal (name, "no-feedback") || g_str_equal (name, "start") || g_str_equal (name, "min"), "%s", name);
  g_free (name);
  fail_unless (estimated_bitrate (&f) > RISEN, "%u bit/s", estimated_bitrate (&f));
  fail_unless_equals_int (f.bad_numbers, 0);
  fail_unless_equals_int (f.number, twcc ? f.packets : 0);
  teardown (&f);
}

GST_START_TEST (test_ccfb_steers)
{
  expect_steering (FALSE, CAPS, 0);
}

GST_END_TEST

GST_START_TEST (test_twcc_steers)
{
  expect_steering (TRUE, CAPS, TWCC_ID);
}

GST_END_TEST

GST_START_TEST (test_twcc_id_from_caps)
{
  expect_steering (TRUE, CAPS ", extmap-5=(string)" GST_CC_TWCC_URI, 0);
}

GST_END_TEST

/* Reports on another SSRC, and TWCC where packets carry no numbers. */
GST_START_TEST (test_reports_on_nothing)
{
  Fixture f;

  setup (&f, CAPS, 0);
  push_frame (&f, 10);
  for (guint i = 0; i < 100 && f.packets < 10; i++) {
    g_usleep (5000);
    receive (&f, (GstClockTime)g_get_monotonic_time () * 1000);
  }
  fail_unless_equals_int (f.packets, 10);
  report (&f, FALSE, SSRC + 1, (GstClockTime)g_get_monotonic_time () * 1000);
  for (guint16 i = 0; i < 10; i++)
    arrival_history_on_packet (&f.by_number, i, ARRIVAL_NOT_ECT, (GstClockTime)g_get_monotonic_time () * 1000);
  report (&f, TRUE, SSRC, (GstClockTime)g_get_monotonic_time () * 1000);
  for (guint i = 0; i < 200 && stat (&f, "rtcp-received") < 2; i++)
    g_usleep (5000);
  fail_unless_equals_uint64 (stat (&f, "rtcp-received"), 2);
  fail_unless_equals_uint64 (stat (&f, "unknown-ssrc"), 1);
  fail_unless_equals_uint64 (stat (&f, "packet-reports"), 0);
  teardown (&f);
}

GST_END_TEST

static Suite *
tfrcreports_suite (void)
{
  Suite *suite = suite_create ("tfrcreports");
  TCase *tcase = tcase_create ("tfrcreports");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_ccfb_steers);
  tcase_add_test (tcase, test_twcc_steers);
  tcase_add_test (tcase, test_twcc_id_from_caps);
  tcase_add_test (tcase, test_reports_on_nothing);
  return suite;
}

GST_CHECK_MAIN (tfrcreports);
