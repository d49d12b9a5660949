/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this end has to say besides reports: when it becomes due the timing is asked for a turn (RFC 4585 3.5.2), and
   what another member has said by then is left out. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfmedia.h"
#include "gstrtcpavpfprivate.h"

#include <string.h>

#define LIMIT_FALL 0.97 /* a path rate below this part of what was asked for is news */
#define LIMIT_RISE 1.1

void
gst_rtcp_avpf_feedback_init (GstRtcpAvpf *self)
{
  FbRetentionParams params;

  fb_retention_params_init (&params);
  fb_retention_init (&self->retention, &params);
  fb_queue_init (&self->queue);
  g_clear_pointer (&self->twcc, g_free);
  self->twcc_count = 0;
  self->packet_report_at = 0;
  self->packet_report_told = self->report_wanted = FALSE;
  self->requests = self->housekept_requests = 0;
}

/* ---- requests for a turn ---- */

static gboolean
may_ask_for_key_units (GstRtcpAvpf *self)
{
  return gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_PLI) || gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_FIR);
}

static gboolean
reports_flows (GstRtcpAvpf *self)
{
  return (self->settings.feedback & (AVPF_FEEDBACK_TFRC | AVPF_FEEDBACK_REMB | AVPF_FEEDBACK_PATH)) != 0;
}

/* The controller of a flow wants its report to leave. */
void
gst_rtcp_avpf_request_flow_report (GstRtcpAvpf *self, GstClockTime now)
{
  if (reports_flows (self))
    gst_rtcp_avpf_request_feedback (self, now);
}

/* A fall goes back early, a rise with the next packet. */
void
gst_rtcp_avpf_note_explicit_rate (
    GstRtcpAvpf *self, AvpfSource *s, const ErfExtension *value, guint32 seq, GstClockTime now)
{
  gboolean urgent = explicit_rate_on_packet (&s->explicit_rate, value, seq, now);

  if (s->explicit_rate.at == now)
    cc_receiver_on_explicit_rate (&s->cc, s->explicit_rate.rate_Bps, now);
  if (urgent && (self->settings.feedback & (AVPF_FEEDBACK_REMB | AVPF_FEEDBACK_PATH)))
    gst_rtcp_avpf_request_feedback (self, now);
}

gdouble
gst_rtcp_avpf_allowed_rate (const AvpfSource *s, GstClockTime now)
{
  gdouble explicit_Bps = explicit_rate_current (&s->explicit_rate, now);
  PathReport path = {0};

  if (s->stamped == 0)
    return explicit_Bps;
  path_rate_report (&s->cc.path, &path);
  return explicit_Bps > 0 ? MIN (path.rate_Bps, explicit_Bps) : path.rate_Bps;
}

/* An event's t0 is noted once: what was turned down waits for the next packet without asking again. */
void
gst_rtcp_avpf_request_once (GstRtcpAvpf *self, GstClockTime *t0, GstClockTime now)
{
  if (GST_CLOCK_TIME_IS_VALID (*t0))
    return;
  *t0 = now;
  gst_rtcp_avpf_request_feedback_within (self, self->settings.max_feedback_delay, now);
}

static void
check_key_request (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  if (key_request_next_timeout (&s->key) > now)
    s->key_t0 = GST_CLOCK_TIME_NONE;
  else if (may_ask_for_key_units (self) && !s->retransmits)
    gst_rtcp_avpf_request_once (self, &s->key_t0, now);
}

/* bit/s with headers, 0: nothing to say. */
static guint64
limit_for (GstRtcpAvpf *self, const AvpfSource *s, GstClockTime now)
{
  if (!gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_TMMBR) || s->retransmits)
    return 0;
  if (self->settings.tmmbr_bitrate != 0)
    return self->settings.tmmbr_bitrate;
  return (guint64)(gst_rtcp_avpf_allowed_rate (s, now) * 8);
}

/* A path rate moves with every packet: only what differs noticeably is asked for anew. RFC 5104 4.2.1.2: the first
   request goes early, repetitions with regular packets. */
static void
check_limit (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  guint64 limit = limit_for (self, s, now);
  gboolean news;

  if (limit == 0)
    return;
  if (s->tmmbr == NULL) {
    s->tmmbr = g_new0 (TmmbrReceiver, 1);
    tmmbr_receiver_init (s->tmmbr);
  }
  news = limit < LIMIT_FALL * s->limit_asked || limit > LIMIT_RISE * s->limit_asked;
  if (!news || s->limit_wanted != 0)
    return;
  s->limit_wanted = limit;
  gst_rtcp_avpf_request_feedback (self, now);
}

