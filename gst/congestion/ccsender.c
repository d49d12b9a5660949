/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccsender.h"
#include "tfrcequation.h"
#include <math.h>

#define SENT_WINDOW (500 * CC_MSECOND)
#define PROBE_GAIN 8.0 /* x start_Bps: no router's word is good for more before packets have proved it */
#define PROBE_PACKETS 6
#define PLAIN_SILENT_INTERVALS 3
#define UNANSWERED_EVERY (100 * CC_MSECOND) /* a packet then, to learn when it ends */
#define APPLICATION_LIMIT 2.0               /* x what was sent */
#define RESUME 0.5 /* x the rate before a silence: what RFC 5348 4.4 takes off it before anything else */
#define RESUME_TIME (500 * CC_MSECOND) /* for that to show on the path, and all of it may be tried */
#define HAD_MEMORY 10.0                /* s: outages of more are long */
#define TCP_SEGMENT 1460.0             /* bytes */
#define CIRCUIT_BREAKER 10.0           /* x TCP, RFC 8083 4.3 */
#define TRIED_PART 10.0                /* the cut by which RFC 8083 4.3 lets a sender go on */
#define CIRCUIT_SHARE 0.8              /* of that, at most: a call with less rate is better than none */
#define PLAIN_INTERVAL (5 * CC_SECOND) /* of receiver reports, RFC 3550 6.2 */
#define PLAIN_GAIN 0.25
#define SOME_LOSS 0.01
#define PLAIN_R (200 * CC_MSECOND) /* while no sender report has been echoed */
#define R_MIN CC_MSECOND
#define R_MAX (10 * CC_SECOND)

const char *
cc_limit_name (CcLimit limit)
{
  static const char *const names[] = {"start", "equation", "delay", "explicit-rate", "receive-rate", "no-feedback",
      "min", "max", "application", "circuit-breaker"};

  return (unsigned)limit < sizeof names / sizeof *names ? names[limit] : "unknown";
}

void
cc_sender_params_init (CcSenderParams *params)
{
  *params = (CcSenderParams){.mode = CC_MODE_LOW_DELAY,
      .start_Bps = 300e3 / 8,
      .min_Bps = 30e3 / 8,
      .max_Bps = 20e6 / 8,
      .overhead_bytes = 28,
      .loss_tolerance = 0.1,
      .pacing_gain = 1.5};
  send_buffer_params_init (&params->buffer);
  tfrc_sender_params_init (&params->tfrc);
  circuit_breaker_params_init (&params->circuit);
}

static double
clamp (double value, double low, double high)
{
  return value < low ? low : value > high ? high : value;
}

/* What an encoder may be told now. */
static EncoderAdvice
advice (const CcSender *s)
{
  return (EncoderAdvice){.rate_Bps = s->rate_Bps,
      .sent_Bps = s->sent_Bps,
      .resent_Bps = s->params.pays_resent ? s->resent_Bps : 0,
      .packet_bytes = s->mean_packet_bytes,
      .overhead_bytes = s->params.overhead_bytes,
      .queued_bytes = (double)s->buffer.queued_bytes,
      .frame_interval = s->frame_interval};
}

static double
wire_factor (const CcSender *s)
{
  EncoderAdvice a = advice (s);

  return encoder_advice_wire_factor (&a);
}

static bool
is_fresh (const CcSender *s, CcTime at, CcTime now)
{
  return report_admission_is_fresh (&s->admission, at, now);
}

typedef struct {
  double rate_Bps;
  CcLimit limit;
  RateOwner owner;
} Allowed;

/* But for the path rate, of which the receiver says it. */
static Allowed
allowed (double rate_Bps, CcLimit limit)
{
  static const RateOwner owners[] = {RATE_OWNER_START, RATE_OWNER_LOSS, RATE_OWNER_UNKNOWN, RATE_OWNER_ROUTER,
      RATE_OWNER_APPLICATION, RATE_OWNER_SILENCE, RATE_OWNER_MIN, RATE_OWNER_MAX, RATE_OWNER_APPLICATION,
      RATE_OWNER_CIRCUIT_BREAKER};

  return (Allowed){rate_Bps, limit, owners[limit]};
}

static void
lower (Allowed *a, double rate_Bps, CcLimit limit)
{
  if (rate_Bps < a->rate_Bps)
    *a = allowed (rate_Bps, limit);
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
  if (s->plain.rate_Bps == s->params.start_Bps)
    return CC_LIMIT_START;
  return s->plain_p > SOME_LOSS ? CC_LIMIT_EQUATION : CC_LIMIT_DELAY;
}

