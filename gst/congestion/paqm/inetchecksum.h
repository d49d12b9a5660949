/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Internet checksum (RFC 1071) of IPv4 headers, UDP and TCP, updated where a few bytes change (RFC 1624 eq. 3), so
   that an error which came with the packet stays visible. */
#ifndef INETCHECKSUM_H
#define INETCHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As it is to stand in the packet after the 16-bit words of `before` have become those of `after`; both of `size`
   bytes, an even number, and at an even distance from where the sum begins. */
uint16_t inet_checksum_update (uint16_t checksum, const uint8_t *before, const uint8_t *after, size_t size);
/* UDP's (RFC 768): 0 says there is none and stays 0; a sum that comes out as 0 is sent as 0xffff. */
uint16_t inet_checksum_update_udp (uint16_t checksum, const uint8_t *before, const uint8_t *after, size_t size);

#ifdef __cplusplus
}
#endif
#endif
