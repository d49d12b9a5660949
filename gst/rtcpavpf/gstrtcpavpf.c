/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-rtcpavpf
 * @title: rtcpavpf
 *
 * The RTCP of an RTP session, at the times RFC 3550 and RFC 4585 allow: reports, TFRC and the path rate (REMB and
 * PATH), requests for packets and key units, TWCC, CCFB and TMMBR about the RTP that passes from sink to src; sender
 * reports for, and the answers to what others ask of, the RTP that passes from send_rtp_sink to send_rtp_src.
 *
 * <!-- printed: on B, beside plain-sender -->
 * |[
 * gst-launch-1.0 udpsrc port=5004 caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264" !
 * rtcpavpf name=f ! rtpjitterbuffer ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * f.rtcp_src ! udpsink host=A port=5004 sync=false async=false
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccextension.h"
#include "gstpictureevent.h"
#include "gstrateevent.h"
#include "gstrtcpavpfprivate.h"

#include <gio/gio.h>

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
    GST_DEBUG_CATEGORY_INIT (rtcpavpf_debug, "rtcpavpf", 0, "RTCP with early feedback"))
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

static GstFlowReturn
push_mended (GstRtcpAvpf *self, GstBufferList *mended, GstFlowReturn ret)
{
  if (mended == NULL)
    return ret;
  if (ret == GST_FLOW_OK)
    return gst_pad_push_list (self->srcpad, mended);
  gst_buffer_list_unref (mended);
  return ret;
}

static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstClockTime now = gst_rtcp_avpf_now (self), running = gst_rtcp_avpf_running_time (self, now);
  GstBufferList *mended = NULL;
  GstFlowReturn ret = GST_FLOW_OK;
  gboolean keep;

  g_mutex_lock (&self->lock);
  keep = gst_rtcp_avpf_receive (self, &buffer, running, now);
  gst_rtcp_avpf_take_mended (self, buffer, &mended, now);
  g_mutex_unlock (&self->lock);
  gst_rtcp_avpf_deliver (self);
  if (keep)
    ret = gst_pad_push (self->srcpad, buffer);
  else
    gst_buffer_unref (buffer);
  return push_mended (self, mended, ret);
}

typedef struct {
  GstRtcpAvpf *self;
  GstClockTime now, running;
  GstBufferList *mended; /* NULL: none */
} ListContext;

static gboolean
on_list_buffer (GstBuffer **buffer, guint index, gpointer user)
{
  ListContext *c = user;
  gboolean keep = gst_rtcp_avpf_receive (c->self, buffer, c->running, c->now);

  gst_rtcp_avpf_take_mended (c->self, *buffer, &c->mended, c->now);
  if (!keep)
    gst_clear_buffer (buffer);
  return TRUE;
}

static GstFlowReturn
chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  ListContext context = {.self = self, .now = gst_rtcp_avpf_now (self)};
  GstFlowReturn ret = GST_FLOW_OK;

  context.running = gst_rtcp_avpf_running_time (self, context.now);
  list = gst_buffer_list_make_writable (list);
  g_mutex_lock (&self->lock);
  gst_buffer_list_foreach (list, on_list_buffer, &context);
  g_mutex_unlock (&self->lock);
  gst_rtcp_avpf_deliver (self);
  if (gst_buffer_list_length (list) > 0)
    ret = gst_pad_push_list (self->srcpad, list);
  else
    gst_buffer_list_unref (list);
  return push_mended (self, context.mended, ret);
}

static GstFlowReturn
rtcp_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (parent);
  GstClockTime now = gst_rtcp_avpf_now (self), running = gst_rtcp_avpf_running_time (self, now);

  g_mutex_lock (&self->lock);
  gst_rtcp_avpf_receive_rtcp (self, buffer, running, now);
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
  RtpStreamInfo info;
  gint clock_rate = 0;

  gst_structure_get_int (s, "clock-rate", &clock_rate);
  info.clock_rate = clock_rate > 0 ? (guint)clock_rate : 0;
  info.codec = rtp_codec_from_name (gst_structure_get_string (s, "encoding-name"));
  info.is_video = media != NULL ? g_str_equal (media, "video") : info.codec != RTP_CODEC_UNKNOWN;
  info.stamp_id = gst_cc_extension_id_from_caps (caps);
  info.twcc_id = gst_cc_extension_id_of (caps, GST_CC_TWCC_URI);
  info.rate_id = gst_cc_extension_id_of (caps, ERF_EXTENSION_URI);
  g_mutex_lock (&self->lock);
  gst_rtcp_avpf_core_set_caps (self, &info);
  g_mutex_unlock (&self->lock);
}

