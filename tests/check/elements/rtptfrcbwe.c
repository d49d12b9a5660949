/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcbwe in virtual time: the rate, the order of what leaves, states. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "bwecall.h"

/* ---- the rate ---- */

GST_START_TEST (test_fills_the_link_without_a_queue)
{
  Call *c = call_new (1e6);
  guint64 bytes;

  run_call (c, 10, frame_of_estimate);
  bytes = c->bytes;
  c->worst_queue = 0;
  run_call (c, 20, frame_of_estimate);
  /* headers are 48 of 1048 bytes: 0.954 of the link is payload */
  fail_unless (8 * (c->bytes - bytes) / 20 > 0.8 * 954e3, "%" G_GUINT64_FORMAT, 8 * (c->bytes - bytes) / 20);
  fail_unless (8 * (c->bytes - bytes) / 20 < 954e3);
  fail_unless (c->worst_queue < 100 * MS, "%" GST_TIME_FORMAT, GST_TIME_ARGS (c->worst_queue));
  fail_unless_equals_int (c->dropped, 0);
  fail_unless (c->notified > 10);
  call_free (c);
}
GST_END_TEST;

GST_START_TEST (test_follows_the_capacity_down)
{
  Call *c = call_new (2e6);

  run_call (c, 20, frame_of_estimate);
  fail_unless (estimate (c) > 1400000, "%u", estimate (c));
  c->link_bps = 1e6;
  run_call (c, 3, frame_of_estimate);
  c->worst_queue = 0;
  run_call (c, 5, frame_of_estimate);
  fail_unless (estimate (c) < 1000000 && estimate (c) > 700000, "%u", estimate (c));
  fail_unless (c->worst_queue < 100 * MS, "%" GST_TIME_FORMAT, GST_TIME_ARGS (c->worst_queue));
  call_free (c);
}
GST_END_TEST;

/* A source that has no more: the estimate stays within three times what is sent. */
GST_START_TEST (test_application_limited)
{
  Call *c = call_new (10e6);

  run_call (c, 30, frame_of_600k);
  fail_unless (estimate (c) >= 600000, "%u", estimate (c));
  fail_unless (estimate (c) <= 3 * 1.05 * 600000 * (PAYLOAD + WIRE_HEAD) / PAYLOAD, "%u", estimate (c));
  call_free (c);
}
GST_END_TEST;

GST_START_TEST (test_limits)
{
  Call *c = call_new (10e6);

  g_object_set (c->element, "min-bitrate", 200000, "max-bitrate", 400000, NULL);
  run_call (c, 10, frame_of_estimate);
  fail_unless (estimate (c) <= 400000 && estimate (c) >= 340000, "%u", estimate (c));
  g_object_set (c->element, "max-bitrate", 250000, NULL);
  run_call (c, 2, frame_of_estimate);
  fail_unless (estimate (c) <= 250000);
  c->link_bps = 50e3;
  run_call (c, 10, frame_of_estimate);
  fail_unless_equals_uint64 (stat_of (c, "wire-bitrate"), 200000);
  call_free (c);
}
GST_END_TEST;

/* Of the last rate event that waits. */
static gboolean
is_told_to_pause (Call *c)
{
  GstRateInfo info = {0};
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (c->h)) != NULL) {
    gst_rate_event_parse (event, &info);
    gst_event_unref (event);
  }
  fail_unless (info.limit != NULL);
  return info.pause;
}

/* Nobody answers any more: the no-feedback timer halves the rate, again and again (RFC 5348 4.4), and the encoder is to
   pause meanwhile. */
GST_START_TEST (test_silence)
{
  Call *c = call_new (1e6);
  guint before, i;

  run_call (c, 20, frame_of_estimate);
  before = estimate (c);
  fail_if (is_told_to_pause (c));
  for (i = 0; i < 10 * FPS; i++) {
    push_frame (c, 0, estimate (c) / 8 / FPS);
    run_to (c, now_of (c) + GST_SECOND / FPS);
  }
  fail_unless (estimate (c) < before / 4, "%u of %u", estimate (c), before);
  fail_unless (is_told_to_pause (c));
  call_free (c);
}
GST_END_TEST;

