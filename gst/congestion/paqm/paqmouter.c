/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqmouter.h"
#include "paqmstability.h"

#include <math.h>

#define DEFAULT_ALPHA 0.75
#define DEFAULT_BETA 0.35
#define MAX_GAIN 2.0
#define DEFAULT_TAU2 (CC_SECOND / 2)
#define MIN_TAU2 (20 * CC_MSECOND)
#define MAX_TAU2 (10 * CC_SECOND)
#define MAX_TAU1 (5 * CC_SECOND)
#define DEFAULT_UTILISATION 0.95
#define DEFAULT_TARGET 3500
#define DEFAULT_FLOOR (30e3 / 8)
#define LEAST_STEP 0.1 /* of R in one period */
#define MOST_STEP 2.0
#define OVERBOOKED 1.1 /* x c/flows: growth beyond is slow */
#define OVERBOOKED_GROWTH 1.08
#define HEAD_ROOM 2.0 /* x the heaviest flow's rate: growth beyond is none */
#define FOLLOWED 1.25 /* x what was told: more is not following */
#define ROOM 0.9      /* of c: below, flows may be counted upon */
#define MOST_FLOWS 1e9
#define LEAST_RATIO 0.1
#define HIGH_RATIO 0.96 /* paper D 2.3 */
#define SMALL_CHANGES 5
/* Change of the mean (Page's cumulated sums) */
#define LEAST_VARIATION 0.05
#define SLACK 0.5
#define CHANGED 1.5
#define MOST_DEVIATION 3.0 /* |ln| */
#define MEMORY 8.0         /* s */
#define VARIABLE 0.1       /* |ln|: traffic that varies less is averaged over less */
#define FEWER 0.9          /* x the flows averaged over: what the others leave is shared without delay */
#define STEADY 0.05        /* |ln| of what is told: what comes of larger steps is no variation */
#define VARIATION_BLOCK (15 * CC_SECOND)

void
paqm_outer_params_init (PaqmOuterParams *params)
{
  *params = (PaqmOuterParams){.alpha = DEFAULT_ALPHA,
      .beta = DEFAULT_BETA,
      .tau2 = DEFAULT_TAU2,
      .utilisation = DEFAULT_UTILISATION,
      .target_bytes = DEFAULT_TARGET,
      .floor_Bps = DEFAULT_FLOOR,
      .ceiling_Bps = HUGE_VAL};
}

static double
within (double value, double most, double otherwise)
{
  return value > 0 && value <= most ? value : otherwise;
}

void
paqm_outer_set_params (PaqmOuter *p, const PaqmOuterParams *params)
{
  PaqmOuterParams *own = &p->params;

  *own = *params;
  own->alpha = within (own->alpha, MAX_GAIN, DEFAULT_ALPHA);
  own->beta = within (own->beta, MAX_GAIN, DEFAULT_BETA);
  own->utilisation = within (own->utilisation, 1, DEFAULT_UTILISATION);
  own->floor_Bps = within (own->floor_Bps, 1e15, DEFAULT_FLOOR);
  own->ceiling_Bps = fmax (within (own->ceiling_Bps, HUGE_VAL, HUGE_VAL), own->floor_Bps);
  if (!(own->target_bytes >= 0 && own->target_bytes < 1e15))
    own->target_bytes = DEFAULT_TARGET;
  if (own->tau2 < MIN_TAU2 || own->tau2 > MAX_TAU2)
    own->tau2 = DEFAULT_TAU2;
}

void
paqm_outer_init (PaqmOuter *p, const PaqmOuterParams *params)
{
  *p = (PaqmOuter){.period_at = CC_TIME_NONE, .turned_at = CC_TIME_NONE};
  paqm_outer_set_params (p, params);
}

static double
bounded (const PaqmOuter *p, double R)
{
  R = fmin (R, fmin (p->c, p->params.ceiling_Bps));
  return fmax (R, p->params.floor_Bps);
}

