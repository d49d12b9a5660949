/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ratescale with pictures of the test's own, and in front of encoders. */
#include "gstrateevent.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include <string.h>

#define RAW "video/x-raw, format = (string) I420, width = (int) 1280, height = (int) 720, framerate = (fraction) 30/1"
#define PICTURE (1280 * 720 * 3 / 2)

typedef struct {
  GstHarness *h;
  GstBus *bus;
  guint64 sent, came;
} Scaler;

/* sink: caps that what follows takes; NULL: any. */
static void
begin (Scaler *s, const gchar *caps, const gchar *sink, const gchar *properties)
{
  gchar *text = g_strdup_printf ("ratescale %s", properties);
  GstElement *element;

  element = gst_parse_launch (text, NULL);
  s->h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  g_free (text);
  s->bus = gst_bus_new ();
  s->sent = s->came = 0;
  gst_element_set_bus (s->h->element, s->bus);
  if (sink)
    gst_harness_set_sink_caps_str (s->h, sink);
  gst_harness_set_src_caps_str (s->h, caps);
}

static void
end (Scaler *s)
{
  gst_element_set_bus (s->h->element, NULL);
  gst_object_unref (s->bus);
  gst_harness_teardown (s->h);
}

static void
take_all (Scaler *s)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (s->h)) != NULL) {
    s->came++;
    gst_buffer_unref (buffer);
  }
}

static GstFlowReturn
send_at (Scaler *s, GstClockTime pts)
{
  GstBuffer *buffer = gst_harness_create_buffer (s->h, PICTURE);
  GstFlowReturn flow;

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 30;
  flow = gst_harness_push (s->h, buffer);
  s->sent++;
  take_all (s);
  return flow;
}

static void
send_for (Scaler *s, gdouble seconds)
{
  for (guint i = 0; i < seconds * 30; i++)
    fail_unless_equals_int (send_at (s, gst_util_uint64_scale (s->sent, GST_SECOND, 30)), GST_FLOW_OK);
}

static void
assert_size (Scaler *s, gint width, gint height, gint fps_num, gint fps_den)
{
  GstCaps *caps = gst_pad_get_current_caps (s->h->sinkpad);
  const GstStructure *c = gst_caps_get_structure (caps, 0);
  gint w, h, n, d, told_w, told_h;

  gst_structure_get (
      c, "width", G_TYPE_INT, &w, "height", G_TYPE_INT, &h, "framerate", GST_TYPE_FRACTION, &n, &d, NULL);
  fail_unless (w == width && h == height && n * fps_den == fps_num * d, "%dx%d at %d/%d", w, h, n, d);
  g_object_get (s->h->element, "width", &told_w, "height", &told_h, NULL);
  fail_unless (told_w == width && told_h == height, "told %dx%d", told_w, told_h);
  gst_caps_unref (caps);
}

static guint64
stat_of (Scaler *s, const gchar *field)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (s->h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &value), "no %s", field);
  gst_structure_free (stats);
  return value;
}

/* How many messages of this type hold the text. */
static guint
said (Scaler *s, GstMessageType type, const gchar *text)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (s->bus, type)) != NULL) {
    GError *error = NULL;
    if (type == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    else
      gst_message_parse_warning (message, &error, NULL);
    n += strstr (error->message, text) != NULL;
    g_error_free (error);
    gst_message_unref (message);
  }
  return n;
}

GST_START_TEST (test_a_low_rate_begins_with_small_pictures)
{
  Scaler s;

  begin (&s, RAW, NULL, "bitrate=200000");
  send_for (&s, 1);
  assert_size (&s, 640, 360, 30, 1);
  fail_unless_equals_uint64 (s.came, s.sent);
  fail_unless_equals_uint64 (stat_of (&s, "steps-down"), 0);
  end (&s);
}
GST_END_TEST;

