/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* framestamp and framemeasure: stamps through encoders at their worst, and figures on a test clock. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/video/video.h>
#include <math.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 176
#define HEIGHT 144
#define PERIOD (40 * GST_MSECOND)
#define DELAY (80 * GST_MSECOND)
#define CAPS "video/x-raw,format=I420,width=176,height=144,framerate=25/1"

static gdouble
value_of (const GstStructure *s, const gchar *name)
{
  const GValue *value = gst_structure_get_value (s, name);

  fail_unless (value != NULL, "no %s in stats", name);
  return G_VALUE_HOLDS_DOUBLE (value) ? g_value_get_double (value) : (gdouble)g_value_get_uint64 (value);
}

static gdouble
stat_of (GstElement *measure, const gchar *name)
{
  GstStructure *s;
  gdouble value;

  g_object_get (measure, "stats", &s, NULL);
  value = value_of (s, name);
  gst_structure_free (s);
  return value;
}

/* ---- whole pipelines ---- */

/* Runs to its end. Returns the message that ended it; measure: the element called m. */
static GstMessage *
run (const gchar *launch, GstElement **measure)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (launch, &error);
  GstBus *bus;
  GstMessage *message;

  fail_unless (pipeline != NULL && error == NULL, "%s: %s", launch, error != NULL ? error->message : "");
  *measure = gst_bin_get_by_name (GST_BIN (pipeline), "m");
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 30 * GST_SECOND, (GstMessageType)(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  fail_unless (message != NULL, "%s does not end", launch);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return message;
}

static GstElement *
run_to_eos (const gchar *launch)
{
  GstElement *measure;
  GstMessage *message = run (launch, &measure);
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (error == NULL, "%s: %s", launch, error != NULL ? error->message : "");
  gst_message_unref (message);
  return measure;
}

static const struct {
  const gchar *elements, *coding;
} codecs[] = {
    {"x264enc avdec_h264", "x264enc tune=zerolatency speed-preset=ultrafast pass=quant quantizer=50 ! avdec_h264"},
    {"x264enc avdec_h264", "x264enc tune=zerolatency speed-preset=veryfast bitrate=60 ! avdec_h264"},
    {"vp8enc vp8dec", "vp8enc deadline=1 cpu-used=8 min-quantizer=63 max-quantizer=63 ! vp8dec"},
    {"jpegenc jpegdec", "jpegenc quality=0 ! jpegdec"},
};
static const gchar *const patterns[] = {"snow", "smpte", "ball", "zone-plate kx2=20 ky2=20 kt=1"};

static gboolean
have_elements (const gchar *names)
{
  gchar **each = g_strsplit (names, " ", -1);
  gboolean all = TRUE;
  guint i;

  for (i = 0; each[i] != NULL; i++) {
    GstElementFactory *factory = gst_element_factory_find (each[i]);

    all &= factory != NULL;
    gst_clear_object (&factory);
  }
  g_strfreev (each);
  return all;
}

/* The coarsest quantizers the encoders have, of moving, still and random pictures: every stamp is read. */
GST_START_TEST (test_encoders_at_their_worst)
{
  guint codec = __i__ / G_N_ELEMENTS (patterns), pattern = __i__ % G_N_ELEMENTS (patterns);
  GstElement *measure;
  gchar *launch;

  if (!have_elements (codecs[codec].elements))
    return;
  launch = g_strdup_printf ("videotestsrc num-buffers=50 pattern=%s ! " CAPS " ! framestamp ! %s ! "
                            "framemeasure name=m ! fakesink",
      patterns[pattern], codecs[codec].coding);
  measure = run_to_eos (launch);
  fail_unless_equals_float (stat_of (measure, "unreadable"), 0);
  fail_unless_equals_float (stat_of (measure, "displayed"), 50);
  fail_unless_equals_float (stat_of (measure, "lost"), 0);
  gst_object_unref (measure);
  g_free (launch);
}

GST_END_TEST

