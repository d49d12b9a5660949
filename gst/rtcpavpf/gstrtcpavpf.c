/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-rtcpavpf
 * @title: rtcpavpf
 *
 * Listens to RTP that passes through and answers with RTCP: receiver reports, TFRC reports, the path rate (REMB and
 * PATH) and key unit requests, at the times RFC 3550 and RFC 4585 allow.
 *
 * |[
 * gst-launch-1.0 udpsrc port=5004 caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264" !
 * rtcpavpf name=f ! rtpjitterbuffer ! rtph264depay ! avdec_h264 ! autovideosink f.rtcp_src ! udpsink host=A port=5004
 * sync=false async=false
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccextension.h"
#include "gstccrtcp.h"
#include "gstrtcpavpfprivate.h"

GST_DEBUG_CATEGORY (rtcpavpf_debug);

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate rtcp_sink_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtcp"));
static GstStaticPadTemplate rtcp_src_template =
    GST_STATIC_PAD_TEMPLATE ("rtcp_src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtcp"));

#define gst_rtcp_avpf_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRtcpAvpf, gst_rtcp_avpf, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (rtcpavpf_debug, "rtcpavpf", 0, "RTCP feedback of an RTP receiver"))
GST_ELEMENT_REGISTER_DEFINE (rtcpavpf, "rtcpavpf", GST_RANK_NONE, GST_TYPE_RTCP_AVPF)

/* ---- pads ---- */

static gboolean
rtcp_src_activate_mode (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  if (active)
    return gst_rtcp_avpf_thread_start (self);
  gst_rtcp_avpf_thread_interrupt (self, FALSE);
  return gst_pad_stop_task (pad);
}

static GstClockTime
running_time_now (GstRtcpAvpf *self, GstClockTime system_now)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));
  GstClockTime base = gst_element_get_base_time (GST_ELEMENT (self)), now;

  if (clock == NULL)
    return GST_CLOCK_TIME_NONE;
  now = clock == self->system_clock ? system_now : gst_clock_get_time (clock);
  gst_object_unref (clock);
  return now >= base ? now - base : GST_CLOCK_TIME_NONE;
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstClockTime now = gst_rtcp_avpf_now (self), running = running_time_now (self, now);
  gboolean keep;

  g_mutex_lock (&self->lock);
  keep = gst_rtcp_avpf_receive (self, buffer, running, now);
  g_mutex_unlock (&self->lock);
  gst_rtcp_avpf_deliver (self);
  if (keep)
    return gst_pad_push (self->srcpad, buffer);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

typedef struct {
  GstRtcpAvpf *self;
  GstClockTime now, running;
} ListContext;

static gboolean
on_list_buffer (GstBuffer **buffer, guint index, gpointer user)
{
  ListContext *c = user;

  if (!gst_rtcp_avpf_receive (c->self, *buffer, c->running, c->now))
    gst_clear_buffer (buffer);
  return TRUE;
}

static GstFlowReturn
chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  ListContext context = {.self = self, .now = gst_rtcp_avpf_now (self)};

  context.running = running_time_now (self, context.now);
  list = gst_buffer_list_make_writable (list);
  g_mutex_lock (&self->lock);
  gst_buffer_list_foreach (list, on_list_buffer, &context);
  g_mutex_unlock (&self->lock);
  gst_rtcp_avpf_deliver (self);
  if (gst_buffer_list_length (list) > 0)
    return gst_pad_push_list (self->srcpad, list);
  gst_buffer_list_unref (list);
  return GST_FLOW_OK;
}

static GstFlowReturn
rtcp_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstClockTime now = gst_rtcp_avpf_now (self), running = running_time_now (self, now);

  g_mutex_lock (&self->lock);
  gst_rtcp_avpf_receive_rtcp (self, buffer, gst_rtcp_avpf_buffer_age (self, buffer, running), now);
  g_mutex_unlock (&self->lock);
  gst_rtcp_avpf_deliver (self);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
