/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lossanswer.h"
#include "cctest.h"
#include <math.h>

/* 100 packets a second at 100 kB/s, of which one in ten is lost whatever R is. */
typedef struct {
  LossAnswer answer;
  LossCause cause;
  PathView view;
  CcTime now;
  uint64_t seq;
} Path;

static void
setup (Path *p)
{
  *p = (Path){.now = CC_SECOND};
  loss_cause_init (&p->cause);
  path_view_init (&p->view, 100e3);
  p->view.receive_Bps = 90e3;
  p->view.R = 100 * CC_MSECOND;
  p->view.last.wire_bytes = 1000;
}

static RateWish
step (Path *p, bool others)
{
  RateWish wish;

  for (unsigned i = 0; i < 10; i++)
    if (++p->seq % 10)
      loss_cause_on_packet (&p->cause, p->seq, 0, false);
  p->now += 100 * CC_MSECOND;
  wish = loss_answer_step (&p->answer, &p->cause, &p->view, others, p->now);
  if (wish.owner != RATE_OWNER_UNKNOWN)
    path_view_on_rate (&p->view, wish.rate_Bps);
  return wish;
}

static RateWish
step_until_it_wishes (Path *p)
{
  RateWish wish = rate_wish_none;

  for (unsigned i = 0; i < 600 && wish.owner == RATE_OWNER_UNKNOWN; i++)
    wish = step (p, false);
  return wish;
}

START_TEST (test_a_test_takes_R_down_and_gives_it_back)
{
  Path p;
  RateWish wish;

  setup (&p);
  wish = step_until_it_wishes (&p);
  ck_assert_int_eq (wish.owner, RATE_OWNER_LOSS);
  ck_assert_double_lt (wish.rate_Bps, 70e3);
  ck_assert (loss_cause_testing (&p.cause));
  wish = step_until_it_wishes (&p);
  ck_assert_double_eq (wish.rate_Bps, 100e3);
  ck_assert (!loss_cause_testing (&p.cause));
}
END_TEST

START_TEST (test_a_queue_of_others_ends_a_test)
{
  Path p;
  RateWish wish;

  setup (&p);
  step_until_it_wishes (&p);
  wish = step (&p, true);
  ck_assert_int_eq (wish.owner, RATE_OWNER_OTHERS);
  ck_assert_double_eq (wish.rate_Bps, 100e3);
  ck_assert (!loss_cause_testing (&p.cause));
}
END_TEST

START_TEST (test_a_silence_ends_a_test)
{
  Path p;

  setup (&p);
  ck_assert_int_eq (loss_answer_on_pause (&p.answer, &p.cause, 3 * CC_SECOND).owner, RATE_OWNER_UNKNOWN);
  step_until_it_wishes (&p);
  ck_assert_int_eq (loss_answer_on_pause (&p.answer, &p.cause, CC_SECOND).owner, RATE_OWNER_UNKNOWN);
  ck_assert_double_gt (loss_cause_loss (&p.cause), 0);
  ck_assert_double_eq (loss_answer_on_pause (&p.answer, &p.cause, 3 * CC_SECOND).rate_Bps, 100e3);
  ck_assert (loss_cause_loss (&p.cause) == 0);
}
END_TEST

START_TEST (test_growth_near_where_loss_was_met)
{
  LossGrowth g = {100e3, HUGE_VAL, false};

  ck_assert_double_eq (loss_growth_most (g, 80e3), HUGE_VAL);
  ck_assert_double_eq (loss_growth_most (g, 95e3), 0.02);
  ck_assert_double_eq (loss_growth_most (g, 120e3), 0.1);
  g.unexplained = true;
  ck_assert_double_eq (loss_growth_most (g, 80e3), 0);
}
END_TEST

CC_TEST_MAIN ("lossanswer", test_a_test_takes_R_down_and_gives_it_back, test_a_queue_of_others_ends_a_test,
    test_a_silence_ends_a_test, test_growth_near_where_loss_was_met)
