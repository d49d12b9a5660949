/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures whose fate is known, and what is said of them. */
#include "gstframefigures.h"

#include <gst/check/gstcheck.h>
#include <math.h>

#define PERIOD (40 * GST_MSECOND)
#define DELAY (100 * GST_MSECOND)

static GstFrameFigures f;

static void
setup (void)
{
  gst_frame_figures_init (&f, 500 * GST_MSECOND);
}

static GstClockTime
captured (guint32 number)
{
  return GST_SECOND + number * PERIOD;
}

/* Displayed `delay` after its capture, by a monotonic stamp; running time is 5 s ahead of that clock. */
static GstFramePicture
show (guint32 number, GstClockTime delay)
{
  GstClockTime at = captured (number) + delay;
  GstFrameDisplay display = {at + 5 * GST_SECOND, at, 0};
  GstFramePicture p;

  gst_frame_picture_init (&p);
  p.stamped = TRUE;
  p.stamp = (LumaStamp){number, captured (number), LUMA_STAMP_MONOTONIC};
  gst_frame_figures_on_picture (&f, &display, &p);
  return p;
}

static guint64
count (const GstStructure *s, const gchar *name)
{
  guint64 value;

  fail_unless (gst_structure_get_uint64 (s, name, &value), "%s", name);
  return value;
}

static gdouble
figure (const GstStructure *s, const gchar *name)
{
  gdouble value;

  fail_unless (gst_structure_get_double (s, name, &value), "%s", name);
  return value;
}

GST_START_TEST (test_delay_is_by_the_clock_of_the_stamp)
{
  GstFramePicture p = show (1, DELAY);

  fail_unless_equals_uint64 (p.delay, DELAY);
  fail_unless_equals_uint64 (p.displayed, captured (1) + DELAY);
  fail_unless_equals_uint64 (p.gap, GST_CLOCK_TIME_NONE); /* nothing before it */
  fail_unless_equals_uint64 (show (2, DELAY).gap, PERIOD);
}
GST_END_TEST;

GST_START_TEST (test_display_before_capture_is_a_clock_error)
{
  GstFrameDisplay display = {6 * GST_SECOND, captured (1) - GST_SECOND, 0};
  GstFramePicture p;

  gst_frame_picture_init (&p);
  p.stamped = TRUE;
  p.stamp = (LumaStamp){1, captured (1), LUMA_STAMP_MONOTONIC};
  gst_frame_figures_on_picture (&f, &display, &p);
  fail_unless_equals_uint64 (p.delay, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (f.clock_errors, 1);
  fail_unless_equals_uint64 (f.frames.displayed, 1);
}
GST_END_TEST;

/* 1, 2, 2, 4: one repeated, one lost. A repetition has no delay of its own. */
GST_START_TEST (test_counts)
{
  GstFramePicture unread;
  GstFrameDisplay display = {0, 0, 0};
  GstStructure *s;

  show (1, DELAY);
  show (2, DELAY);
  fail_unless_equals_uint64 (show (2, 2 * DELAY).delay, GST_CLOCK_TIME_NONE);
  show (4, DELAY);
  gst_frame_picture_init (&unread);
  gst_frame_figures_on_picture (&f, &display, &unread);
  s = gst_frame_figures_to_structure (&f, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (count (s, "pictures"), 5);
  fail_unless_equals_uint64 (count (s, "displayed"), 3);
  fail_unless_equals_uint64 (count (s, "lost"), 1);
  fail_unless_equals_uint64 (count (s, "repeated"), 1);
  fail_unless_equals_uint64 (count (s, "unreadable"), 1);
  fail_unless_equals_uint64 (count (s, "delay-max"), DELAY);
  gst_structure_free (s);
}
GST_END_TEST;

GST_START_TEST (test_a_worked_out_number_tells_no_capture)
{
  GstFramePicture p = show (7, DELAY);

  fail_unless_equals_uint64 (gst_frame_picture_captured (&p), captured (7));
  p.damaged = TRUE;
  fail_unless_equals_uint64 (gst_frame_picture_captured (&p), 0);
}
GST_END_TEST;

GST_START_TEST (test_means_are_of_what_was_compared)
{
  GstFramePicture p = show (1, DELAY);
  GstStructure *s;

  p.psnr = 30;
  p.ssim = 0.9;
  gst_frame_figures_on_comparison (&f, &p);
  p.psnr = 40;
  p.ssim = NAN; /* too small for a window */
  gst_frame_figures_on_comparison (&f, &p);
  p.psnr = NAN;
  gst_frame_figures_on_comparison (&f, &p);
  s = gst_frame_figures_to_structure (&f, GST_CLOCK_TIME_NONE);
  fail_unless_equals_uint64 (count (s, "compared"), 2);
  fail_unless_equals_uint64 (count (s, "unmatched"), 1);
  fail_unless_equals_float (figure (s, "psnr-y"), 35);
  fail_unless_equals_float (figure (s, "psnr-y-min"), 30);
  fail_unless_equals_float (figure (s, "ssim"), 0.9);
  gst_structure_free (s);
}
GST_END_TEST;

static Suite *
framefigures_suite (void)
{
  Suite *suite = suite_create ("framefigures");
  TCase *tc = tcase_create ("framefigures");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_delay_is_by_the_clock_of_the_stamp);
  tcase_add_test (tc, test_display_before_capture_is_a_clock_error);
  tcase_add_test (tc, test_counts);
  tcase_add_test (tc, test_a_worked_out_number_tells_no_capture);
  tcase_add_test (tc, test_means_are_of_what_was_compared);
  return suite;
}

GST_CHECK_MAIN (framefigures);
