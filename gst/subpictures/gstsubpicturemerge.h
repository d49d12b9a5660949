/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SUBPICTURE_MERGE_H
#define GST_SUBPICTURE_MERGE_H

#include "subpictureoutlet.h"
#include "subpicturewaiting.h"

G_BEGIN_DECLS

#define GST_TYPE_SUBPICTURE_MERGE (gst_subpicture_merge_get_type ())
G_DECLARE_FINAL_TYPE (GstSubpictureMerge, gst_subpicture_merge, GST, SUBPICTURE_MERGE, GstElement)
GST_ELEMENT_REGISTER_DECLARE (subpicturemerge)

/* A stream of parts. */
typedef struct {
  GstPad *pad; /* NULL: none, or it is being released */
  GstSegment segment;
  GstCaps *caps; /* NULL: none have come */
  GstVideoInfo part;
  GstClockTime newest; /* running time; GST_CLOCK_TIME_NONE: nothing has come */
  gboolean ended, flushing;
  gboolean silent; /* it was waited for in vain */
  gboolean taken;  /* the number, until its pad has left the element */
} SubpictureStream;

struct _GstSubpictureMerge {
  GstElement element;
  GstPad *srcpad;

  GMutex lock;
  /* under the lock */
  SubpicturesPattern pattern;
  GstClockTime wait;
  SubpictureStream streams[SUBPICTURES_MAX];
  GQueue waiting; /* SubpictureWaiting, the oldest first */
  SubpictureOutlet outlet;
  gboolean ended;
  gboolean live, asked; /* what upstream says; whether it was asked */
  gboolean differ;      /* parts of one picture: told once */
  GstCaps *caps;        /* of the parts that what is put out was made of */
  GstCaps *whole_caps;
  GstVideoInfo whole, part;
  GstClockTime last; /* running time of the newest picture put out */
  guint64 pictures, incomplete, missing, late;
};

/* ---- with the lock: pictures ---- */

/* FALSE: another part of the picture has another size. The buffer is taken. */
gboolean gst_subpicture_merge_take_part (GstSubpictureMerge *self, guint number, GstClockTime time, GstBuffer *buffer);
/* It has come as far as this. */
void gst_subpicture_merge_go_on (SubpictureStream *s, GstClockTime time);
/* A stream has no part of the pictures in it. */
void gst_subpicture_merge_take_gap (GstSubpictureMerge *self, guint number, GstEvent *gap);
/* The stream's part of the picture may still come. */
gboolean gst_subpicture_merge_is_lacked (const SubpictureStream *s, const SubpictureWaiting *w, guint number);
void gst_subpicture_merge_put_out (GstSubpictureMerge *self, SubpictureWaiting *w);
void gst_subpicture_merge_put_out_ready (GstSubpictureMerge *self);

G_END_DECLS
#endif
