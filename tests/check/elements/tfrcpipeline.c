/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcsink and tfrcsrc in one pipeline, as in a call: two such pipelines, each an end. Time is real. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "tfrctest.h"

#define PICTURES 10
#define SOON (10 * GST_SECOND) /* on a busy machine */

/* ---- an end of a call ---- */

typedef struct {
  GstElement *pipeline, *sink, *screen;
} End;

/* What a user types for a screen is a sink that prerolls and waits for the clock. */
static void
end_open (End *end, gboolean live, guint16 to, guint16 at)
{
  gchar *line = g_strdup_printf (
      "videotestsrc is-live=%s ! video/x-raw,format=I420,width=64,height=48,framerate=30/1 ! jpegenc ! "
      "rtpjpegpay ! tfrcsink name=sink port=%u "
      "tfrcsrc port=%u encoding-name=JPEG ! rtpjpegdepay ! jpegdec ! "
      "fakesink name=screen sync=true",
      live ? "true" : "false", to, at);

  end->pipeline = gst_parse_launch (line, NULL);
  fail_unless (end->pipeline != NULL);
  end->sink = gst_bin_get_by_name (GST_BIN (end->pipeline), "sink");
  end->screen = gst_bin_get_by_name (GST_BIN (end->pipeline), "screen");
  g_free (line);
}

static void
end_close (End *end)
{
  gst_element_set_state (end->pipeline, GST_STATE_NULL);
  gst_object_unref (end->sink);
  gst_object_unref (end->screen);
  gst_object_unref (end->pipeline);
}

static guint64
pictures (const End *end)
{
  GstStructure *stats = stats_of (end->screen);
  guint64 shown = 0;

  gst_structure_get_uint64 (stats, "rendered", &shown);
  gst_structure_free (stats);
  return shown;
}

static gboolean
shows (const End *end, guint64 at_least)
{
  gint64 until = g_get_monotonic_time () + SOON / 1000;

  while (pictures (end) < at_least && g_get_monotonic_time () < until)
    g_usleep (5000);
  return pictures (end) >= at_least;
}

static void
call_open (End ends[2], gboolean live_a, gboolean live_b)
{
  guint16 a = free_port (), b = free_port ();

  end_open (&ends[0], live_a, b, a);
  end_open (&ends[1], live_b, a, b);
}

static void
call_set (End ends[2], GstState state)
{
  guint i;

  for (i = 0; i < 2; i++)
    fail_if (gst_element_set_state (ends[i].pipeline, state) == GST_STATE_CHANGE_FAILURE);
}

static void
call_shows (End ends[2], const gchar *when)
{
  guint64 before[2] = {pictures (&ends[0]), pictures (&ends[1])};
  guint i;

  for (i = 0; i < 2; i++)
    fail_unless (shows (&ends[i], before[i] + PICTURES), "%s: end %u shows %" G_GUINT64_FORMAT " more", when, i,
        pictures (&ends[i]) - before[i]);
}

static void
call_close (End ends[2])
{
  end_close (&ends[0]);
  end_close (&ends[1]);
}

/* ---- nobody waits for the other end ---- */

GST_START_TEST (test_both_ends_see)
{
  End ends[2];

  call_open (ends, __i__ & 1, __i__ & 2);
  call_set (ends, GST_STATE_PLAYING);
  call_shows (ends, "at once");
  fail_unless_equals_int (gst_element_get_state (ends[0].pipeline, NULL, NULL, SOON), GST_STATE_CHANGE_SUCCESS);
  call_close (ends);
}
GST_END_TEST;

/* As gst-launch does, which goes to PAUSED first; then pauses, one by one and at once; then from READY again. */
GST_START_TEST (test_states_in_any_order)
{
  End ends[2];

  call_open (ends, __i__, __i__);
  call_set (ends, GST_STATE_PAUSED);
  g_usleep (200000);
  call_set (ends, GST_STATE_PLAYING);
  call_shows (ends, "after PAUSED");
  call_set (ends, GST_STATE_PAUSED);
  call_set (ends, GST_STATE_PLAYING);
  call_shows (ends, "after a pause of both");
  gst_element_set_state (ends[1].pipeline, GST_STATE_PAUSED);
  g_usleep (200000);
  gst_element_set_state (ends[1].pipeline, GST_STATE_PLAYING);
  call_shows (ends, "after a pause of one");
  call_set (ends, GST_STATE_READY);
  call_set (ends, GST_STATE_PLAYING);
  call_shows (ends, "after READY");
  call_close (ends);
}
GST_END_TEST;

GST_START_TEST (test_async_is_the_application_s_again)
{
  gboolean async;
  End ends[2];

  call_open (ends, TRUE, TRUE);
  call_set (ends, GST_STATE_PLAYING);
  call_shows (ends, "at once");
  call_set (ends, GST_STATE_READY);
  g_object_get (ends[0].sink, "async", &async, NULL);
  fail_unless (async);
  call_close (ends);
}
GST_END_TEST;

/* ---- what is no call stays as it was ---- */

/* A file prerolls: its first packet is there before time begins. The clock then paces it: of 60 pictures at 30 a second
   the last is due after 59/30 s. */