/* Reports that nobody could have made neither raise nor lower the rate, and do not stop those that are true. */
GST_START_TEST (test_nonsense)
{
  Packet never_sent = {.number = 40000, .sent = GST_CLOCK_TIME_NONE, .arrived = 0, .payload = 0};
  Packet in_the_future = {.number = 7, .sent = START + 1000 * GST_SECOND, .arrived = START, .payload = 60000};
  Call *c = call_new (1e6);
  guint before, i;

  run_call (c, 20, frame_of_estimate);
  before = estimate (c);
  for (i = 0; i < 200; i++) {
    GValueArray *array = array_new ();

    add_told (c, array, &never_sent);
    add_told (c, array, &in_the_future);
    add_told (c, array, &c->packet[(c->sent - 1 - i % 100) % MOST]); /* told before */
    push_twcc (c, array);
  }
  push_twcc (c, array_new ());
  gst_harness_push_upstream_event (
      c->h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty ("RTPTWCCPackets")));
  gst_harness_push_upstream_event (c->h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
                                             gst_structure_new ("RTPTWCCPackets", "packets", G_TYPE_UINT, 3, NULL)));
  fail_unless (estimate (c) <= before + before / 50);
  run_call (c, 5, frame_of_estimate);
  fail_unless (estimate (c) > 0.8 * before, "%u of %u", estimate (c), before);
  fail_unless (stat_of (c, "twcc-refused") >= 200);
  call_free (c);
}
GST_END_TEST;

/* ---- the order ---- */

/* 30 kB at 300 kb/s take 0.8 s; none of it may leave at once. */
GST_START_TEST (test_a_key_frame_does_not_burst)
{
  Call *c = call_new (1e9);
  guint early;

  g_object_set (c->element, "max-delay", 2 * GST_SECOND, NULL);
  push_frame (c, 0, 30000);
  run_to (c, START + 100 * MS);
  early = c->sent;
  /* 1.5 x 300 kb/s for 0.1 s are 5.6 kB */
  fail_unless (early >= 2 && early <= 7, "%u packets in the first 0.1 s", early);
  run_to (c, START + 1500 * MS);
  fail_unless_equals_int (c->sent, 30);
  call_free (c);
}
GST_END_TEST;

GST_START_TEST (test_events_keep_their_place)
{
  Call *c = call_new (1e9);

  run_to (c, START + MS);
  fail_unless_equals_int (next_event (c), GST_EVENT_STREAM_START);
  fail_unless_equals_int (next_event (c), GST_EVENT_CAPS);
  fail_unless_equals_int (next_event (c), GST_EVENT_SEGMENT);
  push_frame (c, 0, 5000);
  gst_harness_push_event (c->h, gst_event_new_gap (0, 1));
  gst_harness_push_event (c->h, gst_event_new_eos ());
  run_to (c, START + 20 * MS);
  fail_unless (c->sent < 5);
  fail_unless_equals_int (next_event (c), GST_EVENT_UNKNOWN);
  run_to (c, START + 500 * MS);
  fail_unless_equals_int (c->sent, 5);
  fail_unless_equals_int (next_event (c), GST_EVENT_GAP);
  fail_unless_equals_int (next_event (c), GST_EVENT_EOS);
  call_free (c);
}
GST_END_TEST;

static gboolean
has_ended (Call *c)
{
  GstEventType type;

  while ((type = next_event (c)) != GST_EVENT_UNKNOWN)
    if (type == GST_EVENT_EOS)
      return TRUE;
  return FALSE;
}

/* A frame that has begun would take 5 s, and nobody answers: EOS waits for max-delay and half a second. */
GST_START_TEST (test_eos_is_bounded)
{
  Call *c = call_new (1e9);
  guint sent;

  push_frame (c, 0, 200000);
  gst_harness_push_event (c->h, gst_event_new_eos ());
  run_to (c, START + 640 * MS);
  fail_if (has_ended (c));
  run_to (c, START + 660 * MS);
  fail_unless (has_ended (c));
  sent = c->sent;
  gst_harness_push_event (c->h, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (c->h, CAPS);
  push_frame (c, 0, 2000);
  run_to (c, START + 2 * GST_SECOND);
  fail_unless_equals_int (c->sent, sent + 2);
  call_free (c);
}
GST_END_TEST;

/* EOS between two streams, not at the end of all: nothing is lost by it. */
GST_START_TEST (test_a_stream_behind_eos)
{
  Call *c = call_new (1e9);

  push_frame (c, 0, 50000);
  gst_harness_push_event (c->h, gst_event_new_eos ());
  gst_harness_push_event (c->h, gst_event_new_stream_start ("again"));
  gst_harness_set_src_caps_str (c->h, CAPS);
  run_to (c, START + 5 * GST_SECOND);
  fail_unless_equals_int (c->sent, 50);
  fail_unless (has_ended (c));
  call_free (c);
}
GST_END_TEST;

/* ---- frames that are skipped ---- */

static guint
request (Call *c, guint seq)
{
  GstEvent *event;
  guint found = G_MAXUINT;

  gst_harness_push_upstream_event (
      c->h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new ("GstRTPRetransmissionRequest", "seqnum",
                                                                 G_TYPE_UINT, seq, "ssrc", G_TYPE_UINT, VIDEO, NULL)));
  while ((event = gst_harness_try_pull_upstream_event (c->h)) != NULL) {
    const GstStructure *s = gst_event_get_structure (event);

    if (s != NULL && gst_structure_has_name (s, "GstRTPRetransmissionRequest"))
      gst_structure_get_uint (s, "seqnum", &found);
    gst_event_unref (event);
  }
  return found;
}