static gboolean
is_multicast (const gchar *uri_string)
{
  GstUri *uri = gst_uri_from_string (uri_string);
  const gchar *host = uri != NULL ? gst_uri_get_host (uri) : NULL;
  GInetAddress *address = host != NULL ? g_inet_address_new_from_string (host) : NULL;
  gboolean multicast = address != NULL && g_inet_address_get_is_multicast (address);

  g_clear_object (&address);
  if (uri != NULL)
    gst_uri_unref (uri);
  return multicast;
}

/* Whether what arrives was sent to a group: the source upstream knows where it listens. Without the lock. */
static void
look_for_multicast (GstRtcpAvpf *self)
{
  GstQuery *query = gst_query_new_uri ();
  gchar *uri = NULL;

  if (gst_pad_peer_query (self->sinkpad, query))
    gst_query_parse_uri (query, &uri);
  g_mutex_lock (&self->lock);
  self->multicast = uri != NULL && is_multicast (uri);
  gst_rtcp_avpf_core_apply (self);
  g_mutex_unlock (&self->lock);
  g_free (uri);
  gst_query_unref (query);
}

/* Also where the last one has ended. */
static void
on_stream_start (GstRtcpAvpf *self)
{
  g_mutex_lock (&self->lock);
  self->receiving_ended = FALSE;
  g_mutex_unlock (&self->lock);
  gst_rtcp_avpf_begin_again (self);
}

static void
on_flush_stop (GstRtcpAvpf *self)
{
  g_mutex_lock (&self->lock);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  g_mutex_unlock (&self->lock);
  on_stream_start (self);
}

