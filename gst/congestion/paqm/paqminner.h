/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inner loop of P-AQM for one queue (Lie 2008, paper D eq. 1-3, byte mode): the probability with which an arriving
   packet survives, so that the backlog N stays near N*.

     r <- gamma arrivals + (1 - gamma) r                 every dT, bytes per dT
     u = (c + K (N* - N))/r where r >= c, else c/r;      u* = max (0, min (1, u))

   The law drops where bursts bring more than c + K (N* - N), however short the queue. Where flows follow an explicit
   rate it is the outer loop that regulates, and bursts may queue: with a burst B, u = 1 where N < B, and B stands for
   N*. */
#ifndef PAQMINNER_H
#define PAQMINNER_H

#include "ccrandom.h"
#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  CcDuration dT;       /* [0.1 ms, 1 s], default 10 ms; half the time N* takes to send is useful */
  double gamma;        /* (0, 1], default 0.25 */
  double K;            /* (0, 1], default 0.3; the paper: 0.2-0.5 */
  double target_bytes; /* N*, > 0, default 35000 */
} PaqmInnerParams;

typedef struct {
  PaqmInnerParams params;
  double arrived;     /* bytes since the period began */
  double r_hat;       /* bytes per dT */
  double burst_bytes; /* B; 0: none, the paper's law */
  double u;           /* before the clamp; 1 where nothing arrives */
  double u_star;      /* survival probability */
  uint64_t periods;
} PaqmInner;

void paqm_inner_params_init (PaqmInnerParams *params);
/* params out of range are replaced by their defaults. */
void paqm_inner_init (PaqmInner *p, const PaqmInnerParams *params);
/* Live: r and u stay. */
void paqm_inner_set_params (PaqmInner *p, const PaqmInnerParams *params);
/* B from the next period on. Not above 0: none. */
void paqm_inner_set_burst (PaqmInner *p, double burst_bytes);
/* A packet arrives, whatever becomes of it. Returns true where it survives; false: mark it or drop it. */
bool paqm_inner_on_arrival (PaqmInner *p, uint32_t bytes, const CcRandom *random);
/* `periods` of dT have ended (more than one where the caller was late): c is the queue's part of the link in bytes/s,
   backlog_bytes its N now. Negative or NaN counts as 0. */
void paqm_inner_on_period (PaqmInner *p, double c_Bps, double backlog_bytes, uint32_t periods);
/* u* of the same arrivals about another target, with a dT as much longer or shorter, and bursts up to it: for packets
   that are marked long before others are dropped. Pure. */
double paqm_inner_survival_about (const PaqmInner *p, double c_Bps, double backlog_bytes, double target_bytes);
/* Estimated arrival rate, bytes/s. */
double paqm_inner_rate (const PaqmInner *p);

#ifdef __cplusplus
}
#endif
#endif
