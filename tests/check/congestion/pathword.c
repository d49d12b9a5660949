/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathword.h"
#include "cctest.h"
#include <math.h>

#define T0 (100 * CC_SECOND)

static PathWord w;
static const PathReport report = {.rate_Bps = 100e3, .capacity_Bps = 120e3, .loss = 0.08, .excused = 0.05};

/* The receiver knows better than what is worked out here. */
START_TEST (test_whose)
{
  path_word_init (&w);
  path_word_work_out (&w, &report, T0);
  ck_assert (w.is_ours);
  path_word_on_tfrc_report (&w, T0 + CC_SECOND);
  ck_assert (!w.is_ours);
  ck_assert_uint_eq (w.at, CC_TIME_NONE);
  ck_assert (path_word_on_report (&w, &report, T0 + CC_SECOND));
  path_word_on_tfrc_report (&w, T0 + 2 * CC_SECOND);
  ck_assert_uint_eq (w.at, T0 + CC_SECOND);
}
END_TEST

START_TEST (test_a_replay_may_lower_alone)
{
  PathReport other = report;

  path_word_init (&w);
  path_word_on_tfrc_report (&w, T0);
  path_word_on_report (&w, &report, T0);
  path_word_on_old_tfrc_report (&w);
  other.rate_Bps = 200e3;
  ck_assert (!path_word_on_report (&w, &other, T0 + CC_SECOND));
  ck_assert_double_eq (w.report.rate_Bps, 100e3);
  other.rate_Bps = 50e3;
  ck_assert (!path_word_on_report (&w, &other, T0 + CC_SECOND));
  ck_assert_double_eq (w.report.rate_Bps, 50e3);
  ck_assert_uint_eq (w.at, T0);
}
END_TEST

START_TEST (test_excused)
{
  PathReport more = report;

  path_word_init (&w);
  path_word_on_report (&w, &report, T0);
  ck_assert_double_eq (path_word_excused (&w, 0.1), 0.05);
  ck_assert_double_eq (path_word_excused (&w, 0.02), 0.02);
  more.excused = 1;
  path_word_on_report (&w, &more, T0);
  ck_assert_double_eq (path_word_excused (&w, 0.1), 0.08);
}
END_TEST

START_TEST (test_absurd)
{
  const double no_rates[] = {0, -1, INFINITY, NAN};
  PathReport other = report;

  ck_assert (!path_word_is_absurd (&report));
  for (unsigned i = 0; i < 4; i++) {
    other.rate_Bps = no_rates[i];
    ck_assert (path_word_is_absurd (&other));
  }
  other = report;
  other.loss = 1.1;
  ck_assert (path_word_is_absurd (&other));
}
END_TEST

CC_TEST_MAIN ("pathword", test_whose, test_a_replay_may_lower_alone, test_excused, test_absurd)
