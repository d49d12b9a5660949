/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_RTCP_AVPF_H
#define GST_RTCP_AVPF_H

#include <gst/gst.h>
#include <gst/rtp/rtp.h>

#include "avpflocal.h"
#include "avpfpacket.h"
#include "avpftiming.h"
#include "rtpkeyunit.h"

G_BEGIN_DECLS

#define GST_TYPE_RTCP_AVPF (gst_rtcp_avpf_get_type ())
G_DECLARE_FINAL_TYPE (GstRtcpAvpf, gst_rtcp_avpf, GST, RTCP_AVPF, GstElement)

#define GST_TYPE_RTCP_AVPF_FEEDBACK (gst_rtcp_avpf_feedback_get_type ())
GType gst_rtcp_avpf_feedback_get_type (void);

/* The properties as they were set. */
typedef struct {
  guint bandwidth, extension_id;
  AvpfFeedback feedback;
  gboolean reduced_size, auto_pli, use_timestamps;
  GstClockTime pli_interval, trr_int, stats_interval;
} GstRtcpAvpfSettings;

struct _GstRtcpAvpf {
  GstElement parent;

  GstPad *sinkpad, *srcpad, *rtcp_sinkpad, *rtcp_srcpad;
  GstClock *system_clock;

  GMutex lock; /* all below; never held while pushing, posting or notifying */
  GQueue outbox;
  GstClockID wait_id;
  GstClockTime wait_until;
  GstClockTime behind_since; /* what arrived waits in the socket, as this process was held up; NONE: no */
  gboolean flushing, eos, bye_sent, rtcp_started;
  GstRtcpAvpfSettings settings;

  AvpfLocalTable locals;
  GstClockTime collided_at; /* GST_CLOCK_TIME_NONE: never */
  gchar *cname;
  AvpfSourceTable table;

  GstSegment segment;
  guint clock_rate, caps_extension_id, found_extension_id;
  gboolean is_video;
  RtpCodec codec;

  gdouble receive_bps;
  guint64 wire_bytes; /* since housekept_at */
  GstClockTime housekept_at, stats_at;
  guint64 packets, bad_packets, unproven, bad_rtcp, rtcp_received, rtcp_sent, rtcp_bytes_sent, feedback_discarded,
      collisions;
};

GST_ELEMENT_REGISTER_DECLARE (rtcpavpf);

G_END_DECLS
#endif
