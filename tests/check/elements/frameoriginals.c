/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pad of the originals by itself, on a bin that has nothing else: what waits, what a picture is compared with, and
   that nobody waits for what does not come. */
#include "gstframeoriginals.h"

#include <gst/check/gstcheck.h>
#include <math.h>
#include <string.h>

#define WIDTH 320
#define HEIGHT 240
#define CAPS "video/x-raw,format=GRAY8,width=%d,height=%d,framerate=30/1"
#define CAPTURED (5 * GST_SECOND)

static GstElement *element;
static GstBus *bus;
static GstFrameOriginals originals;
static GstStampPlace place;
static GstPad *pad, *source;
static guint8 pixels[WIDTH * HEIGHT];
static const LumaPlane plane = {.data = pixels, .stride = WIDTH, .step = 1, .width = WIDTH, .height = HEIGHT};
static LumaRect rect;

static GstStaticPadTemplate reference =
    GST_STATIC_PAD_TEMPLATE ("reference", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS (GST_STAMP_CAPS));

static GstPadTemplate *template(void)
{
  return gst_static_pad_template_get (&reference);
}

static GstPad *
request (void)
{
  GstPadTemplate *templ = template();
  GstPad *made = gst_frame_originals_request_pad (&originals, templ);

  gst_object_unref (templ);
  return made;
}

static void
push_caps (gint width, gint height)
{
  gchar *text = g_strdup_printf (CAPS, width, height);
  GstCaps *caps = gst_caps_from_string (text);

  fail_unless (gst_pad_push_event (source, gst_event_new_caps (caps)));
  gst_caps_unref (caps);
  g_free (text);
}

/* width 0: no caps. */
static void
begin (gint width, gint height)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  source = gst_pad_new ("source", GST_PAD_SRC);
  gst_pad_set_active (source, TRUE);
  fail_unless_equals_int (gst_pad_link (source, pad), GST_PAD_LINK_OK);
  fail_unless (gst_pad_push_event (source, gst_event_new_stream_start ("originals")));
  if (width > 0)
    push_caps (width, height);
  fail_unless (gst_pad_push_event (source, gst_event_new_segment (&segment)));
}

static void
setup (void)
{
  element = gst_bin_new ("measure");
  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
  place = (GstStampPlace){.corner = LUMA_STAMP_TOP_LEFT, .block = GST_STAMP_BLOCK_DEFAULT};
  gst_frame_originals_init (&originals, element, &place);
  gst_frame_originals_open (&originals, 8);
  fail_unless (luma_stamp_place (WIDTH, HEIGHT, GST_STAMP_BLOCK_DEFAULT, LUMA_STAMP_TOP_LEFT, &rect));
  pad = request ();
  fail_unless (pad != NULL);
}

static void
teardown (void)
{
  if (source != NULL)
    gst_pad_set_active (source, FALSE);
  gst_clear_object (&source);
  if (originals.pad != NULL)
    gst_frame_originals_release_pad (&originals);
  gst_frame_originals_close (&originals);
  gst_frame_originals_clear (&originals);
  gst_element_set_bus (element, NULL);
  gst_clear_object (&bus);
  gst_clear_object (&element);
}

/* A slope, a little lighter by `by`. */
static void
draw (guint number, guint8 by)
{
  const LumaStamp stamp = {.number = number, .time = CAPTURED, .clock = LUMA_STAMP_MONOTONIC};
  gint x, y;

  for (y = 0; y < HEIGHT; y++)
    for (x = 0; x < WIDTH; x++)
      pixels[y * WIDTH + x] = (guint8)(40 + (x + y) / 4 + by);
  luma_stamp_write (&plane, &rect, &stamp);
}

static void
push_picture (gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_fill (buffer, 0, pixels, MIN (size, sizeof pixels));
  fail_unless_equals_int (gst_pad_push (source, buffer), GST_FLOW_OK);
}

static void
push_original (guint number)
{
  draw (number, 0);
  push_picture (sizeof pixels);
}

static GstFramePicture
compare (guint number, guint8 by)
{
  GstFramePicture p;

  gst_frame_picture_init (&p);
  p.stamped = TRUE;
  p.stamp = (LumaStamp){.number = number, .time = CAPTURED, .clock = LUMA_STAMP_MONOTONIC};
  draw (number, by);
  gst_frame_originals_compare (&originals, &plane, &rect, &p);
  return p;
}

GST_START_TEST (test_there_is_one_pad)
{
  fail_unless (gst_frame_originals_are_there (&originals));
  fail_unless (request () == NULL);
  gst_frame_originals_release_pad (&originals);
  fail_if (gst_frame_originals_are_there (&originals));
  fail_unless_equals_int (element->numsinkpads, 0);
  pad = request ();
  fail_unless (pad != NULL);
}
GST_END_TEST;

