/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate event as elements make it; as applications read it: gst/congestion/congestion.h. */
#ifndef GST_RATE_EVENT_H
#define GST_RATE_EVENT_H

#include <gst/congestion/congestion.h>

G_BEGIN_DECLS

GstStructure *gst_rate_info_to_structure (const GstRateInfo *info, const gchar *name);
/* sender: whose word it is, whatever info says of that; NULL: nobody's. */
GstEvent *gst_rate_event_new (const GstRateInfo *info, GstElement *sender);
/* Whether somebody upstream of this sink pad answers GST_RATE_READER_QUERY_NAME. ssrc: of what is sent; 0: not one. */
gboolean gst_rate_reader_is_upstream (GstPad *sink_pad, guint32 ssrc);
/* What the encoder downstream of this src pad is to produce, bit/s; 0: nobody answers GST_ENCODER_RATE_QUERY_NAME.
 *made: what it has put out over that; 0: not known. */
guint gst_encoder_rate_ask (GstPad *src_pad, gdouble *made);

G_END_DECLS
#endif
