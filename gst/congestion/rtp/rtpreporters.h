/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which receivers have shown that they get what is sent: a report block (RFC 3550 6.4.1) whose highest sequence number
   is one that was sent lately. Who merely writes with a forged address does not know it. */
#ifndef RTPREPORTERS_H
#define RTPREPORTERS_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_REPORTERS_PLACES 8
#define RTP_REPORTERS_BEHIND 3000 /* packets: RFC 3550 A.1, MAX_DROPOUT; further back a number says nothing */

typedef struct {
  struct {
    uint32_t ssrc;
    CcTime at; /* of its last proof */
  } places[RTP_REPORTERS_PLACES];
  unsigned count;
} RtpReporters;

void rtp_reporters_init (RtpReporters *r);
/* A block of `ssrc`: highest_seq as it stands there; sent: the last number sent. Of more than there are places the one
   whose proof is oldest gives way. */
void rtp_reporters_on_block (RtpReporters *r, uint32_t ssrc, uint32_t highest_seq, uint16_t sent, CcTime now);
bool rtp_reporters_knows (const RtpReporters *r, uint32_t ssrc);

#ifdef __cplusplus
}
#endif
#endif
