/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ipexplicitrate.h"
#include "inetchecksum.h"
#include "rtcpbytes.h"
#include "rtpextension.h"

#include <string.h>

#define RTP_HEADER 12
#define EXTENSION_HEAD 4
#define EXTENSION_BIT 0x10
#define UDP_HEADER 8
#define UDP_CHECKSUM 6

const uint8_t *
ip_rtp_element (const uint8_t *packet, const IpPacket *p, unsigned id, size_t *size)
{
  const uint8_t *rtp = packet + p->payload_offset;
  size_t at, block_size;

  if (p->payload != IP_PAYLOAD_RTP || !(rtp[0] & EXTENSION_BIT))
    return NULL;
  /* ip_classify () has seen that CSRCs and block are within the datagram */
  at = RTP_HEADER + 4 * (size_t)(rtp[0] & 0x0f);
  block_size = 4 * (size_t)rtcp_get_u16 (rtp + at + 2);
  return rtp_ext_find (rtcp_get_u16 (rtp + at), rtp + at + EXTENSION_HEAD, block_size, id, size);
}

ErfVerdict
ip_explicit_rate_peek (const uint8_t *packet, const IpPacket *p, unsigned id, double rate_Bps)
{
  uint8_t copy[ERF_EXTENSION_SIZE];
  const uint8_t *element;
  size_t size;

  element = ip_rtp_element (packet, p, id, &size);
  if (element == NULL || size != sizeof copy)
    return ERF_ABSENT;
  memcpy (copy, element, sizeof copy);
  return erf_extension_lower (copy, sizeof copy, rate_Bps, 0);
}

ErfVerdict
ip_explicit_rate_lower (uint8_t *packet, const IpPacket *p, unsigned id, double rate_Bps, uint16_t hop)
{
  uint8_t before[ERF_EXTENSION_SIZE + 2], *udp, *words, *checksum;
  const uint8_t *element;
  ErfVerdict verdict;
  size_t size, odd;

  element = ip_rtp_element (packet, p, id, &size);
  if (element == NULL || size != ERF_EXTENSION_SIZE)
    return ERF_ABSENT;
  udp = packet + p->payload_offset - UDP_HEADER;
  checksum = udp + UDP_CHECKSUM;
  /* whole words of the datagram: at an odd place the element's head is in front, and the block's end is even */
  odd = (size_t)(element - udp) & 1;
  words = packet + (element - packet) - odd;
  memcpy (before, words, size + 2 * odd);
  verdict = erf_extension_lower (words + odd, size, rate_Bps, hop);
  rtcp_put_u16 (checksum, inet_checksum_update_udp (rtcp_get_u16 (checksum), before, words, size + 2 * odd));
  return verdict;
}
