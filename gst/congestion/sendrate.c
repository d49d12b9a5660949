/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sendrate.h"
#include <math.h>

const char *
cc_limit_name (CcLimit limit)
{
  static const char *const names[] = {"start", "equation", "delay", "explicit-rate", "receive-rate", "no-feedback",
      "min", "max", "application", "circuit-breaker"};

  return (unsigned)limit < sizeof names / sizeof *names ? names[limit] : "unknown";
}

/* But for the path rate, of which the receiver says it. */
SendRate
send_rate_of (double rate_Bps, CcLimit limit)
{
  static const RateOwner owners[] = {RATE_OWNER_START, RATE_OWNER_LOSS, RATE_OWNER_UNKNOWN, RATE_OWNER_ROUTER,
      RATE_OWNER_APPLICATION, RATE_OWNER_SILENCE, RATE_OWNER_MIN, RATE_OWNER_MAX, RATE_OWNER_APPLICATION,
      RATE_OWNER_CIRCUIT_BREAKER};

  return (SendRate){rate_Bps, limit, owners[limit]};
}

void
send_rate_lower (SendRate *r, double rate_Bps, CcLimit limit)
{
  if (rate_Bps < r->rate_Bps)
    *r = send_rate_of (rate_Bps, limit);
}

static SendRate
received_path_rate (const SendRateWords *w)
{
  double tried = fmax (w->tried_Bps, w->probed_Bps);

  if (tried < w->path_Bps)
    return (SendRate){tried, CC_LIMIT_DELAY, RATE_OWNER_APPLICATION};
  return (SendRate){w->path_Bps, CC_LIMIT_DELAY, w->path_owner};
}

/* Before loss and silence have their say: the receiver's path rate, else an explicit rate, else TFRC. */
static SendRate
path_rate (const SendRateWords *w)
{
  if (w->path_Bps > 0)
    return received_path_rate (w);
  if (w->explicit_Bps > 0)
    return send_rate_of (fmin (w->explicit_Bps, w->tried_Bps), CC_LIMIT_EXPLICIT_RATE);
  if (w->tfrc_Bps > 0)
    return send_rate_of (fmin (w->tfrc_Bps, w->tried_Bps), w->tfrc_limit);
  if (w->plain_Bps > 0)
    return send_rate_of (w->plain_Bps, w->plain_limit);
  return send_rate_of (w->start_Bps, CC_LIMIT_START);
}

SendRate
send_rate_low_delay (const SendRateWords *w)
{
  SendRate r = path_rate (w);

  send_rate_lower (&r, w->equation_Bps, CC_LIMIT_EQUATION);
  send_rate_lower (&r, w->bound_Bps, CC_LIMIT_EXPLICIT_RATE);
  send_rate_lower (&r, r.rate_Bps * w->scale, CC_LIMIT_NO_FEEDBACK);
  return r;
}