/* Lighter by 5 everywhere but in the stamp: 10 log (255^2 / 25). */
GST_START_TEST (test_a_picture_meets_its_original)
{
  GstFramePicture p;

  begin (WIDTH, HEIGHT);
  push_original (7);
  push_original (8);
  p = compare (7, 5);
  fail_unless (fabs (p.psnr - 10 * log10 (255.0 * 255.0 / 25)) < 0.01, "%g dB", p.psnr);
  fail_unless (p.ssim > 0.9 && p.ssim < 1);
  fail_unless (compare (8, 0).ssim > 0.9999);
}
GST_END_TEST;

/* Its stream is over, so that nobody waits. */
GST_START_TEST (test_there_was_none)
{
  gint64 begun = g_get_monotonic_time ();
  GstFramePicture p;

  begin (WIDTH, HEIGHT);
  push_original (7);
  fail_unless (gst_pad_push_event (source, gst_event_new_eos ()));
  p = compare (9, 0);
  fail_unless (isnan (p.psnr) && isnan (p.ssim));
  fail_unless (g_get_monotonic_time () - begun < 150000);
  fail_unless (isnan (compare (7, 0).psnr) == FALSE); /* what came before is there */
}
GST_END_TEST;

static gpointer
push_later (gpointer data)
{
  GstBuffer *buffer = data;

  g_usleep (30000);
  gst_pad_push (source, buffer);
  return NULL;
}

GST_START_TEST (test_one_that_is_behind_is_waited_for)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, sizeof pixels, NULL);
  GThread *thread;

  begin (WIDTH, HEIGHT);
  draw (7, 0);
  gst_buffer_fill (buffer, 0, pixels, sizeof pixels);
  thread = g_thread_new ("originals", push_later, buffer);
  fail_if (isnan (compare (7, 5).psnr));
  g_thread_join (thread);
}
GST_END_TEST;

GST_START_TEST (test_a_picture_without_a_stamp_is_none)
{
  begin (WIDTH, HEIGHT);
  memset (pixels, 100, sizeof pixels);
  push_picture (sizeof pixels);
  fail_unless_equals_int (g_queue_get_length (&originals.waiting.queue), 0);
  push_original (1);
  fail_unless_equals_int (g_queue_get_length (&originals.waiting.queue), 1);
}
GST_END_TEST;

static guint
warnings (void)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)) != NULL) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

GST_START_TEST (test_another_size_is_told_once)
{
  guint number;

  begin (WIDTH, HEIGHT / 2);
  for (number = 1; number <= 3; number++) {
    draw (number, 0);
    push_picture (WIDTH * HEIGHT / 2);
    fail_unless (isnan (compare (number, 0).psnr));
  }
  fail_unless_equals_int (warnings (), 1);
}
GST_END_TEST;

GST_START_TEST (test_pictures_before_caps_are_refused)
{
  begin (0, 0);
  fail_unless_equals_int (
      gst_pad_push (source, gst_buffer_new_allocate (NULL, sizeof pixels, NULL)), GST_FLOW_NOT_NEGOTIATED);
}
GST_END_TEST;

/* A buffer of fewer bytes than its caps say. */
GST_START_TEST (test_a_short_picture_is_refused)
{
  begin (WIDTH, HEIGHT);
  fail_unless_equals_int (gst_pad_push (source, gst_buffer_new_allocate (NULL, 100, NULL)), GST_FLOW_NOT_NEGOTIATED);
}
GST_END_TEST;

/* After a flush or a new stream whoever compares waits again. */
GST_START_TEST (test_a_stream_begins_anew)
{
  begin (WIDTH, HEIGHT);
  fail_unless (gst_pad_push_event (source, gst_event_new_eos ()));
  fail_unless (originals.waiting.ended);
  fail_unless (gst_pad_push_event (source, gst_event_new_flush_start ()));
  fail_unless (gst_pad_push_event (source, gst_event_new_flush_stop (TRUE)));
  fail_if (originals.waiting.ended);
}
GST_END_TEST;

static Suite *
frameoriginals_suite (void)
{
  Suite *suite = suite_create ("frameoriginals");
  TCase *tc = tcase_create ("frameoriginals");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_there_is_one_pad);
  tcase_add_test (tc, test_a_picture_meets_its_original);
  tcase_add_test (tc, test_there_was_none);
  tcase_add_test (tc, test_one_that_is_behind_is_waited_for);
  tcase_add_test (tc, test_a_picture_without_a_stamp_is_none);
  tcase_add_test (tc, test_another_size_is_told_once);
  tcase_add_test (tc, test_pictures_before_caps_are_refused);
  tcase_add_test (tc, test_a_short_picture_is_refused);
  tcase_add_test (tc, test_a_stream_begins_anew);
  return suite;
}

GST_CHECK_MAIN (frameoriginals);
