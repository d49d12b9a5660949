/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking the sender for a key unit (PLI or FIR): when to ask, when to ask again, when to stop. A request costs the
   sender a large picture, so requests are at least max (min_interval, 2 RTT) apart whatever happens; the first goes at
   once. */
#ifndef KEY_REQUEST_H
#define KEY_REQUEST_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A loss in the packets right in front of a key unit may have hit its parameter sets. */
#define KEY_REQUEST_MARGIN 3

typedef struct {
  CcDuration min_interval; /* default 500 ms */
  bool repeat;             /* ask until a key unit comes; false: the answer cannot be seen, one request each */
} KeyRequestParams;

typedef struct {
  KeyRequestParams params;
  bool wanted, full; /* full: FIR */
  bool asked;        /* at least one request went out for what is wanted now */
  bool silent;       /* nobody is there to answer */
  CcTime last_sent;
  unsigned unanswered; /* since the last key unit */
  CcDuration rtt;
  bool has_key;
  uint32_t key_seq; /* extended number of the newest key unit's first packet */
  uint8_t fir_seq;  /* command number: new for each new request, kept in repeats (RFC 5104 4.3.1.1) */
  uint64_t sent, answered;
} KeyRequest;

void key_request_params_init (KeyRequestParams *params);
void key_request_init (KeyRequest *k, const KeyRequestParams *params);
void key_request_set_rtt (KeyRequest *k, CcDuration rtt);
/* A decoder asks. */
void key_request_want (KeyRequest *k, bool full);
/* A packet is lost: asks unless a key unit that came later has mended it. */
void key_request_on_loss (KeyRequest *k, uint32_t lost_seq);
void key_request_on_key_unit (KeyRequest *k, uint32_t first_seq);
/* While the sender is silent nothing is asked for; what is wanted stays so until it goes on. */
void key_request_set_silent (KeyRequest *k, bool silent);
/* When the next request may go; CC_TIME_NONE: none is wanted. 0: at once. Pure. */
CcTime key_request_next_timeout (const KeyRequest *k);
void key_request_on_sent (KeyRequest *k, CcTime now);
/* Another member has asked: the same, but that nothing of ours went out (RFC 4585 3.5.2 (5)). */
void key_request_on_asked_by_other (KeyRequest *k, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
