/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose word of the network counts where several senders send the same, to a viewer each: the least of what they say.
   One whose peer does not answer does not hold up the others; what it says counts when all are so. Who has said nothing
   for 2 s, five of a sender's intervals and more, is gone. */
#ifndef GST_RATE_SENDERS_H
#define GST_RATE_SENDERS_H

#include "cctime.h"

#include <gst/congestion/congestion.h>

G_BEGIN_DECLS

#define GST_RATE_SENDERS_MOST 64 /* beyond them the one that was silent for longest loses its place */

typedef struct {
  guint key; /* 0: one that does not name itself */
  guint32 ssrc;
  GstRateInfo info;
  CcTime at;
} GstRateSender;

typedef struct {
  GstRateSender sender[GST_RATE_SENDERS_MOST];
  guint n;
} GstRateSenders;

void gst_rate_senders_init (GstRateSenders *s);
/* A word of one of them, of that stream (0 where there is one); returns the one of that stream that counts. */
GstRateInfo gst_rate_senders_on_rate (GstRateSenders *s, const GstRateInfo *info, guint32 ssrc, CcTime now);
/* Of which is known now. */
guint gst_rate_senders_count (const GstRateSenders *s, CcTime now);

G_END_DECLS
#endif
