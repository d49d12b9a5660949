/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

static void
append_source_stats (GstRtcpAvpf *self, GstStructure *s)
{
  GValue list = G_VALUE_INIT;
  guint i;

  g_value_init (&list, GST_TYPE_ARRAY);
  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (self->table.sources[i] != NULL) {
      GValue value = G_VALUE_INIT;

      g_value_init (&value, GST_TYPE_STRUCTURE);
      g_value_take_boxed (&value, avpf_source_stats (self->table.sources[i]));
      gst_value_array_append_and_take_value (&list, &value);
    }
  gst_structure_take_value (s, "sources", &list);
}

static void
append_timing_stats (GstRtcpAvpf *self, GstStructure *s)
{
  const AvpfTiming *t = &self->locals.locals[0].timing;

  if (!gst_rtcp_avpf_timing_runs (self))
    return;
  gst_structure_set (s, "tp", G_TYPE_UINT64, (guint64)t->tp, "tn", G_TYPE_UINT64, (guint64)t->tn, "t-rr", G_TYPE_UINT64,
      (guint64)t->T_rr, "members", G_TYPE_UINT, t->members, "senders", G_TYPE_UINT, t->senders, "avg-rtcp-size",
      G_TYPE_DOUBLE, t->avg_rtcp_size, "regular", G_TYPE_UINT64, (guint64)t->regular_sent, "early", G_TYPE_UINT64,
      (guint64)t->early_sent, "suppressed", G_TYPE_UINT64, (guint64)t->suppressed, "deferred", G_TYPE_UINT64,
      (guint64)t->deferred, NULL);
}

static void
append_main_stats (GstRtcpAvpf *self, GstStructure *s)
{
  AvpfSource *source = avpf_source_table_main (&self->table);
  GstStructure *main_stats = source != NULL ? avpf_source_stats (source) : NULL;
  static const gchar *const fields[] = {
      "ssrc", "lost", "duplicates", "rtt", "x-recv", "loss-event-rate", "queue-delay", "path-rate", "capacity", NULL};
  guint i;

  for (i = 0; main_stats != NULL && fields[i] != NULL; i++)
    gst_structure_set_value (s, fields[i], gst_structure_get_value (main_stats, fields[i]));
  g_clear_pointer (&main_stats, gst_structure_free);
}

GstStructure *
gst_rtcp_avpf_take_stats (GstRtcpAvpf *self)
{
  GstStructure *s = gst_structure_new ("application/x-rtcpavpf-stats", "packets", G_TYPE_UINT64, self->packets,
      "bad-packets", G_TYPE_UINT64, self->bad_packets, "unproven", G_TYPE_UINT64, self->unproven, "bad-rtcp",
      G_TYPE_UINT64, self->bad_rtcp, "rtcp-received", G_TYPE_UINT64, self->rtcp_received, "rtcp-sent", G_TYPE_UINT64,
      self->rtcp_sent, "rtcp-bytes-sent", G_TYPE_UINT64, self->rtcp_bytes_sent, "feedback-discarded", G_TYPE_UINT64,
      self->feedback_discarded, "collisions", G_TYPE_UINT64, self->collisions, "evicted", G_TYPE_UINT64,
      self->table.evicted, "refused", G_TYPE_UINT64, self->table.refused, "byes", G_TYPE_UINT64, self->table.byes,
      "timeouts", G_TYPE_UINT64, self->table.timeouts, "receive-bitrate", G_TYPE_UINT64, (guint64)self->receive_bps,
      "rtcp-bandwidth", G_TYPE_UINT64, (guint64)(gst_rtcp_avpf_rtcp_bandwidth (self) * 8), NULL);

  append_timing_stats (self, s);
  append_main_stats (self, s);
  append_source_stats (self, s);
  return s;
}