GST_START_TEST (test_a_file_prerolls_and_keeps_its_time)
{
  GstElement *pipeline, *sink;
  gint64 began, took;
  Peer peer;
  gchar *line;

  peer_open (&peer);
  line = g_strdup_printf (
      "videotestsrc num-buffers=60 ! video/x-raw,format=I420,width=64,height=48,framerate=30/1 ! jpegenc ! "
      "rtpjpegpay ! tfrcsink name=sink host=127.0.0.1 port=%u",
      peer.port);
  pipeline = gst_parse_launch (line, NULL);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PAUSED), GST_STATE_CHANGE_ASYNC);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, SOON), GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_uint64 (stat_of (sink, "packets-sent"), 0);
  began = g_get_monotonic_time ();
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (GST_ELEMENT_BUS (pipeline), SOON, GST_MESSAGE_EOS));
  took = g_get_monotonic_time () - began;
  fail_unless (took > 1900000, "%" G_GINT64_FORMAT " us", took);
  /* on a busy machine one may be too late */
  fail_unless_equals_uint64 (stat_of (sink, "frames-sent") + stat_of (sink, "frames-dropped"), 60);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  gst_object_unref (pipeline);
  g_free (line);
  peer_close (&peer);
}
GST_END_TEST;

/* ---- latency ---- */

/* The age of what arrives, by its RTP time: the pipeline's running time from 0 on. */
static gint64
age_us (const Peer *peer, GstElement *pipeline)
{
  GstClock *clock = gst_element_get_clock (pipeline);
  GstClockTime now = gst_clock_get_time (clock) - gst_element_get_base_time (pipeline);
  guint32 timestamp = GST_READ_UINT32_BE (peer->data + 4);

  gst_object_unref (clock);
  return (gint64)(now / 1000) - (gint64)gst_util_uint64_scale (timestamp, 1000000, 90000);
}

/* What is sent does not wait for the jitter buffer of what is received: 1 s here, a pipeline's latency being its
   longest branch's. A frame's capture takes a thirtieth of a second. */
GST_START_TEST (test_other_branches_latency_delays_nothing)
{
  GstElement *pipeline;
  Peer peer;
  gint64 age = G_MAXINT64;
  gchar *line;
  guint i;

  peer_open (&peer);
  line = g_strdup_printf (
      "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=30/1 ! jpegenc ! "
      "rtpjpegpay timestamp-offset=0 ! tfrcsink host=127.0.0.1 port=%u "
      "tfrcsrc port=%u encoding-name=JPEG latency=1000 ! fakesink sync=true async=false",
      peer.port, free_port ());
  pipeline = gst_parse_launch (line, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (i = 0; i < 45; i++) {
    fail_unless (peer_receive_rtp (&peer, 5000));
    if (i >= 15) /* the first ones come before the latency is known */
      age = MIN (age, age_us (&peer, pipeline));
  }
  fail_unless (age < 500000, "%" G_GINT64_FORMAT " us old", age);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (line);
  peer_close (&peer);
}
GST_END_TEST;

/* ---- addresses ---- */

/* On one machine, nothing typed but the port; `localhost` is ::1 first; and the machine's IPv4 address. */
GST_START_TEST (test_addresses_that_are_not_typed)
{
  static const gchar *const hosts[] = {"", "host=localhost", "host=127.0.0.1"};
  guint16 port = free_port ();
  gchar *sends = g_strdup_printf (
      "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,framerate=30/1 ! jpegenc ! "
      "rtpjpegpay ! tfrcsink port=%u %s",
      port, hosts[__i__]);
  gchar *receives =
      g_strdup_printf ("tfrcsrc port=%u encoding-name=JPEG ! rtpjpegdepay ! jpegdec ! fakesink name=screen", port);
  GstElement *sender = gst_parse_launch (sends, NULL);
  End receiver = {.pipeline = gst_parse_launch (receives, NULL)};

  receiver.screen = gst_bin_get_by_name (GST_BIN (receiver.pipeline), "screen");
  gst_element_set_state (receiver.pipeline, GST_STATE_PLAYING);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  fail_unless (shows (&receiver, PICTURES), "'%s' does not reach tfrcsrc", hosts[__i__]);
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_element_set_state (receiver.pipeline, GST_STATE_NULL);
  gst_object_unref (receiver.screen);
  gst_object_unref (receiver.pipeline);
  gst_object_unref (sender);
  g_free (sends);
  g_free (receives);
}
GST_END_TEST;

static Suite *
tfrcpipeline_suite (void)
{
  Suite *suite = suite_create ("tfrcpipeline");
  TCase *tcase = tcase_create ("call");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_loop_test (tcase, test_both_ends_see, 0, 4);
  tcase_add_loop_test (tcase, test_states_in_any_order, 0, 2);
  tcase_add_test (tcase, test_async_is_the_application_s_again);
  tcase_add_test (tcase, test_a_file_prerolls_and_keeps_its_time);
  tcase_add_test (tcase, test_other_branches_latency_delays_nothing);
  tcase_add_loop_test (tcase, test_addresses_that_are_not_typed, 0, 3);
  return suite;
}

GST_CHECK_MAIN (tfrcpipeline);