/* The same original as picture: 100 dB. Through JPEG the better one is the better one, and below that. */
GST_START_TEST (test_reference)
{
  static const gchar *const between[] = {"identity", "jpegenc quality=90 ! jpegdec", "jpegenc quality=5 ! jpegdec"};
  gdouble psnr = INFINITY, ssim = INFINITY;
  guint i;

  if (!have_elements (codecs[3].elements))
    return;
  for (i = 0; i < G_N_ELEMENTS (between); i++) {
    gchar *launch = g_strdup_printf ("videotestsrc num-buffers=20 ! " CAPS " ! framestamp ! tee name=t ! queue ! %s ! "
                                     "framemeasure name=m ! fakesink t. ! queue ! m.reference",
        between[i]);
    GstElement *measure = run_to_eos (launch);

    fail_unless_equals_float (stat_of (measure, "compared"), 20);
    fail_unless_equals_float (stat_of (measure, "unmatched"), 0);
    fail_unless (stat_of (measure, "psnr-y") < psnr && stat_of (measure, "ssim") < ssim);
    fail_unless (stat_of (measure, "psnr-y-min") <= stat_of (measure, "psnr-y"));
    psnr = stat_of (measure, "psnr-y");
    ssim = stat_of (measure, "ssim");
    if (i == 0)
      fail_unless (psnr == 100 && ssim == 1);
    gst_object_unref (measure);
    g_free (launch);
  }
  fail_unless (psnr < 40 && ssim < 0.99, "%f dB, %f", psnr, ssim);
}

GST_END_TEST

/* One packet in 20 lost, one key unit: from the first loss on stamps are as damaged as pictures. These are numbered by
   their time stamps and compared with their own originals: nothing begins anew, and a lost packet costs decibels. */
GST_START_TEST (test_damaged_pictures)
{
  GstElement *measure;
  gdouble displayed;

  if (!have_elements ("x264enc rtph264pay rtph264depay avdec_h264"))
    return;
  measure =
      run_to_eos ("videotestsrc num-buffers=150 pattern=ball ! " CAPS " ! framestamp ! tee name=t ! queue ! x264enc "
                  "tune=zerolatency speed-preset=ultrafast bitrate=300 key-int-max=300 ! rtph264pay mtu=400 ! "
                  "identity drop-probability=0.05 ! rtph264depay ! avdec_h264 ! framemeasure name=m "
                  "reference-frames=200 ! fakesink t. ! queue ! m.reference");
  displayed = stat_of (measure, "displayed");
  fail_unless_equals_float (stat_of (measure, "restarts"), 0);
  fail_unless_equals_float (
      displayed + stat_of (measure, "repeated") + stat_of (measure, "unreadable"), stat_of (measure, "pictures"));
  fail_unless (displayed + stat_of (measure, "lost") <= 150);
  fail_unless_equals_float (stat_of (measure, "compared") + stat_of (measure, "unmatched"), displayed);
  fail_unless_equals_float (stat_of (measure, "unmatched"), 0);
  if (stat_of (measure, "damaged") > 10)
    fail_unless (stat_of (measure, "psnr-y-min") < 35, "%f dB", stat_of (measure, "psnr-y-min"));
  gst_object_unref (measure);
}

GST_END_TEST

