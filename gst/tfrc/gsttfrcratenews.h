/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a sending flow tells of its rate: upstream, whose encoder is to follow it, and the application. */
#ifndef GST_TFRC_RATE_NEWS_H
#define GST_TFRC_RATE_NEWS_H

#include "ccsender.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstElement *element; /* whose estimated-bitrate it is */
  GstPad *pad;         /* rate events leave upstream here */
  CcTime look_at, event_at;
  guint estimated_bitrate; /* bit/s, wire */
  guint told_bitrate;
  CcLimit told_limit;
  gboolean told_pause;
  gboolean notify;
} GstTfrcRateNews;

void gst_tfrc_rate_news_init (GstTfrcRateNews *n, GstElement *element, GstPad *pad, const CcSender *core, CcTime now);
/* The rate may be another: it is looked at as soon as may be. */
static inline void
gst_tfrc_rate_news_hasten (GstTfrcRateNews *n, CcTime now)
{
  n->look_at = now;
}
static inline gboolean
gst_tfrc_rate_news_is_due (const GstTfrcRateNews *n, CcTime now)
{
  return MIN (n->look_at, n->event_at) <= now;
}
/* status: of now. TRUE: there is something to tell. */
gboolean gst_tfrc_rate_news_look (GstTfrcRateNews *n, const CcSenderStatus *status, CcTime now);
/* ssrc: of what is sent; 0: not one. */
void gst_tfrc_rate_news_tell (
    GstTfrcRateNews *n, const CcSender *core, const CcSenderStatus *status, guint32 ssrc, CcTime now);

G_END_DECLS
#endif
