/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqm.h"
#include "paqmstability.h"

#include <math.h>
#include <stddef.h>

#define DEFAULT_TAU1 (CC_SECOND / 10)
#define MAX_TAU1 (5 * CC_SECOND)
#define DEFAULT_BURST 2
#define MOST_BURST 100
#define RTT_GAIN (1.0 / 32)
#define OUTER_TARGET 0.1      /* x the inner loop's N* */
#define TARGET_BYTES_MIN 3000 /* two packets: what a target in time comes to at least */
#define TARGET_LIMIT 0.8      /* of the queue's limit: at most */
#define CLAIM 2.0             /* x the elastic flows' peak rate: of their part, what stays theirs */
#define PEAK_MEMORY 3.0       /* s */
#define UNKNOWN_CAPACITY 1e15 /* bytes/s: nothing is dropped but at the limit */

static int
other (int cls)
{
  return PAQM_MEDIA + PAQM_ELASTIC - cls;
}

void
paqm_params_init (PaqmParams *params)
{
  *params = (PaqmParams){.limit_bytes = {100000, 1000000},
      .fifo_limit_bytes = 1000000,
      .burst = DEFAULT_BURST,
      .tau1 = DEFAULT_TAU1,
      .flow_life = 2 * CC_SECOND,
      .ecn_elastic = true,
      .strikes = true};
  paqm_inner_params_init (&params->inner[PAQM_MEDIA]);
  paqm_inner_params_init (&params->inner[PAQM_ELASTIC]);
  params->inner[PAQM_ELASTIC].target_bytes *= 10;
  paqm_outer_params_init (&params->outer);
  flow_strikes_params_init (&params->strike);
}

static const char *
inner_refusal (const PaqmInnerParams *inner, CcDuration target_delay, uint32_t limit_bytes)
{
  if (!(inner->gamma > 0 && inner->gamma <= 1))
    return "gamma must be above 0 and no more than 1";
  if (!(inner->K > 0 && inner->K <= 1))
    return "K must be above 0 and no more than 1; 0.2 to 0.5 is useful";
  if (inner->dT < CC_MSECOND / 10 || inner->dT > CC_SECOND)
    return "the inner period must be within 0.1 ms and 1 s; half the time a target takes to send is useful";
  if (limit_bytes == 0)
    return "a queue must hold at least one packet";
  if (target_delay == 0 && !(inner->target_bytes > 0 && inner->target_bytes <= limit_bytes))
    return "a queue's target must be above 0 and within its limit";
  return target_delay > 10 * CC_SECOND ? "a queue's target must be no more than 10 s" : NULL;
}

static const char *
outer_refusal (const PaqmOuterParams *outer, CcDuration tau1, bool unstable)
{
  double tau2 = cc_seconds (outer->tau2);

  if (outer->tau2 < 20 * CC_MSECOND || outer->tau2 > 10 * CC_SECOND)
    return "tau2 must be within 20 ms and 10 s";
  if (tau1 > MAX_TAU1)
    return "tau1 must be no more than 5 s";
  if (!(outer->utilisation > 0 && outer->utilisation <= 1))
    return "utilisation must be above 0 and no more than 1";
  if (!(outer->floor_Bps > 0) || !(outer->ceiling_Bps >= outer->floor_Bps))
    return "the least explicit rate must be above 0 and no more than the highest";
  if (!(outer->target_bytes >= 0 && outer->target_bytes < 1e15))
    return "the outer loop's target must be 0 or more";
  if (unstable)
    return outer->alpha > 0 && outer->alpha <= 2 && outer->beta > 0 && outer->beta <= 2
               ? NULL
               : "alpha and beta must be above 0 and no more than 2";
  tau2 = outer->literal_ecf ? tau2 / (cc_seconds (tau1) + tau2) : 1;
  return paqm_stability_accepts (outer->alpha, outer->beta, tau2)
             ? NULL
             : paqm_stability (outer->alpha, outer->beta, tau2).reason;
}

