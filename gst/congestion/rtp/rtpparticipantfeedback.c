/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this end has to say besides reports: when it becomes due the timing is asked for a turn (RFC 4585 3.5.2), and
   what another member has said by then is left out. */
#include "rtpparticipantprivate.h"

#include <math.h>
#include <string.h>

#define LIMIT_FALL 0.97 /* a path rate below this part of what was asked for is news */
#define LIMIT_RISE 1.1
#define PACKET_REPORT_GAP (50 * CC_MSECOND) /* RFC 8888 6: per round trip, and no more often than this */

void
rtp_participant_owed_init (RtpParticipant *p)
{
  FbRetentionParams params;

  fb_retention_params_init (&params);
  fb_retention_init (&p->owed.retention, &params);
  fb_queue_init (&p->owed.queue);
  cc_memory_put (&p->params.memory, p->owed.twcc);
  p->owed.twcc = NULL;
  p->owed.twcc_count = 0;
  p->owed.packet_report_at = 0;
  p->owed.packet_report_told = p->owed.report_wanted = false;
}

/* ---- reports of every packet (TWCC, RFC 8888) ---- */

static bool
has_arrivals (const RtpParticipant *p)
{
  ArrivalRange range;
  unsigned i;

  if (p->owed.twcc != NULL && arrival_history_range (p->owed.twcc, &range) &&
      rtp_participant_may_send (p, RTP_FEEDBACK_TWCC))
    return true;
  for (i = 0; i < RTP_SOURCES_MAX && rtp_participant_may_send (p, RTP_FEEDBACK_CCFB); i++) {
    const RtpSource *s = p->sources.sources[i];

    if (s != NULL && s->arrivals != NULL && rtp_source_present (s) && arrival_history_range (s->arrivals, &range))
      return true;
  }
  return false;
}

CcTime
rtp_participant_packet_report_due_at (const RtpParticipant *p)
{
  const RtpSource *s;

  if (!has_arrivals (p))
    return CC_TIME_NONE;
  s = rtp_sources_main (&p->sources);
  return p->owed.packet_report_at + cc_time_max (PACKET_REPORT_GAP, s != NULL ? s->key.rtt : 0);
}

void
rtp_participant_note_arrival (RtpParticipant *p, RtpSource *s, uint16_t seq, ArrivalEcn ecn, CcTime arrived_at)
{
  if (!rtp_participant_may_send (p, RTP_FEEDBACK_CCFB))
    return;
  if (s->arrivals == NULL)
    s->arrivals = rtp_sources_new_history (&p->sources);
  if (s->arrivals != NULL)
    arrival_history_on_packet (s->arrivals, seq, ecn, arrived_at);
}

void
rtp_participant_note_transport_arrival (RtpParticipant *p, uint16_t number, CcTime arrived_at)
{
  if (!rtp_participant_may_send (p, RTP_FEEDBACK_TWCC))
    return;
  if (p->owed.twcc == NULL)
    p->owed.twcc = rtp_sources_new_history (&p->sources);
  if (p->owed.twcc != NULL)
    arrival_history_on_packet (p->owed.twcc, number, ARRIVAL_NOT_ECT, arrived_at);
}

/* ---- requests for a turn ---- */

static bool
reports_flows (RtpParticipant *p)
{
  return (p->settings.feedback & (RTP_FEEDBACK_TFRC | RTP_FEEDBACK_REMB | RTP_FEEDBACK_PATH)) != 0;
}

/* The controller of a flow wants its report to leave. */
void
rtp_participant_request_flow_report (RtpParticipant *p, CcTime now)
{
  if (!reports_flows (p))
    return;
  if (rtp_participant_repair_comes_first (p))
    rtp_turns_keep_back (&p->turns);
  else
    rtp_participant_request_feedback (p, now);
}

static void
request_explicit_rate (RtpParticipant *p, CcTime now)
{
  if (p->settings.feedback & (RTP_FEEDBACK_REMB | RTP_FEEDBACK_PATH))
    rtp_participant_request_feedback (p, now);
}

/* A fall goes back early, a rise with the next packet. */
void
rtp_participant_note_explicit_rate (
    RtpParticipant *p, RtpSource *s, const ErfExtension *value, uint32_t seq, CcTime now)
{
  bool urgent = explicit_rate_on_packet (&s->explicit_rate, value, seq, now);

  if (s->explicit_rate.at == now)
    cc_receiver_on_explicit_rate (&s->cc, s->explicit_rate.rate_Bps, now);
  if (urgent)
    request_explicit_rate (p, now);
}

