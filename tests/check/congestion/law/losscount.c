/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "losscount.h"
#include "cctest.h"

START_TEST (test_counts_runs_as_one_gap)
{
  LossCount c = {0}, d = {0};

  loss_count_packet (&c, 0);
  loss_count_packet (&c, 3);
  loss_count_packet (&c, 1);
  ck_assert_double_eq (c.packets, 7);
  ck_assert_double_eq (c.lost, 4);
  ck_assert_double_eq (c.gaps, 2);
  ck_assert_double_eq_tol (loss_count_rate (&c), 2 / 7., 1e-12);
  ck_assert_double_eq (loss_count_rate (&d), 0);
  loss_count_add (&d, &c);
  loss_count_scale (&d, 0.5);
  ck_assert_double_eq (d.packets, 3.5);
  ck_assert_double_eq (d.gaps, 1);
  loss_count_take_out (&c, &d);
  ck_assert_double_eq (c.packets, 3.5);
  ck_assert_double_eq (c.lost, 2);
  ck_assert_double_eq (c.gaps, 1);
}
END_TEST

START_TEST (test_what_comes_late_was_not_lost)
{
  LossCount c = {.packets = 10, .lost = 2, .gaps = 1.5};

  loss_count_take_back (&c);
  ck_assert_double_eq (c.lost, 1);
  ck_assert_double_eq (c.gaps, 0.5);
  loss_count_take_back (&c);
  loss_count_take_back (&c);
  ck_assert_double_eq (c.lost, 0);
  ck_assert_double_eq (c.gaps, 0);
  ck_assert_double_eq (c.packets, 10);
}
END_TEST

/* Of 100 packets, beside 5 % of 300: 5 gaps are expected, and 1.5 sqrt (5 4/3) more are chance, as is one. */
START_TEST (test_excess_is_beyond_chance)
{
  const LossCount elsewhere = {.packets = 300, .lost = 15, .gaps = 15}, nothing = {0};
  LossCount c = {.packets = 100, .lost = 9, .gaps = 9};

  ck_assert_double_eq (loss_count_excess (&c, &elsewhere), 0);
  c.gaps = c.lost = 12;
  ck_assert_double_eq_tol (loss_count_excess (&c, &elsewhere), 12 - 5 - 1 - 1.5 * sqrt (5 * 4 / 3.), 1e-9);
  /* where nothing is known all are, but for one */
  ck_assert_double_eq (loss_count_excess (&c, &nothing), 11);
}
END_TEST

/* None of ten was lost elsewhere, 4 of 40 here. */
START_TEST (test_few_packets_prove_nothing)
{
  const LossCount elsewhere = {.packets = 10}, many = {.packets = 1000};
  LossCount c = {.packets = 40, .lost = 4, .gaps = 4};

  ck_assert_double_eq (loss_count_excess (&c, &elsewhere), 3);
  ck_assert_double_eq (loss_count_sure_excess (&c, &elsewhere), 0);
  ck_assert_double_eq_tol (loss_count_sure_excess (&c, &many), 4 - 1 - 1.5 * sqrt (40 * 4 / 1040. * 1.04), 1e-9);
}
END_TEST

START_TEST (test_fewer_is_beyond_chance)
{
  ck_assert (!loss_count_are_fewer (0, 0));
  ck_assert (!loss_count_are_fewer (0, 5.8)); /* 1 + 2 sqrt (5.8) = 5.82 */
  ck_assert (loss_count_are_fewer (0, 5.9));
  ck_assert (!loss_count_are_fewer (3, 9.9)); /* 3 + 1 + 6.29 */
  ck_assert (loss_count_are_fewer (3, 11));
}
END_TEST

START_TEST (test_keeps_a_least_number)
{
  ck_assert_double_eq_tol (loss_count_kept (1, 1, 1e6, 100), 0.3679, 1e-4);
  ck_assert_double_eq (loss_count_kept (1, 1, 200, 100), 0.5);
  ck_assert_double_eq (loss_count_kept (1, 1, 50, 100), 1);
}
END_TEST

CC_TEST_MAIN ("losscount", test_keeps_a_least_number, test_counts_runs_as_one_gap, test_what_comes_late_was_not_lost,
    test_excess_is_beyond_chance, test_few_packets_prove_nothing, test_fewer_is_beyond_chance)
