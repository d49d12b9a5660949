/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rateowner.h"

const char *
rate_owner_name (RateOwner owner)
{
  static const char *const names[RATE_OWNERS] = {"unknown", "start", "unmet", "own", "own-kind", "others", "marked",
      "router", "loss", "application", "silence", "min", "max", "circuit-breaker", "l4s"};

  return (unsigned)owner < RATE_OWNERS ? names[owner] : names[RATE_OWNER_UNKNOWN];
}

RateOwner
rate_owner_from_wire (uint32_t number)
{
  return number < RATE_OWNERS ? (RateOwner)number : RATE_OWNER_UNKNOWN;
}
