/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "ccsenderpackets.h"
#include "gstccrtcp.h"
#include "gstrtptfrcbwe.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_bwe_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_bwe_debug

#define MOST_TOLD 1024   /* packets handed over at once */
#define MOST_ELEMENTS 16 /* between the source pad and the session */
#define MOST_R (10 * GST_SECOND)

/* ---- TWCC, as rtpsession tells it ---- */

/* The frame of the packet that rtpsession saw at `at`; reports come in order, so the search goes on where it ended. */
static guint32
frame_sent_at (GstRtpTfrcBwe *self, CcTime at, guint32 otherwise)
{
  while (self->sent_seen < self->sent_next && self->sent[self->sent_seen % GST_RTP_TFRC_SENT].to < at)
    self->sent_seen++;
  if (self->sent_seen == self->sent_next || self->sent[self->sent_seen % GST_RTP_TFRC_SENT].from > at)
    return otherwise;
  return self->sent[self->sent_seen % GST_RTP_TFRC_SENT].frame;
}

static gboolean
read_packet (GstRtpTfrcBwe *self, const GstStructure *s, CcToldPacket *told)
{
  guint64 local = GST_CLOCK_TIME_NONE, remote = GST_CLOCK_TIME_NONE;
  guint number, size;
  gboolean lost;

  if (!gst_structure_get (s, "seqnum", G_TYPE_UINT, &number, "size", G_TYPE_UINT, &size, "lost", G_TYPE_BOOLEAN, &lost,
          "local-ts", G_TYPE_UINT64, &local, "remote-ts", G_TYPE_UINT64, &remote, NULL))
    return FALSE;
  *told = (CcToldPacket){.number = (guint16)number,
      /* the session stamps a packet when it gets it, which may be after the thread was held up */
      .sent_at = GST_CLOCK_TIME_IS_VALID (local) ? MIN (local, self->core.admission.last_sent_at) : CC_TIME_NONE,
      .size_bytes = size + (guint32)(self->head_bytes + 0.5), /* it tells the payload's */
      .received = !lost,
      .arrived_at = !lost && GST_CLOCK_TIME_IS_VALID (remote) ? remote : CC_TIME_NONE};
  told->frame = told->sent_at == CC_TIME_NONE ? 0 : frame_sent_at (self, local, number);
  return TRUE;
}

/* From the i-th on; i goes on to the first that is left. */
static guint
read_packets (GstRtpTfrcBwe *self, const GValueArray *array, guint *i, CcToldPacket *told)
{
  guint n = 0;

  for (; *i < array->n_values && n < MOST_TOLD; (*i)++) {
    const GValue *value = &array->values[*i];

    if (GST_VALUE_HOLDS_STRUCTURE (value) && read_packet (self, gst_value_get_structure (value), &told[n]))
      n++;
  }
  return n;
}

void
gst_rtp_tfrc_on_twcc (GstRtpTfrcBwe *self, const GstStructure *packets)
{
  const GValue *list = gst_structure_get_value (packets, "packets");
  const GValueArray *array = list != NULL && G_VALUE_HOLDS (list, G_TYPE_VALUE_ARRAY) ? g_value_get_boxed (list) : NULL;
  CcToldPacket *told;
  guint64 before;
  guint i = 0;

  if (array == NULL)
    return;
  told = g_new (CcToldPacket, MOST_TOLD);
  g_mutex_lock (&self->lock);
  if (self->running) {
    before = self->core.packet_reports;
    do {
      guint n = read_packets (self, array, &i, told);

      cc_sender_on_told (&self->core, self->packets, told, n, gst_clock_get_time (self->clock));
    } while (i < array->n_values);
    self->counts.rtcp++;
    self->counts.twcc_reports++;
    self->counts.twcc_bad += self->core.packet_reports == before;
    self->status_at = 0;
    gst_rtp_tfrc_wake (self);
  }
  g_mutex_unlock (&self->lock);
  g_free (told);
}

/* ---- retransmission requests ---- */

