/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A line for each picture, whatever is known of it. */
#include "gstframerows.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <math.h>

GST_START_TEST (test_lines)
{
  GstFramePicture known = {.stamp = {7, 1500 * GST_MSECOND, LUMA_STAMP_MONOTONIC},
      .stamped = TRUE,
      .verdict = FRAME_NEW,
      .displayed = 1600 * GST_MSECOND,
      .delay = 100 * GST_MSECOND,
      .gap = 40 * GST_MSECOND,
      .psnr = 38.25,
      .ssim = 0.5};
  gchar *path = g_build_filename (g_get_tmp_dir (), "framerows-XXXXXX", NULL), *text;
  GstFramePicture late = known, unread;
  GstFrameRows rows;

  g_close (g_mkstemp (path), NULL);
  late.verdict = FRAME_OUT_OF_ORDER;
  late.gap = GST_CLOCK_TIME_NONE;
  late.psnr = late.ssim = NAN;
  gst_frame_picture_init (&unread);
  fail_unless (gst_frame_rows_open (&rows, path));
  gst_frame_rows_write (&rows, &known);
  gst_frame_rows_write (&rows, &late);
  gst_frame_rows_write (&rows, &unread);
  fail_unless (gst_frame_rows_close (&rows));
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  fail_unless_equals_string (text, "number,captured,displayed,delay,gap,kind,psnr_y,ssim\n"
                                   "7,1.500000,1.600000,0.100000,0.040000,new,38.2500,0.5000\n"
                                   "7,1.500000,1.600000,0.100000,,out-of-order,,\n"
                                   ",,,,,unreadable,,\n");
  g_unlink (path);
  g_free (text);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (test_without_a_file)
{
  GstFramePicture p;
  GstFrameRows rows;

  gst_frame_picture_init (&p);
  fail_unless (gst_frame_rows_open (&rows, NULL));
  gst_frame_rows_write (&rows, &p);
  fail_unless (gst_frame_rows_close (&rows));
  fail_unless (gst_frame_rows_open (&rows, ""));
  fail_unless (gst_frame_rows_close (&rows));
}
GST_END_TEST;

GST_START_TEST (test_what_cannot_be_written)
{
  GstFramePicture p;
  GstFrameRows rows;

  fail_if (gst_frame_rows_open (&rows, "/nowhere/rows.csv"));
  fail_unless_equals_int (errno, ENOENT);
  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    return;
  gst_frame_picture_init (&p);
  fail_unless (gst_frame_rows_open (&rows, "/dev/full"));
  gst_frame_rows_write (&rows, &p);
  fail_if (gst_frame_rows_close (&rows));
  fail_unless_equals_int (errno, ENOSPC);
}
GST_END_TEST;

static Suite *
framerows_suite (void)
{
  Suite *suite = suite_create ("framerows");
  TCase *tc = tcase_create ("framerows");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_lines);
  tcase_add_test (tc, test_without_a_file);
  tcase_add_test (tc, test_what_cannot_be_written);
  return suite;
}

GST_CHECK_MAIN (framerows);
