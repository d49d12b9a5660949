/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost packets between a tfrcsink and a tfrcsrc that agree on sending them again, or on redundancy, over a relay in
   this process that loses and delays them; and what those do who have not agreed. */
#include "gstccrtcp.h"
#include "rtcprepair.h"
#include "rtpextension.h"
#include "tfrctest.h"

#define SSRC 0x11223344
#define PEER_SSRC 0x55667788
#define RTX_SSRC 0x99aabbcc
#define MEDIA_PT 96
#define FRAME_MS 20
#define PACKETS 3 /* a frame */
#define PAYLOAD 300
#define STAMP_ID 9
#define CAPS "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96"

/* ---- the network ---- */

typedef struct {
  gint64 due;
  gboolean back;
  gsize size;
  guint8 data[2000];
} Held;

typedef struct {
  Peer front, behind; /* towards the sink; towards the source */
  GSocketAddress *sender, *receiver;
  GThread *thread;
  gint quit, losing;               /* atomic */
  gint media, lost, resent, nacks; /* atomic: packets */
  gint strange;                    /* atomic: packets that are neither */
  gint stale;                      /* atomic: packets sent again whose send time is older than what left before */
  gboolean stamped;
  guint32 last_stamp;
  gint offers, reports_of_others; /* atomic: REPR; TFRC's reports of another stream than the media */
  guint delay_ms, lose_one_of, burst;
  GQueue held;
} Relay;

static gboolean
is_lost (Relay *r)
{
  guint n = (guint)g_atomic_int_add (&r->media, 1);

  return g_atomic_int_get (&r->losing) && n % r->lose_one_of < r->burst;
}

static guint32
stamp_of (Relay *r, const guint8 *data)
{
  size_t size;
  const uint8_t *element =
      rtp_ext_find (GST_READ_UINT16_BE (data + 12), data + 16, 4 * GST_READ_UINT16_BE (data + 14), STAMP_ID, &size);
  RtpRttSendts stamp = {0};

  if (!(data[0] & 0x10) || element == NULL || !rtp_ext_rtt_sendts_parse (element, size, &stamp))
    g_atomic_int_inc (&r->stale);
  return stamp.sent_at_us;
}

/* TRUE: it is not to arrive. */
static gboolean
look_at_media (Relay *r, const guint8 *data)
{
  guint32 stamp = stamp_of (r, data);

  if (r->stamped && (gint32)(stamp - r->last_stamp) < 0)
    g_atomic_int_inc (&r->stale);
  r->last_stamp = stamp;
  r->stamped = TRUE;
  if (GST_READ_UINT32_BE (data + 8) == SSRC && (data[1] & 0x7f) == MEDIA_PT) {
    gboolean lost = is_lost (r);

    if (lost)
      g_atomic_int_inc (&r->lost);
    return lost;
  }
  g_atomic_int_inc (GST_READ_UINT32_BE (data + 8) == SSRC ? &r->strange : &r->resent);
  return FALSE;
}

static void
on_nack (void *user, uint32_t sender, uint32_t media, const uint16_t *seqs, unsigned n)
{
  g_atomic_int_inc (&((Relay *)user)->nacks);
}

static void
on_tfrc (void *user, uint32_t sender, uint32_t media, const TfrcReport *report)
{
  if (media != SSRC)
    g_atomic_int_inc (&((Relay *)user)->reports_of_others);
}

static void
on_afb (void *user, uint32_t sender, uint32_t media, const uint8_t *fci, size_t size)
{
  RtcpRepair repair;

  if (rtcp_repair_parse (fci, size, &repair))
    g_atomic_int_inc (&((Relay *)user)->offers);
}

