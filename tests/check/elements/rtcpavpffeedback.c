/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rtcpavpf says besides reports: requests for packets and key units, reports of every packet, limits, and what an
   application hands it; and what it leaves out as others have said it. */
#include "rtcpavpftest.h"

#include "erfextension.h"
#include "explicitrate.h"
#include "gstrateevent.h"

#define TWCC_ID 5
#define RTX_TYPE 97
#define RTX_SSRC 0x1234abce

static void
set_feedback (Fixture *f, const gchar *flags)
{
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "feedback", flags);
}

/* Nothing but what a test asks for. */
static void
prepare (Fixture *f, const gchar *flags)
{
  g_object_set (f->rtp->element, "auto-pli", FALSE, NULL);
  set_feedback (f, flags);
  f->nal = H264_IDR;
}

static gboolean
ask (Fixture *f, GstStructure *structure)
{
  return gst_harness_push_upstream_event (f->rtp, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, structure));
}

static gboolean
ask_for_packet (Fixture *f, guint16 seq, guint deadline_ms)
{
  return ask (f, gst_structure_new ("GstRTPRetransmissionRequest", "ssrc", G_TYPE_UINT, MEDIA, "seqnum", G_TYPE_UINT,
                     (guint)seq, "deadline", G_TYPE_UINT, deadline_ms, NULL));
}

static void
push_rtcp (Fixture *f, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (f->rtcp, buffer), GST_FLOW_OK);
}

#define OTHER 0x00c0ffee

/* A compound of another receiver; ends with rtcp_end (). */
static GstBuffer *
rtcp_begin (RtcpWriter *rtcp, guint32 ssrc)
{
  GstBuffer *buffer = gst_cc_rtcp_open (rtcp, RTCP_MTU);

  rtcp_add_rr (rtcp, ssrc, NULL, 0);
  rtcp_add_cname (rtcp, ssrc, "other");
  return buffer;
}

static void
rtcp_end (Fixture *f, RtcpWriter *rtcp, GstBuffer *buffer)
{
  gst_cc_rtcp_close (rtcp, buffer);
  push_rtcp (f, buffer);
}

static void
others_nack (Fixture *f, guint16 seq)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = rtcp_begin (&rtcp, OTHER);

  rtcp_add_nack (&rtcp, OTHER, MEDIA, &seq, 1, NULL);
  rtcp_end (f, &rtcp, buffer);
}

static void
others_pli (Fixture *f)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = rtcp_begin (&rtcp, OTHER);

  rtcp_add_pli (&rtcp, OTHER, MEDIA);
  rtcp_end (f, &rtcp, buffer);
}

static guint64
source_stat (Fixture *f, const gchar *name)
{
  const GstStructure *source;
  guint64 value = 0;
  GstStructure *stats;

  g_object_get (f->rtp->element, "stats", &stats, NULL);
  source = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (stats, "sources"), 0));
  gst_structure_get_uint64 (source, name, &value);
  gst_structure_free (stats);
  return value;
}

/* ---- packets asked for again ---- */

/* A loss is one after three later packets (nackrequest.h): 60 ms; RTT 50 ms as stamped. Asked again no sooner than
   50 + 10 ms later, 5 times at most, and not at all when it is here. */
TEST (test_auto_nack)
{
  guint16 lost;

  prepare (f, "nack");
  g_object_set (f->rtp->element, "auto-nack", TRUE, NULL);
  stream (f, 50);
  lost = f->seq++;
  stream (f, 5);
  listen (f, heard);
  fail_unless (heard->nacks > 0 && heard->nacks <= 2);
  fail_unless_equals_int (heard->media, MEDIA);
  fail_unless_equals_int (heard->n_nack, 1);
  fail_unless_equals_int (heard->nack[0], lost);
  push (f, rtp_packet (f, MEDIA, lost));
  heard->nacks = 0;
  stream (f, 50);
  listen (f, heard);
  fail_unless_equals_int (heard->nacks, 0);
  fail_unless (source_stat (f, "nack-requested") <= 2);
  fail_unless_equals_uint64 (source_stat (f, "nack-recovered"), 1);
}

