/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A rate from what plain receiver reports tell (RFC 3550 6.4.2): the fraction lost and the round trip, once in seconds.

   While nothing is lost and the round trip is its least but for 40 ms, the rate grows by 6 % a second, and not beyond
   1.5 x what is sent. Loss above 2 %, or a round trip 100 ms above its least, which is a queue, takes it to 0.85 x what
   is sent, loss p above 10 % to (1 - p/2) x. Between those bounds it stays. A queue that stays although the rate backed
   off three times is somebody else's: it is left alone. Reports closer than 0.5 s tell of the same loss and queue: one
   of them backs off. The least round trip is that of the last 30 to 60 s. */
#ifndef PLAINRATE_H
#define PLAINRATE_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double rate_Bps;      /* wire; within no limits but the caller's */
  CcTime at;            /* of the last report; CC_TIME_NONE: none */
  CcDuration R_min[2];  /* of this half minute and the one before; 0: no sample */
  CcTime R_min_at;      /* when this half minute began */
  unsigned backed_off;  /* times in a row, for the queue */
  CcTime backed_off_at; /* CC_TIME_NONE: never */
} PlainRate;

void plain_rate_init (PlainRate *r, double start_Bps);
/* fraction_lost in [0, 1]; R: 0 where the report has no sample; sent_Bps: what was sent lately, 0: unknown. */
void plain_rate_on_report (PlainRate *r, double fraction_lost, CcDuration R, double sent_Bps, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
