/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "keyanswer.h"

void
key_answer_init (KeyAnswer *k)
{
  *k = (KeyAnswer){.at = CC_TIME_NONE, .due = CC_TIME_NONE};
}

static bool
ask (KeyAnswer *k, CcTime now)
{
  k->at = now;
  k->due = CC_TIME_NONE;
  k->asked++;
  return true;
}

/* The first instant at which one may be asked for. */
static CcTime
free_at (const KeyAnswer *k, CcDuration R)
{
  CcDuration interval = cc_time_max (KEY_ANSWER_INTERVAL, cc_time_min (R, KEY_ANSWER_MAX_RTT));

  return k->at == CC_TIME_NONE ? 0 : cc_time_add (k->at, interval);
}

bool
key_answer_on_pli (KeyAnswer *k, CcDuration R, CcTime now)
{
  if (now >= free_at (k, R))
    return ask (k, now);
  k->dropped++;
  return false;
}

bool
key_answer_on_command (KeyAnswer *k, CcDuration R, CcTime now)
{
  if (now >= free_at (k, R))
    return ask (k, now);
  k->due = free_at (k, R);
  k->put_off++;
  return false;
}

bool
key_answer_on_timeout (KeyAnswer *k, CcTime now)
{
  return k->due <= now && ask (k, now);
}