/* The key unit is asked for when asking again did not help: after nack-latency, not at once. */
TEST (test_key_unit_where_asking_again_failed)
{
  prepare (f, "nack+pli");
  g_object_set (f->rtp->element, "auto-nack", TRUE, "auto-pli", TRUE, "nack-latency", 300 * GST_MSECOND, NULL);
  stream (f, 50);
  listen (f, heard);
  f->nal = H264_SLICE;
  f->seq++;
  stream (f, 12);
  listen (f, heard);
  fail_unless (heard->nacks > 0);
  fail_unless_equals_int (heard->plis, 0);
  stream (f, 20);
  listen (f, heard);
  fail_unless (heard->plis > 0);
  fail_unless (source_stat (f, "nack-requested") <= 5);
}

/* rtpjitterbuffer do-retransmission=true asks like this. */
TEST (test_jitter_buffers_request_becomes_nack)
{
  prepare (f, "nack");
  stream (f, 50);
  f->seq++;
  stream (f, 5);
  listen (f, heard);
  fail_unless_equals_int (heard->nacks, 0);
  fail_unless (ask_for_packet (f, (guint16)(f->seq - 6), 400));
  stream (f, 5);
  listen (f, heard);
  fail_unless (heard->nacks >= 1);
  fail_unless_equals_int (heard->nack[0], (guint16)(f->seq - 11));
  set_feedback (f, "pli");
  heard->nacks = 0;
  ask_for_packet (f, (guint16)(f->seq - 3), 400);
  stream (f, 25);
  listen (f, heard);
  fail_unless_equals_int (heard->nacks, 0);
}

static GstEvent *
retransmission_request (GstHarness *h)
{
  guint i;

  for (i = 0; i < 500; i++) {
    GstTestClock *clock = gst_harness_get_testclock (h);
    GstEvent *event;

    while ((event = gst_harness_try_pull_upstream_event (h)) != NULL) {
      if (gst_event_has_name (event, "GstRTPRetransmissionRequest")) {
        gst_object_unref (clock);
        return event;
      }
      gst_event_unref (event);
    }
    gst_test_clock_advance_time (clock, GST_MSECOND);
    gst_object_unref (clock);
    g_usleep (1000);
  }
  return NULL;
}

/* What rtpjitterbuffer really sends. */
TEST (test_rtpjitterbuffer)
{
  GstElement *jitterbuffer = gst_element_factory_make ("rtpjitterbuffer", NULL);
  GstHarness *h = gst_harness_new_with_element (jitterbuffer, "sink", "src");
  GstEvent *event;
  guint i;

  prepare (f, "nack");
  g_object_set (jitterbuffer, "do-retransmission", TRUE, "latency", 500, NULL);
  gst_harness_use_testclock (h);
  gst_harness_set_src_caps_str (h, CAPS);
  for (i = 0; i < 40; i++) {
    GstBuffer *buffer = rtp_packet (f, MEDIA, f->seq++);

    GST_BUFFER_DTS (buffer) = i * PERIOD;
    if (i == 20) {
      gst_buffer_unref (buffer);
      continue;
    }
    push (f, buffer);
    gst_harness_push (h, gst_harness_pull (f->rtp));
    gst_harness_set_time (h, i * PERIOD);
    advance (f, PERIOD);
  }
  event = retransmission_request (h);
  fail_unless (event != NULL);
  fail_unless (gst_harness_push_upstream_event (f->rtp, event));
  stream (f, 5);
  listen (f, heard);
  fail_unless (heard->nacks > 0);
  fail_unless_equals_int (heard->nack[0], 1020);
  gst_harness_teardown (h);
  gst_object_unref (jitterbuffer);
}

