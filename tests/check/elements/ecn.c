/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ECN bits between the network and the flow's two ends (gstccecn.h, tfrcsink's property `ecn`), over IPv4, IPv6 and
   IPv4 through a socket of IPv6. */
#include "gstccecn.h"
#include "rtpextension.h"
#include "tfrctest.h"

#include <gio/gunixcredentialsmessage.h>
#include <gst/net/net.h>
#include <netinet/in.h>

#define SSRC 0x4d454449
#define ECN(tos) ((tos)&3)

typedef struct {
  const gchar *receiver, *sender; /* addresses bound to */
  const gchar *host;              /* and sent to */
} Way;

static const Way ways[] = {
    {"127.0.0.1", "127.0.0.1", "127.0.0.1"}, {"::1", "::1", "::1"}, {"::", "127.0.0.1", "127.0.0.1"}};

static gboolean
has_ipv6 (void)
{
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV6, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  GSocketAddress *address = g_inet_socket_address_new_from_string ("::1", 0);
  gboolean bound = socket != NULL && g_socket_bind (socket, address, FALSE, NULL);

  g_clear_object (&socket);
  g_object_unref (address);
  return bound;
}

static guint
count_ways (void)
{
  if (has_ipv6 ())
    return G_N_ELEMENTS (ways);
  g_print ("this machine has no IPv6 loopback: IPv4 only\n");
  return 1;
}

static void
set_traffic_class (GSocket *socket, gint tos)
{
  if (g_socket_get_family (socket) == G_SOCKET_FAMILY_IPV6)
    fail_unless (g_socket_set_option (socket, IPPROTO_IPV6, IPV6_TCLASS, tos, NULL));
  else
    fail_unless (g_socket_set_option (socket, IPPROTO_IP, IP_TOS, tos, NULL));
}

/* ---- tfrcsrc ---- */

typedef struct {
  guint received[4]; /* packets with these bits, by reports */
  double p;
} Told;

static void
told_ccfb (gpointer user, guint32 sender, const RtcpCcfbReader *report)
{
  RtcpCcfbReader reader = *report;
  RtcpCcfbBlock block;
  guint i;

  while (rtcp_ccfb_next (&reader, &block))
    for (i = 0; i < block.num_reports; i++) {
      RtcpCcfbMetric metric = rtcp_ccfb_metric (&block, i);

      if (metric.received)
        ((Told *)user)->received[metric.ecn]++;
    }
}

static void
told_tfrc (gpointer user, guint32 sender, guint32 media, const TfrcReport *report)
{
  ((Told *)user)->p = MAX (((Told *)user)->p, report->p);
}

/* Until most packets, the one with other bits among them, are told of, and a loss event where one is due. */
static void
listen_to (Peer *peer, Told *told, gint other, gboolean marks)
{
  static const RtcpHandlers ears = {.ccfb = told_ccfb, .tfrc = told_tfrc};
  gint64 end = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;

  while (g_get_monotonic_time () < end &&
         (told->received[ARRIVAL_ECT_0] < 50 || told->received[other] == 0 || (marks && told->p == 0)))
    if (peer_receive (peer, 100))
      fail_unless (rtcp_walk (peer->data, peer->size, &ears, told));
}

static GstElement *
receiver_open (const gchar *address, gint *port)
{
  gchar *line = g_strdup_printf ("tfrcsrc name=src port=0 address=%s encoding-name=H264 rtcpavpf::feedback=tfrc+ccfb ! "
                                 "fakesink sync=false async=false",
      address);
  GstElement *pipeline = gst_parse_launch (line, NULL), *src;

  fail_unless (pipeline != NULL);
  src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 5 * GST_SECOND) != GST_STATE_CHANGE_FAILURE);
  g_object_get (src, "port", port, NULL);
  gst_object_unref (src);
  g_free (line);
  return pipeline;
}

static void
send_packet (Peer *peer, guint16 seq, gint tos)
{
  GstBuffer *buffer = new_packet (SSRC, seq, 3000u * seq, 200, TRUE);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  RtpRttSendts stamp = {.sent_at_us = (guint32)g_get_monotonic_time ()};
  guint8 data[RTP_EXT_RTT_SENDTS_SIZE];

  rtp_ext_rtt_sendts_write (data, &stamp);
  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_add_extension_onebyte_header (&rtp, 9, data, sizeof data);
  gst_rtp_buffer_unmap (&rtp);
  set_traffic_class (peer->socket, tos);
  peer_send (peer, buffer);
}