static void
hold (Relay *r, Peer *from, gboolean back)
{
  static const RtcpHandlers handlers = {.nack = on_nack, .tfrc = on_tfrc, .afb = on_afb};
  gboolean rtcp;
  Held *held;

  while (peer_receive (from, 0)) {
    rtcp = rtcp_is_rtcp (from->data, from->size);
    g_set_object (back ? &r->receiver : &r->sender, from->sender);
    if (back && rtcp)
      rtcp_walk (from->data, from->size, &handlers, r);
    if (!back && !rtcp && look_at_media (r, from->data))
      continue;
    held = g_new (Held, 1);
    held->due = g_get_monotonic_time () + r->delay_ms * 1000;
    held->back = back;
    held->size = MIN (from->size, sizeof held->data);
    memcpy (held->data, from->data, held->size);
    g_queue_push_tail (&r->held, held);
  }
}

static void
let_go (Relay *r)
{
  Held *held;

  while ((held = g_queue_peek_head (&r->held)) != NULL && held->due <= g_get_monotonic_time ()) {
    g_queue_pop_head (&r->held);
    if (!held->back)
      g_socket_send_to (r->behind.socket, r->receiver, (const gchar *)held->data, held->size, NULL, NULL);
    else if (r->sender != NULL)
      g_socket_send_to (r->front.socket, r->sender, (const gchar *)held->data, held->size, NULL, NULL);
    g_free (held);
  }
}

static gpointer
relay (gpointer user)
{
  Relay *r = user;

  while (!g_atomic_int_get (&r->quit)) {
    hold (r, &r->front, FALSE);
    hold (r, &r->behind, TRUE);
    let_go (r);
    g_usleep (1000);
  }
  return NULL;
}

/* ---- the two ends ---- */

typedef struct {
  Relay relay;
  GstElement *source, *pipeline, *feed, *sink;
  guint8 *seen; /* [number]: times it was shown */
  gint shown, disorder;
  guint32 number, newest;
  guint frames;
} Call;

/* The payload begins with the packet's number. */
static GstPadProbeReturn
on_shown (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  Call *c = user;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint32 number;

  gst_rtp_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), GST_MAP_READ, &rtp);
  fail_unless_equals_int (gst_rtp_buffer_get_ssrc (&rtp), SSRC);
  fail_unless_equals_int (gst_rtp_buffer_get_payload_type (&rtp), MEDIA_PT);
  fail_unless_equals_int (gst_rtp_buffer_get_payload_len (&rtp), PAYLOAD);
  number = GST_READ_UINT32_BE (gst_rtp_buffer_get_payload (&rtp));
  fail_unless_equals_int (gst_rtp_buffer_get_marker (&rtp), number % PACKETS == PACKETS - 1);
  gst_rtp_buffer_unmap (&rtp);
  c->seen[number]++;
  if (number < c->newest)
    g_atomic_int_inc (&c->disorder);
  c->newest = number;
  g_atomic_int_inc (&c->shown);
  return GST_PAD_PROBE_OK;
}

static void
call_open (Call *c, guint delay_ms, guint lose_one_of, guint burst, const gchar *source, const gchar *sink)
{
  gchar *launch;
  GstElement *end;
  GstPad *pad;
  gint port;

  memset (c, 0, sizeof *c);
  c->seen = g_new0 (guint8, 100000);
  peer_open (&c->relay.front);
  peer_open (&c->relay.behind);
  c->relay.delay_ms = delay_ms;
  c->relay.lose_one_of = lose_one_of;
  c->relay.burst = burst;
  launch = g_strdup_printf ("tfrcsrc name=source address=127.0.0.1 port=0 caps=\"" CAPS
                            "\" %s ! fakesink name=end async=false sync=false",
      source);
  c->source = gst_parse_launch (launch, NULL);
  g_free (launch);
  end = gst_bin_get_by_name (GST_BIN (c->source), "end");
  pad = gst_element_get_static_pad (end, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_shown, c, NULL);
  gst_object_unref (pad);
  gst_object_unref (end);
  gst_element_set_state (c->source, GST_STATE_PLAYING);
  end = gst_bin_get_by_name (GST_BIN (c->source), "source");
  g_object_get (end, "port", &port, NULL);
  gst_object_unref (end);
  c->relay.receiver = g_inet_socket_address_new_from_string ("127.0.0.1", (guint)port);
  launch = g_strdup_printf ("appsrc name=in is-live=true format=time caps=\"" CAPS "\" ! "
                            "tfrcsink name=out host=127.0.0.1 port=%u sync=false async=false min-bitrate=2000000 %s",
      c->relay.front.port, sink);
  c->pipeline = gst_parse_launch (launch, NULL);
  g_free (launch);
  c->feed = gst_bin_get_by_name (GST_BIN (c->pipeline), "in");
  c->sink = gst_bin_get_by_name (GST_BIN (c->pipeline), "out");
  gst_element_set_state (c->pipeline, GST_STATE_PLAYING);
  c->relay.thread = g_thread_new ("relay", relay, &c->relay);
}

