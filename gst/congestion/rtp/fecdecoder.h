/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that were lost, from sums over them and others (fecencoder.h): sums are equations, what is missing their
   unknowns. They are kept solved as far as they go (Gauss, Jordan), so that a packet comes out with the sum, or the
   late packet, that makes it known. What can be known no more is taken out of the equations. */
#ifndef FECDECODER_H
#define FECDECODER_H

#include "fecsymbol.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FEC_HISTORY 256 /* packets kept: more than a window, so that late sums still serve */
#define FEC_UNKNOWNS 64

typedef struct {
  bool known, fresh; /* fresh: from sums, and not taken yet */
  uint32_t seq;
  uint16_t size;
  uint8_t data[FEC_SYMBOL_MAX];
} FecKnown;

typedef struct {
  uint8_t coefficients[FEC_UNKNOWNS]; /* that of the pivot is 1, and 0 in all other equations */
  unsigned pivot;
  size_t size;
  uint8_t data[FEC_SYMBOL_MAX]; /* zeros behind size */
} FecEquation;

typedef struct {
  uint32_t ssrc;
  bool started;
  uint32_t newest; /* extended sequence number, of what came or is summed up */
  FecKnown history[FEC_HISTORY];
  bool used[FEC_UNKNOWNS];
  uint32_t unknowns[FEC_UNKNOWNS]; /* their numbers */
  unsigned n_equations, n_fresh;
  FecEquation equations[FEC_UNKNOWNS], incoming;
  uint64_t sums, useless, refused,
      restored; /* sums that came; told nothing new; not to be used; packets made of them */
} FecDecoder;

void fec_decoder_init (FecDecoder *d, uint32_t ssrc);
/* A packet of the stream, whole: as it came, sent again, or late. */
void fec_decoder_on_packet (FecDecoder *d, const uint8_t *packet, size_t size);
/* The payload of a packet of sums. */
void fec_decoder_on_sum (FecDecoder *d, const uint8_t *payload, size_t size);
/* A packet that was made known, oldest first: into out, its size; 0: none, or no room. */
size_t fec_decoder_take (FecDecoder *d, uint8_t *out, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
