/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics of a sending flow: the sending thread collects them from its parts, others read a copy. */
#ifndef GST_TFRC_STATS_H
#define GST_TFRC_STATS_H

#include "ccsender.h"
#include "gstccsrtp.h"
#include "gsttfrcanswer.h"
#include "gsttfrclateness.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct {
  CcSenderStatus status;
  CcMode mode;
  guint estimated_bitrate; /* bit/s, wire */
  guint64 packets_sent, bytes_sent, frames_sent, frames_dropped, packets_dropped;
  guint64 malformed, overflowed; /* packets */
  guint64 circuit_openings;
  guint64 unstamped, too_large, refused, unreachable, send_errors;
  GstTfrcAnswerCounts answered;
  guint64 bad_reports;
  guint64 packet_reports, packet_reports_refused; /* those that steered; what they told and cannot be */
  guint64 unprotected;                            /* packets */
  GstCcSrtpCounts srtp;
  GstTfrcLateness lateness;
} GstTfrcStats;

GstStructure *gst_tfrc_stats_to_structure (const GstTfrcStats *stats);

G_END_DECLS
#endif
