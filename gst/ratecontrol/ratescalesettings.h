/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of ratescale: values, and how they come in and out. */
#ifndef GST_RATE_SCALE_SETTINGS_H
#define GST_RATE_SCALE_SETTINGS_H

#include "picturestep.h"

#include <gst/gst.h>

G_BEGIN_DECLS

enum {
  PROP_RATE_SCALE_0,
  PROP_RATE_SCALE_BITRATE,
  PROP_RATE_SCALE_BITS_PER_PIXEL,
  PROP_RATE_SCALE_KEEP,
  PROP_RATE_SCALE_MIN_SIZE,
  PROP_RATE_SCALE_MIN_FRAME_RATE,
  PROP_RATE_SCALE_STEP_UP_AFTER,
  PROP_RATE_SCALE_WIDTH,
  PROP_RATE_SCALE_HEIGHT,
  PROP_RATE_SCALE_FRAME_RATE,
  PROP_RATE_SCALE_STATS,
  N_RATE_SCALE_PROPERTIES
};

/* Guarded by the element's object lock. */
typedef struct {
  guint bitrate; /* bit/s; 0: what ratecontrol says */
  PictureStepParams step;
  PictureLadderParams ladder;
} RateScaleSettings;

/* What the properties that are only read tell of. */
typedef struct {
  const PictureStep *step;
  const PictureFormat *source;
  guint bitrate;
} RateScaleNow;

void rate_scale_settings_install (GObjectClass *object_class);
void rate_scale_settings_init (RateScaleSettings *settings);
/* FALSE: it is none of these. */
gboolean rate_scale_settings_set (RateScaleSettings *settings, guint id, const GValue *value);
gboolean rate_scale_settings_get (const RateScaleSettings *settings, const RateScaleNow *now, guint id, GValue *value);
/* Without locks: width, height and frame-rate may have changed. */
void rate_scale_settings_notify (GObject *object);

G_END_DECLS
#endif