GstEvent *
gst_rtp_tfrc_translate_request (GstRtpTfrcBwe *self, GstEvent *event)
{
  GstRtpTfrcStream *stream;
  guint seq, ssrc;
  guint16 original;

  if (!gst_structure_get (
          gst_event_get_structure (event), "seqnum", G_TYPE_UINT, &seq, "ssrc", G_TYPE_UINT, &ssrc, NULL))
    return event;
  g_mutex_lock (&self->lock);
  self->counts.nack++;
  stream = gst_rtp_tfrc_streams_find (&self->streams, ssrc);
  if (stream != NULL && gst_tfrc_numbering_original (&stream->numbering, (guint16)seq, &original)) {
    GstRtpTfrcStreams *s = &self->streams;

    s->asked[s->n_asked++ % GST_RTP_TFRC_ASKED] = (GstRtpTfrcAsked){ssrc, original};
    if (original != (guint16)seq) {
      self->counts.nack_translated++;
      event = gst_event_make_writable (event);
      gst_structure_set (gst_event_writable_structure (event), "seqnum", G_TYPE_UINT, (guint)original, NULL);
    }
  }
  g_mutex_unlock (&self->lock);
  return event;
}

void
gst_rtp_tfrc_on_collision (GstRtpTfrcBwe *self, const GstStructure *collision)
{
  guint ssrc;

  if (!gst_structure_get_uint (collision, "ssrc", &ssrc))
    return;
  g_mutex_lock (&self->lock);
  gst_rtp_tfrc_streams_end (&self->streams, ssrc, gst_clock_get_time (self->clock));
  gst_rtp_tfrc_tell_shares (self);
  g_mutex_unlock (&self->lock);
}

/* ---- what else receivers tell, as rtpsession receives it ---- */

/* The blocks of one compound on our streams, taken together by what each sends. */
typedef struct {
  GstRtpTfrcBwe *self;
  double lost, weight;
  GstClockTime rtt; /* the least; 0: none */
  gboolean counts;  /* for the circuit breaker: of any stream */
  guint64 packets;  /* the same, of all */
} Compound;

static void
on_report_block (gpointer user, guint32 sender, const RtcpReportBlock *block)
{
  Compound *c = user;
  GstRtpTfrcBwe *self = c->self;
  GstClockTime rtt =
      sr_echo_round_trip (&self->echo, block->ssrc, block->lsr, block->dlsr, gst_clock_get_time (self->clock));
  GstRtpTfrcStream *stream = gst_rtp_tfrc_streams_find (&self->streams, block->ssrc);
  guint64 packets;
  double weight;

  if (stream == NULL)
    return;
  weight = MAX (stream->sent_Bps, 1);
  c->lost += weight * block->fraction_lost / 256.0;
  c->weight += weight;
  c->counts |= gst_tfrc_circuit_take_block (&stream->reported, block, stream->packets, &packets);
  c->packets += packets;
  if (rtt == 0 || rtt >= MOST_R)
    return;
  self->rr_rtt = rtt;
  if (c->rtt == 0 || rtt < c->rtt)
    c->rtt = rtt;
}

static gboolean
names_ours (GstRtpTfrcBwe *self, const RtcpRemb *remb)
{
  guint i;

  for (i = 0; i < remb->n_ssrcs; i++)
    if (gst_rtp_tfrc_streams_find (&self->streams, remb->ssrcs[i]) != NULL)
      return TRUE;
  self->counts.unknown_ssrc++;
  return FALSE;
}

static void
on_remb (gpointer user, guint32 sender, const RtcpRemb *remb)
{
  GstRtpTfrcBwe *self = ((Compound *)user)->self;

  if (!names_ours (self, remb))
    return;
  self->counts.remb++;
  cc_sender_on_explicit_rate (&self->core, sender, (double)remb->bitrate_bps / 8, gst_clock_get_time (self->clock));
}

static void
on_tmmbr (gpointer user, guint32 sender, const RtcpTmmb *entry)
{
  GstRtpTfrcBwe *self = ((Compound *)user)->self;

  if (gst_rtp_tfrc_streams_find (&self->streams, entry->ssrc) == NULL) {
    self->counts.unknown_ssrc++;
    return;
  }
  self->counts.tmmbr++;
  cc_sender_on_explicit_rate (&self->core, sender, (double)entry->bitrate_bps / 8, gst_clock_get_time (self->clock));
}

static void
on_tfrc (gpointer user, guint32 sender, guint32 media, const TfrcReport *report)
{
  GstRtpTfrcBwe *self = ((Compound *)user)->self;

  if (self->streams.stamp_id == 0 || gst_rtp_tfrc_streams_find (&self->streams, media) == NULL)
    return;
  self->counts.tfrc_reports++;
  cc_sender_on_tfrc_report (&self->core, report, gst_clock_get_time (self->clock));
}

