/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tfrcsink's packets say of marks: the property `ecn`, and how it stands with it in the statistics. Whether the
   path and the receiver are good for it is found out by the core (ecnprobe.h). */
#ifndef GST_TFRC_ECN_H
#define GST_TFRC_ECN_H

#include "ecnprobe.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum { GST_TFRC_ECN_NONE, GST_TFRC_ECN_CLASSIC, GST_TFRC_ECN_L4S } GstTfrcEcn;

#define GST_TYPE_TFRC_ECN (gst_tfrc_ecn_get_type ())
GType gst_tfrc_ecn_get_type (void);

GParamSpec *gst_tfrc_ecn_param_spec (GParamFlags flags);
ArrivalEcn gst_tfrc_ecn_wanted (GstTfrcEcn ecn);
/* As IP_TOS has it: `traffic_class` with these bits; -1, the socket's own, where there are none. */
gint gst_tfrc_ecn_class (gint traffic_class, ArrivalEcn ecn);

G_END_DECLS
#endif
