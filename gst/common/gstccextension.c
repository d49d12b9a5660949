/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccextension.h"
#include "rtpextension.h"

#include <string.h>

#define PREFIX "extmap-"

/* The URI stands alone or as the middle one of three strings: direction, URI, attributes. */
static const gchar *
extmap_uri (const GValue *value)
{
  const GValue *uri = value;

  if (GST_VALUE_HOLDS_ARRAY (value) && gst_value_array_get_size (value) >= 2)
    uri = gst_value_array_get_value (value, 1);
  return G_VALUE_HOLDS_STRING (uri) ? g_value_get_string (uri) : NULL;
}

guint
gst_cc_extension_id_of (const GstCaps *caps, const gchar *wanted)
{
  const GstStructure *s;
  gint i;

  if (caps == NULL || gst_caps_is_empty (caps) || gst_caps_is_any (caps))
    return 0;
  s = gst_caps_get_structure (caps, 0);
  for (i = 0; i < gst_structure_n_fields (s); i++) {
    const gchar *name = gst_structure_nth_field_name (s, (guint)i), *uri;
    guint64 id;

    if (!g_str_has_prefix (name, PREFIX) || !g_ascii_string_to_unsigned (name + strlen (PREFIX), 10, 1, 255, &id, NULL))
      continue;
    uri = extmap_uri (gst_structure_get_value (s, name));
    if (uri != NULL && strcmp (uri, wanted) == 0)
      return (guint)id;
  }
  return 0;
}

guint
gst_cc_extension_id_from_caps (const GstCaps *caps)
{
  return gst_cc_extension_id_of (caps, RTP_EXT_RTT_SENDTS_URI);
}
