/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcbwe and what receivers say, in virtual time: reports lost, late, of a peer that starts again, of hours; and
   what an rtpsession behind it hears. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "../slowmachine.h"
#include "bwecall.h"
#include "gstccrtcp.h"
#include "rtcpbytes.h"

#define LINK 1e6
#define MEDIA (LINK * PAYLOAD / (PAYLOAD + WIRE_HEAD))
#define WRAP (GST_SECOND * 1024 * 1024) /* 24 bits of 64 ms */

static void
one_frame (Call *c)
{
  GstClockTime at = now_of (c) + GST_SECOND / FPS;

  frame_of_estimate (c);
  run_to (c, at);
}

/* The link is used above 75 % from here on for `seconds`, with a queue below 100 ms and nothing dropped. */
static void
check_good (Call *c, double seconds)
{
  guint64 bytes = c->bytes;
  double rate;

  c->worst_queue = 0;
  c->dropped = 0;
  run_call (c, seconds, frame_of_estimate);
  rate = 8 * (double)(c->bytes - bytes) / seconds;
  fail_unless (rate > 0.75 * MEDIA && rate < 1.01 * MEDIA, "%f", rate);
  fail_unless (c->worst_queue < 100 * MS, "%" GST_TIME_FORMAT, GST_TIME_ARGS (c->worst_queue));
  fail_unless_equals_int (c->dropped, 0);
}

/* ---- TWCC ---- */

/* Nobody reports: the rate neither grows nor stays at what nobody acknowledges (RFC 5348 4.4). */
GST_START_TEST (test_no_reports_at_all)
{
  Call *c = call_new (LINK);
  guint i;

  for (i = 0; i < 10 * FPS; i++) {
    one_frame (c);
    fail_unless (estimate (c) <= 300000);
  }
  call_free (c);
}
GST_END_TEST;

/* On a busy machine the session's thread is held up with a packet in hand, and with nothing behind that, its stamp is
   later than anything the element let go. */
GST_START_TEST (test_stamps_of_a_session_held_up)
{
  Call *c = call_new (LINK);
  guint i;

  c->stamped_late = 5 * MS;
  for (i = 0; i < 50; i++) {
    push_frame (c, 0, 500);
    run_to (c, now_of (c) + 100 * MS);
    report (c);
    gst_test_clock_wait_for_next_pending_id (c->clock, NULL);
  }
  fail_unless_equals_uint64 (stat_of (c, "twcc-reports"), 50);
  fail_unless_equals_uint64 (stat_of (c, "twcc-refused"), 0);
  call_free (c);
}
GST_END_TEST;

/* Every third message gets lost, so its packets are told by none. */
GST_START_TEST (test_reports_are_lost)
{
  Call *c = call_new (LINK);
  guint i;

  for (i = 0; i < 40 * FPS; i++) {
    one_frame (c);
    if (i % 3 > 0)
      report (c);
    else
      forget_report (c);
    if (i == 20 * FPS)
      c->worst_queue = c->dropped = 0;
  }
  fail_unless (estimate (c) > 0.6 * MEDIA && estimate (c) < 1.1 * MEDIA, "%u", estimate (c));
  fail_unless (c->worst_queue < 150 * MS);
  call_free (c);
}
GST_END_TEST;

/* Of ten messages two change places. */
GST_START_TEST (test_reports_are_reordered)
{
  Call *c = call_new (LINK);
  GValueArray *earlier = NULL;
  guint i;

  for (i = 0; i < 40 * FPS; i++) {
    GValueArray *array;

    one_frame (c);
    array = make_report (c);
    if (i % 10 == 0) {
      earlier = array;
      continue;
    }
    push_twcc (c, array);
    if (earlier != NULL)
      push_twcc (c, earlier);
    earlier = NULL;
    if (i == 20 * FPS + 1)
      c->worst_queue = c->dropped = 0;
  }
  fail_unless (estimate (c) > 0.6 * MEDIA && estimate (c) < 1.1 * MEDIA, "%u", estimate (c));
  fail_unless (c->worst_queue < 150 * MS);
  call_free (c);
}
GST_END_TEST;

