/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ratescalesettings.h"

#include <gst/congestion/congestion.h>

static GParamSpec *properties[N_RATE_SCALE_PROPERTIES];

static GType
rate_scale_keep_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {{PICTURE_KEEP_FRAME_RATE, "The size gives way first: motion", "frame-rate"},
      {PICTURE_KEEP_SIZE, "The frame rate gives way first: text, slides", "size"}, {0, NULL, NULL}};

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstRateScaleKeep", values));
  return type;
}

static void
install_written (void)
{
  GParamFlags rw = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  properties[PROP_RATE_SCALE_BITRATE] = g_param_spec_uint ("bitrate", "Bitrate",
      "What the encoder is to produce, bit/s, for an application that sets it without ratecontrol; 0: ratecontrol is "
      "asked",
      0, G_MAXUINT, 0, rw);
  properties[PROP_RATE_SCALE_BITS_PER_PIXEL] = g_param_spec_double ("bits-per-pixel", "Bits per pixel",
      "With so many bits for each pixel of each picture a size or frame rate is taken; it is left below two thirds of "
      "that. Greater: smaller pictures, coded finer",
      0.001, 10, 0.025, rw);
  properties[PROP_RATE_SCALE_KEEP] =
      g_param_spec_enum ("keep", "Keep", "What is kept longer: the other one goes to its floor first",
          rate_scale_keep_get_type (), PICTURE_KEEP_FRAME_RATE, rw);
  properties[PROP_RATE_SCALE_MIN_SIZE] = g_param_spec_int ("min-size", "Minimum size",
      "Least length of the shorter side, pixels; a source below it keeps its size", 16, 8192, 180, rw);
  properties[PROP_RATE_SCALE_MIN_FRAME_RATE] = g_param_spec_double ("min-frame-rate", "Minimum frame rate",
      "Least pictures a second; a source below it keeps its frame rate", 0.1, 1000, 10, rw);
  properties[PROP_RATE_SCALE_STEP_UP_AFTER] = g_param_spec_uint64 ("step-up-after", "Step up after",
      "How long the rate must have been enough for a step up, ns; up to eight times as long after steps up that did "
      "not "
      "last",
      0, 600 * GST_SECOND, 5 * GST_SECOND, rw);
}

void
rate_scale_settings_install (GObjectClass *object_class)
{
  GParamFlags ro = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  install_written ();
  properties[PROP_RATE_SCALE_WIDTH] =
      g_param_spec_int ("width", "Width", "Of the pictures to the encoder, pixels; 0: none yet", 0, G_MAXINT, 0, ro);
  properties[PROP_RATE_SCALE_HEIGHT] =
      g_param_spec_int ("height", "Height", "Of the pictures to the encoder, pixels; 0: none yet", 0, G_MAXINT, 0, ro);
  properties[PROP_RATE_SCALE_FRAME_RATE] = gst_param_spec_fraction (
      "frame-rate", "Frame rate", "Of the pictures to the encoder, 1/s; 0/1: not known", 0, 1, G_MAXINT, 1, 0, 1, ro);
  properties[PROP_RATE_SCALE_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "Structure " GST_RATE_SCALE_STATS_NAME ", also posted as an element message at each step", GST_TYPE_STRUCTURE,
      ro);
  g_object_class_install_properties (object_class, N_RATE_SCALE_PROPERTIES, properties);
}

void
rate_scale_settings_init (RateScaleSettings *settings)
{
  settings->bitrate = 0;
  picture_step_params_init (&settings->step);
  picture_ladder_params_init (&settings->ladder);
}

