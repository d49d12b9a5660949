/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which share of a stream's packets is lost of late, and how many in a row. */
#ifndef RECENTLOSS_H
#define RECENTLOSS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double loss, burst; /* [0, 1]; mean, >= 1 */
  unsigned counted;   /* packets, as far as it matters */
} RecentLoss;

void recent_loss_init (RecentLoss *l);
/* A packet has arrived, behind so many that have not. */
void recent_loss_on_packet (RecentLoss *l, unsigned lost);
/* One of those arrives late. */
void recent_loss_take_back (RecentLoss *l);

#ifdef __cplusplus
}
#endif
#endif
