/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that leave together: heads written anew, payloads where they lie, one system call. */
#ifndef GST_TFRC_BATCH_H
#define GST_TFRC_BATCH_H

#include <sys/socket.h>
#include <sys/uio.h>

#include "gsttfrcpacket.h"
#include "gsttfrcsocket.h"
#include "gsttfrcsrtp.h"

G_BEGIN_DECLS

#define GST_TFRC_BATCH_SIZE 32
#define GST_TFRC_BATCH_PIECES 8 /* memories of a buffer sent without merging them */

/* What is written anew. */
typedef struct {
  GstTfrcElements elements;
  guint16 renumber; /* taken off the sequence number */
  gboolean resent;  /* osn goes into the payload's first two bytes */
  guint16 osn;
  gint tos; /* traffic class, of IPv4 or IPv6; negative: the socket's */
} GstTfrcRewrite;

typedef struct {
  GstBuffer *buffer;
  GstMapInfo maps[GST_TFRC_BATCH_PIECES];
  guint n_maps;
  gboolean merged; /* maps[0] is the whole buffer */
  guint8 head[GST_TFRC_HEAD_MAX + GST_TFRC_OSN_SIZE];
  struct iovec pieces[GST_TFRC_BATCH_PIECES + 1];
  union {
    struct cmsghdr header;
    guint8 bytes[CMSG_SPACE (sizeof (int))];
  } control; /* the traffic class for the kernel */
} GstTfrcSlot;

typedef struct {
  GstTfrcSlot slots[GST_TFRC_BATCH_SIZE];
  struct mmsghdr messages[GST_TFRC_BATCH_SIZE];
  GstCcSrtp *srtp;           /* NULL: packets leave as they are */
  guint8 *protected_packets; /* with srtp, one place a slot */
  GstTfrcAddress to;
  guint count, sent;
  guint64 unstamped, unprotected, too_large, refused, unreachable, errors;
  int last_errno;
} GstTfrcBatch;

void gst_tfrc_batch_init (GstTfrcBatch *batch);
void gst_tfrc_batch_free (GstTfrcBatch *batch); /* from g_new, and empty */
/* Packets are protected from now on; it stays the caller's. NULL: no. */
void gst_tfrc_batch_set_srtp (GstTfrcBatch *batch, GstCcSrtp *srtp);

/* Takes buffer. Returns FALSE where it is no RTP packet or cannot be protected: it is dropped then. The batch must not
 * be full. */
gboolean gst_tfrc_batch_add (GstTfrcBatch *batch, GstBuffer *buffer, const GstTfrcRewrite *rewrite, GstTfrcHead *head);

/* Sends all. FALSE: the socket's buffer is full, go on when it is writable. What the network refuses is counted and
   left out. */
gboolean gst_tfrc_batch_flush (GstTfrcBatch *batch, int fd);

void gst_tfrc_batch_clear (GstTfrcBatch *batch);

static inline gboolean
gst_tfrc_batch_is_full (const GstTfrcBatch *batch)
{
  return batch->count == GST_TFRC_BATCH_SIZE;
}

G_END_DECLS
#endif
