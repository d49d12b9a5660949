/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-ratecontrol
 *
 * Stands between a video encoder and its payloader, reads the rate the sender downstream publishes as an upstream
 * event, and sets the encoder to it.
 *
 * <!-- printed: beside receiver -->
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! x264enc tune=zerolatency ! ratecontrol ! rtph264pay ! tfrcsink host=B
 * port=5004
 * ]|
 *
 * With mode=quantizer it sets the quantizer of each frame by a virtual leaky bucket instead, here of 600 kbit/s.
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=300 ! vp8enc ! ratecontrol mode=quantizer start-bitrate=600000 ! fakesink
 * ]|
 *
 * Of an encoder that it does not know the user names the property that takes the rate, and its unit in bit/s.
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=300 ! x264enc ! ratecontrol bitrate-property=bitrate bitrate-unit=1000 !
 * fakesink
 * ]|
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstratecontrol.h"

#include "encoder420.h"
#include "encoderchoice.h"
#include "encoderfinder.h"
#include "encoderhold.h"
#include "framegate.h"
#include "gstrateevent.h"
#include "keyunitgate.h"
#include "ratecontrolsettings.h"
#include "ratelaw.h"
#include "ratenotices.h"

GST_DEBUG_CATEGORY_STATIC (rate_control_debug);
#define GST_CAT_DEFAULT rate_control_debug

static GParamSpec *const *properties;

struct _GstRateControl {
  GstBaseTransform parent;
  /* All below is guarded by the object lock. */
  RateControlSettings settings;
  RateLaw law;
  KeyUnitGate key_units;
  FrameGate *frames; /* guards itself */
  RateNotices notices;

  EncoderHold held;
  /* Held while the encoder is being set, so that an older value never overtakes a newer one. Only ever tried. */
  GMutex applying;
};

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (ENCODED_VIDEO));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (ENCODED_VIDEO));

#define gst_rate_control_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRateControl, gst_rate_control, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (rate_control_debug, "ratecontrol", 0, "encoder rate control"));
GST_ELEMENT_REGISTER_DEFINE (ratecontrol, "ratecontrol", GST_RANK_NONE, GST_TYPE_RATE_CONTROL);

/* Its own quantizers again. Both may be NULL. */
static void
leave_quantizer (GstRateControl *self, const EncoderRow *row, GstElement *encoder)
{
  QuantizerOrder order;

  GST_OBJECT_LOCK (self);
  order = rate_law_leave (&self->law);
  GST_OBJECT_UNLOCK (self);
  if (encoder && row)
    quantizer_order_carry_out (row, encoder, &order);
}

/* Before the first frame: from here on the encoder has the nominal quantizer. */
static void
begin_quantizer (GstRateControl *self, const EncoderRow *row, GstElement *encoder, guint value)
{
  QuantizerOrder order;

  leave_quantizer (self, row, encoder); /* its own bounds are read below */
  GST_OBJECT_LOCK (self);
  order = rate_law_take_quantizer (&self->law, encoder, encoder_hold_has_set (&self->held, "vbv-buf-capacity"), value);
  GST_OBJECT_UNLOCK (self);
  quantizer_order_carry_out (row, encoder, &order);
}

static EncoderChoice
choose (GstRateControl *self, GstElement *encoder)
{
  EncoderChoice choice;

  GST_OBJECT_LOCK (self);
  choice = encoder_choice_make (encoder, self->settings.bitrate_property, self->settings.bitrate_unit);
  GST_OBJECT_UNLOCK (self);
  return choice;
}

/* What is set of an encoder that is taken over; *start: bit/s it has now, 0: what the user gave it. */
static gchar *
prepare (GstRateControl *self, const EncoderChoice *choice, guint *start)
{
  gboolean configure;

  GST_OBJECT_LOCK (self);
  configure = self->settings.configure_encoder;
  *start = configure && choice->row ? rate_control_settings_start (&self->settings) : 0;
  self->held.outdated = FALSE;
  GST_OBJECT_UNLOCK (self);
  return configure && choice->row ? encoder_choice_prepare (choice, GST_ELEMENT (self), start) : NULL;
}

