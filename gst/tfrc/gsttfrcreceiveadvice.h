/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver tells of mistakes in how it is used: one warning each, with its cure, once a run
   (docs/troubleshooting.md). While it plays it looks once a second, on the system clock's thread. */
#ifndef GST_TFRC_RECEIVE_ADVICE_H
#define GST_TFRC_RECEIVE_ADVICE_H

#include "gsttfrcrestore.h"
#include "rtppayloadjudge.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GstElement *element, *udpsrc, *rtcpavpf; /* tfrcsrc and its children */
  const GstTfrcRestore *restore;           /* which payload types are retransmissions */

  GMutex lock; /* of all below; never held while a message is posted */
  GstClockID timer;
  gchar *encoding_name; /* of what is said to arrive */
  gint payload;         /* -1: any */
  gboolean watching;    /* a probe looks at payloads */
  RtpPayloadJudge judge;
  gboolean depayloads;      /* a depayloader is behind, which has no use for another encoding */
  guint types[128];         /* packets of each payload type that it has seen */
  guint silent_s;           /* seconds of play without a packet that counts */
  guint64 packets, refused; /* a second ago */
  guint64 turned_away;      /* by the key, until the last packet that counts */
  guint locked_s;           /* seconds since then */
  guint contested_s;        /* seconds in a row in which packets were taken, and others refused */
  gboolean listening;       /* a probe notes who sends */
  gchar *senders[2];
  gboolean told_silence, told_contest, told_payload, told_locked;
} GstTfrcReceiveAdvice;

void gst_tfrc_receive_advice_init (GstTfrcReceiveAdvice *a, GstElement *element, GstElement *udpsrc,
    GstElement *rtcpavpf, const GstTfrcRestore *restore);
void gst_tfrc_receive_advice_finalize (GstTfrcReceiveAdvice *a);
/* A new run. src_pad: the element's, whose peer has to take udpsrc's caps. */
void gst_tfrc_receive_advice_prepare (GstTfrcReceiveAdvice *a, GstPad *src_pad);
void gst_tfrc_receive_advice_play (GstTfrcReceiveAdvice *a);
void gst_tfrc_receive_advice_pause (GstTfrcReceiveAdvice *a);

G_END_DECLS
#endif
