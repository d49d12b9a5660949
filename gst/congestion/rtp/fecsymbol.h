/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sliding window code (RFC 8681) adds up, and how a packet of sums is written (docs/wire-formats.md). A symbol
   is an RTP packet without its header extensions, which those who pass it on may write to, behind its length:

     length, 16 bits | RTP header and CSRCs | payload and padding

   A packet of sums: key, density 15 and number of packets, the first one's number, the sum of coefficients times
   symbols, short ones filled up with zeros. */
#ifndef FECSYMBOL_H
#define FECSYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FEC_SYMBOL_MAX 1424 /* bytes: with what goes in front no more than Ethernet takes */
#define FEC_HEAD_BYTES 8
#define FEC_WINDOW 128 /* packets in one sum, at most */

typedef struct {
  uint16_t key;
  unsigned n;     /* 1 .. FEC_WINDOW */
  uint32_t first; /* sequence number, extended by the sender */
} FecHead;

/* A packet, whole, that has that number. Returns the symbol's size, 0 where it is too long or no RTP. */
size_t fec_symbol_make (uint8_t out[FEC_SYMBOL_MAX], const uint8_t *packet, size_t size, uint16_t seq);
/* The packet in a symbol; NULL where there is none of that source and number. */
const uint8_t *fec_symbol_packet (const uint8_t *symbol, size_t size, uint32_t ssrc, uint16_t seq, size_t *packet_size);

void fec_head_write (uint8_t out[FEC_HEAD_BYTES], const FecHead *head);
bool fec_head_parse (FecHead *head, const uint8_t *data, size_t size); /* false: of another code */
/* RFC 8681 3.6 with density 15: none is 0. */
void fec_coefficients (uint8_t *out, uint16_t key, unsigned n);

#ifdef __cplusplus
}
#endif
#endif
