/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sequence numbers of the packets that leave: what was given up before sending must leave no gap, or the receiver would
   take it for loss in the network and the rate would fall for it. Packets may be given up ahead of others that still
   wait, so each gap counts only for packets behind it. Gaps that were there before stay. */
#ifndef GST_TFRC_NUMBERING_H
#define GST_TFRC_NUMBERING_H

#include <glib.h>

G_BEGIN_DECLS

#define GST_TFRC_NUMBERING_GAPS 16
#define GST_TFRC_NUMBERING_STEPS 64    /* changes of `skipped` remembered */
#define GST_TFRC_NUMBERING_REACH 16384 /* packets back */

typedef struct {
  guint16 skipped; /* to be taken off the numbers of packets sent now */
  guint n_gaps;    /* given up ahead of packets that still wait, in rising order */
  struct {
    guint16 from, count;
  } gaps[GST_TFRC_NUMBERING_GAPS];
  guint n_steps; /* oldest first; the last one holds for what is sent now */
  struct {
    guint16 from; /* the first number it was sent with */
    guint16 skipped;
  } steps[GST_TFRC_NUMBERING_STEPS];
  guint16 newest; /* number sent */
} GstTfrcNumbering;

/* The packet that came with number seq will not be sent. */
void gst_tfrc_numbering_give_up (GstTfrcNumbering *n, guint16 seq);

/* What to take off the number of the packet that is sent now. */
guint16 gst_tfrc_numbering_offset (GstTfrcNumbering *n, guint16 seq);

/* The number a packet came with that was sent with number `sent`. FALSE: sent never, or too long ago. */
gboolean gst_tfrc_numbering_original (const GstTfrcNumbering *n, guint16 sent, guint16 *seq);
/* And the other way round; FALSE also where it was given up. */
gboolean gst_tfrc_numbering_sent (const GstTfrcNumbering *n, guint16 seq, guint16 *sent);

G_END_DECLS
#endif
