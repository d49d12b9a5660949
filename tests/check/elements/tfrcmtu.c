/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose mtu is set where a path swallows large packets, and when it is as before. What shows that it does: pathmtu. */
#include "gsttfrcmtu.h"

#include <gst/check/gstcheck.h>

#define FLOW 0x1000
#define DEFAULT_MTU 1400 /* GstRTPBasePayload's */

GST_DEBUG_CATEGORY (gst_tfrc_sink_debug);

static GstElement *pipeline;

/* Ends in an element of the name sink. */
static GstPad *
build (const gchar *line)
{
  GstElement *sink;
  GstPad *pad;

  pipeline = gst_parse_launch (line, NULL);
  fail_unless (pipeline != NULL);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_object_unref (sink);
  return pad;
}

static void
teardown (void)
{
  gst_clear_object (&pipeline);
}

static guint
mtu_of (const gchar *name)
{
  GstElement *pay = gst_bin_get_by_name (GST_BIN (pipeline), name);
  guint mtu;

  g_object_get (pay, "mtu", &mtu, NULL);
  gst_object_unref (pay);
  return mtu;
}

static void
user_sets (const gchar *name, guint mtu)
{
  GstElement *pay = gst_bin_get_by_name (GST_BIN (pipeline), name);

  g_object_set (pay, "mtu", mtu, NULL);
  gst_object_unref (pay);
}

static void
check_found (const gchar *line)
{
  GstPad *pad = build (line);

  gst_tfrc_mtu_set_upstream (pad, 900);
  fail_unless_equals_int (mtu_of ("pay"), 900);
  gst_tfrc_mtu_set_upstream (pad, 700);
  fail_unless_equals_int (mtu_of ("pay"), 700);
  gst_tfrc_mtu_set_upstream (pad, 0);
  fail_unless_equals_int (mtu_of ("pay"), DEFAULT_MTU);
  gst_object_unref (pad);
  teardown ();
}

GST_START_TEST (test_the_payloader_is_found)
{
  check_found ("rtpvp8pay name=pay ! fakesink name=sink");
  check_found ("rtpvp8pay name=pay ! queue ! identity ! capsfilter ! fakesink name=sink");
  check_found ("( videotestsrc ! vp8enc ! rtpvp8pay name=pay ) ! queue ! fakesink name=sink");
  check_found ("rtpvp8pay name=pay ! ( queue ! ( identity ! fakesink name=sink ) )");
}
GST_END_TEST;

GST_START_TEST (test_of_several_each_is_found)
{
  GstPad *pad = build ("rtpfunnel name=f ! fakesink name=sink rtpvp8pay name=a ! f. rtpjpegpay name=b mtu=800 ! f.");

  gst_tfrc_mtu_set_upstream (pad, 900);
  fail_unless_equals_int (mtu_of ("a"), 900);
  fail_unless_equals_int (mtu_of ("b"), 800); /* it is small enough */
  gst_tfrc_mtu_set_upstream (pad, 0);
  fail_unless_equals_int (mtu_of ("a"), DEFAULT_MTU);
  fail_unless_equals_int (mtu_of ("b"), 800);
  gst_object_unref (pad);
}
GST_END_TEST;

/* The user's last word is what it goes back to, and stays where it is said meanwhile. */
GST_START_TEST (test_what_the_user_sets)
{
  GstPad *pad = build ("rtpvp8pay name=pay mtu=1200 ! fakesink name=sink");

  gst_tfrc_mtu_set_upstream (pad, 900);
  user_sets ("pay", 850);
  gst_tfrc_mtu_set_upstream (pad, 0);
  fail_unless_equals_int (mtu_of ("pay"), 850);
  gst_tfrc_mtu_set_upstream (pad, 600);
  fail_unless_equals_int (mtu_of ("pay"), 600);
  user_sets ("pay", 1300);
  gst_tfrc_mtu_set_upstream (pad, 700);
  fail_unless_equals_int (mtu_of ("pay"), 700);
  gst_tfrc_mtu_set_upstream (pad, 0);
  fail_unless_equals_int (mtu_of ("pay"), 1300);
  gst_object_unref (pad);
}
GST_END_TEST;

GST_START_TEST (test_without_a_payloader)
{
  GstPad *pad = build ("fakesrc ! identity ! fakesink name=sink");

  gst_tfrc_mtu_set_upstream (pad, 900);
  gst_object_unref (pad);
  teardown ();
  pad = build ("fakesrc ! fakesink fakesink name=sink");
  gst_tfrc_mtu_set_upstream (pad, 900);
  gst_object_unref (pad);
}
GST_END_TEST;

/* Of each three packets the two that are larger than 1000 bytes are lost, in report after report. */
static void
swallow (GstTfrcMtu *m, guint32 ssrc, CcTime now)
{
  static const guint sizes[] = {1300, 1250, 1000};
  guint i;

  for (i = 0; i < 30; i++) {
    gst_tfrc_mtu_on_sent (m, ssrc, (guint16)(1 + i), sizes[i % 3], 0);
    if (i % 3 == 2)
      gst_tfrc_mtu_on_report (m, ssrc, 1 + i, (gint32)(2 * (i + 1) / 3), now);
  }
}

