/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtppacket.h"

#include "rtcpbytes.h"
#include "rtpextension.h"

#define EXTENSION_HEADER_BYTES 4

/* Behind the CSRCs. False: longer than what is there. */
static bool
parse_extension (RtpPacket *p, const uint8_t *data, size_t size, size_t *at)
{
  p->has_extension = (data[0] & 0x10) != 0;
  if (!p->has_extension)
    return true;
  if (size - *at < EXTENSION_HEADER_BYTES)
    return false;
  p->profile = rtcp_get_u16 (data + *at);
  p->extension_bytes = 4 * (size_t)rtcp_get_u16 (data + *at + 2);
  *at += EXTENSION_HEADER_BYTES;
  if (p->extension_bytes > size - *at)
    return false;
  p->extension = data + *at;
  *at += p->extension_bytes;
  return true;
}

/* RFC 3550 5.1: the last byte counts itself; a zero there is taken for none, as GStreamer does. */
static bool
measure_payload (RtpPacket *p, const uint8_t *data, size_t size, size_t at)
{
  size_t padding = data[0] & 0x20 ? data[size - 1] : 0;

  if (padding > size - at)
    return false;
  p->payload = data + at;
  p->payload_bytes = size - at - padding;
  return true;
}

bool
rtp_packet_parse (RtpPacket *packet, const uint8_t *data, size_t size)
{
  RtpPacket p = {.size = size};
  size_t at = RTP_HEADER_BYTES;

  if (size < RTP_HEADER_BYTES || data[0] >> 6 != 2)
    return false;
  p.n_csrcs = data[0] & 0x0f;
  p.csrcs = data + at;
  at += 4 * (size_t)p.n_csrcs;
  if (at > size || !parse_extension (&p, data, size, &at) || !measure_payload (&p, data, size, at))
    return false;
  p.marker = data[1] >> 7;
  p.payload_type = data[1] & 0x7f;
  p.seq = rtcp_get_u16 (data + 2);
  p.timestamp = rtcp_get_u32 (data + 4);
  p.ssrc = rtcp_get_u32 (data + 8);
  *packet = p;
  return true;
}

uint32_t
rtp_packet_csrc (const RtpPacket *packet, unsigned i)
{
  return rtcp_get_u32 (packet->csrcs + 4 * i);
}

const uint8_t *
rtp_packet_element (const RtpPacket *packet, unsigned id, size_t *size)
{
  if (id == 0 || !packet->has_extension)
    return NULL;
  return rtp_ext_find (packet->profile, packet->extension, packet->extension_bytes, id, size);
}
