/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink against a receiver on the loopback device that tells of every packet (RFC 8888 or TWCC) and knows no TFRC.
 */
#include "gstccextension.h"
#include "rtpextension.h"
#include "tfrctest.h"

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
  Flow flow;
  ArrivalHistory by_seq, by_number;
  guint8 fb_pkt_count;
  guint packets, bad_numbers;
  guint16 number; /* expected next */
  GstClockTime reported_at;
} Fixture;

static void
setup (Fixture *f, const gchar *caps, guint twcc_id)
{
  memset (f, 0, sizeof *f);
  arrival_history_init (&f->by_seq, 16);
  arrival_history_init (&f->by_number, 0);
  flow_open (&f->flow, caps, "twcc-extension-id", twcc_id, "start-bitrate", START, NULL);
}

static guint64
stat (Fixture *f, const gchar *name)
{
  return stat_of (f->flow.sink, name);
}

static gchar *
limit (Fixture *f)
{
  GstStructure *stats = stats_of (f->flow.sink);
  gchar *name;

  name = g_strdup (gst_structure_get_string (stats, "limit"));
  gst_structure_free (stats);
  return name;
}

/* A reading from before the packet was taken may be from before it left, where the host was held up in between. */
static GstClockTime
time_now (void)
{
  return (GstClockTime)g_get_monotonic_time () * 1000;
}

static void
take_rtp (Fixture *f, const guint8 *data, gsize size)
{
  GstClockTime now = time_now ();
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
receive (Fixture *f)
{
  Peer *peer = &f->flow.peer;

  while (peer_receive (peer, 0))
    if (!rtcp_is_rtcp (peer->data, peer->size))
      take_rtp (f, peer->data, peer->size);
}

static guint32
middle_of_ntp (GstClockTime now)
{
  return (guint32)gst_util_uint64_scale (now, 65536, GST_SECOND);
}

static void
report (Fixture *f, gboolean twcc, guint32 ssrc)
{
  GstClockTime now = time_now ();
  RtcpCcfbStream stream = {ssrc, &f->by_seq};
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  gboolean added;

  added = twcc ? rtcp_add_twcc (&rtcp, PEER_SSRC, ssrc, &f->by_number, &f->fb_pkt_count)
               : rtcp_add_ccfb (&rtcp, PEER_SSRC, &stream, 1, now, middle_of_ntp (now));
  gst_cc_rtcp_close (&rtcp, buffer);
  if (added)
    peer_send (&f->flow.peer, buffer);
  else
    gst_buffer_unref (buffer);
  f->reported_at = now;
}

/* Frames at 50 per second that use what is allowed. */
static void
converse (Fixture *f, gboolean twcc, guint frames)
{
  gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < frames; i++) {
    flow_push_frame (&f->flow, SSRC, MAX (1, bitrate_of (f->flow.sink) / 50 / 8 / (PAYLOAD + 24 + OVERHEAD)), PAYLOAD);
    while (g_get_monotonic_time () < start + (i + 1) * 20000) {
      receive (f);
      if (f->flow.peer.sender != NULL && time_now () >= f->reported_at + REPORT_INTERVAL)
        report (f, twcc, SSRC);
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
  for (guint seconds = 0; seconds < 10 && (seconds < 2 || bitrate_of (f.flow.sink) <= RISEN); seconds++)
    converse (&f, twcc, 50);
  fail_unless (stat (&f, "packet-reports") >= 20, "%" G_GUINT64_FORMAT " reports", stat (&f, "packet-reports"));
  fail_unless_equals_uint64 (stat (&f, "packet-reports-refused"), 0);
  fail_unless_equals_uint64 (stat (&f, "bad-reports") + stat (&f, "bad-rtcp") + stat (&f, "unknown-ssrc"), 0);
  fail_unless (stat (&f, "rtt") > 0 && stat (&f, "rtt") < 100 * GST_MSECOND);
  name = limit (&f);
  fail_if (g_str_equal (name, "no-feedback") || g_str_equal (name, "start") || g_str_equal (name, "min"), "%s", name);
  g_free (name);
  fail_unless (bitrate_of (f.flow.sink) > RISEN, "%u bit/s", bitrate_of (f.flow.sink));
  fail_unless_equals_int (f.bad_numbers, 0);
  fail_unless_equals_int (f.number, twcc ? f.packets : 0);
  flow_close (&f.flow);
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
  flow_push_frame (&f.flow, SSRC, 10, PAYLOAD);
  for (guint i = 0; i < 100 && f.packets < 10; i++) {
    g_usleep (5000);
    receive (&f);
  }
  fail_unless_equals_int (f.packets, 10);
  report (&f, FALSE, SSRC + 1);
  for (guint16 i = 0; i < 10; i++)
    arrival_history_on_packet (&f.by_number, i, ARRIVAL_NOT_ECT, time_now ());
  report (&f, TRUE, SSRC);
  for (guint i = 0; i < 200 && stat (&f, "rtcp-received") < 2; i++)
    g_usleep (5000);
  fail_unless_equals_uint64 (stat (&f, "rtcp-received"), 2);
  fail_unless_equals_uint64 (stat (&f, "unknown-ssrc"), 1);
  fail_unless_equals_uint64 (stat (&f, "packet-reports"), 0);
  flow_close (&f.flow);
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
