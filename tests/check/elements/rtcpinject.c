/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtcpinject: what it puts into the RTCP of a session, which this file has sent by the session's signal. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccrtcp.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#define OURS 0x1111   /* the session's SSRC */
#define SHAPER 0x2222 /* who says so */
#define MEDIA 0x3333

typedef struct {
  GstHarness *h;
  GstElement *rtpsession;
  GObject *session;
} Fixture;

static void
setup (Fixture *f)
{
  f->h = gst_harness_new_with_padnames ("rtcpinject", "sink", NULL);
  gst_harness_set_src_caps_str (f->h, "application/x-rtcp");
  f->rtpsession = gst_element_factory_make ("rtpsession", NULL);
  g_object_get (f->rtpsession, "internal-session", &f->session, NULL);
  g_object_set (f->h->element, "session", f->session, NULL);
}

static void
teardown (Fixture *f)
{
  gst_harness_teardown (f->h);
  g_object_unref (f->session);
  gst_object_unref (f->rtpsession);
}

static GstBuffer *
compound_new (guint32 ssrc, guint room, RtcpWriter *rtcp)
{
  GstBuffer *buffer = gst_cc_rtcp_open (rtcp, room);

  fail_unless (rtcp_add_rr (rtcp, ssrc, NULL, 0));
  return buffer;
}

/* As paqmshaper has it: report, description, REMB. */
static void
push_remb (Fixture *f, guint64 bitrate)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = compound_new (SHAPER, RTCP_MTU, &rtcp);
  RtcpRemb remb = {.bitrate_bps = bitrate, .n_ssrcs = 1, .ssrcs = {MEDIA}};

  rtcp_add_cname (&rtcp, SHAPER, "shaper");
  fail_unless (rtcp_add_remb (&rtcp, SHAPER, &remb));
  gst_cc_rtcp_close (&rtcp, buffer);
  fail_unless_equals_int (gst_harness_push (f->h, buffer), GST_FLOW_OK);
}

static void
push_pli (Fixture *f, guint32 media)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = compound_new (SHAPER, RTCP_MTU, &rtcp);

  fail_unless (rtcp_add_pli (&rtcp, SHAPER, media));
  gst_cc_rtcp_close (&rtcp, buffer);
  fail_unless_equals_int (gst_harness_push (f->h, buffer), GST_FLOW_OK);
}

typedef struct {
  guint rembs, plis, names;
  guint64 bitrate;
  guint32 sender;
} Seen;

static void
on_remb (gpointer user, guint32 sender, const RtcpRemb *remb)
{
  Seen *seen = user;

  seen->rembs++;
  seen->bitrate = remb->bitrate_bps;
  seen->sender = sender;
}

static void
on_pli (gpointer user, guint32 sender, guint32 media)
{
  ((Seen *)user)->plis++;
}

static void
on_cname (gpointer user, guint32 ssrc, const gchar *cname)
{
  ((Seen *)user)->names++;
}

/* What leaves when the session sends an empty report in a buffer with room for `room` bytes. */
static Seen
session_sends (Fixture *f, guint room)
{
  static const RtcpHandlers handlers = {.remb = on_remb, .pli = on_pli, .cname = on_cname};
  RtcpWriter rtcp;
  GstBuffer *buffer = compound_new (OURS, room, &rtcp);
  gboolean changed = FALSE;
  Seen seen = {0};
  GstMapInfo map;

  gst_cc_rtcp_close (&rtcp, buffer);
  g_signal_emit_by_name (f->session, "on-sending-rtcp", buffer, TRUE, &changed);
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  fail_unless (rtcp_walk (map.data, map.size, &handlers, &seen));
  fail_unless_equals_int (changed, map.size > 8);
  gst_buffer_unmap (buffer, &map);
  gst_buffer_unref (buffer);
  return seen;
}

static guint64
count (Fixture *f, const gchar *name)
{
  guint64 value;

  g_object_get (f->h->element, name, &value, NULL);
  return value;
}

