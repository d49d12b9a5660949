/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-tfrcsink
 * @title: tfrcsink
 *
 * Sends one RTP flow over UDP at the rate its path takes: packets wait in a sending buffer with a deadline for each
 * frame, leave paced, and the receiver's reports set the rate, which travels upstream as an event for ratecontrol.
 *
 * <!-- printed: beside receiver -->
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! x264enc tune=zerolatency ! ratecontrol ! rtph264pay ! tfrcsink host=B
 * port=5004
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcsink.h"

#include "erfextension.h"
#include "gstccextension.h"
#include "gsttfrcpipeline.h"

#include <gst/rtp/gstrtpbuffer.h>

GST_DEBUG_CATEGORY (gst_tfrc_sink_debug);
#define GST_CAT_DEFAULT gst_tfrc_sink_debug

#define MAX_AGE (2 * GST_SECOND)
#define OLD_FRAMES 30      /* in a row are the pipeline's doing, not a moment's */
#define KEY_UNIT_BYTES 256 /* of the payload: parameter sets may stand in front in the same packet */

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

G_DEFINE_TYPE_WITH_CODE (GstTfrcSink, gst_tfrc_sink, GST_TYPE_BASE_SINK,
    GST_DEBUG_CATEGORY_INIT (gst_tfrc_sink_debug, "tfrcsink", 0, "Congestion controlled RTP sender"));
GST_ELEMENT_REGISTER_DEFINE (tfrcsink, "tfrcsink", GST_RANK_NONE, GST_TYPE_TFRC_SINK);

/* ---- where to ---- */

/* Nobody uses the one before. */
static gboolean
start_srtp (GstTfrcSink *self)
{
  GstCcSrtp *made, *before;
  gboolean ok = gst_tfrc_srtp_start (GST_ELEMENT (self), &self->srtp_params, &made);

  GST_OBJECT_LOCK (self);
  before = self->srtp;
  self->srtp = made;
  GST_OBJECT_UNLOCK (self);
  gst_cc_srtp_free (before);
  return ok;
}

static gboolean
gst_tfrc_sink_start (GstBaseSink *sink)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);

  gst_tfrc_sink_tell_refused (self);
  return start_srtp (self) &&
         gst_tfrc_endpoint_open (&self->endpoint, gst_tfrc_sink_settings (self).mode == CC_MODE_BURST_CONTROL);
}

static gboolean
gst_tfrc_sink_stop (GstBaseSink *sink)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);

  gst_tfrc_endpoint_close (&self->endpoint);
  g_clear_pointer (&self->srtp, gst_cc_srtp_free);
  return TRUE;
}

/* ---- packets ---- */

