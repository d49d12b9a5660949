/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcarrival.h"

#define IMPOSSIBLE GST_SECOND /* in the future; clocks that are read twice differ by less */

static GstPadProbeReturn
mend (GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstElement *udpsrc = gst_pad_get_parent_element (pad);
  GstClockTime now = udpsrc != NULL ? gst_element_get_current_running_time (udpsrc) : GST_CLOCK_TIME_NONE;

  (void)user;
  if (GST_CLOCK_TIME_IS_VALID (now) && GST_BUFFER_PTS_IS_VALID (buffer) && GST_BUFFER_PTS (buffer) > now + IMPOSSIBLE) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = 0;
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }
  gst_clear_object (&udpsrc);
  return GST_PAD_PROBE_OK;
}

void
gst_tfrc_arrival_mend (GstPad *pad)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, mend, NULL, NULL);
}
