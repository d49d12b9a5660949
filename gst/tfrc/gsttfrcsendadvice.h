/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sender tells of mistakes in how it is used: one warning each, with its cure, once a run
   (docs/troubleshooting.md). The sending thread's; nothing is locked while a warning is posted. */
#ifndef GST_TFRC_SEND_ADVICE_H
#define GST_TFRC_SEND_ADVICE_H

#include "cctime.h"
#include "rtpaddress.h"

#include <gst/gst.h>

G_BEGIN_DECLS

/* What has been counted so far. */
typedef struct {
  guint64 packets_sent, frames_sent, frames_dropped, rtcp_received;
  guint32 ssrc;            /* 0: not one */
  guint64 explained;       /* refusals: the port is closed, or what comes is not made with the key. They are told */
  RtpAddress elsewhere;    /* RTCP came from there by the receiver's port, and none from the receiver; else unknown */
  gboolean needs_feedback; /* the rate follows reports */
} GstTfrcSendCounts;

typedef struct {
  CcTime looked_at, sending_since; /* and since nothing explains the silence */
  guint64 explained;
  GstTfrcSendCounts before; /* of looked_at */
  gboolean told_no_feedback, told_skipped;
} GstTfrcSendAdvice;

typedef enum {
  GST_TFRC_SEND_ADVICE_NONE,
  GST_TFRC_SEND_ADVICE_NO_FEEDBACK,
  GST_TFRC_SEND_ADVICE_SKIPPED /* and somebody has to look whether the encoder is governed */
} GstTfrcSendMistake;

void gst_tfrc_send_advice_init (GstTfrcSendAdvice *a, CcTime now);
/* What is to be told now, without telling it. skipped, of: frames. */
GstTfrcSendMistake gst_tfrc_send_advice_look (
    GstTfrcSendAdvice *a, const GstTfrcSendCounts *counts, CcTime now, guint *skipped, guint *of);
/* As often as one likes. pad: element's sink pad, which is asked for a reader of the rate event upstream. */
void gst_tfrc_send_advice_give (
    GstTfrcSendAdvice *a, GstElement *element, GstPad *pad, const GstTfrcSendCounts *counts, CcTime now);

G_END_DECLS
#endif
