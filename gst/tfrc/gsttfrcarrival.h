/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When packets arrived, where udpsrc says so wrongly: with kernel time stamps it gives a packet that came before the
   pipeline's clock began that clock's own time, hours, for its running time. A jitter buffer waits that long for it. */
#ifndef GST_TFRC_ARRIVAL_H
#define GST_TFRC_ARRIVAL_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Whoever was there before the clock arrived at its beginning. pad: udpsrc's src pad. */
void gst_tfrc_arrival_mend (GstPad *pad);

G_END_DECLS
#endif
