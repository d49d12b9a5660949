/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does the queue lose the packets? Its drops are among those that met it: the gaps beyond the rate of gaps among
   packets that met a calm queue, delayed no more than the median while no queue stands (over 5 s), are its doing. All
   of them, where hardly a packet meets a calm one. So is found a queue too short to be seen otherwise. */
#ifndef CALMLOSS_H
#define CALMLOSS_H

#include "losscount.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  bool busy;    /* a queue stood when the newest packet came */
  double q;     /* its queueing delay, s */
  double q_mid; /* median, s */
  LossCount whole, calm;
} CalmLoss;

/* A packet arrives behind so many that did not. It and they are judged by the delay of the one in front. */
void calm_loss_on_packet (CalmLoss *c, unsigned lost);
/* Its own: q >= 0; busy: a queue stands. */
void calm_loss_on_delay (CalmLoss *c, double q, bool busy);
void calm_loss_take_back (CalmLoss *c);
void calm_loss_fade (CalmLoss *c, double T);
/* Of the gaps, the part that is the queue's doing. */
double calm_loss_of_queue (const CalmLoss *c);
/* Most of them seem to be. */
bool calm_loss_looks_like_queue (const CalmLoss *c);

#ifdef __cplusplus
}
#endif
#endif
