/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Input: the body of a congestion control feedback message. What the reader takes adds up to the body. */
#include "rtcpccfb.h"
#include "fuzz.h"

const FuzzSeed fuzz_seeds[] = {
    {"\x11\x22\x33\x44\xff\xfe\0\5\x80\x80\0\0\xc0\x40\xe0\x01\x80\0\0\0\xca\xfe\xba\xbe", 24},
    {"\0\0\0\1\0\7\0\1\x80\0\0\0\0\0\0\2\0\x09\0\2\x80\0\x80\0\0\0\0\3", 28},
    {"\0\0\0\1\0\x08\0\0\0\0\0\3", 12},
    {"\1\2\3\4", 4},
    {NULL, 0},
};

static size_t
check_block (const RtcpCcfbBlock *block)
{
  FUZZ_CHECK (block->num_reports <= RTCP_CCFB_MAX_REPORTS);
  for (unsigned i = 0; i < block->num_reports; i++) {
    RtcpCcfbMetric m = rtcp_ccfb_metric (block, i);
    CcTime at = rtcp_ccfb_arrival (&m, 10 * CC_SECOND);

    FUZZ_CHECK (m.ecn <= 3 && m.ato <= 0x1fff && (m.received || m.ecn == 0));
    /* 8189 is 7997070312.5 ns, beyond which the scale ends */
    FUZZ_CHECK (at == CC_TIME_NONE || m.ato == 8189 || (m.received && rtcp_ccfb_ato (at, 10 * CC_SECOND) == m.ato));
  }
  return 8 + 4 * ((block->num_reports + 1u) / 2);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  uint8_t *body = fuzz_exact (data, size);
  RtcpCcfbReader r;
  RtcpCcfbBlock block;
  size_t total = 4;

  if (rtcp_ccfb_open (&r, body, size)) {
    while (rtcp_ccfb_next (&r, &block))
      total += check_block (&block);
    FUZZ_CHECK (total == size);
  }
  free (body);
  return 0;
}
