/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the user sets of paqmshaper, as properties, and what that means to the core. */
#ifndef GST_PAQM_SETTINGS_H
#define GST_PAQM_SETTINGS_H

#include "gstpaqmtypes.h"
#include "paqm.h"

G_BEGIN_DECLS

typedef struct {
  guint64 capacity; /* bit/s */
  GstPaqmDiscipline discipline;
  GstPaqmMode mode;
  guint target[PAQM_CLASSES], limit[PAQM_CLASSES], fifo_limit; /* bytes */
  GstClockTime target_time[PAQM_CLASSES];                      /* 0: target */
  gdouble burst;                                               /* media targets */
  gdouble alpha, beta, utilisation;
  GstClockTime tau2, rtt, flow_life;
  guint64 min_rate; /* bit/s per flow */
  GstPaqmEcn ecn;
  GstPaqmSignalling signalling;
  guint extension_id;
  gboolean add_extension;
  GstPaqmCount flow_counting;
  gboolean strikes;
  gint overhead;
  guint link_overhead;
  GstClockTime stats_interval;
} GstPaqmSettings;

void gst_paqm_settings_init (GstPaqmSettings *settings);
/* Property ids below this are the settings'; the element may use it and those above. */
#define GST_PAQM_SETTINGS_END 100
void gst_paqm_settings_install (GObjectClass *klass);
/* FALSE: no setting has this id. */
gboolean gst_paqm_settings_set (GstPaqmSettings *settings, guint id, const GValue *value);
gboolean gst_paqm_settings_get (const GstPaqmSettings *settings, guint id, GValue *value);
/* All but `random`. */
void gst_paqm_settings_to_params (const GstPaqmSettings *settings, PaqmParams *params);

G_END_DECLS
#endif