on_caps (GstRtcpAvpf *self, GstCaps *caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *media = gst_structure_get_string (s, "media");
  gint clock_rate = 0;
  guint i;

  gst_structure_get_int (s, "clock-rate", &clock_rate);
  g_mutex_lock (&self->lock);
  self->clock_rate = clock_rate > 0 ? (guint)clock_rate : 0;
  self->codec = rtp_codec_from_name (gst_structure_get_string (s, "encoding-name"));
  self->is_video = media != NULL ? g_str_equal (media, "video") : self->codec != RTP_CODEC_UNKNOWN;
  self->caps_extension_id = gst_cc_extension_id_from_caps (caps);
  self->found_extension_id = 0;
  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (self->table.sources[i] != NULL) {
      self->table.sources[i]->reception.clock_rate = self->clock_rate;
      self->table.sources[i]->key.params.repeat = rtp_codec_tells_key_units (self->codec);
    }
  g_mutex_unlock (&self->lock);
}

static void
reset (GstRtcpAvpf *self)
{
  avpf_source_table_clear (&self->table);
  self->table.evicted = self->table.refused = self->table.byes = self->table.timeouts = 0;
  self->eos = self->bye_sent = self->rtcp_started = FALSE;
  self->behind_since = GST_CLOCK_TIME_NONE;
  avpf_local_table_init (&self->locals, g_random_int ());
  self->collided_at = GST_CLOCK_TIME_NONE;
  self->receive_bps = 0;
  self->wire_bytes = 0;
  self->packets = self->bad_packets = self->unproven = self->bad_rtcp = self->rtcp_received = 0;
  self->rtcp_sent = self->rtcp_bytes_sent = self->feedback_discarded = self->collisions = 0;
  self->found_extension_id = 0;
  self->stats_at = 0;
  self->housekept_at = gst_rtcp_avpf_now (self);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
}

/* A stream that goes on after its end is a new participant's. */
static void
on_flush_stop (GstRtcpAvpf *self)
{
  gboolean ended;

  g_mutex_lock (&self->lock);
  ended = self->eos;
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  g_mutex_unlock (&self->lock);
  if (!ended)
    return;
  gst_pad_stop_task (self->rtcp_srcpad);
  g_mutex_lock (&self->lock);
  reset (self);
  g_mutex_unlock (&self->lock);
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_flush_start ());
  gst_pad_push_event (self->rtcp_srcpad, gst_event_new_flush_stop (TRUE));
  gst_rtcp_avpf_thread_start (self);
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_CAPS:
    gst_event_parse_caps (event, &caps);
    on_caps (self, caps);
    break;
  case GST_EVENT_SEGMENT:
    g_mutex_lock (&self->lock);
    gst_event_copy_segment (event, &self->segment);
    g_mutex_unlock (&self->lock);
    break;
  case GST_EVENT_EOS:
    gst_rtcp_avpf_thread_interrupt (self, TRUE);
    break;
  case GST_EVENT_FLUSH_STOP:
    on_flush_stop (self);
    break;
  default:
    break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
rtcp_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* The decoder's request becomes a PLI (a FIR where all headers are wanted). */
static void
on_force_key_unit (GstRtcpAvpf *self, const GstStructure *structure)
{
  gboolean all_headers = FALSE;
  GstClockTime now = gst_rtcp_avpf_now (self);
  AvpfSource *s;
  guint ssrc;

  gst_structure_get_boolean (structure, "all-headers", &all_headers);
  g_mutex_lock (&self->lock);
  if (gst_structure_get_uint (structure, "ssrc", &ssrc))
    s = avpf_source_table_find (&self->table, ssrc);
  else
    s = avpf_source_table_main (&self->table);
  if (s != NULL) {
    key_request_want (&s->key, all_headers);
    if (key_request_next_timeout (&s->key) <= now)
      gst_rtcp_avpf_request_feedback (self, now);
    gst_rtcp_avpf_wake_before (self, avpf_source_next_timeout (s));
  }
  g_mutex_unlock (&self->lock);
}

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  const GstStructure *structure = gst_event_get_structure (event);

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM || structure == NULL ||
      !gst_structure_has_name (structure, "GstForceKeyUnit"))
    return gst_pad_event_default (pad, parent, event);
  on_force_key_unit (GST_RTCP_AVPF (parent), structure);
  gst_event_unref (event);
  return TRUE;
}

