/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcpipeline.h"

#include <gst/base/gstbasesrc.h>

/* NULL: it is in none. */
static GstElement *
pipeline_of (GstElement *element)
{
  GstObject *top = gst_object_ref (element), *parent;

  while ((parent = gst_object_get_parent (top)) != NULL) {
    gst_object_unref (top);
    top = parent;
  }
  if (GST_IS_BIN (top))
    return GST_ELEMENT (top);
  gst_object_unref (top);
  return NULL;
}

static gint
compare_live (gconstpointer item, gconstpointer user)
{
  GstObject *object = g_value_get_object (item);

  (void)user;
  return GST_IS_BASE_SRC (object) && gst_base_src_is_live (GST_BASE_SRC (object)) ? 0 : 1;
}

/* By what the sources are, not by what they have answered: sinks change their state before them. */
gboolean
gst_tfrc_pipeline_is_live (GstElement *element)
{
  GstElement *pipeline = pipeline_of (element);
  GValue found = G_VALUE_INIT;
  GstIterator *iterator;
  gboolean live;

  if (pipeline == NULL)
    return FALSE;
  iterator = gst_bin_iterate_recurse (GST_BIN (pipeline));
  live = gst_iterator_find_custom (iterator, compare_live, &found, NULL);
  if (live)
    g_value_unset (&found);
  gst_iterator_free (iterator);
  gst_object_unref (pipeline);
  return live;
}

GstEvent *
gst_tfrc_pipeline_own_latency (GstBaseSink *sink, GstEvent *event)
{
  GstClockTime all, own = 0;
  GstEvent *less;

  gst_event_parse_latency (event, &all);
  /* 0 where the branch does not know yet: what comes is sent at once */
  if (gst_base_sink_query_latency (sink, NULL, NULL, &own, NULL) && own >= all)
    return event;
  less = gst_event_new_latency (own);
  gst_event_set_seqnum (less, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return less;
}