/* Three times what the rate carries: whole frames go, their numbers leave no gap, and who asks for a packet again by
   the number it left with gets that one. */
GST_START_TEST (test_skipped_frames_leave_no_gap)
{
  Call *c = call_new (1e9);
  guint16 expected = 0;
  GstBuffer *buffer;
  guint i;

  for (i = 0; i < 60; i++) {
    push_frame (c, 0, 3 * 300000 / 8 / FPS);
    gst_test_clock_wait_for_next_pending_id (c->clock, NULL);
    for (GstClockTime until = now_of (c) + GST_SECOND / FPS; now_of (c) < until;) {
      gst_test_clock_advance_time (c->clock, MS);
      while (gst_test_clock_peek_next_pending_id (c->clock, NULL)) {
        GstClockID id = gst_test_clock_process_next_clock_id (c->clock);

        if (id == NULL)
          break;
        gst_clock_id_unref (id);
        gst_test_clock_wait_for_next_pending_id (c->clock, NULL);
      }
    }
    while ((buffer = gst_harness_try_pull (c->h)) != NULL) {
      fail_unless_equals_int (seq_of (buffer), expected);
      expected++;
      gst_buffer_unref (buffer);
    }
  }
  fail_unless (stat_of (c, "frames-dropped") > 20);
  fail_unless (request (c, expected - 1u) > expected + 20u);
  fail_unless_equals_int (request (c, 0), 0);
  call_free (c);
}
GST_END_TEST;

/* ---- states ---- */

GST_START_TEST (test_flush)
{
  Call *c = call_new (1e9);

  push_frame (c, 0, 30000);
  run_to (c, START + 20 * MS);
  gst_harness_push_event (c->h, gst_event_new_flush_start ());
  fail_unless_equals_int (gst_harness_push (c->h, packet_new (c, 0, 0, TRUE, 100)), GST_FLOW_FLUSHING);
  gst_harness_push_event (c->h, gst_event_new_flush_stop (TRUE));
  gst_harness_set_src_caps_str (c->h, CAPS);
  c->sent = 0;
  run_to (c, START + GST_SECOND);
  fail_unless_equals_int (c->sent, 0);
  push_frame (c, 0, 2000);
  run_to (c, START + 2 * GST_SECOND);
  fail_unless_equals_int (c->sent, 2);
  call_free (c);
}
GST_END_TEST;

/* A sticky event between the deactivation of the source pad and that of the sink pad: as an error the next packet would
   end the pipeline that stops. */
GST_START_TEST (test_sticky_event_while_it_stops)
{
  Call *c = call_new (1e9);
  GstPad *src = gst_element_get_static_pad (c->element, "src");

  gst_pad_set_active (src, FALSE);
  gst_pad_push_event (c->h->srcpad, gst_event_new_tag (gst_tag_list_new_empty ()));
  fail_unless_equals_int (gst_harness_push (c->h, packet_new (c, 0, 0, TRUE, 100)), GST_FLOW_FLUSHING);
  gst_object_unref (src);
  call_free (c);
}
GST_END_TEST;

/* The task has a packet to send now. */
static GstPadProbeReturn
let_it_send (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Call *c = user;
  GstClockID id;

  gst_test_clock_advance_time (c->clock, 10 * MS);
  id = gst_test_clock_process_next_clock_id (c->clock);
  if (id != NULL)
    gst_clock_id_unref (id);
  g_usleep (20000);
  return GST_PAD_PROBE_OK;
}

