/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recentloss.h"
#include "cctest.h"

static void
arrive (RecentLoss *l, unsigned packets, unsigned every, unsigned lost)
{
  for (unsigned i = 0; i < packets; i++)
    recent_loss_on_packet (l, every > 0 && i % every == 0 ? lost : 0);
}

START_TEST (test_tells_losses_and_how_many_in_a_row)
{
  RecentLoss l;

  recent_loss_init (&l);
  ck_assert_double_eq (l.loss, 0);
  ck_assert_double_eq (l.burst, 1);
  arrive (&l, 2000, 36, 4); /* 4 of 40 */
  ck_assert_double_eq_tol (l.loss, 0.1, 0.02);
  ck_assert_double_eq_tol (l.burst, 4, 0.2);
}
END_TEST

/* The first ones count for much, as there is nothing else to go by; what is over is forgotten. */
START_TEST (test_is_quick_at_first_and_forgets)
{
  RecentLoss l;

  recent_loss_init (&l);
  arrive (&l, 100, 10, 1);
  ck_assert_double_gt (l.loss, 0.04);
  arrive (&l, 512, 0, 0);
  ck_assert_double_lt (l.loss, 0.05);
  arrive (&l, 5 * 512, 0, 0);
  ck_assert_double_lt (l.loss, 0.0005);
}
END_TEST

START_TEST (test_what_comes_late_was_not_lost)
{
  RecentLoss l;

  recent_loss_init (&l);
  arrive (&l, 600, 0, 0);
  recent_loss_on_packet (&l, 1);
  ck_assert_double_gt (l.loss, 0.001);
  recent_loss_take_back (&l);
  ck_assert_double_lt (l.loss, 1e-5);
  recent_loss_take_back (&l);
  ck_assert_double_eq (l.loss, 0);
}
END_TEST

CC_TEST_MAIN ("recentloss", test_tells_losses_and_how_many_in_a_row, test_is_quick_at_first_and_forgets,
    test_what_comes_late_was_not_lost)
