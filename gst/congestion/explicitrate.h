/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver's side of explicit rates (Lie 2008, paper F 3.2): what the newest packet of a flow says that routers let
   it have, to be returned to the sender. What is in the packet is the least of its path already, so a newer one takes
   the place of an older one whoever set it. A noticeable fall should go back at once, a rise with whatever leaves next.

   Who sends the flow on says as well, some times a second, what that path takes: the lower of the two counts. */
#ifndef EXPLICITRATE_H
#define EXPLICITRATE_H

#include "cctime.h"
#include "erfextension.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EXPLICIT_RATE_LIFE (2 * CC_SECOND) /* without a router's mark, or a relay's word */
#define EXPLICIT_RATE_RELAY 0xffff         /* as a hop */
#define EXPLICIT_RATE_FALL 0.97            /* x what was returned: at or below, it is news */

typedef struct {
  double rate_Bps; /* wire bytes/s, as it arrived: > 0, finite */
  uint16_t hop;
  uint64_t order;
  CcTime at;        /* it arrived; CC_TIME_NONE: never */
  double relay_Bps; /* the same of who sends the flow on */
  CcTime relay_at;
  double told_Bps; /* returned last; 0: nothing yet */
  bool urgent;     /* it fell, or is the first, and was not returned yet */
  uint64_t marked; /* packets with a rate */
  uint64_t late;   /* of them, those older than the newest */
  uint64_t absurd; /* rates of 0: nobody means that */
} ExplicitRate;

void explicit_rate_init (ExplicitRate *e);
/* order: grows with the flow's packets, as the extended sequence number; a step back of more than 3000 is a sender that
   began again. Unset values say nothing. Returns true where an early report is wanted, once until the next
   explicit_rate_told (). */
bool explicit_rate_on_packet (ExplicitRate *e, const ErfExtension *value, uint64_t order, CcTime now);
/* Who sends the flow on can take so much of it, > 0. Returns the same. */
bool explicit_rate_on_relay (ExplicitRate *e, double rate_Bps, CcTime now);
/* 0: none, or none any more. Pure. */
double explicit_rate_current (const ExplicitRate *e, CcTime now);
uint16_t explicit_rate_hop (const ExplicitRate *e, CcTime now); /* whose that is; pure */
/* It was returned at now. */
void explicit_rate_told (ExplicitRate *e, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
