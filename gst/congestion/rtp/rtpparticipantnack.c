/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets asked for again: which, whether another member has asked already, and what comes back (RFC 4588). */
#include "rtpparticipantprivate.h"

static NackRequest *
nack_of (RtpParticipant *p, RtpSource *s, CcTime now)
{
  NackRequestParams params;

  if (s->nack != NULL)
    return s->nack;
  nack_request_params_init (&params);
  params.latency = p->settings.nack_latency;
  params.min_interval = cc_time_max (NACK_REQUEST_MIN_INTERVAL, p->settings.nack_interval);
  params.watch_gaps = p->settings.auto_nack || rtp_repair_mends (&p->repair, s->ssrc);
  if (rtp_source_nack (&p->sources, s, &params) != NULL && s->reception.valid)
    nack_request_on_packet (s->nack, rtp_reception_highest (&s->reception), now);
  return s->nack;
}

bool
rtp_participant_mends_by_nack (const RtpParticipant *p, const RtpSource *s)
{
  return (p->settings.auto_nack || rtp_repair_mends (&p->repair, s->ssrc)) &&
         rtp_participant_may_send (p, RTP_FEEDBACK_NACK) && !s->retransmits;
}

void
rtp_participant_note_packet (RtpParticipant *p, RtpSource *s, uint16_t seq, CcTime now)
{
  if (rtp_participant_mends_by_nack (p, s))
    nack_of (p, s, now);
  if (s->nack != NULL)
    nack_request_on_packet (s->nack, rtp_source_extend (s, seq), now);
}

/* RFC 4588: the number it had stands in front of the payload. It is a packet of the source that misses it. */
bool
rtp_participant_note_restored (RtpParticipant *p, const RtpSource *from, uint16_t osn, CcTime now)
{
  unsigned i, k;

  for (i = 0; i < RTP_SOURCES_MAX; i++) {
    RtpSource *s = p->sources.sources[i];
    uint32_t seq;

    if (s == NULL || s == from || s->nack == NULL)
      continue;
    seq = rtp_source_extend (s, osn);
    for (k = 0; k < s->nack->n_missing; k++)
      if (s->nack->missing[k].seq == seq) {
        FbItem item = fb_item_nack (s->ssrc, osn);

        fb_retention_forget (&p->owed.retention, &item);
        rtp_participant_repair_on_restored (p, s, &s->nack->missing[k], now);
        nack_request_on_packet (s->nack, seq, now);
        return true;
      }
  }
  return false;
}

bool
rtp_participant_miss_packet (RtpParticipant *p, RtpSource *s, const RtpWantedPacket *w, CcTime now)
{
  if (!rtp_participant_may_send (p, RTP_FEEDBACK_NACK) || nack_of (p, s, now) == NULL)
    return false;
  if (w->rtt > 0 && s->key.rtt == 0)
    nack_request_set_rtt (s->nack, w->rtt);
  nack_request_want (s->nack, w->seq, w->deadline, now);
  return true;
}

/* What asking again did not mend, a key unit has to. */
static void
check_failures (RtpParticipant *p, RtpSource *s)
{
  uint64_t failed = s->nack->given_up + s->nack->hopeless;
  uint32_t lost =
      s->nack->n_missing > 0 ? s->nack->missing[0].seq - 1 : rtp_reception_highest (&s->reception) - KEY_REQUEST_MARGIN;

  if (failed > s->nack_failed && rtp_participant_auto_pli_for (p, s))
    key_request_on_loss (&s->key, lost);
  s->nack_failed = failed;
}

void
rtp_participant_on_others_nack (RtpParticipant *p, uint32_t media, const uint16_t *seqs, unsigned n, CcTime now)
{
  RtpSource *s = rtp_sources_find (&p->sources, media);
  unsigned i;

  if (s == NULL)
    return;
  for (i = 0; i < n; i++) {
    FbItem item = fb_item_nack (media, seqs[i]);

    fb_retention_on_received (&p->owed.retention, &item, now);
    if (s->nack != NULL)
      nack_request_on_asked_by_other (s->nack, seqs[i], now);
  }
}

static bool
is_first_request (const NackRequest *nack, uint16_t seq)
{
  const NackMissing *m = nack_request_missing (nack, seq);

  return m != NULL && m->tries == 0 && m->others == 0;
}

/* What others asked for after it was missed here, nack_request_on_asked_by_other () has seen to. True: something is
   left to ask for. */
static bool
leave_to_others (RtpParticipant *p, RtpSource *s, CcTime t0, CcTime now)
{
  uint16_t seqs[NACK_REQUEST_MAX_MISSING];
  unsigned i, n = nack_request_take_due (s->nack, seqs, NACK_REQUEST_MAX_MISSING, now);

  for (i = 0; i < n; i++) {
    FbItem item = fb_item_nack (s->ssrc, seqs[i]);

    if (is_first_request (s->nack, seqs[i]) && fb_retention_suppress (&p->owed.retention, &item, t0))
      nack_request_on_asked_by_other (s->nack, seqs[i], now);
  }
  return nack_request_take_due (s->nack, seqs, 1, now) > 0;
}

void
rtp_participant_settle_nack (RtpParticipant *p, RtpSource *s, CcTime now)
{
  if (s->nack != NULL && s->nack_t0 != CC_TIME_NONE && !leave_to_others (p, s, s->nack_t0, now))
    s->nack_t0 = CC_TIME_NONE;
}

/* RFC 4585 3.5.2: what would come too late for max_feedback_delay is not said at all (1, 4a). */
static void
request_packets (RtpParticipant *p, RtpSource *s, CcTime now)
{
  if (!leave_to_others (p, s, now, now))
    return;
  if (rtp_turns_request (&p->turns, p->settings.max_feedback_delay, now))
    s->nack_t0 = now;
  else
    nack_request_refuse (s->nack, now);
}

void
rtp_participant_check_nack (RtpParticipant *p, RtpSource *s, CcTime now)
{
  const AvpfTiming *timing = &p->locals.locals[0].timing;
  uint16_t seq;

  if (s->nack == NULL || !rtp_participant_may_send (p, RTP_FEEDBACK_NACK))
    return;
  if (nack_request_next_timeout (s->nack) > now) {
    s->nack_t0 = CC_TIME_NONE;
    return;
  }
  if (rtp_turns_run (&p->turns))
    nack_request_set_rtcp_delay (s->nack, timing->allow_early && timing->params.avpf
                                              ? avpf_timing_dither_max (timing) / 2
                                              : cc_time_since (timing->tn, now));
  if (nack_request_take_due (s->nack, &seq, 1, now) > 0 && s->nack_t0 == CC_TIME_NONE)
    request_packets (p, s, now);
  check_failures (p, s);
}
