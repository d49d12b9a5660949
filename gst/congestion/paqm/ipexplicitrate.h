/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The explicit rate (erfextension.h) of RTP inside a raw IPv4 or IPv6 packet: lowered in place as a router passes the
   packet on, with the UDP checksum kept right. The packet's size stays. Where SRTP authenticates the extension the
   sender must not put it in: a router cannot tell. */
#ifndef IPEXPLICITRATE_H
#define IPEXPLICITRATE_H

#include "erfextension.h"
#include "ipclassify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The header extension's element with this id, and its size. p: of ip_classify () for this packet. NULL: not RTP, no
   such element, or the block is malformed. */
const uint8_t *ip_rtp_element (const uint8_t *packet, const IpPacket *p, unsigned id, size_t *size);
/* What lowering would do. */
ErfVerdict ip_explicit_rate_peek (const uint8_t *packet, const IpPacket *p, unsigned id, double rate_Bps);
ErfVerdict ip_explicit_rate_lower (uint8_t *packet, const IpPacket *p, unsigned id, double rate_Bps, uint16_t hop);

#ifdef __cplusplus
}
#endif
#endif
