/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "losstrial.h"
#include "cctest.h"

#define ARRIVED 50e3 /* bytes/s */
#define LOOP 0.2

static const LossCount before = {.packets = 100, .lost = 6, .gaps = 6};

/* So many packets a step of 100 ms, of which one in `every` is lost; 0: none. */
static LossFinding
go_on (LossTrial *t, double sent_Bps, unsigned every, unsigned *steps)
{
  LossFinding found = LOSS_TRIAL_GOES_ON;
  CcTime now = t->at;

  for (unsigned n = 0; found == LOSS_TRIAL_GOES_ON && *steps < 100; ++*steps) {
    for (unsigned i = 0; i < 6; i++)
      loss_trial_on_packet (t, every > 0 && ++n % every == 0);
    now += 100 * CC_MSECOND;
    found = loss_trial_go_on (t, sent_Bps, LOOP, now);
  }
  return found;
}

START_TEST (test_up_more_comes_through_than_a_policer_lets)
{
  LossTrial t = {0};
  unsigned steps = 0;

  loss_trial_begin_up (&t, &before, ARRIVED, CC_SECOND);
  ck_assert (!loss_trial_is_down (&t));
  ck_assert_int_eq (go_on (&t, 2 * ARRIVED, 20, &steps), LOSS_TRIAL_FREE);
  ck_assert_uint_le (steps, 4);
  ck_assert_double_gt (loss_trial_floor (&t).packets, before.packets);
}
END_TEST

START_TEST (test_up_a_policer_loses_the_rest)
{
  LossTrial t = {0};
  unsigned steps = 0;

  loss_trial_begin_up (&t, &before, ARRIVED, CC_SECOND);
  ck_assert_int_eq (go_on (&t, 2 * ARRIVED, 2, &steps), LOSS_TRIAL_CAUSE);
}
END_TEST

/* One gap in 32 packets, then 7 in 54, at 1.2 times what arrived, of which a policer would have lost 9. */
START_TEST (test_up_one_gap_before_proves_nothing)
{
  const LossCount one = {.packets = 32, .lost = 1, .gaps = 1};
  LossTrial t = {0};

  loss_trial_begin_up (&t, &one, ARRIVED, CC_SECOND);
  for (unsigned n = 0; n < 47; n++)
    loss_trial_on_packet (&t, n % 7 == 3);
  ck_assert_double_eq (t.count.gaps, 7);
  ck_assert_int_eq (loss_trial_go_on (&t, 1.2 * ARRIVED, LOOP, 2 * CC_SECOND), LOSS_TRIAL_GOES_ON);
}
END_TEST

START_TEST (test_up_ends_where_nothing_more_is_sent)
{
  LossTrial t = {0};
  unsigned steps = 0;

  loss_trial_begin_up (&t, &before, ARRIVED, CC_SECOND);
  ck_assert_int_eq (go_on (&t, ARRIVED, 20, &steps), LOSS_TRIAL_ENDS);
  ck_assert_uint_eq (steps, 41);
}
END_TEST

START_TEST (test_down_below_what_arrives)
{
  LossTrial t = {0};

  loss_trial_begin_down (&t, &before, ARRIVED, ARRIVED, CC_SECOND);
  ck_assert (loss_trial_is_down (&t));
  ck_assert_double_eq_tol (t.test_Bps, 0.65 * ARRIVED, 1);
  loss_trial_begin_down (&t, &before, 2 * ARRIVED, ARRIVED, CC_SECOND);
  ck_assert_double_eq_tol (t.test_Bps, 0.9 * ARRIVED, 1);
  loss_trial_abort (&t);
  ck_assert (!loss_trial_is_down (&t));
}
END_TEST

START_TEST (test_down_as_much_is_lost)
{
  LossTrial t = {0};
  unsigned steps = 0;

  loss_trial_begin_down (&t, &before, ARRIVED, ARRIVED, CC_SECOND);
  ck_assert_int_eq (go_on (&t, 0.65 * ARRIVED, 20, &steps), LOSS_TRIAL_FREE);
  /* one gap less: by it the trial was begun */
  ck_assert_double_eq (loss_trial_floor (&t).gaps, before.gaps - 1 + t.count.gaps);
}
END_TEST

START_TEST (test_down_less_is_lost)
{
  LossTrial t = {0};
  unsigned steps = 0;

  loss_trial_begin_down (&t, &before, ARRIVED, ARRIVED, CC_SECOND);
  ck_assert_int_eq (go_on (&t, 0.65 * ARRIVED, 0, &steps), LOSS_TRIAL_CAUSE);
  ck_assert_double_eq (loss_trial_floor (&t).gaps, 0);
  ck_assert_uint_le (steps, 3 + 41);
}
END_TEST

CC_TEST_MAIN ("losstrial", test_up_more_comes_through_than_a_policer_lets, test_up_a_policer_loses_the_rest,
    test_up_one_gap_before_proves_nothing, test_up_ends_where_nothing_more_is_sent, test_down_below_what_arrives,
    test_down_as_much_is_lost, test_down_less_is_lost)
