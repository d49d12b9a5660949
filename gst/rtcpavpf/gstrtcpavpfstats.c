/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfprivate.h"

static void
append_nack_stats (const RtpSource *s, GstStructure *structure)
{
  if (s->nack != NULL)
    gst_structure_set (structure, "nack-requested", G_TYPE_UINT64, s->nack->requested, "nack-recovered", G_TYPE_UINT64,
        s->nack->recovered, "nack-suppressed", G_TYPE_UINT64, s->nack->suppressed, "nack-given-up", G_TYPE_UINT64,
        s->nack->given_up + s->nack->hopeless, NULL);
}

static GstStructure *
source_stats (const RtpSource *s, GstClockTime now)
{
  gdouble rate_Bps = explicit_rate_current (&s->explicit_rate, now);
  PathReport path = {0};
  GstStructure *structure;

  path_rate_report (&s->cc.path, &path);
  structure = gst_structure_new ("application/x-rtcpavpf-source-stats", "ssrc", G_TYPE_UINT, s->ssrc, "valid",
      G_TYPE_BOOLEAN, rtp_source_present (s), "packets", G_TYPE_UINT64, s->packets, "bytes", G_TYPE_UINT64, s->bytes,
      "stamped", G_TYPE_UINT64, s->stamped, "lost", G_TYPE_UINT64, rtp_reception_missing (&s->reception), "duplicates",
      G_TYPE_UINT64, s->reception.duplicates, "restarts", G_TYPE_UINT64, s->reception.restarts, "jitter", G_TYPE_UINT,
      (guint)s->reception.jitter, "rtt", G_TYPE_UINT64, (guint64)s->key.rtt, "x-recv", G_TYPE_DOUBLE, s->cc.tfrc.X_recv,
      "loss-event-rate", G_TYPE_DOUBLE, s->cc.tfrc.p, "queue-delay", G_TYPE_UINT64, (guint64)path.queue_delay,
      "path-rate", G_TYPE_UINT64, (guint64)(path.rate_Bps * 8), "owner", G_TYPE_STRING, rate_owner_name (path.owner),
      "capacity", G_TYPE_UINT64, (guint64)(path.capacity_Bps * 8), "explicit-rate", G_TYPE_UINT64,
      (guint64)(rate_Bps * 8), "explicit-hop", G_TYPE_UINT,
      rate_Bps > 0 ? explicit_rate_hop (&s->explicit_rate, now) : 0, "key-requests", G_TYPE_UINT64, s->key.sent,
      "key-requests-of-others", G_TYPE_UINT64, s->key_suppressed, NULL);
  append_nack_stats (s, structure);
  return structure;
}

static void
append (GValue *list, GstStructure *structure)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, structure);
  gst_value_array_append_and_take_value (list, &value);
}

static void
append_reports (const RtpMediaStream *a, GstStructure *structure, GstClockTime now)
{
  GValue list = G_VALUE_INIT;
  guint i;

  g_value_init (&list, GST_TYPE_ARRAY);
  for (i = 0; i < RTP_MEDIA_REPORTS; i++) {
    const RtpMediaReport *r = &a->reports.reports[i];

    if (!GST_CLOCK_TIME_IS_VALID (r->at))
      continue;
    append (&list, gst_structure_new ("application/x-rtcpavpf-report", "receiver", G_TYPE_UINT, r->receiver, "age",
                       G_TYPE_UINT64, (guint64)(now - r->at), "fraction-lost", G_TYPE_DOUBLE, r->fraction_lost,
                       "packets-lost", G_TYPE_INT, r->packets_lost, "jitter", G_TYPE_UINT64, (guint64)r->jitter,
                       "round-trip", G_TYPE_UINT64, (guint64)r->round_trip, NULL));
  }
  gst_structure_take_value (structure, "reports", &list);
}

