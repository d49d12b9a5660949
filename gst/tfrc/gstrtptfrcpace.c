/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ccsenderpackets.h"
#include "gstrtptfrcbwe.h"
#include "gsttfrcmtu.h"
#include "gsttfrcpacket.h"
#include "gsttfrcrate.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_bwe_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_bwe_debug

#define SLEEP_MIN (200 * CC_USECOND) /* packets closer than this leave together */
#define RTP_HEADER 20                /* with one extension, before any packet has shown its own */

/* ---- start and end ---- */

static void
init_core (GstRtpTfrcBwe *self, CcTime now)
{
  CcPacketFeedbackParams packets;
  CcSenderParams params;

  cc_sender_params_init (&params);
  params.mode = self->settings.mode;
  params.start_Bps = gst_tfrc_bytes_per_second (self->settings.start_bitrate);
  params.min_Bps = gst_tfrc_bytes_per_second (self->settings.min_bitrate);
  params.max_Bps = gst_tfrc_bytes_per_second (self->settings.max_bitrate);
  params.overhead_bytes = GST_RTP_TFRC_OVERHEAD;
  params.loss_tolerance = self->settings.loss_tolerance / 100.0;
  params.weight = self->settings.path_weight;
  params.buffer.max_delay = self->settings.max_delay;
  params.circuit.action = self->settings.circuit_action;
  params.circuit.needs_rtcp = true; /* the session's peer may have none */
  params.random.next = gst_tfrc_random_bits;
  self->circuit_told = 0;
  cc_sender_init (&self->core, &params, self->ring, GST_RTP_TFRC_RING, now);
  cc_sender_packet_feedback_params (&self->core, &packets);
  cc_packet_feedback_init (self->packets, &packets);
}

void
gst_rtp_tfrc_start (GstRtpTfrcBwe *self)
{
  CcTime now = gst_clock_get_time (self->clock);
  CcSenderStatus status;

  g_mutex_lock (&self->lock);
  self->ring = g_new (CcPacket, GST_RTP_TFRC_RING);
  self->packets = g_new0 (CcPacketFeedback, 1);
  self->sent = g_new0 (GstRtpTfrcSent, GST_RTP_TFRC_SENT);
  self->sent_next = self->sent_seen = self->first_bytes = 0;
  self->in = self->out = (GstRtpTfrcPassed){0};
  self->head_bytes = RTP_HEADER;
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  self->segment_told = FALSE;
  self->drain_until = CC_TIME_NONE;
  self->result = GST_FLOW_OK;
  self->counts = (GstRtpTfrcCounts){0};
  gst_tfrc_send_advice_init (&self->advice, now);
  sr_echo_init (&self->echo);
  self->rr_rtt = GST_CLOCK_TIME_NONE;
  self->status_at = self->event_at = now;
  self->stats_at = cc_time_add (now, self->settings.stats_interval);
  init_core (self, now);
  cc_sender_status (&self->core, now, &status);
  self->estimated = gst_tfrc_bit_rate (status.encoder_Bps);
  self->running = TRUE;
  g_mutex_unlock (&self->lock);
}

void
gst_rtp_tfrc_stop (GstRtpTfrcBwe *self)
{
  gboolean limited;

  g_mutex_lock (&self->lock);
  limited = self->told_mtu > 0;
  self->told_mtu = 0;
  gst_rtp_tfrc_flush (self);
  self->running = FALSE;
  gst_rtp_tfrc_streams_clear (&self->streams);
  g_clear_pointer (&self->ring, g_free);
  g_clear_pointer (&self->packets, g_free);
  g_clear_pointer (&self->blocks, g_free);
  g_clear_pointer (&self->sent, g_free);
  g_mutex_unlock (&self->lock);
  if (limited)
    gst_tfrc_mtu_limit_upstream (self->sinkpad, 0);
}

