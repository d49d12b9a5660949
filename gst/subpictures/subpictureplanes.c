/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "subpictureplanes.h"

GType
gst_subpicture_pattern_get_type (void)
{
  static const GEnumValue values[] = {{SUBPICTURES_LINES, "Two: even and odd lines", "lines"},
      {SUBPICTURES_CHECKERBOARD, "Two: black and white fields of a chess board", "checkerboard"},
      {SUBPICTURES_QUAD, "Four: every other sample both ways", "quad"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstSubpicturePattern", values));
  return (GType)type;
}

GParamSpec *
subpicture_pattern_pspec (void)
{
  return g_param_spec_enum ("pattern", "Pattern", "Which samples make a part; the same at both ends",
      GST_TYPE_SUBPICTURE_PATTERN, SUBPICTURE_DEFAULT_PATTERN,
      (GParamFlags)(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));
}

SubpicturesPlane
subpicture_plane (GstVideoFrame *frame, guint plane)
{
  return (SubpicturesPlane){GST_VIDEO_FRAME_PLANE_DATA (frame, plane),
      (size_t)GST_VIDEO_FRAME_PLANE_STRIDE (frame, plane), (unsigned)GST_VIDEO_FRAME_COMP_WIDTH (frame, plane),
      (unsigned)GST_VIDEO_FRAME_COMP_HEIGHT (frame, plane)};
}

gboolean
subpicture_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps, *filter;

  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return FALSE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return gst_pad_query_default (pad, parent, query);
  caps = gst_pad_get_pad_template_caps (pad);
  gst_query_parse_caps (query, &filter);
  if (filter != NULL)
    gst_caps_take (&caps, gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST));
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

gboolean
subpicture_pad_has_sent (GstPad *pad, GstEventType type)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, type, 0);
  gboolean has = event != NULL;

  gst_clear_event (&event);
  return has;
}

static GstCaps *
with_size (GstCaps *caps, gint width, gint height)
{
  GstCaps *copy = gst_caps_copy (caps);

  gst_caps_set_simple (copy, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);
  return copy;
}

static gboolean
get_size (GstCaps *caps, gint *width, gint *height)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  return gst_structure_get_int (s, "width", width) && gst_structure_get_int (s, "height", height);
}

/* Planes of colour are half as large, and are split as well. */
GstCaps *
subpicture_caps_of_part (SubpicturesPattern pattern, GstCaps *whole)
{
  gint width, height;
  unsigned part_width, part_height;

  if (!get_size (whole, &width, &height) || width % 4 != 0 || height % 4 != 0)
    return NULL;
  subpictures_size (pattern, (unsigned)width, (unsigned)height, &part_width, &part_height);
  return with_size (whole, (gint)part_width, (gint)part_height);
}

GstCaps *
subpicture_caps_of_whole (SubpicturesPattern pattern, GstCaps *part)
{
  gint width, height;

  if (!get_size (part, &width, &height))
    return NULL;
  return with_size (part, pattern == SUBPICTURES_LINES ? width : 2 * width,
      pattern == SUBPICTURES_CHECKERBOARD ? height : 2 * height);
}
