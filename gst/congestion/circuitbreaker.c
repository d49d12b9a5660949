/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "circuitbreaker.h"
#include <math.h>

#define TIMEOUT_INTERVALS 3 /* RFC 8083 4.1 */
#define K 5.0               /* 4.2 */
#define B 1.0               /* 4.3 */
#define TIMES_TCP 10.0
#define UNUSABLE_LOSS 0.5
#define USABLE_LOSS 0.25               /* chance does not take the one for the other in the 60 packets of a try */
#define UNUSABLE_TIME (10 * CC_SECOND) /* 4.4: seconds to tens of seconds */
#define TRY_INTERVALS 3                /* after which a try is judged by its loss: the 15 s of 4.3 are 3 x 5 */
#define MAX_WAIT (60 * CC_SECOND)
#define TR_GAIN 0.2
#define FRAMES 4.0              /* s is a mean over */
#define TF_MEMORY 10.0          /* s, 2 */
#define TF_MAX (10 * CC_SECOND) /* a pause is no frame interval */
#define PACKETS_A_FRAME 8.0     /* at most that s looks back on */
#define STOPPED (5 * CC_SECOND) /* without a packet: nothing is sent, nothing can be missed */
#define FIRST_TR (100 * CC_MSECOND)

const char *
circuit_reason_name (CircuitReason reason)
{
  static const char *const names[] = {"none", "rtcp-timeout", "media-timeout", "congestion", "media-usability"};

  return (unsigned)reason < sizeof names / sizeof *names ? names[reason] : "unknown";
}