static void
call_close (Call *c)
{
  gst_element_set_state (c->pipeline, GST_STATE_NULL);
  gst_element_set_state (c->source, GST_STATE_NULL);
  g_atomic_int_set (&c->relay.quit, TRUE);
  g_thread_join (c->relay.thread);
  gst_object_unref (c->feed);
  gst_object_unref (c->sink);
  gst_object_unref (c->pipeline);
  gst_object_unref (c->source);
  g_queue_clear_full (&c->relay.held, g_free);
  g_clear_object (&c->relay.sender);
  g_clear_object (&c->relay.receiver);
  peer_close (&c->relay.front);
  peer_close (&c->relay.behind);
  g_free (c->seen);
}

static void
send_frame (Call *c)
{
  GstFlowReturn flow;
  guint i;

  for (i = 0; i < PACKETS; i++) {
    GstBuffer *buffer =
        new_packet (SSRC, (guint16)(65500 + c->number), 90 * FRAME_MS * c->frames, PAYLOAD, i == PACKETS - 1);
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

    gst_rtp_buffer_map (buffer, GST_MAP_READWRITE, &rtp);
    GST_WRITE_UINT32_BE (gst_rtp_buffer_get_payload (&rtp), c->number++);
    gst_rtp_buffer_unmap (&rtp);
    g_signal_emit_by_name (c->feed, "push-buffer", buffer, &flow);
    gst_buffer_unref (buffer);
  }
  c->frames++;
}

/* In real time: the ends' clocks are the system's. */
static void
talk (Call *c, guint frames)
{
  gint64 begin = g_get_monotonic_time ();
  guint i;

  for (i = 0; i < frames; i++) {
    gint64 due = begin + i * FRAME_MS * 1000, now = g_get_monotonic_time ();

    if (due > now)
      g_usleep ((gulong)(due - now));
    send_frame (c);
  }
}

/* The first second is for the ends to agree in. */
static guint
talk_over_losses (Call *c, guint frames)
{
  guint from, missing = 0, i;

  talk (c, 50);
  from = c->number;
  g_atomic_int_set (&c->relay.losing, TRUE);
  talk (c, frames);
  g_atomic_int_set (&c->relay.losing, FALSE);
  talk (c, 25);
  for (i = 0; i < 100 && c->newest + 1 < c->number; i++)
    g_usleep (10000);
  for (i = from; i < c->number - 25 * PACKETS; i += PACKETS)
    missing += c->seen[i] == 0 || c->seen[i + 1] == 0 || c->seen[i + 2] == 0;
  return missing;
}

/* A request that must wait for its turn in RTCP may be too late; a machine that is busy with other things does more. */
static void
check_few (const Call *c, guint missing)
{
  fail_unless (missing * 5 <= (guint)c->relay.lost, "%u frames missing of %d packets lost", missing, c->relay.lost);
}

static GstStructure *
repair_stats (Call *c)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (c->source), "source");
  GstStructure *stats, *repair = NULL;

  g_object_get (source, "stats", &stats, NULL);
  if (gst_structure_has_field (stats, "repair"))
    gst_structure_get (stats, "repair", GST_TYPE_STRUCTURE, &repair, NULL);
  gst_structure_free (stats);
  gst_object_unref (source);
  return repair;
}

