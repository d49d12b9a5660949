/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TCP throughput equation (RFC 5348 3.1, b = 1) and its inverse (needed by 6.3.1). */
#ifndef TFRC_EQUATION_H
#define TFRC_EQUATION_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  TFRC_RTO_4R,         /* t_RTO = 4R, the RFC's SHOULD */
  TFRC_RTO_AT_LEAST_1S /* t_RTO = max (4R, 1 s), the RFC's MAY: fairer to TCP at tiny R */
} TfrcRto;

/* X in bytes/s. s: segment bytes, > 0; R: round-trip time in s, > 0; p: loss event rate in (0, 1].
   Strictly decreasing in p and R. HUGE_VAL for p <= 0. */
double tfrc_throughput (double s, double R, double p, TfrcRto rto);

/* The rate of Cubic where it is not Reno's (RFC 9438 5.1, AVG_W_cubic / RTT): above tfrc_throughput () where p is below
   some 0.55 R^3, R in s. The same units; HUGE_VAL for p <= 0. */
double cubic_throughput (double s, double R, double p);

/* The p in [1e-12, 1] at which tfrc_throughput () gives X; 1 where even p = 1 gives more than X, or X is no number.
   Always ends. */
double tfrc_loss_event_rate (double s, double R, double X, TfrcRto rto);

/* Packets, >= 1, of the interval before the first loss event (6.3.1): 1/p for the largest X_recv so far, bytes/s, or
   half a packet per round trip where that is more. */
double tfrc_first_interval (double s, double R, double X_recv_max, TfrcRto rto);

#ifdef __cplusplus
}
#endif
#endif
