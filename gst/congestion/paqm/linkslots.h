/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When packets leave a link of known capacity, for a host whose timer is coarse.

   A packet of L bytes keeps the link busy for L/capacity. The host sleeps for a grain at least and then sends what has
   become due, so over any T of continuous sending no more than capacity x (T + grain + lateness) and one packet leave;
   lateness: by how much later than asked it wakes on average. What it misses beyond that is owed: packets follow each
   other in 7/8 of their time until it is made up for. A link that was idle saves nothing up. */
#ifndef LINKSLOTS_H
#define LINKSLOTS_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LINK_SLOTS_GRAIN CC_MSECOND
#define LINK_SLOTS_LATENESS_MAX (9 * CC_MSECOND)
#define LINK_SLOTS_OWED_MAX (200 * CC_MSECOND)

typedef struct {
  double capacity_Bps;
  CcTime free_at;      /* the link is done with the last packet */
  CcTime last_at;      /* the host last sent one; CC_TIME_NONE: never */
  double carry_ns;     /* [0, 1): what free_at lost by rounding down */
  CcDuration lateness; /* of the host, mean */
  CcDuration owed;     /* link time that passed while the host slept */
  bool idle;           /* nothing waits */
} LinkSlots;

void link_slots_init (LinkSlots *s, double capacity_Bps);
/* Live: what is left of the packet on the link is scaled. 0, negative or NaN: the link takes all at once. */
void link_slots_set_capacity (LinkSlots *s, double capacity_Bps, CcTime now);
/* The next packet may go now. Pure. */
bool link_slots_may_send (const LinkSlots *s, CcTime now);
/* When to look again, where it may not. Pure. */
CcTime link_slots_next (const LinkSlots *s);
/* A packet goes now; asked or not. */
void link_slots_on_departure (LinkSlots *s, uint32_t bytes, CcTime now);
/* Nothing is left to send. */
void link_slots_on_idle (LinkSlots *s);

#ifdef __cplusplus
}
#endif
#endif
