/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gststampplace.h"

#define BLOCK_MIN 4
#define BLOCK_MAX 64
#define NO_COLOUR 128

GType
gst_stamp_corner_get_type (void)
{
  static const GEnumValue values[] = {{LUMA_STAMP_TOP_LEFT, "Top left", "top-left"},
      {LUMA_STAMP_TOP_RIGHT, "Top right", "top-right"}, {LUMA_STAMP_BOTTOM_LEFT, "Bottom left", "bottom-left"},
      {LUMA_STAMP_BOTTOM_RIGHT, "Bottom right", "bottom-right"}, {0, NULL, NULL}};
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstStampCorner", values));
  return (GType)type;
}

void
gst_stamp_place_install_properties (GObjectClass *klass, guint corner_id, guint block_id)
{
  GParamFlags flags = (GParamFlags)(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);

  g_object_class_install_property (klass, corner_id,
      g_param_spec_enum ("corner", "Corner",
          "Where in the picture the stamp is; the same in framestamp and framemeasure", GST_TYPE_STAMP_CORNER,
          LUMA_STAMP_TOP_LEFT, flags));
  g_object_class_install_property (klass, block_id,
      g_param_spec_uint ("block-size", "Block size",
          "Pixels of a side of the stamp's blocks, of which there are 16 x 7; the same in framestamp and framemeasure. "
          "Larger ones survive worse quality, 8 is enough for the encoders' worst",
          BLOCK_MIN, BLOCK_MAX, GST_STAMP_BLOCK_DEFAULT, flags));
}

gboolean
gst_stamp_place_find (const GstStampPlace *place, GstElement *element, const GstVideoInfo *info, LumaRect *rect)
{
  gint width = GST_VIDEO_INFO_WIDTH (info), height = GST_VIDEO_INFO_HEIGHT (info);
  GstStampPlace set;

  GST_OBJECT_LOCK (element);
  set = *place;
  GST_OBJECT_UNLOCK (element);
  if (luma_stamp_place (width, height, (int)set.block, set.corner, rect))
    return TRUE;
  GST_ELEMENT_ERROR (element, STREAM, FORMAT,
      ("Pictures of %d x %d are too small for the stamp of %u x %u. Set block-size to %d or less in framestamp and "
       "framemeasure, or use larger pictures.",
          width, height, LUMA_STAMP_COLUMNS * set.block, LUMA_STAMP_ROWS * set.block,
          MAX (MIN (width / LUMA_STAMP_COLUMNS, height / LUMA_STAMP_ROWS), BLOCK_MIN)),
      (NULL));
  return FALSE;
}

LumaPlane
gst_stamp_luma (GstVideoFrame *frame)
{
  return (LumaPlane){.data = GST_VIDEO_FRAME_COMP_DATA (frame, 0),
      .stride = GST_VIDEO_FRAME_COMP_STRIDE (frame, 0),
      .step = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, 0),
      .width = GST_VIDEO_FRAME_COMP_WIDTH (frame, 0),
      .height = GST_VIDEO_FRAME_COMP_HEIGHT (frame, 0)};
}

static void
clear_component (GstVideoFrame *frame, guint c, const LumaRect *rect)
{
  gint from_x = rect->x * GST_VIDEO_FRAME_COMP_WIDTH (frame, c) / GST_VIDEO_FRAME_WIDTH (frame);
  gint to_x = (rect->x + rect->width) * GST_VIDEO_FRAME_COMP_WIDTH (frame, c) / GST_VIDEO_FRAME_WIDTH (frame);
  gint from_y = rect->y * GST_VIDEO_FRAME_COMP_HEIGHT (frame, c) / GST_VIDEO_FRAME_HEIGHT (frame);
  gint to_y = (rect->y + rect->height) * GST_VIDEO_FRAME_COMP_HEIGHT (frame, c) / GST_VIDEO_FRAME_HEIGHT (frame);
  gint x, y;

  for (y = from_y; y < to_y; y++) {
    guint8 *row = (guint8 *)GST_VIDEO_FRAME_COMP_DATA (frame, c) + y * GST_VIDEO_FRAME_COMP_STRIDE (frame, c);

    for (x = from_x; x < to_x; x++)
      row[x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c)] = NO_COLOUR;
  }
}

void
gst_stamp_clear_chroma (GstVideoFrame *frame, const LumaRect *rect)
{
  if (GST_VIDEO_FRAME_N_COMPONENTS (frame) < 3)
    return;
  clear_component (frame, 1, rect);
  clear_component (frame, 2, rect);
}
