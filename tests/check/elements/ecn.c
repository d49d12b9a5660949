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
receiver_open (const gchar *address, const gchar *feedback, gint *port)
{
  gchar *line = g_strdup_printf ("tfrcsrc name=src port=0 address=%s encoding-name=H264 rtcpavpf::feedback=%s ! "
                                 "fakesink sync=false async=false",
      address, feedback);
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

  pipeline = receiver_open (way->receiver, "tfrc+ccfb", &port);
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

/* ---- a call over a path that marks at once ---- */

#define PAYLOAD 1000

typedef struct {
  Peer path; /* the sink sends to it, and it to the receiver */
  GstHarness *h;
  GstElement *sink, *pipeline;
  GSocketAddress *sender, *receiver;
  guint ect_1, others, packets; /* of what the sink has sent */
} Call;

static void
call_open (Call *c, const gchar *feedback)
{
  gint port;

  memset (c, 0, sizeof *c);
  c->pipeline = receiver_open ("127.0.0.1", feedback, &port);
  c->receiver = g_inet_socket_address_new_from_string ("127.0.0.1", (guint)port);
  peer_open (&c->path);
  fail_unless (g_socket_set_option (c->path.socket, IPPROTO_IP, IP_RECVTOS, TRUE, NULL));
  c->sink = gst_element_factory_make ("tfrcsink", NULL);
  g_object_set (c->sink, "sync", FALSE, "async", FALSE, "host", "127.0.0.1", "port", c->path.port, "start-bitrate",
      1000000, NULL);
  gst_util_set_object_arg (G_OBJECT (c->sink), "ecn", "l4s");
  c->h = gst_harness_new_with_element (c->sink, "sink", NULL);
  gst_harness_set_src_caps_str (c->h, "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96");
}

static void
call_close (Call *c)
{
  gst_harness_teardown (c->h);
  gst_object_unref (c->sink);
  gst_element_set_state (c->pipeline, GST_STATE_NULL);
  gst_object_unref (c->pipeline);
  g_clear_object (&c->sender);
  g_object_unref (c->receiver);
  peer_close (&c->path);
}

static gchar *
call_statistic (Call *c, const gchar *name)
{
  GstStructure *stats;
  gchar *value;

  g_object_get (c->sink, "stats", &stats, NULL);
  value = g_strdup (gst_structure_get_string (stats, name));
  gst_structure_free (stats);
  return value;
}

/* becomes: what the path makes of the bits. */
static void
forward (Call *c, gint ecn, gint (*becomes) (guint packet, gint ecn))
{
  gboolean rtcp = rtcp_is_rtcp (c->path.data, c->path.size), back = ecn < 0;

  if (!back && !rtcp) {
    c->ect_1 += ecn == ARRIVAL_ECT_1;
    c->others += ecn != ARRIVAL_ECT_1;
    ecn = becomes (c->packets++, ecn);
  }
  set_traffic_class (c->path.socket, back ? 0 : ecn);
  if (!back || c->sender != NULL)
    send_from (c->path.socket, back ? c->sender : c->receiver, c->path.data, c->path.size);
}

/* The bits of what the sink has sent, -1 of what the receiver has. FALSE: nothing has come. */
static gboolean
take (Call *c, gint *ecn)
{
  guint8 control[256];
  struct sockaddr_in from;
  struct iovec piece = {c->path.data, sizeof c->path.data};
  struct msghdr message = {.msg_name = &from,
      .msg_namelen = sizeof from,
      .msg_iov = &piece,
      .msg_iovlen = 1,
      .msg_control = control,
      .msg_controllen = sizeof control};
  gssize size = recvmsg (g_socket_get_fd (c->path.socket), &message, MSG_DONTWAIT);
  struct cmsghdr *header;
  guint port = ntohs (from.sin_port);

  if (size < 0)
    return FALSE;
  c->path.size = (gsize)size;
  *ecn = 0;
  for (header = CMSG_FIRSTHDR (&message); header != NULL; header = CMSG_NXTHDR (&message, header))
    if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_TOS)
      *ecn = ECN (*CMSG_DATA (header));
  if (port == g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (c->receiver)))
    *ecn = -1;
  else if (c->sender == NULL)
    c->sender = g_inet_socket_address_new_from_string ("127.0.0.1", port);
  return TRUE;
}

