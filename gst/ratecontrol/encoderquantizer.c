/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encoderquantizer.h"

#define JPEG_LOWEST 5
#define JPEG_HIGHEST 95
#define FAR_AWAY 100000 /* frames: no key frames but those asked for */

static const EncoderQuantizer table[] = {
    {"vp8enc", ENCODER_QUANTIZER_BOUNDS, quantizer_scale_vp8, "keyframe-max-dist"},
    {"vp9enc", ENCODER_QUANTIZER_BOUNDS, quantizer_scale_vp9, "keyframe-max-dist"},
    {"jpegenc", ENCODER_QUANTIZER_QUALITY, quantizer_scale_jpeg, NULL},
    {"x264enc", ENCODER_QUANTIZER_BY_RATE, quantizer_scale_h264, "key-int-max"},
};

const EncoderQuantizer *
encoder_quantizer_find (const EncoderRow *row)
{
  for (gsize i = 0; row && i < G_N_ELEMENTS (table); i++)
    if (g_strcmp0 (table[i].factory, row->factory) == 0)
      return &table[i];
  return NULL;
}

void
encoder_quantizer_get (const EncoderQuantizer *codec, GstElement *encoder, gint *lowest, gint *highest)
{
  QuantizerScale scale;

  codec->scale (&scale);
  *lowest = codec->kind == ENCODER_QUANTIZER_QUALITY ? JPEG_LOWEST : scale.first;
  *highest = codec->kind == ENCODER_QUANTIZER_QUALITY ? JPEG_HIGHEST : scale.last;
  if (codec->kind == ENCODER_QUANTIZER_BOUNDS)
    g_object_get (encoder, "min-quantizer", lowest, "max-quantizer", highest, NULL);
}

static void
set_bounds (GstElement *encoder, gint lowest, gint highest)
{
  gint floor = 0;

  g_object_get (encoder, "min-quantizer", &floor, NULL);
  if (highest >= floor)
    g_object_set (encoder, "max-quantizer", highest, "min-quantizer", lowest, NULL);
  else
    g_object_set (encoder, "min-quantizer", lowest, "max-quantizer", highest, NULL);
}

void
encoder_quantizer_set (const EncoderQuantizer *codec, GstElement *encoder, gint lowest, gint highest)
{
  if (codec->kind == ENCODER_QUANTIZER_BOUNDS)
    set_bounds (encoder, lowest, highest);
  else if (codec->kind == ENCODER_QUANTIZER_QUALITY)
    g_object_set (encoder, "quality", lowest, NULL);
}

void
encoder_quantizer_set_buffer (GstElement *encoder, guint milliseconds)
{
  g_object_set (encoder, "vbv-buf-capacity", CLAMP (milliseconds, 1, 10000), NULL);
}

gint
encoder_quantizer_key_distance (const EncoderQuantizer *codec, GstElement *encoder)
{
  GValue value = G_VALUE_INIT;
  gint64 distance = 0;

  if (codec->key_distance == NULL)
    return 1;
  g_value_init (&value, G_TYPE_INT64);
  g_object_get_property (G_OBJECT (encoder), codec->key_distance, &value);
  distance = g_value_get_int64 (&value);
  g_value_unset (&value);
  return distance > 0 && distance < FAR_AWAY ? (gint)distance : 0;
}
