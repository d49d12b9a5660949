/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the socket, the participant and the rest of a sending flow: whose a packet is that comes, and what becomes of
   what the participant tells. For the sending thread only. */
#ifndef GST_TFRC_ANSWER_H
#define GST_TFRC_ANSWER_H

#include "gsttfrcmtu.h"
#include "gsttfrcnumbers.h"
#include "gsttfrcratenews.h"
#include "gsttfrcrepair.h"
#include "gsttfrcsession.h"
#include "gsttfrcsettings.h"
#include "gsttfrcsteering.h"
#include "gsttfrcweight.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *element;
  GstPad *pad; /* events leave upstream here */
  const GstTfrcSettings *settings;
  CcSender *sender;
  CcPacketFeedback *packets; /* what left, for reports of every packet */
  GstTfrcRateNews *news;
  void (*push) (gpointer user, const CcPacket *packet, CcTime now); /* into the sending buffer; takes its buffer */
  void (*limit) (gpointer user);                                    /* tmmbr_Bps is another */
  gpointer user;
} GstTfrcAnswerParams;

typedef struct {
  GstTfrcSteeringCounts steering;
  RtpMediaCounts media;
  guint64 rtcp_sent, rtcp_received, bad_rtcp, unknown_source, unknown_ssrc, rate_messages;
  guint64 key_unit_requests, byes, collisions;
  guint64 resends_unknown;      /* of those that the participant grants */
  guint64 resent, resends_lost; /* packets sent again; whose original is not known any more */
  guint64 fec_sent;             /* packets of redundancy */
  guint64 limits_unproven;
  guint64 tmmbr_bitrate; /* bit/s on the wire; 0: no limit */
  guint path_mtu;        /* bytes of a packet as it comes; 0: no limit */
} GstTfrcAnswerCounts;

typedef struct {
  GstTfrcAnswerParams params;
  GstTfrcSession session;
  GstTfrcSteering steering;
  GstTfrcNumbers numbers;
  GstTfrcRepair repair;
  GstTfrcMtu mtu;
  GstTfrcWeight weight;
  CcTime heard_at;      /* of the packet at hand */
  double tmmbr_Bps;     /* INFINITY: nobody limits */
  gboolean limit_stale; /* it may have changed */
  gboolean skipping;    /* key units are wanted because of frames left out here, not by a receiver */
  guint key_unit_count;
  CcTime logged_at;
  RtpAddress elsewhere;       /* RTCP came from there by the receiver's port; unknown: none did */
  GstTfrcAnswerCounts counts; /* those that no part keeps */
} GstTfrcAnswer;

void gst_tfrc_answer_begin (
    GstTfrcAnswer *a, const GstTfrcAnswerParams *params, GstCcSrtp *srtp, const GstTfrcAddress *to, CcTime now);
void gst_tfrc_answer_clear (GstTfrcAnswer *a);
void gst_tfrc_answer_set_peer (GstTfrcAnswer *a, const GstTfrcAddress *to, CcTime now);

void gst_tfrc_answer_receive (GstTfrcAnswer *a, int fd, CcTime now); /* what waits at the socket */
/* A router has a say on the size of packets: of IP, in bytes; 0: none has. */
void gst_tfrc_answer_on_icmp (GstTfrcAnswer *a, guint ip_bytes, CcTime now);
/* What is due. FALSE: what waits to be sent would not arrive. */
gboolean gst_tfrc_answer_run (GstTfrcAnswer *a, int fd, CcTime now);
/* A packet leaves; seq: the number it leaves with. */
void gst_tfrc_answer_on_sent (
    GstTfrcAnswer *a, const CcPacket *packet, const GstTfrcHead *head, guint16 seq, CcTime now);
/* The sending buffer has dropped what may be a reference, or sending goes on after a pause. */
void gst_tfrc_answer_want_key_unit (GstTfrcAnswer *a, CcTime now);
void gst_tfrc_answer_count (const GstTfrcAnswer *a, GstTfrcAnswerCounts *counts);

G_END_DECLS
#endif