/* Each message comes twice, and once more a second later. */
GST_START_TEST (test_reports_are_duplicated)
{
  Call *c = call_new (LINK);
  GValueArray *late[FPS] = {NULL};
  guint i;

  for (i = 0; i < 40 * FPS; i++) {
    GValueArray *array;

    one_frame (c);
    array = make_report (c);
    G_GNUC_BEGIN_IGNORE_DEPRECATIONS
    push_twcc (c, g_value_array_copy (array));
    push_twcc (c, g_value_array_copy (array));
    G_GNUC_END_IGNORE_DEPRECATIONS
    if (late[i % FPS] != NULL)
      push_twcc (c, late[i % FPS]);
    late[i % FPS] = array;
    if (i == 20 * FPS)
      c->worst_queue = c->dropped = 0;
  }
  fail_unless (estimate (c) > 0.75 * MEDIA && estimate (c) < 1.1 * MEDIA, "%u", estimate (c));
  fail_unless (c->worst_queue < 100 * MS, "%" GST_TIME_FORMAT, GST_TIME_ARGS (c->worst_queue));
  fail_unless_equals_int (c->dropped, 0);
  for (i = 0; i < FPS; i++)
    push_twcc (c, late[i]);
  call_free (c);
}
GST_END_TEST;

/* The session numbers packets anew: another one behind the element, or it was stopped. Forth, back, and to where it was
   half the numbers ago; packets on the way are then told under numbers that mean others. */
GST_START_TEST (test_the_numbers_jump)
{
  static const guint jumps[] = {1000, 20000, 0x10000 - 1000, 0x10000 - 20000, 0x8000};
  Call *c = call_new (LINK);
  guint i;

  run_call (c, 15, frame_of_estimate);
  for (i = 0; i < G_N_ELEMENTS (jumps); i++) {
    check_good (c, 5);
    c->numbers += jumps[i];
    run_call (c, 5, frame_of_estimate);
    fail_unless (estimate (c) > 0.5 * MEDIA && estimate (c) < 1.1 * MEDIA, "jump by %u: %u", jumps[i], estimate (c));
  }
  check_good (c, 5);
  call_free (c);
}
GST_END_TEST;