GST_START_TEST (test_a_fall_and_back_is_two_steps)
{
  GstEvent *event;
  Scaler s;

  begin (&s, RAW, NULL, "bitrate=2000000");
  send_for (&s, 1);
  assert_size (&s, 1280, 720, 30, 1);
  while ((event = gst_harness_try_pull_upstream_event (s.h)) != NULL)
    gst_event_unref (event);
  g_object_set (s.h->element, "bitrate", 200000, NULL);
  send_for (&s, 2);
  assert_size (&s, 640, 360, 30, 1);
  g_object_set (s.h->element, "bitrate", 2000000, NULL);
  send_for (&s, 4);
  assert_size (&s, 640, 360, 30, 1);
  send_for (&s, 2);
  assert_size (&s, 1280, 720, 30, 1);
  fail_unless_equals_uint64 (s.came, s.sent);
  fail_unless_equals_uint64 (stat_of (&s, "steps-down"), 1);
  fail_unless_equals_uint64 (stat_of (&s, "steps-up"), 1);
  while ((event = gst_harness_try_pull_upstream_event (s.h)) != NULL) { /* or a camera would start anew */
    fail_if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE, "the source is asked to negotiate anew");
    gst_event_unref (event);
  }
  end (&s);
}
GST_END_TEST;

/* No picture of a camera whose time stamps are uneven is left out while nothing is stepped. */
GST_START_TEST (test_at_full_size_every_picture_passes_at_once)
{
  static const gint uneven[] = {0, 9, -8, 3, 12, -11};
  Scaler s;

  begin (&s, RAW, NULL, "bitrate=4000000");
  for (guint i = 0; i < 120; i++) {
    gint64 pts = gst_util_uint64_scale (i, GST_SECOND, 30) + 20 * GST_MSECOND + uneven[i % 6] * (gint64)GST_MSECOND;
    fail_unless_equals_int (send_at (&s, pts), GST_FLOW_OK);
    fail_unless_equals_uint64 (s.came, s.sent);
  }
  end (&s);
}
GST_END_TEST;

GST_START_TEST (test_keep_size_leaves_pictures_out)
{
  Scaler s;

  begin (&s, RAW, NULL, "bitrate=400000 keep=size");
  send_for (&s, 2);
  assert_size (&s, 1280, 720, 15, 1);
  fail_unless (s.came >= s.sent / 2 - 1 && s.came <= s.sent / 2 + 1, "%" G_GUINT64_FORMAT " of 60", s.came);
  end (&s);
}
GST_END_TEST;

GST_START_TEST (test_properties_hold_while_playing)
{
  Scaler s;

  begin (&s, RAW, NULL, "bitrate=100000");
  send_for (&s, 0.2);
  assert_size (&s, 480, 270, 30, 1);
  g_object_set (s.h->element, "min-size", 360, "min-frame-rate", 20.0, NULL);
  send_for (&s, 0.2);
  assert_size (&s, 640, 360, 30, 1);
  g_object_set (s.h->element, "min-frame-rate", 10.0, NULL);
  send_for (&s, 0.2);
  assert_size (&s, 640, 360, 15, 1);
  g_object_set (s.h->element, "bits-per-pixel", 0.001, NULL);
  send_for (&s, 0.2);
  assert_size (&s, 1280, 720, 30, 1);
  end (&s);
}
GST_END_TEST;

GST_START_TEST (test_another_source_is_judged_anew)
{
  Scaler s;

  begin (&s, RAW, NULL, "bitrate=200000");
  send_for (&s, 0.2);
  gst_harness_set_src_caps_str (s.h, "video/x-raw, format = (string) I420, width = (int) 320, height = (int) 240, "
                                     "framerate = (fraction) 30/1");
  send_for (&s, 0.2);
  assert_size (&s, 320, 240, 30, 1);
  end (&s);
}
GST_END_TEST;

#define SLOW_720 "video/x-raw, format = (string) I420, width = (int) 1280, height = (int) 720, framerate = (fraction) "

static gboolean
may_send (Scaler *s, const gchar *text)
{
  GstCaps *caps = gst_caps_from_string (text), *taken = gst_pad_peer_query_caps (s->h->srcpad, caps);
  gboolean may = gst_pad_peer_query_accept_caps (s->h->srcpad, caps);

  fail_unless_equals_int (!gst_caps_is_empty (taken), may);
  gst_caps_unref (taken);
  gst_caps_unref (caps);
  return may;
}

/* A camera in the dark asks first. */
GST_START_TEST (test_a_source_may_become_slower)
{
  Scaler s;

  begin (&s, RAW, "video/x-raw, format = (string) I420", "bitrate=200000");
  send_for (&s, 0.2);
  assert_size (&s, 640, 360, 30, 1);
  fail_unless (may_send (&s, SLOW_720 "15/1"));
  gst_harness_set_src_caps_str (s.h, SLOW_720 "15/1");
  g_object_set (s.h->element, "bitrate", 50000, "min-size", 360, "min-frame-rate", 5.0, NULL);
  send_for (&s, 0.2);
  assert_size (&s, 640, 360, 15, 2);
  fail_unless (may_send (&s, SLOW_720 "5/1"));
  fail_if (may_send (&s, "video/x-raw, format = (string) NV12"));
  gst_harness_set_src_caps_str (s.h, SLOW_720 "5/1");
  send_for (&s, 0.2);
  assert_size (&s, 640, 360, 5, 1);
  fail_unless (may_send (&s, RAW));
  end (&s);
}
GST_END_TEST;

