/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the weight of a call is (callweight.h), told to its receiver, which runs the law: at once where it changes, and
   again every now and then while it is not 1, as the receiver believes it for a while only. For the sending thread. */
#ifndef GST_TFRC_WEIGHT_H
#define GST_TFRC_WEIGHT_H

#include "gsttfrcsession.h"

G_BEGIN_DECLS

typedef struct {
  double told;
  CcTime told_at;
} GstTfrcWeight;

void gst_tfrc_weight_init (GstTfrcWeight *w); /* to a receiver that has been told nothing */
void gst_tfrc_weight_run (GstTfrcWeight *w, GstTfrcSession *session, double weight, CcTime now);

G_END_DECLS
#endif
