/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gststamptime.h"

GstClockTime
gst_stamp_time_of (GstBaseTransform *trans, GstBuffer *buffer)
{
  if (trans->segment.format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time (&trans->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
}

GstClockTime
gst_stamp_time_now (GstElement *element)
{
  GstClock *clock = gst_element_get_clock (element);
  GstClockTime base = gst_element_get_base_time (element), now;

  if (clock == NULL)
    return GST_CLOCK_TIME_NONE;
  now = gst_clock_get_time (clock);
  gst_object_unref (clock);
  return GST_CLOCK_TIME_IS_VALID (now) && now >= base ? now - base : GST_CLOCK_TIME_NONE;
}
