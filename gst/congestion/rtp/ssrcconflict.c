/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ssrcconflict.h"

void
ssrc_conflict_init (SsrcConflict *c)
{
  *c = (SsrcConflict){.changed_at = CC_TIME_NONE};
}

static void
forget_silent (SsrcConflict *c, CcDuration report_interval, CcTime now)
{
  unsigned kept = 0;

  for (unsigned i = 0; i < c->count; i++)
    if (cc_time_since (now, c->addresses[i].seen) / SSRC_CONFLICT_INTERVALS < report_interval)
      c->addresses[kept++] = c->addresses[i];
  c->count = kept;
}

/* SSRC_CONFLICT_ADDRESSES where it is not listed. */
static unsigned
find (const SsrcConflict *c, uint64_t address)
{
  for (unsigned i = 0; i < c->count; i++)
    if (c->addresses[i].address == address)
      return i;
  return SSRC_CONFLICT_ADDRESSES;
}

/* The address heard least lately gives way. */
static unsigned
place (SsrcConflict *c)
{
  unsigned oldest = 0;

  if (c->count < SSRC_CONFLICT_ADDRESSES)
    return c->count++;
  for (unsigned i = 1; i < c->count; i++)
    if (c->addresses[i].seen < c->addresses[oldest].seen)
      oldest = i;
  return oldest;
}

SsrcConflictVerdict
ssrc_conflict_on_packet (SsrcConflict *c, uint64_t address, SsrcCname cname, CcDuration report_interval, CcTime now)
{
  unsigned i;

  forget_silent (c, report_interval, now);
  i = find (c, address);
  if (i < SSRC_CONFLICT_ADDRESSES && cname != SSRC_CNAME_OTHER) {
    c->addresses[i].seen = now;
    c->looped++;
    return SSRC_CONFLICT_LOOP;
  }
  if (c->changed_at != CC_TIME_NONE && cc_time_since (now, c->changed_at) < report_interval) {
    c->postponed++;
    return SSRC_CONFLICT_WAIT;
  }
  if (i == SSRC_CONFLICT_ADDRESSES)
    i = place (c);
  c->addresses[i].address = address;
  c->addresses[i].seen = now;
  c->changed_at = now;
  c->collisions++;
  return SSRC_CONFLICT_CHANGE;
}
