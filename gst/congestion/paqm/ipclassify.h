/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a raw IPv4 or IPv6 packet is to a P-AQM router: media or elastic, of which flow, with which ECN bits; and
   setting CE in place. Every read is bounds-checked; nothing is kept between packets.

   Media is UDP that carries RTP or RTCP (RFC 3550), told apart by RFC 5761 4: version 2, a second byte of 192-223 for
   RTCP, else a payload type not within 64-95, CSRCs and the extension within the datagram, and neither port below 1024
   (DNS and others have such bits by chance). One packet cannot prove it: other UDP may pass for RTP. All the rest is
   elastic: TCP, DCCP, SCTP, fragments (all of a datagram's, so that they stay in order), what is cut short or unknown.

   flow   keyed hash: addresses, protocol and ports. Media: ports without the lowest bit, and the SSRC, so that RTP and
          its source's RTCP are one flow, muxed or on the next port. Fragments: addresses and protocol. 0 where there is
          not even a whole IP header */
#ifndef IPCLASSIFY_H
#define IPCLASSIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define IP_CLASSIFY_MAX_HEADERS 8 /* IPv6 extension headers walked; more: elastic */

typedef enum { IP_ECN_NOT_ECT = 0, IP_ECN_ECT1 = 1, IP_ECN_ECT0 = 2, IP_ECN_CE = 3 } IpEcn;

typedef enum {
  IP_PAYLOAD_OTHER, /* elastic */
  IP_PAYLOAD_RTP,
  IP_PAYLOAD_RTCP
} IpPayload;

typedef struct {
  bool media; /* RTP or RTCP */
  IpPayload payload;
  uint64_t flow;
  IpEcn ecn;
  uint8_t version;  /* 4, 6; 0: neither, or not a whole header */
  uint8_t protocol; /* of the transport; 0 where unknown */
  bool fragment;
  uint32_t ssrc;               /* of media */
  uint16_t src_port, dst_port; /* TCP, UDP, DCCP, SCTP, UDP-Lite; else 0 */
  size_t payload_offset;       /* of media: where RTP or RTCP begins; else 0 */
  size_t payload_size;
} IpPacket;

/* packet: from the IP header on; size: bytes there are, more than the header says are ignored. Returns false where
   version is 0. */
bool ip_classify (const uint8_t *packet, size_t size, const uint64_t key[2], IpPacket *result);
/* Sets CE (RFC 3168 5, RFC 2474 for IPv6's traffic class), with IPv4's header checksum updated (RFC 1624 eq. 3).
   Returns false and changes nothing where the packet is Not-ECT or has no whole header; true also where CE is set
   already. */
bool ip_set_ce (uint8_t *packet, size_t size);

#ifdef __cplusplus
}
#endif
#endif
