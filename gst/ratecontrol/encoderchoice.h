/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of an encoder and of the knob that the user names for it, and how it is told what is wrong. */
#ifndef GST_ENCODER_CHOICE_H
#define GST_ENCODER_CHOICE_H

#include "encoderknob.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *encoder;   /* not owned; NULL: there is none */
  const EncoderRow *row; /* NULL: it cannot be controlled */
  gchar *property;       /* bitrate-property; NULL: the table's */
  EncoderKnobState knob; /* how that stands */
} EncoderChoice;

/* property: NULL, the table's; unit: bit/s, 0: the table's, or what the property says of itself. */
EncoderChoice encoder_choice_make (GstElement *encoder, const gchar *property, guint unit);
void encoder_choice_clear (EncoderChoice *choice);
/* Takes a rate while it runs. */
gboolean encoder_choice_is_controlled (const EncoderRow *row);
/* Prepares the encoder for changes while it runs, and sets *start, which becomes 0 where the encoder has a rate of the
   user's. Returns what was done, "property=value ...". One warning of teller's where the encoder runs already and does
   not take all of it. */
gchar *encoder_choice_prepare (const EncoderChoice *choice, GstElement *teller, guint *start);
/* It has not begun to run: every setting is taken. */
gboolean encoder_choice_may_prepare (GstElement *encoder);
/* One warning of teller's where the knob is wrong. TRUE: it was. */
gboolean encoder_choice_tell_knob (const EncoderChoice *choice, GstElement *teller);
/* Warns of what keeps the encoder from being controlled, that there is none, wants_quantizer: by that, and of raw video
   that many receivers do not decode. */
void encoder_choice_tell (const EncoderChoice *choice, GstElement *teller, gboolean wants_quantizer);

G_END_DECLS
#endif
