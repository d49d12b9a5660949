/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccpacer.h"

#include <math.h>

#define MAX_IPI_NS 9.2e18

void
cc_pacer_params_init (CcPacerParams *params)
{
  *params = (CcPacerParams){.t_gran = 250 * CC_USECOND, .max_credit = 5 * CC_MSECOND};
}

void
cc_pacer_init (CcPacer *p, const CcPacerParams *params, CcTime now)
{
  *p = (CcPacer){.params = *params, .t_i = now, .t_last = now};
}

/* Whole ns into t_ipi, the rest is handed on so that the mean rate is exact. */
static double
split_ipi (CcPacer *p, double carry_ns)
{
  double ns = p->rate_Bps > 0 ? p->last_bytes / p->rate_Bps * 1e9 + carry_ns : 0;

  if (!(ns < MAX_IPI_NS))
    ns = MAX_IPI_NS;
  p->t_ipi = (CcDuration)ns;
  p->t_i = cc_time_add (p->t_last, p->t_ipi);
  return ns - floor (ns);
}

void
cc_pacer_set_rate (CcPacer *p, double rate_Bps)
{
  if (!(rate_Bps > 0))
    return;
  p->rate_Bps = rate_Bps;
  p->carry_ns = split_ipi (p, 0);
}

void
cc_pacer_set_even (CcPacer *p, bool even)
{
  p->even = even;
}

CcTime
cc_pacer_next (const CcPacer *p, CcDuration R)
{
  CcDuration t_delta = p->t_ipi < p->params.t_gran ? p->t_ipi : p->params.t_gran;

  if (R > 0 && R < t_delta)
    t_delta = R;
  t_delta /= 2;
  return p->t_i > t_delta ? p->t_i - t_delta : 0;
}

bool
cc_pacer_may_send (const CcPacer *p, CcDuration R, CcTime now)
{
  return now >= cc_pacer_next (p, R);
}

/* RFC 5348 4.6: unused slots older than T are lost. A timer coarser than R would otherwise cap the rate (8.3). */
static CcTime
oldest_slot (const CcPacer *p, CcDuration R, CcTime now)
{
  CcDuration T = R > 0 && R < p->params.max_credit ? R : p->params.max_credit;

  if (p->even || T < 2 * p->params.t_gran)
    T = 2 * p->params.t_gran;
  return now > T ? now - T : 0;
}

/* Into [now - T, now + t_gran/2]: no slot that is allowed lies further ahead. */
static CcTime
slot_used (const CcPacer *p, CcDuration R, CcTime now)
{
  CcTime oldest = oldest_slot (p, R, now), newest = cc_time_add (now, p->params.t_gran / 2);

  if (p->t_i < oldest)
    return oldest;
  return cc_time_min (p->t_i, newest);
}

void
cc_pacer_on_sent (CcPacer *p, uint32_t bytes, CcDuration R, CcTime now)
{
  p->t_last = slot_used (p, R, now);
  if (p->t_last != p->t_i)
    p->carry_ns = 0;
  p->last_bytes = bytes;
  p->carry_ns = split_ipi (p, p->carry_ns);
}
