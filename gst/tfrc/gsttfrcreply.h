/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which address of this machine RTCP leaves from. A machine may have several, and its routes choose one for what
   leaves; who sent to another believes nothing that does not come from there. So answers leave from the address at
   which packets of whom they are for have arrived (RFC 4961 4), as the kernel tells it: IP(V6)_RECVORIGDSTADDR, which
   udpsrc, unlike IP_PKTINFO, does not take for itself. */
#ifndef GST_TFRC_REPLY_H
#define GST_TFRC_REPLY_H

#include <gst/gst.h>
#include <netinet/in.h>

#include "gsttfrcsocket.h"

G_BEGIN_DECLS

#define GST_TFRC_REPLY_STAYS (500 * G_TIME_SPAN_MILLISECOND) /* for so long it is answered from where it was heard */
#define GST_TFRC_REPLY_PEERS 8 /* who are answered at a time: as many as two ends have members (rtp_peer_members) */

/* family AF_UNSPEC: not known. */
typedef union {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
} GstTfrcLocal;

typedef struct {
  RtpAddress peer;
  GstTfrcLocal at;
  gint64 heard_at; /* us, there; monotonic */
} GstTfrcReplyPath;

typedef struct {
  GstTfrcReplyPath paths[GST_TFRC_REPLY_PEERS];
  guint next; /* place to be taken */
} GstTfrcReplyPaths;

typedef struct {
  GMutex lock;
  GSocket *socket; /* NULL: it is bound to one address, which all that leaves has, or there is none */
  GstTfrcReplyPaths answered, others; /* whoever sends pushes out none who is answered */
} GstTfrcReply;

/* in: of an udpsrc with socket-timestamp=realtime, as gstccecn.h has it; out: the sink pad of what sends RTCP, each
   buffer with the address it is for. What the reply cannot send goes on to that, as without it. */
void gst_tfrc_reply_attach (GstTfrcReply *reply, GstPad *in, GstPad *out);
/* A bound one, for both. NULL: none any more. */
void gst_tfrc_reply_use (GstTfrcReply *reply, GSocket *socket);
void gst_tfrc_reply_clear (GstTfrcReply *reply);

G_END_DECLS
#endif
