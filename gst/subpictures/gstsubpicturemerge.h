/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SUBPICTURE_MERGE_H
#define GST_SUBPICTURE_MERGE_H

#include "subpicturewaiting.h"

G_BEGIN_DECLS

#define GST_TYPE_SUBPICTURE_MERGE (gst_subpicture_merge_get_type ())
G_DECLARE_FINAL_TYPE (GstSubpictureMerge, gst_subpicture_merge, GST, SUBPICTURE_MERGE, GstElement)
GST_ELEMENT_REGISTER_DECLARE (subpicturemerge)

/* A stream of parts. */
typedef struct {
  GstPad *pad; /* NULL: not linked */
  GstSegment segment;
  GstCaps *caps; /* NULL: none have come */
  GstVideoInfo part;
  GstClockTime newest; /* running time; GST_CLOCK_TIME_NONE: nothing has come */
  gboolean ended;
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
  GQueue outbox;  /* events and buffers for whoever pushes */
  gboolean pushing, started, has_segment, ended;
  gboolean differ; /* parts of one picture: told once */
  GstCaps *caps;   /* of the parts that what is put out was made of */
  GstVideoInfo whole, part;
  GstClockTime last; /* running time of the newest picture put out */
  guint64 pictures, incomplete, missing, late;
  GstFlowReturn flow;
};

G_END_DECLS
#endif
