/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lost packets of the stream received, sent again as agreed on in band (docs/wire-formats.md): REPR offers the peer a
   stream of its own for them, and an SSRC that speaks by that number has accepted. Then gaps are asked for as the plan
   has it, and what comes is made into the packets that were lost. */
#ifndef RTPREPAIR_H
#define RTPREPAIR_H

#include "repairplan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint32_t media, ssrc; /* whose packets come again; in which stream; 0: none is offered */
  uint8_t payload_type;
  bool agreed;
  CcTime heard_at; /* of that stream */
  CcTime offer_at; /* the next REPR is due */
  CcDuration offer_interval;
  RepairPlan plan;
  uint64_t unanswered; /* of nack's, how much the plan knows */
  uint64_t restored;
} RtpRepair;

/* Whether it is the stream of packets sent again. */
static inline bool
rtp_repair_carries (const RtpRepair *r, uint32_t ssrc)
{
  return r->ssrc != 0 && ssrc == r->ssrc;
}

/* Whether gaps of that source are asked for. */
static inline bool
rtp_repair_mends (const RtpRepair *r, uint32_t ssrc)
{
  return r->ssrc != 0 && r->agreed && ssrc == r->media;
}

#ifdef __cplusplus
}
#endif
#endif
