/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fecsymbol.h"

#include <string.h>

#include "rtcpbytes.h"
#include "rtppacket.h"
#include "tinymt32.h"

#define LENGTH_BYTES 2
#define EXTENSION_BIT 0x10
#define DENSE 15 /* every packet of the window is in each sum */
#define CSRC_BYTES 4

size_t
fec_symbol_make (uint8_t out[FEC_SYMBOL_MAX], const uint8_t *packet, size_t size, uint16_t seq)
{
  RtpPacket parsed;
  size_t fixed, rest;

  if (!rtp_packet_parse (&parsed, packet, size))
    return 0;
  fixed = RTP_HEADER_BYTES + CSRC_BYTES * (size_t)parsed.n_csrcs;
  rest = size - (size_t)(parsed.payload - packet);
  if (LENGTH_BYTES + fixed + rest > FEC_SYMBOL_MAX)
    return 0;
  rtcp_put_u16 (out, (uint16_t)(fixed + rest));
  memcpy (out + LENGTH_BYTES, packet, fixed);
  out[LENGTH_BYTES] &= (uint8_t)~EXTENSION_BIT;
  rtcp_put_u16 (out + LENGTH_BYTES + 2, seq);
  memcpy (out + LENGTH_BYTES + fixed, parsed.payload, rest);
  return LENGTH_BYTES + fixed + rest;
}

const uint8_t *
fec_symbol_packet (const uint8_t *symbol, size_t size, uint32_t ssrc, uint16_t seq, size_t *packet_size)
{
  const uint8_t *packet = symbol + LENGTH_BYTES;
  RtpPacket parsed;
  size_t length = size > LENGTH_BYTES ? rtcp_get_u16 (symbol) : 0;

  if (length == 0 || length > size - LENGTH_BYTES || !rtp_packet_parse (&parsed, packet, length))
    return NULL;
  if (parsed.ssrc != ssrc || parsed.seq != seq || parsed.has_extension)
    return NULL;
  *packet_size = length;
  return packet;
}

void
fec_head_write (uint8_t out[FEC_HEAD_BYTES], const FecHead *head)
{
  rtcp_put_u16 (out, head->key);
  rtcp_put_u16 (out + 2, (uint16_t)(DENSE << 12 | head->n));
  rtcp_put_u32 (out + 4, head->first);
}

bool
fec_head_parse (FecHead *head, const uint8_t *data, size_t size)
{
  unsigned word;

  if (size <= FEC_HEAD_BYTES || size > FEC_HEAD_BYTES + FEC_SYMBOL_MAX)
    return false;
  word = rtcp_get_u16 (data + 2);
  if (word >> 12 != DENSE || (word & 0xfff) == 0 || (word & 0xfff) > FEC_WINDOW)
    return false;
  *head = (FecHead){.key = rtcp_get_u16 (data), .n = word & 0xfff, .first = rtcp_get_u32 (data + 4)};
  return true;
}

void
fec_coefficients (uint8_t *out, uint16_t key, unsigned n)
{
  TinyMt32 chance;

  tinymt32_init (&chance, key);
  for (unsigned i = 0; i < n; i++)
    do
      out[i] = (uint8_t)(tinymt32_next (&chance) & 0xff);
    while (out[i] == 0);
}
