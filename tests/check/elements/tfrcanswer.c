/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the receivers of a tfrcsink ask for: packets once more, key units, lower rates, another SSRC. */
#include "gstrateevent.h"
#include "tfrctest.h"

#include <gst/video/video.h>

#define SSRC 0x11223344
#define PEER_SSRC 0x55667788
#define RTX_SSRC 0x99aabbcc
#define PT 96
#define RTX_PT 97
#define CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"

/* ---- the receiver ---- */

/* A compound packet of the receiver, or of whoever has that SSRC and name. */
typedef struct {
  guint32 ssrc;
  const gchar *cname; /* NULL: of reduced size */
  const guint16 *nack;
  guint n_nack;
  gint fir; /* < 0: none */
  guint32 media;
  const RtcpTmmb *tmmbr;
  const RtcpReportBlock *block; /* NULL: none */
  gboolean bye;
} Says;

static void
peer_says (Peer *peer, const Says *says)
{
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  if (says->cname != NULL) {
    rtcp_add_rr (&rtcp, says->ssrc, says->block, says->block != NULL ? 1 : 0);
    rtcp_add_cname (&rtcp, says->ssrc, says->cname);
  }
  if (says->n_nack > 0)
    rtcp_add_nack (&rtcp, says->ssrc, says->media, says->nack, says->n_nack, NULL);
  if (says->fir >= 0)
    rtcp_add_fir (&rtcp, says->ssrc, says->media, (guint8)says->fir);
  if (says->tmmbr != NULL)
    rtcp_add_tmmbr (&rtcp, says->ssrc, says->tmmbr, 1);
  if (says->bye)
    rtcp_add_bye (&rtcp, &says->ssrc, 1);
  gst_cc_rtcp_close (&rtcp, buffer);
  peer_send (peer, buffer);
}

static void
peer_nacks (Peer *peer, guint16 seq)
{
  Says nack = {.ssrc = PEER_SSRC, .media = SSRC, .nack = &seq, .n_nack = 1, .fir = -1};

  peer_says (peer, &nack);
}

/* ---- the sender ---- */

/* The payload begins with the packet's name. */
static GstBuffer *
named_packet (guint32 ssrc, guint16 seq, guint32 timestamp, guint32 name, guint payload, gboolean marker)
{
  GstBuffer *buffer = new_packet (ssrc, seq, timestamp, payload, marker);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
  GST_WRITE_UINT32_BE (gst_rtp_buffer_get_payload (&rtp), name);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* ---- retransmission ---- */

#define LOSE_ONE_OF 7

typedef struct {
  GstElement *pipeline, *source, *sink;
  GstHarness *receive; /* rtprtxreceive */
  Peer peer;
  guint16 seq; /* of the payloader */
  guint32 timestamp, name;
  guint32 *on_wire; /* [seq]: the name of the packet sent with that number */
  guint received, lost, restored;
  gint newest;
} Rtx;

static void
rtx_open (Rtx *r, const gchar *properties)
{
  gchar *launch;

  memset (r, 0, sizeof *r);
  peer_open (&r->peer);
  launch = g_strdup_printf ("appsrc name=in is-live=true format=time caps=\"" CAPS "\" ! "
                            "rtprtxsend payload-type-map=\"map,96=(uint)97\" max-size-packets=2000 ! "
                            "tfrcsink name=out host=127.0.0.1 port=%u sync=false async=false %s",
      r->peer.port, properties);
  r->pipeline = gst_parse_launch (launch, NULL);
  g_free (launch);
  fail_unless (r->pipeline != NULL);
  r->source = gst_bin_get_by_name (GST_BIN (r->pipeline), "in");
  r->sink = gst_bin_get_by_name (GST_BIN (r->pipeline), "out");
  r->on_wire = g_new0 (guint32, 65536);
  r->seq = 65500;
  r->newest = -1;
  r->receive = gst_harness_new_parse ("rtprtxreceive payload-type-map=\"map,96=(uint)97\"");
  gst_harness_set_src_caps_str (r->receive, "application/x-rtp,media=video,clock-rate=90000");
  gst_element_set_state (r->pipeline, GST_STATE_PLAYING);
}

static void
rtx_close (Rtx *r)
{
  gst_element_set_state (r->pipeline, GST_STATE_NULL);
  gst_object_unref (r->source);
  gst_object_unref (r->sink);
  gst_object_unref (r->pipeline);
  gst_harness_teardown (r->receive);
  g_free (r->on_wire);
  peer_close (&r->peer);
}

static void
rtx_push_frame (Rtx *r, guint packets, guint payload)
{
  GstFlowReturn flow;
  guint i;

  for (i = 0; i < packets; i++) {
    GstBuffer *buffer = named_packet (SSRC, r->seq++, r->timestamp, ++r->name, payload, i == packets - 1);

    g_signal_emit_by_name (r->source, "push-buffer", buffer, &flow);
    gst_buffer_unref (buffer);
  }
  r->timestamp += 3000;
}

static guint32
payload_at (const guint8 *data, guint at)
{
  GstBuffer *buffer = gst_buffer_new_memdup (data, at);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint32 name;

  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  name = GST_READ_UINT32_BE (gst_rtp_buffer_get_payload (&rtp));
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
  return name;
}

/* rtprtxreceive learns whose packets they are from the requests that pass it. */
static void
rtx_request (Rtx *r, guint16 seq)
{
  gst_harness_push_upstream_event (r->receive,
      gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new ("GstRTPRetransmissionRequest", "seqnum",
                                                           G_TYPE_UINT, (guint)seq, "ssrc", G_TYPE_UINT, SSRC, NULL)));
  peer_nacks (&r->peer, seq);
}

