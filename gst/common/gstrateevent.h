/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate event: a custom upstream event by which a sender (tfrcsink) tells what the network takes.
   Pushed whenever it changes meaningfully and at least every 200 ms. `ratecontrol` is its usual reader; any application
   can be one through a pad probe. */
#ifndef GST_RATE_EVENT_H
#define GST_RATE_EVENT_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_RATE_EVENT_NAME "GstCongestionRate"

typedef struct {
  guint bitrate;            /* bit/s an encoder may produce; RTP, UDP and IP headers are taken off already */
  guint wire_bitrate;       /* bit/s on the wire, headers included */
  GstClockTime rtt;         /* GST_CLOCK_TIME_NONE: unknown */
  gdouble loss_event_rate;  /* [0, 1] */
  GstClockTime queue_delay; /* of the path; GST_CLOCK_TIME_NONE: unknown */
  guint backlog;            /* bytes waiting in the sending buffer */
  guint frame_budget;       /* bytes of the largest frame that would still arrive in time */
  const gchar *limit;       /* what limits: start, equation, delay, explicit-rate, receive-rate, no-feedback, min, max,
                               application. A static string after parsing */
} GstRateInfo;

GstStructure *gst_rate_info_to_structure (const GstRateInfo *info, const gchar *name);
GstEvent *gst_rate_event_new (const GstRateInfo *info);
/* FALSE where event is no rate event or lacks a field; info is then untouched. */
gboolean gst_rate_event_parse (GstEvent *event, GstRateInfo *info);

G_END_DECLS
#endif
