/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What sets the rate, as users of tfrcsink and rtptfrcbwe set it. */
#ifndef GST_TFRC_MODE_H
#define GST_TFRC_MODE_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_TFRC_SINK_MODE (gst_tfrc_sink_mode_get_type ())
GType gst_tfrc_sink_mode_get_type (void); /* of CcMode */
GParamSpec *gst_tfrc_mode_param_spec (GParamFlags flags);

G_END_DECLS
#endif
