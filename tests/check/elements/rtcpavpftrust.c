/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What strangers send to a running call moves nothing (docs/security.md). */
#include "rtcpavpftest.h"

#define PEER "192.0.2.1"
#define STRANGER "192.0.2.66"
#define PORT 5004

/* So many packets of the peer. */
static void
call (Fixture *f, guint packets)
{
  guint i;

  for (i = 0; i < packets; i++) {
    push (f, from_address (rtp_packet (f, MEDIA, f->seq++), PEER, PORT));
    advance (f, PERIOD);
  }
  drop_output (f->rtp);
}

/* RR, CNAME and so many bytes of APP. */
static GstBuffer *
report_with_app (guint32 ssrc, guint app_bytes)
{
  guint8 *data = g_malloc0 (8 + 12 + 12 + app_bytes);
  guint size = 8 + 12 + 12 + app_bytes;

  data[0] = 0x80;
  data[1] = 201;
  data[3] = 1;
  GST_WRITE_UINT32_BE (data + 4, ssrc);
  data[8] = 0x81;
  data[9] = 202;
  data[11] = 2;
  GST_WRITE_UINT32_BE (data + 12, ssrc);
  data[16] = 1;
  data[17] = 1;
  data[18] = 'x';
  data[20] = 0x80;
  data[21] = 204;
  GST_WRITE_UINT16_BE (data + 22, (guint16)((12 + app_bytes) / 4 - 1));
  GST_WRITE_UINT32_BE (data + 24, ssrc);
  memcpy (data + 28, "test", 4);
  return gst_buffer_new_wrapped (data, size);
}

static void
push_rtcp (Fixture *f, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (f->rtcp, buffer), GST_FLOW_OK);
}

static gdouble
average_size (Fixture *f)
{
  GstStructure *stats;
  gdouble size = 0;

  g_object_get (f->rtp->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_double (stats, "avg-rtcp-size", &size));
  gst_structure_free (stats);
  return size;
}

TEST (test_large_rtcp_of_strangers_counts_for_nothing)
{
  gdouble before;
  guint i;

  call (f, 100);
  before = average_size (f);
  for (i = 0; i < 24; i++)
    push_rtcp (f, from_address (report_with_app (0x7777, 60000), STRANGER, PORT));
  fail_unless (average_size (f) == before);
  fail_unless_equals_uint64 (stat (f, "members"), 2);
  fail_unless_equals_uint64 (stat (f, "strangers"), 24);
}

/* Before it has proved to be a member; and a member's counts for no more than a packet of Ethernet: 1500. */
TEST (test_large_rtcp_without_an_address)
{
  gdouble before;
  guint i;

  stream (f, 100);
  before = average_size (f);
  push_rtcp (f, report_with_app (0x7777, 60000));
  fail_unless (average_size (f) == before);
  for (i = 0; i < 24; i++)
    push_rtcp (f, report_with_app (0x7777, 60000));
  fail_unless (average_size (f) > before && average_size (f) <= 1500, "%f", average_size (f));
}

/* Each invented SSRC sends two packets in sequence, with 15 contributors. */
static void
invent (Fixture *f, guint ssrcs, const gchar *host)
{
  guint i, k, c;

  for (i = 0; i < ssrcs; i++)
    for (k = 0; k < 2; k++) {
      GstBuffer *buffer = gst_rtp_buffer_new_allocate (5, 0, 15);
      GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

      gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
      gst_rtp_buffer_set_ssrc (&rtp, 0x70000000 + i);
      gst_rtp_buffer_set_seq (&rtp, (guint16)(100 + k));
      gst_rtp_buffer_set_payload_type (&rtp, 96);
      for (c = 0; c < 15; c++)
        gst_rtp_buffer_set_csrc (&rtp, (guint8)c, 0x60000000 + 15 * i + c);
      gst_rtp_buffer_unmap (&rtp);
      push (f, host != NULL ? from_address (buffer, host, PORT) : buffer);
    }
}

