/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ENCODER_FINDER_H
#define GST_ENCODER_FINDER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The nearest video or image encoder upstream of a sink pad: through filters, queues, parsers, tees and the walls of
   bins. NULL where there is none. (transfer full) */
GstElement *encoder_finder_search (GstPad *sink_pad);

G_END_DECLS
#endif
