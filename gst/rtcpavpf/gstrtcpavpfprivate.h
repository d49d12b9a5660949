/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of rtcpavpf. What has no other remark is called with the element's lock held. */
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

/* gstrtcpavpfproperties.c: what the user sets. */
void gst_rtcp_avpf_settings_init (GstRtcpAvpfSettings *settings);
void gst_rtcp_avpf_settings_clear (GstRtcpAvpfSettings *settings);
void gst_rtcp_avpf_install_properties (GObjectClass *klass); /* with get_property and set_property */

/* gstrtcpavpfoutbox.c: what is to be told to others, once the lock is free. */
typedef enum {
  GST_RTCP_AVPF_SIGNAL_VALIDATED,
  GST_RTCP_AVPF_SIGNAL_BYE,
  GST_RTCP_AVPF_SIGNAL_TIMEOUT,
  GST_RTCP_AVPF_SIGNAL_COLLISION,
  GST_RTCP_AVPF_SIGNAL_FEEDBACK,
  GST_RTCP_AVPF_SIGNAL_LAST
} GstRtcpAvpfSignal;

void gst_rtcp_avpf_install_signals (GType type);
void gst_rtcp_avpf_outbox_init (GstRtcpAvpf *self);
void gst_rtcp_avpf_outbox_clear (GstRtcpAvpf *self);
void gst_rtcp_avpf_tell_event (GstRtcpAvpf *self, GstPad *pad, GstEvent *event); /* event: full */
void gst_rtcp_avpf_tell_ssrc (GstRtcpAvpf *self, GstRtcpAvpfSignal signal, guint32 ssrc);
void gst_rtcp_avpf_tell_feedback (
    GstRtcpAvpf *self, guint type, guint fmt, guint32 sender, guint32 media, const guint8 *fci, gsize size);
/* Without the lock, at the end of every entry point. */
void gst_rtcp_avpf_deliver (GstRtcpAvpf *self);

/* gstrtcpavpftiming.c: who takes part and when RTCP may leave, for each SSRC of this end. */
gdouble gst_rtcp_avpf_rtcp_bandwidth (GstRtcpAvpf *self); /* bytes/s */
/* Whether anybody is there to be told, so that the locals' timing runs. */
gboolean gst_rtcp_avpf_timing_runs (GstRtcpAvpf *self);
/* Something changed about who takes part or who of us sends: starts the timing with the first participant and stops it
 * with the last. */
void gst_rtcp_avpf_update_members (GstRtcpAvpf *self, GstClockTime now);
void gst_rtcp_avpf_update_bandwidth (GstRtcpAvpf *self);
void gst_rtcp_avpf_request_feedback (GstRtcpAvpf *self, GstClockTime now);
GstClockTime gst_rtcp_avpf_timing_next (GstRtcpAvpf *self);
/* A compound or reduced-size packet of others; bytes with UDP and IP headers. */
void gst_rtcp_avpf_timing_on_received (GstRtcpAvpf *self, guint bytes);
GstClockTime gst_rtcp_avpf_member_timeout (GstRtcpAvpf *self);

/* gstrtcpavpfreceive.c: RTP. running_now: the pipeline's running time, GST_CLOCK_TIME_NONE where there is none. TRUE
 * where the buffer is RTP and is to travel on; RTCP among it is taken out. */
gboolean gst_rtcp_avpf_receive (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now, GstClockTime now);
GstClockTime gst_rtcp_avpf_buffer_age (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now);
/* The source of that SSRC, a new one where there is none; NULL where there is no room. */
AvpfSource *gst_rtcp_avpf_source_of (GstRtcpAvpf *self, guint32 ssrc, GSocketAddress *address, GstClockTime now);

/* gstrtcpavpfrtcp.c: RTCP. age: how long ago the socket got it. */
void gst_rtcp_avpf_receive_rtcp (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime age, GstClockTime now);
/* Somebody else has an SSRC of ours. */
void gst_rtcp_avpf_on_collision (GstRtcpAvpf *self, guint32 ssrc, GstClockTime now);

/* gstrtcpavpfsend.c: the RTCP thread; start, interrupt and say_bye without the lock. */
gboolean gst_rtcp_avpf_thread_start (GstRtcpAvpf *self);
/* eos: it says BYE, ends its stream and rests; else it just ends. */
void gst_rtcp_avpf_thread_interrupt (GstRtcpAvpf *self, gboolean eos);
/* Ends the thread, then says BYE from the calling one. */
void gst_rtcp_avpf_say_bye (GstRtcpAvpf *self);
/* Wakes the thread where it would sleep beyond `when`. */
void gst_rtcp_avpf_wake_before (GstRtcpAvpf *self, GstClockTime when);
/* Of a packet: how long ago the socket got it. */
void gst_rtcp_avpf_note_age (GstRtcpAvpf *self, GstClockTime age, GstClockTime now);

GstStructure *gst_rtcp_avpf_take_stats (GstRtcpAvpf *self);

G_END_DECLS
#endif
