/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "ratenotices.h"

#define QUIET_FOR (2 * GST_SECOND) /* without a rate event, then it is told once */

RateNoticesDue
rate_notices_take (RateNotices *notices, RateLaw *law, GstClockTime stats_interval)
{
  RateNoticesDue due = {rate_law_tells_not_followed (law), FALSE, FALSE};
  CcTime now = law->time.now;

  if (!notices->told_quiet && law->rate_events == 0)
    due.quiet = notices->told_quiet = now >= QUIET_FOR;
  if (stats_interval > 0 && cc_time_since (now, notices->stats_at) >= stats_interval) {
    due.stats = TRUE;
    notices->stats_at = now;
  }
  return due;
}

void
rate_notices_tell (RateNoticesDue due, GstElement *teller)
{
  if (due.not_followed)
    GST_ELEMENT_WARNING (teller, RESOURCE, SETTINGS,
        ("The encoder puts out far more than it was asked for. Lower the resolution or the frame rate, put ratescale "
         "in "
         "front of it, or use another encoder."),
        ("It ignores its rate while running, or the picture needs more at the coarsest quantizer. The sender drops "
         "frames "
         "meanwhile."));
  if (due.quiet)
    GST_INFO_OBJECT (
        teller, "no rate event yet: is there a sender such as tfrcsink downstream? The encoder keeps its first rate");
}