static void
adopt (GstRateControl *self, GstElement *encoder)
{
  EncoderChoice choice = choose (self, encoder);
  guint start;
  gchar *configured = prepare (self, &choice, &start);
  guint value = choice.row ? encoder_row_get (choice.row, encoder) : 0;

  GST_OBJECT_LOCK (self);
  encoder_hold_take (&self->held, encoder, configured, value);
  rate_law_take_encoder (&self->law, choice.row, start, value);
  GST_OBJECT_UNLOCK (self);
  frame_gate_watch (self->frames, encoder);
  if (choice.row)
    begin_quantizer (self, choice.row, encoder, value);
  GST_INFO_OBJECT (self, "encoder is %" GST_PTR_FORMAT "%s", encoder, choice.row ? "" : ", not in the table");
  encoder_choice_clear (&choice);
}

/* TRUE: the encoder is as it was before it was taken over, as other properties hold now. Not while it runs. */
static gboolean
release_outdated (GstRateControl *self, GstElement *encoder)
{
  const EncoderRow *row;
  EncoderHeld held;
  gboolean outdated;

  GST_OBJECT_LOCK (self);
  outdated = self->held.outdated;
  row = self->law.row;
  GST_OBJECT_UNLOCK (self);
  if (!outdated || !encoder_choice_may_prepare (encoder))
    return FALSE;
  leave_quantizer (self, row, encoder);
  GST_OBJECT_LOCK (self);
  held = encoder_hold_get (&self->held);
  GST_OBJECT_UNLOCK (self);
  encoder_held_take_back (&held, row, encoder);
  return TRUE;
}

/* Looks for the encoder anew and takes it over where it is another one, or is to be prepared otherwise. */
static void
look_for_encoder (GstRateControl *self)
{
  GstElement *found = NULL, *known;

  GST_OBJECT_LOCK (self);
  known = g_weak_ref_get (&self->held.encoder);
  if (self->settings.encoder)
    found = gst_object_ref (self->settings.encoder);
  GST_OBJECT_UNLOCK (self);
  if (found == NULL)
    found = encoder_finder_search (GST_BASE_TRANSFORM_SINK_PAD (self));
  if (found && (found != known || release_outdated (self, found)))
    adopt (self, found);
  g_clear_object (&known);
  g_clear_object (&found);
}

static GstElement *
get_encoder (GstRateControl *self, const EncoderRow **row)
{
  GstElement *encoder;

  GST_OBJECT_LOCK (self);
  encoder = g_weak_ref_get (&self->held.encoder);
  *row = self->law.row;
  GST_OBJECT_UNLOCK (self);
  return encoder;
}

static gboolean
may_configure (GstRateControl *self)
{
  gboolean configure;

  GST_OBJECT_LOCK (self);
  configure = self->settings.configure_encoder;
  GST_OBJECT_UNLOCK (self);
  return configure;
}

/* Once the first frame has come there is an encoder, or there is none. */
static void
check_encoder (GstRateControl *self)
{
  const EncoderRow *row;
  GstElement *encoder = get_encoder (self, &row);
  EncoderChoice choice = {NULL};
  gboolean first, wants_quantizer;

  GST_OBJECT_LOCK (self);
  first = !self->held.checked;
  self->held.checked = TRUE;
  wants_quantizer = self->settings.law.mode == RATE_LAW_QUANTIZER;
  GST_OBJECT_UNLOCK (self);
  if (encoder && first)
    choice = choose (self, encoder);
  if (first)
    encoder_choice_tell (&choice, GST_ELEMENT (self), wants_quantizer);
  encoder_choice_clear (&choice);
  g_clear_object (&encoder);
}

