/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: an FCI to expand, and the same bytes as numbers to pack: nothing is lost on the way there and back. */
#include "rtcpnack.h"
#include "fuzz.h"

#define MAX_NUMBERS 512

const FuzzSeed fuzz_seeds[] = {
    {"\0\x64\x80\x05\0\x75\0\0", 8},
    {"\xff\xfe\x80\x03\0\x0f\0\0", 8},
    {"\0\1\0\2\0\3\0\4\0\5\0\x14\0\x15\xff\xff", 16},
    {NULL, 0},
};

/* No bit of an entry is lost, in order, up to the capacity. */
static void
check_parse (const uint8_t *fci, size_t size, size_t capacity)
{
  uint16_t *seqs = (uint16_t *)fuzz_exact (NULL, 2 * capacity);
  size_t n = 99, expected = 0;

  if (!rtcp_nack_parse (fci, size, seqs, capacity, &n)) {
    FUZZ_CHECK (n == 99 && (size == 0 || size % 4 != 0));
    free (seqs);
    return;
  }
  for (size_t at = 0; at < size; at += 4) {
    uint16_t pid = (uint16_t)(fci[at] << 8 | fci[at + 1]), blp = (uint16_t)(fci[at + 2] << 8 | fci[at + 3]);

    for (int bit = -1; bit < 16; bit++) {
      if (bit >= 0 && !(blp & 1 << bit))
        continue;
      if (expected < capacity)
        FUZZ_CHECK (seqs[expected] == (uint16_t)(pid + bit + 1));
      expected++;
    }
  }
  FUZZ_CHECK (n == (expected < capacity ? expected : capacity));
  free (seqs);
}

static void
check_write (const uint16_t *seqs, size_t n, size_t capacity)
{
  uint8_t *fci = fuzz_exact (NULL, capacity);
  uint16_t back[RTCP_NACK_PER_ENTRY * MAX_NUMBERS];
  size_t taken, n_back = 0, at = 0, size = rtcp_nack_write (fci, capacity, seqs, n, &taken);

  FUZZ_CHECK (size <= capacity && size % 4 == 0 && taken <= n && (taken == n || capacity - size < 4));
  FUZZ_CHECK (size == 0 || rtcp_nack_parse (fci, size, back, sizeof back / sizeof *back, &n_back));
  /* each taken number is there; what is there was taken */
  for (size_t i = 0; i < taken; i++) {
    bool found = false;

    for (size_t j = at > 16 ? at - 16 : 0; j < n_back && !found; j++) {
      found = back[j] == seqs[i];
      at = found ? j : at;
    }
    FUZZ_CHECK (found);
  }
  FUZZ_CHECK (n_back <= taken);
  free (fci);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t *fci = fuzz_exact (data, size);
  FuzzInput in = {data, data + size};
  uint16_t seqs[MAX_NUMBERS];
  size_t n = 0;

  check_parse (fci, size, RTCP_NACK_PER_ENTRY * (size / 4 + 1));
  check_parse (fci, size, size / 4);
  free (fci);
  /* odd bytes as they are, even ones as small steps: both kinds of list */
  while (in.at < in.end && n < MAX_NUMBERS) {
    uint32_t value = fuzz_take (&in, 2);

    seqs[n] = (uint16_t)(n > 0 && value & 1 ? seqs[n - 1] + (value >> 8 & 0x1f) : value);
    n++;
  }
  check_write (seqs, n, 4 * n);
  check_write (seqs, n, n);
  return 0;
}
