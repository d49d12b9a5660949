/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP header extensions (RFC 8285): find one, put one in, and the elements used here: the send time of TFRC,
   urn:ietf:params:rtp-hdrext:rtt-sendts, and the transport-wide number of TWCC. Bytes in, bytes out; every read is
   bounds-checked. */
#ifndef RTPEXTENSION_H
#define RTPEXTENSION_H

#include "cctime.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_EXT_RTT_SENDTS_URI "urn:ietf:params:rtp-hdrext:rtt-sendts"
#define RTP_EXT_RTT_SENDTS_SIZE 7
#define RTP_EXT_TWCC_SIZE 2 /* transport-wide number, draft-holmer-rmcat-transport-wide-cc-extensions-01 2 */

typedef struct {
  CcDuration rtt;      /* us on the wire, 24 bits, saturates; 0: not known yet */
  uint32_t sent_at_us; /* wraps every 71.6 min */
} RtpRttSendts;

void rtp_ext_rtt_sendts_write (uint8_t data[RTP_EXT_RTT_SENDTS_SIZE], const RtpRttSendts *value);
bool rtp_ext_rtt_sendts_parse (const uint8_t *data, size_t size, RtpRttSendts *value); /* size must be exactly 7 */

void rtp_ext_twcc_write (uint8_t data[RTP_EXT_TWCC_SIZE], uint16_t number);
/* A longer element asks for feedback as well (version 02); the number stands in front. */
bool rtp_ext_twcc_parse (const uint8_t *data, size_t size, uint16_t *number);

/* The element with this id inside an extension block (profile: the 16 bits before the length word). NULL where there is
   none or the block is malformed. */
const uint8_t *rtp_ext_find (uint16_t profile, const uint8_t *block, size_t block_size, unsigned id, size_t *size);

/* Bytes the element adds to a packet that has this extension block (size 0: none), padding included; ids above 14 need
   the two-byte form. 0 where an element of this id and size is there already (it will be overwritten). */
size_t rtp_ext_growth (uint16_t profile, const uint8_t *block, size_t block_size, unsigned id, size_t size);

/* Writes the extension block with the element added or overwritten into out (capacity >= block_size + growth); keeps
   all others, moving to the two-byte form where the id needs it. Returns the block size in bytes (a multiple of 4) and
   the profile, 0 on no room. */
size_t rtp_ext_put (uint16_t profile, const uint8_t *block, size_t block_size, unsigned id, const uint8_t *data,
    size_t size, uint8_t *out, size_t capacity, uint16_t *out_profile);
#ifdef __cplusplus
}
#endif
#endif
