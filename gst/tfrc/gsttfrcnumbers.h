/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers of all SSRCs of a sending flow (gsttfrcnumbering.h for each), and which of them the packets belong to
   that upstream sends again. */
#ifndef GST_TFRC_NUMBERS_H
#define GST_TFRC_NUMBERS_H

#include "cctime.h"
#include "gsttfrcnumbering.h"

G_BEGIN_DECLS

#define GST_TFRC_NUMBERS_SSRCS 8  /* of more the longest silent one is forgotten */
#define GST_TFRC_NUMBERS_ASKED 64 /* requests whose answers are recognised */

typedef struct {
  guint32 ssrc;
  CcTime used_at;
  GstTfrcNumbering numbering;
  gboolean knows_which; /* packets sent again under it are those of `resends_of` */
  guint32 resends_of;
} GstTfrcNumbered;

/* A packet that was asked for, by the number it came with. */
typedef struct {
  guint32 ssrc;
  guint16 seq;
} GstTfrcAsked;

typedef struct {
  GstTfrcNumbered ssrcs[GST_TFRC_NUMBERS_SSRCS];
  guint n_ssrcs;
  GstTfrcAsked asked[GST_TFRC_NUMBERS_ASKED];
  guint n_asked;   /* modulo GST_TFRC_NUMBERS_ASKED the next place */
  guint64 resent;  /* packets sent again */
  guint64 lost;    /* those whose original is not known any more */
  guint64 unknown; /* packets asked for, likewise */
} GstTfrcNumbers;

void gst_tfrc_numbers_init (GstTfrcNumbers *n);
/* The SSRC, where there has been one alone; else 0. */
guint32 gst_tfrc_numbers_only (const GstTfrcNumbers *n);
/* The packet that came with number seq will not be sent. Also before the first of its SSRC has left: others may wait
   ahead of those that are given up. */
void gst_tfrc_numbers_give_up (GstTfrcNumbers *n, guint32 ssrc, guint16 seq, CcTime now);
/* What to take off the number of the packet that is sent now. */
guint16 gst_tfrc_numbers_offset (GstTfrcNumbers *n, guint32 ssrc, guint16 seq, CcTime now);
/* A receiver asks for the packet it knows as `sent`. FALSE: nobody knows that one any more; else upstream is to be
   asked for seq. */
gboolean gst_tfrc_numbers_ask (GstTfrcNumbers *n, guint32 ssrc, guint16 sent, guint16 *seq);
/* A packet that is sent again under ssrc leaves. osn: its original's number, as it came and, on return, as that was
   sent. FALSE: nobody could make anything of it. */
gboolean gst_tfrc_numbers_resent (GstTfrcNumbers *n, guint32 ssrc, guint16 *osn);

G_END_DECLS
#endif