/* key: the next frame has been asked to be a key frame. */
static void
apply (GstRateControl *self, gboolean frame, gboolean key)
{
  const EncoderRow *row;
  GstElement *encoder;
  RateLawOrder order;
  guint before;
  gboolean changed;

  if (!g_mutex_trylock (&self->applying)) /* the other thread is at it; the next frame brings the next chance */
    return;
  encoder = get_encoder (self, &row);
  GST_OBJECT_LOCK (self);
  before = self->law.bitrate;
  order = encoder ? rate_law_next (&self->law, frame, key) : rate_law_nothing ();
  changed = before != self->law.bitrate;
  GST_OBJECT_UNLOCK (self);
  if (encoder)
    quantizer_order_carry_out (row, encoder, &order.quantizer);
  if (order.value > 0) {
    GST_LOG_OBJECT (self, "%s=%u", row->property, order.value);
    encoder_row_set (row, encoder, order.value);
  }
  g_mutex_unlock (&self->applying);
  g_clear_object (&encoder);
  if (changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BITRATE]);
}

static void
on_rate (GstRateControl *self, const GstRateInfo *info)
{
  gboolean quantizer, changed;
  guint before;

  GST_OBJECT_LOCK (self);
  before = self->law.bitrate;
  rate_law_on_rate (&self->law, info);
  frame_gate_close (self->frames, rate_law_pauses (&self->law));
  quantizer = rate_law_sets_quantizer (&self->law);
  changed = before != self->law.bitrate;
  GST_OBJECT_UNLOCK (self);
  if (!quantizer)
    apply (self, FALSE, FALSE);
  else if (changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BITRATE]);
}

/* TRUE where the request may go on now. */
static gboolean
admit_key_unit (GstRateControl *self, GstEvent *event)
{
  gboolean due;

  GST_OBJECT_LOCK (self);
  due = key_unit_gate_admit (&self->key_units, event, self->law.time.now,
      rate_law_key_spacing (&self->law, self->settings.min_key_unit_interval));
  GST_OBJECT_UNLOCK (self);
  return due;
}

static GstEvent *
take_waiting_key_unit (GstRateControl *self)
{
  GstEvent *event;

  GST_OBJECT_LOCK (self);
  event = key_unit_gate_take (
      &self->key_units, self->law.time.now, rate_law_key_spacing (&self->law, self->settings.min_key_unit_interval));
  GST_OBJECT_UNLOCK (self);
  return event;
}

static gboolean
gst_rate_control_src_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRateControl *self = GST_RATE_CONTROL (trans);
  GstRateInfo info;

  if (gst_rate_event_parse (event, &info)) {
    on_rate (self, &info);
  } else if (key_unit_gate_is_asked (event) && !admit_key_unit (self, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->src_event (trans, event);
}

static GstStructure *
make_stats (GstRateControl *self)
{
  GstStructure *s;

  GST_OBJECT_LOCK (self);
  s = rate_law_stats (&self->law);
  gst_structure_set (s, "encoder", G_TYPE_STRING, self->held.name, "configured", G_TYPE_STRING, self->held.configured,
      "key-units-asked", G_TYPE_UINT64, self->key_units.asked, "key-units-merged", G_TYPE_UINT64,
      self->key_units.merged, "frames-held", G_TYPE_UINT64, frame_gate_held (self->frames), NULL);
  GST_OBJECT_UNLOCK (self);
  return s;
}

/* Another knob of the encoder that runs. What was measured is void; the rate that holds is set at once. */
static void
change_knob (GstRateControl *self)
{
  const EncoderRow *row;
  GstElement *encoder;
  EncoderChoice choice;
  gboolean changed;
  guint value;

  GST_OBJECT_LOCK (self);
  changed = self->held.knob_changed;
  self->held.knob_changed = FALSE;
  GST_OBJECT_UNLOCK (self);
  encoder = changed ? get_encoder (self, &row) : NULL;
  if (encoder == NULL)
    return;
  choice = choose (self, encoder);
  value = choice.row ? encoder_row_get (choice.row, encoder) : 0;
  GST_OBJECT_LOCK (self);
  rate_law_take_row (&self->law, choice.row);
  rate_law_restart (&self->law, value);
  rate_law_repeat_rate (&self->law);
  GST_OBJECT_UNLOCK (self);
  encoder_choice_tell_knob (&choice, GST_ELEMENT (self));
  encoder_choice_clear (&choice);
  g_object_unref (encoder);
}

static GstFlowReturn
gst_rate_control_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstRateControl *self = GST_RATE_CONTROL (trans);
  const EncoderRow *row;
  GstElement *encoder;
  EncodedFrame frame;
  GstEvent *key_unit;
  RateNoticesDue due;

  change_knob (self);
  encoder = get_encoder (self, &row);
  frame = encoded_frame_read (buffer, &trans->segment, row && row->knob == ENCODER_KNOB_QUALITY);
  g_clear_object (&encoder);
  check_encoder (self);
  GST_OBJECT_LOCK (self);
  if (rate_law_on_frame (&self->law, &frame, frame_gate_take_held (self->frames)) && frame.key)
    key_unit_gate_drop (&self->key_units); /* here is what was asked for */
  due = rate_notices_take (&self->notices, &self->law, self->settings.stats_interval);
  GST_OBJECT_UNLOCK (self);
  key_unit = take_waiting_key_unit (self);
  apply (self, TRUE, key_unit != NULL);
  if (key_unit)
    gst_pad_push_event (GST_BASE_TRANSFORM_SINK_PAD (trans), key_unit);
  rate_notices_tell (due, GST_ELEMENT (self));
  if (due.stats)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), make_stats (self)));
  return GST_FLOW_OK;
}

