/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of rtcpavpf. What has no other remark is called with the element's lock held. */
#ifndef GST_RTCP_AVPF_PRIVATE_H
#define GST_RTCP_AVPF_PRIVATE_H

#include "gstrtcpavpf.h"

#include <gst/rtp/gstrtpbuffer.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (rtcpavpf_debug);
#define GST_CAT_DEFAULT rtcpavpf_debug

#define RTCP_AVPF_IPV4_UDP_BYTES 28
#define RTCP_AVPF_IPV6_UDP_BYTES 48

/* Reads the clock that everything here runs on; the lock does not matter. */
GstClockTime gst_rtcp_avpf_now (GstRtcpAvpf *self);
/* The pipeline's running time, GST_CLOCK_TIME_NONE where it has none; without the lock. */
GstClockTime gst_rtcp_avpf_running_time (GstRtcpAvpf *self, GstClockTime now);
/* A stream that goes on after this end has left is a new participant's; without the lock. */
void gst_rtcp_avpf_begin_again (GstRtcpAvpf *self);

/* gstrtcpavpfproperties.c: what the user sets. */
void gst_rtcp_avpf_settings_init (GstRtcpAvpfSettings *settings);
void gst_rtcp_avpf_settings_clear (GstRtcpAvpfSettings *settings);
const gchar *gst_rtcp_avpf_cname (GstRtcpAvpf *self);
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

/* gstrtcpavpftiming.c: when RTCP may leave, for each SSRC of this end. */
gdouble gst_rtcp_avpf_rtcp_bandwidth (GstRtcpAvpf *self); /* bytes/s */
/* Whether anybody is there to be told, so that the locals' timing runs. */
gboolean gst_rtcp_avpf_timing_runs (GstRtcpAvpf *self);
/* Something changed about who takes part or who of us sends: starts the timing with the first participant and stops it
 * with the last. */
void gst_rtcp_avpf_update_members (GstRtcpAvpf *self, GstClockTime now);
void gst_rtcp_avpf_update_bandwidth (GstRtcpAvpf *self);
/* After a change of the settings. */
void gst_rtcp_avpf_apply_timing (GstRtcpAvpf *self);
void gst_rtcp_avpf_request_feedback (GstRtcpAvpf *self, GstClockTime now);
/* Unicast or group: what the session is, for timing and trust alike. */
RtpSessionKind gst_rtcp_avpf_session_kind (GstRtcpAvpf *self);
/* FALSE: it would be later than max_delay, so it is not to be sent early. */
gboolean gst_rtcp_avpf_request_feedback_within (GstRtcpAvpf *self, GstClockTime max_delay, GstClockTime now);
GstClockTime gst_rtcp_avpf_timing_next (GstRtcpAvpf *self);
guint gst_rtcp_avpf_udp_ip_bytes (GSocketAddress *address); /* NULL: IPv4 */
/* A packet of others; bytes with UDP and IP headers; reports: SR and RR in it. */
void gst_rtcp_avpf_timing_on_received (GstRtcpAvpf *self, guint bytes, guint reports, gboolean has_bye);
GstClockTime gst_rtcp_avpf_member_timeout (GstRtcpAvpf *self);
GstClockTime gst_rtcp_avpf_sender_timeout (GstRtcpAvpf *self);

/* gstrtcpavpfmembers.c: who takes part. */
/* The host stands for the participant, which may send RTP and RTCP from two ports; 0: unknown. */
guint64 gst_rtcp_avpf_host_id (GSocketAddress *address);
/* Nobody has been heard yet. */
void gst_rtcp_avpf_peer_init (GstRtcpAvpf *self);
void gst_rtcp_avpf_members_init (GstRtcpAvpf *self, GstClockTime now);
void gst_rtcp_avpf_members_clear (GstRtcpAvpf *self);
void gst_rtcp_avpf_members_on_rtp (GstRtcpAvpf *self, GstRTPBuffer *rtp, GstClockTime now);
/* Once a packet and SSRC. */
RtpMemberVerdict gst_rtcp_avpf_members_on_rtcp (
    GstRtcpAvpf *self, guint32 ssrc, gboolean named, GSocketAddress *address, GstClockTime now);