GST_START_TEST (test_remb_goes_along_once)
{
  Fixture f;
  Seen seen;

  setup (&f);
  push_remb (&f, 500000);
  seen = session_sends (&f, 1200);
  fail_unless_equals_int (seen.rembs, 1);
  fail_unless_equals_uint64 (seen.bitrate, 500000);
  fail_unless_equals_int (seen.sender, OURS);
  fail_unless_equals_int (seen.names, 0);
  fail_unless_equals_int (session_sends (&f, 1200).rembs, 0);
  fail_unless_equals_uint64 (count (&f, "sent"), 1);
  teardown (&f);
}
GST_END_TEST;

GST_START_TEST (test_the_newest_of_a_matter)
{
  Fixture f;
  Seen seen;

  setup (&f);
  push_remb (&f, 500000);
  push_pli (&f, MEDIA);
  push_pli (&f, MEDIA + 1);
  push_pli (&f, MEDIA);
  push_remb (&f, 300000);
  seen = session_sends (&f, 1200);
  fail_unless_equals_int (seen.rembs, 1);
  fail_unless_equals_uint64 (seen.bitrate, 300000);
  fail_unless_equals_int (seen.plis, 2);
  teardown (&f);
}
GST_END_TEST;

/* 8 bytes of report, 24 of REMB, 12 of each PLI. */
GST_START_TEST (test_no_room)
{
  Fixture f;
  Seen seen;

  setup (&f);
  push_remb (&f, 500000);
  push_pli (&f, MEDIA);
  seen = session_sends (&f, 24);
  fail_unless_equals_int (seen.rembs, 0);
  fail_unless_equals_int (seen.plis, 1);
  fail_unless_equals_int (session_sends (&f, 31).rembs, 0);
  fail_unless_equals_int (session_sends (&f, 32).rembs, 1);
  teardown (&f);
}
GST_END_TEST;

GST_START_TEST (test_what_is_no_rtcp)
{
  guint8 bytes[64];
  Fixture f;
  guint i, size;

  setup (&f);
  for (i = 0; i < 2000; i++) {
    for (size = 0; size < sizeof bytes; size++)
      bytes[size] = (guint8)g_random_int ();
    if (i % 2)
      bytes[0] = 0x80, bytes[1] = 206;
    gst_harness_push (f.h, gst_buffer_new_memdup (bytes, 1 + i % sizeof bytes));
  }
  for (i = 0; i < 100; i++)
    push_pli (&f, i);
  fail_unless (count (&f, "dropped") >= 68);
  fail_unless (count (&f, "sent") == 0);
  session_sends (&f, 1200);
  fail_unless (count (&f, "sent") > 0);
  teardown (&f);
}
GST_END_TEST;

