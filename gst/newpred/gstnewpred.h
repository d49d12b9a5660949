/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_NEWPRED_H
#define GST_NEWPRED_H

#include <gst/gst.h>

#include "referencechoice.h"

G_BEGIN_DECLS

#define GST_NEWPRED_STATS_NAME "application/x-newpred-stats"

#define GST_TYPE_NEWPRED (gst_newpred_get_type ())
G_DECLARE_FINAL_TYPE (GstNewpred, gst_newpred, GST, NEWPRED, GstElement)
GST_ELEMENT_REGISTER_DECLARE (newpred)

#define GST_TYPE_NEWPRED_MODE (gst_newpred_mode_get_type ())
GType gst_newpred_mode_get_type (void);

struct _GstNewpred {
  GstElement element;
  GstPad *sinkpad, *srcpad;

  GMutex lock;
  /* under the lock */
  ReferenceMode mode;
  ReferenceChoice choice;
  ReferencePlan plan;       /* of the picture that is being coded */
  guint id_offset, id_bits; /* PictureID of the first picture; 0 bits: the payloader gives none */
  guint64 held, passed;     /* key unit requests answered by references; let through */
  gboolean warned_silent;
  GstElement *encoder; /* steered; NULL: none */
  GstStructure *found; /* what it was set to before */
  GstPad *in, *out;    /* the encoder's pads, with the probes */
  gulong in_probe, out_probe;

  gboolean numbered; /* streaming thread: the payloader has been looked at */
};

G_END_DECLS
#endif
