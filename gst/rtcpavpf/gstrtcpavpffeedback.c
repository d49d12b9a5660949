/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this end has to say besides reports: when it becomes due the timing is asked for a turn (RFC 4585 3.5.2), and
   what another member has said by then is left out. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstrtcpavpfmedia.h"
#include "gstrtcpavpfprivate.h"

#include <string.h>

#define PACKET_REPORT_GAP (50 * GST_MSECOND) /* RFC 8888 6: per round trip, and no more often than this */
#define LIMIT_FALL 0.97                      /* a path rate below this part of what was asked for is news */
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
has_flag (GstRtcpAvpf *self, AvpfFeedback flag)
{
  return (self->settings.feedback & flag) != 0;
}

static gboolean
may_ask_for_key_units (GstRtcpAvpf *self)
{
  return has_flag (self, AVPF_FEEDBACK_PLI) || has_flag (self, AVPF_FEEDBACK_FIR);
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

/* An event's t0 is noted once: what was turned down waits for the next packet without asking again. */
static void
request_once (GstRtcpAvpf *self, GstClockTime *t0, GstClockTime now)
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
    request_once (self, &s->key_t0, now);
}

/* What asking again did not mend, a key unit has to. */
static void
check_failures (GstRtcpAvpf *self, AvpfSource *s)
{
  guint64 failed = s->nack->given_up + s->nack->hopeless;
  guint32 lost =
      s->nack->n_missing > 0 ? s->nack->missing[0].seq - 1 : rtp_reception_highest (&s->reception) - KEY_REQUEST_MARGIN;

  if (failed > s->nack_failed && gst_rtcp_avpf_auto_pli_for (self, s))
    key_request_on_loss (&s->key, lost);
  s->nack_failed = failed;
}

static void
check_nack (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  const AvpfTiming *timing = &self->locals.locals[0].timing;
  guint16 seqs[NACK_REQUEST_MAX_MISSING];

  if (s->nack == NULL || !has_flag (self, AVPF_FEEDBACK_NACK))
    return;
  if (nack_request_next_timeout (s->nack) > now) {
    s->nack_t0 = GST_CLOCK_TIME_NONE;
    return;
  }
  if (gst_rtcp_avpf_timing_runs (self))
    nack_request_set_rtcp_delay (s->nack, timing->allow_early && timing->params.avpf
                                              ? avpf_timing_dither_max (timing) / 2
                                              : cc_time_since (timing->tn, now));
  if (nack_request_take_due (s->nack, seqs, G_N_ELEMENTS (seqs), now) > 0)
    request_once (self, &s->nack_t0, now);
  check_failures (self, s);
}

/* bit/s with headers, 0: nothing to say. */
static guint64
limit_for (GstRtcpAvpf *self, const AvpfSource *s)
{
  PathReport path = {0};

  if (!has_flag (self, AVPF_FEEDBACK_TMMBR) || s->retransmits)
    return 0;
  if (self->settings.tmmbr_bitrate != 0)
    return self->settings.tmmbr_bitrate;
  if (s->stamped == 0)
    return 0;
  path_rate_report (&s->cc.path, &path);
  return (guint64)(path.rate_Bps * 8);
}

/* A path rate moves with every packet: only what differs noticeably is asked for anew. RFC 5104 4.2.1.2: the first
   request goes early, repetitions with regular packets. */
