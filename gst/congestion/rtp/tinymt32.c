/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tinymt32.h"

/* RFC 8682 2.1 */
#define MAT1 0x8f7011eeu
#define MAT2 0xfc78ff1fu
#define TMAT 0x3793fdffu
#define INIT_FACTOR 1812433253u
#define INIT_ROUNDS 8
#define LOW_31 0x7fffffffu

static void
step (uint32_t s[4])
{
  uint32_t x = (s[0] & LOW_31) ^ s[1] ^ s[2], y = s[3];

  x ^= x << 1;
  y ^= (y >> 1) ^ x;
  s[0] = s[1];
  s[1] = s[2];
  s[2] = x ^ (y << 10);
  s[3] = y;
  if (y & 1) {
    s[1] ^= MAT1;
    s[2] ^= MAT2;
  }
}

void
tinymt32_init (TinyMt32 *t, uint32_t seed)
{
  uint32_t *s = t->state;

  s[0] = seed;
  s[1] = MAT1;
  s[2] = MAT2;
  s[3] = TMAT;
  for (uint32_t i = 1; i < INIT_ROUNDS; i++) {
    uint32_t last = s[(i - 1) & 3];

    s[i & 3] ^= i + INIT_FACTOR * (last ^ (last >> 30));
  }
  for (unsigned i = 0; i < INIT_ROUNDS; i++)
    step (s);
}

uint32_t
tinymt32_next (TinyMt32 *t)
{
  uint32_t *s = t->state, mixed, sum;

  step (s);
  sum = s[0] + (s[2] >> 8);
  mixed = s[3] ^ sum;
  return sum & 1 ? mixed ^ TMAT : mixed;
}
