/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which VP8 pictures have come whole and which have not, told once for each by its PictureID (RFC 7741 4.2, 5), from
   packets in order, as they leave a jitter buffer. Nothing is told before the first key picture: who joins has nothing
   that others could be predicted from. */
#ifndef PICTUREREPORT_H
#define PICTUREREPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  bool has_id;
  uint16_t id;
  unsigned id_bits; /* 7 or 15 */
  bool starts, key; /* first packet of a picture; of a key picture */
} RtpVp8Head;

/* A payload's descriptor. false, *head untouched, where it is cut off. */
bool rtp_vp8_head_parse (const uint8_t *payload, size_t size, RtpVp8Head *head);

/* Of pictures that are missing altogether no more than these are told; beyond that the stream has begun anew. */
#define PICTURE_REPORT_MAX 32

typedef struct {
  uint16_t id;
  bool arrived;
} PictureReportItem;

typedef struct {
  bool started; /* a key picture has begun */
  bool open;    /* inside a picture */
  bool whole, told;
  uint16_t id, expected; /* of the picture; the next packet's number */
  uint64_t arrived, lost, without_id;
} PictureReport;

void picture_report_init (PictureReport *r);
/* A packet with RTP sequence number and marker. Returns how many items there are to tell, PICTURE_REPORT_MAX + 2 at
   most. */
size_t picture_report_on_packet (PictureReport *r, uint16_t seq, bool marker, const RtpVp8Head *head,
    PictureReportItem items[PICTURE_REPORT_MAX + 2]);

#ifdef __cplusplus
}
#endif
#endif
