/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtptfrcbwe: the controller and pacer of tfrcsink as a filter in front of GStreamer's rtpsession.

   Three parties, one lock: the streaming thread queues packets and serialized events, the task of the source pad sends
   them, whoever delivers RTCP hands over reports. All that follows `lock` is under it, but for `session`. No
   lock is held while a buffer or an event is pushed, a property notified or a message posted. */
#ifndef GST_RTP_TFRC_BWE_H
#define GST_RTP_TFRC_BWE_H

#include "ccsender.h"
#include "gstrateevent.h"
#include "gstrtptfrcstreams.h"
#include "gsttfrccircuit.h"
#include "gsttfrcsendadvice.h"
#include "srecho.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTP_TFRC_BWE (gst_rtp_tfrc_bwe_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcBwe, gst_rtp_tfrc_bwe, GST, RTP_TFRC_BWE, GstElement)
GST_ELEMENT_REGISTER_DECLARE (rtptfrcbwe)

#define GST_RTP_TFRC_RING 4096 /* packets that may wait */
#define GST_RTP_TFRC_SENT 4096 /* packets whose frames are remembered until a report tells of them */
#define GST_RTP_TFRC_OVERHEAD 28

typedef struct {
  CcMode mode;
  guint start_bitrate, min_bitrate, max_bitrate; /* bit/s on the wire */
  GstClockTime max_delay, stats_interval;
  guint loss_tolerance; /* percent */
  double path_weight;
  CircuitAction circuit_action;
} GstRtpTfrcSettings;

/* When a packet was handed on: rtpsession noted its own time in between. */
typedef struct {
  CcTime from, to;
  guint32 frame;
} GstRtpTfrcSent;

/* How many packets: those that wait their turn, and those that go first. */
typedef struct {
  guint64 in_turn, first;
} GstRtpTfrcPassed;

/* A serialized event, and how many packets came in front of it. */
typedef struct {
  GstEvent *event;
  GstRtpTfrcPassed after;
} GstRtpTfrcEvent;

typedef struct {
  guint64 rtcp, twcc_reports, twcc_bad, ccfb_reports, tfrc_reports, receiver_reports, remb, tmmbr, nack,
      nack_translated, first_dropped, malformed, unknown_ssrc;
} GstRtpTfrcCounts;

struct _GstRtpTfrcBwe {
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  GMutex lock;
  GstClock *clock; /* the system's, rtpsession's too */
  GstClockID waiting;
  CcTime waiting_until;
  GstRtpTfrcSettings settings;
  gboolean running, flushing; /* running: the fields below are in use */
  GstFlowReturn result;       /* of the last push */
  CcSender core;
  CcPacket *ring;
  CcPacketFeedback *packets, *blocks; /* of TWCC; of RFC 8888, NULL until the first */
  CcPcg32 pcg;
  GstRtpTfrcStreams streams;
  GQueue events;      /* GstRtpTfrcEvent */
  GstSegment segment; /* of what comes; what leaves has running times in one segment that begins at 0 */
  gboolean segment_told;
  CcTime drain_until; /* EOS leaves, whatever waits in front of it */
  GstRtpTfrcPassed in, out;
  guint64 first_bytes;  /* of those that go first, waiting */
  GstRtpTfrcSent *sent; /* GST_RTP_TFRC_SENT */
  guint64 sent_next, sent_seen;
  double head_bytes; /* of the RTP headers, smoothed */
  CcTime status_at, event_at, stats_at;
  guint key_unit_count;
  guint estimated; /* bit/s for encoders, as last notified */
  guint told_rate; /* as last pushed upstream */
  guint told_mtu;  /* bytes of an RTP packet, as last told to payloaders; 0: no limit */
  CcLimit told_limit;
  gboolean told_pause;
  guint64 circuit_told; /* gst_tfrc_circuit_news () */
  GstRtpTfrcCounts counts;
  GstTfrcSendAdvice advice;
  SrEcho echo;         /* of the session's SRs */
  GstClockTime rr_rtt; /* of the last report block that tells one */

