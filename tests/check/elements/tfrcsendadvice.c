/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the warnings are due, in virtual time; then that tfrcsink posts them, once. */
#include "gsttfrcsendadvice.h"

#include "gstccsrtp.h"
#include "gstrateevent.h"
#include "tfrctest.h"

#define RTP "application/x-rtp, media = (string) video, clock-rate = (int) 90000, encoding-name = (string) H264"

GST_DEBUG_CATEGORY (gst_tfrc_sink_debug);

/* ---- in virtual time ---- */

static guint skipped, of;

static GstTfrcSendMistake
look (GstTfrcSendAdvice *a, const GstTfrcSendCounts *counts, guint ms)
{
  return gst_tfrc_send_advice_look (a, counts, ms * CC_MSECOND, &skipped, &of);
}

GST_START_TEST (test_no_feedback_while_sending)
{
  GstTfrcSendCounts counts = {.needs_feedback = TRUE};
  GstTfrcSendAdvice a;

  gst_tfrc_send_advice_init (&a, 0);
  fail_unless_equals_int (look (&a, &counts, 20000), GST_TFRC_SEND_ADVICE_NONE); /* a paused pipeline sends nothing */
  counts.packets_sent = 1;
  fail_unless_equals_int (look (&a, &counts, 20000), GST_TFRC_SEND_ADVICE_NONE);
  fail_unless_equals_int (look (&a, &counts, 24999), GST_TFRC_SEND_ADVICE_NONE);
  fail_unless_equals_int (look (&a, &counts, 25000), GST_TFRC_SEND_ADVICE_NO_FEEDBACK);
  fail_unless_equals_int (look (&a, &counts, 60000), GST_TFRC_SEND_ADVICE_NONE);
}
GST_END_TEST;

GST_START_TEST (test_no_feedback_is_no_mistake)
{
  static const GstTfrcSendCounts right[] = {
      {.packets_sent = 1, .needs_feedback = TRUE, .rtcp_received = 1}, {.packets_sent = 1}, /* burst control */
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (right); i++) {
    GstTfrcSendAdvice a;

    gst_tfrc_send_advice_init (&a, 0);
    look (&a, &right[i], 1);
    fail_unless_equals_int (look (&a, &right[i], 10000), GST_TFRC_SEND_ADVICE_NONE);
  }
}
GST_END_TEST;

/* A port that is closed is told of; one that opens, and says nothing for as long, is not. */
GST_START_TEST (test_no_feedback_after_refusals)
{
  GstTfrcSendCounts counts = {.packets_sent = 1, .needs_feedback = TRUE};
  GstTfrcSendAdvice a;
  guint s;

  gst_tfrc_send_advice_init (&a, 0);
  for (s = 0; s <= 20; s++) {
    counts.explained++;
    fail_unless_equals_int (look (&a, &counts, 1000 * s), GST_TFRC_SEND_ADVICE_NONE);
  }
  fail_unless_equals_int (look (&a, &counts, 24999), GST_TFRC_SEND_ADVICE_NONE);
  fail_unless_equals_int (look (&a, &counts, 25000), GST_TFRC_SEND_ADVICE_NO_FEEDBACK);
}
GST_END_TEST;

/* 5 s each; RTCP comes but where said otherwise. */
static GstTfrcSendMistake
five_seconds (guint sent, guint dropped, gboolean reports)
{
  GstTfrcSendCounts counts = {.packets_sent = 1, .frames_sent = 100, .frames_dropped = 50, .rtcp_received = 1};
  GstTfrcSendAdvice a;

  gst_tfrc_send_advice_init (&a, 0);
  look (&a, &counts, 5000);
  counts.frames_sent += sent;
  counts.frames_dropped += dropped;
  counts.rtcp_received += reports;
  fail_unless_equals_int (look (&a, &counts, 9999), GST_TFRC_SEND_ADVICE_NONE);
  return look (&a, &counts, 10000);
}

