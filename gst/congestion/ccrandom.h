/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chance is an argument: the host hands in its source, tests hand in a seeded one. */
#ifndef CC_RANDOM_H
#define CC_RANDOM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint32_t (*next) (void *user); /* uniform over 32 bits */
  void *user;
} CcRandom;

/* Uniform in [low, high); `low` where random->next is NULL. */
double cc_random_uniform (const CcRandom *random, double low, double high);

/* A seeded generator (PCG32, O'Neill 2014) for hosts that have none. `state` is the caller's. */
typedef struct {
  uint64_t state;
} CcPcg32;

CcRandom cc_pcg32_init (CcPcg32 *pcg, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
