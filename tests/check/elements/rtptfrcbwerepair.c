/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Redundancy and packets sent again, made by the elements upstream of rtptfrcbwe, come out of the one budget: media has
   what remains. In virtual time. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "bwecall.h"

#define LINK 1e6
#define MEDIA (LINK * PAYLOAD / (PAYLOAD + WIRE_HEAD))
#define FEC_TYPE 122
#define RTX_TYPE 97

static guint64 bytes_of[128]; /* payload that left, by payload type */
static gint arrived;          /* at rtptfrcbwe */

static void
count_bytes (Call *c, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp);
  bytes_of[gst_rtp_buffer_get_payload_type (&rtp)] += gst_rtp_buffer_get_payload_len (&rtp);
  gst_rtp_buffer_unmap (&rtp);
}

static GstPadProbeReturn
count_arrived (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  g_atomic_int_inc (&arrived);
  return GST_PAD_PROBE_OK;
}

static Call *
begin (const gchar *caps, const gchar *description)
{
  Call *c = call_of (LINK, caps, description);
  GstPad *sink = gst_element_get_static_pad (c->element, "sink");

  arrived = 0;
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, count_arrived, NULL, NULL);
  gst_object_unref (sink);
  c->leaves = count_bytes;
  return c;
}

/* 20 s from here on: the link is used, nothing waits long or is dropped. Returns what encoders may make, mean. */
static double
measure (Call *c, EachFrame each)
{
  guint64 bytes = c->bytes, dropped = stat_of (c, "frames-dropped");
  double sum = 0;
  guint i;

  memset (bytes_of, 0, sizeof bytes_of);
  c->worst_queue = c->dropped = 0;
  for (i = 0; i < 20; i++) {
    run_call (c, 1, each);
    sum += estimate (c);
  }
  bytes = c->bytes - bytes;
  fail_unless (8 * bytes / 20 > 0.75 * MEDIA && 8 * bytes / 20 < 1.01 * MEDIA, "%u", (guint)(8 * bytes / 20));
  fail_unless (c->worst_queue < 100 * MS, "%" GST_TIME_FORMAT, GST_TIME_ARGS (c->worst_queue));
  fail_unless_equals_int (c->dropped, 0);
  fail_unless (stat_of (c, "frames-dropped") - dropped <= 3, "%u", (guint)(stat_of (c, "frames-dropped") - dropped));
  return sum / 20;
}

/* rtpulpfecenc adds half as much again, under the media's SSRC: two thirds are media. Were media told all of it, half
   as much again as the link takes would be sent. */
static void
check_ulpfec (const gchar *caps)
{
  Call *c = begin (caps, "rtpulpfecenc pt=122 percentage=50 ! rtptfrcbwe name=bwe");
  double mean, part;

  run_call (c, 15, frame_of_estimate);
  mean = measure (c, frame_of_estimate);
  part = (double)bytes_of[MEDIA_TYPE] / (bytes_of[MEDIA_TYPE] + bytes_of[FEC_TYPE]);
  fail_unless (part > 0.55 && part < 0.75, "%f is media", part);
  fail_unless (mean > 0.75 * part * MEDIA && mean < part * MEDIA, "%f told, %f is media", mean, part);
  call_free (c);
}

GST_START_TEST (test_ulpfec)
{
  check_ulpfec (CAPS);
  check_ulpfec (BUNDLE_CAPS);
}
GST_END_TEST;

/* Frames are whole, each with its redundancy behind it, although two cameras take turns: none waits for the next. */
GST_START_TEST (test_ulpfec_of_two_streams)
{
  Call *c = begin (BUNDLE_CAPS, "rtpulpfecenc pt=122 percentage=50 ! rtptfrcbwe name=bwe");
  guint i;

  g_object_set (c->element, "min-bitrate", 4000000, NULL);
  memset (bytes_of, 0, sizeof bytes_of);
  for (i = 0; i < 10; i++) {
    push_frame (c, 0, 3000);
    push_frame (c, 1, 3000);
    run_to (c, now_of (c) + GST_SECOND / FPS);
  }
  fail_unless_equals_uint64 (bytes_of[MEDIA_TYPE], 10 * 2 * 3000);
  /* 2 of 3 packets protected at least, each a packet and the header of RFC 5109 */
  fail_unless (bytes_of[FEC_TYPE] >= 10 * 2 * 1000, "%u", (guint)bytes_of[FEC_TYPE]);
  fail_unless_equals_int (arrived, c->sent);
  fail_unless_equals_uint64 (stat_of (c, "frames-sent"), 20);
  call_free (c);
}
GST_END_TEST;

/* ---- redundancy under an SSRC of its own, as FlexFEC and SMPTE 2022-1 have it ---- */