TEST (test_invented_members_of_strangers_do_not_count)
{
  guint64 interval;

  call (f, 100);
  interval = stat (f, "interval");
  invent (f, 200, STRANGER);
  fail_unless (gst_harness_try_pull (f->rtp) == NULL);
  fail_unless_equals_uint64 (stat (f, "members"), 2);
  fail_unless (stat (f, "interval") <= interval);
}

/* Whoever forges the peer's address, or has none, makes eight of two. */
TEST (test_invented_members_of_the_peer_are_few)
{
  call (f, 100);
  invent (f, 200, PEER);
  fail_unless (stat (f, "members") <= 9, "%" G_GUINT64_FORMAT, stat (f, "members"));
}

/* Two packets of 45 bytes beside a call, and without one. */
TEST (test_a_stranger_draws_nothing)
{
  guint i;

  call (f, 100);
  listen (f, heard);
  for (i = 0; i < 2; i++)
    push (f, from_address (rtp_packet (f, 0x7777, (guint16)i), STRANGER, PORT));
  for (i = 0; i < 50; i++) {
    GstBuffer *buffer;

    call (f, 2);
    while ((buffer = gst_harness_try_pull (f->rtcp)) != NULL) {
      GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
      gchar *host = g_inet_address_to_string (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS (meta->addr)));

      fail_unless_equals_string (host, PEER);
      g_free (host);
      gst_buffer_unref (buffer);
    }
  }
}

TEST (test_answers_are_three_times_what_came)
{
  guint64 came = 0;
  guint i;

  f->extension_id = 0;

  for (i = 0; i < 6; i++) {
    GstBuffer *buffer = rtp_packet (f, 0x7777, (guint16)i);

    gst_buffer_resize (buffer, 0, 17);
    came += 17 + UDP_IP_BYTES;
    push (f, from_address (buffer, STRANGER, PORT));
  }
  for (i = 0; i < 1000; i++)
    advance (f, PERIOD);
  listen (f, heard);
  fail_unless (heard->packets > 0);
  fail_unless (
      heard->bytes + UDP_IP_BYTES * heard->packets <= 3 * came, "%u + %u packets", heard->bytes, heard->packets);
  fail_unless (stat (f, "answers-withheld") > 0);
}

/* 40 sources of a stranger, at once, and the call begins 0.3 s later. */
TEST (test_places_taken_before_the_call)
{
  guint i;

  for (i = 0; i < 40; i++) {
    push (f, from_address (rtp_packet (f, 0x70000000 + i, 1), STRANGER, PORT));
    push (f, from_address (rtp_packet (f, 0x70000000 + i, 2), STRANGER, PORT));
  }
  drop_output (f->rtp);
  advance (f, 300 * GST_MSECOND);
  push (f, from_address (rtp_packet (f, MEDIA, f->seq++), PEER, PORT));
  push (f, from_address (rtp_packet (f, MEDIA, f->seq++), PEER, PORT));
  push (f, from_address (rtp_packet (f, MEDIA, f->seq++), PEER, PORT));
  fail_unless (gst_harness_buffers_in_queue (f->rtp) >= 2);
  fail_unless_equals_uint64 (stat (f, "members"), 2);
  fail_unless_equals_uint64 (stat (f, "ssrc"), MEDIA);
}

/* The same without addresses: the longest silent makes room. */
TEST (test_places_are_taken_back)
{
  guint i;

  for (i = 0; i < 40; i++) {
    push (f, rtp_packet (f, 0x70000000 + i, 1));
    push (f, rtp_packet (f, 0x70000000 + i, 2));
  }
  advance (f, 600 * GST_MSECOND);
  stream (f, 10);
  fail_unless_equals_uint64 (stat (f, "ssrc"), MEDIA);
}

