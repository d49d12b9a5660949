/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccsenderrate.h"
#include "lawnumber.h"
#include <math.h>

#define PROBE_GAIN 8.0 /* x start_Bps: no router's word is good for more before packets have proved it */
#define PROBE_PACKETS 6
#define UNANSWERED_EVERY (100 * CC_MSECOND) /* a packet then, to learn when it ends */

void
cc_sender_params_init (CcSenderParams *params)
{
  *params = (CcSenderParams){.mode = CC_MODE_LOW_DELAY,
      .start_Bps = 300e3 / 8,
      .min_Bps = 30e3 / 8,
      .max_Bps = 20e6 / 8,
      .overhead_bytes = 28,
      .loss_tolerance = 0.2,
      .weight = 1,
      .pacing_gain = 1.5};
  send_buffer_params_init (&params->buffer);
  tfrc_sender_params_init (&params->tfrc);
  circuit_breaker_params_init (&params->circuit);
  burst_control_params_init (&params->burst);
}

static double
clamp (double value, double low, double high)
{
  return value < low ? low : value > high ? high : value;
}

static void
update_rate (CcSender *s, CcTime now)
{
  SendRate r = cc_sender_rate (s, now);

  s->rate_Bps = r.rate_Bps;
  s->limit = r.limit;
  s->owner = r.owner;
}

void
cc_sender_init (CcSender *s, const CcSenderParams *params, CcPacket *ring, uint32_t capacity, CcTime now)
{
  CcPacerParams pacer;

  *s = (CcSender){.params = *params, .mode = params->mode};
  path_word_init (&s->path);
  sent_traffic_init (&s->sent, now);
  silent_path_init (&s->silence);
  plain_reports_init (&s->plain, params->start_Bps);
  ready_frames_init (&s->frames, &params->burst, params->random, s->mode == CC_MODE_BURST_CONTROL);
  if (!(s->params.pacing_gain >= 1))
    s->params.pacing_gain = 1;
  cc_sender_set_loss_tolerance (s, params->loss_tolerance);
  cc_sender_set_ecn (s, params->ecn);
  if (s->mode == CC_MODE_LOW_DELAY && !(s->params.tfrc.initial_Bps > 0))
    s->params.tfrc.initial_Bps = s->params.start_Bps / cc_sender_wire_factor (s);
  report_admission_init (&s->admission, params->random.next ? params->random.next (params->random.user) : 0, now);
  rate_bounds_init (&s->bounds);
  train_credit_init (&s->credit, now);
  tfrc_sender_init (&s->tfrc, &s->params.tfrc, now);
  send_buffer_init (&s->buffer, &params->buffer, ring, capacity);
  cc_pacer_params_init (&pacer);
  cc_pacer_init (&s->pacer, &pacer, now);
  circuit_breaker_init (&s->circuit, &params->circuit);
  cc_sender_set_limits (s, params->min_Bps, params->max_Bps);
  s->rate_Bps = clamp (params->start_Bps, s->params.min_Bps, s->params.max_Bps);
  update_rate (s, now);
  cc_pacer_set_rate (&s->pacer, s->rate_Bps);
}

void
cc_sender_set_ecn (CcSender *s, ArrivalEcn ecn)
{
  s->params.ecn = ecn;
  if (ecn == ARRIVAL_ECT_1 && s->mode != CC_MODE_LOW_DELAY)
    ecn = ARRIVAL_ECT_0;
  if (ecn != s->ecn.wanted)
    ecn_probe_init (&s->ecn, ecn);
}

ArrivalEcn
cc_sender_next_ecn (CcSender *s)
{
  return ecn_probe_next (&s->ecn);
}

void
cc_sender_set_loss_tolerance (CcSender *s, double loss_tolerance)
{
  s->params.loss_tolerance = loss_tolerance > 0 ? fmin (loss_tolerance, 1) : 0;
}

