/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A multicast group in the receiver's place (Chodorek & Chodorek, topology T3): tfrcsink in mode=burst-control and
   several tfrcsrc on the loopback device. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ccsender.h"
#include "gstccsrtp.h"
#include "tfrctest.h"

#include <time.h>

#define GROUP "239.255.76.10"
#define OTHER_GROUP "239.255.76.11"
#define OTHER_SSRC 0x20
#define CAPS "application/x-rtp, media=(string)video, clock-rate=(int)90000, encoding-name=(string)X-TEST"
#define RECEIVERS 2
#define FRAMES 30
#define LEARNING 6 /* frames until their period is known */
#define PACKETS 10
#define PERIOD (20 * GST_MSECOND)
#define SSRC 0x10

static const gchar *const keys[] = {NULL, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d"};

static void
layer_open (Flow *f, gint port, gdouble duty)
{
  flow_open (f, CAPS, "host", GROUP, "port", port, "multicast-iface", "lo", "mode", CC_MODE_BURST_CONTROL,
      "start-bitrate", 20000000, "max-delay", GST_SECOND, "duty", duty, NULL);
}

/* NULL: none. An element takes it in NULL alone. */
static void
set_key (GstElement *element, const gchar *key)
{
  GstState state = GST_STATE (element);

  if (key == NULL || !gst_cc_srtp_is_available ())
    return;
  gst_element_set_state (element, GST_STATE_NULL);
  gst_util_set_object_arg (G_OBJECT (element), "srtp-key", key);
  gst_element_set_state (element, state);
}

static void
send_frames (Flow *layers, guint n)
{
  struct timespec at;
  guint frame, i;

  clock_gettime (CLOCK_MONOTONIC, &at);
  for (frame = 0; frame < FRAMES; frame++) {
    for (i = 0; i < n; i++)
      flow_push_frame (&layers[i], SSRC, PACKETS, 500);
    at.tv_nsec += PERIOD;
    at.tv_sec += at.tv_nsec / GST_SECOND;
    at.tv_nsec %= GST_SECOND;
    clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
  }
}

/* ---- receivers ---- */

typedef struct {
  GstHarness *h;
  GstElement *src;
} Receiver;

static void
receiver_open_in (Receiver *r, const gchar *group, gint port, const gchar *key)
{
  r->src = gst_element_factory_make ("tfrcsrc", NULL);
  g_object_set (r->src, "address", group, "port", port, "multicast-iface", "lo", "encoding-name", "X-TEST",
      "clock-rate", 90000, "latency", 0, "trr-int", (guint64)0, NULL);
  set_key (r->src, key);
  r->h = gst_harness_new_with_element (r->src, NULL, "src");
  gst_harness_play (r->h);
}

static void
receiver_open (Receiver *r, gint port, const gchar *key)
{
  receiver_open_in (r, GROUP, port, key);
}

static void
receiver_close (Receiver *r)
{
  gst_harness_teardown (r->h);
  gst_object_unref (r->src);
}

static gboolean
receives (Receiver *r, guint packets)
{
  guint i;

  for (i = 0; i < 600 && gst_harness_buffers_received (r->h) < packets; i++)
    g_usleep (5000);
  return gst_harness_buffers_received (r->h) >= packets;
}

/* Whoever sends to a group hears all who receive, and each of them the others. */
GST_START_TEST (test_all_receive_and_are_heard)
{
  Receiver receivers[RECEIVERS];
  gint port = free_port ();
  guint i;
  Flow f;

  for (i = 0; i < RECEIVERS; i++)
    receiver_open (&receivers[i], port, keys[__i__]);
  layer_open (&f, port, 1);
  set_key (f.sink, keys[__i__]);
  send_frames (&f, 1);
  for (i = 0; i < RECEIVERS; i++) {
    fail_unless (receives (&receivers[i], FRAMES * PACKETS), "receiver %u: %u packets", i,
        gst_harness_buffers_received (receivers[i].h));
    fail_unless (wait_stat (receivers[i].src, "members", RECEIVERS + 1));
    fail_unless_equals_int (stat_of (receivers[i].src, "collisions"), 0);
  }
  for (i = 0; i < RECEIVERS; i++)
    receiver_close (&receivers[i]);
  fail_unless (wait_stat (f.sink, "byes", RECEIVERS));
  fail_unless_equals_int (stat_of (f.sink, "collisions"), 0);
  flow_close (&f);
}
GST_END_TEST

static void
check_all_of (Receiver *r, guint32 ssrc)
{
  GstBuffer *buffer;
  guint32 of;

  fail_unless (receives (r, FRAMES * PACKETS));
  while ((buffer = gst_harness_try_pull (r->h)) != NULL) {
    gst_buffer_extract (buffer, 8, &of, sizeof of);
    fail_unless_equals_int (GUINT32_FROM_BE (of), ssrc);
    gst_buffer_unref (buffer);
  }
}

/* Between sockets that are bound to any address the kernel need not choose by the group: Linux 6.18 gave what came from
   another host to one of them, either group's to the same. */
static void
check_bound_to (Receiver *r, const gchar *group)
{
  GstElement *udpsrc = gst_bin_get_by_name (GST_BIN (r->src), "udpsrc");
  GSocketAddress *local;
  GSocket *socket;
  gchar *text;

  g_object_get (udpsrc, "used-socket", &socket, NULL);
  local = g_socket_get_local_address (socket, NULL);
  text = g_inet_address_to_string (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (local)));
  fail_unless_equals_string (text, group);
  g_free (text);
  g_object_unref (local);
  g_object_unref (socket);
  gst_object_unref (udpsrc);
}

