/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "reportadmission.h"
#include "cctest.h"

START_TEST (test_only_stamps_of_what_was_sent)
{
  ReportAdmission a;
  uint32_t stamp;

  report_admission_init (&a, 0xfffffff0, CC_SECOND); /* wraps at once */
  stamp = report_admission_stamp_us (&a, 2 * CC_SECOND);
  ck_assert_uint_eq (report_admission_stamped_at (&a, stamp, 3 * CC_SECOND), CC_TIME_NONE);
  report_admission_on_sent (&a, true, 2 * CC_SECOND);
  report_admission_on_sent (&a, true, 4 * CC_SECOND);
  ck_assert_uint_eq (report_admission_stamped_at (&a, stamp, 5 * CC_SECOND), 2 * CC_SECOND);
  ck_assert_uint_eq (report_admission_stamped_at (&a, stamp - 1000, 5 * CC_SECOND), CC_TIME_NONE);
  stamp = report_admission_stamp_us (&a, 4 * CC_SECOND);
  ck_assert_uint_eq (report_admission_stamped_at (&a, stamp, 5 * CC_SECOND), 4 * CC_SECOND);
  ck_assert_uint_eq (report_admission_stamped_at (&a, stamp + 1000, 5 * CC_SECOND), CC_TIME_NONE);
  ck_assert_uint_eq (report_admission_stamped_at (&a, stamp + 2000000, 5 * CC_SECOND), CC_TIME_NONE); /* to come */
}
END_TEST

static CcTime
report_each (ReportAdmission *a, CcDuration interval, unsigned n, CcTime now)
{
  for (unsigned i = 0; i < n; i++)
    report_admission_on_report (a, now += interval);
  return now;
}

START_TEST (test_a_report_counts_for_five_intervals)
{
  ReportAdmission a;

  report_admission_init (&a, 0, CC_SECOND);
  ck_assert (!report_admission_is_fresh (&a, CC_TIME_NONE, CC_SECOND));
  ck_assert_uint_eq (report_admission_life (&a), 2 * CC_SECOND);
  report_each (&a, CC_SECOND, 50, CC_SECOND);
  ck_assert_uint_eq (report_admission_life (&a), 5 * CC_SECOND);
  ck_assert (report_admission_is_fresh (&a, CC_SECOND, 6 * CC_SECOND - 1));
  ck_assert (!report_admission_is_fresh (&a, CC_SECOND, 6 * CC_SECOND));
  report_each (&a, 30 * CC_SECOND, 50, 60 * CC_SECOND);
  ck_assert_uint_eq (report_admission_life (&a), 20 * CC_SECOND);
}
END_TEST

START_TEST (test_slow_reports_are_no_silence)
{
  ReportAdmission a;
  CcTime now;

  report_admission_init (&a, 0, CC_SECOND);
  ck_assert (report_admission_is_silent (&a, CC_SECOND));
  now = report_each (&a, 50 * CC_MSECOND, 20, CC_SECOND);
  ck_assert (!report_admission_is_silent (&a, now + 500 * CC_MSECOND));
  ck_assert (report_admission_is_silent (&a, now + 501 * CC_MSECOND));
  now = report_each (&a, CC_SECOND, 50, now);
  ck_assert (!report_admission_is_silent (&a, now + 2900 * CC_MSECOND));
  ck_assert (report_admission_is_silent (&a, now + 3100 * CC_MSECOND));
}
END_TEST

START_TEST (test_what_is_under_way_for_too_long)
{
  ReportAdmission a;
  CcTime now = CC_SECOND;

  report_admission_init (&a, 0, CC_SECOND);
  for (unsigned i = 0; i < 8; i++) {
    report_admission_on_sent (&a, true, now + CC_SECOND);
    ck_assert (!report_admission_is_unanswered (&a, 0)); /* the spacing is not known yet */
    report_admission_on_report (&a, now += 50 * CC_MSECOND);
    report_admission_on_answer (&a, now);
  }
  report_admission_on_answer (&a, CC_SECOND); /* an older one takes nothing back */
  report_admission_on_sent (&a, true, now + 400 * CC_MSECOND);
  ck_assert (!report_admission_is_unanswered (&a, 100 * CC_MSECOND)); /* R, two intervals and 200 ms */
  report_admission_on_sent (&a, true, now + 401 * CC_MSECOND);
  ck_assert (report_admission_is_unanswered (&a, 100 * CC_MSECOND));
}
END_TEST

