/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink and explicit rates: it asks routers for one in its packets, and follows what comes back over RTCP, true or
   not. The receiver is a socket on the loopback device. */
#include "erfextension.h"
#include "gstccextension.h"
#include "rtpextension.h"
#include "tfrctest.h"

#include <math.h>

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

typedef Flow Fixture;

static void
setup (Fixture *f, const gchar *caps, guint rate_id, guint twcc_id)
{
  flow_open (f, caps, "explicit-rate-extension-id", rate_id, "twcc-extension-id", twcc_id, "start-bitrate", START,
      "min-bitrate", LEAST, NULL);
}

static void
converse (Fixture *f, guint packets)
{
  flow_push_frame (f, SSRC, packets, PAYLOAD);
  while (packets-- > 0)
    fail_unless (peer_receive_rtp (&f->peer, 1000));
}

/* Of the last packet received. */
static gboolean
find_element (Fixture *f, guint8 id, gsize size, guint8 *out)
{
  GstBuffer *buffer = gst_buffer_new_memdup (f->peer.data, f->peer.size);
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

/* From another address than the receiver's, towards the sink. */
static void
router_open (Fixture *f, Peer *router)
{
  peer_open (router);
  router->sender = g_object_ref (f->peer.sender);
}

static void
allow (Fixture *f, const Peer *router)
{
  gchar *text = g_strdup_printf ("10.0.0.0/8, 127.0.0.1:%u", router->port);

  g_object_set (f->sink, "rate-sources", text, NULL);
  g_free (text);
}

typedef struct {
  guint32 from, media; /* media 0: SSRC */
  const RtcpPath *path;
  guint64 remb_bps, tmmbr_bps;
  gboolean pli, bye;
} Tells;

static void
tell (Peer *peer, const Tells *t)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  guint32 media = t->media != 0 ? t->media : SSRC;

  if (t->path != NULL)
    rtcp_add_path (&rtcp, t->from, media, t->path);
  if (t->remb_bps > 0)
    rtcp_add_remb (&rtcp, t->from, &(RtcpRemb){.bitrate_bps = t->remb_bps, .n_ssrcs = 1, .ssrcs = {media}});
  if (t->tmmbr_bps > 0)
    rtcp_add_tmmbr (&rtcp, t->from, &(RtcpTmmb){.ssrc = media, .bitrate_bps = t->tmmbr_bps, .overhead_bytes = 28}, 1);
  if (t->pli)
    rtcp_add_pli (&rtcp, t->from, media);
  if (t->bye)
    rtcp_add_bye (&rtcp, &t->from, 1);
  gst_cc_rtcp_close (&rtcp, buffer);
  peer_send (peer, buffer);
}

static void
tell_path (Peer *peer, guint32 from, RtcpPathKind kind, guint32 hop, guint64 bps)
{
  RtcpPath path = {.kind = kind, .hop = hop, .rate_bps = bps};

  tell (peer, &(Tells){.from = from, .path = &path});
}

static void
send_path (Fixture *f, guint32 from, guint32 media, RtcpPathKind kind, guint32 hop, guint64 bps)
{
  RtcpPath path = {.kind = kind, .hop = hop, .rate_bps = bps};

  tell (&f->peer, &(Tells){.from = from, .media = media, .path = &path});
}

static void
send_remb (Fixture *f, guint32 from, guint64 bps)
{
  tell (&f->peer, &(Tells){.from = from, .remb_bps = bps});
}

/* Until the rate is within 2 %, or two seconds are over. */
static void
expect_rate (Fixture *f, double expected)
{
  guint i;

  for (i = 0; i < 400 && fabs (bitrate_of (f->sink) - expected) > 0.02 * expected; i++)
    g_usleep (5000);
  fail_unless (
      fabs (bitrate_of (f->sink) - expected) <= 0.02 * expected, "%u, not %.0f", bitrate_of (f->sink), expected);
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
    converse (&f, 3);
    fail_unless (find_element (&f, RATE_ID, ERF_EXTENSION_SIZE, data));
    fail_unless (erf_extension_parse (data, ERF_EXTENSION_SIZE, &value));
    fail_if (value.set);
    fail_unless (find_element (&f, STAMP_ID, RTP_EXT_RTT_SENDTS_SIZE, data));
    fail_unless_equals_int (find_element (&f, TWCC_ID, RTP_EXT_TWCC_SIZE, data), twcc != 0);
    /* 12 fixed, 4 of head, 1 + 7, 1 + 6 and 1 + 2 or none; in words */
    fail_unless_equals_int (f.peer.size, PAYLOAD + 12 + 4 + (twcc != 0 ? 20 : 16));
    flow_close (&f);
  }
}

GST_END_TEST

GST_START_TEST (test_does_not_ask)
{
  guint8 data[8];
  Fixture f;

  setup (&f, CAPS, 0, 0);
  converse (&f, 1);
  fail_if (find_element (&f, RATE_ID, ERF_EXTENSION_SIZE, data));
  flow_close (&f);
}

GST_END_TEST

