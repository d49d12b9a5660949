/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost packets sent again (rtprepair.h): the offer, what is asked for, what comes. */
#include "rtpparticipantprivate.h"

#include <string.h>

#include "rtcpbytes.h"
#include "rtcprepair.h"

#define FIRST_OFFER (250 * CC_MSECOND) /* again, twice as long each time it is not taken */
#define SLOW_OFFER (5 * CC_SECOND)
#define AGREED_OFFER (2 * CC_SECOND)
#define AGREEMENT_LIFE (10 * CC_SECOND) /* several of the peer's report intervals */
#define SOME_LOSS 0.002                 /* a packet every five seconds of 1 Mb/s */
#define PAYLOAD_TYPE 127                /* the last one, or the one in front of it where the stream has that */
#define OSN_BYTES 2                     /* RFC 4588 4 */

void
rtp_participant_repair_init (RtpParticipant *p)
{
  RepairPlanParams params;

  repair_plan_params_init (&params);
  if (p->stream.clock_rate != 0)
    params.clock_rate = p->stream.clock_rate;
  p->repair = (RtpRepair){.heard_at = CC_TIME_NONE, .offer_interval = FIRST_OFFER};
  repair_plan_init (&p->repair.plan, &params);
  rtp_participant_fec_init (p);
  rtp_participant_apply_repair (p);
}

static void
set_agreed (RtpParticipant *p, bool agreed)
{
  if (p->repair.agreed == agreed)
    return;
  p->repair.agreed = agreed;
  p->attendance.changed = true;
  rtp_turns_set_peer_takes_less (&p->turns, agreed);
}

static unsigned
default_rounds (void)
{
  RepairPlanParams params;

  repair_plan_params_init (&params);
  return params.max_rounds;
}

void
rtp_participant_apply_repair (RtpParticipant *p)
{
  repair_plan_set_limits (&p->repair.plan, p->settings.nack_latency, p->settings.repair_latency);
  p->repair.plan.params.max_rounds = p->settings.repair_rtx ? default_rounds () : 0;
  if (!p->settings.repair || !p->settings.repair_fec)
    rtp_participant_fec_init (p);
  if (p->settings.repair)
    return;
  p->repair.ssrc = 0;
  set_agreed (p, false);
}

/* ---- the agreement ---- */

/* With another SSRC each time: under a key its numbers are used once (RFC 3711 9.1). */
static void
draw_stream (RtpParticipant *p, const RtpSource *s, CcTime now)
{
  RtpRepair *r = &p->repair;

  r->media = s->ssrc;
  r->ssrc = rtp_participant_fresh_ssrc (p);
  r->payload_type = s->payload_type == PAYLOAD_TYPE ? PAYLOAD_TYPE - 1 : PAYLOAD_TYPE;
  r->offer_at = now;
  r->offer_interval = FIRST_OFFER;
}

/* Another stream, another offer. */
static void
offer_for (RtpParticipant *p, const RtpSource *s, CcTime now)
{
  if (p->repair.ssrc != 0 && p->repair.media == s->ssrc)
    return;
  set_agreed (p, false);
  if (p->repair.media != s->ssrc)
    rtp_participant_repair_init (p);
  draw_stream (p, s, now);
}

bool
rtp_participant_add_repair_offer (RtpParticipant *p, RtcpWriter *rtcp, uint32_t sender, CcTime now)
{
  RtpRepair *r = &p->repair;
  RtcpRepair offer = {.kind = RTCP_REPAIR_RTX, .payload_type = r->payload_type, .ssrc = r->ssrc};
  uint8_t fci[RTCP_REPAIR_SIZE];

  if (!p->settings.repair_rtx || r->ssrc == 0 || now < r->offer_at)
    return false;
  if (!rtcp_add_afb (rtcp, sender, r->media, fci, rtcp_repair_write (fci, sizeof fci, &offer)))
    return false;
  r->offer_at = cc_time_add (now, r->agreed ? AGREED_OFFER : r->offer_interval);
  r->offer_interval = 2 * r->offer_interval < SLOW_OFFER ? 2 * r->offer_interval : SLOW_OFFER;
  return true;
}

/* The next offer is of another stream; what was asked for is asked for anew. */
static void
end_agreement (RtpParticipant *p)
{
  set_agreed (p, false);
  p->repair.ssrc = 0;
  p->fec.ask_at = 0;
}

