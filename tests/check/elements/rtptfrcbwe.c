/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcbwe in virtual time: the system's clock is a test clock, rtpsession and the network are this file. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrateevent.h"

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/rtp/gstrtpbuffer.h>
#include <string.h>

#define START (100 * GST_SECOND)
#define MS GST_MSECOND
#define FPS 30
#define PAYLOAD 1000
#define HEAD 20 /* RTP with an extension of 4 bytes */
#define WIRE_HEAD (HEAD + 28)
#define CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8,payload=96"
#define REMOTE (5000 * GST_SECOND) /* the receiver's clock is ahead by that */
#define VIDEO 0x1111
#define MOST 4096

/* What rtpsession remembers of a packet that left, and what the network made of it. */
typedef struct {
  guint number;
  GstClockTime sent, arrived;
  guint payload;
  gboolean lost, told;
} Packet;

typedef struct {
  GstHarness *h;
  GstTestClock *clock;
  GstElement *element;
  Packet packet[MOST];
  guint sent, told; /* packets */
  guint64 bytes;    /* that left, payload */
  double link_bps;  /* of the wire */
  GstClockTime free_at, delay, queue, worst_queue;
  guint dropped;
  guint16 seq[4];
  guint32 frame;
  guint notified;
} Call;

static GstClockTime
now_of (Call *c)
{
  return gst_clock_get_time (GST_CLOCK (c->clock));
}

static void
on_notify (GstElement *element, GParamSpec *spec, Call *c)
{
  c->notified++;
}

static Call *
call_new (double link_bps)
{
  Call *c = g_new0 (Call, 1);

  c->clock = GST_TEST_CLOCK (gst_test_clock_new_with_start_time (START));
  gst_system_clock_set_default (GST_CLOCK (c->clock));
  c->h = gst_harness_new ("rtptfrcbwe");
  c->element = c->h->element;
  c->link_bps = link_bps;
  c->delay = 30 * MS;
  c->queue = 300 * MS;
  g_signal_connect (c->element, "notify::estimated-bitrate", G_CALLBACK (on_notify), c);
  gst_harness_set_src_caps_str (c->h, CAPS);
  return c;
}

static void
call_free (Call *c)
{
  gst_harness_teardown (c->h);
  gst_system_clock_set_default (NULL);
  gst_object_unref (c->clock);
  g_free (c);
}

static void
note_leaving (Call *c, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  Packet *p = &c->packet[c->sent % MOST];
  GstClockTime now = now_of (c), wait = c->free_at > now ? c->free_at - now : 0;

  *p = (Packet){.number = c->sent++ & 0xffff, .sent = now, .payload = (guint)size - HEAD};
  c->bytes += p->payload;
  c->worst_queue = MAX (c->worst_queue, wait);
  p->lost = wait > c->queue;
  if (p->lost) {
    c->dropped++;
    return;
  }
  c->free_at = now + wait + (GstClockTime)(8 * (size + 28) / c->link_bps * GST_SECOND);
  p->arrived = c->free_at + c->delay;
}

static void
take_output (Call *c)
{
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (c->h)) != NULL) {
    note_leaving (c, buffer);
    gst_buffer_unref (buffer);
  }
}

/* Lets the task do all that is due. */
static void
run_to (Call *c, GstClockTime until)
{
  GstClockID id;

  for (;;) {
    GstClockTime at;

    gst_test_clock_wait_for_next_pending_id (c->clock, &id);
    at = gst_clock_id_get_time (id);
    gst_clock_id_unref (id);
    take_output (c);
    if (at > until)
      break;
    if (at > now_of (c))
      gst_test_clock_set_time (c->clock, at);
    id = gst_test_clock_process_next_clock_id (c->clock);
    if (id != NULL)
      gst_clock_id_unref (id);
  }
  gst_test_clock_set_time (c->clock, until);
}

static GstBuffer *
packet_new (Call *c, guint stream, guint32 timestamp, gboolean marker, guint payload)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (payload, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  const guint8 data[1] = {0};

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, VIDEO + stream);
  gst_rtp_buffer_set_seq (&rtp, c->seq[stream]++);
  gst_rtp_buffer_set_timestamp (&rtp, timestamp);
  gst_rtp_buffer_set_marker (&rtp, marker);
  gst_rtp_buffer_add_extension_onebyte_header (&rtp, 5, data, sizeof data);
  memset (gst_rtp_buffer_get_payload (&rtp), 0xff, payload);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

static void
push_frame (Call *c, guint stream, guint bytes)
{
  guint32 timestamp = c->frame++ * 3000;

  for (; bytes > PAYLOAD; bytes -= PAYLOAD)
    fail_unless_equals_int (gst_harness_push (c->h, packet_new (c, stream, timestamp, FALSE, PAYLOAD)), GST_FLOW_OK);
  gst_harness_push (c->h, packet_new (c, stream, timestamp, TRUE, MAX (bytes, 20)));
}

