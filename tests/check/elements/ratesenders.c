/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose word counts of several senders. */
#include "gstratesenders.h"

#include <gst/check/gstcheck.h>

static GstRateSenders senders;

/* What counts once `name` has told that at so many s. */
static guint
told (const gchar *name, guint bitrate, gboolean pause, gdouble at_s)
{
  const GstRateInfo info = {.bitrate = bitrate, .limit = "delay", .pause = pause, .sender = name};
  GstRateInfo counts = gst_rate_senders_on_rate (&senders, &info, 0, cc_duration (at_s));

  fail_unless (counts.sender == NULL);
  return counts.bitrate;
}

GST_START_TEST (test_the_least_of_all)
{
  gst_rate_senders_init (&senders);
  fail_unless_equals_int (told ("a", 900, FALSE, 0), 900);
  fail_unless_equals_int (told ("b", 300, FALSE, 0), 300);
  fail_unless_equals_int (told ("a", 950, FALSE, 0.2), 300);
  fail_unless_equals_int (told (NULL, 200, FALSE, 0.2), 200);
  fail_unless_equals_int (told (NULL, 800, FALSE, 0.4), 300);
  fail_unless_equals_int (told ("b", 850, FALSE, 0.4), 800);
  fail_unless_equals_int (gst_rate_senders_count (&senders, cc_duration (0.4)), 3);
}
GST_END_TEST;

/* Its next word is the last one's, whatever that was. */
GST_START_TEST (test_one_alone)
{
  gst_rate_senders_init (&senders);
  fail_unless_equals_int (told ("a", 300, FALSE, 0), 300);
  fail_unless_equals_int (told ("a", 900, FALSE, 0), 900);
  fail_unless_equals_int (told ("a", 100, TRUE, 50), 100);
  fail_unless_equals_int (gst_rate_senders_count (&senders, cc_duration (50)), 1);
}
GST_END_TEST;

GST_START_TEST (test_who_is_silent_is_gone)
{
  gst_rate_senders_init (&senders);
  told ("b", 300, FALSE, 0);
  fail_unless_equals_int (told ("a", 900, FALSE, 2), 300);
  fail_unless_equals_int (told ("a", 900, FALSE, 2.1), 900);
  fail_unless_equals_int (gst_rate_senders_count (&senders, cc_duration (2.1)), 1);
  fail_unless_equals_int (told ("b", 300, FALSE, 2.2), 300); /* and is back */
}
GST_END_TEST;

GST_START_TEST (test_who_is_not_answered_holds_up_nobody)
{
  gst_rate_senders_init (&senders);
  told ("a", 900, FALSE, 0);
  fail_unless_equals_int (told ("b", 20, TRUE, 0), 900);
  fail_unless_equals_int (told ("a", 800, TRUE, 0), 20); /* now all are so */
  fail_unless_equals_int (told ("b", 500, FALSE, 0), 500);
}
GST_END_TEST;

GST_START_TEST (test_more_than_there_is_room_for)
{
  gchar name[16];

  gst_rate_senders_init (&senders);
  for (guint i = 0; i < GST_RATE_SENDERS_MOST + 8; i++) {
    g_snprintf (name, sizeof name, "%u", i);
    fail_unless_equals_int (told (name, 1000 - i, FALSE, 0.001 * i), 1000 - i);
  }
  fail_unless_equals_int (gst_rate_senders_count (&senders, cc_duration (0.1)), GST_RATE_SENDERS_MOST);
  fail_unless_equals_int (told ("8", 2000, FALSE, 0.1), 1000 - GST_RATE_SENDERS_MOST - 7); /* it has kept its place */
  fail_unless_equals_int (gst_rate_senders_count (&senders, cc_duration (0.1)), GST_RATE_SENDERS_MOST);
}
GST_END_TEST;

/* Sound and pictures of one relay. */
GST_START_TEST (test_each_stream_by_itself)
{
  const GstRateInfo less = {.bitrate = 60, .sender = "a"}, more = {.bitrate = 900, .sender = "a"};

  gst_rate_senders_init (&senders);
  fail_unless_equals_int (gst_rate_senders_on_rate (&senders, &less, 1, 0).bitrate, 60);
  fail_unless_equals_int (gst_rate_senders_on_rate (&senders, &more, 2, 0).bitrate, 900);
  fail_unless_equals_int (gst_rate_senders_on_rate (&senders, &less, 1, 0).bitrate, 60);
}
GST_END_TEST;

static Suite *
ratesenders_suite (void)
{
  Suite *suite = suite_create ("ratesenders");
  TCase *tcase = tcase_create ("ratesenders");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_the_least_of_all);
  tcase_add_test (tcase, test_one_alone);
  tcase_add_test (tcase, test_who_is_silent_is_gone);
  tcase_add_test (tcase, test_who_is_not_answered_holds_up_nobody);
  tcase_add_test (tcase, test_more_than_there_is_room_for);
  tcase_add_test (tcase, test_each_stream_by_itself);
  return suite;
}

GST_CHECK_MAIN (ratesenders);