void
cc_sender_set_weight (CcSender *s, double weight)
{
  s->params.weight = weight;
}

void
cc_sender_set_limits (CcSender *s, double min_Bps, double max_Bps)
{
  s->params.min_Bps = min_Bps >= 1 ? min_Bps : 1;
  s->params.max_Bps = max_Bps >= s->params.min_Bps ? max_Bps : s->params.min_Bps;
  s->rate_Bps = clamp (s->rate_Bps, s->params.min_Bps, s->params.max_Bps);
}

void
cc_sender_set_start (CcSender *s, double start_Bps, CcTime now)
{
  if (s->admission.report_at != CC_TIME_NONE || plain_reports_came (&s->plain) || !(start_Bps > 0))
    return;
  s->params.start_Bps = start_Bps;
  plain_reports_set_start (&s->plain, start_Bps);
  if (s->mode == CC_MODE_LOW_DELAY) {
    s->params.tfrc.initial_Bps = start_Bps / cc_sender_wire_factor (s);
    tfrc_sender_init (&s->tfrc, &s->params.tfrc, now);
  }
  update_rate (s, now);
  cc_pacer_set_rate (&s->pacer, s->rate_Bps);
}

void
cc_sender_set_mode (CcSender *s, CcMode mode, CcTime now)
{
  s->mode = mode;
  cc_sender_set_ecn (s, s->params.ecn);
  ready_frames_set_spread (&s->frames, mode == CC_MODE_BURST_CONTROL, s->buffer.count);
  update_rate (s, now);
  cc_pacer_set_rate (&s->pacer, s->rate_Bps);
}

void
cc_sender_set_max_delay (CcSender *s, CcDuration max_delay)
{
  s->params.buffer.max_delay = max_delay;
  s->buffer.params.max_delay = max_delay;
}

static void
follow_circuit (CcSender *s, CcTime now)
{
  if (circuit_trial_follow (&s->trial, &s->circuit, s->sent.Bps))
    update_rate (s, now);
}

void
cc_sender_set_circuit_action (CcSender *s, CircuitAction action)
{
  circuit_breaker_set_action (&s->circuit, action);
}

void
cc_sender_set_burst (CcSender *s, const BurstControlParams *burst)
{
  burst_control_set_params (&s->frames.burst, burst);
}

void
cc_sender_set_redundancy (CcSender *s, double redundancy)
{
  s->redundancy = redundancy > 0 ? redundancy : 0;
}

static void
tell_circuit_of_rtcp (CcSender *s, bool about_us, CcTime now)
{
  circuit_breaker_on_rtcp (&s->circuit, about_us, now);
  follow_circuit (s, now);
}

void
cc_sender_on_rtcp (CcSender *s, CcTime now)
{
  tell_circuit_of_rtcp (s, false, now);
}

void
cc_sender_on_report_block (CcSender *s, const CircuitReport *report, CcTime now)
{
  /* what a mean still has of a rate that is over was no disobedience */
  circuit_breaker_on_report (&s->circuit, report, fmin (s->sent.Bps, s->sent.now_Bps) / cc_sender_wire_factor (s), now);
  follow_circuit (s, now);
}

static void
tell_circuit (CcSender *s, bool progress, CcTime now)
{
  circuit_breaker_on_feedback (&s->circuit, progress, now);
  follow_circuit (s, now);
}

bool
cc_sender_push (CcSender *s, const CcPacket *packet, CcTime now)
{
  if (!send_buffer_push (&s->buffer, packet, now))
    return false;
  ready_frames_on_push (&s->frames, packet, now);
  return true;
}

static SendBufferPath
buffer_path (const CcSender *s)
{
  return (SendBufferPath){.X_Bps = s->rate_Bps / cc_sender_wire_factor (s), .R = s->tfrc.R};
}

uint32_t
cc_sender_room (const CcSender *s)
{
  SendBufferPath path = buffer_path (s);

  return send_buffer_frame_budget (&s->buffer, &path);
}

