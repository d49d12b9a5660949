/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "routerword.h"

#define QUEUE 0.020 /* s */
#define MEMORY (2 * CC_SECOND)

void
router_word_init (RouterWord *w)
{
  w->at = CC_TIME_NONE;
}

bool
router_word_hear (RouterWord *w, CcTime now)
{
  bool first = w->at == CC_TIME_NONE;

  w->at = now;
  return first;
}

double
router_word_queue (const RouterWord *w, CcTime now)
{
  return w->at != CC_TIME_NONE && cc_time_since (now, w->at) < MEMORY ? QUEUE : 0;
}
