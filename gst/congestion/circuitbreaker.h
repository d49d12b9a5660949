/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The circuit breakers of a unicast RTP flow (RFC 8083): when a sender has to cease, and when it may try again.

     4.1 RTCP timeout    packets leave and nobody has reported on them for 3 Td, Td = 5 s. Any report on them counts.
     4.2 media timeout   reports come, and for MEDIA_TIMEOUT intervals of them none has shown a packet that arrived
     4.3 congestion      more leaves than 10 X, X = s / (Tr sqrt (2 b p / 3)), with the loss of CB_INTERVAL reports,
                         and than those of the interval before let: what its own tell cannot be obeyed in it
     4.4 usability       over 10 s half of the packets or more are lost: of frames of four packets one in sixteen is
                         whole then, and what is sent again is lost as often
     4.5 ceasing         the circuit is open. It is tried again when what opened it can be expected to be over: after
   a timeout as soon as a report tells of packets that arrived, which were under way, and after silence of 3 Td as soon
   as RTCP comes again; else no sooner than after as long as it took to open it, after congestion and loss at a tenth of
   the rate. Where no RTCP comes (who hears no RTP may send none) each wait is twice the last, up to a minute. A try
   ends after three intervals without a report; one of packets that arrived closes the circuit, after loss three
   intervals of less than a quarter.

   One object a session: progress of any SSRC is progress. Reports that come faster than Tdr count as one for 4.2 and
   4.3, the one that would have come in their place: so many lost of the packets of all of them. Those on nothing new
   count for none. ECN marks count for none of them, XR neither. */
#ifndef CIRCUITBREAKER_H
#define CIRCUITBREAKER_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CIRCUIT_REPORTS 64 /* remembered: CB_INTERVAL is 45 at most, with Td = 5 s and Tdr = 1 s */

typedef enum { CIRCUIT_CEASE, CIRCUIT_WARN, CIRCUIT_OFF } CircuitAction; /* warn: tells, and sends on */

typedef enum {
  CIRCUIT_CLOSED,
  CIRCUIT_OPEN,
  CIRCUIT_TRYING /* open, and something leaves to see whether it has to be */
} CircuitState;

typedef enum {
  CIRCUIT_REASON_NONE,
  CIRCUIT_RTCP_TIMEOUT,
  CIRCUIT_MEDIA_TIMEOUT,
  CIRCUIT_CONGESTION,
  CIRCUIT_USABILITY
} CircuitReason;
const char *circuit_reason_name (CircuitReason reason); /* "none", "rtcp-timeout", "media-timeout", ... */
const char *circuit_state_name (CircuitState state);    /* "closed", "open", "trying" */

typedef struct {
  CircuitAction action;
  CcDuration Td;   /* deterministic RTCP interval of RFC 3550 6.3.1, Tmin included; default 5 s */
  CcDuration Tdr;  /* the receiver's, or its T_rr_interval where that is longer; default 1 s */
  bool needs_rtcp; /* the peer may know no RTCP: timeouts count from its first report on; default false */
} CircuitBreakerParams;

typedef struct {
  double fraction_lost; /* [0, 1], since the last one */
  double packets;       /* it is of: by how much the extended highest sequence number has moved; 0: no progress */
  CcDuration Tr;        /* round-trip time; 0: no sample */
} CircuitReport;

typedef struct {
  double fraction_lost;
  CcDuration duration;
  double s; /* then */
} CircuitLoss;

typedef struct {
  CircuitBreakerParams params;
  CircuitState state;
  CircuitReason reason; /* of the last opening */
  CcDuration Tr, Tf;    /* smoothed; the longest frame interval of late */
  CcTime sampled_at;    /* Tr, last; 0: what it is was assumed */
  CcTime frame_at;      /* CC_TIME_NONE: none yet */
  uint32_t frame;
  double s;                            /* mean RTP packet, bytes, over 4 frames or so */
  CcTime last_sent_at, unreported_at;  /* the first packet since the last report; CC_TIME_NONE: none */
  CcTime no_progress_at;               /* the first report without; CC_TIME_NONE: the last one had some */
  CcDuration media_timeout;            /* of that */
  CcTime reported_at;                  /* the last one counted for 4.3; CC_TIME_NONE: none */
  CircuitLoss losses[CIRCUIT_REPORTS]; /* newest at `newest` */
  unsigned newest, n_losses;
  double told_Bps;             /* 4.3, by the interval before; HUGE_VAL: nothing */
  double lost, packets;        /* of reports that wait to be counted as one */
  CcTime opened_at;            /* CC_TIME_NONE: never */
  CcDuration took, wait;       /* to open it; until it is tried where no RTCP comes */
  CcTime rtcp_at;              /* last; CC_TIME_NONE: none came yet */
  bool heard;                  /* a report ever */
  uint64_t openings, restarts; /* tries that sent again */
} CircuitBreaker;

void circuit_breaker_params_init (CircuitBreakerParams *params);
void circuit_breaker_init (CircuitBreaker *c, const CircuitBreakerParams *params);
void circuit_breaker_set_action (CircuitBreaker *c, CircuitAction action); /* off closes it */

void circuit_breaker_on_sent (CircuitBreaker *c, uint32_t size_bytes, uint32_t frame, CcTime now);
/* RTCP of the receiver. about_us: it reports on our packets, which is what 4.1 waits for. */
void circuit_breaker_on_rtcp (CircuitBreaker *c, bool about_us, CcTime now);
/* A report on our packets that is no SR or RR: a TFRC report, one of every packet. */
void circuit_breaker_on_feedback (CircuitBreaker *c, bool progress, CcTime now);
/* A report block of SR or RR. sent_Bps: RTP bytes/s that were sent lately. */
void circuit_breaker_on_report (CircuitBreaker *c, const CircuitReport *report, double sent_Bps, CcTime now);

CcTime circuit_breaker_next_timeout (const CircuitBreaker *c); /* pure */
void circuit_breaker_on_timeout (CircuitBreaker *c, CcTime now);

bool circuit_breaker_ceases (const CircuitBreaker *c); /* nothing may leave */
/* 4.3: what may be sent, wire bytes/s, before the losses of late would open it; infinity while too few reports have
   come, and where it is off. In packets as large as those that were lost: an encoder that has to make do with little
   makes small ones, and would be given less and less for it. */
double circuit_breaker_limit_Bps (const CircuitBreaker *c);
/* MEDIA_TIMEOUT and CB_INTERVAL in reports (4.2, 4.3), times in s; G: frames coded together. */
unsigned circuit_media_timeout (double Tf, double Tr, double Tdr);
unsigned circuit_cb_interval (double G, double Tf, double Tr, double Tdr, double Td);
/* 10 X, bytes/s; HUGE_VAL for p = 0. */
double circuit_congestion_limit (double s, double Tr, double p);

#ifdef __cplusplus
}
#endif
#endif
