/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqminner.h"
#include "cctest.h"

#include <math.h>

static PaqmInner
make (double gamma, double K, double target)
{
  PaqmInnerParams params;
  PaqmInner inner;

  paqm_inner_params_init (&params);
  params.gamma = gamma;
  params.K = K;
  params.target_bytes = target;
  paqm_inner_init (&inner, &params);
  return inner;
}

static void
arrive (PaqmInner *inner, double bytes)
{
  CcRandom never = {NULL, NULL};

  paqm_inner_on_arrival (inner, (uint32_t)bytes, &never);
}

/* gamma 0.25: 1000, 2000 bytes: 250, then 0.25 x 2000 + 0.75 x 250 = 687.5 per 10 ms = 68750 bytes/s */
START_TEST (rate_is_a_moving_average)
{
  PaqmInner inner = make (0.25, 0.3, 35000);

  arrive (&inner, 1000);
  paqm_inner_on_period (&inner, 1e6, 0, 1);
  ck_assert_double_eq (inner.r_hat, 250);
  arrive (&inner, 2000);
  paqm_inner_on_period (&inner, 1e6, 0, 1);
  ck_assert_double_eq_tol (paqm_inner_rate (&inner), 68750, 1e-6);
}
END_TEST

/* Three periods in one call, with the bytes spread evenly, are three calls. */
START_TEST (late_periods_count_each)
{
  PaqmInner late = make (0.25, 0.3, 35000), often = late;

  arrive (&late, 3000);
  paqm_inner_on_period (&late, 1e6, 0, 3);
  for (int i = 0; i < 3; i++) {
    arrive (&often, 1000);
    paqm_inner_on_period (&often, 1e6, 0, 1);
  }
  ck_assert_double_eq_tol (late.r_hat, often.r_hat, 1e-9);
  ck_assert_uint_eq (late.periods, 3);
}
END_TEST

/* paper D eq. 1 with r = 20000 and c = 10000 per dT, K = 0.3, N* = 35000 (gamma 1: r is what arrived). */
START_TEST (survival_follows_the_equation)
{
  static const struct {
    double N, u;
  } rows[] = {
      {35000, 0.5},  /* c/r + 0 */
      {25000, 0.65}, /* + 0.3 x 10000/20000 */
      {45000, 0.35}, /* - 0.15 */
      {0, 1.025},    /* + 0.525: nothing to drop yet */
      {75000, -0.1}, /* - 0.6: all */
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    PaqmInner inner = make (1, 0.3, 35000);

    arrive (&inner, 20000);
    paqm_inner_on_period (&inner, 1e6, rows[i].N, 1);
    ck_assert_double_eq_tol (inner.u, rows[i].u, 1e-12);
    ck_assert_double_eq_tol (inner.u_star, fmax (0, fmin (1, rows[i].u)), 1e-12);
  }
}
END_TEST

/* The same arrivals about another target, and none below it. */
START_TEST (survival_about_another_target)
{
  PaqmInner inner = make (1, 0.3, 35000);

  arrive (&inner, 20000);
  paqm_inner_on_period (&inner, 1e6, 5000, 1);
  ck_assert_double_eq_tol (inner.u_star, 0.95, 1e-12);
  ck_assert_double_eq (paqm_inner_survival_about (&inner, 1e6, 3000, 3500), 1);
  /* (10000 + 3 (3500 - 5000))/20000 */
  ck_assert_double_eq_tol (paqm_inner_survival_about (&inner, 1e6, 5000, 3500), 0.275, 1e-12);
  ck_assert_double_eq (paqm_inner_survival_about (&inner, 1e6, 50000, 3500), 0);
  ck_assert_double_eq (paqm_inner_survival_about (&inner, 3e6, 50000, 3500), 1); /* it drains */
}
END_TEST

/* Below c the backlog does not matter: u = c/r > 1. */
START_TEST (nothing_is_lost_below_capacity)
{
  PaqmInner inner = make (1, 0.3, 35000);

  arrive (&inner, 8000);
  paqm_inner_on_period (&inner, 1e6, 90000, 1);
  ck_assert_double_eq (inner.u, 1.25);
  ck_assert_double_eq (inner.u_star, 1);
  paqm_inner_on_period (&inner, 0, 90000, 1);
  ck_assert_double_eq (inner.u, 1); /* nothing arrived */
}
END_TEST

