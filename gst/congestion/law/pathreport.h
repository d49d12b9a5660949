/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the path rate tells: R and whose rule set it, and what of the view the sender is to know. And whether that
   cannot wait for the next report. */
#ifndef PATHREPORT_H
#define PATHREPORT_H

#include "losscause.h"
#include "pathview.h"
#include "rateowner.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double rate_Bps;     /* what the sender may send, wire bytes/s */
  double capacity_Bps; /* bottleneck estimate, 0: unknown */
  double receive_Bps;
  CcDuration queue_delay; /* smoothed */
  RateOwner owner;        /* who set rate_Bps */
  unsigned ecn;           /* ARRIVAL_ECN_BIT of what has come since the last report; 0: not known */
  double loss, excused;   /* lost of the packets sent, lately, [0, 1]; the part that is no congestion (losscause.h) */
} PathReport;

/* Without an owner. others: the queue may be somebody else's. */
PathReport path_report_of (const PathView *v, const LossCause *l, bool others);

typedef struct {
  double rate_Bps; /* what was told last, or asked for an early report */
} ToldRate;

/* R is so much less; asked once. */
bool told_rate_is_urgent (ToldRate *told, double rate_Bps);

#ifdef __cplusplus
}
#endif
#endif
