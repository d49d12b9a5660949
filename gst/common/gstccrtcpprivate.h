/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the two halves of gst_cc_rtcp_walk (). */
#ifndef GST_CC_RTCP_PRIVATE_H
#define GST_CC_RTCP_PRIVATE_H

#include "gstccrtcp.h"

G_BEGIN_DECLS

/* One packet as it lies in memory. Its length is what the header says, and is there; its counts may lie, so that every
   body is measured before it is read. */
typedef struct {
  const guint8 *packet;
  GstRTCPType type;
  guint count; /* report count, source count, subtype or FMT */
  gsize body;  /* bytes behind the first word, padding taken off */
  const GstCcRtcpHandlers *handlers;
  gpointer user;
} GstCcRtcpWalk;

static inline const guint8 *
gst_cc_rtcp_walk_body (const GstCcRtcpWalk *w)
{
  return w->packet + 4;
}

static inline void
gst_cc_rtcp_walk_speaks (const GstCcRtcpWalk *w, guint32 ssrc)
{
  if (w->handlers->speaks != NULL)
    w->handlers->speaks (w->user, ssrc);
}

/* A packet of type RTPFB or PSFB. FALSE: malformed. */
gboolean gst_cc_rtcp_walk_feedback (GstCcRtcpWalk *w);

G_END_DECLS
#endif
