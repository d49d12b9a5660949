/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Redundancy over the stream received (fecplan.h), as agreed on in band (docs/wire-formats.md): where the path loses
   packets, REPR asks the peer for sums in the stream that packets sent again would come in, and sums become the packets
   that were lost. A peer that sends none loses nothing by it. */
#ifndef RTPFEC_H
#define RTPFEC_H

#include "fecdecoder.h"
#include "fecplan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  FecPlan plan;
  FecDecoder *decoder; /* NULL: no sums are wanted, nor were since the stream began */
  CcTime heard_at;     /* the last sum; CC_TIME_NONE: none came */
  CcTime plan_at;      /* the plan is due */
  CcTime ask_at;       /* REPR is due */
  double told;         /* the share it asked for last */
} RtpFec;

#ifdef __cplusplus
}
#endif
#endif
