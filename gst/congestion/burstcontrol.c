/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "burstcontrol.h"

#define UNKNOWN_PERIOD (40 * CC_MSECOND)
/* A longer spacing is a source that paused. */
#define MAX_LEARNED_PERIOD CC_SECOND

void
burst_control_params_init (BurstControlParams *params)
{
  *params = (BurstControlParams){.duty = 0.95, .randomisation = 0.01, .batch = 1};
}

void
burst_control_init (BurstControl *b, const BurstControlParams *params, CcRandom random)
{
  *b = (BurstControl){.random = random, .frame_at = CC_TIME_NONE};
  burst_control_set_params (b, params);
}

void
burst_control_set_params (BurstControl *b, const BurstControlParams *params)
{
  b->params = *params;
  if (!(b->params.duty > 0 && b->params.duty <= 1))
    b->params.duty = 1;
  if (!(b->params.randomisation >= 0 && b->params.randomisation <= 1))
    b->params.randomisation = 0;
  if (b->params.batch == 0)
    b->params.batch = 1;
}

static void
update_period (BurstControl *b, CcDuration period, CcTime now)
{
  CcDuration spacing = b->frame_at == CC_TIME_NONE ? 0 : cc_time_since (now, b->frame_at);

  if (period > 0)
    b->period = period;
  else if (spacing > 0 && spacing <= MAX_LEARNED_PERIOD)
    b->period = b->period == 0 ? spacing : b->period - b->period / 8 + spacing / 8;
  b->frame_at = now;
}

void
burst_control_on_frame (BurstControl *b, unsigned waiting, CcDuration period, CcTime now)
{
  CcDuration spread;
  uint64_t slots;

  update_period (b, period, now);
  b->waiting = waiting;
  slots = ((uint64_t)waiting + b->params.batch - 1) / b->params.batch;
  /* eq. 2 */
  spread = cc_duration (cc_seconds (b->period > 0 ? b->period : UNKNOWN_PERIOD) * b->params.duty);
  b->gap = slots > 0 ? spread / slots : 0;
  if (b->next_at < now)
    b->next_at = now;
  else if (b->next_at > cc_time_add (now, b->gap))
    b->next_at = cc_time_add (now, b->gap);
}

CcTime
burst_control_next (const BurstControl *b)
{
  return b->next_at;
}

void
burst_control_on_sent (BurstControl *b, CcTime now)
{
  CcTime oldest = now > b->gap ? now - b->gap : 0;
  double spread = b->params.randomisation;

  if (b->waiting > 0)
    b->waiting--;
  if (++b->in_slot < b->params.batch && b->waiting > 0)
    return;
  b->in_slot = 0;
  if (b->next_at < oldest)
    b->next_at = oldest;
  /* eq. 3 */
  b->next_at = cc_time_add (
      b->next_at, cc_duration (cc_seconds (b->gap) * (1 + cc_random_uniform (&b->random, -spread, spread))));
}
