/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reportadmission.h"

#define MIN_LIFE (2 * CC_SECOND) /* of what is no longer repeated */
#define MAX_LIFE (20 * CC_SECOND)
#define LIFE_INTERVALS 5
#define SILENCE (500 * CC_MSECOND)
#define SILENT_INTERVALS 3
#define PAUSE_INTERVALS 4
#define REGULAR (5 * CC_SECOND)            /* RFC 3550 6.2 */
#define ANSWERS 8                          /* reports, before their spacing is known */
#define ANSWER_INTERVALS 2                 /* of reports: RTCP's spacing is random, 0.5 to 1.5 of the mean */
#define ANSWER_PATIENCE (200 * CC_MSECOND) /* a queue that a report would have told of */

void
report_admission_init (ReportAdmission *a, uint32_t base_us, CcTime now)
{
  *a = (ReportAdmission){.started_at = now,
      .base_us = base_us,
      .first_sent_at = CC_TIME_NONE,
      .last_sent_at = CC_TIME_NONE,
      .answered_at = CC_TIME_NONE,
      .report_at = CC_TIME_NONE,
      .unreported_at = CC_TIME_NONE,
      .ended_at = CC_TIME_NONE};
}

/* Stamps count microseconds. */
static bool
has_ended_since (const ReportAdmission *a)
{
  return a->ended_at != CC_TIME_NONE &&
         (a->answered_at == CC_TIME_NONE || a->ended_at >= cc_time_add (a->answered_at, CC_USECOND));
}

void
report_admission_on_sent (ReportAdmission *a, bool ends_frame, CcTime now)
{
  if (ends_frame) {
    if (!has_ended_since (a))
      a->owed_at = now;
    a->ended_at = now;
  }
  if (a->first_sent_at == CC_TIME_NONE)
    a->first_sent_at = now;
  if (a->unreported_at == CC_TIME_NONE)
    a->unreported_at = now;
  a->last_sent_at = now;
}

/* Neither a pause of the sender's nor an outage is a spacing of reports, or as long a silence would be none. What is
   more than four intervals (as in tfrcsender.c) is one where it was spent waiting for an answer, and no longer than
   regular RTCP takes. */
static CcDuration
spacing (const ReportAdmission *a, CcTime now)
{
  CcDuration gap = a->report_at == CC_TIME_NONE ? 0 : cc_time_since (now, a->report_at);
  CcDuration waited = a->unreported_at == CC_TIME_NONE ? 0 : cc_time_since (now, a->unreported_at);
  CcDuration most = cc_time_max (cc_time_min (waited, REGULAR), PAUSE_INTERVALS * a->interval);

  return most > 0 ? cc_time_min (gap, most) : gap;
}

void
report_admission_on_report (ReportAdmission *a, CcTime now)
{
  CcDuration gap = spacing (a, now);

  if (gap > 0)
    a->interval = a->interval ? (7 * a->interval + gap) / 8 : gap;
  a->report_at = now;
  a->unreported_at = CC_TIME_NONE;
}

void
report_admission_on_answer (ReportAdmission *a, CcTime sent_at)
{
  a->answers++;
  if (a->answered_at == CC_TIME_NONE || sent_at > a->answered_at)
    a->answered_at = sent_at;
}

void
report_admission_set_whole_frames (ReportAdmission *a, bool whole_frames)
{
  a->whole_frames = whole_frames;
}

bool
report_admission_is_owed (const ReportAdmission *a)
{
  return !a->whole_frames || has_ended_since (a);
}

/* Since when an answer is waited for that can come: not since `at` where nothing ended until later. */
static CcTime
owed_since (const ReportAdmission *a, CcTime at)
{
  return a->whole_frames ? cc_time_max (at, a->owed_at) : at;
}

static uint64_t
elapsed_us (const ReportAdmission *a, CcTime at)
{
  return cc_time_since (at, a->started_at) / CC_USECOND;
}

uint32_t
report_admission_stamp_us (const ReportAdmission *a, CcTime now)
{
  return a->base_us + (uint32_t)elapsed_us (a, now);
}

CcTime
report_admission_stamped_at (const ReportAdmission *a, uint32_t stamp_us, CcTime now)
{
  uint64_t now_us = elapsed_us (a, now);
  uint32_t age_us = a->base_us + (uint32_t)now_us - stamp_us;

  if (a->last_sent_at == CC_TIME_NONE || age_us > now_us)
    return CC_TIME_NONE;
  now_us -= age_us;
  if (now_us < elapsed_us (a, a->first_sent_at) || now_us > elapsed_us (a, a->last_sent_at))
    return CC_TIME_NONE;
  return a->started_at + now_us * CC_USECOND;
}

CcDuration
report_admission_life (const ReportAdmission *a)
{
  CcDuration d = LIFE_INTERVALS * a->interval;

  return d < MIN_LIFE ? MIN_LIFE : d > MAX_LIFE ? MAX_LIFE : d;
}

bool
report_admission_is_fresh (const ReportAdmission *a, CcTime at, CcTime now)
{
  return at != CC_TIME_NONE && cc_time_since (now, at) < report_admission_life (a);
}

bool
report_admission_is_silent (const ReportAdmission *a, CcTime now)
{
  CcDuration usual = SILENT_INTERVALS * a->interval;

  return a->report_at == CC_TIME_NONE ||
         cc_time_since (now, owed_since (a, a->report_at)) > (usual > SILENCE ? usual : SILENCE);
}

bool
report_admission_is_unanswered (const ReportAdmission *a, CcDuration R)
{
  CcDuration loop = R + ANSWER_INTERVALS * a->interval + ANSWER_PATIENCE;

  return a->answers >= ANSWERS && report_admission_is_owed (a) &&
         a->last_sent_at > owed_since (a, a->answered_at) + loop;
}
