/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What has become of stamped pictures: of each by itself, and of all since PAUSED. */
#ifndef GST_FRAME_FIGURES_H
#define GST_FRAME_FIGURES_H

#include "delayhistogram.h"
#include "framecount.h"
#include "freezecount.h"
#include "lumastamp.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* When a picture is displayed, by each clock a stamp may carry. */
typedef struct {
  GstClockTime running; /* GST_CLOCK_TIME_NONE: the pipeline does not play */
  GstClockTime monotonic, realtime;
} GstFrameDisplay;

typedef struct {
  LumaStamp stamp;
  gboolean stamped, damaged; /* it has a number; worked out from time stamps */
  FrameVerdict verdict;
  GstClockTime displayed, delay, gap; /* GST_CLOCK_TIME_NONE: unknown */
  gdouble psnr, ssim;                 /* NaN: not compared */
} GstFramePicture;

typedef struct {
  guint64 n;
  gdouble sum, min;
} GstFrameScore;

typedef struct {
  guint64 pictures, damaged, unreadable, clock_errors, unmatched;
  FrameCount frames;
  FreezeCount freezes;
  DelayHistogram delays;
  GstFrameScore psnr, ssim;
  gdouble frame_rate; /* displayed, 1/s, in the last interval; NaN: none is over */
} GstFrameFigures;

void gst_frame_picture_init (GstFramePicture *p); /* nothing is known of it */
/* As it was read; 0: it is worked out. */
GstClockTime gst_frame_picture_captured (const GstFramePicture *p);

void gst_frame_figures_init (GstFrameFigures *f, GstClockTime freeze_time);
/* One is displayed whose stamp was read or not: verdict, displayed, delay and gap are filled in. */
void gst_frame_figures_on_picture (GstFrameFigures *f, const GstFrameDisplay *display, GstFramePicture *p);
/* The same one was to be compared with its original; psnr and ssim are NaN where there was none to compare with. */
void gst_frame_figures_on_comparison (GstFrameFigures *f, const GstFramePicture *p);
/* now: of the clock of the gaps, GST_CLOCK_TIME_NONE: not known. */
GstStructure *gst_frame_figures_to_structure (const GstFrameFigures *f, GstClockTime now);

G_END_DECLS
#endif
