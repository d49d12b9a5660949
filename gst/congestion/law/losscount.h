/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets and gaps, which are runs of lost ones, and what chance makes of them. A gap is one event: how long it is says
   nothing of how often they come. Counts fade, so they are no whole numbers. */
#ifndef LOSSCOUNT_H
#define LOSSCOUNT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double packets, lost, gaps; /* packets: lost ones as well */
} LossCount;

/* A packet has arrived, behind so many that have not. */
void loss_count_packet (LossCount *c, unsigned lost);
/* One of those arrives late. */
void loss_count_take_back (LossCount *c);
void loss_count_scale (LossCount *c, double by);
void loss_count_add (LossCount *to, const LossCount *c);
void loss_count_take_out (LossCount *from, const LossCount *part);
/* What stays of a count after T: by time, but for a least number of packets. */
double loss_count_kept (double T, double memory, double packets, double least);
double loss_count_rate (const LossCount *c); /* gaps per packet */
/* Gaps beyond those that a count elsewhere lets expect, by more than one and 1.5 standard deviations of those; >= 0.
   Enough to ask. */
double loss_count_excess (const LossCount *c, const LossCount *elsewhere);
/* The same for a verdict: by what chance makes of gaps as frequent as in both counts together. Few packets elsewhere,
   of which none was lost, prove nothing. */
double loss_count_sure_excess (const LossCount *c, const LossCount *elsewhere);
/* By more than one and two standard deviations. */
bool loss_count_are_fewer (double gaps, double expected);

#ifdef __cplusplus
}
#endif
#endif
