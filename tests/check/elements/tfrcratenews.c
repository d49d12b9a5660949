/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a rate is news, in virtual time; and what upstream and the application hear of it. */
#include "gsttfrcratenews.h"

#include "gstrateevent.h"

#include <gst/check/gstcheck.h>

#define MEDIA 0xcafe
#define STILL ((CcSenderStatus){.rate_Bps = 125000, .media_Bps = 120000, .limit = CC_LIMIT_DELAY})

/* An element whose property is told of, with a pad towards the encoder. */
typedef struct {
  GstElement *element;
  GstPad *pad, *encoder;
  CcSender core;
  GstTfrcRateNews news;
  GstRateInfo heard;
  guint ssrc;
  gboolean sender_is_known;
  guint events, notified;
} Teller;

static gboolean
on_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Teller *t = g_object_get_data (G_OBJECT (pad), "teller");

  fail_unless (gst_rate_event_parse (event, &t->heard));
  t->ssrc = 0;
  gst_structure_get_uint (gst_event_get_structure (event), GST_RATE_EVENT_SSRC, &t->ssrc);
  t->sender_is_known = g_str_has_suffix (t->heard.sender, GST_OBJECT_NAME (t->element));
  t->events++;
  gst_event_unref (event);
  return TRUE;
}

static void
on_notify (GObject *object, GParamSpec *spec, gpointer user)
{
  ((Teller *)user)->notified++;
}

/* Told of `status` at 0. */
static void
open_teller (Teller *t, const CcSenderStatus *status)
{
  *t = (Teller){.core = {.rate_Bps = status->rate_Bps, .path = {.at = CC_TIME_NONE}}};
  t->element = gst_check_setup_element ("tfrcsink");
  t->pad = gst_pad_new ("sink", GST_PAD_SINK);
  t->encoder = gst_pad_new ("src", GST_PAD_SRC);
  g_object_set_data (G_OBJECT (t->encoder), "teller", t);
  gst_pad_set_event_function (t->encoder, on_event);
  fail_unless_equals_int (gst_pad_link (t->encoder, t->pad), GST_PAD_LINK_OK);
  gst_pad_set_active (t->pad, TRUE);
  gst_pad_set_active (t->encoder, TRUE);
  g_signal_connect (t->element, "notify::estimated-bitrate", G_CALLBACK (on_notify), t);
  gst_tfrc_rate_news_init (&t->news, t->element, t->pad, &t->core, 0);
  fail_unless (gst_tfrc_rate_news_look (&t->news, status, 0));
  gst_tfrc_rate_news_tell (&t->news, &t->core, status, 0, 0);
  fail_unless_equals_int (t->events, 1);
  fail_unless (t->sender_is_known);
  fail_unless_equals_int (t->ssrc, 0);
}

static void
close_teller (Teller *t)
{
  gst_check_teardown_element (t->element);
  gst_object_unref (t->pad);
  gst_object_unref (t->encoder);
}

static gboolean
look (Teller *t, CcSenderStatus status, guint ms)
{
  return gst_tfrc_rate_news_look (&t->news, &status, ms * CC_MSECOND);
}

/* Looked at each 20 ms, told each 200 ms though nothing changes. */
GST_START_TEST (test_no_news_is_told_seldom)
{
  Teller t;

  open_teller (&t, &STILL);
  fail_if (gst_tfrc_rate_news_is_due (&t.news, 19 * CC_MSECOND));
  fail_unless (gst_tfrc_rate_news_is_due (&t.news, 20 * CC_MSECOND));
  fail_if (look (&t, STILL, 20));
  fail_if (look (&t, STILL, 199));
  fail_unless (look (&t, STILL, 200));
  gst_tfrc_rate_news_hasten (&t.news, 200 * CC_MSECOND);
  fail_unless (gst_tfrc_rate_news_is_due (&t.news, 200 * CC_MSECOND));
  close_teller (&t);
}
GST_END_TEST;

GST_START_TEST (test_a_change_is_told_at_once)
{
  static const CcSenderStatus changed[] = {
      {.rate_Bps = 125000, .media_Bps = 120000, .limit = CC_LIMIT_DELAY, .pause = true},
      {.rate_Bps = 125000, .media_Bps = 120000, .limit = CC_LIMIT_APPLICATION},
      {.rate_Bps = 125000, .media_Bps = 123000, .limit = CC_LIMIT_DELAY},
      {.rate_Bps = 122000, .media_Bps = 120000, .limit = CC_LIMIT_DELAY},
  };

  for (guint i = 0; i < G_N_ELEMENTS (changed); i++) {
    Teller t;

    open_teller (&t, &STILL);
    fail_unless (look (&t, changed[i], 20), "%u", i);
    gst_tfrc_rate_news_tell (&t.news, &t.core, &changed[i], MEDIA, 20 * CC_MSECOND);
    fail_unless_equals_int (t.ssrc, MEDIA);
    fail_unless_equals_int (t.events, 2);
    fail_unless_equals_int (t.notified, changed[i].rate_Bps != 125000);
    fail_unless_equals_int (t.heard.pause, changed[i].pause);
    fail_unless_equals_int (t.heard.bitrate, 8 * changed[i].media_Bps);
    fail_unless_equals_string (t.heard.limit, cc_limit_name (changed[i].limit));
    /* and once */
    fail_if (look (&t, changed[i], 40));
    close_teller (&t);
  }
}
GST_END_TEST;

GST_START_TEST (test_two_per_cent_are_no_news)
{
  CcSenderStatus near = STILL;
  Teller t;

  near.rate_Bps *= 1.019;
  near.media_Bps *= 0.981;
  open_teller (&t, &STILL);
  fail_if (look (&t, near, 20));
  close_teller (&t);
}
GST_END_TEST;

static Suite *
tfrcratenews_suite (void)
{
  Suite *s = suite_create ("tfrcratenews");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_no_news_is_told_seldom);
  tcase_add_test (tc, test_a_change_is_told_at_once);
  tcase_add_test (tc, test_two_per_cent_are_no_news);
  return s;
}

GST_CHECK_MAIN (tfrcratenews);
