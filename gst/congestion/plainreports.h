/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What to send by plain receiver reports (RFC 3550) where there are no others: the rate of plainrate.h, bounded by RFC
   5348 3.1 over the smoothed fraction lost. Loss takes it no further down than TCP would go: it may have other causes
   than the rate. */
#ifndef PLAINREPORTS_H
#define PLAINREPORTS_H

#include "plainrate.h"
#include "tfrcequation.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  PlainRate rate;
  double p;     /* smoothed fraction lost */
  CcTime at;    /* of the last one; CC_TIME_NONE: none */
  CcDuration R; /* 200 ms while no sender report has been echoed */
} PlainReports;

typedef struct {
  double lost;  /* fraction, [0, 1] */
  CcDuration R; /* 0: it has no sample */
} PlainReport;

typedef struct {
  double min_Bps, max_Bps, sent_Bps;
  double packet_bytes, wire_factor; /* RTP; wire bytes per byte of it */
  TfrcRto rto;
} PlainFlow;

void plain_reports_init (PlainReports *r, double start_Bps);
void plain_reports_set_start (PlainReports *r, double start_Bps);
void plain_reports_on_silence_over (PlainReports *r, double start_Bps); /* from there at most */
void plain_reports_on_report (PlainReports *r, const PlainFlow *flow, const PlainReport *report, CcTime now);
void plain_reports_on_sign_of_life (PlainReports *r, CcTime now); /* of another kind, or without a say */
/* Pure. */
bool plain_reports_came (const PlainReports *r);
bool plain_reports_are_absurd (const PlainReport *report);
bool plain_reports_are_fresh (const PlainReports *r, CcTime now); /* three intervals of RFC 3550 6.2 */
bool plain_reports_tell_of_loss (const PlainReports *r);
double plain_reports_equation (const PlainReports *r, const PlainFlow *flow); /* wire bytes/s */

#ifdef __cplusplus
}
#endif
#endif
