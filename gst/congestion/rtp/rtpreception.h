/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a receiver report says about one source (RFC 3550 6.4.1): validation and restart (A.1), loss (A.3), jitter
   (A.8), and the echo of the last sender report. Also tells duplicates, and losses once three later packets have come.
 */
#ifndef RTP_RECEPTION_H
#define RTP_RECEPTION_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RTP_RECEPTION_MIN_SEQUENTIAL 2 /* packets in sequence before a source is valid */
#define RTP_RECEPTION_MAX_DROPOUT 3000
#define RTP_RECEPTION_MAX_MISORDER 100
#define RTP_RECEPTION_NDUPACK 3 /* later packets that make a missing one lost */

typedef enum {
  RTP_RECEPTION_PROBATION, /* not valid yet */
  RTP_RECEPTION_NEWER,     /* moves the highest number */
  RTP_RECEPTION_OLDER,     /* late, fills a gap */
  RTP_RECEPTION_DUPLICATE,
  RTP_RECEPTION_JUMP,   /* far off: believed only when its successor comes */
  RTP_RECEPTION_RESTART /* the sender started over; counters are new */
} RtpReceptionVerdict;

typedef struct {
  uint8_t fraction_lost; /* 1/256 since the previous report */
  int32_t cumulative_lost;
  uint32_t highest_seq; /* extended */
  uint32_t jitter;      /* RTP clock ticks */
  uint32_t lsr, dlsr;   /* 1/65536 s; 0: no sender report yet */
} RtpReceptionReport;

typedef struct {
  uint32_t clock_rate; /* 0: unknown, jitter stays 0 */
  bool started, valid;
  unsigned sequential;
  uint16_t max_seq;
  uint32_t base_seq, bad_seq;
  uint64_t cycles, received; /* more of both than an extended number tells: it wraps in a day at 50000 packets/s */
  int64_t expected_prior, received_prior;
  uint64_t window; /* bit n: the packet n below the highest has come */
  double jitter;   /* ticks */
  bool has_transit;
  uint32_t transit;
  uint32_t lsr;
  CcTime sr_at;
  bool loss;         /* the last packet showed a loss ... */
  uint32_t lost_seq; /* ... of this extended number, the highest of them */
  uint64_t duplicates, older, restarts, lost;
} RtpReception;

void rtp_reception_init (RtpReception *r, uint32_t clock_rate);
RtpReceptionVerdict rtp_reception_on_packet (RtpReception *r, uint16_t seq, uint32_t rtp_timestamp, CcTime arrived_at);
void rtp_reception_on_sender_report (RtpReception *r, uint64_t ntp, CcTime arrived_at);
uint32_t rtp_reception_highest (const RtpReception *r); /* extended */
/* Packets expected less those received, duplicates counted as received; never below 0. */
uint64_t rtp_reception_missing (const RtpReception *r);
/* Fills the report and starts the next interval. False (untouched) until the source is valid. */
bool rtp_reception_report (RtpReception *r, CcTime now, RtpReceptionReport *report);

#ifdef __cplusplus
}
#endif
#endif
