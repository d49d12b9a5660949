/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The circuit breaker of RFC 8083 (circuitbreaker.h) as tfrcsink and rtptfrcbwe show it: a property, what each report
   block tells, one element message whenever the circuit opens, is tried or closes. */
#ifndef GST_TFRC_CIRCUIT_H
#define GST_TFRC_CIRCUIT_H

#include "ccsender.h"
#include "gstccrtcp.h"

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_TFRC_CIRCUIT_BREAKER (gst_tfrc_circuit_breaker_get_type ())
GType gst_tfrc_circuit_breaker_get_type (void);
GParamSpec *gst_tfrc_circuit_param_spec (void); /* "circuit-breaker", live */

/* What was reported of one SSRC last. */
typedef struct {
  guint32 ext_highest_seq;
  guint64 sent; /* packets, then */
  gboolean known;
} GstTfrcReported;

/* FALSE: nothing has been sent under it since the last report, which can tell no progress. sent: its packets by now;
   packets: that the block is of, 0 without progress. */
gboolean gst_tfrc_circuit_take_block (
    GstTfrcReported *reported, const RtcpReportBlock *block, guint64 sent, guint64 *packets);

/* The message for what has changed since `told`, which follows; NULL: nothing has. */
GstMessage *gst_tfrc_circuit_news (GstElement *element, const CcSender *core, guint64 *told);
/* The fields of statistics: circuit-breaker, circuit-breaker-reason, circuit-breaker-openings. */
void gst_tfrc_circuit_add_stats (GstStructure *stats, CircuitState state, CircuitReason reason, guint64 openings);

G_END_DECLS
#endif
