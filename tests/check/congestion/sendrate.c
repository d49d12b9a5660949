/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sendrate.h"
#include "cctest.h"
#include <math.h>

static const SendRateWords nobody = {
    .start_Bps = 10e3, .tried_Bps = 80e3, .equation_Bps = HUGE_VAL, .bound_Bps = HUGE_VAL, .scale = 1};

static void
expect (const SendRateWords *w, double rate_Bps, CcLimit limit, RateOwner owner)
{
  SendRate r = send_rate_low_delay (w);

  ck_assert_double_eq (r.rate_Bps, rate_Bps);
  ck_assert_int_eq (r.limit, limit);
  ck_assert_int_eq (r.owner, owner);
}

/* Each goes before those that know less of the path. */
START_TEST (test_who_knows_most)
{
  SendRateWords w = nobody;

  expect (&w, 10e3, CC_LIMIT_START, RATE_OWNER_START);
  w.plain_Bps = 20e3;
  w.plain_limit = CC_LIMIT_DELAY;
  expect (&w, 20e3, CC_LIMIT_DELAY, RATE_OWNER_UNKNOWN);
  w.tfrc_Bps = 30e3;
  w.tfrc_limit = CC_LIMIT_RECEIVE_RATE;
  expect (&w, 30e3, CC_LIMIT_RECEIVE_RATE, RATE_OWNER_APPLICATION);
  w.explicit_Bps = 40e3;
  expect (&w, 40e3, CC_LIMIT_EXPLICIT_RATE, RATE_OWNER_ROUTER);
  w.path_Bps = 50e3;
  w.path_owner = RATE_OWNER_OWN;
  expect (&w, 50e3, CC_LIMIT_DELAY, RATE_OWNER_OWN);
}
END_TEST

START_TEST (test_as_far_as_tried)
{
  SendRateWords w = nobody;

  w.path_Bps = w.explicit_Bps = 500e3;
  expect (&w, 80e3, CC_LIMIT_DELAY, RATE_OWNER_APPLICATION);
  w.probed_Bps = 100e3;
  expect (&w, 100e3, CC_LIMIT_DELAY, RATE_OWNER_APPLICATION);
  w.path_Bps = 0;
  expect (&w, 80e3, CC_LIMIT_EXPLICIT_RATE, RATE_OWNER_ROUTER);
}
END_TEST

START_TEST (test_the_least_bound)
{
  SendRateWords w = nobody;

  w.path_Bps = 50e3;
  w.equation_Bps = 45e3;
  expect (&w, 45e3, CC_LIMIT_EQUATION, RATE_OWNER_LOSS);
  w.bound_Bps = 40e3;
  expect (&w, 40e3, CC_LIMIT_EXPLICIT_RATE, RATE_OWNER_ROUTER);
  w.scale = 0.5;
  expect (&w, 20e3, CC_LIMIT_NO_FEEDBACK, RATE_OWNER_SILENCE);
}
END_TEST

START_TEST (test_names)
{
  ck_assert_str_eq (cc_limit_name (CC_LIMIT_START), "start");
  ck_assert_str_eq (cc_limit_name (CC_LIMIT_CIRCUIT_BREAKER), "circuit-breaker");
  ck_assert_str_eq (cc_limit_name ((CcLimit)99), "unknown");
}
END_TEST

CC_TEST_MAIN ("sendrate", test_who_knows_most, test_as_far_as_tried, test_the_least_bound, test_names)
