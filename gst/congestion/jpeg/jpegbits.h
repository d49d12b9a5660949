/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bits of an entropy-coded segment of JPEG (ITU-T T.81 F.1.2.3): a byte of ones is followed by one of zeroes, so that
   no marker comes about; the last byte is filled up with ones. */
#ifndef JPEGBITS_H
#define JPEGBITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const uint8_t *at, *end;
  uint32_t ahead;   /* the next bits, highest first */
  unsigned n;       /* how many of them there are */
  unsigned made_up; /* how many of those are behind the end */
} JpegBitReader;

typedef struct {
  uint8_t *out;
  size_t capacity, size; /* size goes on counting what does not fit */
  uint32_t held;
  unsigned n;
} JpegBitWriter;

static inline void
jpeg_bits_begin (JpegBitReader *r, const uint8_t *data, size_t size)
{
  *r = (JpegBitReader){data, data + size, 0, 0, 0};
}

/* A marker ends the data. Behind the end there are ones. */
static inline void
jpeg_bits_fill (JpegBitReader *r)
{
  while (r->n <= 24) {
    bool ended = r->at >= r->end || (r->at[0] == 0xff && (r->at + 1 >= r->end || r->at[1] != 0));
    uint32_t byte = ended ? 0xff : r->at[0];

    if (ended)
      r->made_up += 8;
    else
      r->at += byte == 0xff ? 2 : 1;
    r->ahead |= byte << (24 - r->n);
    r->n += 8;
  }
}

/* n: 1 to 16 */
static inline uint32_t
jpeg_bits_peek (JpegBitReader *r, unsigned n)
{
  if (r->n < n)
    jpeg_bits_fill (r);
  return r->ahead >> (32 - n);
}

/* Of what was peeked. false: that many there are not. */
static inline bool
jpeg_bits_skip (JpegBitReader *r, unsigned n)
{
  if (r->n < n)
    jpeg_bits_fill (r);
  r->ahead <<= n;
  r->n -= n;
  return r->n >= r->made_up;
}

/* Less than a byte is left: the end of a segment, and `at` is the marker behind it. */
static inline bool
jpeg_bits_at_end (JpegBitReader *r)
{
  jpeg_bits_fill (r);
  return r->n - r->made_up < 8;
}

static inline void
jpeg_bits_put_byte (JpegBitWriter *w, uint8_t byte)
{
  if (w->size < w->capacity)
    w->out[w->size] = byte;
  w->size++;
}

static inline void
jpeg_bits_write (JpegBitWriter *w, uint32_t value, unsigned n)
{
  w->held = w->held << n | (value & ((1u << n) - 1));
  for (w->n += n; w->n >= 8; w->n -= 8) {
    uint8_t byte = (uint8_t)(w->held >> (w->n - 8));

    jpeg_bits_put_byte (w, byte);
    if (byte == 0xff)
      jpeg_bits_put_byte (w, 0);
  }
}

static inline void
jpeg_bits_flush (JpegBitWriter *w)
{
  if (w->n > 0)
    jpeg_bits_write (w, 0x7f, 8 - w->n);
}

/* At a byte's boundary. */
static inline void
jpeg_bits_put_marker (JpegBitWriter *w, uint8_t marker)
{
  jpeg_bits_put_byte (w, 0xff);
  jpeg_bits_put_byte (w, marker);
}

#ifdef __cplusplus
}
#endif
#endif
