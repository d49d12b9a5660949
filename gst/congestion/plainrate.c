/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plainrate.h"

#include <math.h>

#define GROWTH 0.06                 /* a second */
#define MOST_SPAN 5.0               /* s that one report stands for: RFC 3550 6.2 */
#define AHEAD 1.5                   /* x what is sent */
#define LOW_QUEUE (40 * CC_MSECOND) /* other than a queue, jitter moves the round trip */
#define HIGH_QUEUE (100 * CC_MSECOND)
#define LITTLE_LOSS 0.02
#define MUCH_LOSS 0.1
#define BACK_OFF 0.85
#define MOST_TIMES 3 /* that backing off is tried against a queue */
#define WINDOW (30 * CC_SECOND)
#define BETWEEN (500 * CC_MSECOND)

void
plain_rate_init (PlainRate *r, double start_Bps)
{
  *r = (PlainRate){.rate_Bps = start_Bps, .at = CC_TIME_NONE, .backed_off_at = CC_TIME_NONE};
}

static void
note_R (PlainRate *r, CcDuration R, CcTime now)
{
  if (r->at == CC_TIME_NONE) {
    r->R_min_at = now;
  } else if (cc_time_since (now, r->R_min_at) >= WINDOW) {
    r->R_min[1] = r->R_min[0];
    r->R_min[0] = 0;
    r->R_min_at = now;
  }
  if (R > 0 && (r->R_min[0] == 0 || R < r->R_min[0]))
    r->R_min[0] = R;
}

static CcDuration
queue (const PlainRate *r, CcDuration R)
{
  CcDuration least = r->R_min[0];

  if (least == 0 || (r->R_min[1] > 0 && r->R_min[1] < least))
    least = r->R_min[1];
  return R > least ? R - least : 0;
}

static void
back_off (PlainRate *r, double fraction_lost, double sent_Bps, CcTime now)
{
  double from = sent_Bps > 0 ? fmin (r->rate_Bps, sent_Bps) : r->rate_Bps;

  if (r->backed_off_at != CC_TIME_NONE && cc_time_since (now, r->backed_off_at) < BETWEEN)
    return;
  r->backed_off_at = now;
  r->rate_Bps = from * (fraction_lost > MUCH_LOSS ? fmin (BACK_OFF, 1 - fraction_lost / 2) : BACK_OFF);
}

static void
grow (PlainRate *r, double sent_Bps, CcTime now)
{
  double span = fmin (cc_seconds (cc_time_since (now, r->at)), MOST_SPAN), most = AHEAD * sent_Bps;

  if (r->rate_Bps < most)
    r->rate_Bps = fmin (r->rate_Bps * (1 + GROWTH * span), most);
}

void
plain_rate_on_report (PlainRate *r, double fraction_lost, CcDuration R, double sent_Bps, CcTime now)
{
  CcDuration q;

  note_R (r, R, now);
  q = R > 0 ? queue (r, R) : 0;
  if (q <= HIGH_QUEUE)
    r->backed_off = 0;
  if (fraction_lost > LITTLE_LOSS || (q > HIGH_QUEUE && r->backed_off++ < MOST_TIMES))
    back_off (r, fraction_lost, sent_Bps, now);
  else if (fraction_lost <= 0 && q < LOW_QUEUE && r->at != CC_TIME_NONE)
    grow (r, sent_Bps, now);
  r->at = now;
}