static GstBuffer *
retransmission (Fixture *f, guint16 seq, guint16 osn)
{
  GstBuffer *buffer = rtp_packet (f, RTX_SSRC, seq);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_payload_type (&rtp, RTX_TYPE);
  ((guint8 *)gst_rtp_buffer_get_payload (&rtp))[0] = (guint8)(osn >> 8);
  ((guint8 *)gst_rtp_buffer_get_payload (&rtp))[1] = (guint8)osn;
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* RFC 4588: what comes again has another SSRC, and its old number in front of the payload. It ends the requests, and
   nothing is asked of the stream it comes in. */
TEST (test_retransmissions_are_known)
{
  GstStructure *map = gst_structure_new ("application/x-rtp-pt-map", "96", G_TYPE_UINT, RTX_TYPE, NULL);
  guint16 lost;
  guint i;

  prepare (f, "nack+pli");
  g_object_set (f->rtp->element, "auto-nack", TRUE, "rtx-payload-type-map", map, NULL);
  gst_structure_free (map);
  stream (f, 50);
  for (i = 0; i < 5; i++)
    push (f, retransmission (f, (guint16)(500 + 2 * i), 7)); /* with gaps of its own */
  lost = f->seq++;
  stream (f, 5);
  listen (f, heard);
  fail_unless (heard->nacks > 0);
  fail_unless_equals_int (heard->media, MEDIA);
  heard->nacks = 0;
  push (f, retransmission (f, 510, lost));
  stream (f, 50);
  listen (f, heard);
  fail_unless_equals_int (heard->nacks, 0);
  fail_unless_equals_int (heard->plis, 0);
  fail_unless_equals_uint64 (source_stat (f, "nack-recovered"), 1);
}

/* The first packet of an SSRC is a stranger's (RFC 3550 A.1), but not where it brings what is missed: retransmissions
   are rare, and the first counts as any other. */
TEST (test_the_first_retransmission_counts)
{
  GstStructure *map = gst_structure_new ("application/x-rtp-pt-map", "96", G_TYPE_UINT, RTX_TYPE, NULL);
  guint16 lost;
  guint before;

  prepare (f, "nack+pli");
  g_object_set (f->rtp->element, "auto-nack", TRUE, "rtx-payload-type-map", map, NULL);
  gst_structure_free (map);
  stream (f, 50);
  lost = f->seq++;
  stream (f, 5);
  before = gst_harness_buffers_received (f->rtp);
  push (f, retransmission (f, 900, (guint16)(lost - 10)));
  fail_unless_equals_int (gst_harness_buffers_received (f->rtp), before);
  push (f, retransmission (f, 500, lost));
  fail_unless_equals_int (gst_harness_buffers_received (f->rtp), before + 1);
}

/* ---- others ---- */

/* RFC 4585 3.5.2 (5): all miss the packet, another one asks first: nobody else does. */
TEST (test_anothers_nack_suppresses_ours)
{
  prepare (f, "nack");
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "group", "group");
  g_object_set (f->rtp->element, "auto-nack", TRUE, NULL);
  stream (f, 100);
  listen (f, heard);
  others_nack (f, f->seq); /* it even saw it before us */
  f->seq++;
  stream (f, 4);
  others_nack (f, (guint16)(f->seq - 5));
  push (f, rtp_packet (f, MEDIA, (guint16)(f->seq - 5)));
  stream (f, 100);
  listen (f, heard);
  fail_unless_equals_int (heard->nacks, 0);
  fail_unless_equals_uint64 (source_stat (f, "nack-requested"), 0);
}

/* One that comes after ours stands for our next one. */
TEST (test_anothers_nack_after_ours)
{
  prepare (f, "nack");
  g_object_set (f->rtp->element, "auto-nack", TRUE, NULL);
  stream (f, 50);
  f->seq++;
  stream (f, 5);
  listen (f, heard);
  fail_unless (heard->nacks > 0);
  fail_unless_equals_uint64 (source_stat (f, "nack-suppressed"), 0);
  others_nack (f, (guint16)(f->seq - 6));
  fail_unless_equals_uint64 (source_stat (f, "nack-suppressed"), 1);
}

