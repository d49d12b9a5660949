/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcppicture.h"

#include <string.h>

#define MACROBLOCK_MAX 8191
#define PICTURE_ID_MAX 63
#define RPSI_HEADER_BITS 16

static bool
sli_in_range (const RtcpSli *s)
{
  return s->first >= 1 && s->first <= MACROBLOCK_MAX && s->number >= 1 && s->number <= MACROBLOCK_MAX &&
         s->picture_id <= PICTURE_ID_MAX;
}

size_t
rtcp_sli_write (uint8_t *fci, size_t capacity, const RtcpSli *slices, size_t n)
{
  if (capacity / RTCP_SLI_ENTRY_SIZE < n)
    return 0;
  for (size_t i = 0; i < n; i++)
    if (!sli_in_range (&slices[i]))
      return 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t word = (uint32_t)slices[i].first << 19 | (uint32_t)slices[i].number << 6 | slices[i].picture_id;

    for (int b = 0; b < 4; b++)
      fci[RTCP_SLI_ENTRY_SIZE * i + b] = (uint8_t)(word >> (24 - 8 * b));
  }
  return RTCP_SLI_ENTRY_SIZE * n;
}

bool
rtcp_sli_parse (const uint8_t *fci, size_t size, RtcpSli *slices, size_t capacity, size_t *n)
{
  size_t stored = 0;

  if (size == 0 || size % RTCP_SLI_ENTRY_SIZE != 0)
    return false;
  for (size_t at = 0; at < size && stored < capacity; at += RTCP_SLI_ENTRY_SIZE) {
    uint32_t word = (uint32_t)fci[at] << 24 | (uint32_t)fci[at + 1] << 16 | (uint32_t)fci[at + 2] << 8 | fci[at + 3];
    RtcpSli slice = {.first = (uint16_t)(word >> 19),
        .number = (uint16_t)(word >> 6 & MACROBLOCK_MAX),
        .picture_id = (uint8_t)(word & PICTURE_ID_MAX)};

    if (sli_in_range (&slice))
      slices[stored++] = slice;
  }
  *n = stored;
  return true;
}

/* n_bits of `from`, the rest of the last byte 0. */
static void
copy_bits (uint8_t *to, const uint8_t *from, unsigned n_bits)
{
  unsigned bytes = (n_bits + 7) / 8;

  memcpy (to, from, bytes);
  if (n_bits % 8 != 0)
    to[bytes - 1] &= (uint8_t)(0xff << (8 - n_bits % 8));
}

size_t
rtcp_rpsi_write (uint8_t *fci, size_t capacity, const RtcpRpsi *rpsi)
{
  unsigned padding = (32 - (RPSI_HEADER_BITS + (unsigned)rpsi->n_bits) % 32) % 32;
  size_t size = (RPSI_HEADER_BITS + (size_t)rpsi->n_bits + padding) / 8;

  if (rpsi->n_bits == 0 || rpsi->n_bits > 8 * RTCP_RPSI_MAX_BYTES || rpsi->payload_type > 127 || capacity < size)
    return 0;
  memset (fci, 0, size);
  fci[0] = (uint8_t)padding;
  fci[1] = rpsi->payload_type;
  copy_bits (fci + 2, rpsi->bits, rpsi->n_bits);
  return size;
}

bool
rtcp_rpsi_parse (const uint8_t *fci, size_t size, RtcpRpsi *rpsi)
{
  size_t n_bits;

  if (size == 0 || size % 4 != 0 || fci[0] > 31 || 8 * size <= RPSI_HEADER_BITS + (size_t)fci[0])
    return false;
  n_bits = 8 * size - RPSI_HEADER_BITS - fci[0];
  if (n_bits > 8 * RTCP_RPSI_MAX_BYTES)
    return false;
  /* the bit in front of the payload type is ignored (RFC 4585 6.3.3.2) */
  *rpsi = (RtcpRpsi){.payload_type = fci[1] & 0x7f, .n_bits = (uint16_t)n_bits};
  copy_bits (rpsi->bits, fci + 2, (unsigned)n_bits);
  return true;
}
