/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "pictureformat.h"

PictureCapsKind
picture_format_read (const GstCaps *caps, PictureFormat *format)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  GstCapsFeatures *features = gst_caps_get_features (caps, 0);

  *format = (PictureFormat){0, 0, 0, 1};
  if (!gst_structure_has_name (s, "video/x-raw"))
    return PICTURE_CAPS_ENCODED;
  gst_structure_get_int (s, "width", &format->width);
  gst_structure_get_int (s, "height", &format->height);
  gst_structure_get_fraction (s, "framerate", &format->fps_num, &format->fps_den);
  if (features && !gst_caps_features_is_equal (features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
    return PICTURE_CAPS_MEMORY;
  return PICTURE_CAPS_RAW;
}

gboolean
picture_format_is_interlaced (const GstCaps *caps)
{
  const gchar *mode = gst_structure_get_string (gst_caps_get_structure (caps, 0), "interlace-mode");

  return mode && !g_str_equal (mode, "progressive");
}

GstCaps *
picture_format_filter (const PictureFormat *format, const PictureFormat *source, const GstCaps *source_caps)
{
  const GValue *aspect = gst_structure_get_value (gst_caps_get_structure (source_caps, 0), "pixel-aspect-ratio");
  GstCaps *caps;

  if (format->width == source->width && format->height == source->height && format->fps_den == source->fps_den)
    return gst_caps_new_any ();
  caps = gst_caps_new_simple (
      "video/x-raw", "width", G_TYPE_INT, format->width, "height", G_TYPE_INT, format->height, NULL);
  if (aspect)
    gst_caps_set_value (caps, "pixel-aspect-ratio", aspect);
  if (format->fps_den != source->fps_den)
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, format->fps_num, format->fps_den, NULL);
  return caps;
}
