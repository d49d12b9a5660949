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

#include "encoderfinder.h"
#include "encoderknob.h"
#include "encoderrate.h"
#include "encodertable.h"
#include "gstrateevent.h"
#include "jpegquality.h"
#include "quantizercontrol.h"
#include "streamtime.h"

#include <gst/video/video.h>

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (rate_control_debug);
#define GST_CAT_DEFAULT rate_control_debug

#define DEFAULT_MIN_BITRATE 20000
#define DEFAULT_MAX_BITRATE G_MAXUINT
#define DEFAULT_START_BITRATE 300000
#define DEFAULT_MIN_KEY_UNIT_INTERVAL (500 * GST_MSECOND)
#define QUIET_FOR (2 * GST_SECOND) /* without a rate event, then it is told once */

enum {
  PROP_0,
  PROP_ENCODER,
  PROP_MIN_BITRATE,
  PROP_MAX_BITRATE,
  PROP_START_BITRATE,
  PROP_CONFIGURE_ENCODER,
  PROP_BITRATE_PROPERTY,
  PROP_BITRATE_UNIT,
  PROP_MIN_KEY_UNIT_INTERVAL,
  PROP_STATS_INTERVAL,
  PROP_MODE,
  PROP_NOMINAL_QUANTIZER,
  PROP_MIN_QUANTIZER,
  PROP_MAX_QUANTIZER,
  PROP_BUCKET_TIME,
  PROP_BUCKET_SIZE,
  PROP_CONTROL_INTERVAL,
  PROP_GOP_SIZE,
  PROP_BITRATE,
  PROP_STATS,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

typedef enum { MODE_BITRATE, MODE_QUANTIZER } RateControlMode;

static GType
rate_control_mode_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {{MODE_BITRATE, "The encoder's own rate control, its bitrate set", "bitrate"},
      {MODE_QUANTIZER, "The quantizer set by a virtual leaky bucket", "quantizer"}, {0, NULL, NULL}};

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRateControlMode", values));
  return type;
}

static GType
rate_control_interval_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {{RASVBR_PER_GOP, "One quantizer for a GOP", "gop"},
      {RASVBR_PER_FRAME, "A quantizer for each frame", "frame"}, {0, NULL, NULL}};

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRateControlInterval", values));
  return type;
}

struct _GstRateControl {
  GstBaseTransform parent;

  /* All below is guarded by the object lock. */
  GstElement *wanted_encoder; /* the property */
  guint min_bitrate, max_bitrate, start_bitrate;
  gboolean configure_encoder;
  gchar *bitrate_property; /* NULL: the table's */
  guint bitrate_unit;      /* bit/s; 0: the table's, or what the property says of itself */
  gboolean knob_changed;   /* one of the two, since the encoder was taken over */
  GstClockTime min_key_unit_interval, stats_interval;
  RateControlMode mode;

  GWeakRef encoder;
  const EncoderRow *row; /* NULL: unknown */
  gchar *encoder_name, *configured;
  gboolean checked; /* the running encoder has been looked at */
  gboolean warned_not_followed, told_quiet;

  EncoderRate rate;
  JpegQuality jpeg;
  QuantizerControl quantizer;
  double offered; /* bit/s before the limits, of mode=quantizer */
  StreamTime time;
  GstRateInfo info;
  guint64 rate_events, settings_made;
  guint start; /* for an encoder without a rate of its own; 0: leave it alone until the network is known */
  guint bitrate;
  guint buffer_ms; /* of an encoder whose buffer is ours, in mode=bitrate; 0: not set yet */
  double frame_target;
  GstClockTime stats_at;

  gboolean key_unit_sent;
  GstClockTime key_unit_sent_at;
  GstEvent *key_unit_waiting;
  guint64 key_units_asked, key_units_merged;

  /* Held while the encoder is being set, so that an older value never overtakes a newer one. Only ever tried. */
  GMutex applying;
};

#define ENCODED_VIDEO                                                                                                  \
  "video/x-h264; video/x-h265; video/x-vp8; video/x-vp9; video/x-av1; image/jpeg; video/x-theora; video/x-h263; "      \
  "video/mpeg, systemstream = (boolean) false; image/x-jpc; video/x-dirac; video/x-divx; video/x-flash-video"

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (ENCODED_VIDEO));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (ENCODED_VIDEO));

#define gst_rate_control_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRateControl, gst_rate_control, GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (rate_control_debug, "ratecontrol", 0, "encoder rate control"));
GST_ELEMENT_REGISTER_DEFINE (ratecontrol, "ratecontrol", GST_RANK_NONE, GST_TYPE_RATE_CONTROL);

/* Takes a rate while it runs. */
static gboolean
is_controlled (const EncoderRow *row)
{
  return row && row->knob != ENCODER_KNOB_AT_START;
}

static gboolean
has_quality_knob (GstRateControl *self)
{
  return self->row && self->row->knob == ENCODER_KNOB_QUALITY;
}

/* With the object lock. An encoder that takes no quantizer is controlled by its bitrate in either mode. */
static gboolean
sets_quantizer (GstRateControl *self)
{
  return self->mode == MODE_QUANTIZER && self->quantizer.codec != NULL;
}

/* With the object lock. */
static double
within_limits (GstRateControl *self, double bps)
{
  return CLAMP (bps, self->min_bitrate, MAX (self->min_bitrate, self->max_bitrate));
}

/* With the object lock. */
static void
take_limits (GstRateControl *self)
{
  self->rate.params.min_bps = self->min_bitrate;
  self->rate.params.max_bps = MAX (self->max_bitrate, self->min_bitrate);
}