/* One message tells of more packets than are handed over at once: an outage of the way back ends. */
GST_START_TEST (test_a_report_of_thousands)
{
  Call *c = call_new (20e6);
  guint64 before;
  guint i;

  g_object_set (c->element, "start-bitrate", 10000000, "max-bitrate", 10000000, "min-bitrate", 9000000, NULL);
  gst_element_set_state (c->element, GST_STATE_READY);
  gst_element_set_state (c->element, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (c->h, CAPS);
  for (i = 0; i < 2 * FPS; i++)
    one_frame (c);
  before = stat_of (c, "twcc-refused");
  fail_unless (c->sent > 1500, "%u", c->sent);
  report (c);
  fail_unless_equals_uint64 (stat_of (c, "twcc-refused"), before);
  for (i = 0; i < FPS; i++)
    one_frame (c);
  fail_unless (estimate (c) > 7000000);
  call_free (c);
}
GST_END_TEST;

/* The packets that end a frame, by their place in the call. */
static gboolean ends[MOST];

static void
note_end (Call *c, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  ends[(c->sent - 1) % MOST] = gst_rtp_buffer_get_marker (&rtp);
  gst_rtp_buffer_unmap (&rtp);
}

/* As rtpsession reports: when a frame has ended, not before. */
static void
report_of_whole_frames (Call *c)
{
  GstClockTime seen = now_of (c) - c->delay;
  guint last = c->told, i;
  GValueArray *array;

  for (i = c->told; i < c->sent; i++)
    if (ends[i % MOST] && c->packet[i % MOST].arrived <= seen)
      last = i + 1;
  if (last == c->told)
    return;
  array = array_new ();
  while (c->told < last)
    add_told (c, array, &c->packet[c->told++ % MOST]);
  push_twcc (c, array);
}

static void
run_whole_frames (Call *c, guint frames, guint bytes)
{
  GstClockTime at = now_of (c);

  for (; frames > 0; frames--) {
    push_frame (c, 0, bytes > 0 ? bytes : estimate (c) / 8 / FPS);
    bytes = 0;
    at += GST_SECOND / FPS;
    run_to (c, at);
    report_of_whole_frames (c);
    gst_test_clock_wait_for_next_pending_id (c->clock, NULL);
  }
}

/* A key frame of 100 packets takes 0.9 s of this link: nothing can have been said of it before its end, so that it
   neither waits for an answer nor counts as a path that is silent. */
GST_START_TEST (test_a_long_frame_is_no_silence)
{
  Call *c = call_new (LINK);
  guint sent;

  c->leaves = note_end;
  run_whole_frames (c, 20 * FPS, 0);
  fail_unless (estimate (c) > 0.75 * MEDIA, "%u", estimate (c));
  sent = c->sent;
  run_whole_frames (c, 6 * FPS / 5, 100 * PAYLOAD);
  fail_unless (c->sent - sent >= 100, "%u", c->sent - sent);
  fail_unless (estimate (c) > 0.5 * MEDIA, "%u", estimate (c));
  call_free (c);
}
GST_END_TEST;

static void
push_sound (Call *c)
{
  gst_harness_push (c->h, packet_new (c, 1, c->frame++ * 960, FALSE, 80));
}

/* A call without a camera: of a talkspurt the first packet has the marker, and is all that is answered. */
GST_START_TEST (test_sound_alone)
{
  Call *c = call_with (LINK, "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=96");
  guint i;

  c->leaves = note_end;
  gst_harness_push (c->h, packet_new (c, 1, c->frame++ * 960, TRUE, 80));
  for (i = 0; i < 500; i++) {
    run_to (c, now_of (c) + 20 * MS);
    report_of_whole_frames (c);
    push_sound (c);
  }
  run_to (c, now_of (c) + 20 * MS);
  fail_unless_equals_int (c->sent, 501);
  call_free (c);
}
GST_END_TEST;

/* The camera is muted: no frame ends any more, and of the sound the session says nothing. It goes on leaving as it
   comes, 50 packets a second, and the camera has its rate again. */
GST_START_TEST (test_a_muted_picture_leaves_the_sound)
{
  Call *c = call_with (LINK, BUNDLE_CAPS);
  guint sent, before, i;

  c->leaves = note_end;
  for (i = 0; i < 20 * FPS; i++) {
    push_sound (c);
    run_whole_frames (c, 1, 0);
  }
  before = estimate (c);
  sent = c->sent;
  for (i = 0; i < 75; i++) {
    push_sound (c);
    run_to (c, now_of (c) + 20 * MS);
    report_of_whole_frames (c); /* of the last frame */
  }
  fail_unless (c->sent - sent >= 75, "%u", c->sent - sent);
  run_whole_frames (c, FPS, 0);
  fail_unless (estimate (c) > before / 2, "%u", estimate (c));
  call_free (c);
}
GST_END_TEST;

/* rtpsession's times jump back when the 24 bits of the reference wrap. */
GST_START_TEST (test_the_reference_wraps)
{
  Call *c = call_new (LINK);

  run_call (c, 15, frame_of_estimate);
  check_good (c, 5);
  c->remote -= WRAP;
  check_good (c, 15);
  call_free (c);
}
GST_END_TEST;

/* The peer goes, and comes back with another clock. */
GST_START_TEST (test_the_peer_starts_again)
{
  Call *c = call_new (LINK);
  guint i;

  run_call (c, 15, frame_of_estimate);
  for (i = 0; i < 5 * FPS; i++) {
    one_frame (c);
    forget_report (c);
  }
  fail_unless (estimate (c) < 500000, "%u", estimate (c));
  c->remote = 77 * GST_SECOND;
  run_call (c, 15, frame_of_estimate);
  check_good (c, 10);
  call_free (c);
}
GST_END_TEST;

/* Two minutes, in which the numbers pass 2^16; with SOAK=1 two hours. */
GST_START_TEST (test_soak)
{
  double seconds = scaled (g_getenv ("SOAK") != NULL ? 7200 : 120);
  Call *c = call_new (LINK);
  guint i;

  c->sent = c->told = 64000;
  run_call (c, 15, frame_of_estimate);
  for (i = 0; i < seconds / 60; i++)
    check_good (c, 60);
  fail_unless (stat_of (c, "frames-dropped") < seconds / 60 + 3);
  call_free (c);
}
GST_END_TEST;

/* ---- what the session behind it hears ---- */

typedef struct {
  Call *c;
  GstElement *session, *sink;
  GObject *internal;
} Behind;

static void
put_session (Behind *b)
{
  GstPad *src = gst_element_get_static_pad (b->c->element, "src"), *peer = gst_pad_get_peer (src), *in, *out;

  gst_pad_unlink (src, peer);
  gst_object_unref (peer);
  b->session = gst_element_factory_make ("rtpsession", NULL);
  b->sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (b->sink, "sync", FALSE, "async", FALSE, NULL);
  gst_element_set_clock (b->session, GST_CLOCK (b->c->clock));
  gst_element_set_base_time (b->session, START);
  in = gst_element_request_pad_simple (b->session, "send_rtp_sink");
  out = gst_element_get_static_pad (b->session, "send_rtp_src");
  peer = gst_element_get_static_pad (b->sink, "sink");
  gst_element_set_state (b->sink, GST_STATE_PLAYING);
  gst_element_set_state (b->session, GST_STATE_PLAYING);
  fail_unless_equals_int (gst_pad_link_full (out, peer, GST_PAD_LINK_CHECK_NOTHING), GST_PAD_LINK_OK);
  fail_unless_equals_int (gst_pad_link_full (src, in, GST_PAD_LINK_CHECK_NOTHING), GST_PAD_LINK_OK);
  g_object_get (b->session, "internal-session", &b->internal, NULL);
  gst_object_unref (src);
  gst_object_unref (peer);
  gst_object_unref (in);
  gst_object_unref (out);
}

static void
take_session (Behind *b)
{
  g_object_unref (b->internal);
  gst_element_set_state (b->session, GST_STATE_NULL);
  gst_element_set_state (b->sink, GST_STATE_NULL);
  gst_object_unref (b->session);
  gst_object_unref (b->sink);
}

/* As rtpsession tells what it receives. */
static void
hears (Behind *b, GstBuffer *buffer, RtcpWriter *rtcp)
{
  gst_cc_rtcp_close (rtcp, buffer);
  g_signal_emit_by_name (b->internal, "on-receiving-rtcp", buffer);
  gst_buffer_unref (buffer);
}

static void
hears_blocks (Behind *b, guint n, guint8 fraction_lost)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  RtcpReportBlock blocks[STREAMS];
  guint i;

  for (i = 0; i < n; i++)
    blocks[i] = (RtcpReportBlock){.ssrc = VIDEO + i, .fraction_lost = fraction_lost};
  fail_unless (rtcp_add_rr (&rtcp, 0x2222, blocks, n));
  hears (b, buffer, &rtcp);
}