/* What was had of late has been tried. After a silence the path may be another: half of it, until no queue has come of
   that. */
static double
had_rate (const CcSender *s, CcTime now)
{
  bool resumed = s->resumed_at != CC_TIME_NONE && cc_time_since (now, s->resumed_at) < RESUME_TIME;

  return (resumed ? RESUME : 1) * s->had_Bps;
}

static Allowed
received_path_rate (const CcSender *s, double tried_Bps)
{
  if (tried_Bps < s->path.rate_Bps)
    return (Allowed){tried_Bps, CC_LIMIT_DELAY, RATE_OWNER_APPLICATION};
  return (Allowed){s->path.rate_Bps, CC_LIMIT_DELAY, s->path.owner};
}

/* What limits before loss and silence have their say: the receiver's path rate, else an explicit rate, else TFRC. */
static Allowed
path_rate (const CcSender *s, CcTime now)
{
  double tried = fmax (fmax (s->rate_Bps, s->params.start_Bps), APPLICATION_LIMIT * s->sent_Bps);

  tried = fmax (tried, had_rate (s, now));

  if (is_fresh (s, s->path_at, now))
    return received_path_rate (s, fmax (tried, s->probed_Bps));
  if (isfinite (rate_bounds_explicit (&s->bounds, now)))
    return allowed (fmin (rate_bounds_explicit (&s->bounds, now), tried), CC_LIMIT_EXPLICIT_RATE);
  if (s->tfrc.got_feedback)
    return allowed (fmin (tfrc_sender_rate (&s->tfrc) * wire_factor (s), tried), tfrc_limit (s));
  if (s->plain_at != CC_TIME_NONE)
    return allowed (s->plain.rate_Bps, plain_limit (s));
  return allowed (s->params.start_Bps, CC_LIMIT_START);
}

/* RFC 5348 3.1, with what plain receiver reports tell. */
static double
plain_equation (const CcSender *s)
{
  return tfrc_throughput (s->mean_packet_bytes, cc_seconds (s->plain_R), s->plain_p, s->params.tfrc.rto) *
         wire_factor (s);
}

/* The share of the packets lost that is no congestion, by the receiver. */
static double
excused_loss (const CcSender *s, CcTime now)
{
  double most = fmin (s->path.loss, s->params.loss_tolerance);

  return is_fresh (s, s->path_at, now) ? fmin (s->path.excused, most) : 0;
}

/* p without it. */
static double
congestion_p (const CcSender *s, CcTime now)
{
  double excused = excused_loss (s, now);

  return excused > 0 ? s->tfrc.p * (1 - excused / s->path.loss) : s->tfrc.p;
}

/* RFC 5348 3.1 or RFC 9438 5.1, whichever TCP has more. Its packets are larger: between two loss events of a path it
   counts fewer of them (the virtual packets of Widmer, Boutremans & Le Boudec 2004). Where p is so large that time-outs
   rule, that were less than RFC 5348 has by the packets as they are. */
static double
tcp_rate (const CcSender *s, double R, double p)
{
  TfrcRto rto = s->params.tfrc.rto;
  double segment = fmax (s->tfrc.s, TCP_SEGMENT), virtual_p = p * segment / s->tfrc.s;
  double reno = fmax (tfrc_throughput (s->tfrc.s, R, p, rto), tfrc_throughput (segment, R, virtual_p, rto));

  return fmax (reno, cubic_throughput (segment, R, virtual_p));
}

/* What a TCP has over the loss that is congestion: no more than twice what arrives, and well below where the circuit
   breaker of RFC 8083 4.3 would stop the flow for the rest of it. Congestion comes and goes, a TCP's queue overflows
   for a second in ten, and the breaker counts what lasts. */
static double
equation (const CcSender *s, CcTime now)
{
  double R = cc_seconds (s->tfrc.R), p = fmax (s->tfrc.p, excused_loss (s, now));
  double tcp = tcp_rate (s, R, congestion_p (s, now));
  double breaker = CIRCUIT_BREAKER * s->tfrc.s / (R * sqrt (2 * p / 3));

  tcp = fmin (tcp, APPLICATION_LIMIT * tfrc_sender_X_recv (&s->tfrc));
  return fmax (s->tfrc.X_Bps, fmin (tcp, CIRCUIT_SHARE * breaker));
}

