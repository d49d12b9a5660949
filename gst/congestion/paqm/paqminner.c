/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqminner.h"

#include <math.h>

#define DEFAULT_DT (10 * CC_MSECOND)
#define MIN_DT (CC_MSECOND / 10)
#define DEFAULT_GAMMA 0.25
#define DEFAULT_K 0.3
#define DEFAULT_TARGET 35000

void
paqm_inner_params_init (PaqmInnerParams *params)
{
  *params = (PaqmInnerParams){.dT = DEFAULT_DT, .gamma = DEFAULT_GAMMA, .K = DEFAULT_K, .target_bytes = DEFAULT_TARGET};
}

void
paqm_inner_set_params (PaqmInner *p, const PaqmInnerParams *params)
{
  double was = cc_seconds (p->params.dT);

  p->params = *params;
  if (p->params.dT < MIN_DT || p->params.dT > CC_SECOND)
    p->params.dT = DEFAULT_DT;
  if (!(p->params.gamma > 0 && p->params.gamma <= 1))
    p->params.gamma = DEFAULT_GAMMA;
  if (!(p->params.K > 0 && p->params.K <= 1))
    p->params.K = DEFAULT_K;
  if (!(p->params.target_bytes > 0) || isinf (p->params.target_bytes))
    p->params.target_bytes = DEFAULT_TARGET;
  if (was > 0)
    p->r_hat *= cc_seconds (p->params.dT) / was;
}

void
paqm_inner_init (PaqmInner *p, const PaqmInnerParams *params)
{
  *p = (PaqmInner){.u = 1, .u_star = 1};
  paqm_inner_set_params (p, params);
}

void
paqm_inner_set_burst (PaqmInner *p, double burst_bytes)
{
  p->burst_bytes = burst_bytes > 0 ? burst_bytes : 0;
}

bool
paqm_inner_on_arrival (PaqmInner *p, uint32_t bytes, const CcRandom *random)
{
  p->arrived += bytes;
  return p->u_star >= 1 || cc_random_uniform (random, 0, 1) < p->u_star;
}

/* eq. 3; of several periods all bytes are taken to have come evenly. */
static void
estimate (PaqmInner *p, uint32_t periods)
{
  double keep = pow (1 - p->params.gamma, periods);

  p->r_hat = (1 - keep) * p->arrived / periods + keep * p->r_hat;
  p->arrived = 0;
}

/* eq. 1 */
static double
survival (const PaqmInner *p, double c, double backlog_bytes, double K, double target, double burst)
{
  double matching = K * (target - backlog_bytes);

  if (!(p->r_hat > 0) || backlog_bytes < burst)
    return 1;
  return (c + (p->r_hat >= c ? matching : 0)) / p->r_hat;
}

double
paqm_inner_survival_about (const PaqmInner *p, double c_Bps, double backlog_bytes, double target_bytes)
{
  double c = fmax (c_Bps, 0) * cc_seconds (p->params.dT), K = p->params.K * p->params.target_bytes / target_bytes;

  return fmax (0, fmin (1, survival (p, c, fmax (backlog_bytes, 0), K, target_bytes, target_bytes)));
}

void
paqm_inner_on_period (PaqmInner *p, double c_Bps, double backlog_bytes, uint32_t periods)
{
  double c = fmax (c_Bps, 0) * cc_seconds (p->params.dT);
  double target = p->burst_bytes > 0 ? p->burst_bytes : p->params.target_bytes;

  if (periods == 0)
    return;
  estimate (p, periods);
  p->u = survival (p, c, fmax (backlog_bytes, 0), p->params.K, target, p->burst_bytes);
  /* eq. 2 */
  p->u_star = fmax (0, fmin (1, p->u));
  p->periods += periods;
}

double
paqm_inner_rate (const PaqmInner *p)
{
  return p->r_hat / cc_seconds (p->params.dT);
}