TEST (test_anothers_pli_suppresses_ours)
{
  prepare (f, "pli");
  gst_util_set_object_arg (G_OBJECT (f->rtp->element), "group", "group");
  g_object_set (f->rtp->element, "bandwidth", 100000, NULL);
  stream (f, 300);
  listen (f, heard);
  others_pli (f);
  f->nal = H264_SLICE;
  ask (f, gst_structure_new_empty ("GstForceKeyUnit"));
  stream (f, 20);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 0);
  fail_unless_equals_uint64 (stat (f, "others-suppressed-ours"), 1);
  fail_unless_equals_uint64 (source_stat (f, "key-requests-of-others"), 1);
  f->nal = H264_IDR;
  stream (f, 1);
  f->nal = H264_SLICE; /* it has come: what was asked before it covers nothing */
  ask (f, gst_structure_new_empty ("GstForceKeyUnit"));
  stream (f, 200);
  listen (f, heard);
  fail_unless (heard->plis > 0);
}

/* ---- key units ---- */

/* Who was not offered PLI gets FIR; who was offered neither gets nothing, and the wish goes on upstream. */
TEST (test_kind_of_key_unit_request)
{
  prepare (f, "fir");
  stream (f, 50);
  f->nal = H264_SLICE;
  ask (f, gst_structure_new_empty ("GstForceKeyUnit"));
  stream (f, 10);
  listen (f, heard);
  fail_unless_equals_int (heard->plis, 0);
  fail_unless (heard->firs > 0);
  set_feedback (f, "tfrc");
  heard->firs = 0;
  ask (f, gst_structure_new_empty ("GstForceKeyUnit"));
  stream (f, 100);
  listen (f, heard);
  fail_unless_equals_int (heard->firs, 0);
}

/* ---- reports of every packet ---- */

/* 50 packets/s for 4 s, 1 of 200 lost: what is reported adds up to what was sent, and a report is wanted each 50 ms:
   80, and what regular packets take along, 8 at most with a trr-int of 1 s. */
TEST (test_ccfb)
{
  guint i, reported = 0, received = 0;

  prepare (f, "ccfb");
  f->extension_id = 0; /* no RTT is known, and bandwidth for a report each 3 ms is there */
  g_object_set (f->rtp->element, "bandwidth", 10000000, NULL);
  for (i = 0; i < 200; i++) {
    guint known = heard->ccfbs;

    if (i == 100)
      f->seq++;
    stream (f, 1);
    listen (f, heard);
    if (heard->ccfbs > known) {
      reported += heard->reported;
      received += heard->received;
    }
  }
  fail_unless_equals_int (heard->media, MEDIA);
  fail_unless_equals_int (reported, received + 1);
  fail_unless (received >= 185 && received <= 200, "%u", received);
  fail_unless (heard->ccfbs > 40 && heard->ccfbs <= 90, "%u", heard->ccfbs);
  fail_unless (stat (f, "early") > 0);
}

static void
stream_numbered (Fixture *f, guint16 *number)
{
  guint8 data[2];
  GstBuffer *buffer = rtp_packet (f, MEDIA, f->seq++);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  GST_WRITE_UINT16_BE (data, (*number)++);
  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_add_extension_onebyte_header (&rtp, TWCC_ID, data, 2);
  gst_rtp_buffer_unmap (&rtp);
  push (f, buffer);
  advance (f, PERIOD);
  drop_output (f->rtp);
}

static void
check_twcc (Fixture *f, Heard *heard)
{
  guint i, reported = 0, received = 0;
  guint16 number = 65500; /* wraps */

  for (i = 0; i < 200; i++) {
    guint known = heard->twccs;

    if (i == 100)
      number++;
    stream_numbered (f, &number);
    listen (f, heard);
    if (heard->twccs > known) {
      reported += heard->reported;
      received += heard->received;
    }
  }
  fail_unless_equals_int (reported, received + 1);
  fail_unless (received >= 185 && received <= 200, "%u", received);
  fail_unless_equals_int (heard->media, MEDIA);
}

TEST (test_twcc)
{
  prepare (f, "twcc");
  g_object_set (f->rtp->element, "twcc-extension-id", TWCC_ID, NULL);
  check_twcc (f, heard);
}

TEST (test_twcc_by_caps)
{
  prepare (f, "twcc");
  gst_harness_set_src_caps_str (
      f->rtp, CAPS ",extmap-5=(string)\"http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\"");
  check_twcc (f, heard);
}

