/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_RATE_CONTROL_H
#define GST_RATE_CONTROL_H

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RATE_CONTROL (gst_rate_control_get_type ())
G_DECLARE_FINAL_TYPE (GstRateControl, gst_rate_control, GST, RATE_CONTROL, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (ratecontrol);

G_END_DECLS
#endif
