/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of rtcpavpf: pads, properties and states in gstrtcpavpf.c; what arrives in gstrtcpavpfreceive.c; timing and
   the RTCP thread in gstrtcpavpfsend.c. What has no other remark is called with the element's lock held. */
#ifndef GST_RTCP_AVPF_PRIVATE_H
#define GST_RTCP_AVPF_PRIVATE_H

#include "gstrtcpavpf.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtcpavpf_debug);
#define GST_CAT_DEFAULT rtcpavpf_debug

#define RTCP_AVPF_IPV4_UDP_BYTES 28
#define RTCP_AVPF_IPV6_UDP_BYTES 48

/* Reads the clock that everything here runs on; the lock does not matter. */
GstClockTime gst_rtcp_avpf_now (GstRtcpAvpf *self);
/* Of a packet: how long ago the socket got it. */
void gst_rtcp_avpf_note_age (GstRtcpAvpf *self, GstClockTime age, GstClockTime now);
/* Wakes the RTCP thread where it would sleep beyond `when`. */
void gst_rtcp_avpf_wake_before (GstRtcpAvpf *self, GstClockTime when);
void gst_rtcp_avpf_request_feedback (GstRtcpAvpf *self, GstClockTime now);
/* Tells the timing who takes part; starts it with the first and stops it with the last. */
void gst_rtcp_avpf_update_members (GstRtcpAvpf *self, GstClockTime now);
gdouble gst_rtcp_avpf_rtcp_bandwidth (GstRtcpAvpf *self); /* bytes/s */

/* RTP or RTCP. running_now: the pipeline's running time, GST_CLOCK_TIME_NONE where there is none. TRUE where the buffer
 * is RTP and is to travel on. */
gboolean gst_rtcp_avpf_receive (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now, GstClockTime now);
void gst_rtcp_avpf_receive_rtcp (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now, GstClockTime now);

/* The RTCP thread; all without the lock. */
gboolean gst_rtcp_avpf_thread_start (GstRtcpAvpf *self);
/* eos: it says BYE, ends its stream and rests; else it just ends. */
void gst_rtcp_avpf_thread_interrupt (GstRtcpAvpf *self, gboolean eos);
/* Ends the thread, then says BYE from the calling one. */
void gst_rtcp_avpf_say_bye (GstRtcpAvpf *self);

GstStructure *gst_rtcp_avpf_take_stats (GstRtcpAvpf *self);

G_END_DECLS
#endif
