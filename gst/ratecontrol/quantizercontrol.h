/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mode=quantizer: the properties and the law of the core, and what is to be set when. No locks, no encoder: the element
   guards it and carries its orders out. */
#ifndef GST_QUANTIZER_CONTROL_H
#define GST_QUANTIZER_CONTROL_H

#include "encoderquantizer.h"
#include "rasvbr.h"

G_BEGIN_DECLS

/* The properties. */
typedef struct {
  gint nominal, lowest, highest; /* -1: the encoder's own, or the default */
  GstClockTime bucket_time;
  guint bucket_size; /* bytes; 0: by bucket_time */
  RasvbrInterval interval;
  guint gop_size;
} QuantizerSettings;

typedef struct {
  QuantizerSettings settings;
  const EncoderQuantizer *codec; /* NULL: none that can be controlled so */
  gint own_lowest, own_highest, key_distance;
  gint value;      /* set now; -1: not in force */
  guint asked;     /* bit/s, of an encoder by rate; 0: not in force */
  guint buffer_ms; /* likewise */
  gboolean owns_buffer;
  Rasvbr law;
} QuantizerControl;

/* What to set; what is to stay is -1 or 0. */
typedef struct {
  gint lowest, highest;
  guint bitrate, buffer_ms;
} QuantizerOrder;

void quantizer_settings_init (QuantizerSettings *settings);
void quantizer_control_init (QuantizerControl *c);
/* Another encoder, or the same from the start; NULL: none. owns_buffer: its buffer may be set. */
void quantizer_control_adopt (
    QuantizerControl *c, const EncoderQuantizer *codec, GstElement *encoder, gboolean owns_buffer);
/* Forgets what was learned. */
void quantizer_control_restart (QuantizerControl *c, double bps);
/* Properties that have changed, or not. */
void quantizer_control_set (QuantizerControl *c, const QuantizerSettings *settings);
void quantizer_control_on_rate (QuantizerControl *c, double bps, guint backlog_bytes);
void quantizer_control_on_frame (QuantizerControl *c, gsize bytes, gboolean key, CcTime now);
/* For the next frame; key: it has been asked to be a key frame. Taken for carried out. */
QuantizerOrder quantizer_control_next (QuantizerControl *c, gboolean key);
/* The encoder's own bounds again. */
QuantizerOrder quantizer_control_leave (QuantizerControl *c);
QuantizerOrder quantizer_control_nothing (void);
/* By the element, without its lock: sets the encoder. */
void quantizer_order_carry_out (const EncoderRow *row, GstElement *encoder, const QuantizerOrder *order);

G_END_DECLS
#endif
