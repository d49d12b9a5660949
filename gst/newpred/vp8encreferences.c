/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "vp8encreferences.h"

#define KEYFRAME_MODE "keyframe-mode"
#define FLAGS "temporal-scalability-layer-flags"

gboolean
vp8enc_references_can (GstElement *encoder)
{
  GstElementFactory *factory = gst_element_get_factory (encoder);

  return factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), "vp8enc") &&
         g_object_class_find_property (G_OBJECT_GET_CLASS (encoder), FLAGS) != NULL;
}

static gint
get_int (GstElement *encoder, const gchar *property)
{
  gint value = 0;

  g_object_get (encoder, property, &value, NULL);
  return value;
}

static GstStructure *
read_settings (GstElement *encoder)
{
  static const gchar *const names[] = {KEYFRAME_MODE, FLAGS};
  GstStructure *settings = gst_structure_new_empty ("vp8enc");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GValue value = G_VALUE_INIT;

    g_object_get_property (G_OBJECT (encoder), names[i], &value);
    gst_structure_take_value (settings, names[i], &value);
  }
  return settings;
}

const gchar *
vp8enc_references_begin (GstElement *encoder, GstStructure **found)
{
  gboolean auto_alt_ref = FALSE;

  g_object_get (encoder, "auto-alt-ref", &auto_alt_ref, NULL);
  if (get_int (encoder, "lag-in-frames") > 0 || auto_alt_ref)
    return "The encoder looks ahead, so that a picture's references are chosen long before it is sent. Set "
           "lag-in-frames=0 auto-alt-ref=false.";
  if (get_int (encoder, "temporal-scalability-number-layers") > 1)
    return "The encoder makes temporal layers, which need its reference buffers. Set "
           "temporal-scalability-number-layers=1.";
  *found = read_settings (encoder);
  gst_util_set_object_arg (G_OBJECT (encoder), KEYFRAME_MODE, "disabled");
  return NULL;
}

/* What is kept between pictures of the entropy coder must not hang on a picture that may be lost: no-upd-entropy. */
void
vp8enc_references_set (GstElement *encoder, const ReferencePlan *plan)
{
  static const gchar *const not_from[] = {"no-ref-last", "no-ref-golden", "no-ref-alt"};
  static const gchar *const not_into[] = {"no-upd-last", "no-upd-golden", "no-upd-alt"};
  GString *flags = g_string_new ("<no-upd-entropy");

  for (guint b = 0; b < REFERENCE_BUFFERS && !plan->key; b++) {
    if ((plan->from & REFERENCE_BIT (b)) == 0)
      g_string_append_printf (flags, "+%s", not_from[b]);
    if ((plan->into & REFERENCE_BIT (b)) == 0)
      g_string_append_printf (flags, "+%s", not_into[b]);
  }
  g_string_append_c (flags, '>');
  gst_util_set_object_arg (G_OBJECT (encoder), FLAGS, flags->str);
  g_string_free (flags, TRUE);
}

static gboolean
set_back (GQuark name, const GValue *value, gpointer encoder)
{
  g_object_set_property (encoder, g_quark_to_string (name), value);
  return TRUE;
}

void
vp8enc_references_end (GstElement *encoder, GstStructure *found)
{
  gst_structure_foreach (found, set_back, encoder);
  gst_structure_free (found);
}