const char *
paqm_params_refusal (const PaqmParams *params)
{
  const char *refusal = outer_refusal (&params->outer, params->tau1, params->unstable);

  for (int i = 0; i < PAQM_CLASSES && !refusal; i++)
    refusal = inner_refusal (&params->inner[i], params->target_delay[i], params->limit_bytes[i]);
  if (refusal)
    return refusal;
  if (!(params->capacity_Bps >= 0 && params->capacity_Bps < UNKNOWN_CAPACITY))
    return "the capacity must be 0 (measured) or more";
  if (!(params->burst >= 1 && params->burst <= MOST_BURST))
    return "the burst must be within 1 and 100 targets";
  if (params->fifo_limit_bytes == 0)
    return "a queue must hold at least one packet";
  if (params->flow_life < 10 * CC_MSECOND || params->flow_life > 60 * CC_SECOND)
    return "a flow's life must be within 10 ms and 60 s";
  return NULL;
}

/* All of the link may go to one queue where the other does not use its part. */
static double
available (const Paqm *p, int cls)
{
  double rest = p->stats.capacity_Bps - paqm_inner_rate (&p->inner[other (cls)]);

  return p->stats.capacity_Bps > 0 ? fmax (p->stats.c_Bps[cls], rest) : UNKNOWN_CAPACITY;
}

/* N* where it is given in time: follows what the queue gets. */
static void
follow_target (Paqm *p, int cls)
{
  double target = cc_seconds (p->params.target_delay[cls]) * p->stats.c_Bps[cls];

  if (p->params.target_delay[cls] == 0 || !(p->stats.c_Bps[cls] > 0))
    return;
  target = fmin (fmax (target, TARGET_BYTES_MIN), TARGET_LIMIT * p->params.limit_bytes[cls]);
  p->inner[cls].params.target_bytes = target;
  if (cls == PAQM_MEDIA)
    p->outer.params.target_bytes = OUTER_TARGET * target;
}

/* What elastic flows leave for longer than a moment. */
static double
lent (const Paqm *p)
{
  return fmax (0, p->stats.c_Bps[PAQM_ELASTIC] - CLAIM * p->elastic_peak);
}

/* paper D eq. 7 */
static void
share_capacity (Paqm *p, CcTime now)
{
  PaqmStats *s = &p->stats;
  double media;

  for (int i = 0; i < PAQM_CLASSES; i++)
    s->flows[i] = flow_count (&p->count[i], now);
  media = s->flows[0] + s->flows[1] > 0 ? s->flows[PAQM_MEDIA] / (s->flows[0] + s->flows[1]) : 0.5;
  s->capacity_Bps = p->params.capacity_Bps > 0 ? p->params.capacity_Bps : link_capacity_Bps (&p->link);
  s->c_Bps[PAQM_MEDIA] = s->capacity_Bps * media;
  s->c_Bps[PAQM_ELASTIC] = s->capacity_Bps * (1 - media);
  s->lent_Bps = lent (p);
  deficit_rr_set_weight (&p->rr, media);
  deficit_rr_set_saving (&p->rr, PAQM_MEDIA, (p->params.burst - 1) * p->inner[PAQM_MEDIA].params.target_bytes);
  follow_target (p, PAQM_MEDIA);
  follow_target (p, PAQM_ELASTIC);
  paqm_outer_set_share (&p->outer, s->c_Bps[PAQM_MEDIA] + s->lent_Bps, s->flows[PAQM_MEDIA], now);
}

void
paqm_set_capacity (Paqm *p, double capacity_Bps, CcTime now)
{
  p->params.capacity_Bps = capacity_Bps > 0 ? fmin (capacity_Bps, UNKNOWN_CAPACITY) : 0;
  share_capacity (p, now);
}

static void
set_params (Paqm *p, const PaqmParams *params)
{
  p->params = *params;
  p->params.inner[PAQM_ELASTIC].dT = p->params.inner[PAQM_MEDIA].dT;
  for (int i = 0; i < PAQM_CLASSES; i++)
    paqm_inner_set_params (&p->inner[i], &p->params.inner[i]);
  paqm_outer_set_params (&p->outer, &p->params.outer);
  if (!(p->tau1 > 0))
    paqm_outer_set_tau1 (&p->outer, p->params.tau1);
  for (int i = 0; i < PAQM_CLASSES; i++) {
    p->count[i].params.mode = params->count;
    flow_count_set_life (&p->count[i], params->flow_life);
  }
  p->params.strike.key = p->strikes.params.key;
  flow_strikes_set_params (&p->strikes, &p->params.strike);
}

