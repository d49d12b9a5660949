/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathword.h"
#include <math.h>

void
path_word_init (PathWord *w)
{
  *w = (PathWord){.at = CC_TIME_NONE, .tfrc_at = CC_TIME_NONE};
}

void
path_word_on_tfrc_report (PathWord *w, CcTime now)
{
  w->told_again = false;
  w->tfrc_at = now;
  if (w->is_ours)
    w->at = CC_TIME_NONE; /* the receiver knows better */
  w->is_ours = false;
}

void
path_word_on_old_tfrc_report (PathWord *w)
{
  w->told_again = true;
}

static void
take (PathWord *w, const PathReport *report, bool is_ours, CcTime now)
{
  w->report = *report;
  w->at = now;
  w->is_ours = is_ours;
}

bool
path_word_on_report (PathWord *w, const PathReport *report, CcTime now)
{
  if (w->told_again)
    w->report.rate_Bps = fmin (w->report.rate_Bps, report->rate_Bps);
  else
    take (w, report, false, now);
  return !w->told_again;
}

void
path_word_work_out (PathWord *w, const PathReport *report, CcTime now)
{
  take (w, report, true, now);
}

bool
path_word_is_absurd (const PathReport *report)
{
  return !(report->rate_Bps > 0) || !isfinite (report->rate_Bps) || !(report->capacity_Bps >= 0) ||
         !(report->loss >= 0 && report->loss <= 1 && report->excused >= 0);
}

double
path_word_excused (const PathWord *w, double loss_tolerance)
{
  return fmin (w->report.excused, fmin (w->report.loss, loss_tolerance));
}
