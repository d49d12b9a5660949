/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccrandom.h"

#include <stddef.h>

double
cc_random_uniform (const CcRandom *random, double low, double high)
{
  if (random == NULL || random->next == NULL)
    return low;
  return low + (high - low) * ((double)random->next (random->user) / 4294967296.0);
}

static uint32_t
pcg32_next (void *user)
{
  CcPcg32 *pcg = user;
  uint64_t old = pcg->state;
  uint32_t xorshifted = (uint32_t)(((old >> 18) ^ old) >> 27);
  uint32_t rotation = (uint32_t)(old >> 59);

  pcg->state = old * 6364136223846793005ULL + 1442695040888963407ULL;
  return (xorshifted >> rotation) | (xorshifted << ((32 - rotation) & 31));
}

CcRandom
cc_pcg32_init (CcPcg32 *pcg, uint64_t seed)
{
  CcRandom random = {.next = pcg32_next, .user = pcg};

  pcg->state = seed + 1442695040888963407ULL;
  pcg32_next (pcg);
  return random;
}
