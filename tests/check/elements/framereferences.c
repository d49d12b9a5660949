/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Originals of one pixel, which tells them apart. */
#include "gstframereferences.h"

#include <gst/check/gstcheck.h>

#define PERIOD (40 * GST_MSECOND)
#define LONG (60 * GST_SECOND) /* longer than a test may take */

static GstFrameReferences r;
static GstClockTime origin; /* capture of number 0 */

static void
setup (void)
{
  gst_frame_references_init (&r);
  gst_frame_references_open (&r, 10);
  origin = 0;
}

static void
teardown (void)
{
  gst_frame_references_clear (&r);
}

static guint64
captured (guint32 number)
{
  return origin + number * PERIOD;
}

static void
put (guint32 number, guint8 pixel)
{
  LumaPlane plane = {&pixel, 1, 1, 1, 1};
  LumaStamp stamp = {number, captured (number), LUMA_STAMP_MONOTONIC};

  gst_frame_references_put (&r, &stamp, &plane);
}

/* Its pixel; -1: none. */
static gint
take_captured (guint32 number, guint64 at, GstClockTime timeout)
{
  LumaPlane *plane = gst_frame_references_take (&r, number, at, timeout);
  gint pixel = plane != NULL ? *luma_at (plane, 0, 0) : -1;

  g_free (plane);
  return pixel;
}

static gint
take (guint32 number, GstClockTime timeout)
{
  return take_captured (number, captured (number), timeout);
}

static gpointer
put_late (gpointer number)
{
  g_usleep (50000);
  put (GPOINTER_TO_UINT (number), 77);
  return NULL;
}

static gint
take_while_put (guint32 number, guint64 at)
{
  GThread *thread = g_thread_new ("put", put_late, GUINT_TO_POINTER (number));
  gint pixel = take_captured (number, at, LONG);

  g_thread_join (thread);
  return pixel;
}

GST_START_TEST (test_each_once)
{
  put (1, 11);
  put (2, 12);
  fail_unless_equals_int (take (2, LONG), 12);
  fail_unless_equals_int (take (1, LONG), 11);
  fail_unless_equals_int (take (1, LONG), -1);
}

GST_END_TEST

GST_START_TEST (test_limit)
{
  guint32 i;

  for (i = 0; i < 11; i++)
    put (i, (guint8)i);
  fail_unless_equals_int (take (0, LONG), -1);
  fail_unless_equals_int (take (1, LONG), 1);
}

GST_END_TEST

/* For one that is newer than all that came. */
GST_START_TEST (test_waits)
{
  fail_unless_equals_int (take_while_put (1, captured (1)), 77);
  fail_unless_equals_int (take_while_put (2, captured (2)), 77);
  fail_unless_equals_int (take (3, GST_MSECOND), -1);
}

GST_END_TEST

/* Nobody waits behind the end, until the stream begins again; what number it goes on with nobody knows. */
GST_START_TEST (test_end_and_begin)
{
  put (5, 15);
  gst_frame_references_end (&r);
  fail_unless_equals_int (take (6, LONG), -1);
  gst_frame_references_begin (&r);
  fail_unless_equals_int (take_while_put (2, captured (2)), 77);
  fail_unless_equals_int (take_while_put (6, captured (6)), 77);
}

GST_END_TEST

GST_START_TEST (test_closed)
{
  gst_frame_references_close (&r);
  gst_frame_references_begin (&r);
  fail_unless_equals_int (take (1, LONG), -1);
  gst_frame_references_end (&r);
  gst_frame_references_open (&r, 10);
  fail_unless_equals_int (take_while_put (1, captured (1)), 77);
}

GST_END_TEST

/* The same numbers again: pictures of before that are still on their way find their own originals, those of now wait
   for theirs. */
GST_START_TEST (test_sender_anew)
{
  put (1, 11);
  put (2, 12);
  put (3, 13);
  origin = 10 * GST_SECOND;
  fail_unless_equals_int (take_while_put (1, captured (1)), 77);
  put (2, 22);
  origin = 0;
  fail_unless_equals_int (take (2, LONG), 12);
  fail_unless_equals_int (take (3, LONG), 13);
  fail_unless_equals_int (take (4, LONG), -1);
  origin = 10 * GST_SECOND;
  fail_unless_equals_int (take (2, LONG), 22);
}

GST_END_TEST

/* Of a damaged picture the time says nothing. */
GST_START_TEST (test_number_worked_out)
{
  put (1, 11);
  put (2, 12);
  origin = 10 * GST_SECOND;
  put (1, 21);
  fail_unless_equals_int (take_captured (1, 0, LONG), 21);
  fail_unless_equals_int (take_captured (1, 0, LONG), 11);
  fail_unless_equals_int (take_captured (1, 0, LONG), -1);
  fail_unless_equals_int (take_while_put (3, 0), 77);
}

GST_END_TEST

/* A source that is not live is faster than the unit of the time. */
GST_START_TEST (test_same_time)
{
  origin = GST_SECOND;
  put (1, 11);
  origin -= PERIOD;
  fail_unless_equals_int (take_while_put (2, captured (2)), 77);
  fail_unless_equals_int (take (2, LONG), -1);
}

GST_END_TEST

/* Pictures and originals with a framestamp each are not of the very same time. */
GST_START_TEST (test_stamped_twice)
{
  put (1, 11);
  put (2, 12);
  origin = GST_SECOND;
  fail_unless_equals_int (take (1, LONG), 11);
  origin = GST_SECOND + 1;
  fail_unless_equals_int (take (2, GST_MSECOND), -1);
}

GST_END_TEST

static Suite *
framereferences_suite (void)
{
  Suite *suite = suite_create ("framereferences");
  TCase *tcase = tcase_create ("framereferences");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, teardown);
  tcase_add_test (tcase, test_each_once);
  tcase_add_test (tcase, test_limit);
  tcase_add_test (tcase, test_waits);
  tcase_add_test (tcase, test_end_and_begin);
  tcase_add_test (tcase, test_closed);
  tcase_add_test (tcase, test_sender_anew);
  tcase_add_test (tcase, test_number_worked_out);
  tcase_add_test (tcase, test_same_time);
  tcase_add_test (tcase, test_stamped_twice);
  return suite;
}

GST_CHECK_MAIN (framereferences);
