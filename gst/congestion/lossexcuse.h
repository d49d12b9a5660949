/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Losses that a sender takes on itself: it knows the sizes of what it sent, and has proved that the path swallowed the
   largest (pathmtu.h). The receiver counts them as if they had come. What a sender may excuse is little and rare, so
   that whoever says it all the time still has his losses answered: once in a while a range of numbers, which have all
   been passed; the same again, or longer, for as long as the packets of then may be on their way. */
#ifndef LOSSEXCUSE_H
#define LOSSEXCUSE_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LOSS_EXCUSE_PACKETS 512            /* at most, in a range: as many as a sender knows the sizes of */
#define LOSS_EXCUSE_SAME (3 * CC_SECOND)   /* for so long a range may be told again */
#define LOSS_EXCUSE_EVERY (60 * CC_SECOND) /* another one */

typedef struct {
  uint64_t first; /* of the range that was told last */
  CcTime at;      /* when that was told first; CC_TIME_NONE: never */
  uint64_t granted, refused;
} LossExcuse;

void loss_excuse_init (LossExcuse *e);
/* Both ends included; newest: the highest number that has arrived. */
bool loss_excuse_admit (LossExcuse *e, uint64_t first, uint64_t last, uint64_t newest, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
