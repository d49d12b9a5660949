/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* c, what the bottleneck carries of this flow, from the spacing of packets at arrival. Within a train, which left
   faster than the mean rate, it is the bottleneck's, or shows that there is none. Two packets of which the second met
   the first in the queue measure what the queue serves of this flow, which is all of the capacity only where nobody
   else is in it: that counts where there are no trains. */
#ifndef BOTTLENECKSHARE_H
#define BOTTLENECKSHARE_H

#include "packetpairs.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  PacketPairs slow, busy, fast; /* within trains; of others that met in the queue; both, of late */
  double capacity_Bps;          /* 0: unknown */
  bool trains;                  /* trains have shown it */
  bool dispersed;               /* their spacing grew: it is a limit, and not only what they were sent with */
  double known_Bps;             /* remembered where packets say nothing of it any more; 0: unknown */
} BottleneckShare;

/* bytes of the second; s between the two. */
void bottleneck_share_on_pair (BottleneckShare *b, bool train, double bytes, double sent, double arrived, CcTime now);
void bottleneck_share_update (BottleneckShare *b, bool trains_only, CcTime now);
/* T: s since the last time. What arrives is known to come through. */
void bottleneck_share_remember (BottleneckShare *b, double T, double receive_Bps);
/* By the pairs of the last moment; single packets need longer, as a frame of others between two is not the end of the
   path. 0: unknown. */
double bottleneck_share_of_late (const BottleneckShare *b);
/* It has become that: what came before is void. */
void bottleneck_share_take (BottleneckShare *b, double capacity_Bps);
/* It is not known any more, but for that. */
void bottleneck_share_forget (BottleneckShare *b, double known_Bps);

#ifdef __cplusplus
}
#endif
#endif