bool
cc_sender_may_repeat (const CcSender *s, uint32_t size_bytes, CcDuration since)
{
  return since >= s->tfrc.R || size_bytes <= cc_sender_room (s);
}

/* The path is known to carry the rate: it set it, or would carry more than is wanted of it. */
static bool
path_carries (const CcSender *s, CcTime now)
{
  return s->mode == CC_MODE_LOW_DELAY && cc_sender_path_is_fresh (s, now) &&
         (s->limit == CC_LIMIT_DELAY || s->limit == CC_LIMIT_MAX);
}

static TrainPath
train_path (const CcSender *s, CcTime now)
{
  return (TrainPath){.rate_Bps = s->rate_Bps,
      .gain = s->params.pacing_gain,
      .told = cc_sender_path_is_fresh (s, now),
      .capacity_Bps = s->path.report.capacity_Bps,
      .queue_delay = s->path.report.queue_delay,
      .shared_out = isfinite (rate_bounds_explicit (&s->bounds, now)),
      .even = ecn_probe_is_l4s (&s->ecn, now),
      .carried = path_carries (s, now),
      .most_Bps = fmin (s->params.max_Bps, rate_bounds_upper (&s->bounds, now)),
      .frame_interval = s->frames.interval,
      .queued_bytes = (double)s->buffer.queued_bytes,
      .packet_bytes = s->sent.packet_bytes + s->params.overhead_bytes,
      .last_bytes = s->pacer.last_bytes};
}

/* A frame that is coded now leaves as a train, faster than the rate as far as credit goes. */
static uint32_t
frame_budget (const CcSender *s, CcTime now)
{
  SendBufferPath path = buffer_path (s), train = path;
  TrainPath credit = train_path (s, now);
  double wire = cc_sender_wire_factor (s), saved = train_credit_most (&credit) / wire;

  if (s->mode != CC_MODE_LOW_DELAY)
    return send_buffer_frame_budget (&s->buffer, &path);
  train.X_Bps = train_credit_frame_rate (&credit) / wire;
  return (uint32_t)fmin (
      send_buffer_frame_budget (&s->buffer, &train), send_buffer_frame_budget (&s->buffer, &path) + saved);
}

static double
pace_rate (const CcSender *s, CcTime now)
{
  TrainPath path = train_path (s, now);

  if (s->mode != CC_MODE_LOW_DELAY)
    return s->rate_Bps;
  if (s->params.probe && s->sent.packets < PROBE_PACKETS)
    return PROBE_GAIN * s->rate_Bps;
  return train_credit_rate (&s->credit, &path);
}

static void
on_sent (CcSender *s, const CcPacket *packet, CcTime now)
{
  uint32_t wire = packet->size_bytes + s->params.overhead_bytes;
  TrainPath path;

  report_admission_on_sent (&s->admission, packet->frame_end, now);
  tfrc_sender_on_sent (&s->tfrc, packet->size_bytes, s->buffer.count > 0, now);
  circuit_breaker_on_sent (&s->circuit, packet->size_bytes, packet->frame, now);
  sent_traffic_on_packet (&s->sent, packet->size_bytes, wire, packet->resent && !packet->repair, now);
  path = train_path (s, now);
  train_credit_refill (&s->credit, &path, now);
  train_credit_on_sent (&s->credit, &path, wire);
  cc_pacer_set_even (&s->pacer, path.even);
  cc_pacer_on_sent (&s->pacer, wire, s->tfrc.R, now);
  cc_pacer_set_rate (&s->pacer, pace_rate (s, now));
  ready_frames_on_sent (&s->frames, now);
}

bool
cc_sender_is_unanswered (const CcSender *s)
{
  return s->mode == CC_MODE_LOW_DELAY && report_admission_is_unanswered (&s->admission, s->tfrc.R);
}