/* The caps come when the encoder has been set up and has not coded a frame yet. */
static void
prime_encoder (GstRateControl *self, GstCaps *caps)
{
  const EncoderRow *row;
  GstElement *encoder = get_encoder (self, &row);

  GST_OBJECT_LOCK (self);
  rate_law_take_caps (&self->law, caps);
  GST_OBJECT_UNLOCK (self);
  if (encoder && row && may_configure (self))
    encoder_row_prime (row, encoder);
  g_clear_object (&encoder);
}

static gboolean
gst_rate_control_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRateControl *self = GST_RATE_CONTROL (trans);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    look_for_encoder (self);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    prime_encoder (self, caps);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    GST_OBJECT_LOCK (self);
    key_unit_gate_drop (&self->key_units);
    GST_OBJECT_UNLOCK (self);
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

static void
narrow_to_420 (GstRateControl *self, GstQuery *query)
{
  const EncoderRow *row;
  GstElement *encoder = get_encoder (self, &row);

  if (encoder && row && may_configure (self))
    encoder_420_narrow (row, encoder, query);
  g_clear_object (&encoder);
}

static gboolean
answer_rate (GstRateControl *self, GstQuery *query)
{
  gboolean is;

  GST_OBJECT_LOCK (self);
  is = gst_encoder_rate_answer (query, rate_law_mean_bitrate (&self->law), encoder_rate_made (&self->law.rate));
  GST_OBJECT_UNLOCK (self);
  return is;
}

static gboolean
gst_rate_control_query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  gboolean ok;

  if (gst_rate_reader_is_asked_for (query) || answer_rate (GST_RATE_CONTROL (trans), query))
    return TRUE;
  ok = GST_BASE_TRANSFORM_CLASS (parent_class)->query (trans, direction, query);
  if (ok && direction == GST_PAD_SINK && GST_QUERY_TYPE (query) == GST_QUERY_CAPS && !encoder_420_is_asking ())
    narrow_to_420 (GST_RATE_CONTROL (trans), query);
  return ok;
}