static Allowed
low_delay_rate (const CcSender *s, CcTime now)
{
  Allowed a = path_rate (s, now);

  if (s->tfrc.got_feedback && s->tfrc.p > 0)
    lower (&a, equation (s, now) * wire_factor (s), CC_LIMIT_EQUATION);
  if (!s->tfrc.got_feedback && s->plain_p > 0)
    lower (&a, plain_equation (s), CC_LIMIT_EQUATION);
  lower (&a, rate_bounds_upper (&s->bounds, now), CC_LIMIT_EXPLICIT_RATE);
  lower (&a, a.rate_Bps * s->no_feedback_scale, CC_LIMIT_NO_FEEDBACK);
  return a;
}

static Allowed
rfc5348_rate (const CcSender *s, CcTime now)
{
  Allowed a = allowed (tfrc_sender_pace_rate (&s->tfrc) * wire_factor (s), tfrc_limit (s));

  lower (&a, rate_bounds_upper (&s->bounds, now), CC_LIMIT_EXPLICIT_RATE);
  return a;
}

/* RFC 8083 4.5: what opened the circuit may still be there. */
static bool
is_tried (const CcSender *s)
{
  return s->circuit.state == CIRCUIT_TRYING &&
         (s->circuit.reason == CIRCUIT_CONGESTION || s->circuit.reason == CIRCUIT_USABILITY);
}

static void
update_rate (CcSender *s, CcTime now)
{
  Allowed a = allowed (s->params.max_Bps, CC_LIMIT_MAX);

  if (s->mode == CC_MODE_LOW_DELAY)
    a = low_delay_rate (s, now);
  else if (s->mode == CC_MODE_RFC5348)
    a = rfc5348_rate (s, now);
  if (is_tried (s))
    lower (&a, s->tried_Bps, CC_LIMIT_CIRCUIT_BREAKER);
  if (s->mode == CC_MODE_LOW_DELAY)
    lower (&a, CIRCUIT_SHARE * circuit_breaker_limit_Bps (&s->circuit), CC_LIMIT_CIRCUIT_BREAKER);
  if (!(a.rate_Bps > s->params.min_Bps))
    a = allowed (s->params.min_Bps, CC_LIMIT_MIN);
  else if (a.rate_Bps >= s->params.max_Bps)
    a = allowed (s->params.max_Bps, CC_LIMIT_MAX);
  if (circuit_breaker_ceases (&s->circuit))
    a = allowed (s->params.min_Bps, CC_LIMIT_CIRCUIT_BREAKER);
  s->rate_Bps = a.rate_Bps;
  s->limit = a.limit;
  s->owner = a.owner;
}

void
cc_sender_init (CcSender *s, const CcSenderParams *params, CcPacket *ring, uint32_t capacity, CcTime now)
{
  CcPacerParams pacer;
  BurstControlParams burst;

  *s = (CcSender){.params = *params,
      .mode = params->mode,
      .path_at = CC_TIME_NONE,
      .tfrc_at = CC_TIME_NONE,
      .resumed_at = CC_TIME_NONE,
      .no_feedback_scale = 1,
      .plain_at = CC_TIME_NONE,
      .plain_R = PLAIN_R,
      .frame_interval = 33 * CC_MSECOND,
      .frame_at = CC_TIME_NONE,
      .mean_packet_bytes = 1000,
      .sent_window_at = now};
  if (!(s->params.pacing_gain >= 1))
    s->params.pacing_gain = 1;
  cc_sender_set_loss_tolerance (s, params->loss_tolerance);
  if (s->mode == CC_MODE_LOW_DELAY && !(s->params.tfrc.initial_Bps > 0))
    s->params.tfrc.initial_Bps = s->params.start_Bps / wire_factor (s);
  report_admission_init (&s->admission, params->random.next ? params->random.next (params->random.user) : 0, now);
  rate_bounds_init (&s->bounds);
  train_credit_init (&s->credit, now);
  tfrc_sender_init (&s->tfrc, &s->params.tfrc, now);
  send_buffer_init (&s->buffer, &params->buffer, ring, capacity);
  cc_pacer_params_init (&pacer);
  cc_pacer_init (&s->pacer, &pacer, now);
  burst_control_params_init (&burst);
  burst_control_init (&s->burst, &burst, params->random);
  circuit_breaker_init (&s->circuit, &params->circuit);
  cc_sender_set_limits (s, params->min_Bps, params->max_Bps);
  plain_rate_init (&s->plain, params->start_Bps);
  s->rate_Bps = clamp (params->start_Bps, s->params.min_Bps, s->params.max_Bps);
  update_rate (s, now);
  cc_pacer_set_rate (&s->pacer, s->rate_Bps);
}

