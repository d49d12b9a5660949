/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "encodedframe.h"

#include "jpegquality.h"

static GstClockTime
stamp_of (GstBuffer *buffer, const GstSegment *segment)
{
  GstClockTime time = GST_BUFFER_DTS_OR_PTS (buffer), running;

  if (time > G_MAXINT64) /* none, or what some codecs take for none */
    return gst_util_get_timestamp ();
  running = segment->format == GST_FORMAT_TIME ? gst_segment_to_running_time (segment, GST_FORMAT_TIME, time)
                                               : GST_CLOCK_TIME_NONE;
  return GST_CLOCK_TIME_IS_VALID (running) ? running : time;
}

EncodedFrame
encoded_frame_read (GstBuffer *buffer, const GstSegment *segment, gboolean is_jpeg)
{
  EncodedFrame frame = {stamp_of (buffer, segment), gst_buffer_get_size (buffer),
      !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT), 0};
  GstMapInfo map;

  if (is_jpeg && gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    frame.quantizer = jpeg_quality_quantizer (map.data, map.size);
    frame.size -= jpeg_quality_left_out (map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  return frame;
}
