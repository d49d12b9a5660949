/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqmstability.h"

#include <math.h>

#define BISECTIONS 60 /* to the last bit of a double */

static const double half_pi = 1.57079632679489661923;

/* eq. 14 with d = 1: xi = alpha/tau2, theta = beta/tau2 */
static double
crossover (double xi, double theta)
{
  return sqrt ((xi * xi + sqrt (pow (xi, 4) + 4 * theta * theta)) / 2);
}

/* eq. 15 with d = 1: x alpha/beta = tan (x) has one root between 0 and pi/2 where alpha > beta, else none. */
static double
phase_crossing (double ratio)
{
  double low = 0, high = half_pi;

  if (!(ratio > 1))
    return 0;
  for (int i = 0; i < BISECTIONS; i++) {
    double x = (low + high) / 2;

    /* x cos - sin keeps its sign where tan has its pole */
    if (ratio * x * cos (x) > sin (x))
      low = x;
    else
      high = x;
  }
  return (low + high) / 2;
}

static PaqmStability
invalid (const char *reason)
{
  return (PaqmStability){.verdict = PAQM_INVALID, .reason = reason};
}

static void
find_margins (PaqmStability *s, double xi, double theta)
{
  double z = s->omega_z_d, p = s->omega_180_d;

  s->phase_margin = atan (z * xi / theta) - z;
  s->delay_margin = atan (z * xi / theta) / z;
  s->gain_margin = p > 0 ? p * p / sqrt (xi * xi * p * p + theta * theta) : 0;
}

static void
judge (PaqmStability *s, double alpha, double beta)
{
  if (s->gain_margin >= PAQM_MARGINAL_GAIN) {
    s->verdict = PAQM_STABLE;
    s->reason = "stable";
  } else if (s->gain_margin > 1 / PAQM_MARGINAL_GAIN) {
    s->verdict = PAQM_MARGINAL;
    s->reason = s->gain_margin > 1 ? "stable, but hardly: the queue swings long; lower beta, or alpha towards 0.75"
                                   : "just unstable: lower beta, or alpha towards 0.75";
  } else {
    s->verdict = PAQM_UNSTABLE;
    s->reason = beta >= alpha ? "unstable: beta must be below alpha, or the queue is corrected faster than the rate"
                              : "unstable: alpha and beta are too large for this tau2/d; lower both";
  }
}

PaqmStability
paqm_stability (double alpha, double beta, double tau2_d)
{
  PaqmStability s = {.omega_180_d = 0};

  if (!(alpha > 0) || !(beta > 0) || alpha > 1e3 || beta > 1e3)
    return invalid ("alpha and beta must be above 0 and no more than 1000");
  if (!(tau2_d > 0 && tau2_d <= 1))
    return invalid ("tau2/d must be above 0 and no more than 1");
  s.omega_z_d = crossover (alpha / tau2_d, beta / tau2_d);
  s.omega_180_d = phase_crossing (alpha / beta);
  find_margins (&s, alpha / tau2_d, beta / tau2_d);
  judge (&s, alpha, beta);
  return s;
}

bool
paqm_stability_accepts (double alpha, double beta, double tau2_d)
{
  PaqmStability s = paqm_stability (alpha, beta, tau2_d);

  return s.verdict != PAQM_INVALID && s.omega_z_d < s.omega_180_d;
}

/* More beta raises the crossover and lowers the phase crossing: one boundary. */
double
paqm_stability_max_beta (double alpha, double tau2_d)
{
  double low = 0, high = alpha;

  if (!paqm_stability_accepts (alpha, alpha * 1e-6, tau2_d))
    return 0;
  for (int i = 0; i < BISECTIONS; i++) {
    double beta = (low + high) / 2;

    if (beta <= alpha * 1e-6 || paqm_stability_accepts (alpha, beta, tau2_d))
      low = beta;
    else
      high = beta;
  }
  return low;
}

double
paqm_stability_beta (double alpha, double tau2_d)
{
  return sqrt (5) / 4 * alpha * alpha / tau2_d;
}

double
paqm_stability_alpha (double fraction, double tau2_d)
{
  return fraction * half_pi / sqrt (5) * tau2_d * 4 / 2.9;
}
