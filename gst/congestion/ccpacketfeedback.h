/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports of every packet (RFC 8888, TWCC) turned, at the sender, into what a receiver of ours would have reported:
   loss event rate and receive rate by RFC 5348 7 (tfrcpacketreport.h), path rate by the receiver's law (pathrate.h) on
   send times against reported arrivals.

   What a report says is believed of packets that were sent, in the order of time: arrivals that run faster than the
   clock here, before the packet left or beyond the report's own instant count as nonsense and change nothing. */
#ifndef CCPACKETFEEDBACK_H
#define CCPACKETFEEDBACK_H

#include "ccserial.h"
#include "pathrate.h"
#include "tfrcpacketreport.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  PathRateParams path;
  TfrcLossHistoryParams loss_history;
  TfrcRto rto;
  uint32_t overhead_bytes; /* UDP + IP per packet: 28 or 48 */
} CcPacketFeedbackParams;

typedef struct {
  CcPacketFeedbackParams params;
  TfrcPacketReport tfrc;
  PathRate path;
  CcUnwrap number;
  uint32_t frame[TFRC_PACKET_REPORT_SLOTS]; /* RTP timestamps by number */
  uint64_t highest_sent;
  bool any_sent;
  CcTime first_sent_at;
  uint64_t reports, nonsense;
} CcPacketFeedback;

typedef struct {
  uint16_t number;
  bool received;
  CcTime arrived_at; /* receiver's clock; CC_TIME_NONE: received, time unknown */
  bool ce;
} CcPacketStatus;

typedef struct {
  TfrcFeedback tfrc;
  PathReport path;
} CcPacketVerdict;

void cc_packet_feedback_params_init (CcPacketFeedbackParams *params);
void cc_packet_feedback_init (CcPacketFeedback *f, const CcPacketFeedbackParams *params);
/* number: as on the wire, rising by one a packet. size_bytes: RTP packet. */
void cc_packet_feedback_on_sent (
    CcPacketFeedback *f, uint16_t number, uint32_t size_bytes, uint32_t rtp_timestamp, CcTime now);
/* One report, in rising order. reported_at: when it left, receiver's clock; CC_TIME_NONE: unknown. R: round-trip time
   so far, 0: unknown; s: mean packet size. True, with the verdict filled, where it told of a new arrival. */
bool cc_packet_feedback_on_report (CcPacketFeedback *f, const CcPacketStatus *status, unsigned n, CcTime reported_at,
    CcDuration R, double s, CcTime now, CcPacketVerdict *verdict);
#ifdef __cplusplus
}
#endif
#endif
