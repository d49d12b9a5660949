/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A JPEG scan without decoding pictures: its coefficients are read and written again, with restart intervals where
   there were none, or in steps of another size (ITU-T T.81 F.1.2, F.2.2). Intervals can each be decoded without the
   others. */
#ifndef JPEGSCAN_H
#define JPEGSCAN_H

#include "jpegheader.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JPEG_COEFFICIENT_MAX 1023 /* of 8 bits a sample, but for -1024 as DC */

typedef struct {
  int16_t block[JPEG_MCU_BLOCKS][JPEG_BLOCK]; /* zigzag order; DC whole, not as a difference */
} JpegMcu;

typedef struct {
  const JpegHeader *header;
  JpegBitReader bits;
  int dc[3];
  unsigned mcus, restarts; /* read so far */
} JpegScanReader;

typedef struct {
  const JpegForm *form;
  JpegHuffman dc[2], ac[2]; /* the usual ones */
  JpegBitWriter bits;
  int before[3];
} JpegScanWriter;

void jpeg_scan_reader_init (JpegScanReader *r, const JpegHeader *header, const uint8_t *scan, size_t size);
/* false: the scan is not as it should be, or has ended. */
bool jpeg_scan_read (JpegScanReader *r, JpegMcu *mcu);

void jpeg_scan_writer_init (JpegScanWriter *w, const JpegForm *form, uint8_t *out, size_t capacity);
/* false: coefficients out of range. What is over the capacity is not written, but counted in bits.size. */
bool jpeg_scan_write (JpegScanWriter *w, const JpegMcu *mcu);
/* Ends an interval: the next MCU is coded without what was before. No marker is written. */
void jpeg_scan_restart (JpegScanWriter *w);

/* Intervals of a picture; MCUs of interval number i. form->interval 0: the picture is one. */
unsigned jpeg_scan_intervals (const JpegForm *form);
unsigned jpeg_scan_mcus_of (const JpegForm *form, unsigned i);

/* These return the size of what they make, also where that is more than the capacity and the rest was left out; 0: the
   data are not as they should be. */
/* The scan of a picture, coded anew in the intervals of `form`, with markers behind all but the last. ends: where each
   of them ends, its marker included. */
size_t jpeg_scan_cut (const JpegHeader *header, const uint8_t *scan, size_t size, const JpegForm *form, uint8_t *out,
    size_t capacity, size_t *ends);
/* One interval of n MCUs, coded by the usual tables in steps of `from`, in steps of form->quantizers; no step is 0. */
size_t jpeg_scan_requantize (const JpegForm *form, const JpegQuantizers *from, unsigned n, const uint8_t *data,
    size_t size, uint8_t *out, size_t capacity);

/* Whether data are one interval of n MCUs, coded by the usual tables, and nothing else. */
bool jpeg_scan_fits (const JpegForm *form, unsigned n, const uint8_t *data, size_t size);

#ifdef __cplusplus
}
#endif
#endif
