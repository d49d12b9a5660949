/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: profile (2 bytes), id, size of the new element, then an extension block. */
#include "rtpextension.h"
#include "fuzz.h"

#define SEED(...)                                                                                                      \
  {                                                                                                                    \
    (const uint8_t[]){__VA_ARGS__}, sizeof ((const uint8_t[]){__VA_ARGS__})                                            \
  }

const FuzzSeed fuzz_seeds[] = {
    SEED (0xBE, 0xDE, 3, 7),
    SEED (0xBE, 0xDE, 3, 7, 0x36, 0, 0xc3, 0x50, 0x12, 0x34, 0x56, 0x78),
    SEED (0xBE, 0xDE, 5, 3, 0x10, 0xaa, 0, 0x52, 1, 2, 3, 0),
    SEED (0xBE, 0xDE, 20, 7, 0x10, 0xaa, 0, 0x52, 1, 2, 3, 0),
    SEED (0x10, 0x00, 15, 7, 15, 7, 0, 0xc3, 0x50, 0x12, 0x34, 0x56, 0x78, 0, 0, 0),
    SEED (0x10, 0x05, 3, 7, 200, 0, 0, 1, 2, 7, 7, 0),
    {NULL, 0},
};

static bool
same (const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
  return a != NULL && b != NULL && a_size == b_size && (a_size == 0 || memcmp (a, b, a_size) == 0);
}

static void
check_find (uint16_t profile, const uint8_t *block, size_t size)
{
  for (unsigned id = 0; id < 256; id++) {
    size_t found_size = 0;
    const uint8_t *found = rtp_ext_find (profile, block, size, id, &found_size);
    RtpRttSendts stamp;
    uint8_t written[RTP_EXT_RTT_SENDTS_SIZE];

    if (found == NULL)
      continue;
    FUZZ_CHECK (found >= block && found + found_size <= block + size);
    if (!rtp_ext_rtt_sendts_parse (found, found_size, &stamp))
      continue;
    rtp_ext_rtt_sendts_write (written, &stamp);
    FUZZ_CHECK (same (written, sizeof written, found, found_size));
  }
}

static void
check_put (uint16_t profile, const uint8_t *block, size_t size, unsigned id, const uint8_t *data, size_t data_size)
{
  size_t capacity = size + rtp_ext_growth (profile, block, size, id, data_size), written, found_size = 0, kept_size = 0;
  bool possible = id > 0 && (size == 0 || profile == 0xBEDE || (profile & 0xfff0) == 0x1000);
  uint8_t *out = fuzz_exact (NULL, capacity);
  uint16_t out_profile = 0;

  written = rtp_ext_put (profile, block, size, id, data, data_size, out, capacity, &out_profile);
  FUZZ_CHECK ((written > 0) == possible && written <= capacity && written % 4 == 0);
  if (written > 0) {
    const uint8_t *found = rtp_ext_find (out_profile, out, written, id, &found_size);
    FUZZ_CHECK (same (found, found_size, data, data_size));
    for (unsigned other = 1; other < 256; other++) {
      const uint8_t *kept = rtp_ext_find (profile, block, size, other, &kept_size);
      if (other == id || kept == NULL)
        continue;
      found = rtp_ext_find (out_profile, out, written, other, &found_size);
      FUZZ_CHECK (same (found, found_size, kept, kept_size));
    }
  }
  free (out);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput in = {data, data + size};
  uint16_t profile = (uint16_t)fuzz_take (&in, 2);
  unsigned id = fuzz_take (&in, 1);
  size_t data_size = fuzz_take (&in, 1);
  size_t block_size = (size_t)(in.end - in.at) & ~(size_t)3;
  uint8_t *block = fuzz_exact (in.at, block_size), *element = fuzz_exact (NULL, data_size);

  memset (element, 0xa5, data_size);
  check_find (profile, block, block_size);
  check_put (profile, block, block_size, id, element, data_size);
  free (element);
  free (block);
  return 0;
}
