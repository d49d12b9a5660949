/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost packets that come after all, agreed on in band (docs/wire-formats.md): a receiver offers a stream of its own for
   them by REPR; once that stream has shown itself in our RTCP, the packets its NACKs name leave in it once more, as RFC
   4588 has it, and sums over packets, as many as it asks for (gsttfrcfec.h). They pass the sending buffer as all
   others: one rate holds for all. For the sending thread only. */
#ifndef GST_TFRC_REPAIR_H
#define GST_TFRC_REPAIR_H

#include <gst/gst.h>

#include "gsttfrcfec.h"
#include "gsttfrcpacket.h"
#include "gsttfrcsession.h"
#include "gsttfrcsettings.h"
#include "rtcprepair.h"
#include "rtpevents.h"

G_BEGIN_DECLS

#define GST_TFRC_REPAIR_KEPT 1024  /* packets: half a second, RESEND_LIMIT_MAX_RTT, of 20 Mb/s */
#define GST_TFRC_REPAIR_BYTES 1500 /* of the largest one kept */

/* A packet that has left, as it came: encoders may want their buffers back. */
typedef struct {
  guint32 ssrc;
  guint16 seq, size; /* the number it was sent with; 0 bytes: none */
  CcTime again_at;   /* sent again last; CC_TIME_NONE: never */
  guint8 data[GST_TFRC_REPAIR_BYTES];
} GstTfrcKept;

/* One of each kind may come in one packet. */
typedef struct {
  gboolean made; /* and not settled */
  guint32 by, media;
  RtcpRepair repair;
} GstTfrcOffer;

typedef struct {
  GstElement *element; /* that logs */
  GstTfrcSession *session;
  CcSender *sender; /* of whose rate redundancy is a share, and which takes it off the encoder's */
  const GstTfrcSettings *settings;
  void (*push) (gpointer user, const CcPacket *packet, CcTime now); /* into the sending buffer; takes its buffer */
  gpointer user;
} GstTfrcRepairParams;

typedef struct GstTfrcRepair {
  GstTfrcRepairParams params;
  gboolean agreed;
  guint32 receiver, media, ssrc; /* who asks, for whose packets, and in which stream they come */
  gboolean by_rtx;               /* packets are sent again */
  guint8 payload_type;           /* of those */
  guint16 next;                  /* its sequence number */
  CcTime heard_at;               /* the offer */
  GstTfrcKept *kept;             /* GST_TFRC_REPAIR_KEPT, by number; NULL: nobody asks */
  guint32 ssrc_sent;             /* of the last packet of media, and its payload type */
  guint8 type_sent;
  guint64 unknown;      /* packets asked for that are not kept */
  guint64 resent, sums; /* packets sent again; of redundancy */
  GstTfrcFec fec;
  gboolean left; /* to be settled */
  GstTfrcOffer offers[2];
} GstTfrcRepair;

void gst_tfrc_repair_init (GstTfrcRepair *r, const GstTfrcRepairParams *params);
void gst_tfrc_repair_clear (GstTfrcRepair *r);
/* The path is another, or nothing is to be sent again any more. */
void gst_tfrc_repair_end (GstTfrcRepair *r, CcTime now);
/* Feedback of a receiver, whatever it is; a participant has left. What follows from it is done by settle,
   once the participant is not at work. */
void gst_tfrc_repair_note_feedback (GstTfrcRepair *r, const RtpFeedbackMessage *message);
void gst_tfrc_repair_note_bye (GstTfrcRepair *r, guint32 ssrc);
void gst_tfrc_repair_settle (GstTfrcRepair *r, CcTime now);
/* A packet leaves; seq: the number it leaves with. */
void gst_tfrc_repair_on_sent (
    GstTfrcRepair *r, const CcPacket *packet, const GstTfrcHead *head, guint16 seq, CcTime now);
/* A packet is to be sent again. TRUE: whoever asks has agreed, and is answered here. */
gboolean gst_tfrc_repair_answer (GstTfrcRepair *r, const RtpEvent *resend, CcTime now);
gboolean gst_tfrc_repair_is (const GstTfrcRepair *r, guint32 ssrc);

G_END_DECLS
#endif
