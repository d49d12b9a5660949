/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcbwe with several streams, in virtual time: who goes first, who shares the rate and how. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "bwecall.h"

#include <gst/video/video.h>

#define AUDIO 1 /* the stream's number */
#define AUDIO_CAPS "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=97"

/* Audio, known by its small packets, comes while a key frame waits: one packet of that may leave before it. */
GST_START_TEST (test_audio_goes_first)
{
  Call *c = call_with (1e9, BUNDLE_CAPS);
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
  Call *c = call_with (1e9, BUNDLE_CAPS);
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

static guint n_streams, told[STREAMS];

/* Encoders that do as they are told; 3000 bytes where nothing was told. */
static void
frame_of_each (Call *c)
{
  guint i;

  read_shares (c, told);
  for (i = 0; i < n_streams; i++)
    push_frame (c, i, told[i] > 0 ? told[i] / 8 / FPS : 3000);
}

static void
begin_streams (guint n)
{
  n_streams = n;
  memset (told, 0, sizeof told);
}

GST_START_TEST (test_shares_by_weight)
{
  GstStructure *weights = gst_structure_from_string ("weights, ssrc-4369=(double)2", NULL); /* VIDEO */
  Call *c = call_new (4e6);

  begin_streams (2);
  run_call (c, 5, frame_of_each);
  fail_unless (told[0] > 100000);
  fail_unless_equals_int (told[0], told[1]);
  g_object_set (c->element, "weights", weights, NULL);
  run_call (c, 1, frame_of_each);
  fail_unless (told[0] > 1.95 * told[1] && told[0] < 2.05 * told[1], "%u, %u", told[0], told[1]);
  gst_structure_free (weights);
  call_free (c);
}
GST_END_TEST;

/* Twice of the other's, whatever kind of number says so; what is none says nothing. */
GST_START_TEST (test_weights_of_any_type)
{
  static const gchar *const weights[] = {"w, ssrc-4369=2", "w, ssrc-4369=(uint)2", "w, ssrc-4369=(float)2"};
  static const gchar *const nothing[] = {"w, ssrc-4369=two", "w, ssrc-4369=(double)nan"};
  Call *c = call_new (4e6);
  guint i;

  begin_streams (2);
  run_call (c, 3, frame_of_each);
  for (i = 0; i < G_N_ELEMENTS (weights); i++) {
    gst_util_set_object_arg (G_OBJECT (c->element), "weights", nothing[i % 2]);
    run_call (c, 0.5, frame_of_each);
    fail_unless_equals_int (told[0], told[1]);
    gst_util_set_object_arg (G_OBJECT (c->element), "weights", weights[i]);
    run_call (c, 0.5, frame_of_each);
    fail_unless (told[0] > 1.95 * told[1] && told[0] < 2.05 * told[1], "%s: %u, %u", weights[i], told[0], told[1]);
  }
  call_free (c);
}
GST_END_TEST;

/* Stream i has the weight 1 + i mod 4: what all get together is the media's part of the rate, and each gets
   its weight's part of that, within 5 %. */
static void
check_shares (guint n)
{
  GstStructure *weights = gst_structure_new_empty ("weights");
  double sum = 0, total = 0;
  Call *c = call_new (20e6);
  guint i;

  for (i = 0; i < n; i++) {
    gchar *name = g_strdup_printf ("ssrc-%u", VIDEO + i);

    gst_structure_set (weights, name, G_TYPE_DOUBLE, 1.0 + i % 4, NULL);
    g_free (name);
    sum += 1 + i % 4;
  }
  begin_streams (n);
  g_object_set (c->element, "weights", weights, "start-bitrate", 4000000, NULL);
  run_call (c, 6, frame_of_each); /* until the rate stands: shares are told at moments of their own */
  read_shares (c, told);
  for (i = 0; i < n; i++)
    total += told[i];
  fail_unless (total > 250000, "%f", total);
  fail_unless (
      fabs (total / (double)stat_of (c, "bitrate") - 1) < 0.05, "%f of %u", total, (guint)stat_of (c, "bitrate"));
  for (i = 0; i < n; i++)
    fail_unless (fabs (told[i] / (total * (1 + i % 4) / sum) - 1) < 0.05, "stream %u of %u: %u", i, n, told[i]);
  gst_structure_free (weights);
  call_free (c);
}

GST_START_TEST (test_shares_of_1_4_and_16)
{
  check_shares (1);
  check_shares (4);
  check_shares (16);
}
GST_END_TEST;

/* One of two cameras leaves: the other has it all within 2 s, and the one that left is told no more. */
GST_START_TEST (test_a_stream_that_leaves)
{
  Call *c = call_with (4e6, BUNDLE_CAPS);

  begin_streams (2);
  run_call (c, 5, frame_of_each);
  fail_unless (abs ((gint)told[0] - (gint)told[1]) <= (gint)told[0] / 20, "%u, %u", told[0], told[1]);
  n_streams = 1;
  run_call (c, 2.5, frame_of_each);
  told[1] = 0;
  run_call (c, 1, frame_of_each);
  fail_unless (told[0] > 0.95 * stat_of (c, "bitrate"), "%u", told[0]);
  fail_unless_equals_int (told[1], 0);
  call_free (c);
}
GST_END_TEST;

static void
frame_of_60k_and_another (Call *c)
{
  read_shares (c, told);
  push_frame (c, 0, 60000 / 8 / FPS);
  push_frame (c, 1, told[1] / 8 / FPS);
}

/* Two of equal weight, one of which sends 60 kb/s: it keeps a quarter of its half, as twice 60 kb/s are less, and the
   other has 7/8 of what there is, so that the link is used. When the first wants more, both are alike within 3 s: in
   two doublings, each seen after 0.5 to 1 s. */
GST_START_TEST (test_a_stream_that_uses_less)
{
  Call *c = call_new (2e6);
  guint64 bytes;
  double sum;

  begin_streams (2);
  run_call (c, 3, frame_of_each);
  run_call (c, 15, frame_of_60k_and_another);
  bytes = c->bytes;
  run_call (c, 5, frame_of_60k_and_another);
  sum = told[0] + told[1];
  fail_unless (fabs (told[0] / sum - 0.125) < 0.01, "%u of %f", told[0], sum);
  fail_unless (fabs (sum / stat_of (c, "bitrate") - 1) < 0.02);
  fail_unless (8 * (c->bytes - bytes) / 5 > 0.75 * 2e6, "%u", (guint)(8 * (c->bytes - bytes) / 5));
  run_call (c, 3, frame_of_each);
  fail_unless (fabs ((double)told[0] / told[1] - 1) < 0.05, "%u and %u", told[0], told[1]);
  call_free (c);
}
GST_END_TEST;

/* ---- the order within a stream, and of what goes first ---- */

static guint16 due[STREAMS];

static void
check_order (Call *c, GstBuffer *buffer)
{
  guint stream = ssrc_of (buffer) - VIDEO;

  fail_unless_equals_int (seq_of (buffer), due[stream]);
  due[stream]++;
}

/* A camera whose picture stands still sends small packets, as audio does; that must not bring its packets out of their
   order when it moves, nor when it stands still again while a large frame waits. */
GST_START_TEST (test_a_still_camera_keeps_its_order)
{
  Call *c = call_with (1e9, BUNDLE_CAPS);
  guint i, round;

  memset (due, 0, sizeof due);
  c->leaves = check_order;
  g_object_set (c->element, "max-delay", 5 * GST_SECOND, "min-bitrate", 300000, NULL);
  for (round = 0; round < 3; round++) {
    for (i = 0; i < 20; i++) {
      push_frame (c, 0, 100);
      run_to (c, now_of (c) + 33 * MS);
    }
    push_frame (c, 0, 30000);
    for (i = 0; i < 30; i++)
      push_frame (c, 0, 100);
    run_to (c, now_of (c) + 2 * GST_SECOND);
  }
  fail_unless_equals_int (due[0], 3 * (20 + 30 + 30));
  call_free (c);
}
GST_END_TEST;

static void
push_caps (Call *c, const gchar *text)
{
  GstCaps *caps = gst_caps_from_string (text);

  gst_harness_push_event (c->h, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

static GstClockTime longest_wait;

/* Packets come 20 ms apart, the first at START with the timestamp 0. */
static void
note_wait (Call *c, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  longest_wait =
      MAX (longest_wait, now_of (c) - (START + gst_rtp_buffer_get_timestamp (&rtp) / 3000 * (GstClockTime)(20 * MS)));
  gst_rtp_buffer_unmap (&rtp);
}

/* Audio that caps tell from video, 64 kbit/s of it, where the rate is another: what is too much goes. */
static Call *
audio_beyond (guint rate)
{
  Call *c = call_with (1e9, CAPS);
  guint i;

  push_caps (c, AUDIO_CAPS);
  g_object_set (c->element, "min-bitrate", rate, "max-bitrate", rate, NULL);
  longest_wait = 0;
  c->leaves = note_wait;
  for (i = 0; i < 1000; i++) {
    push_frame (c, AUDIO, 160);
    run_to (c, now_of (c) + 20 * MS);
  }
  fail_unless (1000 - c->sent - stat_of (c, "first-dropped") <= 6);
  fail_unless_equals_uint64 (stat_of (c, "packets-dropped"), 0);
  return c;
}

static void
frame_and_audio (Call *c)
{
  read_shares (c, told);
  push_caps (c, CAPS);
  push_frame (c, 0, (told[0] > 0 ? told[0] : 100000) / 8 / FPS);
  push_caps (c, AUDIO_CAPS);
  push_frame (c, AUDIO, 64000 / 8 / FPS);
}

/* Audio of 64 kb/s has its rate before video is told any: (1000 - 64) of a thousand are left, not half; and the camera
   that does as it is told and audio fill the link. */
GST_START_TEST (test_audio_is_taken_off)
{
  Call *c = call_new (1e6);
  guint64 bytes;

  begin_streams (1);
  run_call (c, 15, frame_and_audio);
  bytes = c->bytes;
  c->worst_queue = c->dropped = 0;
  run_call (c, 10, frame_and_audio);
  fail_unless (fabs ((told[0] + 64000.0) / stat_of (c, "bitrate") - 1) < 0.02, "%u of %u", told[0],
      (guint)stat_of (c, "bitrate"));
  fail_unless_equals_int (told[AUDIO], 0);
  fail_unless (8 * (c->bytes - bytes) / 10 > 0.75 * 1e6, "%u", (guint)(8 * (c->bytes - bytes) / 10));
  fail_unless (c->worst_queue < 100 * MS);
  fail_unless_equals_int (c->dropped, 0);
  call_free (c);
}
GST_END_TEST;

static guint of_video;

static void
count_video (Call *c, GstBuffer *buffer)
{
  of_video += ssrc_of (buffer) == VIDEO;
}

/* Nobody answers, so hardly anything leaves. Were that audio alone, a receiver that answers at the end of a frame would
   have nothing to answer when it is there again; and what nobody sees does not pile up. */
GST_START_TEST (test_audio_leaves_room_where_nobody_answers)
{
  Call *c = call_new (1e6);
  guint i;

  begin_streams (1);
  run_call (c, 5, frame_and_audio);
  c->leaves = count_video;
  for (i = 0; i < 6 * FPS; i++) {
    if (i == 2 * FPS)
      of_video = 0;
    frame_and_audio (c);
    run_to (c, now_of (c) + GST_SECOND / FPS);
  }
  fail_unless (of_video >= 10, "%u packets of video in 4 s", of_video);
  fail_unless (stat_of (c, "backlog-delay") < 2 * GST_SECOND, "%u ms wait", (guint)(stat_of (c, "backlog-delay") / MS));
  call_free (c);
}
GST_END_TEST;

/* (160 + 48) x 8 x 50 = 83 kbit/s come where 50 may leave: 600 packets. Those wait no longer than max-delay's 150 ms of
   the rate, which are 937 bytes, 5 packets of 180, each 33 ms of the wire, and one that leaves. */
GST_START_TEST (test_audio_beyond_the_rate)
{
  Call *c = audio_beyond (50000);

  fail_unless (c->sent >= 570 && c->sent <= 620, "%u", c->sent);
  fail_unless (
      longest_wait > 100 * MS && longest_wait <= 6 * 34 * MS, "%" GST_TIME_FORMAT, GST_TIME_ARGS (longest_wait));
  call_free (c);
}
GST_END_TEST;

/* 150 ms of 5 kb/s are less than a packet: one at a time leaves nevertheless, 20 s x 5000 / 8 / 208 = 60 of them. */
GST_START_TEST (test_audio_far_beyond_the_rate)
{
  Call *c = audio_beyond (5000);

  fail_unless (c->sent >= 55 && c->sent <= 65, "%u", c->sent);
  call_free (c);
}
GST_END_TEST;

static void
check_eos_is_last (const gchar *caps, guint stream)
{
  Call *c = call_with (1e9, caps);
  guint i;

  for (i = 0; i < 20; i++) {
    push_frame (c, stream, 100);
    run_to (c, now_of (c) + 20 * MS);
  }
  g_object_set (c->element, "max-delay", 10 * GST_SECOND, NULL);
  while (next_event (c) != GST_EVENT_UNKNOWN)
    ;
  for (i = 0; i < 30; i++)
    push_frame (c, stream, 300);
  gst_harness_push_event (c->h, gst_event_new_eos ());
  run_to (c, now_of (c) + 20 * MS);
  fail_unless (c->sent < 45, "%u", c->sent);
  fail_unless_equals_int (next_event (c), GST_EVENT_UNKNOWN);
  run_to (c, now_of (c) + 2 * GST_SECOND);
  fail_unless_equals_int (c->sent, 50);
  fail_unless_equals_int (next_event (c), GST_EVENT_EOS);
  call_free (c);
}

GST_START_TEST (test_eos_leaves_behind_audio)
{
  check_eos_is_last (AUDIO_CAPS, AUDIO);
  check_eos_is_last (BUNDLE_CAPS, AUDIO);
}
GST_END_TEST;

static GstEvent *
segment_new (void)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  return gst_event_new_segment (&segment);
}

static void
push_segment (Call *c, GstClockTime start)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.position = start;
  gst_harness_push_event (c->h, gst_event_new_segment (&segment));
}

static GstClockTime latest[2];

static void
note_time (Call *c, GstBuffer *buffer)
{
  latest[ssrc_of (buffer) - VIDEO] = GST_BUFFER_PTS (buffer);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer), GST_BUFFER_PTS (buffer));
}

