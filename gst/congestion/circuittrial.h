/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sender does about its circuit breaker: after an open circuit less is tried first, where congestion or loss had
   opened it, as that may still be there (RFC 8083 4.5); and what leaves again is to be seen, which takes a key unit. */
#ifndef CIRCUITTRIAL_H
#define CIRCUITTRIAL_H

#include "circuitbreaker.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  CircuitState state; /* as it was last */
  double tried_Bps;
  bool key_unit_wanted;
} CircuitTrial;

/* After whatever the circuit breaker was told. Returns whether it has changed. */
bool circuit_trial_follow (CircuitTrial *t, const CircuitBreaker *circuit, double sent_Bps);
double circuit_trial_bound (const CircuitTrial *t, const CircuitBreaker *circuit); /* HUGE_VAL: none. Pure */

#ifdef __cplusplus
}
#endif
#endif
