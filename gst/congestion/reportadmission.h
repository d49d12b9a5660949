/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a sender makes of the coming of reports, whatever they say: the stamps that packets carry and whether an echoed
   one is ours, how often reports come and how long one counts, whether nobody speaks, and whether what is under way has
   been for longer than it should.

   Some receivers speak when a frame has ended and not before (rtpsession tells what TWCC has by the marker): the
   packets of a frame that takes long, and sound alone, which has no marker, are answered by nobody, however well they
   arrive. */
#ifndef REPORTADMISSION_H
#define REPORTADMISSION_H

#include "cctime.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  CcTime started_at;
  uint32_t base_us;                   /* of the stamps: chance */
  CcTime first_sent_at, last_sent_at; /* CC_TIME_NONE: nothing left yet */
  CcTime answered_at;   /* when the newest packet known to have arrived was sent; CC_TIME_NONE: none yet */
  uint64_t answers;     /* reports that told of one */
  CcTime report_at;     /* of any kind; CC_TIME_NONE: none yet */
  CcTime unreported_at; /* the first packet since left; CC_TIME_NONE: none yet */
  CcDuration interval;  /* smoothed spacing of reports, pauses left out; 0: not known yet */
  CcTime ended_at;      /* the last packet that ends a frame left; CC_TIME_NONE: none yet */
  CcTime owed_at;       /* the first of these behind the newest packet that was known to have arrived then */
  bool whole_frames;    /* nothing is said before a frame has ended */
} ReportAdmission;

void report_admission_init (ReportAdmission *a, uint32_t base_us, CcTime now);
/* ends_frame: it is the last of one. */
void report_admission_on_sent (ReportAdmission *a, bool ends_frame, CcTime now);
/* A report of any kind has come; one that tells of a packet which left then. */
void report_admission_on_report (ReportAdmission *a, CcTime now);
void report_admission_on_answer (ReportAdmission *a, CcTime sent_at);
/* The receiver speaks when frames have ended, only (ccpacketfeedback.h sees it). */
void report_admission_set_whole_frames (ReportAdmission *a, bool whole_frames);

/* Pure, all of them. */
uint32_t report_admission_stamp_us (const ReportAdmission *a, CcTime now);
/* The instant a stamp was sent; CC_TIME_NONE for one that lies outside what we have sent. */
CcTime report_admission_stamped_at (const ReportAdmission *a, uint32_t stamp_us, CcTime now);
CcDuration report_admission_life (const ReportAdmission *a); /* of what a report said: five intervals, 2 to 20 s */
/* What was said `at` still counts; CC_TIME_NONE: nothing was. */
bool report_admission_is_fresh (const ReportAdmission *a, CcTime at, CcTime now);
/* Something is under way that the receiver answers. */
bool report_admission_is_owed (const ReportAdmission *a);
/* No report for 500 ms and three intervals of what is owed one: RTCP may be slower than a no-feedback timer. */
bool report_admission_is_silent (const ReportAdmission *a, CcTime now);
/* What is under way has been for longer than the path, R, and its reports take. */
bool report_admission_is_unanswered (const ReportAdmission *a, CcDuration R);

#ifdef __cplusplus
}
#endif
#endif