/* Video whose time stamps begin at 1000 hours, as x264enc's, and audio whose begin at 0, by turns through a funnel:
   audio overtakes a large frame. Whatever the order, what leaves is within the one segment told, at its running time.
 */
GST_START_TEST (test_segments_of_each_stream)
{
  const GstClockTime hours = 1000 * 3600 * GST_SECOND;
  guint segments = 0, i, j;
  GstEventType type;
  GstBuffer *buffer;
  Call *c = call_with (1e9, BUNDLE_CAPS);

  c->leaves = note_time;
  g_object_set (c->element, "min-bitrate", 600000, NULL);
  for (i = 0; i < 40; i++) {
    push_segment (c, hours);
    for (j = 0; j < 4; j++) {
      buffer = packet_new (c, 0, 3000 * i, j == 3, 300);
      GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = hours + i * 33 * MS;
      gst_harness_push (c->h, buffer);
    }
    push_segment (c, 0);
    buffer = packet_new (c, AUDIO, 900 * i, TRUE, 100);
    GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = i * 33 * MS;
    gst_harness_push (c->h, buffer);
    run_to (c, now_of (c) + 33 * MS);
    fail_unless (latest[0] <= i * 33 * MS && latest[1] <= i * 33 * MS);
  }
  fail_unless (latest[0] >= 38 * 33 * MS && latest[1] >= 38 * 33 * MS);
  while ((type = next_event (c)) != GST_EVENT_UNKNOWN)
    segments += type == GST_EVENT_SEGMENT;
  fail_unless_equals_int (segments, 1);
  call_free (c);
}
GST_END_TEST;