static void
add_told (GValueArray *array, const Packet *p)
{
  GstStructure *s = gst_structure_new ("RTPTWCCPacket", "seqnum", G_TYPE_UINT, p->number, "local-ts", G_TYPE_UINT64,
      p->sent, "remote-ts", G_TYPE_UINT64, p->lost ? GST_CLOCK_TIME_NONE : p->arrived + REMOTE, "payload-type",
      G_TYPE_UCHAR, 96, "size", G_TYPE_UINT, p->payload, "lost", G_TYPE_BOOLEAN, p->lost, NULL);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, s);
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  g_value_array_append (array, &value);
  G_GNUC_END_IGNORE_DEPRECATIONS
  g_value_unset (&value);
}

static GValueArray *
array_new (void)
{
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  return g_value_array_new (0);
  G_GNUC_END_IGNORE_DEPRECATIONS
}

static void
push_twcc (Call *c, GValueArray *array)
{
  GstStructure *s = gst_structure_new_empty ("RTPTWCCPackets");
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_VALUE_ARRAY);
  g_value_take_boxed (&value, array);
  gst_structure_take_value (s, "packets", &value);
  gst_harness_push_upstream_event (c->h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s));
}

/* What arrived, as it is known here a one-way delay later. */
static void
report (Call *c)
{
  GstClockTime seen = now_of (c) - c->delay;
  GValueArray *array = array_new ();
  guint last = c->told;
  guint i;

  for (i = c->told; i < c->sent; i++)
    if (!c->packet[i % MOST].lost && c->packet[i % MOST].arrived <= seen)
      last = i + 1;
  while (c->told < last)
    add_told (array, &c->packet[c->told++ % MOST]);
  push_twcc (c, array);
}

static guint
estimate (Call *c)
{
  guint value;

  g_object_get (c->element, "estimated-bitrate", &value, NULL);
  return value;
}

typedef void (*EachFrame) (Call *c);

/* A frame every 1/30 s, a report behind each. */
static void
run_call (Call *c, double seconds, EachFrame each)
{
  GstClockTime at = now_of (c);
  guint i;

  for (i = 0; i < seconds * FPS; i++) {
    each (c);
    at += GST_SECOND / FPS;
    run_to (c, at);
    report (c);
    gst_test_clock_wait_for_next_pending_id (c->clock, NULL);
  }
}

static void
frame_of_estimate (Call *c)
{
  push_frame (c, 0, estimate (c) / 8 / FPS);
}

static void
frame_of_600k (Call *c)
{
  push_frame (c, 0, 600000 / 8 / FPS);
}

static guint64
stat_of (Call *c, const gchar *name)
{
  GstStructure *stats;
  guint64 value = 0;

  g_object_get (c->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, name, &value), "no %s in the statistics", name);
  gst_structure_free (stats);
  return value;
}

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