static void
hears_remb_about (Behind *b, guint32 ssrc, guint64 bitrate)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  RtcpRemb remb = {.bitrate_bps = bitrate, .n_ssrcs = 1, .ssrcs = {ssrc}};

  fail_unless (rtcp_add_remb (&rtcp, 0x2222, &remb));
  hears (b, buffer, &rtcp);
}

static void
hears_remb (Behind *b, guint64 bitrate)
{
  hears_remb_about (b, VIDEO, bitrate);
}

/* rtpsession has a thread of its own at the clock: whether the task has run is not the clock's to tell. */
static void
frames_until (Call *c, guint most)
{
  guint i;

  for (i = 0; i < 500 && estimate (c) > most; i++) {
    one_frame (c);
    g_usleep (5000);
  }
  fail_unless (estimate (c) <= most, "%u", estimate (c));
}

/* A REMB bounds the rate; behind another link, that session's does and the first one's no more. */
GST_START_TEST (test_the_session_behind)
{
  Behind b = {.c = call_new (LINK)}, other = {.c = b.c};

  put_session (&b);
  one_frame (b.c);
  /* about a stream of others: no rate of ours */
  hears_remb_about (&b, VIDEO + 0x100, 50000);
  fail_unless_equals_uint64 (stat_of (b.c, "remb"), 0);
  hears_remb (&b, 100000);
  frames_until (b.c, 100000);
  fail_unless_equals_uint64 (stat_of (b.c, "remb"), 1);
  put_session (&other);
  one_frame (b.c);
  hears_remb (&b, 90000);
  fail_unless_equals_uint64 (stat_of (b.c, "remb"), 1);
  hears_remb (&other, 80000);
  fail_unless_equals_uint64 (stat_of (b.c, "remb"), 2);
  frames_until (b.c, 80000);
  take_session (&b);
  take_session (&other);
  call_free (b.c);
}
GST_END_TEST;

/* REMB and TMMBR about streams of others, or about none, are nobody's word here; one of ours among them is enough. */
GST_START_TEST (test_rates_of_other_streams)
{
  static const RtcpRemb rembs[] = {{.bitrate_bps = 50000, .n_ssrcs = 3, .ssrcs = {VIDEO + 0x100, 1, 0}},
      {.bitrate_bps = 50000, .n_ssrcs = 0}, {.bitrate_bps = 250000, .n_ssrcs = 2, .ssrcs = {VIDEO + 0x100, VIDEO}}};
  const RtcpTmmb limit = {.ssrc = VIDEO + 0x100, .bitrate_bps = 50000, .overhead_bytes = 40};
  Behind b = {.c = call_new (LINK)};
  RtcpWriter rtcp;
  GstBuffer *buffer;
  guint i;

  put_session (&b);
  one_frame (b.c);
  for (i = 0; i < G_N_ELEMENTS (rembs); i++) {
    buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
    fail_unless (rtcp_add_remb (&rtcp, 0x2222, &rembs[i]));
    hears (&b, buffer, &rtcp);
  }
  buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  fail_unless (rtcp_add_tmmbr (&rtcp, 0x2222, &limit, 1));
  hears (&b, buffer, &rtcp);
  frames_until (b.c, 250000);
  fail_unless (estimate (b.c) > 200000, "%u", estimate (b.c));
  fail_unless_equals_uint64 (stat_of (b.c, "remb"), 1);
  fail_unless_equals_uint64 (stat_of (b.c, "tmmbr"), 0);
  fail_unless_equals_uint64 (stat_of (b.c, "unknown-ssrc"), 3);
  take_session (&b);
  call_free (b.c);
}
GST_END_TEST;

