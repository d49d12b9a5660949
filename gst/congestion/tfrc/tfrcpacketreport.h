/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TFRC sender that learns of every packet (TWCC, RFC 8888) computes p and X_recv itself (RFC 5348 7). Losses are
   grouped by send time, a lost packet's being interpolated between its neighbours'. A packet no report covers is
   unknown, not lost: it is left out of the numbering the loss history sees. A later report may turn "not received" into
   "received", never the other way. */
#ifndef TFRC_PACKET_REPORT_H
#define TFRC_PACKET_REPORT_H

#include "tfrclosshistory.h"
#include "tfrcsender.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TFRC_PACKET_REPORT_SLOTS 4096

typedef struct {
  uint64_t seq;
  CcTime sent_at, arrived_at;
  uint32_t size_bytes;
  bool used, covered, received; /* covered: has a number in the loss history */
  uint64_t history_seq;
} TfrcSentPacket;

typedef struct {
  uint64_t seq; /* unwrapped, as given to tfrc_packet_report_on_sent () */
  bool received;
  CcTime arrived_at; /* receiver's clock */
  bool ce;
} TfrcPacketStatus;

typedef struct {
  TfrcRto rto;
  TfrcLossHistory history;
  TfrcSentPacket sent[TFRC_PACKET_REPORT_SLOTS]; /* by seq modulo the size */
  bool any_covered, any_received;
  uint64_t highest_covered, highest_received;
  CcTime echo_sent_at, echo_arrived_at; /* of highest_received */
  CcTime newest_arrival;                /* of all reports, receiver's clock */
  double X_recv, X_recv_max;
  uint64_t unknown; /* packets passed over by the reports */
  uint64_t ignored; /* statuses of packets never sent or forgotten */
} TfrcPacketReport;

void tfrc_packet_report_init (TfrcPacketReport *r, const TfrcLossHistoryParams *params, TfrcRto rto);
/* seq: unwrapped, rising. */
void tfrc_packet_report_on_sent (TfrcPacketReport *r, uint64_t seq, uint32_t size_bytes, CcTime now);
/* One report covering n packets in rising order. Returns true and fills feedback for tfrc_sender_on_feedback () when it
   brought a new arrival. R: the sender's current estimate, 0 where unknown; s: its segment size; reported_at: when the
   report left, receiver's clock, CC_TIME_NONE where it does not say (its newest arrival then counts). */
bool tfrc_packet_report_on_report (TfrcPacketReport *r, const TfrcPacketStatus *status, unsigned n, CcTime reported_at,
    CcDuration R, double s, CcTime now, TfrcFeedback *feedback);
#ifdef __cplusplus
}
#endif
#endif
