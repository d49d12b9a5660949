/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When RTCP may be sent: RFC 3550 6.3 with timer reconsideration and RFC 4585 3.5 early feedback. This is the subset a
   small session needs (members counted by the caller); the variables are those of the RFCs so that the rest grows here.
 */
#ifndef AVPFTIMING_H
#define AVPFTIMING_H

#include "ccrandom.h"
#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double rtcp_bw_Bps;       /* bytes/s of RTCP for the session, UDP and IP headers counted (5 % of session bandwidth) */
  double sender_share;      /* S/(S+R), default 0.25 */
  bool avpf;                /* false: AVP, 5 s minimum and no early feedback; default true */
  CcDuration T_rr_interval; /* trr-int, default 0 */
  double initial_size;      /* probable size of the first compound packet with UDP/IP headers, default 128 */
  CcRandom random;
} AvpfTimingParams;

typedef struct {
  AvpfTimingParams params;
  CcTime tp, tn, te; /* last, next regular, planned early (CC_TIME_NONE: none) */
  CcTime t_rr_last;
  CcDuration T_rr;
  CcDuration T_rr_current_interval;
  unsigned members, pmembers, senders;
  bool we_sent, initial, allow_early, feedback_stored;
  double avg_rtcp_size;
  uint64_t regular_sent, early_sent, suppressed, deferred;
} AvpfTiming;

typedef enum { AVPF_NOTHING, AVPF_SEND_REGULAR, AVPF_SEND_EARLY } AvpfVerdict;

void avpf_timing_params_init (AvpfTimingParams *params);
void avpf_timing_init (AvpfTiming *t, const AvpfTimingParams *params, CcTime now);
void avpf_timing_set_bandwidth (AvpfTiming *t, double rtcp_bw_Bps);
/* Membership as the caller knows it, this participant included. Reverse reconsideration (6.3.4) where it shrinks. */
void avpf_timing_set_members (AvpfTiming *t, unsigned members, unsigned senders, bool we_sent, CcTime now);
/* A compound or reduced-size packet arrived: size with UDP/IP headers. */
void avpf_timing_on_received (AvpfTiming *t, uint32_t size_bytes);
/* Feedback is wanted at now (RFC 4585 3.5.2). max_delay: how late it is still useful. Returns false where it must be
 * discarded. */
bool avpf_timing_request_feedback (AvpfTiming *t, CcDuration max_delay, CcTime now);
CcTime avpf_timing_next_timeout (const AvpfTiming *t); /* pure */
/* Says what to send now. After AVPF_SEND_* build the packet, send it and call avpf_timing_on_sent () with its size. */
AvpfVerdict avpf_timing_on_timeout (AvpfTiming *t, CcTime now);
void avpf_timing_on_sent (AvpfTiming *t, AvpfVerdict verdict, uint32_t size_bytes, CcTime now);
/* Td, deterministic, without randomisation: the mean spacing of reports that the bandwidth allows. */
CcDuration avpf_timing_interval (const AvpfTiming *t);
#ifdef __cplusplus
}
#endif
#endif
