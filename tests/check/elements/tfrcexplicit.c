/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink and explicit rates: it asks routers for one in its packets, and follows what comes back over RTCP, true or
   not. The receiver is a socket on the loopback device. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gio/gio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/gstrtpbuffer.h>

#include <math.h>

#include "erfextension.h"
#include "gstccextension.h"
#include "gstccrtcp.h"
#include "rtpextension.h"

#define SSRC 0x12345678u
#define RECEIVER 0x87654321u
#define ROUTER 0x0badcafeu
#define CAPS                                                                                                           \
  "application/x-rtp, media=(string)video, clock-rate=(int)90000, encoding-name=(string)X-TEST, payload=(int)96"
#define RATE_ID 10
#define STAMP_ID 9
#define TWCC_ID 5
#define PAYLOAD 500
#define START 800000
#define LEAST 50000

typedef struct {
  GstHarness *h;
  GSocket *socket;
  GSocketAddress *sender; /* NULL: nothing came yet */
  guint16 seq;
  guint32 timestamp;
  guint packets;

  guint8 data[2000]; /* the last packet */
  gsize size;
} Fixture;

static void
setup (Fixture *f, const gchar *caps, guint rate_id, guint twcc_id)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string ("127.0.0.1", 0), *bound;
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);

  memset (f, 0, sizeof *f);
  f->socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  fail_unless (g_socket_bind (f->socket, address, FALSE, NULL));
  g_socket_set_blocking (f->socket, FALSE);
  bound = g_socket_get_local_address (f->socket, NULL);
  g_object_set (sink, "sync", FALSE, "async", FALSE, "host", "127.0.0.1", "port",
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound)), "explicit-rate-extension-id", rate_id,
      "twcc-extension-id", twcc_id, "start-bitrate", START, "min-bitrate", LEAST, NULL);
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

/* Until that many packets are here, or a second is over. */
static void
receive (Fixture *f, guint packets)
{
  gint64 end = g_get_monotonic_time () + G_USEC_PER_SEC;

  while (f->packets < packets && g_get_monotonic_time () < end) {
    guint8 data[2000];
    GSocketAddress *from = NULL;
    gssize size = g_socket_receive_from (f->socket, &from, (gchar *)data, sizeof data, NULL, NULL);

    if (size <= 0) {
      g_usleep (200);
      continue;
    }
    g_clear_object (&f->sender);
    f->sender = from;
    if (gst_cc_rtcp_is_rtcp (data, (gsize)size))
      continue;
    f->packets++;
    memcpy (f->data, data, (gsize)size);
    f->size = (gsize)size;
  }
  fail_unless (f->packets >= packets, "%u packets", f->packets);
}

/* Of the last packet received. */
static gboolean
find_element (Fixture *f, guint8 id, gsize size, guint8 *out)
{
  GstBuffer *buffer = gst_buffer_new_memdup (f->data, f->size);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gpointer data;
  guint found_size;
  gboolean found;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  fail_unless_equals_int (gst_rtp_buffer_get_payload_len (&rtp), PAYLOAD);
  found = gst_rtp_buffer_get_extension_onebyte_header (&rtp, id, 0, &data, &found_size);
  if (found) {
    fail_unless_equals_int (found_size, size);
    memcpy (out, data, size);
  }
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
  return found;
}

static guint64
stat (Fixture *f, const gchar *name)
{
  GstStructure *stats;
  guint64 value = 0;
  guint small;

  g_object_get (f->h->element, "stats", &stats, NULL);
  if (gst_structure_get_uint (stats, name, &small))
    value = small;
  else
    fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s in stats", name);
  gst_structure_free (stats);
  return value;
}

static guint
bitrate (Fixture *f)
{
  guint rate;

  g_object_get (f->h->element, "estimated-bitrate", &rate, NULL);
  return rate;
}

static void
send_path (Fixture *f, guint32 from, guint32 media, RtcpPathKind kind, guint32 hop, guint64 bps)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (GST_CC_RTCP_MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  RtcpPath path = {.kind = kind, .hop = hop, .rate_bps = bps};
  guint8 data[GST_CC_RTCP_MTU];
  gsize size;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_cc_rtcp_add_path (&rtcp, from, media, &path);
  gst_rtcp_buffer_unmap (&rtcp);
  size = gst_buffer_extract (buffer, 0, data, sizeof data);
  fail_unless (g_socket_send_to (f->socket, f->sender, (const gchar *)data, size, NULL, NULL) == (gssize)size);
  gst_buffer_unref (buffer);
}