void
cc_sender_set_loss_tolerance (CcSender *s, double loss_tolerance)
{
  s->params.loss_tolerance = loss_tolerance > 0 ? fmin (loss_tolerance, 1) : 0;
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
  if (s->admission.report_at != CC_TIME_NONE || s->plain_at != CC_TIME_NONE || !(start_Bps > 0))
    return;
  s->params.start_Bps = start_Bps;
  plain_rate_init (&s->plain, start_Bps);
  if (s->mode == CC_MODE_LOW_DELAY) {
    s->params.tfrc.initial_Bps = start_Bps / wire_factor (s);
    tfrc_sender_init (&s->tfrc, &s->params.tfrc, now);
  }
  update_rate (s, now);
  cc_pacer_set_rate (&s->pacer, s->rate_Bps);
}

void
cc_sender_set_mode (CcSender *s, CcMode mode, CcTime now)
{
  s->mode = mode;
  s->burst_ready = s->buffer.count;
  s->frame_packets = 0;
  update_rate (s, now);
  cc_pacer_set_rate (&s->pacer, s->rate_Bps);
}

void
cc_sender_set_max_delay (CcSender *s, CcDuration max_delay)
{
  s->params.buffer.max_delay = max_delay;
  s->buffer.params.max_delay = max_delay;
}

/* Around whatever the circuit breaker is told. */
static void
follow_circuit (CcSender *s, CircuitState before, CcTime now)
{
  if (s->circuit.state == before)
    return;
  if (s->circuit.state == CIRCUIT_OPEN)
    s->tried_Bps = s->sent_Bps / TRIED_PART;
  s->key_unit_wanted |= before == CIRCUIT_OPEN && s->circuit.params.action == CIRCUIT_CEASE;
  update_rate (s, now);
}

void
cc_sender_set_circuit_action (CcSender *s, CircuitAction action)
{
  circuit_breaker_set_action (&s->circuit, action);
}

void
cc_sender_on_rtcp (CcSender *s)
{
  circuit_breaker_on_rtcp (&s->circuit, false);
}

void
cc_sender_on_report_block (CcSender *s, const CircuitReport *report, CcTime now)
{
  CircuitState before = s->circuit.state;

  /* what a mean still has of a rate that is over was no disobedience */
  circuit_breaker_on_report (&s->circuit, report, fmin (s->sent_Bps, s->sent_now_Bps) / wire_factor (s), now);
  follow_circuit (s, before, now);
}

static void
tell_circuit (CcSender *s, bool progress, CcTime now)
{
  CircuitState before = s->circuit.state;

  circuit_breaker_on_feedback (&s->circuit, progress, now);
  follow_circuit (s, before, now);
}

static void
close_burst_frame (CcSender *s, CcTime now)
{
  if (s->frame_packets == 0)
    return;
  s->burst_ready += s->frame_packets;
  s->frame_packets = 0;
  if (s->mode == CC_MODE_BURST_CONTROL)
    burst_control_on_frame (&s->burst, s->burst_ready, 0, now);
}

static void
begin_frame (CcSender *s, uint32_t frame, CcTime now)
{
  if (s->frame_at != CC_TIME_NONE) {
    CcDuration gap = cc_time_since (now, s->frame_at);

    close_burst_frame (s, now);
    if (gap < CC_SECOND)
      s->frame_interval = (7 * s->frame_interval + gap) / 8;
  }
  s->frame_at = now;
  s->frame = frame;
}

bool
cc_sender_push (CcSender *s, const CcPacket *packet, CcTime now)
{
  if (!send_buffer_push (&s->buffer, packet, now))
    return false;
  if (packet->resent || packet->repair) {
    s->burst_ready++;
    return true;
  }
  if (s->frame_at == CC_TIME_NONE || packet->frame != s->frame)
    begin_frame (s, packet->frame, now);
  s->frame_packets++;
  if (packet->frame_end)
    close_burst_frame (s, now);
  return true;
}

static SendBufferPath
buffer_path (const CcSender *s)
{
  return (SendBufferPath){.X_Bps = s->rate_Bps / wire_factor (s), .R = s->tfrc.R};
}