/* How long ago the frame was captured, by its time stamp; 0 where that says nothing. */
static GstClockTime
buffer_age (GstTfrcSink *self, GstBuffer *buffer)
{
  const GstSegment *segment = &GST_BASE_SINK (self)->segment;
  GstClockTime running, base, now;
  GstClock *clock;

  if (!GST_BUFFER_PTS_IS_VALID (buffer) || segment->format != GST_FORMAT_TIME)
    return 0;
  running = gst_segment_to_running_time (segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  clock = gst_element_get_clock (GST_ELEMENT (self));
  if (clock == NULL || !GST_CLOCK_TIME_IS_VALID (running)) {
    gst_clear_object (&clock);
    return 0;
  }
  now = gst_clock_get_time (clock);
  base = gst_element_get_base_time (GST_ELEMENT (self));
  gst_object_unref (clock);
  if (!GST_CLOCK_TIME_IS_VALID (now) || now < base + running)
    return 0;
  return MIN (now - base - running, MAX_AGE);
}

/* Once a run of them. */
static void
warn_old (GstTfrcSink *self, GstClockTime age)
{
  GstClockTime max_delay;

  GST_OBJECT_LOCK (self);
  max_delay = self->settings.max_delay;
  GST_OBJECT_UNLOCK (self);
  self->old_frames = age > max_delay ? self->old_frames + 1 : 0;
  if (self->old_frames != OLD_FRAMES)
    return;
  GST_WARNING_OBJECT (self,
      "frames are %" GST_TIME_FORMAT " old when they arrive, more than max-delay: use an encoder without lookahead "
      "(x264enc tune=zerolatency), sync=false, or a longer max-delay",
      GST_TIME_ARGS (age));
}

static gboolean
is_key_unit (GstTfrcSink *self, GstBuffer *buffer, const GstTfrcHead *head)
{
  guint8 payload[KEY_UNIT_BYTES];

  if (!rtp_codec_tells_key_units (self->codec))
    return !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  return rtp_key_unit_starts (
      self->codec, payload, gst_buffer_extract (buffer, head->head_size, payload, sizeof payload));
}

static void
begin_frame (GstTfrcSink *self, GstBuffer *buffer, const GstTfrcHead *head)
{
  GstClockTime age = buffer_age (self, buffer);

  self->has_frame = TRUE;
  self->frame = head->timestamp;
  self->frame_is_key = FALSE;
  self->captured_at = gst_tfrc_transmit_now () - age;
  warn_old (self, age);
}

static void
add_packet (GstTfrcSink *self, GstBuffer *buffer, const guint8 *data, gsize size, const GstTfrcHead *head)
{
  CcPacket packet = {.handle = gst_buffer_ref (buffer), .frame = head->timestamp, .frame_end = head->marker};

  const GstTfrcElements elements = {
      .id = self->stream_extension_id, .twcc_id = self->stream_twcc_id, .rate_id = self->stream_rate_id};

  packet.size_bytes = (guint32)(size + gst_tfrc_head_growth (head, data, &elements));
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION)) {
    packet.resent = true;
    packet.frame = self->frame;
    packet.captured_at = gst_tfrc_transmit_now () - buffer_age (self, buffer);
    g_array_append_val (self->packets, packet);
    return;
  }
  if (!self->has_frame || self->frame != head->timestamp)
    begin_frame (self, buffer, head);
  self->frame_is_key = self->frame_is_key || is_key_unit (self, buffer, head);
  packet.captured_at = self->captured_at;
  packet.key_unit = self->frame_is_key;
  g_array_append_val (self->packets, packet);
}

static void
take_buffer (GstTfrcSink *self, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);
  GstMapInfo map;
  GstTfrcHead head;
  gboolean parsed = FALSE;

  if (gst_buffer_n_memory (buffer) > 0 && gst_memory_map (gst_buffer_peek_memory (buffer, 0), &map, GST_MAP_READ)) {
    parsed = gst_tfrc_head_parse (map.data, map.size, size, &head);
    if (parsed)
      add_packet (self, buffer, map.data, size, &head);
    gst_memory_unmap (map.memory, &map);
  }
  if (!parsed && gst_buffer_n_memory (buffer) > 1 && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    parsed = gst_tfrc_head_parse (map.data, map.size, size, &head);
    if (parsed)
      add_packet (self, buffer, map.data, size, &head);
    gst_buffer_unmap (buffer, &map);
  }
  if (!parsed) {
    if (self->malformed++ == 0)
      GST_WARNING_OBJECT (self, "%" G_GSIZE_FORMAT " bytes that are no RTP packet; dropped", size);
  }
}

static GstFlowReturn
queue_packets (GstTfrcSink *self)
{
  gboolean ok = gst_tfrc_mailbox_queue (
      &self->transmit.mailbox, (const CcPacket *)(void *)self->packets->data, self->packets->len, self->malformed);

  g_array_set_size (self->packets, 0);
  self->malformed = 0;
  return ok ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstFlowReturn
gst_tfrc_sink_render (GstBaseSink *sink, GstBuffer *buffer)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);

  take_buffer (self, buffer);
  return queue_packets (self);
}

static GstFlowReturn
gst_tfrc_sink_render_list (GstBaseSink *sink, GstBufferList *list)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);
  guint i, n = gst_buffer_list_length (list);

  for (i = 0; i < n; i++)
    take_buffer (self, gst_buffer_list_get (list, i));
  return queue_packets (self);
}

/* ---- the stream ---- */

