/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Generic NACK (RFC 4585 6.2.1), RTPFB format 1: {PID 16, BLP 16} entries, each asking for packet PID and, for every
   bit i of BLP that is set (0 the lowest), for PID + i + 1 modulo 2^16. */
#ifndef RTCPNACK_H
#define RTCPNACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTCP_FB_FMT_NACK 1
#define RTCP_NACK_ENTRY_SIZE 4
#define RTCP_NACK_PER_ENTRY 17

/* seqs: n numbers that rise modulo 2^16; an equal one is written once. Returns the bytes written, a multiple of 4 no
   larger than capacity; *taken, where not NULL, is how many of the numbers they hold. */
size_t rtcp_nack_write (uint8_t *fci, size_t capacity, const uint16_t *seqs, size_t n, size_t *taken);
/* Expands the entries in their order. false, seqs and *n untouched, where size is 0 or no multiple of 4. *n: the
   numbers stored, at most capacity; what goes beyond is left out. */
bool rtcp_nack_parse (const uint8_t *fci, size_t size, uint16_t *seqs, size_t capacity, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