static guint64
source_stat (Call *c, const gchar *name)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (c->source), "source");
  guint64 value = stat_of (source, name);

  gst_object_unref (source);
  return value;
}

static guint
latency_ms (Call *c)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (c->source), "source");
  GstPad *pad = gst_element_get_static_pad (source, "src");
  GstQuery *query = gst_query_new_latency ();
  GstClockTime least;

  fail_unless (gst_pad_query (pad, query));
  gst_object_unref (pad);
  gst_object_unref (source);
  gst_query_parse_latency (query, NULL, &least, NULL);
  gst_query_unref (query);
  return (guint)(least / GST_MSECOND);
}

/* ---- who agrees ---- */

#define KEY "srtp-key=9b1c5e07d2a84f63b0e7419c2d5f8a36714be09dc3528f6a1e0b7d94c6a5"

GST_START_TEST (test_lost_packets_come_again)
{
  GstStructure *repair;
  guint64 restored;
  guint missing;
  Call c;

  call_open (&c, 10, 19, 1, "repair=rtx", "");
  missing = talk_over_losses (&c, 150);
  repair = repair_stats (&c);
  fail_unless (repair != NULL);
  fail_unless (gst_structure_get_uint64 (repair, "restored", &restored));
  gst_structure_free (repair);
  fail_unless (g_atomic_int_get (&c.relay.lost) >= 20);
  check_few (&c, missing);
  fail_unless_equals_int (c.disorder, 0);
  fail_unless (restored + missing >= (guint64)c.relay.lost);
  /* a mended loss stays a loss to those who set rates */
  fail_unless_equals_uint64 (source_stat (&c, "lost"), (guint64)c.relay.lost);
  fail_unless_equals_int (c.relay.strange, 0);
  fail_unless_equals_int (c.relay.stale, 0);
  /* of what is sent again nothing is told, and it is no third party that requests have to wait for */
  fail_unless_equals_int (c.relay.reports_of_others, 0);
  fail_unless_equals_uint64 (source_stat (&c, "members"), 2);
  call_close (&c);
}
GST_END_TEST

GST_START_TEST (test_bursts_come_again)
{
  guint missing;
  Call c;

  call_open (&c, 10, 80, 4, "repair=rtx", "");
  missing = talk_over_losses (&c, 150);
  fail_unless (g_atomic_int_get (&c.relay.lost) >= 16);
  check_few (&c, missing);
  call_close (&c);
}
GST_END_TEST

/* Nothing was planned for it before, and an answer takes longer than the player waits where nothing is lost. TRUE: it
   was mended. */
static gboolean
mends_its_first_loss (void)
{
  guint missing;
  Call c;

  call_open (&c, 60, 200, 1, "", "");
  missing = talk_over_losses (&c, 30);
  fail_unless_equals_int (g_atomic_int_get (&c.relay.lost), 1);
  call_close (&c);
  return missing == 0;
}

/* A machine that is busy with other things may hold up the one answer: one call of three. */
GST_START_TEST (test_the_first_loss_of_a_call)
{
  fail_unless (mends_its_first_loss () || mends_its_first_loss () || mends_its_first_loss ());
}
GST_END_TEST

/* What is sent again is protected as all else, in its own stream. */
GST_START_TEST (test_under_a_key)
{
  Call c;

  call_open (&c, 5, 19, 1, KEY, KEY);
  check_few (&c, talk_over_losses (&c, 50));
  fail_unless (c.relay.resent > 4);
  call_close (&c);
}
GST_END_TEST

/* ---- redundancy ---- */

static guint64
repair_count (Call *c, const gchar *name)
{
  GstStructure *repair = repair_stats (c);
  guint64 count = 0;

  if (repair != NULL) {
    fail_unless (gst_structure_get_uint64 (repair, name, &count));
    gst_structure_free (repair);
  }
  return count;
}

