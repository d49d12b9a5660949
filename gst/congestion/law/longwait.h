/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long packets have waited for long: 35 ms and more in the queue, each of them. For 30 ms, it is no stray one. */
#ifndef LONGWAIT_H
#define LONGWAIT_H

#include "cctime.h"
#include "lawnumber.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LONG_WAIT LAW (LONG_WAIT, 0.035, 1.0) /* s: longer than queues that come and go */

typedef struct {
  CcTime since; /* CC_TIME_NONE: they do not */
} LongWait;

void long_wait_init (LongWait *w);
/* waited: s; none: s that are no queue. */
void long_wait_on_packet (LongWait *w, double waited, double none, CcTime now);
bool long_wait_lasts (const LongWait *w, CcTime now); /* pure */

#ifdef __cplusplus
}
#endif
#endif