static void
rtx_on_original (Rtx *r)
{
  guint16 seq = GST_READ_UINT16_BE (r->peer.data + 2);

  fail_unless (r->newest < 0 || seq == (guint16)(r->newest + 1), "a gap on the wire at %u", seq);
  r->newest = seq;
  r->on_wire[seq] = payload_at (r->peer.data, (guint)r->peer.size);
  if (++r->received % LOSE_ONE_OF == 0) {
    r->lost++;
    rtx_request (r, seq);
  } else {
    gst_harness_push (r->receive, gst_buffer_new_memdup (r->peer.data, r->peer.size));
    gst_buffer_unref (gst_harness_pull (r->receive));
  }
}

/* What comes out is the packet that was lost, as it was sent. */
static void
rtx_on_resent (Rtx *r)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer;

  gst_harness_push (r->receive, gst_buffer_new_memdup (r->peer.data, r->peer.size));
  buffer = gst_harness_pull (r->receive);
  fail_unless (gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp));
  fail_unless_equals_int (gst_rtp_buffer_get_ssrc (&rtp), SSRC);
  fail_unless_equals_int (gst_rtp_buffer_get_payload_type (&rtp), PT);
  fail_unless_equals_int (
      GST_READ_UINT32_BE (gst_rtp_buffer_get_payload (&rtp)), r->on_wire[gst_rtp_buffer_get_seq (&rtp)]);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (buffer);
  r->restored++;
}

static void
rtx_receive (Rtx *r, guint span_ms)
{
  gint64 end = g_get_monotonic_time () + span_ms * G_GINT64_CONSTANT (1000), now;

  while ((now = g_get_monotonic_time ()) < end) {
    if (!peer_receive (&r->peer, (guint)((end - now) / 1000 + 1)))
      continue;
    if (rtcp_is_rtcp (r->peer.data, r->peer.size))
      continue;
    if ((r->peer.data[1] & 0x7f) == RTX_PT)
      rtx_on_resent (r);
    else
      rtx_on_original (r);
  }
}

/* Every seventh packet is lost, and comes again under the number it had. Nothing is dropped. */
GST_START_TEST (test_lost_packets_come_again)
{
  Rtx r;
  guint i;

  rtx_open (&r, "start-bitrate=5000000 min-bitrate=5000000");
  for (i = 0; i < 100; i++) {
    rtx_push_frame (&r, 3, 500);
    rtx_receive (&r, 10);
  }
  rtx_receive (&r, 500);
  fail_unless_equals_int (r.received, 300);
  fail_unless_equals_int (r.lost, 300 / LOSE_ONE_OF);
  fail_unless_equals_int (r.restored, r.lost);
  fail_unless_equals_uint64 (stat_of (r.sink, "resent"), r.lost);
  fail_unless_equals_uint64 (stat_of (r.sink, "frames-sent"), 100);
  rtx_close (&r);
}
GST_END_TEST;

