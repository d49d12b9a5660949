/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "inorder.h"

void
in_order_init (InOrder *o)
{
  *o = (InOrder){0};
}

void
in_order_on_arrival (InOrder *o, uint16_t seq, CcTime now)
{
  o->arrived[seq % IN_ORDER_PACKETS].seq = seq;
  o->arrived[seq % IN_ORDER_PACKETS].at = now;
}

CcTime
in_order_on_leaving (InOrder *o, uint16_t seq, CcTime now)
{
  bool gap = o->started && (uint16_t)(o->last + 1) != seq;
  CcTime arrived = o->arrived[seq % IN_ORDER_PACKETS].at;

  if (gap || arrived == 0 || o->arrived[seq % IN_ORDER_PACKETS].seq != seq)
    arrived = now;
  /* no packet leaves before it is there: what says so is of a time that began anew */
  o->ready = cc_time_min (cc_time_max (o->ready, arrived), now);
  o->started = true;
  o->last = seq;
  return o->ready;
}