GST_START_TEST (test_skipped_frames)
{
  fail_unless_equals_int (five_seconds (135, 15, TRUE), GST_TFRC_SEND_ADVICE_SKIPPED);
  fail_unless (skipped == 15 && of == 150);
  fail_unless_equals_int (five_seconds (136, 14, TRUE), GST_TFRC_SEND_ADVICE_NONE);
  fail_unless_equals_int (five_seconds (9, 9, TRUE), GST_TFRC_SEND_ADVICE_NONE);
  fail_unless_equals_int (five_seconds (0, 150, FALSE), GST_TFRC_SEND_ADVICE_NONE); /* an outage */
}
GST_END_TEST;

/* A change of host resets the counters. */
GST_START_TEST (test_counters_that_begin_anew)
{
  GstTfrcSendCounts counts = {.packets_sent = 1, .frames_sent = 100, .frames_dropped = 0, .rtcp_received = 1};
  GstTfrcSendAdvice a;

  gst_tfrc_send_advice_init (&a, 0);
  look (&a, &counts, 5000);
  counts.frames_sent = 2;
  counts.frames_dropped = 20;
  counts.rtcp_received = 9;
  fail_unless_equals_int (look (&a, &counts, 10000), GST_TFRC_SEND_ADVICE_NONE);
}
GST_END_TEST;

/* ---- tfrcsink ---- */

typedef struct {
  Flow flow;
  GstBus *bus;
  guint frames;
} Sending;

static void
sending_open (Sending *s, const gchar *property, gint value)
{
  flow_open (&s->flow, RTP, property, value, NULL);
  s->bus = gst_bus_new ();
  gst_element_set_bus (s->flow.sink, s->bus);
}

/* With a key, where there is SRTP: what answer () sends is none. */
static void
sending_open_locked (Sending *s)
{
  if (!gst_cc_srtp_is_available ()) {
    sending_open (s, "mode", 2);
    return;
  }
  flow_open (&s->flow, RTP, NULL);
  gst_element_set_state (s->flow.sink, GST_STATE_NULL);
  gst_util_set_object_arg (
      G_OBJECT (s->flow.sink), "srtp-key", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d");
  s->bus = gst_bus_new ();
  gst_element_set_bus (s->flow.sink, s->bus);
  gst_element_set_state (s->flow.sink, GST_STATE_PLAYING);
}

static void
answer_by (Sending *s, GSocket *socket)
{
  static const guint8 empty_report[] = {0x80, 201, 0, 1, 0x11, 0x22, 0x33, 0x44};

  while (peer_receive (&s->flow.peer, 0))
    ;
  if (s->flow.peer.sender != NULL)
    send_from (socket, s->flow.peer.sender, empty_report, sizeof empty_report);
}

static void
answer (Sending *s)
{
  answer_by (s, s->flow.peer.socket);
}

/* How many warnings have this text; none may have another. */
static guint
sending_close (Sending *s, const gchar *text)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (s->bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)) != NULL) {
    GError *error;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (text != NULL && strstr (error->message, text) != NULL, "\"%s\"", error->message);
    n++;
    g_error_free (error);
    gst_message_unref (message);
  }
  gst_element_set_bus (s->flow.sink, NULL);
  gst_object_unref (s->bus);
  flow_close (&s->flow);
  return n;
}

/* The probe of an application that sets the encoder itself. */
static GstPadProbeReturn
on_query (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  return gst_rate_reader_is_asked_for (GST_PAD_PROBE_INFO_QUERY (info)) ? GST_PAD_PROBE_HANDLED : GST_PAD_PROBE_OK;
}