/* Losses are told, redundancy is asked for, sent and understood, and nothing is asked for twice or shown twice. */
static void
check_redundancy (const gchar *source, const gchar *sink, guint burst)
{
  guint missing, i;
  guint64 sent;
  Call c;

  call_open (&c, 60, 19 * burst, burst, source, sink);
  talk_over_losses (&c, 150);
  g_atomic_int_set (&c.relay.lost, 0);
  missing = talk_over_losses (&c, 200);
  check_few (&c, missing);
  fail_unless (repair_count (&c, "fec-restored") >= (guint64)c.relay.lost / 2);
  sent = stat_of (c.sink, "fec-sent");
  fail_unless (sent >= repair_count (&c, "fec-received"));
  fail_unless (sent >= 20 && sent < 3 * 200 * PACKETS, "%" G_GUINT64_FORMAT " sent", sent);
  for (i = 0; i < c.number; i++)
    fail_unless (c.seen[i] <= 1);
  fail_unless_equals_int (c.disorder + c.relay.strange + c.relay.stale + c.relay.reports_of_others, 0);
  call_close (&c);
}

GST_START_TEST (test_redundancy)
{
  check_redundancy ("repair=fec", "", 1);
}
GST_END_TEST

GST_START_TEST (test_redundancy_against_bursts)
{
  check_redundancy ("repair=fec", "repair=fec", 3);
}
GST_END_TEST

/* A round trip of more than the wait: nothing else could help. */
GST_START_TEST (test_redundancy_by_itself)
{
  Call c;

  call_open (&c, 150, 19, 1, "latency=200", "");
  talk_over_losses (&c, 150);
  g_atomic_int_set (&c.relay.lost, 0);
  check_few (&c, talk_over_losses (&c, 100));
  fail_unless (repair_count (&c, "fec-restored") > 10);
  call_close (&c);
}
GST_END_TEST

GST_START_TEST (test_redundancy_under_a_key)
{
  check_redundancy ("repair=fec " KEY, KEY, 1);
}
GST_END_TEST

/* Where nothing is lost, or one end does not want it. */
static void
check_no_redundancy (const gchar *source, const gchar *sink, guint burst)
{
  Call c;

  call_open (&c, 60, 19, burst, source, sink);
  talk_over_losses (&c, 150);
  fail_unless_equals_uint64 (stat_of (c.sink, "fec-sent"), 0);
  call_close (&c);
}

GST_START_TEST (test_no_loss_no_redundancy)
{
  check_no_redundancy ("", "", 0);
}
GST_END_TEST

GST_START_TEST (test_who_wants_no_redundancy)
{
  check_no_redundancy ("repair=rtx", "", 1);
  check_no_redundancy ("", "repair=rtx", 1);
  check_no_redundancy ("latency=200 repair=rtx", "", 1); /* nothing else would help, but nobody wants it */
}
GST_END_TEST

/* ---- who does not ---- */

/* Nothing is asked for, nothing sent, and as many frames are lost as the network loses. */
static void
check_no_repair (const gchar *source, const gchar *sink)
{
  guint missing;
  Call c;

  call_open (&c, 10, 19, 1, source, sink);
  missing = talk_over_losses (&c, 100);
  fail_unless (missing >= 12, "%u frames missing of %d packets lost", missing, c.relay.lost);
  fail_unless_equals_int (c.relay.nacks, 0);
  fail_unless_equals_int (c.relay.resent + c.relay.strange, 0);
  call_close (&c);
}

GST_START_TEST (test_senders_that_do_not_repair)
{
  check_no_repair ("", "repair=none");
}
GST_END_TEST

GST_START_TEST (test_receivers_that_do_not_repair)
{
  check_no_repair ("repair=none", "");
}
GST_END_TEST