static GstClockTime
leaves_at (Call *c, const GstSegment *segment, GstClockTime pts)
{
  GstBuffer *buffer = packet_new (c, 0, 3000 * c->frame++, TRUE, 300);

  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = pts;
  gst_harness_push_event (c->h, gst_event_new_segment (segment));
  gst_harness_push (c->h, buffer);
  run_to (c, now_of (c) + 100 * MS);
  return latest[0];
}

/* Running time is (time - start - offset) / rate + base (GstSegment); before the segment it is 0 here. */
GST_START_TEST (test_running_time)
{
  Call *c = call_new (1e9);
  GstSegment segment;

  c->leaves = note_time;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless_equals_uint64 (leaves_at (c, &segment, 3 * GST_SECOND), 3 * GST_SECOND);
  fail_unless_equals_uint64 (leaves_at (c, &segment, GST_CLOCK_TIME_NONE), GST_CLOCK_TIME_NONE);
  segment.base = 5 * GST_SECOND;
  fail_unless_equals_uint64 (leaves_at (c, &segment, GST_SECOND), 6 * GST_SECOND);
  segment.base = 0;
  segment.offset = GST_SECOND;
  fail_unless_equals_uint64 (leaves_at (c, &segment, 3 * GST_SECOND), 2 * GST_SECOND);
  segment.offset = 0;
  segment.rate = 2;
  fail_unless_equals_uint64 (leaves_at (c, &segment, 3 * GST_SECOND), 1500 * MS);
  segment.rate = 1;
  segment.start = segment.position = segment.time = 4 * GST_SECOND;
  fail_unless_equals_uint64 (leaves_at (c, &segment, 7 * GST_SECOND), 3 * GST_SECOND);
  fail_unless_equals_uint64 (leaves_at (c, &segment, 3 * GST_SECOND), 0);
  call_free (c);
}
GST_END_TEST;

