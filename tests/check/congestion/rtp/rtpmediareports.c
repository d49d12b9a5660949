/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpmediareports.h"
#include "cctest.h"

#include <math.h>

#define START (1000 * CC_SECOND)
#define THEM 8u

static RtpMediaReports r;

static void
tell (uint32_t receiver, RtpMediaRate kind, uint64_t bps, CcTime now)
{
  RtpMediaReport *report = rtp_media_reports_of (&r, receiver, now);

  report->rates[kind].bps = bps;
  report->rates[kind].at = now;
}

static double
rate (CcTime now)
{
  return rtp_media_reports_rate (&r, 0, now);
}

START_TEST (nobody_asks_for_anything)
{
  rtp_media_reports_init (&r);
  ck_assert (isinf (rate (START)));
  ck_assert_uint_eq (rtp_media_reports_next_end (&r, START), CC_TIME_NONE);
}
END_TEST

START_TEST (each_receiver_has_one)
{
  rtp_media_reports_init (&r);
  rtp_media_reports_of (&r, THEM, START)->jitter = 5;
  ck_assert_uint_eq (rtp_media_reports_of (&r, THEM + 1, START)->jitter, 0);
  ck_assert_uint_eq (rtp_media_reports_of (&r, THEM, START)->jitter, 5);
}
END_TEST

/* All but the first speak again; the one too many takes its place. */
START_TEST (the_one_silent_longest_is_forgotten)
{
  rtp_media_reports_init (&r);
  for (unsigned i = 0; i < RTP_MEDIA_REPORTS; i++)
    rtp_media_reports_of (&r, THEM + i, START + i)->jitter = 1 + i;
  for (unsigned i = 1; i < RTP_MEDIA_REPORTS; i++)
    rtp_media_reports_of (&r, THEM + i, START + 100);
  rtp_media_reports_of (&r, THEM + RTP_MEDIA_REPORTS, START + 200);
  for (unsigned i = 1; i < RTP_MEDIA_REPORTS; i++)
    ck_assert_uint_eq (rtp_media_reports_of (&r, THEM + i, START + 300)->jitter, 1 + i);
  ck_assert_uint_eq (rtp_media_reports_of (&r, THEM, START + 400)->jitter, 0);
}
END_TEST

START_TEST (the_lowest_holds)
{
  rtp_media_reports_init (&r);
  tell (THEM, RTP_MEDIA_RATE_REMB, 500000, START);
  tell (THEM, RTP_MEDIA_RATE_PATH, 400000, START);
  tell (THEM + 1, RTP_MEDIA_RATE_ROUTER, 600000, START);
  ck_assert_double_eq (rate (START), 400000);
  ck_assert_double_eq (rtp_media_reports_rate (&r, 100000, START), 300000);
  ck_assert_double_eq (rtp_media_reports_rate (&r, 900000, START), 0);
}
END_TEST

START_TEST (what_is_not_repeated_ends)
{
  rtp_media_reports_init (&r);
  tell (THEM, RTP_MEDIA_RATE_REMB, 400000, START);
  tell (THEM, RTP_MEDIA_RATE_PATH, 500000, START + CC_SECOND);
  ck_assert_uint_eq (rtp_media_reports_next_end (&r, START + CC_SECOND), START + RTP_MEDIA_RATE_LIFE);
  ck_assert_double_eq (rate (START + RTP_MEDIA_RATE_LIFE - 1), 400000);
  ck_assert_double_eq (rate (START + RTP_MEDIA_RATE_LIFE), 500000);
}
END_TEST

/* It holds in silence, and not against a report that does not have it any more. */
START_TEST (the_last_of_all_ends_with_a_report)
{
  CcTime end = START + RTP_MEDIA_RATE_LIFE;

  rtp_media_reports_init (&r);
  tell (THEM, RTP_MEDIA_RATE_REMB, 400000, START);
  tell (THEM + 1, RTP_MEDIA_RATE_REMB, 300000, START);
  ck_assert_double_eq (rate (end + 60 * CC_SECOND), 300000);
  r.blocked_at = end - 1;
  ck_assert_double_eq (rate (end + CC_SECOND), 300000);
  r.blocked_at = end + 1;
  ck_assert (isinf (rate (end + CC_SECOND)));
}
END_TEST

START_TEST (who_is_forgotten_has_no_say)
{
  rtp_media_reports_init (&r);
  rtp_media_reports_of (&r, THEM, START);
  tell (THEM + 1, RTP_MEDIA_RATE_REMB, 300000, START);
  ck_assert (!rtp_media_reports_forget (&r, THEM));
  ck_assert (!rtp_media_reports_forget (&r, THEM + 2));
  ck_assert (rtp_media_reports_forget (&r, THEM + 1));
  ck_assert (isinf (rate (START)));
  tell (THEM, RTP_MEDIA_RATE_REMB, 300000, START);
  rtp_media_reports_forget_all (&r);
  ck_assert (isinf (rate (START)));
}
END_TEST

CC_TEST_MAIN ("rtpmediareports", nobody_asks_for_anything, each_receiver_has_one, the_one_silent_longest_is_forgotten,
    the_lowest_holds, what_is_not_repeated_ends, the_last_of_all_ends_with_a_report, who_is_forgotten_has_no_say)
