/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrcequation.h"
#include "cctest.h"

#include <math.h>

/* f (p) = sqrt (2p/3) + 12 sqrt (3p/8) p (1 + 32 p^2), RFC 5348 3.1 with t_RTO = 4R; X = s/(R f (p)). */
START_TEST (test_packets_per_round_trip)
{
  static const struct {
    double p, f;
  } golden[] = {{1e-5, 0.00258222}, {1e-4, 0.00817231}, {1e-3, 0.02605228}, {1e-2, 0.08902164}, {3e-2, 0.18070481},
      {0.1, 0.56493917}, {0.2, 1.86371729}, {0.5, 23.96003617}, {1.0, 243.31598112}};

  for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
    ck_assert_double_eq_tol (1 / tfrc_throughput (1, 1, golden[i].p, TFRC_RTO_4R) / golden[i].f, 1, 1e-5);
}
END_TEST

/* 1460 B, 100 ms, 1 %: 1460/(0.1 * 0.08902164) = 164.01 kB/s. */
START_TEST (test_bytes_per_second)
{
  ck_assert_double_eq_tol (tfrc_throughput (1460, 0.1, 0.01, TFRC_RTO_4R), 164005, 10);
}
END_TEST

START_TEST (test_no_loss_is_no_limit)
{
  ck_assert (isinf (tfrc_throughput (1460, 0.1, 0, TFRC_RTO_4R)));
  ck_assert (isinf (tfrc_throughput (1460, 0.1, -1, TFRC_RTO_4R)));
}
END_TEST

START_TEST (test_p_above_one_counts_as_one)
{
  ck_assert_double_eq (tfrc_throughput (1460, 0.1, 7, TFRC_RTO_4R), tfrc_throughput (1460, 0.1, 1, TFRC_RTO_4R));
}
END_TEST

/* At R = 10 ms, p = 0.1 the second term is 3 sqrt (0.0375) 0.1 * 1.32 * t_RTO = 0.0766851 t_RTO, the first 0.01 *
   0.2581989; with t_RTO = 1 s that is 0.0792671 s per packet, with 40 ms 0.0056494. Above R = 250 ms both agree. */
START_TEST (test_a_timeout_of_at_least_one_second)
{
  ck_assert_double_eq_tol (1 / tfrc_throughput (1, 0.01, 0.1, TFRC_RTO_AT_LEAST_1S), 0.0792671, 1e-6);
  ck_assert_double_eq_tol (1 / tfrc_throughput (1, 0.01, 0.1, TFRC_RTO_4R), 0.0056494, 1e-6);
  ck_assert_double_eq (
      tfrc_throughput (1, 0.25, 0.1, TFRC_RTO_AT_LEAST_1S), tfrc_throughput (1, 0.25, 0.1, TFRC_RTO_4R));
}
END_TEST

START_TEST (test_falls_with_loss_and_round_trip)
{
  for (double p = 1e-6; p < 0.9; p *= 1.3) {
    ck_assert_double_lt (
        tfrc_throughput (1460, 0.1, p * 1.3, TFRC_RTO_4R), tfrc_throughput (1460, 0.1, p, TFRC_RTO_4R));
    ck_assert_double_lt (tfrc_throughput (1460, 0.11, p, TFRC_RTO_4R), tfrc_throughput (1460, 0.1, p, TFRC_RTO_4R));
  }
}
END_TEST

/* RFC 9438 5.1, table 2: windows in segments at 100 ms, C = 0.4. The rate goes with R^-0.25. */
START_TEST (test_cubic)
{
  ck_assert_double_eq_tol (0.1 * cubic_throughput (1, 0.1, 1e-4), 187, 0.5);
  ck_assert_double_eq_tol (0.1 * cubic_throughput (1, 0.1, 1e-5), 1054, 0.5);
  ck_assert_double_eq_tol (0.1 * cubic_throughput (1, 0.1, 1e-6), 5926, 2);
  ck_assert_double_eq_tol (cubic_throughput (1200, 1.6, 0.01) / cubic_throughput (1200, 0.1, 0.01), 0.5, 1e-9);
  ck_assert (isinf (cubic_throughput (1200, 0.1, 0)));
  ck_assert_double_eq (cubic_throughput (1200, 0.1, 7), cubic_throughput (1200, 0.1, 1));
}
END_TEST