/* 5 kB at 30 frames/s are 1.2 Mb/s, the rate is 600 kb/s: half of the frames are dropped, and numbers on the wire are
   not the payloader's. Requests name the former, rtprtxsend knows the latter, and both must mean the same packet. */
GST_START_TEST (test_lost_packets_come_again_where_frames_are_dropped)
{
  Rtx r;
  guint i;

  rtx_open (&r, "start-bitrate=600000 min-bitrate=600000 max-bitrate=600000");
  for (i = 0; i < 90; i++) {
    rtx_push_frame (&r, 5, 1000);
    rtx_receive (&r, 33);
  }
  rtx_receive (&r, 500);
  fail_unless (stat_of (r.sink, "packets-dropped") > 50);
  fail_unless (r.lost > 15);
  fail_unless_equals_int (r.restored, r.lost);
  fail_unless_equals_uint64 (stat_of (r.sink, "resends-lost"), 0);
  rtx_close (&r);
}
GST_END_TEST;

/* ---- requests ---- */

typedef struct {
  Peer peer;
  GstElement *sink;
  GstHarness *h;
  guint16 seq;
  guint32 ssrc;
} Sink;

static void
sink_open (Sink *s, const gchar *name, guint value)
{
  memset (s, 0, sizeof *s);
  peer_open (&s->peer);
  s->ssrc = SSRC;
  s->sink = gst_element_factory_make ("tfrcsink", NULL);
  g_object_set (s->sink, "host", "127.0.0.1", "port", s->peer.port, "sync", FALSE, "async", FALSE, NULL);
  if (name != NULL)
    g_object_set (s->sink, name, value, NULL);
  s->h = gst_harness_new_with_element (s->sink, "sink", NULL);
  gst_harness_set_src_caps_str (s->h, CAPS);
}

static void
sink_close (Sink *s)
{
  gst_harness_teardown (s->h);
  gst_object_unref (s->sink);
  peer_close (&s->peer);
}

static void
sink_send (Sink *s)
{
  gst_harness_push (s->h, named_packet (s->ssrc, s->seq, 3000u * s->seq, s->seq, 100, TRUE));
  s->seq++;
  fail_unless (peer_receive_kind (&s->peer, FALSE, 1000));
}

/* Upstream events of that name. */
static guint
sink_count_events (Sink *s, const gchar *name, guint *field, const gchar *field_name)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_upstream_event (s->h)) != NULL) {
    const GstStructure *structure = gst_event_get_structure (event);

    if (structure != NULL && gst_structure_has_name (structure, name)) {
      n++;
      if (field != NULL)
        fail_unless (gst_structure_get_uint (structure, field_name, field));
    }
    gst_event_unref (event);
  }
  return n;
}

/* Of 3 that were sent: asked for, one never sent, one of a stranger's SSRC; and one asked for twice at once. */
GST_START_TEST (test_nack_of_what_was_not_sent)
{
  guint16 seqs[] = {1, 2, 200}, again[] = {1};
  Says nack = {.ssrc = PEER_SSRC, .media = SSRC, .nack = seqs, .n_nack = 3, .fir = -1};
  guint asked = 0, i;
  Sink s;

  sink_open (&s, NULL, 0);
  for (i = 0; i < 3; i++)
    sink_send (&s);
  peer_says (&s.peer, &nack);
  nack.nack = again;
  nack.n_nack = 1;
  peer_says (&s.peer, &nack);
  nack.media = SSRC + 1;
  peer_says (&s.peer, &nack);
  fail_unless (wait_stat (s.sink, "unknown-ssrc", 1));
  fail_unless_equals_uint64 (stat_of (s.sink, "nack"), 4);
  fail_unless_equals_uint64 (stat_of (s.sink, "resends-granted"), 2);
  fail_unless_equals_uint64 (stat_of (s.sink, "resends-refused"), 2);
  fail_unless_equals_int (sink_count_events (&s, "GstRTPRetransmissionRequest", &asked, "seqnum"), 2);
  fail_unless_equals_int (asked, 2);
  sink_close (&s);
}
GST_END_TEST;

