/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "streamrepair.h"
#include "rtpwire.h"

namespace sim
{

/* tfrcsink's and the participant's */
static const CcDuration request_life = 3 * CC_SECOND, plan_interval = 500 * CC_MSECOND, ask_interval = CC_SECOND,
                        sums_work_for = 2 * CC_SECOND;
static const double some_loss = 0.002;
static const size_t most_sum_bytes = FEC_HEAD_BYTES + FEC_SYMBOL_MAX;

/* ---- sender ---- */

void
SumSource::on_request (const RtcpRepair &request, CcTime now)
{
  if (!asked) {
    fec_encoder_init (&encoder, request.span, 1);
    fec_dose_init (&dose);
  }
  asked = true;
  asked_at = now;
  fec_encoder_set_span (&encoder, request.span);
  fec_dose_set_share (&dose, request.share);
}

std::vector<std::vector<uint8_t>>
SumSource::on_sent (
    const std::vector<uint8_t> &rtp, uint16_t seq, const CcPacket &packet, const CcSender &cc, CcTime now)
{
  FecDosePacket what = {
      packet.frame_end, packet.key_unit, false, cc.rate_Bps, cc.sent.Bps, packet.size_bytes, 0, cc_sender_room (&cc)};
  std::vector<std::vector<uint8_t>> sums;

  if (!asked)
    return sums;
  if (cc_time_since (now, asked_at) > request_life)
    fec_dose_set_share (&dose, 0);
  fec_encoder_on_packet (&encoder, rtp.data (), rtp.size (), seq, now);
  what.sum_bytes = fec_encoder_size (&encoder, now) + packet.size_bytes - rtp.size () + rtp_fixed_bytes;
  for (unsigned n = fec_dose_on_packet (&dose, &what); n > 0; n--) {
    std::vector<uint8_t> sum (most_sum_bytes);
    sum.resize (fec_encoder_repair (&encoder, sum.data (), sum.size (), now));
    if (sum.empty ())
      break;
    sums.push_back (std::move (sum));
  }
  return sums;
}

double
SumSource::redundancy () const
{
  return asked ? fec_dose_redundancy (&dose) : 0;
}

/* ---- receiver ---- */

void
StreamRepair::start (const RepairSpec &s)
{
  RepairPlanParams params;
  FecPlanParams fec_params;

  spec = s;
  repair_plan_params_init (&params);
  params.least = cc_duration (spec.least_s);
  params.most = cc_duration (spec.most_s);
  params.max_rounds = spec.rtx ? params.max_rounds : 0;
  repair_plan_init (&repair, &params);
  fec_plan_params_init (&fec_params);
  fec_plan_init (&fec, &fec_params);
}

void
StreamRepair::on_packet (
    const uint8_t *rtp, size_t size, uint32_t seq, const StreamPath &path, NackRequest *nack, CcTime now)
{
  repair_plan_on_packet (&repair, seq, rtcp_get_u32 (rtp + 4), path.queued, now);
  if (nack->unanswered > unanswered)
    repair_plan_on_failure (&repair, nack->unanswered - unanswered);
  unanswered = nack->unanswered;
  repair_plan_set_rtt (&repair, path.rtt);
  if (spec.fec && now >= plan_at)
    plan_sums (now);
  repair_plan_update (&repair, now);
  repair_plan_apply (&repair, nack);
  if (!decoder && fec.share > 0) {
    decoder = std::make_unique<FecDecoder> ();
    fec_decoder_init (decoder.get (), rtcp_get_u32 (rtp + 8));
  }
  if (decoder)
    fec_decoder_on_packet (decoder.get (), rtp, size);
}

void
StreamRepair::plan_sums (CcTime now)
{
  CcDuration late = cc_duration (repair.lateness.mean);
  RecentLoss own = repair_plan_own_loss (&repair);
  FecView view = {};
  double before = fec.share;

  view.loss = own.loss;
  view.burst = own.burst;
  view.frame_packets = repair.frame_packets;
  view.frame_interval = cc_duration (repair.interval);
  view.most = repair.params.most > late ? repair.params.most - late : 0;
  if (!spec.rtx || !repair_plan_can_ask (&repair, &view.answer, &view.unanswered)) {
    view.answer = 0;
    view.unanswered = 1;
  }
  plan_at = now + plan_interval;
  fec_plan_update (&fec, &view);
  if (fec.share != before)
    ask_at = now;
  bool works = fec.share > 0 && heard_at != CC_TIME_NONE && cc_time_since (now, heard_at) < sums_work_for;
  repair_plan_set_redundancy (&repair, works ? fec.failing : 1, works ? fec.wait : 0, works ? fec.params.patience : 0);
}

void
StreamRepair::on_restored (const uint8_t *rtp, size_t size, const NackMissing *missing, CcTime now)
{
  if (missing)
    repair_plan_on_answer (&repair, missing->tries, cc_time_since (now, missing->at));
  if (decoder)
    fec_decoder_on_packet (decoder.get (), rtp, size);
}

void
StreamRepair::on_asked (const NackRequest &nack, const uint16_t *seqs, size_t n, CcTime now)
{
  for (size_t i = 0; i < n; i++) {
    const NackMissing *missing = nack_request_missing (&nack, seqs[i]);
    if (missing && missing->tries == 0)
      repair_plan_on_asked (&repair, cc_time_since (now, missing->at));
  }
}

void
StreamRepair::on_sum (const uint8_t *payload, size_t size, CcTime now)
{
  heard_at = now;
  if (decoder)
    fec_decoder_on_sum (decoder.get (), payload, size);
}

std::vector<uint8_t>
StreamRepair::take_mended ()
{
  std::vector<uint8_t> packet (FEC_SYMBOL_MAX);

  packet.resize (decoder ? fec_decoder_take (decoder.get (), packet.data (), packet.size ()) : 0);
  return packet;
}

/* When none are wanted any more that is said once. */
size_t
StreamRepair::write_request (uint8_t *fci, size_t capacity, CcTime now)
{
  RtcpRepair request = {};

  if (!spec.fec || now < ask_at || (fec.share == 0 && told == 0))
    return 0;
  request.kind = RTCP_REPAIR_FEC;
  request.payload_type = 98;
  request.ssrc = 1;
  request.share = fec.share;
  request.span = repair.wait;
  told = fec.share;
  ask_at = now + ask_interval;
  return rtcp_repair_write (fci, capacity, &request);
}

double
StreamRepair::wait_s () const
{
  return cc_seconds (repair.wait);
}

const RepairPlan &
StreamRepair::plan () const
{
  return repair;
}

const FecPlan &
StreamRepair::sums () const
{
  return fec;
}

bool
StreamRepair::requests_come_first () const
{
  return repair.rounds > 0 && repair.all.loss > some_loss;
}

} // namespace sim