/* The path is known to carry the rate: it set it, or would carry more than is wanted of it. */
static bool
path_carries (const CcSender *s, CcTime now)
{
  return s->mode == CC_MODE_LOW_DELAY && is_fresh (s, s->path_at, now) &&
         (s->limit == CC_LIMIT_DELAY || s->limit == CC_LIMIT_MAX);
}

static TrainPath
train_path (const CcSender *s, CcTime now)
{
  return (TrainPath){.rate_Bps = s->rate_Bps,
      .gain = s->params.pacing_gain,
      .told = is_fresh (s, s->path_at, now),
      .capacity_Bps = s->path.capacity_Bps,
      .queue_delay = s->path.queue_delay,
      .shared_out = isfinite (rate_bounds_explicit (&s->bounds, now)),
      .carried = path_carries (s, now),
      .frame_interval = s->frame_interval,
      .queued_bytes = (double)s->buffer.queued_bytes,
      .packet_bytes = s->mean_packet_bytes + s->params.overhead_bytes,
      .last_bytes = s->pacer.last_bytes};
}

static double
pace_rate (const CcSender *s, CcTime now)
{
  TrainPath path = train_path (s, now);

  if (s->mode != CC_MODE_LOW_DELAY)
    return s->rate_Bps;
  if (s->params.probe && s->packets_sent < PROBE_PACKETS)
    return PROBE_GAIN * s->rate_Bps;
  return train_credit_rate (&s->credit, &path);
}

static void
count_sent (CcSender *s, uint32_t wire_bytes, CcTime now)
{
  CcDuration elapsed = cc_time_since (now, s->sent_window_at);

  if (elapsed >= SENT_WINDOW) {
    double fresh = (double)s->sent_window_bytes / cc_seconds (elapsed);

    s->sent_Bps = s->sent_Bps > 0 ? 0.5 * (s->sent_Bps + fresh) : fresh;
    s->sent_now_Bps = fresh;
    s->sent_window_at = now;
    s->resent_Bps = 0.5 * (s->resent_Bps + (double)s->resent_window_bytes / cc_seconds (elapsed));
    s->sent_window_bytes = s->resent_window_bytes = 0;
  }
  s->sent_window_bytes += wire_bytes;
  s->packets_sent++;
  s->bytes_sent += wire_bytes;
}

static void
on_sent (CcSender *s, const CcPacket *packet, CcTime now)
{
  uint32_t wire = packet->size_bytes + s->params.overhead_bytes;
  TrainPath path;

  report_admission_on_sent (&s->admission, now);
  s->mean_packet_bytes += (fmax (packet->size_bytes, 12) - s->mean_packet_bytes) / (s->packets_sent ? 16 : 1);
  if (s->burst_ready > 0)
    s->burst_ready--;
  tfrc_sender_on_sent (&s->tfrc, packet->size_bytes, s->buffer.count > 0, now);
  circuit_breaker_on_sent (&s->circuit, packet->size_bytes, packet->frame, now);
  count_sent (s, wire, now);
  if (packet->resent)
    s->resent_window_bytes += wire;
  path = train_path (s, now);
  train_credit_refill (&s->credit, &path, now);
  train_credit_on_sent (&s->credit, &path, wire);
  cc_pacer_on_sent (&s->pacer, wire, s->tfrc.R, now);
  cc_pacer_set_rate (&s->pacer, pace_rate (s, now));
  if (s->mode == CC_MODE_BURST_CONTROL)
    burst_control_on_sent (&s->burst, now);
}

bool
cc_sender_is_unanswered (const CcSender *s)
{
  return s->mode == CC_MODE_LOW_DELAY && report_admission_is_unanswered (&s->admission, s->tfrc.R);
}

