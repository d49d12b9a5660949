/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Originals that wait for the pictures that come of them: stamped copies of luma, as many as allowed. One thread puts,
   another takes. */
#ifndef GST_FRAME_REFERENCES_H
#define GST_FRAME_REFERENCES_H

#include "lumastamp.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  GMutex lock;
  GCond cond;
  GQueue queue; /* the oldest first */
  guint limit;
  gboolean open;  /* FALSE: nobody waits, as none is wanted */
  gboolean ended; /* nobody waits, as none comes any more */
  gboolean any, any_gone;
  LumaStamp newest, gone; /* gone: the newest that had to make room for others */
} GstFrameReferences;

void gst_frame_references_init (GstFrameReferences *r);
void gst_frame_references_clear (GstFrameReferences *r);
/* Empty, and open for up to limit pictures, the oldest going first. */
void gst_frame_references_open (GstFrameReferences *r, guint limit);
void gst_frame_references_close (GstFrameReferences *r);
/* Their stream begins, for the first time or again; it ends. Either may come at any time, and opens or closes nothing.
 */
void gst_frame_references_begin (GstFrameReferences *r);
void gst_frame_references_end (GstFrameReferences *r);

void gst_frame_references_put (GstFrameReferences *r, const LumaStamp *stamp, const LumaPlane *plane);
/* The newest of that number, captured within 1 s of then: a sender that began anew gives a number again. captured 0:
   the number is not read but worked out, and the time says nothing. The plane, to be freed with g_free (), its pixels
   behind it; NULL: it never was, is gone already, or has not come within the timeout. What is 64 pictures older goes.
 */
LumaPlane *gst_frame_references_take (GstFrameReferences *r, guint32 number, guint64 captured, GstClockTime timeout);
/* Of one that was not there: it, or a later one, had to make room, as more than the limit came before the pictures. */
gboolean gst_frame_references_made_room (GstFrameReferences *r, guint32 number, guint64 captured);

G_END_DECLS
#endif