/* Nothing of the media pads is linked to the RTCP pads. */
static GstIterator *
iterate_internal_links (GstPad *pad, GstObject *parent)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GValue value = G_VALUE_INIT;
  GstIterator *it;

  if (pad != self->sinkpad && pad != self->srcpad)
    return gst_iterator_new_single (GST_TYPE_PAD, NULL);
  g_value_init (&value, GST_TYPE_PAD);
  g_value_set_object (&value, pad == self->sinkpad ? self->srcpad : self->sinkpad);
  it = gst_iterator_new_single (GST_TYPE_PAD, &value);
  g_value_unset (&value);
  return it;
}

/* ---- element ---- */

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_mutex_lock (&self->lock);
    reset (self);
    g_mutex_unlock (&self->lock);
  } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
    gst_rtcp_avpf_say_bye (self);
  }
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

static void
finalize (GObject *object)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (object);

  avpf_source_table_clear (&self->table);
  gst_rtcp_avpf_outbox_clear (self);
  gst_rtcp_avpf_settings_clear (&self->settings);
  gst_object_unref (self->system_clock);
  g_free (self->cname);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtcp_avpf_init (GstRtcpAvpf *self)
{
  g_mutex_init (&self->lock);
  self->system_clock = gst_system_clock_obtain ();
  self->cname = gst_cc_rtcp_new_cname ();
  gst_rtcp_avpf_outbox_init (self);
  gst_rtcp_avpf_settings_init (&self->settings);
  reset (self);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, chain);
  gst_pad_set_chain_list_function (self->sinkpad, chain_list);
  gst_pad_set_event_function (self->sinkpad, sink_event);
  gst_pad_set_iterate_internal_links_function (self->sinkpad, iterate_internal_links);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, src_event);
  gst_pad_set_iterate_internal_links_function (self->srcpad, iterate_internal_links);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);

  self->rtcp_sinkpad = gst_pad_new_from_static_template (&rtcp_sink_template, "rtcp_sink");
  gst_pad_set_chain_function (self->rtcp_sinkpad, rtcp_chain);
  gst_pad_set_event_function (self->rtcp_sinkpad, rtcp_sink_event);
  gst_pad_set_iterate_internal_links_function (self->rtcp_sinkpad, iterate_internal_links);
  gst_element_add_pad (GST_ELEMENT (self), self->rtcp_sinkpad);

  self->rtcp_srcpad = gst_pad_new_from_static_template (&rtcp_src_template, "rtcp_src");
  gst_pad_set_activatemode_function (self->rtcp_srcpad, rtcp_src_activate_mode);
  gst_pad_set_iterate_internal_links_function (self->rtcp_srcpad, iterate_internal_links);
  gst_pad_use_fixed_caps (self->rtcp_srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->rtcp_srcpad);
}

static void
gst_rtcp_avpf_class_init (GstRtcpAvpfClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->finalize = finalize;
  element_class->change_state = change_state;
  gst_rtcp_avpf_install_properties (object_class);
  gst_rtcp_avpf_install_signals (G_TYPE_FROM_CLASS (klass));

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_sink_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_src_template);
  gst_element_class_set_static_metadata (element_class, "RTCP feedback", "Filter/Network/RTP",
      "Answers RTP with receiver reports, TFRC and path rate feedback and key unit requests (RFC 3550, 4585, 5348)",
      "GStreamer congestion control developers");
  gst_type_mark_as_plugin_api (GST_TYPE_RTCP_AVPF_FEEDBACK, 0);
}