/* By the name of an rtpbin in the same pipeline, whose session comes later. */
GST_START_TEST (test_finds_the_session)
{
  GstElement *pipeline = gst_pipeline_new (NULL), *bin = gst_element_factory_make ("rtpbin", "b");
  GstElement *inject = gst_element_factory_make ("rtcpinject", NULL);
  GstPad *sink = gst_element_get_static_pad (inject, "sink"), *request;
  GObject *session = NULL, *expected = NULL;
  guint i;

  gst_bin_add_many (GST_BIN (pipeline), bin, inject, NULL);
  g_object_set (inject, "bin", "b", NULL);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_pad_send_event (sink, gst_event_new_stream_start ("x"));
  for (i = 0; i < 2; i++) {
    GstSegment segment;

    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_pad_send_event (sink, gst_event_new_segment (&segment));
    gst_pad_chain (sink, gst_buffer_new_allocate (NULL, 8, NULL));
    g_object_get (inject, "session", &session, NULL);
    if (i == 1)
      break;
    fail_unless (session == NULL);
    request = gst_element_request_pad_simple (bin, "recv_rtp_sink_0");
    gst_object_unref (request);
  }
  g_signal_emit_by_name (bin, "get-internal-session", 0, &expected);
  fail_unless (session != NULL && session == expected);
  g_object_unref (session);
  g_object_unref (expected);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  g_object_get (inject, "session", &session, NULL);
  fail_unless (session == NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
}
GST_END_TEST;

static GstElement *
inject_new (GstElement *pipeline, const gchar *bin, guint session_id)
{
  GstElement *inject = gst_element_factory_make ("rtcpinject", NULL);
  GstPad *sink = gst_element_get_static_pad (inject, "sink");
  GstSegment segment;

  g_object_set (inject, "bin", bin, "session-id", session_id, NULL);
  gst_bin_add (GST_BIN (pipeline), inject);
  gst_element_sync_state_with_parent (inject);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (sink, gst_event_new_stream_start ("x"));
  gst_pad_send_event (sink, gst_event_new_segment (&segment));
  gst_object_unref (sink);
  return inject;
}

static void
give_pli (GstElement *inject)
{
  GstPad *sink = gst_element_get_static_pad (inject, "sink");
  RtcpWriter rtcp;
  GstBuffer *buffer = compound_new (SHAPER, RTCP_MTU, &rtcp);

  fail_unless (rtcp_add_pli (&rtcp, SHAPER, MEDIA));
  gst_cc_rtcp_close (&rtcp, buffer);
  fail_unless_equals_int (gst_pad_chain (sink, buffer), GST_FLOW_OK);
  gst_object_unref (sink);
}

static GstElement *
rtpbin_new (GstElement *pipeline)
{
  GstElement *bin = gst_element_factory_make ("rtpbin", "b");

  gst_bin_add (GST_BIN (pipeline), bin);
  gst_element_sync_state_with_parent (bin);
  gst_object_unref (gst_element_request_pad_simple (bin, "recv_rtp_sink_0"));
  return bin;
}

static void
expect_session_of (GstElement *inject, GstElement *bin)
{
  GObject *session, *expected;

  g_signal_emit_by_name (bin, "get-internal-session", 0, &expected);
  g_object_get (inject, "session", &session, NULL);
  fail_unless (session != NULL && session == expected);
  g_object_unref (session);
  g_object_unref (expected);
}

static void
expect_warning (GstBus *bus, GstElement *from, const gchar *text)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  GError *error;

  fail_unless (message != NULL && GST_MESSAGE_SRC (message) == GST_OBJECT (from), "no warning: %s", text);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, text) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
}

/* Who has no session says so once, by then; and one that an application has made anew is found again. */
GST_START_TEST (test_two_seconds_without_a_session)
{
  GstElement *pipeline = gst_pipeline_new (NULL), *bin = rtpbin_new (pipeline), *inject[4];
  GstBus *bus = gst_element_get_bus (pipeline);
  guint i, round;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  inject[0] = inject_new (pipeline, NULL, 0);
  inject[1] = inject_new (pipeline, "nobody", 0);
  inject[2] = inject_new (pipeline, "b", 7);
  inject[3] = inject_new (pipeline, "b", 0);
  for (i = 0; i < 4; i++)
    give_pli (inject[i]);
  expect_session_of (inject[3], bin);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (pipeline), bin);
  bin = rtpbin_new (pipeline);
  g_usleep (2100 * 1000);
  for (round = 0; round < 2; round++)
    for (i = 0; i < 4; i++)
      give_pli (inject[i]);
  expect_session_of (inject[3], bin);
  expect_warning (bus, inject[0], "Set bin to the name");
  expect_warning (bus, inject[1], "no rtpbin or webrtcbin nobody");
  expect_warning (bus, inject[2], "b has no session 7");
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}
GST_END_TEST;

static Suite *
rtcpinject_suite (void)
{
  Suite *s = suite_create ("rtcpinject");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_remb_goes_along_once);
  tcase_add_test (tc, test_the_newest_of_a_matter);
  tcase_add_test (tc, test_no_room);
  tcase_add_test (tc, test_what_is_no_rtcp);
  tcase_add_test (tc, test_finds_the_session);
  tcase_add_test (tc, test_two_seconds_without_a_session);
  return s;
}

GST_CHECK_MAIN (rtcpinject)