/* Two pipelines with a network between: the machine's clock is one for both. */
GST_START_TEST (test_over_sockets)
{
  GstElement *receiver, *sender, *source, *measure;
  GstMessage *message;
  GstBus *bus;
  gchar *launch;
  gint port;

  if (!have_elements ("x264enc rtph264pay rtph264depay avdec_h264 tfrcsink tfrcsrc"))
    return;
  receiver =
      gst_parse_launch ("tfrcsrc name=in address=127.0.0.1 port=0 encoding-name=H264 ! rtph264depay ! avdec_h264 ! "
                        "framemeasure name=m ! fakesink sync=false",
          NULL);
  gst_element_set_state (receiver, GST_STATE_PLAYING);
  source = gst_bin_get_by_name (GST_BIN (receiver), "in");
  measure = gst_bin_get_by_name (GST_BIN (receiver), "m");
  g_object_get (source, "port", &port, NULL);
  launch =
      g_strdup_printf ("videotestsrc is-live=true num-buffers=60 ! " CAPS " ! framestamp ! x264enc tune=zerolatency "
                       "speed-preset=ultrafast ! ratecontrol ! rtph264pay ! tfrcsink host=127.0.0.1 "
                       "start-bitrate=1000000 min-bitrate=500000 port=%d",
          port);
  sender = gst_parse_launch (launch, NULL);
  bus = gst_element_get_bus (sender);
  gst_element_set_state (sender, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, (GstMessageType)(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  gst_message_unref (message);
  g_usleep (200000);
  /* a busy machine may hold packets back for longer than the jitter buffer waits */
  fail_unless (stat_of (measure, "displayed") >= 40, "%f", stat_of (measure, "displayed"));
  fail_unless (stat_of (measure, "unreadable") <= 10, "%f", stat_of (measure, "unreadable"));
  fail_unless_equals_float (stat_of (measure, "clock-errors"), 0);
  fail_unless (stat_of (measure, "delay-min") > GST_MSECOND / 10 && stat_of (measure, "delay-p50") < 500 * GST_MSECOND);
  gst_element_set_state (sender, GST_STATE_NULL);
  gst_element_set_state (receiver, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (source);
  gst_object_unref (measure);
  gst_object_unref (sender);
  gst_object_unref (receiver);
  g_free (launch);
}

GST_END_TEST

/* All formats, all corners, no codec between: the stamp is read, and the picture around it stays as it was. */
GST_START_TEST (test_formats_and_corners)
{
  static const gchar *const formats[] = {
      "I420", "YV12", "NV12", "NV21", "Y41B", "Y42B", "Y444", "YUY2", "UYVY", "YVYU", "AYUV", "GRAY8"};
  static const gchar *const corners[] = {"top-left", "top-right", "bottom-left", "bottom-right"};
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (formats); i++)
    for (k = 0; k < G_N_ELEMENTS (corners); k++) {
      gchar *launch = g_strdup_printf ("videotestsrc num-buffers=3 ! video/x-raw,format=%s,width=180,height=150 ! "
                                       "framestamp corner=%s block-size=5 ! "
                                       "framemeasure corner=%s block-size=5 name=m ! fakesink",
          formats[i], corners[k], corners[k]);
      GstElement *measure = run_to_eos (launch);

      fail_unless (stat_of (measure, "displayed") == 3, "%s %s", formats[i], corners[k]);
      gst_object_unref (measure);
      g_free (launch);
    }
}

GST_END_TEST

GST_START_TEST (test_no_stamps)
{
  GstElement *measure = run_to_eos ("videotestsrc num-buffers=20 ! " CAPS " ! framemeasure name=m ! fakesink");

  fail_unless_equals_float (stat_of (measure, "pictures"), 20);
  fail_unless_equals_float (stat_of (measure, "unreadable"), 20);
  fail_unless_equals_float (stat_of (measure, "displayed"), 0);
  fail_unless (isnan (stat_of (measure, "psnr-y")));
  gst_object_unref (measure);
}

GST_END_TEST

static void
assert_error (const gchar *launch, const gchar *part)
{
  GstElement *measure;
  GstMessage *message = run (launch, &measure);
  GError *error = NULL;

  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, part) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_clear_object (&measure);
}

/* 100 / 16 = 6.25 */
GST_START_TEST (test_errors_tell_the_cure)
{
  assert_error ("videotestsrc ! video/x-raw,width=100,height=100,format=I420 ! framestamp ! fakesink",
      "Set block-size to 6 or less");
  assert_error ("videotestsrc ! video/x-raw,width=100,height=100,format=I420 ! framemeasure ! fakesink",
      "Set block-size to 6 or less");
  assert_error ("videotestsrc ! " CAPS " ! framemeasure location=/nowhere/at/all.csv ! fakesink", "Set location");
}

GST_END_TEST

/* Before its end. The first whose text begins so; the others count as well. */
static guint
warnings_of (const gchar *launch, const gchar *begins)
{
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessageType types = (GstMessageType)(GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
  GstMessage *message;
  guint n = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((message = gst_bus_timed_pop_filtered (bus, 30 * GST_SECOND, types)) != NULL &&
         GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    GError *error;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (g_str_has_prefix (error->message, begins), "%s: %s", launch, error->message);
    g_error_free (error);
    gst_message_unref (message);
    n++;
  }
  fail_unless (message != NULL, "%s does not end", launch);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return n;
}

#define PAIR(path, kept)                                                                                               \
  "videotestsrc num-buffers=40 ! " CAPS " ! framestamp ! tee name=t ! queue ! " path                                   \
  "framemeasure name=m reference-frames=" kept " ! fakesink t. ! queue ! m.reference"

GST_START_TEST (test_mistakes_are_told_once)
{
  static const struct {
    const gchar *launch, *begins;
    guint n;
  } cases[] = {
      {"videotestsrc num-buffers=20 ! " CAPS " ! framemeasure ! fakesink", "None of 20 pictures has a stamp", 1},
      {"videotestsrc num-buffers=250 ! " CAPS " ! framestamp corner=bottom-right ! framemeasure ! fakesink",
          "None of 100 pictures has a stamp", 1},
      {"videotestsrc num-buffers=20 ! " CAPS " ! framestamp ! framemeasure location=/dev/full ! fakesink",
          "The file at location is not complete: No space left on device", 1},
      {"videotestsrc num-buffers=3 ! " CAPS " ! tee name=t ! queue ! framestamp ! framemeasure name=m ! fakesink t. ! "
       "queue ! m.reference",
          "The originals have no stamp", 1},
      {PAIR ("queue min-threshold-buffers=30 ! ", "10"), "Originals are gone before their pictures come", 1},
      {PAIR ("", "40"), "", 0},
      {PAIR ("identity drop-probability=0.5 ! ", "40"), "", 0},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (strstr (cases[i].launch, "/dev/full") != NULL && !g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
      continue;
    fail_unless_equals_int (warnings_of (cases[i].launch, cases[i].begins), cases[i].n);
  }
}

GST_END_TEST

/* ---- on a test clock ---- */

typedef struct {
  GstHarness *stamp, *measure;
  GstTestClock *clock;
  GstBus *bus;
  guint pictures;
} Fixture;

static void
setup (Fixture *f)
{
  memset (f, 0, sizeof *f);
  f->stamp = gst_harness_new_parse ("framestamp clock=running-time");
  f->measure = gst_harness_new ("framemeasure");
  f->bus = gst_bus_new ();
  gst_element_set_bus (f->measure->element, f->bus);
  f->clock = gst_harness_get_testclock (f->measure);
  gst_harness_set_src_caps_str (f->stamp, CAPS);
  gst_harness_set_src_caps_str (f->measure, CAPS);
}

static void
teardown (Fixture *f)
{
  gst_element_set_bus (f->measure->element, NULL);
  gst_object_unref (f->bus);
  gst_object_unref (f->clock);
  gst_harness_teardown (f->stamp);
  gst_harness_teardown (f->measure);
}

static gdouble
figure (Fixture *f, const gchar *name)
{
  return stat_of (f->measure->element, name);
}

static void
push_picture (GstHarness *h, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT * 3 / 2, NULL);

  gst_buffer_memset (buffer, 0, 100, WIDTH * HEIGHT * 3 / 2);
  GST_BUFFER_PTS (buffer) = pts;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
}

/* The next one, captured a period after the one before. */
static GstBuffer *
capture (Fixture *f)
{
  push_picture (f->stamp, f->pictures++ * PERIOD);
  return gst_harness_pull (f->stamp);
}

static void
show_at (Fixture *f, GstBuffer *buffer, GstClockTime at)
{
  gst_test_clock_set_time (f->clock, at);
  fail_unless_equals_int (gst_harness_push (f->measure, buffer), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (f->measure));
}

static void
show (Fixture *f, GstBuffer *buffer)
{
  show_at (f, buffer, GST_BUFFER_PTS (buffer) + DELAY);
}

static void
show_next (Fixture *f, guint n)
{
  while (n-- > 0)
    show (f, capture (f));
}

static void
lose_next (Fixture *f, guint n)
{
  while (n-- > 0)
    gst_buffer_unref (capture (f));
}

static void
flush (GstHarness *h)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (h, gst_event_new_segment (&segment));
}

GST_START_TEST (test_delays)
{
  Fixture f;
  guint i;

  setup (&f);
  /* 80 ms; the stamp rounds down to 0.1 ms, which 40 ms are a multiple of */
  show_next (&f, 90);
  fail_unless_equals_float (figure (&f, "delay-min"), DELAY);
  fail_unless_equals_float (figure (&f, "delay-max"), DELAY);
  fail_unless_equals_float (figure (&f, "delay-p99"), DELAY);
  for (i = 0; i < 10; i++) {
    GstBuffer *buffer = capture (&f);

    show_at (&f, buffer, GST_BUFFER_PTS (buffer) + DELAY + 20 * GST_MSECOND);
  }
  fail_unless_equals_float (figure (&f, "delay-mean"), DELAY + 2 * GST_MSECOND);
  fail_unless (fabs (figure (&f, "delay-p50") / DELAY - 1) < 0.006);
  fail_unless (fabs (figure (&f, "delay-p95") / (DELAY + 20 * GST_MSECOND) - 1) < 0.006);
  fail_unless_equals_float (figure (&f, "clock-errors"), 0);
  teardown (&f);
}

GST_END_TEST

/* Without a time stamp a picture is captured as it passes framestamp. */
GST_START_TEST (test_no_time_stamp)
{
  GstElement *element;
  Fixture f;

  setup (&f);
  element = gst_harness_find_element (f.stamp, "framestamp");
  gst_element_set_base_time (element, GST_SECOND);
  gst_object_unref (element);
  gst_harness_set_time (f.stamp, 6 * GST_SECOND);
  push_picture (f.stamp, GST_CLOCK_TIME_NONE);
  show_at (&f, gst_harness_pull (f.stamp), 5 * GST_SECOND + DELAY);
  fail_unless_equals_float (figure (&f, "delay-max"), DELAY);
  teardown (&f);
}

GST_END_TEST

/* A sink that synchronises shows a picture 100 ms after its capture, if it is there by then. */
GST_START_TEST (test_sink_that_waits)
{
  Fixture f;
  GstBuffer *buffer;

  setup (&f);
  g_object_set (f.measure->element, "sync", TRUE, NULL);
  gst_harness_push_upstream_event (f.measure, gst_event_new_latency (100 * GST_MSECOND));
  show_next (&f, 5);
  fail_unless_equals_float (figure (&f, "delay-min"), 100 * GST_MSECOND);
  fail_unless_equals_float (figure (&f, "delay-max"), 100 * GST_MSECOND);
  buffer = capture (&f);
  show_at (&f, buffer, GST_BUFFER_PTS (buffer) + 130 * GST_MSECOND);
  fail_unless_equals_float (figure (&f, "delay-max"), 130 * GST_MSECOND);
  teardown (&f);
}

GST_END_TEST

/* A sink that tells how late it was gets the late pictures all the same, numbered and counted. */
GST_START_TEST (test_late_pictures_pass)
{
  GstEvent *late = gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.0, 10 * GST_SECOND, PERIOD);
  Fixture f;

  setup (&f);
  show_next (&f, 2);
  gst_harness_push_upstream_event (f.stamp, gst_event_ref (late));
  gst_harness_push_upstream_event (f.measure, late);
  push_picture (f.stamp, 2 * PERIOD);
  fail_unless_equals_int (gst_harness_buffers_in_queue (f.stamp), 1);
  gst_harness_push (f.measure, gst_harness_pull (f.stamp));
  fail_unless_equals_int (gst_harness_buffers_in_queue (f.measure), 1);
  fail_unless_equals_float (figure (&f, "displayed"), 3);
  teardown (&f);
}

