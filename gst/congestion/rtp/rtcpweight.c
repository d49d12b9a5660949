/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpweight.h"
#include "rtcpbytes.h"

#include <string.h>

#define VERSION 1
#define ONE 256.0
#define MOST 0xffff

size_t
rtcp_weight_write (uint8_t *fci, size_t capacity, double weight)
{
  double units = weight * ONE + 0.5;

  if (capacity < RTCP_WEIGHT_SIZE)
    return 0;
  memcpy (fci, "WGHT", 4);
  rtcp_put_u16 (fci + 4, VERSION << 12);
  rtcp_put_u16 (fci + 6, units > 0 ? (uint16_t)(units < MOST ? units : MOST) : 0);
  return RTCP_WEIGHT_SIZE;
}

bool
rtcp_weight_parse (const uint8_t *fci, size_t size, double *weight)
{
  if (size != RTCP_WEIGHT_SIZE || memcmp (fci, "WGHT", 4) != 0 || fci[4] >> 4 != VERSION)
    return false;
  *weight = rtcp_get_u16 (fci + 6) / ONE;
  return true;
}
