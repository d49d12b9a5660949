/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC receiver (RFC 5348 6): X_recv, p and when to report.

   The report echoes the packet with the highest number, so that a late one cannot make it look old. After a timer
   expiry that found nothing to report the timer rests until the next packet, which reports at once. */
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
  TfrcRto rto;              /* as at the sender */
  CcDuration min_window;    /* X_recv is never taken over less (6.2 step 2 allows longer than R: frames are bursts);
                               default    0: the letter */
  unsigned reports_per_rtt; /* k of RFC 5348 6.2, >= 1; default 1 */
} TfrcReceiverParams;

typedef struct {
  uint64_t seq;          /* unwrapped */
  uint32_t size_bytes;   /* RTP packet, without UDP and IP headers */
  uint32_t beside_bytes; /* of what came since the last one beside it: it is no packet of the flow, but of its rate */
  CcTime arrived_at;
  CcDuration R;    /* the sender's round-trip time as carried in the packet, 0 where it knows none yet; held to
                      [100 us, 10 s] */
  uint32_t t_i_us; /* the send timestamp it carries */
  bool ce;
} TfrcPacket;

typedef struct {
  CcTime first_at, last_at;
  uint64_t bytes;
} TfrcReceiverSlot;

typedef struct {
  TfrcReceiverParams params;
  TfrcLossHistory history;
  bool started;
  CcDuration R;        /* of the packet with the highest number; 0: unknown */
  CcDuration R_report; /* R_{m-1}: what R was at the last report */
  CcTime started_at, last_arrival, timer_at, last_report_at;
  uint32_t last_t_i_us;
  bool silent_expiry; /* the last expiry found nothing to report: the next packet reports at once */
  bool data_since_report, report_due;
  double p, p_reported; /* last computed, last reported */
  double X_recv;        /* bytes/s, as last reported; 0 in the first report and while R is unknown */
  double X_recv_max;
  double s;                                    /* mean packet size, bytes */
  TfrcReceiverSlot slots[TFRC_RECEIVER_SLOTS]; /* bytes by arrival, a ring, the newest at slot_head */
  unsigned slot_head;
  uint64_t bytes_since_report;
  uint64_t packets, bytes, reports;
} TfrcReceiver;

void tfrc_receiver_params_init (TfrcReceiverParams *params);
void tfrc_receiver_init (TfrcReceiver *r, const TfrcReceiverParams *params);

/* Returns true when a report is due at once (6.1): the first packets until R is known, a risen p, a loss taken back,
   the end of a silence. It stays due until tfrc_receiver_report (). */
bool tfrc_receiver_on_packet (TfrcReceiver *r, const TfrcPacket *packet);

/* Losses from first to last are no congestion (tfrc_loss_history_excuse ()). Returns true where there were any; then a
   report is due. */
bool tfrc_receiver_excuse (TfrcReceiver *r, uint64_t first, uint64_t last, CcTime now);

/* The feedback timer (6.2); CC_TIME_NONE before the first packet, while R is unknown and in a silence. Pure. */
CcTime tfrc_receiver_next_timeout (const TfrcReceiver *r);
/* Returns true when a report is due. Early and spurious calls change nothing. */
bool tfrc_receiver_on_timeout (TfrcReceiver *r, CcTime now);

bool tfrc_receiver_report_due (const TfrcReceiver *r);
/* Fills the report for now and re-arms the timer. False (report untouched) before the first packet. A report may be
   taken at any time, also when none is due (a regular RTCP packet carries one); without data since the last one it
   repeats p and X_recv. */
bool tfrc_receiver_report (TfrcReceiver *r, CcTime now, TfrcReport *report);
#ifdef __cplusplus
}
#endif
#endif
