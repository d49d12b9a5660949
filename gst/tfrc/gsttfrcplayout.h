/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long tfrcsrc's jitter buffer waits for a missing packet: as long as asking again can help, within limits. */
#ifndef GST_TFRC_PLAYOUT_H
#define GST_TFRC_PLAYOUT_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  gboolean by_rtx, by_fec; /* neither: no repair */
  guint latency_ms;        /* 0: there is no jitter buffer */
  gboolean latency_set;    /* by the user, who wants no more of it */
  gint repair_latency_ms;  /* how far it may grow; -1: not where it was set, else a default */
} GstTfrcPlayout;

/* Once, before anything flows: the jitter buffer follows rtcpavpf from there on. */
void gst_tfrc_playout_attach (GstElement *rtcpavpf, GstElement *jitterbuffer);
/* Not while packets flow. */
void gst_tfrc_playout_configure (const GstTfrcPlayout *playout, GstElement *rtcpavpf, GstElement *jitterbuffer);
/* How far it may grow, ms. */
guint gst_tfrc_playout_longest (const GstTfrcPlayout *playout);

G_END_DECLS
#endif