static void
on_eos (GstRtcpAvpf *self)
{
  gboolean goes_on;

  g_mutex_lock (&self->lock);
  self->receiving_ended = TRUE;
  goes_on = gst_rtcp_avpf_media_goes_on (self);
  g_mutex_unlock (&self->lock);
  if (!goes_on)
    gst_rtcp_avpf_thread_interrupt (self, TRUE);
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
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
    look_for_multicast (self);
    break;
  case GST_EVENT_SEGMENT:
    g_mutex_lock (&self->lock);
    gst_event_copy_segment (event, &self->segment);
    g_mutex_unlock (&self->lock);
    break;
  case GST_EVENT_EOS:
    on_eos (self);
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

static gboolean
want_key_unit (GstRtcpAvpf *self, const GstStructure *structure, GstClockTime now)
{
  gboolean all_headers = FALSE, has_ssrc;
  guint ssrc = 0;

  gst_structure_get_boolean (structure, "all-headers", &all_headers);
  has_ssrc = gst_structure_get_uint (structure, "ssrc", &ssrc);
  return rtp_participant_want_key_unit (self->core, has_ssrc, ssrc, all_headers, now);
}

static GstClockTime
get_ms (const GstStructure *structure, const gchar *name)
{
  guint ms;

  return gst_structure_get_uint (structure, name, &ms) ? ms * GST_MSECOND : 0;
}

/* RTPJitterBuffer's request: ssrc, seqnum, and in ms how long the packet is of use (deadline) and the RTT it measured.
 */
static gboolean
want_packet (GstRtcpAvpf *self, const GstStructure *structure, GstClockTime now)
{
  GstClockTime deadline = get_ms (structure, "deadline");
  RtpWantedPacket wanted = {
      .rtt = get_ms (structure, "avg-rtt"), .deadline = deadline > 0 ? now + deadline : GST_CLOCK_TIME_NONE};
  guint seq;

  if (!gst_structure_get_uint (structure, "seqnum", &seq))
    return FALSE;
  wanted.seq = (guint16)seq;
  wanted.has_ssrc = gst_structure_get_uint (structure, "ssrc", &wanted.ssrc);
  return rtp_participant_want_packet (self->core, &wanted, now);
}

/* What has become of a picture. */
static gboolean
tell_picture (GstRtcpAvpf *self, const GstPictureInfo *info, GstClockTime now)
{
  guint8 fci[GST_PICTURE_FCI_SIZE];
  RtpAppFeedback fb = {.type = RTCP_FB_PSFB, .media = info->ssrc, .fci = fci, .max_delay = GST_CLOCK_TIME_NONE};

  fb.size = gst_picture_info_to_fci (info, fci, &fb.fmt);
  return rtp_participant_tell_picture (self->core, &fb, now);
}

/* What a sender downstream may send: of packets that come here, by their SSRC, where nobody has coded them anew. */
static gboolean
on_rate (GstRtcpAvpf *self, const GstStructure *structure, const GstRateInfo *info, GstClockTime now)
{
  GstRateInfo least;
  guint ssrc;

  if (!gst_structure_get_uint (structure, GST_RATE_EVENT_SSRC, &ssrc))
    return FALSE;
  least = gst_rate_senders_on_rate (&self->relays, info, ssrc, now);
  return !least.pause && rtp_participant_on_relay (self->core, ssrc, least.bitrate / 8.0, now);
}

/* The decoder's wish for a key unit, the jitter buffer's for a packet, news of a picture, a rate. */
static gboolean
on_request (GstRtcpAvpf *self, GstEvent *event)
{
  const GstStructure *structure = gst_event_get_structure (event);
  GstClockTime now = gst_rtcp_avpf_now (self);
  GstPictureInfo picture;
  GstRateInfo rate;
  gboolean taken = FALSE;

  g_mutex_lock (&self->lock);
  if (gst_structure_has_name (structure, "GstForceKeyUnit"))
    taken = want_key_unit (self, structure, now);
  else if (gst_structure_has_name (structure, "GstRTPRetransmissionRequest"))
    taken = want_packet (self, structure, now);
  else if (gst_picture_event_parse (event, &picture))
    taken = tell_picture (self, &picture, now);
  else if (gst_rate_event_parse (event, &rate))
    taken = on_rate (self, structure, &rate, now);
  gst_rtcp_avpf_core_wake (self);
  g_mutex_unlock (&self->lock);
  return taken;
}

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM || gst_event_get_structure (event) == NULL ||
      !on_request (GST_RTCP_AVPF (parent), event))
    return gst_pad_event_default (pad, parent, event);
  gst_event_unref (event);
  return TRUE;
}

/* Who sends on what comes here is heard: its sender is told. */
static gboolean
hears_rates_of (GstRtcpAvpf *self, GstQuery *query)
{
  gboolean hears;
  guint ssrc;

  if (!gst_rate_reader_is_asked_for (query) ||
      !gst_structure_get_uint (gst_query_get_structure (query), GST_RATE_EVENT_SSRC, &ssrc))
    return FALSE;
  g_mutex_lock (&self->lock);
  hears = rtp_sources_find (&self->core->sources, ssrc) != NULL;
  g_mutex_unlock (&self->lock);
  return hears;
}

static gboolean
src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  return hears_rates_of (GST_RTCP_AVPF (parent), query) || gst_pad_query_default (pad, parent, query);
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

/* ---- action signals ---- */

static gboolean
send_feedback (GstRtcpAvpf *self, guint type, guint fbtype, guint media, GstBuffer *fci, guint64 max_delay)
{
  RtpAppFeedback fb = {.type = type, .fmt = fbtype, .media = media, .max_delay = max_delay};
  GstClockTime now = gst_rtcp_avpf_now (self);
  GstMapInfo map = GST_MAP_INFO_INIT;
  gboolean taken;

  if (fci != NULL && !gst_buffer_map (fci, &map, GST_MAP_READ))
    return FALSE;
  fb.fci = map.data;
  fb.size = map.size;
  g_mutex_lock (&self->lock);
  taken = rtp_participant_queue_feedback (self->core, &fb, now);
  gst_rtcp_avpf_core_wake (self);
  g_mutex_unlock (&self->lock);
  if (fci != NULL)
    gst_buffer_unmap (fci, &map);
  return taken;
}

