/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A Huffman table of JPEG, to read by and to write by (ITU-T T.81 C, F.2.2.3), and the four that RTP takes for granted
   (K.3 to K.6, RFC 2435 3.1.3). */
#ifndef JPEGHUFFMAN_H
#define JPEGHUFFMAN_H

#include "jpegbits.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JPEG_HUFFMAN_QUICK 9 /* bits of which codes are looked up at once */

typedef struct {
  uint8_t counts[16]; /* BITS: how many codes are 1, 2, ... bits long */
  uint8_t symbols[256];
  unsigned n_symbols;
} JpegHuffmanSpec;

typedef struct {
  JpegHuffmanSpec spec;
  uint16_t quick[1 << JPEG_HUFFMAN_QUICK];  /* length << 8 | symbol; 0: longer, or none */
  int32_t first_code[17], first_symbol[17]; /* of each length */
  uint16_t code[256];                       /* of each symbol */
  uint8_t length[256];                      /* 0: it has no code */
} JpegHuffman;

/* false: no table. counts: 16 bytes. */
bool jpeg_huffman_init (JpegHuffman *h, const uint8_t *counts, const uint8_t *symbols, size_t n_symbols);
/* K.3, K.4 for dc, K.5, K.6 for ac; luminance, chrominance. */
const JpegHuffmanSpec *jpeg_huffman_usual (bool ac, bool chrominance);
void jpeg_huffman_init_usual (JpegHuffman *h, bool ac, bool chrominance);

/* -1: what comes is no code of this table, or the data end. */
int jpeg_huffman_read (const JpegHuffman *h, JpegBitReader *bits);
/* false: the symbol has no code. What does not fit is counted by the writer. */
bool jpeg_huffman_write (const JpegHuffman *h, JpegBitWriter *bits, uint8_t symbol);

#ifdef __cplusplus
}
#endif
#endif