static gboolean
gst_tfrc_sink_set_caps (GstBaseSink *sink, GstCaps *caps)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  guint id = gst_cc_extension_id_from_caps (caps), twcc_id = gst_cc_extension_id_of (caps, GST_CC_TWCC_URI);
  guint rate_id = gst_cc_extension_id_of (caps, ERF_EXTENSION_URI);
  gint clock_rate = GST_TFRC_CLOCK_RATE;
  GstTfrcSettings settings;

  self->codec = rtp_codec_from_name (gst_structure_get_string (s, "encoding-name"));
  GST_OBJECT_LOCK (self);
  self->stream_extension_id = id != 0 ? id : self->extension_id;
  self->settings.extension_id = self->stream_extension_id;
  self->stream_twcc_id = twcc_id != 0 ? twcc_id : self->twcc_extension_id;
  self->settings.twcc_extension_id = self->stream_twcc_id;
  self->stream_rate_id = rate_id != 0 ? rate_id : self->rate_extension_id;
  /* a router that wrote into the packet would break it */
  if (self->srtp != NULL)
    self->stream_rate_id = 0;
  self->settings.rate_extension_id = self->stream_rate_id;
  if (gst_structure_get_int (s, "clock-rate", &clock_rate) && clock_rate > 0)
    self->settings.clock_rate = (guint)clock_rate;
  self->settings.audio = g_strcmp0 (gst_structure_get_string (s, "media"), "audio") == 0;
  GST_OBJECT_UNLOCK (self);
  settings = gst_tfrc_sink_settings (self);
  gst_tfrc_mailbox_set_settings (&self->transmit.mailbox, &settings);
  GST_INFO_OBJECT (self,
      "send times go into header extension %u, transport-wide numbers into %u, explicit rates into %u",
      settings.extension_id, settings.twcc_extension_id, settings.rate_extension_id);
  return TRUE;
}

static gboolean
gst_tfrc_sink_event (GstBaseSink *sink, GstEvent *event)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);
  gboolean start = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START, done;

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    gst_tfrc_mailbox_flush (&self->transmit.mailbox);
  done = GST_BASE_SINK_CLASS (gst_tfrc_sink_parent_class)->event (sink, event);
  /* only now: an EOS that waits for the queue must see the flush, not an empty queue */
  if (start)
    gst_tfrc_mailbox_flush (&self->transmit.mailbox);
  return done;
}

/* EOS counts when the last packet has left. A pause breaks the wait off and the next PLAYING resumes it. The preroll
   lock stays held, as in render: whoever flushes unlocks first and then waits for it. */
static GstFlowReturn
gst_tfrc_sink_wait_event (GstBaseSink *sink, GstEvent *event)
{
  GstTfrcSink *self = GST_TFRC_SINK (sink);
  GstFlowReturn ret = GST_BASE_SINK_CLASS (gst_tfrc_sink_parent_class)->wait_event (sink, event);

  if (GST_EVENT_TYPE (event) != GST_EVENT_EOS)
    return ret;
  while (ret == GST_FLOW_OK && !gst_tfrc_mailbox_drain (&self->transmit.mailbox))
    ret = gst_base_sink_wait_preroll (sink);
  return ret;
}

static gboolean
gst_tfrc_sink_unlock (GstBaseSink *sink)
{
  gst_tfrc_mailbox_set_unlocked (&GST_TFRC_SINK (sink)->transmit.mailbox, TRUE);
  return TRUE;
}

static gboolean
gst_tfrc_sink_unlock_stop (GstBaseSink *sink)
{
  gst_tfrc_mailbox_set_unlocked (&GST_TFRC_SINK (sink)->transmit.mailbox, FALSE);
  return TRUE;
}

static gboolean
start_sending (GstTfrcSink *self)
{
  GstTfrcSettings settings = gst_tfrc_sink_settings (self);
  GstTfrcAddress to;
  GError *error = NULL;
  GSocket *socket;
  gboolean ok;

  socket = gst_tfrc_endpoint_get (&self->endpoint, &to);
  self->has_frame = FALSE;
  self->old_frames = 0;
  self->transmit.srtp = self->srtp;
  ok = gst_tfrc_transmit_start (&self->transmit, socket, &to, &settings, &error);
  if (!ok)
    GST_ELEMENT_ERROR (self, RESOURCE, FAILED,
        ("Cannot start the sending thread: %s. Raise the limits on threads and open files (ulimit -u, -n).",
            error->message),
        (NULL));
  g_clear_error (&error);
  g_object_unref (socket);
  return ok;
}

