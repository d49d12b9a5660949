/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "erfextension.h"
#include "rtcpbytes.h"
#include "rtpextension.h"

#define MANTISSA_BITS 18
#define UNSET 0xffffff
#define TWO_TO_64 18446744073709551616.0

static uint32_t
pack (double rate_Bps)
{
  double bps = rate_Bps * 8;
  uint64_t whole = 0;

  if (bps > 0)
    whole = bps < TWO_TO_64 ? (uint64_t)bps : UINT64_MAX;
  return rtcp_pack_rate (whole, MANTISSA_BITS);
}

static uint32_t
get_packed (const uint8_t *data)
{
  return (uint32_t)data[0] << 16 | (uint32_t)data[1] << 8 | data[2];
}

static void
put (uint8_t *data, uint32_t packed, uint16_t hop)
{
  data[0] = (uint8_t)(packed >> 16);
  data[1] = (uint8_t)(packed >> 8);
  data[2] = (uint8_t)packed;
  rtcp_put_u16 (data + 3, hop);
  data[5] = ERF_EXTENSION_KIND_ERF << 4;
}

void
erf_extension_write_unset (uint8_t data[ERF_EXTENSION_SIZE])
{
  put (data, UNSET, 0);
}

void
erf_extension_write (uint8_t data[ERF_EXTENSION_SIZE], double rate_Bps, uint16_t hop)
{
  put (data, pack (rate_Bps), hop);
}

bool
erf_extension_parse (const uint8_t *data, size_t size, ErfExtension *value)
{
  uint32_t packed;

  if (size != ERF_EXTENSION_SIZE || data[5] >> 4 != ERF_EXTENSION_KIND_ERF)
    return false;
  packed = get_packed (data);
  *value = (ErfExtension){.set = packed != UNSET, .hop = rtcp_get_u16 (data + 3)};
  if (value->set)
    value->rate_Bps = (double)rtcp_unpack_rate (packed, MANTISSA_BITS) / 8;
  return true;
}

ErfVerdict
erf_extension_lower (uint8_t *data, size_t size, double rate_Bps, uint16_t hop)
{
  ErfExtension present;
  uint32_t packed;

  if (!erf_extension_parse (data, size, &present))
    return ERF_ABSENT;
  if (!(rate_Bps - rate_Bps == 0))
    return ERF_KEPT;
  packed = pack (rate_Bps);
  if (present.set && rtcp_unpack_rate (packed, MANTISSA_BITS) >= rtcp_unpack_rate (get_packed (data), MANTISSA_BITS))
    return ERF_KEPT;
  put (data, packed, hop);
  return ERF_LOWERED;
}

ErfVerdict
erf_extension_lower_in_block (
    uint16_t profile, uint8_t *block, size_t block_size, unsigned id, double rate_Bps, uint16_t hop)
{
  size_t size = 0;
  const uint8_t *found = rtp_ext_find (profile, block, block_size, id, &size);

  return found != NULL ? erf_extension_lower (block + (found - block), size, rate_Bps, hop) : ERF_ABSENT;
}
