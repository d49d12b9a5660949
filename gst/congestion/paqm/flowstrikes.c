/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flowstrikes.h"
#include "flowhash.h"

#include <math.h>
#include <stddef.h>

#define WEIGHT_KEPT 0.75   /* per period */
#define WEIGHT_LEAST 1     /* bytes: what is below is free */
#define BUCKET_SECONDS 0.1 /* of R */
#define BUCKET_LEAST 3000  /* bytes: two packets */
#define EXCESS_LIMIT 4     /* x R x tolerance, or a flow that once was ill would stay so */
#define NOBODY FLOW_STRIKES_ENTRIES
#define PERIOD_LEAST (10 * CC_MSECOND)
#define MAX_TOLERANCE (60 * CC_SECOND)

void
flow_strikes_params_init (FlowStrikesParams *params)
{
  *params = (FlowStrikesParams){.margin = 0.25, .keep = 0.95, .tolerance = 2 * CC_SECOND, .strikes = 4, .behaved = 8};
}

void
flow_strikes_set_params (FlowStrikes *s, const FlowStrikesParams *params)
{
  FlowStrikesParams *p = &s->params, defaults;

  flow_strikes_params_init (&defaults);
  *p = *params;
  if (!(p->margin >= 0 && p->margin <= 10))
    p->margin = defaults.margin;
  if (!(p->keep > 0 && p->keep <= 1))
    p->keep = defaults.keep;
  if (p->tolerance > MAX_TOLERANCE)
    p->tolerance = defaults.tolerance;
  if (p->strikes < 1 || p->strikes > UINT8_MAX)
    p->strikes = defaults.strikes;
  if (p->behaved < 1 || p->behaved > UINT8_MAX)
    p->behaved = defaults.behaved;
}

void
flow_strikes_init (FlowStrikes *s, const FlowStrikesParams *params)
{
  *s = (FlowStrikes){.period_at = CC_TIME_NONE, .R = HUGE_VAL, .R_before = HUGE_VAL};
  flow_strikes_set_params (s, params);
}

static unsigned
first_of_set (const FlowStrikes *s, uint64_t flow)
{
  return flow_hash_spread (flow, s->params.key) % FLOW_STRIKES_SETS * FLOW_STRIKES_WAYS;
}

static unsigned
find (const FlowStrikes *s, uint64_t flow)
{
  unsigned first = first_of_set (s, flow);

  for (unsigned i = first; i < first + FLOW_STRIKES_WAYS; i++)
    if (s->entries[i].weight > 0 && s->entries[i].flow == flow)
      return i;
  return NOBODY;
}

/* Of those that are not struck. */
static unsigned
find_lightest (const FlowStrikes *s, uint64_t flow)
{
  unsigned first = first_of_set (s, flow), least = NOBODY;

  for (unsigned i = first; i < first + FLOW_STRIKES_WAYS; i++) {
    const FlowStrikesEntry *e = &s->entries[i];
    if (!e->struck && (least == NOBODY || e->weight < s->entries[least].weight))
      least = i;
  }
  return least;
}

/* As many bytes came without a place as the lightest is worth: whose packet that is, is by chance, but the likelier the
   more it sends. */
static bool
displaces (FlowStrikes *s, unsigned lightest, uint32_t bytes)
{
  double *missed = &s->missed[lightest / FLOW_STRIKES_WAYS];

  *missed += bytes;
  if (s->entries[lightest].weight > 0 && *missed <= s->entries[lightest].weight)
    return false;
  s->displaced += s->entries[lightest].weight > 0;
  *missed = 0;
  return true;
}

/* NULL where it finds no place. */
static FlowStrikesEntry *
watch (FlowStrikes *s, uint64_t flow, uint32_t bytes)
{
  unsigned i = find (s, flow);

  if (i != NOBODY)
    return &s->entries[i];
  i = find_lightest (s, flow);
  if (i == NOBODY || !displaces (s, i, bytes)) {
    s->unwatched++;
    return NULL;
  }
  s->entries[i] = (FlowStrikesEntry){.flow = flow, .weight = s->entries[i].weight};
  return &s->entries[i];
}

