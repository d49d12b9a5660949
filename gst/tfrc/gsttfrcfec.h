/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Redundancy as the receiver asks for it by REPR (docs/wire-formats.md): sums over the packets that have left lately,
   in the stream that packets sent again leave in, behind the frame they protect and ahead of the next one. They are
   made as packets leave, over the numbers they leave with, and taken off the encoder's rate before they do: one rate
   holds for all. For the sending thread only. */
#ifndef GST_TFRC_FEC_H
#define GST_TFRC_FEC_H

#include <gst/gst.h>

#include "fecdose.h"
#include "fecencoder.h"
#include "gsttfrcpacket.h"
#include "rtcprepair.h"
#include "sendbuffer.h"

G_BEGIN_DECLS

typedef struct GstTfrcRepair GstTfrcRepair;

typedef struct {
  FecEncoder *encoder; /* NULL: none was asked for */
  FecDose dose;
  guint8 payload_type;
  CcTime asked_at;
} GstTfrcFec;

void gst_tfrc_fec_clear (GstTfrcFec *fec);
/* The receiver that the stream is agreed on with asks for so much, from now on, for some seconds. */
void gst_tfrc_fec_on_request (GstTfrcFec *fec, const RtcpRepair *request, CcTime now);
/* A packet of the stream that is repaired leaves as number seq. */
void gst_tfrc_fec_on_sent (GstTfrcRepair *r, const CcPacket *packet, const GstTfrcHead *head, guint16 seq, CcTime now);

G_END_DECLS
#endif
