/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FRAME_STAMP_H
#define GST_FRAME_STAMP_H

#include "gststampplace.h"

#include <gst/video/gstvideofilter.h>

G_BEGIN_DECLS

#define GST_TYPE_FRAME_STAMP (gst_frame_stamp_get_type ())
G_DECLARE_FINAL_TYPE (GstFrameStamp, gst_frame_stamp, GST, FRAME_STAMP, GstVideoFilter)

#define GST_TYPE_FRAME_STAMP_CLOCK (gst_frame_stamp_clock_get_type ())
GType gst_frame_stamp_clock_get_type (void);

struct _GstFrameStamp {
  GstVideoFilter parent;

  /* properties, under the object lock */
  GstStampPlace place;
  LumaStampClock clock;

  /* the streaming thread's */
  LumaRect rect;
  guint32 number; /* of the next picture */
};

GST_ELEMENT_REGISTER_DECLARE (framestamp);

G_END_DECLS
#endif
