/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose word of the network counts where several senders send what one encoder codes, as to a viewer each: the least of
   what they say. One whose peer does not answer does not hold up the others; what it says counts when all are so. Who
   has said nothing for 2 s, five of a sender's intervals and more, is gone. */
#ifndef GST_RATE_SENDERS_H
#define GST_RATE_SENDERS_H

#include "cctime.h"

#include <gst/congestion/congestion.h>

G_BEGIN_DECLS

#define RATE_SENDERS_MOST 64 /* beyond them the one that was silent for longest loses its place */

typedef struct {
  guint key; /* 0: one that does not name itself */
  GstRateInfo info;
  CcTime at;
} RateSender;

typedef struct {
  RateSender sender[RATE_SENDERS_MOST];
  guint n;
} RateSenders;

void rate_senders_init (RateSenders *s);
/* A word of one of them; returns the one that counts. */
GstRateInfo rate_senders_on_rate (RateSenders *s, const GstRateInfo *info, CcTime now);
/* Of which is known now. */
guint rate_senders_count (const RateSenders *s, CcTime now);

G_END_DECLS
#endif