static void
send_remb (Fixture *f, guint32 from, guint64 bps)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (GST_CC_RTCP_MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  RtcpRemb remb = {.bitrate_bps = bps, .n_ssrcs = 1, .ssrcs = {SSRC}};
  guint8 data[GST_CC_RTCP_MTU];
  gsize size;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_cc_rtcp_add_remb (&rtcp, from, &remb);
  gst_rtcp_buffer_unmap (&rtcp);
  size = gst_buffer_extract (buffer, 0, data, sizeof data);
  fail_unless (g_socket_send_to (f->socket, f->sender, (const gchar *)data, size, NULL, NULL) == (gssize)size);
  gst_buffer_unref (buffer);
}

/* Until the rate is within 2 %, or two seconds are over. */
static void
expect_rate (Fixture *f, double expected)
{
  guint i;

  for (i = 0; i < 400 && fabs (bitrate (f) - expected) > 0.02 * expected; i++)
    g_usleep (5000);
  fail_unless (fabs (bitrate (f) - expected) <= 0.02 * expected, "%u, not %.0f", bitrate (f), expected);
}

/* Asked for beside the send time and, if that is wanted, the transport-wide number. */
GST_START_TEST (test_asks)
{
  guint8 data[8];
  ErfExtension value;
  guint twcc;

  for (twcc = 0; twcc <= TWCC_ID; twcc += TWCC_ID) {
    Fixture f;

    setup (&f, CAPS, RATE_ID, twcc);
    push_frame (&f, 3);
    receive (&f, 3);
    fail_unless (find_element (&f, RATE_ID, ERF_EXTENSION_SIZE, data));
    fail_unless (erf_extension_parse (data, ERF_EXTENSION_SIZE, &value));
    fail_if (value.set);
    fail_unless (find_element (&f, STAMP_ID, RTP_EXT_RTT_SENDTS_SIZE, data));
    fail_unless_equals_int (find_element (&f, TWCC_ID, RTP_EXT_TWCC_SIZE, data), twcc != 0);
    /* 12 fixed, 4 of head, 1 + 7, 1 + 6 and 1 + 2 or none; in words */
    fail_unless_equals_int (f.size, PAYLOAD + 12 + 4 + (twcc != 0 ? 20 : 16));
    teardown (&f);
  }
}

GST_END_TEST

GST_START_TEST (test_does_not_ask)
{
  guint8 data[8];
  Fixture f;

  setup (&f, CAPS, 0, 0);
  push_frame (&f, 1);
  receive (&f, 1);
  fail_if (find_element (&f, RATE_ID, ERF_EXTENSION_SIZE, data));
  teardown (&f);
}

GST_END_TEST

GST_START_TEST (test_id_from_caps)
{
  guint8 data[8];
  Fixture f;

  setup (&f, CAPS ", extmap-3=(string)" ERF_EXTENSION_URI, 0, 0);
  push_frame (&f, 1);
  receive (&f, 1);
  fail_unless (find_element (&f, 3, ERF_EXTENSION_SIZE, data));
  teardown (&f);
}

GST_END_TEST

/* The start rate is what the first rate says: downwards at once, upwards as far as the receiver confirms. */
GST_START_TEST (test_first_rate_is_the_start)
{
  Fixture f;

  setup (&f, CAPS, RATE_ID, 0);
  push_frame (&f, 6);
  receive (&f, 6);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 7, 200000);
  expect_rate (&f, 200000);
  fail_unless_equals_uint64 (stat (&f, "explicit-rate"), 200000);
  fail_unless_equals_uint64 (stat (&f, "explicit-hop"), 7);
  teardown (&f);

  setup (&f, CAPS, RATE_ID, 0);
  push_frame (&f, 6);
  receive (&f, 6);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 7, 4000000);
  send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 5000000);
  expect_rate (&f, 4000000);
  teardown (&f);
}