/* ---- limits ---- */

/* RFC 5104 4.2.1.2: asked for at once, repeated with regular packets until TMMBN names us, again when it changes. */
TEST (test_tmmbr)
{
  RtcpWriter rtcp;
  GstBuffer *buffer;
  RtcpTmmb entry;
  guint ssrc;

  prepare (f, "tmmbr");
  g_object_set (f->rtp->element, "tmmbr-bitrate", G_GUINT64_CONSTANT (262144), NULL);
  stream (f, 100);
  listen (f, heard);
  fail_unless (heard->tmmbrs >= 2);
  fail_unless_equals_int (heard->tmmbr.ssrc, MEDIA);
  fail_unless_equals_uint64 (heard->tmmbr.bitrate_bps, 262144);
  fail_unless_equals_int (heard->tmmbr.overhead_bytes, UDP_IP_BYTES + RTCP_TMMB_RTP_HEADER);
  g_object_get (f->rtp->element, "ssrc", &ssrc, NULL);
  entry = heard->tmmbr;
  entry.ssrc = ssrc;
  buffer = rtcp_begin (&rtcp, MEDIA);
  rtcp_add_tmmbn (&rtcp, MEDIA, &entry, 1);
  rtcp_end (f, &rtcp, buffer);
  heard->tmmbrs = 0;
  stream (f, 100);
  listen (f, heard);
  fail_unless_equals_int (heard->tmmbrs, 0);
  g_object_set (f->rtp->element, "tmmbr-bitrate", G_GUINT64_CONSTANT (131072), NULL);
  stream (f, 10);
  listen (f, heard);
  fail_unless (heard->tmmbrs > 0);
  fail_unless_equals_uint64 (heard->tmmbr.bitrate_bps, 131072);
}

/* ---- explicit rates ---- */

#define RATE_ID 10

/* One packet in which a router has written. */
static void
marked (Fixture *f, guint id, double bitrate, guint16 hop)
{
  GstBuffer *buffer = rtp_packet (f, MEDIA, f->seq++);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 data[ERF_EXTENSION_SIZE];

  if (bitrate >= 0)
    erf_extension_write (data, bitrate / 8, hop);
  else
    erf_extension_write_unset (data);
  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  fail_unless (gst_rtp_buffer_add_extension_onebyte_header (&rtp, (guint8)id, data, sizeof data));
  gst_rtp_buffer_unmap (&rtp);
  push (f, buffer);
}

static void
stream_marked (Fixture *f, guint packets, double bitrate, guint16 hop)
{
  for (; packets > 0; packets--) {
    marked (f, RATE_ID, bitrate, hop);
    advance (f, PERIOD);
  }
  drop_output (f->rtp);
}

static guint
source_hop (Fixture *f)
{
  const GstStructure *source;
  GstStructure *stats;
  guint hop = 0;

  g_object_get (f->rtp->element, "stats", &stats, NULL);
  source = gst_value_get_structure (gst_value_array_get_value (gst_structure_get_value (stats, "sources"), 0));
  fail_unless (gst_structure_get_uint (source, "explicit-hop", &hop));
  gst_structure_free (stats);
  return hop;
}

/* 2^k x mantissas that fit, so that nothing is rounded: 262144 and 131072 bit/s. The last PATH block of a packet is the
   routers', and REMB, without PATH in every packet, the lower of the two. */
