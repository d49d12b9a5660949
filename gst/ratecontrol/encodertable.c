/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encodertable.h"

#include <string.h>

static GParamSpec *
find_property (GstElement *encoder, const gchar *name)
{
  return g_object_class_find_property (G_OBJECT_GET_CLASS (encoder), name);
}

/* A machine's second encoder of a kind has a name of its own: nvh264device1enc, varenderD129h264enc,
 * v4l2video11h264enc. */
static gchar *
canonical_name (const gchar *name)
{
  static const gchar *const marks[] = {"device", "renderD", "video"};

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++) {
    const gchar *mark = strstr (name, marks[i]), *end = mark ? mark + strlen (marks[i]) : NULL;

    if (mark == NULL || !g_ascii_isdigit (*end))
      continue;
    while (g_ascii_isdigit (*end))
      end++;
    return g_strdup_printf ("%.*s%s", (int)(mark - name), name, end);
  }
  return g_strdup (name);
}

static gboolean
is_for (const EncoderRow *row, const gchar *name, GstElement *encoder)
{
  gsize length = strlen (row->factory);
  gboolean any = row->factory[length - 1] == '*';
  GParamSpec *pspec;

  if (any ? strncmp (row->factory, name, length - 1) != 0 : strcmp (row->factory, name) != 0)
    return FALSE;
  pspec = find_property (encoder, row->property);
  return pspec && (row->blurb == NULL || strstr (g_param_spec_get_blurb (pspec), row->blurb));
}

const EncoderRow *
encoder_table_find (GstElement *encoder)
{
  GstElementFactory *factory = gst_element_get_factory (encoder);
  gchar *name = factory ? canonical_name (GST_OBJECT_NAME (factory)) : NULL;
  const EncoderRow *row = NULL;

  for (gsize i = 0; name && row == NULL && encoder_rows[i].factory; i++)
    if (is_for (&encoder_rows[i], name, encoder))
      row = &encoder_rows[i];
  g_free (name);
  return row;
}

/* Left as a new element of its kind has it: some elements begin with other values than their properties tell. */
static gboolean
is_untouched (GstElement *encoder, GstElement *fresh, GParamSpec *pspec)
{
  GValue value = G_VALUE_INIT, original = G_VALUE_INIT;
  gboolean is;

  g_value_init (&value, pspec->value_type);
  g_value_init (&original, pspec->value_type);
  g_object_get_property (G_OBJECT (encoder), pspec->name, &value);
  g_object_get_property (G_OBJECT (fresh), pspec->name, &original);
  is = g_param_values_cmp (pspec, &value, &original) == 0;
  g_value_unset (&original);
  g_value_unset (&value);
  return is;
}

static GstElement *
make_fresh (GstElement *encoder)
{
  GstElement *fresh = gst_element_factory_create (gst_element_get_factory (encoder), NULL);

  return fresh ? gst_object_ref_sink (fresh) : NULL;
}

static gboolean
property_is_untouched (GstElement *encoder, const gchar *name)
{
  GParamSpec *pspec = find_property (encoder, name);
  GstElement *fresh = make_fresh (encoder);
  gboolean is = pspec && fresh && is_untouched (encoder, fresh, pspec);

  g_clear_object (&fresh);
  return is;
}

static gboolean
takes_it_now (const EncoderRow *row, GstElement *encoder, GParamSpec *pspec)
{
  GstState state;

  if (row->any_state || (pspec->flags & GST_PARAM_MUTABLE_PLAYING))
    return TRUE;
  GST_OBJECT_LOCK (encoder);
  state = GST_STATE (encoder);
  GST_OBJECT_UNLOCK (encoder);
  return state <= GST_STATE_READY;
}

static gchar *
property_text (GstElement *encoder, GParamSpec *pspec)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_value_init (&value, pspec->value_type);
  g_object_get_property (G_OBJECT (encoder), pspec->name, &value);
  text = G_VALUE_HOLDS_STRING (&value) ? g_value_dup_string (&value) : gst_value_serialize (&value);
  g_value_unset (&value);
  return text ? text : g_strdup ("");
}

static gboolean
is_set_to (GstElement *encoder, GParamSpec *pspec, const gchar *text)
{
  gchar *now = property_text (encoder, pspec);
  gboolean is = strcmp (now, text) == 0;

  g_free (now);
  return is;
}

