/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcprepair.h"
#include "rtcpbytes.h"

#include <string.h>

#define VERSION 1

bool
rtcp_repair_payload_type_is_usable (uint8_t payload_type)
{
  return payload_type < 64 || (payload_type > 95 && payload_type < 128);
}

size_t
rtcp_repair_write (uint8_t *fci, size_t capacity, const RtcpRepair *repair)
{
  if (capacity < RTCP_REPAIR_SIZE)
    return 0;
  memcpy (fci, "REPR", 4);
  rtcp_put_u32 (fci + 4, (uint32_t)VERSION << 28 | ((uint32_t)repair->kind & 0x0f) << 24 | repair->payload_type << 16);
  rtcp_put_u32 (fci + 8, repair->ssrc);
  return RTCP_REPAIR_SIZE;
}

bool
rtcp_repair_parse (const uint8_t *fci, size_t size, RtcpRepair *repair)
{
  if (size != RTCP_REPAIR_SIZE || memcmp (fci, "REPR", 4) != 0)
    return false;
  if (fci[4] >> 4 != VERSION || (fci[4] & 0x0f) != RTCP_REPAIR_RTX || !rtcp_repair_payload_type_is_usable (fci[5]))
    return false;
  *repair = (RtcpRepair){.kind = RTCP_REPAIR_RTX, .payload_type = fci[5], .ssrc = rtcp_get_u32 (fci + 8)};
  return true;
}
