/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The small Mersenne Twister of RFC 8682: both ends of a code make the same numbers from a key that is sent along. Not
   for secrets. */
#ifndef TINYMT32_H
#define TINYMT32_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint32_t state[4];
} TinyMt32;

void tinymt32_init (TinyMt32 *t, uint32_t seed);
uint32_t tinymt32_next (TinyMt32 *t);

#ifdef __cplusplus
}
#endif
#endif
