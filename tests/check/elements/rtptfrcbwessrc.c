/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcbwe when SSRCs change, in virtual time: the new one has the old one's share at once, and who is another stream
   has none of it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "bwecall.h"
#include "gstccrtcp.h"

#define AT_ONCE (2 * GST_SECOND / FPS + 20 * MS) /* the second frame, and a look at the rate */

static guint told[STREAMS];

static void
frame_of_0 (Call *c)
{
  read_shares (c, told);
  push_frame (c, 0, told[0] > 0 ? told[0] / 8 / FPS : 1000);
}

static void
frame_of_0_and_2 (Call *c)
{
  frame_of_0 (c);
  push_frame (c, 2, told[2] > 0 ? told[2] / 8 / FPS : 1000);
}

static Call *
call_after (const gchar *caps, EachFrame frame)
{
  Call *c = call_with (2e6, caps);

  memset (told, 0, sizeof told);
  run_call (c, 5, frame);
  return c;
}

/* Frames of `stream` for so long; what was told meanwhile is in `told`. */
static void
frames_of (Call *c, guint stream, GstClockTime span)
{
  GstClockTime end = now_of (c) + span;

  memset (told, 0, sizeof told);
  while (now_of (c) < end) {
    push_frame (c, stream, 3000);
    run_to (c, MIN (now_of (c) + GST_SECOND / FPS, end));
    read_shares (c, told);
  }
}

static double
part_of (Call *c, guint stream)
{
  return told[stream] / (double)stat_of (c, "bitrate");
}

static void
push_caps (Call *c, guint ssrc)
{
  gchar *text = g_strdup_printf ("%s,ssrc=(uint)%u", CAPS, ssrc);
  GstCaps *caps = gst_caps_from_string (text);

  gst_harness_push_event (c->h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  g_free (text);
}

static void
push_stream_start (Call *c, const gchar *id)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (c->h, gst_event_new_stream_start (id));
  gst_harness_push_event (c->h, gst_event_new_segment (&segment));
}

/* A payloader that begins anew under another SSRC and says nothing of it. */
GST_START_TEST (test_silent_change)
{
  Call *c = call_after (BUNDLE_CAPS, frame_of_0);

  frames_of (c, 1, AT_ONCE);
  fail_unless (part_of (c, 1) > 0.95, "%f", part_of (c, 1));
  call_free (c);
}
GST_END_TEST;

/* The same where caps say it: from its first packet on. */
GST_START_TEST (test_announced_change)
{
  Call *c = call_with (2e6, CAPS ",ssrc=(uint)4369"); /* VIDEO */

  memset (told, 0, sizeof told);
  run_call (c, 5, frame_of_0);
  push_caps (c, VIDEO + 1);
  frames_of (c, 1, 20 * MS);
  fail_unless (part_of (c, 1) > 0.95, "%f", part_of (c, 1));
  push_caps (c, VIDEO + 2);
  frames_of (c, 2, 20 * MS);
  fail_unless (part_of (c, 2) > 0.95, "%f", part_of (c, 2));
  call_free (c);
}
GST_END_TEST;

/* rtpsession tells of a collision: the share is free before the payloader's next SSRC comes. */
GST_START_TEST (test_collision_frees_the_share)
{
  Call *c = call_after (CAPS, frame_of_0);

  gst_harness_push_upstream_event (c->h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
                                             gst_structure_new ("GstRTPCollision", "ssrc", G_TYPE_UINT, VIDEO, NULL)));
  frames_of (c, 1, 20 * MS);
  fail_unless (part_of (c, 1) > 0.95, "%f", part_of (c, 1));
  fail_unless_equals_int (told[0], 0);
  call_free (c);
}
GST_END_TEST;

static void
check_halves (Call *c)
{
  fail_unless (fabs (part_of (c, 0) - 0.5) < 0.025 && fabs (part_of (c, 1) - 0.5) < 0.025, "%f and %f", part_of (c, 0),
      part_of (c, 1));
}

/* A second camera of the same payload type, the first goes on: both have a half from the first packet on, also
   when it pauses for three frames then. */
GST_START_TEST (test_another_camera)
{
  Call *c = call_after (BUNDLE_CAPS, frame_of_0);
  guint i;

  memset (told, 0, sizeof told);
  for (i = 0; i < FPS / 2; i++) {
    push_frame (c, 0, 3000);
    run_to (c, now_of (c) + 15 * MS);
    push_frame (c, 1, 3000);
    run_to (c, now_of (c) + 18 * MS);
    read_shares (c, told);
    check_halves (c);
  }
  frames_of (c, 1, 120 * MS);
  run_to (c, now_of (c) + 200 * MS); /* whatever it is, it is told */
  read_shares (c, told);
  check_halves (c);
  call_free (c);
}
GST_END_TEST;

/* The same of two that a funnel names in turn, each by caps under a stream-id of its own. */
GST_START_TEST (test_cameras_in_a_funnel)
{
  Call *c = call_with (2e6, CAPS);
  guint i;

  memset (told, 0, sizeof told);
  for (i = 0; i < FPS; i++) {
    push_stream_start (c, "first");
    push_caps (c, VIDEO);
    push_frame (c, 0, 3000);
    run_to (c, now_of (c) + 3 * MS);
    push_stream_start (c, "second");
    push_caps (c, VIDEO + 1);
    push_frame (c, 1, 3000);
    run_to (c, now_of (c) + 30 * MS);
    read_shares (c, told);
    if (i > 0)
      check_halves (c);
  }
  call_free (c);
}
GST_END_TEST;

