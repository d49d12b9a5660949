/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Can what arrives be what it is said to be? RTP names no codec, but each payload format leaves bits that are always 0
   and values without a meaning: RFC 6184 (H264), RFC 7798 (H265), RFC 7741 (VP8), RFC 9628 (VP9), RFC 2435 (JPEG), the
   AV1 payload format. Sound is known by its time: that of Opus goes on by what each packet plays (RFC 6716, RFC 7587).
   A packet proves nothing, some frames of them do. */
#ifndef RTP_PAYLOAD_FIT_H
#define RTP_PAYLOAD_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_PAYLOAD_FORMATS 7
#define RTP_PAYLOAD_OPUS 6 /* the only one of sound, and the last */

typedef struct {
  unsigned packets, begins; /* begins: of them, the first of a frame each */
  unsigned fit[RTP_PAYLOAD_FORMATS], begins_fit[RTP_PAYLOAD_FORMATS];
  unsigned repeats;                 /* of the time of the packet before */
  unsigned opus_steps;              /* on from it by what that one plays as Opus, or a multiple */
  uint32_t timestamp, opus_samples; /* of the packet before */
  bool frame_ended;
} RtpPayloadTally;

/* -1: a format of which nothing is known. encoding_name: of SDP and caps, upper case; may be NULL. */
int rtp_payload_format (const char *encoding_name);
const char *rtp_payload_format_name (int format);
/* Whether a payload may be of that format. begins, ends: a frame, as far as its packets tell. */
bool rtp_payload_fits (int format, const uint8_t *payload, size_t size, bool begins, bool ends);
/* The same of one whose place in a frame nobody knows. */
bool rtp_payload_may_be (int format, const uint8_t *payload, size_t size);
/* Whether one that does not fit cannot be it: of H265 and AV1 too few have been seen for that, sound has no pattern. */
bool rtp_payload_is_sure (int format);

void rtp_payload_tally_add (RtpPayloadTally *t, const uint8_t *payload, size_t size, bool marker, uint32_t timestamp);
/* Enough has been seen to tell. */
bool rtp_payload_tally_is_full (const RtpPayloadTally *t);
/* Whether most of it cannot be of that format; false for -1. */
bool rtp_payload_tally_refutes (const RtpPayloadTally *t, int format);
/* The only format that it can be; -1 where there is none, or more than one. */
int rtp_payload_tally_guess (const RtpPayloadTally *t);
/* Whether it is certainly no sound: pictures of a known format, some of more than a packet. */
bool rtp_payload_tally_is_video (const RtpPayloadTally *t);

#ifdef __cplusplus
}
#endif
#endif
