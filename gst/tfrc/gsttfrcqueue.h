/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets between the streaming thread, which never waits, and the sending thread. Where there is no room whole frames
   go, and their numbers are noted: to receivers they are as if never counted. */
#ifndef GST_TFRC_QUEUE_H
#define GST_TFRC_QUEUE_H

#include "sendbuffer.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TFRC_QUEUE_SIZE 4096 /* packets */
#define GST_TFRC_MAX_GIVEN_UP 64 /* stretches of packets dropped between two wake-ups */

/* Packets in sequence that found no room. */
typedef struct {
  guint32 ssrc;
  guint16 from, count;
} GstTfrcGivenUp;

typedef struct {
  CcPacket *packets; /* GST_TFRC_QUEUE_SIZE of them, the caller's, their handles buffers; NULL: closed */
  guint n;
  gboolean dropping; /* the rest of a frame that did not fit */
  guint32 dropping_frame;
  GstTfrcGivenUp given_up[GST_TFRC_MAX_GIVEN_UP];
  guint n_given_up;
  guint64 overflowed;
} GstTfrcQueue;

void gst_tfrc_queue_push (GstTfrcQueue *q, const CcPacket *packet); /* takes the buffer */
void gst_tfrc_queue_clear (GstTfrcQueue *q);                        /* drops what waits */

G_END_DECLS
#endif