/* What a decoder gives of a call, or a screen: no frame rate, uneven, no durations. All pass, at once, at any size; a
   camera behind it has its frame rate stepped again. */
GST_START_TEST (test_pictures_without_a_frame_rate_all_pass)
{
  static const guint uneven_ms[] = {16, 33, 100, 17, 34};
  GstClockTime pts = 0;
  GstBuffer *buffer;
  Scaler s;

  begin (&s, SLOW_720 "0/1", NULL, "bitrate=4000000 keep=size");
  for (guint i = 0; i < 60; i++) {
    if (i == 30)
      g_object_set (s.h->element, "bitrate", 50000, NULL);
    buffer = gst_harness_create_buffer (s.h, PICTURE);
    GST_BUFFER_PTS (buffer) = pts;
    pts += uneven_ms[i % 5] * GST_MSECOND;
    fail_unless_equals_int (gst_harness_push (s.h, buffer), GST_FLOW_OK);
    s.sent++;
    take_all (&s);
    fail_unless_equals_uint64 (s.came, s.sent);
  }
  assert_size (&s, 320, 180, 0, 1);
  s.sent = s.came = 0;
  g_object_set (s.h->element, "bitrate", 400000, NULL);
  gst_harness_set_src_caps_str (s.h, RAW);
  for (guint i = 0; i < 60; i++, pts += GST_SECOND / 30)
    fail_unless_equals_int (send_at (&s, pts), GST_FLOW_OK);
  assert_size (&s, 1280, 720, 15, 1);
  fail_unless (s.came >= 29 && s.came <= 31, "%" G_GUINT64_FORMAT " of 60", s.came);
  gst_harness_set_src_caps_str (s.h, SLOW_720 "0/1");
  fail_unless (gst_harness_push_event (s.h, gst_event_new_eos ()));
  end (&s);
}
GST_END_TEST;

/* An encoder of fields refuses a height that is no multiple of four. */
GST_START_TEST (test_an_encoder_of_fields_goes_on)
{
  Scaler s;

  begin (&s, RAW ", interlace-mode = (string) interleaved", NULL, "bitrate=100000");
  send_for (&s, 0.2);
  assert_size (&s, 480, 272, 30, 1);
  end (&s);
}
GST_END_TEST;

#define IN_HARDWARE                                                                                                    \
  "video/x-raw(memory:Hardware), format = (string) I420, width = (int) 1280, height = (int) 720, "                     \
  "framerate = (fraction) 30/1"

/* Such pictures stay as they are, whatever is set; those of the next source need not. */
GST_START_TEST (test_pictures_in_hardware_memory_pass_whatever_is_set)
{
  Scaler s;

  begin (&s, IN_HARDWARE, NULL, "bitrate=100000");
  send_for (&s, 0.3);
  g_object_set (s.h->element, "min-size", 100, NULL);
  send_for (&s, 0.3);
  fail_unless_equals_uint64 (s.came, s.sent);
  fail_unless_equals_int (said (&s, GST_MESSAGE_WARNING, "in a memory that ratescale cannot scale"), 1);
  gst_harness_set_src_caps_str (s.h, RAW);
  send_for (&s, 0.3);
  assert_size (&s, 480, 270, 30, 1);
  end (&s);
}
GST_END_TEST;

