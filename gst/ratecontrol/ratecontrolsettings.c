/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ratecontrolsettings.h"

#define DEFAULT_MIN_BITRATE 20000
#define DEFAULT_MAX_BITRATE G_MAXUINT
#define DEFAULT_START_BITRATE 300000
#define DEFAULT_MIN_KEY_UNIT_INTERVAL (500 * GST_MSECOND)

static GParamSpec *properties[N_RATE_CONTROL_PROPERTIES];

static GType
rate_control_mode_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {{RATE_LAW_BITRATE, "The encoder's own rate control, its bitrate set", "bitrate"},
      {RATE_LAW_QUANTIZER, "The quantizer set by a virtual leaky bucket", "quantizer"}, {0, NULL, NULL}};

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

static void
install_quantizer_properties (void)
{
  GParamFlags rw = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  properties[PROP_MODE] = g_param_spec_enum ("mode", "Mode",
      "What is controlled: the encoder's bitrate, or its quantizer by a virtual leaky bucket (vp8enc, vp9enc, jpegenc; "
      "x264enc by bitrate and buffer from the same bucket; others: bitrate)",
      rate_control_mode_get_type (), RATE_LAW_BITRATE, rw);
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

GParamSpec *const *
rate_control_settings_install (GObjectClass *object_class)
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
  properties[PROP_PAUSE_ENCODER] = g_param_spec_boolean ("pause-encoder", "Pause encoder",
      "Give an encoder that counts frames (x264enc) no pictures, but for two a second, while nobody answers the sender",
      TRUE, rw);
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
  g_object_class_install_properties (object_class, N_RATE_CONTROL_PROPERTIES, properties);
  return properties;
}

void
rate_control_settings_init (RateControlSettings *settings)
{
  *settings = (RateControlSettings){.start_bitrate = DEFAULT_START_BITRATE,
      .configure_encoder = TRUE,
      .min_key_unit_interval = DEFAULT_MIN_KEY_UNIT_INTERVAL};
  rate_law_settings_init (&settings->law);
}

void
rate_control_settings_clear (RateControlSettings *settings)
{
  gst_object_replace ((GstObject **)&settings->encoder, NULL);
  g_clear_pointer (&settings->bitrate_property, g_free);
}

guint
rate_control_settings_start (const RateControlSettings *settings)
{
  const RateLawSettings *law = &settings->law;

  if (settings->start_bitrate == 0)
    return 0;
  return CLAMP (settings->start_bitrate, law->min_bitrate, MAX (law->min_bitrate, law->max_bitrate));
}

gboolean
rate_control_settings_set (RateControlSettings *settings, guint id, const GValue *value)
{
  switch (id) {
  case PROP_ENCODER:
    gst_object_replace ((GstObject **)&settings->encoder, g_value_get_object (value));
    break;
  case PROP_MIN_BITRATE:
    settings->law.min_bitrate = g_value_get_uint (value);
    break;
  case PROP_MAX_BITRATE:
    settings->law.max_bitrate = g_value_get_uint (value);
    break;
  case PROP_START_BITRATE:
    settings->start_bitrate = g_value_get_uint (value);
    break;
  case PROP_CONFIGURE_ENCODER:
    settings->configure_encoder = g_value_get_boolean (value);
    break;
  case PROP_PAUSE_ENCODER:
    settings->law.pause_encoder = g_value_get_boolean (value);
    break;
  case PROP_BITRATE_PROPERTY:
    g_free (settings->bitrate_property);
    settings->bitrate_property = g_value_dup_string (value);
    break;
  case PROP_BITRATE_UNIT:
    settings->bitrate_unit = g_value_get_uint (value);
    break;
  case PROP_MIN_KEY_UNIT_INTERVAL:
    settings->min_key_unit_interval = g_value_get_uint64 (value);
    break;
  case PROP_STATS_INTERVAL:
    settings->stats_interval = g_value_get_uint64 (value);
    break;
  case PROP_MODE:
    settings->law.mode = g_value_get_enum (value);
    break;
  case PROP_NOMINAL_QUANTIZER:
    settings->law.quantizer.nominal = g_value_get_int (value);
    break;
  case PROP_MIN_QUANTIZER:
    settings->law.quantizer.lowest = g_value_get_int (value);
    break;
  case PROP_MAX_QUANTIZER:
    settings->law.quantizer.highest = g_value_get_int (value);
    break;
  case PROP_BUCKET_TIME:
    settings->law.quantizer.bucket_time = g_value_get_uint64 (value);
    break;
  case PROP_BUCKET_SIZE:
    settings->law.quantizer.bucket_size = g_value_get_uint (value);
    break;
  case PROP_CONTROL_INTERVAL:
    settings->law.quantizer.interval = g_value_get_enum (value);
    break;
  case PROP_GOP_SIZE:
    settings->law.quantizer.gop_size = g_value_get_uint (value);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

gboolean
rate_control_settings_get (const RateControlSettings *settings, guint id, GValue *value)
{
  switch (id) {
  case PROP_ENCODER:
    g_value_set_object (value, settings->encoder);
    break;
  case PROP_MIN_BITRATE:
    g_value_set_uint (value, settings->law.min_bitrate);
    break;
  case PROP_MAX_BITRATE:
    g_value_set_uint (value, settings->law.max_bitrate);
    break;
  case PROP_START_BITRATE:
    g_value_set_uint (value, settings->start_bitrate);
    break;
  case PROP_CONFIGURE_ENCODER:
    g_value_set_boolean (value, settings->configure_encoder);
    break;
  case PROP_PAUSE_ENCODER:
    g_value_set_boolean (value, settings->law.pause_encoder);
    break;
  case PROP_BITRATE_PROPERTY:
    g_value_set_string (value, settings->bitrate_property);
    break;
  case PROP_BITRATE_UNIT:
    g_value_set_uint (value, settings->bitrate_unit);
    break;
  case PROP_MIN_KEY_UNIT_INTERVAL:
    g_value_set_uint64 (value, settings->min_key_unit_interval);
    break;
  case PROP_STATS_INTERVAL:
    g_value_set_uint64 (value, settings->stats_interval);
    break;
  case PROP_MODE:
    g_value_set_enum (value, settings->law.mode);
    break;
  case PROP_NOMINAL_QUANTIZER:
    g_value_set_int (value, settings->law.quantizer.nominal);
    break;
  case PROP_MIN_QUANTIZER:
    g_value_set_int (value, settings->law.quantizer.lowest);
    break;
  case PROP_MAX_QUANTIZER:
    g_value_set_int (value, settings->law.quantizer.highest);
    break;
  case PROP_BUCKET_TIME:
    g_value_set_uint64 (value, settings->law.quantizer.bucket_time);
    break;
  case PROP_BUCKET_SIZE:
    g_value_set_uint (value, settings->law.quantizer.bucket_size);
    break;
  case PROP_CONTROL_INTERVAL:
    g_value_set_enum (value, settings->law.quantizer.interval);
    break;
  case PROP_GOP_SIZE:
    g_value_set_uint (value, settings->law.quantizer.gop_size);
    break;
  default:
    return FALSE;
  }
  return TRUE;
}