/* The session says it, with a time of a clock of its own. */
static void
says_sr (Behind *b, guint32 ssrc, guint64 ntp_time)
{
  RtcpSenderInfo info = {.ssrc = ssrc, .ntp_time = ntp_time};
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  gboolean wanted;

  fail_unless (rtcp_add_sr (&rtcp, &info, NULL, 0));
  gst_cc_rtcp_close (&rtcp, buffer);
  g_signal_emit_by_name (b->internal, "on-sending-rtcp", buffer, FALSE, &wanted);
  gst_buffer_unref (buffer);
}

/* A report 1/4 s after the SR that was held for 1/8 s. The wall clock, which the SR carries, stepped by an hour
   meanwhile, or the SR is of no such clock at all: the round trip is the same. */
GST_START_TEST (test_round_trip_by_the_monotonic_clock)
{
  const guint64 times[] = {gst_cc_rtcp_ntp_time (g_get_real_time () + G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC),
      gst_cc_rtcp_ntp_time (g_get_real_time () - G_GINT64_CONSTANT (3600) * G_USEC_PER_SEC), (guint64)77 << 16};
  Behind b = {.c = call_new (LINK)};
  guint i;

  put_session (&b);
  one_frame (b.c);
  for (i = 0; i < G_N_ELEMENTS (times); i++) {
    RtcpReportBlock block = {.ssrc = VIDEO, .lsr = (guint32)(times[i] >> 16), .dlsr = 65536 / 8};
    RtcpWriter rtcp;
    GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

    says_sr (&b, VIDEO, times[i]);
    gst_test_clock_advance_time (b.c->clock, (250 + i) * MS);
    fail_unless (rtcp_add_rr (&rtcp, 0x2222, &block, 1));
    hears (&b, buffer, &rtcp);
    fail_unless_equals_uint64 (stat_of (b.c, "rr-rtt"), (125 + i) * MS);
  }
  take_session (&b);
  call_free (b.c);
}
GST_END_TEST;

/* Blocks of one compound are one report, blocks on what is not ours none. */
GST_START_TEST (test_blocks_of_one_compound)
{
  Behind b = {.c = call_new (LINK)};
  guint i;

  put_session (&b);
  for (i = 0; i < 4; i++)
    push_frame (b.c, i, 1000);
  hears_blocks (&b, 4, 0);
  fail_unless_equals_uint64 (stat_of (b.c, "receiver-reports"), 1);
  hears_blocks (&b, STREAMS, 0);
  fail_unless_equals_uint64 (stat_of (b.c, "receiver-reports"), 2);
  hears_blocks (&b, 0, 0);
  fail_unless_equals_uint64 (stat_of (b.c, "receiver-reports"), 2);
  take_session (&b);
  call_free (b.c);
}
GST_END_TEST;

static GstStructure *
stats_of_bwe (Call *c)
{
  GstStructure *stats;

  g_object_get (c->element, "stats", &stats, NULL);
  return stats;
}

static const gchar *
circuit_of (Call *c)
{
  GstStructure *stats = stats_of_bwe (c);
  const gchar *state = g_intern_string (gst_structure_get_string (stats, "circuit-breaker"));

  gst_structure_free (stats);
  return state;
}

/* For so many frames, or until the circuit is in that state. */
static void
frames_without_progress (Behind *b, guint frames, const gchar *state)
{
  while (frames-- > 0 && strcmp (circuit_of (b->c), state) != 0) {
    one_frame (b->c);
    hears_blocks (b, 1, 0);
    g_usleep (2000);
  }
}

/* RFC 8083 4.2: 5 s of reports without progress, while frames go on. Then nothing leaves. */
GST_START_TEST (test_circuit_breaker)
{
  Behind b = {.c = call_new (LINK)};
  guint i, sent;

  put_session (&b);
  frames_without_progress (&b, 4 * FPS, "open");
  fail_unless_equals_string (circuit_of (b.c), "closed");
  frames_without_progress (&b, 20 * FPS, "open");
  fail_unless_equals_string (circuit_of (b.c), "open");
  g_usleep (50000);
  sent = (guint)stat_of (b.c, "packets-sent");
  for (i = 0; i < FPS; i++) {
    one_frame (b.c);
    g_usleep (2000);
  }
  fail_unless_equals_int (stat_of (b.c, "packets-sent"), sent);
  take_session (&b);
  call_free (b.c);
}
GST_END_TEST;