gboolean
rate_scale_settings_set (RateScaleSettings *settings, guint id, const GValue *value)
{
  switch (id) {
  case PROP_RATE_SCALE_BITRATE:
    settings->bitrate = g_value_get_uint (value);
    break;
  case PROP_RATE_SCALE_BITS_PER_PIXEL:
    settings->step.enough_bpp = g_value_get_double (value);
    break;
  case PROP_RATE_SCALE_KEEP:
    settings->ladder.keep = g_value_get_enum (value);
    break;
  case PROP_RATE_SCALE_MIN_SIZE:
    settings->ladder.min_side = g_value_get_int (value);
    break;
  case PROP_RATE_SCALE_MIN_FRAME_RATE:
    settings->ladder.min_fps = g_value_get_double (value);
    break;
  case PROP_RATE_SCALE_STEP_UP_AFTER:
    settings->step.ample_after = g_value_get_uint64 (value);
    settings->step.ample_most = 8 * settings->step.ample_after;
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

static GstStructure *
make_stats (const RateScaleNow *now, const PictureFormat *format)
{
  const PictureStep *step = now->step;
  double pixels = format->width > 0 ? picture_format_pixels (format) : 0;

  return gst_structure_new (GST_RATE_SCALE_STATS_NAME, "bitrate", G_TYPE_UINT, now->bitrate, "source-width", G_TYPE_INT,
      now->source->width, "source-height", G_TYPE_INT, now->source->height, "source-frame-rate", GST_TYPE_FRACTION,
      now->source->fps_num, now->source->fps_den, "width", G_TYPE_INT, format->width, "height", G_TYPE_INT,
      format->height, "frame-rate", GST_TYPE_FRACTION, format->fps_num, format->fps_den, "bits-per-pixel",
      G_TYPE_DOUBLE, pixels > 0 ? now->bitrate / pixels : 0, "full-size-bitrate", G_TYPE_UINT,
      (guint)MIN (picture_step_full_bps (step), G_MAXUINT), "state", G_TYPE_STRING,
      picture_step_state_name (step->state), "step", G_TYPE_INT, step->rung, "steps", G_TYPE_INT,
      MAX (step->ladder.count - 1, 0), "steps-down", G_TYPE_UINT64, step->downs, "steps-up", G_TYPE_UINT64, step->ups,
      NULL);
}

static gboolean
get_read_only (const RateScaleNow *now, guint id, GValue *value)
{
  const PictureFormat *stepped = picture_step_format (now->step), *format = stepped ? stepped : now->source;

  switch (id) {
  case PROP_RATE_SCALE_WIDTH:
    g_value_set_int (value, format->width);
    break;
  case PROP_RATE_SCALE_HEIGHT:
    g_value_set_int (value, format->height);
    break;
  case PROP_RATE_SCALE_FRAME_RATE:
    gst_value_set_fraction (value, format->fps_num, format->fps_den);
    break;
  case PROP_RATE_SCALE_STATS:
    g_value_take_boxed (value, make_stats (now, format));
    break;
  default:
    return FALSE;
  }
  return TRUE;
}

gboolean
rate_scale_settings_get (const RateScaleSettings *settings, const RateScaleNow *now, guint id, GValue *value)
{
  switch (id) {
  case PROP_RATE_SCALE_BITRATE:
    g_value_set_uint (value, settings->bitrate);
    break;
  case PROP_RATE_SCALE_BITS_PER_PIXEL:
    g_value_set_double (value, settings->step.enough_bpp);
    break;
  case PROP_RATE_SCALE_KEEP:
    g_value_set_enum (value, settings->ladder.keep);
    break;
  case PROP_RATE_SCALE_MIN_SIZE:
    g_value_set_int (value, settings->ladder.min_side);
    break;
  case PROP_RATE_SCALE_MIN_FRAME_RATE:
    g_value_set_double (value, settings->ladder.min_fps);
    break;
  case PROP_RATE_SCALE_STEP_UP_AFTER:
    g_value_set_uint64 (value, settings->step.ample_after);
    break;
  default:
    return get_read_only (now, id, value);
  }
  return TRUE;
}

void
rate_scale_settings_notify (GObject *object)
{
  g_object_notify_by_pspec (object, properties[PROP_RATE_SCALE_WIDTH]);
  g_object_notify_by_pspec (object, properties[PROP_RATE_SCALE_HEIGHT]);
  g_object_notify_by_pspec (object, properties[PROP_RATE_SCALE_FRAME_RATE]);
}
