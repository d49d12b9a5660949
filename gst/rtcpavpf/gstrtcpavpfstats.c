/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfmedia.h"
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
      g_value_take_boxed (&value, avpf_source_stats (self->table.sources[i], gst_rtcp_avpf_now (self)));
      gst_value_array_append_and_take_value (&list, &value);
    }
  gst_structure_take_value (s, "sources", &list);
}

static const gchar *
mode_name (const AvpfTiming *t, gdouble requests_per_s, GstClockTime max_delay)
{
  if (!t->params.avpf)
    return "regular";
  switch (avpf_timing_mode (t, requests_per_s, GST_SECOND, max_delay)) {
  case AVPF_MODE_IMMEDIATE:
    return "immediate";
  case AVPF_MODE_EARLY:
    return "early";
  default:
    return "regular";
  }
}

/* What feedback that is wanted now waits for. */
static const gchar *
waits_for (const AvpfTiming *t, GstClockTime now)
{
  if (!avpf_timing_may_report (t))
    return "bandwidth";
  if (t->te != CC_TIME_NONE && t->te > now)
    return "dithering";
  if (!t->feedback_stored)
    return "nothing";
  if (!t->params.avpf)
    return "profile";
  return t->allow_early ? "regular-packet-near" : "early-packet-before";
}

static GstStructure *
timing_stats (const AvpfLocal *local, gdouble requests_per_s, GstClockTime max_delay, GstClockTime now)
{
  const AvpfTiming *t = &local->timing;

  return gst_structure_new ("application/x-rtcpavpf-timing", "ssrc", G_TYPE_UINT, local->ssrc, "tp", G_TYPE_UINT64,
      (guint64)t->tp, "tn", G_TYPE_UINT64, (guint64)t->tn, "te", G_TYPE_UINT64, (guint64)t->te, "t-rr", G_TYPE_UINT64,
      (guint64)t->T_rr, "t-dither-max", G_TYPE_UINT64, (guint64)avpf_timing_dither_max (t), "interval", G_TYPE_UINT64,
      (guint64)avpf_timing_interval (t), "members", G_TYPE_UINT, t->members, "senders", G_TYPE_UINT, t->senders,
      "we-sent", G_TYPE_BOOLEAN, (gboolean)t->we_sent, "allow-early", G_TYPE_BOOLEAN, (gboolean)t->allow_early,
      "avg-rtcp-size", G_TYPE_DOUBLE, t->avg_rtcp_size, "regular", G_TYPE_UINT64, (guint64)t->regular_sent, "early",
      G_TYPE_UINT64, (guint64)t->early_sent, "suppressed", G_TYPE_UINT64, (guint64)t->suppressed, "deferred",
      G_TYPE_UINT64, (guint64)t->deferred, "stored", G_TYPE_UINT64, (guint64)t->stored, "feedback-discarded",
      G_TYPE_UINT64, (guint64)t->discarded, "feedback-cancelled", G_TYPE_UINT64, (guint64)t->cancelled, "mode",
      G_TYPE_STRING, mode_name (t, requests_per_s, max_delay), "waits-for", G_TYPE_STRING, waits_for (t, now), NULL);
}

static void
set_fields_but_ssrc (GstStructure *s, const GstStructure *timing)
{
  gint i;

  for (i = 0; i < gst_structure_n_fields (timing); i++) {
    const gchar *field = gst_structure_nth_field_name (timing, i);

    if (!g_str_equal (field, "ssrc"))
      gst_structure_set_value (s, field, gst_structure_get_value (timing, field));
  }
}

/* Of the first SSRC of ours here, of all of them in `timings`. */
static void
append_timing_stats (GstRtcpAvpf *self, GstStructure *s)
{
  GstClockTime now = gst_rtcp_avpf_now (self);
  GValue list = G_VALUE_INIT;
  guint i;

  if (!gst_rtcp_avpf_timing_runs (self))
    return;
  g_value_init (&list, GST_TYPE_ARRAY);
  for (i = 0; i < self->locals.n; i++) {
    GValue value = G_VALUE_INIT;
    GstStructure *timing =
        timing_stats (&self->locals.locals[i], self->requests_per_s, self->settings.max_feedback_delay, now);

    if (i == 0)
      set_fields_but_ssrc (s, timing);
    g_value_init (&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&value, timing);
    gst_value_array_append_and_take_value (&list, &value);
  }
  gst_structure_take_value (s, "timings", &list);
}

static void
append_member_stats (GstRtcpAvpf *self, GstStructure *s)
{
  const RtpMembers *m = &self->members;

  gst_structure_set (s, "byes", G_TYPE_UINT64, m->byes, "timeouts", G_TYPE_UINT64, m->timeouts, "candidates-evicted",
      G_TYPE_UINT64, m->evicted, "third-party-conflicts", G_TYPE_UINT64, m->conflicts, "looped", G_TYPE_UINT64,
      self->looped, "collisions", G_TYPE_UINT64, self->conflict.collisions, "sampled-bits", G_TYPE_UINT,
      rtp_members_sampled_bits (m), "members-in-table", G_TYPE_UINT, (guint)rtp_members_in_table (m), "member-bytes",
      G_TYPE_UINT64, (guint64)rtp_members_memory (m->capacity), "evicted", G_TYPE_UINT64, self->table.evicted,
      "refused", G_TYPE_UINT64, self->table.refused, "strangers", G_TYPE_UINT64, self->peer.strangers, "peer-moves",
      G_TYPE_UINT64, self->peer.moves, "answers-withheld", G_TYPE_UINT64, self->answers.withheld, NULL);
}

static void
append_feedback_stats (GstRtcpAvpf *self, GstStructure *s)
{
  gst_structure_set (s, "others-feedback", G_TYPE_UINT64, self->retention.received, "others-suppressed-ours",
      G_TYPE_UINT64, self->retention.suppressed, "queued-expired", G_TYPE_UINT64, self->queue.expired, "queued-refused",
      G_TYPE_UINT64, self->queue.refused, NULL);
}

static void
append_main_stats (GstRtcpAvpf *self, GstStructure *s)
{
  AvpfSource *source = avpf_source_table_main (&self->table);
  GstStructure *main_stats = source != NULL ? avpf_source_stats (source, gst_rtcp_avpf_now (self)) : NULL;
  static const gchar *const fields[] = {"ssrc", "lost", "duplicates", "rtt", "x-recv", "loss-event-rate", "queue-delay",
      "path-rate", "capacity", "explicit-rate", "explicit-hop", NULL};
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
      self->rtcp_sent, "rtcp-bytes-sent", G_TYPE_UINT64, self->rtcp_bytes_sent, "receive-bitrate", G_TYPE_UINT64,
      (guint64)self->receive_bps, "rtcp-bandwidth", G_TYPE_UINT64, (guint64)(gst_rtcp_avpf_rtcp_bandwidth (self) * 8),
      NULL);

  append_timing_stats (self, s);
  append_member_stats (self, s);
  append_feedback_stats (self, s);
  append_main_stats (self, s);
  append_source_stats (self, s);
  gst_rtcp_avpf_repair_append_stats (self, s);
  gst_rtcp_avpf_media_append_stats (self, s, gst_rtcp_avpf_now (self));
  return s;
}