static GstCaps *
tell_codec (GstElement *session, guint payload_type, guint *asked)
{
  (*asked)++;
  return gst_caps_from_string ("application/x-rtp,media=video,encoding-name=VP8");
}

/* What the caps do not tell, the session is asked: once. */
GST_START_TEST (test_codec_from_the_session)
{
  Behind b = {.c = call_with (LINK, BUNDLE_CAPS)};
  guint asked = 0, i;

  put_session (&b);
  g_signal_connect (b.session, "request-pt-map", G_CALLBACK (tell_codec), &asked);
  for (i = 0; i < 4; i++)
    push_frame (b.c, i, 1000);
  fail_unless_equals_int (asked, 1);
  take_session (&b);
  call_free (b.c);
}
GST_END_TEST;

typedef struct {
  const gchar *name;
  GThread *thread; /* that pushes: the session asks for itself in others */
  guint asked;
} Map;

static GstCaps *
tell_mapped (GstElement *session, guint payload_type, Map *map)
{
  map->asked += g_thread_self () == map->thread;
  return gst_caps_new_simple ("application/x-rtp", "encoding-name", G_TYPE_STRING, map->name, NULL);
}

/* Negotiated anew, a payload type that was redundancy is video: the session, whose map is cleared, is asked again,
 * once.
 */
GST_START_TEST (test_a_payload_type_becomes_another_codec)
{
  Behind b = {.c = call_with (LINK, BUNDLE_CAPS)};
  Map map = {"ULPFEC", g_thread_self (), 0};
  guint i;

  put_session (&b);
  g_signal_connect (b.session, "request-pt-map", G_CALLBACK (tell_mapped), &map);
  for (i = 0; i < 4; i++)
    one_frame (b.c);
  fail_unless_equals_uint64 (stat_of (b.c, "frames-sent"), 0);
  map.name = "VP8";
  g_signal_emit_by_name (b.session, "clear-pt-map");
  for (i = 0; i < 10 * FPS && stat_of (b.c, "frames-sent") == 0; i++) {
    one_frame (b.c);
    g_usleep (2000);
  }
  fail_unless_equals_int (map.asked, 2);
  fail_unless (stat_of (b.c, "frames-sent") > 0);
  take_session (&b);
  call_free (b.c);
}
GST_END_TEST;

/* ---- TWCC from the wire, through rtpsession ---- */

#define TWCC_ID 5
#define TWCC_CAPS                                                                                                      \
  CAPS ",rtcp-fb-transport-cc=(boolean)true,extmap-5=(string)"                                                         \
       "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

typedef struct {
  Behind behind;
  GstPad *in; /* of RTCP */
  GMutex lock;
  ArrivalHistory history; /* the receiver's, under the lock */
  GstClockTime clock;     /* ahead of ours */
  guint8 count;           /* of messages */
} Wire;

static GstPadProbeReturn
on_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  Wire *w = user;
  gpointer data;
  guint size;

  gst_rtp_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), GST_MAP_READ, &rtp);
  g_mutex_lock (&w->lock);
  if (gst_rtp_buffer_get_extension_onebyte_header (&rtp, TWCC_ID, 0, &data, &size) && size == 2)
    arrival_history_on_packet (
        &w->history, rtcp_get_u16 (data), ARRIVAL_NOT_ECT, now_of (w->behind.c) + 30 * MS + w->clock);
  g_mutex_unlock (&w->lock);
  gst_rtp_buffer_unmap (&rtp);
  return GST_PAD_PROBE_OK;
}

static void
wire_open (Wire *w)
{
  GstSegment segment;
  GstPad *out;

  memset (w, 0, sizeof *w);
  g_mutex_init (&w->lock);
  arrival_history_init (&w->history, 0);
  w->clock = REMOTE;
  w->behind.c = call_with (LINK, TWCC_CAPS);
  put_session (&w->behind);
  w->in = gst_element_request_pad_simple (w->behind.session, "recv_rtcp_sink");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (w->in, gst_event_new_stream_start ("rtcp"));
  gst_pad_send_event (w->in, gst_event_new_segment (&segment));
  out = gst_element_get_static_pad (w->behind.session, "send_rtp_src");
  gst_pad_add_probe (out, GST_PAD_PROBE_TYPE_BUFFER, on_arrival, w, NULL);
  gst_object_unref (out);
}

