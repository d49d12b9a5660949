/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does this RTP payload begin a picture that can be decoded without any before it? From the payload formats of RFC 6184
   (H264), RFC 7798 (H265), RFC 7741 (VP8), RFC 9628 (VP9), the AV1 payload format, and RFC 2435 (JPEG: always). */
#ifndef RTP_KEY_UNIT_H
#define RTP_KEY_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  RTP_CODEC_UNKNOWN,
  RTP_CODEC_H264,
  RTP_CODEC_H265,
  RTP_CODEC_VP8,
  RTP_CODEC_VP9,
  RTP_CODEC_AV1,
  RTP_CODEC_INTRA /* every picture stands alone */
} RtpCodec;

/* From the encoding name of SDP and caps ("H264", upper or lower case); NULL gives RTP_CODEC_UNKNOWN. */
RtpCodec rtp_codec_from_name (const char *encoding_name);
/* Whether rtp_key_unit_starts () can ever tell. */
bool rtp_codec_tells_key_units (RtpCodec codec);
/* Of several slices the first one. False for truncated payloads and RTP_CODEC_UNKNOWN. */
bool rtp_key_unit_starts (RtpCodec codec, const uint8_t *payload, size_t size);
/* Whether key units need parameter sets that come in packets of their own in front of them ... */
bool rtp_codec_has_parameter_sets (RtpCodec codec);
/* ... and whether this is one of those: it has a sequence parameter set. */
bool rtp_key_unit_has_parameter_sets (RtpCodec codec, const uint8_t *payload, size_t size);

#ifdef __cplusplus
}
#endif
#endif
