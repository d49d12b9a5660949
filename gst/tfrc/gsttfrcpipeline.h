/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sender need not wait for in the pipeline it is in. A sink that shows something waits for the others' first
   pictures, and for the longest latency of all branches, so that everything is shown together. A sender shows nothing:
   in a call the other branches wait for what it sends. */
#ifndef GST_TFRC_PIPELINE_H
#define GST_TFRC_PIPELINE_H

#include <gst/base/gstbasesink.h>

G_BEGIN_DECLS

/* Whether a live source is in the same pipeline, wherever in it. Such a pipeline goes to PLAYING at once, while sinks
   that preroll are left behind in PAUSED until all of them have: at both ends of a call the screen would wait for the
   other end's sender, and each sender for its own end's screen. */
gboolean gst_tfrc_pipeline_is_live (GstElement *element);

/* The latency event as the sink's own branch needs it: what a jitter buffer in another one adds would only make what is
   sent older. Takes the event. */
GstEvent *gst_tfrc_pipeline_own_latency (GstBaseSink *sink, GstEvent *event);

G_END_DECLS
#endif