static CcTime
next_send (const CcSender *s)
{
  CcTime paced, held = cc_time_add (s->admission.last_sent_at, UNANSWERED_EVERY);

  if (s->buffer.count == 0)
    return CC_TIME_NONE;
  if (s->mode == CC_MODE_BURST_CONTROL)
    return s->burst_ready > 0 ? burst_control_next (&s->burst) : CC_TIME_NONE;
  paced = cc_pacer_next (&s->pacer, s->tfrc.R);
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
    if (s->burst_ready > 0)
      s->burst_ready--;
    else if (s->frame_packets > 0)
      s->frame_packets--;
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
note_had (CcSender *s, CcTime now)
{
  CcDuration T = s->admission.report_at == CC_TIME_NONE ? 0 : cc_time_since (now, s->admission.report_at);

  if (!(s->no_feedback_scale < 1))
    s->had_Bps = fmax (s->rate_Bps, s->had_Bps * fmax (1 - cc_seconds (T) / HAD_MEMORY, 0));
}

static void
on_any_report (CcSender *s, CcTime now)
{
  note_had (s, now);
  report_admission_on_report (&s->admission, now);
  if (s->no_feedback_scale < 1)
    s->resumed_at = now;
  s->no_feedback_scale = 1;
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
    s->told_again = true;
    tell_circuit (s, false, now);
    return;
  case TFRC_FEEDBACK_OK:
    break;
  }
  s->told_again = false;
  report_admission_on_answer (&s->admission, feedback.t_recvdata);
  tell_circuit (s, true, now);
  s->reports++;
  s->tfrc_at = now;
  if (s->path_is_ours)
    s->path_at = CC_TIME_NONE; /* the receiver knows better */
  s->path_is_ours = false;
  on_any_report (s, now);
  update_rate (s, now);
}

void
cc_sender_packet_feedback_params (const CcSender *s, CcPacketFeedbackParams *params)
{
  cc_packet_feedback_params_init (params);
  params->path =
      (PathRateParams){.start_Bps = s->params.start_Bps, .min_Bps = s->params.min_Bps, .max_Bps = s->params.max_Bps};
  params->rto = s->params.tfrc.rto;
  params->overhead_bytes = s->params.overhead_bytes;
}

static void
take_packet_verdict (CcSender *s, const CcPacketVerdict *verdict, CcTime now)
{
  if (is_fresh (s, s->tfrc_at, now))
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
  tell_circuit (s, true, now);
  s->path = verdict->path;
  s->path_at = now;
  s->path_is_ours = true;
  on_any_report (s, now);
  update_rate (s, now);
}

static void
limit_path_rate (const CcSender *s, CcPacketFeedback *f)
{
  f->path.params.min_Bps = s->params.min_Bps;
  f->path.params.max_Bps = s->params.max_Bps;
}

void
cc_sender_on_ccfb (CcSender *s, CcPacketFeedback *f, const RtcpCcfbReader *report, CcTime now)
{
  CcPacketVerdict verdict;

  limit_path_rate (s, f);
  if (cc_packet_feedback_on_ccfb (f, report, s->tfrc.R, s->tfrc.s, now, &verdict))
    take_packet_verdict (s, &verdict, now);
}

void
cc_sender_on_twcc (CcSender *s, CcPacketFeedback *f, const RtcpTwccReader *report, CcTime now)
{
  CcPacketVerdict verdict;

  limit_path_rate (s, f);
  if (cc_packet_feedback_on_twcc (f, report, s->tfrc.R, s->tfrc.s, now, &verdict))
    take_packet_verdict (s, &verdict, now);
}

void
cc_sender_on_told (CcSender *s, CcPacketFeedback *f, const CcToldPacket *told, unsigned n, CcTime now)
{
  CcPacketVerdict verdict;

  limit_path_rate (s, f);
  if (cc_packet_feedback_on_told (f, told, n, s->tfrc.R, s->tfrc.s, now, &verdict))
    take_packet_verdict (s, &verdict, now);
}

void
cc_sender_on_path_report (CcSender *s, const PathReport *report, CcTime now)
{
  if (!(report->rate_Bps > 0) || !isfinite (report->rate_Bps) || !(report->capacity_Bps >= 0) ||
      !(report->loss >= 0 && report->loss <= 1 && report->excused >= 0)) {
    s->bad_reports++;
    return;
  }
  if (s->told_again) {
    s->path.rate_Bps = fmin (s->path.rate_Bps, report->rate_Bps);
  } else {
    s->path = *report;
    s->path_at = now;
    s->path_is_ours = false;
    on_any_report (s, now);
  }
  update_rate (s, now);
}

/* Loss takes the rate no further down than TCP would go for it: it may have other causes than the rate. */
static void
run_plain (CcSender *s, double fraction_lost, CcDuration R, CcTime now)
{
  double before;

  if (s->no_feedback_scale < 1)
    s->plain.rate_Bps = fmin (s->plain.rate_Bps, s->params.start_Bps); /* after a silence: from the start */
  before = s->plain.rate_Bps;
  plain_rate_on_report (&s->plain, fraction_lost, R, s->sent_Bps, now);
  if (fraction_lost > 0)
    s->plain.rate_Bps = fmax (s->plain.rate_Bps, fmin (before, plain_equation (s)));
  s->plain.rate_Bps = clamp (s->plain.rate_Bps, s->params.min_Bps, s->params.max_Bps);
}

