/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the quantizer of an encoder is set while it runs: one row a factory. */
#ifndef GST_ENCODER_QUANTIZER_H
#define GST_ENCODER_QUANTIZER_H

#include "encodertable.h"
#include "quantizerscale.h"

G_BEGIN_DECLS

typedef enum {
  ENCODER_QUANTIZER_BOUNDS,  /* min-quantizer and max-quantizer */
  ENCODER_QUANTIZER_QUALITY, /* quality: all frames are key frames */
  ENCODER_QUANTIZER_BY_RATE  /* refused while it runs: bitrate and vbv-buf-capacity from the same bucket */
} EncoderQuantizerKind;

typedef struct {
  const gchar *factory;
  EncoderQuantizerKind kind;
  void (*scale) (QuantizerScale *scale);
  const gchar *key_distance; /* property: frames from key frame to key frame at most; NULL: none */
} EncoderQuantizer;

/* NULL: takes no quantizer while it runs, nor a rate often enough. */
const EncoderQuantizer *encoder_quantizer_find (const EncoderRow *row);
/* The bounds the encoder has now. */
void encoder_quantizer_get (const EncoderQuantizer *codec, GstElement *encoder, gint *lowest, gint *highest);
/* Sets both, in the order that never has the lower one above the other. */
void encoder_quantizer_set (const EncoderQuantizer *codec, GstElement *encoder, gint lowest, gint highest);
/* Sets the buffer of an encoder by rate. */
void encoder_quantizer_set_buffer (GstElement *encoder, guint milliseconds);
/* Frames from key frame to key frame, 0: unknown. */
gint encoder_quantizer_key_distance (const EncoderQuantizer *codec, GstElement *encoder);

G_END_DECLS
#endif
