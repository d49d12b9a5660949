/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in a picture the stamp stands: what framestamp and framemeasure have to agree on. */
#ifndef GST_STAMP_PLACE_H
#define GST_STAMP_PLACE_H

#include "lumastamp.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

#define GST_STAMP_CAPS                                                                                                 \
  GST_VIDEO_CAPS_MAKE ("{ I420, YV12, NV12, NV21, Y41B, Y42B, Y444, YUY2, UYVY, YVYU, AYUV, GRAY8 }")
#define GST_STAMP_BLOCK_DEFAULT 8

#define GST_TYPE_STAMP_CORNER (gst_stamp_corner_get_type ())
GType gst_stamp_corner_get_type (void);

typedef struct {
  LumaStampCorner corner;
  guint block; /* pixels */
} GstStampPlace;

/* Installs the properties `corner` and `block-size` under these ids. */
void gst_stamp_place_install_properties (GObjectClass *klass, guint corner_id, guint block_id);

/* place: a property of element's, under its object lock. FALSE, after an error message with a cure: pictures of that
   size are too small. */
gboolean gst_stamp_place_find (
    const GstStampPlace *place, GstElement *element, const GstVideoInfo *info, LumaRect *rect);

LumaPlane gst_stamp_luma (GstVideoFrame *frame);
/* Makes the rectangle grey: coloured blocks would not come through other colour spaces as they are. */
void gst_stamp_clear_chroma (GstVideoFrame *frame, const LumaRect *rect);

G_END_DECLS
#endif