const char *
circuit_state_name (CircuitState state)
{
  static const char *const names[] = {"closed", "open", "trying"};

  return (unsigned)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

void
circuit_breaker_params_init (CircuitBreakerParams *params)
{
  *params = (CircuitBreakerParams){.action = CIRCUIT_CEASE, .Td = 5 * CC_SECOND, .Tdr = CC_SECOND};
}

/* What was seen of the path goes; what opened the circuit last stays. */
static void
forget (CircuitBreaker *c)
{
  c->unreported_at = c->no_progress_at = c->reported_at = CC_TIME_NONE;
  c->media_timeout = 0;
  c->n_losses = 0;
  c->told_Bps = HUGE_VAL;
  c->lost = c->packets = 0;
}

void
circuit_breaker_init (CircuitBreaker *c, const CircuitBreakerParams *params)
{
  *c = (CircuitBreaker){.params = *params,
      .Tr = FIRST_TR,
      .frame_at = CC_TIME_NONE,
      .last_sent_at = CC_TIME_NONE,
      .opened_at = CC_TIME_NONE,
      .rtcp_at = CC_TIME_NONE};
  if (c->params.Td < CC_SECOND)
    c->params.Td = CC_SECOND;
  if (c->params.Tdr < CC_SECOND)
    c->params.Tdr = CC_SECOND;
  forget (c);
}

void
circuit_breaker_set_action (CircuitBreaker *c, CircuitAction action)
{
  c->params.action = action;
  if (action == CIRCUIT_OFF)
    c->state = CIRCUIT_CLOSED;
}

unsigned
circuit_media_timeout (double Tf, double Tr, double Tdr)
{
  return (unsigned)ceil (K * fmax (fmax (Tf, Tr), Tdr) / Tdr - 1e-9);
}

unsigned
circuit_cb_interval (double G, double Tf, double Tr, double Tdr, double Td)
{
  double span = fmax (fmax (10 * G * Tf, 10 * Tr), 3 * Tdr), longest = fmax (15, 3 * Td);

  return (unsigned)ceil (3 * fmin (span, longest) / (3 * Tdr) - 1e-9);
}

double
circuit_congestion_limit (double s, double Tr, double p)
{
  return p > 0 ? TIMES_TCP * s / (Tr * sqrt (2 * B * p / 3)) : HUGE_VAL;
}

bool
circuit_breaker_ceases (const CircuitBreaker *c)
{
  return c->state == CIRCUIT_OPEN && c->params.action == CIRCUIT_CEASE;
}

static void
open_circuit (CircuitBreaker *c, CircuitReason reason, CcDuration took, CcTime now)
{
  c->wait = c->state == CIRCUIT_TRYING ? 2 * c->wait : took;
  if (c->wait > MAX_WAIT)
    c->wait = MAX_WAIT;
  c->state = CIRCUIT_OPEN;
  c->reason = reason;
  c->opened_at = now;
  c->took = took;
  c->openings++;
  forget (c);
}

static void
take_frame (CircuitBreaker *c, uint32_t frame, CcTime now)
{
  CcDuration interval = c->frame_at == CC_TIME_NONE ? 0 : cc_time_since (now, c->frame_at);
  double fade = exp (-cc_seconds (interval) / TF_MEMORY);

  if (c->frame_at != CC_TIME_NONE && frame == c->frame)
    return;
  c->Tf = cc_duration (fmax (fmin (cc_seconds (interval), cc_seconds (TF_MAX)), fade * cc_seconds (c->Tf)));
  c->frame = frame;
  c->frame_at = now;
}

void
circuit_breaker_on_sent (CircuitBreaker *c, uint32_t size_bytes, uint32_t frame, CcTime now)
{
  c->s += (size_bytes - c->s) / (c->s > 0 ? FRAMES * PACKETS_A_FRAME : 1);
  take_frame (c, frame, now);
  if (c->last_sent_at != CC_TIME_NONE && cc_time_since (now, c->last_sent_at) > STOPPED)
    forget (c);
  c->last_sent_at = now;
  if (c->unreported_at == CC_TIME_NONE)
    c->unreported_at = now;
}

static void
try_again (CircuitBreaker *c)
{
  c->state = CIRCUIT_TRYING;
  c->frame_at = CC_TIME_NONE; /* that nothing left is no frame interval */
  c->restarts++;
  forget (c);
}

static bool
opened_by_timeout (const CircuitBreaker *c)
{
  return c->reason == CIRCUIT_RTCP_TIMEOUT || c->reason == CIRCUIT_MEDIA_TIMEOUT;
}

/* RFC 8083 4.5: what arrived says that what opened the circuit is over. */
static void
close_circuit (CircuitBreaker *c)
{
  if (c->state == CIRCUIT_TRYING || (c->state == CIRCUIT_OPEN && c->params.action != CIRCUIT_CEASE))
    c->state = CIRCUIT_CLOSED;
}

static void
note_progress (CircuitBreaker *c, bool progress, CcTime now)
{
  unsigned reports = circuit_media_timeout (cc_seconds (c->Tf), cc_seconds (c->Tr), cc_seconds (c->params.Tdr));
  CcDuration timeout = reports * c->params.Tdr;

  if (progress) {
    c->no_progress_at = CC_TIME_NONE;
    c->media_timeout = 0;
    if (circuit_breaker_ceases (c) && opened_by_timeout (c))
      try_again (c); /* what was under way comes through: there is a way again */
    return;
  }
  if (c->last_sent_at == CC_TIME_NONE || cc_time_since (now, c->last_sent_at) > STOPPED)
    return; /* nothing is sent that could arrive */
  if (c->no_progress_at == CC_TIME_NONE)
    c->no_progress_at = now;
  if (timeout > c->media_timeout)
    c->media_timeout = timeout;
  if (cc_time_since (now, c->no_progress_at) >= c->media_timeout && c->state != CIRCUIT_OPEN)
    open_circuit (c, CIRCUIT_MEDIA_TIMEOUT, c->media_timeout, now);
}

static const CircuitLoss *
nth_newest (const CircuitBreaker *c, unsigned n)
{
  return &c->losses[(c->newest + CIRCUIT_REPORTS - n) % CIRCUIT_REPORTS];
}

/* Mean over the last n intervals, by time. */
static double
loss_over (const CircuitBreaker *c, unsigned n)
{
  double lost = 0, span = 0;

  for (unsigned i = 0; i < n; i++) {
    lost += nth_newest (c, i)->fraction_lost * cc_seconds (nth_newest (c, i)->duration);
    span += cc_seconds (nth_newest (c, i)->duration);
  }
  return span > 0 ? lost / span : 0;
}

/* Mean packet of those that were lost over the last n intervals, bytes. */
static double
size_lost (const CircuitBreaker *c, unsigned n)
{
  double bytes = 0, lost = 0;

  for (unsigned i = 0; i < n; i++) {
    const CircuitLoss *l = nth_newest (c, i);
    double weight = l->fraction_lost * cc_seconds (l->duration);

    bytes += weight * l->s;
    lost += weight;
  }
  return lost > 0 ? bytes / lost : 0;
}

/* Each interval alike: an outage that is over is one of them, however long it was. */
static double
mean_loss (const CircuitBreaker *c, unsigned n)
{
  double lost = 0;

  for (unsigned i = 0; i < n; i++)
    lost += nth_newest (c, i)->fraction_lost;
  return lost / n;
}

/* Returns true when an interval of Tdr is full, which counts as one report on all of its packets would. One on nothing
   new has 0 lost of 0 (RFC 3550 6.4.1). */
static bool
note_loss (CircuitBreaker *c, const CircuitReport *report, CcTime now)
{
  CcDuration since = c->reported_at == CC_TIME_NONE ? c->params.Tdr : cc_time_since (now, c->reported_at);

  c->lost += report->fraction_lost * report->packets;
  c->packets += report->packets;
  if (since < c->params.Tdr || !(c->packets > 0))
    return false;
  c->newest = (c->newest + 1) % CIRCUIT_REPORTS;
  c->losses[c->newest] = (CircuitLoss){c->lost / c->packets, since, c->s};
  if (c->n_losses < CIRCUIT_REPORTS)
    c->n_losses++;
  c->lost = c->packets = 0;
  c->reported_at = now;
  return true;
}

static unsigned
cb_interval (const CircuitBreaker *c)
{
  unsigned n = circuit_cb_interval (
      1, cc_seconds (c->Tf), cc_seconds (c->Tr), cc_seconds (c->params.Tdr), cc_seconds (c->params.Td));

  return n < CIRCUIT_REPORTS ? n : CIRCUIT_REPORTS - 1;
}

/* At the end of an interval. Only while a packet leaves within each max (Tdr, Tr), and after more than CB_INTERVAL
   reports. What the interval's own reports tell could not be obeyed in it: more has to be sent than the ones before it
   let, too. */
static bool
is_congested (CircuitBreaker *c, double sent_Bps)
{
  double Tr = cc_seconds (c->Tr), least = c->s / fmax (cc_seconds (c->params.Tdr), Tr), told_Bps = c->told_Bps;
  unsigned n = cb_interval (c);

  c->told_Bps = c->n_losses >= n ? circuit_congestion_limit (c->s, Tr, loss_over (c, n)) : HUGE_VAL;
  return c->n_losses > n && sent_Bps >= least && sent_Bps > fmax (c->told_Bps, told_Bps);
}

double
circuit_breaker_limit_Bps (const CircuitBreaker *c)
{
  unsigned n = cb_interval (c);

  if (c->params.action == CIRCUIT_OFF || c->n_losses < n)
    return INFINITY;
  return circuit_congestion_limit (fmax (c->s, size_lost (c, n)), cc_seconds (c->Tr), loss_over (c, n));
}

static unsigned
usability_intervals (const CircuitBreaker *c)
{
  return c->state == CIRCUIT_TRYING ? TRY_INTERVALS : (unsigned)(UNUSABLE_TIME / c->params.Tdr);
}

static bool
is_unusable (const CircuitBreaker *c)
{
  unsigned n = usability_intervals (c);

  return n > 0 && c->n_losses >= n && mean_loss (c, n) >= UNUSABLE_LOSS;
}

/* Progress shows that a timeout is over, a few intervals that congestion is. */
static bool
is_over (const CircuitBreaker *c)
{
  switch (c->reason) {
  case CIRCUIT_CONGESTION:
    return c->n_losses > cb_interval (c);
  case CIRCUIT_USABILITY:
    return c->n_losses >= TRY_INTERVALS && mean_loss (c, TRY_INTERVALS) < USABLE_LOSS;
  default:
    return true;
  }
}

static void
take_round_trip (CircuitBreaker *c, CcDuration Tr, CcTime now)
{
  if (Tr == 0)
    return;
  for (unsigned i = cc_round_trip_steps (c->Tr, Tr, cc_time_since (now, c->sampled_at)); i > 0; i--)
    c->Tr = cc_duration ((1 - TR_GAIN) * cc_seconds (c->Tr) + TR_GAIN * cc_seconds (Tr));
  c->sampled_at = now;
}

static void
judge (CircuitBreaker *c, const CircuitReport *report, double sent_Bps, CcTime now)
{
  bool full = note_loss (c, report, now), closed = c->state != CIRCUIT_OPEN;

  if (full && closed && is_congested (c, sent_Bps))
    open_circuit (c, CIRCUIT_CONGESTION, cb_interval (c) * c->params.Tdr, now);
  else if (full && closed && is_unusable (c))
    open_circuit (c, CIRCUIT_USABILITY, usability_intervals (c) * c->params.Tdr, now);
  else if (report->packets > 0 && is_over (c))
    close_circuit (c);
}

/* Whoever is silent for as long has lost us, or there was no way: its end says that there is one again. RTCP that comes
   all the while, and tells of nothing that arrived, does not. */
static bool
was_silent (const CircuitBreaker *c, CcTime now)
{
  return c->rtcp_at == CC_TIME_NONE || cc_time_since (now, c->rtcp_at) >= TIMEOUT_INTERVALS * c->params.Td;
}

void
circuit_breaker_on_rtcp (CircuitBreaker *c, bool about_us, CcTime now)
{
  if (circuit_breaker_ceases (c) && was_silent (c, now))
    try_again (c);
  c->rtcp_at = now;
  if (!about_us)
    return;
  c->heard = true;
  c->unreported_at = CC_TIME_NONE;
}

void
circuit_breaker_on_feedback (CircuitBreaker *c, bool progress, CcTime now)
{
  if (c->params.action == CIRCUIT_OFF)
    return;
  circuit_breaker_on_rtcp (c, true, now);
  note_progress (c, progress, now);
  if (progress && is_over (c))
    close_circuit (c);
}

void
circuit_breaker_on_report (CircuitBreaker *c, const CircuitReport *report, double sent_Bps, CcTime now)
{
  if (c->params.action == CIRCUIT_OFF || !(report->fraction_lost >= 0 && report->fraction_lost <= 1) ||
      !(report->packets >= 0))
    return;
  circuit_breaker_on_rtcp (c, true, now);
  take_round_trip (c, report->Tr, now);
  note_progress (c, report->packets > 0, now);
  if (!circuit_breaker_ceases (c))
    judge (c, report, sent_Bps, now);
}

/* RFC 8083 4.5: evidence after a timeout, time after the others. */
static CcTime
try_at (const CircuitBreaker *c)
{
  bool heard_since = c->rtcp_at != CC_TIME_NONE && c->rtcp_at > c->opened_at;

  return cc_time_add (c->opened_at, heard_since || !opened_by_timeout (c) ? c->took : c->wait);
}

static CcDuration
rtcp_timeout (const CircuitBreaker *c)
{
  return c->state == CIRCUIT_TRYING ? TRY_INTERVALS * c->params.Tdr : TIMEOUT_INTERVALS * c->params.Td;
}

static CcTime
rtcp_timeout_at (const CircuitBreaker *c)
{
  return c->params.needs_rtcp && !c->heard ? CC_TIME_NONE : cc_time_add (c->unreported_at, rtcp_timeout (c));
}

CcTime
circuit_breaker_next_timeout (const CircuitBreaker *c)
{
  if (c->params.action == CIRCUIT_OFF)
    return CC_TIME_NONE;
  if (!circuit_breaker_ceases (c))
    return c->state == CIRCUIT_OPEN ? CC_TIME_NONE : rtcp_timeout_at (c);
  return try_at (c);
}

void
circuit_breaker_on_timeout (CircuitBreaker *c, CcTime now)
{
  if (circuit_breaker_next_timeout (c) > now)
    return;
  if (circuit_breaker_ceases (c)) {
    try_again (c);
  } else if (cc_time_since (now, c->last_sent_at) > STOPPED) {
    c->unreported_at = CC_TIME_NONE; /* the sender had paused */
  } else {
    open_circuit (c, CIRCUIT_RTCP_TIMEOUT, TIMEOUT_INTERVALS * c->params.Td, now);
  }
}