  gint searched;          /* for the session; atomic, as the next two */
  gint has_session;       /* one follows */
  gint codecs_void;       /* what the session has told of them */
  GstElement *rtpsession; /* behind us, NULL: none; this and what follows are the streaming thread's */
  GObject *session;       /* RTPSession in it */
  gboolean asked_for[GST_RTP_TFRC_PAYLOAD_TYPES];
  gulong session_handler, session_sends_handler, codecs_handler;
};

/* gstrtptfrcpace.c */
void gst_rtp_tfrc_start (GstRtpTfrcBwe *self); /* READY to PAUSED */
void gst_rtp_tfrc_stop (GstRtpTfrcBwe *self);
void gst_rtp_tfrc_flush (GstRtpTfrcBwe *self);          /* under the lock: all that waits is given up */
void gst_rtp_tfrc_wake (GstRtpTfrcBwe *self);           /* under the lock */
void gst_rtp_tfrc_loop (gpointer pad);                  /* the task */
void gst_rtp_tfrc_apply_settings (GstRtpTfrcBwe *self); /* under the lock */
void gst_rtp_tfrc_tell_shares (GstRtpTfrcBwe *self);    /* under the lock: at once, where others share now */
GstFlowReturn gst_rtp_tfrc_queue (GstRtpTfrcBwe *self, GstBuffer *buffer); /* under the lock; takes it */
void gst_rtp_tfrc_queue_event (GstRtpTfrcBwe *self, GstEvent *event);      /* the same */

/* gstrtptfrctime.c: rtpfunnel tells a segment each time another stream has its turn. A packet that goes first would
   leave in front of its own, and sinks drop what is out of the segment, or wait for a GAP in it: so all leave in one.
 */
GstBuffer *gst_rtp_tfrc_buffer_in_running_time (const GstSegment *segment, GstBuffer *buffer); /* takes it */
GstEvent *gst_rtp_tfrc_event_in_running_time (const GstSegment *segment, GstEvent *event);     /* the same */

/* gstrtptfrcnews.c: what upstream and the application learn */
typedef struct {
  gboolean notify, key_unit, mtu;
  GstMessage *message, *circuit;
  GstTfrcSendMistake mistake;
  guint skipped, of; /* frames, of that */
  GstRtpTfrcShare shares[GST_RTP_TFRC_STREAMS];
  guint n_shares;
  GstRateInfo info; /* info.limit NULL: no event */
} GstRtpTfrcNews;

GstStructure *gst_rtp_tfrc_stats (GstRtpTfrcBwe *self);
/* Under the lock: what is due at `now`, and what there is to tell of it. */
void gst_rtp_tfrc_run_timers (GstRtpTfrcBwe *self, CcTime now, GstRtpTfrcNews *news);
gboolean gst_rtp_tfrc_has_news (const GstRtpTfrcNews *news);
void gst_rtp_tfrc_tell (GstRtpTfrcBwe *self, GstRtpTfrcNews *news); /* without the lock; takes what is in it */

/* gstrtptfrcadvice.c: what is used wrongly. Under the lock, and without it. */
void gst_rtp_tfrc_look_for_mistakes (GstRtpTfrcBwe *self, CcTime now, GstRtpTfrcNews *news);
void gst_rtp_tfrc_tell_mistake (GstRtpTfrcBwe *self, const GstRtpTfrcNews *news);

/* gstrtptfrcreports.c */
/* RTPTWCCPackets of rtpsession. */
void gst_rtp_tfrc_on_twcc (GstRtpTfrcBwe *self, const GstStructure *packets);
/* A request for a packet under the number it left with: the event with the number it came with, taken. */
GstEvent *gst_rtp_tfrc_translate_request (GstRtpTfrcBwe *self, GstEvent *event);
/* The SSRC will be another: GstRTPCollision of rtpsession. */
void gst_rtp_tfrc_on_collision (GstRtpTfrcBwe *self, const GstStructure *collision);
/* Looks for the rtpsession behind the source pad and listens to its RTCP; until `searched` is reset. */
void gst_rtp_tfrc_find_session (GstRtpTfrcBwe *self);
/* Has the session tell what the packet's payload type is; once for each, until it clears its map. */
void gst_rtp_tfrc_learn_codec (GstRtpTfrcBwe *self, GstBuffer *buffer);
void gst_rtp_tfrc_leave_session (GstRtpTfrcBwe *self);

G_END_DECLS
#endif