static void
check_limit (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  guint64 limit = limit_for (self, s);
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
  check_nack (self, s, now);
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

/* ---- reports of every packet ---- */

static gboolean
has_arrivals (GstRtcpAvpf *self)
{
  ArrivalRange range;
  guint i;

  if (self->twcc != NULL && arrival_history_range (self->twcc, &range) && has_flag (self, AVPF_FEEDBACK_TWCC))
    return TRUE;
  for (i = 0; i < AVPF_MAX_SOURCES && has_flag (self, AVPF_FEEDBACK_CCFB); i++) {
    const AvpfSource *s = self->table.sources[i];

    if (s != NULL && s->arrivals != NULL && avpf_source_present (s) && arrival_history_range (s->arrivals, &range))
      return TRUE;
  }
  return FALSE;
}

GstClockTime
gst_rtcp_avpf_packet_report_due_at (GstRtcpAvpf *self)
{
  const AvpfSource *s;

  if (!has_arrivals (self))
    return GST_CLOCK_TIME_NONE;
  s = avpf_source_table_main (&self->table);
  return self->packet_report_at + MAX (PACKET_REPORT_GAP, s != NULL ? s->key.rtt : 0);
}

void
gst_rtcp_avpf_note_arrival (GstRtcpAvpf *self, AvpfSource *s, guint16 seq, GstClockTime arrived_at)
{
  if (!has_flag (self, AVPF_FEEDBACK_CCFB))
    return;
  if (s->arrivals == NULL) {
    s->arrivals = g_new (ArrivalHistory, 1);
    arrival_history_init (s->arrivals, 0);
  }
  arrival_history_on_packet (s->arrivals, seq, ARRIVAL_NOT_ECT, arrived_at);
}

void
gst_rtcp_avpf_note_transport_arrival (GstRtcpAvpf *self, guint16 number, GstClockTime arrived_at)
{
  if (!has_flag (self, AVPF_FEEDBACK_TWCC))
    return;
  if (self->twcc == NULL) {
    self->twcc = g_new (ArrivalHistory, 1);
    arrival_history_init (self->twcc, 0);
  }
  arrival_history_on_packet (self->twcc, number, ARRIVAL_NOT_ECT, arrived_at);
}

/* ---- packets to ask for again ---- */

static gboolean
is_rtx_type (GQuark field, const GValue *value, gpointer user)
{
  return !(G_VALUE_HOLDS_UINT (value) && g_value_get_uint (value) == *(guint *)user);
}

gboolean
gst_rtcp_avpf_is_retransmission (GstRtcpAvpf *self, guint8 payload_type)
{
  guint type = payload_type;

  return self->settings.rtx_map != NULL && !gst_structure_foreach (self->settings.rtx_map, is_rtx_type, &type);
}

static NackRequest *
nack_of (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  NackRequestParams params;

  if (s->nack != NULL)
    return s->nack;
  nack_request_params_init (&params);
  params.latency = self->settings.nack_latency;
  params.watch_gaps = self->settings.auto_nack;
  s->nack = g_new (NackRequest, 1);
  nack_request_init (s->nack, &params);
  if (s->key.rtt != 0)
    nack_request_set_rtt (s->nack, s->key.rtt);
  s->nack_failed = 0;
  if (s->reception.valid)
    nack_request_on_packet (s->nack, rtp_reception_highest (&s->reception), now);
  return s->nack;
}

gboolean
gst_rtcp_avpf_mends_by_nack (GstRtcpAvpf *self, const AvpfSource *s)
{
  return self->settings.auto_nack && has_flag (self, AVPF_FEEDBACK_NACK) && !s->retransmits;
}

void
gst_rtcp_avpf_note_packet (GstRtcpAvpf *self, AvpfSource *s, guint16 seq, GstClockTime now)
{
  if (gst_rtcp_avpf_mends_by_nack (self, s) || s->nack != NULL)
    nack_request_on_packet (nack_of (self, s, now), avpf_source_extend (s, seq), now);
}

/* RFC 4588: the number it had stands in front of the payload. It is a packet of the source that misses it. */
void
gst_rtcp_avpf_note_restored (GstRtcpAvpf *self, const AvpfSource *from, guint16 osn, GstClockTime now)
{
  guint i, k;

  for (i = 0; i < AVPF_MAX_SOURCES; i++) {
    AvpfSource *s = self->table.sources[i];
    guint32 seq;

    if (s == NULL || s == from || s->nack == NULL)
      continue;
    seq = avpf_source_extend (s, osn);
    for (k = 0; k < s->nack->n_missing; k++)
      if (s->nack->missing[k].seq == seq) {
        FbItem item = fb_item_nack (s->ssrc, osn);

        fb_retention_forget (&self->retention, &item);
        nack_request_on_packet (s->nack, seq, now);
        return;
      }
  }
}

static gboolean
get_ms (const GstStructure *structure, const gchar *name, GstClockTime *span)
{
  guint ms;

  if (!gst_structure_get_uint (structure, name, &ms))
    return FALSE;
  *span = ms * GST_MSECOND;
  return TRUE;
}

/* RTPJitterBuffer's request: ssrc, seqnum, and in ms how long the packet is of use (deadline) and the RTT it measured.
 */
gboolean
gst_rtcp_avpf_on_retransmission_request (GstRtcpAvpf *self, const GstStructure *structure, GstClockTime now)
{
  GstClockTime deadline = GST_CLOCK_TIME_NONE, span;
  guint ssrc, seq;
  AvpfSource *s;

  if (!has_flag (self, AVPF_FEEDBACK_NACK) || !gst_structure_get_uint (structure, "seqnum", &seq))
    return FALSE;
  if (gst_structure_get_uint (structure, "ssrc", &ssrc))
    s = avpf_source_table_find (&self->table, ssrc);
  else
    s = avpf_source_table_main (&self->table);
  if (s == NULL || !avpf_source_present (s))
    return FALSE;
  nack_of (self, s, now);
  if (get_ms (structure, "avg-rtt", &span) && span > 0 && s->key.rtt == 0)
    nack_request_set_rtt (s->nack, span);
  if (get_ms (structure, "deadline", &span) && span > 0)
    deadline = now + span;
  nack_request_want (s->nack, (guint16)seq, deadline, now);
  gst_rtcp_avpf_check_source (self, s, now);
  gst_rtcp_avpf_wake_before (self, avpf_source_next_timeout (s));
  return TRUE;
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
  return has_flag (self, AVPF_FEEDBACK_FIR) && (s->key.full || !has_flag (self, AVPF_FEEDBACK_PLI));
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
  if (type == GST_RTCP_TYPE_APP)
    *kind = FB_QUEUE_APP;
  else if (type == GST_RTCP_TYPE_PSFB && fmt == RTCP_FB_FMT_SLI)
    *kind = FB_QUEUE_SLI;
  else if (type == GST_RTCP_TYPE_PSFB && fmt == RTCP_FB_FMT_RPSI)
    *kind = FB_QUEUE_RPSI;
  else if (type == GST_RTCP_TYPE_PSFB && fmt == RTCP_FB_FMT_AFB)
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

void
gst_rtcp_avpf_on_others_nack (GstRtcpAvpf *self, guint32 media, const guint16 *seqs, guint n, GstClockTime now)
{
  AvpfSource *s = avpf_source_table_find (&self->table, media);
  guint i;

  if (s == NULL)
    return;
  for (i = 0; i < n; i++) {
    FbItem item = fb_item_nack (media, seqs[i]);

    fb_retention_on_received (&self->retention, &item, now);
    if (s->nack != NULL)
      nack_request_on_asked_by_other (s->nack, seqs[i], now);
  }
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

static gboolean
is_first_request (const NackRequest *nack, guint16 seq)
{
  guint i;

  for (i = 0; i < nack->n_missing; i++)
    if ((guint16)nack->missing[i].seq == seq)
      return nack->missing[i].tries == 0 && nack->missing[i].others == 0;
  return FALSE;
}

/* What others asked for after it was missed here, nack_request_on_asked_by_other () has seen to. */
static void
settle_nack (GstRtcpAvpf *self, AvpfSource *s, GstClockTime now)
{
  guint16 seqs[NACK_REQUEST_MAX_MISSING];
  guint i, n;

  if (s->nack == NULL || !GST_CLOCK_TIME_IS_VALID (s->nack_t0))
    return;
  n = nack_request_take_due (s->nack, seqs, G_N_ELEMENTS (seqs), now);
  for (i = 0; i < n; i++) {
    FbItem item = fb_item_nack (s->ssrc, seqs[i]);

    if (is_first_request (s->nack, seqs[i]) && fb_retention_suppress (&self->retention, &item, s->nack_t0))
      nack_request_on_asked_by_other (s->nack, seqs[i], now);
  }
  if (nack_request_take_due (s->nack, seqs, 1, now) == 0)
    s->nack_t0 = GST_CLOCK_TIME_NONE;
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
    settle_nack (self, s, now);
  }
  settle_queue (self, now);
}

/* ---- what there is ---- */

static gboolean
source_has_feedback (GstRtcpAvpf *self, const AvpfSource *s)
{
  return avpf_source_present (s) && ((s->cc.told && reports_flows (self)) || GST_CLOCK_TIME_IS_VALID (s->key_t0) ||
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
    if (!has_flag (self, AVPF_FEEDBACK_NACK))
      s->nack_t0 = GST_CLOCK_TIME_NONE;
    if (s->nack != NULL) {
      s->nack->params.watch_gaps = self->settings.auto_nack;
      s->nack->params.latency = self->settings.nack_latency;
    }
  }
  gst_rtcp_avpf_wake_before (self, 0);
}