TEST (test_explicit_rate_goes_back)
{
  prepare (f, "tfrc+remb+path");
  stream_marked (f, 100, 262144, 0xcafe);
  listen (f, heard);
  fail_unless_equals_int (heard->path.kind, RTCP_PATH_ERF);
  fail_unless_equals_int (heard->path.hop, 0xcafe);
  fail_unless_equals_uint64 (heard->path.rate_bps, 262144);
  fail_unless (heard->rembs > 0);
  fail_unless (heard->remb.bitrate_bps <= 262144);
  fail_unless_equals_uint64 (source_stat (f, "explicit-rate"), 262144);
  fail_unless_equals_int (source_hop (f), 0xcafe);
  /* another router is the bottleneck now */
  stream_marked (f, 50, 131072, 0xbeef);
  listen (f, heard);
  fail_unless_equals_int (heard->path.hop, 0xbeef);
  fail_unless_equals_uint64 (heard->path.rate_bps, 131072);
  fail_unless_equals_uint64 (heard->remb.bitrate_bps, 131072);
  /* none speaks for 2 s */
  stream_marked (f, 130, -1, 0);
  heard->paths = 0;
  listen (f, heard);
  stream_marked (f, 20, -1, 0);
  listen (f, heard);
  fail_unless_equals_int (heard->path.kind, RTCP_PATH_END_TO_END);
  fail_unless_equals_uint64 (source_stat (f, "explicit-rate"), 0);
  fail_unless_equals_int (source_hop (f), 0);
}

static GstClockTime
time_to_tell (Fixture *f, Heard *heard, double bitrate)
{
  GstClockTime from = now_of (f);

  listen (f, heard);
  while (heard->path.rate_bps != (guint64)bitrate || heard->path.kind != RTCP_PATH_ERF) {
    fail_unless (now_of (f) < from + 10 * GST_SECOND);
    stream_marked (f, 1, bitrate, 1);
    listen (f, heard);
  }
  return now_of (f) - from;
}

/* Without stamps there is no other reason to send early. A fall by half is told with the next packet or two; a fall by
   less than 3 % (131072 to 129024: 1.6 %) and a rise wait for a regular packet, a second apart in the mean. */
TEST (test_fall_goes_early)
{
  GstClockTime fall = 0, small = 0, rise = 0;
  guint i;

  prepare (f, "remb+path");
  f->extension_id = 0;
  stream_marked (f, 200, 262144, 1);
  for (i = 0; i < 5; i++) {
    fall += time_to_tell (f, heard, 131072);
    stream_marked (f, 75, 131072, 1);
    small += time_to_tell (f, heard, 129024);
    stream_marked (f, 75, 129024, 1);
    rise += time_to_tell (f, heard, 262144);
    stream_marked (f, 75, 262144, 1);
  }
  fail_unless (
      fall < small && fall < rise, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, fall, small, rise);
  fail_unless (fall <= 5 * 500 * GST_MSECOND, "%" G_GUINT64_FORMAT, fall);
  fail_unless_equals_uint64 (heard->remb.bitrate_bps, 262144);
}

/* What a sender behind this element may send of the stream. */
static void
relay_tells (Fixture *f, guint32 ssrc, guint bitrate, gboolean pause)
{
  const GstRateInfo info = {.bitrate = bitrate, .limit = "delay", .pause = pause};
  GstEvent *event = gst_rate_event_new (&info, f->rtp->element);

  gst_structure_set (gst_event_writable_structure (event), GST_RATE_EVENT_SSRC, G_TYPE_UINT, ssrc, NULL);
  gst_harness_push_upstream_event (f->rtp, event);
}

/* As a router's, headers added. */
TEST (test_who_sends_it_on_limits)
{
  prepare (f, "tfrc+remb+path");
  stream_marked (f, 50, -1, 0);
  relay_tells (f, MEDIA + 1, 131072, FALSE); /* another stream: it was coded anew */
  fail_unless_equals_uint64 (source_stat (f, "explicit-rate"), 0);
  relay_tells (f, MEDIA, 262144, FALSE);
  stream_marked (f, 10, -1, 0);
  listen (f, heard);
  fail_unless_equals_int (heard->path.kind, RTCP_PATH_ERF);
  fail_unless_equals_int (heard->path.hop, EXPLICIT_RATE_RELAY);
  fail_unless (
      heard->path.rate_bps > 262144 && heard->path.rate_bps < 1.1 * 262144, "%" G_GUINT64_FORMAT, heard->path.rate_bps);
  fail_unless (heard->remb.bitrate_bps <= heard->path.rate_bps);
  fail_unless_equals_int (source_hop (f), EXPLICIT_RATE_RELAY);
  fail_unless (gst_rate_reader_is_upstream (f->rtp->sinkpad, MEDIA));
  fail_if (gst_rate_reader_is_upstream (f->rtp->sinkpad, MEDIA + 1));
  fail_if (gst_rate_reader_is_upstream (f->rtp->sinkpad, 0));
  relay_tells (f, MEDIA, 20000, TRUE); /* nobody is there: nothing is to wait for that */
  fail_unless (source_stat (f, "explicit-rate") > 262144);
  stream_marked (f, 150, -1, 0);
  fail_unless_equals_uint64 (source_stat (f, "explicit-rate"), 0);
}