static void
on_path (gpointer user, guint32 sender, guint32 media, const RtcpPath *path)
{
  GstRtpTfrcBwe *self = ((Compound *)user)->self;
  PathReport report = {.rate_Bps = path->rate_bps / 8.0,
      .capacity_Bps = path->capacity_bps / 8.0,
      .queue_delay = path->queue_delay,
      .owner = path->owner,
      .ecn = path->ecn,
      .loss = path->loss,
      .excused = path->excused};

  if (gst_rtp_tfrc_streams_find (&self->streams, media) == NULL)
    return;
  if (path->kind == RTCP_PATH_END_TO_END)
    cc_sender_on_path_report (&self->core, &report, gst_clock_get_time (self->clock));
  else
    cc_sender_on_router_rate (&self->core, sender, report.rate_Bps, gst_clock_get_time (self->clock));
}

/* The first report finds no packet noted: it only says that they are worth noting. */
static void
on_ccfb (gpointer user, guint32 sender, const RtcpCcfbReader *report)
{
  GstRtpTfrcBwe *self = ((Compound *)user)->self;

  self->counts.ccfb_reports++;
  if (self->blocks == NULL) {
    CcPacketFeedbackParams params;

    self->blocks = g_new0 (CcPacketFeedback, 1);
    cc_sender_packet_feedback_params (&self->core, &params);
    cc_packet_feedback_init (self->blocks, &params);
  }
  cc_sender_on_ccfb (&self->core, self->blocks, report, gst_clock_get_time (self->clock));
}

static const RtcpHandlers handlers = {.report_block = on_report_block,
    .remb = on_remb,
    .tmmbr = on_tmmbr,
    .tfrc = on_tfrc,
    .path = on_path,
    .ccfb = on_ccfb};

/* Under the lock. */
static void
take_compound (GstRtpTfrcBwe *self, const GstMapInfo *map)
{
  Compound c = {.self = self};
  CircuitReport report;
  CcTime now;

  rtcp_walk (map->data, map->size, &handlers, &c);
  now = gst_clock_get_time (self->clock); /* not before what the handlers took for now */
  cc_sender_on_rtcp (&self->core, now);
  if (!(c.weight > 0))
    return;
  self->counts.receiver_reports++;
  cc_sender_on_receiver_report (&self->core, c.lost / c.weight, c.rtt, now);
  report = (CircuitReport){.fraction_lost = c.lost / c.weight, .packets = c.packets, .Tr = c.rtt};
  if (c.counts)
    cc_sender_on_report_block (&self->core, &report, now);
}

static void
on_receiving_rtcp (GObject *session, GstBuffer *buffer, GstRtpTfrcBwe *self)
{
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  g_mutex_lock (&self->lock);
  if (self->running) {
    self->counts.rtcp++;
    take_compound (self, &map);
    self->status_at = 0;
    gst_rtp_tfrc_wake (self);
  }
  g_mutex_unlock (&self->lock);
  gst_buffer_unmap (buffer, &map);
}

static void
on_bye (gpointer user, guint32 ssrc)
{
  GstRtpTfrcBwe *self = user;

  gst_rtp_tfrc_streams_end (&self->streams, ssrc, gst_clock_get_time (self->clock));
}

/* rtpsession stamps its SRs with the wall clock, which may step. */
static void
on_sr (gpointer user, const RtcpSenderInfo *info)
{
  GstRtpTfrcBwe *self = user;

  sr_echo_on_sent (&self->echo, info->ssrc, info->ntp_time, gst_clock_get_time (self->clock));
}

static const RtcpHandlers sending_handlers = {.bye = on_bye, .sr = on_sr};

/* What the session says of its own SSRCs. Returns FALSE: it need not send it for our sake. */
static gboolean
on_sending_rtcp (GObject *session, GstBuffer *buffer, gboolean early, GstRtpTfrcBwe *self)
{
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  g_mutex_lock (&self->lock);
  if (self->running) {
    rtcp_walk (map.data, map.size, &sending_handlers, self);
    gst_rtp_tfrc_tell_shares (self);
  }
  g_mutex_unlock (&self->lock);
  gst_buffer_unmap (buffer, &map);
  return FALSE;
}

/* ---- the session ---- */

/* The pad of an element that the pad leads to, through the walls of bins. The caller's. */
static GstPad *
real_peer (GstPad *pad)
{
  GstPad *peer = gst_pad_get_peer (pad);

  while (peer != NULL && GST_IS_PROXY_PAD (peer)) {
    GstPad *next = NULL;

    if (GST_IS_GHOST_PAD (peer)) {
      next = gst_ghost_pad_get_target (GST_GHOST_PAD (peer));
    } else {
      GstProxyPad *ghost = gst_proxy_pad_get_internal (GST_PROXY_PAD (peer));

      if (ghost != NULL)
        next = gst_pad_get_peer (GST_PAD (ghost));
      gst_clear_object (&ghost);
    }
    gst_object_unref (peer);
    peer = next;
  }
  return peer;
}

