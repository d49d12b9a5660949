/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pads send_rtp_sink and send_rtp_src. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

#include <gst/rtp/gstrtpbuffer.h>

#define LONGEST_LEAD (10 * GST_SECOND) /* a packet due further off says nothing */

static GstStaticPadTemplate send_rtp_sink_template =
    GST_STATIC_PAD_TEMPLATE ("send_rtp_sink", GST_PAD_SINK, GST_PAD_REQUEST, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate send_rtp_src_template =
    GST_STATIC_PAD_TEMPLATE ("send_rtp_src", GST_PAD_SRC, GST_PAD_SOMETIMES, GST_STATIC_CAPS ("application/x-rtp"));

gboolean
gst_rtcp_avpf_media_goes_on (GstRtcpAvpf *self)
{
  return self->media.sinkpad != NULL && !self->media.ended;
}

/* ---- packets ---- */

/* When the packet is on the wire: a sink waits for running time + latency. */
static GstClockTime
due_at (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now, GstClockTime now)
{
  const GstRtcpAvpfMedia *m = &self->media;
  GstClockTime running = GST_CLOCK_TIME_NONE;

  if (GST_BUFFER_PTS_IS_VALID (buffer) && m->segment.format == GST_FORMAT_TIME)
    running = gst_segment_to_running_time (&m->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  if (!GST_CLOCK_TIME_IS_VALID (running) || !GST_CLOCK_TIME_IS_VALID (running_now))
    return now;
  running += m->latency;
  if (running >= running_now)
    return running - running_now < LONGEST_LEAD ? now + (running - running_now) : now;
  return running_now - running < MIN (LONGEST_LEAD, now) ? now - (running_now - running) : now;
}

/* Of the buffer's pieces nothing is copied together. */
static gboolean
read_head (GstBuffer *buffer, RtpPacket *packet)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return FALSE;
  *packet = (RtpPacket){.ssrc = gst_rtp_buffer_get_ssrc (&rtp),
      .timestamp = gst_rtp_buffer_get_timestamp (&rtp),
      .seq = gst_rtp_buffer_get_seq (&rtp),
      .payload_bytes = gst_rtp_buffer_get_payload_len (&rtp)};
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

static void
note_packet (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now, GstClockTime now)
{
  RtpPacket packet;

  if (!read_head (buffer, &packet))
    return;
  rtp_participant_on_sent (self->core, &packet, self->media.clock_rate,
      GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION), due_at (self, buffer, running_now, now),
      now);
  gst_rtcp_avpf_core_wake (self);
}

static GstFlowReturn
send_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstClockTime now = gst_rtcp_avpf_now (self), running = gst_rtcp_avpf_running_time (self, now);

  g_mutex_lock (&self->lock);
  note_packet (self, buffer, running, now);
  g_mutex_unlock (&self->lock);
  gst_rtcp_avpf_deliver (self);
  return gst_pad_push (self->media.srcpad, buffer);
}

static GstFlowReturn
send_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstClockTime now = gst_rtcp_avpf_now (self), running = gst_rtcp_avpf_running_time (self, now);
  guint i, n = gst_buffer_list_length (list);

  g_mutex_lock (&self->lock);
  for (i = 0; i < n; i++)
    note_packet (self, gst_buffer_list_get (list, i), running, now);
  g_mutex_unlock (&self->lock);
  gst_rtcp_avpf_deliver (self);
  return gst_pad_push_list (self->media.srcpad, list);
}

/* ---- events ---- */

static void
on_caps (GstRtcpAvpf *self, GstCaps *caps)
{
  gint clock_rate = 0;

  gst_structure_get_int (gst_caps_get_structure (caps, 0), "clock-rate", &clock_rate);
  g_mutex_lock (&self->lock);
  self->media.clock_rate = clock_rate > 0 ? (guint)clock_rate : 0;
  g_mutex_unlock (&self->lock);
}

/* Also where the last stream has ended. */
static void
on_stream_start (GstRtcpAvpf *self)
{
  g_mutex_lock (&self->lock);
  self->media.ended = FALSE;
  g_mutex_unlock (&self->lock);
  gst_rtcp_avpf_begin_again (self);
}

/* The SSRCs leave; where nothing is received either, so does this end. */
static void
on_end (GstRtcpAvpf *self)
{
  gboolean last = !gst_pad_is_linked (self->sinkpad);

  g_mutex_lock (&self->lock);
  self->media.ended = TRUE;
  last = last || self->receiving_ended;
  if (!last) {
    GstClockTime now = gst_rtcp_avpf_now (self);

    rtp_participant_end_media (self->core, now);
    rtp_participant_request_report (self->core, GST_CLOCK_TIME_NONE, now);
    gst_rtcp_avpf_core_wake (self);
  }
  g_mutex_unlock (&self->lock);
  if (last)
    gst_rtcp_avpf_thread_interrupt (self, TRUE);
}

