/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the two halves of gst_cc_rtcp_walk (). */
#ifndef GST_CC_RTCP_PRIVATE_H
#define GST_CC_RTCP_PRIVATE_H

#include "gstccrtcp.h"

G_BEGIN_DECLS

/* The packet as it lies in memory: GstRTCPBuffer's accessors trust the counts of the header, so every body is measured
   here first. */
typedef struct {
  GstRTCPPacket packet;
  gsize body; /* bytes behind the first word, padding taken off */
  const GstCcRtcpHandlers *handlers;
  gpointer user;
} GstCcRtcpWalk;

/* The packet's first byte behind the first word. */
static inline const guint8 *
gst_cc_rtcp_walk_body (const GstCcRtcpWalk *w)
{
  return w->packet.rtcp->map.data + w->packet.offset + 4;
}

static inline void
gst_cc_rtcp_walk_speaks (const GstCcRtcpWalk *w, guint32 ssrc)
{
  if (w->handlers->speaks != NULL)
    w->handlers->speaks (w->user, ssrc);
}

/* A packet of type RTPFB or PSFB. FALSE: malformed. */
gboolean gst_cc_rtcp_walk_feedback (GstCcRtcpWalk *w, GstRTCPType type);

G_END_DECLS
#endif
