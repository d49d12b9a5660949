/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One flow on one socket, driven by one thread: the streaming thread leaves packets in a queue, this thread carries
   them into the core (ccsender.h), sends what the core releases, and hands reports to it. It waits in ppoll () for the
   socket, the queue or the core's next deadline, whichever comes first.

   Two parties: the mailbox is where others leave what the thread is to take; everything else belongs to the thread
   while it runs. No lock is held while an event is pushed or a message posted. */
#ifndef GST_TFRC_TRANSMIT_H
#define GST_TFRC_TRANSMIT_H

#include "ccsender.h"
#include "gsttfrcanswer.h"
#include "gsttfrcbatch.h"
#include "gsttfrcmailbox.h"
#include "gsttfrcratenews.h"
#include "gsttfrcsendadvice.h"
#include "gsttfrcsenderrors.h"

G_BEGIN_DECLS

#define GST_TFRC_RING_SIZE 16384 /* packets in the sending buffer: 150 ms at 100 000 packets/s */

typedef struct GstTfrcTransmit {
  GstElement *element;
  GstPad *pad; /* rate and key unit events leave upstream here */

  GstTfrcMailbox mailbox;

  /* the thread's, but for srtp */
  GstCcSrtp *srtp; /* the element's, set while no thread runs; NULL: packets are not protected */
  GThread *thread;
  GSocket *socket;
  int fd;
  GstTfrcSettings settings;
  GstTfrcAddress to;

  CcSender core;
  CcPacketFeedback *packets; /* what left, for reports of every packet */
  CcPacket *ring;
  GstTfrcMail mail;
  GstTfrcBatch *batch;
  gint traffic_class; /* of the socket */
  gboolean blocked;   /* the socket's buffer is full */
  gboolean mid_frame; /* the last packets taken did not end their frame */
  GstTfrcStats stats;
  GstTfrcRateNews news;
  CcTime drain_until, stats_at;
  guint64 circuit_told; /* gst_tfrc_circuit_news () */
  GstTfrcSendErrors errors;
  GstTfrcSendAdvice advice;
  GstTfrcAnswer answer;
} GstTfrcTransmit;

CcTime gst_tfrc_transmit_now (void); /* the clock of captured_at and of the thread */
void gst_tfrc_transmit_init (GstTfrcTransmit *t, GstElement *element, GstPad *pad);
void gst_tfrc_transmit_finalize (GstTfrcTransmit *t);

/* FALSE with error set where no thread or descriptor is to be had. */
gboolean gst_tfrc_transmit_start (
    GstTfrcTransmit *t, GSocket *socket, const GstTfrcAddress *to, const GstTfrcSettings *settings, GError **error);
void gst_tfrc_transmit_stop (GstTfrcTransmit *t); /* says BYE, joins the thread; nothing is queued any more */

G_END_DECLS
#endif