bool
rtp_participant_on_relay (RtpParticipant *p, uint32_t ssrc, double payload_Bps, CcTime now)
{
  RtpSource *s = rtp_sources_find (&p->sources, ssrc);
  double size, headers;

  if (s == NULL || !rtp_source_present (s) || s->bytes == 0 || !(payload_Bps > 0))
    return false;
  size = (double)s->bytes / (double)s->packets;
  headers = s->cc.params.overhead_bytes + RTP_HEADER_BYTES;
  if (explicit_rate_on_relay (&s->explicit_rate, payload_Bps * (1 + headers / fmax (size - RTP_HEADER_BYTES, 1)), now))
    request_explicit_rate (p, now);
  return true;
}

double
rtp_participant_allowed_rate (const RtpSource *s, CcTime now)
{
  double explicit_Bps = explicit_rate_current (&s->explicit_rate, now);
  PathReport path = {0};

  if (s->stamped == 0)
    return explicit_Bps;
  path_rate_report (&s->cc.path, &path);
  return explicit_Bps > 0 ? fmin (path.rate_Bps, explicit_Bps) : path.rate_Bps;
}

/* An event's t0 is noted once: what was turned down waits for the next packet without asking again. */
void
rtp_participant_request_once (RtpParticipant *p, CcTime *t0, CcTime now)
{
  if (*t0 != CC_TIME_NONE)
    return;
  *t0 = now;
  rtp_turns_request (&p->turns, p->settings.max_feedback_delay, now);
}

static void
check_key_request (RtpParticipant *p, RtpSource *s, CcTime now)
{
  if (key_request_next_timeout (&s->key) > now)
    s->key_t0 = CC_TIME_NONE;
  else if (rtp_participant_may_ask_for_key_units (p) && !s->retransmits)
    rtp_participant_request_once (p, &s->key_t0, now);
}

/* bit/s with headers, 0: nothing to say. */
static uint64_t
limit_for (RtpParticipant *p, const RtpSource *s, CcTime now)
{
  if (!rtp_participant_may_send (p, RTP_FEEDBACK_TMMBR) || s->retransmits)
    return 0;
  if (p->settings.tmmbr_bps != 0)
    return p->settings.tmmbr_bps;
  return rtp_participant_bps (rtp_participant_allowed_rate (s, now));
}

/* A path rate moves with every packet: only what differs noticeably is asked for anew. RFC 5104 4.2.1.2: the first
   request goes early, repetitions with regular packets. */
static void
check_limit (RtpParticipant *p, RtpSource *s, CcTime now)
{
  uint64_t limit = limit_for (p, s, now);
  bool news;

  if (limit == 0)
    return;
  if (rtp_source_tmmbr (&p->sources, s) == NULL)
    return;
  news = limit < LIMIT_FALL * s->limit_asked || limit > LIMIT_RISE * s->limit_asked;
  if (!news || s->limit_wanted != 0)
    return;
  s->limit_wanted = limit;
  rtp_participant_request_feedback (p, now);
}

static void
check_packet_reports (RtpParticipant *p, CcTime now)
{
  if (p->owed.packet_report_told || rtp_participant_packet_report_due_at (p) > now)
    return;
  p->owed.packet_report_told = true;
  rtp_participant_request_feedback (p, now);
}

void
rtp_participant_check_source (RtpParticipant *p, RtpSource *s, CcTime now)
{
  if (!rtp_source_present (s))
    return;
  if (cc_receiver_next_timeout (&s->cc) <= now && cc_receiver_on_timeout (&s->cc, now))
    rtp_participant_request_flow_report (p, now);
  rtp_participant_check_nack (p, s, now);
  check_key_request (p, s, now);
  check_limit (p, s, now);
}

void
rtp_participant_check_feedback (RtpParticipant *p, CcTime now)
{
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (p->sources.sources[i] != NULL)
      rtp_participant_check_source (p, p->sources.sources[i], now);
  check_packet_reports (p, now);
}

/* ---- key units ---- */

bool
rtp_participant_asks_by_fir (const RtpParticipant *p, const RtpSource *s)
{
  return rtp_participant_may_send (p, RTP_FEEDBACK_FIR) &&
         (s->key.full || !rtp_participant_may_send (p, RTP_FEEDBACK_PLI));
}

/* Who joined right in front of a key unit may have missed its parameter sets. */
static void
look_for_parameter_sets (RtpParticipant *p, RtpSource *s)
{
  if (!s->has_parameter_sets && rtp_codec_has_parameter_sets (p->stream.codec) && rtp_participant_auto_pli_for (p, s))
    key_request_on_loss (&s->key, s->joined_seq - 1);
}

