/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One flow on one socket, driven by one thread: the streaming thread leaves packets in a queue, this thread carries
   them into the core (ccsender.h), sends what the core releases, and hands reports to it. It waits in ppoll () for the
   socket, the queue or the core's next deadline, whichever comes first.

   Two parties, one lock: everything in `shared` is read and written under `lock`, taken once per wake-up; everything
   else belongs to the thread while it runs. No lock is held while an event is pushed or a message posted. */
#ifndef GST_TFRC_TRANSMIT_H
#define GST_TFRC_TRANSMIT_H

#include "avpftiming.h"
#include "ccsender.h"
#include "fircommands.h"
#include "keyanswer.h"
#include "gstccrtcp.h"
#include "gstrateevent.h"
#include "gsttfrcbatch.h"
#include "gsttfrccircuit.h"
#include "gsttfrcnumbering.h"
#include "gsttfrcqueue.h"
#include "gsttfrcratesources.h"
#include "gsttfrcrepair.h"
#include "gsttfrcsendadvice.h"
#include "gsttfrcsocket.h"
#include "resendlimit.h"
#include "rtpreporters.h"
#include "rtcpfeedback.h"
#include "ssrcconflict.h"
#include "tmmbrset.h"

G_BEGIN_DECLS

#define GST_TFRC_RING_SIZE 16384  /* packets in the sending buffer: 150 ms at 100 000 packets/s */
#define GST_TFRC_MAX_SOURCES 8    /* SSRCs remembered */
#define GST_TFRC_LATENESS_BINS 96 /* quarter octaves from 1 us */
#define GST_TFRC_CNAME_SIZE 256   /* RFC 3550 6.5.1: 255 bytes and an end */
#define GST_TFRC_RESEND_MEMORY 64 /* requests whose answers are recognised */

typedef struct {
  CcMode mode;
  guint start_bitrate, min_bitrate, max_bitrate; /* bit/s on the wire */
  guint min_audio_bitrate;
  gboolean audio; /* by the caps */
  GstClockTime max_delay, stats_interval;
  guint loss_tolerance; /* percent */
  CircuitAction circuit_action;
  GstTfrcRepairMode repair;
  guint extension_id;               /* 0: packets are not stamped */
  guint twcc_extension_id;          /* 0: packets carry no transport-wide number */
  guint rate_extension_id;          /* 0: packets do not ask routers for a rate */
  gboolean ecn;                     /* routers may mark RTP packets */
  guint clock_rate;                 /* of the RTP timestamps, Hz */
  gchar cname[GST_TFRC_CNAME_SIZE]; /* empty: one made up for each session */
  GstTfrcRateSources rate_sources;
} GstTfrcSettings;

/* What one SSRC has sent (RFC 3550 6.4.1). */
typedef struct {
  guint32 ssrc, packet_count, octet_count;
  GstTfrcNumbering numbering;
  guint16 newest;   /* number sent */
  guint32 rtp_time; /* of the last frame, captured_at its time */
  CcTime captured_at, sent_at;
  ResendLimit resend;
  GstTfrcReported reported;
  TmmbrSender tmmbr;
  gboolean resends;     /* RFC 4588: carries packets of another one once more */
  gboolean knows_which; /* and that is resends_of */
  guint32 resends_of;
} GstTfrcSource;

/* A packet that was asked for, by the number it came with. */
typedef struct {
  guint32 ssrc;
  guint16 seq;
} GstTfrcAsked;

typedef struct {
  CcSenderStatus status;
  CcMode mode;
  guint estimated_bitrate; /* bit/s, wire */
  guint64 packets_sent, bytes_sent, frames_sent, frames_dropped, packets_dropped;
  guint64 malformed, overflowed; /* packets */
  guint64 circuit_openings;
  guint64 unstamped, too_large, refused, unreachable, send_errors;
  guint64 rtcp_sent, rtcp_received, reports, path_reports, explicit_rates, remb, bad_reports, bad_rtcp, unknown_source,
      unknown_ssrc, rate_messages;
  guint64 packet_reports, packet_reports_refused; /* those that steered; what they told and cannot be */
  guint64 pli, fir, fir_repeated, key_unit_requests, byes, collisions;
  guint64 nack, resends_granted, resends_refused; /* packets asked for, asked for upstream, not */
  guint64 resent, resends_lost;                   /* packets sent again; whose original is not known any more */
  guint64 tmmbr, tmmbn, limits_unproven;
  guint64 tmmbr_bitrate; /* bit/s on the wire; 0: no limit */
  guint32 explicit_hop;  /* of the last ERF or ECF; 0: none came */
  GstClockTime rr_rtt, rr_jitter;
  gdouble rr_fraction_lost;
  gint rr_packets_lost;
  guint64 unprotected; /* packets */
  GstCcSrtpCounts srtp;
  GstClockTime lateness_max;
  guint64 lateness[GST_TFRC_LATENESS_BINS];
} GstTfrcStats;

