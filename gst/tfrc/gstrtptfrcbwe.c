/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-rtptfrcbwe
 * @title: rtptfrcbwe
 *
 * Congestion control for what passes on its way to rtpsession: in rtpbin by its signal request-aux-sender, in webrtcbin
 * by the signal of the same name. Packets leave paced, frames that cannot arrive in time are skipped whole, and
 * receivers' reports set the rate, of all streams of the session together: transport-wide congestion control (TWCC)
 * where it is negotiated, else receiver reports, with REMB and TMMBR as upper bounds. The rate is the property
 * estimated-bitrate, to be set on the encoder, and an event upstream that ratecontrol obeys.
 *
 * Takes the place of rtpgccbwe: the same pads, and the properties estimated-bitrate, min-bitrate and max-bitrate.
 *
 * <!-- printed: beside plain-receiver, but No RTCP -->
 * |[
 * gst-launch-1.0 rtpbin name=b v4l2src ! videoconvert ! x264enc tune=zerolatency ! ratecontrol ! rtph264pay !
 * rtptfrcbwe ! b.send_rtp_sink_0 b.send_rtp_src_0 ! udpsink host=B port=5004 sync=false async=false
 * b.send_rtcp_src_0 ! udpsink host=B port=5005 sync=false async=false udpsrc port=5007 ! b.recv_rtcp_sink_0
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtptfrcbwe.h"

#include "callweight.h"
#include "gsttfrcmode.h"
#include "gsttfrcrate.h"

GST_DEBUG_CATEGORY (gst_rtp_tfrc_bwe_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_bwe_debug

#define DEFAULT_START_BITRATE 300000
#define DEFAULT_MIN_BITRATE 30000
#define DEFAULT_MAX_BITRATE 8192000
#define DEFAULT_MAX_DELAY (150 * GST_MSECOND)
#define DEFAULT_LOSS_TOLERANCE 10 /* percent */
#define MAX_LOSS_TOLERANCE 20
#define MIN_STATS_INTERVAL (10 * GST_MSECOND)

enum {
  PROP_0,
  PROP_ESTIMATED_BITRATE,
  PROP_MIN_BITRATE,
  PROP_MAX_BITRATE,
  PROP_START_BITRATE,
  PROP_MODE,
  PROP_MAX_DELAY,
  PROP_LOSS_TOLERANCE,
  PROP_PATH_WEIGHT,
  PROP_CIRCUIT_BREAKER,
  PROP_WEIGHTS,
  PROP_STATS,
  PROP_STATS_INTERVAL
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

G_DEFINE_TYPE_WITH_CODE (GstRtpTfrcBwe, gst_rtp_tfrc_bwe, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_rtp_tfrc_bwe_debug, "rtptfrcbwe", 0, "Congestion control in front of rtpsession"));
GST_ELEMENT_REGISTER_DEFINE (rtptfrcbwe, "rtptfrcbwe", GST_RANK_NONE, GST_TYPE_RTP_TFRC_BWE);

/* ---- the sink pad ---- */

static GstFlowReturn
gst_rtp_tfrc_bwe_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (parent);
  GstFlowReturn result;

  if (!g_atomic_int_get (&self->searched))
    gst_rtp_tfrc_find_session (self);
  gst_rtp_tfrc_learn_codec (self, buffer);
  g_mutex_lock (&self->lock);
  result = gst_rtp_tfrc_queue (self, buffer);
  g_mutex_unlock (&self->lock);
  return result;
}

static GstFlowReturn
gst_rtp_tfrc_bwe_chain_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (parent);
  guint i, n = gst_buffer_list_length (list);
  GstFlowReturn result = GST_FLOW_OK;

  if (!g_atomic_int_get (&self->searched))
    gst_rtp_tfrc_find_session (self);
  for (i = 0; i < n; i++)
    gst_rtp_tfrc_learn_codec (self, gst_buffer_list_get (list, i));
  g_mutex_lock (&self->lock);
  for (i = 0; i < n && result == GST_FLOW_OK; i++)
    result = gst_rtp_tfrc_queue (self, gst_buffer_ref (gst_buffer_list_get (list, i)));
  g_mutex_unlock (&self->lock);
  gst_buffer_list_unref (list);
  return result;
}

