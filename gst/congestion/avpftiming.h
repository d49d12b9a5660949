/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When RTCP may be sent: RFC 3550 6.3 with unconditional timer reconsideration and RFC 4585 3.5 early feedback. This is
   the subset a small session needs (members counted by the caller, no BYE back-off); the variables are those of the
   RFCs so that the rest grows here.

   One step is stricter than RFC 4585 3.5.2 (6): the slot an early packet uses up ends where reconsideration would have
   put its regular packet, not at T_rr. T_rr alone is a draw 18 % below Td on average, and a receiver with feedback in
   every interval would exceed its bandwidth by 10 % in the long run. */
#ifndef AVPFTIMING_H
#define AVPFTIMING_H

#include "ccrandom.h"
#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double rtcp_bw_Bps;       /* bytes/s of RTCP for the session, UDP and IP headers counted (5 % of session bandwidth) */
  double sender_share;      /* S/(S+R), [0, 1], default 0.25 */
  bool avpf;                /* false: AVP, 5 s minimum and no early feedback; default true */
  bool group;               /* true: more than two may take part, as in multicast, whatever members says; default false.
                               Otherwise a session of one or two is point to point: no minimum, no dithering */
  CcDuration T_rr_interval; /* trr-int, default 0 */
  double initial_size;      /* probable size of the first compound packet with UDP/IP headers, default 128 */
  CcRandom random;
} AvpfTimingParams;

typedef struct {
  AvpfTimingParams params;
  CcTime tp, tn, te; /* last, next regular, planned early (CC_TIME_NONE: none); tp may lie ahead */
  CcTime t_rr_last;  /* last full regular packet; CC_TIME_NONE: none */
  CcDuration T_rr;   /* last interval drawn */
  CcDuration T_rr_current_interval;
  unsigned members, pmembers, senders; /* this participant included */
  bool we_sent, initial, allow_early, feedback_stored;
  bool full_due; /* the regular packet being sent counts for T_rr_interval */
  double avg_rtcp_size;
  uint64_t regular_sent, early_sent;
  uint64_t suppressed; /* regular packets left out because of T_rr_interval */
  uint64_t deferred;   /* put off by reconsideration */
} AvpfTiming;

typedef enum { AVPF_NOTHING, AVPF_SEND_REGULAR, AVPF_SEND_EARLY } AvpfVerdict;

void avpf_timing_params_init (AvpfTimingParams *params);
void avpf_timing_init (AvpfTiming *t, const AvpfTimingParams *params, CcTime now);
/* 0, negative or NaN: no RTCP at all. The interval that is running is stretched or shortened in proportion. */
void avpf_timing_set_bandwidth (AvpfTiming *t, double rtcp_bw_Bps);
/* Membership as the caller knows it, this participant included. Reverse reconsideration (6.3.4) where it shrinks; a
   participant that becomes a sender (6.3.8) gets its report moved forward in the same way. */
void avpf_timing_set_members (AvpfTiming *t, unsigned members, unsigned senders, bool we_sent, CcTime now);
/* A compound or reduced-size packet arrived: size with UDP/IP headers. */
void avpf_timing_on_received (AvpfTiming *t, uint32_t size_bytes);
/* Feedback is wanted at now (RFC 4585 3.5.2). max_delay: how late it is still useful. Returns false where it must be
 * discarded; true: it goes with the packet that is due next, early or regular. */
bool avpf_timing_request_feedback (AvpfTiming *t, CcDuration max_delay, CcTime now);
/* Another member has said it already (RFC 4585 3.5.2 (5)): nothing early, nothing stored. */
void avpf_timing_cancel_feedback (AvpfTiming *t);
CcTime avpf_timing_next_timeout (const AvpfTiming *t); /* pure */
/* Says what to send now. After AVPF_SEND_* build the packet, send it and call avpf_timing_on_sent () with its size.
   Regular packets are full compound packets with any feedback there is; early ones may be minimal or reduced-size. */
AvpfVerdict avpf_timing_on_timeout (AvpfTiming *t, CcTime now);
void avpf_timing_on_sent (AvpfTiming *t, AvpfVerdict verdict, uint32_t size_bytes, CcTime now);
/* Td, deterministic, without randomisation: the mean spacing of reports that the bandwidth allows. */
CcDuration avpf_timing_interval (const AvpfTiming *t);
/* Silence after which a member is gone: 5 Td, with the 5 s minimum in every profile (RFC 8108 7.1.4). */
CcDuration avpf_timing_member_timeout (const AvpfTiming *t);
#ifdef __cplusplus
}
#endif
#endif
