/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums over the packets of one stream that have left lately (RFC 8681): each one that arrives stands for any one that
   did not. The window slides, so that what a frame's own sums do not mend those of the next one do, and a burst that
   takes a frame with its sums is mended all the same. */
#ifndef FECENCODER_H
#define FECENCODER_H

#include "cctime.h"
#include "fecsymbol.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint16_t size;
  CcTime sent_at;
  uint8_t data[FEC_SYMBOL_MAX];
} FecSymbol;

typedef struct {
  CcDuration span; /* packets older than that are of no use any more */
  uint32_t newest; /* extended sequence number */
  unsigned count;  /* packets that sums are over, the newest last */
  uint16_t key;
  FecSymbol symbols[FEC_WINDOW]; /* by number */
} FecEncoder;

void fec_encoder_init (FecEncoder *e, CcDuration span, uint16_t key);
void fec_encoder_set_span (FecEncoder *e, CcDuration span);
/* A packet leaves, whole, as number seq. Behind a gap, and behind one that is too long, the window begins anew. */
void fec_encoder_on_packet (FecEncoder *e, const uint8_t *packet, size_t size, uint16_t seq, CcTime now);
/* The size of the next packet of sums, its payload; 0: there is nothing to protect. */
size_t fec_encoder_size (FecEncoder *e, CcTime now);
/* The payload of a packet of sums: its size; 0: there is nothing to protect, or no room. */
size_t fec_encoder_repair (FecEncoder *e, uint8_t *out, size_t capacity, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