/* What goes first, as sound beside video, waits for its turn at the rate, not for what frames left beyond it. */
static CcTime
next_paced (const CcSender *s)
{
  CcTime paced = cc_pacer_next (&s->pacer, s->tfrc.R);
  double last_bytes = s->pacer.last_bytes;

  if (s->mode != CC_MODE_LOW_DELAY || !send_buffer_goes_first (&s->buffer) ||
      !train_credit_is_owed (&s->credit, last_bytes))
    return paced;
  return cc_time_min (paced, cc_time_add (s->admission.last_sent_at, cc_duration (last_bytes / s->rate_Bps)));
}

static CcTime
next_send (const CcSender *s)
{
  CcTime paced, held = cc_time_add (s->admission.last_sent_at, UNANSWERED_EVERY);

  if (s->buffer.count == 0)
    return CC_TIME_NONE;
  if (s->mode == CC_MODE_BURST_CONTROL)
    return ready_frames_next (&s->frames);
  paced = next_paced (s);
  return cc_sender_is_unanswered (s) && held > paced ? held : paced;
}

CcSenderVerdict
cc_sender_pull (CcSender *s, CcTime now, CcPacket *packet)
{
  SendBufferPath path = buffer_path (s);
  SendBufferVerdict verdict;

  if (circuit_breaker_ceases (&s->circuit))
    send_buffer_clear (&s->buffer);
  verdict = send_buffer_head (&s->buffer, &path, now, packet);

  if (verdict == SEND_BUFFER_DISCARD) {
    send_buffer_pop (&s->buffer, now);
    s->packets_dropped++;
    ready_frames_on_discard (&s->frames);
    return CC_SENDER_DISCARD;
  }
  if (verdict == SEND_BUFFER_EMPTY || next_send (s) > now)
    return CC_SENDER_WAIT;
  send_buffer_pop (&s->buffer, now);
  on_sent (s, packet, now);
  return CC_SENDER_SEND;
}

void
cc_sender_stamp (const CcSender *s, CcTime now, RtpRttSendts *stamp)
{
  stamp->rtt = s->tfrc.R;
  stamp->sent_at_us = report_admission_stamp_us (&s->admission, now);
}

static void
on_any_report (CcSender *s, CcTime now)
{
  CcDuration T = s->admission.report_at == CC_TIME_NONE ? 0 : cc_time_since (now, s->admission.report_at);

  silent_path_on_report (&s->silence, s->rate_Bps, T, now);
  report_admission_on_report (&s->admission, now);
}

void
cc_sender_on_tfrc_report (CcSender *s, const TfrcReport *report, CcTime now)
{
  TfrcFeedback feedback = {.received_at = now,
      .t_recvdata = report_admission_stamped_at (&s->admission, report->t_i_us, now),
      .t_delay = report->t_delay,
      .X_recv = report->X_recv,
      .p = report->p};

  if (feedback.t_recvdata == CC_TIME_NONE || !(report->X_recv >= 0)) {
    s->bad_reports++;
    return;
  }
  switch (tfrc_sender_on_feedback (&s->tfrc, &feedback)) {
  case TFRC_FEEDBACK_INVALID:
    s->bad_reports++;
    return;
  case TFRC_FEEDBACK_OLD:
    path_word_on_old_tfrc_report (&s->path);
    tell_circuit (s, false, now);
    return;
  case TFRC_FEEDBACK_OK:
    break;
  }
  report_admission_on_answer (&s->admission, feedback.t_recvdata);
  tell_circuit (s, true, now);
  s->reports++;
  path_word_on_tfrc_report (&s->path, now);
  on_any_report (s, now);
  update_rate (s, now);
}

