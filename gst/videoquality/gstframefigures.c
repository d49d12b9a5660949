/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstframefigures.h"

#include <math.h>
#include <string.h>

#define CLOCK_TOLERANCE (2 * LUMA_STAMP_TIME_UNIT)

void
gst_frame_figures_init (GstFrameFigures *f, GstClockTime freeze_time)
{
  memset (f, 0, sizeof *f);
  frame_count_init (&f->frames);
  freeze_count_init (&f->freezes, freeze_time);
  delay_histogram_init (&f->delays);
  f->psnr.min = f->ssim.min = f->frame_rate = NAN;
}

void
gst_frame_picture_init (GstFramePicture *p)
{
  *p = (GstFramePicture){.displayed = GST_CLOCK_TIME_NONE,
      .delay = GST_CLOCK_TIME_NONE,
      .gap = GST_CLOCK_TIME_NONE,
      .psnr = NAN,
      .ssim = NAN};
}

GstClockTime
gst_frame_picture_captured (const GstFramePicture *p)
{
  return p->damaged ? 0 : p->stamp.time;
}

/* ---- pictures ---- */

static GstClockTime
displayed_at (const GstFrameDisplay *display, LumaStampClock clock)
{
  return clock == LUMA_STAMP_RUNNING_TIME ? display->running
         : clock == LUMA_STAMP_MONOTONIC  ? display->monotonic
                                          : display->realtime;
}

static void
take_delay (GstFrameFigures *f, GstFramePicture *p)
{
  GstClockTime captured = p->stamp.time;

  if (p->displayed + CLOCK_TOLERANCE < captured) {
    f->clock_errors++;
    return;
  }
  p->delay = p->displayed > captured ? p->displayed - captured : 0;
  delay_histogram_add (&f->delays, p->delay);
}

void
gst_frame_figures_on_picture (GstFrameFigures *f, const GstFrameDisplay *display, GstFramePicture *p)
{
  f->pictures++;
  f->damaged += p->damaged;
  if (!p->stamped) {
    f->unreadable++;
    return;
  }
  p->verdict = frame_count_on_picture (&f->frames, p->stamp.number, gst_frame_picture_captured (p));
  if (p->verdict == FRAME_REPEATED || !GST_CLOCK_TIME_IS_VALID (display->running))
    return;
  p->displayed = displayed_at (display, p->stamp.clock);
  p->gap = freeze_count_on_picture (&f->freezes, display->running);
  take_delay (f, p);
}

static void
score_add (GstFrameScore *score, gdouble value)
{
  if (isnan (value))
    return;
  score->min = score->n > 0 ? MIN (score->min, value) : value;
  score->sum += value;
  score->n++;
}

void
gst_frame_figures_on_comparison (GstFrameFigures *f, const GstFramePicture *p)
{
  f->unmatched += isnan (p->psnr);
  score_add (&f->psnr, p->psnr);
  score_add (&f->ssim, p->ssim);
}

/* ---- told ---- */

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