/* FALSE: not believed. */
gboolean gst_rtcp_avpf_members_on_bye (GstRtcpAvpf *self, guint32 ssrc, GSocketAddress *address, GstClockTime now);
GstClockTime gst_rtcp_avpf_members_next (GstRtcpAvpf *self);
void gst_rtcp_avpf_members_expire (GstRtcpAvpf *self, GstClockTime now);
/* A packet of somebody else with an SSRC of ours: TRUE where it is to be ignored. */
gboolean gst_rtcp_avpf_members_is_own (
    GstRtcpAvpf *self, guint32 ssrc, GSocketAddress *address, SsrcCname cname, GstClockTime now);

/* gstrtcpavpffeedback.c: what there is to say besides reports. */
static inline gboolean
gst_rtcp_avpf_may_send (GstRtcpAvpf *self, AvpfFeedback flag)
{
  return (self->settings.feedback & flag) != 0;
}
/* For an event that is due: asks for a turn and notes in *t0 that it did, unless that was noted before. */
void gst_rtcp_avpf_request_once (GstRtcpAvpf *self, GstClockTime *t0, GstClockTime now);
void gst_rtcp_avpf_feedback_init (GstRtcpAvpf *self);
void gst_rtcp_avpf_apply_feedback (GstRtcpAvpf *self);
void gst_rtcp_avpf_check_source (GstRtcpAvpf *self, AvpfSource *source, GstClockTime now);
void gst_rtcp_avpf_request_flow_report (GstRtcpAvpf *self, GstClockTime now);
void gst_rtcp_avpf_note_explicit_rate (
    GstRtcpAvpf *self, AvpfSource *source, const ErfExtension *value, guint32 seq, GstClockTime now);
/* The lower of path rate and explicit rate, bytes/s with headers; 0: neither is known. */
gdouble gst_rtcp_avpf_allowed_rate (const AvpfSource *source, GstClockTime now);
void gst_rtcp_avpf_check_feedback (GstRtcpAvpf *self, GstClockTime now);
GstClockTime gst_rtcp_avpf_feedback_next (GstRtcpAvpf *self, GstClockTime now); /* later than now */
void gst_rtcp_avpf_on_key_unit (GstRtcpAvpf *self, AvpfSource *source, guint32 seq);
/* Whether the loss of a packet is a reason to ask. */
gboolean gst_rtcp_avpf_auto_pli_for (GstRtcpAvpf *self, const AvpfSource *source);
gboolean gst_rtcp_avpf_asks_by_fir (GstRtcpAvpf *self, const AvpfSource *source);
/* An event from downstream; FALSE: not for us. */
gboolean gst_rtcp_avpf_on_force_key_unit (GstRtcpAvpf *self, const GstStructure *structure, GstClockTime now);
/* The application's. */
typedef struct {
  guint type, fmt; /* APP: the subtype */
  guint32 media;
  const guint8 *fci; /* APP: name and data */
  gsize size;
  GstClockTime max_delay;
} GstRtcpAvpfAppFeedback;
gboolean gst_rtcp_avpf_queue_feedback (GstRtcpAvpf *self, const GstRtcpAvpfAppFeedback *fb, GstClockTime now);
gboolean gst_rtcp_avpf_request_report (GstRtcpAvpf *self, GstClockTime max_delay, GstClockTime now);
/* Others'. */
void gst_rtcp_avpf_on_others_feedback (GstRtcpAvpf *self, const FbItem *item, GstClockTime now);
/* Drops what others have said. */
void gst_rtcp_avpf_settle_feedback (GstRtcpAvpf *self, GstClockTime now);
gboolean gst_rtcp_avpf_has_feedback (GstRtcpAvpf *self, GstClockTime now);

/* gstrtcpavpfnack.c: packets asked for again. */
void gst_rtcp_avpf_note_packet (GstRtcpAvpf *self, AvpfSource *source, guint16 seq, GstClockTime now);
gboolean gst_rtcp_avpf_is_retransmission (GstRtcpAvpf *self, guint8 payload_type);
/* osn: the number that a retransmission has restored. TRUE: it was missed. */
gboolean gst_rtcp_avpf_note_restored (GstRtcpAvpf *self, const AvpfSource *from, guint16 osn, GstClockTime now);
/* Whether lost packets are asked for again before a key unit is. */
gboolean gst_rtcp_avpf_mends_by_nack (GstRtcpAvpf *self, const AvpfSource *source);
/* An event from downstream; FALSE: not for us. */
gboolean gst_rtcp_avpf_on_retransmission_request (GstRtcpAvpf *self, const GstStructure *structure, GstClockTime now);
void gst_rtcp_avpf_check_nack (GstRtcpAvpf *self, AvpfSource *source, GstClockTime now);
void gst_rtcp_avpf_on_others_nack (GstRtcpAvpf *self, guint32 media, const guint16 *seqs, guint n, GstClockTime now);
void gst_rtcp_avpf_settle_nack (GstRtcpAvpf *self, AvpfSource *source, GstClockTime now);

