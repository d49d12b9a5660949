/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When one participant (one SSRC) may send RTCP: RFC 3550 6.2-6.3, RFC 4585 3 and what RFC 8108 changes in them. The
   caller counts members and senders, builds packets and measures them; sizes include UDP and IP headers throughout.

   One step is stricter than RFC 4585 3.5.2 (6) unless `literal_early_slot`: the slot an early packet uses up ends where
   reconsideration would have put its regular packet, not at T_rr. T_rr alone is a draw 18 % below Td on average, and a
   receiver with feedback in every interval would exceed its bandwidth by 10 % in the long run. */
#ifndef AVPFTIMING_H
#define AVPFTIMING_H

#include "ccrandom.h"
#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  AVPF_RECONSIDER_UNCONDITIONAL, /* RFC 3550 6.3.6: T is drawn again each time the timer fires */
  AVPF_RECONSIDER_CONDITIONAL,   /* only where members has changed since T was drawn */
  AVPF_RECONSIDER_NONE           /* RFC 1889: neither forward nor reverse */
} AvpfReconsideration;

typedef struct {
  double rtcp_bw_Bps;       /* bytes/s of RTCP for the session, UDP and IP headers counted (5 % of session bandwidth) */
  double sender_share;      /* S/(S+R), [0, 1], default 0.25; 1: receivers send nothing */
  CcDuration T_min;         /* AVP: minimum interval, default 5 s; half of it before the first packet */
  CcDuration T_min_reduced; /* AVP: minimum for active senders, and for all where !group; 0: T_min holds (default) */
  CcDuration T_rr_interval; /* AVPF: trr-int, default 0 */
  double dither_factor;     /* AVPF: l, T_dither_max = l T_rr, [0, 100], default 0.5 */
  double initial_size;      /* probable size of the first compound packet with UDP/IP headers, default 128 */
  CcRandom random;
  AvpfReconsideration reconsideration; /* may be changed at any time in AvpfTiming.params */
  bool avpf;                           /* false: AVP, 5 s minimum and no early feedback; default true */
  bool group;              /* true: more than two may take part, as in multicast, whatever members says; default false.
                              Otherwise a session of one or two is point to point: no minimum, no dithering */
  bool uncompensated;      /* true: no division by e - 3/2 even with unconditional reconsideration (as the algorithm was
                              first proposed, T = R (alpha) max (T_min, C L)); default false */
  bool literal_early_slot; /* true: RFC 4585 3.5.2 (6) to the letter, tp = tp + T_rr; default false, see above */
} AvpfTimingParams;

typedef enum {
  AVPF_MEMBER,
  AVPF_LEAVING, /* backing off before BYE: `members` counts BYEs, RFC 3550 6.3.7 */
  AVPF_GONE
} AvpfMembership;

typedef struct {
  AvpfTimingParams params;
  CcTime tp, tn, te; /* last, next regular, planned early (CC_TIME_NONE: none); tp may lie ahead */
  CcTime t_rr_last;  /* last full regular packet; CC_TIME_NONE: none */
  CcDuration T_rr;   /* last interval drawn */
  CcDuration T_rr_current_interval;
  unsigned members, pmembers, senders; /* this participant included */
  AvpfMembership membership;
  bool we_sent, initial, allow_early, feedback_stored;
  bool kept_back; /* feedback that only regular packets take along */
  bool has_sent;  /* RTP or RTCP, ever */
  bool full_due;  /* the regular packet being sent counts for T_rr_interval */
  double avg_rtcp_size;
  uint64_t regular_sent, early_sent;
  uint64_t suppressed; /* regular packets left out because of T_rr_interval */
  uint64_t deferred;   /* put off by reconsideration */
  uint64_t stored;     /* requests that wait for the regular packet */
  uint64_t discarded;  /* requests turned down: too late */
  uint64_t cancelled;  /* planned or stored feedback dropped, as another member has said the same */
} AvpfTiming;

typedef enum { AVPF_NOTHING, AVPF_SEND_REGULAR, AVPF_SEND_EARLY, AVPF_SEND_BYE } AvpfVerdict;
typedef enum { AVPF_LEAVE_SILENTLY, AVPF_LEAVE_NOW, AVPF_LEAVE_BACKED_OFF } AvpfLeave;
/* RFC 4585 3.3 */
typedef enum { AVPF_MODE_IMMEDIATE, AVPF_MODE_EARLY, AVPF_MODE_REGULAR } AvpfMode;

void avpf_timing_params_init (AvpfTimingParams *params);
/* RFC 3556 b=RS and b=RR, bytes/s each (SDP says bits/s): sets rtcp_bw_Bps and sender_share. Either may be 0; negative
   or NaN counts as 0. */
void avpf_timing_params_set_shares (AvpfTimingParams *params, double senders_Bps, double receivers_Bps);
/* RFC 3550 6.2: 360 s / (session bandwidth in kb/s) for T_min_reduced, never above 5 s. A timeout never uses it. */
CcDuration avpf_timing_reduced_minimum (double session_Bps);

