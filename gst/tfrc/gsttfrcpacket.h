/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The head of an RTP packet (RFC 3550 5.1, 5.3.1): read it, and write it anew with the rtt-sendts, transport-wide
   number and explicit rate extensions in it. */
#ifndef GST_TFRC_PACKET_H
#define GST_TFRC_PACKET_H

#include <gst/gst.h>

#include "rtpextension.h"

G_BEGIN_DECLS

#define GST_TFRC_HEAD_MAX 256 /* bytes of the largest head that gets stamped; longer ones leave as they are */

typedef struct {
  guint32 ssrc, timestamp;
  guint16 seq;
  guint8 payload_type;
  gboolean marker, has_extension;
  guint16 profile;
  gsize fixed_size; /* header and CSRCs */
  gsize block_size; /* extension block behind its four-byte head */
  gsize head_size;  /* all in front of the payload */
} GstTfrcHead;

/* data: the first `available` bytes of a packet of `size` bytes. FALSE where it is no RTP packet, or where its head
   reaches beyond `available`. */
gboolean gst_tfrc_head_parse (const guint8 *data, gsize available, gsize size, GstTfrcHead *head);
/* Of any packet, also one whose head is longer than GST_TFRC_HEAD_MAX. FALSE: it is no RTP packet. */
gboolean gst_tfrc_head_of (GstBuffer *buffer, GstTfrcHead *head);

/* What goes into the extension. */
typedef struct {
  guint id; /* of the stamp; 0: none */
  RtpRttSendts stamp;
  guint twcc_id; /* of the transport-wide number; 0: none */
  guint16 twcc_number;
  guint rate_id; /* of the explicit rate, unset; 0: none */
} GstTfrcElements;

/* Bytes the packet grows by with these elements. */
gsize gst_tfrc_head_growth (const GstTfrcHead *head, const guint8 *data, const GstTfrcElements *elements);

/* Writes the head with the elements into out. Returns its size, 0 where there is nothing to write or no room. */
gsize gst_tfrc_head_write (
    const GstTfrcHead *head, const guint8 *data, const GstTfrcElements *elements, guint8 out[GST_TFRC_HEAD_MAX]);

/* Writes the head as it is into out. Returns its size, 0 where it is too long. */
gsize gst_tfrc_head_copy (const GstTfrcHead *head, const guint8 *data, guint8 out[GST_TFRC_HEAD_MAX]);

/* Lowers the sequence number of a head in out. */
void gst_tfrc_head_renumber (guint8 out[GST_TFRC_HEAD_MAX], guint16 by);

/* Whose packet a buffer is, and its number. FALSE: too short to have any. */
gboolean gst_tfrc_packet_number (GstBuffer *buffer, guint32 *ssrc, guint16 *seq);

#define GST_TFRC_OSN_SIZE 2 /* RFC 4588 4 */

/* In a packet that is sent again, the number of the original. FALSE: there is none. */
gboolean gst_tfrc_packet_osn (GstBuffer *buffer, guint16 *osn);

G_END_DECLS
#endif