static void
wire_close (Wire *w)
{
  gst_object_unref (w->in);
  take_session (&w->behind);
  call_free (w->behind.c);
  g_mutex_clear (&w->lock);
}

static GstBuffer *
wire_report (Wire *w)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  gboolean added;

  g_mutex_lock (&w->lock);
  added = rtcp_add_twcc (&rtcp, 0x2222, VIDEO, &w->history, &w->count);
  g_mutex_unlock (&w->lock);
  gst_cc_rtcp_close (&rtcp, buffer);
  if (!added)
    gst_clear_buffer (&buffer);
  return buffer;
}

/* Packets with a place for the number. */
static void
wire_frame (Wire *w, guint bytes)
{
  Call *c = w->behind.c;
  guint32 timestamp = c->frame++ * 3000;

  for (; bytes > 0; bytes -= MIN (bytes, PAYLOAD)) {
    GstBuffer *buffer = packet_new (c, 0, timestamp, bytes <= PAYLOAD, MAX (MIN (bytes, PAYLOAD), 20));
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    const guint8 place[2] = {0};

    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    gst_rtp_buffer_set_extension_data (&rtp, 0xbede, 0);
    gst_rtp_buffer_add_extension_onebyte_header (&rtp, TWCC_ID, place, sizeof place);
    gst_rtp_buffer_unmap (&rtp);
    gst_harness_push (c->h, buffer);
  }
  run_to (c, now_of (c) + GST_SECOND / FPS);
  if (c->threads == 0)
    g_usleep (100000); /* the session's thread comes to the clock behind the first packet, and is always there then */
  c->threads = 2;
}

/* Each message `copies` times. */
static void
wire_run (Wire *w, double seconds, guint copies)
{
  guint i, j;

  for (i = 0; i < seconds * FPS; i++) {
    GstBuffer *report;

    wire_frame (w, estimate (w->behind.c) / 8 / FPS);
    report = wire_report (w);
    for (j = 0; report != NULL && j < copies; j++)
      gst_pad_chain (w->in, gst_buffer_copy (report));
    gst_clear_buffer (&report);
  }
}

/* Numbers that were never sent. */
static void
wire_forge (Wire *w)
{
  ArrivalHistory forged;
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  guint i;

  arrival_history_init (&forged, 0);
  for (i = 0; i < 100; i++)
    arrival_history_on_packet (&forged, (guint16)(50000 + i), ARRIVAL_NOT_ECT, now_of (w->behind.c) + i);
  fail_unless (rtcp_add_twcc (&rtcp, 0x6666, VIDEO, &forged, &w->count));
  gst_cc_rtcp_close (&rtcp, buffer);
  gst_pad_chain (w->in, buffer);
}

static void
check_keeps (Wire *w, guint *before)
{
  guint now = estimate (w->behind.c);

  fail_unless (now > *before / 2, "%u of %u", now, *before);
  *before = now;
}

/* The rate grows by what comes from the wire: messages once, each twice, from a peer that starts again (its count, its
   clock, its session's memory are new). Forged ones, which nobody can tell from those of a peer that lost all, may
   lower the rate, not raise it, and when they cease it grows again. */
GST_START_TEST (test_twcc_from_the_wire)
{
  guint before = 300000, i;
  Wire w;

  wire_open (&w);
  wire_run (&w, 3, 1);
  fail_unless (estimate (w.behind.c) > before, "%u", estimate (w.behind.c));
  fail_unless (stat_of (w.behind.c, "twcc-reports") > 50);
  before = estimate (w.behind.c);
  wire_run (&w, 1, 2);
  check_keeps (&w, &before);
  w.count = 0;
  w.clock = 77 * GST_SECOND;
  g_mutex_lock (&w.lock);
  arrival_history_init (&w.history, 0);
  g_mutex_unlock (&w.lock);
  wire_run (&w, 2, 1);
  check_keeps (&w, &before);
  for (i = 0; i < 10; i++) {
    guint most = estimate (w.behind.c);

    wire_forge (&w);
    run_to (w.behind.c, now_of (w.behind.c) + 20 * MS);
    fail_unless (estimate (w.behind.c) <= most + most / 50, "%u, %u before", estimate (w.behind.c), most);
    wire_run (&w, 0.1, 1);
  }
  before = MIN (before, 300000);
  wire_run (&w, 5, 1);
  check_keeps (&w, &before);
  wire_close (&w);
}
GST_END_TEST;

/* ---- what is used wrongly ---- */

/* Of those on the bus: how many there are, and that they say so. */
static guint
warnings (GstBus *bus, const gchar *text)
{
  GstMessage *message;
  guint n = 0;

  for (; (message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING)) != NULL; n++) {
    GError *error;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, text) != NULL, "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  return n;
}

