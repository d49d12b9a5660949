/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqmstability.h"
#include "ccrandom.h"
#include "cctest.h"

#include <math.h>
#include <string.h>

#define STEPS 200 /* a delay d */
#define DELAYS 400

/* eq. 6 with d = 1 as a delayed difference equation: x' = -xi x(t - 1) - theta q(t - 1), q' = x. Returns how much the
   amplitude changes per delay, as the ratio of its peaks over two stretches far apart, in logarithms. */
static double
growth_per_delay (double alpha, double beta, double tau2_d)
{
  static double x[STEPS], q[STEPS];
  double xi = alpha / tau2_d, theta = beta / tau2_d, h = 1.0 / STEPS, now_x = 1, now_q = 0, early = 0, late = 0;

  memset (x, 0, sizeof x);
  memset (q, 0, sizeof q);
  for (int i = 0; i < DELAYS * STEPS; i++) {
    double old_x = x[i % STEPS], old_q = q[i % STEPS];

    x[i % STEPS] = now_x;
    q[i % STEPS] = now_q;
    now_q += h * now_x;
    now_x -= h * (xi * old_x + theta * old_q);
    if (i >= 100 * STEPS && i < 200 * STEPS)
      early = fmax (early, fabs (now_x));
    if (i >= 300 * STEPS)
      late = fmax (late, fabs (now_x));
  }
  return log ((late + 1e-300) / (early + 1e-300)) / 200;
}

/* Figures 6-7: beta 0.4, explicit rates (ratio 0.99 as in figure 4). */
START_TEST (published_pairs)
{
  static const struct {
    double alpha, beta;
    PaqmStabilityVerdict verdict;
  } rows[] = {
      {0.75, 0.35, PAQM_STABLE}, /* figures 8-10 */
      {0.1, 0.4, PAQM_UNSTABLE},
      {0.5, 0.4, PAQM_MARGINAL},
      {0.85, 0.4, PAQM_STABLE},
      {1.3, 0.4, PAQM_MARGINAL},
      {1.7, 0.4, PAQM_UNSTABLE},
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ck_assert_msg (paqm_stability (rows[i].alpha, rows[i].beta, 0.99).verdict == rows[i].verdict, "alpha %g: %s",
        rows[i].alpha, paqm_stability (rows[i].alpha, rows[i].beta, 0.99).reason);
}
END_TEST

/* alpha 0.5, beta 0.4, ratio 1, by hand: (14) sqrt ((0.25 + sqrt (0.0625 + 0.64))/2) = 0.7376; (15) tan x = 1.25 x at
   x = 0.7593 */
START_TEST (equations_14_and_15)
{
  PaqmStability s = paqm_stability (0.5, 0.4, 1);

  ck_assert_double_eq_tol (s.omega_z_d, 0.7376, 1e-4);
  ck_assert_double_eq_tol (tan (s.omega_180_d), 1.25 * s.omega_180_d, 1e-9);
  ck_assert_double_eq_tol (s.omega_180_d, 0.7593, 1e-3);
  /* beta >= alpha: the phase never rises above -pi */
  ck_assert_double_eq (paqm_stability (0.4, 0.4, 1).omega_180_d, 0);
}
END_TEST

/* At the crossover the loop's gain is 1, whatever the parameters; margins say the same as the frequencies. */
START_TEST (margins_agree)
{
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 3);

  for (int i = 0; i < 20000; i++) {
    double alpha = cc_random_uniform (&random, 0.01, 3), beta = cc_random_uniform (&random, 0.01, 3);
    double ratio = cc_random_uniform (&random, 0.05, 1), xi = alpha / ratio, theta = beta / ratio;
    PaqmStability s = paqm_stability (alpha, beta, ratio);
    bool stable = s.omega_z_d < s.omega_180_d;

    ck_assert_double_eq_tol (hypot (xi * s.omega_z_d, theta) / pow (s.omega_z_d, 2), 1, 1e-9);
    ck_assert_int_eq (stable, s.gain_margin > 1);
    ck_assert_int_eq (stable, s.phase_margin > 0);
    ck_assert_int_eq (stable, s.delay_margin > 1);
    ck_assert_int_eq (stable, paqm_stability_accepts (alpha, beta, ratio));
  }
}
END_TEST