void
cc_sender_on_packet_verdict (CcSender *s, const CcPacketVerdict *verdict, CcTime now)
{
  if (report_admission_is_fresh (&s->admission, s->path.tfrc_at, now))
    return;
  switch (tfrc_sender_on_feedback (&s->tfrc, &verdict->tfrc)) {
  case TFRC_FEEDBACK_INVALID:
    s->bad_reports++;
    return;
  case TFRC_FEEDBACK_OLD:
    return;
  case TFRC_FEEDBACK_OK:
    break;
  }
  s->packet_reports++;
  report_admission_on_answer (&s->admission, verdict->tfrc.t_recvdata);
  report_admission_set_whole_frames (&s->admission, verdict->whole_frames);
  plain_reports_on_sign_of_life (&s->plain, now);
  tell_circuit (s, true, now);
  path_word_work_out (&s->path, &verdict->path, now);
  ecn_probe_on_report (&s->ecn, verdict->path.ecn, now);
  on_any_report (s, now);
  update_rate (s, now);
}

void
cc_sender_on_path_report (CcSender *s, const PathReport *report, CcTime now)
{
  if (path_word_is_absurd (report)) {
    s->bad_reports++;
    return;
  }
  if (path_word_on_report (&s->path, report, now)) {
    ecn_probe_on_report (&s->ecn, report->ecn, now);
    on_any_report (s, now);
  }
  update_rate (s, now);
}

void
cc_sender_on_receiver_report (CcSender *s, double fraction_lost, CcDuration R, CcTime now)
{
  const PlainReport report = {fraction_lost, R};
  const PlainFlow flow = cc_sender_plain_flow (s);

  if (plain_reports_are_absurd (&report)) {
    s->bad_reports++;
    return;
  }
  tell_circuit_of_rtcp (s, true, now);
  if (s->tfrc.got_feedback) {
    plain_reports_on_sign_of_life (&s->plain, now);
    return;
  }
  if (silent_path_is_silent (&s->silence))
    plain_reports_on_silence_over (&s->plain, s->params.start_Bps);
  plain_reports_on_report (&s->plain, &flow, &report, now);
  tfrc_sender_on_sign_of_life (&s->tfrc, now);
  silent_path_on_plain_report (&s->silence);
  update_rate (s, now);
}

static RateBoundsParams
bounds_params (const CcSender *s)
{
  return (RateBoundsParams){.floor_Bps = s->params.min_Bps, .life = report_admission_life (&s->admission)};
}

void
cc_sender_on_explicit_rate (CcSender *s, uint32_t from, double rate_Bps, CcTime now)
{
  const RateBoundsParams params = bounds_params (s);

  if (!rate_bounds_on_explicit_rate (&s->bounds, &params, from, rate_Bps, now)) {
    s->bad_reports++;
    return;
  }
  on_any_report (s, now);
  update_rate (s, now);
}

void
cc_sender_on_router_rate (CcSender *s, uint32_t from, double rate_Bps, CcTime now)
{
  const RateBoundsParams params = bounds_params (s);

  if (!rate_bounds_on_explicit_rate (&s->bounds, &params, from, rate_Bps, now)) {
    s->bad_reports++;
    return;
  }
  if (!(s->probed_Bps > 0)) {
    s->probed_Bps = fmax (fmin (rate_Bps, PROBE_GAIN * s->params.start_Bps), s->params.min_Bps);
    s->params.start_Bps = fmin (s->params.start_Bps, s->probed_Bps);
  }
  update_rate (s, now);
}

void
cc_sender_on_rate_bound (CcSender *s, uint32_t from, double rate_Bps, CcTime now)
{
  const RateBoundsParams params = bounds_params (s);

  if (rate_bounds_on_bound (&s->bounds, &params, from, rate_Bps, now))
    update_rate (s, now);
  else
    s->bad_reports++;
}

static CcTime
expires_at (const CcSender *s, CcTime at, CcTime after)
{
  CcTime end = cc_time_add (at, report_admission_life (&s->admission));

  return at == CC_TIME_NONE || end <= after ? CC_TIME_NONE : end;
}

