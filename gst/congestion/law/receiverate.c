/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "receiverate.h"

#define SLOTS (RECEIVE_RATE_SLOTS + 1)
#define OF_LATE (300 * CC_MSECOND)
#define SLOT (RECEIVE_RATE_SPAN / RECEIVE_RATE_SLOTS)

void
receive_rate_on_packet (ReceiveRate *r, uint32_t bytes, CcTime now)
{
  if (r->count == 0 || cc_time_since (now, r->slots[r->head].start) >= SLOT) {
    r->head = (r->head + 1) % SLOTS;
    r->slots[r->head].start = now - now % SLOT;
    r->slots[r->head].bytes = 0;
    if (r->count < SLOTS)
      r->count++;
  }
  r->slots[r->head].bytes += bytes;
}

/* Since when the slots of the last span tell, and what has come in them. */
static CcTime
add_up (const ReceiveRate *r, CcDuration span, double *bytes, CcTime now)
{
  CcTime oldest = now;

  *bytes = 0;
  for (unsigned n = 0; n < r->count; n++) {
    unsigned i = (r->head + SLOTS - n) % SLOTS;

    if (cc_time_since (now, r->slots[i].start) > span)
      break;
    *bytes += r->slots[i].bytes;
    oldest = r->slots[i].start;
  }
  return oldest;
}

double
receive_rate_Bps (const ReceiveRate *r, CcTime now)
{
  double bytes;
  CcTime oldest = add_up (r, RECEIVE_RATE_SPAN, &bytes, now);

  if (r->count >= RECEIVE_RATE_SLOTS)
    return bytes / cc_seconds (RECEIVE_RATE_SPAN);
  return cc_time_since (now, oldest) >= 2 * SLOT ? bytes / cc_seconds (now - oldest) : 0;
}

double
receive_rate_of_late (const ReceiveRate *r, CcTime now)
{
  double bytes;
  CcDuration since = cc_time_since (now, add_up (r, OF_LATE, &bytes, now));

  return since >= 2 * SLOT ? bytes / cc_seconds (since > OF_LATE / 2 ? since : OF_LATE / 2) : 0;
}
