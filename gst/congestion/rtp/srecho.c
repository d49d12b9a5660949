/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "srecho.h"

void
sr_echo_init (SrEcho *e)
{
  *e = (SrEcho){0};
  for (unsigned i = 0; i < SR_ECHO_PLACES; i++)
    e->places[i].at = CC_TIME_NONE;
}

void
sr_echo_on_sent (SrEcho *e, uint32_t ssrc, uint64_t ntp_time, CcTime now)
{
  unsigned i = e->next;

  e->places[i].ssrc = ssrc;
  e->places[i].middle = (uint32_t)(ntp_time >> 16);
  e->places[i].at = now;
  e->next = (i + 1) % SR_ECHO_PLACES;
}

static CcTime
left_at (const SrEcho *e, uint32_t ssrc, uint32_t lsr)
{
  for (unsigned i = 0; i < SR_ECHO_PLACES; i++)
    if (e->places[i].at != CC_TIME_NONE && e->places[i].ssrc == ssrc && e->places[i].middle == lsr)
      return e->places[i].at;
  return CC_TIME_NONE;
}

CcDuration
sr_echo_round_trip (const SrEcho *e, uint32_t ssrc, uint32_t lsr, uint32_t dlsr, CcTime now)
{
  CcDuration held = (CcDuration)dlsr * CC_SECOND / 65536, passed;
  CcTime at = lsr != 0 ? left_at (e, ssrc, lsr) : CC_TIME_NONE;

  if (at == CC_TIME_NONE)
    return 0;
  passed = cc_time_since (now, at);
  if (passed < held)
    return 0;
  return passed - held < CC_USECOND ? CC_USECOND : passed - held;
}