static uint64_t
draw_key (const CcRandom *random)
{
  return random->next ? (uint64_t)random->next (random->user) << 32 | random->next (random->user) : 0;
}

/* With keys of their own: who sends must not choose where his flows are kept. */
static void
init_flows (Paqm *p)
{
  FlowCountParams count = {.mode = p->params.count, .life = p->params.flow_life, .key = draw_key (&p->params.random)};
  LinkCapacityParams link;

  for (int i = 0; i < PAQM_CLASSES; i++)
    flow_count_init (&p->count[i], &count);
  p->params.strike.key = draw_key (&p->params.random);
  flow_strikes_init (&p->strikes, &p->params.strike);
  link_capacity_params_init (&link);
  link_capacity_init (&p->link, &link);
}

void
paqm_init (Paqm *p, const PaqmParams *params)
{
  PaqmParams defaults;

  paqm_params_init (&defaults);
  defaults.random = params->random;
  if (!paqm_params_refusal (params))
    defaults = *params;
  *p = (Paqm){.params = defaults, .tick_at = CC_TIME_NONE, .stats = {.unmarked = 1}};
  for (int i = 0; i < PAQM_CLASSES; i++)
    paqm_inner_init (&p->inner[i], &defaults.inner[i]);
  paqm_outer_init (&p->outer, &defaults.outer);
  deficit_rr_init (&p->rr, 0.5);
  init_flows (p);
  set_params (p, &defaults);
  share_capacity (p, 0);
}

bool
paqm_set_params (Paqm *p, const PaqmParams *params, CcTime now)
{
  if (paqm_params_refusal (params))
    return false;
  set_params (p, params);
  share_capacity (p, now);
  return true;
}

int
paqm_queue (const Paqm *p, PaqmClass cls)
{
  return p->params.discipline == PAQM_DISCIPLINE_FIFO || cls == PAQM_MEDIA ? PAQM_MEDIA : PAQM_ELASTIC;
}

/* A queue that is empty takes any packet. */
static bool
fits (const Paqm *p, int queue, uint32_t size_bytes)
{
  bool fifo = p->params.discipline == PAQM_DISCIPLINE_FIFO;
  double limit = fifo ? p->params.fifo_limit_bytes : p->params.limit_bytes[queue];

  return !(p->stats.backlog_bytes[queue] > 0) || p->stats.backlog_bytes[queue] + size_bytes <= limit;
}

/* Media's queue is kept at the outer loop's target by those who follow R: what is above is marked at once. */
static bool
is_marked_at_once (const Paqm *p, const PaqmArrival *a)
{
  return a->l4s && a->cls == PAQM_MEDIA && p->params.ecn_media && p->params.discipline == PAQM_DISCIPLINE_PAQM &&
         p->stats.unmarked < 1 && cc_random_uniform (&p->params.random, 0, 1) >= p->stats.unmarked;
}

static PaqmVerdict
enqueue (Paqm *p, const PaqmArrival *a, bool survives)
{
  bool marked, ecn = a->cls == PAQM_MEDIA ? p->params.ecn_media : p->params.ecn_elastic;
  int queue = paqm_queue (p, a->cls);

  if (!fits (p, queue, a->size_bytes)) {
    p->stats.tail_dropped[a->cls]++;
    return PAQM_DROP;
  }
  if (!survives && a->cls == PAQM_MEDIA)
    paqm_outer_on_loss (&p->outer);
  if (!survives && !(ecn && a->ect)) {
    p->stats.dropped[a->cls]++;
    return PAQM_DROP;
  }
  marked = !survives || is_marked_at_once (p, a);
  p->stats.backlog_bytes[queue] += a->size_bytes;
  p->stats.marked[a->cls] += marked;
  return marked ? PAQM_MARK : PAQM_ENQUEUE;
}

/* A flow that was not there before changes everybody's share at once. */
static void
count_flow (Paqm *p, const PaqmArrival *a, CcTime now)
{
  p->arrived_at = now;
  if (p->tick_at == CC_TIME_NONE)
    p->tick_at = cc_time_add (now, p->params.inner[PAQM_MEDIA].dT);
  if (flow_count_on_packet (&p->count[a->cls], a->flow, now))
    share_capacity (p, now);
}