GST_END_TEST

/* 5 lost: a gap of 6 periods, 240 ms, beside d + 150 = 190 ms and 3 d = 120 ms. */
GST_START_TEST (test_losses_and_freezes)
{
  GstBuffer *again, *late;
  Fixture f;

  setup (&f);
  show_next (&f, 30);
  lose_next (&f, 5);
  show_next (&f, 1);
  fail_unless_equals_float (figure (&f, "lost"), 5);
  fail_unless_equals_float (figure (&f, "freezes-w3c"), 1);
  fail_unless_equals_float (figure (&f, "freeze-time-w3c"), 6 * PERIOD);
  fail_unless_equals_float (figure (&f, "freezes-fixed"), 1);
  fail_unless_equals_float (figure (&f, "longest-gap"), 6 * PERIOD);
  again = capture (&f);
  show (&f, gst_buffer_ref (again));
  show (&f, again);
  fail_unless_equals_float (figure (&f, "repeated"), 1);
  late = capture (&f);
  show_next (&f, 1);
  fail_unless_equals_float (figure (&f, "lost"), 6);
  show_at (&f, late, gst_clock_get_time (GST_CLOCK (f.clock)) + GST_MSECOND);
  fail_unless_equals_float (figure (&f, "out-of-order"), 1);
  fail_unless_equals_float (figure (&f, "lost"), 5);
  fail_unless_equals_float (figure (&f, "displayed"), 34);
  fail_unless_equals_float (figure (&f, "pictures"), 35);
  /* 3 s without a picture, so far */
  gst_test_clock_advance_time (f.clock, 3 * GST_SECOND);
  fail_unless_equals_float (figure (&f, "since-last"), 3 * GST_SECOND);
  teardown (&f);
}

