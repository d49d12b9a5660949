/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "circuittrial.h"
#include <math.h>

#define TRIED_PART 10.0 /* the cut by which RFC 8083 4.3 lets a sender go on */

bool
circuit_trial_follow (CircuitTrial *t, const CircuitBreaker *circuit, double sent_Bps)
{
  CircuitState before = t->state;

  t->state = circuit->state;
  if (t->state == before)
    return false;
  if (t->state == CIRCUIT_OPEN)
    t->tried_Bps = sent_Bps / TRIED_PART;
  t->key_unit_wanted |= before == CIRCUIT_OPEN && circuit->params.action == CIRCUIT_CEASE;
  return true;
}

double
circuit_trial_bound (const CircuitTrial *t, const CircuitBreaker *circuit)
{
  bool doubtful = circuit->reason == CIRCUIT_CONGESTION || circuit->reason == CIRCUIT_USABILITY;

  return circuit->state == CIRCUIT_TRYING && doubtful ? t->tried_Bps : HUGE_VAL;
}
