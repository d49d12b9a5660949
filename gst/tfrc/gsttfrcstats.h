/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The statistics of a sending flow: the sending thread collects them from its parts, others read a copy. */
#ifndef GST_TFRC_STATS_H
#define GST_TFRC_STATS_H

#include "ccsender.h"
#include "gstccsrtp.h"
#include "gsttfrclateness.h"
#include "gsttfrcsteering.h"
#include "rtpmedia.h"

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
  GstTfrcSteeringCounts steering;
  RtpMediaCounts media;
  guint64 rtcp_sent, rtcp_received, bad_reports, bad_rtcp, unknown_source, unknown_ssrc, rate_messages;
  guint64 packet_reports, packet_reports_refused; /* those that steered; what they told and cannot be */
  guint64 key_unit_requests, byes, collisions;
  guint64 resends_unknown;      /* of those that the participant grants */
  guint64 resent, resends_lost; /* packets sent again; whose original is not known any more */
  guint64 fec_sent;             /* packets of redundancy */
  guint64 limits_unproven;
  guint64 tmmbr_bitrate; /* bit/s on the wire; 0: no limit */
  guint64 unprotected;   /* packets */
  GstCcSrtpCounts srtp;
  GstTfrcLateness lateness;
} GstTfrcStats;

GstStructure *gst_tfrc_stats_to_structure (const GstTfrcStats *stats);

G_END_DECLS
#endif