void
gst_rtp_tfrc_apply_settings (GstRtpTfrcBwe *self)
{
  CcTime now;

  if (!self->running)
    return;
  now = gst_clock_get_time (self->clock);
  if (self->core.mode != self->settings.mode)
    cc_sender_set_mode (&self->core, self->settings.mode, now);
  cc_sender_set_max_delay (&self->core, self->settings.max_delay);
  cc_sender_set_loss_tolerance (&self->core, self->settings.loss_tolerance / 100.0);
  cc_sender_set_weight (&self->core, self->settings.path_weight);
  cc_sender_set_circuit_action (&self->core, self->settings.circuit_action);
  cc_sender_set_limits (&self->core, gst_tfrc_bytes_per_second (self->settings.min_bitrate),
      gst_tfrc_bytes_per_second (self->settings.max_bitrate));
  cc_sender_on_timeout (&self->core, now);
  self->status_at = now;
  gst_rtp_tfrc_tell_shares (self);
  gst_rtp_tfrc_wake (self);
}

void
gst_rtp_tfrc_wake (GstRtpTfrcBwe *self)
{
  if (self->waiting != NULL)
    gst_clock_id_unschedule (self->waiting);
}

static void
count_out (GstRtpTfrcBwe *self, const CcPacket *packet)
{
  if (!packet->resent) {
    self->out.in_turn++;
    return;
  }
  self->out.first++;
  self->first_bytes -= packet->size_bytes;
}

static void
give_up (GstRtpTfrcBwe *self, const CcPacket *packet)
{
  count_out (self, packet);
  gst_rtp_tfrc_streams_give_up (&self->streams, packet);
}

static void
free_event (gpointer data)
{
  GstRtpTfrcEvent *e = data;

  gst_event_unref (e->event);
  g_free (e);
}

static void
give_up_held (GstRtpTfrcBwe *self, GstRtpTfrcStream *stream)
{
  guint i;

  for (i = 0; i < stream->held->len; i++)
    gst_rtp_tfrc_streams_give_up (&self->streams, &g_array_index (stream->held, CcPacket, i));
  g_array_set_size (stream->held, 0);
}

static void
give_up_packets (GstRtpTfrcBwe *self)
{
  CcPacket packet;
  guint i;

  send_buffer_clear (&self->core.buffer);
  while (cc_sender_pull (&self->core, gst_clock_get_time (self->clock), &packet) != CC_SENDER_WAIT)
    give_up (self, &packet);
  for (i = 0; i < self->streams.n; i++)
    if (self->streams.stream[i].held != NULL)
      give_up_held (self, &self->streams.stream[i]);
}