void
rtp_participant_on_repair_heard (RtpParticipant *p, uint32_t ssrc, CcTime now)
{
  if (!rtp_repair_carries (&p->repair, ssrc))
    return;
  if (!p->repair.agreed)
    rtp_events_tell_ssrc (&p->params.events, RTP_EVENT_REPAIRED, p->repair.media);
  set_agreed (p, true);
  p->repair.heard_at = now;
}

void
rtp_participant_on_repair_bye (RtpParticipant *p, uint32_t ssrc)
{
  if (rtp_repair_carries (&p->repair, ssrc))
    end_agreement (p);
}

/* ---- what is asked for ---- */

static void
run_plan (RtpParticipant *p, RtpSource *s, CcTime now)
{
  RepairPlan *plan = &p->repair.plan;

  if (s->nack == NULL)
    return;
  if (s->nack->unanswered > p->repair.unanswered)
    repair_plan_on_failure (plan, (unsigned)(s->nack->unanswered - p->repair.unanswered));
  p->repair.unanswered = s->nack->unanswered;
  repair_plan_set_rtt (plan, s->key.rtt);
  repair_plan_update (plan, now);
  s->nack->params.watch_gaps = true;
  repair_plan_apply (plan, s->nack);
}

/* Only who stamps packets may know REPR. */
static bool
is_to_be_repaired (const RtpParticipant *p, const RtpSource *s)
{
  return p->settings.repair && !s->retransmits && !rtp_repair_carries (&p->repair, s->ssrc) && s->stamped > 0 &&
         s->valid && s == rtp_sources_main (&p->sources);
}

void
rtp_participant_repair_on_packet (RtpParticipant *p, RtpSource *s, const RtpPacket *packet, CcTime now)
{
  if (!is_to_be_repaired (p, s))
    return;
  offer_for (p, s, now);
  repair_plan_on_packet (&p->repair.plan, rtp_source_extend (s, packet->seq), packet->timestamp,
      cc_receiver_queue_stands (&s->cc, now), now);
  if (p->repair.agreed && now > cc_time_add (p->repair.heard_at, AGREEMENT_LIFE))
    end_agreement (p);
  if (rtp_repair_mends (&p->repair, s->ssrc))
    run_plan (p, s, now);
  else if (s->nack != NULL)
    s->nack->params.watch_gaps = p->settings.auto_nack;
}

void
rtp_participant_repair_on_asked (RtpParticipant *p, const RtpSource *s, const uint16_t *seqs, unsigned n, CcTime now)
{
  for (unsigned i = 0; i < n && rtp_repair_mends (&p->repair, s->ssrc); i++) {
    const NackMissing *m = nack_request_missing (s->nack, seqs[i]);

    if (m != NULL && m->tries == 0)
      repair_plan_on_asked (&p->repair.plan, cc_time_since (now, m->at));
  }
}

void
rtp_participant_repair_on_restored (RtpParticipant *p, const RtpSource *s, const NackMissing *missing, CcTime now)
{
  if (rtp_repair_mends (&p->repair, s->ssrc))
    repair_plan_on_answer (&p->repair.plan, missing->tries, cc_time_since (now, missing->at));
}

bool
rtp_participant_repair_comes_first (const RtpParticipant *p)
{
  return p->repair.ssrc != 0 && p->repair.agreed && p->repair.plan.rounds > 0 && p->repair.plan.all.loss > SOME_LOSS;
}

/* ---- what comes ---- */

/* Its head without the number in front of the payload (RFC 4588 4). */
size_t
rtp_participant_restore (RtpParticipant *p, const RtpPacket *packet, const uint8_t *data, uint8_t *out)
{
  const RtpSource *s = rtp_sources_find (&p->sources, p->repair.media);
  size_t head = (size_t)(packet->payload - data);

  if (s == NULL || !rtp_repair_carries (&p->repair, packet->ssrc) || packet->payload_bytes < OSN_BYTES)
    return 0;
  memcpy (out, data, head);
  memcpy (out + head, data + head + OSN_BYTES, packet->size - head - OSN_BYTES);
  out[1] = (uint8_t)((data[1] & 0x80) | s->payload_type);
  memcpy (out + 2, data + head, OSN_BYTES);
  rtcp_put_u32 (out + 8, s->ssrc);
  p->repair.restored++;
  rtp_participant_fec_on_restored (p, out, packet->size - OSN_BYTES);
  return packet->size - OSN_BYTES;
}

CcDuration
rtp_participant_repair_wait (const RtpParticipant *p)
{
  return p->repair.agreed ? p->repair.plan.wait : p->settings.nack_latency;
}
