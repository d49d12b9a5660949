/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tcprate.h"
#include "cctest.h"
#include <math.h>

static TcpPath path;

static double
rate_of (double packet_bytes, double R, double p, double excused)
{
  path = (TcpPath){.packet_bytes = packet_bytes, .R = R, .p = p, .loss = p, .excused = excused, .X_recv = HUGE_VAL};
  return tcp_rate (&path);
}

/* A TCP's packets are larger than these. */
START_TEST (test_at_least_rfc_5348)
{
  for (double p = 0.001; p < 0.5; p *= 2) {
    double breaker = 0.8 * 10 * 500 / (0.1 * sqrt (2 * p / 3));

    ck_assert_double_ge (rate_of (500, 0.1, p, 0), fmin (tfrc_throughput (500, 0.1, p, TFRC_RTO_4R), breaker));
    ck_assert_double_le (rate_of (500, 0.1, p, 0), breaker);
  }
  ck_assert_double_gt (rate_of (500, 0.1, 0.01, 0), tfrc_throughput (500, 0.1, 0.01, TFRC_RTO_4R));
}
END_TEST

START_TEST (test_cubic_behind_a_full_queue)
{
  double p = 0.001, virtual_p = p * 1460 / 1000;

  ck_assert_double_eq_tol (rate_of (1000, 0.5, p, 0), cubic_throughput (1460, 0.5, virtual_p), 1);
}
END_TEST

/* What is excused does not count, up to twice what arrives, and below the circuit breaker. */
START_TEST (test_excused)
{
  ck_assert_double_eq_tol (rate_of (1000, 0.1, 0.1, 0.05) / rate_of (1000, 0.1, 0.05, 0), 1, 0.5);
  ck_assert_double_gt (rate_of (1000, 0.1, 0.1, 0.05), rate_of (1000, 0.1, 0.1, 0));
  rate_of (1000, 0.1, 0.05, 0.05);
  path.X_recv = 30e3;
  ck_assert_double_eq (tcp_rate (&path), 60e3);
  ck_assert_double_eq_tol (rate_of (1000, 0.1, 0.05, 0.05), 0.8 * 10 * 1000 / (0.1 * sqrt (2 * 0.05 / 3)), 1);
}
END_TEST

CC_TEST_MAIN ("tcprate", test_at_least_rfc_5348, test_cubic_behind_a_full_queue, test_excused)
