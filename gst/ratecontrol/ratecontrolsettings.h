/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of ratecontrol that are written: their values, and how they come in and out. */
#ifndef GST_RATE_CONTROL_SETTINGS_H
#define GST_RATE_CONTROL_SETTINGS_H

#include "ratelaw.h"

G_BEGIN_DECLS

enum {
  PROP_0,
  PROP_ENCODER,
  PROP_MIN_BITRATE,
  PROP_MAX_BITRATE,
  PROP_START_BITRATE,
  PROP_CONFIGURE_ENCODER,
  PROP_PAUSE_ENCODER,
  PROP_BITRATE_PROPERTY,
  PROP_BITRATE_UNIT,
  PROP_MIN_KEY_UNIT_INTERVAL,
  PROP_STATS_INTERVAL,
  PROP_MODE,
  PROP_NOMINAL_QUANTIZER,
  PROP_MIN_QUANTIZER,
  PROP_MAX_QUANTIZER,
  PROP_BUCKET_TIME,
  PROP_BUCKET_SIZE,
  PROP_CONTROL_INTERVAL,
  PROP_GOP_SIZE,
  PROP_BITRATE,
  PROP_STATS,
  N_RATE_CONTROL_PROPERTIES
};

/* Guarded by the element's object lock. */
typedef struct {
  GstElement *encoder; /* NULL: the nearest upstream */
  RateLawSettings law;
  guint start_bitrate;
  gboolean configure_encoder;
  gchar *bitrate_property; /* NULL: the table's */
  guint bitrate_unit;      /* bit/s; 0: the table's, or what the property says of itself */
  GstClockTime min_key_unit_interval, stats_interval;
} RateControlSettings;

/* All properties of the element's class; returns them by their number. */
GParamSpec *const *rate_control_settings_install (GObjectClass *object_class);
void rate_control_settings_init (RateControlSettings *settings);
void rate_control_settings_clear (RateControlSettings *settings);
/* start-bitrate within the limits, bit/s; 0: leave the encoder's. */
guint rate_control_settings_start (const RateControlSettings *settings);
/* FALSE: it is none of these. */
gboolean rate_control_settings_set (RateControlSettings *settings, guint id, const GValue *value);
gboolean rate_control_settings_get (const RateControlSettings *settings, guint id, GValue *value);

G_END_DECLS
#endif
