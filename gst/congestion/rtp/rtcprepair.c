/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcprepair.h"
#include "rtcpbytes.h"

#include <string.h>

#define VERSION 1
#define SHARE_STEPS 256.0

bool
rtcp_repair_payload_type_is_usable (uint8_t payload_type)
{
  return payload_type < 64 || (payload_type > 95 && payload_type < 128);
}

static size_t
size_of (unsigned kind)
{
  return kind == RTCP_REPAIR_RTX ? RTCP_REPAIR_SIZE : kind == RTCP_REPAIR_FEC ? RTCP_REPAIR_FEC_SIZE : 0;
}

static uint16_t
to_u16 (double value)
{
  return value >= UINT16_MAX ? UINT16_MAX : value > 0 ? (uint16_t)(value + 0.5) : 0;
}

size_t
rtcp_repair_write (uint8_t *fci, size_t capacity, const RtcpRepair *repair)
{
  size_t size = size_of (repair->kind);

  if (size == 0 || capacity < size)
    return 0;
  memcpy (fci, "REPR", 4);
  rtcp_put_u32 (fci + 4, (uint32_t)VERSION << 28 | ((uint32_t)repair->kind & 0x0f) << 24 | repair->payload_type << 16);
  rtcp_put_u32 (fci + 8, repair->ssrc);
  if (repair->kind == RTCP_REPAIR_FEC) {
    rtcp_put_u16 (fci + 12, to_u16 (repair->share * SHARE_STEPS));
    rtcp_put_u16 (fci + 14, to_u16 ((double)repair->span / CC_MSECOND));
  }
  return size;
}

bool
rtcp_repair_parse (const uint8_t *fci, size_t size, RtcpRepair *repair)
{
  if (size < RTCP_REPAIR_SIZE || memcmp (fci, "REPR", 4) != 0)
    return false;
  if (fci[4] >> 4 != VERSION || size != size_of (fci[4] & 0x0f) || !rtcp_repair_payload_type_is_usable (fci[5]))
    return false;
  *repair =
      (RtcpRepair){.kind = (RtcpRepairKind)(fci[4] & 0x0f), .payload_type = fci[5], .ssrc = rtcp_get_u32 (fci + 8)};
  if (repair->kind == RTCP_REPAIR_FEC) {
    repair->share = rtcp_get_u16 (fci + 12) / SHARE_STEPS;
    repair->span = rtcp_get_u16 (fci + 14) * CC_MSECOND;
  }
  return true;
}
