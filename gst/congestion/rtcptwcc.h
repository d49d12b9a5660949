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

/* One message: the history's present range, or as much of it as fits the capacity and the reach of its deltas
   (-8192 to 8191.75 ms from one arrival to the next), which is marked as reported. Arrivals of earlier messages are not
   repeated. fb_pkt_count: of this message, one more each, modulo 256. Returns the size, zero bytes up to a multiple of
   4 included; 0 where nothing new has arrived or nothing fits. padding: how many of the last bytes are padding, so that
   a peer that insists on it can be told in the header. */
size_t rtcp_twcc_write (
    uint8_t *fci, size_t capacity, ArrivalHistory *history, uint8_t fb_pkt_count, unsigned *padding);

typedef struct {
  uint16_t seq;
  bool received;
  int64_t at; /* ns, receiver's clock modulo 2^24 x 64 ms: unwrap rtcp_twcc_reference () of consecutive messages */
} RtcpTwccStatus;

typedef struct {
  uint16_t base_seq, status_count;
  int32_t reference; /* 64 ms, 24 bits, signed */
  uint8_t fb_pkt_count;
  const uint8_t *chunk, *delta; /* what comes next */
  unsigned done, chunk_done;    /* statuses read; of the present chunk */
  int64_t at;
} RtcpTwccReader;

/* False where the message is not whole: chunks and deltas are measured here, reserved symbols refused. size: without
   RTCP padding, or with it. */
bool rtcp_twcc_open (RtcpTwccReader *r, const uint8_t *fci, size_t size);
/* False behind the last one. Symbols beyond the status count are passed over. */
bool rtcp_twcc_next (RtcpTwccReader *r, RtcpTwccStatus *status);
#ifdef __cplusplus
}
#endif
#endif
