/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcbwe's properties, each set while it plays, in virtual time. Limits: rtptfrcbwe.c; weights:
   rtptfrcbwestreams.c. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "bwecall.h"

#define LINK 1e6
#define MEDIA (LINK * PAYLOAD / (PAYLOAD + WIRE_HEAD))
#define LOSE_EVERY 29

static void
frames_for (Call *c, double seconds, guint bytes)
{
  guint i;

  for (i = 0; i < seconds * FPS; i++) {
    push_frame (c, 0, bytes);
    run_to (c, now_of (c) + GST_SECOND / FPS);
  }
}

static double
mean_rate (Call *c, double seconds)
{
  guint64 bytes = c->bytes;

  run_call (c, seconds, frame_of_estimate);
  return 8 * (double)(c->bytes - bytes) / seconds;
}

/* Every 29th packet gets lost whatever the rate: up to 10 % are excused, and the link of 1 Mb/s is used. With 0 the
   throughput equation counts them all: p = 1/29, R = 70 to 110 ms with the reports' spacing, s = 500 to 1000 bytes (a
   frame of 250 kb/s is one packet and a bit): X = s/(R sqrt (2p/3) + 4R (3 sqrt (3p/8)) p (1 + 32 p^2)) = 0.18 to 0.57
   Mb/s. */
GST_START_TEST (test_loss_tolerance)
{
  Call *c = call_new (LINK);
  double excused, counted;
  guint value;

  g_object_get (c->element, "loss-tolerance", &value, NULL);
  fail_unless_equals_int (value, 10);
  c->lose_every = LOSE_EVERY;
  run_call (c, 30, frame_of_estimate);
  excused = mean_rate (c, 20);
  fail_unless (excused > 0.75 * MEDIA, "%f", excused);
  g_object_set (c->element, "loss-tolerance", 0, NULL);
  g_object_get (c->element, "loss-tolerance", &value, NULL);
  fail_unless_equals_int (value, 0);
  run_call (c, 5, frame_of_estimate);
  counted = mean_rate (c, 20);
  fail_unless (counted < 0.57e6 && counted > 0.18e6, "%f of %f", counted, excused);
  g_object_set (c->element, "loss-tolerance", 20, NULL);
  run_call (c, 20, frame_of_estimate);
  excused = mean_rate (c, 20);
  fail_unless (excused > 0.75 * MEDIA, "%f", excused);
  call_free (c);
}
GST_END_TEST;

static void
check_start (const gchar *name)
{
  Call *c = call_new (10e6);

  frames_for (c, 0.5, 1000);
  fail_unless (estimate (c) <= 300000, "%u", estimate (c));
  g_object_set (c->element, name, 900000, NULL);
  frames_for (c, 0.1, 1000);
  fail_unless_equals_uint64 (stat_of (c, "wire-bitrate"), 900000);
  /* 48 of 1048 bytes are headers; 5 % are kept for what frames differ */
  fail_unless (estimate (c) > 0.8 * 900000 && estimate (c) < 900000, "%u", estimate (c));
  report (c);
  run_to (c, now_of (c) + 100 * MS);
  g_object_set (c->element, name, 2000000, NULL);
  frames_for (c, 0.1, 1000);
  fail_unless (stat_of (c, "wire-bitrate") < 1000000);
  call_free (c);
}

/* Until the first report, from when on that counts. */
/* Alone there is nobody to have more than. */
GST_START_TEST (test_path_weight)
{
  Call *c = call_new (LINK);
  double weight, before, after;

  g_object_get (c->element, "path-weight", &weight, NULL);
  fail_unless_equals_float (weight, 1);
  run_call (c, 20, frame_of_estimate);
  before = mean_rate (c, 20);
  g_object_set (c->element, "path-weight", 4.0, NULL);
  g_object_get (c->element, "path-weight", &weight, NULL);
  fail_unless_equals_float (weight, 4);
  after = mean_rate (c, 20);
  fail_unless (fabs (after / before - 1) < 0.05, "%f after %f", after, before);
  call_free (c);
}
GST_END_TEST;

GST_START_TEST (test_start_bitrate)
{
  check_start ("start-bitrate");
  check_start ("estimated-bitrate");
}
GST_END_TEST;

