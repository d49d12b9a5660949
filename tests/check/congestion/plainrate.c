/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plainrate.h"
#include "cctest.h"

#define T0 (100 * CC_SECOND)
#define R (80 * CC_MSECOND)

static PlainRate r;

/* 6 % a second, five seconds at most. */
START_TEST (test_grows)
{
  plain_rate_init (&r, 100000);
  plain_rate_on_report (&r, 0, R, 90000, T0);
  ck_assert_double_eq (r.rate_Bps, 100000);
  plain_rate_on_report (&r, 0, R, 90000, T0 + 2 * CC_SECOND);
  ck_assert_double_eq_tol (r.rate_Bps, 112000, 1);
  plain_rate_on_report (&r, 0, R, 200000, T0 + 60 * CC_SECOND);
  ck_assert_double_eq_tol (r.rate_Bps, 112000 * 1.3, 1);
}
END_TEST

/* Not beyond 1.5 x what is sent, and never shrinking for that. */
START_TEST (test_application_limited)
{
  plain_rate_init (&r, 100000);
  for (unsigned i = 0; i < 100; i++)
    plain_rate_on_report (&r, 0, R, 80000, T0 + i * CC_SECOND);
  ck_assert_double_eq_tol (r.rate_Bps, 120000, 1);
  plain_rate_on_report (&r, 0, R, 10000, T0 + 101 * CC_SECOND);
  ck_assert_double_eq_tol (r.rate_Bps, 120000, 1);
}
END_TEST

START_TEST (test_loss)
{
  plain_rate_init (&r, 100000);
  plain_rate_on_report (&r, 0.01, R, 100000, T0);
  plain_rate_on_report (&r, 0.01, R, 100000, T0 + CC_SECOND);
  ck_assert_double_eq (r.rate_Bps, 100000);
  plain_rate_on_report (&r, 0.05, R, 80000, T0 + 2 * CC_SECOND);
  ck_assert_double_eq_tol (r.rate_Bps, 68000, 1);
  plain_rate_on_report (&r, 0.5, R, 68000, T0 + 3 * CC_SECOND);
  ck_assert_double_eq_tol (r.rate_Bps, 51000, 1);
}
END_TEST

/* Reports in a row that tell of the same loss: one of them counts. */
START_TEST (test_backs_off_once)
{
  plain_rate_init (&r, 100000);
  for (unsigned i = 0; i < 20; i++)
    plain_rate_on_report (&r, 0.05, R, 100000, T0 + i * 20 * CC_MSECOND);
  ck_assert_double_eq_tol (r.rate_Bps, 85000, 1);
  plain_rate_on_report (&r, 0.05, R, 85000, T0 + 500 * CC_MSECOND);
  ck_assert_double_eq_tol (r.rate_Bps, 72250, 1);
}
END_TEST

/* A round trip that rises by 50 ms holds, by 150 ms it backs off; a path that is longer for a minute is the path. */
START_TEST (test_queue)
{
  CcTime now = T0;

  plain_rate_init (&r, 100000);
  plain_rate_on_report (&r, 0, R, 100000, now);
  plain_rate_on_report (&r, 0, R + 50 * CC_MSECOND, 100000, now += CC_SECOND);
  ck_assert_double_eq (r.rate_Bps, 100000);
  plain_rate_on_report (&r, 0, R + 150 * CC_MSECOND, 100000, now += CC_SECOND);
  ck_assert_double_eq_tol (r.rate_Bps, 85000, 1);
  for (unsigned i = 0; i < 70; i++)
    plain_rate_on_report (&r, 0, R + 150 * CC_MSECOND, r.rate_Bps, now += CC_SECOND);
  double before = r.rate_Bps;
  ck_assert_double_ge (before, 0.85 * 0.85 * 0.85 * 100000 - 1); /* three times, no more */
  plain_rate_on_report (&r, 0, R + 150 * CC_MSECOND, r.rate_Bps, now += CC_SECOND);
  ck_assert_double_gt (r.rate_Bps, before);
}
END_TEST

/* A link of 1 Mb/s, RTT 80 ms and a queue of 300 ms, reports every second: over a minute most of it is used, and the
   queue stays below the 300 ms at which packets are lost. */
START_TEST (test_over_a_link)
{
  double queued = 0, used = 0, most = 0;

  plain_rate_init (&r, 37500);
  for (unsigned i = 0; i < 120; i++) {
    queued += r.rate_Bps - 125000;
    if (queued < 0)
      queued = 0;
    if (i >= 60)
      used += fmin (r.rate_Bps, 125000) / 60, most = fmax (most, queued / 125000);
    plain_rate_on_report (&r, 0, R + cc_duration (queued / 125000), r.rate_Bps, T0 + i * CC_SECOND);
  }
  ck_assert_double_gt (used, 0.8 * 125000);
  ck_assert_double_lt (most, 0.3);
}
END_TEST

START_TEST (test_no_sample)
{
  plain_rate_init (&r, 100000);
  plain_rate_on_report (&r, 0, 0, 100000, T0);
  plain_rate_on_report (&r, 0, 0, 100000, T0 + CC_SECOND);
  ck_assert_double_eq_tol (r.rate_Bps, 106000, 1);
}
END_TEST

CC_TEST_MAIN ("plainrate", test_grows, test_application_limited, test_loss, test_backs_off_once, test_queue,
    test_over_a_link, test_no_sample)
