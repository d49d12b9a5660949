/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpsizeloss.h"
#include "rtcpbytes.h"

#include <string.h>

#define VERSION 1

size_t
rtcp_size_loss_write (uint8_t *fci, size_t capacity, const RtcpSizeLoss *loss)
{
  if (capacity < RTCP_SIZE_LOSS_SIZE)
    return 0;
  memcpy (fci, "SIZE", 4);
  rtcp_put_u32 (fci + 4, (uint32_t)VERSION << 28);
  rtcp_put_u16 (fci + 8, loss->first);
  rtcp_put_u16 (fci + 10, loss->last);
  return RTCP_SIZE_LOSS_SIZE;
}

bool
rtcp_size_loss_parse (const uint8_t *fci, size_t size, RtcpSizeLoss *loss)
{
  if (size != RTCP_SIZE_LOSS_SIZE || memcmp (fci, "SIZE", 4) != 0 || fci[4] >> 4 != VERSION)
    return false;
  *loss = (RtcpSizeLoss){rtcp_get_u16 (fci + 8), rtcp_get_u16 (fci + 10)};
  return true;
}