/* burst-control has no estimate: it goes at the maximum. */
GST_START_TEST (test_mode)
{
  Call *c = call_new (LINK);
  guint64 before;

  g_object_set (c->element, "max-bitrate", 3000000, NULL);
  run_call (c, 10, frame_of_600k);
  before = stat_of (c, "wire-bitrate");
  fail_unless (before < 2000000);
  gst_util_set_object_arg (G_OBJECT (c->element), "mode", "burst-control");
  fail_unless_equals_uint64 (stat_of (c, "wire-bitrate"), 3000000);
  gst_util_set_object_arg (G_OBJECT (c->element), "mode", "low-delay");
  fail_unless (stat_of (c, "wire-bitrate") <= before + before / 50);
  call_free (c);
}
GST_END_TEST;

/* Twice what 300 kb/s carry: a second's surplus waits where 5 s are allowed, and goes where 50 ms are. */
GST_START_TEST (test_max_delay)
{
  Call *c = call_new (1e9);

  g_object_set (c->element, "max-delay", 5 * GST_SECOND, NULL);
  frames_for (c, 1, 2 * 300000 / 8 / FPS);
  fail_unless_equals_uint64 (stat_of (c, "frames-dropped"), 0);
  g_object_set (c->element, "max-delay", 50 * MS, NULL);
  frames_for (c, 0.2, 1000);
  fail_unless (stat_of (c, "frames-dropped") >= 5, "%u", (guint)stat_of (c, "frames-dropped"));
  call_free (c);
}
GST_END_TEST;

static guint
messages (GstBus *bus)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT)) != NULL) {
    n += gst_message_has_name (message, "application/x-rtptfrcbwe-stats");
    gst_message_unref (message);
  }
  return n;
}

GST_START_TEST (test_stats_interval)
{
  Call *c = call_new (LINK);
  GstBus *bus = gst_bus_new ();
  guint n;

  gst_element_set_bus (c->element, bus);
  frames_for (c, 1, 1000);
  fail_unless_equals_int (messages (bus), 0);
  g_object_set (c->element, "stats-interval", 100 * MS, NULL);
  frames_for (c, 2, 1000);
  n = messages (bus);
  fail_unless (n >= 18 && n <= 20, "%u", n);
  g_object_set (c->element, "stats-interval", (guint64)0, NULL);
  frames_for (c, 1, 1000);
  fail_unless_equals_int (messages (bus), 0);
  gst_element_set_bus (c->element, NULL);
  gst_object_unref (bus);
  call_free (c);
}
GST_END_TEST;

typedef struct {
  guint n, value, least; /* least: difference of one to the one before, permille */
} Told;

static void
note_told (GstElement *element, GParamSpec *spec, Told *t)
{
  guint before = t->value;

  g_object_get (element, "estimated-bitrate", &t->value, NULL);
  if (t->n++ > 0)
    t->least = MIN (t->least, 1000 * (MAX (t->value, before) - MIN (t->value, before)) / before);
}

/* A rate that grows, then steps of 4 %: what is told differs by more than 2 % from what was told before (20 permille,
   rounded down), and a change by 4 % is told. */
GST_START_TEST (test_notify)
{
  Call *c = call_new (2e6);
  Told told = {.least = 1000};
  guint i, n;

  g_signal_connect (c->element, "notify::estimated-bitrate", G_CALLBACK (note_told), &told);
  g_object_set (c->element, "max-bitrate", 1000000, NULL);
  run_call (c, 15, frame_of_estimate);
  fail_unless (told.n >= 5, "%u", told.n);
  for (i = 0; i < 10; i++) {
    n = told.n;
    g_object_set (c->element, "max-bitrate", 1000000 - (i + 1) * 40000, NULL);
    run_call (c, 0.5, frame_of_estimate);
    fail_unless (told.n > n, "step %u", i);
  }
  fail_unless (told.least >= 20, "%u", told.least);
  call_free (c);
}
GST_END_TEST;

static Suite *
rtptfrcbweproperties_suite (void)
{
  Suite *s = suite_create ("rtptfrcbweproperties");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_loss_tolerance);
  tcase_add_test (tc, test_path_weight);
  tcase_add_test (tc, test_start_bitrate);
  tcase_add_test (tc, test_mode);
  tcase_add_test (tc, test_max_delay);
  tcase_add_test (tc, test_stats_interval);
  tcase_add_test (tc, test_notify);
  return s;
}

GST_CHECK_MAIN (rtptfrcbweproperties)
