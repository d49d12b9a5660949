/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FRAME_MEASURE_H
#define GST_FRAME_MEASURE_H

#include "delayhistogram.h"
#include "framecount.h"
#include "freezecount.h"
#include "gstframereferences.h"
#include "gststampplace.h"
#include "stamptrack.h"

#include <gst/video/gstvideofilter.h>
#include <stdio.h>

G_BEGIN_DECLS

#define GST_TYPE_FRAME_MEASURE (gst_frame_measure_get_type ())
G_DECLARE_FINAL_TYPE (GstFrameMeasure, gst_frame_measure, GST, FRAME_MEASURE, GstVideoFilter)

typedef struct {
  guint64 n;
  gdouble sum, min;
} GstFrameScore;

/* Since PAUSED. */
typedef struct {
  guint64 pictures, damaged, unreadable, clock_errors, unmatched;
  FrameCount frames;
  FreezeCount freezes;
  DelayHistogram delays;
  GstFrameScore psnr, ssim;
  gdouble frame_rate; /* displayed, 1/s, in the last interval; NaN: none is over */
} GstFrameFigures;

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

  GstFrameReferences references;
  GstPad *reference_pad; /* NULL: not requested; under the object lock */
  gint has_reference;    /* atomic */
  GstVideoInfo reference_info;
  LumaRect reference_rect;

  GstClockTime latency; /* of the pipeline, atomic by the object lock */
  /* the streaming thread's */
  LumaRect rect;
  StampTrack track;
  FILE *file;
  GstClockTime interval_at;   /* it began; GST_CLOCK_TIME_NONE: none has */
  guint64 interval_displayed; /* before it */
  gboolean warned_size;
};

/* gstframemeasurestats.c. now: of the clock of the gaps, GST_CLOCK_TIME_NONE: not known. */
GstStructure *gst_frame_figures_to_structure (const GstFrameFigures *f, GstClockTime now);

GST_ELEMENT_REGISTER_DECLARE (framemeasure);

G_END_DECLS
#endif