GST_START_TEST (test_id_from_caps)
{
  guint8 data[8];
  Fixture f;

  setup (&f, CAPS ", extmap-3=(string)" ERF_EXTENSION_URI, 0, 0);
  converse (&f, 1);
  fail_unless (find_element (&f, 3, ERF_EXTENSION_SIZE, data));
  flow_close (&f);
}

GST_END_TEST

/* The start rate is what the first rate says: downwards at once, upwards as far as the receiver confirms. */
GST_START_TEST (test_first_rate_is_the_start)
{
  Fixture f;

  setup (&f, CAPS, RATE_ID, 0);
  converse (&f, 6);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 7, 200000);
  expect_rate (&f, 200000);
  fail_unless_equals_uint64 (stat_of (f.sink, "explicit-rate"), 200000);
  fail_unless_equals_uint64 (stat_of (f.sink, "explicit-hop"), 7);
  flow_close (&f);

  setup (&f, CAPS, RATE_ID, 0);
  converse (&f, 6);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 7, 4000000);
  send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 5000000);
  expect_rate (&f, 4000000);
  flow_close (&f);
}

GST_END_TEST

/* The least of two routers, a third one's REMB and the receiver's own finding; ECF is told as a rate. */
GST_START_TEST (test_least_counts)
{
  Fixture f;

  setup (&f, CAPS, RATE_ID, 0);
  converse (&f, 6);
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
  fail_unless_equals_uint64 (stat_of (f.sink, "explicit-rates"), 3);
  flow_close (&f);
}

GST_END_TEST

/* A router that falls silent is forgotten after 2 s. */
GST_START_TEST (test_stale_rate_expires)
{
  Fixture f;
  guint i;

  setup (&f, CAPS, RATE_ID, 0);
  converse (&f, 6);
  send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 700000);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 1, 300000);
  expect_rate (&f, 300000);
  /* 700 kb/s, once they have been tried */
  for (i = 0; i < 400 && bitrate_of (f.sink) < 690000; i++) {
    g_usleep (20000);
    flow_push_frame (&f, SSRC, 2 + bitrate_of (f.sink) / 50 / 8 / 552, PAYLOAD);
    send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 700000);
  }
  fail_unless (bitrate_of (f.sink) >= 690000 && bitrate_of (f.sink) <= 710000, "%u", bitrate_of (f.sink));
  fail_unless (i >= 50, "after %u", i);
  fail_unless_equals_uint64 (stat_of (f.sink, "explicit-rate"), 0);
  flow_close (&f);
}

GST_END_TEST

/* Nothing of it starves or inflates: 0 and what is about somebody else is ignored, 1 bit/s meets the floor, and no
   amount of rates of 1e12 lifts it above what the receiver finds, or hides the least. */
GST_START_TEST (test_absurd_rates)
{
  Fixture f;
  guint i;

  setup (&f, CAPS, RATE_ID, 0);
  converse (&f, 6);
  send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 700000);
  expect_rate (&f, 700000);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 1, 0);
  send_path (&f, ROUTER, SSRC + 1, RTCP_PATH_ERF, 1, 60000);
  for (i = 0; i < 200; i++)
    send_path (&f, ROUTER + i, SSRC, RTCP_PATH_ERF, i, i % 2 ? G_GUINT64_CONSTANT (1000000000000) : G_MAXUINT64);
  for (i = 0; i < 200 && stat_of (f.sink, "rtcp-received") < 203; i++)
    g_usleep (5000);
  fail_unless (stat_of (f.sink, "rtcp-received") >= 150); /* the socket may have dropped some */
  expect_rate (&f, 700000);
  fail_unless (stat_of (f.sink, "bad-reports") >= 1);
  fail_unless_equals_uint64 (stat_of (f.sink, "unknown-ssrc"), 1);
  send_path (&f, ROUTER, SSRC, RTCP_PATH_ERF, 1, 1);
  expect_rate (&f, LEAST);
  for (i = 0; i < 200; i++)
    send_path (&f, ROUTER + 1000 + i, SSRC, RTCP_PATH_ERF, i, 600000);
  g_usleep (100000);
  expect_rate (&f, LEAST);
  flow_close (&f);
}

GST_END_TEST

/* ---- routers that speak for themselves ---- */

GST_START_TEST (test_strangers_are_ignored)
{
  Peer router;
  Fixture f;

  setup (&f, CAPS, 0, 0);
  converse (&f, 6);
  router_open (&f, &router);
  tell_path (&router, ROUTER, RTCP_PATH_ERF, 7, 200000);
  fail_unless (wait_stat (f.sink, "unknown-source", 1));
  fail_unless_equals_int (bitrate_of (f.sink), START);
  fail_unless_equals_uint64 (stat_of (f.sink, "explicit-rates"), 0);
  peer_close (&router);
  flow_close (&f);
}

GST_END_TEST

