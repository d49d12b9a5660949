/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rtcpinject: feedback of an element beside rtpsession (a shaper's REMB, a receiver's reports) in the RTCP that
   rtpsession sends. The streaming thread puts a message into the table and asks the session for RTCP; the session's
   thread takes what is there along. The lock covers the table and the counts, and is not held while the session is
   called. */
#ifndef GST_RTCP_INJECT_H
#define GST_RTCP_INJECT_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_RTCP_INJECT (gst_rtcp_inject_get_type ())
G_DECLARE_FINAL_TYPE (GstRtcpInject, gst_rtcp_inject, GST, RTCP_INJECT, GstElement)
GST_ELEMENT_REGISTER_DECLARE (rtcpinject)

#define GST_RTCP_INJECT_MOST 32   /* messages that wait */
#define GST_RTCP_INJECT_BYTES 512 /* of one, at most */
#define GST_RTCP_INJECT_KEY 16    /* bytes of a message that tell what it is about, the sender's left out */

typedef struct {
  gsize size;
  GstClockTime at;
  guint8 data[GST_RTCP_INJECT_BYTES]; /* one RTCP packet */
} GstRtcpInjectMessage;

struct _GstRtcpInject {
  GstElement parent;
  GstPad *sinkpad;

  GMutex lock;
  gchar *bin; /* name of an rtpbin or webrtcbin; NULL: session was given */
  guint session_id;
  guint64 max_delay;
  GObject *session;                    /* RTPSession */
  gboolean found;                      /* by us, not given */
  GstClockTime looked_at, lacks_since; /* for one; NONE: not yet; there is one. The streaming thread's, as the next */
  gboolean told;                       /* that there is none */
  gulong handler;
  GstRtcpInjectMessage waiting[GST_RTCP_INJECT_MOST];
  guint n_waiting;
  guint64 taken, sent, dropped;
};

G_END_DECLS
#endif