/* No packet leaves while its end takes the segment from the pads, nor is the task stopped for good. */
GST_START_TEST (test_flush_that_nobody_started)
{
  Call *c = call_new (1e9);
  GstSegment segment;
  gulong probe;

  run_to (c, START + MS);
  push_frame (c, 0, 30000);
  probe = gst_pad_add_probe (c->h->sinkpad, GST_PAD_PROBE_TYPE_EVENT_FLUSH, let_it_send, c, NULL);
  gst_harness_push_event (c->h, gst_event_new_flush_stop (TRUE));
  gst_pad_remove_probe (c->h->sinkpad, probe);
  take_output (c);
  c->sent = 0;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (c->h, gst_event_new_segment (&segment));
  push_frame (c, 0, 2000);
  run_to (c, START + GST_SECOND);
  fail_unless_equals_int (c->sent, 2);
  call_free (c);
}
GST_END_TEST;

/* Caps that waited behind packets when a flush came are told nevertheless. */
GST_START_TEST (test_caps_outlive_a_flush)
{
  Call *c = call_new (1e9);
  GstCaps *caps;
  GstSegment segment;

  run_to (c, START + MS);
  push_frame (c, 0, 30000);
  caps = gst_caps_from_string (CAPS ",a-ptime=(int)7");
  gst_harness_push_event (c->h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  run_to (c, START + 20 * MS);
  caps = gst_pad_get_current_caps (c->h->sinkpad);
  fail_if (gst_structure_has_field (gst_caps_get_structure (caps, 0), "a-ptime"));
  gst_caps_unref (caps);
  gst_harness_push_event (c->h, gst_event_new_flush_start ());
  gst_harness_push_event (c->h, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (c->h, gst_event_new_segment (&segment));
  push_frame (c, 0, 500);
  run_to (c, START + 200 * MS);
  caps = gst_pad_get_current_caps (c->h->sinkpad);
  fail_unless (gst_structure_has_field (gst_caps_get_structure (caps, 0), "a-ptime"));
  gst_caps_unref (caps);
  call_free (c);
}
GST_END_TEST;

/* Nothing behind it, which upstream is told, and something again: it goes on by itself. */
GST_START_TEST (test_linked_anew)
{
  Call *c = call_new (1e9);
  GstPad *src = gst_element_get_static_pad (c->element, "src");

  push_frame (c, 0, 500);
  run_to (c, START + 100 * MS);
  fail_unless_equals_int (c->sent, 1);
  gst_pad_unlink (src, c->h->sinkpad);
  push_frame (c, 0, 500);
  run_to (c, START + 200 * MS);
  fail_unless_equals_int (gst_harness_push (c->h, packet_new (c, 0, 0, TRUE, 100)), GST_FLOW_NOT_LINKED);
  fail_unless_equals_int (gst_pad_link (src, c->h->sinkpad), GST_PAD_LINK_OK);
  push_frame (c, 0, 500);
  run_to (c, START + 300 * MS);
  fail_unless_equals_int (c->sent, 2);
  gst_object_unref (src);
  call_free (c);
}
GST_END_TEST;

/* A session that takes nothing for 3 s (a key exchange): what is old by then is skipped, the newest frame goes. */
GST_START_TEST (test_blocked_for_a_while)
{
  Call *c = call_new (1e9);
  GstPad *src = gst_element_get_static_pad (c->element, "src");
  gulong probe = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, NULL, NULL, NULL);
  guint i;

  for (i = 0; i < 3 * FPS; i++) {
    push_frame (c, 0, 2000);
    gst_test_clock_advance_time (c->clock, GST_SECOND / FPS);
  }
  gst_pad_remove_probe (src, probe);
  run_to (c, now_of (c) + 200 * MS);
  fail_unless (c->sent >= 3 && c->sent <= 14, "%u", c->sent);
  fail_unless (stat_of (c, "frames-dropped") > 80);
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, NULL, NULL, NULL);
  push_frame (c, 0, 2000);
  gst_object_unref (src);
  call_free (c); /* ends, blocked as it is */
}
GST_END_TEST;

