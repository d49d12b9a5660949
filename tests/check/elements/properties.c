/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every property of every element reads what it was set to, and does what its flags say: what may be set in READY, or
   while it plays, holds as if it had been set before. What holds is what the element and the elements inside it read.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "everyelement.h"

#define PORT 5904 /* no other test listens there meanwhile */

/* What texts and structures are set to; of another kind than its name says, no value is known. */
static const struct {
  const gchar *name, *value;
} texts[] = {
    {"address", "127.0.0.1"},
    {"bin", "somewhere"},
    {"bind-address", "127.0.0.1"},
    {"bitrate-property", "bitrate"},
    {"caps", "application/x-rtp,media=video,clock-rate=90000,encoding-name=VP8"},
    {"cname", "somebody"},
    {"encoding-name", "VP8"},
    {"host", "127.0.0.2"},
    {"location", "/dev/null"},
    {"multicast-iface", "lo"},
    {"peer-address", "127.0.0.3"},
    {"rate-sources", "10.0.0.1"},
    {"rtx-payload-type-map", "application/x-rtp-pt-map,96=(uint)97"},
    {"sdes", "application/x-rtp-source-sdes,cname=(string)somebody,name=(string)Some"},
    {"weights", "weights,ssrc-5=(double)2.0"},
};

/* Another one for each start, or what comes of settings. */
static const gchar *const chance[] = {"stats", "socket", "used-socket", "parent", "name", "ssrc", "internal-ssrc",
    "last-sample", "last-message", "own-ssrc", "rtcp-ssrc", "cname", "timestamp", "seqnum", "sdes",
    "estimated-bitrate"};

static gboolean
is_by_chance (const gchar *name)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (chance); i++)
    if (g_str_equal (chance[i], name))
      return TRUE;
  return FALSE;
}

static const gchar *
text_for (const gchar *name)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (texts); i++)
    if (g_str_equal (texts[i].name, name))
      return texts[i].value;
  return NULL;
}

/* A little less: some are refused beside the others. */
static double
another_double (const GParamSpecDouble *pspec)
{
  if (pspec->default_value > pspec->minimum)
    return pspec->default_value - (pspec->default_value - pspec->minimum) / 16;
  return MIN (pspec->minimum + 1, pspec->maximum);
}

/* A port or the id of a header extension has to be one; all else may be a little more than it is. */
static gboolean
another_number (const GParamSpec *pspec, GValue *value)
{
  if (G_IS_PARAM_SPEC_INT (pspec))
    g_value_set_int (value, MIN (G_PARAM_SPEC_INT (pspec)->default_value + 7, G_PARAM_SPEC_INT (pspec)->maximum));
  else if (G_IS_PARAM_SPEC_UINT (pspec))
    g_value_set_uint (
        value, MIN (G_PARAM_SPEC_UINT (pspec)->default_value, G_PARAM_SPEC_UINT (pspec)->maximum - 7) + 7);
  else if (G_IS_PARAM_SPEC_INT64 (pspec))
    g_value_set_int64 (value, G_PARAM_SPEC_INT64 (pspec)->default_value + 7 * GST_MSECOND);
  else if (G_IS_PARAM_SPEC_UINT64 (pspec))
    g_value_set_uint64 (value, MIN (G_PARAM_SPEC_UINT64 (pspec)->default_value, GST_SECOND) + 70 * GST_MSECOND);
  else if (G_IS_PARAM_SPEC_DOUBLE (pspec))
    g_value_set_double (value, another_double (G_PARAM_SPEC_DOUBLE (pspec)));
  else
    return FALSE;
  return TRUE;
}

static gboolean
another_choice (const GParamSpec *pspec, GValue *value)
{
  if (G_IS_PARAM_SPEC_BOOLEAN (pspec)) {
    g_value_set_boolean (value, !G_PARAM_SPEC_BOOLEAN (pspec)->default_value);
  } else if (G_IS_PARAM_SPEC_ENUM (pspec)) {
    const GEnumClass *choices = G_PARAM_SPEC_ENUM (pspec)->enum_class;
    guint first = choices->values[0].value == G_PARAM_SPEC_ENUM (pspec)->default_value ? 1 : 0;

    g_value_set_enum (value, choices->values[first].value);
  } else if (G_IS_PARAM_SPEC_FLAGS (pspec)) {
    g_value_set_flags (value, G_PARAM_SPEC_FLAGS (pspec)->flags_class->values[0].value);
  } else {
    return FALSE;
  }
  return TRUE;
}

static gboolean
another_value (GParamSpec *pspec, GValue *value)
{
  const gchar *text = text_for (pspec->name);

  g_value_init (value, pspec->value_type);
  if (another_number (pspec, value) || another_choice (pspec, value))
    return TRUE;
  return text != NULL && gst_value_deserialize (value, text);
}

/* ---- what holds ---- */

