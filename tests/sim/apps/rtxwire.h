/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets sent again in a stream of their own (RFC 4588 4): the number they had stands in front of the payload. */
#ifndef SIM_RTX_WIRE_H
#define SIM_RTX_WIRE_H

#include "rtpwire.h"
#include <algorithm>
#include <cstdint>
#include <vector>

namespace sim
{

const uint8_t rtx_type = 97;
const uint32_t rtx_ssrc = 0x53494d32;
const unsigned rtx_osn_bytes = 2;

/* Of an RTP packet of plain header that had this number; its own is left to the sender. */
inline std::vector<uint8_t>
rtx_make (std::vector<uint8_t> packet, uint16_t number)
{
  packet[1] = (packet[1] & 0x80) | rtx_type;
  rtcp_put_u32 (&packet[8], rtx_ssrc);
  packet.insert (packet.begin () + rtp_fixed_bytes, rtx_osn_bytes, 0);
  rtcp_put_u16 (&packet[rtp_fixed_bytes], number);
  return packet;
}

/* The original without header extensions; header: bytes in front of the payload, which has room for a number; of: the
   header of any packet of its stream. */
inline std::vector<uint8_t>
rtx_restore (const uint8_t *rtp, size_t header, size_t size, const uint8_t *of)
{
  size_t payload = header + rtx_osn_bytes;
  std::vector<uint8_t> original (rtp_fixed_bytes + size - payload);

  std::copy_n (rtp, rtp_fixed_bytes, original.begin ());
  original[0] &= ~0x10;
  original[1] = (original[1] & 0x80) | (of[1] & 0x7f);
  rtcp_put_u16 (&original[2], rtcp_get_u16 (rtp + header));
  rtcp_put_u32 (&original[8], rtcp_get_u32 (of + 8));
  std::copy (rtp + payload, rtp + size, original.begin () + rtp_fixed_bytes);
  return original;
}

} // namespace sim
#endif