GST_END_TEST

/* The least of two routers, a third one's REMB and the receiver's own finding; ECF is told as a rate. */
GST_START_TEST (test_least_counts)
{
  Fixture f;

  setup (&f, CAPS, RATE_ID, 0);
  push_frame (&f, 6);
  receive (&f, 6);
  send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 700000);
  expect_rate (&f, 700000);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 1, 500000);
  send_path (&f, ROUTER + 1, SSRC, RTCP_PATH_ECF, 2, 400000);
  expect_rate (&f, 400000);
  send_path (&f, ROUTER + 1, SSRC, RTCP_PATH_ECF, 2, 600000);
  expect_rate (&f, 500000);
  send_remb (&f, ROUTER + 2, 300000);
  expect_rate (&f, 300000);
  send_remb (&f, ROUTER + 2, 1000000);
  send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 100000);
  expect_rate (&f, 100000);
  fail_unless_equals_uint64 (stat (&f, "explicit-rates"), 3);
  teardown (&f);
}

GST_END_TEST

/* A router that falls silent is forgotten after 2 s. */
GST_START_TEST (test_stale_rate_expires)
{
  Fixture f;
  guint i;

  setup (&f, CAPS, RATE_ID, 0);
  push_frame (&f, 6);
  receive (&f, 6);
  send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 700000);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 1, 300000);
  expect_rate (&f, 300000);
  /* 700 kb/s, once they have been tried */
  for (i = 0; i < 400 && bitrate (&f) < 690000; i++) {
    g_usleep (20000);
    push_frame (&f, 2 + bitrate (&f) / 50 / 8 / 552);
    send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 700000);
  }
  fail_unless (bitrate (&f) >= 690000 && bitrate (&f) <= 710000, "%u", bitrate (&f));
  fail_unless (i >= 50, "after %u", i);
  fail_unless_equals_uint64 (stat (&f, "explicit-rate"), 0);
  teardown (&f);
}

GST_END_TEST

/* Nothing of it starves or inflates: 0 and what is about somebody else is ignored, 1 bit/s meets the floor, and no
   amount of rates of 1e12 lifts it above what the receiver finds, or hides the least. */
GST_START_TEST (test_absurd_rates)
{
  Fixture f;
  guint i;

  setup (&f, CAPS, RATE_ID, 0);
  push_frame (&f, 6);
  receive (&f, 6);
  send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 700000);
  expect_rate (&f, 700000);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 1, 0);
  send_path (&f, ROUTER, SSRC + 1, RTCP_PATH_ERF, 1, 60000);
  for (i = 0; i < 200; i++)
    send_path (&f, ROUTER + i, SSRC, RTCP_PATH_ERF, i, i % 2 ? G_GUINT64_CONSTANT (1000000000000) : G_MAXUINT64);
  for (i = 0; i < 200 && stat (&f, "rtcp-received") < 203; i++)
    g_usleep (5000);
  fail_unless (stat (&f, "rtcp-received") >= 150); /* the socket may have dropped some */
  expect_rate (&f, 700000);
  fail_unless (stat (&f, "bad-reports") >= 1);
  fail_unless_equals_uint64 (stat (&f, "unknown-ssrc"), 1);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 1, 1);
  expect_rate (&f, LEAST);
  for (i = 0; i < 200; i++)
    send_path (&f, ROUTER + 1000 + i, SSRC, RTCP_PATH_ERF, i, 600000);
  g_usleep (100000);
  expect_rate (&f, LEAST);
  teardown (&f);
}

GST_END_TEST

static Suite *
tfrcexplicit_suite (void)
{
  Suite *suite = suite_create ("tfrcexplicit");
  TCase *tcase = tcase_create ("tfrcexplicit");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_asks);
  tcase_add_test (tcase, test_does_not_ask);
  tcase_add_test (tcase, test_id_from_caps);
  tcase_add_test (tcase, test_first_rate_is_the_start);
  tcase_add_test (tcase, test_least_counts);
  tcase_add_test (tcase, test_stale_rate_expires);
  tcase_add_test (tcase, test_absurd_rates);
  return suite;
}

GST_CHECK_MAIN (tfrcexplicit);