static GstEvent *
pull_event (Call *c, GstEventType type)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (c->h)) != NULL && GST_EVENT_TYPE (event) != type)
    gst_event_unref (event);
  fail_unless (event != NULL, "no %s", gst_event_type_get_name (type));
  return event;
}

/* A sink would wait 1000 hours for the others. */
GST_START_TEST (test_events_in_running_time)
{
  const GstClockTime hours = 1000 * 3600 * GST_SECOND;
  GstEvent *sent = gst_event_new_gap (hours + 2 * GST_SECOND, GST_SECOND), *event;
  Call *c = call_new (1e9);
  GstClockTime time, duration;
  GstGapFlags flags;
  GstFormat format;
  gint64 position;
  guint32 seqnum = gst_event_get_seqnum (sent);

  gst_event_set_gap_flags (sent, GST_GAP_FLAG_MISSING_DATA);
  push_segment (c, hours);
  gst_harness_push_event (c->h, sent);
  gst_harness_push_event (c->h, gst_event_new_segment_done (GST_FORMAT_TIME, (gint64)(hours + 3 * GST_SECOND)));
  gst_harness_push_event (c->h, gst_event_new_segment_done (GST_FORMAT_TIME, -1));
  run_to (c, now_of (c) + 100 * MS);
  event = pull_event (c, GST_EVENT_GAP);
  gst_event_parse_gap (event, &time, &duration);
  gst_event_parse_gap_flags (event, &flags);
  fail_unless_equals_uint64 (time, 2 * GST_SECOND);
  fail_unless_equals_uint64 (duration, GST_SECOND);
  fail_unless_equals_int (flags, GST_GAP_FLAG_MISSING_DATA);
  fail_unless_equals_int (gst_event_get_seqnum (event), seqnum);
  gst_event_unref (event);
  event = pull_event (c, GST_EVENT_SEGMENT_DONE);
  gst_event_parse_segment_done (event, &format, &position);
  fail_unless_equals_int64 (position, 3 * GST_SECOND);
  gst_event_unref (event);
  event = pull_event (c, GST_EVENT_SEGMENT_DONE);
  gst_event_parse_segment_done (event, &format, &position);
  fail_unless_equals_int64 (position, -1);
  gst_event_unref (event);
  call_free (c);
}
GST_END_TEST;

