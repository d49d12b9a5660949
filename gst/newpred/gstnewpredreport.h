/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_NEWPRED_REPORT_H
#define GST_NEWPRED_REPORT_H

#include <gst/gst.h>

#include "picturereport.h"

G_BEGIN_DECLS

#define GST_TYPE_NEWPRED_REPORT (gst_newpred_report_get_type ())
G_DECLARE_FINAL_TYPE (GstNewpredReport, gst_newpred_report, GST, NEWPRED_REPORT, GstElement)
GST_ELEMENT_REGISTER_DECLARE (newpredreport)

struct _GstNewpredReport {
  GstElement element;
  GstPad *sinkpad, *srcpad;

  /* streaming thread */
  PictureReport report;
  guint32 ssrc;
  gboolean has_ssrc, warned;
  guint64 arrived, lost; /* under the object lock, for `stats` */
};

G_END_DECLS
#endif
