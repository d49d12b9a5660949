/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstpaqmstats.h"

#include <math.h>

static guint64
bits (gdouble bytes)
{
  return isfinite (bytes) ? (guint64)(bytes * 8) : 0;
}

static void
append_class (GstStructure *s, const GstPaqmDelay *delay, const PaqmStats *p, PaqmClass cls)
{
  GstStructure *c = gst_structure_new ("application/x-paqmshaper-class", "capacity", G_TYPE_UINT64,
      bits (p->c_Bps[cls]), "rate", G_TYPE_UINT64, bits (p->rate_Bps[cls]), "survival", G_TYPE_DOUBLE, p->survival[cls],
      "flows", G_TYPE_DOUBLE, p->flows[cls], "backlog", G_TYPE_UINT64, (guint64)p->backlog_bytes[cls], "delay",
      G_TYPE_UINT64, (guint64)cc_duration (delay->mean), "delay-mean", G_TYPE_UINT64,
      (guint64)cc_duration (delay->packets > 0 ? delay->sum / delay->packets : 0), "delay-max", G_TYPE_UINT64,
      (guint64)delay->most, "arrived", G_TYPE_UINT64, (guint64)p->arrived[cls], "arrived-bytes", G_TYPE_UINT64,
      (guint64)p->arrived_bytes[cls], "sent", G_TYPE_UINT64, delay->packets, "marked", G_TYPE_UINT64,
      (guint64)p->marked[cls], "dropped", G_TYPE_UINT64, (guint64)p->dropped[cls], "tail-dropped", G_TYPE_UINT64,
      (guint64)p->tail_dropped[cls], NULL);

  gst_structure_set (s, cls == PAQM_MEDIA ? "media" : "elastic", GST_TYPE_STRUCTURE, c, NULL);
  gst_structure_free (c);
}

GstStructure *
gst_paqm_stats_new (const GstPaqmQueues *queues, const GstPaqmTeller *teller)
{
  gdouble R_Bps = gst_paqm_queues_told_rate (queues);
  PaqmFeedback feedback;
  GstStructure *s;
  PaqmStats p;

  paqm_get_stats (queues->paqm, &p);
  paqm_get_feedback (queues->paqm, &feedback);
  s = gst_structure_new ("application/x-paqmshaper-stats", "capacity", G_TYPE_UINT64, bits (p.capacity_Bps), "lent",
      G_TYPE_UINT64, bits (p.lent_Bps), "hop", G_TYPE_UINT, (guint)teller->hop, "ssrc", G_TYPE_UINT,
      (guint)teller->ssrc, "explicit-rate", G_TYPE_UINT64, bits (R_Bps), "ecf-ratio", G_TYPE_DOUBLE,
      feedback.valid && feedback.ecf.decrease ? feedback.ecf.ratio : 1.0, "ecf-increase", G_TYPE_UINT64,
      feedback.valid && !feedback.ecf.decrease ? bits (feedback.ecf.increase_Bps) : 0, "periods", G_TYPE_UINT64,
      (guint64)feedback.period, "measured-rate", G_TYPE_UINT64, bits (p.r_hat_Bps), "tau1", G_TYPE_UINT64,
      (guint64)p.tau1, "struck", G_TYPE_UINT, p.struck, "strike-dropped", G_TYPE_UINT64, (guint64)p.strike_dropped,
      "ignored-rtts", G_TYPE_UINT64, (guint64)p.ignored_rtts, "tagged", G_TYPE_UINT64, teller->tagged, "sources",
      G_TYPE_UINT, paqm_sources_n (teller->sources), "sources-refused", G_TYPE_UINT64,
      paqm_sources_refused (teller->sources), "rtcp-sent", G_TYPE_UINT64, teller->sent, NULL);
  append_class (s, &queues->delay[PAQM_MEDIA], &p, PAQM_MEDIA);
  append_class (s, &queues->delay[PAQM_ELASTIC], &p, PAQM_ELASTIC);
  return s;
}