/* With packets under way, and behind it all as if it were new. */
GST_START_TEST (test_started_again)
{
  Call *c = call_new (1e6);
  guint i;

  for (i = 0; i < 5; i++) {
    run_call (c, 2, frame_of_estimate);
    push_frame (c, 0, 30000);
    gst_element_set_state (c->element, i % 2 ? GST_STATE_NULL : GST_STATE_READY);
    fail_unless_equals_int (gst_harness_push (c->h, packet_new (c, 0, 0, TRUE, 100)), GST_FLOW_FLUSHING);
    gst_element_set_state (c->element, GST_STATE_PLAYING);
    fail_unless (estimate (c) <= 300000);
    fail_unless_equals_uint64 (stat_of (c, "packets-sent"), 0);
    gst_harness_set_src_caps_str (c->h, CAPS);
  }
  run_call (c, 10, frame_of_estimate);
  fail_unless (estimate (c) > 700000, "%u", estimate (c));
  call_free (c);
}
GST_END_TEST;

/* ---- caps that change ---- */

#define STAMP_CAPS                                                                                                     \
  "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=98,"                                      \
  "extmap-3=(string)urn:ietf:params:rtp-hdrext:rtt-sendts"

static guint stamped, plain;

/* Packets come with one extension element, of one byte; the send time is another, of twelve. */
static void
note_stamp (Call *c, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gpointer data;
  guint size;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  if (gst_rtp_buffer_get_extension_onebyte_header (&rtp, 3, 0, &data, &size))
    stamped++;
  else
    plain++;
  gst_rtp_buffer_unmap (&rtp);
}

static void
push_caps (Call *c, const gchar *text)
{
  GstCaps *caps = gst_caps_from_string (text);

  fail_unless (gst_harness_push_event (c->h, gst_event_new_caps (caps)));
  gst_caps_unref (caps);
}

static gboolean
has_caps (Call *c, const gchar *text)
{
  GstCaps *caps = gst_caps_from_string (text), *now = gst_pad_get_current_caps (c->h->sinkpad);
  gboolean same = now != NULL && gst_caps_is_equal (caps, now);

  gst_caps_unref (caps);
  gst_clear_caps (&now);
  return same;
}

/* Another codec and extension in the middle of the call, and back: the rate stays, the send time is in the packets
   behind those caps and in no others, and downstream has the caps that hold. */
GST_START_TEST (test_renegotiation)
{
  Call *c = call_new (1e6);
  guint before, i;

  run_call (c, 15, frame_of_estimate);
  before = estimate (c);
  fail_unless (before > 700000, "%u", before);
  c->leaves = note_stamp;
  for (i = 0; i < 4; i++) {
    stamped = plain = 0;
    push_caps (c, i % 2 == 0 ? STAMP_CAPS : CAPS);
    run_call (c, 3, frame_of_estimate);
    fail_unless (has_caps (c, i % 2 == 0 ? STAMP_CAPS : CAPS));
    fail_unless (
        i % 2 == 0 ? stamped > 200 && plain <= 4 : plain > 200 && stamped <= 4, "%u with, %u without", stamped, plain);
    fail_unless (estimate (c) > 0.85 * before, "%u of %u", estimate (c), before);
  }
  fail_unless_equals_int (c->dropped, 0);
  call_free (c);
}
GST_END_TEST;

/* ---- all of that in any order ---- */

static void
change_state (Call *c, GstState state)
{
  fail_unless_equals_int (gst_element_set_state (c->element, state), GST_STATE_CHANGE_SUCCESS);
}

