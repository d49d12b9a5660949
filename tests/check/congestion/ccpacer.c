/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccpacer.h"
#include "ccrandom.h"
#include "cctest.h"

#define R (50 * CC_MSECOND)
#define START (1000 * CC_SECOND)

static CcPacer
pacer (double rate_Bps)
{
  CcPacerParams params;
  CcPacer p;

  cc_pacer_params_init (&params);
  cc_pacer_init (&p, &params, START);
  cc_pacer_set_rate (&p, rate_Bps);
  return p;
}

/* 1000 bytes at 100 kB/s: 10 ms a packet; t_delta = min (10 ms, 250 us, 50 ms)/2 = 125 us early. */
START_TEST (test_nominal_spacing)
{
  CcPacer p = pacer (100e3);

  ck_assert_uint_eq (cc_pacer_next (&p, R), START);
  cc_pacer_on_sent (&p, 1000, R, START);
  ck_assert_uint_eq (cc_pacer_next (&p, R), START + 10 * CC_MSECOND - 125 * CC_USECOND);
  ck_assert (!cc_pacer_may_send (&p, R, START + 9 * CC_MSECOND));
  ck_assert (cc_pacer_may_send (&p, R, START + 10 * CC_MSECOND));
  /* R 20 us: 10 us early; 0: unknown */
  ck_assert_uint_eq (cc_pacer_next (&p, 20 * CC_USECOND), START + 10 * CC_MSECOND - 10 * CC_USECOND);
  ck_assert_uint_eq (cc_pacer_next (&p, 0), cc_pacer_next (&p, R));
}
END_TEST

/* RFC 5348 4.6: early packets do not bring the following ones forward. 1e6 packets of 1001 bytes at 777777.7 B/s, sent
   as soon as allowed, the last one nominally at 999999 x 1001/777777.7 s = 1286.9989 s. */
START_TEST (test_mean_rate_does_not_drift)
{
  CcPacer p = pacer (777777.7);
  CcTime now = START;

  for (int i = 0; i < 1000000; i++) {
    now = cc_pacer_next (&p, R);
    cc_pacer_on_sent (&p, 1001, R, now);
  }
  ck_assert_double_eq_tol (cc_seconds (now - START), 999999 * 1001 / 777777.7, 0.000126);
}
END_TEST

/* A host that wakes 0-3 ms late every time, within the credit of 5 ms, still gets the whole rate. */
START_TEST (test_late_wakeups_lose_nothing)
{
  CcPacer p = pacer (1e6);
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 3);
  CcTime now = START;
  double bytes = 0;

  while (now < START + 100 * CC_SECOND) {
    while (cc_pacer_may_send (&p, R, now)) {
      cc_pacer_on_sent (&p, 1200, R, now);
      bytes += 1200;
    }
    now = cc_pacer_next (&p, R) + cc_duration (cc_random_uniform (&random, 0, 0.003));
  }
  /* 100 s at 1 MB/s, one late span and one packet of play */
  ck_assert_double_eq_tol (bytes, 100e6, 3000 + 1200);
}
END_TEST

static unsigned
burst_after (CcDuration idle, CcDuration rtt, double rate_Bps)
{
  CcPacer p = pacer (rate_Bps);
  unsigned n = 0;

  cc_pacer_on_sent (&p, 1000, rtt, START);
  while (cc_pacer_may_send (&p, rtt, START + idle)) {
    cc_pacer_on_sent (&p, 1000, rtt, START + idle);
    n++;
  }
  return n;
}

/* 1000 bytes at 1 MB/s: 1 ms each. Credit 5 ms: slots now - 5 .. now, 6 packets; R 2 ms: 3 packets. */
START_TEST (test_burst_after_idle_is_bounded)
{
  ck_assert_uint_eq (burst_after (60 * CC_SECOND, R, 1e6), 6);
  ck_assert_uint_eq (burst_after (60 * CC_SECOND, 2 * CC_MSECOND, 1e6), 3);
  ck_assert_uint_eq (burst_after (60 * CC_SECOND, 0, 1e6), 6);
  ck_assert_uint_eq (burst_after (3 * CC_MSECOND, R, 1e6), 3);
}
END_TEST

/* RFC 5348 8.3: with a timer of 250 us and R of 100 us the credit is not R, or the timer would set the rate, but 2
   t_gran. 1000 bytes at 10 MB/s: 100 us each, slots now - 500 us .. now. */
START_TEST (test_a_timer_coarser_than_the_round_trip_keeps_the_rate)
{
  ck_assert_uint_eq (burst_after (60 * CC_SECOND, 100 * CC_USECOND, 10e6), 6);
}
END_TEST

/* The pending slot: 1000 bytes, 10 ms at 100 kB/s, 5 ms at 200 kB/s, 20 ms at 50 kB/s. */
START_TEST (test_rate_change_moves_the_pending_slot)
{
  CcPacer p = pacer (100e3);

  cc_pacer_on_sent (&p, 1000, R, START);
  cc_pacer_set_rate (&p, 200e3);
  ck_assert_uint_eq (p.t_i, START + 5 * CC_MSECOND);
  cc_pacer_set_rate (&p, 50e3);
  ck_assert_uint_eq (p.t_i, START + 20 * CC_MSECOND);
  cc_pacer_set_rate (&p, 0);
  cc_pacer_set_rate (&p, -1);
  ck_assert_uint_eq (p.t_i, START + 20 * CC_MSECOND);
}
END_TEST

/* A hundred packets that another policy let pass: the next waits for one slot, 10 ms, and half of t_gran. */
START_TEST (test_packets_sent_unasked_leave_no_debt)
{
  CcPacer p = pacer (100e3);

  for (int i = 0; i < 100; i++)
    cc_pacer_on_sent (&p, 1000, R, START);
  ck_assert_uint_eq (p.t_i, START + 10 * CC_MSECOND + 125 * CC_USECOND);
}
END_TEST

START_TEST (test_tiny_rate_saturates)
{
  CcPacer p = pacer (1e-12);

  cc_pacer_on_sent (&p, 1500, R, START);
  ck_assert (cc_pacer_next (&p, R) > START + ((CcTime)1 << 62));
  ck_assert (cc_pacer_next (&p, R) < CC_TIME_NONE);
}
END_TEST

/* Slots now - 500 us .. now. */
START_TEST (test_even_pacing_saves_no_slots)
{
  CcPacerParams params;
  CcPacer p;
  unsigned n = 0;

  cc_pacer_params_init (&params);
  cc_pacer_init (&p, &params, START);
  cc_pacer_set_rate (&p, 1e6);
  cc_pacer_set_even (&p, true);
  cc_pacer_on_sent (&p, 1000, R, START);
  for (; cc_pacer_may_send (&p, R, START + CC_SECOND); n++)
    cc_pacer_on_sent (&p, 1000, R, START + CC_SECOND);
  ck_assert_uint_eq (n, 1);
}
END_TEST

CC_TEST_MAIN ("ccpacer", test_nominal_spacing, test_mean_rate_does_not_drift, test_late_wakeups_lose_nothing,
    test_burst_after_idle_is_bounded, test_a_timer_coarser_than_the_round_trip_keeps_the_rate,
    test_rate_change_moves_the_pending_slot, test_packets_sent_unasked_leave_no_debt, test_tiny_rate_saturates,
    test_even_pacing_saves_no_slots)
