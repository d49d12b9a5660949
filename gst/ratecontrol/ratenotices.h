/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What ratecontrol says while frames pass: each thing once, the statistics again and again. */
#ifndef GST_RATE_NOTICES_H
#define GST_RATE_NOTICES_H

#include "ratelaw.h"

G_BEGIN_DECLS

typedef struct {
  gboolean told_quiet;
  CcTime stats_at; /* of the stream */
} RateNotices;

/* After a frame. */
typedef struct {
  gboolean not_followed, quiet, stats;
} RateNoticesDue;

/* With the lock that guards the law. stats_interval: ns; 0: no statistics. */
RateNoticesDue rate_notices_take (RateNotices *notices, RateLaw *law, GstClockTime stats_interval);
/* Without it: a warning, a line of INFO. */
void rate_notices_tell (RateNoticesDue due, GstElement *teller);

G_END_DECLS
#endif
