/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC sender (RFC 5348 4): the allowed rate X, from reports and the no-feedback timer.

   Where reports come slower than once per round trip (RTCP shares a small bandwidth), everything the RFC counts in
   round trips of reports (the no-feedback timer, the age of X_recv_set, the data-limited interval) counts in the mean
   report interval instead, once that exceeds 2R, and a sample of less than R/2 counts once for each round trip since
   the last; at one report per R the RFC holds to the letter.

   A known start rate (initial_Bps) holds before the first round-trip sample in place of one packet per second. The
   first sample then sets X to the larger of W_init/R and that rate: it never pulls a call below the rate at which it
   has run without complaint for a round trip. All floors (slow start, restart after idle) remain W_init/R; without
   feedback the start rate is halved after 2 s, then every 2 s. */
#ifndef TFRCSENDER_H
#define TFRCSENDER_H

#include "cctime.h"
#include "tfrcequation.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TFRC_X_RECV_SET 3 /* 8.2.2 */

typedef struct {
  double mss; /* bytes, > 0, for W_init (4.2) and s before the first packet; default 1460 */
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
  TFRC_FEEDBACK_OLD,    /* echoes an older packet than the last report, or repeats it (same echo, p and X_recv: nothing
                           arrived in between): ignored and counted */
  TFRC_FEEDBACK_INVALID /* ignored and counted: a packet never sent, a round-trip time <= 0 or > 10 s, p outside [0, 1],
                           X_recv negative, no number or above 10 GB/s */
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
  CcDuration R;            /* 0 before the first sample; >= 100 us */
  CcTime sampled_at;       /* the last sample of it */
  double R_sqmean, sqrt_R_sample;
  CcDuration RTO;
  CcTime tld; /* time last doubled */
  double p;
  TfrcXRecv X_recv_set[TFRC_X_RECV_SET]; /* newest first */
  unsigned n_X_recv;
  bool X_recv_infinite;              /* the initial Infinity is still in the set: a flag, never a number */
  CcTime infinite_at;                /* when it was put there */
  double recover_rate, initial_rate; /* W_init/R */
  CcTime nofeedback_at;
  bool sent_since_timer_set, got_feedback;
  CcTime NotLimited1, NotLimited2, t_new, t_next; /* 8.2.1 */
  CcDuration feedback_interval;                   /* mean wait for a report while sending */
  CcTime started_at, last_sent_at;
  CcTime unreported_at; /* when the first packet since the last report left, CC_TIME_NONE: none did */
  double last_X_recv;   /* as the last report had it */
  TfrcLimit limit;
  uint64_t packets, feedbacks, old_feedbacks, invalid_feedbacks, nofeedback_expiries;
} TfrcSender;

void tfrc_sender_params_init (TfrcSenderParams *params);
void tfrc_sender_init (TfrcSender *t, const TfrcSenderParams *params, CcTime now);

/* A packet left. not_limited: nothing more was allowed to leave at that instant (8.2.1). Reports are only believed
   about packets announced here. */
void tfrc_sender_on_sent (TfrcSender *t, uint32_t size_bytes, bool not_limited, CcTime now);
TfrcFeedbackResult tfrc_sender_on_feedback (TfrcSender *t, const TfrcFeedback *feedback);
/* Something else than a TFRC report shows that the receiver hears us: before the first report the rate is what it was
   at the start, and the no-feedback timer begins anew. */
void tfrc_sender_on_sign_of_life (TfrcSender *t, CcTime now);
/* Nothing is under way that a report would come for: a no-feedback timer that is due begins anew, the rate stays. */
void tfrc_sender_on_nothing_owed (TfrcSender *t, CcTime now);

CcTime tfrc_sender_next_timeout (const TfrcSender *t); /* no-feedback timer; pure */
/* Early calls change nothing; a late one counts as one expiry. */
void tfrc_sender_on_timeout (TfrcSender *t, CcTime now);

double tfrc_sender_rate (const TfrcSender *t);      /* X, bytes/s of RTP packets */
double tfrc_sender_pace_rate (const TfrcSender *t); /* X_inst */
double tfrc_sender_X_recv (const TfrcSender *t);    /* the most received lately, bytes/s; HUGE_VAL: not known yet */
#ifdef __cplusplus
}
#endif
#endif
