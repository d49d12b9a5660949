/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "longwait.h"

#define JUMP_TIME LAW (JUMP_TIME, 0.030, 0.0) /* s */

void
long_wait_init (LongWait *w)
{
  w->since = CC_TIME_NONE;
}

void
long_wait_on_packet (LongWait *w, double waited, double none, CcTime now)
{
  if (waited < LONG_WAIT + none)
    w->since = CC_TIME_NONE;
  else if (w->since == CC_TIME_NONE)
    w->since = now;
}

bool
long_wait_lasts (const LongWait *w, CcTime now)
{
  return w->since != CC_TIME_NONE && cc_seconds (now - w->since) >= JUMP_TIME;
}
