/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pad that originals come in by, and the comparison with them. Pictures of that pad go no further. */
#ifndef GST_FRAME_ORIGINALS_H
#define GST_FRAME_ORIGINALS_H

#include "gstframefigures.h"
#include "gstframereferences.h"
#include "gststampplace.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *element;        /* it belongs to */
  const GstStampPlace *place; /* of its stamps, under its object lock */
  GstPad *pad;                /* NULL: not requested; under the object lock */
  gint present;               /* atomic */
  GstFrameReferences waiting;
  /* the thread's that brings them */
  GstVideoInfo info;
  LumaRect rect;
  gboolean warned_stamp;
  /* the thread's that compares */
  gboolean warned_size, warned_room;
} GstFrameOriginals;

void gst_frame_originals_init (GstFrameOriginals *o, GstElement *element, const GstStampPlace *place);
void gst_frame_originals_clear (GstFrameOriginals *o);
/* Up to limit of them wait, until close, which wakes whoever waits for one. */
void gst_frame_originals_open (GstFrameOriginals *o, guint limit);
void gst_frame_originals_close (GstFrameOriginals *o);

/* NULL: there is one. */
GstPad *gst_frame_originals_request_pad (GstFrameOriginals *o, GstPadTemplate *templ);
void gst_frame_originals_release_pad (GstFrameOriginals *o);
gboolean gst_frame_originals_are_there (const GstFrameOriginals *o);

/* Fills in psnr and ssim of a stamped picture, rect left out; may wait for the original. They stay NaN where there is
   none of that size. */
void gst_frame_originals_compare (
    GstFrameOriginals *o, const LumaPlane *picture, const LumaRect *rect, GstFramePicture *p);

G_END_DECLS
#endif