/* A camera that pauses while another of its payload type begins: taken for the same, until it goes on. */
GST_START_TEST (test_a_pause_is_mistaken)
{
  Call *c = call_after (BUNDLE_CAPS, frame_of_0);

  frames_of (c, 1, AT_ONCE);
  fail_unless (part_of (c, 1) > 0.95, "%f", part_of (c, 1));
  push_frame (c, 0, 3000);
  run_to (c, now_of (c) + 20 * MS);
  read_shares (c, told);
  fail_unless (fabs ((double)told[0] / told[1] - 1) < 0.05, "%u and %u", told[0], told[1]);
  call_free (c);
}
GST_END_TEST;

/* Of two with weights 3 and 1 the first gets another SSRC, which nobody named: it has the old one's weight, until it is
   given one of its own. */
GST_START_TEST (test_weight_is_kept)
{
  GstStructure *weights = gst_structure_from_string ("weights, ssrc-4369=(double)3", NULL); /* VIDEO */
  Call *c = call_after (BUNDLE_CAPS, frame_of_0_and_2);
  guint i;

  g_object_set (c->element, "weights", weights, NULL);
  run_call (c, 3, frame_of_0_and_2);
  fail_unless (fabs (told[0] / 3.0 / told[2] - 1) < 0.05, "%u and %u", told[0], told[2]);
  memset (told, 0, sizeof told);
  for (i = 0; i < 10; i++) {
    push_frame (c, 1, 6000);
    push_frame (c, 2, 3000);
    run_to (c, now_of (c) + GST_SECOND / FPS);
    read_shares (c, told);
  }
  fail_unless (fabs (told[1] / 3.0 / told[2] - 1) < 0.05, "%u and %u", told[1], told[2]);
  gst_structure_set (weights, "ssrc-4370", G_TYPE_DOUBLE, 2.0, NULL);
  g_object_set (c->element, "weights", weights, NULL);
  run_to (c, now_of (c) + 20 * MS);
  read_shares (c, told);
  fail_unless (fabs (told[1] / 2.0 / told[2] - 1) < 0.05, "%u and %u", told[1], told[2]);
  gst_structure_free (weights);
  call_free (c);
}
GST_END_TEST;

/* The session says BYE for an SSRC of ours: what it had is the other's at once. */
GST_START_TEST (test_bye)
{
  GstElement *session = gst_element_factory_make ("rtpsession", NULL), *sink;
  Call *c = call_after (BUNDLE_CAPS, frame_of_0_and_2);
  GstPad *src = gst_element_get_static_pad (c->element, "src"), *peer = gst_pad_get_peer (src), *in, *out;
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  const guint32 ssrc = VIDEO;
  GObject *internal;
  gboolean needed;
  guint i;

  gst_pad_unlink (src, peer);
  in = gst_element_request_pad_simple (session, "send_rtp_sink");
  out = gst_element_get_static_pad (session, "send_rtp_src");
  sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  gst_object_unref (peer);
  peer = gst_element_get_static_pad (sink, "sink");
  gst_pad_link_full (out, peer, GST_PAD_LINK_CHECK_NOTHING);
  gst_pad_link_full (src, in, GST_PAD_LINK_CHECK_NOTHING);
  gst_element_set_state (sink, GST_STATE_PLAYING);
  gst_element_set_state (session, GST_STATE_PLAYING);
  push_frame (c, 0, 1000);
  push_frame (c, 2, 1000);
  g_object_get (session, "internal-session", &internal, NULL);
  fail_unless (rtcp_add_rr (&rtcp, VIDEO, NULL, 0));
  fail_unless (rtcp_add_bye (&rtcp, &ssrc, 1));
  gst_cc_rtcp_close (&rtcp, buffer);
  memset (told, 0, sizeof told);
  g_signal_emit_by_name (internal, "on-sending-rtcp", buffer, FALSE, &needed);
  fail_if (needed);
  for (i = 0; i < 500 && part_of (c, 2) < 0.95; i++) { /* the session has a thread of its own at the clock */
    run_to (c, now_of (c) + MS);
    g_usleep (1000);
    read_shares (c, told);
  }
  fail_unless (part_of (c, 2) > 0.95, "%f", part_of (c, 2));
  gst_buffer_unref (buffer);
  g_object_unref (internal);
  gst_element_set_state (session, GST_STATE_NULL);
  gst_element_set_state (sink, GST_STATE_NULL);
  gst_object_unref (src);
  gst_object_unref (peer);
  gst_object_unref (in);
  gst_object_unref (out);
  gst_object_unref (session);
  gst_object_unref (sink);
  call_free (c);
}
GST_END_TEST;

static Suite *
rtptfrcbwessrc_suite (void)
{
  Suite *s = suite_create ("rtptfrcbwessrc");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_silent_change);
  tcase_add_test (tc, test_announced_change);
  tcase_add_test (tc, test_collision_frees_the_share);
  tcase_add_test (tc, test_another_camera);
  tcase_add_test (tc, test_cameras_in_a_funnel);
  tcase_add_test (tc, test_a_pause_is_mistaken);
  tcase_add_test (tc, test_weight_is_kept);
  tcase_add_test (tc, test_bye);
  return s;
}

GST_CHECK_MAIN (rtptfrcbwessrc)