static void
stop_flow (GstRtpTfrcBwe *self)
{
  g_mutex_lock (&self->lock);
  self->flushing = TRUE;
  gst_rtp_tfrc_flush (self);
  gst_rtp_tfrc_wake (self);
  g_mutex_unlock (&self->lock);
}

static gboolean
flush_start (GstRtpTfrcBwe *self, GstEvent *event)
{
  gboolean done;

  stop_flow (self);
  done = gst_pad_push_event (self->srcpad, event);
  gst_pad_pause_task (self->srcpad);
  return done;
}

/* It takes the segment from the pad: no packet may be on its way, though nobody said that a flush starts. */
static gboolean
flush_stop (GstRtpTfrcBwe *self, GstEvent *event)
{
  gboolean done;

  stop_flow (self);
  gst_pad_pause_task (self->srcpad);
  done = gst_pad_push_event (self->srcpad, event);
  g_mutex_lock (&self->lock);
  self->segment_told = FALSE;
  self->flushing = FALSE;
  self->result = GST_FLOW_OK;
  g_mutex_unlock (&self->lock);
  gst_pad_start_task (self->srcpad, gst_rtp_tfrc_loop, self->srcpad, NULL);
  return done;
}

/* A plain FALSE would be an error to the pad in front, which sends a sticky event anew with its next packet. */
static GstFlowReturn
queue_event (GstRtpTfrcBwe *self, GstEvent *event)
{
  gboolean taken;

  g_mutex_lock (&self->lock);
  taken = self->running && !self->flushing;
  if (taken && GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps;

    gst_event_parse_caps (event, &caps);
    gst_rtp_tfrc_streams_set_caps (&self->streams, caps);
  } else if (taken && GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    const gchar *id;

    gst_event_parse_stream_start (event, &id);
    gst_rtp_tfrc_streams_set_stream_id (&self->streams, id);
  }
  if (taken)
    gst_rtp_tfrc_queue_event (self, event);
  g_mutex_unlock (&self->lock);
  if (!taken)
    gst_event_unref (event);
  return taken ? GST_FLOW_OK : GST_FLOW_FLUSHING;
}

static GstFlowReturn
gst_rtp_tfrc_bwe_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (parent);
  gboolean done;

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    done = flush_start (self, event);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    done = flush_stop (self, event);
  else if (GST_EVENT_IS_SERIALIZED (event))
    return queue_event (self, event);
  else
    done = gst_pad_push_event (self->srcpad, event);
  return done ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* Serialized queries would have to wait for the queue: allocation is refused, as in other elements with a queue. */
static gboolean
gst_rtp_tfrc_bwe_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return FALSE;
  return gst_pad_query_default (pad, parent, query);
}

/* ---- the source pad ---- */

/* Linked anew, maybe to another session. */
static void
on_reconfigure (GstRtpTfrcBwe *self)
{
  g_atomic_int_set (&self->searched, FALSE);
  g_mutex_lock (&self->lock);
  if (self->result == GST_FLOW_NOT_LINKED)
    self->result = GST_FLOW_OK;
  g_mutex_unlock (&self->lock);
}

static gboolean
gst_rtp_tfrc_bwe_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM) {
    const GstStructure *s = gst_event_get_structure (event);

    if (s != NULL && gst_structure_has_name (s, "RTPTWCCPackets"))
      gst_rtp_tfrc_on_twcc (self, s);
    else if (s != NULL && gst_structure_has_name (s, "GstRTPRetransmissionRequest"))
      event = gst_rtp_tfrc_translate_request (self, event);
    else if (s != NULL && gst_structure_has_name (s, "GstRTPCollision"))
      gst_rtp_tfrc_on_collision (self, s);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE) {
    on_reconfigure (self);
  }
  return gst_pad_push_event (self->sinkpad, event);
}

