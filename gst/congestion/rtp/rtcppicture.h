/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Slice loss and reference picture selection (RFC 4585 6.3.2, 6.3.3), PSFB formats 2 and 3. */
#ifndef RTCPPICTURE_H
#define RTCPPICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTCP_FB_FMT_SLI 2
#define RTCP_FB_FMT_RPSI 3

/* SLI: macroblocks in raster order, the first one of the picture is number 1. */
#define RTCP_SLI_ENTRY_SIZE 4
typedef struct {
  uint16_t first;     /* [1, 8191] */
  uint16_t number;    /* [1, 8191] */
  uint8_t picture_id; /* the low 6 bits of the codec's picture identity, [0, 63] */
} RtcpSli;

/* Returns the bytes written; 0 where the capacity does not do, n is 0 or a field is out of range. */
size_t rtcp_sli_write (uint8_t *fci, size_t capacity, const RtcpSli *slices, size_t n);
/* false, slices and *n untouched, where size is 0 or no multiple of 4. Entries that start at macroblock 0 or hold none
   are left out, as is what goes beyond capacity; *n is what was stored. */
bool rtcp_sli_parse (const uint8_t *fci, size_t size, RtcpSli *slices, size_t capacity, size_t *n);

/* RPSI: the codec's own name for a picture, n_bits long, the first bit the highest of bits[0]. What fills the last byte
   is zero. */
#define RTCP_RPSI_MAX_BYTES 64
#define RTCP_RPSI_MAX_SIZE (RTCP_RPSI_MAX_BYTES + 4)
typedef struct {
  uint8_t payload_type; /* 7 bits */
  uint16_t n_bits;      /* [1, 8 RTCP_RPSI_MAX_BYTES] */
  uint8_t bits[RTCP_RPSI_MAX_BYTES];
} RtcpRpsi;

/* Returns the bytes written, 0 where the capacity does not do or a field is out of range. */
size_t rtcp_rpsi_write (uint8_t *fci, size_t capacity, const RtcpRpsi *rpsi);
/* false, *rpsi untouched, where the size is no multiple of 4, the padding is more than a word or than there is, or the
   bit string is longer than RTCP_RPSI_MAX_BYTES. */
bool rtcp_rpsi_parse (const uint8_t *fci, size_t size, RtcpRpsi *rpsi);

#ifdef __cplusplus
}
#endif
#endif
