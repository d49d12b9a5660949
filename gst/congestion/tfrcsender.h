/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC sender (RFC 5348 4): the allowed rate X, from reports and the no-feedback timer. */
#ifndef TFRCSENDER_H
#define TFRCSENDER_H

#include "tfrcequation.h"
#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TFRC_X_RECV_SET 3 /* 8.2.2 */

typedef struct {
  double mss; /* bytes, for W_init (4.2); default 1460 */
  TfrcRto rto;
  bool oscillation_prevention; /* X_inst, 4.5; default true */
  double initial_Bps;          /* rate before the first round-trip sample; 0: s per second (4.2) */
  CcDuration min_rto; /* floor of the no-feedback timer beyond 4R, for reports slower than R (RTCP); default 20 ms */
} TfrcSenderParams;

typedef struct {
  CcTime received_at;
  CcTime t_recvdata; /* when the packet the report echoes was sent, sender's clock */
  CcDuration t_delay;
  double X_recv; /* bytes/s */
  double p;      /* [0, 1] */
} TfrcFeedback;

typedef enum {
  TFRC_FEEDBACK_OK,
  TFRC_FEEDBACK_OLD,    /* echoes an older packet than the last report: ignored */
  TFRC_FEEDBACK_INVALID /* negative or absurd (> 10 s) round-trip time, p outside [0, 1]: ignored and counted */
} TfrcFeedbackResult;

typedef enum { TFRC_START, TFRC_SLOW_START, TFRC_EQUATION, TFRC_RECEIVE_RATE, TFRC_NO_FEEDBACK } TfrcLimit;

typedef struct {
  double value;
  CcTime at;
} TfrcXRecv;

typedef struct {
  TfrcSenderParams params;
  double X, X_inst, X_Bps; /* bytes/s: allowed, paced, last result of the equation */
  double s;                /* mean segment size, bytes */
  CcDuration R;            /* 0 before the first sample */
  double R_sqmean, sqrt_R_sample;
  CcDuration RTO;
  CcTime tld; /* time last doubled */
  double p;
  TfrcXRecv X_recv_set[TFRC_X_RECV_SET];
  unsigned n_X_recv;
  bool X_recv_infinite; /* the initial Infinity is still in the set: a flag, never a number */
  double recover_rate, initial_rate;
  CcTime nofeedback_at;
  bool sent_since_timer_set, got_feedback;
  CcTime NotLimited1, NotLimited2, t_new, t_next; /* 8.2.1 */
  CcDuration feedback_interval; /* mean spacing of reports: lengthens RTO where RTCP is slower than R */
  TfrcLimit limit;
  uint64_t feedbacks, old_feedbacks, invalid_feedbacks, nofeedback_expiries;
} TfrcSender;

void tfrc_sender_params_init (TfrcSenderParams *params);
void tfrc_sender_init (TfrcSender *t, const TfrcSenderParams *params, CcTime now);

/* A packet left. not_limited: nothing more was allowed to leave at that instant (8.2.1). */
void tfrc_sender_on_sent (TfrcSender *t, uint32_t size_bytes, bool not_limited, CcTime now);
TfrcFeedbackResult tfrc_sender_on_feedback (TfrcSender *t, const TfrcFeedback *feedback);

CcTime tfrc_sender_next_timeout (const TfrcSender *t); /* no-feedback timer; pure */
void tfrc_sender_on_timeout (TfrcSender *t, CcTime now);

double tfrc_sender_rate (const TfrcSender *t);      /* X, bytes/s of RTP packets */
double tfrc_sender_pace_rate (const TfrcSender *t); /* X_inst */
#ifdef __cplusplus
}
#endif
#endif