/* Who does not stamp its packets is not of this project, and is offered nothing. */
GST_START_TEST (test_strangers_are_offered_nothing)
{
  Call c;

  call_open (&c, 5, 19, 1, "", "extension-id=0");
  fail_unless (talk_over_losses (&c, 50) > 4);
  fail_unless_equals_int (c.relay.offers + c.relay.nacks + c.relay.resent, 0);
  call_close (&c);
}
GST_END_TEST

GST_START_TEST (test_nobody_waits_without_a_jitter_buffer)
{
  check_no_repair ("latency=0", "");
}
GST_END_TEST

/* While playing: the stream of packets sent again says BYE, and no more is asked for. */
GST_START_TEST (test_an_end_of_the_agreement)
{
  gint nacks;
  Call c;

  call_open (&c, 5, 19, 1, "", "");
  check_few (&c, talk_over_losses (&c, 50));
  fail_unless (c.relay.nacks > 0);
  g_object_set (c.sink, "repair", 1 /* none */, NULL);
  talk (&c, 20);
  nacks = c.relay.nacks;
  fail_unless (talk_over_losses (&c, 50) > 4);
  fail_unless_equals_int (c.relay.nacks, nacks);
  call_close (&c);
}
GST_END_TEST

/* ---- who begins anew ---- */

GST_START_TEST (test_a_sender_that_starts_over)
{
  Call c;

  call_open (&c, 5, 19, 1, "", "");
  check_few (&c, talk_over_losses (&c, 30));
  gst_element_set_state (c.pipeline, GST_STATE_READY);
  gst_element_set_state (c.pipeline, GST_STATE_PLAYING);
  check_few (&c, talk_over_losses (&c, 50));
  call_close (&c);
}
GST_END_TEST

/* With another SSRC: the one before has said BYE. */
GST_START_TEST (test_a_receiver_that_starts_over)
{
  gchar *source;
  Peer place;
  Call c;

  peer_open (&place);
  source = g_strdup_printf ("port=%u", place.port);
  peer_close (&place);
  call_open (&c, 5, 19, 1, source, "");
  check_few (&c, talk_over_losses (&c, 30));
  gst_element_set_state (c.source, GST_STATE_READY);
  gst_element_set_state (c.source, GST_STATE_NULL);
  g_atomic_int_set (&c.relay.nacks, 0);
  gst_element_set_state (c.source, GST_STATE_PLAYING);
  check_few (&c, talk_over_losses (&c, 50));
  fail_unless (c.relay.nacks > 4);
  call_close (&c);
  g_free (source);
}
GST_END_TEST

/* ---- the wait ---- */

GST_START_TEST (test_the_wait_follows_the_round_trip)
{
  guint before;
  Call c;

  call_open (&c, 40, 19, 1, "", "");
  talk (&c, 50);
  before = latency_ms (&c);
  talk_over_losses (&c, 100);
  fail_unless (latency_ms (&c) >= before + 10, "%u ms after %u", latency_ms (&c), before);
  fail_unless (latency_ms (&c) <= before + 200, "%u ms after %u", latency_ms (&c), before);
  call_close (&c);
}
GST_END_TEST

/* Who sets a latency wants no more. */
GST_START_TEST (test_the_wait_stays_within_latency)
{
  guint before;
  Call c;

  call_open (&c, 40, 19, 1, "latency=100", "");
  talk (&c, 50);
  before = latency_ms (&c);
  talk_over_losses (&c, 100);
  fail_unless_equals_int (latency_ms (&c), before);
  call_close (&c);
}
GST_END_TEST

/* ---- offers ---- */

typedef struct {
  guint32 sender, media;
  RtcpRepair repair;
  gboolean reports;
} Offer;

