/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtptfrcbwe.h"

static gboolean
is_running_time (const GstSegment *s)
{
  return s->format != GST_FORMAT_TIME || (s->rate == 1 && s->start == 0 && s->base == 0 && s->offset == 0);
}

static GstClockTime
running_time (const GstSegment *segment, GstClockTime time)
{
  guint64 running;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    return time;
  return gst_segment_to_running_time_full (segment, GST_FORMAT_TIME, time, &running) > 0 ? running : 0;
}

GstBuffer *
gst_rtp_tfrc_buffer_in_running_time (const GstSegment *segment, GstBuffer *buffer)
{
  if (is_running_time (segment))
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_PTS (buffer) = running_time (segment, GST_BUFFER_PTS (buffer));
  GST_BUFFER_DTS (buffer) = running_time (segment, GST_BUFFER_DTS (buffer));
  return buffer;
}

static GstEvent *
gap_in_running_time (const GstSegment *segment, GstEvent *event)
{
  GstClockTime timestamp, duration;
  GstGapFlags flags;
  GstEvent *moved;

  gst_event_parse_gap (event, &timestamp, &duration);
  gst_event_parse_gap_flags (event, &flags);
  moved = gst_event_new_gap (running_time (segment, timestamp), duration);
  gst_event_set_gap_flags (moved, flags);
  return moved;
}

/* NULL: it tells no time. */
static GstEvent *
end_in_running_time (const GstSegment *segment, GstEvent *event)
{
  GstFormat format;
  gint64 position;

  gst_event_parse_segment_done (event, &format, &position);
  if (format != GST_FORMAT_TIME || position < 0)
    return NULL;
  return gst_event_new_segment_done (format, (gint64)running_time (segment, (GstClockTime)position));
}

GstEvent *
gst_rtp_tfrc_event_in_running_time (const GstSegment *segment, GstEvent *event)
{
  GstEvent *moved = NULL;

  if (is_running_time (segment))
    return event;
  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP)
    moved = gap_in_running_time (segment, event);
  else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT_DONE)
    moved = end_in_running_time (segment, event);
  if (moved == NULL)
    return event;
  gst_event_set_seqnum (moved, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return moved;
}