static void
apply_setting (
    const EncoderRow *row, GstElement *encoder, GstElement *fresh, const EncoderSetting *s, EncoderConfigured *done)
{
  GParamSpec *pspec = find_property (encoder, s->property);
  gboolean late;

  if (pspec == NULL || !is_untouched (encoder, fresh, pspec) || is_set_to (encoder, pspec, s->value))
    return;
  late = !takes_it_now (row, encoder, pspec);
  if (!late)
    gst_util_set_object_arg (G_OBJECT (encoder), s->property, s->value);
  if (late)
    g_string_append_printf (done->late, "%s%s=%s", done->late->len ? ", " : "", s->property, s->value);
  else if (!is_untouched (encoder, fresh, pspec))
    g_string_append_printf (done->set, "%s%s=%s", done->set->len ? " " : "", s->property, s->value);
}

EncoderConfigured
encoder_row_configure (const EncoderRow *row, GstElement *encoder)
{
  EncoderConfigured done = {g_string_new (NULL), g_string_new (NULL)};
  GstElement *fresh = make_fresh (encoder);

  for (const EncoderSetting *s = row->settings; fresh && s->property; s++)
    apply_setting (row, encoder, fresh, s, &done);
  g_clear_object (&fresh);
  return done;
}

static void
take_back (GstElement *encoder, GstElement *fresh, GParamSpec *pspec)
{
  GValue original = G_VALUE_INIT;

  g_value_init (&original, pspec->value_type);
  g_object_get_property (G_OBJECT (fresh), pspec->name, &original);
  g_object_set_property (G_OBJECT (encoder), pspec->name, &original);
  g_value_unset (&original);
}

void
encoder_row_unconfigure (const EncoderRow *row, GstElement *encoder, const gchar *set, guint value)
{
  GstElement *fresh = make_fresh (encoder);
  gboolean knob_is_ours = encoder_row_get (row, encoder) == value;
  gchar **settings = g_strsplit (set, " ", -1);

  for (guint i = 0; fresh && settings[i]; i++) {
    gchar **pair = g_strsplit (settings[i], "=", 2);
    gboolean is_knob = g_str_equal (pair[0], ENCODER_START_SETTING) || g_str_equal (pair[0], row->property);
    GParamSpec *pspec = find_property (encoder, is_knob ? row->property : pair[0]);

    if (pspec && (is_knob ? knob_is_ours : is_set_to (encoder, pspec, pair[1])))
      take_back (encoder, fresh, pspec);
    g_strfreev (pair);
  }
  g_strfreev (settings);
  g_clear_object (&fresh);
}

/* Settings of the user's with which the encoder makes the same whatever its bitrate. value: of a string, an option in
   it; NULL: any but the default. */
static const struct {
  const gchar *factory, *property, *value, *caution;
} cautions[] = {
    {"x264enc", "option-string", "nal-hrd=cbr",
        "x264enc ignores every change of bitrate with nal-hrd=cbr: take it out of option-string"},
    {"x264enc", "pass", NULL, "x264enc follows its bitrate only with pass=cbr: leave pass at its default"},
    {"openh264enc", "rate-control", "off",
        "openh264enc has no bitrate with rate-control=off: set rate-control=bitrate"},
    {"openh264enc", "rate-control", "buffer",
        "openh264enc has no bitrate with rate-control=buffer: set rate-control=bitrate"},
    {"x265enc", "qp", NULL, "x265enc has no bitrate with a constant quantizer: leave qp at its default"},
    {"x265enc", "option-string",
        "qp=", "x265enc has no bitrate with a constant quantizer: take qp out of option-string"},
    {"x265enc", "option-string",
        "crf=", "x265enc has no bitrate with a constant quality: take crf out of option-string"},
    {"av1enc", "end-usage", "q", "av1enc has no bitrate with a constant quality: set end-usage=cbr"},
};

static gboolean
has_option (GstElement *encoder, GParamSpec *pspec, const gchar *option)
{
  gchar *text = property_text (encoder, pspec), **options = g_strsplit (text, ":", -1);
  gboolean has = FALSE;

  for (guint i = 0; options[i] && !has; i++)
    has = g_str_has_prefix (options[i], option);
  g_strfreev (options);
  g_free (text);
  return has;
}

static gboolean
has_setting (GstElement *encoder, const gchar *property, const gchar *value)
{
  GParamSpec *pspec = find_property (encoder, property);

  if (pspec == NULL)
    return FALSE;
  if (value == NULL)
    return !property_is_untouched (encoder, property);
  return pspec->value_type == G_TYPE_STRING ? has_option (encoder, pspec, value) : is_set_to (encoder, pspec, value);
}

const gchar *
encoder_row_caution (const EncoderRow *row, GstElement *encoder)
{
  for (guint i = 0; i < G_N_ELEMENTS (cautions); i++)
    if (strcmp (row->factory, cautions[i].factory) == 0 &&
        has_setting (encoder, cautions[i].property, cautions[i].value))
      return cautions[i].caution;
  if (row->knob == ENCODER_KNOB_AT_START)
    return "It takes a bitrate before it starts at most: use x264enc, vp8enc, openh264enc, av1enc or another that "
           "docs/ratecontrol.md lists as following while it runs";
  return NULL;
}

