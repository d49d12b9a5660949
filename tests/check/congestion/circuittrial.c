/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "circuittrial.h"
#include "cctest.h"
#include <math.h>

static CircuitTrial t;
static CircuitBreaker circuit;

static bool
becomes (CircuitState state)
{
  circuit.state = state;
  return circuit_trial_follow (&t, &circuit, 100e3);
}

static void
setup (CircuitReason reason, CircuitAction action)
{
  CircuitBreakerParams params;

  circuit_breaker_params_init (&params);
  params.action = action;
  circuit_breaker_init (&circuit, &params);
  circuit.reason = reason;
  t = (CircuitTrial){0};
}

/* A tenth of what was sent, as long as it is tried. */
START_TEST (test_tries_less)
{
  setup (CIRCUIT_CONGESTION, CIRCUIT_CEASE);
  ck_assert (!becomes (CIRCUIT_CLOSED));
  ck_assert (becomes (CIRCUIT_OPEN));
  ck_assert (!becomes (CIRCUIT_OPEN));
  ck_assert (isinf (circuit_trial_bound (&t, &circuit)));
  ck_assert (becomes (CIRCUIT_TRYING));
  ck_assert_double_eq (circuit_trial_bound (&t, &circuit), 10e3);
  ck_assert (t.key_unit_wanted);
  becomes (CIRCUIT_CLOSED);
  ck_assert (isinf (circuit_trial_bound (&t, &circuit)));
}
END_TEST

START_TEST (test_nobody_answered)
{
  setup (CIRCUIT_RTCP_TIMEOUT, CIRCUIT_WARN);
  becomes (CIRCUIT_OPEN);
  becomes (CIRCUIT_TRYING);
  ck_assert (isinf (circuit_trial_bound (&t, &circuit)));
  ck_assert (!t.key_unit_wanted); /* nothing had ceased */
}
END_TEST

CC_TEST_MAIN ("circuittrial", test_tries_less, test_nobody_answered)
