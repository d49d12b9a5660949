/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JPEG's payload headers (RFC 2435 3.1), and the chunks of restart intervals that packets carry: which data belong
   together, which are of no use as some of them are missing. */
#ifndef RTPJPEG_H
#define RTPJPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_JPEG_SIDE_MAX 2040    /* pixels */
#define RTP_JPEG_RESTART_TYPES 64 /* types from here on have a restart marker header */
#define RTP_JPEG_WHOLE 0x3fff     /* Restart Count: packets are no chunks */
#define RTP_JPEG_Q_TABLES 128     /* from here on tables may come along */
#define RTP_JPEG_Q_ONCE 255       /* this number's tables are of one picture */
#define RTP_JPEG_TABLES_BYTES 128 /* two tables of 8 bits */
#define RTP_JPEG_HEADER_BYTES (8 + 4 + 4 + RTP_JPEG_TABLES_BYTES)

typedef struct {
  uint32_t offset; /* of the data in the picture's scan, 24 bits */
  uint8_t type, Q;
  unsigned width, height; /* pixels, multiples of 8 */
  uint16_t interval;      /* MCUs; 0: no restart marker header */
  bool F, L;              /* first, last packet of its chunk */
  uint16_t count;         /* Restart Count: the chunk's first interval */
  const uint8_t *tables;  /* RTP_JPEG_TABLES_BYTES; NULL: none came along */
  const uint8_t *data;
  size_t size;
} RtpJpegHead;

/* false: cut off, reserved, or of a kind that is not supported: interlaced, tables of 16 bits, more than 2040 pixels.
 */
bool rtp_jpeg_parse (const uint8_t *payload, size_t size, RtpJpegHead *head);
/* The headers of a packet, up to its data. Tables are written where offset is 0 and Q is of those that have some.
   Returns their size. */
size_t rtp_jpeg_write (uint8_t out[RTP_JPEG_HEADER_BYTES], const RtpJpegHead *head);

typedef struct {
  bool open;
  uint32_t next; /* offset that goes on with it */
  unsigned first;
} RtpJpegChunk;

typedef enum { RTP_JPEG_USELESS, RTP_JPEG_BEGINS, RTP_JPEG_GOES_ON } RtpJpegPlace;

/* What a packet's data are to the chunk that is open. *complete: it is whole with them. */
RtpJpegPlace rtp_jpeg_chunk_place (RtpJpegChunk *c, const RtpJpegHead *head, bool marker, bool *complete);

/* Sending: how many intervals from number `first` on, of n that end at ends[], a packet with room for so many bytes
   takes; at least 1, which then needs several packets. */
unsigned rtp_jpeg_chunk_intervals (const size_t *ends, unsigned n, unsigned first, size_t room);

#ifdef __cplusplus
}
#endif
#endif