const gchar *
encoder_row_caps_420 (const EncoderRow *row)
{
  if (strcmp (row->factory, "x264enc") == 0)
    return "video/x-h264, profile = (string) { high, main, constrained-baseline, baseline }";
  if (strcmp (row->factory, "x265enc") == 0)
    return "video/x-h265, profile = (string) main";
  return NULL;
}

gboolean
encoder_row_rate_is_default (const EncoderRow *row, GstElement *encoder)
{
  return property_is_untouched (encoder, row->property);
}

static gboolean
set_number (GstElement *encoder, GParamSpec *pspec, gint64 number)
{
  GValue from = G_VALUE_INIT, to = G_VALUE_INIT;
  gboolean ok;

  g_value_init (&from, G_TYPE_INT64);
  g_value_set_int64 (&from, pspec->value_type == G_TYPE_INT ? MIN (number, G_MAXINT) : number);
  g_value_init (&to, pspec->value_type);
  ok = g_value_transform (&from, &to);
  if (ok) {
    g_param_value_validate (pspec, &to);
    g_object_set_property (G_OBJECT (encoder), pspec->name, &to);
  }
  g_value_unset (&to);
  g_value_unset (&from);
  return ok;
}

static void
set_fraction (GstElement *encoder, GParamSpec *pspec, double number)
{
  GValue from = G_VALUE_INIT, to = G_VALUE_INIT;

  g_value_init (&from, G_TYPE_DOUBLE);
  g_value_set_double (&from, number);
  g_value_init (&to, pspec->value_type);
  g_value_transform (&from, &to);
  g_param_value_validate (pspec, &to);
  g_object_set_property (G_OBJECT (encoder), pspec->name, &to);
  g_value_unset (&to);
  g_value_unset (&from);
}

static gboolean
set_extra_control (GstElement *encoder, const gchar *property, guint value)
{
  GstStructure *controls = NULL;

  g_object_get (encoder, property, &controls, NULL);
  if (controls == NULL)
    controls = gst_structure_new_empty ("controls");
  gst_structure_set (controls, "video_bitrate", G_TYPE_INT, (gint)MIN (value, G_MAXINT), NULL);
  g_object_set (encoder, property, controls, NULL);
  gst_structure_free (controls);
  return TRUE;
}

gboolean
encoder_row_set (const EncoderRow *row, GstElement *encoder, guint value)
{
  GParamSpec *pspec = find_property (encoder, row->property);

  if (pspec == NULL)
    return FALSE;
  if (row->knob == ENCODER_KNOB_EXTRA_CONTROLS)
    return set_extra_control (encoder, row->property, value);
  if (pspec->value_type == G_TYPE_FLOAT || pspec->value_type == G_TYPE_DOUBLE) {
    set_fraction (encoder, pspec, (double)value / row->unit);
    return TRUE;
  }
  return set_number (encoder, pspec, MAX (1, (gint64)value / row->unit));
}

void
encoder_row_prime (const EncoderRow *row, GstElement *encoder)
{
  guint value = row->prime ? encoder_row_get (row, encoder) : 0;

  if (value == 0)
    return;
  encoder_row_set (row, encoder, value + row->unit);
  encoder_row_set (row, encoder, value);
}

static guint
get_extra_control (GstElement *encoder, const gchar *property)
{
  GstStructure *controls = NULL;
  gint value = 0;

  g_object_get (encoder, property, &controls, NULL);
  if (controls) {
    gst_structure_get_int (controls, "video_bitrate", &value);
    gst_structure_free (controls);
  }
  return MAX (0, value);
}

guint
encoder_row_get (const EncoderRow *row, GstElement *encoder)
{
  GParamSpec *pspec = find_property (encoder, row->property);
  GValue from = G_VALUE_INIT, to = G_VALUE_INIT;
  double number = 0;

  if (pspec == NULL)
    return 0;
  if (row->knob == ENCODER_KNOB_EXTRA_CONTROLS)
    return get_extra_control (encoder, row->property);
  g_value_init (&from, pspec->value_type);
  g_value_init (&to, G_TYPE_DOUBLE);
  g_object_get_property (G_OBJECT (encoder), pspec->name, &from);
  if (g_value_transform (&from, &to))
    number = g_value_get_double (&to);
  g_value_unset (&to);
  g_value_unset (&from);
  if (number <= 0 || number == G_MAXUINT32) /* the component's own */
    return 0;
  return (guint)MIN (number * row->unit + 0.5, G_MAXUINT);
}
