/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an encoder may produce at a rate on the wire: without headers, what mends losses, and what still waits. Pure. */
#ifndef ENCODERADVICE_H
#define ENCODERADVICE_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double rate_Bps, sent_Bps; /* allowed, and what leaves, wire bytes/s; 0: nothing yet */
  double resent_Bps;         /* of that what is sent again and goes at the encoder's expense */
  double redundancy;         /* bytes of it that follow a byte of media: they leave, or will at once, at its expense */
  double packet_bytes;       /* mean, RTP */
  uint32_t overhead_bytes;   /* UDP + IP per packet */
  double queued_bytes;       /* waiting to leave */
  CcDuration frame_interval;
} EncoderAdvice;

double encoder_advice_wire_factor (const EncoderAdvice *a); /* wire bytes per RTP byte at this packet size */
/* Media, bytes/s: an encoder that makes less than it may fills the packets it makes before it makes more, so what
   leaves now pays for its headers, and larger packets for the rest. What mends losses is taken off before. */
double encoder_advice_media (const EncoderAdvice *a);
/* What to ask of an encoder that nobody else corrects: 3 % of it left for frames to vary, and what drains the backlog
   beyond a frame within 0.5 s taken off, down to half. */
double encoder_advice_rate (const EncoderAdvice *a);

#ifdef __cplusplus
}
#endif
#endif