static void
peer_offers (Peer *peer, const Offer *offer, guint16 highest, const guint16 *nack)
{
  RtcpReportBlock block = {.ssrc = SSRC, .ext_highest_seq = highest};
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);
  guint8 fci[RTCP_REPAIR_SIZE];

  rtcp_repair_write (fci, sizeof fci, &offer->repair);
  rtcp_add_rr (&rtcp, offer->sender, &block, offer->reports ? 1 : 0);
  rtcp_add_cname (&rtcp, offer->sender, "receiver");
  rtcp_add_afb (&rtcp, offer->sender, offer->media, fci, sizeof fci);
  if (nack != NULL)
    rtcp_add_nack (&rtcp, offer->sender, SSRC, nack, 1, NULL);
  gst_cc_rtcp_close (&rtcp, buffer);
  peer_send (peer, buffer);
}

/* A packet that is asked for: of which SSRC it comes again, 0: it does not. */
static guint32
answer_to (const Offer *offer, guint8 *payload_type, guint16 *osn)
{
  guint16 seq;
  guint32 ssrc = 0;
  Flow f;

  flow_open (&f, CAPS, NULL);
  gst_harness_push (f.h, new_packet (SSRC, 100, 0, PAYLOAD, TRUE));
  fail_unless (peer_receive_rtp (&f.peer, 1000));
  peer_offers (&f.peer, offer, peer_seq (&f.peer), NULL);
  fail_unless (wait_stat (f.sink, "rtcp-received", 1));
  gst_harness_push (f.h, new_packet (SSRC, 101, 3000, PAYLOAD, TRUE));
  fail_unless (peer_receive_rtp (&f.peer, 1000));
  seq = peer_seq (&f.peer);
  peer_offers (&f.peer, offer, seq, &seq);
  if (peer_receive_rtp (&f.peer, 300)) {
    gsize head = 12 + 4 + 4 * GST_READ_UINT16_BE (f.peer.data + 14);

    ssrc = GST_READ_UINT32_BE (f.peer.data + 8);
    *payload_type = f.peer.data[1];
    *osn = (guint16)(GST_READ_UINT16_BE (f.peer.data + head) - seq);
    fail_unless_equals_int (f.peer.size - head, PAYLOAD + 2);
  }
  flow_close (&f);
  return ssrc;
}

GST_START_TEST (test_offers)
{
  const Offer good = {PEER_SSRC, SSRC, {.kind = RTCP_REPAIR_RTX, .payload_type = 127, .ssrc = RTX_SSRC}, TRUE};
  guint8 payload_type = 0;
  guint16 osn = 1;
  Offer offer = good;

  fail_unless_equals_uint64 (answer_to (&offer, &payload_type, &osn), RTX_SSRC);
  fail_unless_equals_int (payload_type, 0x80 | 127);
  fail_unless_equals_int (osn, 0);
  offer.reports = FALSE; /* nobody knows whether it receives anything */
  fail_unless_equals_uint64 (answer_to (&offer, &payload_type, &osn), 0);
  offer = good;
  offer.media++;
  fail_unless_equals_uint64 (answer_to (&offer, &payload_type, &osn), 0);
  offer = good;
  offer.repair.payload_type = MEDIA_PT;
  fail_unless_equals_uint64 (answer_to (&offer, &payload_type, &osn), 0);
  offer = good;
  offer.repair.ssrc = SSRC;
  fail_unless_equals_uint64 (answer_to (&offer, &payload_type, &osn), 0);
  offer.repair.ssrc = 0;
  fail_unless_equals_uint64 (answer_to (&offer, &payload_type, &osn), 0);
}
GST_END_TEST

/* ---- asked for twice within a round trip ---- */

/* What a report of 200 ms ago tells of the round trip. */
static void
peer_reports (Peer *peer, guint32 t_i_us)
{
  const TfrcReport report = {.t_i_us = t_i_us, .X_recv = 1000000};
  RtcpWriter rtcp;
  GstBuffer *buffer = gst_cc_rtcp_open (&rtcp, RTCP_MTU);

  rtcp_add_rr (&rtcp, PEER_SSRC, NULL, 0);
  rtcp_add_cname (&rtcp, PEER_SSRC, "receiver");
  rtcp_add_tfrc (&rtcp, PEER_SSRC, SSRC, &report);
  gst_cc_rtcp_close (&rtcp, buffer);
  peer_send (peer, buffer);
}

