/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a packet came from and where one may go: an IP address and a port. */
#ifndef RTPADDRESS_H
#define RTPADDRESS_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_IPV4_UDP_BYTES 28
#define RTP_IPV6_UDP_BYTES 48

typedef enum { RTP_ADDRESS_UNKNOWN, RTP_ADDRESS_IPV4, RTP_ADDRESS_IPV6 } RtpAddressFamily;

typedef struct {
  RtpAddressFamily family;
  uint8_t bytes[16]; /* network byte order; IPv4: four of them */
  uint32_t scope;    /* IPv6: the interface of a link-local address, 0: none */
  uint16_t port;
} RtpAddress;

bool rtp_address_equal (const RtpAddress *a, const RtpAddress *b);
/* Whatever the port. True where one of them is unknown. */
bool rtp_address_same_host (const RtpAddress *a, const RtpAddress *b);
/* A number for the host, as rtpmembers.h and rtppeer.h want it; 0: unknown. An IPv4 address is the same one where an
   IPv6 socket tells it (RFC 4291 2.5.5.2). key: random, kept from others: of 2^64 addresses in an IPv6 network one is
   soon found that a hash without secret takes for the peer's. */
uint64_t rtp_address_host (const RtpAddress *address, const uint64_t key[2]);
/* Of the headers of a packet; unknown: IPv4's. */
unsigned rtp_address_overhead_bytes (const RtpAddress *address);

#ifdef __cplusplus
}
#endif
#endif