static void
append_answer (const RtpMediaStream *a, GstStructure *structure, GstClockTime now)
{
  gst_structure_set (structure, "round-trip", G_TYPE_UINT64, (guint64)a->round_trip, "report-blocks", G_TYPE_UINT64,
      a->counts.report_blocks, "pli", G_TYPE_UINT64, a->counts.pli, "fir", G_TYPE_UINT64, a->counts.fir,
      "key-unit-requests", G_TYPE_UINT64, a->key.asked, "key-units-refused", G_TYPE_UINT64, a->key.dropped, "nack",
      G_TYPE_UINT64, a->counts.nack, "resends-granted", G_TYPE_UINT64, a->resend.granted, "resends-unknown",
      G_TYPE_UINT64, a->resend.unknown, "resends-repeated", G_TYPE_UINT64, a->resend.repeated, "resends-excess",
      G_TYPE_UINT64, a->resend.excess, "tmmbr", G_TYPE_UINT64, a->tmmbr.requests, "tfrc", G_TYPE_UINT64, a->counts.tfrc,
      "path", G_TYPE_UINT64, a->counts.path, "remb", G_TYPE_UINT64, a->counts.remb, NULL);
  append_reports (a, structure, now);
}

static void
append_local_stats (GstRtcpAvpf *self, GstStructure *structure, GstClockTime now)
{
  GValue list = G_VALUE_INIT;
  guint i;

  g_value_init (&list, GST_TYPE_ARRAY);
  for (i = 0; i < self->core->locals.n; i++) {
    const RtpLocal *l = &self->core->locals.locals[i];
    GstStructure *s = gst_structure_new ("application/x-rtcpavpf-local-stats", "ssrc", G_TYPE_UINT, l->ssrc, "media",
        G_TYPE_BOOLEAN, l->media, "sender", G_TYPE_BOOLEAN, l->we_sent, "packets-sent", G_TYPE_UINT, l->packet_count,
        "octets-sent", G_TYPE_UINT, l->octet_count, NULL);

    if (rtp_media_find (&self->core->media, l->ssrc) != NULL)
      append_answer (rtp_media_find (&self->core->media, l->ssrc), s, now);
    append (&list, s);
  }
  gst_structure_take_value (structure, "local", &list);
}

