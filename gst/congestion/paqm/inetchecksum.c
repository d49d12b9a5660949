/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "inetchecksum.h"
#include "rtcpbytes.h"

static uint32_t
fold (uint32_t sum)
{
  return (sum & 0xffff) + (sum >> 16);
}

/* RFC 1624 eq. 3: HC' = ~(~HC + ~m + m') */
uint16_t
inet_checksum_update (uint16_t checksum, const uint8_t *before, const uint8_t *after, size_t size)
{
  uint32_t sum = (uint16_t)~checksum;

  for (size_t i = 0; i + 1 < size; i += 2)
    sum = fold (sum + (uint16_t)~rtcp_get_u16 (before + i) + rtcp_get_u16 (after + i));
  return (uint16_t)~fold (fold (sum));
}

uint16_t
inet_checksum_update_udp (uint16_t checksum, const uint8_t *before, const uint8_t *after, size_t size)
{
  uint16_t updated;

  if (checksum == 0)
    return 0;
  updated = inet_checksum_update (checksum, before, after, size);
  return updated != 0 ? updated : 0xffff;
}
