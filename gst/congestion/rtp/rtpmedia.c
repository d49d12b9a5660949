/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmedia.h"

#include <math.h>
#include <string.h>

#define RATE_WINDOW CC_SECOND
#define RTP_UDP_IP_BYTES 40
#define RATE_INTERVAL (20 * CC_MSECOND) /* between two rate events */

void
rtp_media_init (RtpMedia *m, RtpLocals *locals, const RtpEvents *events)
{
  memset (m, 0, sizeof *m);
  m->locals = locals;
  m->events = *events;
  fir_commands_init (&m->fir);
  rtp_reporters_init (&m->reporters);
}

RtpMediaStream *
rtp_media_find (RtpMedia *m, uint32_t ssrc)
{
  unsigned i;

  for (i = 0; i < RTP_LOCALS_MAX; i++)
    if (m->streams[i].in_use && m->streams[i].ssrc == ssrc)
      return &m->streams[i];
  return NULL;
}

static void
add_counts (RtpMediaCounts *sum, const RtpMediaCounts *more)
{
  uint64_t *to = (uint64_t *)sum;
  const uint64_t *from = (const uint64_t *)more;
  size_t i;

  for (i = 0; i < sizeof *sum / sizeof *to; i++)
    to[i] += from[i];
}

void
rtp_media_counts (const RtpMedia *m, RtpMediaCounts *sum)
{
  unsigned i;

  *sum = m->past;
  for (i = 0; i < RTP_LOCALS_MAX; i++)
    add_counts (sum, &m->streams[i].counts);
}

static void
stream_init (RtpMediaStream *a, uint32_t ssrc, CcTime now)
{
  ResendLimitParams resend;

  resend_limit_params_init (&resend);
  memset (a, 0, sizeof *a);
  a->ssrc = ssrc;
  a->in_use = true;
  resend_limit_init (&a->resend, &resend);
  tmmbr_sender_init (&a->tmmbr);
  key_answer_init (&a->key);
  a->rises_at = a->told_at = CC_TIME_NONE;
  a->window_at = now;
  rtp_media_reports_init (&a->reports);
}

static void
count_rate (RtpMediaStream *a, CcTime now)
{
  if (now < a->window_at + RATE_WINDOW)
    return;
  a->packet_rate = (double)a->packets_window * CC_SECOND / (double)(now - a->window_at);
  a->packets_window = 0;
  a->window_at = now;
}

/* There is room: as many locals as streams. */
static RtpMediaStream *
stream_of (RtpMedia *m, uint32_t ssrc, CcTime now)
{
  RtpMediaStream *a = rtp_media_find (m, ssrc);
  unsigned i;

  for (i = 0; a == NULL; i++)
    if (!m->streams[i].in_use || rtp_locals_find (m->locals, m->streams[i].ssrc) == NULL) {
      a = &m->streams[i];
      add_counts (&m->past, &a->counts);
      stream_init (a, ssrc, now);
    }
  return a;
}

void
rtp_media_on_sent (RtpMedia *m, uint32_t ssrc, uint16_t seq, bool resends, CcTime now)
{
  RtpMediaStream *a = stream_of (m, ssrc, now);

  count_rate (a, now);
  a->resends = resends;
  a->packets_window++;
  a->newest = seq;
  resend_limit_on_sent (&a->resend, seq);
}

void
rtp_media_expect_resends (RtpMedia *m, uint32_t ssrc, CcTime now)
{
  stream_of (m, ssrc, now)->resends = true;
}

static RtpMediaStream *
of_ours (RtpMedia *m, uint32_t ssrc)
{
  return rtp_locals_find (m->locals, ssrc) != NULL ? rtp_media_find (m, ssrc) : NULL;
}

/* NULL, and counted, where RTCP about that SSRC is none of our business. */
static RtpMediaStream *
addressed (RtpMedia *m, uint32_t ssrc)
{
  RtpMediaStream *a = of_ours (m, ssrc);

  if (a == NULL)
    m->elsewhere++;
  return a;
}

bool
rtp_media_is_flow (RtpMedia *m, uint32_t ssrc)
{
  const RtpMediaStream *a = addressed (m, ssrc);

  return a != NULL && !a->resends;
}

bool
rtp_media_is_named (RtpMedia *m, const RtcpRemb *remb)
{
  unsigned i;

  for (i = 0; i < remb->n_ssrcs; i++)
    if (of_ours (m, remb->ssrcs[i]) != NULL)
      return true;
  m->elsewhere++;
  return false;
}

