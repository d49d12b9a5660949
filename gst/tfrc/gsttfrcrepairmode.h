/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How packets that were lost come after all, as users of tfrcsink and tfrcsrc set it. */
#ifndef GST_TFRC_REPAIR_MODE_H
#define GST_TFRC_REPAIR_MODE_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum { GST_TFRC_REPAIR_AUTO, GST_TFRC_REPAIR_NONE, GST_TFRC_REPAIR_RTX, GST_TFRC_REPAIR_FEC } GstTfrcRepairMode;

#define GST_TYPE_TFRC_REPAIR (gst_tfrc_repair_get_type ())
GType gst_tfrc_repair_get_type (void);
GParamSpec *gst_tfrc_repair_param_spec (const gchar *blurb, GParamFlags flags);
/* by: RTX or FEC. */
gboolean gst_tfrc_repair_allows (GstTfrcRepairMode mode, GstTfrcRepairMode by);

G_END_DECLS
#endif
