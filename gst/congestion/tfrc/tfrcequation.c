/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrcequation.h"

#include <math.h>

#define LOG_P_MIN -27.631021115928547 /* log (1e-12) */
#define CUBIC_WINDOW 1.054            /* (C (3 + beta)/(4 (1 - beta)))^0.25 with C = 0.4, beta = 0.7 */
#define BISECTIONS 64                 /* halves the 27.6 of log p below a double's resolution */

/* Seconds between packets at loss event rate p: the denominator of RFC 5348 3.1 with b = 1. */
static double
seconds_per_packet (double R, double p, TfrcRto rto)
{
  double t_RTO = 4 * R;

  if (rto == TFRC_RTO_AT_LEAST_1S && t_RTO < 1)
    t_RTO = 1;
  return R * sqrt (2 * p / 3) + t_RTO * 3 * sqrt (3 * p / 8) * p * (1 + 32 * p * p);
}

double
tfrc_throughput (double s, double R, double p, TfrcRto rto)
{
  if (!(p > 0))
    return HUGE_VAL;
  return s / seconds_per_packet (R, fmin (p, 1), rto);
}

double
cubic_throughput (double s, double R, double p)
{
  if (!(p > 0))
    return HUGE_VAL;
  return s / R * CUBIC_WINDOW * pow (R / fmin (p, 1), 0.75);
}

double
tfrc_loss_event_rate (double s, double R, double X, TfrcRto rto)
{
  double low = LOG_P_MIN, high = 0;

  if (!(X > tfrc_throughput (s, R, 1, rto)))
    return 1;
  for (int i = 0; i < BISECTIONS; i++) {
    double middle = (low + high) / 2;
    if (tfrc_throughput (s, R, exp (middle), rto) > X)
      low = middle;
    else
      high = middle;
  }
  return exp (high);
}

double
tfrc_first_interval (double s, double R, double X_recv_max, TfrcRto rto)
{
  return 1 / tfrc_loss_event_rate (s, R, fmax (X_recv_max, 0.5 * s / R), rto);
}
