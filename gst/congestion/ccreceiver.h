/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiving end of a flow: loss history, receive rate, queueing delay and path rate, from RTP packets and their
   arrival times. It says when feedback is wanted; when it may be sent is avpftiming.h's business. */
#ifndef CCRECEIVER_H
#define CCRECEIVER_H

#include "arrivalecn.h"
#include "ccserial.h"
#include "lossexcuse.h"
#include "pathrate.h"
#include "rtpextension.h"
#include "tfrcreceiver.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CC_RECEIVER_GAP (50 * CC_MSECOND)        /* between reports: what RTCP's share of a small flow allows */
#define CC_RECEIVER_URGENT_GAP (20 * CC_MSECOND) /* before an early one */
#define CC_RECEIVER_WEIGHT_LIFE (15 * CC_SECOND) /* what a sender says of its weight */
#define CC_RECEIVER_MAX_JUMP 3000                /* sequence numbers; beyond, the sender has restarted */

typedef struct {
  TfrcReceiverParams tfrc;
  PathRateParams path;
  uint32_t overhead_bytes; /* UDP + IP per packet: 28 or 48 */
  CcDuration report_gap;   /* feedback is wanted no sooner than this, or one round trip where that is longer, after the
                              last; default CC_RECEIVER_GAP; 0: as soon as RFC 5348 says */
} CcReceiverParams;

typedef struct {
  uint16_t seq;
  uint32_t rtp_timestamp;
  bool marker;
  uint32_t size_bytes; /* RTP packet */
  bool has_stamp;      /* carries rtt-sendts; without it the flow gets receiver reports only */
  RtpRttSendts stamp;
  ArrivalEcn ecn;
  CcTime arrived_at;
} CcArrival;

typedef struct {
  TfrcReport tfrc;
  PathReport path;
} CcReport;

typedef struct {
  CcReceiverParams params;
  CcUnwrap seq, stamp;
  uint64_t outage_lost; /* packets, but for one in each outage: RFC 5348 5.2 would have a loss event for each R of it */
  uint64_t numbered_from; /* the last of these outages ended there: before it numbers were others */
  LossExcuse excuse;
  CcTime arrived_at;                     /* the last packet; CC_TIME_NONE: none */
  uint32_t beside_bytes, beside_packets; /* since then */
  TfrcReceiver tfrc;
  PathRate path;
  bool stamped, rtt_known;
  bool urgent;           /* the path rate fell: the sender should know before the next regular report */
  bool told;             /* that feedback is wanted */
  CcTime last_report_at; /* CC_TIME_NONE: none yet */
  CcTime weight_at;      /* the sender said its weight; CC_TIME_NONE: it did not lately */
  uint64_t packets, restarts;
} CcReceiver;

void cc_receiver_params_init (CcReceiverParams *params);
void cc_receiver_init (CcReceiver *r, const CcReceiverParams *params);
/* Returns true when feedback is wanted at once: a TFRC report is due and the last one is max (R, report_gap) old, or
 * the path rate fell and the last one is CC_RECEIVER_URGENT_GAP old; it stays wanted until cc_receiver_report (). A
 * sender restart (jump of more than 3000 in seq, rtt back to 0) starts over. */
bool cc_receiver_on_packet (CcReceiver *r, const CcArrival *arrival);
/* A packet of the same sender that is none of the flow and paid for by its rate: sent again, or redundancy. In front of
   the next one of the flow. */
void cc_receiver_on_beside (CcReceiver *r, uint32_t size_bytes);
/* What a packet says that routers allow (path_rate_on_explicit_rate ()), in front of its cc_receiver_on_packet (). */
void cc_receiver_on_explicit_rate (CcReceiver *r, double rate_Bps, CcTime now);
/* The sender says that what is missing from first to last, numbers as on the wire, was too large for the path, as far
   as lossexcuse.h lets it. True: feedback is wanted at once. */
bool cc_receiver_excuse (CcReceiver *r, uint16_t first, uint16_t last, CcTime now);
/* The sender says what its weight is (callweight.h). Believed for CC_RECEIVER_WEIGHT_LIFE. */
void cc_receiver_on_weight (CcReceiver *r, double weight, CcTime now);
bool cc_receiver_queue_stands (const CcReceiver *r, CcTime now); /* in the path of the flow; pure */
CcTime cc_receiver_next_timeout (const CcReceiver *r);           /* pure */
bool cc_receiver_on_timeout (CcReceiver *r, CcTime now);         /* true: feedback is wanted */
/* False (untouched) while there is nothing to report: no stamped packet yet. */
bool cc_receiver_report (CcReceiver *r, CcTime now, CcReport *report);
#ifdef __cplusplus
}
#endif
#endif