GST_END_TEST

/* The gap of a seek is no freeze; running time begins anew then, and freezes are told from there on. */
GST_START_TEST (test_seek)
{
  Fixture f;

  setup (&f);
  show_next (&f, 100);
  flush (f.measure);
  lose_next (&f, 25);
  show_next (&f, 1);
  fail_unless_equals_float (figure (&f, "longest-gap"), PERIOD);
  flush (f.measure);
  show_next (&f, 1); /* as the sink prerolls, before the pipeline sets the base time */
  gst_element_set_base_time (f.measure->element, gst_clock_get_time (GST_CLOCK (f.clock)));
  show_next (&f, 1);
  fail_unless_equals_float (figure (&f, "freezes-fixed"), 0);
  lose_next (&f, 5);
  show_next (&f, 1);
  fail_unless_equals_float (figure (&f, "freezes-fixed"), 1);
  fail_unless_equals_float (figure (&f, "longest-gap"), 6 * PERIOD);
  teardown (&f);
}

GST_END_TEST

/* A picture shown before it was captured, by the clock: counted, and no delay. */
GST_START_TEST (test_wrong_clock)
{
  GstBuffer *buffer;
  Fixture f;

  setup (&f);
  show_next (&f, 3);
  buffer = capture (&f);
  GST_BUFFER_PTS (buffer) = 0;
  show_at (&f, buffer, 2 * PERIOD + DELAY);
  lose_next (&f, 10);
  buffer = capture (&f);
  show_at (&f, buffer, 3 * PERIOD + DELAY);
  fail_unless_equals_float (figure (&f, "clock-errors"), 1);
  fail_unless_equals_float (figure (&f, "displayed"), 5);
  teardown (&f);
}

