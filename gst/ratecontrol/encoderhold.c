/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encoderhold.h"

#include <string.h>

void
encoder_hold_init (EncoderHold *h)
{
  *h = (EncoderHold){.name = NULL};
  g_weak_ref_init (&h->encoder, NULL);
}

void
encoder_hold_clear (EncoderHold *h)
{
  g_weak_ref_clear (&h->encoder);
  g_clear_pointer (&h->name, g_free);
  g_clear_pointer (&h->configured, g_free);
}

void
encoder_hold_take (EncoderHold *h, GstElement *encoder, gchar *configured, guint value)
{
  GstElementFactory *factory = gst_element_get_factory (encoder);

  g_weak_ref_set (&h->encoder, encoder);
  g_free (h->name);
  h->name = g_strdup (factory ? GST_OBJECT_NAME (factory) : G_OBJECT_TYPE_NAME (encoder));
  g_free (h->configured);
  h->configured = configured;
  h->value = value;
  h->checked = h->knob_changed = FALSE;
}

gboolean
encoder_hold_has_set (const EncoderHold *h, const gchar *property)
{
  return h->configured && strstr (h->configured, property);
}

EncoderHeld
encoder_hold_get (const EncoderHold *h)
{
  return (EncoderHeld){g_strdup (h->configured), h->value};
}

void
encoder_held_take_back (EncoderHeld *held, const EncoderRow *row, GstElement *encoder)
{
  if (row && held->configured)
    encoder_row_unconfigure (row, encoder, held->configured, held->value);
  g_clear_pointer (&held->configured, g_free);
}
