/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "inorder.h"
#include "cctest.h"

START_TEST (test_each_as_it_came)
{
  InOrder o;

  in_order_init (&o);
  in_order_on_arrival (&o, 65535, 10);
  in_order_on_arrival (&o, 0, 20);
  ck_assert_uint_eq (in_order_on_leaving (&o, 65535, 50), 10);
  ck_assert_uint_eq (in_order_on_leaving (&o, 0, 90), 20);
}
END_TEST

START_TEST (test_what_comes_behind_a_gap_is_there_with_what_fills_it)
{
  InOrder o;

  in_order_init (&o);
  in_order_on_arrival (&o, 1, 10);
  in_order_on_arrival (&o, 3, 20);
  in_order_on_arrival (&o, 4, 30);
  in_order_on_arrival (&o, 2, 130);
  in_order_on_arrival (&o, 5, 140);
  for (uint16_t seq = 1; seq <= 5; seq++)
    ck_assert_uint_eq (in_order_on_leaving (&o, seq, 200), seq == 1 ? 10 : seq < 5 ? 130 : 140);
}
END_TEST

START_TEST (test_what_never_came_was_waited_for)
{
  InOrder o;

  in_order_init (&o);
  in_order_on_arrival (&o, 1, 10);
  in_order_on_arrival (&o, 3, 20);
  in_order_on_arrival (&o, 4, 30);
  in_order_on_leaving (&o, 1, 10);
  ck_assert_uint_eq (in_order_on_leaving (&o, 3, 400), 400);
  ck_assert_uint_eq (in_order_on_leaving (&o, 4, 401), 400);
}
END_TEST

/* A packet of another round of numbers is not this one. */
START_TEST (test_an_old_number_is_forgotten)
{
  InOrder o;

  in_order_init (&o);
  in_order_on_arrival (&o, 5, 10);
  ck_assert_uint_eq (in_order_on_leaving (&o, 5 + IN_ORDER_PACKETS, 70), 70);
}
END_TEST

/* As running time does when a pipeline begins anew. */
START_TEST (test_time_may_begin_anew)
{
  InOrder o;

  in_order_init (&o);
  in_order_on_arrival (&o, 1, 60000);
  ck_assert_uint_eq (in_order_on_leaving (&o, 1, 60000), 60000);
  in_order_on_arrival (&o, 2, 10);
  ck_assert_uint_eq (in_order_on_leaving (&o, 2, 11), 11);
  in_order_on_arrival (&o, 3, 20);
  ck_assert_uint_eq (in_order_on_leaving (&o, 3, 50), 20);
}
END_TEST

CC_TEST_MAIN ("inorder", test_each_as_it_came, test_what_comes_behind_a_gap_is_there_with_what_fills_it,
    test_what_never_came_was_waited_for, test_an_old_number_is_forgotten, test_time_may_begin_anew)
