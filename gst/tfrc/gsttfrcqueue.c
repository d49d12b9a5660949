/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcpacket.h"
#include "gsttfrcqueue.h"

static void
note_given_up (GstTfrcQueue *q, GstBuffer *buffer)
{
  GstTfrcGivenUp *last = q->n_given_up > 0 ? &q->given_up[q->n_given_up - 1] : NULL;
  guint32 ssrc;
  guint16 seq;

  if (!gst_tfrc_packet_number (buffer, &ssrc, &seq))
    return;
  if (last != NULL && last->ssrc == ssrc && (guint16)(last->from + last->count) == seq) {
    last->count++;
  } else if (last != NULL && last->ssrc == ssrc && (guint16)(seq + 1) == last->from) {
    last->from--;
    last->count++;
  } else if (q->n_given_up < GST_TFRC_MAX_GIVEN_UP) {
    q->given_up[q->n_given_up++] = (GstTfrcGivenUp){ssrc, seq, 1};
  }
}

static void
drop_queued (GstTfrcQueue *q, const CcPacket *packet)
{
  note_given_up (q, packet->handle);
  gst_buffer_unref (packet->handle);
}

/* The packets of this frame that are queued already go with the one that found no room. */
static void
drop_frame (GstTfrcQueue *q, guint32 frame)
{
  while (q->n > 0 && q->packets[q->n - 1].frame == frame) {
    drop_queued (q, &q->packets[--q->n]);
    q->overflowed++;
  }
  q->dropping = TRUE;
  q->dropping_frame = frame;
}

static void
queue_resent (GstTfrcQueue *q, const CcPacket *packet)
{
  if (q->n < GST_TFRC_QUEUE_SIZE) {
    q->packets[q->n++] = *packet;
    return;
  }
  drop_queued (q, packet);
  q->overflowed++;
}

void
gst_tfrc_queue_push (GstTfrcQueue *q, const CcPacket *packet)
{
  if (packet->resent) {
    queue_resent (q, packet);
    return;
  }
  if (q->n == GST_TFRC_QUEUE_SIZE && !(q->dropping && q->dropping_frame == packet->frame))
    drop_frame (q, packet->frame);
  if (q->dropping && q->dropping_frame == packet->frame) {
    drop_queued (q, packet);
    q->overflowed++;
    return;
  }
  q->dropping = FALSE;
  q->packets[q->n++] = *packet;
}

void
gst_tfrc_queue_clear (GstTfrcQueue *q)
{
  while (q->n > 0)
    drop_queued (q, &q->packets[--q->n]);
  q->dropping = FALSE;
}
