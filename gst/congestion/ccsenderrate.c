/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccsenderrate.h"
#include "lawnumber.h"
#include "tcprate.h"
#include <math.h>

EncoderAdvice
cc_sender_encoder_advice (const CcSender *s)
{
  return (EncoderAdvice){.rate_Bps = s->rate_Bps,
      .sent_Bps = s->sent.Bps,
      .resent_Bps = s->params.pays_resent ? s->sent.resent_Bps : 0,
      .redundancy = s->params.pays_resent ? s->redundancy : 0,
      .packet_bytes = s->sent.packet_bytes,
      .overhead_bytes = s->params.overhead_bytes,
      .queued_bytes = (double)s->buffer.queued_bytes,
      .frame_interval = s->frames.interval};
}

double
cc_sender_wire_factor (const CcSender *s)
{
  EncoderAdvice a = cc_sender_encoder_advice (s);

  return encoder_advice_wire_factor (&a);
}

bool
cc_sender_path_is_fresh (const CcSender *s, CcTime now)
{
  return report_admission_is_fresh (&s->admission, s->path.at, now);
}

static CcLimit
tfrc_limit (const CcSender *s)
{
  switch (s->tfrc.limit) {
  case TFRC_EQUATION:
    return CC_LIMIT_EQUATION;
  case TFRC_RECEIVE_RATE:
    return CC_LIMIT_RECEIVE_RATE;
  case TFRC_NO_FEEDBACK:
    return CC_LIMIT_NO_FEEDBACK;
  default:
    return CC_LIMIT_START;
  }
}

static CcLimit
plain_limit (const CcSender *s)
{
  if (s->plain.rate.rate_Bps == s->params.start_Bps)
    return CC_LIMIT_START;
  return plain_reports_tell_of_loss (&s->plain) ? CC_LIMIT_EQUATION : CC_LIMIT_DELAY;
}

PlainFlow
cc_sender_plain_flow (const CcSender *s)
{
  return (PlainFlow){.min_Bps = s->params.min_Bps,
      .max_Bps = s->params.max_Bps,
      .sent_Bps = s->sent.Bps,
      .packet_bytes = s->sent.packet_bytes,
      .wire_factor = cc_sender_wire_factor (s),
      .rto = s->params.tfrc.rto};
}

/* The share of the packets lost that is no congestion, by the receiver. */
static double
excused_loss (const CcSender *s, CcTime now)
{
  return cc_sender_path_is_fresh (s, now) ? path_word_excused (&s->path, s->params.loss_tolerance) : 0;
}

/* What a TCP has over the loss that is congestion; where nothing is known of the cause, RFC 5348's rate at least. */
static double
equation (const CcSender *s, CcTime now)
{
  const TcpPath path = {.packet_bytes = s->tfrc.s,
      .R = cc_seconds (s->tfrc.R),
      .p = s->tfrc.p,
      .rto = s->params.tfrc.rto,
      .loss = s->path.report.loss,
      .excused = excused_loss (s, now),
      .X_recv = tfrc_sender_X_recv (&s->tfrc)};

  return fmax (s->tfrc.X_Bps, tcp_rate (&path)) * cc_sender_wire_factor (s);
}

/* HUGE_VAL: none was met. */
static double
loss_bound (const CcSender *s, CcTime now)
{
  const PlainFlow flow = cc_sender_plain_flow (s);

  if (s->tfrc.got_feedback)
    return s->tfrc.p > 0 ? equation (s, now) : HUGE_VAL;
  return s->plain.p > 0 ? plain_reports_equation (&s->plain, &flow) : HUGE_VAL;
}

static double
tried_rate (const CcSender *s, CcTime now)
{
  double sent = silent_path_is_over_lately (&s->silence, now) ? s->sent.Bps : fmax (s->sent.Bps, s->sent.late_Bps);
  double tried = fmax (fmax (s->rate_Bps, s->params.start_Bps), LAW_TRIED * sent);

  return fmax (tried, silent_path_had (&s->silence, now));
}

static SendRate
low_delay_rate (const CcSender *s, CcTime now)
{
  double explicit_Bps = rate_bounds_explicit (&s->bounds, now);
  const SendRateWords words = {.path_Bps = cc_sender_path_is_fresh (s, now) ? s->path.report.rate_Bps : 0,
      .path_owner = s->path.report.owner,
      .explicit_Bps = isfinite (explicit_Bps) ? explicit_Bps : 0,
      .tfrc_Bps = s->tfrc.got_feedback ? tfrc_sender_rate (&s->tfrc) * cc_sender_wire_factor (s) : 0,
      .tfrc_limit = tfrc_limit (s),
      .plain_Bps = plain_reports_came (&s->plain) ? s->plain.rate.rate_Bps : 0,
      .plain_limit = plain_limit (s),
      .start_Bps = s->params.start_Bps,
      .tried_Bps = tried_rate (s, now),
      .probed_Bps = s->probed_Bps,
      .equation_Bps = loss_bound (s, now),
      .bound_Bps = rate_bounds_upper (&s->bounds, now),
      .scale = s->silence.scale};

  return send_rate_low_delay (&words);
}

static SendRate
rfc5348_rate (const CcSender *s, CcTime now)
{
  SendRate r = send_rate_of (tfrc_sender_pace_rate (&s->tfrc) * cc_sender_wire_factor (s), tfrc_limit (s));

  send_rate_lower (&r, rate_bounds_upper (&s->bounds, now), CC_LIMIT_EXPLICIT_RATE);
  return r;
}

SendRate
cc_sender_rate (const CcSender *s, CcTime now)
{
  SendRate r = send_rate_of (s->params.max_Bps, CC_LIMIT_MAX);

  if (s->mode == CC_MODE_LOW_DELAY)
    r = low_delay_rate (s, now);
  else if (s->mode == CC_MODE_RFC5348)
    r = rfc5348_rate (s, now);
  send_rate_lower (&r, circuit_trial_bound (&s->trial, &s->circuit), CC_LIMIT_CIRCUIT_BREAKER);
  if (s->mode == CC_MODE_LOW_DELAY)
    send_rate_lower (&r, tcp_rate_below_breaker (circuit_breaker_limit_Bps (&s->circuit)), CC_LIMIT_CIRCUIT_BREAKER);
  if (!(r.rate_Bps > s->params.min_Bps))
    r = send_rate_of (s->params.min_Bps, CC_LIMIT_MIN);
  else if (r.rate_Bps >= s->params.max_Bps)
    r = send_rate_of (s->params.max_Bps, CC_LIMIT_MAX);
  if (circuit_breaker_ceases (&s->circuit))
    r = send_rate_of (s->params.min_Bps, CC_LIMIT_CIRCUIT_BREAKER);
  return r;
}
