/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmediareports.h"

#include <math.h>
#include <string.h>

void
rtp_media_reports_init (RtpMediaReports *r)
{
  memset (r, 0, sizeof *r);
  r->blocked_at = CC_TIME_NONE;
  rtp_media_reports_forget_all (r);
}

RtpMediaReport *
rtp_media_reports_of (RtpMediaReports *r, uint32_t receiver, CcTime now)
{
  RtpMediaReport *oldest = &r->reports[0];
  unsigned i;

  for (i = 0; i < RTP_MEDIA_REPORTS; i++) {
    RtpMediaReport *report = &r->reports[i];

    if (report->at != CC_TIME_NONE && report->receiver == receiver) {
      report->at = now;
      return report;
    }
    /* a free one is older than any */
    if (report->at + 1 < oldest->at + 1)
      oldest = report;
  }
  *oldest = (RtpMediaReport){.receiver = receiver, .at = now};
  return oldest;
}

bool
rtp_media_reports_forget (RtpMediaReports *r, uint32_t receiver)
{
  bool had = false;
  unsigned i, k;

  for (i = 0; i < RTP_MEDIA_REPORTS; i++) {
    RtpMediaReport *report = &r->reports[i];

    if (report->at == CC_TIME_NONE || report->receiver != receiver)
      continue;
    for (k = 0; k < RTP_MEDIA_RATES; k++)
      had |= report->rates[k].bps > 0;
    report->at = CC_TIME_NONE;
  }
  return had;
}

void
rtp_media_reports_forget_all (RtpMediaReports *r)
{
  unsigned i;

  for (i = 0; i < RTP_MEDIA_REPORTS; i++)
    r->reports[i].at = CC_TIME_NONE;
}

/* ---- rates ---- */

/* 0: it says nothing. */
static CcTime
ends_at (const RtpMediaReport *report, unsigned k)
{
  return report->at != CC_TIME_NONE && report->rates[k].bps > 0 ? report->rates[k].at + RTP_MEDIA_RATE_LIFE : 0;
}

double
rtp_media_reports_rate (const RtpMediaReports *r, double headers_bps, CcTime now)
{
  double fresh = INFINITY, last = INFINITY;
  CcTime last_end = 0, end;
  unsigned i, k;

  for (i = 0; i < RTP_MEDIA_REPORTS; i++)
    for (k = 0; k < RTP_MEDIA_RATES; k++) {
      double net = fmax ((double)r->reports[i].rates[k].bps - headers_bps, 0);

      end = ends_at (&r->reports[i], k);
      if (end > now)
        fresh = fmin (fresh, net);
      if (end == last_end && end > 0)
        last = fmin (last, net);
      else if (end > last_end)
        last = net;
      last_end = cc_time_max (last_end, end);
    }
  if (r->blocked_at != CC_TIME_NONE && r->blocked_at > last_end)
    last = INFINITY;
  return isfinite (fresh) ? fresh : last;
}

CcTime
rtp_media_reports_next_end (const RtpMediaReports *r, CcTime now)
{
  CcTime next = CC_TIME_NONE, end;
  unsigned i, k;

  for (i = 0; i < RTP_MEDIA_REPORTS; i++)
    for (k = 0; k < RTP_MEDIA_RATES; k++)
      if ((end = ends_at (&r->reports[i], k)) > now)
        next = cc_time_min (next, end);
  return next;
}