/* The host's is newer than what reports say. */
static CcDuration
round_trip (const RtpMedia *m, const RtpMediaStream *a)
{
  return m->round_trip > 0 ? m->round_trip : a->round_trip;
}

/* ---- reports ---- */

bool
rtp_media_on_report_block (RtpMedia *m, uint32_t sender, const RtcpReportBlock *block, uint64_t ntp_now, CcTime now)
{
  RtpMediaStream *a = addressed (m, block->ssrc);
  RtpMediaReport *r;
  CcTime measured;

  if (a == NULL)
    return false;
  measured = rtcp_round_trip (block, ntp_now);
  a->counts.report_blocks++;
  a->reports.blocked_at = now;
  r = rtp_media_reports_of (&a->reports, sender, now);
  r->fraction_lost = block->fraction_lost / 256.0;
  r->packets_lost = block->packets_lost;
  if (m->clock_rate > 0)
    r->jitter = (uint64_t)block->jitter * CC_SECOND / m->clock_rate;
  if (measured > 0)
    r->round_trip = a->round_trip = measured;
  if (!a->resends)
    rtp_reporters_on_block (&m->reporters, sender, block->ext_highest_seq, a->newest, now);
  return !a->resends;
}

bool
rtp_media_on_tfrc (RtpMedia *m, uint32_t media)
{
  RtpMediaStream *a = addressed (m, media);

  if (a == NULL)
    return false;
  a->counts.tfrc++;
  return !a->resends;
}

/* Blocks on SSRCs of others find no packet. */
bool
rtp_media_on_ccfb (RtpMedia *m, const RtcpCcfbReader *report)
{
  RtcpCcfbReader blocks = *report;
  RtcpCcfbBlock block;

  while (rtcp_ccfb_next (&blocks, &block))
    if (addressed (m, block.ssrc) != NULL)
      return true;
  return false;
}

bool
rtp_media_on_twcc (RtpMedia *m, uint32_t media)
{
  return media == 0 || addressed (m, media) != NULL;
}

/* ---- key units ---- */

static void
ask_for_key_unit (RtpMedia *m, RtpMediaStream *a, bool full)
{
  RtpEvent event = {.type = RTP_EVENT_KEY_UNIT, .ssrc = a->ssrc, .full = full};

  rtp_events_tell (&m->events, &event);
}

void
rtp_media_on_pli (RtpMedia *m, uint32_t media, CcTime now)
{
  RtpMediaStream *a = addressed (m, media);

  if (a == NULL)
    return;
  a->counts.pli++;
  if (key_answer_on_pli (&a->key, round_trip (m, a), now))
    ask_for_key_unit (m, a, false);
}

static void
command_key_unit (RtpMedia *m, RtpMediaStream *a, CcTime now)
{
  if (key_answer_on_command (&a->key, round_trip (m, a), now))
    ask_for_key_unit (m, a, true);
}

/* RFC 5104 4.3.1.2: a repeated number is no new command. */
void
rtp_media_on_fir (RtpMedia *m, uint32_t sender, uint32_t target, uint8_t seq, CcTime now)
{
  RtpMediaStream *a = addressed (m, target);

  if (a == NULL)
    return;
  a->counts.fir++;
  if (!fir_commands_is_new (&m->fir, sender, target, seq, now)) {
    a->counts.fir_repeated++;
    return;
  }
  fir_commands_on_obeyed (&m->fir, sender, target, seq, now);
  command_key_unit (m, a, now);
}

bool
rtp_media_want_key_units (RtpMedia *m, CcTime now)
{
  bool any = false;
  unsigned i;

  for (i = 0; i < RTP_LOCALS_MAX; i++) {
    RtpMediaStream *a = &m->streams[i];

    if (!a->in_use || a->resends || rtp_locals_find (m->locals, a->ssrc) == NULL)
      continue;
    command_key_unit (m, a, now);
    any = true;
  }
  return any;
}

/* ---- packets sent again ---- */

static bool
grants (RtpMedia *m, RtpMediaStream *a, uint32_t receiver, uint16_t seq, CcTime now)
{
  bool agreed = a->asker.agreed && a->asker.receiver == receiver;

  return !a->resends && resend_limit_on_request (&a->resend, seq, agreed ? a->asker.interval : round_trip (m, a), now);
}

