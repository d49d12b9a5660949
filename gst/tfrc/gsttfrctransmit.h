/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One flow on one socket, driven by one thread: the streaming thread leaves packets in a queue, this thread carries
   them into the core (ccsender.h), sends what the core releases, and hands reports to it. It waits in ppoll () for the
   socket, the queue or the core's next deadline, whichever comes first.

   Two parties, one lock: everything in `shared` is read and written under `lock`, taken once per wake-up; everything
   else belongs to the thread while it runs. No lock is held while an event is pushed or a message posted. */
#ifndef GST_TFRC_TRANSMIT_H
#define GST_TFRC_TRANSMIT_H

#include "ccsender.h"
#include "gstrateevent.h"
#include "gsttfrcbatch.h"
#include "gsttfrccircuit.h"
#include "gsttfrcnumbers.h"
#include "gsttfrcqueue.h"
#include "gsttfrcratesources.h"
#include "gsttfrcrepair.h"
#include "gsttfrcsendadvice.h"
#include "gsttfrcsession.h"
#include "gsttfrcsocket.h"
#include "gsttfrcsteering.h"

G_BEGIN_DECLS

#define GST_TFRC_RING_SIZE 16384  /* packets in the sending buffer: 150 ms at 100 000 packets/s */
#define GST_TFRC_LATENESS_BINS 96 /* quarter octaves from 1 us */
#define GST_TFRC_CNAME_SIZE (RTP_MAX_CNAME + 1)

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

typedef struct {
  CcSenderStatus status;
  CcMode mode;
  guint estimated_bitrate; /* bit/s, wire */
  guint64 packets_sent, bytes_sent, frames_sent, frames_dropped, packets_dropped;
  guint64 malformed, overflowed; /* packets */
  guint64 circuit_openings;
  guint64 unstamped, too_large, refused, unreachable, send_errors;
  GstTfrcSteeringCounts steering;
  RtpMediaCounts media;
  guint64 rtcp_sent, rtcp_received, bad_reports, bad_rtcp, unknown_source, unknown_ssrc, rate_messages;
  guint64 packet_reports, packet_reports_refused; /* those that steered; what they told and cannot be */
  guint64 key_unit_requests, byes, collisions;
  guint64 resends_unknown;      /* of those that the participant grants */
  guint64 resent, resends_lost; /* packets sent again; whose original is not known any more */
  guint64 limits_unproven;
  guint64 tmmbr_bitrate; /* bit/s on the wire; 0: no limit */
  guint64 unprotected;   /* packets */
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
  guint key_unit_count;
  gboolean skipping; /* key units are wanted because of frames left out here, not by a receiver */
  guint warned; /* bits of what the application was told already */
  GstTfrcSendAdvice advice;
  CcTime logged_at;

  GstTfrcSession session;
  GstTfrcSteering steering;
  GstTfrcNumbers numbers;
  GstTfrcRepair repair;
  CcTime heard_at;      /* of the packet at hand */
  double tmmbr_Bps;     /* INFINITY: nobody limits */
  gboolean limit_stale; /* it may have changed */
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

/* gsttfrctransmit.c, for the others */
/* Into the sending buffer; takes the packet's buffer. */
void gst_tfrc_transmit_push (GstTfrcTransmit *t, const CcPacket *packet, CcTime now);
void gst_tfrc_transmit_apply_limits (GstTfrcTransmit *t);
gboolean gst_tfrc_transmit_may_log (GstTfrcTransmit *t, CcTime now);

/* gsttfrcanswer.c: between the socket, the participant and the rest of the flow. */
void gst_tfrc_answer_begin (GstTfrcTransmit *t, CcTime now);
void gst_tfrc_answer_receive (GstTfrcTransmit *t, CcTime now); /* what waits at the socket */
void gst_tfrc_answer_run (GstTfrcTransmit *t, CcTime now);     /* what is due */
/* The sending buffer has dropped what may be a reference, or sending goes on after a pause. */
void gst_tfrc_answer_want_key_unit (GstTfrcTransmit *t, CcTime now);

G_END_DECLS
#endif
