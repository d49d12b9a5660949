/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Running times: of a picture, and now. GST_CLOCK_TIME_NONE: not known. */
#ifndef GST_STAMP_TIME_H
#define GST_STAMP_TIME_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

/* Not known without a time stamp, outside the segment, and where the segment is not one of time. */
GstClockTime gst_stamp_time_of (GstBaseTransform *trans, GstBuffer *buffer);
/* Not known without a clock, and before the base time. */
GstClockTime gst_stamp_time_now (GstElement *element);

G_END_DECLS
#endif
