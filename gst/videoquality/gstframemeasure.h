/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FRAME_MEASURE_H
#define GST_FRAME_MEASURE_H

#include "gstframefigures.h"
#include "gstframeoriginals.h"
#include "gstframerows.h"
#include "gststampplace.h"
#include "stamptrack.h"

#include <gst/video/gstvideofilter.h>

G_BEGIN_DECLS

#define GST_TYPE_FRAME_MEASURE (gst_frame_measure_get_type ())
G_DECLARE_FINAL_TYPE (GstFrameMeasure, gst_frame_measure, GST, FRAME_MEASURE, GstVideoFilter)

struct _GstFrameMeasure {
  GstVideoFilter parent;

  /* properties, under the object lock */
  GstStampPlace place;
  gboolean sync;
  GstClockTime freeze_time, interval;
  gchar *location;
  guint reference_frames;

  GMutex lock; /* of the figures */
  GstFrameFigures figures;

  GstFrameOriginals originals;

  GstClockTime latency; /* of the pipeline, atomic by the object lock */
  /* the streaming thread's */
  LumaRect rect;
  StampTrack track;
  GstFrameRows rows;
  gboolean told_unstamped, told_file;
  GstClockTime interval_at;   /* it began; GST_CLOCK_TIME_NONE: none has */
  guint64 interval_displayed; /* before it */
};

GST_ELEMENT_REGISTER_DECLARE (framemeasure);

G_END_DECLS
#endif
