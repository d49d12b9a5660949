/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "resendlimit.h"

void
resend_limit_params_init (ResendLimitParams *params)
{
  *params = (ResendLimitParams){.share = 1, .burst = 128, .min_interval = 10 * CC_MSECOND};
}

static void
start (ResendLimit *r, uint16_t seq)
{
  r->highest = seq;
  r->window = 1;
  for (unsigned i = 0; i < RESEND_LIMIT_ASKED; i++)
    r->asked[i].at = CC_TIME_NONE;
}

void
resend_limit_init (ResendLimit *r, const ResendLimitParams *params)
{
  *r = (ResendLimit){.params = *params, .credit = params->burst};
}

void
resend_limit_on_sent (ResendLimit *r, uint16_t seq)
{
  uint16_t ahead = (uint16_t)(seq - r->highest), behind = (uint16_t)(r->highest - seq);

  r->credit += r->params.share;
  if (r->credit > r->params.burst)
    r->credit = r->params.burst;
  if (r->window == 0 || (ahead > RESEND_LIMIT_WINDOW && behind > RESEND_LIMIT_WINDOW)) {
    start (r, seq);
  } else if (ahead <= RESEND_LIMIT_WINDOW) {
    r->highest = seq;
    r->window = r->window + ahead < RESEND_LIMIT_WINDOW ? r->window + ahead : RESEND_LIMIT_WINDOW;
  } else if (behind >= r->window) {
    r->window = behind + 1u;
  }
}

static bool
asked_lately (const ResendAsked *a, uint16_t seq, CcDuration interval, CcTime now)
{
  return a->at != CC_TIME_NONE && a->seq == seq && cc_time_since (now, a->at) < interval;
}

bool
resend_limit_on_request (ResendLimit *r, uint16_t seq, CcDuration R, CcTime now)
{
  ResendAsked *a = &r->asked[seq % RESEND_LIMIT_ASKED];
  CcDuration interval = R == 0 || R > RESEND_LIMIT_MAX_RTT ? r->params.min_interval : R;

  if ((uint16_t)(r->highest - seq) >= r->window)
    r->unknown++;
  else if (asked_lately (a, seq, interval, now))
    r->repeated++;
  else if (r->credit < 1)
    r->excess++;
  else {
    r->credit -= 1;
    r->granted++;
    *a = (ResendAsked){.seq = seq, .at = now};
    return true;
  }
  return false;
}
