/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The encoder that is controlled, and what was set of it before it ran. Guarded by the element's lock, but for what is
   said to be called without it: that sets the encoder. */
#ifndef GST_ENCODER_HOLD_H
#define GST_ENCODER_HOLD_H

#include "encodertable.h"

G_BEGIN_DECLS

typedef struct {
  GWeakRef encoder;
  gchar *name;           /* of its factory; NULL: none was found yet */
  gchar *configured;     /* "property=value ..."; NULL: it was not to be */
  guint value;           /* of its knob, when it was taken or left last */
  gboolean outdated;     /* a property by which it was prepared has been set since */
  gboolean knob_changed; /* one that names its knob has, since it was taken */
  gboolean checked;      /* it has been looked at while it runs */
} EncoderHold;

/* What is to be taken back, for the time without the lock. */
typedef struct {
  gchar *configured;
  guint value;
} EncoderHeld;

void encoder_hold_init (EncoderHold *hold);
void encoder_hold_clear (EncoderHold *hold);
/* configured: taken. */
void encoder_hold_take (EncoderHold *hold, GstElement *encoder, gchar *configured, guint value);
/* Whether the property was set of it. */
gboolean encoder_hold_has_set (const EncoderHold *hold, const gchar *property);
EncoderHeld encoder_hold_get (const EncoderHold *hold);
/* Without the lock: the encoder as it was. Takes what is in held. */
void encoder_held_take_back (EncoderHeld *held, const EncoderRow *row, GstElement *encoder);

G_END_DECLS
#endif
