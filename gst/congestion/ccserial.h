/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Serial numbers that wrap (RTP sequence numbers, 32-bit timestamps) unwrapped into 64 bits; never compare them raw. */
#ifndef CC_SERIAL_H
#define CC_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint64_t newest; /* highest unwrapped value so far */
  bool started;
} CcUnwrap;

/* The value nearest to the newest one that is congruent to `value` modulo 2^bits. The first is placed one full cycle
   up, so that values from before it stay positive. Older values do not move `newest`. */
static inline uint64_t
cc_unwrap (CcUnwrap *u, uint32_t value, unsigned bits)
{
  uint64_t cycle = (uint64_t)1 << bits;
  uint64_t candidate;

  if (!u->started) {
    u->started = true;
    u->newest = cycle + value;
    return u->newest;
  }
  candidate = (u->newest & ~(cycle - 1)) | value;
  if (candidate + cycle / 2 < u->newest)
    candidate += cycle;
  else if (candidate > u->newest + cycle / 2 && candidate >= cycle)
    candidate -= cycle;
  if (candidate > u->newest)
    u->newest = candidate;
  return candidate;
}

#ifdef __cplusplus
}
#endif
#endif
