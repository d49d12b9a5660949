/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When routers last told a rate. For 2 s after it they keep a queue of their own, and share out. */
#ifndef ROUTERWORD_H
#define ROUTERWORD_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  CcTime at; /* CC_TIME_NONE: never */
} RouterWord;

void router_word_init (RouterWord *w);
bool router_word_hear (RouterWord *w, CcTime now);          /* whether it is the first */
double router_word_queue (const RouterWord *w, CcTime now); /* s of queue that are theirs; pure */

#ifdef __cplusplus
}
#endif
#endif
