/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstframemeasure.h"

#include <math.h>

static void
set_counts (GstStructure *s, const GstFrameFigures *f)
{
  gst_structure_set (s, "pictures", G_TYPE_UINT64, f->pictures, "displayed", G_TYPE_UINT64, f->frames.displayed, "lost",
      G_TYPE_UINT64, f->frames.lost, "repeated", G_TYPE_UINT64, f->frames.repeated, "out-of-order", G_TYPE_UINT64,
      f->frames.out_of_order, "damaged", G_TYPE_UINT64, f->damaged, "unreadable", G_TYPE_UINT64, f->unreadable,
      "restarts", G_TYPE_UINT64, f->frames.restarts, "frame-rate", G_TYPE_DOUBLE, f->frame_rate, NULL);
}

static void
set_delays (GstStructure *s, const GstFrameFigures *f)
{
  gst_structure_set (s, "delay-min", G_TYPE_UINT64, f->delays.min, "delay-mean", G_TYPE_UINT64,
      delay_histogram_mean (&f->delays), "delay-p50", G_TYPE_UINT64, delay_histogram_quantile (&f->delays, 0.5),
      "delay-p95", G_TYPE_UINT64, delay_histogram_quantile (&f->delays, 0.95), "delay-p99", G_TYPE_UINT64,
      delay_histogram_quantile (&f->delays, 0.99), "delay-max", G_TYPE_UINT64,
      f->delays.n > 0 ? f->delays.max : GST_CLOCK_TIME_NONE, "clock-errors", G_TYPE_UINT64, f->clock_errors, NULL);
}

static void
set_freezes (GstStructure *s, const GstFrameFigures *f, GstClockTime now)
{
  const FreezeCount *c = &f->freezes;
  gboolean known = GST_CLOCK_TIME_IS_VALID (now) && GST_CLOCK_TIME_IS_VALID (c->last);

  gst_structure_set (s, "freezes-w3c", G_TYPE_UINT64, c->w3c.n, "freeze-time-w3c", G_TYPE_UINT64, c->w3c.time,
      "freezes-fixed", G_TYPE_UINT64, c->fixed.n, "freeze-time-fixed", G_TYPE_UINT64, c->fixed.time, "longest-gap",
      G_TYPE_UINT64, c->longest, "since-last", G_TYPE_UINT64,
      known ? cc_time_since (now, c->last) : GST_CLOCK_TIME_NONE, NULL);
}

static gdouble
mean (const GstFrameScore *score)
{
  return score->n > 0 ? score->sum / score->n : NAN;
}

static void
set_scores (GstStructure *s, const GstFrameFigures *f)
{
  gst_structure_set (s, "compared", G_TYPE_UINT64, f->psnr.n, "unmatched", G_TYPE_UINT64, f->unmatched, "psnr-y",
      G_TYPE_DOUBLE, mean (&f->psnr), "psnr-y-min", G_TYPE_DOUBLE, f->psnr.min, "ssim", G_TYPE_DOUBLE, mean (&f->ssim),
      "ssim-min", G_TYPE_DOUBLE, f->ssim.min, NULL);
}

GstStructure *
gst_frame_figures_to_structure (const GstFrameFigures *f, GstClockTime now)
{
  GstStructure *s = gst_structure_new_empty ("application/x-framemeasure-stats");

  set_counts (s, f);
  set_delays (s, f);
  set_freezes (s, f, now);
  set_scores (s, f);
  return s;
}
