/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "burstcontrol.h"
#include "cctest.h"

#define START (1000 * CC_SECOND)
#define PERIOD (40 * CC_MSECOND)

static BurstControl
burst (double duty, double randomisation, unsigned batch, CcRandom random)
{
  BurstControlParams params = {.duty = duty, .randomisation = randomisation, .batch = batch};
  BurstControl b;

  burst_control_init (&b, &params, random);
  return b;
}

static CcTime
send_all (BurstControl *b, unsigned n)
{
  CcTime at = 0;

  for (unsigned i = 0; i < n; i++) {
    at = burst_control_next (b);
    burst_control_on_sent (b, at);
  }
  return at;
}

/* Eq. 2: Delta t = 40 ms / 10 x 0.95 = 3.8 ms. */
START_TEST (test_frame_is_spread_over_its_period)
{
  BurstControl b = burst (0.95, 0, 1, (CcRandom){0});

  burst_control_on_frame (&b, 10, PERIOD, START);
  for (unsigned i = 0; i < 10; i++) {
    ck_assert_uint_eq (burst_control_next (&b), START + i * 3800 * CC_USECOND);
    burst_control_on_sent (&b, burst_control_next (&b));
  }
}
END_TEST

/* b = 4: ceil (10/4) = 3 slots of 40/3 ms: packets 0-3, 4-7, 8-9. */
START_TEST (test_batches)
{
  BurstControl b = burst (1, 0, 4, (CcRandom){0});

  burst_control_on_frame (&b, 10, PERIOD, START);
  for (unsigned i = 0; i < 10; i++) {
    ck_assert_double_eq_tol (cc_seconds (burst_control_next (&b) - START), i / 4 * 0.040 / 3, 1e-8);
    burst_control_on_sent (&b, burst_control_next (&b));
  }
  ck_assert_uint_eq (b.in_slot, 0);
}
END_TEST

/* Eq. 3: gaps within 1 % of 3.8 ms, and not all alike; their mean within 3 x 0.01/sqrt (3 x 9000) = 0.02 %. */
START_TEST (test_gaps_are_randomised)
{
  CcPcg32 pcg;
  BurstControl b = burst (0.95, 0.01, 1, cc_pcg32_init (&pcg, 5));
  double low = 1, high = 0, sum = 0;

  for (unsigned frame = 0; frame < 1000; frame++) {
    burst_control_on_frame (&b, 10, PERIOD, START + frame * PERIOD);
    for (unsigned i = 0; i < 9; i++) {
      CcTime at = burst_control_next (&b);
      double gap;
      burst_control_on_sent (&b, at);
      gap = cc_seconds (burst_control_next (&b) - at);
      low = gap < low ? gap : low;
      high = gap > high ? gap : high;
      sum += gap;
    }
    burst_control_on_sent (&b, burst_control_next (&b));
  }
  ck_assert (low >= 0.0038 * 0.99 - 1e-8 && low < 0.0038 * 0.991);
  ck_assert (high <= 0.0038 * 1.01 + 1e-8 && high > 0.0038 * 1.009);
  ck_assert_double_eq_tol (sum / 9000, 0.0038, 0.0038 * 0.0002);
}
END_TEST

/* What is set while a frame leaves holds from the next one on; what cannot be is no duty and one packet a slot. */
START_TEST (test_params_are_live)
{
  BurstControl b = burst (1, 0, 1, (CcRandom){0});
  BurstControlParams half = {.duty = 0.5, .batch = 5}, absurd = {.duty = -1, .randomisation = 7};

  burst_control_on_frame (&b, 10, PERIOD, START);
  send_all (&b, 2);
  burst_control_set_params (&b, &half);
  ck_assert_uint_eq (b.gap, PERIOD / 10);
  send_all (&b, 8);
  burst_control_on_frame (&b, 10, PERIOD, START + PERIOD);
  ck_assert_uint_eq (b.gap, PERIOD / 4);
  burst_control_set_params (&b, &absurd);
  ck_assert_double_eq (b.params.duty, 1);
  ck_assert_double_eq (b.params.randomisation, 0);
  ck_assert_uint_eq (b.params.batch, 1);
}
END_TEST

/* The bit rate is untouched: whatever the sizes of frames, each has left before the next is there. */
START_TEST (test_no_backlog_builds_up)
{
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 6);
  BurstControl b = burst (0.95, 0.01, 1, random);

  for (unsigned frame = 0; frame < 10000; frame++) {
    unsigned n = (unsigned)cc_random_uniform (&random, 1, 200);
    burst_control_on_frame (&b, n, PERIOD, START + frame * PERIOD);
    ck_assert (send_all (&b, n) < START + (frame + 1) * PERIOD);
  }
}
END_TEST

/* 6 of 10 packets still wait when 4 more come: 10 share the new period, 4 ms each. */
START_TEST (test_what_is_left_shares_the_next_period)
{
  BurstControl b = burst (1, 0, 1, (CcRandom){0});

  burst_control_on_frame (&b, 10, PERIOD, START);
  send_all (&b, 4);
  burst_control_on_frame (&b, 6 + 4, PERIOD, START + PERIOD);
  ck_assert_uint_eq (b.waiting, 10);
  ck_assert_uint_eq (send_all (&b, 10), START + PERIOD + 36 * CC_MSECOND);
}
END_TEST

/* The spacing of calls, 25 ms, stands in for the period: 10 packets, 2.5 ms each. */
START_TEST (test_period_is_learned)
{
  BurstControl b = burst (1, 0, 1, (CcRandom){0});

  for (unsigned frame = 0; frame < 3; frame++) {
    burst_control_on_frame (&b, 10, 0, START + frame * 25 * CC_MSECOND);
    if (frame < 2)
      send_all (&b, 10);
  }
  ck_assert_uint_eq (b.gap, 2500 * CC_USECOND);
}
END_TEST

/* A pause of 27 s is no period: 10 packets in 0.95 of the 40 ms assumed, as before. */
START_TEST (test_a_pause_is_not_learned)
{
  BurstControl b = burst (0.95, 0, 1, (CcRandom){0});

  burst_control_on_frame (&b, 10, 0, START);
  send_all (&b, 10);
  burst_control_on_frame (&b, 10, 0, START + 27 * CC_SECOND);
  ck_assert_uint_eq (b.gap, 3800 * CC_USECOND);
}
END_TEST

/* A host asleep for 20 ms finds one slot open, not five. */
START_TEST (test_stall_releases_no_burst)
{
  BurstControl b = burst (1, 0, 1, (CcRandom){0});
  CcTime now = START + 20 * CC_MSECOND;
  unsigned n = 0;

  burst_control_on_frame (&b, 10, PERIOD, START);
  while (burst_control_next (&b) <= now) {
    burst_control_on_sent (&b, now);
    n++;
  }
  /* the one due and the one due within a gap */
  ck_assert_uint_eq (n, 2);
}
END_TEST

START_TEST (test_odd_parameters)
{
  BurstControl b = burst (-3, 7, 0, (CcRandom){0});

  burst_control_on_frame (&b, 0, PERIOD, START);
  burst_control_on_sent (&b, START);
  burst_control_on_frame (&b, 2, PERIOD, START);
  ck_assert_uint_eq (b.gap, 20 * CC_MSECOND);
}
END_TEST

CC_TEST_MAIN ("burstcontrol", test_frame_is_spread_over_its_period, test_batches, test_params_are_live,
    test_gaps_are_randomised, test_no_backlog_builds_up, test_what_is_left_shares_the_next_period,
    test_period_is_learned, test_a_pause_is_not_learned, test_stall_releases_no_burst, test_odd_parameters)