/* params out of range are replaced by their defaults. Joins: tp = now, one member, nothing sent. */
void avpf_timing_init (AvpfTiming *t, const AvpfTimingParams *params, CcTime now);
/* 0, negative or NaN: no RTCP at all. The interval that is running is stretched or shortened in proportion. */
void avpf_timing_set_bandwidth (AvpfTiming *t, double rtcp_bw_Bps);
/* The same for b=RS and b=RR separately. */
void avpf_timing_set_shares (AvpfTiming *t, double senders_Bps, double receivers_Bps);
/* Membership as the caller knows it, this participant included, after joins, BYEs and timeouts alike. Reverse
   reconsideration (6.3.4) where it falls below pmembers; a participant that becomes a sender (6.3.8) gets its report
   moved forward in the same way. Ignored while leaving. */
void avpf_timing_set_members (AvpfTiming *t, unsigned members, unsigned senders, bool we_sent, CcTime now);
/* A compound or reduced-size packet arrived: size with UDP/IP headers, divided by the number of SSRCs that report in it
   (RFC 8108 5.3.1); 0 is ignored, and all of them while leaving. */
void avpf_timing_on_received (AvpfTiming *t, uint32_t size_bytes);
/* The same for a compound packet with BYE (members are told by set_members as ever). While leaving only these count:
   one member more each, known or not. */
void avpf_timing_on_received_bye (AvpfTiming *t, uint32_t size_bytes);
/* This participant leaves; bye_size: its compound packet with BYE. RFC 3550 6.3.7. SILENTLY: nothing was ever sent (or
   may be), so no BYE. NOW: fewer than 50 members, send the BYE. BACKED_OFF: go on with next_timeout and on_timeout
   until AVPF_SEND_BYE. After the BYE nothing is due until init. */
AvpfLeave avpf_timing_leave (AvpfTiming *t, uint32_t bye_size, CcTime now);
/* Feedback is wanted at now (RFC 4585 3.5.2). max_delay: T_max_fb_delay, how late it is still useful. Returns false
   where it must be discarded; true: it goes with the packet that is due next, early or regular. */
bool avpf_timing_request_feedback (AvpfTiming *t, CcDuration max_delay, CcTime now);
/* It may wait for the next regular packet, and leaves the early one to what cannot. */
void avpf_timing_store_feedback (AvpfTiming *t);
/* Other members have said all of it already (RFC 4585 3.5.2 (5)): nothing early, nothing stored. */
void avpf_timing_cancel_feedback (AvpfTiming *t);
/* Others have said something not understood (5c): what was planned early waits for the regular packet. */
void avpf_timing_postpone_feedback (AvpfTiming *t);
CcTime avpf_timing_next_timeout (const AvpfTiming *t); /* pure */
/* Says what to send now. After AVPF_SEND_* build the packet, send it and call avpf_timing_on_sent () with its size.
   Regular packets are full compound packets with any feedback there is; where full_due is false they may be minimal.
   Early ones may be minimal or reduced-size. */
AvpfVerdict avpf_timing_on_timeout (AvpfTiming *t, CcTime now);
void avpf_timing_on_sent (AvpfTiming *t, AvpfVerdict verdict, uint32_t size_bytes, CcTime now);
/* Td, deterministic, without randomisation: the mean spacing of reports that the bandwidth allows. */
CcDuration avpf_timing_interval (const AvpfTiming *t);
/* Silence after which a member is gone: 5 Td, with the 5 s minimum in every profile (RFC 8108 7.1.4). */
CcDuration avpf_timing_member_timeout (const AvpfTiming *t);
/* Silence on RTP after which a sender, this one included, is a receiver again: two such Td (RFC 3550 6.3.5, 6.3.8). */
CcDuration avpf_timing_sender_timeout (const AvpfTiming *t);
/* T_dither_max, 0 where point to point. */
CcDuration avpf_timing_dither_max (const AvpfTiming *t);

/* RFC 4585 3.3 with N feedback events expected in a span T: immediate where N <= B T/S with B this participant's part
   of the bandwidth and S avg_rtcp_size; early where a single event can still be reported within max_delay; else
   regular. */
AvpfMode avpf_timing_mode (const AvpfTiming *t, double N, CcDuration T, CcDuration max_delay);
/* Receivers up to which each reports each event: receivers' bandwidth x T/(S N), RFC 4585 3.3; not rounded. S: bytes.
   HUGE_VAL where nothing happens. */
double avpf_timing_immediate_receivers (double receivers_Bps, CcDuration T, double S, double N);

/* A member with bandwidth for its kind, sender or receiver. */
bool avpf_timing_may_report (const AvpfTiming *t);
/* For avpfaggregate.h. A report of t is to ride in another one's regular packet: the instant reconsideration would have
   sent it at, not before now or tn. */
CcTime avpf_timing_effective_time (AvpfTiming *t, CcTime now);
/* It did, with div_size bytes of it: as on_sent with AVPF_SEND_REGULAR, but t counts from tp on. */
void avpf_timing_on_aggregated (AvpfTiming *t, uint32_t div_size, CcTime tp, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