GST_START_TEST (test_flush_and_states)
{
  GstSegment segment;
  gint width;
  Scaler s;

  begin (&s, RAW, NULL, "bitrate=200000");
  send_for (&s, 0.5);
  fail_unless (gst_harness_push_event (s.h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (s.h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (s.h, gst_event_new_segment (&segment)));
  send_for (&s, 0.5);
  assert_size (&s, 640, 360, 30, 1);
  fail_unless_equals_uint64 (s.came, s.sent);
  fail_unless_equals_int (gst_element_set_state (s.h->element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  g_object_get (s.h->element, "width", &width, NULL);
  fail_unless_equals_int (width, 0);
  fail_unless_equals_int (gst_element_set_state (s.h->element, GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  end (&s);
}
GST_END_TEST;

static GstPadProbeReturn
answer (GstPad *pad, GstPadProbeInfo *info, gpointer bitrate)
{
  return gst_encoder_rate_answer (GST_PAD_PROBE_INFO_QUERY (info), *(guint *)bitrate, 1) ? GST_PAD_PROBE_HANDLED
                                                                                         : GST_PAD_PROBE_OK;
}

GST_START_TEST (test_an_application_that_answers_is_followed)
{
  guint bitrate = 2000000;
  Scaler s;

  begin (&s, RAW, NULL, "");
  gst_pad_add_probe (s.h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer, &bitrate, NULL);
  send_for (&s, 0.5);
  assert_size (&s, 1280, 720, 30, 1);
  bitrate = 150000;
  send_for (&s, 0.5);
  assert_size (&s, 480, 270, 30, 1);
  fail_unless_equals_int (said (&s, GST_MESSAGE_WARNING, "Nobody tells"), 0);
  end (&s);
}
GST_END_TEST;

GST_START_TEST (test_without_a_rate_it_is_told_once)
{
  Scaler s;

  begin (&s, RAW, NULL, "");
  send_for (&s, 3);
  assert_size (&s, 1280, 720, 30, 1);
  fail_unless_equals_int (said (&s, GST_MESSAGE_WARNING, "Nobody tells ratescale the encoder's rate"), 1);
  end (&s);
}
GST_END_TEST;

GST_START_TEST (test_caps_fixed_behind_it_are_told_once)
{
  Scaler s;

  begin (&s, RAW, RAW, "bitrate=200000");
  send_for (&s, 3);
  assert_size (&s, 1280, 720, 30, 1);
  fail_unless_equals_uint64 (s.came, s.sent);
  fail_unless_equals_int (said (&s, GST_MESSAGE_WARNING, "takes no other size or frame rate"), 1);
  end (&s);
}
GST_END_TEST;

/* An encoder of the hardware's has a least size: the steps above it are taken, down and up, and what is told is what
   comes. */
GST_START_TEST (test_a_least_size_behind_it_is_kept_to)
{
  Scaler s;

  begin (&s, RAW,
      "video/x-raw, format = (string) I420, width = (int) [600, 2000], height = (int) [300, 2000], framerate = "
      "(fraction) 30/1",
      "bitrate=3000000");
  send_for (&s, 1);
  assert_size (&s, 1280, 720, 30, 1);
  g_object_set (s.h->element, "bitrate", 300000, NULL);
  send_for (&s, 3);
  assert_size (&s, 640, 360, 30, 1);
  g_object_set (s.h->element, "bitrate", 60000, NULL);
  send_for (&s, 3);
  assert_size (&s, 640, 360, 30, 1);
  g_object_set (s.h->element, "bitrate", 3000000, NULL);
  send_for (&s, 8);
  assert_size (&s, 1280, 720, 30, 1);
  fail_unless_equals_int (said (&s, GST_MESSAGE_WARNING, "takes no other size or frame rate"), 0);
  end (&s);
}
GST_END_TEST;

GST_START_TEST (test_behind_the_encoder_is_an_error)
{
  GstElement *pipeline =
      gst_parse_launch ("videotestsrc num-buffers=5 ! jpegenc ! ratescale ! ratecontrol ! fakesink async=false", NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GError *error = NULL;
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 30 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, "Put it in front") != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}
GST_END_TEST;

/* --- encoders and decoders go on --------------------------------------------------------------------------------- */

typedef struct {
  GstElement *pipeline, *scaler, *control;
  guint pictures, shown, keys, sizes;
  gint height;
} Chain;

static GstPadProbeReturn
on_picture (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Chain *c = data;
  guint bitrate = c->pictures < 60 || c->pictures >= 120 ? 2000000 : 150000;

  if (c->pictures++ % 60 == 0)
    g_object_set (c->control, "max-bitrate", bitrate, "min-bitrate", bitrate, NULL);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_coded (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  ((Chain *)data)->keys += !GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER (info), GST_BUFFER_FLAG_DELTA_UNIT);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_shown (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Chain *c = data;
  GstCaps *caps = gst_pad_get_current_caps (pad);
  gint height;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "height", &height);
  gst_caps_unref (caps);
  c->sizes += height != c->height;
  c->height = height;
  c->shown++;
  return GST_PAD_PROBE_OK;
}

static void
probe (Chain *c, const gchar *name, const gchar *pad_name, GstPadProbeCallback callback)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (c->pipeline), name);
  GstPad *pad = gst_element_get_static_pad (element, pad_name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, c, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
}

/* 2 Mb/s, 150 kb/s, 2 Mb/s, as ratecontrol is told to keep: two steps, and a key frame for each. */
static void
run_chain (const gchar *encoder, const gchar *path)
{
  Chain c = {NULL};
  GstMessage *message;
  GstBus *bus;
  gchar *text = g_strdup_printf ("videotestsrc num-buffers=360 pattern=ball ! " RAW
                                 ",colorimetry=(string)bt601 ! ratescale name=scale step-up-after=3000000000 ! %s "
                                 "name=encoder ! ratecontrol name=control ! "
                                 "%s ! videoconvert ! fakesink name=screen",
      encoder, path);

  c.pipeline = gst_parse_launch (text, NULL);
  g_free (text);
  fail_unless (c.pipeline != NULL);
  c.scaler = gst_bin_get_by_name (GST_BIN (c.pipeline), "scale");
  c.control = gst_bin_get_by_name (GST_BIN (c.pipeline), "control");
  g_object_set (c.control, "start-bitrate", 2000000, NULL);
  probe (&c, "scale", "sink", on_picture);
  probe (&c, "encoder", "src", on_coded);
  probe (&c, "screen", "sink", on_shown);
  bus = gst_element_get_bus (c.pipeline);
  gst_element_set_state (c.pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 90 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s: %s", encoder,
      message ? "an error" : "nothing in 90 s");
  gst_message_unref (message);
  gst_element_set_state (c.pipeline, GST_STATE_NULL);
  fail_unless (c.sizes == 3 && c.height == 720, "%s: %u sizes, the last %d", encoder, c.sizes, c.height);
  fail_unless (c.keys == 3, "%s: %u key frames", encoder, c.keys);
  fail_unless (c.shown == 360, "%s: %u pictures", encoder, c.shown);
  gst_object_unref (bus);
  gst_object_unref (c.scaler);
  gst_object_unref (c.control);
  gst_object_unref (c.pipeline);
}

static gboolean
have (const gchar *name)
{
  GstElementFactory *factory = gst_element_factory_find (name);

  if (factory)
    gst_object_unref (factory);
  return factory != NULL;
}

GST_START_TEST (test_encoder_payloader_and_decoder_go_on)
{
  if (have ("x264enc") && have ("avdec_h264"))
    run_chain ("x264enc tune=zerolatency speed-preset=ultrafast key-int-max=1000 threads=1",
        "rtph264pay ! rtph264depay ! avdec_h264 max-threads=1");
  if (have ("vp8enc"))
    run_chain ("vp8enc deadline=1 cpu-used=16 keyframe-max-dist=1000", "rtpvp8pay ! rtpvp8depay ! vp8dec");
}
GST_END_TEST;

static Suite *
ratescale_suite (void)
{
  Suite *suite = suite_create ("ratescale");
  TCase *tcase = tcase_create ("ratescale");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_a_low_rate_begins_with_small_pictures);
  tcase_add_test (tcase, test_a_fall_and_back_is_two_steps);
  tcase_add_test (tcase, test_at_full_size_every_picture_passes_at_once);
  tcase_add_test (tcase, test_keep_size_leaves_pictures_out);
  tcase_add_test (tcase, test_properties_hold_while_playing);
  tcase_add_test (tcase, test_another_source_is_judged_anew);
  tcase_add_test (tcase, test_a_source_may_become_slower);
  tcase_add_test (tcase, test_pictures_without_a_frame_rate_all_pass);
  tcase_add_test (tcase, test_an_encoder_of_fields_goes_on);
  tcase_add_test (tcase, test_pictures_in_hardware_memory_pass_whatever_is_set);
  tcase_add_test (tcase, test_flush_and_states);
  tcase_add_test (tcase, test_an_application_that_answers_is_followed);
  tcase_add_test (tcase, test_without_a_rate_it_is_told_once);
  tcase_add_test (tcase, test_caps_fixed_behind_it_are_told_once);
  tcase_add_test (tcase, test_a_least_size_behind_it_is_kept_to);
  tcase_add_test (tcase, test_behind_the_encoder_is_an_error);
  tcase_add_test (tcase, test_encoder_payloader_and_decoder_go_on);
  return suite;
}

GST_CHECK_MAIN (ratescale);
