/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TFRC sender that learns of every packet (TWCC, RFC 8888) computes p and X_recv itself (RFC 5348 7). Losses are
   grouped by send time; a packet no report covers is unknown, not lost. */
#ifndef TFRCPACKETREPORT_H
#define TFRCPACKETREPORT_H

#include "tfrclosshistory.h"
#include "tfrcsender.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TFRC_PACKET_REPORT_SLOTS 4096

typedef struct {
  uint64_t seq;
  CcTime sent_at;
  uint32_t size_bytes;
  bool used, reported;
  CcTime arrived_at;
} TfrcSentPacket;

typedef struct {
  uint64_t seq;
  bool received;
  CcTime arrived_at; /* receiver's clock */
  bool ce;
} TfrcPacketStatus;

typedef struct {
  TfrcRto rto;
  TfrcLossHistory history;
  TfrcSentPacket sent[TFRC_PACKET_REPORT_SLOTS]; /* by seq modulo the size */
  uint64_t highest_reported;
  bool any_reported;
  double X_recv_max;
  uint64_t unknown; /* packets that fell out of the window unreported */
} TfrcPacketReport;

void tfrc_packet_report_init (TfrcPacketReport *r, const TfrcLossHistoryParams *params, TfrcRto rto);
void tfrc_packet_report_on_sent (TfrcPacketReport *r, uint64_t seq, uint32_t size_bytes, CcTime now);
/* One report covering n packets in rising order. Returns true and fills feedback for tfrc_sender_on_feedback () when it
   brought a new arrival. R: the sender's current estimate; s: its segment size. */
bool tfrc_packet_report_on_report (TfrcPacketReport *r, const TfrcPacketStatus *status, unsigned n, CcDuration R,
    double s, CcTime now, TfrcFeedback *feedback);
#ifdef __cplusplus
}
#endif
#endif
