/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "subpicturewaiting.h"

#include <string.h>

SubpictureWaiting *
subpicture_waiting_new (GstClockTime time, GstCaps *caps, const GstVideoInfo *part)
{
  SubpictureWaiting *w = g_new0 (SubpictureWaiting, 1);

  w->time = time;
  w->duration = GST_CLOCK_TIME_NONE;
  w->caps = gst_caps_ref (caps);
  w->part = *part;
  return w;
}

void
subpicture_waiting_free (SubpictureWaiting *w)
{
  for (guint i = 0; i < SUBPICTURES_MAX; i++)
    gst_clear_buffer (&w->parts[i]);
  gst_caps_unref (w->caps);
  g_free (w);
}

gint
subpicture_waiting_by_time (gconstpointer a, gconstpointer b, gpointer user)
{
  const SubpictureWaiting *x = a, *y = b;

  return x->time < y->time ? -1 : x->time > y->time;
}

guint
subpicture_waiting_parts (const SubpictureWaiting *w)
{
  guint n = 0;

  for (guint i = 0; i < SUBPICTURES_MAX; i++)
    n += w->parts[i] != NULL;
  return n;
}

static void
merge_planes (SubpicturesPattern pattern, GstVideoFrame *parts, GstVideoFrame *whole)
{
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (whole); plane++) {
    SubpicturesPlane to = subpicture_plane (whole, plane), from[SUBPICTURES_MAX] = {{NULL, 0, 0, 0}};

    for (guint i = 0; i < SUBPICTURES_MAX; i++)
      if (parts[i].buffer != NULL)
        from[i] = subpicture_plane (&parts[i], plane);
    subpictures_merge (pattern, from, &to);
  }
}

GstBuffer *
subpicture_waiting_merge (SubpictureWaiting *w, SubpicturesPattern pattern, const GstVideoInfo *info)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  GstVideoFrame whole, parts[SUBPICTURES_MAX];

  memset (parts, 0, sizeof parts);
  if (gst_video_frame_map (&whole, info, buffer, GST_MAP_WRITE)) {
    for (guint i = 0; i < SUBPICTURES_MAX; i++)
      if (w->parts[i] != NULL && !gst_video_frame_map (&parts[i], &w->part, w->parts[i], GST_MAP_READ))
        parts[i].buffer = NULL;
    merge_planes (pattern, parts, &whole);
    for (guint i = 0; i < SUBPICTURES_MAX; i++)
      if (parts[i].buffer != NULL)
        gst_video_frame_unmap (&parts[i]);
    gst_video_frame_unmap (&whole);
  }
  GST_BUFFER_PTS (buffer) = w->time;
  GST_BUFFER_DURATION (buffer) = w->duration;
  return buffer;
}

GstClockTime
subpicture_tolerance (const GstVideoInfo *part)
{
  gint n = GST_VIDEO_INFO_FPS_N (part), d = GST_VIDEO_INFO_FPS_D (part);

  return n > 0 ? gst_util_uint64_scale (GST_SECOND, (guint64)d, 2 * (guint64)n) : 0;
}

gboolean
subpicture_parts_fit (const GstVideoInfo *a, const GstVideoInfo *b)
{
  return GST_VIDEO_INFO_WIDTH (a) == GST_VIDEO_INFO_WIDTH (b) &&
         GST_VIDEO_INFO_HEIGHT (a) == GST_VIDEO_INFO_HEIGHT (b) &&
         GST_VIDEO_INFO_FORMAT (a) == GST_VIDEO_INFO_FORMAT (b);
}
