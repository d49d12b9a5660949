/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports of every packet (RFC 8888, TWCC) turned, at the sender, into what a receiver of ours would have said: loss
   event rate and receive rate by RFC 5348 7 (tfrcpacketreport.h), path rate by the receiver's law (pathrate.h) on send
   times against reported arrivals.

   A report is believed as far as it can be true. What it says of packets never sent, and of packets that would have
   arrived before they left, is left out; a report whose clock disagrees with the ones before by more than
   CC_PACKET_FEEDBACK_TOLERANCE is left out whole, until CC_PACKET_FEEDBACK_STRANGE in a row show that the receiver's
   clock was set.

   A report costs no more than a look at each packet that is remembered, for each stream: the first block on a stream
   counts, and what stands for packets nobody remembers is passed over, of which a few bytes may name thousands.

   What the path swallows for its size (pathmtu.h), or did so for a moment (sizerun.h), is seen here as well, and is no
   loss to either. */
#ifndef CCPACKETFEEDBACK_H
#define CCPACKETFEEDBACK_H

#include "ccserial.h"
#include "lossexcuse.h"
#include "pathmtu.h"
#include "pathrate.h"
#include "rtcpccfb.h"
#include "rtcptwcc.h"
#include "sizerun.h"
#include "tfrcpacketreport.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CC_PACKET_FEEDBACK_STREAMS 64 /* whose blocks RFC 8888's reports may have; of more the oldest give way */
#define CC_PACKET_FEEDBACK_STRANGE 5
#define CC_PACKET_FEEDBACK_TOLERANCE (5 * CC_SECOND) /* RTCP may be as late */

typedef struct {
  PathRateParams path;
  TfrcLossHistoryParams loss_history;
  TfrcRto rto;
  uint32_t overhead_bytes; /* UDP + IP per packet: 28 or 48 */
} CcPacketFeedbackParams;

/* A packet that left, and what the present report says of it. */
typedef struct {
  uint32_t ssrc, frame; /* frame: its RTP timestamp */
  uint16_t seq;
  bool received;
  bool sized; /* it is known as lost where sizes are looked at */
  ArrivalEcn ecn;
  uint64_t noted_in; /* report */
  CcTime arrived_at; /* CC_TIME_NONE: the report does not say */
} CcSentPacket;

typedef struct {
  uint32_t ssrc;
  uint64_t block_in; /* report that has had a block on it */
} CcReportedStream;

typedef struct {
  CcPacketFeedbackParams params;
  TfrcPacketReport tfrc;
  uint64_t unknown, newest; /* numbers that no report covered so far, newest that one did */
  PathRate path;
  PathMtu mtu;
  SizeRun run;
  LossExcuse excuse; /* of runs */
  CcReportedStream streams[CC_PACKET_FEEDBACK_STREAMS];
  unsigned n_streams, next_stream;
  CcSentPacket sent[TFRC_PACKET_REPORT_SLOTS]; /* by number modulo the size */
  uint64_t first, next;                        /* numbers: remembered from; of the packet that leaves next */
  uint64_t first_noted, last_noted;            /* of the present report; first > last: none */
  uint64_t last_arrived;                       /* the newest number that one told the arrival of; 0: none */
  unsigned whole_frames; /* reports in a row whose newest arrival ended its frame, up to 8; at first 8 */
  TfrcPacketStatus status[TFRC_PACKET_REPORT_SLOTS]; /* of the present report */
  CcUnwrap rts, reference;
  int64_t offset; /* of the receiver's clock from ours */
  CcTime last_report_now;
  bool has_report, has_count;
  uint8_t fb_pkt_count;
  unsigned strange;
  uint64_t reports, gaps; /* gaps: TWCC messages that did not come */
  uint64_t told, known;   /* arrivals in reports; those of packets sent, not too long ago */
  uint64_t nonsense;      /* arrivals in front of the sending, reports of another time */
} CcPacketFeedback;

/* Where somebody else numbers the packets and reads the reports: what he says of one packet. */
typedef struct {
  uint16_t number;
  CcTime sent_at;      /* CC_TIME_NONE: he does not know it; it is left out */
  uint32_t size_bytes; /* RTP packet */
  uint32_t frame;      /* equal within a frame */
  bool received;
  CcTime arrived_at; /* receiver's clock, where received; CC_TIME_NONE: not told */
} CcToldPacket;

typedef struct {
  TfrcFeedback tfrc;
  PathReport path;
  bool whole_frames; /* the receiver speaks when a frame has ended, and not before */
} CcPacketVerdict;

void cc_packet_feedback_params_init (CcPacketFeedbackParams *params);
void cc_packet_feedback_init (CcPacketFeedback *f, const CcPacketFeedbackParams *params);
/* Another path: all is forgotten but where the numbering stands; f: zeroes, or in use. */
void cc_packet_feedback_restart (CcPacketFeedback *f, const CcPacketFeedbackParams *params);
/* The transport-wide number of the packet that leaves next. */
uint16_t cc_packet_feedback_number (const CcPacketFeedback *f);
/* It left. ssrc, seq: as on the wire; size_bytes: RTP packet; each number once (retransmissions have their own). */
void cc_packet_feedback_on_sent (
    CcPacketFeedback *f, uint32_t ssrc, uint16_t seq, uint32_t size_bytes, uint32_t rtp_timestamp, CcTime now);
/* A report. R: round-trip time so far, 0: unknown; s: mean packet size, bytes. True, with the verdict filled, where it
   told of a new arrival. */
bool cc_packet_feedback_on_ccfb (
    CcPacketFeedback *f, const RtcpCcfbReader *report, CcDuration R, double s, CcTime now, CcPacketVerdict *verdict);
bool cc_packet_feedback_on_twcc (
    CcPacketFeedback *f, const RtcpTwccReader *report, CcDuration R, double s, CcTime now, CcPacketVerdict *verdict);
/* A report as CcToldPacket, in rising order of number; instead of cc_packet_feedback_on_sent (), not beside it. */
bool cc_packet_feedback_on_told (CcPacketFeedback *f, const CcToldPacket *told, unsigned n, CcDuration R, double s,
    CcTime now, CcPacketVerdict *verdict);
/* Arrivals that were told of packets never sent, or long ago. */
uint64_t cc_packet_feedback_unknown (const CcPacketFeedback *f);
#ifdef __cplusplus
}
#endif
#endif
