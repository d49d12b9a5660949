/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A knob that the user names: the properties bitrate-property and bitrate-unit make a row for an encoder that the table
   (encodertable.h) has none for, or another one than the table's. */
#ifndef GST_ENCODER_KNOB_H
#define GST_ENCODER_KNOB_H

#include "encodertable.h"

G_BEGIN_DECLS

typedef enum {
  ENCODER_KNOB_FINE,
  ENCODER_KNOB_MISSING,   /* no such property */
  ENCODER_KNOB_NO_NUMBER, /* of a type that holds no bit rate */
  ENCODER_KNOB_READ_ONLY,
  ENCODER_KNOB_NOT_LIVE /* it says that it is changed in READY or PAUSED at most; encoders are known that mistake it */
} EncoderKnobState;

EncoderKnobState encoder_knob_check (GstElement *encoder, const gchar *property);
/* Whether a rate can be set by it at all. */
gboolean encoder_knob_is_usable (EncoderKnobState state);
/* Bit/s that 1 stands for, as the property's description tells; 1 where it does not. */
guint encoder_knob_unit (GstElement *encoder, const gchar *property);
/* The numbers among its properties whose names speak of a rate, "a, b"; "" where there is none. */
gchar *encoder_knob_candidates (GstElement *encoder);
/* A row for it; known: the table's, or NULL. It lives for ever, like the table's: there are as many as a program has
   encoders and settings of them. */
const EncoderRow *encoder_knob_row (const EncoderRow *known, GstElement *encoder, const gchar *property, guint unit);

G_END_DECLS
#endif
