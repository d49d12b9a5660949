/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who limits the rate of mode=low-delay, and why: one name at a time, of the rule that set the rate last. CcLimit
   (ccsender.h) says which controller that was; of the path rate, which has several reasons, this says which. */
#ifndef RATEOWNER_H
#define RATEOWNER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are on the wire (docs/wire-formats.md): they stay. */
typedef enum {
  RATE_OWNER_UNKNOWN = 0,     /* a receiver that does not say */
  RATE_OWNER_START = 1,       /* nothing has been learned yet */
  RATE_OWNER_UNMET = 2,       /* no limit in sight: the rate grows */
  RATE_OWNER_OWN = 3,         /* the capacity, or a queue of our own */
  RATE_OWNER_OWN_KIND = 4,    /* a share of it: R is a smaller part of what the path carries */
  RATE_OWNER_OTHERS = 5,      /* a queue that stays although we backed off */
  RATE_OWNER_MARKED = 6,      /* of older receivers: the path marks, and little of its queue is ours */
  RATE_OWNER_ROUTER = 7,      /* a rate that a router, or anybody else, has told */
  RATE_OWNER_LOSS = 8,        /* loss: TCP's equation, a test of its cause, a limit found by one */
  RATE_OWNER_APPLICATION = 9, /* too little is sent to go further */
  RATE_OWNER_SILENCE = 10,    /* feedback is missing */
  RATE_OWNER_MIN = 11,
  RATE_OWNER_MAX = 12,
  RATE_OWNER_CIRCUIT_BREAKER = 13,
  RATE_OWNER_L4S = 14, /* the fraction of marks of a path that marks at once (RFC 9331) */
  RATE_OWNERS
} RateOwner;

const char *rate_owner_name (RateOwner owner); /* "unknown", "start", "unmet", "own", "own-kind", "others", ... */
/* RATE_OWNER_UNKNOWN for what is no owner. */
RateOwner rate_owner_from_wire (uint32_t number);

#ifdef __cplusplus
}
#endif
#endif