static guint told[STREAMS];
static gboolean flagged; /* else caps tell */

static void
push_named (Call *c, const gchar *caps, const gchar *id)
{
  GstSegment segment;
  GstCaps *named = gst_caps_from_string (caps);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (c->h, gst_event_new_stream_start (id));
  gst_harness_push_event (c->h, gst_event_new_caps (named));
  gst_harness_push_event (c->h, gst_event_new_segment (&segment));
  gst_caps_unref (named);
}

/* Of each frame of the first stream a third, in packets of the second. */
static void
frame_and_redundancy (Call *c)
{
  guint bytes, i;

  read_shares (c, told);
  fail_unless_equals_int (told[1], 0);
  bytes = (told[0] > 0 ? told[0] : 300000) / 8 / FPS;
  if (!flagged)
    push_named (c, CAPS, "media");
  push_frame (c, 0, bytes);
  if (!flagged)
    push_named (c, "application/x-rtp,media=video,clock-rate=90000,encoding-name=FLEXFEC-03,payload=122", "fec");
  for (i = 0; i < 2; i++) {
    GstBuffer *buffer = packet_new (c, 1, c->frame * 3000, FALSE, bytes / 6);

    if (flagged)
      GST_BUFFER_FLAG_SET (buffer, GST_RTP_BUFFER_FLAG_REDUNDANT);
    gst_harness_push (c->h, buffer);
  }
}

static void
check_own_ssrc (gboolean flag)
{
  Call *c = begin (BUNDLE_CAPS, NULL);
  double mean;

  flagged = flag;
  memset (told, 0, sizeof told);
  run_call (c, 15, frame_and_redundancy);
  mean = measure (c, frame_and_redundancy);
  /* three of four bytes are media */
  fail_unless (mean > 0.75 * 0.75 * MEDIA && mean < 0.75 * MEDIA, "%f", mean);
  fail_unless (told[0] > 0.9 * mean && told[0] < 1.15 * mean, "%u of %f", told[0], mean);
  call_free (c);
}

GST_START_TEST (test_redundancy_of_its_own_ssrc)
{
  check_own_ssrc (TRUE);
  check_own_ssrc (FALSE);
}
GST_END_TEST;

/* ---- packets sent again ---- */

static guint16 asked; /* number, as it left */

static void
ask_again (Call *c, guint16 seq)
{
  gint before = g_atomic_int_get (&arrived);
  guint i;

  gst_harness_push_upstream_event (
      c->h, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
                gst_structure_new ("GstRTPRetransmissionRequest", "seqnum", G_TYPE_UINT, (guint)seq, "ssrc",
                    G_TYPE_UINT, VIDEO, "payload-type", G_TYPE_UINT, MEDIA_TYPE, NULL)));
  for (i = 0; i < 5000 && g_atomic_int_get (&arrived) == before; i++) /* rtprtxsend has a thread of its own */
    g_usleep (200);
  fail_if (g_atomic_int_get (&arrived) == before, "number %u", seq);
}

static void
note_number (Call *c, GstBuffer *buffer)
{
  count_bytes (c, buffer);
  if (ssrc_of (buffer) == VIDEO)
    asked = seq_of (buffer);
}

static void
frame_and_a_request (Call *c)
{
  frame_of_estimate (c);
  if (c->sent > 0)
    ask_again (c, asked);
}

/* The last packet that left is asked for with each frame. */
GST_START_TEST (test_rtx)
{
  Call *c = begin (CAPS, "rtprtxsend payload-type-map=\"map,96=(uint)97\" ! rtptfrcbwe name=bwe");
  double before, mean, again;

  c->leaves = note_number;
  run_call (c, 15, frame_of_estimate);
  before = measure (c, frame_of_estimate);
  run_call (c, 5, frame_and_a_request);
  mean = measure (c, frame_and_a_request);
  again = 8 * bytes_of[RTX_TYPE] / 20.0;
  fail_unless (again > 50000, "%f", again);
  fail_unless (mean < before - 0.7 * again, "%f, %f before, %f sent again", mean, before, again);
  fail_unless (mean + again > 0.8 * before, "%f, %f before, %f sent again", mean, before, again);
  call_free (c);
}
GST_END_TEST;

static Suite *
rtptfrcbwerepair_suite (void)
{
  Suite *s = suite_create ("rtptfrcbwerepair");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_ulpfec);
  tcase_add_test (tc, test_ulpfec_of_two_streams);
  tcase_add_test (tc, test_redundancy_of_its_own_ssrc);
  tcase_add_test (tc, test_rtx);
  return s;
}

GST_CHECK_MAIN (rtptfrcbwerepair)