/* Each way of telling; of the four the least. */
GST_START_TEST (test_routers_lower_the_rate)
{
  Peer router;
  Fixture f;

  setup (&f, CAPS, 0, 0);
  converse (&f, 6);
  router_open (&f, &router);
  allow (&f, &router);
  tell_path (&router, ROUTER, RTCP_PATH_ERF, 7, 500000);
  expect_rate (&f, 500000);
  fail_unless_equals_uint64 (stat_of (f.sink, "explicit-hop"), 7);
  tell (&router, &(Tells){.from = ROUTER + 1, .remb_bps = 400000});
  expect_rate (&f, 400000);
  tell (&router, &(Tells){.from = ROUTER + 2, .tmmbr_bps = 300000});
  expect_rate (&f, 300000);
  fail_unless_equals_uint64 (stat_of (f.sink, "explicit-rate"), 300000);
  /* it is nobody's limit of RFC 5104: the receiver is sent no TMMBN about it */
  fail_unless_equals_uint64 (stat_of (f.sink, "tmmbr-bitrate"), 0);
  tell_path (&router, ROUTER + 2, RTCP_PATH_ECF, 7, 200000);
  expect_rate (&f, 200000);
  fail_unless_equals_uint64 (stat_of (f.sink, "rate-messages"), 4);
  peer_close (&router);
  flow_close (&f);
}

GST_END_TEST

/* Even under the receiver's SSRC: no path rate, no key unit, no BYE, no higher rate than the receiver's. */
GST_START_TEST (test_a_router_is_no_receiver)
{
  Peer router;
  Fixture f;

  setup (&f, CAPS, 0, 0);
  converse (&f, 6);
  router_open (&f, &router);
  allow (&f, &router);
  send_remb (&f, RECEIVER, 300000);
  expect_rate (&f, 300000);
  tell_path (&router, RECEIVER, RTCP_PATH_END_TO_END, 0, 700000);
  tell_path (&router, RECEIVER, RTCP_PATH_ERF, 1, 600000);
  tell (&router, &(Tells){.from = RECEIVER, .remb_bps = 600000, .pli = TRUE, .bye = TRUE});
  fail_unless (wait_stat (f.sink, "rate-messages", 3));
  expect_rate (&f, 300000);
  fail_unless_equals_uint64 (stat_of (f.sink, "rtcp-received"), 1);
  fail_unless_equals_uint64 (stat_of (f.sink, "path-reports"), 0);
  fail_unless_equals_uint64 (stat_of (f.sink, "pli") + stat_of (f.sink, "byes"), 0);
  peer_close (&router);
  flow_close (&f);
}

GST_END_TEST

/* Forged in the name of a router that is allowed, or sent once more: between the floor and what the receiver finds, and
   no longer than it goes on. */
GST_START_TEST (test_forged_router_rates)
{
  Peer router;
  Fixture f;
  guint i;

  setup (&f, CAPS, RATE_ID, 0);
  converse (&f, 6);
  router_open (&f, &router);
  allow (&f, &router);
  send_path (&f, RECEIVER, SSRC, RTCP_PATH_END_TO_END, 0, 700000);
  expect_rate (&f, 700000);
  tell_path (&router, ROUTER, RTCP_PATH_ERF, 1, 0);
  tell_path (&router, ROUTER, RTCP_PATH_ERF, 1, G_GUINT64_CONSTANT (1000000000000));
  tell_path (&router, ROUTER, RTCP_PATH_ERF, 1, G_MAXUINT64);
  fail_unless (wait_stat (f.sink, "rate-messages", 3));
  expect_rate (&f, 700000);
  fail_unless_equals_uint64 (stat_of (f.sink, "bad-reports"), 1);
  for (i = 0; i < 50; i++)
    tell_path (&router, ROUTER + i % 20, RTCP_PATH_ERF, 1, 1);
  expect_rate (&f, LEAST);
  fail_unless (bitrate_of (f.sink) >= LEAST);
  g_usleep (2100000); /* it expires after 2 s */
  for (i = 0; i < 50 && stat_of (f.sink, "explicit-rate") != 0; i++)
    g_usleep (10000);
  fail_unless_equals_uint64 (stat_of (f.sink, "explicit-rate"), 0);
  peer_close (&router);
  flow_close (&f);
}

GST_END_TEST

GST_START_TEST (test_rate_sources_that_are_none)
{
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  gchar *text;

  gst_element_set_bus (sink, bus);
  g_object_set (sink, "rate-sources", "10.0.0.1", NULL);
  fail_unless (gst_bus_pop (bus) == NULL);
  g_object_set (sink, "rate-sources", "router.example", NULL);
  message = gst_bus_pop (bus);
  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING);
  gst_message_unref (message);
  g_object_get (sink, "rate-sources", &text, NULL);
  fail_unless_equals_string (text, "10.0.0.1");
  g_free (text);
  gst_element_set_bus (sink, NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
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
  tcase_add_test (tcase, test_strangers_are_ignored);
  tcase_add_test (tcase, test_routers_lower_the_rate);
  tcase_add_test (tcase, test_a_router_is_no_receiver);
  tcase_add_test (tcase, test_forged_router_rates);
  tcase_add_test (tcase, test_rate_sources_that_are_none);
  return suite;
}

GST_CHECK_MAIN (tfrcexplicit);