void
paqm_outer_start (PaqmOuter *p, double c_media_Bps, double flows)
{
  if (p->R > 0 || !(c_media_Bps > 0))
    return;
  p->c = p->params.utilisation * c_media_Bps;
  p->flows = flows > 0 && flows < MOST_FLOWS ? flows : 0;
  p->R = bounded (p, p->c / fmax (p->flows, 1));
  p->told = p->told_before = p->params.follow_ecf ? p->c : p->R;
}

static CcTime
settled_at (const PaqmOuter *p)
{
  return cc_time_add (p->period_at, p->tau1);
}

static void
begin_period (PaqmOuter *p, CcTime now)
{
  p->losing = false;
  p->period_at = p->told_at = now;
  p->tau1 = p->next_tau1;
  p->all = p->settled = (PaqmWindow){.bytes = 0};
  p->backlog_sum = 0;
  p->backlog_samples = 0;
}

/* What was told, up to now. */
static void
count_told (PaqmOuter *p, CcTime now)
{
  CcTime settled = settled_at (p);
  double before = cc_seconds (cc_time_since (cc_time_min (now, settled), p->told_at));
  double after = cc_seconds (cc_time_since (now, p->told_at)) - before;

  if (p->told_at < settled)
    p->all.told += before * p->told_before;
  p->all.told += after * p->told;
  p->settled.told += after * p->told;
  p->told_at = now > p->told_at ? now : p->told_at;
}

void
paqm_outer_on_arrival (PaqmOuter *p, uint32_t bytes, CcTime now)
{
  if (p->period_at == CC_TIME_NONE)
    begin_period (p, now);
  p->all.bytes += bytes;
  if (now >= settled_at (p))
    p->settled.bytes += bytes;
}

void
paqm_outer_on_loss (PaqmOuter *p)
{
  p->losing = true;
}

void
paqm_outer_on_backlog (PaqmOuter *p, double bytes, CcTime now)
{
  if (p->period_at == CC_TIME_NONE || now < settled_at (p) || !(bytes >= 0))
    return;
  p->backlog_sum += bytes;
  p->backlog_samples++;
}

void
paqm_outer_set_tau1 (PaqmOuter *p, CcDuration tau1)
{
  p->next_tau1 = tau1 < MAX_TAU1 ? tau1 : MAX_TAU1;
  if (p->period_at == CC_TIME_NONE)
    p->tau1 = p->next_tau1;
}

void
paqm_outer_set_heaviest (PaqmOuter *p, double heaviest_Bps)
{
  p->heaviest_Bps = heaviest_Bps > 0 ? heaviest_Bps : 0;
}

CcTime
paqm_outer_next_timeout (const PaqmOuter *p)
{
  return p->period_at == CC_TIME_NONE ? CC_TIME_NONE : cc_time_add (settled_at (p), p->params.tau2);
}

static void
fade_in (PaqmOuter *p, const PaqmWindow *window)
{
  double memory = MEMORY * fmin (1, fmax (p->variation[0], p->variation[1]) / VARIABLE);
  double keep = memory > 0 ? exp (-cc_seconds (p->tau1 + p->params.tau2) / memory) : 0;

  p->fading.bytes = keep * p->fading.bytes + window->bytes;
  p->fading.told = keep * p->fading.told + window->told;
  p->averaged++;
}

/* y */
static double
ratio (const PaqmWindow *window)
{
  return window->told > 0 ? window->bytes / window->told : 0;
}

bool
paqm_outer_is_followed (const PaqmOuter *p)
{
  double told_of = p->params.follow_ecf ? 1 : p->flows;

  return p->averaged > 0 && p->flows > 0 && ratio (&p->fading) <= FOLLOWED * told_of;
}

static double
deviation (double is, double was)
{
  if (!(is > 0) || !(was > 0))
    return is > was ? MOST_DEVIATION : was > is ? -MOST_DEVIATION : 0;
  return fmax (-MOST_DEVIATION, fmin (MOST_DEVIATION, log (is / was)));
}