/* Packets leave when the path takes them, not at a time of their own: a sink that waited for one would undo the pacing.
   So nothing is added to the least latency; up to max-delay of data can be held. */
static gboolean
query_latency (GstRtpTfrcBwe *self, GstQuery *query)
{
  GstClockTime min, max;
  gboolean live;

  if (!gst_pad_peer_query (self->sinkpad, query))
    return FALSE;
  gst_query_parse_latency (query, &live, &min, &max);
  g_mutex_lock (&self->lock);
  if (GST_CLOCK_TIME_IS_VALID (max))
    max += self->settings.max_delay;
  g_mutex_unlock (&self->lock);
  gst_query_set_latency (query, live, min, max);
  return TRUE;
}

static gboolean
gst_rtp_tfrc_bwe_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY)
    return query_latency (GST_RTP_TFRC_BWE (parent), query);
  return gst_pad_query_default (pad, parent, query);
}

static gboolean
gst_rtp_tfrc_bwe_src_activate (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  g_mutex_lock (&self->lock);
  self->flushing = !active;
  gst_rtp_tfrc_wake (self);
  g_mutex_unlock (&self->lock);
  return active ? gst_pad_start_task (pad, gst_rtp_tfrc_loop, pad, NULL) : gst_pad_stop_task (pad);
}

static GstStateChangeReturn
gst_rtp_tfrc_bwe_change_state (GstElement *element, GstStateChange transition)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    gst_rtp_tfrc_start (self);
  result = GST_ELEMENT_CLASS (gst_rtp_tfrc_bwe_parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
      (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE)) {
    gst_rtp_tfrc_leave_session (self);
    gst_rtp_tfrc_stop (self);
  }
  return result;
}

/* ---- properties ---- */

static void
gst_rtp_tfrc_bwe_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (object);

  g_mutex_lock (&self->lock);
  switch (id) {
  case PROP_ESTIMATED_BITRATE:
  case PROP_START_BITRATE:
    self->settings.start_bitrate = g_value_get_uint (value);
    if (self->running)
      cc_sender_set_start (
          &self->core, gst_tfrc_bytes_per_second (self->settings.start_bitrate), gst_clock_get_time (self->clock));
    break;
  case PROP_MIN_BITRATE:
    self->settings.min_bitrate = g_value_get_uint (value);
    break;
  case PROP_MAX_BITRATE:
    self->settings.max_bitrate = g_value_get_uint (value);
    break;
  case PROP_MODE:
    self->settings.mode = (CcMode)g_value_get_enum (value);
    break;
  case PROP_MAX_DELAY:
    self->settings.max_delay = g_value_get_uint64 (value);
    break;
  case PROP_LOSS_TOLERANCE:
    self->settings.loss_tolerance = g_value_get_uint (value);
    break;
  case PROP_PATH_WEIGHT:
    self->settings.path_weight = g_value_get_double (value);
    break;
  case PROP_CIRCUIT_BREAKER:
    self->settings.circuit_action = (CircuitAction)g_value_get_enum (value);
    break;
  case PROP_WEIGHTS:
    gst_rtp_tfrc_streams_set_weights (&self->streams, g_value_get_boxed (value));
    break;
  case PROP_STATS_INTERVAL:
    self->settings.stats_interval = g_value_get_uint64 (value);
    if (self->settings.stats_interval > 0)
      self->settings.stats_interval = MAX (self->settings.stats_interval, MIN_STATS_INTERVAL);
    self->stats_at = cc_time_add (gst_clock_get_time (self->clock), self->settings.stats_interval);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  gst_rtp_tfrc_apply_settings (self);
  g_mutex_unlock (&self->lock);
}

