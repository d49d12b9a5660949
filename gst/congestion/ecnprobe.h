/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which ECN bits the packets of a flow leave with, as long as the path and the receiver are good for it (RFC 6679 7.2,
   7.3). Reports say what has come.

     trying    ECT(1) begins here: every second packet, so that others come where the path takes such packets away
     capable   all are sent so: they have come as they left, or marked. ECT(0) begins here, as receivers that report by
               RFC 5348 alone answer its marks and do not say what has come
     refused   ten reports have told that they come as something else, or not at all; of ECT(1), or did not say: none
               any more, until another path or another wish */
#ifndef ECNPROBE_H
#define ECNPROBE_H

#include "arrivalecn.h"
#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { ECN_PROBE_OFF, ECN_PROBE_TRYING, ECN_PROBE_CAPABLE, ECN_PROBE_REFUSED } EcnProbeState;

typedef struct {
  ArrivalEcn wanted; /* ARRIVAL_NOT_ECT, ARRIVAL_ECT_1 or ARRIVAL_ECT_0 */
  EcnProbeState state;
  unsigned against; /* reports in a row */
  unsigned packets; /* while trying */
  CcTime marked_at; /* the last report of a mark; CC_TIME_NONE: none */
} EcnProbe;

void ecn_probe_init (EcnProbe *p, ArrivalEcn wanted);
/* Of the packet that leaves now. */
ArrivalEcn ecn_probe_next (EcnProbe *p);
/* seen: ARRIVAL_ECN_BIT of what has come since the last report; 0: not said. */
void ecn_probe_on_report (EcnProbe *p, unsigned seen, CcTime now);
/* The path marks as soon as hardly a queue stands, and has lately (RFC 9330). Pure. */
bool ecn_probe_is_l4s (const EcnProbe *p, CcTime now);
const char *ecn_probe_state_name (EcnProbeState state); /* "off", "trying", "capable", "refused" */

#ifdef __cplusplus
}
#endif
#endif
