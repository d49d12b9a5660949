/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathreport.h"

#define WORTH_TELLING 0.85 /* x what was told: sooner than the next report */

PathReport
path_report_of (const PathView *v, const LossCause *l, bool others)
{
  return (PathReport){.rate_Bps = v->rate_Bps,
      .capacity_Bps = v->share.capacity_Bps,
      .receive_Bps = v->receive_Bps,
      .queue_delay = cc_duration (v->queue.q),
      .ecn = v->marks.seen,
      .loss = loss_cause_loss (l),
      .excused = loss_cause_excused (l, others)};
}

bool
told_rate_is_urgent (ToldRate *told, double rate_Bps)
{
  if (rate_Bps > WORTH_TELLING * told->rate_Bps)
    return false;
  told->rate_Bps = rate_Bps;
  return true;
}
