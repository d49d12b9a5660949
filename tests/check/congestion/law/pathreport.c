/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathreport.h"
#include "cctest.h"

START_TEST (test_what_the_view_shows)
{
  PathView v;
  LossCause l;
  PathReport report;

  path_view_init (&v, 80e3);
  loss_cause_init (&l);
  v.share.capacity_Bps = 100e3;
  v.receive_Bps = 70e3;
  v.queue.q = 0.015;
  v.marks.seen = ARRIVAL_ECN_BIT (ARRIVAL_CE);
  l.all.packets = 100;
  l.all.lost = l.all.gaps = 5;
  report = path_report_of (&v, &l, false);
  ck_assert_double_eq (report.rate_Bps, 80e3);
  ck_assert_double_eq (report.capacity_Bps, 100e3);
  ck_assert_double_eq (report.receive_Bps, 70e3);
  ck_assert_uint_eq (report.queue_delay, 15 * CC_MSECOND);
  ck_assert_uint_eq (report.ecn, ARRIVAL_ECN_BIT (ARRIVAL_CE));
  ck_assert_double_eq_tol (report.loss, 0.05, 1e-9);
  ck_assert_double_eq (report.excused, 0); /* not put to the test */
}
END_TEST

START_TEST (test_a_fall_is_urgent_once)
{
  ToldRate told = {100e3};

  ck_assert (!told_rate_is_urgent (&told, 90e3));
  ck_assert (told_rate_is_urgent (&told, 80e3));
  ck_assert (!told_rate_is_urgent (&told, 80e3));
  ck_assert (told_rate_is_urgent (&told, 60e3));
}
END_TEST

CC_TEST_MAIN ("pathreport", test_what_the_view_shows, test_a_fall_is_urgent_once)