/* With the object lock: forget what was measured and start from the encoder's present value. */
static void
restart (GstRateControl *self, guint value)
{
  EncoderRateParams params;
  JpegQualityParams jpeg_params;

  encoder_rate_params_init (&params);
  jpeg_quality_params_init (&jpeg_params);
  if (has_quality_knob (self)) /* its model corrects by itself */
    params.correction_min = params.correction_max = 1;
  params.max_debt = self->row ? self->row->max_debt_ms * CC_MSECOND : 0;
  params.costly = self->row && self->row->costly;
  encoder_rate_init (&self->rate, &params);
  take_limits (self);
  jpeg_quality_init (&self->jpeg, &jpeg_params, has_quality_knob (self) ? (int)value : 85);
  self->bitrate = has_quality_knob (self) ? self->start : value;
  if (self->bitrate > 0)
    encoder_rate_set_start (&self->rate, self->bitrate, self->time.now);
  self->warned_not_followed = FALSE;
  self->buffer_ms = 0;
  self->offered = self->bitrate > 0 ? self->bitrate : DEFAULT_START_BITRATE;
  quantizer_control_restart (&self->quantizer, within_limits (self, self->offered));
  if (sets_quantizer (self))
    self->bitrate = (guint)within_limits (self, self->offered);
}

static void
carry_out (const EncoderRow *row, const EncoderQuantizer *codec, GstElement *encoder, const QuantizerOrder *order)
{
  if (order->lowest >= 0)
    encoder_quantizer_set (codec, encoder, order->lowest, order->highest);
  if (order->buffer_ms > 0)
    encoder_quantizer_set_buffer (encoder, order->buffer_ms);
  if (order->bitrate > 0)
    encoder_row_set (row, encoder, order->bitrate);
}

/* Before the first frame: from here on the encoder has the nominal quantizer. */
static void
begin_quantizer (GstRateControl *self, const EncoderRow *row, GstElement *encoder, guint value)
{
  const EncoderQuantizer *codec = encoder_quantizer_find (row);
  QuantizerOrder order;

  GST_OBJECT_LOCK (self);
  order = quantizer_control_leave (&self->quantizer);
  GST_OBJECT_UNLOCK (self);
  carry_out (row, codec, encoder, &order); /* its own bounds are read below */

  order = quantizer_control_nothing ();
  GST_OBJECT_LOCK (self);
  quantizer_control_adopt (
      &self->quantizer, codec, encoder, self->configured && strstr (self->configured, "vbv-buf-capacity"));
  restart (self, value);
  if (sets_quantizer (self))
    order = quantizer_control_next (&self->quantizer, TRUE);
  GST_OBJECT_UNLOCK (self);
  carry_out (row, codec, encoder, &order);
}

/* Sets `start` to 0 where the encoder has a value of the user's. Returns what was done. */
static gchar *
prepare_encoder (GstRateControl *self, const EncoderRow *row, GstElement *encoder, guint *start)
{
  gboolean untouched = encoder_row_rate_is_default (row, encoder);
  gchar *settings = encoder_row_configure (row, encoder);
  GString *done = g_string_new (settings);

  g_free (settings);
  *start = untouched ? *start : 0;
  if (*start > 0) {
    if (row->knob != ENCODER_KNOB_QUALITY)
      encoder_row_set (row, encoder, *start);
    g_string_append_printf (done, "%sstart-bitrate=%u", done->len ? " " : "", *start);
  }
  if (done->len > 0)
    GST_INFO_OBJECT (self, "prepared %" GST_PTR_FORMAT " for changes while it runs: %s", encoder, done->str);
  return g_string_free (done, FALSE);
}

/* How the user's bitrate-property stands. (transfer full) property: NULL where there is none. */
static EncoderKnobState
check_knob (GstRateControl *self, GstElement *encoder, const EncoderRow *known, gchar **property, guint *unit)
{
  GST_OBJECT_LOCK (self);
  *property = g_strdup (self->bitrate_property);
  *unit = self->bitrate_unit;
  GST_OBJECT_UNLOCK (self);
  if (*property == NULL || (known && g_str_equal (known->property, *property)))
    return ENCODER_KNOB_FINE;
  return encoder_knob_check (encoder, *property);
}

/* NULL: it cannot be controlled. */
static const EncoderRow *
choose_row (GstRateControl *self, GstElement *encoder)
{
  const EncoderRow *known = encoder_table_find (encoder), *row = known;
  gchar *property;
  guint unit;
  EncoderKnobState state = check_knob (self, encoder, known, &property, &unit);

  if (property && !encoder_knob_is_usable (state))
    row = NULL;
  else if (property && !(is_controlled (known) && g_str_equal (known->property, property)))
    row = encoder_knob_row (known, encoder, property, unit ? unit : encoder_knob_unit (encoder, property));
  else if (known && unit > 0 && known->knob == ENCODER_KNOB_BITRATE)
    row = encoder_knob_row (known, encoder, known->property, unit);
  g_free (property);
  return row;
}

/* TRUE: that was wrong. */
static gboolean
tell_knob (GstRateControl *self, GstElement *encoder)
{
  static const gchar *const mistakes[] = {[ENCODER_KNOB_MISSING] = "has no property %s; its rate is not controlled",
      [ENCODER_KNOB_NO_NUMBER] = "has a property %s that is no number; its rate is not controlled",
      [ENCODER_KNOB_READ_ONLY] = "has a property %s that is only read; its rate is not controlled",
      [ENCODER_KNOB_NOT_LIVE] = "says that its property %s is not changed while it plays; it is set all the same"};
  gchar *property, *text, *others;
  guint unit;
  EncoderKnobState state = check_knob (self, encoder, encoder_table_find (encoder), &property, &unit);

  if (state != ENCODER_KNOB_FINE) {
    others = encoder_knob_candidates (encoder);
    text = g_strdup_printf (mistakes[state], property);
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("The encoder %s %s. Set bitrate-property to one that takes a rate while it plays (it has: %s), and "
         "bitrate-unit "
         "to the bit/s that 1 of it stands for.",
            GST_OBJECT_NAME (encoder), text, others[0] ? others : "none that looks like it"),
        (NULL));
    g_free (text);
    g_free (others);
  }
  g_free (property);
  return state != ENCODER_KNOB_FINE;
}

