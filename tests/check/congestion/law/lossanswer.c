/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lossanswer.h"
#include "cctest.h"
#include <math.h>

/* 100 packets a second at 100 kB/s, of which one in ten is lost whatever R is. */
typedef struct {
  LossAnswer answer;
  PathView view;
  CcTime now;
  uint64_t seq;
} Path;

static void
setup (Path *p)
{
  *p = (Path){.now = CC_SECOND};
  loss_answer_init (&p->answer);
  path_view_init (&p->view, 100e3);
  p->view.receive_Bps = 90e3;
  p->view.R = 100 * CC_MSECOND;
  p->view.last.wire_bytes = 1000;
}

/* Nine of ten packets. */
static RateWish
arrive (Path *p)
{
  RateWish wish = rate_wish_none;

  for (unsigned i = 0; i < 10; i++) {
    const PathPacket packet = {.counted = ++p->seq, .arrived_at = p->now};
    RateWish one = p->seq % 10 ? loss_answer_on_packet (&p->answer, &p->view, &packet, false) : rate_wish_none;

    if (one.owner != RATE_OWNER_UNKNOWN)
      wish = one;
  }
  return wish;
}

static RateWish
step (Path *p, bool others)
{
  RateWish wish;

  ck_assert_int_eq (arrive (p).owner, RATE_OWNER_UNKNOWN);
  p->now += 100 * CC_MSECOND;
  wish = loss_answer_step (&p->answer, &p->view, others, p->now);
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
  ck_assert (loss_cause_testing (&p.answer.cause));
  wish = step_until_it_wishes (&p);
  ck_assert_double_eq (wish.rate_Bps, 100e3);
  ck_assert (!loss_cause_testing (&p.answer.cause));
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
  ck_assert (!loss_cause_testing (&p.answer.cause));
}
END_TEST

START_TEST (test_a_silence_ends_a_test)
{
  Path p;

  setup (&p);
  arrive (&p);
  p.now += 3 * CC_SECOND;
  ck_assert_int_eq (arrive (&p).owner, RATE_OWNER_UNKNOWN); /* none was on */
  step_until_it_wishes (&p);
  p.now += CC_SECOND;
  ck_assert_int_eq (arrive (&p).owner, RATE_OWNER_UNKNOWN);
  ck_assert_double_gt (loss_cause_loss (&p.answer.cause), 0);
  p.now += 3 * CC_SECOND;
  ck_assert_double_eq (arrive (&p).rate_Bps, 100e3);
  ck_assert (!loss_cause_testing (&p.answer.cause));
}
END_TEST

/* 90 kB/s when 10 was missing. */
START_TEST (test_what_is_excused_gives_back_the_rate_of_before)
{
  Path p;
  RateWish wish;

  setup (&p);
  p.view.rate_Bps = 90e3;
  arrive (&p);
  arrive (&p);
  p.view.rate_Bps = 50e3;
  ck_assert_int_eq (loss_answer_excuse (&p.answer, 1, 9, 50e3, p.now).owner, RATE_OWNER_UNKNOWN);
  wish = loss_answer_excuse (&p.answer, 10, 10, 50e3, p.now);
  ck_assert_int_eq (wish.owner, RATE_OWNER_LOSS);
  ck_assert_double_eq (wish.rate_Bps, 90e3);
  ck_assert_uint_gt (p.answer.cause.test_at, p.now); /* more of them may come */
}
END_TEST

START_TEST (test_what_is_excused_takes_no_rate)
{
  Path p;

  setup (&p);
  p.view.rate_Bps = 90e3;
  arrive (&p);
  arrive (&p);
  ck_assert_int_eq (loss_answer_excuse (&p.answer, 10, 10, 120e3, p.now).owner, RATE_OWNER_UNKNOWN);
}
END_TEST

START_TEST (test_what_is_excused_ends_a_test)
{
  Path p;

  setup (&p);
  step_until_it_wishes (&p);
  ck_assert (loss_cause_testing (&p.answer.cause));
  ck_assert_double_eq (loss_answer_excuse (&p.answer, 1, 1, p.view.rate_Bps, p.now).rate_Bps, 100e3);
  ck_assert (!loss_cause_testing (&p.answer.cause));
  ck_assert_double_eq (loss_cause_loss (&p.answer.cause), 0);
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
    test_a_silence_ends_a_test, test_what_is_excused_gives_back_the_rate_of_before, test_what_is_excused_takes_no_rate,
    test_what_is_excused_ends_a_test, test_growth_near_where_loss_was_met)
