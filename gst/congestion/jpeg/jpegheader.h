/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands in front of a JPEG picture's scan, read and written (ITU-T T.81 B), of pictures that RTP can carry:
   baseline, one scan of three components, colour half as wide, and half as high or not (RFC 2435 3.1.3). */
#ifndef JPEGHEADER_H
#define JPEGHEADER_H

#include "jpeghuffman.h"
#include "jpegquantizers.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  JPEG_OK,
  JPEG_CUT_OFF,      /* the data end before the scan, or lengths do not fit */
  JPEG_NOT_BASELINE, /* progressive, arithmetic, 12 bits, several scans */
  JPEG_SAMPLING,     /* neither 4:2:0 nor 4:2:2 of three components */
  JPEG_TABLES        /* a table is missing or wrong, or the two of colour differ */
} JpegProblem;

typedef enum { JPEG_422 = 0, JPEG_420 = 1 } JpegSampling; /* numbers are RTP's types */

#define JPEG_MCU_BLOCKS 6 /* at most */

typedef struct {
  unsigned width, height; /* pixels */
  JpegSampling sampling;
  JpegQuantizers quantizers;
  unsigned interval; /* MCUs between restart markers; 0: there are none */
} JpegForm;

typedef struct {
  JpegForm form;
  JpegHuffman dc[2], ac[2];
  uint8_t dc_of[3], ac_of[3]; /* of each component */
  size_t scan;                /* where it begins */
} JpegHeader;

/* The MCUs of a picture, and blocks of one. */
unsigned jpeg_form_mcus_wide (const JpegForm *form);
unsigned jpeg_form_mcus (const JpegForm *form);
unsigned jpeg_form_mcu_blocks (const JpegForm *form);
/* The component of block number `block` of an MCU: 0 luminance, 1, 2 colour. */
unsigned jpeg_form_component (const JpegForm *form, unsigned block);

/* A picture of this form with the usual Huffman tables: luminance by the first, colour by the second. */
void jpeg_header_init (JpegHeader *header, const JpegForm *form);
JpegProblem jpeg_header_parse (const uint8_t *data, size_t size, JpegHeader *header);

#define JPEG_HEADER_BYTES 640 /* room that is enough for jpeg_header_write () */
/* All up to the scan, with the Huffman tables that RTP takes for granted. Returns its size. */
size_t jpeg_header_write (uint8_t out[JPEG_HEADER_BYTES], const JpegForm *form);

#ifdef __cplusplus
}
#endif
#endif