static void
check_packet_reports (GstRtcpAvpf *self, GstClockTime now)
{
  if (self->packet_report_told || gst_rtcp_avpf_packet_report_due_at (self) > now)
    return;
  self->packet_report_told = TRUE;
  gst_rtcp_avpf_request_feedback (self, now);
}

void
gst_rtcp_avpf_check_source (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  if (!avpf_source_present (s))
    return;
  if (cc_receiver_next_timeout (&s->cc) <= now && cc_receiver_on_timeout (&s->cc, now))
    gst_rtcp_avpf_request_flow_report (self, now);
  gst_rtcp_avpf_check_nack (self, s, now);
  check_key_request (self, s, now);
  check_limit (self, s, now);
}

void
gst_rtcp_avpf_check_feedback (GstRtcpAvpf *self, GstClockTime now)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (self->table.sources[i] != NULL)
      gst_rtcp_avpf_check_source (self, self->table.sources[i], now);
  check_packet_reports (self, now);
}

/* ---- key units ---- */

gboolean
gst_rtcp_avpf_auto_pli_for (GstRtcpAvpf *self, const AvpfSource *s)
{
  return self->settings.auto_pli && self->is_video && self->codec != RTP_CODEC_INTRA && !s->retransmits;
}

gboolean
gst_rtcp_avpf_on_force_key_unit (GstRtcpAvpf *self, const GstStructure *structure, GstClockTime now)
{
  gboolean all_headers = FALSE;
  AvpfSource *s;
  guint ssrc;

  if (!may_ask_for_key_units (self))
    return FALSE;
  gst_structure_get_boolean (structure, "all-headers", &all_headers);
  if (gst_structure_get_uint (structure, "ssrc", &ssrc))
    s = avpf_source_table_find (&self->table, ssrc);
  else
    s = avpf_source_table_main (&self->table);
  if (s == NULL)
    return TRUE;
  key_request_want (&s->key, all_headers);
  gst_rtcp_avpf_check_source (self, s, now);
  gst_rtcp_avpf_wake_before (self, avpf_source_next_timeout (s));
  return TRUE;
}

gboolean
gst_rtcp_avpf_asks_by_fir (GstRtcpAvpf *self, const AvpfSource *s)
{
  return gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_FIR) &&
         (s->key.full || !gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_PLI));
}

void
gst_rtcp_avpf_on_key_unit (GstRtcpAvpf *self, AvpfSource *s, guint32 seq)
{
  FbItem pli = fb_item_pli (s->ssrc), fir = fb_item_fir (s->ssrc);

  key_request_on_key_unit (&s->key, seq);
  fb_retention_forget (&self->retention, &pli);
  fb_retention_forget (&self->retention, &fir);
  if (!s->key.wanted)
    s->key_t0 = GST_CLOCK_TIME_NONE;
}

/* ---- feedback of the application ---- */

static gboolean
kind_of (guint type, guint fmt, FbQueueKind *kind)
{
  if (type == RTCP_APP)
    *kind = FB_QUEUE_APP;
  else if (type == RTCP_PSFB && fmt == RTCP_FB_FMT_SLI)
    *kind = FB_QUEUE_SLI;
  else if (type == RTCP_PSFB && fmt == RTCP_FB_FMT_RPSI)
    *kind = FB_QUEUE_RPSI;
  else if (type == RTCP_PSFB && fmt == RTCP_FB_FMT_AFB)
    *kind = FB_QUEUE_AFB;
  else
    return FALSE;
  return TRUE;
}

gboolean
gst_rtcp_avpf_queue_feedback (GstRtcpAvpf *self, const GstRtcpAvpfAppFeedback *fb, GstClockTime now)
{
  FbQueueKind kind;

  if (!kind_of (fb->type, fb->fmt, &kind) || !gst_rtcp_avpf_timing_runs (self))
    return FALSE;
  if (!fb_queue_push (
          &self->queue, kind, (guint8)(fb->fmt & 0x1f), fb->media, fb->fci, (guint)fb->size, fb->max_delay, now))
    return FALSE;
  gst_rtcp_avpf_request_feedback_within (self, fb->max_delay, now);
  return TRUE;
}

