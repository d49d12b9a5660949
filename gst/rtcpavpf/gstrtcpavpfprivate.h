/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of rtcpavpf around its participant (rtpparticipant.h). What has no other remark is called with the
   element's lock held. */
#ifndef GST_RTCP_AVPF_PRIVATE_H
#define GST_RTCP_AVPF_PRIVATE_H

#include "gstrtcpavpf.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtcpavpf_debug);
#define GST_CAT_DEFAULT rtcpavpf_debug

/* gstrtcpavpfclock.c; now and running_time also without the lock. */
GstClockTime gst_rtcp_avpf_now (GstRtcpAvpf *self); /* the clock that everything runs on */
/* The pipeline's running time, GST_CLOCK_TIME_NONE where it has none. */
GstClockTime gst_rtcp_avpf_running_time (GstRtcpAvpf *self, GstClockTime now);
/* Wakes the thread where it would sleep beyond `when`. */
void gst_rtcp_avpf_wake_before (GstRtcpAvpf *self, GstClockTime when);

/* gstrtcpavpflife.c: one participant after the other. */
void gst_rtcp_avpf_reset (GstRtcpAvpf *self);
/* A stream that goes on after this end has left is a new participant's; without the lock. */
void gst_rtcp_avpf_begin_again (GstRtcpAvpf *self);

/* gstrtcpavpfcore.c: the participant, with what it needs of its host. */
void gst_rtcp_avpf_core_begin (GstRtcpAvpf *self, GstClockTime now); /* another one each time */
void gst_rtcp_avpf_core_clear (GstRtcpAvpf *self);
const gchar *gst_rtcp_avpf_cname (GstRtcpAvpf *self);
gboolean gst_rtcp_avpf_has_readable_peer (GstRtcpAvpf *self); /* or none is named */
/* Settings, caps or multicast have changed. */
void gst_rtcp_avpf_core_apply (GstRtcpAvpf *self);
void gst_rtcp_avpf_core_set_caps (GstRtcpAvpf *self, const RtpStreamInfo *caps);
/* After whatever was told to it: wakes the thread where something became due. */
void gst_rtcp_avpf_core_wake (GstRtcpAvpf *self);

/* gstrtcpavpfproperties.c: what the user sets. */
void gst_rtcp_avpf_settings_init (GstRtcpAvpfSettings *settings);
void gst_rtcp_avpf_settings_clear (GstRtcpAvpfSettings *settings);
void gst_rtcp_avpf_install_properties (GObjectClass *klass); /* with get_property and set_property */

/* gstrtcpavpfrepair.c: lost packets that come after all. index: of its properties. */
#define GST_RTCP_AVPF_REPAIR_PROPERTIES 4
#define GST_RTCP_AVPF_REPAIR_LATENCY (400 * GST_MSECOND)
void gst_rtcp_avpf_install_repair (GObjectClass *klass, guint first); /* from that id on */
void gst_rtcp_avpf_set_repair (GstRtcpAvpfSettings *settings, guint index, const GValue *value);
void gst_rtcp_avpf_get_repair (GstRtcpAvpf *self, guint index, GValue *value);
gboolean gst_rtcp_avpf_repair_wait_changed (GstRtcpAvpf *self); /* since it was asked last */
/* Behind each buffer that was received, `by`: those that were lost and are known by it now; NULL: none. */
void gst_rtcp_avpf_take_mended (GstRtcpAvpf *self, GstBuffer *by, GstBufferList **mended, GstClockTime now);

/* gstrtcpavpfoutbox.c: what is to be told to others, once the lock is free. */
void gst_rtcp_avpf_install_signals (GType type);
void gst_rtcp_avpf_outbox_init (GstRtcpAvpf *self);
void gst_rtcp_avpf_outbox_clear (GstRtcpAvpf *self);
void gst_rtcp_avpf_tell (GstRtcpAvpf *self, const RtpEvent *event);
/* Without the lock, at the end of every entry point. */
void gst_rtcp_avpf_deliver (GstRtcpAvpf *self);

/* gstrtcpavpfreceive.c: what arrives. running_now: the pipeline's running time, GST_CLOCK_TIME_NONE where there is
 * none. TRUE where the buffer is RTP and is to travel on; RTCP among it is taken out. One that brings a lost packet is
 * that packet then. */
gboolean gst_rtcp_avpf_receive (GstRtcpAvpf *self, GstBuffer **buffer, GstClockTime running_now, GstClockTime now);
void gst_rtcp_avpf_receive_rtcp (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now, GstClockTime now);

/* gstrtcpavpfmedia.c: what is sent. Pad templates, request_new_pad and release_pad. */
void gst_rtcp_avpf_media_class_init (GstElementClass *klass);
/* send_rtp_sink was requested and has not come to its end: then the end of what is received is not this end's BYE. */
gboolean gst_rtcp_avpf_media_goes_on (GstRtcpAvpf *self);

/* gstrtcpavpfsend.c: the RTCP thread; start, interrupt and say_bye without the lock. */
gboolean gst_rtcp_avpf_thread_start (GstRtcpAvpf *self);
/* eos: it says BYE, ends its stream and rests; else it just ends. */
void gst_rtcp_avpf_thread_interrupt (GstRtcpAvpf *self, gboolean eos);
/* Ends the thread, then says BYE from the calling one. */
void gst_rtcp_avpf_say_bye (GstRtcpAvpf *self);
/* Of a packet: how long ago the socket got it. */
void gst_rtcp_avpf_note_age (GstRtcpAvpf *self, GstClockTime age, GstClockTime now);

/* gstrtcpavpfstats.c */
GstStructure *gst_rtcp_avpf_take_stats (GstRtcpAvpf *self);

G_END_DECLS
#endif