static void
append_source_stats (GstRtcpAvpf *self, GstStructure *s)
{
  GValue list = G_VALUE_INIT;
  guint i;

  g_value_init (&list, GST_TYPE_ARRAY);
  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (self->core->sources.sources[i] != NULL) {
      GValue value = G_VALUE_INIT;

      g_value_init (&value, GST_TYPE_STRUCTURE);
      g_value_take_boxed (&value, source_stats (self->core->sources.sources[i], gst_rtcp_avpf_now (self)));
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
timing_stats (const RtpLocal *local, gdouble requests_per_s, GstClockTime max_delay, GstClockTime now)
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

  if (!rtp_turns_run (&self->core->turns))
    return;
  g_value_init (&list, GST_TYPE_ARRAY);
  for (i = 0; i < self->core->locals.n; i++) {
    GValue value = G_VALUE_INIT;
    GstStructure *timing = timing_stats (
        &self->core->locals.locals[i], self->core->requests_per_s, self->settings.turns.max_feedback_delay, now);

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
  const RtpMembers *m = &self->core->attendance.members;

  gst_structure_set (s, "byes", G_TYPE_UINT64, m->byes, "timeouts", G_TYPE_UINT64, m->timeouts, "candidates-evicted",
      G_TYPE_UINT64, m->evicted, "third-party-conflicts", G_TYPE_UINT64, m->conflicts, "looped", G_TYPE_UINT64,
      self->core->stats.looped, "collisions", G_TYPE_UINT64, self->core->attendance.conflict.collisions, "sampled-bits",
      G_TYPE_UINT, rtp_members_sampled_bits (m), "members-in-table", G_TYPE_UINT, (guint)rtp_members_in_table (m),
      "member-bytes", G_TYPE_UINT64, (guint64)rtp_members_memory (m->capacity), "evicted", G_TYPE_UINT64,
      self->core->sources.evicted, "refused", G_TYPE_UINT64, self->core->sources.refused, "strangers", G_TYPE_UINT64,
      self->core->attendance.peer.strangers, "peer-moves", G_TYPE_UINT64, self->core->attendance.peer.moves,
      "answers-withheld", G_TYPE_UINT64, self->core->attendance.answers.withheld, NULL);
}

static void
append_feedback_stats (GstRtcpAvpf *self, GstStructure *s)
{
  gst_structure_set (s, "others-feedback", G_TYPE_UINT64, self->core->owed.retention.received, "others-suppressed-ours",
      G_TYPE_UINT64, self->core->owed.retention.suppressed, "queued-expired", G_TYPE_UINT64,
      self->core->owed.queue.expired, "queued-refused", G_TYPE_UINT64, self->core->owed.queue.refused, NULL);
}

static void
append_main_stats (GstRtcpAvpf *self, GstStructure *s)
{
  RtpSource *source = rtp_sources_main (&self->core->sources);
  GstStructure *main_stats = source != NULL ? source_stats (source, gst_rtcp_avpf_now (self)) : NULL;
  static const gchar *const fields[] = {"ssrc", "lost", "duplicates", "rtt", "x-recv", "loss-event-rate", "queue-delay",
      "path-rate", "capacity", "explicit-rate", "explicit-hop", NULL};
  guint i;

  for (i = 0; main_stats != NULL && fields[i] != NULL; i++)
    gst_structure_set_value (s, fields[i], gst_structure_get_value (main_stats, fields[i]));
  g_clear_pointer (&main_stats, gst_structure_free);
}

static void
append_fec_stats (GstRtcpAvpf *self, GstStructure *structure)
{
  const RtpFec *f = &self->core->fec;

  gst_structure_set (structure, "fec-share", G_TYPE_DOUBLE, f->plan.share, "fec-received", G_TYPE_UINT64,
      f->decoder != NULL ? f->decoder->sums : 0, "fec-restored", G_TYPE_UINT64,
      f->decoder != NULL ? f->decoder->restored : 0, "fec-late", G_TYPE_DOUBLE, f->plan.late, "fec-frame-loss",
      G_TYPE_DOUBLE, f->plan.lost, NULL);
}

static void
append_repair_stats (GstRtcpAvpf *self, GstStructure *structure)
{
  const RtpRepair *r = &self->core->repair;
  GstStructure *s;

  if (!self->settings.repair || r->media == 0)
    return;
  s = gst_structure_new ("application/x-repair-stats", "agreed", G_TYPE_BOOLEAN, (gboolean)r->agreed, "ssrc",
      G_TYPE_UINT, r->ssrc, "restored", G_TYPE_UINT64, r->restored, "wait", G_TYPE_UINT64, (guint64)r->plan.wait,
      "rounds", G_TYPE_UINT, r->plan.rounds, "copies", G_TYPE_UINT, r->plan.copies, "loss", G_TYPE_DOUBLE,
      r->plan.all.loss, "burst", G_TYPE_DOUBLE, r->plan.all.burst, "lateness", G_TYPE_UINT64,
      (guint64)cc_duration (r->plan.lateness.mean), "notice-time", G_TYPE_UINT64,
      (guint64)cc_duration (r->plan.notice.mean), "answer-time", G_TYPE_UINT64,
      (guint64)cc_duration (r->plan.answer.mean), "frame-loss", G_TYPE_DOUBLE, r->plan.frame_loss, NULL);
  append_fec_stats (self, s);
  gst_structure_set (structure, "repair", GST_TYPE_STRUCTURE, s, NULL);
  gst_structure_free (s);
}

GstStructure *
gst_rtcp_avpf_take_stats (GstRtcpAvpf *self)
{
  GstStructure *s = gst_structure_new ("application/x-rtcpavpf-stats", "packets", G_TYPE_UINT64,
      self->core->stats.packets, "bad-packets", G_TYPE_UINT64, self->core->stats.bad_packets, "unproven", G_TYPE_UINT64,
      self->core->stats.unproven, "bad-rtcp", G_TYPE_UINT64, self->core->stats.bad_rtcp, "rtcp-received", G_TYPE_UINT64,
      self->core->stats.rtcp_received, "rtcp-sent", G_TYPE_UINT64, self->core->stats.rtcp_sent, "rtcp-bytes-sent",
      G_TYPE_UINT64, self->core->stats.rtcp_bytes_sent, "receive-bitrate", G_TYPE_UINT64,
      (guint64)self->core->turns.received_bps, "rtcp-bandwidth", G_TYPE_UINT64,
      (guint64)(rtp_turns_bandwidth_Bps (&self->core->turns) * 8), NULL);

  append_timing_stats (self, s);
  append_member_stats (self, s);
  append_feedback_stats (self, s);
  append_main_stats (self, s);
  append_source_stats (self, s);
  append_repair_stats (self, s);
  append_local_stats (self, s, gst_rtcp_avpf_now (self));
  return s;
}
