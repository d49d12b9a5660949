/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Redundancy (rtpfec.h): how much of it is asked for, what is made of it. */
#include "rtpparticipantprivate.h"

#include "rtcprepair.h"

#define PLAN_INTERVAL (500 * CC_MSECOND)
#define ASK_INTERVAL CC_SECOND    /* again, while any is wanted */
#define WORKS_FOR (2 * CC_SECOND) /* a sum shows that the peer sends them */

void
rtp_participant_fec_init (RtpParticipant *p)
{
  FecPlanParams params;

  cc_memory_put (&p->params.memory, p->fec.decoder);
  p->fec = (RtpFec){.heard_at = CC_TIME_NONE};
  fec_plan_params_init (&params);
  fec_plan_init (&p->fec.plan, &params);
}

void
rtp_participant_fec_clear (RtpParticipant *p)
{
  cc_memory_put (&p->params.memory, p->fec.decoder);
  p->fec.decoder = NULL;
}

/* Beside that of packets sent again, which is 127 or 126. */
static uint8_t
payload_type (const RtpParticipant *p)
{
  const RtpSource *s = rtp_sources_find (&p->sources, p->repair.media);
  uint8_t type = (uint8_t)(p->repair.payload_type - 1);

  return s != NULL && s->payload_type == type ? (uint8_t)(type - 1) : type;
}

bool
rtp_participant_fec_carries (const RtpParticipant *p, uint32_t ssrc, uint8_t type)
{
  return p->fec.decoder != NULL && rtp_repair_carries (&p->repair, ssrc) && type == payload_type (p);
}

/* ---- what is asked for ---- */

static FecView
view_of (const RtpParticipant *p)
{
  const RepairPlan *r = &p->repair.plan;
  CcDuration late = cc_duration (r->lateness.mean);
  RecentLoss own = repair_plan_own_loss (r);
  FecView v = {.loss = own.loss,
      .burst = own.burst,
      .frame_packets = r->frame_packets,
      .frame_interval = cc_duration (r->interval),
      .most = r->params.most > late ? r->params.most - late : 0};

  if (!p->repair.agreed || !repair_plan_can_ask (r, &v.answer, &v.unanswered)) {
    v.answer = 0;
    v.unanswered = 1;
  }
  return v;
}

static bool
works (const RtpParticipant *p, CcTime now)
{
  return p->fec.plan.share > 0 && p->fec.heard_at != CC_TIME_NONE && cc_time_since (now, p->fec.heard_at) < WORKS_FOR;
}

/* What is left for requests to do; until a sum has come, all. */
static void
tell_plan (RtpParticipant *p, CcTime now)
{
  const FecPlan *plan = &p->fec.plan;
  bool counts = works (p, now);

  repair_plan_set_redundancy (
      &p->repair.plan, counts ? plan->failing : 1, counts ? plan->wait : 0, counts ? plan->params.patience : 0);
}

static void
get_decoder (RtpParticipant *p)
{
  if (p->fec.decoder != NULL || p->fec.plan.share == 0)
    return;
  p->fec.decoder = cc_memory_get (&p->params.memory, sizeof *p->fec.decoder);
  if (p->fec.decoder != NULL)
    fec_decoder_init (p->fec.decoder, p->repair.media);
}

static void
run_plan (RtpParticipant *p, CcTime now)
{
  FecView view = view_of (p);
  double before = p->fec.plan.share;

  p->fec.plan_at = cc_time_add (now, PLAN_INTERVAL);
  fec_plan_update (&p->fec.plan, &view);
  get_decoder (p);
  if (p->fec.plan.share != before)
    p->fec.ask_at = now;
  tell_plan (p, now);
}

void
rtp_participant_fec_on_packet (RtpParticipant *p, const RtpSource *s, const RtpPacket *packet, CcTime now)
{
  if (!p->settings.repair_fec || p->repair.ssrc == 0 || s->ssrc != p->repair.media)
    return;
  if (now >= p->fec.plan_at)
    run_plan (p, now);
  if (p->fec.decoder != NULL)
    fec_decoder_on_packet (p->fec.decoder, packet->csrcs - RTP_HEADER_BYTES, packet->size);
}

/* When none are wanted any more that is said once. */
bool
rtp_participant_add_fec_request (RtpParticipant *p, RtcpWriter *rtcp, uint32_t sender, CcTime now)
{
  RtpFec *f = &p->fec;
  RtcpRepair request = {.kind = RTCP_REPAIR_FEC, .share = f->plan.share, .span = p->repair.plan.wait};
  uint8_t fci[RTCP_REPAIR_SIZE_MAX];

  if (!p->settings.repair_fec || p->repair.ssrc == 0 || now < f->ask_at || (f->plan.share == 0 && f->told == 0))
    return false;
  request.ssrc = p->repair.ssrc;
  request.payload_type = payload_type (p);
  if (!rtcp_add_afb (rtcp, sender, p->repair.media, fci, rtcp_repair_write (fci, sizeof fci, &request)))
    return false;
  f->told = f->plan.share;
  f->ask_at = cc_time_add (now, ASK_INTERVAL);
  return true;
}

/* ---- what comes ---- */

void
rtp_participant_on_sum (RtpParticipant *p, const RtpPacket *packet, CcTime now)
{
  p->fec.heard_at = now;
  fec_decoder_on_sum (p->fec.decoder, packet->payload, packet->payload_bytes);
}

void
rtp_participant_fec_on_restored (RtpParticipant *p, const uint8_t *packet, size_t size)
{
  if (p->fec.decoder != NULL)
    fec_decoder_on_packet (p->fec.decoder, packet, size);
}

/* Nobody need be asked for it any more. */
static void
note_mended (RtpParticipant *p, uint16_t seq, CcTime now)
{
  RtpSource *s = rtp_sources_find (&p->sources, p->repair.media);
  FbItem item = fb_item_nack (p->repair.media, seq);

  fb_retention_forget (&p->owed.retention, &item);
  if (s == NULL || s->nack == NULL)
    return;
  nack_request_on_packet (s->nack, rtp_source_extend (s, seq), now);
}

size_t
rtp_participant_take_mended (RtpParticipant *p, uint8_t *out, size_t capacity, CcTime now)
{
  RtpPacket packet;
  size_t size;

  if (p->fec.decoder == NULL)
    return 0;
  size = fec_decoder_take (p->fec.decoder, out, capacity);
  if (size == 0 || !rtp_packet_parse (&packet, out, size))
    return 0;
  note_mended (p, packet.seq, now);
  return size;
}
