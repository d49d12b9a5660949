/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_RATE_SCALE_H
#define GST_RATE_SCALE_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RATE_SCALE (gst_rate_scale_get_type ())
G_DECLARE_FINAL_TYPE (GstRateScale, gst_rate_scale, GST, RATE_SCALE, GstBin)

GST_ELEMENT_REGISTER_DECLARE (ratescale);

G_END_DECLS
#endif
