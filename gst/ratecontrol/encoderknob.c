/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encoderknob.h"

#include <string.h>

static const EncoderSetting none[] = {{NULL, NULL}};

static GParamSpec *
find_property (GstElement *encoder, const gchar *name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (encoder), name);
}

static gboolean
is_number (const GParamSpec *pspec)
{
  switch (pspec->value_type) {
  case G_TYPE_INT:
  case G_TYPE_UINT:
  case G_TYPE_LONG:
  case G_TYPE_ULONG:
  case G_TYPE_INT64:
  case G_TYPE_UINT64:
  case G_TYPE_FLOAT:
  case G_TYPE_DOUBLE:
    return TRUE;
  default:
    return FALSE;
  }
}

EncoderKnobState
encoder_knob_check (GstElement *encoder, const gchar *property)
{
  GParamSpec *pspec = find_property (encoder, property);

  if (pspec == NULL)
    return ENCODER_KNOB_MISSING;
  if (!is_number (pspec))
    return ENCODER_KNOB_NO_NUMBER;
  if (!(pspec->flags & G_PARAM_WRITABLE) || (pspec->flags & G_PARAM_CONSTRUCT_ONLY))
    return ENCODER_KNOB_READ_ONLY;
  if ((pspec->flags & (GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED)) &&
      !(pspec->flags & GST_PARAM_MUTABLE_PLAYING))
    return ENCODER_KNOB_NOT_LIVE;
  return ENCODER_KNOB_FINE;
}

gboolean
encoder_knob_is_usable (EncoderKnobState state)
{
  return state == ENCODER_KNOB_FINE || state == ENCODER_KNOB_NOT_LIVE;
}

/* As descriptions of encoders have it: kbps, kbit/s, kbits/sec, kilobits. */
guint
encoder_knob_unit (GstElement *encoder, const gchar *property)
{
  static const struct {
    const gchar *word;
    guint unit;
  } words[] = {{"kbps", 1000}, {"kbit", 1000}, {"kb/s", 1000}, {"kilobit", 1000}, {"mbps", 1000000}, {"mbit", 1000000},
      {"megabit", 1000000}};
  GParamSpec *pspec = find_property (encoder, property);
  const gchar *texts[] = {pspec ? g_param_spec_get_nick (pspec) : NULL, pspec ? g_param_spec_get_blurb (pspec) : NULL};
  guint unit = 1;

  for (guint t = 0; t < G_N_ELEMENTS (texts); t++) {
    gchar *text = texts[t] ? g_ascii_strdown (texts[t], -1) : NULL;

    for (guint i = 0; text && unit == 1 && i < G_N_ELEMENTS (words); i++)
      if (strstr (text, words[i].word))
        unit = words[i].unit;
    g_free (text);
  }
  return unit;
}

gchar *
encoder_knob_candidates (GstElement *encoder)
{
  GString *names = g_string_new (NULL);
  guint n;
  GParamSpec **list = g_object_class_list_properties (G_OBJECT_GET_CLASS (encoder), &n);

  for (guint i = 0; i < n; i++)
    if ((strstr (list[i]->name, "rate") || strstr (list[i]->name, "bps")) &&
        encoder_knob_check (encoder, list[i]->name) == ENCODER_KNOB_FINE)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", list[i]->name);
  g_free (list);
  return g_string_free (names, FALSE);
}

const EncoderRow *
encoder_knob_row (const EncoderRow *known, GstElement *encoder, const gchar *property, guint unit)
{
  static GMutex lock;
  static GHashTable *rows; /* what it is for -> row */
  GstElementFactory *factory = gst_element_get_factory (encoder);
  gchar *key = g_strdup_printf ("%s %s %u %p", factory ? GST_OBJECT_NAME (factory) : G_OBJECT_TYPE_NAME (encoder),
      property, unit, (const void *)known);
  EncoderRow *row;

  g_mutex_lock (&lock);
  if (rows == NULL)
    rows = g_hash_table_new (g_str_hash, g_str_equal);
  row = g_hash_table_lookup (rows, key);
  if (row == NULL) {
    row = g_new0 (EncoderRow, 1);
    if (known)
      *row = *known;
    else
      row->settings = none;
    row->factory = g_intern_string (factory ? GST_OBJECT_NAME (factory) : G_OBJECT_TYPE_NAME (encoder));
    row->knob = ENCODER_KNOB_BITRATE;
    row->property = g_intern_string (property);
    row->unit = unit;
    g_hash_table_insert (rows, g_strdup (key), row);
  }
  g_mutex_unlock (&lock);
  g_free (key);
  return row;
}
