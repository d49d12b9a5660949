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
  GstFlowCombiner *flow; /* streaming thread */
  GstVideoInfo whole, part;

  /* under the object lock */
  SubpicturesPattern pattern;
  GstPad *parts[SUBPICTURES_MAX];
};

G_END_DECLS
#endif
