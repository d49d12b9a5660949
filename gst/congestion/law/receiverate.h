/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What arrives, over the last second, and over the last 300 ms: bytes by time slot. */
#ifndef RECEIVERATE_H
#define RECEIVERATE_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RECEIVE_RATE_SLOTS 20
#define RECEIVE_RATE_SPAN CC_SECOND

typedef struct {
  struct {
    CcTime start;
    double bytes;
  } slots[RECEIVE_RATE_SLOTS + 1]; /* the newest at head; some of it is still to come */
  unsigned head, count;
} ReceiveRate;

void receive_rate_on_packet (ReceiveRate *r, uint32_t bytes, CcTime now);
/* Bytes/s; 0 in the first 100 ms: unknown. Pure. */
double receive_rate_Bps (const ReceiveRate *r, CcTime now);
double receive_rate_of_late (const ReceiveRate *r, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
