/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lossexcuse.h"

void
loss_excuse_init (LossExcuse *e)
{
  *e = (LossExcuse){.at = CC_TIME_NONE};
}

static bool
is_its_turn (const LossExcuse *e, uint64_t first, CcTime now)
{
  CcDuration since = e->at == CC_TIME_NONE ? LOSS_EXCUSE_EVERY : cc_time_since (now, e->at);

  return since >= LOSS_EXCUSE_EVERY || (first == e->first && since <= LOSS_EXCUSE_SAME);
}

bool
loss_excuse_admit (LossExcuse *e, uint64_t first, uint64_t last, uint64_t newest, CcTime now)
{
  if (first > last || last - first >= LOSS_EXCUSE_PACKETS || first > newest ||
      newest - first >= 2 * LOSS_EXCUSE_PACKETS || !is_its_turn (e, first, now)) {
    e->refused++;
    return false;
  }
  if (e->at == CC_TIME_NONE || first != e->first || cc_time_since (now, e->at) > LOSS_EXCUSE_SAME)
    e->at = now;
  e->first = first;
  e->granted++;
  return true;
}
