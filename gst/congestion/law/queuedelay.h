/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Queueing delay of a one-way path from packets that carry their send time: arrival minus send time, less the base
   delay, with the drift of the two clocks (up to 200 ppm) taken out. Absolute clock offsets do not matter. */
#ifndef QUEUEDELAY_H
#define QUEUEDELAY_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QUEUE_DELAY_WINDOWS 16

typedef struct {
  CcDuration window;    /* the base delay is the minimum over about this long; default 60 s */
  double max_drift_ppm; /* default 200 */
} QueueDelayParams;

typedef struct {
  QueueDelayParams params;
  bool started;
  int64_t offset; /* first arrival - send, ns: keeps the numbers small */
  struct {
    CcTime start;
    int64_t min;
    CcTime min_at;
  } windows[QUEUE_DELAY_WINDOWS];
  unsigned head, count;
  double drift; /* receiver's clock against the sender's, s/s */
  CcDuration last;
} QueueDelay;

void queue_delay_params_init (QueueDelayParams *params);
void queue_delay_init (QueueDelay *q, const QueueDelayParams *params);
/* sent_at: unwrapped send time in ns, sender's clock. Returns the queueing delay this packet met. */
CcDuration queue_delay_on_packet (QueueDelay *q, CcTime sent_at, CcTime arrived_at);
/* A route change or a clock step: forget the base. Called by the object itself on steps beyond 1 s. */
void queue_delay_reset (QueueDelay *q);
#ifdef __cplusplus
}
#endif
#endif
