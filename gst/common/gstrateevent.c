/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrateevent.h"

GstStructure *
gst_rate_info_to_structure (const GstRateInfo *info, const gchar *name)
{
  GstStructure *s = gst_structure_new (name, "bitrate", G_TYPE_UINT, info->bitrate, "wire-bitrate", G_TYPE_UINT,
      info->wire_bitrate, "rtt", G_TYPE_UINT64, info->rtt, "loss-event-rate", G_TYPE_DOUBLE, info->loss_event_rate,
      "queue-delay", G_TYPE_UINT64, info->queue_delay, "backlog", G_TYPE_UINT, info->backlog, "frame-budget",
      G_TYPE_UINT, info->frame_budget, "limit", G_TYPE_STRING, info->limit, NULL);

  if (info->owner != NULL)
    gst_structure_set (s, "owner", G_TYPE_STRING, info->owner, NULL);
  if (info->pause)
    gst_structure_set (s, "pause", G_TYPE_BOOLEAN, TRUE, NULL);
  return s;
}

GstEvent *
gst_rate_event_new (const GstRateInfo *info, GstElement *sender)
{
  GstStructure *s = gst_rate_info_to_structure (info, GST_RATE_EVENT_NAME);

  if (sender) {
    gchar *path = gst_object_get_path_string (GST_OBJECT (sender));

    gst_structure_set (s, "sender", G_TYPE_STRING, path, NULL);
    g_free (path);
  }
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s);
}

gboolean
gst_rate_reader_is_upstream (GstPad *sink_pad, guint32 ssrc)
{
  GstStructure *s = gst_structure_new_empty (GST_RATE_READER_QUERY_NAME);
  GstQuery *query;
  gboolean is;

  if (ssrc != 0)
    gst_structure_set (s, GST_RATE_EVENT_SSRC, G_TYPE_UINT, ssrc, NULL);
  query = gst_query_new_custom (GST_QUERY_CUSTOM, s);
  is = gst_pad_peer_query (sink_pad, query);
  gst_query_unref (query);
  return is;
}

guint
gst_encoder_rate_ask (GstPad *src_pad, gdouble *made)
{
  GstQuery *query = gst_query_new_custom (GST_QUERY_CUSTOM, gst_structure_new_empty (GST_ENCODER_RATE_QUERY_NAME));
  guint bitrate = 0;

  if (!gst_pad_peer_query (src_pad, query) ||
      !gst_structure_get_uint (gst_query_get_structure (query), "bitrate", &bitrate))
    bitrate = 0;
  if (!gst_structure_get_double (gst_query_get_structure (query), "made", made))
    *made = 0;
  gst_query_unref (query);
  return bitrate;
}