/* 20 packets are sent and asked for 2000 times: no more than burst + 20 requests go up. */
GST_START_TEST (test_nack_flood)
{
  guint16 seqs[20];
  Says nack = {.ssrc = PEER_SSRC, .media = SSRC, .nack = seqs, .n_nack = 20, .fir = -1};
  guint i;
  Sink s;

  sink_open (&s, NULL, 0);
  for (i = 0; i < 20; i++) {
    seqs[i] = (guint16)i;
    sink_send (&s);
  }
  for (i = 0; i < 100; i++) {
    peer_says (&s.peer, &nack);
    g_usleep (5000);
  }
  fail_unless (wait_stat (s.sink, "nack", 1900));
  fail_unless (stat_of (s.sink, "resends-granted") <= 128 + 20);
  fail_unless (sink_count_events (&s, "GstRTPRetransmissionRequest", NULL, NULL) <= 128 + 20);
  sink_close (&s);
}
GST_END_TEST;

static gboolean
wait_requests (Sink *s, guint64 n)
{
  return wait_stat (s->sink, "key-unit-requests", n);
}

/* RFC 5104 4.3.1.2: the same number again is the same command, however much later. */
GST_START_TEST (test_fir_by_number)
{
  Says fir = {.ssrc = PEER_SSRC, .media = SSRC, .fir = 5};
  Sink s;

  sink_open (&s, NULL, 0);
  sink_send (&s);
  peer_says (&s.peer, &fir);
  fail_unless (wait_requests (&s, 1));
  g_usleep (350000);
  peer_says (&s.peer, &fir);
  fail_unless (wait_stat (s.sink, "fir-repeated", 1));
  g_usleep (350000);
  fail_unless_equals_uint64 (stat_of (s.sink, "key-unit-requests"), 1);
  fir.fir = 6;
  peer_says (&s.peer, &fir);
  fail_unless (wait_requests (&s, 2));
  fail_unless_equals_int (sink_count_events (&s, "GstForceKeyUnit", NULL, NULL), 2);
  sink_close (&s);
}
GST_END_TEST;

typedef struct {
  guint n, tuples;
  RtcpTmmb tuple;
  guint32 bye;
  gchar *cname;
} Heard;

static void
hear_tmmbn (gpointer user, guint32 sender, const RtcpTmmb *entries, guint n)
{
  Heard *heard = user;

  heard->n++;
  heard->tuples = n;
  if (n > 0)
    heard->tuple = entries[0];
}

static void
hear_bye (gpointer user, guint32 ssrc)
{
  ((Heard *)user)->bye = ssrc;
}

static void
hear_cname (gpointer user, guint32 ssrc, const gchar *cname)
{
  Heard *heard = user;

  g_free (heard->cname);
  heard->cname = g_strdup (cname);
}

static const RtcpHandlers hear = {.tmmbn = hear_tmmbn, .bye = hear_bye, .cname = hear_cname};

/* TMMBN number n. */
static gboolean
wait_tmmbn (Sink *s, Heard *heard, guint n)
{
  guint i;

  for (i = 0; i < 20 && heard->n < n && peer_receive_kind (&s->peer, TRUE, 3000); i++)
    fail_unless (rtcp_walk (s->peer.data, s->peer.size, &hear, heard));
  return heard->n >= n;
}

static gboolean
wait_rate (Sink *s, guint low, guint high)
{
  guint i, rate = 0;

  for (i = 0; i < 600 && !(rate >= low && rate <= high); i++) {
    g_usleep (5000);
    g_object_get (s->sink, "estimated-bitrate", &rate, NULL);
  }
  return rate >= low && rate <= high;
}

/* 200 kb/s with 52 bytes of overhead, just what an IPv4 packet with a send time has: the rate on the wire. It is
   confirmed at once, and lifted by the receiver's BYE (RFC 5104 4.2.1.2), 2 RTT after an empty TMMBN. */