/* The function against the equation it is about, for pairs whose gain is not within 3 % of the boundary. */
START_TEST (verdict_is_what_the_difference_equation_does)
{
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 5);
  int stable = 0, unstable = 0;

  for (int i = 0; i < 300; i++) {
    double alpha = cc_random_uniform (&random, 0.05, 1.7), beta = cc_random_uniform (&random, 0.02, 0.7);
    double ratio = cc_random_uniform (&random, 0.3, 1);
    PaqmStability s = paqm_stability (alpha, beta, ratio);
    double growth = growth_per_delay (alpha, beta, ratio);

    if (fabs (s.gain_margin - 1) < 0.03)
      continue;
    ck_assert_msg ((growth < 0) == (s.gain_margin > 1), "alpha %g beta %g ratio %g: grows by %g, margin %g", alpha,
        beta, ratio, growth, s.gain_margin);
    stable += growth < 0;
    unstable += growth > 0;
  }
  ck_assert_int_ge (stable, 50);
  ck_assert_int_ge (unstable, 50);
}
END_TEST

/* Figure 4: below its curve stable, above it not; a smaller tau2/d has less room; for small beta alpha may go to
   pi/2 tau2/d, where the loop is an integrator alone. */
START_TEST (boundary_of_figure_4)
{
  for (double alpha = 0.05; alpha < 1.5; alpha += 0.05) {
    double beta = paqm_stability_max_beta (alpha, 0.99);

    ck_assert_double_gt (beta, 0);
    ck_assert_double_lt (beta, alpha);
    ck_assert (paqm_stability_accepts (alpha, beta * 0.999, 0.99));
    ck_assert (!paqm_stability_accepts (alpha, beta * 1.001, 0.99));
    ck_assert_double_lt (growth_per_delay (alpha, beta * 0.9, 0.99), 0);
    ck_assert_double_gt (growth_per_delay (alpha, beta * 1.1, 0.99), 0);
    ck_assert_double_lt (paqm_stability_max_beta (alpha, 0.5), beta);
  }
  ck_assert_double_gt (paqm_stability_max_beta (0.99 * 1.5708 * 0.999, 0.99), 0);
  ck_assert_double_eq (paqm_stability_max_beta (0.99 * 1.5708 * 1.001, 0.99), 0);
}
END_TEST

/* (16) puts theta/xi at omega_z/2, so that (17)'s phase margin is atan 2 - omega_z d: nothing at the limit. 4/2.9 pi/4
   is 1.083 for atan 2 = 1.107, so the limit itself is stable by 2 %. */
START_TEST (closed_forms)
{
  for (double ratio = 0.2; ratio <= 1; ratio += 0.1)
    for (double fraction = 0.4; fraction <= 1; fraction += 0.1) {
      double alpha = paqm_stability_alpha (fraction, ratio), beta = paqm_stability_beta (alpha, ratio);
      PaqmStability s = paqm_stability (alpha, beta, ratio);

      ck_assert_double_eq_tol (beta / alpha / s.omega_z_d, 0.5, 1e-9);
      ck_assert_double_eq_tol (s.phase_margin, atan (2) - s.omega_z_d, 1e-9);
      ck_assert_double_eq_tol (s.omega_z_d, fraction * 4 / 2.9 * atan (1), 1e-9);
      ck_assert (paqm_stability_accepts (alpha, beta, ratio));
    }
  ck_assert (!paqm_stability_accepts (
      paqm_stability_alpha (1.1, 1), paqm_stability_beta (paqm_stability_alpha (1.1, 1), 1), 1));
}
END_TEST

START_TEST (nonsense_is_refused_with_a_reason)
{
  static const double bad[][3] = {{0, 0.3, 1}, {0.7, 0, 1}, {-1, 0.3, 1}, {0.7, 0.3, 0}, {0.7, 0.3, 1.01},
      {NAN, 0.3, 1}, {0.7, NAN, 1}, {0.7, 0.3, NAN}, {HUGE_VAL, 0.3, 1}, {0.7, HUGE_VAL, 1}};

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    PaqmStability s = paqm_stability (bad[i][0], bad[i][1], bad[i][2]);

    ck_assert_int_eq (s.verdict, PAQM_INVALID);
    ck_assert_ptr_nonnull (s.reason);
    ck_assert (!paqm_stability_accepts (bad[i][0], bad[i][1], bad[i][2]));
  }
}
END_TEST

CC_TEST_MAIN ("paqmstability", published_pairs, equations_14_and_15, CC_TEST_LONG (margins_agree),
    CC_TEST_LONG (verdict_is_what_the_difference_equation_does), boundary_of_figure_4, closed_forms,
    nonsense_is_refused_with_a_reason)
