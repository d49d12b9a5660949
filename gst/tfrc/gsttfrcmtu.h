/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a path takes at most (pathmtu.h, or ICMP), told to the payloaders upstream by their `mtu` and taken back when it
   ends. For the sending thread only. */
#ifndef GST_TFRC_MTU_H
#define GST_TFRC_MTU_H

#include "pathmtu.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TFRC_MTU_STREAMS 4 /* SSRCs; of more, those that come last are looked at */

typedef struct {
  PathMtu streams[GST_TFRC_MTU_STREAMS];
  guint n_streams;     /* so far */
  GstElement *element; /* that logs */
  GstPad *pad;         /* upstream of which payloaders are */
  guint told;          /* bytes of an RTP packet at most; 0: no limit */
  guint added;         /* bytes of the last packet besides those that came, IP's header included */
} GstTfrcMtu;

void gst_tfrc_mtu_init (GstTfrcMtu *m, GstElement *element, GstPad *pad);
/* The path is another, or nothing is sent any more. */
void gst_tfrc_mtu_restart (GstTfrcMtu *m);
/* A packet leaves: so many bytes came from upstream, so many more are on the wire. */
void gst_tfrc_mtu_on_sent (GstTfrcMtu *m, guint32 ssrc, guint16 seq, guint bytes, guint added);
/* A receiver reports (path_mtu_on_report ()). */
void gst_tfrc_mtu_on_report (GstTfrcMtu *m, guint32 ssrc, guint32 highest, gint32 lost, CcTime now);
/* path_mtu_take_loss () of one of the streams. */
gboolean gst_tfrc_mtu_take_loss (GstTfrcMtu *m, CcTime now, PathMtuLoss *loss);
/* A router says how large an IP packet may be (path_mtu_on_told ()). */
void gst_tfrc_mtu_on_icmp (GstTfrcMtu *m, guint ip_bytes, CcTime now);
/* Tells where there is something to tell. TRUE: smaller packets are wanted. Nothing is locked. */
gboolean gst_tfrc_mtu_run (GstTfrcMtu *m, CcTime now);

/* The path takes RTP packets of so many bytes; 0: as many as there are. */
void gst_tfrc_mtu_limit_upstream (GstPad *sink, guint bytes);
/* The mtu of each payloader from which packets come to that pad is `bytes` from now on, or what it was before where
   that is less; 0: what it was before. One that somebody has set meanwhile stays. */
void gst_tfrc_mtu_set_upstream (GstPad *sink, guint bytes);

G_END_DECLS
#endif