typedef struct GstTfrcTransmit {
  GstElement *element;
  GstPad *pad; /* rate and key unit events leave upstream here */

  GMutex lock;
  GCond cond;
  struct {
    GstTfrcQueue queue;
    gboolean asleep; /* waits with an empty buffer: a packet has to wake it */
    gboolean quit, flush, drain, drained, unlocked, failed;
    GstTfrcSettings settings;
    GSocket *socket; /* to be taken over together with `to`; NULL: none */
    GstTfrcAddress to;
    gboolean settings_changed, peer_changed;
    guint64 malformed;
    GstTfrcStats stats;
  } shared;

  GstCcSrtp *srtp; /* the element's, set while no thread runs; NULL: packets are not protected */
  GThread *thread;
  int wakeup_fd;
  GSocket *socket;
  int fd;
  GstTfrcSettings settings;
  GstTfrcAddress to;

  CcSender core;
  CcPacketFeedback *packets; /* what left, for reports of every packet */
  CcPacket *ring, *taken;
  guint n_taken;
  CcPcg32 pcg;
  GstTfrcBatch *batch;
  gboolean blocked;   /* the socket's buffer is full */
  gboolean mid_frame; /* the last packets taken did not end their frame */
  CcTime due;         /* the pacing deadline slept for */
  GstTfrcStats stats;
  CcTime drain_until, rate_event_at, status_at, stats_at;
  guint reported_bitrate;
  CcLimit reported_limit;
  guint64 circuit_told; /* gst_tfrc_circuit_news () */
  KeyAnswer key;
  guint key_unit_count;
  guint warned; /* bits of what the application was told already */
  GstTfrcSendAdvice advice;
  CcTime logged_at;

  AvpfTiming avpf;
  gboolean avpf_running;  /* from the first packet on to the BYE */
  GstTfrcSource *sources; /* GST_TFRC_MAX_SOURCES */
  guint n_sources;
  gchar *cname;
  FirCommands fir;
  guint32 path_teller;   /* SSRC whose path rate is followed */
  guint32 router_teller; /* SSRC that told explicit rates and no path rate; 0: none */
  guint64 teller_key[2];
  SsrcConflict conflict;
  RtpReporters reporters; /* who may limit */
  double tmmbr_Bps;       /* INFINITY: nobody limits */
  CcTime tmmbr_rises_at;  /* by itself, or as a limit expires; CC_TIME_NONE: not */
  GstTfrcAsked asked[GST_TFRC_RESEND_MEMORY];
  GstTfrcRepair repair;
  guint n_asked; /* modulo GST_TFRC_RESEND_MEMORY the next place */
} GstTfrcTransmit;

CcTime gst_tfrc_transmit_now (void); /* the clock of captured_at and of the thread */
void gst_tfrc_transmit_init (GstTfrcTransmit *t, GstElement *element, GstPad *pad);
void gst_tfrc_transmit_finalize (GstTfrcTransmit *t);

/* FALSE with error set where no thread or descriptor is to be had. */
gboolean gst_tfrc_transmit_start (
    GstTfrcTransmit *t, GSocket *socket, const GstTfrcAddress *to, const GstTfrcSettings *settings, GError **error);
void gst_tfrc_transmit_stop (GstTfrcTransmit *t); /* says BYE, joins the thread; nothing is queued any more */

/* The streaming thread's: n packets, buffers taken. Never waits; where there is no room whole frames go. FALSE: the
   thread has failed. */
