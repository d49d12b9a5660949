/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtprtxreceive between rtcpavpf and a jitter buffer. It learns from the jitter buffer's requests whose packets come
   again (RFC 4588 5.3), so they are given the flow's SSRC, which the jitter buffer does not know; and they end there:
   rtcpavpf sees every gap by itself, earlier, and knows when an answer would come too late. */
#ifndef GST_TFRC_RESTORE_H
#define GST_TFRC_RESTORE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  gboolean is_rtx[128]; /* by payload type */
  gint known, ssrc;     /* atomic; of the latest packet that was no retransmission */
} GstTfrcRestore;

/* Before the element gets its first packet; `restore` lives as long as it. */
void gst_tfrc_restore_attach (GstTfrcRestore *restore, GstElement *rtxreceive);
/* Not while packets flow. map: payload types to those of their retransmissions; NULL: none. */
void gst_tfrc_restore_set_map (GstTfrcRestore *restore, const GstStructure *map);

G_END_DECLS
#endif