/* Taken or not. */
static void
push_start (Call *c, const gchar *text)
{
  GstCaps *caps = gst_caps_from_string (text);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (c->h, gst_event_new_caps (caps));
  gst_harness_push_event (c->h, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

static void
flush (Call *c)
{
  gst_harness_push_event (c->h, gst_event_new_flush_stop (TRUE));
  push_start (c, CAPS);
}

static void
disturb (Call *c, guint what)
{
  static const GstState states[] = {GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING};

  if (what < G_N_ELEMENTS (states)) {
    change_state (c, states[what]);
    push_start (c, CAPS); /* as upstream does that starts with it */
  } else if (what == 4)
    gst_harness_push_event (c->h, gst_event_new_flush_start ());
  else if (what == 5)
    flush (c);
  else if (what == 6)
    push_start (c, STAMP_CAPS);
  else if (what == 7)
    report (c);
  else if (what == 8)
    g_object_set (c->element, "max-bitrate", 2000000, NULL);
  else
    gst_harness_push (c->h, packet_new (c, 0, 3000 * c->frame++, what % 2 == 0, PAYLOAD));
}

/* States, flushes, caps, reports and packets as chance has them; then it plays as if new, with a rate that grows. */
GST_START_TEST (test_disturbances)
{
  GRand *chance = g_rand_new_with_seed (1);
  Call *c = call_new (1e6);
  guint i, round;

  for (round = 0; round < 20; round++) {
    for (i = 0; i < 50; i++) {
      disturb (c, (guint)g_rand_int_range (chance, 0, 14));
      gst_test_clock_advance_time (c->clock, MS);
    }
    change_state (c, GST_STATE_READY);
    change_state (c, GST_STATE_PLAYING);
    gst_harness_push_event (c->h, gst_event_new_flush_start ());
    flush (c);
    take_output (c);
    c->told = c->sent;
    c->free_at = 0;
    run_call (c, 3, frame_of_estimate);
    fail_unless (estimate (c) > 350000, "round %u: %u", round, estimate (c));
  }
  g_rand_free (chance);
  call_free (c);
}
GST_END_TEST;

GST_START_TEST (test_states_in_any_order)
{
  static const GstState states[] = {GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_NULL, GST_STATE_PLAYING,
      GST_STATE_READY, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_NULL};
  GstElement *element = gst_element_factory_make ("rtptfrcbwe", NULL);
  guint i, value;

  for (i = 0; i < G_N_ELEMENTS (states); i++) {
    fail_unless (gst_element_set_state (element, states[i]) != GST_STATE_CHANGE_FAILURE);
    g_object_get (element, "estimated-bitrate", &value, NULL);
    g_object_set (element, "max-bitrate", 1000000 + i, NULL);
    fail_unless (value > 0);
  }
  gst_object_unref (element);
}
GST_END_TEST;

/* What a program written for rtpgccbwe uses. */
GST_START_TEST (test_names_of_rtpgccbwe)
{
  GstElement *element = gst_element_factory_make ("rtptfrcbwe", NULL);
  GstPad *sink = gst_element_get_static_pad (element, "sink"), *src = gst_element_get_static_pad (element, "src");
  guint value;

  fail_unless (sink != NULL && src != NULL);
  gst_object_unref (sink);
  gst_object_unref (src);
  g_object_set (element, "estimated-bitrate", 700000, "min-bitrate", 100000, "max-bitrate", 2000000, NULL);
  g_object_get (element, "estimated-bitrate", &value, NULL);
  fail_unless_equals_int (value, 700000);
  gst_object_unref (element);
}
GST_END_TEST;

GST_START_TEST (test_latency)
{
  Call *c = call_new (1e6);
  GstClockTime min, max;
  GstQuery *query = gst_query_new_latency ();
  gboolean live;

  gst_harness_set_upstream_latency (c->h, 10 * MS);
  fail_unless (gst_pad_peer_query (c->h->sinkpad, query));
  gst_query_parse_latency (query, &live, &min, &max);
  fail_unless (live);
  fail_unless_equals_uint64 (min, 10 * MS);
  gst_query_unref (query);
  call_free (c);
}
GST_END_TEST;

static Suite *
rtptfrcbwe_suite (void)
{
  Suite *s = suite_create ("rtptfrcbwe");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_fills_the_link_without_a_queue);
  tcase_add_test (tc, test_follows_the_capacity_down);
  tcase_add_test (tc, test_application_limited);
  tcase_add_test (tc, test_limits);
  tcase_add_test (tc, test_silence);
  tcase_add_test (tc, test_nonsense);
  tcase_add_test (tc, test_a_key_frame_does_not_burst);
  tcase_add_test (tc, test_events_keep_their_place);
  tcase_add_test (tc, test_eos_is_bounded);
  tcase_add_test (tc, test_a_stream_behind_eos);
  tcase_add_test (tc, test_skipped_frames_leave_no_gap);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_sticky_event_while_it_stops);
  tcase_add_test (tc, test_flush_that_nobody_started);
  tcase_add_test (tc, test_caps_outlive_a_flush);
  tcase_add_test (tc, test_linked_anew);
  tcase_add_test (tc, test_blocked_for_a_while);
  tcase_add_test (tc, test_started_again);
  tcase_add_test (tc, test_renegotiation);
  tcase_add_test (tc, test_disturbances);
  tcase_add_test (tc, test_states_in_any_order);
  tcase_add_test (tc, test_names_of_rtpgccbwe);
  tcase_add_test (tc, test_latency);
  return s;
}

GST_CHECK_MAIN (rtptfrcbwe)