/* Without strikes all are watched too: the heaviest one bounds R. */
static bool
is_struck (Paqm *p, const PaqmArrival *a, CcTime now)
{
  if (a->cls != PAQM_MEDIA || flow_strikes_on_packet (&p->strikes, a->flow, a->size_bytes, now) || !p->params.strikes)
    return false;
  p->stats.strike_dropped++;
  return true;
}

/* What is struck counts nowhere: the others' rate must not pay for it. */
static PaqmVerdict
arrive (Paqm *p, const PaqmArrival *a, CcTime now)
{
  count_flow (p, a, now);
  if (is_struck (p, a, now))
    return PAQM_DROP;
  if (a->cls == PAQM_MEDIA) {
    paqm_outer_start (&p->outer, p->stats.c_Bps[PAQM_MEDIA] + p->stats.lent_Bps, p->stats.flows[PAQM_MEDIA]);
    paqm_outer_on_arrival (&p->outer, a->size_bytes, now);
  }
  return enqueue (p, a, paqm_inner_on_arrival (&p->inner[a->cls], a->size_bytes, &p->params.random));
}

PaqmVerdict
paqm_on_arrival (Paqm *p, const PaqmArrival *arrival, CcTime now)
{
  PaqmArrival a = *arrival;

  if (a.cls != PAQM_MEDIA)
    a.cls = PAQM_ELASTIC;
  p->stats.arrived[a.cls]++;
  p->stats.arrived_bytes[a.cls] += a.size_bytes;
  return p->params.discipline == PAQM_DISCIPLINE_FIFO ? enqueue (p, &a, true) : arrive (p, &a, now);
}

int
paqm_next (Paqm *p, const uint32_t head_bytes[PAQM_CLASSES])
{
  /* what waited there when the discipline was changed is older than what has come since */
  if (p->params.discipline == PAQM_DISCIPLINE_FIFO && head_bytes[PAQM_ELASTIC] > 0)
    return PAQM_ELASTIC;
  return deficit_rr_next (&p->rr, head_bytes);
}

void
paqm_on_departure (Paqm *p, int queue, uint32_t size_bytes, CcTime now)
{
  if (queue < 0 || queue >= PAQM_CLASSES)
    return;
  deficit_rr_on_served (&p->rr, queue, size_bytes);
  p->stats.backlog_bytes[queue] = fmax (0, p->stats.backlog_bytes[queue] - size_bytes);
  link_capacity_on_departure (&p->link, size_bytes, p->stats.backlog_bytes[0] + p->stats.backlog_bytes[1] > 0, now);
  p->stats.sent[queue]++;
  p->stats.sent_bytes[queue] += size_bytes;
}

void
paqm_on_flush (Paqm *p)
{
  p->stats.backlog_bytes[0] = p->stats.backlog_bytes[1] = 0;
}

void
paqm_on_rtt (Paqm *p, CcDuration rtt)
{
  double sample = cc_seconds (rtt);

  if (rtt == 0 || rtt > MAX_TAU1) {
    p->stats.ignored_rtts++;
    return;
  }
  p->tau1 += (p->tau1 > 0 ? RTT_GAIN : 1) * (sample - p->tau1);
  paqm_outer_set_tau1 (&p->outer, cc_duration (p->tau1));
}

CcTime
paqm_next_timeout (const Paqm *p)
{
  return p->params.discipline == PAQM_DISCIPLINE_FIFO ? CC_TIME_NONE : p->tick_at;
}

static double
burst (const Paqm *p)
{
  double most = TARGET_LIMIT * p->params.limit_bytes[PAQM_MEDIA];

  if (!(p->params.burst > 1) || !paqm_outer_is_followed (&p->outer))
    return 0;
  return fmin (p->params.burst * p->inner[PAQM_MEDIA].params.target_bytes, most);
}