static void
want_packet (RtpMedia *m, RtpMediaStream *a, uint32_t receiver, uint16_t seq, CcTime now)
{
  RtpEvent event = {.type = RTP_EVENT_RESEND, .ssrc = a->ssrc, .receiver = receiver, .seq = seq};

  a->counts.nack++;
  if (!grants (m, a, receiver, seq, now)) {
    a->counts.refused++;
    return;
  }
  a->counts.granted++;
  rtp_events_tell (&m->events, &event);
}

void
rtp_media_on_nack (RtpMedia *m, uint32_t sender, uint32_t media, const uint16_t *seqs, unsigned n, CcTime now)
{
  RtpMediaStream *a = addressed (m, media);
  unsigned i;

  for (i = 0; a != NULL && i < n; i++)
    want_packet (m, a, sender, seqs[i], now);
}

/* ---- rates ---- */

static double
allowed (const RtpMediaStream *a, CcTime now)
{
  return fmin (rtp_media_reports_rate (&a->reports, 8 * RTP_UDP_IP_BYTES * a->packet_rate, now),
      tmmbr_sender_limit (&a->tmmbr, a->packet_rate, 0, now));
}

static void
push_rate (RtpMedia *m, const RtpMediaStream *a, double net)
{
  RtpEvent event = {.type = RTP_EVENT_RATE,
      .ssrc = a->ssrc,
      .rate = {.payload_bps = net, .wire_bps = net + 8 * RTP_UDP_IP_BYTES * a->packet_rate, .rtt = round_trip (m, a)}};

  rtp_events_tell (&m->events, &event);
}

/* What changes faster waits a little. */
static void
tell_rate (RtpMedia *m, RtpMediaStream *a, CcTime now)
{
  a->rises_at = cc_time_min (tmmbr_sender_next_timeout (&a->tmmbr, now), rtp_media_reports_next_end (&a->reports, now));
  if (a->resends)
    return;
  if (a->told_at != CC_TIME_NONE && now < a->told_at + RATE_INTERVAL) {
    a->rises_at = cc_time_min (a->rises_at, a->told_at + RATE_INTERVAL);
    return;
  }
  a->told_at = now;
  push_rate (m, a, allowed (a, now));
}

static void
take_rate (RtpMedia *m, RtpMediaStream *a, uint32_t sender, RtpMediaRate kind, uint64_t bps, CcTime now)
{
  RtpMediaReport *r = rtp_media_reports_of (&a->reports, sender, now);

  r->rates[kind].bps = bps;
  r->rates[kind].at = now;
  tell_rate (m, a, now);
}

bool
rtp_media_on_remb (RtpMedia *m, uint32_t sender, const RtcpRemb *remb, CcTime now)
{
  RtpMediaStream *a;
  unsigned i;

  if (!rtp_media_is_named (m, remb))
    return false;
  for (i = 0; i < remb->n_ssrcs; i++) {
    a = of_ours (m, remb->ssrcs[i]);
    if (a == NULL)
      continue;
    a->counts.remb++;
    take_rate (m, a, sender, RTP_MEDIA_RATE_REMB, remb->bitrate_bps, now);
  }
  return true;
}

bool
rtp_media_on_path (RtpMedia *m, uint32_t sender, uint32_t media, const RtcpPath *path, CcTime now)
{
  RtpMediaStream *a = addressed (m, media);

  if (a == NULL)
    return false;
  a->counts.path++;
  take_rate (m, a, sender, path->kind == RTCP_PATH_END_TO_END ? RTP_MEDIA_RATE_PATH : RTP_MEDIA_RATE_ROUTER,
      path->rate_bps, now);
  return !a->resends;
}

void
rtp_media_on_tmmbr (RtpMedia *m, uint32_t sender, const RtcpTmmb *entry, RtpMediaBelief belief, CcTime now)
{
  RtpMediaStream *a = addressed (m, entry->ssrc);

  if (a == NULL)
    return;
  if (belief == RTP_BELIEF_NONE || (belief == RTP_BELIEF_IF_SHOWN && !rtp_reporters_knows (&m->reporters, sender))) {
    m->unproven++;
    return;
  }
  a->counts.tmmbr++;
  tmmbr_sender_on_request (&a->tmmbr, sender, entry->bitrate_bps, entry->overhead_bytes, now);
  tell_rate (m, a, now);
  m->owes = true;
}