static void
gst_rtp_tfrc_bwe_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, gst_rtp_tfrc_stats (self));
    return;
  }
  g_mutex_lock (&self->lock);
  switch (id) {
  case PROP_ESTIMATED_BITRATE:
    g_value_set_uint (value, self->running ? self->estimated : self->settings.start_bitrate);
    break;
  case PROP_START_BITRATE:
    g_value_set_uint (value, self->settings.start_bitrate);
    break;
  case PROP_MIN_BITRATE:
    g_value_set_uint (value, self->settings.min_bitrate);
    break;
  case PROP_MAX_BITRATE:
    g_value_set_uint (value, self->settings.max_bitrate);
    break;
  case PROP_MODE:
    g_value_set_enum (value, self->settings.mode);
    break;
  case PROP_MAX_DELAY:
    g_value_set_uint64 (value, self->settings.max_delay);
    break;
  case PROP_LOSS_TOLERANCE:
    g_value_set_uint (value, self->settings.loss_tolerance);
    break;
  case PROP_PATH_WEIGHT:
    g_value_set_double (value, self->settings.path_weight);
    break;
  case PROP_CIRCUIT_BREAKER:
    g_value_set_enum (value, self->settings.circuit_action);
    break;
  case PROP_WEIGHTS:
    g_value_set_boxed (value, self->streams.weights);
    break;
  case PROP_STATS_INTERVAL:
    g_value_set_uint64 (value, self->settings.stats_interval);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  g_mutex_unlock (&self->lock);
}

static void
gst_rtp_tfrc_bwe_finalize (GObject *object)
{
  GstRtpTfrcBwe *self = GST_RTP_TFRC_BWE (object);

  gst_rtp_tfrc_leave_session (self);
  gst_rtp_tfrc_streams_clear (&self->streams);
  gst_rtp_tfrc_streams_set_weights (&self->streams, NULL);
  gst_clear_object (&self->clock);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_rtp_tfrc_bwe_parent_class)->finalize (object);
}

#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define READ_ONLY (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_rate_properties (GObjectClass *gobject)
{
  g_object_class_install_property (gobject, PROP_ESTIMATED_BITRATE,
      g_param_spec_uint ("estimated-bitrate", "Estimated bitrate",
          "What the encoders of all streams may produce together, bit/s; notifies changes above 2 %. Writing it sets "
          "start-bitrate",
          1, G_MAXUINT, DEFAULT_START_BITRATE, LIVE));
  g_object_class_install_property (gobject, PROP_MIN_BITRATE,
      g_param_spec_uint ("min-bitrate", "Minimum bitrate", "Rate never gone below, bit/s on the wire", 1000, G_MAXUINT,
          DEFAULT_MIN_BITRATE, LIVE));
  g_object_class_install_property (gobject, PROP_MAX_BITRATE,
      g_param_spec_uint ("max-bitrate", "Maximum bitrate",
          "Rate never exceeded, bit/s on the wire (where it is below min-bitrate, min-bitrate holds)", 1000, G_MAXUINT,
          DEFAULT_MAX_BITRATE, LIVE));
  g_object_class_install_property (gobject, PROP_START_BITRATE,
      g_param_spec_uint ("start-bitrate", "Start bitrate", "Rate before the first report, bit/s on the wire", 1000,
          G_MAXUINT, DEFAULT_START_BITRATE, LIVE));
  g_object_class_install_property (gobject, PROP_MODE, gst_tfrc_mode_param_spec (LIVE));
  g_object_class_install_property (gobject, PROP_WEIGHTS,
      g_param_spec_boxed ("weights", "Weights",
          "How several video streams share the rate: a structure with a number ssrc-N for each SSRC N, 0.01 to 100; 1 "
          "where missing (NULL: all alike)",
          GST_TYPE_STRUCTURE, LIVE));
}