/* Two layers in groups of their own, by one port of one host. */
GST_START_TEST (test_two_groups_by_one_port)
{
  Receiver one, other;
  gint port = free_port ();
  guint frame;
  Flow layer, other_layer;

  receiver_open_in (&one, GROUP, port, NULL);
  receiver_open_in (&other, OTHER_GROUP, port, NULL);
  check_bound_to (&one, GROUP);
  check_bound_to (&other, OTHER_GROUP);
  layer_open (&layer, port, 1);
  flow_open (&other_layer, CAPS, "host", OTHER_GROUP, "port", port, "multicast-iface", "lo", "mode",
      CC_MODE_BURST_CONTROL, "start-bitrate", 20000000, "max-delay", GST_SECOND, NULL);
  for (frame = 0; frame < FRAMES; frame++) {
    flow_push_frame (&layer, SSRC, PACKETS, 500);
    flow_push_frame (&other_layer, OTHER_SSRC, PACKETS, 500);
    g_usleep (PERIOD / GST_USECOND);
  }
  check_all_of (&one, SSRC);
  check_all_of (&other, OTHER_SSRC);
  fail_unless_equals_uint64 (stat_of (one.src, "strangers"), 0);
  receiver_close (&one);
  receiver_close (&other);
  flow_close (&layer);
  flow_close (&other_layer);
}
GST_END_TEST

/* What one of them misses is no reason for a rate: none of their reports is obeyed. What they ask of the encoder is. */
GST_START_TEST (test_asks_for_a_key_unit_and_governs_no_rate)
{
  Receiver receiver;
  gint port = free_port ();
  gboolean asked = FALSE;
  GstEvent *event;
  guint i, rate;
  Flow f;

  receiver_open (&receiver, port, NULL);
  layer_open (&f, port, 1);
  send_frames (&f, 1);
  fail_unless (receives (&receiver, FRAMES * PACKETS));
  rate = bitrate_of (f.sink);
  gst_harness_push_upstream_event (
      receiver.h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("GstForceKeyUnit")));
  f.seq += 200;
  send_frames (&f, 1);
  fail_unless (wait_stat (f.sink, "key-unit-requests", 1));
  for (i = 0; i < 100 && !asked; i++) {
    event = gst_harness_try_pull_upstream_event (f.h);
    asked = event != NULL && gst_event_has_name (event, "GstForceKeyUnit");
    gst_clear_event (&event);
  }
  fail_unless (asked);
  fail_unless (stat_of (f.sink, "rtcp-received") > 0);
  fail_unless_equals_int (stat_of (f.sink, "reports"), 0);
  fail_unless_equals_int (bitrate_of (f.sink), rate);
  receiver_close (&receiver);
  flow_close (&f);
}
GST_END_TEST

/* ---- duty ---- */

static GstClockTime
receive_at (Peer *peer)
{
  guint8 control[256];
  struct timespec at;

  for (;;) {
    struct iovec iov = {peer->data, sizeof peer->data};
    struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};

    g_socket_condition_timed_wait (peer->socket, G_IO_IN, G_USEC_PER_SEC, NULL, NULL);
    fail_unless (recvmsg (g_socket_get_fd (peer->socket), &msg, MSG_DONTWAIT) > 0, "packets are missing");
    if (rtcp_is_rtcp (peer->data, 4))
      continue;
    memcpy (&at, CMSG_DATA (CMSG_FIRSTHDR (&msg)), sizeof at);
    return GST_TIMESPEC_TO_TIME (at);
  }
}

