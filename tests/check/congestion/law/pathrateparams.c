/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pathrateparams.h"
#include "cctest.h"
#include <math.h>

START_TEST (test_nonsense_is_made_sense_of)
{
  const double nonsense[] = {0, -1, NAN};

  for (unsigned i = 0; i < 3; i++) {
    PathRateParams params = {nonsense[i], nonsense[i], nonsense[i], nonsense[i]};
    params = path_rate_params_sane (&params);
    ck_assert_double_eq (params.min_Bps, 1);
    ck_assert_double_eq (params.max_Bps, 1);
    ck_assert_double_eq (params.start_Bps, 1);
    ck_assert_double_eq (params.weight, 1);
  }
}
END_TEST

START_TEST (test_sense_is_left)
{
  PathRateParams params;

  path_rate_params_init (&params);
  ck_assert_double_eq (path_rate_params_sane (&params).start_Bps, params.start_Bps);
  ck_assert_double_eq (path_rate_params_sane (&params).min_Bps, params.min_Bps);
  ck_assert_double_eq (path_rate_params_sane (&params).max_Bps, params.max_Bps);
  ck_assert_double_eq (path_rate_params_sane (&params).weight, 1);
  params.weight = 3;
  ck_assert_double_eq (path_rate_params_sane (&params).weight, 3);
}
END_TEST

START_TEST (test_clamps)
{
  const PathRateParams params = {20e3, 10e3, 30e3, 1};

  ck_assert_double_eq (path_rate_params_clamp (&params, 5e3), 10e3);
  ck_assert_double_eq (path_rate_params_clamp (&params, 15e3), 15e3);
  ck_assert_double_eq (path_rate_params_clamp (&params, 50e3), 30e3);
}
END_TEST

CC_TEST_MAIN ("pathrateparams", test_nonsense_is_made_sense_of, test_sense_is_left, test_clamps)