/* Caps that waited hold behind a flush as well: upstream has told them once. */
static void
keep_event (gpointer data, gpointer pad)
{
  GstEvent *event = ((GstRtpTfrcEvent *)data)->event;

  if (GST_EVENT_IS_STICKY (event) && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT &&
      GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    gst_pad_store_sticky_event (pad, event);
}

void
gst_rtp_tfrc_flush (GstRtpTfrcBwe *self)
{
  g_queue_foreach (&self->events, keep_event, self->srcpad);
  g_queue_clear_full (&self->events, free_event);
  self->drain_until = CC_TIME_NONE;
  if (self->running)
    give_up_packets (self);
}

/* ---- the streaming thread ---- */

static void
push_packet (GstRtpTfrcBwe *self, const CcPacket *packet, CcTime now)
{
  CcPacket discarded;

  if (packet->resent) {
    self->in.first++;
    self->first_bytes += packet->size_bytes;
  } else {
    self->in.in_turn++;
  }
  while (!cc_sender_push (&self->core, packet, now)) {
    if (cc_sender_pull (&self->core, now, &discarded) != CC_SENDER_DISCARD) {
      give_up (self, packet);
      return;
    }
    give_up (self, &discarded);
  }
}

static void
release_held (GstRtpTfrcBwe *self, GstRtpTfrcStream *stream, CcTime now)
{
  guint i;

  for (i = 0; i < stream->held->len; i++)
    push_packet (self, &g_array_index (stream->held, CcPacket, i), now);
  g_array_set_size (stream->held, 0);
}

/* Audio that comes faster than the path takes it must not wait for ever. */
static gboolean
is_too_much (GstRtpTfrcBwe *self, const CcPacket *packet)
{
  return packet->resent && self->first_bytes > 0 &&
         self->first_bytes + packet->size_bytes > self->core.rate_Bps * cc_seconds (self->settings.max_delay);
}

static void
drop_too_much (GstRtpTfrcBwe *self, const CcPacket *packet)
{
  self->counts.first_dropped++;
  gst_rtp_tfrc_streams_give_up (&self->streams, packet);
}

/* While nothing is answered hardly anything leaves, and receivers may answer at the end of a frame only (rtpbin). */
static void
take_turn (GstRtpTfrcStream *stream, CcPacket *packet)
{
  packet->resent = FALSE;
  packet->frame_end = TRUE;
  stream->waiting++;
}

static bool
is_of_ssrc (const CcPacket *packet, void *ssrc)
{
  guint32 its;
  guint16 seq;

  return gst_tfrc_packet_number (packet->handle, &its, &seq) && its == *(guint32 *)ssrc;
}

/* What waits of a stream that goes first, since before it was known to or since nobody answered, goes first as well:
   nothing may overtake its own, so that while some of it waits all of it would. Events keep their place among those
   that take turns, and are few. */
static void
bring_ahead (GstRtpTfrcBwe *self, GstRtpTfrcStream *stream, CcPacket *packet)
{
  guint64 bytes;
  guint n;

  if ((stream->held != NULL && stream->held->len > 0) || !g_queue_is_empty (&self->events) ||
      cc_sender_is_unanswered (&self->core))
    return;
  n = send_buffer_bring_ahead (&self->core.buffer, is_of_ssrc, &stream->ssrc, &bytes);
  self->in.in_turn -= n;
  self->in.first += n;
  self->first_bytes += bytes;
  stream->waiting -= n;
  packet->resent = stream->waiting == 1; /* this one */
  stream->waiting -= packet->resent;
}

/* A stream that never ends its frames loses nothing but the turn: what it held leaves with its next frame. */
static void
hold_packet (GstRtpTfrcBwe *self, GstRtpTfrcStream *stream, const CcPacket *packet, CcTime now)
{
  if (stream->held == NULL)
    stream->held = g_array_new (FALSE, FALSE, sizeof (CcPacket));
  if (stream->held->len > 0 && g_array_index (stream->held, CcPacket, 0).frame != packet->frame)
    release_held (self, stream, now);
  g_array_append_val (stream->held, *packet);
  if (packet->frame_end || stream->held->len >= GST_RTP_TFRC_RING / 4)
    release_held (self, stream, now);
}

static CcTime
next_deadline (GstRtpTfrcBwe *self, CcTime now)
{
  CcTime at = MAX (cc_sender_next_timeout (&self->core), cc_time_add (now, SLEEP_MIN));

  at = MIN (at, MIN (self->event_at, self->drain_until));
  return self->settings.stats_interval > 0 ? MIN (at, self->stats_at) : at;
}

/* A packet behind others changes nothing: the task is at them when the pacer is. */
static void
wake_if_sooner (GstRtpTfrcBwe *self, CcTime now)
{
  if (self->waiting != NULL && next_deadline (self, now) < self->waiting_until)
    gst_rtp_tfrc_wake (self);
}

void
gst_rtp_tfrc_tell_shares (GstRtpTfrcBwe *self)
{
  if (!self->streams.changed)
    return;
  self->streams.changed = FALSE;
  self->event_at = 0;
  gst_rtp_tfrc_wake (self);
}

GstFlowReturn
gst_rtp_tfrc_queue (GstRtpTfrcBwe *self, GstBuffer *buffer)
{
  CcTime now = gst_clock_get_time (self->clock);
  GstRtpTfrcStream *stream;
  CcPacket packet;
  gsize head_size;

  if (!self->running || self->flushing || self->result != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return self->flushing || !self->running ? GST_FLOW_FLUSHING : self->result;
  }
  buffer = gst_rtp_tfrc_buffer_in_running_time (&self->segment, buffer);
  if (!gst_rtp_tfrc_streams_packet (&self->streams, buffer, now, &packet, &stream, &head_size)) {
    if (self->counts.malformed++ == 0)
      GST_WARNING_OBJECT (
          self, "%" G_GSIZE_FORMAT " bytes that are no RTP packet; dropped", gst_buffer_get_size (buffer));
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  self->head_bytes += ((double)head_size - self->head_bytes) / 16;
  if (!packet.resent && gst_rtp_tfrc_streams_is_urgent (&self->streams, stream))
    bring_ahead (self, stream, &packet);
  if (packet.resent && cc_sender_is_unanswered (&self->core))
    take_turn (stream, &packet);
  if (!packet.resent && (gst_rtp_tfrc_streams_take_turns (&self->streams, stream, now) ||
                            (stream->held != NULL && stream->held->len > 0)))
    hold_packet (self, stream, &packet, now);
  else if (is_too_much (self, &packet))
    drop_too_much (self, &packet);
  else
    push_packet (self, &packet, now);
  gst_rtp_tfrc_tell_shares (self);
  wake_if_sooner (self, now);
  return GST_FLOW_OK;
}

static void
release_all_held (GstRtpTfrcBwe *self)
{
  CcTime now = gst_clock_get_time (self->clock);
  guint i;

  for (i = 0; i < self->streams.n; i++)
    if (self->streams.stream[i].held != NULL)
      release_held (self, &self->streams.stream[i], now);
}

/* Taken: NULL, or the one to be told in its place. */
static GstEvent *
take_segment (GstRtpTfrcBwe *self, GstEvent *event)
{
  GstEvent *first = NULL;
  GstSegment plain;

  gst_event_copy_segment (event, &self->segment);
  if (self->segment.format != GST_FORMAT_TIME)
    return event;
  if (!self->segment_told) {
    gst_segment_init (&plain, GST_FORMAT_TIME);
    first = gst_event_new_segment (&plain);
    gst_event_set_seqnum (first, gst_event_get_seqnum (event));
  }
  self->segment_told = TRUE;
  gst_event_unref (event);
  return first;
}

/* Nothing is given up where another stream goes on behind EOS: it is not the pipeline's end. */
static void
bound_drain (GstRtpTfrcBwe *self, GstEventType type)
{
  if (type == GST_EVENT_EOS)
    self->drain_until = gst_tfrc_drain_until (gst_clock_get_time (self->clock), self->settings.max_delay);
  else if (type == GST_EVENT_STREAM_START)
    self->drain_until = CC_TIME_NONE;
}

void
gst_rtp_tfrc_queue_event (GstRtpTfrcBwe *self, GstEvent *event)
{
  GstRtpTfrcEvent *e;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    event = take_segment (self, event);
  else
    event = gst_rtp_tfrc_event_in_running_time (&self->segment, event);
  if (event == NULL)
    return;
  bound_drain (self, GST_EVENT_TYPE (event));
  e = g_new (GstRtpTfrcEvent, 1);
  release_all_held (self);
  *e = (GstRtpTfrcEvent){event, self->in};
  g_queue_push_tail (&self->events, e);
  gst_rtp_tfrc_wake (self);
}

/* ---- the task ---- */

static void
note_sent (GstRtpTfrcBwe *self, guint32 frame, CcTime from, CcTime to)
{
  self->sent[self->sent_next++ % GST_RTP_TFRC_SENT] = (GstRtpTfrcSent){from, to, frame};
  if (self->sent_next - self->sent_seen > GST_RTP_TFRC_SENT)
    self->sent_seen = self->sent_next - GST_RTP_TFRC_SENT;
}

/* With the send time in its header, where the caps say under which number. */
static GstBuffer *
stamp (GstRtpTfrcBwe *self, GstBuffer *buffer, CcTime now)
{
  GstTfrcElements elements = {.id = self->streams.stamp_id};
  guint8 data[GST_TFRC_HEAD_MAX], out[GST_TFRC_HEAD_MAX];
  GstTfrcHead head;
  GstBuffer *stamped;
  gsize size;

  if (elements.id == 0 || !gst_tfrc_head_parse (data, gst_buffer_extract (buffer, 0, data, sizeof data),
                              gst_buffer_get_size (buffer), &head))
    return buffer;
  cc_sender_stamp (&self->core, now, &elements.stamp);
  size = gst_tfrc_head_write (&head, data, &elements, out);
  if (size == 0)
    return buffer;
  stamped = gst_buffer_new_memdup (out, size);
  gst_buffer_copy_into (
      stamped, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META, 0, -1);
  gst_buffer_copy_into (stamped, buffer, GST_BUFFER_COPY_MEMORY, head.head_size, -1);
  gst_buffer_unref (buffer);
  return stamped;
}

/* For reports that name packets by SSRC and sequence number. */
static void
note_for_blocks (GstRtpTfrcBwe *self, GstBuffer *buffer, CcTime now)
{
  GstTfrcHead head;

  if (self->blocks != NULL && gst_tfrc_head_of (buffer, &head))
    cc_packet_feedback_on_sent (
        self->blocks, head.ssrc, head.seq, (guint32)gst_buffer_get_size (buffer), head.timestamp, now);
}

/* Under the lock, which it leaves while it pushes. */
static void
send_packet (GstRtpTfrcBwe *self, const CcPacket *packet, CcTime now)
{
  GstBuffer *buffer = gst_rtp_tfrc_streams_renumber (&self->streams, packet);
  GstFlowReturn result;

  count_out (self, packet);
  buffer = stamp (self, buffer, now);
  note_for_blocks (self, buffer, now);
  g_mutex_unlock (&self->lock);
  result = gst_pad_push (self->srcpad, buffer);
  g_mutex_lock (&self->lock);
  if (!self->running)
    return;
  note_sent (self, packet->frame, now, gst_clock_get_time (self->clock));
  if (result == GST_FLOW_OK)
    return;
  GST_DEBUG_OBJECT (self, "downstream says %s", gst_flow_get_name (result));
  self->result = result;
  give_up_packets (self);
}

static gboolean
event_is_due (GstRtpTfrcBwe *self)
{
  const GstRtpTfrcEvent *e = g_queue_peek_head (&self->events);

  return e != NULL && e->after.in_turn <= self->out.in_turn && e->after.first <= self->out.first;
}

static void
send_event (GstRtpTfrcBwe *self)
{
  GstRtpTfrcEvent *e = g_queue_pop_head (&self->events);
  GstEvent *event = e->event;

  keep_event (e, self->srcpad); /* a flush may come in between */
  g_free (e);
  g_mutex_unlock (&self->lock);
  gst_pad_push_event (self->srcpad, event);
  g_mutex_lock (&self->lock);
}

/* Until the deadline, or until somebody has something for the task. */
static void
wait_until (GstRtpTfrcBwe *self, CcTime deadline)
{
  GstClockID id = gst_clock_new_single_shot_id (self->clock, deadline);

  self->waiting = id;
  self->waiting_until = deadline;
  g_mutex_unlock (&self->lock);
  gst_clock_id_wait (id, NULL);
  g_mutex_lock (&self->lock);
  self->waiting = NULL;
  gst_clock_id_unref (id);
}

static void
end_drain (GstRtpTfrcBwe *self)
{
  self->drain_until = CC_TIME_NONE;
  give_up_packets (self);
}

/* One packet, one event or one wait. */
static void
step (GstRtpTfrcBwe *self)
{
  CcTime now = gst_clock_get_time (self->clock);
  GstRtpTfrcNews news = {0};
  CcPacket packet;

  if (event_is_due (self)) {
    send_event (self);
    return;
  }
  if (self->drain_until <= now) {
    end_drain (self);
    return;
  }
  gst_rtp_tfrc_run_timers (self, now, &news);
  if (gst_rtp_tfrc_has_news (&news)) {
    g_mutex_unlock (&self->lock);
    gst_rtp_tfrc_tell (self, &news);
    g_mutex_lock (&self->lock);
    return;
  }
  switch (cc_sender_pull (&self->core, now, &packet)) {
  case CC_SENDER_SEND:
    send_packet (self, &packet, now);
    break;
  case CC_SENDER_DISCARD:
    give_up (self, &packet);
    break;
  case CC_SENDER_WAIT:
    wait_until (self, next_deadline (self, now));
    break;
  }
}

void
gst_rtp_tfrc_loop (gpointer pad)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (GST_PAD_PARENT (pad));

  g_mutex_lock (&self->lock);
  if (self->flushing || !self->running) {
    g_mutex_unlock (&self->lock);
    gst_pad_pause_task (self->srcpad);
    return;
  }
  step (self);
  g_mutex_unlock (&self->lock);
}