double
rtp_media_limit_Bps (const RtpMedia *m, unsigned overhead_bytes, CcTime now)
{
  double limit_bps = INFINITY;
  unsigned i;

  for (i = 0; i < RTP_LOCALS_MAX; i++) {
    const RtpMediaStream *a = &m->streams[i];

    if (a->in_use && !a->resends && rtp_locals_find (m->locals, a->ssrc) != NULL)
      limit_bps = fmin (limit_bps, tmmbr_sender_limit (&a->tmmbr, a->packet_rate, overhead_bytes, now));
  }
  return limit_bps / 8;
}

bool
rtp_media_owes (RtpMedia *m, uint32_t ssrc)
{
  RtpMediaStream *a = of_ours (m, ssrc);

  return a != NULL && a->tmmbr.owes_tmmbn;
}

static CcDuration
dither_max (RtpMedia *m, uint32_t ssrc)
{
  const RtpLocal *local = rtp_locals_find (m->locals, ssrc);

  return local != NULL && local->timing_runs ? avpf_timing_dither_max (&local->timing) : 0;
}

bool
rtp_media_add_owed (RtpMedia *m, RtcpWriter *rtcp, uint32_t ssrc, CcTime now)
{
  RtpMediaStream *a = of_ours (m, ssrc);
  RtcpTmmb entries[TMMBR_SET_TUPLES];
  unsigned n;

  if (a == NULL || !a->tmmbr.owes_tmmbn)
    return false;
  n = tmmbr_sender_notification (&a->tmmbr, round_trip (m, a), dither_max (m, ssrc), now, entries);
  tell_rate (m, a, now);
  if (!rtcp_add_tmmbn (rtcp, ssrc, entries, n))
    return false;
  a->counts.tmmbn++;
  return true;
}

void
rtp_media_on_timeout (RtpMedia *m, CcTime now)
{
  unsigned i;

  for (i = 0; i < RTP_LOCALS_MAX; i++) {
    RtpMediaStream *a = &m->streams[i];

    if (!a->in_use)
      continue;
    if (a->rises_at <= now)
      tell_rate (m, a, now);
    if (key_answer_on_timeout (&a->key, now))
      ask_for_key_unit (m, a, true);
  }
}

CcTime
rtp_media_next_timeout (const RtpMedia *m)
{
  CcTime next = CC_TIME_NONE;
  unsigned i;

  for (i = 0; i < RTP_LOCALS_MAX; i++)
    if (m->streams[i].in_use)
      next = cc_time_min (next, cc_time_min (m->streams[i].rises_at, m->streams[i].key.due));
  return next;
}

void
rtp_media_on_heard (RtpMedia *m, uint32_t ssrc, CcTime now)
{
  unsigned i;

  for (i = 0; i < RTP_LOCALS_MAX; i++)
    if (m->streams[i].in_use)
      tmmbr_sender_on_heard (&m->streams[i].tmmbr, ssrc, now);
}

void
rtp_media_remove_unheard (RtpMedia *m, CcDuration timeout, CcTime now)
{
  unsigned i;

  for (i = 0; i < RTP_LOCALS_MAX; i++) {
    RtpMediaStream *a = &m->streams[i];

    if (!a->in_use || !tmmbr_sender_remove_unheard (&a->tmmbr, timeout, now))
      continue;
    tell_rate (m, a, now);
    m->owes = true;
  }
}

void
rtp_media_on_gone (RtpMedia *m, uint32_t ssrc, CcTime now)
{
  unsigned i;

  for (i = 0; i < RTP_LOCALS_MAX; i++) {
    RtpMediaStream *a = &m->streams[i];
    bool owes = a->in_use && tmmbr_sender_remove (&a->tmmbr, ssrc, now);

    if (a->in_use && (rtp_media_reports_forget (&a->reports, ssrc) || owes))
      tell_rate (m, a, now);
    if (owes)
      m->owes = true;
  }
}

void
rtp_media_on_newcomer (RtpMedia *m, CcTime now)
{
  unsigned i;

  rtp_reporters_init (&m->reporters);
  for (i = 0; i < RTP_LOCALS_MAX; i++) {
    RtpMediaStream *a = &m->streams[i];

    if (!a->in_use)
      continue;
    rtp_media_reports_forget_all (&a->reports);
    if (tmmbr_sender_remove_all (&a->tmmbr, now))
      m->owes = true;
    tell_rate (m, a, now);
  }
}