GST_START_TEST (test_tmmbr)
{
  RtcpTmmb limit = {.ssrc = SSRC, .bitrate_bps = 200000, .overhead_bytes = 52};
  RtcpReportBlock block = {.ssrc = SSRC};
  Says tmmbr = {.ssrc = PEER_SSRC, .cname = "peer", .fir = -1, .tmmbr = &limit};
  Heard heard = {0};
  guint i;
  Sink s;

  sink_open (&s, "start-bitrate", 500000);
  for (i = 0; i < 10; i++)
    sink_send (&s);
  fail_unless (wait_rate (&s, 490000, 510000));
  /* who shows nothing of what it receives limits nothing */
  peer_says (&s.peer, &tmmbr);
  fail_unless (wait_stat (s.sink, "limits-unproven", 1));
  fail_unless_equals_uint64 (stat_of (s.sink, "tmmbr-bitrate"), 0);
  block.ext_highest_seq = s.seq - 1u;
  tmmbr.block = &block;
  peer_says (&s.peer, &tmmbr);
  fail_unless (wait_rate (&s, 195000, 200001));
  fail_unless (wait_tmmbn (&s, &heard, 1));
  fail_unless_equals_int (heard.tuples, 1);
  fail_unless_equals_int (heard.tuple.ssrc, PEER_SSRC);
  fail_unless_equals_uint64 (heard.tuple.bitrate_bps, 200000);
  fail_unless_equals_int (heard.tuple.overhead_bytes, 52);
  tmmbr.tmmbr = NULL;
  tmmbr.bye = TRUE;
  peer_says (&s.peer, &tmmbr);
  fail_unless (wait_tmmbn (&s, &heard, 2));
  fail_unless_equals_int (heard.tuples, 0);
  fail_unless (wait_stat (s.sink, "byes", 1));
  for (i = 0; i < 100 && stat_of (s.sink, "tmmbr-bitrate") != 0; i++)
    g_usleep (5000);
  fail_unless_equals_uint64 (stat_of (s.sink, "tmmbr-bitrate"), 0);
  g_free (heard.cname);
  sink_close (&s);
}
GST_END_TEST;

/* RFC 3550 8.2: BYE, and the payloader is asked for another SSRC; once, whatever else comes. */
GST_START_TEST (test_ssrc_conflict)
{
  Says other = {.ssrc = SSRC, .cname = "somebody else", .fir = -1};
  Heard heard = {0};
  guint ssrc = 0, i;
  Sink s;

  sink_open (&s, NULL, 0);
  g_object_set (s.sink, "cname", "ours", NULL);
  gst_element_set_state (s.sink, GST_STATE_READY);
  gst_element_set_state (s.sink, GST_STATE_PLAYING);
  gst_harness_set_src_caps_str (s.h, CAPS);
  sink_send (&s);
  for (i = 0; i < 3; i++)
    peer_says (&s.peer, &other);
  fail_unless (wait_stat (s.sink, "rtcp-received", 3));
  fail_unless_equals_uint64 (stat_of (s.sink, "collisions"), 1);
  fail_unless_equals_int (sink_count_events (&s, "GstRTPCollision", &ssrc, "ssrc"), 1);
  fail_unless_equals_int (ssrc, SSRC);
  while (heard.bye == 0 && peer_receive_kind (&s.peer, TRUE, 2000))
    fail_unless (rtcp_walk (s.peer.data, s.peer.size, &hear, &heard));
  fail_unless_equals_int (heard.bye, SSRC);
  fail_unless_equals_string (heard.cname, "ours");
  s.ssrc = SSRC + 1;
  sink_send (&s);
  g_free (heard.cname);
  sink_close (&s);
}
GST_END_TEST;

static Suite *
tfrcanswer_suite (void)
{
  Suite *suite = suite_create ("tfrcanswer");
  TCase *tcase = tcase_create ("tfrcanswer");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_lost_packets_come_again);
  tcase_add_test (tcase, test_lost_packets_come_again_where_frames_are_dropped);
  tcase_add_test (tcase, test_nack_of_what_was_not_sent);
  tcase_add_test (tcase, test_nack_flood);
  tcase_add_test (tcase, test_fir_by_number);
  tcase_add_test (tcase, test_tmmbr);
  tcase_add_test (tcase, test_ssrc_conflict);
  return suite;
}

GST_CHECK_MAIN (tfrcanswer);
