/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An RTP packet as it lies in memory (RFC 3550 5.1, 5.3.1): measured, then looked at. */
#ifndef RTPPACKET_H
#define RTPPACKET_H

#include <stddef.h>

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_HEADER_BYTES 12

typedef struct {
  uint32_t ssrc, timestamp;
  uint16_t seq;
  uint8_t payload_type;
  bool marker;
  size_t size; /* of the whole packet */
  const uint8_t *csrcs;
  unsigned n_csrcs;
  bool has_extension;
  uint16_t profile; /* of the header extension, as rtp_ext_find () wants it */
  const uint8_t *extension;
  size_t extension_bytes;
  const uint8_t *payload;
  size_t payload_bytes; /* padding taken off */
} RtpPacket;

/* False (packet untouched): no RTP, or its lengths lie. What is pointed to are the caller's bytes. */
bool rtp_packet_parse (RtpPacket *packet, const uint8_t *data, size_t size);
uint32_t rtp_packet_csrc (const RtpPacket *packet, unsigned i);
/* The content of a header extension element (RFC 8285), NULL where there is none of that id; id 0: none. */
const uint8_t *rtp_packet_element (const RtpPacket *packet, unsigned id, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