/* Two-byte extensions (RFC 8285 4.3) have room for more than 256 bytes. Such packets leave like others: unchanged. */
GST_START_TEST (test_long_heads)
{
  Call *c = call_new (1e9);
  const guint8 data[200] = {0};
  guint i, j;

  memset (due, 0, sizeof due);
  c->leaves = check_order;
  for (i = 0; i < 10; i++) {
    GstBuffer *buffer = gst_rtp_buffer_new_allocate (100, 0, 0);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    gst_rtp_buffer_set_ssrc (&rtp, VIDEO);
    gst_rtp_buffer_set_seq (&rtp, (guint16)i);
    gst_rtp_buffer_set_timestamp (&rtp, 3000 * i);
    gst_rtp_buffer_set_marker (&rtp, TRUE);
    for (j = 0; j < 3; j++)
      fail_unless (gst_rtp_buffer_add_extension_twobytes_header (&rtp, 0, (guint8)(20 + j), data, sizeof data));
    memset (gst_rtp_buffer_get_payload (&rtp), 0xff, 100);
    gst_rtp_buffer_unmap (&rtp);
    gst_harness_push (c->h, buffer);
    run_to (c, now_of (c) + 33 * MS);
  }
  fail_unless_equals_int (due[0], 10);
  fail_unless_equals_uint64 (stat_of (c, "malformed"), 0);
  call_free (c);
}
GST_END_TEST;

