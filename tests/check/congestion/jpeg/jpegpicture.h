/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of chance for the tests of JPEG: coefficients, and what is written of them. */
#ifndef JPEG_PICTURE_H
#define JPEG_PICTURE_H

#include "ccrandom.h"
#include "jpegscan.h"

#include <math.h>
#include <string.h>

#define PICTURE_MCUS 64
#define PICTURE_BYTES 65536

typedef struct {
  JpegForm form;
  JpegMcu mcu[PICTURE_MCUS];
  uint8_t bytes[PICTURE_BYTES]; /* header and scan */
  size_t size, scan;
  size_t ends[PICTURE_MCUS]; /* of its intervals, in the scan, markers included */
} Picture;

static inline int
number_between (const CcRandom *random, int lo, int hi)
{
  return (int)floor (cc_random_uniform (random, lo, hi + 1));
}

/* Few large coefficients, many small ones, long runs of zeroes, blocks that are full to the end. */
static inline void
mcu_fill (JpegMcu *mcu, const CcRandom *random)
{
  memset (mcu, 0, sizeof *mcu);
  for (unsigned b = 0; b < JPEG_MCU_BLOCKS; b++) {
    int step = number_between (random, 1, 40);

    mcu->block[b][0] = (int16_t)number_between (random, -1023, 1023);
    for (int k = step; k < JPEG_BLOCK; k += step)
      mcu->block[b][k] = (int16_t)number_between (random, k == step ? -1023 : -3, k == step ? 1023 : 3);
  }
}

static inline void
picture_write (Picture *p)
{
  unsigned intervals = jpeg_scan_intervals (&p->form);
  JpegScanWriter w;
  JpegMcu *mcu = p->mcu;

  p->scan = jpeg_header_write (p->bytes, &p->form);
  jpeg_scan_writer_init (&w, &p->form, p->bytes + p->scan, sizeof p->bytes - p->scan);
  for (unsigned i = 0; i < intervals; i++) {
    for (unsigned n = jpeg_scan_mcus_of (&p->form, i); n > 0; n--)
      ck_assert (jpeg_scan_write (&w, mcu++));
    jpeg_scan_restart (&w);
    jpeg_bits_put_marker (&w.bits, (uint8_t)(i + 1 < intervals ? 0xd0 + i % 8 : 0xd9));
    p->ends[i] = w.bits.size;
  }
  p->size = p->scan + w.bits.size;
  ck_assert_uint_le (p->size, sizeof p->bytes);
}

static inline void
picture_init (Picture *p, unsigned width, unsigned height, JpegSampling sampling, unsigned interval, int quality,
    const CcRandom *random)
{
  memset (p, 0, sizeof *p);
  p->form = (JpegForm){width, height, sampling, {{{0}}}, interval};
  jpeg_quantizers_of (quality, &p->form.quantizers);
  ck_assert_uint_le (jpeg_form_mcus (&p->form), PICTURE_MCUS);
  for (unsigned i = 0; i < jpeg_form_mcus (&p->form); i++)
    mcu_fill (&p->mcu[i], random);
  picture_write (p);
}

/* The coefficients of a scan are those of the picture. */
static inline void
picture_same (const Picture *p, const JpegHeader *header, const uint8_t *scan, size_t size)
{
  JpegScanReader r;
  JpegMcu mcu;

  jpeg_scan_reader_init (&r, header, scan, size);
  for (unsigned i = 0; i < jpeg_form_mcus (&p->form); i++) {
    ck_assert (jpeg_scan_read (&r, &mcu));
    for (unsigned b = 0; b < jpeg_form_mcu_blocks (&p->form); b++)
      ck_assert_mem_eq (mcu.block[b], p->mcu[i].block[b], sizeof mcu.block[b]);
  }
}

#endif