static GstBus *
bus_of (Call *c)
{
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (c->element, bus);
  return bus;
}

static void
bus_free (Call *c, GstBus *bus)
{
  gst_element_set_bus (c->element, NULL);
  gst_object_unref (bus);
}

static void
frames_without_reports (Call *c, double seconds)
{
  guint i;

  for (i = 0; i < seconds * FPS; i++) {
    push_frame (c, 0, 500);
    run_to (c, now_of (c) + GST_SECOND / FPS);
  }
}

/* Nothing is told of reports, for 5 s from the first packet on: said once. A source that sends nothing lacks none. */
GST_START_TEST (test_no_session_is_told)
{
  Call *c = call_new (LINK);
  GstBus *bus = bus_of (c);

  run_to (c, now_of (c) + 10 * GST_SECOND);
  frames_without_reports (c, 4.8);
  fail_unless_equals_int (warnings (bus, ""), 0);
  frames_without_reports (c, 1);
  fail_unless_equals_int (warnings (bus, "No rtpsession follows"), 1);
  frames_without_reports (c, 10);
  fail_unless_equals_int (warnings (bus, ""), 0);
  bus_free (c, bus);
  call_free (c);
}
GST_END_TEST;

/* With a session that hears nothing; RTCP of any kind is enough. */
GST_START_TEST (test_no_rtcp_is_told)
{
  guint heard, i;

  for (heard = 0; heard < 2; heard++) {
    Behind b = {.c = call_new (LINK)};
    GstBus *bus = bus_of (b.c);
    guint told = 0;

    put_session (&b);
    one_frame (b.c);
    if (heard)
      hears_blocks (&b, 0, 0);
    for (i = 0; i < (heard ? 200 : 1000) && told == 0; i++) {
      one_frame (b.c);
      g_usleep (1000);
      told = warnings (bus, "No RTCP has come");
    }
    fail_unless_equals_int (told, !heard);
    bus_free (b.c, bus);
    take_session (&b);
    call_free (b.c);
  }
}
GST_END_TEST;

static void
frame_of_three_rates (Call *c)
{
  push_frame (c, 0, 3 * 1000000 / 8 / FPS);
}

/* Frames are skipped, and nobody sets the encoder: said once. Who listens to the estimate does. */
GST_START_TEST (test_skipped_frames_are_told)
{
  guint listens;

  for (listens = 0; listens < 2; listens++) {
    Call *c = call_new (LINK);
    GstBus *bus = bus_of (c);

    if (!listens)
      g_signal_handlers_disconnect_by_func (c->element, on_notify, c);
    run_call (c, 12, frame_of_three_rates);
    fail_unless (stat_of (c, "frames-dropped") > 100);
    fail_unless_equals_int (warnings (bus, "frames were skipped"), !listens);
    bus_free (c, bus);
    call_free (c);
  }
}
GST_END_TEST;

static Suite *
rtptfrcbwereports_suite (void)
{
  Suite *s = suite_create ("rtptfrcbwereports");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_no_reports_at_all);
  tcase_add_test (tc, test_stamps_of_a_session_held_up);
  tcase_add_test (tc, test_reports_are_lost);
  tcase_add_test (tc, test_reports_are_reordered);
  tcase_add_test (tc, test_reports_are_duplicated);
  tcase_add_test (tc, test_the_numbers_jump);
  tcase_add_test (tc, test_a_report_of_thousands);
  tcase_add_test (tc, test_a_long_frame_is_no_silence);
  tcase_add_test (tc, test_a_muted_picture_leaves_the_sound);
  tcase_add_test (tc, test_sound_alone);
  tcase_add_test (tc, test_the_reference_wraps);
  tcase_add_test (tc, test_the_peer_starts_again);
  tcase_add_test (tc, test_soak);
  tcase_add_test (tc, test_the_session_behind);
  tcase_add_test (tc, test_rates_of_other_streams);
  tcase_add_test (tc, test_round_trip_by_the_monotonic_clock);
  tcase_add_test (tc, test_blocks_of_one_compound);
  tcase_add_test (tc, test_circuit_breaker);
  tcase_add_test (tc, test_codec_from_the_session);
  tcase_add_test (tc, test_a_payload_type_becomes_another_codec);
  tcase_add_test (tc, test_twcc_from_the_wire);
  tcase_add_test (tc, test_no_session_is_told);
  tcase_add_test (tc, test_no_rtcp_is_told);
  tcase_add_test (tc, test_skipped_frames_are_told);
  return s;
}

GST_CHECK_MAIN (rtptfrcbwereports)