/* What was held of a frame that had not come whole does not leave behind a flush, and EOS takes along what is held. */
GST_START_TEST (test_held_packets)
{
  Call *c = call_with (1e9, BUNDLE_CAPS);

  memset (due, 0, sizeof due);
  c->leaves = check_order;
  push_frame (c, 0, 3000);
  push_frame (c, 1, 3000);
  run_to (c, now_of (c) + 300 * MS);
  gst_harness_push (c->h, packet_new (c, 0, 900000, FALSE, PAYLOAD));
  gst_harness_push (c->h, packet_new (c, 1, 900000, FALSE, PAYLOAD));
  gst_harness_push_event (c->h, gst_event_new_flush_start ());
  gst_harness_push_event (c->h, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (c->h, segment_new ());
  push_frame (c, 0, 3000);
  run_to (c, now_of (c) + 300 * MS);
  fail_unless_equals_int (c->sent, 9);
  gst_harness_push (c->h, packet_new (c, 1, 990000, FALSE, PAYLOAD));
  gst_harness_push_event (c->h, gst_event_new_eos ());
  run_to (c, now_of (c) + 300 * MS);
  fail_unless_equals_int (c->sent, 10);
  call_free (c);
}
GST_END_TEST;

static guint
key_units_asked_for (Call *c)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_upstream_event (c->h)) != NULL) {
    n += gst_video_event_is_force_key_unit (event);
    gst_event_unref (event);
  }
  return n;
}

/* Frames of a codec that nobody names, and whose payloader flags no deltas: when some are skipped, a key unit is asked
   for all the same. */
GST_START_TEST (test_unknown_codec)
{
  Call *c = call_with (1e9, BUNDLE_CAPS);
  guint i;

  for (i = 0; i < 2 * FPS; i++) {
    push_frame (c, 0, 3 * 300000 / 8 / FPS);
    run_to (c, now_of (c) + GST_SECOND / FPS);
  }
  fail_unless (stat_of (c, "frames-dropped") > 20);
  fail_unless (key_units_asked_for (c) >= 1);
  call_free (c);
}
GST_END_TEST;

static guint of_audio;

static void
count_audio (Call *c, GstBuffer *buffer)
{
  if (ssrc_of (buffer) != VIDEO + 1)
    return;
  fail_unless_equals_int (seq_of (buffer), of_audio);
  of_audio++;
}

/* Its first frames wait their turn behind video, as nobody knows yet what it is, and none of its own may overtake
   those. Where an encoder makes far more than may leave, others come while they wait, and it would lose as many frames
   as video to the call's end. From 25 packets on, which 0.5 s is enough for, all leave, and in order. */
