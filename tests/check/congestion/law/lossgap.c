/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lossgap.h"
#include "cctest.h"

#define NOW (10 * CC_SECOND)

/* 11 is missing at R = 100 kB/s, 14 a second later at 60. */
static void
setup (LossGap *g)
{
  loss_gap_init (g);
  loss_gap_on_packet (g, 9, 10, 120e3, NOW - CC_SECOND); /* nothing missing */
  loss_gap_on_packet (g, 10, 12, 100e3, NOW);
  loss_gap_on_packet (g, 12, 13, 80e3, NOW);
  loss_gap_on_packet (g, 13, 15, 60e3, NOW + CC_SECOND);
}

START_TEST (test_what_R_was_at_the_first)
{
  LossGap g;
  RateWish wish;

  setup (&g);
  wish = loss_gap_excuse (&g, 11, 14, 50e3);
  ck_assert_double_eq (wish.rate_Bps, 100e3);
  ck_assert_int_eq (wish.owner, RATE_OWNER_LOSS);
  ck_assert_int_eq (loss_gap_excuse (&g, 11, 14, 50e3).owner, RATE_OWNER_UNKNOWN); /* once */
}
END_TEST

START_TEST (test_others_are_not_excused)
{
  LossGap g;

  setup (&g);
  ck_assert_int_eq (loss_gap_excuse (&g, 12, 14, 50e3).owner, RATE_OWNER_UNKNOWN);
  ck_assert_int_eq (loss_gap_excuse (&g, 5, 10, 50e3).owner, RATE_OWNER_UNKNOWN);
}
END_TEST

START_TEST (test_R_is_not_taken_down)
{
  LossGap g;

  setup (&g);
  ck_assert_int_eq (loss_gap_excuse (&g, 11, 14, 110e3).owner, RATE_OWNER_UNKNOWN);
}
END_TEST

START_TEST (test_later_losses_are_others)
{
  LossGap g;

  setup (&g);
  loss_gap_on_packet (&g, 15, 17, 40e3, NOW + 4 * CC_SECOND);
  ck_assert_double_eq (loss_gap_excuse (&g, 16, 16, 30e3).rate_Bps, 40e3);
}
END_TEST

CC_TEST_MAIN ("lossgap", test_what_R_was_at_the_first, test_others_are_not_excused, test_R_is_not_taken_down,
    test_later_losses_are_others)
