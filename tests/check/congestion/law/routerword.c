/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "routerword.h"
#include "cctest.h"

START_TEST (test_two_seconds_of_it)
{
  RouterWord w;

  router_word_init (&w);
  ck_assert_double_eq (router_word_queue (&w, CC_SECOND), 0);
  ck_assert (router_word_hear (&w, CC_SECOND));
  ck_assert_double_eq (router_word_queue (&w, 3 * CC_SECOND - 1), 0.020);
  ck_assert_double_eq (router_word_queue (&w, 3 * CC_SECOND), 0);
  ck_assert (!router_word_hear (&w, 4 * CC_SECOND));
}
END_TEST

CC_TEST_MAIN ("routerword", test_two_seconds_of_it)