GST_START_TEST (test_audio_goes_first_where_video_never_stops_waiting)
{
  Call *c = call_with (1e9, BUNDLE_CAPS);
  guint i;

  g_object_set (c->element, "min-bitrate", 300000, "max-bitrate", 300000, NULL);
  c->leaves = count_audio;
  of_audio = 0;
  for (i = 0; i < 400; i++) {
    push_frame (c, 1, 160);
    if (i * 3 / 5 != (i + 1) * 3 / 5)
      push_frame (c, 0, 30000);
    run_to (c, now_of (c) + 20 * MS);
  }
  fail_unless (stat_of (c, "frames-dropped") > 150);
  fail_unless (of_audio >= 400 - 25, "%u of 400", of_audio);
  call_free (c);
}
GST_END_TEST;

static GstClockTime pushed_at[2048]; /* by frame */

static void
note_audio (Call *c, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (ssrc_of (buffer) != VIDEO + AUDIO)
    return;
  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  longest_wait = MAX (longest_wait, now_of (c) - pushed_at[gst_rtp_buffer_get_timestamp (&rtp) / 3000]);
  gst_rtp_buffer_unmap (&rtp);
  of_audio++;
}

/* 25 frames of 8 kB a second where 500 kb/s are wanted of a path of 5 Mb/s. They leave ahead of the rate and are silent
   for it, up to a second; audio waits for one packet of video and those of its own, not for that. */
GST_START_TEST (test_audio_waits_for_no_debt_of_video)
{
  Call *c = call_with (5e6, CAPS);
  guint i;

  g_object_set (c->element, "max-bitrate", 500000, NULL);
  c->leaves = note_audio;
  of_audio = 0;
  longest_wait = 0;
  for (i = 0; i < 1000; i++) {
    push_caps (c, AUDIO_CAPS);
    pushed_at[c->frame] = now_of (c);
    push_frame (c, AUDIO, 160);
    push_caps (c, CAPS);
    if (i % 2 == 0)
      push_frame (c, 0, 8000);
    run_to (c, now_of (c) + 20 * MS);
    if (i % 2 == 0)
      continue;
    report (c);
    gst_test_clock_wait_for_next_pending_id (c->clock, NULL);
  }
  fail_unless (of_audio >= 995, "%u of 1000", of_audio);
  fail_unless (longest_wait < 50 * MS, "%" GST_TIME_FORMAT, GST_TIME_ARGS (longest_wait));
  call_free (c);
}
GST_END_TEST;

static Suite *
rtptfrcbwestreams_suite (void)
{
  Suite *s = suite_create ("rtptfrcbwestreams");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_audio_goes_first);
  tcase_add_test (tc, test_audio_goes_first_where_video_never_stops_waiting);
  tcase_add_test (tc, test_audio_waits_for_no_debt_of_video);
  tcase_add_test (tc, test_frames_of_two_streams_stay_whole);
  tcase_add_test (tc, test_shares_by_weight);
  tcase_add_test (tc, test_weights_of_any_type);
  tcase_add_test (tc, test_shares_of_1_4_and_16);
  tcase_add_test (tc, test_a_stream_that_leaves);
  tcase_add_test (tc, test_a_stream_that_uses_less);
  tcase_add_test (tc, test_a_still_camera_keeps_its_order);
  tcase_add_test (tc, test_audio_is_taken_off);
  tcase_add_test (tc, test_audio_leaves_room_where_nobody_answers);
  tcase_add_test (tc, test_audio_beyond_the_rate);
  tcase_add_test (tc, test_audio_far_beyond_the_rate);
  tcase_add_test (tc, test_eos_leaves_behind_audio);
  tcase_add_test (tc, test_segments_of_each_stream);
  tcase_add_test (tc, test_running_time);
  tcase_add_test (tc, test_events_in_running_time);
  tcase_add_test (tc, test_held_packets);
  tcase_add_test (tc, test_long_heads);
  tcase_add_test (tc, test_unknown_codec);
  return s;
}

GST_CHECK_MAIN (rtptfrcbwestreams)
