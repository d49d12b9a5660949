/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Buffers that arrive, as bytes, address, mark and time. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstccaddress.h"
#include "gstccecn.h"
#include "gstrtcpavpfprivate.h"

#include <gst/net/gstnetaddressmeta.h>

#define LONGEST_AGE (10 * GST_SECOND) /* a timestamp further back is no arrival time */

/* How long ago the buffer arrived: the socket's time stamp travels as DTS, a running time. */
static GstClockTime
buffer_age (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now)
{
  GstClockTime arrived;

  if (!self->settings.use_timestamps || !GST_CLOCK_TIME_IS_VALID (running_now) || !GST_BUFFER_DTS_IS_VALID (buffer) ||
      self->segment.format != GST_FORMAT_TIME)
    return 0;
  arrived = gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME, GST_BUFFER_DTS (buffer));
  if (!GST_CLOCK_TIME_IS_VALID (arrived) || arrived > running_now || running_now - arrived > LONGEST_AGE)
    return 0;
  return running_now - arrived;
}

static RtpAddress
address_of (GstBuffer *buffer)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  return gst_cc_address_read (meta != NULL ? meta->addr : NULL);
}

static void
take_rtcp (GstRtcpAvpf *self, GstBuffer *buffer, const GstMapInfo *map, GstClockTime age, GstClockTime now)
{
  RtpAddress from = address_of (buffer);

  rtp_participant_on_rtcp (self->core, map->data, map->size, &from, age < now ? now - age : 0, now);
  gst_rtcp_avpf_core_wake (self);
}

void
gst_rtcp_avpf_receive_rtcp (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now, GstClockTime now)
{
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  take_rtcp (self, buffer, &map, buffer_age (self, buffer, running_now), now);
  gst_buffer_unmap (buffer, &map);
}

static gboolean
take_rtp (GstRtcpAvpf *self, GstBuffer *buffer, const RtpPacket *packet, GstClockTime age, GstClockTime now)
{
  RtpAddress from = address_of (buffer);
  gboolean keep;

  gst_rtcp_avpf_note_age (self, age, now);
  keep = rtp_participant_on_rtp (self->core, packet, &from, gst_cc_ecn_of (buffer), age < now ? now - age : 0, now);
  gst_rtcp_avpf_core_wake (self);
  return keep;
}

/* The packet that was lost in the place of the one that brings it; NULL: it is what it is. */
static GstBuffer *
restore (GstRtcpAvpf *self, GstBuffer *buffer, const RtpPacket *packet, const GstMapInfo *map)
{
  GstBuffer *lost;
  GstMapInfo out;
  gsize size;

  if (self->core->repair.ssrc != packet->ssrc)
    return NULL;
  lost = gst_buffer_new_allocate (NULL, map->size, NULL);
  gst_buffer_map (lost, &out, GST_MAP_WRITE);
  size = rtp_participant_restore (self->core, packet, map->data, out.data);
  gst_buffer_unmap (lost, &out);
  if (size == 0) {
    gst_buffer_unref (lost);
    return NULL;
  }
  gst_buffer_set_size (lost, (gssize)size);
  gst_buffer_copy_into (lost, buffer, GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_META, 0, -1);
  return lost;
}

gboolean
gst_rtcp_avpf_receive (GstRtcpAvpf *self, GstBuffer **at, GstClockTime running_now, GstClockTime now)
{
  GstBuffer *buffer = *at, *lost = NULL;
  GstClockTime age = buffer_age (self, buffer, running_now);
  gboolean keep = FALSE;
  RtpPacket packet;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return FALSE;
  if (rtcp_is_rtcp (map.data, map.size)) {
    take_rtcp (self, buffer, &map, age, now);
  } else if (rtp_packet_parse (&packet, map.data, map.size)) {
    keep = take_rtp (self, buffer, &packet, age, now);
    lost = keep ? restore (self, buffer, &packet, &map) : NULL;
  } else {
    GST_DEBUG_OBJECT (self, "dropping %" G_GSIZE_FORMAT " bytes that are neither RTP nor RTCP", map.size);
    self->core->stats.bad_packets++;
  }
  gst_buffer_unmap (buffer, &map);
  if (lost != NULL)
    gst_buffer_replace (at, lost);
  gst_clear_buffer (&lost);
  return keep;
}