static void
member_open (Peer *peer, gint port)
{
  GSocketAddress *address = g_inet_socket_address_new_from_string (GROUP, (guint)port);
  GInetAddress *group = g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (address));
  int on = 1;

  memset (peer, 0, sizeof *peer);
  peer->socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  fail_unless (g_socket_bind (peer->socket, address, TRUE, NULL));
  fail_unless (g_socket_join_multicast_group (peer->socket, group, FALSE, "lo", NULL));
  g_socket_set_option (peer->socket, SOL_SOCKET, SO_RCVBUF, 1 << 20, NULL);
  fail_unless (setsockopt (g_socket_get_fd (peer->socket), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0);
  g_object_unref (address);
}

/* Of a layer: frames spread over duty, to a quarter. The machine may be busy: a third of them. */
static void
assert_spread (Peer *peer, gdouble duty)
{
  GstClockTime wanted = (GstClockTime)(duty * PERIOD * (PACKETS - 1) / PACKETS), first, last = 0;
  guint frame, i, good = 0;

  for (frame = 0; frame < FRAMES; frame++) {
    first = receive_at (peer);
    for (i = 1; i < PACKETS; i++)
      last = receive_at (peer);
    good += frame >= LEARNING && last - first > wanted - wanted / 4 && last - first < wanted + wanted / 4;
  }
  fail_unless (good >= (FRAMES - LEARNING) / 3, "%u of %u frames over %" GST_TIME_FORMAT, good, FRAMES - LEARNING,
      GST_TIME_ARGS (wanted));
}

/* Two layers of one host, each with its own. */
GST_START_TEST (test_unequal_duty)
{
  static const gdouble duties[] = {0.95, 0.4};
  Flow layers[G_N_ELEMENTS (duties)];
  Peer members[G_N_ELEMENTS (duties)];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (duties); i++) {
    gint port = free_port ();

    member_open (&members[i], port);
    layer_open (&layers[i], port, duties[i]);
  }
  send_frames (layers, G_N_ELEMENTS (duties));
  for (i = 0; i < G_N_ELEMENTS (duties); i++) {
    assert_spread (&members[i], duties[i]);
    flow_close (&layers[i]);
    peer_close (&members[i]);
  }
}
GST_END_TEST

/* ---- what cannot be ---- */

static void
check_refused (CcMode mode, const gchar *iface, const gchar *expected)
{
  GstElement *sink = gst_element_factory_make ("tfrcsink", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error;

  gst_object_ref_sink (sink);
  gst_element_set_bus (sink, bus);
  g_object_set (sink, "host", GROUP, "mode", mode, "multicast-iface", iface, NULL);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_READY), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, expected) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_element_set_bus (sink, NULL);
  gst_object_unref (bus);
  gst_object_unref (sink);
}

GST_START_TEST (test_no_rate_is_right_for_all)
{
  check_refused (CC_MODE_LOW_DELAY, "lo", "mode=burst-control");
  check_refused (CC_MODE_RFC5348, "lo", "mode=burst-control");
  check_refused (CC_MODE_BURST_CONTROL, "nowhere0", "no network interface nowhere0");
}
GST_END_TEST

static void
check_warns (GstBus *bus, GstElement *sink)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  GstStructure *stats = stats_of (sink);

  fail_unless (message != NULL);
  gst_message_unref (message);
  fail_unless_equals_string (gst_structure_get_string (stats, "mode"), "burst-control");
  gst_structure_free (stats);
}

/* While it runs mode and receivers stay; in NULL they are left. */
GST_START_TEST (test_a_group_is_for_one_run)
{
  GstBus *bus = gst_bus_new ();
  Flow f;

  layer_open (&f, free_port (), 1);
  gst_element_set_bus (f.sink, bus);
  g_object_set (f.sink, "mode", CC_MODE_LOW_DELAY, NULL);
  send_frames (&f, 1);
  check_warns (bus, f.sink);
  g_object_set (f.sink, "host", "127.0.0.1", NULL);
  check_warns (bus, f.sink);
  gst_element_set_state (f.sink, GST_STATE_NULL);
  g_object_set (f.sink, "mode", CC_MODE_LOW_DELAY, "host", "127.0.0.1", NULL);
  fail_unless_equals_int (gst_element_set_state (f.sink, GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_element_set_bus (f.sink, NULL);
  gst_object_unref (bus);
  flow_close (&f);
}
GST_END_TEST

static Suite *
tfrcgroup_suite (void)
{
  Suite *s = suite_create ("tfrcgroup");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_all_receive_and_are_heard, 0, G_N_ELEMENTS (keys));
  tcase_add_test (tc, test_two_groups_by_one_port);
  tcase_add_test (tc, test_asks_for_a_key_unit_and_governs_no_rate);
  tcase_add_test (tc, test_unequal_duty);
  tcase_add_test (tc, test_no_rate_is_right_for_all);
  tcase_add_test (tc, test_a_group_is_for_one_run);
  return s;
}

GST_CHECK_MAIN (tfrcgroup);