static double
variation (const PaqmOuter *p)
{
  return LEAST_VARIATION + fmax (p->variation[0], p->variation[1]);
}

static void
vary (PaqmOuter *p, double by)
{
  p->variation[1] = fmax (p->variation[1], by);
}

static void
age_variation (PaqmOuter *p, CcTime now)
{
  if (cc_time_since (now, p->block_at) < VARIATION_BLOCK)
    return;
  p->variation[0] = p->variation[1];
  p->variation[1] = 0;
  p->block_at = now;
}

static void
average_anew (PaqmOuter *p)
{
  p->up = p->down = 0;
  p->fading = (PaqmWindow){.bytes = 0};
  p->averaged = 0;
  p->restarts++;
}

/* One way only is a change; there and back again is variation. */
static void
turn (PaqmOuter *p, double by, CcTime now)
{
  if (p->turned_at != CC_TIME_NONE && cc_time_since (now, p->turned_at) < VARIATION_BLOCK && by * p->turned_by < 0)
    vary (p, fmin (fabs (by), fabs (p->turned_by)));
  p->turned_at = now;
  p->turned_by = by;
  average_anew (p);
}

/* Newcomers are taken to have come with their share, as R is lowered for them: what is averaged of the time before them
   would say that there is room, until it has faded. */
static void
count_flows (PaqmOuter *p)
{
  if (p->flows < FEWER * p->averaged_flows && p->averaged > 0)
    average_anew (p);
  else if (p->flows > p->averaged_flows && p->averaged > 0 && p->averaged_flows > 0 && !p->params.follow_ecf)
    p->fading.bytes *= p->flows / p->averaged_flows;
  if (p->averaged == 0 || p->flows > p->averaged_flows)
    p->averaged_flows = p->flows;
}

static void
average (PaqmOuter *p, CcTime now)
{
  double by = deviation (ratio (&p->settled), ratio (&p->fading)), z = by / variation (p);

  age_variation (p, now);
  count_flows (p);
  p->up = fmax (0, p->up + z - SLACK);
  p->down = fmax (0, p->down - z - SLACK);
  if (p->averaged == 0) {
    p->up = p->down = 0;
    fade_in (p, &p->settled);
  } else if (fmax (p->up, p->down) >= CHANGED) {
    turn (p, by, now);
    fade_in (p, &p->settled);
  } else {
    if (p->steady)
      vary (p, fabs (by));
    fade_in (p, &p->all);
  }
}

static void
measure (PaqmOuter *p, CcTime now)
{
  count_told (p, now);
  p->r_hat = p->settled.bytes / cc_seconds (cc_time_since (now, settled_at (p)));
  average (p, now);
  p->r_long = p->told * ratio (p->params.paper_window ? &p->settled : &p->fading);
}

/* dq; what takes longer than a period to drain is left to the next. */
static double
missing_backlog (const PaqmOuter *p, double d)
{
  double backlog = p->backlog_samples > 0 ? p->backlog_sum / p->backlog_samples : 0;

  return fmax (p->params.target_bytes - backlog, -p->c * d);
}

/* eq. 3-4 */
static void
update_R (PaqmOuter *p, double d)
{
  double R = p->R, r = p->r_long, dq = missing_backlog (p, d), flows = p->flows, share = p->c / fmax (flows, 1), most;

  p->N_hat = fmax (p->c, r) / R;
  if (flows > 0 && r < ROOM * p->c && dq >= 0 && R < share)
    p->N_hat = fmin (p->N_hat, flows);
  R += (p->params.alpha * (p->c - r) + p->params.beta * dq / d) / p->N_hat;
  most = flows > 0 ? fmax (OVERBOOKED * share, OVERBOOKED_GROWTH * p->R) : HUGE_VAL;
  if (p->N_hat != flows)
    most = fmin (most, MOST_STEP * p->R);
  if (p->losing && flows > 0)
    most = fmin (most, fmax (share, (p->R + share) / 2));
  if (p->heaviest_Bps > 0 && flows > 0)
    most = fmin (most, fmax (OVERBOOKED * share, HEAD_ROOM * p->heaviest_Bps));
  p->R = bounded (p, fmax (LEAST_STEP * p->R, fmin (R, most)));
}

