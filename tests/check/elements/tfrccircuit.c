/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The circuit breaker of tfrcsink (RFC 8083) as an application meets it. When it opens and closes is tested in the
   core, tests/check/congestion/circuitbreaker.c; here a receiver reports and has received nothing new for 5 s, the
   shortest of the reasons. */
#include "tfrctest.h"

#define SSRC 0x11223344
#define PEER_SSRC 0x55667788
#define CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"
#define MESSAGE "application/x-circuit-breaker"

typedef struct {
  Flow flow;
  GstBus *bus;
  guint32 highest; /* as the peer reports it */
  guint received;  /* packets in the last step */
} Circuit;

static void
open_circuit (Circuit *c, const gchar *action)
{
  memset (c, 0, sizeof *c);
  flow_open (&c->flow, CAPS, NULL, NULL);
  gst_util_set_object_arg (G_OBJECT (c->flow.sink), "circuit-breaker", action);
  c->bus = gst_bus_new ();
  gst_element_set_bus (c->flow.sink, c->bus);
  c->highest = 1;
}

static void
close_circuit (Circuit *c)
{
  gst_element_set_bus (c->flow.sink, NULL);
  gst_object_unref (c->bus);
  flow_close (&c->flow);
}

static void
peer_reports (Circuit *c)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  RtcpReportBlock block = {.ssrc = SSRC, .ext_highest_seq = c->highest};

  rtcp_add_rr (&rtcp, PEER_SSRC, &block, 1);
  rtcp_add_cname (&rtcp, PEER_SSRC, "peer");
  gst_cc_rtcp_close (&rtcp, buffer);
  peer_send (&c->flow.peer, buffer);
}

/* A frame, what arrives of it and a report, for 0.2 s. */
static void
step (Circuit *c, gboolean progress)
{
  gint64 end = g_get_monotonic_time () + 200000, now;

  flow_push_frame (&c->flow, SSRC, 1, 500);
  c->received = 0;
  while ((now = g_get_monotonic_time ()) < end)
    c->received += peer_receive_rtp (&c->flow.peer, (guint)((end - now) / 1000 + 1));
  c->highest += progress;
  peer_reports (c);
}

/* The state of the next message, within so many steps; NULL: none came. */
static const gchar *
next_state (Circuit *c, guint steps, gboolean progress, const gchar *reason)
{
  const gchar *state = NULL;

  while (state == NULL && steps-- > 0) {
    GstMessage *message;

    step (c, progress);
    while ((message = gst_bus_pop_filtered (c->bus, GST_MESSAGE_ELEMENT)) != NULL) {
      const GstStructure *s = gst_message_get_structure (message);

      if (gst_structure_has_name (s, MESSAGE)) {
        fail_unless (state == NULL, "two messages");
        state = g_intern_string (gst_structure_get_string (s, "state"));
        fail_unless_equals_string (gst_structure_get_string (s, "reason"), reason);
      }
      gst_message_unref (message);
    }
  }
  return state;
}

static void
check_stats (Circuit *c, const gchar *state, guint64 openings)
{
  GstStructure *stats = stats_of (c->flow.sink);

  fail_unless_equals_string (gst_structure_get_string (stats, "circuit-breaker"), state);
  gst_structure_free (stats);
  fail_unless_equals_uint64 (stat_of (c->flow.sink, "circuit-breaker-openings"), openings);
}

/* 5 s without progress: nothing leaves. RTCP goes on, so it is tried after another 5 s, and progress closes it. */
GST_START_TEST (test_ceases_and_tries_again)
{
  Circuit c;

  open_circuit (&c, "cease");
  fail_unless (next_state (&c, 5, TRUE, NULL) == NULL);
  fail_unless (c.received > 0);
  check_stats (&c, "closed", 0);
  fail_unless_equals_string (next_state (&c, 40, FALSE, "media-timeout"), "open");
  step (&c, FALSE);
  step (&c, FALSE);
  fail_unless_equals_int (c.received, 0);
  check_stats (&c, "open", 1);
  fail_unless_equals_string (next_state (&c, 40, FALSE, "media-timeout"), "trying");
  step (&c, FALSE);
  fail_unless (c.received > 0);
  fail_unless_equals_string (next_state (&c, 3, TRUE, "media-timeout"), "closed");
  check_stats (&c, "closed", 1);
  close_circuit (&c);
}
GST_END_TEST;

/* It tells, and goes on; set to cease then, it ceases at once, and off, it goes on. */
GST_START_TEST (test_warns_and_is_set_while_playing)
{
  Circuit c;

  open_circuit (&c, "warn");
  fail_unless (next_state (&c, 5, TRUE, NULL) == NULL);
  fail_unless_equals_string (next_state (&c, 40, FALSE, "media-timeout"), "open");
  step (&c, FALSE);
  fail_unless (c.received > 0);
  gst_util_set_object_arg (G_OBJECT (c.flow.sink), "circuit-breaker", "cease");
  step (&c, FALSE);
  step (&c, FALSE);
  fail_unless_equals_int (c.received, 0);
  gst_util_set_object_arg (G_OBJECT (c.flow.sink), "circuit-breaker", "off");
  step (&c, FALSE);
  step (&c, FALSE);
  fail_unless (c.received > 0);
  close_circuit (&c);
}
GST_END_TEST;

static Suite *
tfrccircuit_suite (void)
{
  Suite *suite = suite_create ("tfrccircuit");
  TCase *tcase = tcase_create ("circuit");

  tcase_set_timeout (tcase, 60);
  tcase_add_test (tcase, test_ceases_and_tries_again);
  tcase_add_test (tcase, test_warns_and_is_set_while_playing);
  suite_add_tcase (suite, tcase);
  return suite;
}

GST_CHECK_MAIN (tfrccircuit);
