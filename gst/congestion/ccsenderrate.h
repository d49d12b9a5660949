/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sender may send now: puts together what its parts know, for sendrate.h to choose from. Nothing changes here,
   all of it is pure. */
#ifndef CCSENDERRATE_H
#define CCSENDERRATE_H

#include "ccsender.h"

#ifdef __cplusplus
extern "C" {
#endif

SendRate cc_sender_rate (const CcSender *s, CcTime now);
PlainFlow cc_sender_plain_flow (const CcSender *s);
EncoderAdvice cc_sender_encoder_advice (const CcSender *s);   /* what an encoder may be told */
double cc_sender_wire_factor (const CcSender *s);             /* wire bytes per byte of RTP */
bool cc_sender_path_is_fresh (const CcSender *s, CcTime now); /* the last word on it still counts */

#ifdef __cplusplus
}
#endif
#endif
