/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP congestion control feedback (RFC 8888 3.1): RTPFB, FMT 11. The body is what follows the SSRC of the packet's
   sender: report blocks, then the report timestamp. There is no word for the SSRC of a media source: the SSRC of the
   first block stands where other messages have it.

   num_reports is the number of packets reported on, as the layout counts them; RFC 8888's sentence on "begin_seq to
   begin_seq + num_reports inclusive" is one more (erratum 8166). Bodies of this file are multiples of 4 bytes. */
#ifndef RTCPCCFB_H
#define RTCPCCFB_H

#include "arrivalhistory.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RTCP_FB_FMT_CCFB 11
#define RTCP_CCFB_MAX_REPORTS 16384 /* in one block */
#define RTCP_CCFB_ATO_OVER 0x1ffe   /* longer ago than 8189 / 1024 s */
#define RTCP_CCFB_ATO_UNKNOWN 0x1fff

typedef struct {
  uint8_t *body;
  size_t capacity, size; /* size: without the report timestamp */
  CcTime now;
} RtcpCcfbWriter;

/* now: the instant of the report timestamp, on the clock of the arrivals. */
void rtcp_ccfb_begin (RtcpCcfbWriter *w, uint8_t *body, size_t capacity, CcTime now);
/* One report block with the history's present range, or with as much of it as fits; marks it as reported, so that a
   call with the next writer goes on. Where nothing new has arrived the block is empty: the highest number, no reports.
   Returns false, with nothing added, where not even one report fits. */
bool rtcp_ccfb_add (RtcpCcfbWriter *w, uint32_t ssrc, ArrivalHistory *history);
/* rts: middle 32 bits of the NTP time `now` is, on the clock of the sender reports. Returns the size of the body; 0
   where the timestamp does not fit. */
size_t rtcp_ccfb_end (RtcpCcfbWriter *w, uint32_t rts);

/* Offset of an arrival before the report, in 1/1024 s, rounded down. */
uint16_t rtcp_ccfb_ato (CcTime arrived_at, CcTime now);

typedef struct {
  const uint8_t *at, *end;
  uint32_t rts;
} RtcpCcfbReader;

typedef struct {
  uint32_t ssrc;
  uint16_t begin_seq;
  uint16_t num_reports;
  const uint8_t *metrics; /* inside the body */
} RtcpCcfbBlock;

typedef struct {
  bool received;
  uint8_t ecn; /* ArrivalEcn; 0 where not received */
  uint16_t ato;
} RtcpCcfbMetric;

/* False where the body is not whole: every block is measured here. */
bool rtcp_ccfb_open (RtcpCcfbReader *r, const uint8_t *body, size_t size);
/* False behind the last block. */
bool rtcp_ccfb_next (RtcpCcfbReader *r, RtcpCcfbBlock *block);
/* Of packet begin_seq + i, i < num_reports. */
RtcpCcfbMetric rtcp_ccfb_metric (const RtcpCcfbBlock *block, unsigned i);
/* The arrival this says, given the instant of the report timestamp; CC_TIME_NONE where unknown or out of range. */
CcTime rtcp_ccfb_arrival (const RtcpCcfbMetric *metric, CcTime reported_at);
#ifdef __cplusplus
}
#endif
#endif
