/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "callweight.h"
#include "cctest.h"

#include <math.h>

START_TEST (test_what_is_no_weight_is_one)
{
  const double given[] = {1, 2.5, CALL_WEIGHT_MOST, 1e9, INFINITY, 0.5, 0, -3, NAN};
  const double taken[] = {1, 2.5, CALL_WEIGHT_MOST, CALL_WEIGHT_MOST, CALL_WEIGHT_MOST, 1, 1, 1, 1};

  for (unsigned i = 0; i < 9; i++)
    ck_assert_double_eq (call_weight_sane (given[i]), taken[i]);
}
END_TEST

START_TEST (test_among_others_it_is_so_many_calls)
{
  PathView v;

  path_view_init (&v, 100e3);
  ck_assert_double_eq (call_weight_rate (&v), 100e3);
  v.weight = 2;
  ck_assert_double_eq (call_weight_rate (&v), 50e3);
  v.cross.state = CROSS_TRAFFIC_NONE;
  ck_assert_double_eq (call_weight_rate (&v), 100e3);
}
END_TEST

/* What trains of 2 R show of a full path of 300 kB/s. */
START_TEST (test_each_of_them_sees_what_one_beside_it_sees)
{
  double c_of_100 = 2 * 100e3 * 300e3 / (300e3 + 100e3), c_of_200 = 2 * 200e3 * 300e3 / (300e3 + 200e3);
  PathView v;

  path_view_init (&v, 200e3);
  ck_assert_double_eq (call_weight_share (&v, c_of_200), c_of_200);
  v.weight = 2;
  ck_assert_double_eq_tol (call_weight_share (&v, c_of_200), c_of_100, 1);
  ck_assert_double_eq_tol (call_weight_share (&v, 1e9), 5e8, 1);
  ck_assert_double_eq (call_weight_share (&v, 0), 0);
  v.cross.state = CROSS_TRAFFIC_NONE;
  ck_assert_double_eq (call_weight_share (&v, c_of_200), c_of_200);
}
END_TEST

CC_TEST_MAIN ("callweight", test_what_is_no_weight_is_one, test_among_others_it_is_so_many_calls,
    test_each_of_them_sees_what_one_beside_it_sees)
