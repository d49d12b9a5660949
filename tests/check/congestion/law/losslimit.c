/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "losslimit.h"
#include "cctest.h"
#include <math.h>

#define NOW (100 * CC_SECOND)

START_TEST (test_where_none_was_met)
{
  const LossLimit l = {0};

  ck_assert (isinf (loss_limit_Bps (&l, NOW)));
  ck_assert (loss_limit_is_far (&l, 1e9, NOW));
  ck_assert (!loss_limit_is_passed (&l, 1e9, NOW));
  ck_assert_double_eq (loss_limit_arrives (&l, 50e3, NOW), 50e3);
}
END_TEST

START_TEST (test_a_little_below_what_arrived)
{
  LossLimit l = {0};

  loss_limit_meet (&l, 100e3, NOW);
  ck_assert_double_eq (loss_limit_Bps (&l, NOW), 95e3);
  ck_assert (loss_limit_is_far (&l, 80e3, NOW));
  ck_assert (!loss_limit_is_far (&l, 81e3, NOW));
  ck_assert (!loss_limit_is_passed (&l, 190e3, NOW));
  ck_assert (loss_limit_is_passed (&l, 191e3, NOW));
}
END_TEST

/* Met again and again it does not sink, unless less arrives. */
START_TEST (test_met_once_more)
{
  LossLimit l = {0};

  loss_limit_meet (&l, 100e3, NOW);
  loss_limit_meet (&l, loss_limit_arrives (&l, 120e3, NOW), NOW);
  ck_assert_double_eq_tol (loss_limit_Bps (&l, NOW), 95e3, 1e-6);
  ck_assert_double_eq (loss_limit_arrives (&l, 80e3, NOW), 80e3);
}
END_TEST

START_TEST (test_it_is_forgotten)
{
  LossLimit l = {0};

  loss_limit_meet (&l, 100e3, NOW);
  ck_assert (isfinite (loss_limit_Bps (&l, NOW + 59 * CC_SECOND)));
  ck_assert (isinf (loss_limit_Bps (&l, NOW + 60 * CC_SECOND)));
  loss_limit_forget (&l);
  ck_assert (isinf (loss_limit_Bps (&l, NOW)));
}
END_TEST

CC_TEST_MAIN (
    "losslimit", test_where_none_was_met, test_a_little_below_what_arrived, test_met_once_more, test_it_is_forgotten)