static void
note_property (GString *notes, GObject *object, GParamSpec *pspec)
{
  GValue value = G_VALUE_INIT;
  gchar *text = NULL;

  if (!(pspec->flags & G_PARAM_READABLE) || G_TYPE_IS_OBJECT (pspec->value_type) || is_by_chance (pspec->name))
    return;
  g_value_init (&value, pspec->value_type);
  g_object_get_property (object, pspec->name, &value);
  if (!G_VALUE_HOLDS_BOXED (&value) || g_value_get_boxed (&value) != NULL)
    text = gst_value_serialize (&value);
  g_string_append_printf (notes, "%s.%s=%s\n", G_OBJECT_TYPE_NAME (object), pspec->name, text != NULL ? text : "none");
  g_free (text);
  g_value_unset (&value);
}

static void
note_object (GString *notes, GObject *object)
{
  guint i, n;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  for (i = 0; i < n; i++)
    note_property (notes, object, all[i]);
  g_free (all);
}

static void
note_child (const GValue *item, gpointer notes)
{
  note_object (notes, g_value_get_object (item));
}

static gchar *
what_holds (GstElement *element)
{
  GString *notes = g_string_new (NULL);

  note_object (notes, G_OBJECT (element));
  if (GST_IS_BIN (element)) {
    GstIterator *children = gst_bin_iterate_sorted (GST_BIN (element));

    gst_iterator_foreach (children, note_child, notes);
    gst_iterator_free (children);
  }
  return g_string_free (notes, FALSE);
}

/* Structures are taken apart by some. */
static void
check_reads (GstElement *element, GParamSpec *pspec, const GValue *value)
{
  GValue read = G_VALUE_INIT;

  if (!(pspec->flags & G_PARAM_READABLE) || G_VALUE_HOLDS_BOXED (value) || is_by_chance (pspec->name))
    return;
  g_value_init (&read, pspec->value_type);
  g_object_get_property (G_OBJECT (element), pspec->name, &read);
  fail_unless (g_param_values_cmp (pspec, &read, value) == 0, "%s reads another value than it was set to", pspec->name);
  g_value_unset (&read);
}

/* The property is set as the element is in that state; what holds once it is at least PAUSED. */
static gchar *
set_in (guint which, GParamSpec *pspec, const GValue *value, GstState state)
{
  GstElement *element = every_element_make (which);
  gchar *holds;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "port") != NULL)
    g_object_set (element, "port", PORT, NULL);
  gst_element_set_state (element, state);
  g_object_set_property (G_OBJECT (element), pspec->name, value);
  fail_if (gst_element_set_state (element, MAX (state, GST_STATE_PAUSED)) == GST_STATE_CHANGE_FAILURE, "%s with %s",
      every_element[which], pspec->name);
  check_reads (element, pspec, value);
  holds = what_holds (element);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  return holds;
}

/* ---- the tests ---- */

static void
check_alike (guint which, GParamSpec *pspec, const GValue *value, GstState state)
{
  gchar *before = set_in (which, pspec, value, GST_STATE_NULL), *after = set_in (which, pspec, value, state);
  gchar **a = g_strsplit (before, "\n", -1), **b = g_strsplit (after, "\n", -1);
  guint i;

  for (i = 0; a[i] != NULL && b[i] != NULL; i++)
    fail_unless (g_str_equal (b[i], a[i]), "%s of %s set in %s: %s, set before: %s", pspec->name, every_element[which],
        gst_element_state_get_name (state), b[i], a[i]);
  fail_unless_equals_int (g_strv_length (b), g_strv_length (a));
  g_strfreev (a);
  g_strfreev (b);
  g_free (before);
  g_free (after);
}

static void
check_property (guint which, GParamSpec *pspec)
{
  GValue value = G_VALUE_INIT;

  if (another_value (pspec, &value)) {
    GST_INFO ("%s: %s", every_element[which], pspec->name);
    check_alike (which, pspec, &value, GST_STATE_READY);
    if (pspec->flags & GST_PARAM_MUTABLE_PLAYING)
      check_alike (which, pspec, &value, GST_STATE_PAUSED);
  } else {
    fail_unless (G_TYPE_IS_OBJECT (pspec->value_type) || g_str_has_prefix (pspec->name, "srtp-"),
        "no value for %s of %s", pspec->name, every_element[which]);
  }
  g_value_unset (&value);
}

/* Whose flags say when it may be set. */
static gboolean
is_settable (const GParamSpec *pspec)
{
  return (pspec->flags & G_PARAM_WRITABLE) &&
         (pspec->flags & (GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED | GST_PARAM_MUTABLE_PLAYING));
}

GST_START_TEST (test_flags)
{
  GstElement *element = every_element_make (__i__);
  guint i, n;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (i = 0; i < n; i++)
    if (is_settable (all[i]))
      check_property (__i__, all[i]);
  g_free (all);
  gst_object_unref (element);
}
GST_END_TEST;

static Suite *
properties_suite (void)
{
  Suite *suite = suite_create ("properties");
  TCase *tcase = tcase_create ("properties");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, test_flags, 0, G_N_ELEMENTS (every_element));
  return suite;
}

GST_CHECK_MAIN (properties);