/* p where 1/f (p) is the given number of packets per round trip. */
START_TEST (test_inverse)
{
  static const struct {
    double packets, p;
  } golden[] = {{0.5, 0.20642890}, {1, 0.14586997}, {2, 0.09077908}, {4, 0.04545464}, {10, 0.01217272},
      {20, 0.00352296}, {50, 0.00059364}, {100, 0.00014960}};

  for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
    ck_assert_double_eq_tol (tfrc_loss_event_rate (1, 1, golden[i].packets, TFRC_RTO_4R) / golden[i].p, 1, 1e-4);
  ck_assert_double_eq_tol (1 / tfrc_loss_event_rate (1, 1, 1000, TFRC_RTO_4R), 666685, 10);
}
END_TEST

START_TEST (test_inverse_undoes_the_equation_in_both_variants)
{
  for (double p = 1e-9; p < 1; p *= 1.7) {
    for (TfrcRto rto = TFRC_RTO_4R; rto <= TFRC_RTO_AT_LEAST_1S; rto++) {
      double X = tfrc_throughput (1200, 0.02, p, rto);
      ck_assert_double_eq_tol (tfrc_loss_event_rate (1200, 0.02, X, rto) / p, 1, 1e-9);
    }
  }
}
END_TEST

/* RFC 5348 6.3.1: 10 packets per round trip: 82.151; half a packet at least: 1/0.20642890. */
START_TEST (test_first_interval_of_a_rate)
{
  ck_assert_double_eq_tol (tfrc_first_interval (1000, 0.1, 100e3, TFRC_RTO_4R), 82.151, 0.01);
  ck_assert_double_eq_tol (tfrc_first_interval (1000, 0.1, 0, TFRC_RTO_4R), 1 / 0.20642890, 1e-4);
  ck_assert_double_eq_tol (tfrc_first_interval (1000, 0.1, 4e3, TFRC_RTO_4R), 1 / 0.20642890, 1e-4);
}
END_TEST

/* 1200 B at R = 1 ms: X (p = 1) = 1200/(0.001 * 243.316) = 4932 B/s; audio of 3000 B/s is below all the equation
   gives. A search for "within 5 %" would never end. */
START_TEST (test_inverse_ends_below_and_above_the_equation_s_range)
{
  ck_assert_double_eq (tfrc_loss_event_rate (1200, 0.001, 3000, TFRC_RTO_4R), 1);
  ck_assert_double_eq (tfrc_loss_event_rate (1200, 0.001, 0, TFRC_RTO_4R), 1);
  ck_assert_double_eq (tfrc_loss_event_rate (1200, 0.001, -5, TFRC_RTO_4R), 1);
  ck_assert_double_eq (tfrc_loss_event_rate (1200, 0.001, NAN, TFRC_RTO_4R), 1);
  ck_assert_double_eq_tol (tfrc_loss_event_rate (1200, 0.001, HUGE_VAL, TFRC_RTO_4R), 1e-12, 1e-15);
}
END_TEST

CC_TEST_MAIN ("tfrcequation", test_packets_per_round_trip, test_bytes_per_second, test_no_loss_is_no_limit,
    test_p_above_one_counts_as_one, test_cubic, test_a_timeout_of_at_least_one_second,
    test_falls_with_loss_and_round_trip, test_inverse, test_inverse_undoes_the_equation_in_both_variants,
    test_first_interval_of_a_rate, test_inverse_ends_below_and_above_the_equation_s_range)
