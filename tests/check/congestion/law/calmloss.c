/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "calmloss.h"
#include "cctest.h"

/* Half of the packets meet a queue. Of so many of either kind in a row, one is lost; 0: none. */
static CalmLoss
after (unsigned packets, unsigned calm_every, unsigned queued_every)
{
  CalmLoss c = {0};

  for (unsigned i = 0; i < packets; i++) {
    bool queued = i % 2;
    unsigned every = queued ? queued_every : calm_every;

    calm_loss_on_delay (&c, queued ? 0.02 : 0.001, false);
    calm_loss_on_packet (&c, every > 0 && i / 2 % every == every / 2);
  }
  return c;
}

START_TEST (test_drops_among_packets_that_met_the_queue_are_its_own)
{
  CalmLoss c = after (600, 0, 20);

  ck_assert_double_gt (calm_loss_of_queue (&c), 0.5);
  ck_assert (calm_loss_looks_like_queue (&c));
}
END_TEST

START_TEST (test_drops_among_all_are_not)
{
  CalmLoss c = after (600, 20, 20);

  ck_assert_double_eq (calm_loss_of_queue (&c), 0);
  ck_assert (!calm_loss_looks_like_queue (&c));
}
END_TEST

START_TEST (test_without_a_calm_packet_all_are)
{
  CalmLoss c = {0};

  for (unsigned i = 0; i < 100; i++) {
    calm_loss_on_delay (&c, 0.05, true);
    calm_loss_on_packet (&c, i % 20 == 10);
  }
  ck_assert_double_eq (calm_loss_of_queue (&c), 1);
}
END_TEST

/* Five of 30 that met a queue, none of 15 that met a calm one: chance does as much. */
START_TEST (test_few_calm_packets_prove_nothing)
{
  CalmLoss c = {.whole = {.packets = 45, .lost = 5, .gaps = 5}, .calm = {.packets = 15}};

  ck_assert_double_eq (calm_loss_of_queue (&c), 0);
  loss_count_scale (&c.whole, 10);
  loss_count_scale (&c.calm, 10);
  ck_assert_double_gt (calm_loss_of_queue (&c), 0.5);
}
END_TEST

START_TEST (test_fades_and_takes_back)
{
  CalmLoss c = after (2400, 20, 20);
  double gaps = c.whole.gaps;

  calm_loss_take_back (&c);
  ck_assert_double_eq (c.whole.gaps, gaps - 1);
  calm_loss_fade (&c, 100);
  ck_assert_double_eq_tol (c.whole.packets, 600, 1e-6);
}
END_TEST

CC_TEST_MAIN ("calmloss", test_drops_among_packets_that_met_the_queue_are_its_own, test_drops_among_all_are_not,
    test_without_a_calm_packet_all_are, test_few_calm_packets_prove_nothing, test_fades_and_takes_back)
