/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: profile (2 bytes), id, exponent of the rate, hop (2), then an extension block. */
#include "erfextension.h"
#include "rtpextension.h"
#include "fuzz.h"

#include <math.h>
#include <stdbool.h>

#define SEED(...)                                                                                                      \
  {                                                                                                                    \
    (const uint8_t[]){__VA_ARGS__}, sizeof ((const uint8_t[]){__VA_ARGS__})                                            \
  }

const FuzzSeed fuzz_seeds[] = {
    SEED (0xBE, 0xDE, 10, 20, 0xca, 0xfe, 0xa5, 0xff, 0xff, 0xff, 0, 0, 0x10, 0),
    SEED (0xBE, 0xDE, 10, 30, 0xca, 0xfe, 0xa5, 0x0b, 0xd0, 0x90, 0, 1, 0x10, 0),
    SEED (0xBE, 0xDE, 10, 10, 0, 1, 0x10, 0xaa, 0, 0xa5, 0x0b, 0xd0, 0x90, 0, 1, 0x10, 0x30, 1),
    SEED (0x10, 0x00, 10, 10, 0, 1, 10, 6, 0xff, 0xff, 0xff, 0, 0, 0x10),
    SEED (0x10, 0x05, 200, 10, 0, 1, 1, 0, 200, 6, 0xff, 0xff, 0xff, 0, 0, 0x1f, 0, 0),
    {NULL, 0},
};

/* Rates of all sizes, and what is none. */
static double
rate_of (unsigned exponent)
{
  if (exponent >= 250)
    return exponent & 1 ? NAN : HUGE_VAL;
  return exponent >= 245 ? -1.0 : ldexp (1.37, (int)exponent / 3 - 10);
}

static bool
parse_at (uint16_t profile, const uint8_t *block, size_t size, unsigned id, ErfExtension *value)
{
  size_t found_size = 0;
  const uint8_t *found = rtp_ext_find (profile, block, size, id, &found_size);

  return found != NULL && erf_extension_parse (found, found_size, value);
}

static void
check_lowered (const ErfExtension *before, const ErfExtension *after, double rate_Bps, uint16_t hop)
{
  FUZZ_CHECK (after->set && after->hop == hop);
  FUZZ_CHECK (!before->set || after->rate_Bps < before->rate_Bps);
  FUZZ_CHECK (after->rate_Bps <= fmax (rate_Bps, 0));
}

static void
check_lower (uint16_t profile, uint8_t *block, size_t size, unsigned id, double rate_Bps, uint16_t hop)
{
  uint8_t *before = fuzz_exact (block, size);
  ErfExtension was = {0}, is = {0};
  bool had = parse_at (profile, block, size, id, &was);
  ErfVerdict verdict = erf_extension_lower_in_block (profile, block, size, id, rate_Bps, hop);
  size_t changed = 0;

  FUZZ_CHECK (parse_at (profile, block, size, id, &is) == had);
  FUZZ_CHECK (had == (verdict != ERF_ABSENT));
  for (size_t i = 0; i < size; i++)
    changed += block[i] != before[i];
  FUZZ_CHECK (changed <= (verdict == ERF_LOWERED ? ERF_EXTENSION_SIZE : 0));
  if (verdict == ERF_LOWERED)
    check_lowered (&was, &is, rate_Bps, hop);
  if (verdict == ERF_KEPT && rate_Bps - rate_Bps == 0)
    FUZZ_CHECK (was.set);
  if (verdict != ERF_ABSENT)
    FUZZ_CHECK (erf_extension_lower_in_block (profile, block, size, id, rate_Bps, hop) == ERF_KEPT);
  free (before);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput in = {data, data + size};
  uint16_t profile = (uint16_t)fuzz_take (&in, 2);
  unsigned id = fuzz_take (&in, 1);
  double rate_Bps = rate_of (fuzz_take (&in, 1));
  uint16_t hop = (uint16_t)fuzz_take (&in, 2);
  size_t block_size = (size_t)(in.end - in.at);
  uint8_t *block = fuzz_exact (in.at, block_size);

  check_lower (profile, block, block_size, id, rate_Bps, hop);
  free (block);
  return 0;
}