static void
install_other_properties (GObjectClass *gobject)
{
  g_object_class_install_property (gobject, PROP_MAX_DELAY,
      g_param_spec_uint64 ("max-delay", "Maximum delay",
          "From arrival here to arrival at the receiver, ns: a frame that would come later gives way to the one behind "
          "it",
          GST_MSECOND, 10 * GST_SECOND, DEFAULT_MAX_DELAY, LIVE));
  g_object_class_install_property (gobject, PROP_LOSS_TOLERANCE,
      g_param_spec_uint ("loss-tolerance", "Loss tolerance",
          "mode=low-delay: up to how many percent of the packets may be lost without lowering the rate where reports "
          "of "
          "every packet show that no congestion loses them (0: every loss counts as TCP would count it)",
          0, MAX_LOSS_TOLERANCE, DEFAULT_LOSS_TOLERANCE, LIVE));
  g_object_class_install_property (gobject, PROP_PATH_WEIGHT,
      g_param_spec_double ("path-weight", "Weight on the path",
          "mode=low-delay: how many times as much of the path as a call of weight 1 of this kind beside it all streams "
          "together have, where reports of every packet come (how they share it is `weights`)",
          1, CALL_WEIGHT_MOST, 1, LIVE));
  g_object_class_install_property (gobject, PROP_CIRCUIT_BREAKER, gst_tfrc_circuit_param_spec ());
  g_object_class_install_property (gobject, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Structure application/x-rtptfrcbwe-stats: rates in bit/s, times in ns, counters", GST_TYPE_STRUCTURE,
          READ_ONLY));
  g_object_class_install_property (gobject, PROP_STATS_INTERVAL,
      g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Time between element messages with the statistics, ns (0: none; 10 ms at least)", 0, G_MAXUINT64 / 4, 0,
          LIVE));
}

static void
gst_rtp_tfrc_bwe_class_init (GstRtpTfrcBweClass *klass)
{
  GObjectClass *gobject = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);

  gobject->set_property = gst_rtp_tfrc_bwe_set_property;
  gobject->get_property = gst_rtp_tfrc_bwe_get_property;
  gobject->finalize = gst_rtp_tfrc_bwe_finalize;
  install_rate_properties (gobject);
  install_other_properties (gobject);
  element->change_state = gst_rtp_tfrc_bwe_change_state;
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "Congestion control for rtpbin and webrtcbin", "Filter/Network/RTP",
      "Paces what goes to rtpsession at the rate the path takes by TWCC or receiver reports, and tells that rate",
      "GStreamer congestion control developers");
}

static void
init_pads (GstRtpTfrcBwe *self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_rtp_tfrc_bwe_chain);
  gst_pad_set_chain_list_function (self->sinkpad, gst_rtp_tfrc_bwe_chain_list);
  gst_pad_set_event_full_function (self->sinkpad, gst_rtp_tfrc_bwe_sink_event);
  gst_pad_set_query_function (self->sinkpad, gst_rtp_tfrc_bwe_sink_query);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, gst_rtp_tfrc_bwe_src_event);
  gst_pad_set_query_function (self->srcpad, gst_rtp_tfrc_bwe_src_query);
  gst_pad_set_activatemode_function (self->srcpad, gst_rtp_tfrc_bwe_src_activate);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

static void
gst_rtp_tfrc_bwe_init (GstRtpTfrcBwe *self)
{
  g_mutex_init (&self->lock);
  g_queue_init (&self->events);
  self->clock = gst_system_clock_obtain ();
  self->settings = (GstRtpTfrcSettings){.mode = CC_MODE_LOW_DELAY,
      .start_bitrate = DEFAULT_START_BITRATE,
      .min_bitrate = DEFAULT_MIN_BITRATE,
      .max_bitrate = DEFAULT_MAX_BITRATE,
      .max_delay = DEFAULT_MAX_DELAY,
      .loss_tolerance = DEFAULT_LOSS_TOLERANCE,
      .path_weight = 1};
  init_pads (self);
}
