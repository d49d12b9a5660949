/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ECN bits that packets arrived with (RFC 3168 5), from the socket to whoever counts them. udpsrc of GStreamer 1.22
   leaves control messages it does not know to GIO, and GIO to the classes that are registered for them. */
#ifndef GST_CC_ECN_H
#define GST_CC_ECN_H

#include <gio/gio.h>
#include <gst/gst.h>

#include "arrivalhistory.h"

G_BEGIN_DECLS

/* From now on the kernel tells the traffic class of what socket receives. */
void gst_cc_ecn_watch_socket (GSocket *socket);

/* Buffers that leave pad carry the bits they arrived with, where these are not 0, as a GstNetControlMessageMeta. pad:
   of an udpsrc with socket-timestamp=realtime, the only case in which it takes control messages; that makes a buffer of
   each datagram before it reads the next. */
void gst_cc_ecn_mark_buffers (GstPad *pad);

/* By such a meta, whoever put it there; none: ARRIVAL_NOT_ECT. */
ArrivalEcn gst_cc_ecn_of (GstBuffer *buffer);

G_END_DECLS
#endif