gboolean
gst_rtcp_avpf_request_report (GstRtcpAvpf *self, GstClockTime max_delay, GstClockTime now)
{
  if (!gst_rtcp_avpf_request_feedback_within (self, max_delay, now))
    return FALSE;
  self->report_wanted = TRUE;
  return TRUE;
}

/* ---- feedback of others ---- */

void
gst_rtcp_avpf_on_others_feedback (GstRtcpAvpf *self, const FbItem *item, GstClockTime now)
{
  fb_retention_on_received (&self->retention, item, now);
}

static void
settle_key_request (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  FbItem item = gst_rtcp_avpf_asks_by_fir (self, s) ? fb_item_fir (s->ssrc) : fb_item_pli (s->ssrc);

  if (!GST_CLOCK_TIME_IS_VALID (s->key_t0) || !fb_retention_suppress (&self->retention, &item, s->key_t0))
    return;
  key_request_on_asked_by_other (&s->key, now);
  s->key_t0 = GST_CLOCK_TIME_NONE;
  s->key_suppressed++;
}

static void
settle_queue (GstRtcpAvpf *self, GstClockTime now)
{
  const FbQueued *entry;
  FbItem item;

  while ((entry = fb_queue_peek (&self->queue, now)) != NULL) {
    if (!fb_queue_item (entry, &item) || !fb_retention_suppress (&self->retention, &item, entry->t0))
      return;
    fb_queue_pop (&self->queue);
  }
}

void
gst_rtcp_avpf_settle_feedback (GstRtcpAvpf *self, GstClockTime now)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = self->table.sources[i];

    if (s == NULL || !avpf_source_present (s))
      continue;
    settle_key_request (self, s, now);
    gst_rtcp_avpf_settle_nack (self, s, now);
  }
  settle_queue (self, now);
}

/* ---- what there is ---- */

static gboolean
source_has_feedback (GstRtcpAvpf *self, const AvpfSource *s)
{
  return avpf_source_present (s) &&
         (((s->cc.told || s->explicit_rate.urgent) && reports_flows (self)) || GST_CLOCK_TIME_IS_VALID (s->key_t0) ||
             GST_CLOCK_TIME_IS_VALID (s->nack_t0) || s->limit_wanted != 0);
}

gboolean
gst_rtcp_avpf_has_feedback (GstRtcpAvpf *self, GstClockTime now)
{
  guint i;

  if (self->report_wanted || self->packet_report_told || self->locals.n_leaving > 0 ||
      fb_queue_peek (&self->queue, now) != NULL)
    return TRUE;
  for (i = 0; i < AVPF_MAX_SOURCES; i++)
    if (self->table.sources[i] != NULL && source_has_feedback (self, self->table.sources[i]))
      return TRUE;
  for (i = 0; i < self->locals.n; i++)
    if (gst_rtcp_avpf_media_owes (self, self->locals.locals[i].ssrc))
      return TRUE;
  return FALSE;
}

GstClockTime
gst_rtcp_avpf_feedback_next (GstRtcpAvpf *self, GstClockTime now)
{
  GstClockTime next = GST_CLOCK_TIME_NONE, at;
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    const AvpfSource *s = self->table.sources[i];

    /* timeouts that lie behind have led to a request; the packet that answers it re-arms them */
    if (s != NULL && avpf_source_present (s) && (at = avpf_source_next_timeout (s)) > now)
      next = MIN (next, at);
  }
  if (!self->packet_report_told && (at = gst_rtcp_avpf_packet_report_due_at (self)) > now)
    next = MIN (next, at);
  return next;
}

void
gst_rtcp_avpf_apply_feedback (GstRtcpAvpf *self)
{
  guint i;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = self->table.sources[i];

    if (s == NULL)
      continue;
    s->key.params.min_interval = self->settings.pli_interval;
    if (!may_ask_for_key_units (self))
      s->key_t0 = GST_CLOCK_TIME_NONE;
    if (!gst_rtcp_avpf_may_send (self, AVPF_FEEDBACK_NACK))
      s->nack_t0 = GST_CLOCK_TIME_NONE;
    if (s->nack != NULL) {
      s->nack->params.watch_gaps = self->settings.auto_nack;
      s->nack->params.latency = self->settings.nack_latency;
    }
  }
  gst_rtcp_avpf_wake_before (self, 0);
}
