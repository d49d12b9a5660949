/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SUBPICTURE_SPLIT_H
#define GST_SUBPICTURE_SPLIT_H

#include <gst/base/gstflowcombiner.h>

#include "subpictureplanes.h"

G_BEGIN_DECLS

#define GST_TYPE_SUBPICTURE_SPLIT (gst_subpicture_split_get_type ())
G_DECLARE_FINAL_TYPE (GstSubpictureSplit, gst_subpicture_split, GST, SUBPICTURE_SPLIT, GstElement)
GST_ELEMENT_REGISTER_DECLARE (subpicturesplit)

struct _GstSubpictureSplit {
  GstElement element;
  GstPad *sinkpad;
  SubpicturesPattern pattern;
  GstVideoInfo whole, part; /* streaming thread */

  GMutex lock; /* never held while something is pushed */
  GstPad *parts[SUBPICTURES_MAX];
  gboolean taken[SUBPICTURES_MAX]; /* the number, until the pad has left the element */
  GstFlowCombiner *flow;
};

G_END_DECLS
#endif