/* While it runs another encoder may be linked, which is set before that is started. */
static gboolean
gst_rate_control_start (GstBaseTransform *trans)
{
  GstRateControl *self = GST_RATE_CONTROL (trans);
  const EncoderRow *row;
  GstElement *encoder;
  guint value;

  look_for_encoder (self);
  g_signal_connect_swapped (trans->sinkpad, "linked", G_CALLBACK (look_for_encoder), self);
  encoder = get_encoder (self, &row);
  value = encoder && row ? encoder_row_get (row, encoder) : 0;
  GST_OBJECT_LOCK (self);
  self->held.checked = FALSE;
  self->notices = (RateNotices){0};
  key_unit_gate_restart (&self->key_units);
  rate_law_begin (&self->law, value);
  GST_OBJECT_UNLOCK (self);
  if (encoder && row)
    begin_quantizer (self, row, encoder, value);
  g_clear_object (&encoder);
  return TRUE;
}

static gboolean
gst_rate_control_stop (GstBaseTransform *trans)
{
  GstRateControl *self = GST_RATE_CONTROL (trans);
  const EncoderRow *row;
  GstElement *encoder = get_encoder (self, &row);
  guint value;

  g_signal_handlers_disconnect_by_data (trans->sinkpad, self);
  leave_quantizer (self, row, encoder);
  value = encoder && row ? encoder_row_get (row, encoder) : 0;
  GST_OBJECT_LOCK (self);
  key_unit_gate_drop (&self->key_units);
  frame_gate_close (self->frames, FALSE);
  self->held.value = value;
  GST_OBJECT_UNLOCK (self);
  g_clear_object (&encoder);
  return TRUE;
}

/* States change from the sink upwards: here the encoder has not been opened yet and takes every setting. */
static GstStateChangeReturn
gst_rate_control_change_state (GstElement *element, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_NULL_TO_READY)
    look_for_encoder (GST_RATE_CONTROL (element));
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

static void
gst_rate_control_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRateControl *self = GST_RATE_CONTROL (object);

  GST_OBJECT_LOCK (self);
  if (!rate_control_settings_set (&self->settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  self->held.knob_changed |= id == PROP_BITRATE_PROPERTY || id == PROP_BITRATE_UNIT;
  self->held.outdated |= id == PROP_CONFIGURE_ENCODER || id == PROP_START_BITRATE;
  rate_law_set (&self->law, &self->settings.law);
  frame_gate_close (self->frames, rate_law_pauses (&self->law));
  if (id == PROP_MIN_BITRATE || id == PROP_MAX_BITRATE)
    rate_law_limits_changed (&self->law);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_rate_control_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRateControl *self = GST_RATE_CONTROL (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, make_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  if (id == PROP_ENCODER && self->settings.encoder == NULL)
    g_value_take_object (value, g_weak_ref_get (&self->held.encoder));
  else if (id == PROP_BITRATE)
    g_value_set_uint (value, self->law.bitrate);
  else if (!rate_control_settings_get (&self->settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_rate_control_finalize (GObject *object)
{
  GstRateControl *self = GST_RATE_CONTROL (object);

  rate_control_settings_clear (&self->settings);
  key_unit_gate_drop (&self->key_units);
  frame_gate_free (self->frames);
  encoder_hold_clear (&self->held);
  g_mutex_clear (&self->applying);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_rate_control_class_init (GstRateControlClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_rate_control_set_property;
  object_class->get_property = gst_rate_control_get_property;
  object_class->finalize = gst_rate_control_finalize;
  properties = rate_control_settings_install (object_class);
  element_class->change_state = gst_rate_control_change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Encoder rate control", "Filter/Video/Network",
      "Makes the video encoder upstream fit the rate the sender downstream publishes",
      "GStreamer congestion control developers");

  trans_class->transform_ip = gst_rate_control_transform_ip;
  trans_class->sink_event = gst_rate_control_sink_event;
  trans_class->src_event = gst_rate_control_src_event;
  trans_class->query = gst_rate_control_query;
  trans_class->start = gst_rate_control_start;
  trans_class->stop = gst_rate_control_stop;
  trans_class->passthrough_on_same_caps = TRUE;
}

static void
gst_rate_control_init (GstRateControl *self)
{
  rate_control_settings_init (&self->settings);
  rate_law_init (&self->law);
  self->frames = frame_gate_new ();
  encoder_hold_init (&self->held);
  g_mutex_init (&self->applying);
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
}
