/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpanswers.h"
#include "cctest.h"

static RtpAnswers answers;

START_TEST (no_more_than_three_times_what_came)
{
  rtp_answers_init (&answers);
  rtp_answers_on_received (&answers, 7, 45, 0);
  rtp_answers_on_received (&answers, 7, 45, 1);
  ck_assert (rtp_answers_take (&answers, 7, 200));
  ck_assert (!rtp_answers_take (&answers, 7, 71));
  ck_assert (rtp_answers_take (&answers, 7, 70));
  ck_assert (!rtp_answers_take (&answers, 7, 1));
  ck_assert_uint_eq (answers.withheld, 2);
  rtp_answers_on_received (&answers, 7, 100, 2);
  ck_assert (rtp_answers_take (&answers, 7, 300));
}
END_TEST

START_TEST (nothing_to_who_sent_nothing)
{
  rtp_answers_init (&answers);
  rtp_answers_on_received (&answers, 7, 1000, 0);
  ck_assert (!rtp_answers_take (&answers, 8, 1));
}
END_TEST

/* And a forgotten address has no more left than what comes from then on. */
START_TEST (the_longest_silent_is_forgotten)
{
  rtp_answers_init (&answers);
  for (unsigned i = 0; i < RTP_ANSWERS_PLACES; i++)
    rtp_answers_on_received (&answers, 1 + i, 1000, i);
  rtp_answers_on_received (&answers, 1, 1000, 100);
  rtp_answers_on_received (&answers, 99, 10, 101);
  ck_assert (rtp_answers_take (&answers, 99, 30));
  ck_assert (!rtp_answers_take (&answers, 2, 1));
  ck_assert (rtp_answers_take (&answers, 1, 6000));
  ck_assert (rtp_answers_take (&answers, 3, 3000));
}
END_TEST

CC_TEST_MAIN (
    "rtpanswers", no_more_than_three_times_what_came, nothing_to_who_sent_nothing, the_longest_silent_is_forgotten)