static void
adopt (GstRateControl *self, GstElement *encoder)
{
  const EncoderRow *row = choose_row (self, encoder);
  GstElementFactory *factory = gst_element_get_factory (encoder);
  gchar *configured = NULL;
  guint value = 0, start = 0;
  gboolean configure;

  GST_OBJECT_LOCK (self);
  configure = self->configure_encoder;
  if (self->start_bitrate > 0)
    start = CLAMP (self->start_bitrate, self->min_bitrate, MAX (self->min_bitrate, self->max_bitrate));
  GST_OBJECT_UNLOCK (self);

  if (row && configure)
    configured = prepare_encoder (self, row, encoder, &start);
  else
    start = 0;
  if (row)
    value = encoder_row_get (row, encoder);

  GST_OBJECT_LOCK (self);
  g_weak_ref_set (&self->encoder, encoder);
  self->row = row;
  g_free (self->encoder_name);
  self->encoder_name = g_strdup (factory ? GST_OBJECT_NAME (factory) : G_OBJECT_TYPE_NAME (encoder));
  g_free (self->configured);
  self->configured = configured;
  self->checked = self->knob_changed = FALSE;
  self->start = start;
  self->quantizer.codec = NULL; /* the old encoder's */
  restart (self, value);
  GST_OBJECT_UNLOCK (self);
  if (row)
    begin_quantizer (self, row, encoder, value);
  GST_INFO_OBJECT (self, "encoder is %" GST_PTR_FORMAT "%s", encoder, row ? "" : ", not in the table");
}

/* Looks for the encoder anew and takes it over where it is another one. */
static void
look_for_encoder (GstRateControl *self)
{
  GstElement *found = NULL, *known;

  GST_OBJECT_LOCK (self);
  known = g_weak_ref_get (&self->encoder);
  if (self->wanted_encoder)
    found = gst_object_ref (self->wanted_encoder);
  GST_OBJECT_UNLOCK (self);
  if (found == NULL)
    found = encoder_finder_search (GST_BASE_TRANSFORM_SINK_PAD (self));
  if (found && found != known)
    adopt (self, found);
  g_clear_object (&known);
  g_clear_object (&found);
}

static GstElement *
get_encoder (GstRateControl *self, const EncoderRow **row)
{
  GstElement *encoder;

  GST_OBJECT_LOCK (self);
  encoder = g_weak_ref_get (&self->encoder);
  *row = self->row;
  GST_OBJECT_UNLOCK (self);
  return encoder;
}

static gboolean
is_420 (const GstVideoInfo *info)
{
  const GstVideoFormatInfo *format = info->finfo;

  return GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format) >= 3 && GST_VIDEO_FORMAT_INFO_W_SUB (format, 1) == 1 &&
         GST_VIDEO_FORMAT_INFO_H_SUB (format, 1) == 1 && GST_VIDEO_FORMAT_INFO_DEPTH (format, 0) == 8;
}

static void
check_raw_format (GstRateControl *self, GstElement *encoder)
{
  GstPad *pad = gst_element_get_static_pad (encoder, "sink");
  GstCaps *caps = pad ? gst_pad_get_current_caps (pad) : NULL;
  GstVideoInfo info;

  if (caps && gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw") &&
      gst_video_info_from_caps (&info, caps) && !is_420 (&info))
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The encoder is fed %s; many receivers decode only 8-bit 4:2:0.", GST_VIDEO_INFO_NAME (&info)),
        ("Put \"videoconvert ! video/x-raw,format=I420\" before %s.", GST_OBJECT_NAME (encoder)));
  gst_clear_caps (&caps);
  g_clear_object (&pad);
}

/* Once the first frame has come there is an encoder, or there is none. */
static void
check_encoder (GstRateControl *self)
{
  const EncoderRow *row;
  GstElement *encoder = get_encoder (self, &row);
  const gchar *caution = row && encoder ? encoder_row_caution (row, encoder) : NULL;
  gboolean wants_quantizer;

  GST_OBJECT_LOCK (self);
  wants_quantizer = self->mode == MODE_QUANTIZER;
  GST_OBJECT_UNLOCK (self);
  if (encoder == NULL)
    GST_ELEMENT_WARNING (self, RESOURCE, NOT_FOUND, ("No video encoder found upstream; the rate is not controlled."),
        ("Place ratecontrol behind the encoder, or name it by the property encoder."));
  else if (tell_knob (self, encoder))
    GST_INFO_OBJECT (self, "bitrate-property is wrong");
  else if (row == NULL)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("The encoder %s is not known; the rate is not controlled. Name the property that takes its rate by "
         "bitrate-property, with bitrate-unit.",
            GST_OBJECT_NAME (encoder)),
        ("Or use x264enc, vp8enc, vp9enc, openh264enc, jpegenc or another listed in the documentation of ratecontrol, "
         "or "
         "set this encoder from the application by the event " GST_RATE_EVENT_NAME "."));
  else if (caution)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS, ("The encoder will not follow the network."), ("%s.", caution));
  else if (wants_quantizer && encoder_quantizer_find (row) == NULL)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("The encoder %s takes no quantizer while it runs; its bitrate is set.", GST_OBJECT_NAME (encoder)),
        ("Use vp8enc, vp9enc or jpegenc with mode=quantizer, or mode=bitrate."));
  if (encoder && row)
    check_raw_format (self, encoder);
  g_clear_object (&encoder);
}

/* With the object lock. The quality for the next frame; 0 where it stays. */
static guint
next_quality (GstRateControl *self)
{
  int before = self->jpeg.quality, quality;
  double bps;

  if (encoder_rate_wanted (&self->rate, NULL) <= 0)
    return 0;
  if (encoder_rate_update (&self->rate, self->time.now, &bps))
    self->bitrate = (guint)bps;
  self->frame_target = encoder_rate_frame_target (&self->rate);
  quality = jpeg_quality_next (&self->jpeg, self->frame_target);
  return quality == before ? 0 : (guint)quality;
}

/* With the object lock. The value to set; 0 where it stays. */
static guint
next_value (GstRateControl *self, gboolean frame)
{
  double bps;

  if (!is_controlled (self->row))
    return 0;
  /* an event comes on the sender's thread, which must not wait while a frame is coded */
  if (!frame && (self->row->waits || has_quality_knob (self)))
    return 0;
  if (has_quality_knob (self))
    return next_quality (self);
  if (!encoder_rate_update (&self->rate, self->time.now, &bps))
    return 0;
  return self->bitrate = (guint)bps;
}