/* paper D 2.3: fairness would stall where everybody is told to stay as he is. What is averaged says so of increases as
   well, which with the last tau2 alone would alternate with decreases. */
static bool
stalls (PaqmOuter *p, double ratio)
{
  if (!(fabs (ratio - 1) < 1 - HIGH_RATIO)) {
    p->small_changes = 0;
    return false;
  }
  if (p->small_changes++ < SMALL_CHANGES)
    return false;
  p->small_changes = 0;
  return true;
}

/* eq. 1 divides by tau2 what holds for d. Where the flows' round trips leave too little tau2/d for that, as eq. 3. */
static double
ecf_scale (const PaqmOuter *p, double d)
{
  double tau2_d = cc_seconds (p->params.tau2) / d;

  return p->params.literal_ecf && paqm_stability_accepts (p->params.alpha, p->params.beta, tau2_d) ? 1 / tau2_d : 1;
}

/* eq. 1; returns r' as told */
static double
update_ecf (PaqmOuter *p, double d)
{
  double r = p->r_long, scale = ecf_scale (p, d);
  double change = scale * (p->params.alpha * (p->c - r) + p->params.beta * missing_backlog (p, d) / d);

  if (r > 0 && stalls (p, 1 + change / r))
    change = (HIGH_RATIO - 1) * r;
  if (change < 0)
    p->ecf = (PaqmEcf){.decrease = true, .ratio = r > 0 ? fmax (LEAST_RATIO, 1 + change / r) : LEAST_RATIO};
  else
    p->ecf = (PaqmEcf){.ratio = 1, .increase_Bps = change / fmax (p->flows, 1)};
  return fmax (p->ecf.decrease ? p->ecf.ratio * r : r + change, p->params.floor_Bps);
}

/* Everybody's share grows and shrinks with c; newcomers take theirs from the others. Who leaves may have used nothing.
 */
static double
share_ratio (const PaqmOuter *p, double c, double flows)
{
  double ratio = c / p->c * fmax (p->flows, 1) / fmax (flows, 1);

  return flows == p->flows ? ratio : fmin (ratio, 1);
}

void
paqm_outer_set_share (PaqmOuter *p, double c_media_Bps, double flows, CcTime now)
{
  double c = p->params.utilisation * c_media_Bps, R;

  flows = flows > 0 && flows < MOST_FLOWS ? flows : 0;
  if (!(p->R > 0) || !(c > 0) || isinf (c))
    return;
  if (p->period_at != CC_TIME_NONE)
    count_told (p, now);
  R = p->R * share_ratio (p, c, flows);
  p->c = c;
  p->flows = flows;
  R = bounded (p, R);
  p->told *= p->params.follow_ecf ? 1 : R / p->R;
  p->R = R;
}

bool
paqm_outer_on_timeout (PaqmOuter *p, double c_media_Bps, double flows, CcTime now)
{
  double d = cc_seconds (p->tau1 + p->params.tau2), ecf_told;
  bool known = p->R > 0;

  if (p->period_at == CC_TIME_NONE || now < paqm_outer_next_timeout (p))
    return false;
  paqm_outer_start (p, c_media_Bps, flows);
  if (!known || !(c_media_Bps > 0)) {
    begin_period (p, now);
    return !known && p->R > 0;
  }
  count_told (p, now);
  p->told_before = p->told;
  paqm_outer_set_share (p, c_media_Bps, flows, now);
  measure (p, now);
  update_R (p, d);
  ecf_told = update_ecf (p, d);
  p->told = p->params.follow_ecf ? ecf_told : p->R;
  p->steady = fabs (deviation (p->told, p->told_before)) < STEADY;
  p->periods++;
  begin_period (p, now);
  return true;
}