/* Load rho, 1200 byte packets as a Poisson process, 10 Mbyte/s link: a fluid queue under the loop in virtual time.
   Stationary where c = r u*: N = N* and a loss of 1 - 1/rho. */
static void
settle (double rho, double *loss, double *backlog)
{
  PaqmInner inner = make (0.25, 0.3, 50000);
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 7);
  double c = 1e7, N = 0, sum = 0, t = 0, next = 0.01, dropped = 0, all = 0;
  int samples = 0;

  while (t < 60) {
    double wait = -log (1 - cc_random_uniform (&random, 0, 1)) * 1200 / (rho * c);

    t += wait;
    N = fmax (0, N - wait * c);
    for (; next <= t; next += 0.01) {
      paqm_inner_on_period (&inner, c, N, 1);
      sum += t > 5 ? N : 0;
      samples += t > 5;
    }
    all++;
    if (paqm_inner_on_arrival (&inner, 1200, &random))
      N += 1200;
    else
      dropped++;
  }
  *loss = dropped / all;
  *backlog = sum / samples;
}

START_TEST (backlog_settles_at_the_target)
{
  double loss, backlog;

  settle (1.25, &loss, &backlog);
  ck_assert_double_eq_tol (loss, 0.2, 0.01);
  ck_assert_double_eq_tol (backlog, 50000, 7500);
  settle (2, &loss, &backlog);
  ck_assert_double_eq_tol (loss, 0.5, 0.01);
  ck_assert_double_eq_tol (backlog, 50000, 7500);
  settle (0.8, &loss, &backlog);
  ck_assert_double_lt (loss, 1e-3);
  /* M/D/1: rho^2/(2 (1 - rho)) = 1.6 packets wait */
  ck_assert_double_lt (backlog, 5 * 1200);
}
END_TEST

START_TEST (bad_parameters_become_defaults)
{
  PaqmInnerParams bad = {.dT = 1, .gamma = NAN, .K = -1, .target_bytes = HUGE_VAL};
  PaqmInner inner;

  paqm_inner_init (&inner, &bad);
  ck_assert_uint_eq (inner.params.dT, 10 * CC_MSECOND);
  ck_assert_double_eq (inner.params.gamma, 0.25);
  ck_assert_double_eq (inner.params.K, 0.3);
  ck_assert_double_eq (inner.params.target_bytes, 35000);
  arrive (&inner, 1000);
  paqm_inner_on_period (&inner, NAN, NAN, 1);
  ck_assert (inner.u_star >= 0 && inner.u_star <= 1);
  paqm_inner_on_period (&inner, 1e6, 0, 0);
  ck_assert_uint_eq (inner.periods, 1);
}
END_TEST

/* c = 10000 bytes a period, r = 20000, B = 70000. Below B nothing is lost; above, (10000 - 0.3 x 10000)/20000. The
   paper's law at 20000: (10000 + 0.3 x 15000)/20000. */
START_TEST (bursts_wait_where_they_may)
{
  PaqmInnerParams params;
  PaqmInner inner;

  paqm_inner_params_init (&params);
  params.gamma = 1;
  paqm_inner_init (&inner, &params);
  paqm_inner_set_burst (&inner, 70e3);
  arrive (&inner, 20000);
  paqm_inner_on_period (&inner, 1e6, 69e3, 1);
  ck_assert_double_eq (inner.u_star, 1);
  arrive (&inner, 20000);
  paqm_inner_on_period (&inner, 1e6, 80e3, 1);
  ck_assert_double_eq_tol (inner.u_star, 0.35, 1e-9);
  paqm_inner_set_burst (&inner, NAN);
  arrive (&inner, 20000);
  paqm_inner_on_period (&inner, 1e6, 20e3, 1);
  ck_assert_double_eq_tol (inner.u_star, 0.725, 1e-9);
}
END_TEST

CC_TEST_MAIN ("paqminner", rate_is_a_moving_average, late_periods_count_each, survival_follows_the_equation,
    nothing_is_lost_below_capacity, backlog_settles_at_the_target, bad_parameters_become_defaults,
    bursts_wait_where_they_may, survival_about_another_target)