CcTime
cc_sender_next_timeout (const CcSender *s)
{
  CcTime at = cc_time_min (next_send (s), tfrc_sender_next_timeout (&s->tfrc));

  at = cc_time_min (at, expires_at (s, s->path.at, s->credit.credit_at));
  at = cc_time_min (at, circuit_breaker_next_timeout (&s->circuit));
  return cc_time_min (at, rate_bounds_next_timeout (&s->bounds));
}

/* Where the receiver owes no report, its report blocks show that it is there. */
static bool
is_silent (const CcSender *s, CcTime now)
{
  bool owed = report_admission_is_owed (&s->admission);

  if ((!s->tfrc.got_feedback || !owed) && plain_reports_are_fresh (&s->plain, now))
    return false;
  if (!owed && report_admission_is_fresh (&s->admission, s->admission.report_at, now))
    return false;
  return report_admission_is_silent (&s->admission, now);
}

/* A no-feedback timer that ran while nothing was to be answered says nothing. */
static void
run_tfrc (CcSender *s, CcTime now)
{
  if (s->tfrc.got_feedback && !report_admission_is_owed (&s->admission) && !is_silent (s, now))
    tfrc_sender_on_nothing_owed (&s->tfrc, now);
  else
    tfrc_sender_on_timeout (&s->tfrc, now);
}

void
cc_sender_on_timeout (CcSender *s, CcTime now)
{
  bool sent = s->tfrc.sent_since_timer_set;
  uint64_t expiries = s->tfrc.nofeedback_expiries;
  TrainPath path;

  run_tfrc (s, now);
  if (s->tfrc.nofeedback_expiries > expiries && sent && is_silent (s, now))
    silent_path_on_expiry (&s->silence);
  rate_bounds_on_timeout (&s->bounds, now);
  circuit_breaker_on_timeout (&s->circuit, now);
  follow_circuit (s, now);
  path = train_path (s, now);
  train_credit_refill (&s->credit, &path, now);
  update_rate (s, now);
}

void
cc_sender_status (const CcSender *s, CcTime now, CcSenderStatus *status)
{
  SendBufferPath path = buffer_path (s);
  EncoderAdvice encoder = cc_sender_encoder_advice (s);
  double sent = sent_traffic_rate (&s->sent, now);

  *status = (CcSenderStatus){.rate_Bps = s->rate_Bps,
      .media_Bps = encoder_advice_media (&encoder),
      .encoder_Bps = encoder_advice_rate (&encoder),
      .sent_Bps = sent,
      .rtt = s->tfrc.R,
      .p = s->tfrc.p,
      .queue_delay = cc_sender_path_is_fresh (s, now) ? s->path.report.queue_delay : 0,
      .explicit_Bps = isfinite (rate_bounds_upper (&s->bounds, now)) ? rate_bounds_upper (&s->bounds, now) : 0,
      .backlog_bytes = s->buffer.queued_bytes,
      .backlog_delay = cc_duration (s->buffer.queued_bytes / path.X_Bps),
      .frame_budget_bytes = frame_budget (s, now),
      .pause = cc_sender_is_unanswered (s),
      .limit = s->limit,
      .owner = s->owner,
      .ecn = s->ecn.state,
      .circuit = s->circuit.state,
      .circuit_reason = s->circuit.reason};
  if (s->limit == CC_LIMIT_DELAY && s->sent.Bps > 0 && LAW_TRIED * sent < s->rate_Bps) {
    status->limit = CC_LIMIT_APPLICATION;
    status->owner = RATE_OWNER_APPLICATION;
  }
}

bool
cc_sender_take_key_unit_wanted (CcSender *s)
{
  bool wanted = send_buffer_take_key_unit_wanted (&s->buffer) || s->trial.key_unit_wanted;

  s->trial.key_unit_wanted = false;
  return wanted && !circuit_breaker_ceases (&s->circuit);
}
