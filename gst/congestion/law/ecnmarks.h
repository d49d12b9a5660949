/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the ECN marks of a flow mean, and how many there are. Packets that come unmarked say which: those of ECT(0) are
   marked where a router would drop them, each mark is a loss (RFC 3168). Those of ECT(1) are marked as soon as hardly a
   queue stands (L4S, RFC 9330): it is the fraction of marks that counts (RFC 9331 4.3). Where ECT(1) comes as something
   else, marks count for what it has become. */
#ifndef ECNMARKS_H
#define ECNMARKS_H

#include "arrivalecn.h"
#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  ArrivalEcn ect;         /* of the last packet that came unmarked and may be */
  unsigned seen;          /* ARRIVAL_ECN_BIT of what has come since the last report */
  double packets, marked; /* of ECT(1), since the last update */
  double fraction;        /* of the last period, [0, 1]; 0 where marks are losses. Not smoothed: R is their sum */
  CcTime marked_at;       /* the last mark that is no loss; CC_TIME_NONE: never */
  CcTime lost_at;         /* the last that is one; CC_TIME_NONE: never */
} EcnMarks;

void ecn_marks_init (EcnMarks *m);
void ecn_marks_on_packet (EcnMarks *m, ArrivalEcn ecn, CcTime now);
void ecn_marks_update (EcnMarks *m); /* once a period */
/* A packet that comes so now is one that RFC 3168 would have dropped. Pure. */
bool ecn_marks_is_loss (const EcnMarks *m, ArrivalEcn ecn);
/* Marks that are no losses have come lately. Pure. */
bool ecn_marks_is_scalable (const EcnMarks *m, CcTime now);
/* Those that are have. Pure. */
bool ecn_marks_is_classic (const EcnMarks *m, CcTime now);
/* What has come since the last report is told. */
void ecn_marks_reported (EcnMarks *m);

#ifdef __cplusplus
}
#endif
#endif
