/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flowhash.h"

#define ROTATE(x, n) ((x) << (n) | (x) >> (64 - (n)))

static inline void
sip_round (uint64_t v[4])
{
  v[0] += v[1];
  v[2] += v[3];
  v[1] = ROTATE (v[1], 13) ^ v[0];
  v[3] = ROTATE (v[3], 16) ^ v[2];
  v[0] = ROTATE (v[0], 32);
  v[2] += v[1];
  v[0] += v[3];
  v[1] = ROTATE (v[1], 17) ^ v[2];
  v[3] = ROTATE (v[3], 21) ^ v[0];
  v[2] = ROTATE (v[2], 32);
}

static inline void
sip_block (uint64_t v[4], uint64_t block)
{
  v[3] ^= block;
  sip_round (v);
  sip_round (v);
  v[0] ^= block;
}

/* Written out, it compiles to one load. */
static uint64_t
whole_block (const uint8_t *b)
{
  return b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
         (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

/* The rest, below 8 bytes, and the size modulo 256. */
static uint64_t
last_block (const uint8_t *b, size_t rest, size_t size)
{
  uint64_t block = (uint64_t)size << 56;

  for (size_t i = 0; i < rest; i++)
    block |= (uint64_t)b[i] << 8 * i;
  return block;
}

static inline void
sip_start (uint64_t v[4], const uint64_t key[2])
{
  v[0] = key[0] ^ 0x736f6d6570736575;
  v[1] = key[1] ^ 0x646f72616e646f6d;
  v[2] = key[0] ^ 0x6c7967656e657261;
  v[3] = key[1] ^ 0x7465646279746573;
}

static inline uint64_t
sip_end (uint64_t v[4], int rounds)
{
  v[2] ^= 0xff;
  for (int i = 0; i < rounds; i++)
    sip_round (v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t
flow_hash (const uint64_t key[2], const uint8_t *bytes, size_t size)
{
  uint64_t v[4];
  size_t whole = size & ~(size_t)7;

  sip_start (v, key);
  for (size_t i = 0; i < whole; i += 8)
    sip_block (v, whole_block (bytes + i));
  sip_block (v, last_block (bytes + whole, size - whole, size));
  return sip_end (v, 4);
}

uint64_t
flow_hash_ssrc (const uint64_t key[2], uint32_t ssrc)
{
  const uint64_t block = (uint64_t)4 << 56 | ssrc;
  uint64_t v[4];

  sip_start (v, key);
  v[3] ^= block;
  sip_round (v);
  v[0] ^= block;
  return sip_end (v, 3);
}
