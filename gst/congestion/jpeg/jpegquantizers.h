/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JPEG's quantization tables, and the number Q that stands for the usual ones in RTP (ITU-T T.81 K.1, K.2; RFC 2435
   3.1.4). Tables are as in DQT: 64 bytes in zigzag order. */
#ifndef JPEGQUANTIZERS_H
#define JPEGQUANTIZERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JPEG_BLOCK 64

typedef struct {
  uint8_t table[2][JPEG_BLOCK]; /* luminance, chrominance */
} JpegQuantizers;

#define JPEG_Q_MAX 99 /* of RTP: larger numbers are no scale */

/* The tables of a quality, as libjpeg and RFC 2435 scale them. quality: 1 to 100, clamped. */
void jpeg_quantizers_of (int quality, JpegQuantizers *quantizers);
/* The Q whose tables these are, 1 to JPEG_Q_MAX; 0: none. */
int jpeg_quantizers_find (const JpegQuantizers *quantizers);
bool jpeg_quantizers_equal (const JpegQuantizers *a, const JpegQuantizers *b);

#ifdef __cplusplus
}
#endif
#endif