gboolean gst_tfrc_transmit_queue (GstTfrcTransmit *t, const CcPacket *packets, guint n, guint malformed);
void gst_tfrc_transmit_flush (GstTfrcTransmit *t);
/* Waits until all that is queued has left, and BYE. FALSE: unlocked meanwhile. */
gboolean gst_tfrc_transmit_drain (GstTfrcTransmit *t);
void gst_tfrc_transmit_set_unlocked (GstTfrcTransmit *t, gboolean unlocked);

void gst_tfrc_transmit_set_settings (GstTfrcTransmit *t, const GstTfrcSettings *settings);
/* socket NULL: stays. The controller starts over, as the path is another. */
void gst_tfrc_transmit_set_peer (GstTfrcTransmit *t, GSocket *socket, const GstTfrcAddress *to);
void gst_tfrc_transmit_get_stats (GstTfrcTransmit *t, GstTfrcStats *stats);
GstStructure *gst_tfrc_stats_to_structure (const GstTfrcStats *stats);

/* gsttfrctransmitrtcp.c, for the thread only */
void gst_tfrc_transmit_note_sent (
    GstTfrcTransmit *t, const GstTfrcHead *head, guint16 seq, gsize size, const CcPacket *packet, CcTime now);
GstTfrcSource *gst_tfrc_transmit_find_source (GstTfrcTransmit *t, guint32 ssrc); /* NULL: none, yet */
GstTfrcSource *gst_tfrc_transmit_add_source (
    GstTfrcTransmit *t, guint32 ssrc, CcTime now); /* the one there is, or new */
/* Says BYE for it and forgets it. */
void gst_tfrc_transmit_drop_source (GstTfrcTransmit *t, guint32 ssrc, CcTime now);
void gst_tfrc_transmit_receive (GstTfrcTransmit *t, CcTime now);
void gst_tfrc_transmit_rtcp_timeout (GstTfrcTransmit *t, CcTime now);
CcTime gst_tfrc_transmit_rtcp_next (const GstTfrcTransmit *t);
void gst_tfrc_transmit_send_bye (GstTfrcTransmit *t, CcTime now);
/* gsttfrcanswer.c, for the thread only: what receivers ask for. ssrc: one of ours. */
void gst_tfrc_answer_init (GstTfrcTransmit *t);
void gst_tfrc_answer_nack (GstTfrcTransmit *t, guint32 ssrc, const guint16 *seqs, guint n, CcTime now);
void gst_tfrc_answer_fir (GstTfrcTransmit *t, guint32 sender, guint32 ssrc, guint8 seq, CcTime now);
void gst_tfrc_answer_tmmbr (GstTfrcTransmit *t, guint32 sender, const RtcpTmmb *entry, CcTime now);
/* RTCP of that SSRC came. */
void gst_tfrc_answer_heard (GstTfrcTransmit *t, guint32 sender, CcTime now);
void gst_tfrc_answer_bye (GstTfrcTransmit *t, guint32 sender, CcTime now);
/* Somebody else speaks with one of our SSRCs; cname: his. */
void gst_tfrc_answer_conflict (GstTfrcTransmit *t, guint32 ssrc, const gchar *cname, CcTime now);
void gst_tfrc_answer_add_tmmbn (GstTfrcTransmit *t, RtcpWriter *rtcp, CcTime now);
void gst_tfrc_answer_timeout (GstTfrcTransmit *t, CcTime now); /* at tmmbr_rises_at */
/* A packet that is sent again leaves. osn: its original's number, as it came and, on return, as that was sent. FALSE:
   nobody could make anything of it. */
gboolean gst_tfrc_answer_resent (GstTfrcTransmit *t, GstTfrcSource *source, guint16 *osn);

/* gsttfrctransmit.c, for the others */
/* Into the sending buffer; takes the packet's buffer. */
void gst_tfrc_transmit_push (GstTfrcTransmit *t, const CcPacket *packet, CcTime now);
void gst_tfrc_transmit_apply_limits (GstTfrcTransmit *t);
void gst_tfrc_transmit_ask_for_key_unit (GstTfrcTransmit *t); /* once t->key lets it be */
gboolean gst_tfrc_transmit_may_log (GstTfrcTransmit *t, CcTime now);

G_END_DECLS
#endif