/* All at once, as each takes seconds: 25 frames a second, of 12 kbyte (2.4 Mbit/s) where too many are sent. */
GST_START_TEST (test_tfrcsink_says_it_once)
{
  Sending unheard, uncontrolled, too_much, governed, right, locked, elsewhere;
  Peer other_address;
  guint i;

  sending_open (&unheard, "max-bitrate", 1000000);
  sending_open (&uncontrolled, "mode", 2);
  sending_open (&too_much, "max-bitrate", 500000);
  sending_open (&governed, "max-bitrate", 500000);
  sending_open (&right, "max-bitrate", 1000000);
  sending_open_locked (&locked);
  sending_open (&elsewhere, "max-bitrate", 1000000);
  peer_open_at (&other_address, "127.0.0.2", elsewhere.flow.peer.port);
  gst_pad_add_probe (governed.flow.h->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, on_query, NULL, NULL);
  for (i = 0; i < 290; i++) {
    flow_push_frame (&unheard.flow, 1, 1, 60);
    flow_push_frame (&uncontrolled.flow, 1, 1, 60);
    flow_push_frame (&right.flow, 1, 1, 60);
    flow_push_frame (&locked.flow, 1, 1, 60);
    flow_push_frame (&elsewhere.flow, 1, 1, 60);
    flow_push_frame (&too_much.flow, 1, 12, 1000);
    flow_push_frame (&governed.flow, 1, 12, 1000);
    if (i % 25 == 10) {
      answer (&too_much);
      answer (&governed);
      answer (&right);
      answer (&locked);
      answer_by (&elsewhere, other_address.socket);
    }
    g_usleep (40000);
  }
  fail_unless_equals_int (sending_close (&unheard, "No feedback has come from 127.0.0.1"), 1);
  fail_unless_equals_int (sending_close (&uncontrolled, NULL), 0);
  fail_unless_equals_int (sending_close (&too_much, "Put ratecontrol between encoder and payloader"), 1);
  fail_unless_equals_int (sending_close (&governed, NULL), 0);
  fail_unless_equals_int (sending_close (&right, NULL), 0);
  fail_unless_equals_int (sending_close (&locked, "not made with the key"), gst_cc_srtp_is_available ());
  fail_unless_equals_int (sending_close (&elsewhere, "Feedback comes from 127.0.0.2, not from 127.0.0.1"), 1);
  peer_close (&other_address);
}
GST_END_TEST;

/* ratecontrol answers the question that the sender asks, through a payloader and a bin's wall; nobody else does. */
static gboolean
is_governed (const gchar *line)
{
  GstElement *pipeline = gst_parse_launch (line, NULL), *last = gst_bin_get_by_name (GST_BIN (pipeline), "last");
  GstPad *pad = gst_element_get_static_pad (last, "sink");
  gboolean is = gst_rate_reader_is_upstream (pad, 0);

  gst_object_unref (pad);
  gst_object_unref (last);
  gst_object_unref (pipeline);
  return is;
}

GST_START_TEST (test_ratecontrol_is_found)
{
  fail_unless (is_governed ("videotestsrc ! x264enc ! ratecontrol ! rtph264pay ! fakesink name=last"));
  fail_unless (is_governed (
      "bin. ( videotestsrc ! x264enc ! tee ! queue ! ratecontrol ! queue ) ! rtph264pay ! queue ! fakesink name=last"));
  fail_unless (!is_governed ("videotestsrc ! x264enc ! queue ! rtph264pay ! fakesink name=last"));
}
GST_END_TEST;

static Suite *
tfrcsendadvice_suite (void)
{
  Suite *s = suite_create ("tfrcsendadvice");
  TCase *tc = tcase_create ("general");

  GST_DEBUG_CATEGORY_INIT (gst_tfrc_sink_debug, "tfrcsendadvice", 0, "");
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_no_feedback_while_sending);
  tcase_add_test (tc, test_no_feedback_is_no_mistake);
  tcase_add_test (tc, test_no_feedback_after_refusals);
  tcase_add_test (tc, test_skipped_frames);
  tcase_add_test (tc, test_counters_that_begin_anew);
  tcase_add_test (tc, test_tfrcsink_says_it_once);
  tcase_add_test (tc, test_ratecontrol_is_found);
  return s;
}

GST_CHECK_MAIN (tfrcsendadvice);
