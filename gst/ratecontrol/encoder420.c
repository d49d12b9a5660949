/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encoder420.h"

/* Set in a thread that is asking upstream already: the answer must not come back here. */
static GPrivate asking_upstream;

gboolean
encoder_420_is_asking (void)
{
  return g_private_get (&asking_upstream) != NULL;
}

static gboolean
is_offered (GstElement *encoder)
{
  GstPad *pad = gst_element_get_static_pad (encoder, "sink");
  GstCaps *filter = gst_caps_from_string ("video/x-raw, format = (string) I420"), *offered = NULL;
  gboolean is;

  g_private_set (&asking_upstream, encoder);
  if (pad)
    offered = gst_pad_peer_query_caps (pad, filter);
  g_private_set (&asking_upstream, NULL);
  is = offered && !gst_caps_is_empty (offered);
  gst_clear_caps (&offered);
  gst_caps_unref (filter);
  g_clear_object (&pad);
  return is;
}

void
encoder_420_narrow (const EncoderRow *row, GstElement *encoder, GstQuery *query)
{
  const gchar *description = encoder_row_caps_420 (row);
  GstCaps *only = description ? gst_caps_from_string (description) : NULL, *caps;

  gst_query_parse_caps_result (query, &caps);
  if (only && gst_caps_can_intersect (caps, only) && is_offered (encoder)) {
    caps = gst_caps_intersect (caps, only);
    gst_query_set_caps_result (query, caps);
    gst_caps_unref (caps);
  }
  gst_clear_caps (&only);
}
