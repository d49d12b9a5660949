/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What may be sent, and who says so: the least of what the path, TCP's equation, routers and silence allow. Pure: a
   sender (ccsender.h) puts together what is known now. Rates are wire bytes/s. */
#ifndef SENDRATE_H
#define SENDRATE_H

#include "rateowner.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  CC_LIMIT_START,
  CC_LIMIT_EQUATION,
  CC_LIMIT_DELAY,
  CC_LIMIT_EXPLICIT_RATE,
  CC_LIMIT_RECEIVE_RATE,
  CC_LIMIT_NO_FEEDBACK,
  CC_LIMIT_MIN,
  CC_LIMIT_MAX,
  CC_LIMIT_APPLICATION,
  CC_LIMIT_CIRCUIT_BREAKER
} CcLimit;
const char *cc_limit_name (CcLimit limit); /* "start", "equation", "delay", "explicit-rate", "receive-rate", ... */

typedef struct {
  double rate_Bps;
  CcLimit limit;
  RateOwner owner;
} SendRate;

/* Of the first four the first that is not 0 is it, else the start. */
typedef struct {
  double path_Bps; /* the receiver's path rate */
  RateOwner path_owner;
  double explicit_Bps; /* told, where nobody tells more of the path */
  double tfrc_Bps;     /* RFC 5348's, and why */
  CcLimit tfrc_limit;
  double plain_Bps; /* by plain receiver reports, and why */
  CcLimit plain_limit;
  double start_Bps;
  double tried_Bps;    /* the first three: as far as has been tried, or may be */
  double probed_Bps;   /* the path rate: as far as a router's first word as well */
  double equation_Bps; /* no more, over loss; HUGE_VAL: none was met */
  double bound_Bps;    /* nor than somebody told; HUGE_VAL: nobody did */
  double scale;        /* of it, for silence; 1: there is none */
} SendRateWords;

SendRate send_rate_of (double rate_Bps, CcLimit limit);
void send_rate_lower (SendRate *r, double rate_Bps, CcLimit limit);
SendRate send_rate_low_delay (const SendRateWords *words);

#ifdef __cplusplus
}
#endif
#endif
