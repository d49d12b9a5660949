/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flowcount.h"
#include "cctest.h"
#include "ccrandom.h"

#include <math.h>
#include <stdio.h>

#define LIFE (500 * CC_MSECOND)

static FlowCount f;

static void
setup (FlowCountMode mode, uint64_t key)
{
  FlowCountParams params;

  flow_count_params_init (&params);
  params.mode = mode;
  params.life = LIFE;
  params.key = key;
  flow_count_init (&f, &params);
}

/* Each of n flows sends two packets, all within `span` from `at` on. */
static void
send_all (uint64_t first, unsigned n, CcTime at, CcDuration span)
{
  for (unsigned i = 0; i < 2 * n; i++)
    flow_count_on_packet (&f, first + i % n, at + span / (2 * n) * i);
}

START_TEST (test_exact_counts_and_forgets)
{
  setup (FLOW_COUNT_EXACT, 7);
  ck_assert_double_eq (flow_count (&f, 0), 0);
  ck_assert (flow_count_on_packet (&f, 1, 0));
  ck_assert (!flow_count_on_packet (&f, 1, LIFE / 2));
  ck_assert (flow_count_on_packet (&f, 2, LIFE / 2));
  ck_assert_double_eq (flow_count (&f, LIFE), 2);
  ck_assert (!flow_count_on_packet (&f, 2, LIFE));
  ck_assert_double_eq (flow_count (&f, LIFE + LIFE / 2 - 1), 2);
  /* 1 has been silent for life */
  ck_assert_double_eq (flow_count (&f, LIFE + LIFE / 2), 1);
  ck_assert_double_eq (flow_count (&f, 2 * LIFE), 0);
  ck_assert (flow_count_on_packet (&f, 2, 2 * LIFE));
  /* many at the end of their lives at once: two places are freed by a packet, but all of them are over */
  for (uint64_t id = 10; id < 20; id++)
    flow_count_on_packet (&f, id, 4 * LIFE);
  ck_assert (flow_count_on_packet (&f, 19, 5 * LIFE));
  ck_assert_double_eq (flow_count (&f, 5 * LIFE), 1);
}
END_TEST

/* Any pattern of packets against a list that is searched. */
START_TEST (test_exact_agrees_with_a_search)
{
  static CcTime heard[300];
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 11);
  CcTime now = CC_SECOND;

  setup (FLOW_COUNT_EXACT, 99);
  for (unsigned i = 0; i < 100000; i++) {
    double u = cc_random_uniform (&random, 0, 1);
    unsigned id = (unsigned)(300 * u * u), active = 0;
    now += (CcDuration)cc_random_uniform (&random, 0, i % 5000 < 4000 ? 2e6 : 2e7);
    ck_assert_int_eq (flow_count_on_packet (&f, id, now), heard[id] == 0 || now - heard[id] >= LIFE);
    heard[id] = now;
    if (i % 37 != 0)
      continue;
    for (unsigned j = 0; j < 300; j++)
      active += heard[j] != 0 && now - heard[j] < LIFE;
    ck_assert_double_eq (flow_count (&f, now), active);
  }
  ck_assert_uint_eq (f.missed, 0);
}
END_TEST

/* More than fit: the estimate, and exact again once they are gone. */
START_TEST (test_full_table_falls_back)
{
  setup (FLOW_COUNT_EXACT, 5);
  send_all (0, FLOW_COUNT_TABLE, 0, LIFE / 4);
  ck_assert_double_eq (flow_count (&f, LIFE / 4), FLOW_COUNT_TABLE);
  send_all (100000, 1500, LIFE / 4, LIFE / 4);
  /* 3 standard errors of 0.7 %, see test_estimator_error () */
  ck_assert_double_eq_tol (flow_count (&f, LIFE / 2), FLOW_COUNT_TABLE + 1500, 45);
  ck_assert_uint_eq (f.missed, 3000);
  for (CcTime now = LIFE / 2; now < 3 * LIFE; now += LIFE / 16)
    send_all (5, 3, now, 1000);
  ck_assert_double_eq (flow_count (&f, 3 * LIFE), 3);
}
END_TEST

/* Whang et al. 1990: standard error sqrt (m (e^t - t - 1))/n, t = n/m; with m = 16384: 0.45 % of 100 (a collision or
   not), 0.55 % of 1000, 0.61 % of 10000. 40 keys: their mean error is within 4/sqrt (40) of that, none beyond 4. */