/* With the object lock. The encoder's buffer follows the frame rate; 0 where it stays. */
static guint
next_buffer (GstRateControl *self)
{
  guint wanted = (guint)((encoder_rate_buffer_time (&self->rate) + CC_MSECOND / 2) / CC_MSECOND);

  if (!self->quantizer.owns_buffer || wanted == 0)
    return 0;
  if (ABS ((gint)wanted - (gint)self->buffer_ms) * 10 <= (gint)self->buffer_ms)
    return 0;
  return self->buffer_ms = wanted;
}

/* With the object lock. */
static QuantizerOrder
next_order (GstRateControl *self, gboolean frame, gboolean key)
{
  QuantizerOrder order;

  if (!frame)
    return quantizer_control_nothing ();
  if (!sets_quantizer (self)) {
    if (self->quantizer.value >= 0)
      self->jpeg.quality = CLAMP (self->quantizer.value, self->jpeg.params.min_quality, self->jpeg.params.max_quality);
    order = quantizer_control_leave (&self->quantizer);
    order.buffer_ms = next_buffer (self);
    return order;
  }
  self->buffer_ms = 0;
  self->frame_target = rasvbr_target (&self->quantizer.law, key);
  return quantizer_control_next (&self->quantizer, key);
}

/* key: the next frame has been asked to be a key frame. */
static void
apply (GstRateControl *self, gboolean frame, gboolean key)
{
  const EncoderRow *row;
  GstElement *encoder;
  QuantizerOrder order;
  guint value, before;
  gboolean changed;

  if (!g_mutex_trylock (&self->applying)) /* the other thread is at it; the next frame brings the next chance */
    return;
  encoder = get_encoder (self, &row);
  GST_OBJECT_LOCK (self);
  before = self->bitrate;
  order = encoder ? next_order (self, frame, key) : quantizer_control_nothing ();
  value = encoder && !sets_quantizer (self) ? next_value (self, frame) : 0;
  changed = before != self->bitrate;
  self->settings_made += value > 0 || order.lowest >= 0 || order.bitrate > 0;
  GST_OBJECT_UNLOCK (self);
  if (encoder)
    carry_out (row, encoder_quantizer_find (row), encoder, &order);
  if (value > 0) {
    GST_LOG_OBJECT (self, "%s=%u", row->property, value);
    encoder_row_set (row, encoder, value);
  }
  g_mutex_unlock (&self->applying);
  g_clear_object (&encoder);
  if (changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BITRATE]);
}

/* With the object lock. The rate the bucket leaks at; the frames' own thread acts upon it. */
static void
offer (GstRateControl *self, double bps, guint backlog)
{
  self->offered = bps;
  bps = within_limits (self, bps);
  quantizer_control_on_rate (&self->quantizer, bps, backlog);
  if (!sets_quantizer (self))
    return;
  encoder_rate_set_start (&self->rate, bps, self->time.now);
  self->bitrate = (guint)bps;
}

static void
on_rate (GstRateControl *self, const GstRateInfo *info)
{
  gboolean quantizer, changed;
  guint before;

  GST_OBJECT_LOCK (self);
  before = self->bitrate;
  self->info = *info;
  self->rate_events++;
  encoder_rate_on_path_limit (&self->rate, g_strcmp0 (info->limit, "delay") == 0);
  encoder_rate_on_allowed (&self->rate, info->bitrate, info->backlog, info->frame_budget, self->time.now);
  offer (self, info->bitrate * (1 - self->rate.params.margin), info->backlog);
  quantizer = sets_quantizer (self);
  changed = before != self->bitrate;
  GST_OBJECT_UNLOCK (self);
  if (!quantizer)
    apply (self, FALSE, FALSE);
  else if (changed)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BITRATE]);
}

/* With the object lock. */
static gboolean
key_unit_is_due (GstRateControl *self)
{
  CcDuration spacing = encoder_rate_key_spacing (&self->rate, self->min_key_unit_interval);

  return !self->key_unit_sent || cc_time_since (self->time.now, self->key_unit_sent_at) >= spacing;
}

/* TRUE where the request may go on now; else it waits, and one waiting stands for all. */
static gboolean
admit_key_unit (GstRateControl *self, GstEvent *event)
{
  gboolean due;

  GST_OBJECT_LOCK (self);
  self->key_units_asked++;
  due = key_unit_is_due (self);
  if (due) {
    self->key_unit_sent = TRUE;
    self->key_unit_sent_at = self->time.now;
  } else {
    self->key_units_merged++;
    gst_event_replace (&self->key_unit_waiting, event);
  }
  GST_OBJECT_UNLOCK (self);
  return due;
}

static GstEvent *
take_waiting_key_unit (GstRateControl *self)
{
  GstEvent *event = NULL;

  GST_OBJECT_LOCK (self);
  if (self->key_unit_waiting && key_unit_is_due (self)) {
    event = g_steal_pointer (&self->key_unit_waiting);
    self->key_unit_sent_at = self->time.now;
  }
  GST_OBJECT_UNLOCK (self);
  return event;
}

static gboolean
asks_key_unit_now (GstEvent *event)
{
  GstClockTime running_time;

  return gst_video_event_is_force_key_unit (event) &&
         gst_video_event_parse_upstream_force_key_unit (event, &running_time, NULL, NULL) &&
         !GST_CLOCK_TIME_IS_VALID (running_time);
}

