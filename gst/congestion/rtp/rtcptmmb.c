/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcptmmb.h"
#include "rtcpbytes.h"

#define MANTISSA_BITS 17
#define OVERHEAD_BITS 9

size_t
rtcp_tmmb_write (uint8_t *fci, size_t capacity, const RtcpTmmb *entries, unsigned n)
{
  if (capacity / RTCP_TMMB_ENTRY_SIZE < n)
    return 0;
  for (unsigned i = 0; i < n; i++) {
    uint16_t overhead = entries[i].overhead_bytes;

    if (overhead > RTCP_TMMB_MAX_OVERHEAD)
      overhead = RTCP_TMMB_MAX_OVERHEAD;
    rtcp_put_u32 (fci, entries[i].ssrc);
    rtcp_put_u32 (fci + 4, rtcp_pack_rate (entries[i].bitrate_bps, MANTISSA_BITS) << OVERHEAD_BITS | overhead);
    fci += RTCP_TMMB_ENTRY_SIZE;
  }
  return (size_t)n * RTCP_TMMB_ENTRY_SIZE;
}

unsigned
rtcp_tmmb_count (size_t size)
{
  return size % RTCP_TMMB_ENTRY_SIZE == 0 ? (unsigned)(size / RTCP_TMMB_ENTRY_SIZE) : 0;
}

RtcpTmmb
rtcp_tmmb_entry (const uint8_t *fci, unsigned i)
{
  const uint8_t *at = fci + (size_t)i * RTCP_TMMB_ENTRY_SIZE;
  uint32_t bits = rtcp_get_u32 (at + 4);

  return (RtcpTmmb){.ssrc = rtcp_get_u32 (at),
      .bitrate_bps = rtcp_unpack_rate (bits >> OVERHEAD_BITS, MANTISSA_BITS),
      .overhead_bytes = bits & RTCP_TMMB_MAX_OVERHEAD};
}

uint64_t
rtcp_tmmb_rounded (uint64_t bitrate_bps)
{
  return rtcp_unpack_rate (rtcp_pack_rate (bitrate_bps, MANTISSA_BITS), MANTISSA_BITS);
}