/* A source that has no more: the estimate stays within twice of what is sent. */
GST_START_TEST (test_application_limited)
{
  Call *c = call_new (10e6);

  run_call (c, 30, frame_of_600k);
  fail_unless (estimate (c) >= 600000, "%u", estimate (c));
  fail_unless (estimate (c) <= 2 * 1.05 * 600000 * (PAYLOAD + WIRE_HEAD) / PAYLOAD, "%u", estimate (c));
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

/* Nobody answers any more: the no-feedback timer halves the rate, again and again (RFC 5348 4.4). */
GST_START_TEST (test_silence)
{
  Call *c = call_new (1e6);
  guint before, i;

  run_call (c, 20, frame_of_estimate);
  before = estimate (c);
  for (i = 0; i < 10 * FPS; i++) {
    push_frame (c, 0, estimate (c) / 8 / FPS);
    run_to (c, now_of (c) + GST_SECOND / FPS);
  }
  fail_unless (estimate (c) < before / 4, "%u of %u", estimate (c), before);
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

    add_told (array, &never_sent);
    add_told (array, &in_the_future);
    add_told (array, &c->packet[(c->sent - 1 - i % 100) % MOST]); /* told before */
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

static GstEventType
next_event (Call *c)
{
  GstEvent *event = gst_harness_try_pull_event (c->h);
  GstEventType type = event != NULL ? GST_EVENT_TYPE (event) : GST_EVENT_UNKNOWN;

  if (event != NULL)
    gst_event_unref (event);
  return type;
}

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

static guint32
ssrc_of (GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint32 ssrc;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return ssrc;
}

/* Audio, known by its small packets, comes while a key frame waits: one packet of that may leave before it. */
GST_START_TEST (test_audio_goes_first)
{
  Call *c = call_new (1e9);
  GstBuffer *buffer;
  guint i, before = 0;

  for (i = 0; i < 20; i++) {
    push_frame (c, 1, 120);
    run_to (c, now_of (c) + 20 * MS);
  }
  push_frame (c, 0, 20000);
  run_to (c, now_of (c) + 5 * MS);
  push_frame (c, 1, 120);
  while (gst_harness_buffers_in_queue (c->h) == 0) {
    GstClockTime at = now_of (c) + MS;

    gst_test_clock_set_time (c->clock, at);
    gst_test_clock_crank (c->clock);
  }
  do {
    gst_test_clock_wait_for_next_pending_id (c->clock, NULL);
    buffer = gst_harness_try_pull (c->h);
    if (buffer == NULL) {
      gst_test_clock_crank (c->clock);
      continue;
    }
    before += ssrc_of (buffer) == VIDEO;
    i = ssrc_of (buffer);
    gst_buffer_unref (buffer);
  } while (i != VIDEO + 1);
  fail_unless (before <= 1, "%u video packets", before);
  call_free (c);
}
GST_END_TEST;

/* Two cameras take turns packet by packet: each frame leaves in one piece. */
GST_START_TEST (test_frames_of_two_streams_stay_whole)
{
  Call *c = call_new (1e9);
  guint32 ssrc = 0;
  guint i, turns = 0;

  push_frame (c, 0, 3000);
  push_frame (c, 1, 3000);
  run_to (c, now_of (c) + 300 * MS);
  for (i = 0; i < 4; i++) {
    gst_harness_push (c->h, packet_new (c, 0, 900000, i == 3, PAYLOAD));
    gst_harness_push (c->h, packet_new (c, 1, 900000, i == 3, PAYLOAD));
  }
  for (i = 0; i < 8;) {
    GstBuffer *buffer;

    gst_test_clock_wait_for_next_pending_id (c->clock, NULL);
    buffer = gst_harness_try_pull (c->h);
    if (buffer == NULL) {
      gst_test_clock_crank (c->clock);
      continue;
    }
    turns += ssrc_of (buffer) != ssrc;
    ssrc = ssrc_of (buffer);
    gst_buffer_unref (buffer);
    i++;
  }
  fail_unless_equals_int (turns, 2);
  call_free (c);
}
GST_END_TEST;

/* ---- shares ---- */

static void
two_frames (Call *c)
{
  push_frame (c, 0, 3000);
  push_frame (c, 1, 3000);
}

/* The last rate event for each stream. */
static void
read_shares (Call *c, guint bitrate[2])
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_upstream_event (c->h)) != NULL) {
    GstRateInfo info;
    guint ssrc;

    if (gst_rate_event_parse (event, &info) &&
        gst_structure_get_uint (gst_event_get_structure (event), "ssrc", &ssrc) && ssrc - VIDEO < 2)
      bitrate[ssrc - VIDEO] = info.bitrate;
    gst_event_unref (event);
  }
}

GST_START_TEST (test_shares_by_weight)
{
  GstStructure *weights = gst_structure_from_string ("weights, ssrc-4369=(double)2", NULL); /* VIDEO */
  Call *c = call_new (4e6);
  guint bitrate[2] = {0, 0};

  run_call (c, 5, two_frames);
  read_shares (c, bitrate);
  fail_unless (bitrate[0] > 100000);
  fail_unless_equals_int (bitrate[0], bitrate[1]);
  g_object_set (c->element, "weights", weights, NULL);
  run_call (c, 1, two_frames);
  read_shares (c, bitrate);
  fail_unless (bitrate[0] > 1.95 * bitrate[1] && bitrate[0] < 2.05 * bitrate[1], "%u, %u", bitrate[0], bitrate[1]);
  gst_structure_free (weights);
  call_free (c);
}
GST_END_TEST;

/* ---- frames that are skipped ---- */

static guint16
seq_of (GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 seq;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  seq = gst_rtp_buffer_get_seq (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return seq;
}

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
  tcase_add_test (tc, test_audio_goes_first);
  tcase_add_test (tc, test_frames_of_two_streams_stay_whole);
  tcase_add_test (tc, test_shares_by_weight);
  tcase_add_test (tc, test_skipped_frames_leave_no_gap);
  tcase_add_test (tc, test_flush);
  tcase_add_test (tc, test_states_in_any_order);
  tcase_add_test (tc, test_names_of_rtpgccbwe);
  tcase_add_test (tc, test_latency);
  return s;
}

GST_CHECK_MAIN (rtptfrcbwe)
