/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A JPEG picture put together of what came of it: the restart intervals (strips) that are missing are those of pictures
   before, in this picture's steps. A strip is kept as it came, so standing in many times costs it nothing. */
#ifndef JPEGSTRIPS_H
#define JPEGSTRIPS_H

#include "jpegscan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint8_t *data; /* the caller's; NULL: none has come yet */
  size_t size;
  JpegQuantizers quantizers; /* of the picture it came with */
  bool fresh;                /* of the picture that is coming */
} JpegStrip;

typedef struct {
  JpegStrip *strip; /* the caller's: n of them */
  unsigned n, known, fresh;
} JpegStrips;

typedef struct {
  size_t begin, size;
} JpegSpan;

/* The intervals in data that begin with interval number `first` of a picture: between its markers, which have to have
   the right numbers; one in front, one behind and an EOI are allowed. Returns how many; 0: wrong, or more than max. */
unsigned jpeg_strips_split (const uint8_t *data, size_t size, unsigned first, JpegSpan *spans, unsigned max);

void jpeg_strips_init (JpegStrips *s, JpegStrip *strip, unsigned n);
/* A strip has come. Returns the data of the one before, which are the caller's again. */
uint8_t *jpeg_strips_put (JpegStrips *s, unsigned number, uint8_t *data, size_t size, const JpegQuantizers *quantizers);
/* Every strip has come once, and some of this picture: it can be written. */
bool jpeg_strips_ready (const JpegStrips *s);
/* The picture. Returns its size, also where that is more than the capacity and the rest was left out. */
size_t jpeg_strips_write (const JpegStrips *s, const JpegForm *form, uint8_t *out, size_t capacity);
/* The next picture begins: none of its strips is here yet. */
void jpeg_strips_next (JpegStrips *s);

#ifdef __cplusplus
}
#endif
#endif
