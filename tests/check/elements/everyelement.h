/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All elements there are, for what holds of each: one is to be made with what it needs to start. */
#ifndef EVERY_ELEMENT_H
#define EVERY_ELEMENT_H

#include <gst/check/gstcheck.h>

static const gchar *const every_element[] = {"framemeasure", "framestamp", "newpred", "newpredreport", "paqmshaper",
    "ratecontrol", "ratescale", "rtcpavpf", "rtcpinject", "rtpjpegstripdepay", "rtpjpegstrippay", "rtptfrcbwe",
    "subpicturemerge", "subpicturesplit", "tfrcsink", "tfrcsrc"};

static inline GstElement *
every_element_make (guint i)
{
  GstElement *element = gst_element_factory_make (every_element[i], NULL);

  fail_unless (element != NULL, "no %s", every_element[i]);
  gst_object_ref_sink (element);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "encoding-name") != NULL)
    g_object_set (element, "encoding-name", "H264", NULL);
  return element;
}

#endif
