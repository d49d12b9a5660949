/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the outer loop of P-AQM settles: Lie 2008, paper F 3.4-3.5. The loop A(s) = (xi s + theta)/s^2 e^-ds,
   xi = alpha/tau2, theta = beta/(tau2 d), is stable where its gain falls to 1 (omega_z, eq. 14) before its phase to -pi
   (omega_180, eq. 15). Only tau2/d matters, not either alone. The explicit-rate law (eq. 3) divides by d where eq. 1
   divides by tau2: its ratio is 1 whatever the round-trip time. */
#ifndef PAQMSTABILITY_H
#define PAQMSTABILITY_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gains that a factor of this much more or less would turn over are marginal. */
#define PAQM_MARGINAL_GAIN 1.1

typedef enum {
  PAQM_STABLE,
  PAQM_MARGINAL, /* gain margin within PAQM_MARGINAL_GAIN of 1, on either side */
  PAQM_UNSTABLE,
  PAQM_INVALID /* not positive numbers, or tau2/d outside (0, 1] */
} PaqmStabilityVerdict;

typedef struct {
  PaqmStabilityVerdict verdict;
  double omega_z_d;    /* crossover frequency x d, rad (14) */
  double omega_180_d;  /* phase crossing x d, rad (15); 0: the phase is below -pi everywhere (beta >= alpha) */
  double gain_margin;  /* factor by which the gain could grow; below 1: unstable */
  double phase_margin; /* rad; negative: unstable */
  double delay_margin; /* factor by which d could grow at the same xi and theta; below 1: unstable */
  const char *reason;  /* one line for the user; static */
} PaqmStability;

PaqmStability paqm_stability (double alpha, double beta, double tau2_d);
/* omega_z < omega_180. What is marginal is accepted on the stable side only. */
bool paqm_stability_accepts (double alpha, double beta, double tau2_d);
/* The curve of figure 4: the largest stable beta for an alpha, 0: none. */
double paqm_stability_max_beta (double alpha, double tau2_d);
/* Closed forms with theta/xi = omega_z/2: beta for an alpha (16), and the alpha that is just stable then (17) times
   `fraction` in (0, 1]. */
double paqm_stability_beta (double alpha, double tau2_d);
double paqm_stability_alpha (double fraction, double tau2_d);

#ifdef __cplusplus
}
#endif
#endif
