/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can be read of paqmshaper. */
#ifndef GST_PAQM_STATS_H
#define GST_PAQM_STATS_H

#include "gstpaqmqueues.h"
#include "gstpaqmteller.h"

G_BEGIN_DECLS

GstStructure *gst_paqm_stats_new (const GstPaqmQueues *queues, const GstPaqmTeller *teller); /* full */

G_END_DECLS
#endif