static void
run_inner (Paqm *p, uint32_t periods)
{
  double c[PAQM_CLASSES] = {available (p, PAQM_MEDIA), available (p, PAQM_ELASTIC)};
  double passed = periods * cc_seconds (p->params.inner[PAQM_MEDIA].dT);

  paqm_inner_set_burst (&p->inner[PAQM_MEDIA], burst (p));
  for (int i = 0; i < PAQM_CLASSES; i++)
    paqm_inner_on_period (&p->inner[i], c[i], p->stats.backlog_bytes[i], periods);
  p->stats.unmarked = paqm_inner_survival_about (&p->inner[PAQM_MEDIA], c[PAQM_MEDIA],
      p->stats.backlog_bytes[PAQM_MEDIA], OUTER_TARGET * p->inner[PAQM_MEDIA].params.target_bytes);
  p->elastic_peak = fmax (paqm_inner_rate (&p->inner[PAQM_ELASTIC]), p->elastic_peak * exp (-passed / PEAK_MEMORY));
}

/* Through groups of pictures and pauses. */
static void
follow_heaviest (Paqm *p, CcTime now)
{
  double keep = exp (-cc_seconds (cc_time_since (now, p->heaviest_at)) / PEAK_MEMORY);

  p->heaviest_at = now;
  p->heaviest_peak = fmax (p->strikes.heaviest_Bps, keep * p->heaviest_peak);
  paqm_outer_set_heaviest (&p->outer, p->heaviest_peak);
}

static bool
run_outer (Paqm *p, CcTime now)
{
  double R = p->params.outer.follow_ecf || !p->params.strikes ? 0 : p->outer.R,
         c = p->stats.c_Bps[PAQM_MEDIA] + p->stats.lent_Bps;

  paqm_outer_on_backlog (&p->outer, p->stats.backlog_bytes[PAQM_MEDIA], now);
  if (!paqm_outer_on_timeout (&p->outer, c, p->stats.flows[PAQM_MEDIA], now))
    return false;
  flow_strikes_on_period (&p->strikes, R, now);
  follow_heaviest (p, now);
  p->feedbacks++;
  return true;
}

/* After silence nothing measured holds any more: the next flow starts with the link as it is then. */
static void
sleep_if_silent (Paqm *p, CcTime now)
{
  if (cc_time_since (now, p->arrived_at) < p->params.flow_life || p->stats.backlog_bytes[0] > 0 ||
      p->stats.backlog_bytes[1] > 0)
    return;
  p->tick_at = CC_TIME_NONE;
  p->elastic_peak = p->heaviest_peak = 0;
  p->stats.unmarked = 1;
  for (int i = 0; i < PAQM_CLASSES; i++)
    paqm_inner_init (&p->inner[i], &p->params.inner[i]);
  paqm_outer_init (&p->outer, &p->params.outer);
  paqm_outer_set_tau1 (&p->outer, p->tau1 > 0 ? cc_duration (p->tau1) : p->params.tau1);
}

bool
paqm_on_timeout (Paqm *p, CcTime now)
{
  CcDuration dT = p->params.inner[PAQM_MEDIA].dT;
  uint64_t periods;
  bool told;

  if (now < paqm_next_timeout (p) || p->tick_at == CC_TIME_NONE)
    return false;
  periods = (now - p->tick_at) / dT + 1;
  p->tick_at = cc_time_add (p->tick_at, periods * dT);
  run_inner (p, periods < UINT32_MAX ? (uint32_t)periods : UINT32_MAX);
  share_capacity (p, now);
  told = run_outer (p, now);
  sleep_if_silent (p, now);
  return told;
}

void
paqm_get_feedback (const Paqm *p, PaqmFeedback *feedback)
{
  bool on = p->params.discipline != PAQM_DISCIPLINE_FIFO;

  *feedback = (PaqmFeedback){.period = p->feedbacks, .R_Bps = HUGE_VAL};
  if (on && p->outer.R > 0)
    feedback->R_Bps = p->outer.R;
  feedback->valid = on && p->outer.periods > 0;
  feedback->ecf = p->outer.ecf;
}

void
paqm_get_stats (const Paqm *p, PaqmStats *stats)
{
  *stats = p->stats;
  for (int i = 0; i < PAQM_CLASSES; i++) {
    stats->rate_Bps[i] = paqm_inner_rate (&p->inner[i]);
    stats->survival[i] = p->inner[i].u_star;
  }
  stats->r_hat_Bps = p->outer.r_hat;
  stats->r_long_Bps = p->outer.r_long;
  stats->N_hat = p->outer.N_hat;
  stats->struck = p->strikes.struck;
  stats->tau1 = p->outer.next_tau1;
}