/* Returns the mean rate of the second half: by marks it saws. */
static guint
call_run (Call *c, gint (*becomes) (guint packet, gint ecn), guint seconds)
{
  gint64 began = g_get_monotonic_time (), end = began + seconds * G_USEC_PER_SEC, now;
  guint16 seq = (guint16)c->packets;
  gint64 last = began;
  gdouble due = 0, area = 0, span = 0;
  guint allowed = 0;
  gint ecn;

  for (now = began; now < end; now = g_get_monotonic_time ()) {
    g_object_get (c->sink, "estimated-bitrate", &allowed, NULL);
    for (due += (gdouble)(now - last) * allowed / 8e6; due >= PAYLOAD; due -= PAYLOAD)
      gst_harness_push (
          c->h, new_packet (SSRC, seq++, (guint32)((now - began) * 9 / 100 / 3000 * 3000), PAYLOAD, TRUE));
    if (now > (began + end) / 2) {
      area += (gdouble)(now - last) * allowed;
      span += now - last;
    }
    last = now;
    while (take (c, &ecn))
      forward (c, ecn, becomes);
    g_usleep (5000);
  }
  return span > 0 ? (guint)(area / span) : allowed;
}

static gint
stays (guint packet, gint ecn)
{
  return ecn;
}

static gint
bleached (guint packet, gint ecn)
{
  return ARRIVAL_NOT_ECT;
}

static gint
marked_4_of_10 (guint packet, gint ecn)
{
  return ecn != ARRIVAL_NOT_ECT && packet % 10 < 4 ? ARRIVAL_CE : ecn;
}

static gint
marked_8_of_10 (guint packet, gint ecn)
{
  return ecn != ARRIVAL_NOT_ECT && packet % 10 < 8 ? ARRIVAL_CE : ecn;
}

static guint
rate_where (const gchar *feedback, gint (*becomes) (guint packet, gint ecn), const gchar *state)
{
  Call c;
  gchar *ecn;
  guint rate;

  call_open (&c, feedback);
  rate = call_run (&c, becomes, 2);
  ecn = call_statistic (&c, "ecn");
  fail_unless_equals_string (ecn, state);
  g_free (ecn);
  if (g_str_equal (state, "capable"))
    fail_unless (c.ect_1 > 3 * c.others, "%u of ECT(1), %u others", c.ect_1, c.others);
  else
    fail_unless (c.ect_1 > 0 && c.ect_1 < c.others, "%u of ECT(1), %u others", c.ect_1, c.others);
  call_close (&c);
  return rate;
}

static void
check_marks (const gchar *feedback)
{
  guint none = rate_where (feedback, stays, "capable"), some = rate_where (feedback, marked_4_of_10, "capable"),
        most = rate_where (feedback, marked_8_of_10, "capable");

  fail_unless (some < none * 8 / 10, "%s: %u, %u with marks", feedback, none, some);
  fail_unless (most < some * 8 / 10, "%s: %u, %u with more", feedback, some, most);
}

/* RFC 9331 4.3, with the law at the receiver and, by RFC 8888, at the sender. */
GST_START_TEST (test_rate_follows_the_fraction_of_marks)
{
  check_marks ("tfrc+path");
  check_marks ("ccfb");
}
GST_END_TEST;

/* RFC 6679 7.2 */
GST_START_TEST (test_a_path_that_bleaches_gets_no_more)
{
  rate_where ("tfrc+path", bleached, "refused");
  rate_where ("ccfb", bleached, "refused");
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
  tcase_add_test (tcase, test_rate_follows_the_fraction_of_marks);
  tcase_add_test (tcase, test_a_path_that_bleaches_gets_no_more);
  tcase_add_test (tcase, test_other_messages_are_none);
  return suite;
}

GST_CHECK_MAIN (ecn);