GST_END_TEST

/* Of those posted since: how many, each with that rate. */
static guint
count_messages (Fixture *f, gdouble frame_rate)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (f->bus, GST_MESSAGE_ELEMENT)) != NULL) {
    const GstStructure *s = gst_message_get_structure (message);

    fail_unless (gst_structure_has_name (s, "application/x-framemeasure-stats"));
    fail_unless (fabs (value_of (s, "frame-rate") - frame_rate) < 0.001, "%f", value_of (s, "frame-rate"));
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* One a second, and one at the end, each with the rate of its second. */
GST_START_TEST (test_messages)
{
  Fixture f;

  setup (&f);
  show_next (&f, 76); /* 3 s and the first */
  gst_harness_push_event (f.measure, gst_event_new_eos ());
  fail_unless_equals_int (count_messages (&f, 25), 4);
  teardown (&f);
}

GST_END_TEST

/* What was shown while there was none, or before time began anew, is not of the interval. */
GST_START_TEST (test_intervals_that_begin_late)
{
  Fixture f;
  guint i;

  setup (&f);
  show_next (&f, 10);
  g_object_set (f.measure->element, "interval", G_GUINT64_CONSTANT (0), NULL);
  show_next (&f, 100);
  fail_unless_equals_int (count_messages (&f, 0), 0);
  g_object_set (f.measure->element, "interval", GST_SECOND, NULL);
  show_next (&f, 26);
  fail_unless_equals_int (count_messages (&f, 25), 1);
  show_next (&f, 20);
  gst_element_set_base_time (f.measure->element, gst_clock_get_time (GST_CLOCK (f.clock)));
  for (i = 0; i < 14; i++) {
    lose_next (&f, 1);
    show_next (&f, 1);
  }
  fail_unless_equals_int (count_messages (&f, 12.5), 1);
  teardown (&f);
}

GST_END_TEST

GST_START_TEST (test_file)
{
  gchar *name = g_build_filename (g_get_tmp_dir (), "framemeasure-XXXXXX", NULL), *text, **lines;
  gint fd = g_mkstemp (name);
  Fixture f;

  close (fd);
  setup (&f);
  gst_element_set_state (f.measure->element, GST_STATE_NULL);
  g_object_set (f.measure->element, "location", name, NULL);
  gst_element_set_state (f.measure->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (f.measure, CAPS);
  show_next (&f, 2);
  lose_next (&f, 1);
  show_next (&f, 1);
  gst_element_set_state (f.measure->element, GST_STATE_NULL);
  fail_unless (g_file_get_contents (name, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  fail_unless_equals_int (g_strv_length (lines), 5); /* the last is empty */
  fail_unless_equals_string (lines[0], "number,captured,displayed,delay,gap,kind,psnr_y,ssim");
  fail_unless_equals_string (lines[2], "1,0.040000,0.120000,0.080000,0.040000,new,,");
  fail_unless_equals_string (lines[3], "3,0.120000,0.200000,0.080000,0.080000,new,,");
  g_strfreev (lines);
  g_free (text);
  g_unlink (name);
  g_free (name);
  teardown (&f);
}

GST_END_TEST

/* An original that is smaller cannot be compared, and that is said, once. */
GST_START_TEST (test_reference_of_another_size)
{
  GstElement *pipeline = gst_parse_launch (
      "videotestsrc num-buffers=5 ! " CAPS " ! framestamp ! framemeasure name=m ! fakesink "
      "videotestsrc num-buffers=5 ! video/x-raw,format=I420,width=160,height=120 ! framestamp ! m.reference",
      NULL);
  GstElement *measure = gst_bin_get_by_name (GST_BIN (pipeline), "m");
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  guint warnings = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((message = gst_bus_timed_pop_filtered (
              bus, 10 * GST_SECOND, (GstMessageType)(GST_MESSAGE_EOS | GST_MESSAGE_WARNING))) != NULL) {
    gboolean end = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;

    warnings += !end;
    gst_message_unref (message);
    if (end)
      break;
  }
  fail_unless_equals_int (warnings, 1);
  fail_unless_equals_float (stat_of (measure, "unmatched"), 5);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (measure);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
}

GST_END_TEST

/* As from a source of raw bytes: time stamps say nothing then, but numbers and losses are told. */
GST_START_TEST (test_segment_of_bytes)
{
  GstSegment segment;
  Fixture f;

  setup (&f);
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_harness_push_event (f.stamp, gst_event_new_segment (&segment));
  gst_harness_push_event (f.measure, gst_event_new_segment (&segment));
  g_object_set (f.measure->element, "sync", TRUE, NULL);
  show_next (&f, 3);
  lose_next (&f, 1);
  show_next (&f, 1);
  fail_unless_equals_float (figure (&f, "displayed"), 4);
  fail_unless_equals_float (figure (&f, "lost"), 1);
  teardown (&f);
}

GST_END_TEST

/* Nobody waits for an original when the pipeline stops. */
GST_START_TEST (test_stops_at_once)
{
  GstElement *pipeline =
      gst_parse_launch ("videotestsrc ! " CAPS " ! framestamp ! framemeasure name=m ! fakesink "
                        "videotestsrc num-buffers=1 is-live=true ! " CAPS " ! valve drop=true ! m.reference",
          NULL);
  guint i;

  for (i = 0; i < 3; i++) {
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    gst_element_get_state (pipeline, NULL, NULL, GST_SECOND);
    gst_element_set_state (pipeline, GST_STATE_NULL);
  }
  gst_object_unref (pipeline);
}

GST_END_TEST

GST_START_TEST (test_one_reference_pad)
{
  GstElement *measure = gst_element_factory_make ("framemeasure", NULL);
  GstPadTemplate *templ = gst_element_get_pad_template (measure, "reference");
  GstPad *pad = gst_element_request_pad (measure, templ, NULL, NULL);

  fail_unless (pad != NULL);
  fail_unless (gst_element_request_pad (measure, templ, NULL, NULL) == NULL);
  gst_element_release_request_pad (measure, pad);
  gst_object_unref (pad);
  pad = gst_element_request_pad (measure, templ, NULL, NULL);
  fail_unless (pad != NULL);
  gst_object_unref (pad);
  gst_object_unref (measure);
}

GST_END_TEST

/* A source pad that feeds the reference pad. */
static GstPad *
link_reference (Fixture *f)
{
  GstPad *from = gst_pad_new ("src", GST_PAD_SRC);
  GstPad *to = gst_element_request_pad_simple (f->measure->element, "reference");
  GstCaps *caps = gst_caps_from_string (CAPS);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_set_active (from, TRUE);
  fail_unless_equals_int (gst_pad_link (from, to), GST_PAD_LINK_OK);
  gst_pad_push_event (from, gst_event_new_stream_start ("originals"));
  gst_pad_push_event (from, gst_event_new_caps (caps));
  gst_pad_push_event (from, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
  gst_object_unref (to);
  return from;
}

static void
release_reference (Fixture *f, GstPad *from)
{
  GstPad *to = gst_pad_get_peer (from);

  gst_pad_unlink (from, to);
  gst_element_release_request_pad (f->measure->element, to);
  gst_object_unref (to);
  gst_object_unref (from);
}

static void
show_with_original (Fixture *f, GstPad *reference)
{
  GstBuffer *buffer = capture (f);

  fail_unless_equals_int (gst_pad_push (reference, gst_buffer_ref (buffer)), GST_FLOW_OK);
  show (f, buffer);
}

/* Whether the next picture waits for its original, which does not come. */
static void
assert_waits (Fixture *f)
{
  gint64 began = g_get_monotonic_time ();

  show_next (f, 1);
  fail_unless (g_get_monotonic_time () - began >= 190 * G_TIME_SPAN_MILLISECOND);
}

/* As in a loop by a seek at the end. */
GST_START_TEST (test_reference_after_its_end)
{
  GstPad *reference;
  GstSegment segment;
  Fixture f;

  setup (&f);
  reference = link_reference (&f);
  show_with_original (&f, reference);
  gst_pad_push_event (reference, gst_event_new_eos ());
  show_next (&f, 1);
  fail_unless_equals_float (figure (&f, "unmatched"), 1);
  gst_pad_push_event (reference, gst_event_new_flush_start ());
  gst_pad_push_event (reference, gst_event_new_flush_stop (TRUE));
  assert_waits (&f);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (reference, gst_event_new_segment (&segment));
  show_with_original (&f, reference);
  fail_unless_equals_float (figure (&f, "compared"), 2);
  gst_pad_push_event (reference, gst_event_new_eos ());
  gst_pad_push_event (reference, gst_event_new_stream_start ("more originals"));
  assert_waits (&f);
  release_reference (&f, reference);
  teardown (&f);
}

GST_END_TEST

GST_START_TEST (test_reference_anew)
{
  GstPad *reference;
  Fixture f;

  setup (&f);
  reference = link_reference (&f);
  show_with_original (&f, reference);
  release_reference (&f, reference);
  show_next (&f, 1);
  fail_unless_equals_float (figure (&f, "unmatched"), 0);
  reference = gst_element_request_pad_simple (f.measure->element, "reference");
  assert_waits (&f);
  gst_element_release_request_pad (f.measure->element, reference);
  gst_object_unref (reference);
  reference = link_reference (&f);
  show_with_original (&f, reference);
  fail_unless_equals_float (figure (&f, "compared"), 2);
  release_reference (&f, reference);
  teardown (&f);
}

GST_END_TEST

static Suite *
framemeasure_suite (void)
{
  Suite *suite = suite_create ("framemeasure");
  TCase *tcase = tcase_create ("framemeasure");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_encoders_at_their_worst, 0, (int)(G_N_ELEMENTS (codecs) * G_N_ELEMENTS (patterns)));
  tcase_add_test (tcase, test_reference);
  tcase_add_test (tcase, test_damaged_pictures);
  tcase_add_test (tcase, test_over_sockets);
  tcase_add_test (tcase, test_formats_and_corners);
  tcase_add_test (tcase, test_no_stamps);
  tcase_add_test (tcase, test_errors_tell_the_cure);
  tcase_add_test (tcase, test_mistakes_are_told_once);
  tcase_add_test (tcase, test_delays);
  tcase_add_test (tcase, test_no_time_stamp);
  tcase_add_test (tcase, test_sink_that_waits);
  tcase_add_test (tcase, test_late_pictures_pass);
  tcase_add_test (tcase, test_losses_and_freezes);
  tcase_add_test (tcase, test_seek);
  tcase_add_test (tcase, test_wrong_clock);
  tcase_add_test (tcase, test_messages);
  tcase_add_test (tcase, test_intervals_that_begin_late);
  tcase_add_test (tcase, test_file);
  tcase_add_test (tcase, test_reference_of_another_size);
  tcase_add_test (tcase, test_segment_of_bytes);
  tcase_add_test (tcase, test_stops_at_once);
  tcase_add_test (tcase, test_one_reference_pad);
  tcase_add_test (tcase, test_reference_after_its_end);
  tcase_add_test (tcase, test_reference_anew);
  return suite;
}

GST_CHECK_MAIN (framemeasure);