/* The bits of each packet are told as they were; CE alone counts as a loss event. */
static void
check_receiver (const Way *way, gint other, gboolean marks)
{
  GstElement *pipeline;
  Told told = {{0}, 0};
  Peer peer;
  gint port;
  guint16 i;

  pipeline = receiver_open (way->receiver, &port);
  peer_open_at (&peer, way->sender, 0);
  peer.sender = g_inet_socket_address_new_from_string (way->host, (guint)port);
  for (i = 0; i < 60; i++) {
    send_packet (&peer, i, i == 40 ? 0xb8 | other : 0xb8 | ARRIVAL_ECT_0);
    g_usleep (5000);
  }
  listen_to (&peer, &told, other, marks);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (told.received[other], 1);
  fail_unless (told.received[ARRIVAL_ECT_0] >= 50, "%u", told.received[ARRIVAL_ECT_0]);
  fail_unless (marks == (told.p > 0), "%f", told.p);
  gst_object_unref (pipeline);
  peer_close (&peer);
}

GST_START_TEST (test_receiver_tells_of_marks)
{
  guint i, n = count_ways ();

  for (i = 0; i < n; i++) {
    check_receiver (&ways[i], ARRIVAL_CE, TRUE);
    check_receiver (&ways[i], ARRIVAL_ECT_1, FALSE);
    check_receiver (&ways[i], ARRIVAL_NOT_ECT, FALSE);
  }
}
GST_END_TEST;

/* ---- tfrcsink ---- */

/* Of the packet that peer_receive () has taken. */
static gint
receive_class (Peer *peer, gboolean rtcp, guint timeout_ms)
{
  gint64 end = g_get_monotonic_time () + timeout_ms * G_GINT64_CONSTANT (1000);

  while (g_socket_condition_timed_wait (peer->socket, G_IO_IN, MAX (end - g_get_monotonic_time (), 0), NULL, NULL)) {
    guint8 control[256];
    struct iovec piece = {peer->data, sizeof peer->data};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *c;
    gssize size = recvmsg (g_socket_get_fd (peer->socket), &message, 0);
    gint tos = 0;

    fail_unless (size > 0);
    peer->size = (gsize)size;
    for (c = CMSG_FIRSTHDR (&message); c != NULL; c = CMSG_NXTHDR (&message, c))
      if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS)
        tos = *CMSG_DATA (c);
      else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS)
        memcpy (&tos, CMSG_DATA (c), sizeof tos);
    if (rtcp_is_rtcp (peer->data, peer->size) == rtcp)
      return tos;
  }
  return -1;
}

/* way.receiver is where the sink sends from, way.sender where packets arrive. */
static void
check_sink (const Way *way)
{
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);
  GstHarness *h;
  Peer peer;
  guint16 seq = 0;

  peer_open_at (&peer, way->sender, 0);
  gst_cc_ecn_watch_socket (peer.socket);
  g_object_set (sink, "sync", FALSE, "async", FALSE, "host", way->host, "port", peer.port, "bind-address",
      way->receiver, "dscp", 34, NULL);
  h = gst_harness_new_with_element (sink, "sink", NULL);
  gst_harness_set_src_caps_str (h, "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96");
  gst_harness_push (h, new_packet (SSRC, seq++, 0, 100, TRUE));
  fail_unless_equals_int (receive_class (&peer, FALSE, 2000), 34 << 2);
  g_object_set (sink, "ecn", TRUE, NULL);
  gst_harness_push (h, new_packet (SSRC, seq++, 3000, 100, TRUE));
  fail_unless_equals_int (receive_class (&peer, FALSE, 2000), 34 << 2 | ARRIVAL_ECT_0);
  fail_unless_equals_int (receive_class (&peer, TRUE, 3000), 34 << 2);
  g_object_set (sink, "dscp", 46, NULL);
  gst_harness_push (h, new_packet (SSRC, seq++, 6000, 100, TRUE));
  fail_unless_equals_int (receive_class (&peer, FALSE, 2000), 46 << 2 | ARRIVAL_ECT_0);
  g_object_set (sink, "ecn", FALSE, NULL);
  gst_harness_push (h, new_packet (SSRC, seq++, 9000, 100, TRUE));
  fail_unless_equals_int (receive_class (&peer, FALSE, 2000), 46 << 2);
  gst_harness_teardown (h);
  gst_object_unref (sink);
  peer_close (&peer);
}

GST_START_TEST (test_sink_says_that_routers_may_mark)
{
  guint i, n = count_ways ();

  for (i = 0; i < n; i++)
    check_sink (&ways[i]);
}
GST_END_TEST;

/* ---- metas ---- */

GST_START_TEST (test_other_messages_are_none)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 10, NULL);
  GSocketControlMessage *message = g_unix_credentials_message_new ();

  fail_unless_equals_int (gst_cc_ecn_of (buffer), ARRIVAL_NOT_ECT);
  gst_buffer_add_net_control_message_meta (buffer, message);
  fail_unless_equals_int (gst_cc_ecn_of (buffer), ARRIVAL_NOT_ECT);
  g_object_unref (message);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

static Suite *
ecn_suite (void)
{
  Suite *suite = suite_create ("ecn");
  TCase *tcase = tcase_create ("ecn");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_receiver_tells_of_marks);
  tcase_add_test (tcase, test_sink_says_that_routers_may_mark);
  tcase_add_test (tcase, test_other_messages_are_none);
  return suite;
}

GST_CHECK_MAIN (ecn);