/* With the key that was set in READY, and no packet without it; to the host that was. */
static gboolean
begin_run (GstTfrcSink *self)
{
  if (gst_tfrc_srtp_is_changed (GST_ELEMENT (self), &self->srtp_params) && !start_srtp (self))
    return FALSE;
  gst_tfrc_endpoint_settle (&self->endpoint);
  return start_sending (self);
}

/* Until READY, also through pauses: two ends that pause at once would else wait for each other as well. */
static void
leave_preroll (GstTfrcSink *self)
{
  GstBaseSink *sink = GST_BASE_SINK (self);

  self->left_preroll = gst_base_sink_is_async_enabled (sink) && gst_tfrc_pipeline_is_live (GST_ELEMENT (self));
  if (self->left_preroll)
    gst_base_sink_set_async_enabled (sink, FALSE);
}

static void
join_preroll (GstTfrcSink *self)
{
  if (self->left_preroll)
    gst_base_sink_set_async_enabled (GST_BASE_SINK (self), TRUE);
  self->left_preroll = FALSE;
}

static GstStateChangeReturn
gst_tfrc_sink_change_state (GstElement *element, GstStateChange transition)
{
  GstTfrcSink *self = GST_TFRC_SINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !begin_run (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    leave_preroll (self);
  ret = GST_ELEMENT_CLASS (gst_tfrc_sink_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED && ret == GST_STATE_CHANGE_FAILURE)) {
    gst_tfrc_transmit_stop (&self->transmit);
    join_preroll (self);
  }
  return ret;
}

static gboolean
gst_tfrc_sink_send_event (GstElement *element, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY)
    event = gst_tfrc_pipeline_own_latency (GST_BASE_SINK (element), event);
  return GST_ELEMENT_CLASS (gst_tfrc_sink_parent_class)->send_event (element, event);
}

/* ---- element ---- */

static void
gst_tfrc_sink_finalize (GObject *object)
{
  GstTfrcSink *self = GST_TFRC_SINK (object);

  gst_tfrc_transmit_finalize (&self->transmit);
  gst_tfrc_endpoint_clear (&self->endpoint);
  g_free (self->rate_sources);
  g_free (self->refused_rate_sources);
  gst_cc_srtp_params_clear (&self->srtp_params);
  gst_cc_srtp_free (self->srtp);
  g_array_free (self->packets, TRUE);
  G_OBJECT_CLASS (gst_tfrc_sink_parent_class)->finalize (object);
}

static void
gst_tfrc_sink_class_init (GstTfrcSinkClass *klass)
{
  GObjectClass *gobject = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink = GST_BASE_SINK_CLASS (klass);

  gobject->finalize = gst_tfrc_sink_finalize;
  gst_tfrc_sink_install_properties (gobject);

  element->change_state = gst_tfrc_sink_change_state;
  element->send_event = gst_tfrc_sink_send_event;
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_set_static_metadata (element, "Congestion controlled RTP sender", "Sink/Network/RTP",
      "Sends RTP over UDP, paced, at the rate the path takes, and tells upstream that rate",
      "GStreamer congestion control developers");
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_SRTP_CIPHER, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_TFRC_SRTP_AUTH, 0);

  sink->start = gst_tfrc_sink_start;
  sink->stop = gst_tfrc_sink_stop;
  sink->set_caps = gst_tfrc_sink_set_caps;
  sink->event = gst_tfrc_sink_event;
  sink->wait_event = gst_tfrc_sink_wait_event;
  sink->unlock = gst_tfrc_sink_unlock;
  sink->unlock_stop = gst_tfrc_sink_unlock_stop;
  sink->render = gst_tfrc_sink_render;
  sink->render_list = gst_tfrc_sink_render_list;
}

static void
gst_tfrc_sink_init (GstTfrcSink *self)
{
  gst_tfrc_sink_init_properties (self);
  gst_cc_srtp_params_init (&self->srtp_params);
  self->packets = g_array_new (FALSE, FALSE, sizeof (CcPacket));
  gst_tfrc_transmit_init (&self->transmit, GST_ELEMENT (self), GST_BASE_SINK_PAD (self));
  gst_base_sink_set_last_sample_enabled (GST_BASE_SINK (self), FALSE);
  /* queueing a packet takes no time worth delaying a live stream for */
  gst_base_sink_set_processing_deadline (GST_BASE_SINK (self), 0);
}