START_TEST (test_estimator_error)
{
  const unsigned sizes[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};

  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    double n = sizes[i], m = FLOW_COUNT_BITS, bias = 0, square = 0, worst = 0;
    double sigma = fmax (sqrt (m * (exp (n / m) - n / m - 1)), 0.01);
    for (unsigned key = 1; key <= 40; key++) {
      double error;
      setup (FLOW_COUNT_ESTIMATED, key * 0x9e3779b97f4a7c15);
      send_all (1000000, sizes[i], 0, LIFE / 2);
      error = flow_count (&f, LIFE / 2) - n;
      bias += error / 40;
      square += error * error / 40;
      worst = fmax (worst, fabs (error));
    }
    printf ("%6.0f flows: mean error %+.3f %%, rms %.3f %%, worst %.3f %% (by formula %.3f %%)\n", n, 100 * bias / n,
        100 * sqrt (square) / n, 100 * worst / n, 100 * sigma / n);
    ck_assert_double_le (fabs (bias), 4 / sqrt (40) * sigma + 1);
    ck_assert_double_le (sqrt (square), 2 * sigma + 1);
    ck_assert_double_le (worst, fmax (0.03 * n, 1.1));
  }
}
END_TEST

/* Silent flows are counted for one to two lives, those that send always. */
START_TEST (test_estimator_forgets)
{
  setup (FLOW_COUNT_ESTIMATED, 3);
  send_all (0, 1000, 0, LIFE - 1000);
  for (CcTime now = LIFE; now < 5 * LIFE; now += LIFE / 8)
    send_all (0, 100, now, LIFE / 8);
  ck_assert_double_eq_tol (flow_count (&f, 5 * LIFE), 100, 3);
  ck_assert_double_eq (flow_count (&f, 7 * LIFE), 0);

  setup (FLOW_COUNT_ESTIMATED, 3);
  send_all (0, 1000, 0, LIFE - 1000);
  ck_assert_double_eq_tol (flow_count (&f, 2 * LIFE - 1), 1000, 20);
  ck_assert_double_eq (flow_count (&f, 2 * LIFE), 0);

  /* after two and a half lives of silence nothing is left of them */
  send_all (0, 1000, 4 * LIFE, LIFE - 1000);
  flow_count_on_packet (&f, 7, 6 * LIFE + LIFE / 2);
  ck_assert_double_eq_tol (flow_count (&f, 6 * LIFE + LIFE / 2), 1, 0.01);
}
END_TEST

/* All bits set: a bound, no infinity. m ln (2 m) = 170 k. */
START_TEST (test_estimator_is_bounded)
{
  setup (FLOW_COUNT_ESTIMATED, 1);
  for (uint64_t id = 0; id < 1000000; id++)
    flow_count_on_packet (&f, id, 0);
  ck_assert_double_le (flow_count (&f, 0), 171000);
  ck_assert_double_ge (flow_count (&f, 0), 120000);
}
END_TEST

/* A clock that steps back, and one that leaps. */
START_TEST (test_odd_times)
{
  for (int mode = FLOW_COUNT_EXACT; mode <= FLOW_COUNT_ESTIMATED; mode++) {
    setup ((FlowCountMode)mode, 1);
    flow_count_on_packet (&f, 1, 10 * CC_SECOND);
    flow_count_on_packet (&f, 2, 9 * CC_SECOND);
    ck_assert_double_eq_tol (flow_count (&f, 9 * CC_SECOND), 2, 0.01);
    flow_count_on_packet (&f, 3, CC_TIME_NONE - 2);
    ck_assert_double_eq_tol (flow_count (&f, CC_TIME_NONE - 2), 1, 0.01);
  }
}
END_TEST

START_TEST (test_life_is_checked)
{
  FlowCountParams params = {.life = 0};

  flow_count_init (&f, &params);
  ck_assert_uint_eq (f.params.life, 2 * CC_SECOND);
  flow_count_set_life (&f, 61 * CC_SECOND);
  ck_assert_uint_eq (f.params.life, 2 * CC_SECOND);
  flow_count_set_life (&f, CC_SECOND);
  ck_assert_uint_eq (f.params.life, CC_SECOND);
}
END_TEST

CC_TEST_MAIN ("flowcount", test_exact_counts_and_forgets, CC_TEST_LONG (test_exact_agrees_with_a_search),
    test_full_table_falls_back, test_estimator_error, test_estimator_forgets, test_estimator_is_bounded, test_odd_times,
    test_life_is_checked)