TEST (test_explicit_rate_id)
{
  prepare (f, "remb+path");
  gst_harness_set_src_caps_str (f->rtp, CAPS ",extmap-4=(string)" ERF_EXTENSION_URI);
  stream_marked (f, 10, 262144, 1);
  fail_unless_equals_uint64 (source_stat (f, "explicit-rate"), 0);
  marked (f, 4, 262144, 1);
  fail_unless_equals_uint64 (source_stat (f, "explicit-rate"), 262144);
  drop_output (f->rtp);
}

TEST (test_explicit_rate_off)
{
  prepare (f, "remb+path");
  g_object_set (f->rtp->element, "explicit-rate-extension-id", 0, NULL);
  stream_marked (f, 50, 262144, 1);
  listen (f, heard);
  fail_unless_equals_uint64 (source_stat (f, "explicit-rate"), 0);
  fail_if (heard->path.kind == RTCP_PATH_ERF && heard->paths > 0);
}

/* 0, what does not fit, and all in turn: RTCP stays within its bandwidth, and what goes back is what came last. */
TEST (test_absurd_explicit_rates)
{
  guint i;

  prepare (f, "remb+path");
  stream_marked (f, 50, 262144, 1);
  stream_marked (f, 1, 0, 1);
  fail_unless_equals_uint64 (source_stat (f, "explicit-rate"), 262144);
  stream_marked (f, 1, 1e30, 1);
  fail_unless (source_stat (f, "explicit-rate") > G_GUINT64_CONSTANT (1000000000000));
  listen (f, heard);
  *heard = (Heard){.address = heard->address};
  for (i = 0; i < 250; i++) {
    marked (f, RATE_ID, i % 2 ? 1e12 : 131072, (guint16)i);
    advance (f, PERIOD);
  }
  drop_output (f->rtp);
  listen (f, heard);
  /* 5 s of 5 % of 500 kb/s are 15.6 kB, with 28 bytes a packet */
  fail_unless (heard->bytes + 28 * heard->packets < 20000, "%u bytes", heard->bytes + 28 * heard->packets);
}

/* ---- what an application says ---- */

static gboolean
send_feedback (Fixture *f, guint type, guint fmt, const guint8 *fci, gsize size, guint64 max_delay)
{
  GstBuffer *buffer = gst_buffer_new_memdup (fci, size);
  gboolean taken;

  g_signal_emit_by_name (f->rtp->element, "send-feedback", type, fmt, MEDIA, buffer, max_delay, &taken);
  gst_buffer_unref (buffer);
  return taken;
}

