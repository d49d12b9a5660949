/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Since when a packet and all before it are there, told when it leaves a jitter buffer. When it leaves says less: a
   sink that plays in time holds up the thread that pushes. */
#ifndef INORDER_H
#define INORDER_H

#include "cctime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IN_ORDER_PACKETS 1024 /* that wait, at most: a power of two */

typedef struct {
  struct {
    uint16_t seq;
    CcTime at; /* 0: none */
  } arrived[IN_ORDER_PACKETS];
  bool started;
  uint16_t last;
  CcTime ready; /* that one */
} InOrder;

void in_order_init (InOrder *o);
void in_order_on_arrival (InOrder *o, uint16_t seq, CcTime now);
/* In the order of their numbers; what is left out was waited for until now. */
CcTime in_order_on_leaving (InOrder *o, uint16_t seq, CcTime now);

#ifdef __cplusplus
}
#endif
#endif