static gboolean
gst_rate_control_src_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRateControl *self = GST_RATE_CONTROL (trans);
  GstRateInfo info;

  if (gst_rate_event_parse (event, &info)) {
    on_rate (self, &info);
  } else if (asks_key_unit_now (event) && !admit_key_unit (self, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->src_event (trans, event);
}

/* With the object lock. */
static void
add_quantizer_stats (GstRateControl *self, GstStructure *s)
{
  const Rasvbr *law = &self->quantizer.law;

  gst_structure_set (s, "quantizer", G_TYPE_INT, self->quantizer.value, "frame-target", G_TYPE_UINT,
      (guint)self->frame_target, "bucket-size", G_TYPE_UINT, (guint)MIN (rasvbr_bucket (law), G_MAXUINT),
      "bucket-fullness", G_TYPE_DOUBLE, rasvbr_fullness (law), "bucket-overflows", G_TYPE_UINT64, law->stats.overflows,
      "gops", G_TYPE_UINT64, law->stats.gops, NULL);
}

static GstStructure *
make_stats (GstRateControl *self)
{
  EncoderRateLimit limit;
  GstStructure *s;
  double wanted;

  GST_OBJECT_LOCK (self);
  wanted = encoder_rate_wanted (&self->rate, &limit);
  s = gst_structure_new ("application/x-ratecontrol-stats", "encoder", G_TYPE_STRING, self->encoder_name, "controlled",
      G_TYPE_BOOLEAN, is_controlled (self->row), "configured", G_TYPE_STRING, self->configured, "allowed-bitrate",
      G_TYPE_UINT, self->info.bitrate, "wanted-bitrate", G_TYPE_UINT, (guint)MIN (wanted, G_MAXUINT), "set-bitrate",
      G_TYPE_UINT, self->bitrate, "produced-bitrate", G_TYPE_UINT, (guint)encoder_rate_produced (&self->rate),
      "produced-bitrate-slow", G_TYPE_UINT, (guint)encoder_rate_produced_slow (&self->rate), "correction",
      G_TYPE_DOUBLE, self->rate.correction, "limit", G_TYPE_STRING, encoder_rate_limit_name (limit), "network-limit",
      G_TYPE_STRING, self->info.limit, "backlog", G_TYPE_UINT, (guint)MIN (self->rate.backlog_bytes, G_MAXUINT),
      "followed", G_TYPE_BOOLEAN, !encoder_rate_not_followed (&self->rate), "frames", G_TYPE_UINT64, self->rate.frames,
      "key-frames", G_TYPE_UINT64, self->rate.key_frames, "bytes", G_TYPE_UINT64, self->rate.bytes, "changes",
      G_TYPE_UINT64, self->settings_made, "rate-events", G_TYPE_UINT64, self->rate_events, "key-units-asked",
      G_TYPE_UINT64, self->key_units_asked, "key-units-merged", G_TYPE_UINT64, self->key_units_merged, NULL);
  gst_structure_set (s, "mode", G_TYPE_STRING, sets_quantizer (self) ? "quantizer" : "bitrate", NULL);
  if (has_quality_knob (self))
    gst_structure_set (s, "quality", G_TYPE_INT, sets_quantizer (self) ? self->quantizer.value : self->jpeg.quality,
        "frame-target", G_TYPE_UINT, (guint)self->frame_target, NULL);
  if (sets_quantizer (self))
    add_quantizer_stats (self, s);
  GST_OBJECT_UNLOCK (self);
  return s;
}

static GstClockTime
stamp_of (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstClockTime time = GST_BUFFER_DTS_OR_PTS (buffer), running;

  if (time > G_MAXINT64) /* none, or what some codecs take for none */
    return gst_util_get_timestamp ();
  running = trans->segment.format == GST_FORMAT_TIME
                ? gst_segment_to_running_time (&trans->segment, GST_FORMAT_TIME, time)
                : GST_CLOCK_TIME_NONE;
  return GST_CLOCK_TIME_IS_VALID (running) ? running : time;
}

typedef struct {
  gsize size;       /* bytes of the frame that travel */
  double quantizer; /* 0: unknown */
} FrameMeasure;

static FrameMeasure
measure_buffer (GstBuffer *buffer, gboolean is_jpeg)
{
  FrameMeasure m = {gst_buffer_get_size (buffer), 0};
  GstMapInfo map;

  if (is_jpeg && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    m.quantizer = jpeg_quality_quantizer (map.data, map.size);
    m.size -= jpeg_quality_left_out (map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  return m;
}

static gboolean
begin_first_frame (GstRateControl *self)
{
  gboolean first;

  GST_OBJECT_LOCK (self);
  first = !self->checked;
  self->checked = TRUE;
  GST_OBJECT_UNLOCK (self);
  return first;
}

/* With the object lock. */
static void
measure (GstRateControl *self, GstBuffer *buffer, GstClockTime stamp, const FrameMeasure *m)
{
  gboolean key = !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  gboolean begins = stream_time_advance (&self->time, stamp);

  encoder_rate_on_bytes (&self->rate, (guint32)MIN (m->size, G_MAXUINT32), begins, key, self->time.now);
  if (sets_quantizer (self) && begins)
    quantizer_control_on_frame (&self->quantizer, m->size, key, self->time.now);
  else if (has_quality_knob (self))
    jpeg_quality_on_frame (&self->jpeg, m->size, m->quantizer, self->frame_target);
  if (key && begins)
    gst_event_replace (&self->key_unit_waiting, NULL); /* here is what was asked for */
}

typedef struct {
  gboolean not_followed, quiet, stats;
} Notices;

/* With the object lock. What is to be said after this frame. */
static Notices
take_notices (GstRateControl *self)
{
  Notices n = {FALSE, FALSE, FALSE};

  if (is_controlled (self->row) && !self->warned_not_followed && self->rate_events > 0)
    n.not_followed = self->warned_not_followed = encoder_rate_not_followed (&self->rate);
  if (!self->told_quiet && self->rate_events == 0)
    n.quiet = self->told_quiet = self->time.now >= QUIET_FOR;
  if (self->stats_interval > 0 && cc_time_since (self->time.now, self->stats_at) >= self->stats_interval) {
    n.stats = TRUE;
    self->stats_at = self->time.now;
  }
  return n;
}

static void
give_notices (GstRateControl *self, Notices n)
{
  if (n.not_followed)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("The encoder puts out far more than it was asked for."),
        ("It ignores its rate while running, or the picture needs more at the coarsest quantizer: lower the "
         "resolution or the frame rate, or use another encoder. The sender drops frames meanwhile."));
  if (n.quiet)
    GST_INFO_OBJECT (
        self, "no rate event yet: is there a sender such as tfrcsink downstream? The encoder keeps its first rate");
  if (n.stats)
    gst_element_post_message (GST_ELEMENT (self), gst_message_new_element (GST_OBJECT (self), make_stats (self)));
}

/* Another knob of the encoder that runs. What was measured is void; the rate that holds is set at once. */
static void
change_knob (GstRateControl *self)
{
  const EncoderRow *row;
  GstElement *encoder = get_encoder (self, &row);
  gboolean changed;
  guint value;

  GST_OBJECT_LOCK (self);
  changed = self->knob_changed;
  self->knob_changed = FALSE;
  GST_OBJECT_UNLOCK (self);
  row = changed && encoder ? choose_row (self, encoder) : NULL;
  value = row ? encoder_row_get (row, encoder) : 0;
  if (changed && encoder) {
    GST_OBJECT_LOCK (self);
    self->row = row;
    restart (self, value);
    if (self->rate_events > 0)
      encoder_rate_on_allowed (
          &self->rate, self->info.bitrate, self->info.backlog, self->info.frame_budget, self->time.now);
    GST_OBJECT_UNLOCK (self);
    tell_knob (self, encoder);
  }
  g_clear_object (&encoder);
}

static GstFlowReturn
gst_rate_control_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstRateControl *self = GST_RATE_CONTROL (trans);
  GstClockTime stamp = stamp_of (trans, buffer);
  const EncoderRow *row;
  GstElement *encoder;
  FrameMeasure m;
  GstEvent *key_unit;
  Notices notices;

  change_knob (self);
  encoder = get_encoder (self, &row);
  m = measure_buffer (buffer, row && row->knob == ENCODER_KNOB_QUALITY);
  g_clear_object (&encoder);
  if (begin_first_frame (self))
    check_encoder (self);
  GST_OBJECT_LOCK (self);
  measure (self, buffer, stamp, &m);
  notices = take_notices (self);
  GST_OBJECT_UNLOCK (self);
  key_unit = take_waiting_key_unit (self);
  apply (self, TRUE, key_unit != NULL);
  if (key_unit)
    gst_pad_push_event (GST_BASE_TRANSFORM_SINK_PAD (trans), key_unit);
  give_notices (self, notices);
  return GST_FLOW_OK;
}

/* The caps come when the encoder has been set up and has not coded a frame yet. */
static void
prime_encoder (GstRateControl *self)
{
  const EncoderRow *row;
  GstElement *encoder = get_encoder (self, &row);
  gboolean configure;

  GST_OBJECT_LOCK (self);
  configure = self->configure_encoder;
  GST_OBJECT_UNLOCK (self);
  if (encoder && row && configure)
    encoder_row_prime (row, encoder);
  g_clear_object (&encoder);
}

static gboolean
gst_rate_control_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstRateControl *self = GST_RATE_CONTROL (trans);

  switch (GST_EVENT_TYPE (event)) {
  case GST_EVENT_STREAM_START:
    look_for_encoder (self);
    break;
  case GST_EVENT_CAPS:
    prime_encoder (self);
    break;
  case GST_EVENT_FLUSH_STOP:
    GST_OBJECT_LOCK (self);
    gst_event_replace (&self->key_unit_waiting, NULL);
    GST_OBJECT_UNLOCK (self);
    break;
  default:
    break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* Set in a thread that is asking upstream already: the answer must not come back here. */
static GPrivate asking_upstream;

static gboolean
is_offered_420 (GstElement *encoder)
{
  GstPad *pad = gst_element_get_static_pad (encoder, "sink");
  GstCaps *filter = gst_caps_from_string ("video/x-raw, format = (string) I420"), *offered = NULL;
  gboolean is;

  g_private_set (&asking_upstream, encoder);
  if (pad)
    offered = gst_pad_peer_query_caps (pad, filter);
  g_private_set (&asking_upstream, NULL);
  is = offered && !gst_caps_is_empty (offered);
  gst_clear_caps (&offered);
  gst_caps_unref (filter);
  g_clear_object (&pad);
  return is;
}

/* The narrower caps, or NULL where there is nothing to narrow. */
static GstCaps *
narrow_to_420 (GstRateControl *self, GstCaps *caps)
{
  const EncoderRow *row;
  GstElement *encoder = get_encoder (self, &row);
  const gchar *description = encoder && row ? encoder_row_caps_420 (row) : NULL;
  GstCaps *only = description ? gst_caps_from_string (description) : NULL, *narrow = NULL;
  gboolean configure;

  GST_OBJECT_LOCK (self);
  configure = self->configure_encoder;
  GST_OBJECT_UNLOCK (self);
  if (only && configure && gst_caps_can_intersect (caps, only) && is_offered_420 (encoder))
    narrow = gst_caps_intersect (caps, only);
  gst_clear_caps (&only);
  g_clear_object (&encoder);
  return narrow;
}

static gboolean
gst_rate_control_query (GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  GstCaps *caps, *narrow;
  gboolean ok;

  if (gst_rate_reader_is_asked_for (query))
    return TRUE;
  ok = GST_BASE_TRANSFORM_CLASS (parent_class)->query (trans, direction, query);
  if (!ok || direction != GST_PAD_SINK || GST_QUERY_TYPE (query) != GST_QUERY_CAPS || g_private_get (&asking_upstream))
    return ok;
  gst_query_parse_caps_result (query, &caps);
  narrow = narrow_to_420 (GST_RATE_CONTROL (trans), caps);
  if (narrow) {
    gst_query_set_caps_result (query, narrow);
    gst_caps_unref (narrow);
  }
  return ok;
}

static gboolean
gst_rate_control_start (GstBaseTransform *trans)
{
  GstRateControl *self = GST_RATE_CONTROL (trans);
  const EncoderRow *row;
  GstElement *encoder;
  guint value;

  look_for_encoder (self);
  encoder = get_encoder (self, &row);
  value = encoder && row ? encoder_row_get (row, encoder) : 0;
  GST_OBJECT_LOCK (self);
  self->time = (StreamTime){.started = false};
  self->info = (GstRateInfo){.limit = "start"};
  self->rate_events = self->settings_made = self->key_units_asked = self->key_units_merged = 0;
  self->checked = self->key_unit_sent = self->told_quiet = FALSE;
  self->stats_at = 0;
  self->frame_target = 0;
  restart (self, value);
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
  QuantizerOrder order = quantizer_control_nothing ();

  GST_OBJECT_LOCK (self);
  gst_event_replace (&self->key_unit_waiting, NULL);
  order = quantizer_control_leave (&self->quantizer);
  GST_OBJECT_UNLOCK (self);
  if (encoder && row)
    carry_out (row, encoder_quantizer_find (row), encoder, &order);
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

/* With the object lock. */
static void
set_mode (GstRateControl *self, RateControlMode mode)
{
  if (mode == self->mode)
    return;
  self->mode = mode;
  quantizer_control_restart (&self->quantizer, within_limits (self, self->offered));
}

static void
gst_rate_control_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRateControl *self = GST_RATE_CONTROL (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
  case PROP_ENCODER:
    gst_object_replace ((GstObject **)&self->wanted_encoder, g_value_get_object (value));
    break;
  case PROP_MIN_BITRATE:
    self->min_bitrate = g_value_get_uint (value);
    break;
  case PROP_MAX_BITRATE:
    self->max_bitrate = g_value_get_uint (value);
    break;
  case PROP_START_BITRATE:
    self->start_bitrate = g_value_get_uint (value);
    break;
  case PROP_CONFIGURE_ENCODER:
    self->configure_encoder = g_value_get_boolean (value);
    break;
  case PROP_BITRATE_PROPERTY:
    g_free (self->bitrate_property);
    self->bitrate_property = g_value_dup_string (value);
    self->knob_changed = TRUE;
    break;
  case PROP_BITRATE_UNIT:
    self->bitrate_unit = g_value_get_uint (value);
    self->knob_changed = TRUE;
    break;
  case PROP_MIN_KEY_UNIT_INTERVAL:
    self->min_key_unit_interval = g_value_get_uint64 (value);
    break;
  case PROP_STATS_INTERVAL:
    self->stats_interval = g_value_get_uint64 (value);
    break;
  case PROP_MODE:
    set_mode (self, g_value_get_enum (value));
    break;
  case PROP_NOMINAL_QUANTIZER:
    self->quantizer.nominal = g_value_get_int (value);
    break;
  case PROP_MIN_QUANTIZER:
    self->quantizer.lowest = g_value_get_int (value);
    break;
  case PROP_MAX_QUANTIZER:
    self->quantizer.highest = g_value_get_int (value);
    break;
  case PROP_BUCKET_TIME:
    self->quantizer.bucket_time = g_value_get_uint64 (value);
    break;
  case PROP_BUCKET_SIZE:
    self->quantizer.bucket_size = g_value_get_uint (value);
    break;
  case PROP_CONTROL_INTERVAL:
    self->quantizer.interval = g_value_get_enum (value);
    break;
  case PROP_GOP_SIZE:
    self->quantizer.gop_size = g_value_get_uint (value);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  take_limits (self);
  quantizer_control_refresh (&self->quantizer);
  if (id == PROP_MIN_BITRATE || id == PROP_MAX_BITRATE)
    offer (self, self->offered, 0);
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
  switch (id) {
  case PROP_ENCODER:
    if (self->wanted_encoder)
      g_value_set_object (value, self->wanted_encoder);
    else
      g_value_take_object (value, g_weak_ref_get (&self->encoder));
    break;
  case PROP_MIN_BITRATE:
    g_value_set_uint (value, self->min_bitrate);
    break;
  case PROP_MAX_BITRATE:
    g_value_set_uint (value, self->max_bitrate);
    break;
  case PROP_START_BITRATE:
    g_value_set_uint (value, self->start_bitrate);
    break;
  case PROP_CONFIGURE_ENCODER:
    g_value_set_boolean (value, self->configure_encoder);
    break;
  case PROP_BITRATE_PROPERTY:
    g_value_set_string (value, self->bitrate_property);
    break;
  case PROP_BITRATE_UNIT:
    g_value_set_uint (value, self->bitrate_unit);
    break;
  case PROP_MIN_KEY_UNIT_INTERVAL:
    g_value_set_uint64 (value, self->min_key_unit_interval);
    break;
  case PROP_STATS_INTERVAL:
    g_value_set_uint64 (value, self->stats_interval);
    break;
  case PROP_MODE:
    g_value_set_enum (value, self->mode);
    break;
  case PROP_NOMINAL_QUANTIZER:
    g_value_set_int (value, self->quantizer.nominal);
    break;
  case PROP_MIN_QUANTIZER:
    g_value_set_int (value, self->quantizer.lowest);
    break;
  case PROP_MAX_QUANTIZER:
    g_value_set_int (value, self->quantizer.highest);
    break;
  case PROP_BUCKET_TIME:
    g_value_set_uint64 (value, self->quantizer.bucket_time);
    break;
  case PROP_BUCKET_SIZE:
    g_value_set_uint (value, self->quantizer.bucket_size);
    break;
  case PROP_CONTROL_INTERVAL:
    g_value_set_enum (value, self->quantizer.interval);
    break;
  case PROP_GOP_SIZE:
    g_value_set_uint (value, self->quantizer.gop_size);
    break;
  case PROP_BITRATE:
    g_value_set_uint (value, self->bitrate);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_rate_control_finalize (GObject *object)
{
  GstRateControl *self = GST_RATE_CONTROL (object);

  gst_object_replace ((GstObject **)&self->wanted_encoder, NULL);
  gst_event_replace (&self->key_unit_waiting, NULL);
  g_weak_ref_clear (&self->encoder);
  g_free (self->bitrate_property);
  g_free (self->encoder_name);
  g_free (self->configured);
  g_mutex_clear (&self->applying);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_quantizer_properties (void)
{
  GParamFlags rw = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  properties[PROP_MODE] = g_param_spec_enum ("mode", "Mode",
      "What is controlled: the encoder's bitrate, or its quantizer by a virtual leaky bucket (vp8enc, vp9enc, jpegenc; "
      "x264enc by bitrate and buffer from the same bucket; others: bitrate)",
      rate_control_mode_get_type (), MODE_BITRATE, rw);
  properties[PROP_NOMINAL_QUANTIZER] = g_param_spec_int ("nominal-quantizer", "Nominal quantizer",
      "Quantizer of the first frame, and per GOP the one wanted while the bucket is empty, in the encoder's own scale "
      "(vpx 0-63, JPEG quality 1-100); -1: a third into the scale from its fine end",
      -1, 100, -1, rw);
  properties[PROP_MIN_QUANTIZER] = g_param_spec_int ("min-quantizer", "Minimum quantizer",
      "Least value set with mode=quantizer, in the encoder's own scale; -1: the encoder's own bound (JPEG: 5)", -1, 100,
      -1, rw);
  properties[PROP_MAX_QUANTIZER] = g_param_spec_int ("max-quantizer", "Maximum quantizer",
      "Greatest value set with mode=quantizer, in the encoder's own scale; -1: the encoder's own bound (JPEG: 95)", -1,
      100, -1, rw);
  properties[PROP_BUCKET_TIME] = g_param_spec_uint64 ("bucket-time", "Bucket time",
      "Size of the virtual leaky bucket with mode=quantizer, ns at the rate of the moment: what frames may be ahead of "
      "the rate",
      GST_MSECOND, 60 * GST_SECOND, 600 * GST_MSECOND, rw);
  properties[PROP_BUCKET_SIZE] = g_param_spec_uint ("bucket-size", "Bucket size",
      "Size of the virtual leaky bucket, bytes, whatever the rate; 0: by bucket-time", 0, G_MAXUINT, 0, rw);
  properties[PROP_CONTROL_INTERVAL] = g_param_spec_enum ("control-interval", "Control interval",
      "How often the quantizer is set with mode=quantizer", rate_control_interval_get_type (), RASVBR_PER_FRAME, rw);
  properties[PROP_GOP_SIZE] = g_param_spec_uint ("gop-size", "GOP size",
      "Frames one quantizer is for with control-interval=gop; a key frame begins anew", 1, 3000, 12, rw);
}

static void
install_properties (GObjectClass *object_class)
{
  GParamFlags rw = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
  GParamFlags rw_ready = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
  GParamFlags ro = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  properties[PROP_ENCODER] = g_param_spec_object ("encoder", "Encoder",
      "The encoder to control; unset: the nearest one upstream. Reads as the one in use", GST_TYPE_ELEMENT, rw_ready);
  properties[PROP_MIN_BITRATE] = g_param_spec_uint ("min-bitrate", "Minimum bitrate",
      "The encoder is never set below this, bit/s, whatever the network allows", 1, G_MAXUINT, DEFAULT_MIN_BITRATE, rw);
  properties[PROP_MAX_BITRATE] = g_param_spec_uint ("max-bitrate", "Maximum bitrate",
      "The encoder is never set above this, bit/s", 1, G_MAXUINT, DEFAULT_MAX_BITRATE, rw);
  properties[PROP_START_BITRATE] = g_param_spec_uint ("start-bitrate", "Start bitrate",
      "What the encoder is set to before the network is known, bit/s, unless its own property was set; 0: leave it", 0,
      G_MAXUINT, DEFAULT_START_BITRATE, rw_ready);
  properties[PROP_CONFIGURE_ENCODER] = g_param_spec_boolean ("configure-encoder", "Configure encoder",
      "Prepare the encoder for changes while it runs (buffer sizes, rate mode); only properties at their default", TRUE,
      rw_ready);
  properties[PROP_BITRATE_PROPERTY] = g_param_spec_string ("bitrate-property", "Bitrate property",
      "The encoder's property that takes its rate, for encoders that are not known or to set another one; NULL: as "
      "known of the encoder",
      NULL, rw);
  properties[PROP_BITRATE_UNIT] = g_param_spec_uint ("bitrate-unit", "Bitrate unit",
      "bit/s that 1 of the encoder's property stands for: 1 bit/s, 1000 kbit/s; 0: as known of the encoder, or as the "
      "property describes itself, bit/s where it does not",
      0, 1000000000, 0, rw);
  properties[PROP_MIN_KEY_UNIT_INTERVAL] = g_param_spec_uint64 ("min-key-unit-interval", "Minimum key unit interval",
      "Least time between requests for a key unit let through, ns; longer where key frames are large", 0, G_MAXUINT64,
      DEFAULT_MIN_KEY_UNIT_INTERVAL, rw);
  properties[PROP_STATS_INTERVAL] = g_param_spec_uint64 ("stats-interval", "Statistics interval",
      "Post stats as an element message each time this much of the stream has passed, ns; 0: never", 0, G_MAXUINT64, 0,
      rw);
  properties[PROP_BITRATE] = g_param_spec_uint (
      "bitrate", "Bitrate", "What the encoder is set to now, bit/s; 0: nothing yet", 0, G_MAXUINT, 0, ro);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Structure application/x-ratecontrol-stats: rates allowed, set and produced in bit/s, what limits, counters",
      GST_TYPE_STRUCTURE, ro);
  install_quantizer_properties ();
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
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
  install_properties (object_class);

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
  self->min_bitrate = DEFAULT_MIN_BITRATE;
  self->max_bitrate = DEFAULT_MAX_BITRATE;
  self->start_bitrate = DEFAULT_START_BITRATE;
  self->configure_encoder = TRUE;
  self->min_key_unit_interval = DEFAULT_MIN_KEY_UNIT_INTERVAL;
  self->info.limit = "start";
  quantizer_control_init (&self->quantizer);
  g_weak_ref_init (&self->encoder, NULL);
  g_mutex_init (&self->applying);
  restart (self, 0);
  gst_base_transform_set_passthrough (GST_BASE_TRANSFORM (self), TRUE);
}
