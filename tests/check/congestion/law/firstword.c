/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "firstword.h"
#include "cctest.h"

START_TEST (test_downwards_at_once)
{
  FirstWord w = {0};
  RateWish wish = first_word_on_word (&w, 20e3, 40e3);

  ck_assert_double_eq (wish.rate_Bps, 20e3);
  ck_assert_int_eq (wish.owner, RATE_OWNER_ROUTER);
}
END_TEST

START_TEST (test_upwards_by_what_trains_have_shown)
{
  FirstWord w = {0};

  ck_assert_int_eq (first_word_on_word (&w, 200e3, 40e3).owner, RATE_OWNER_UNKNOWN);
  ck_assert_int_eq (first_word_step (&w, 0, 40e3).owner, RATE_OWNER_UNKNOWN); /* none yet */
  ck_assert_double_eq_tol (first_word_step (&w, 100e3, 40e3).rate_Bps, 98e3, 1e-6);
  ck_assert_int_eq (first_word_step (&w, 400e3, 40e3).owner, RATE_OWNER_UNKNOWN); /* once */
}
END_TEST

START_TEST (test_no_further_than_the_word)
{
  FirstWord w = {0};

  first_word_on_word (&w, 200e3, 40e3);
  ck_assert_double_eq (first_word_step (&w, 900e3, 40e3).rate_Bps, 200e3);
}
END_TEST

START_TEST (test_trains_do_not_take_down)
{
  FirstWord w = {0};

  first_word_on_word (&w, 200e3, 40e3);
  ck_assert_int_eq (first_word_step (&w, 30e3, 40e3).owner, RATE_OWNER_UNKNOWN);
  ck_assert_int_eq (first_word_step (&w, 900e3, 40e3).owner, RATE_OWNER_UNKNOWN);
}
END_TEST

CC_TEST_MAIN ("firstword", test_downwards_at_once, test_upwards_by_what_trains_have_shown,
    test_no_further_than_the_word, test_trains_do_not_take_down)
