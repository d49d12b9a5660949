/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock that everything runs on, and the wait of the RTCP thread. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

GstClockTime
gst_rtcp_avpf_now (GstRtcpAvpf *self)
{
  return gst_clock_get_time (self->system_clock);
}

GstClockTime
gst_rtcp_avpf_running_time (GstRtcpAvpf *self, GstClockTime system_now)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));
  GstClockTime base = gst_element_get_base_time (GST_ELEMENT (self)), now;

  if (clock == NULL)
    return GST_CLOCK_TIME_NONE;
  now = clock == self->system_clock ? system_now : gst_clock_get_time (clock);
  gst_object_unref (clock);
  return now >= base ? now - base : GST_CLOCK_TIME_NONE;
}

void
gst_rtcp_avpf_wake_before (GstRtcpAvpf *self, GstClockTime when)
{
  if (self->wait_id != NULL && when < self->wait_until)
    gst_clock_id_unschedule (self->wait_id);
}