/* Redundancy over packets of `mtu` bytes is 22 bytes longer, and arrives as well. */
GST_START_TEST (test_a_limit_is_told_and_ends)
{
  GstPad *pad = build ("rtpvp8pay name=pay ! fakesink name=sink");
  GstTfrcMtu m;

  gst_tfrc_mtu_init (&m, GST_ELEMENT (GST_OBJECT_PARENT (pad)), pad);
  gst_tfrc_mtu_run (&m, CC_SECOND);
  fail_unless_equals_int (mtu_of ("pay"), DEFAULT_MTU);
  swallow (&m, FLOW, CC_SECOND);
  gst_tfrc_mtu_run (&m, CC_SECOND);
  fail_unless_equals_int (m.told, 1000);
  fail_unless_equals_int (mtu_of ("pay"), 978);
  gst_tfrc_mtu_run (&m, CC_SECOND + PATH_MTU_LIFE);
  fail_unless_equals_int (m.told, 0);
  fail_unless_equals_int (mtu_of ("pay"), DEFAULT_MTU);
  gst_object_unref (pad);
}
GST_END_TEST;

GST_START_TEST (test_another_path_has_no_limit)
{
  GstPad *pad = build ("rtpvp8pay name=pay ! fakesink name=sink");
  GstTfrcMtu m;

  gst_tfrc_mtu_init (&m, GST_ELEMENT (GST_OBJECT_PARENT (pad)), pad);
  swallow (&m, FLOW, CC_SECOND);
  gst_tfrc_mtu_run (&m, CC_SECOND);
  gst_tfrc_mtu_restart (&m);
  fail_unless_equals_int (mtu_of ("pay"), DEFAULT_MTU);
  gst_tfrc_mtu_run (&m, 2 * CC_SECOND);
  fail_unless_equals_int (mtu_of ("pay"), DEFAULT_MTU);
  gst_object_unref (pad);
}
GST_END_TEST;

/* 1000 bytes of an IP packet are 960 of what comes, where 40 are added; while nothing is missing they are nothing. */
GST_START_TEST (test_icmp_is_believed_where_packets_are_missing)
{
  GstPad *pad = build ("rtpvp8pay name=pay ! fakesink name=sink");
  guint seq;
  GstTfrcMtu m;

  gst_tfrc_mtu_init (&m, GST_ELEMENT (GST_OBJECT_PARENT (pad)), pad);
  for (seq = 1; seq <= 3; seq++)
    gst_tfrc_mtu_on_sent (&m, FLOW, (guint16)seq, seq == 2 ? 1200 : 600, 40);
  gst_tfrc_mtu_on_icmp (&m, 1000, CC_SECOND);
  fail_if (gst_tfrc_mtu_run (&m, CC_SECOND));
  gst_tfrc_mtu_on_report (&m, FLOW, 3, 1, CC_SECOND);
  fail_unless (gst_tfrc_mtu_run (&m, CC_SECOND));
  fail_unless_equals_int (m.told, 960);
  fail_unless_equals_int (mtu_of ("pay"), 938);
  gst_object_unref (pad);
}
GST_END_TEST;

/* Audio and video take turns; the path is the same for all. */
GST_START_TEST (test_each_of_several_streams_tells)
{
  static const guint sizes[] = {1300, 1250, 1000};
  GstPad *pad = build ("rtpvp8pay name=pay ! fakesink name=sink");
  PathMtuLoss loss;
  GstTfrcMtu m;
  guint i, k;

  gst_tfrc_mtu_init (&m, GST_ELEMENT (GST_OBJECT_PARENT (pad)), pad);
  for (i = 0; i < 30; i++) {
    for (k = 0; k < 3; k++)
      gst_tfrc_mtu_on_sent (&m, FLOW + k, (guint16)(1 + i), k == 1 ? sizes[i % 3] : 100, 0);
    if (i % 3 == 2)
      gst_tfrc_mtu_on_report (&m, FLOW + 1, 1 + i, (gint32)(2 * (i + 1) / 3), CC_SECOND);
    gst_tfrc_mtu_on_report (&m, FLOW, 1 + i, 0, CC_SECOND);
  }
  fail_unless (gst_tfrc_mtu_run (&m, CC_SECOND));
  fail_unless_equals_int (m.told, 1000);
  fail_unless (gst_tfrc_mtu_take_loss (&m, CC_SECOND, &loss));
  fail_unless_equals_int (loss.ssrc, FLOW + 1);
  fail_if (gst_tfrc_mtu_take_loss (&m, CC_SECOND, &loss));
  for (k = 3; k < 3 + GST_TFRC_MTU_STREAMS; k++) /* in their places; the path is as it was */
    gst_tfrc_mtu_on_sent (&m, FLOW + k, 1, 100, 0);
  gst_tfrc_mtu_run (&m, CC_SECOND);
  fail_unless_equals_int (m.told, 1000);
  gst_object_unref (pad);
}
GST_END_TEST;

static Suite *
tfrcmtu_suite (void)
{
  Suite *suite = suite_create ("tfrcmtu");
  TCase *tc = tcase_create ("tfrcmtu");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, NULL, teardown);
  tcase_add_test (tc, test_the_payloader_is_found);
  tcase_add_test (tc, test_of_several_each_is_found);
  tcase_add_test (tc, test_what_the_user_sets);
  tcase_add_test (tc, test_without_a_payloader);
  tcase_add_test (tc, test_a_limit_is_told_and_ends);
  tcase_add_test (tc, test_another_path_has_no_limit);
  tcase_add_test (tc, test_each_of_several_streams_tells);
  tcase_add_test (tc, test_icmp_is_believed_where_packets_are_missing);
  return suite;
}

GST_CHECK_MAIN (tfrcmtu);
