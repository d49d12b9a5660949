/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcratenews.h"

#include "gstrateevent.h"
#include "gsttfrcrate.h"

#define LOOK_INTERVAL (20 * CC_MSECOND)
#define EVENT_INTERVAL (200 * CC_MSECOND)

void
gst_tfrc_rate_news_init (GstTfrcRateNews *n, GstElement *element, GstPad *pad, const CcSender *core, CcTime now)
{
  *n = (GstTfrcRateNews){.element = element,
      .pad = pad,
      .look_at = now,
      .event_at = now,
      .estimated_bitrate = gst_tfrc_bit_rate (core->rate_Bps)};
}

gboolean
gst_tfrc_rate_news_look (GstTfrcRateNews *n, const CcSenderStatus *status, CcTime now)
{
  guint wire = gst_tfrc_bit_rate (status->rate_Bps);

  n->notify = gst_tfrc_rate_differs (wire, n->estimated_bitrate);
  if (n->notify)
    n->estimated_bitrate = wire;
  n->look_at = cc_time_add (now, LOOK_INTERVAL);
  return n->notify || now >= n->event_at || status->limit != n->told_limit || status->pause != n->told_pause ||
         gst_tfrc_rate_differs (gst_tfrc_bit_rate (status->media_Bps), n->told_bitrate);
}

void
gst_tfrc_rate_news_tell (
    GstTfrcRateNews *n, const CcSender *core, const CcSenderStatus *status, guint32 ssrc, CcTime now)
{
  GstRateInfo info = gst_tfrc_rate_info (core, status);
  GstEvent *event = gst_rate_event_new (&info, n->element);

  n->told_bitrate = info.bitrate;
  n->told_limit = status->limit;
  n->told_pause = status->pause;
  n->event_at = cc_time_add (now, EVENT_INTERVAL);
  if (ssrc != 0)
    gst_structure_set (gst_event_writable_structure (event), GST_RATE_EVENT_SSRC, G_TYPE_UINT, ssrc, NULL);
  gst_pad_push_event (n->pad, event);
  if (n->notify)
    g_object_notify (G_OBJECT (n->element), "estimated-bitrate");
}
