/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets of a stream for the tests of the sliding window code: number, size and content follow from the number. */
#ifndef FECSTREAM_H
#define FECSTREAM_H

#include "fecsymbol.h"
#include "rtcpbytes.h"

#include <string.h>

#define FEC_STREAM_SSRC 0xfeed0001
#define FEC_STREAM_MAX 1400

static inline size_t
fec_stream_packet (uint8_t out[FEC_STREAM_MAX], uint32_t number)
{
  size_t size = 12 + (number * 613) % (FEC_STREAM_MAX - 12);

  memset (out, 0, 12);
  out[0] = 0x80;
  out[1] = (uint8_t)(96 | (number % 4 == 3 ? 0x80 : 0));
  rtcp_put_u16 (out + 2, (uint16_t)number);
  rtcp_put_u32 (out + 4, 3000 * (number / 4));
  rtcp_put_u32 (out + 8, FEC_STREAM_SSRC);
  for (size_t i = 12; i < size; i++)
    out[i] = (uint8_t)(number * 31 + i * i);
  return size;
}

#endif