void
rtp_participant_on_key_unit (RtpParticipant *p, RtpSource *s, uint32_t seq)
{
  FbItem pli = fb_item_pli (s->ssrc), fir = fb_item_fir (s->ssrc);

  key_request_on_key_unit (&s->key, seq);
  look_for_parameter_sets (p, s);
  fb_retention_forget (&p->owed.retention, &pli);
  fb_retention_forget (&p->owed.retention, &fir);
  if (!s->key.wanted)
    s->key_t0 = CC_TIME_NONE;
}

/* ---- feedback of others ---- */

static void
settle_key_request (RtpParticipant *p, RtpSource *s, CcTime now)
{
  FbItem item = rtp_participant_asks_by_fir (p, s) ? fb_item_fir (s->ssrc) : fb_item_pli (s->ssrc);

  if (s->key_t0 == CC_TIME_NONE || !fb_retention_suppress (&p->owed.retention, &item, s->key_t0))
    return;
  key_request_on_asked_by_other (&s->key, now);
  s->key_t0 = CC_TIME_NONE;
  s->key_suppressed++;
}

static void
settle_queue (RtpParticipant *p, CcTime now)
{
  const FbQueued *entry;
  FbItem item;

  while ((entry = fb_queue_peek (&p->owed.queue, now)) != NULL) {
    if (!fb_queue_item (entry, &item) || !fb_retention_suppress (&p->owed.retention, &item, entry->t0))
      return;
    fb_queue_pop (&p->owed.queue);
  }
}

void
rtp_participant_settle_feedback (RtpParticipant *p, CcTime now)
{
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++) {
    RtpSource *s = p->sources.sources[i];

    if (s == NULL || !rtp_source_present (s))
      continue;
    settle_key_request (p, s, now);
    rtp_participant_settle_nack (p, s, now);
  }
  settle_queue (p, now);
}

/* ---- what there is ---- */

static bool
source_has_feedback (RtpParticipant *p, const RtpSource *s)
{
  return rtp_source_present (s) && (((s->cc.told || s->explicit_rate.urgent) && reports_flows (p)) ||
                                       s->key_t0 != CC_TIME_NONE || s->nack_t0 != CC_TIME_NONE || s->limit_wanted != 0);
}

bool
rtp_participant_has_feedback (RtpParticipant *p, CcTime now)
{
  unsigned i;

  if (p->owed.report_wanted || p->owed.packet_report_told || p->locals.n_leaving > 0 ||
      fb_queue_peek (&p->owed.queue, now) != NULL)
    return true;
  for (i = 0; i < RTP_SOURCES_MAX; i++)
    if (p->sources.sources[i] != NULL && source_has_feedback (p, p->sources.sources[i]))
      return true;
  for (i = 0; i < p->locals.n; i++)
    if (rtp_media_owes (&p->media, p->locals.locals[i].ssrc))
      return true;
  return false;
}

CcTime
rtp_participant_feedback_next (const RtpParticipant *p, CcTime now)
{
  CcTime next = CC_TIME_NONE, at;
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++) {
    const RtpSource *s = p->sources.sources[i];

    /* timeouts that lie behind have led to a request; the packet that answers it re-arms them */
    if (s != NULL && rtp_source_present (s) && (at = rtp_source_next_timeout (s)) > now)
      next = cc_time_min (next, at);
  }
  if (!p->owed.packet_report_told && (at = rtp_participant_packet_report_due_at (p)) > now)
    next = cc_time_min (next, at);
  return next;
}

void
rtp_participant_apply_feedback (RtpParticipant *p)
{
  unsigned i;

  for (i = 0; i < RTP_SOURCES_MAX; i++) {
    RtpSource *s = p->sources.sources[i];

    if (s == NULL)
      continue;
    s->key.params.min_interval = p->settings.pli_interval;
    if (!rtp_participant_may_ask_for_key_units (p))
      s->key_t0 = CC_TIME_NONE;
    if (!rtp_participant_may_send (p, RTP_FEEDBACK_NACK))
      s->nack_t0 = CC_TIME_NONE;
    if (s->nack != NULL) {
      s->nack->params.watch_gaps = p->settings.auto_nack;
      s->nack->params.latency = p->settings.nack_latency;
      s->nack->params.min_interval = cc_time_max (NACK_REQUEST_MIN_INTERVAL, p->settings.nack_interval);
    }
  }
  rtp_participant_wake_before (p, 0);
}
