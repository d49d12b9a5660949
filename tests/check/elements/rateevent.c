/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/check/gstcheck.h>

#include "gstrateevent.h"

static const GstRateInfo example = {.bitrate = 900000,
    .wire_bitrate = 1000000,
    .rtt = 40 * GST_MSECOND,
    .loss_event_rate = 0.01,
    .queue_delay = GST_CLOCK_TIME_NONE,
    .backlog = 1234,
    .frame_budget = 15000,
    .limit = "equation",
    .owner = "loss",
    .pause = TRUE};

GST_START_TEST (test_round_trip)
{
  GstElement *sender = gst_element_factory_make ("identity", "teller");
  GstEvent *event = gst_rate_event_new (&example, sender);
  GstRateInfo info;

  fail_unless (GST_EVENT_IS_UPSTREAM (event) && !GST_EVENT_IS_DOWNSTREAM (event));
  fail_unless (gst_rate_event_parse (event, &info));
  fail_unless_equals_int (info.bitrate, 900000);
  fail_unless_equals_int (info.wire_bitrate, 1000000);
  fail_unless_equals_uint64 (info.rtt, 40 * GST_MSECOND);
  fail_unless_equals_float (info.loss_event_rate, 0.01);
  fail_unless_equals_uint64 (info.queue_delay, GST_CLOCK_TIME_NONE);
  fail_unless_equals_int (info.backlog, 1234);
  fail_unless_equals_int (info.frame_budget, 15000);
  fail_unless_equals_string (info.sender, "/GstIdentity:teller");
  gst_event_unref (event);
  gst_object_unref (sender);
  /* outlives the event */
  fail_unless_equals_string (info.limit, "equation");
  fail_unless_equals_string (info.owner, "loss");
  fail_unless (info.pause);
}
GST_END_TEST;

GST_START_TEST (test_others_are_left_alone)
{
  GstRateInfo info = example;
  GstEvent *other = gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("GstForceKeyUnit"));
  GstStructure *lacking = gst_rate_info_to_structure (&example, GST_RATE_EVENT_NAME);
  GstEvent *incomplete;

  fail_if (gst_rate_event_parse (other, &info));
  gst_structure_remove_fields (lacking, "owner", "pause", NULL);
  fail_unless (
      gst_rate_event_parse (gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_copy (lacking)), &info));
  fail_unless (info.owner == NULL && !info.pause && info.sender == NULL);
  gst_structure_remove_field (lacking, "rtt");
  incomplete = gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, lacking);
  info.bitrate = 1;
  fail_if (gst_rate_event_parse (incomplete, &info));
  fail_unless_equals_int (info.bitrate, 1);
  gst_event_unref (other);
  gst_event_unref (incomplete);
}
GST_END_TEST;

static Suite *
rateevent_suite (void)
{
  Suite *suite = suite_create ("rateevent");
  TCase *tcase = tcase_create ("rateevent");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_round_trip);
  tcase_add_test (tcase, test_others_are_left_alone);
  return suite;
}

GST_CHECK_MAIN (rateevent);