/* What a flow may have sent in this period: it takes a round trip to follow a lower R. */
static double
allowed (const FlowStrikes *s)
{
  return fmax (s->R, s->R_before);
}

static double
bucket (double R)
{
  return fmax (BUCKET_SECONDS * R, BUCKET_LEAST);
}

static bool
take_tokens (FlowStrikes *s, FlowStrikesEntry *e, uint32_t bytes, CcTime now)
{
  double R = allowed (s);

  e->tokens = fmin (e->tokens + s->params.keep * R * cc_seconds (cc_time_since (now, e->tokens_at)), bucket (R));
  e->tokens_at = now;
  if (e->tokens >= bytes) {
    e->tokens -= bytes;
    return true;
  }
  s->dropped++;
  s->dropped_bytes += bytes;
  return false;
}

bool
flow_strikes_on_packet (FlowStrikes *s, uint64_t flow, uint32_t bytes, CcTime now)
{
  FlowStrikesEntry *e = watch (s, flow, bytes);

  if (s->period_at == CC_TIME_NONE)
    s->period_at = now;
  if (e == NULL)
    return true;
  e->weight += bytes;
  e->bytes += bytes;
  return !e->struck || isinf (allowed (s)) || take_tokens (s, e, bytes, now);
}

static void
strike (FlowStrikes *s, FlowStrikesEntry *e, CcTime now)
{
  e->struck = true;
  e->good_periods = 0;
  e->tokens = 0;
  e->tokens_at = now;
  s->struck++;
  s->struck_ever++;
}

static void
forgive (FlowStrikes *s, FlowStrikesEntry *e)
{
  e->struck = false;
  e->strikes = 0;
  e->excess = 0;
  s->struck--;
  s->released++;
}

/* budget: (1 + margin) R over the period, bytes */
static void
judge (FlowStrikes *s, FlowStrikesEntry *e, double budget, CcTime now)
{
  double tolerated = allowed (s) * cc_seconds (s->params.tolerance);
  bool above = e->bytes > budget;

  e->excess = fmin (fmax (e->excess + e->bytes - budget, 0), EXCESS_LIMIT * tolerated + budget);
  if (!(e->excess > 0))
    e->strikes = 0;
  else if (above && e->strikes < UINT8_MAX)
    e->strikes++;
  e->good_periods = (uint8_t)(above ? 0 : e->good_periods + (e->good_periods < UINT8_MAX));
  if (!e->struck && e->strikes >= s->params.strikes && e->excess > tolerated)
    strike (s, e, now);
  else if (e->struck && e->good_periods >= s->params.behaved)
    forgive (s, e);
}

static void
fade (FlowStrikesEntry *e)
{
  e->bytes = 0;
  e->weight *= WEIGHT_KEPT;
  /* what is struck keeps its place until it is forgiven, and what has an excess until that is used up */
  if (e->weight < WEIGHT_LEAST)
    e->weight = e->struck || e->excess > 0 ? WEIGHT_LEAST : 0;
}

void
flow_strikes_on_period (FlowStrikes *s, double R_Bps, CcTime now)
{
  double T = cc_seconds (cc_time_since (now, s->period_at)), budget, most = 0;

  if (s->period_at == CC_TIME_NONE || cc_time_since (now, s->period_at) < PERIOD_LEAST)
    return;
  s->period_at = now;
  s->R_before = s->R;
  s->R = R_Bps > 0 ? R_Bps : HUGE_VAL;
  budget = (1 + s->params.margin) * allowed (s) * T;
  for (unsigned i = 0; i < FLOW_STRIKES_ENTRIES; i++) {
    if (!(s->entries[i].weight > 0))
      continue;
    if (!s->entries[i].struck)
      most = fmax (most, s->entries[i].bytes);
    if (!isinf (budget))
      judge (s, &s->entries[i], budget, now);
    fade (&s->entries[i]);
  }
  s->heaviest_Bps = most / T;
  for (unsigned i = 0; i < FLOW_STRIKES_SETS; i++)
    s->missed[i] *= WEIGHT_KEPT;
}

bool
flow_strikes_is_struck (const FlowStrikes *s, uint64_t flow)
{
  unsigned i = find (s, flow);

  return i != NOBODY && s->entries[i].struck;
}
