/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: an FCI, handed to both parsers; what a parser takes is written and parsed again. */
#include "rtcppicture.h"
#include "fuzz.h"

const FuzzSeed fuzz_seeds[] = {
    {"\0\x08\x02\xc5\xff\xff\xff\xff", 8},
    {"\1\x60\xb3\xc4", 4},
    {"\x1f\x60\xb3\xc4\x80\0\0\0", 8},
    {NULL, 0},
};

static void
check_sli (const uint8_t *fci, size_t size)
{
  size_t capacity = size / 4 + 1, n = 99, n_back;
  RtcpSli *slices = (RtcpSli *)fuzz_exact (NULL, capacity * sizeof *slices);
  RtcpSli *back = (RtcpSli *)fuzz_exact (NULL, capacity * sizeof *back);
  uint8_t *out = fuzz_exact (NULL, size);

  if (rtcp_sli_parse (fci, size, slices, capacity, &n) && n > 0) {
    FUZZ_CHECK (n <= size / 4);
    FUZZ_CHECK (rtcp_sli_write (out, 4 * n - 1, slices, n) == 0);
    FUZZ_CHECK (rtcp_sli_write (out, 4 * n, slices, n) == 4 * n);
    FUZZ_CHECK (rtcp_sli_parse (out, 4 * n, back, capacity, &n_back) && n_back == n);
    for (size_t i = 0; i < n; i++)
      FUZZ_CHECK (back[i].first == slices[i].first && back[i].number == slices[i].number &&
                  back[i].picture_id == slices[i].picture_id);
    FUZZ_CHECK (rtcp_sli_parse (fci, size, back, n - 1, &n_back) && n_back == n - 1);
  }
  free (out);
  free (back);
  free (slices);
}

static void
check_rpsi (const uint8_t *fci, size_t size)
{
  RtcpRpsi rpsi, back;
  uint8_t *out;

  if (!rtcp_rpsi_parse (fci, size, &rpsi))
    return;
  FUZZ_CHECK (rpsi.n_bits >= 1 && rpsi.n_bits <= 8 * RTCP_RPSI_MAX_BYTES && rpsi.payload_type <= 127);
  out = fuzz_exact (NULL, size);
  FUZZ_CHECK (rtcp_rpsi_write (out, size - 1, &rpsi) == 0);
  FUZZ_CHECK (rtcp_rpsi_write (out, size, &rpsi) == size);
  FUZZ_CHECK (out[0] == fci[0] && out[1] == (fci[1] & 0x7f));
  FUZZ_CHECK (memcmp (out + 2, fci + 2, rpsi.n_bits / 8u) == 0);
  FUZZ_CHECK (rtcp_rpsi_parse (out, size, &back) && back.n_bits == rpsi.n_bits);
  FUZZ_CHECK (memcmp (back.bits, rpsi.bits, sizeof back.bits) == 0);
  free (out);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t *fci = fuzz_exact (data, size);

  check_sli (fci, size);
  check_rpsi (fci, size);
  free (fci);
  return 0;
}