/* Who speaks when frames have ended owes nothing within one, and from its end on what anybody does. */
START_TEST (test_nothing_is_owed_within_a_frame)
{
  ReportAdmission a;
  CcTime now = CC_SECOND;

  report_admission_init (&a, 0, now);
  for (unsigned i = 0; i < 8; i++) {
    report_admission_on_sent (&a, true, now);
    report_admission_on_answer (&a, now);
    report_admission_on_report (&a, now += 50 * CC_MSECOND);
  }
  report_admission_on_sent (&a, false, now += CC_SECOND);
  ck_assert (report_admission_is_owed (&a));
  ck_assert (report_admission_is_unanswered (&a, 0));
  report_admission_set_whole_frames (&a, true);
  ck_assert (!report_admission_is_owed (&a));
  ck_assert (!report_admission_is_unanswered (&a, 0));
  report_admission_on_sent (&a, true, now);
  ck_assert (report_admission_is_owed (&a));
  ck_assert (!report_admission_is_silent (&a, now + 500 * CC_MSECOND));
  ck_assert (report_admission_is_silent (&a, now + 501 * CC_MSECOND));
  report_admission_on_sent (&a, true, now + 300 * CC_MSECOND); /* two intervals and 200 ms */
  ck_assert (!report_admission_is_unanswered (&a, 0));
  report_admission_on_sent (&a, false, now + 301 * CC_MSECOND);
  ck_assert (report_admission_is_unanswered (&a, 0));
  report_admission_on_answer (&a, now + 300 * CC_MSECOND);
  ck_assert (!report_admission_is_owed (&a));
}
END_TEST

/* Held for an hour, then the call goes on and its path ends. */
START_TEST (test_pauses_and_outages_are_no_spacing)
{
  ReportAdmission a;
  CcTime now = CC_SECOND;

  report_admission_init (&a, 0, now);
  for (unsigned i = 0; i < 100; i++) {
    report_admission_on_sent (&a, true, now);
    report_admission_on_report (&a, now += 50 * CC_MSECOND);
    report_admission_on_answer (&a, now - 50 * CC_MSECOND);
  }
  now += 3600 * CC_SECOND;
  report_admission_on_report (&a, now); /* of nothing that was sent since */
  now += 3600 * CC_SECOND;
  report_admission_on_sent (&a, true, now);
  report_admission_on_report (&a, now += 50 * CC_MSECOND);
  report_admission_on_answer (&a, now - 50 * CC_MSECOND);
  ck_assert_uint_le (a.interval, 100 * CC_MSECOND);
  ck_assert_uint_eq (report_admission_life (&a), 2 * CC_SECOND);
  ck_assert (report_admission_is_silent (&a, now + 501 * CC_MSECOND));
  report_admission_on_sent (&a, true, now + CC_SECOND);
  ck_assert (report_admission_is_unanswered (&a, 100 * CC_MSECOND));
  for (unsigned i = 0; i < 6000; i++)
    report_admission_on_sent (&a, true, now += 10 * CC_MSECOND);
  report_admission_on_report (&a, now); /* nor is an outage */
  ck_assert_uint_le (a.interval, CC_SECOND);
  ck_assert (report_admission_is_silent (&a, now + 3 * CC_SECOND));
}
END_TEST

/* A receiver that changes to regular RTCP: what is spent waiting for it is its spacing. */
START_TEST (test_reports_become_slow)
{
  ReportAdmission a;
  CcTime now = CC_SECOND;

  report_admission_init (&a, 0, now);
  now = report_each (&a, 50 * CC_MSECOND, 100, now);
  for (unsigned i = 0; i < 6; i++) {
    report_admission_on_sent (&a, true, now + 10 * CC_MSECOND);
    report_admission_on_report (&a, now += 5 * CC_SECOND);
  }
  ck_assert (!report_admission_is_silent (&a, now + 5 * CC_SECOND));
}
END_TEST

CC_TEST_MAIN ("reportadmission", test_only_stamps_of_what_was_sent, test_a_report_counts_for_five_intervals,
    test_slow_reports_are_no_silence, test_what_is_under_way_for_too_long, test_nothing_is_owed_within_a_frame,
    test_pauses_and_outages_are_no_spacing, test_reports_become_slow)