static gboolean
send_rtcp (GstRtcpAvpf *self, guint64 max_delay)
{
  GstClockTime now = gst_rtcp_avpf_now (self);
  gboolean granted;

  g_mutex_lock (&self->lock);
  granted = rtp_participant_request_report (self->core, max_delay, now);
  gst_rtcp_avpf_core_wake (self);
  g_mutex_unlock (&self->lock);
  return granted;
}

static void
install_actions (GType type)
{
  const GSignalFlags flags = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;

  /**
   * GstRtcpAvpf::send-feedback:
   * @type: 206, payload specific feedback, or 204, APP
   * @fbtype: 2 SLI, 3 RPSI, 15 application feedback; of APP the subtype
   * @media: SSRC of who is told
   * @fci: what follows the two SSRCs; of APP the name and the data
   * @max_delay: how late it is still of use in ns, -1 always
   *
   * Sends feedback as early as RFC 4585 allows, unless another member has said the same by then.
   *
   * Returns: FALSE where it could not be in time, is of another kind, or where nobody is there.
   */
  g_signal_new_class_handler ("send-feedback", type, flags, G_CALLBACK (send_feedback), NULL, NULL, NULL,
      G_TYPE_BOOLEAN, 5, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_UINT, GST_TYPE_BUFFER, G_TYPE_UINT64);
  /**
   * GstRtcpAvpf::send-rtcp:
   * @max_delay: how late it is still of use in ns, -1 always
   *
   * Sends a packet as early as RFC 4585 allows.
   *
   * Returns: FALSE where it could not be in time.
   */
  g_signal_new_class_handler (
      "send-rtcp", type, flags, G_CALLBACK (send_rtcp), NULL, NULL, NULL, G_TYPE_BOOLEAN, 1, G_TYPE_UINT64);
}

/* ---- element ---- */

/* Who is named and cannot be read must not mean anybody. */
static gboolean
check_peer (GstRtcpAvpf *self)
{
  gboolean readable;
  gchar *peer;

  g_mutex_lock (&self->lock);
  readable = gst_rtcp_avpf_has_readable_peer (self);
  peer = g_strdup (self->settings.peer_address);
  g_mutex_unlock (&self->lock);
  if (!readable)
    GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
        ("peer-address=%s cannot be used: it takes a numeric address, as 192.0.2.1 or 2001:db8::1, without a port.",
            peer),
        (NULL));
  g_free (peer);
  return readable;
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRtcpAvpf *self = GST_RTCP_AVPF (element);

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !check_peer (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    g_mutex_lock (&self->lock);
    gst_rtcp_avpf_reset (self);
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

  gst_rtcp_avpf_core_clear (self);
  gst_rtcp_avpf_outbox_clear (self);
  gst_rtcp_avpf_settings_clear (&self->settings);
  gst_object_unref (self->system_clock);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rtcp_avpf_init (GstRtcpAvpf *self)
{
  g_mutex_init (&self->lock);
  self->system_clock = gst_system_clock_obtain ();
  gst_rtcp_avpf_outbox_init (self);
  gst_rtcp_avpf_settings_init (&self->settings);
  gst_rtcp_avpf_reset (self);

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
  gst_pad_set_query_function (self->srcpad, src_query);
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
  install_actions (G_TYPE_FROM_CLASS (klass));
  gst_rtcp_avpf_media_class_init (element_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_sink_template);
  gst_element_class_add_static_pad_template (element_class, &rtcp_src_template);
  gst_element_class_set_static_metadata (element_class, "RTCP with early feedback", "Filter/Network/RTP",
      "Sends and answers the RTCP of an RTP session (RFC 3550, 4585, 5104, 5348, 5506, 8108, 8888)",
      "GStreamer congestion control developers");
  gst_type_mark_as_plugin_api (GST_TYPE_RTCP_AVPF_FEEDBACK, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTCP_AVPF_GROUP, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTCP_AVPF_RECONSIDERATION, 0);
}
