/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC receiver (RFC 5348 6): X_recv, p and when to report. */
#ifndef TFRCRECEIVER_H
#define TFRCRECEIVER_H

#include "tfrcequation.h"
#include "tfrclosshistory.h"
#include "tfrcreport.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TFRC_RECEIVER_SLOTS 64

typedef struct {
  TfrcLossHistoryParams loss_history;
  TfrcRto rto;
  CcDuration min_window; /* X_recv is never taken over less (6.2 step 2 allows longer than R: frames are bursts). 0: the
                            letter */
  unsigned reports_per_rtt; /* k of RFC 5348 6.2; default 1 */
} TfrcReceiverParams;

typedef struct {
  uint64_t seq;        /* unwrapped */
  uint32_t size_bytes; /* RTP packet, without UDP and IP headers */
  CcTime arrived_at;
  CcDuration R;    /* the sender's round-trip time as carried in the packet, 0 where it knows none yet */
  uint32_t t_i_us; /* the send timestamp it carries */
  bool ce;
} TfrcPacket;

typedef struct {
  TfrcReceiverParams params;
  TfrcLossHistory history;
  bool started;
  CcDuration R; /* of the packet with the highest number */
  CcTime last_arrival, timer_at, last_report_at;
  uint32_t last_t_i_us;
  bool silent_expiry; /* the last expiry found nothing to report: the next packet reports at once */
  bool data_since_report, report_due;
  double p, p_reported, X_recv, X_recv_max, s;
  /* received bytes by time slot, newest at slot_head */
  struct {
    CcTime start;
    uint32_t bytes;
  } slots[TFRC_RECEIVER_SLOTS];
  unsigned slot_head;
  uint64_t packets, bytes, reports;
} TfrcReceiver;

void tfrc_receiver_params_init (TfrcReceiverParams *params);
void tfrc_receiver_init (TfrcReceiver *r, const TfrcReceiverParams *params);

/* Returns true when a report is due at once (6.1). Stays due until tfrc_receiver_report (). */
bool tfrc_receiver_on_packet (TfrcReceiver *r, const TfrcPacket *packet);

/* The feedback timer (6.2); CC_TIME_NONE before the first packet. Pure. */
CcTime tfrc_receiver_next_timeout (const TfrcReceiver *r);
/* Returns true when a report is due. Early and spurious calls change nothing. */
bool tfrc_receiver_on_timeout (TfrcReceiver *r, CcTime now);

bool tfrc_receiver_report_due (const TfrcReceiver *r);
/* Fills the report for now and re-arms the timer. False (report untouched) before the first packet. A report may be
   taken at any time, also when none is due (a regular RTCP packet carries one). */
bool tfrc_receiver_report (TfrcReceiver *r, CcTime now, TfrcReport *report);
#ifdef __cplusplus
}
#endif
#endif
