/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtcpavpf's properties about timing make of a participant. That it keeps to it: rtcpavpftiming.c. */
#include "gstrtcpavpfturns.h"

#include <gst/check/gstcheck.h>

static GstRtcpAvpfTurns turns;

static void
setup (void)
{
  gst_rtcp_avpf_turns_init (&turns);
}

/* As untouched, an element is a participant of the core's own defaults (RFC 3550 6.2, RFC 4585 3.4). */
GST_START_TEST (test_defaults_are_the_core_s)
{
  RtpTurnsParams core, ours = gst_rtcp_avpf_turns_params (&turns);

  rtp_turns_params_init (&core);
  fail_unless_equals_float (ours.session_bps, core.session_bps);
  fail_unless_equals_float (ours.rtcp_fraction, core.rtcp_fraction);
  fail_unless_equals_float (ours.senders_bps, core.senders_bps);
  fail_unless_equals_float (ours.receivers_bps, core.receivers_bps);
  fail_unless_equals_uint64 (ours.T_rr_interval, core.T_rr_interval);
  fail_unless_equals_float (ours.dither_factor, core.dither_factor);
  fail_unless_equals_int (ours.reconsideration, core.reconsideration);
  fail_unless_equals_int (ours.avpf, core.avpf);
}
GST_END_TEST;

GST_START_TEST (test_early_feedback_is_the_profile_s)
{
  static const struct {
    GstRTPProfile profile;
    gboolean early;
  } cases[] = {{GST_RTP_PROFILE_AVP, FALSE}, {GST_RTP_PROFILE_SAVP, FALSE}, {GST_RTP_PROFILE_AVPF, TRUE},
      {GST_RTP_PROFILE_SAVPF, TRUE}};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    turns.profile = cases[i].profile;
    fail_unless_equals_int (gst_rtcp_avpf_turns_params (&turns).avpf, cases[i].early);
  }
}
GST_END_TEST;

GST_START_TEST (test_auto_is_a_group_in_multicast)
{
  static const struct {
    GstRtcpAvpfGroup group;
    RtpSessionKind unicast, multicast;
  } cases[] = {{GST_RTCP_AVPF_GROUP_AUTO, RTP_SESSION_UNICAST, RTP_SESSION_GROUP},
      {GST_RTCP_AVPF_GROUP_POINT_TO_POINT, RTP_SESSION_UNICAST, RTP_SESSION_UNICAST},
      {GST_RTCP_AVPF_GROUP_GROUP, RTP_SESSION_GROUP, RTP_SESSION_GROUP}};
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    turns.group = cases[i].group;
    fail_unless_equals_int (gst_rtcp_avpf_turns_kind (&turns, FALSE), cases[i].unicast);
    fail_unless_equals_int (gst_rtcp_avpf_turns_kind (&turns, TRUE), cases[i].multicast);
  }
}
GST_END_TEST;

/* ---- properties ---- */

static const gchar *const names[GST_RTCP_AVPF_TURNS_PROPERTIES] = {"rtp-profile", "bandwidth", "rtcp-fraction",
    "rtcp-rs-bandwidth", "rtcp-rr-bandwidth", "trr-int", "max-feedback-delay", "dither-factor", "group",
    "reconsideration"};

static void
check (GParamSpec *spec, guint i, const GValue *expected)
{
  GValue got = G_VALUE_INIT;

  g_value_init (&got, G_PARAM_SPEC_VALUE_TYPE (spec));
  gst_rtcp_avpf_turns_get (&turns, i, &got);
  if (expected == NULL)
    fail_unless (g_param_value_defaults (spec, &got), "%s", spec->name);
  else
    fail_unless_equals_int (gst_value_compare (expected, &got), GST_VALUE_EQUAL);
  g_value_unset (&got);
}

/* One that is set is read as it was set, and alone has changed. */
GST_START_TEST (test_each_property_is_its_own)
{
  GstElement *element = gst_element_factory_make ("rtcpavpf", NULL);
  guint i, k;

  for (i = 0; i < GST_RTCP_AVPF_TURNS_PROPERTIES; i++) {
    GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), names[i]);
    GValue set = G_VALUE_INIT;

    g_value_init (&set, G_PARAM_SPEC_VALUE_TYPE (spec));
    fail_unless (gst_value_deserialize (&set, G_IS_PARAM_SPEC_ENUM (spec) ? "2" : "1"));
    fail_if (g_param_value_defaults (spec, &set), "%s", names[i]);
    gst_rtcp_avpf_turns_init (&turns);
    gst_rtcp_avpf_turns_set (&turns, i, &set);
    for (k = 0; k < GST_RTCP_AVPF_TURNS_PROPERTIES; k++)
      check (g_object_class_find_property (G_OBJECT_GET_CLASS (element), names[k]), k, k == i ? &set : NULL);
    g_value_unset (&set);
  }
  gst_object_unref (element);
}
GST_END_TEST;

static Suite *
rtcpavpfturns_suite (void)
{
  Suite *suite = suite_create ("rtcpavpfturns");
  TCase *tc = tcase_create ("rtcpavpfturns");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, test_defaults_are_the_core_s);
  tcase_add_test (tc, test_early_feedback_is_the_profile_s);
  tcase_add_test (tc, test_auto_is_a_group_in_multicast);
  tcase_add_test (tc, test_each_property_is_its_own);
  return suite;
}

GST_CHECK_MAIN (rtcpavpfturns);
