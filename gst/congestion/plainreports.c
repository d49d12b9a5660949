/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plainreports.h"
#include <math.h>

#define INTERVAL (5 * CC_SECOND) /* RFC 3550 6.2 */
#define SILENT_INTERVALS 3
#define GAIN 0.25
#define SOME_LOSS 0.01
#define R_UNKNOWN (200 * CC_MSECOND)
#define R_MIN CC_MSECOND
#define R_MAX (10 * CC_SECOND)

void
plain_reports_init (PlainReports *r, double start_Bps)
{
  *r = (PlainReports){.at = CC_TIME_NONE, .R = R_UNKNOWN};
  plain_rate_init (&r->rate, start_Bps);
}

void
plain_reports_set_start (PlainReports *r, double start_Bps)
{
  plain_rate_init (&r->rate, start_Bps);
}

void
plain_reports_on_silence_over (PlainReports *r, double start_Bps)
{
  r->rate.rate_Bps = fmin (r->rate.rate_Bps, start_Bps);
}

void
plain_reports_on_report (PlainReports *r, const PlainFlow *flow, const PlainReport *report, CcTime now)
{
  double before = r->rate.rate_Bps;

  r->p += GAIN * (report->lost - r->p);
  if (report->R > 0)
    r->R = report->R > R_MIN ? report->R : R_MIN;
  r->at = now;
  plain_rate_on_report (&r->rate, report->lost, report->R, flow->sent_Bps, now);
  if (report->lost > 0)
    r->rate.rate_Bps = fmax (r->rate.rate_Bps, fmin (before, plain_reports_equation (r, flow)));
  r->rate.rate_Bps = fmin (fmax (r->rate.rate_Bps, flow->min_Bps), flow->max_Bps);
}

void
plain_reports_on_sign_of_life (PlainReports *r, CcTime now)
{
  r->at = now;
}

bool
plain_reports_came (const PlainReports *r)
{
  return r->at != CC_TIME_NONE;
}

bool
plain_reports_are_absurd (const PlainReport *report)
{
  return !(report->lost >= 0 && report->lost <= 1) || report->R > R_MAX;
}

bool
plain_reports_are_fresh (const PlainReports *r, CcTime now)
{
  return plain_reports_came (r) && cc_time_since (now, r->at) <= SILENT_INTERVALS * INTERVAL;
}

bool
plain_reports_tell_of_loss (const PlainReports *r)
{
  return r->p > SOME_LOSS;
}

double
plain_reports_equation (const PlainReports *r, const PlainFlow *flow)
{
  return tfrc_throughput (flow->packet_bytes, cc_seconds (r->R), r->p, flow->rto) * flow->wire_factor;
}
