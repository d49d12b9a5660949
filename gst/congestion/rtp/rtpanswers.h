/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much may be sent to an address that packets claim to come from: three times what came from there (as RFC 9000 8
   has it), so that a forged address makes this end no amplifier. A call never comes near: RTCP is a twentieth of it. */
#ifndef RTPANSWERS_H
#define RTPANSWERS_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_ANSWERS_FACTOR 3
#define RTP_ANSWERS_PLACES 32

typedef struct {
  struct {
    uint64_t address;        /* as in rtpmembers.h */
    uint64_t received, sent; /* bytes with UDP and IP headers */
    CcTime heard_at;
  } places[RTP_ANSWERS_PLACES];
  unsigned count;
  uint64_t withheld; /* packets */
} RtpAnswers;

void rtp_answers_init (RtpAnswers *a);
/* Of more addresses than there are places the longest silent is forgotten, and what was left for it. */
void rtp_answers_on_received (RtpAnswers *a, uint64_t address, uint32_t bytes, CcTime now);
/* Whether a packet of so many bytes may leave; it then counts as sent. */
bool rtp_answers_take (RtpAnswers *a, uint64_t address, uint32_t bytes);

#ifdef __cplusplus
}
#endif
#endif
