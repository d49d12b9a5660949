/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How late the sending thread wakes for packets that are due, as a histogram. */
#ifndef GST_TFRC_LATENESS_H
#define GST_TFRC_LATENESS_H

#include <gst/gst.h>

#include "cctime.h"

G_BEGIN_DECLS

#define GST_TFRC_LATENESS_BINS 96 /* quarter octaves from 1 us */

typedef struct {
  CcTime due; /* slept for; CC_TIME_NONE: not for a packet */
  GstClockTime max;
  guint64 bins[GST_TFRC_LATENESS_BINS];
} GstTfrcLateness;

void gst_tfrc_lateness_init (GstTfrcLateness *l);
/* Awake, before the next `due` is set. */
void gst_tfrc_lateness_note (GstTfrcLateness *l, CcTime now);
/* The upper edge of the bin that holds the q-th of all values; 0: there are none. */
GstClockTime gst_tfrc_lateness_quantile (const GstTfrcLateness *l, gdouble q);

G_END_DECLS
#endif