static gboolean
is_session (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && g_strcmp0 (GST_OBJECT_NAME (factory), "rtpsession") == 0;
}

/* NULL where there is none, or the way divides. */
static GstElement *
downstream_session (GstRtpTfrcBwe *self)
{
  GstPad *pad = gst_object_ref (self->srcpad);
  guint i;

  for (i = 0; i < MOST_ELEMENTS && pad != NULL; i++) {
    GstPad *peer = real_peer (pad);
    GstElement *element = peer != NULL ? gst_pad_get_parent_element (peer) : NULL;

    gst_clear_object (&peer);
    gst_object_unref (pad);
    if (element == NULL || is_session (element))
      return element;
    pad = gst_element_get_static_pad (element, "src");
    gst_object_unref (element);
  }
  gst_clear_object (&pad);
  return NULL;
}

/* Payload types have been negotiated anew; in any thread. */
static void
on_clear_codecs (GstElement *rtpsession, GstRtpTfrcBwe *self)
{
  g_atomic_int_set (&self->codecs_void, TRUE);
}

void
gst_rtp_tfrc_find_session (GstRtpTfrcBwe *self)
{
  GstElement *element;

  gst_rtp_tfrc_leave_session (self);
  g_atomic_int_set (&self->searched, TRUE); /* first: a link made meanwhile resets it */
  element = downstream_session (self);
  if (element == NULL) {
    GST_INFO_OBJECT (self, "no rtpsession behind this element: only its TWCC events are listened to");
    return;
  }
  self->rtpsession = element;
  g_atomic_int_set (&self->has_session, TRUE);
  g_atomic_int_set (&self->codecs_void, TRUE);
  self->codecs_handler = g_signal_connect_object (
      element, "clear-pt-map", G_CALLBACK (on_clear_codecs), self, (GConnectFlags)G_CONNECT_AFTER);
  g_object_get (element, "internal-session", &self->session, NULL);
  if (self->session == NULL)
    return;
  self->session_handler = g_signal_connect_object (
      self->session, "on-receiving-rtcp", G_CALLBACK (on_receiving_rtcp), self, (GConnectFlags)0);
  self->session_sends_handler =
      g_signal_connect_object (self->session, "on-sending-rtcp", G_CALLBACK (on_sending_rtcp), self, (GConnectFlags)0);
}

void
gst_rtp_tfrc_leave_session (GstRtpTfrcBwe *self)
{
  g_atomic_int_set (&self->searched, FALSE);
  g_atomic_int_set (&self->has_session, FALSE);
  if (self->rtpsession != NULL)
    g_signal_handler_disconnect (self->rtpsession, self->codecs_handler);
  gst_clear_object (&self->rtpsession);
  if (self->session == NULL)
    return;
  g_signal_handler_disconnect (self->session, self->session_handler);
  g_signal_handler_disconnect (self->session, self->session_sends_handler);
  g_clear_object (&self->session);
}

static void
forget_codecs (GstRtpTfrcBwe *self)
{
  memset (self->asked_for, 0, sizeof self->asked_for);
  g_mutex_lock (&self->lock);
  gst_rtp_tfrc_streams_forget_codecs (&self->streams);
  g_mutex_unlock (&self->lock);
}

/* rtpfunnel, through which webrtcbin bundles its streams, has no encoding name in its caps; the session knows. */
void
gst_rtp_tfrc_learn_codec (GstRtpTfrcBwe *self, GstBuffer *buffer)
{
  GstCaps *caps = NULL;
  guint8 type;

  if (self->rtpsession == NULL || gst_buffer_extract (buffer, 1, &type, 1) != 1)
    return;
  type &= 0x7f;
  if (g_atomic_int_compare_and_exchange (&self->codecs_void, TRUE, FALSE))
    forget_codecs (self);
  if (self->asked_for[type])
    return;
  self->asked_for[type] = TRUE;
  g_signal_emit_by_name (self->rtpsession, "request-pt-map", (guint)type, &caps);
  if (caps == NULL)
    return;
  GST_INFO_OBJECT (self, "payload type %u is %" GST_PTR_FORMAT, type, caps);
  g_mutex_lock (&self->lock);
  if (!gst_caps_is_empty (caps) && !gst_caps_is_any (caps))
    gst_rtp_tfrc_streams_set_codec (&self->streams, type, caps);
  g_mutex_unlock (&self->lock);
  gst_caps_unref (caps);
}
