/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets may go on to what takes one payload format. Until some frames have told what arrives, single packets
   that cannot be of the format are held back: a depayloader may end at one. When most are not, all are, until a row of
   packets is of the format again. */
#ifndef RTP_PAYLOAD_JUDGE_H
#define RTP_PAYLOAD_JUDGE_H

#include "rtppayloadfit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { RTP_PAYLOAD_UNDECIDED = 0, RTP_PAYLOAD_AS_SAID, RTP_PAYLOAD_WRONG } RtpPayloadVerdict;

typedef struct {
  int format; /* of what is said to arrive; -1: nothing is known of it */
  bool sound; /* what is said is sound */
  RtpPayloadTally tally;
  RtpPayloadVerdict verdict;
  unsigned row, row_begins; /* while wrong: packets in a row that fit, and frames that they began */
} RtpPayloadJudge;

/* encoding_name: of SDP and caps, upper case; may be NULL. */
void rtp_payload_judge_init (RtpPayloadJudge *j, const char *encoding_name, bool sound);
/* Whether the packet may go on. Sound always may: what plays it ends at nothing. */
bool rtp_payload_judge_add (RtpPayloadJudge *j, const uint8_t *payload, size_t size, bool marker, uint32_t timestamp);

#ifdef __cplusplus
}
#endif
#endif
