/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost packets sent again, agreed on in band (docs/wire-formats.md): a receiver offers a stream of its own for them by
   REPR; once that stream has shown itself in our RTCP, the packets its NACKs name leave in it once more, as RFC 4588
   has it. They pass the sending buffer as all others: one rate holds for both. For the sending thread only. */
#ifndef GST_TFRC_REPAIR_H
#define GST_TFRC_REPAIR_H

#include <gst/gst.h>

#include "cctime.h"
#include "gsttfrcpacket.h"
#include "rtcprepair.h"
#include "rtpevents.h"

G_BEGIN_DECLS

typedef struct GstTfrcTransmit GstTfrcTransmit;

typedef enum { GST_TFRC_REPAIR_AUTO, GST_TFRC_REPAIR_NONE, GST_TFRC_REPAIR_RTX } GstTfrcRepairMode;

#define GST_TYPE_TFRC_REPAIR (gst_tfrc_repair_get_type ())
GType gst_tfrc_repair_get_type (void);
GParamSpec *gst_tfrc_repair_param_spec (const gchar *blurb, GParamFlags flags);

#define GST_TFRC_REPAIR_KEPT 1024  /* packets: half a second, RESEND_LIMIT_MAX_RTT, of 20 Mb/s */
#define GST_TFRC_REPAIR_BYTES 1500 /* of the largest one kept */

/* A packet that has left, as it came: encoders may want their buffers back. */
typedef struct {
  guint32 ssrc;
  guint16 seq, size; /* the number it was sent with; 0 bytes: none */
  guint8 data[GST_TFRC_REPAIR_BYTES];
} GstTfrcKept;

typedef struct {
  gboolean agreed;
  guint32 receiver, media, ssrc; /* who asks, for whose packets, and in which stream they come */
  guint8 payload_type;           /* of that stream */
  guint16 next;                  /* its sequence number */
  CcTime heard_at;               /* the offer */
  GstTfrcKept *kept;             /* GST_TFRC_REPAIR_KEPT, by number; NULL: nobody asks */
  guint32 ssrc_sent;             /* of the last packet of media, and its payload type */
  guint8 type_sent;
  guint64 unknown;        /* packets asked for that are not kept */
  gboolean offered, left; /* to be settled */
  guint32 offered_by, offered_for;
  RtcpRepair offer;
} GstTfrcRepair;

void gst_tfrc_repair_init (GstTfrcRepair *repair);
void gst_tfrc_repair_clear (GstTfrcRepair *repair);
/* The path is another, or nothing is to be sent again any more. */
void gst_tfrc_repair_end (GstTfrcTransmit *t, CcTime now);
/* Feedback of a receiver, whatever it is; a participant has left. What follows from it is done by settle,
   once the participant is not at work. */
void gst_tfrc_repair_note_feedback (GstTfrcRepair *r, const RtpFeedbackMessage *message);
void gst_tfrc_repair_note_bye (GstTfrcRepair *r, guint32 ssrc);
void gst_tfrc_repair_settle (GstTfrcTransmit *t, CcTime now);
/* A packet leaves; seq: the number it leaves with. */
void gst_tfrc_repair_on_sent (GstTfrcTransmit *t, GstBuffer *buffer, const GstTfrcHead *head, guint16 seq);
/* A packet is to be sent again. TRUE: whoever asks has agreed, and is answered here. */
gboolean gst_tfrc_repair_answer (GstTfrcTransmit *t, const RtpEvent *resend, CcTime now);
gboolean gst_tfrc_repair_is (const GstTfrcTransmit *t, guint32 ssrc);

G_END_DECLS
#endif
