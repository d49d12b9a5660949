/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gsttfrcstats.h"

#include "gsttfrccircuit.h"
#include "gsttfrcsrtp.h"

static const gchar *
mode_name (CcMode mode)
{
  return mode == CC_MODE_RFC5348 ? "rfc5348" : mode == CC_MODE_BURST_CONTROL ? "burst-control" : "low-delay";
}

static void
set_counters (GstStructure *structure, const GstTfrcStats *s)
{
  gst_structure_set (structure, "packets-sent", G_TYPE_UINT64, s->packets_sent, "bytes-sent", G_TYPE_UINT64,
      s->bytes_sent, "frames-sent", G_TYPE_UINT64, s->frames_sent, "frames-dropped", G_TYPE_UINT64, s->frames_dropped,
      "packets-dropped", G_TYPE_UINT64, s->packets_dropped, "packets-malformed", G_TYPE_UINT64, s->malformed,
      "packets-overflowed", G_TYPE_UINT64, s->overflowed, "packets-unstamped", G_TYPE_UINT64, s->unstamped,
      "packets-too-large", G_TYPE_UINT64, s->too_large, "connection-refused", G_TYPE_UINT64, s->refused, "unreachable",
      G_TYPE_UINT64, s->unreachable, "send-errors", G_TYPE_UINT64, s->send_errors, "packets-unprotected", G_TYPE_UINT64,
      s->unprotected, NULL);
}

static void
set_rtcp (GstStructure *structure, const GstTfrcStats *s)
{
  gst_structure_set (structure, "rtcp-sent", G_TYPE_UINT64, s->answered.rtcp_sent, "rtcp-received", G_TYPE_UINT64,
      s->answered.rtcp_received, "rate-messages", G_TYPE_UINT64, s->answered.rate_messages, "reports", G_TYPE_UINT64,
      s->answered.steering.reports, "path-reports", G_TYPE_UINT64, s->answered.steering.path_reports, "explicit-rates",
      G_TYPE_UINT64, s->answered.steering.explicit_rates, "packet-reports", G_TYPE_UINT64, s->packet_reports,
      "packet-reports-refused", G_TYPE_UINT64, s->packet_reports_refused, "remb", G_TYPE_UINT64,
      s->answered.steering.remb, "bad-reports", G_TYPE_UINT64, s->bad_reports, "bad-rtcp", G_TYPE_UINT64,
      s->answered.bad_rtcp, "unknown-source", G_TYPE_UINT64, s->answered.unknown_source, "unknown-ssrc", G_TYPE_UINT64,
      s->answered.unknown_ssrc, "pli", G_TYPE_UINT64, s->answered.media.pli, "fir", G_TYPE_UINT64,
      s->answered.media.fir, "key-unit-requests", G_TYPE_UINT64, s->answered.key_unit_requests, "fir-repeated",
      G_TYPE_UINT64, s->answered.media.fir_repeated, "collisions", G_TYPE_UINT64, s->answered.collisions, "nack",
      G_TYPE_UINT64, s->answered.media.nack, "resends-granted", G_TYPE_UINT64,
      s->answered.media.granted - s->answered.resends_unknown, "resends-refused", G_TYPE_UINT64,
      s->answered.media.refused + s->answered.resends_unknown, "resent", G_TYPE_UINT64, s->answered.resent, "fec-sent",
      G_TYPE_UINT64, s->answered.fec_sent, "resends-lost", G_TYPE_UINT64, s->answered.resends_lost, "tmmbr",
      G_TYPE_UINT64, s->answered.media.tmmbr + s->answered.steering.tmmbr, "tmmbn", G_TYPE_UINT64,
      s->answered.media.tmmbn, "limits-unproven", G_TYPE_UINT64, s->answered.limits_unproven, "tmmbr-bitrate",
      G_TYPE_UINT64, s->answered.tmmbr_bitrate, "path-mtu", G_TYPE_UINT, s->answered.path_mtu, "byes", G_TYPE_UINT64,
      s->answered.byes, "rr-rtt", G_TYPE_UINT64, s->answered.steering.rr_rtt, "rr-jitter", G_TYPE_UINT64,
      s->answered.steering.rr_jitter, "rr-fraction-lost", G_TYPE_DOUBLE, s->answered.steering.rr_fraction_lost,
      "rr-packets-lost", G_TYPE_INT, s->answered.steering.rr_packets_lost, NULL);
}

GstStructure *
gst_tfrc_stats_to_structure (const GstTfrcStats *s)
{
  const CcSenderStatus *status = &s->status;
  GstStructure *structure = gst_structure_new ("application/x-tfrcsink-stats", "mode", G_TYPE_STRING,
      mode_name (s->mode), "limit", G_TYPE_STRING, cc_limit_name (status->limit), "owner", G_TYPE_STRING,
      rate_owner_name (status->owner), "ecn", G_TYPE_STRING, ecn_probe_state_name (status->ecn), "wire-bitrate",
      G_TYPE_UINT64, (guint64)(status->rate_Bps * 8), "bitrate", G_TYPE_UINT64, (guint64)(status->media_Bps * 8),
      "explicit-rate", G_TYPE_UINT64, (guint64)(status->explicit_Bps * 8), "explicit-hop", G_TYPE_UINT,
      s->answered.steering.explicit_hop, "sent-bitrate", G_TYPE_UINT64, (guint64)(status->sent_Bps * 8), "rtt",
      G_TYPE_UINT64, (guint64)status->rtt, "loss-event-rate", G_TYPE_DOUBLE, status->p, "queue-delay", G_TYPE_UINT64,
      (guint64)status->queue_delay, "backlog", G_TYPE_UINT, status->backlog_bytes, "backlog-delay", G_TYPE_UINT64,
      (guint64)status->backlog_delay, "frame-budget", G_TYPE_UINT, status->frame_budget_bytes, "pacing-error-p50",
      G_TYPE_UINT64, gst_tfrc_lateness_quantile (&s->lateness, 0.5), "pacing-error-p99", G_TYPE_UINT64,
      gst_tfrc_lateness_quantile (&s->lateness, 0.99), "pacing-error-max", G_TYPE_UINT64, s->lateness.max, NULL);

  gst_tfrc_circuit_add_stats (structure, status->circuit, status->circuit_reason, s->circuit_openings);
  set_counters (structure, s);
  set_rtcp (structure, s);
  gst_tfrc_srtp_add_stats (structure, &s->srtp);
  return structure;
}