/* gstrtcpavpfarrivals.c: reports of every packet. */
void gst_rtcp_avpf_note_arrival (
    GstRtcpAvpf *self, AvpfSource *source, guint16 seq, ArrivalEcn ecn, GstClockTime arrived_at);
void gst_rtcp_avpf_note_transport_arrival (GstRtcpAvpf *self, guint16 number, GstClockTime arrived_at);
GstClockTime gst_rtcp_avpf_packet_report_due_at (GstRtcpAvpf *self); /* GST_CLOCK_TIME_NONE: nothing new */

/* gstrtcpavpfpacket.c: packets to send. */
typedef struct {
  guint first, chosen;    /* indices of the locals: who gives feedback; a bit each for those that report */
  gboolean regular, full; /* full: not only the name of SDES */
  gboolean reduced;       /* leave SR, RR and SDES out where there is feedback (RFC 5506) */
} GstRtcpAvpfPlan;
GstBuffer *gst_rtcp_avpf_build (GstRtcpAvpf *self, const GstRtcpAvpfPlan *plan, GstClockTime now);
/* For all of ours that others know; NULL: none. */
GstBuffer *gst_rtcp_avpf_build_bye (GstRtcpAvpf *self, GstClockTime now);
guint gst_rtcp_avpf_report_size (GstRtcpAvpf *self);

/* gstrtcpavpfreceive.c: RTP. running_now: the pipeline's running time, GST_CLOCK_TIME_NONE where there is none. TRUE
 * where the buffer is RTP and is to travel on; RTCP among it is taken out. One that brings a lost packet is that packet
 * then, or NULL and FALSE. */
gboolean gst_rtcp_avpf_receive (GstRtcpAvpf *self, GstBuffer **buffer, GstClockTime running_now, GstClockTime now);
GstClockTime gst_rtcp_avpf_buffer_age (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime running_now);
/* The source of that SSRC, a new one where there is none; NULL where there is no room. */
AvpfSource *gst_rtcp_avpf_source_of (GstRtcpAvpf *self, guint32 ssrc, GSocketAddress *address, GstClockTime now);

/* gstrtcpavpfrtcp.c: RTCP. age: how long ago the socket got it. */
void gst_rtcp_avpf_receive_rtcp (GstRtcpAvpf *self, GstBuffer *buffer, GstClockTime age, GstClockTime now);

/* gstrtcpavpfschedule.c: one round of the RTCP thread. The same packet goes to every address media comes from. */
typedef struct {
  GstBuffer *buffer;
  GSocketAddress *addresses[AVPF_MAX_SOURCES];
  guint n_addresses;
  gboolean withheld; /* where it would go nothing, or too little, has come from */
  GstStructure *stats;
} GstRtcpAvpfOutgoing;
void gst_rtcp_avpf_run (GstRtcpAvpf *self, GstClockTime now, GstRtcpAvpfOutgoing *out);
GstClockTime gst_rtcp_avpf_next_timeout (GstRtcpAvpf *self, GstClockTime now);
guint64 gst_rtcp_avpf_hash (const guint8 *data, gsize size);
/* Leaving (RFC 3550 6.3.7): the BYE is built; it may have to wait. */
AvpfLeave gst_rtcp_avpf_leave (GstRtcpAvpf *self, GstClockTime now);
void gst_rtcp_avpf_take_bye (GstRtcpAvpf *self, GstRtcpAvpfOutgoing *out);
gboolean gst_rtcp_avpf_run_leave (GstRtcpAvpf *self, GstClockTime now, GstRtcpAvpfOutgoing *out); /* TRUE: done */
GstClockTime gst_rtcp_avpf_leave_next (GstRtcpAvpf *self, GstClockTime now);

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
