/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrateevent.h"

GstStructure *
gst_rate_info_to_structure (const GstRateInfo *info, const gchar *name)
{
  return gst_structure_new (name, "bitrate", G_TYPE_UINT, info->bitrate, "wire-bitrate", G_TYPE_UINT,
      info->wire_bitrate, "rtt", G_TYPE_UINT64, info->rtt, "loss-event-rate", G_TYPE_DOUBLE, info->loss_event_rate,
      "queue-delay", G_TYPE_UINT64, info->queue_delay, "backlog", G_TYPE_UINT, info->backlog, "frame-budget",
      G_TYPE_UINT, info->frame_budget, "limit", G_TYPE_STRING, info->limit, NULL);
}

GstEvent *
gst_rate_event_new (const GstRateInfo *info)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, gst_rate_info_to_structure (info, GST_RATE_EVENT_NAME));
}

gboolean
gst_rate_event_parse (GstEvent *event, GstRateInfo *info)
{
  const GstStructure *s;
  GstRateInfo parsed;
  const gchar *limit;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM)
    return FALSE;
  s = gst_event_get_structure (event);
  if (s == NULL || !gst_structure_has_name (s, GST_RATE_EVENT_NAME))
    return FALSE;
  if (!gst_structure_get (s, "bitrate", G_TYPE_UINT, &parsed.bitrate, "wire-bitrate", G_TYPE_UINT, &parsed.wire_bitrate,
          "rtt", G_TYPE_UINT64, &parsed.rtt, "loss-event-rate", G_TYPE_DOUBLE, &parsed.loss_event_rate, "queue-delay",
          G_TYPE_UINT64, &parsed.queue_delay, "backlog", G_TYPE_UINT, &parsed.backlog, "frame-budget", G_TYPE_UINT,
          &parsed.frame_budget, NULL))
    return FALSE;
  limit = gst_structure_get_string (s, "limit");
  if (limit == NULL)
    return FALSE;
  parsed.limit = g_intern_string (limit);
  *info = parsed;
  return TRUE;
}
