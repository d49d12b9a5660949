/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plainreports.h"
#include "cctest.h"

#define T0 (100 * CC_SECOND)

static PlainReports r;
static PlainFlow flow = {
    .min_Bps = 10e3, .max_Bps = 200e3, .sent_Bps = 100e3, .packet_bytes = 972, .wire_factor = 1.03};

static void
report (double lost, CcDuration R, CcTime now)
{
  plain_reports_on_report (&r, &flow, &(PlainReport){lost, R}, now);
}

START_TEST (test_within_limits)
{
  plain_reports_init (&r, 100e3);
  ck_assert (!plain_reports_came (&r));
  flow.sent_Bps = 1e6;
  for (unsigned i = 0; i < 100; i++)
    report (0, 80 * CC_MSECOND, T0 + i * CC_SECOND);
  ck_assert_double_eq (r.rate.rate_Bps, 200e3);
  flow.sent_Bps = 100e3;
  for (unsigned i = 100; i < 200; i++)
    report (1, 80 * CC_MSECOND, T0 + i * CC_SECOND);
  ck_assert_double_ge (r.rate.rate_Bps, 10e3);
}
END_TEST

/* 3 % at any rate: not below what a TCP has there. */
START_TEST (test_loss_goes_as_far_as_tcp)
{
  plain_reports_init (&r, 100e3);
  for (unsigned i = 0; i < 40; i++) {
    flow.sent_Bps = r.rate.rate_Bps;
    report (0.03, 80 * CC_MSECOND, T0 + i * CC_SECOND);
  }
  ck_assert (plain_reports_tell_of_loss (&r));
  ck_assert_double_eq_tol (r.rate.rate_Bps, plain_reports_equation (&r, &flow), 1);
  flow.sent_Bps = 100e3;
}
END_TEST

START_TEST (test_fresh)
{
  plain_reports_init (&r, 100e3);
  ck_assert (!plain_reports_are_fresh (&r, T0));
  report (0, 0, T0);
  ck_assert (plain_reports_are_fresh (&r, T0 + 15 * CC_SECOND));
  ck_assert (!plain_reports_are_fresh (&r, T0 + 16 * CC_SECOND));
}
END_TEST

START_TEST (test_silence_over)
{
  plain_reports_init (&r, 100e3);
  plain_reports_on_silence_over (&r, 50e3);
  ck_assert_double_eq (r.rate.rate_Bps, 50e3);
  plain_reports_on_silence_over (&r, 80e3);
  ck_assert_double_eq (r.rate.rate_Bps, 50e3);
}
END_TEST

START_TEST (test_absurd)
{
  ck_assert (plain_reports_are_absurd (&(PlainReport){-0.1, 0}));
  ck_assert (plain_reports_are_absurd (&(PlainReport){1.1, 0}));
  ck_assert (plain_reports_are_absurd (&(PlainReport){0, 11 * CC_SECOND}));
  ck_assert (!plain_reports_are_absurd (&(PlainReport){1, 10 * CC_SECOND}));
}
END_TEST

CC_TEST_MAIN (
    "plainreports", test_within_limits, test_loss_goes_as_far_as_tcp, test_fresh, test_silence_over, test_absurd)