TEST (test_the_peer_may_move)
{
  guint i, passed = 0;
  GstBuffer *buffer;

  call (f, 500);
  advance (f, 100 * GST_MSECOND);
  for (i = 0; i < 10; i++) {
    push (f, from_address (rtp_packet (f, MEDIA, f->seq++), "192.0.2.2", 40000));
    advance (f, PERIOD);
  }
  while ((buffer = gst_harness_try_pull (f->rtp)) != NULL) {
    passed++;
    gst_buffer_unref (buffer);
  }
  fail_unless_equals_int (passed, 9);
  fail_unless_equals_uint64 (stat (f, "peer-moves"), 1);
}

/* From the peer's own address. */
TEST (test_one_stream_reaches_a_jitter_buffer)
{
  GstBuffer *buffer;
  guint i;

  g_object_set (f->rtp->element, "single-stream", TRUE, NULL);
  stream (f, 10);
  for (i = 0; i < 50; i++) {
    push (f, rtp_packet (f, MEDIA, f->seq++));
    advance (f, PERIOD / 2);
    push (f, rtp_packet (f, 0x7777, (guint16)i));
    advance (f, PERIOD / 2);
  }
  while ((buffer = gst_harness_try_pull (f->rtp)) != NULL) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
    fail_unless_equals_int (gst_rtp_buffer_get_ssrc (&rtp), MEDIA);
    gst_rtp_buffer_unmap (&rtp);
    gst_buffer_unref (buffer);
  }
}

TEST (test_a_named_peer)
{
  gst_element_set_state (f->rtp->element, GST_STATE_READY);
  g_object_set (f->rtp->element, "peer-address", PEER, NULL);
  gst_element_set_state (f->rtp->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (f->rtp, CAPS);
  push (f, from_address (rtp_packet (f, 0x7777, 1), STRANGER, PORT));
  push (f, from_address (rtp_packet (f, 0x7777, 2), STRANGER, PORT));
  fail_unless_equals_uint64 (stat (f, "strangers"), 2);
}

/* One that cannot be read is an error: it would be anybody else. */
GST_START_TEST (test_a_peer_that_cannot_be_read)
{
  static const gchar *const wrong[] = {"localhost", "192.0.2.300", "192.0.2.1:5004", "192.0.2.1 "};
  static const gchar *const right[] = {NULL, "", "192.0.2.1", "2001:db8::1"};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (wrong) + G_N_ELEMENTS (right); i++) {
    gboolean is_wrong = i < G_N_ELEMENTS (wrong);
    GstElement *element = gst_element_factory_make ("rtcpavpf", NULL);
    GstBus *bus = gst_bus_new ();
    GstMessage *message;

    gst_element_set_bus (element, bus);
    g_object_set (element, "peer-address", is_wrong ? wrong[i] : right[i - G_N_ELEMENTS (wrong)], NULL);
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE, is_wrong);
    message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    fail_unless_equals_int (message != NULL, is_wrong);
    g_clear_pointer (&message, gst_message_unref);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_object_unref (bus);
    gst_object_unref (element);
  }
}
GST_END_TEST;

static Suite *
rtcpavpftrust_suite (void)
{
  Suite *suite = suite_create ("rtcpavpftrust");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_large_rtcp_of_strangers_counts_for_nothing);
  tcase_add_test (tcase, test_large_rtcp_without_an_address);
  tcase_add_test (tcase, test_invented_members_of_strangers_do_not_count);
  tcase_add_test (tcase, test_invented_members_of_the_peer_are_few);
  tcase_add_test (tcase, test_a_stranger_draws_nothing);
  tcase_add_test (tcase, test_answers_are_three_times_what_came);
  tcase_add_test (tcase, test_places_taken_before_the_call);
  tcase_add_test (tcase, test_places_are_taken_back);
  tcase_add_test (tcase, test_the_peer_may_move);
  tcase_add_test (tcase, test_one_stream_reaches_a_jitter_buffer);
  tcase_add_test (tcase, test_a_named_peer);
  tcase_add_test (tcase, test_a_peer_that_cannot_be_read);
  return suite;
}

GST_CHECK_MAIN (rtcpavpftrust)
