/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When RTCP may leave: the bandwidth there is for it (RFC 3550 6.2, RFC 3556), and the timing (avpftiming.h) of each
   SSRC of this end, which runs while anybody is there to be told. */
#ifndef RTPTURNS_H
#define RTPTURNS_H

#include "rtplocals.h"

#ifdef __cplusplus
extern "C" {
#endif

/* bytes/s, of a report every 250 ms: more is of no use to an end that only sends, and its timer would tick for nothing.
 */
#define RTP_TURNS_LITTLE_Bps 1000.0

typedef struct {
  double session_bps;                /* 0: what is received, 500 kbit/s at least */
  double rtcp_fraction;              /* of it for RTCP, [0, 1], default 0.05 */
  double senders_bps, receivers_bps; /* b=RS and b=RR of RFC 3556; negative (default): a quarter and the rest */
  CcDuration T_rr_interval;          /* default 1 s */
  double dither_factor;              /* default 0.5 */
  AvpfReconsideration reconsideration;
  bool avpf;               /* false: no early feedback; default true */
  bool group;              /* more than two may take part; default false */
  bool literal_early_slot; /* as in avpftiming.h, to compare with; default false */
} RtpTurnsParams;

typedef struct {
  RtpTurnsParams params; /* rtp_turns_apply () after a change */
  CcRandom random;
  RtpLocals *locals;
  double received_bps;
  bool peer_takes_less;
  uint64_t requests;
  CcTime wake_at; /* the earliest turn that came nearer since the caller last cleared this (CC_TIME_NONE) */
} RtpTurns;

void rtp_turns_params_init (RtpTurnsParams *params);
void rtp_turns_init (RtpTurns *t, const RtpTurnsParams *params, const CcRandom *random, RtpLocals *locals);
void rtp_turns_apply (RtpTurns *t);
double rtp_turns_bandwidth_Bps (const RtpTurns *t);
/* What is received has another rate. */
void rtp_turns_set_received (RtpTurns *t, double received_bps);
/* Others, and those of them that send. Starts the timing with the first participant and stops it with the last. */
void rtp_turns_set_members (RtpTurns *t, unsigned members, unsigned senders, CcTime now);
/* Whether anybody is there to be told. */
bool rtp_turns_run (const RtpTurns *t);
/* One sender and one receiver share by halves (RFC 3550 6.3.1): a peer known to take 8 kbit/s at most leaves the rest.
 */
void rtp_turns_set_peer_takes_less (RtpTurns *t, bool less);
/* What RTCP may take of a session whose peer does; all and the result bytes/s. */
double rtp_turns_beside_little_Bps (double all_Bps);
/* Something may leave with the next regular packet, and leaves the early one to what cannot wait. */
void rtp_turns_keep_back (RtpTurns *t);
/* Feedback is wanted; max_delay: how late it is still of use. False: it would be later. */
bool rtp_turns_request (RtpTurns *t, CcDuration max_delay, CcTime now);
/* A packet of others; bytes with UDP and IP headers; reports: SR and RR in it. */
void rtp_turns_on_received (RtpTurns *t, unsigned bytes, unsigned reports, bool has_bye);
CcTime rtp_turns_next_timeout (const RtpTurns *t); /* pure */
CcDuration rtp_turns_member_timeout (const RtpTurns *t);
CcDuration rtp_turns_sender_timeout (const RtpTurns *t);

#ifdef __cplusplus
}
#endif
#endif