static gboolean
send_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_STREAM_START:
    on_stream_start (self);
    break;
  case GST_EVENT_CAPS:
    gst_event_parse_caps (event, &caps);
    on_caps (self, caps);
    break;
  case GST_EVENT_SEGMENT:
    g_mutex_lock (&self->lock);
    gst_event_copy_segment (event, &self->media.segment);
    g_mutex_unlock (&self->lock);
    break;
  case GST_EVENT_FLUSH_STOP:
    g_mutex_lock (&self->lock);
    gst_segment_init (&self->media.segment, GST_FORMAT_UNDEFINED);
    g_mutex_unlock (&self->lock);
    on_stream_start (self);
    break;
  case GST_EVENT_EOS:
    on_end (self);
    break;
  default:
    break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
send_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY) {
    GstClockTime latency;

    gst_event_parse_latency (event, &latency);
    g_mutex_lock (&self->lock);
    self->media.latency = GST_CLOCK_TIME_IS_VALID (latency) ? latency : 0;
    g_mutex_unlock (&self->lock);
  }
  return gst_pad_event_default (pad, parent, event);
}

static GstIterator *
iterate_internal_links (GstPad *pad, GstObject *parent)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstPad *other;
  GValue value = G_VALUE_INIT;
  GstIterator *it;

  g_mutex_lock (&self->lock);
  other = pad == self->media.sinkpad ? self->media.srcpad : self->media.sinkpad;
  if (other != NULL)
    gst_object_ref (other);
  g_mutex_unlock (&self->lock);
  if (other == NULL)
    return gst_iterator_new_single (GST_TYPE_PAD, NULL);
  g_value_init (&value, GST_TYPE_PAD);
  g_value_take_object (&value, other);
  it = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return it;
}

/* ---- pads ---- */

static GstPad *
new_sink_pad (void)
{
  GstPad *pad = gst_pad_new_from_static_template (&send_rtp_sink_template, "send_rtp_sink");

  gst_pad_set_chain_function (pad, send_chain);
  gst_pad_set_chain_list_function (pad, send_chain_list);
  gst_pad_set_event_function (pad, send_sink_event);
  gst_pad_set_iterate_internal_links_function (pad, iterate_internal_links);
  GST_PAD_SET_PROXY_CAPS (pad);
  GST_PAD_SET_PROXY_ALLOCATION (pad);
  return pad;
}

static GstPad *
new_src_pad (void)
{
  GstPad *pad = gst_pad_new_from_static_template (&send_rtp_src_template, "send_rtp_src");

  gst_pad_set_event_function (pad, send_src_event);
  gst_pad_set_iterate_internal_links_function (pad, iterate_internal_links);
  GST_PAD_SET_PROXY_CAPS (pad);
  return pad;
}

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *template, const gchar *name, const GstCaps *caps)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (element);
  GstPad *sinkpad = new_sink_pad (), *srcpad = new_src_pad ();
  gboolean taken;

  g_mutex_lock (&self->lock);
  taken = self->media.sinkpad != NULL;
  if (!taken) {
    self->media.sinkpad = sinkpad;
    self->media.srcpad = srcpad;
    self->media.ended = FALSE;
  }
  g_mutex_unlock (&self->lock);
  if (taken) {
    GST_WARNING_OBJECT (self, "send_rtp_sink is in use; several streams can share it through rtpfunnel");
    gst_object_unref (gst_object_ref_sink (sinkpad));
    gst_object_unref (gst_object_ref_sink (srcpad));
    return NULL;
  }
  gst_pad_set_active (srcpad, TRUE);
  gst_pad_set_active (sinkpad, TRUE);
  gst_element_add_pad (element, srcpad);
  gst_element_add_pad (element, sinkpad);
  return sinkpad;
}

static void
release_pad (GstElement *element, GstPad *pad)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (element);
  GstPad *srcpad;

  g_mutex_lock (&self->lock);
  srcpad = self->media.srcpad;
  g_mutex_unlock (&self->lock);
  /* first what a packet on its way may be blocked on, which the other waits for */
  gst_pad_set_active (srcpad, FALSE);
  gst_pad_set_active (pad, FALSE);
  g_mutex_lock (&self->lock);
  self->media.sinkpad = self->media.srcpad = NULL;
  rtp_participant_end_media (self->core, gst_rtcp_avpf_now (self));
  gst_rtcp_avpf_core_wake (self);
  g_mutex_unlock (&self->lock);
  gst_element_remove_pad (element, srcpad);
  gst_element_remove_pad (element, pad);
}

void
gst_rtcp_avpf_media_class_init (GstElementClass *klass)
{
  klass->request_new_pad = request_new_pad;
  klass->release_pad = release_pad;
  gst_element_class_add_static_pad_template (klass, &send_rtp_sink_template);
  gst_element_class_add_static_pad_template (klass, &send_rtp_src_template);
}
