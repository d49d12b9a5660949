/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flow ids and where they go in a table: not to be guessed without the key, so that nobody chooses flows that fall into
   one place. */
#ifndef FLOWHASH_H
#define FLOWHASH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* SipHash-2-4 (Aumasson, Bernstein 2012) of what makes a flow: addresses, ports, SSRC. */
uint64_t flow_hash (const uint64_t key[2], const uint8_t *bytes, size_t size);
/* SipHash-1-3 of a word: a third of the time, for what is looked up with every packet. */
uint64_t flow_hash_ssrc (const uint64_t key[2], uint32_t ssrc);

/* Spreads ids over all 64 bits, one to one (the finalizer of MurmurHash3). */
static inline uint64_t
flow_hash_spread (uint64_t id, uint64_t key)
{
  uint64_t h = id ^ key;

  h = (h ^ h >> 33) * 0xff51afd7ed558ccd;
  h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53;
  return h ^ h >> 33;
}

#ifdef __cplusplus
}
#endif
#endif