void
cc_sender_on_receiver_report (CcSender *s, double fraction_lost, CcDuration R, CcTime now)
{
  if (!(fraction_lost >= 0 && fraction_lost <= 1) || R > R_MAX) {
    s->bad_reports++;
    return;
  }
  circuit_breaker_on_rtcp (&s->circuit, true);
  if (s->tfrc.got_feedback)
    return;
  s->plain_p += PLAIN_GAIN * (fraction_lost - s->plain_p);
  if (R > 0)
    s->plain_R = R > R_MIN ? R : R_MIN;
  s->plain_at = now;
  run_plain (s, fraction_lost, R, now);
  tfrc_sender_on_sign_of_life (&s->tfrc, now);
  s->no_feedback_scale = 1;
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

  at = cc_time_min (at, expires_at (s, s->path_at, s->credit.credit_at));
  at = cc_time_min (at, circuit_breaker_next_timeout (&s->circuit));
  return cc_time_min (at, rate_bounds_next_timeout (&s->bounds));
}

static bool
is_silent (const CcSender *s, CcTime now)
{
  if (!s->tfrc.got_feedback && s->plain_at != CC_TIME_NONE &&
      cc_time_since (now, s->plain_at) <= PLAIN_SILENT_INTERVALS * PLAIN_INTERVAL)
    return false;
  return report_admission_is_silent (&s->admission, now);
}

void
cc_sender_on_timeout (CcSender *s, CcTime now)
{
  bool sent = s->tfrc.sent_since_timer_set;
  CircuitState before = s->circuit.state;
  uint64_t expiries = s->tfrc.nofeedback_expiries;
  TrainPath path;

  tfrc_sender_on_timeout (&s->tfrc, now);
  if (s->tfrc.nofeedback_expiries > expiries && sent && is_silent (s, now))
    s->no_feedback_scale = fmax (s->no_feedback_scale / 2, 1e-6);
  rate_bounds_on_timeout (&s->bounds, now);
  circuit_breaker_on_timeout (&s->circuit, now);
  follow_circuit (s, before, now);
  path = train_path (s, now);
  train_credit_refill (&s->credit, &path, now);
  update_rate (s, now);
}

void
cc_sender_status (const CcSender *s, CcTime now, CcSenderStatus *status)
{
  SendBufferPath path = buffer_path (s);
  EncoderAdvice encoder = advice (s);
  double idle = cc_seconds (cc_time_since (now, s->sent_window_at));
  double sent = idle > 1 ? (double)s->sent_window_bytes / idle : s->sent_Bps;

  *status = (CcSenderStatus){.rate_Bps = s->rate_Bps,
      .media_Bps = encoder_advice_media (&encoder),
      .encoder_Bps = encoder_advice_rate (&encoder),
      .sent_Bps = sent,
      .rtt = s->tfrc.R,
      .p = s->tfrc.p,
      .queue_delay = is_fresh (s, s->path_at, now) ? s->path.queue_delay : 0,
      .explicit_Bps = isfinite (rate_bounds_upper (&s->bounds, now)) ? rate_bounds_upper (&s->bounds, now) : 0,
      .backlog_bytes = s->buffer.queued_bytes,
      .backlog_delay = cc_duration (s->buffer.queued_bytes / path.X_Bps),
      .frame_budget_bytes = send_buffer_frame_budget (&s->buffer, &path),
      .limit = s->limit,
      .owner = s->owner,
      .circuit = s->circuit.state,
      .circuit_reason = s->circuit.reason};
  if (s->limit == CC_LIMIT_DELAY && s->sent_Bps > 0 && APPLICATION_LIMIT * sent < s->rate_Bps) {
    status->limit = CC_LIMIT_APPLICATION;
    status->owner = RATE_OWNER_APPLICATION;
  }
}

bool
cc_sender_take_key_unit_wanted (CcSender *s)
{
  bool wanted = send_buffer_take_key_unit_wanted (&s->buffer) || s->key_unit_wanted;

  s->key_unit_wanted = false;
  return wanted && !circuit_breaker_ceases (&s->circuit);
}