static guint
answers_to_two (guint packets_that_wait)
{
  const Offer offer = {PEER_SSRC, SSRC, {.kind = RTCP_REPAIR_RTX, .payload_type = 127, .ssrc = RTX_SSRC}, TRUE};
  gint64 until;
  guint answers = 0;
  Relay stamps = {0};
  guint16 seq;
  Flow f;

  flow_open (&f, CAPS, "start-bitrate", 100000, "max-bitrate", 100000, NULL);
  flow_push_frame (&f, SSRC, 1, PAYLOAD);
  fail_unless (peer_receive_rtp (&f.peer, 1000));
  seq = peer_seq (&f.peer);
  g_usleep (200000);
  peer_reports (&f.peer, stamp_of (&stamps, f.peer.data));
  peer_offers (&f.peer, &offer, seq, NULL);
  fail_unless (wait_stat (f.sink, "rtcp-received", 2));
  fail_unless (stat_of (f.sink, "rtt") >= 150 * GST_MSECOND);
  flow_push_frame (&f, SSRC, 1, PAYLOAD);
  fail_unless (peer_receive_rtp (&f.peer, 1000));
  seq = peer_seq (&f.peer);
  if (packets_that_wait > 0)
    flow_push_frame (&f, SSRC, packets_that_wait, PAYLOAD);
  peer_offers (&f.peer, &offer, seq, &seq);
  g_usleep (30000);
  peer_offers (&f.peer, &offer, seq, &seq);
  until = g_get_monotonic_time () + 300000;
  while (g_get_monotonic_time () < until)
    answers += peer_receive_rtp (&f.peer, 10) && GST_READ_UINT32_BE (f.peer.data + 8) == RTX_SSRC;
  flow_close (&f);
  return answers;
}

GST_START_TEST (test_a_second_answer_waits_for_room)
{
  fail_unless_equals_int (answers_to_two (0), 2);
  fail_unless_equals_int (answers_to_two (40), 1);
}
GST_END_TEST

static Suite *
tfrcrepair_suite (void)
{
  Suite *suite = suite_create ("tfrcrepair");
  TCase *tcase = tcase_create ("retransmission"), *redundancy = tcase_create ("redundancy");

  suite_add_tcase (suite, tcase);
  suite_add_tcase (suite, redundancy);
  tcase_add_test (redundancy, test_redundancy);
  tcase_add_test (redundancy, test_redundancy_against_bursts);
  tcase_add_test (redundancy, test_redundancy_by_itself);
  tcase_add_test (redundancy, test_redundancy_under_a_key);
  tcase_add_test (redundancy, test_no_loss_no_redundancy);
  tcase_add_test (redundancy, test_who_wants_no_redundancy);
  tcase_add_test (tcase, test_lost_packets_come_again);
  tcase_add_test (tcase, test_bursts_come_again);
  tcase_add_test (tcase, test_the_first_loss_of_a_call);
  tcase_add_test (tcase, test_a_second_answer_waits_for_room);
  tcase_add_test (tcase, test_under_a_key);
  tcase_add_test (tcase, test_senders_that_do_not_repair);
  tcase_add_test (tcase, test_receivers_that_do_not_repair);
  tcase_add_test (tcase, test_strangers_are_offered_nothing);
  tcase_add_test (tcase, test_nobody_waits_without_a_jitter_buffer);
  tcase_add_test (tcase, test_an_end_of_the_agreement);
  tcase_add_test (tcase, test_a_sender_that_starts_over);
  tcase_add_test (tcase, test_a_receiver_that_starts_over);
  tcase_add_test (tcase, test_the_wait_follows_the_round_trip);
  tcase_add_test (tcase, test_the_wait_stays_within_latency);
  tcase_add_test (tcase, test_offers);
  return suite;
}

GST_CHECK_MAIN (tfrcrepair);