/* SLI: macroblock 1, 3 of them, picture 5. RPSI: no padding bits, payload type 96, bits of 16. */
TEST (test_feedback_of_the_application)
{
  static const guint8 sli[] = {0x00, 0x08, 0x00, 0xc5}, rpsi[] = {0, 96, 0x12, 0x34}, afb[] = {'t', 'e', 's', 't'};
  static const guint8 app[] = {'N', 'A', 'M', 'E', 1, 2, 3, 4}, odd[] = {1, 2, 3};

  prepare (f, "0");
  fail_if (send_feedback (f, 206, 15, afb, sizeof afb, GST_CLOCK_TIME_NONE)); /* nobody is there */
  stream (f, 50);
  fail_unless (send_feedback (f, 206, 2, sli, sizeof sli, GST_CLOCK_TIME_NONE));
  fail_unless (send_feedback (f, 206, 3, rpsi, sizeof rpsi, GST_CLOCK_TIME_NONE));
  fail_unless (send_feedback (f, 206, 15, afb, sizeof afb, GST_CLOCK_TIME_NONE));
  fail_unless (send_feedback (f, 204, 3, app, sizeof app, GST_CLOCK_TIME_NONE));
  fail_if (send_feedback (f, 206, 15, odd, sizeof odd, GST_CLOCK_TIME_NONE));
  fail_if (send_feedback (f, 206, 1, afb, sizeof afb, GST_CLOCK_TIME_NONE)); /* PLI has its event */
  fail_if (send_feedback (f, 205, 1, afb, sizeof afb, GST_CLOCK_TIME_NONE));
  stream (f, 25);
  listen (f, heard);
  fail_unless_equals_int (heard->slis, 1);
  fail_unless_equals_int (heard->rpsis, 1);
  fail_unless_equals_int (heard->afbs, 1);
  fail_unless_equals_int (heard->apps, 1);
}

TEST (test_packet_on_demand)
{
  gboolean granted;
  guint early;

  prepare (f, "0");
  stream (f, 200);
  listen (f, heard);
  early = (guint)stat (f, "early");
  heard->packets = 0;
  g_signal_emit_by_name (f->rtp->element, "send-rtcp", GST_CLOCK_TIME_NONE, &granted);
  fail_unless (granted);
  stream (f, 15);
  listen (f, heard);
  fail_unless (heard->packets > 0);
  fail_unless (stat (f, "early") + stat (f, "stored") > early);
}

typedef struct {
  guint seen, type, fmt, sender, media;
} Signalled;

static void
on_feedback (GstElement *element, guint type, guint fmt, guint sender, guint media, GstBuffer *fci, gpointer user)
{
  Signalled *s = user;

  *s = (Signalled){s->seen + 1, type, fmt, sender, media};
}

TEST (test_others_feedback_is_signalled)
{
  Signalled s = {0};

  g_signal_connect (f->rtp->element, "on-feedback-rtcp", G_CALLBACK (on_feedback), &s);
  stream (f, 10);
  others_pli (f);
  fail_unless_equals_int (s.seen, 1);
  fail_unless_equals_int (s.type, 206);
  fail_unless_equals_int (s.fmt, 1);
  fail_unless_equals_int (s.sender, OTHER);
  fail_unless_equals_int (s.media, MEDIA);
}

static Suite *
rtcpavpffeedback_suite (void)
{
  Suite *suite = suite_create ("rtcpavpffeedback");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_auto_nack);
  tcase_add_test (tcase, test_key_unit_where_asking_again_failed);
  tcase_add_test (tcase, test_jitter_buffers_request_becomes_nack);
  tcase_add_test (tcase, test_rtpjitterbuffer);
  tcase_add_test (tcase, test_retransmissions_are_known);
  tcase_add_test (tcase, test_the_first_retransmission_counts);
  tcase_add_test (tcase, test_anothers_nack_suppresses_ours);
  tcase_add_test (tcase, test_anothers_nack_after_ours);
  tcase_add_test (tcase, test_anothers_pli_suppresses_ours);
  tcase_add_test (tcase, test_kind_of_key_unit_request);
  tcase_add_test (tcase, test_ccfb);
  tcase_add_test (tcase, test_twcc);
  tcase_add_test (tcase, test_twcc_by_caps);
  tcase_add_test (tcase, test_tmmbr);
  tcase_add_test (tcase, test_explicit_rate_goes_back);
  tcase_add_test (tcase, test_who_sends_it_on_limits);
  tcase_add_test (tcase, test_fall_goes_early);
  tcase_add_test (tcase, test_explicit_rate_id);
  tcase_add_test (tcase, test_explicit_rate_off);
  tcase_add_test (tcase, test_absurd_explicit_rates);
  tcase_add_test (tcase, test_feedback_of_the_application);
  tcase_add_test (tcase, test_packet_on_demand);
  tcase_add_test (tcase, test_others_feedback_is_signalled);
  return suite;
}

GST_CHECK_MAIN (rtcpavpffeedback)
