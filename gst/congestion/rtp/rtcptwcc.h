/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01 3.1): RTPFB, FMT 15. In vectors of
   one-bit symbols 1 says received: the draft's sentence has it the other way round, its examples and all peers do not.

   "Not received" says only that this message has no arrival to tell: another one may. */
#ifndef RTCPTWCC_H
#define RTCPTWCC_H

#include "arrivalhistory.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTCP_FB_FMT_TWCC 15
#define RTCP_TWCC_HEADER_SIZE 8
#define RTCP_TWCC_TICK (250 * CC_USECOND)
#define RTCP_TWCC_REFERENCE (64 * CC_MSECOND)

/* One message: the history's present range, or as much of it as fits the capacity and the reach of its deltas
   (-8192 to 8191.75 ms from one arrival to the next), which is marked as reported. Arrivals of earlier messages are not
   repeated. fb_pkt_count: of this message, one more each, modulo 256. Returns the size, zero bytes up to a multiple of
   4 included; 0 where nothing new has arrived or not even one status fits. */
size_t rtcp_twcc_write (uint8_t *fci, size_t capacity, ArrivalHistory *history, uint8_t fb_pkt_count);

typedef struct {
  uint16_t seq;
  bool received;
  int64_t at; /* ns behind the reference time; of the packet before where not received */
} RtcpTwccStatus;

typedef struct {
  uint16_t base_seq, status_count;
  uint32_t reference; /* 64 ms, 24 bits: wraps every 12.4 days; unwrap it with ccserial.h */
  uint8_t fb_pkt_count;
  const uint8_t *chunk, *delta; /* what comes next */
  unsigned done, chunk_done;    /* statuses read; of the present chunk */
  int64_t at;
} RtcpTwccReader;

/* False where the message is not whole: chunks and deltas are measured here, reserved symbols refused. size: with or
   without padding. */
bool rtcp_twcc_open (RtcpTwccReader *r, const uint8_t *fci, size_t size);
/* False behind the last one. Symbols beyond the status count are passed over. */
bool rtcp_twcc_next (RtcpTwccReader *r, RtcpTwccStatus *status);
/* Passes over statuses that a run says have not arrived, n at most; returns how many: two bytes may stand for 8191. */
unsigned rtcp_twcc_skip (RtcpTwccReader *r, unsigned n);
/* The arrival on the receiver's clock, plus a constant. reference: unwrapped with 24 bits. */
CcTime rtcp_twcc_arrival (const RtcpTwccStatus *status, uint64_t reference);
#ifdef __cplusplus
}
#endif
#endif
