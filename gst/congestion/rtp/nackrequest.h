/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which packets of one source to ask for again (generic NACK, RFC 4585 6.2.1; answered by retransmission, RFC 4588),
   and when. A gap is first asked for when reorder_packets later packets have come, or reorder_time after it was seen;
   again no sooner than an answer can be here; never when the answer would come too late. What is still missing at its
   deadline is given up: a key unit is the better request then. */
#ifndef NACKREQUEST_H
#define NACKREQUEST_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NACK_REQUEST_MAX_MISSING 512
#define NACK_REQUEST_MIN_INTERVAL (20 * CC_MSECOND)

typedef struct {
  unsigned reorder_packets; /* default 3, at most 254 */
  CcDuration reorder_time;  /* default 20 ms */
  CcDuration grace;         /* and then so much is left to redundancy to mend it, default 0 */
  CcDuration min_interval;  /* least spacing of requests for one packet, default 20 ms */
  CcDuration answer_delay;  /* what the sender takes to answer (pacing), on top of the RTT; default 10 ms */
  CcDuration rtt;           /* until one is known, default 100 ms */
  CcDuration latency;       /* a packet is useless this long after it was missed, default 500 ms */
  unsigned max_tries;       /* requests for one packet, default 5 */
  unsigned copies;          /* of them in a row, copy_spacing apart, before an answer is waited for; default 1 */
  CcDuration copy_spacing;
  unsigned max_others; /* requests of others in a row that stand for ours, default 3: a spoofer of NACKs cannot
                          keep us silent for longer */
  bool watch_gaps;     /* default true; false: only what nack_request_want () names */
} NackRequestParams;

typedef struct {
  uint32_t seq;
  uint8_t later;  /* later packets seen, up to reorder_packets; 255: an application wants it */
  uint8_t others; /* requests of others since ours */
  uint16_t tries; /* ours */
  bool too_late;  /* to ask: it may still come by itself */
  CcTime at;      /* missed, or last asked for by anyone */
  CcTime deadline;
} NackMissing;

typedef struct {
  NackRequestParams params;
  CcDuration rtt, rtcp_delay;
  bool started;
  uint32_t highest; /* extended sequence number */
  CcTime next;      /* what next_timeout () says */
  unsigned n_missing;
  NackMissing missing[NACK_REQUEST_MAX_MISSING]; /* rising */
  uint64_t requested;                            /* numbers asked for, repeats included */
  uint64_t recovered;                            /* came after having been asked for */
  uint64_t reordered;                            /* came by themselves */
  uint64_t suppressed;                           /* requests of others that stood for ours */
  uint64_t given_up;                             /* too late or too many; where it grows a key unit is needed */
  uint64_t unanswered;                           /* requests for what was given up then */
  uint64_t hopeless;                             /* gaps larger than can be mended */
} NackRequest;

void nack_request_params_init (NackRequestParams *params);
void nack_request_init (NackRequest *n, const NackRequestParams *params);
void nack_request_set_rtt (NackRequest *n, CcDuration rtt);
/* How long a request waits for its turn in RTCP, expected; default 0. Requests whose answer would be late are not made.
 */
void nack_request_set_rtcp_delay (NackRequest *n, CcDuration delay);
/* The source begins anew (RFC 3550 A.1): its next packet is its first. */
void nack_request_restart (NackRequest *n);
/* A packet is here: in order, late, or restored by retransmission under its original number (RFC 4588 OSN). seq:
   extended sequence number. false: a gap beyond what asking can mend (hopeless). */
bool nack_request_on_packet (NackRequest *n, uint32_t seq, CcTime now);
/* The application asks for one packet at once, the nearest with these low 16 bits. deadline: when it gets useless,
   CC_TIME_NONE: now + latency. false where no packet has been seen yet. */
bool nack_request_want (NackRequest *n, uint16_t seq, CcTime deadline, CcTime now);
/* What is missing with these low 16 bits; NULL: nothing. */
const NackMissing *nack_request_missing (const NackRequest *n, uint16_t seq);
/* Another member has asked for it: the same as if we had (RFC 4585 3.5.2 (5)). */
void nack_request_on_asked_by_other (NackRequest *n, uint16_t seq, CcTime now);
/* When something is to be asked for or given up; CC_TIME_NONE: nothing. In the past where something is due already: its
   turn in RTCP decides from there on. Pure. */
CcTime nack_request_next_timeout (const NackRequest *n);
/* Gives up what is past its deadline, then lists what is to be asked for at now, rising, in the form
   rtcp_nack_write () takes. It stays due until nack_request_on_sent () tells which of it went out. */
unsigned nack_request_take_due (NackRequest *n, uint16_t *seqs, unsigned capacity, CcTime now);
/* There is no turn in RTCP soon enough: what is due at now is not asked for. */
void nack_request_refuse (NackRequest *n, CcTime now);
void nack_request_on_sent (NackRequest *n, const uint16_t *seqs, unsigned count, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
