/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encoderfinder.h"

#include <string.h>

#define FARTHEST 64 /* pads looked at, a guard against loops */

/* The src pad of a real element that feeds this sink pad, whatever bins lie between. */
static GstPad *
real_peer (GstPad *sink_pad)
{
  GstPad *peer = gst_pad_get_peer (sink_pad);

  for (guint i = 0; peer && GST_IS_PROXY_PAD (peer) && i < FARTHEST; i++) {
    GstPad *next;

    if (GST_IS_GHOST_PAD (peer)) {
      next = gst_ghost_pad_get_target (GST_GHOST_PAD (peer)); /* into a bin upstream */
    } else {
      GstProxyPad *wall = gst_proxy_pad_get_internal (GST_PROXY_PAD (peer)); /* out of our own bin */
      next = wall ? gst_pad_get_peer (GST_PAD (wall)) : NULL;
      g_clear_object (&wall);
    }
    gst_object_unref (peer);
    peer = next;
  }
  return peer;
}

static gboolean
is_picture_encoder (GstElement *element)
{
  const gchar *klass = gst_element_get_metadata (element, GST_ELEMENT_METADATA_KLASS);

  return klass && !GST_IS_BIN (element) && strstr (klass, "Encoder") &&
         (strstr (klass, "Video") || strstr (klass, "Image"));
}

static GstElement *search (GstPad *sink_pad, guint *left);

static void
search_behind (const GValue *item, gpointer data)
{
  gpointer *args = data;
  GstElement **found = args[0];
  GstPad *pad = g_value_get_object (item);

  if (*found == NULL && GST_PAD_IS_SINK (pad))
    *found = search (pad, args[1]);
}

static GstElement *
search (GstPad *sink_pad, guint *left)
{
  GstPad *pad = *left > 0 ? real_peer (sink_pad) : NULL;
  GstElement *element = pad ? gst_pad_get_parent_element (pad) : NULL, *found = NULL;
  gpointer args[] = {&found, left};
  GstIterator *links;

  if (element && is_picture_encoder (element)) {
    found = gst_object_ref (element);
  } else if (element) {
    (*left)--;
    links = gst_pad_iterate_internal_links (pad);
    if (links)
      gst_iterator_foreach (links, search_behind, args);
    g_clear_pointer (&links, gst_iterator_free);
  }
  g_clear_object (&element);
  g_clear_object (&pad);
  return found;
}

GstElement *
encoder_finder_search (GstPad *sink_pad)
{
  guint left = FARTHEST;

  return search (sink_pad, &left);
}
