/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "deficitrr.h"
#include "ccrandom.h"
#include "cctest.h"

#include <math.h>
#include <stdbool.h>

/* Two queues that always have a next packet of a size drawn at random. */
typedef struct {
  DeficitRr rr;
  uint32_t head[2], largest;
  double sent[2];
  CcRandom random;
  CcPcg32 pcg;
  bool changed_mind;
} Backlogged;

static uint32_t
draw (Backlogged *b)
{
  return (uint32_t)cc_random_uniform (&b->random, 1, b->largest + 1);
}

static void
start (Backlogged *b, double weight, uint32_t largest0, uint32_t largest1, uint64_t seed)
{
  *b = (Backlogged){.largest = largest0 > largest1 ? largest0 : largest1};
  b->random = cc_pcg32_init (&b->pcg, seed);
  deficit_rr_init (&b->rr, weight);
  b->head[0] = largest0;
  b->head[1] = largest1;
}

static int
serve (Backlogged *b)
{
  int queue = deficit_rr_next (&b->rr, b->head);

  b->changed_mind |= deficit_rr_next (&b->rr, b->head) != queue;
  deficit_rr_on_served (&b->rr, queue, b->head[queue]);
  b->sent[queue] += b->head[queue];
  return queue;
}

/* By the rounds: each queue's bytes and what it may still send make up weight x rounds, and what it may send is less
   than a packet. So sent_i - w_i (sent_0 + sent_1) stays within one largest packet. */
START_TEST (bytes_follow_the_weights_within_a_packet)
{
  Backlogged b;

  for (uint64_t seed = 1; seed <= 200; seed++) {
    double from[2] = {0, 0}, w, worst[2] = {0, 0};

    start (&b, 0, 64 + (uint32_t)(seed * 37 % 1437), 40 + (uint32_t)(seed * 101 % 9000), seed);
    w = cc_random_uniform (&b.random, 0.001, 0.999);
    deficit_rr_set_weight (&b.rr, w);
    for (int i = 0; i < 3000; i++) {
      int queue = serve (&b);
      double all = b.sent[0] - from[0] + b.sent[1] - from[1];

      b.head[queue] = draw (&b);
      worst[i > 1500] = fmax (worst[i > 1500], fabs (b.sent[0] - from[0] - w * all));
      if (i == 1500) {
        from[0] = b.sent[0];
        from[1] = b.sent[1];
      }
    }
    /* from the start: one packet; from an instant in between, what was earned by then comes on top */
    ck_assert_double_le (worst[0], b.largest + 1e-6);
    ck_assert_double_le (worst[1], 2.0 * b.largest + 1e-6);
    ck_assert (!b.changed_mind);
  }
}
END_TEST

/* Ten packets of 150 to one of 1500, not one to one. */
START_TEST (counts_bytes_rather_than_packets)
{
  Backlogged b;
  int small = 0;

  start (&b, 0.5, 150, 1500, 1);
  for (int i = 0; i < 1100; i++)
    small += serve (&b) == 0;
  ck_assert_int_ge (small, 990);
  ck_assert_int_le (small, 1010);
}
END_TEST

START_TEST (serves_whatever_there_is)
{
  DeficitRr rr;
  uint32_t none[2] = {0, 0}, media[2] = {1200, 0}, elastic[2] = {0, 1500}, both[2] = {1200, 1500};

  deficit_rr_init (&rr, 0);
  ck_assert_int_eq (deficit_rr_next (&rr, none), DEFICIT_RR_NONE);
  ck_assert_int_eq (deficit_rr_next (&rr, media), 0);
  ck_assert_int_eq (deficit_rr_next (&rr, elastic), 1);
  /* weight 0 yields to the other for as long as it has something */
  for (int i = 0; i < 100; i++) {
    ck_assert_int_eq (deficit_rr_next (&rr, both), 1);
    deficit_rr_on_served (&rr, 1, 1500);
  }
}
END_TEST

/* Queue 1 is alone for a while; queue 0 may not make up for that when it comes back. */
START_TEST (an_empty_queue_saves_nothing_up)
{
  Backlogged b;

  start (&b, 0.9, 1000, 1000, 1);
  b.head[0] = 0;
  for (int i = 0; i < 1000; i++)
    serve (&b);
  b.head[0] = 1000;
  b.sent[0] = b.sent[1] = 0;
  for (int i = 0; i < 100; i++)
    serve (&b);
  ck_assert_double_eq_tol (b.sent[0], 90e3, 1000);
}
END_TEST

START_TEST (weights_change_while_it_runs)
{
  Backlogged b;

  start (&b, 0.8, 1000, 700, 1);
  for (int i = 0; i < 1000; i++)
    serve (&b);
  deficit_rr_set_weight (&b.rr, 0.1);
  b.sent[0] = b.sent[1] = 0;
  for (int i = 0; i < 1000; i++)
    serve (&b);
  ck_assert_double_eq_tol (b.sent[0] / (b.sent[0] + b.sent[1]), 0.1, 2000 / (b.sent[0] + b.sent[1]));
}
END_TEST

/* A hundred-thousandth of the link: the wait is computed, not gone through. Ten packets in a million. */
START_TEST (tiny_weights_take_no_time)
{
  Backlogged b;
  int served = 0;

  start (&b, 1e-5, 1500, 1500, 1);
  for (int i = 0; i < 1000000; i++)
    served += serve (&b) == 0;
  ck_assert_int_ge (served, 9);
  ck_assert_int_le (served, 11);
}
END_TEST

START_TEST (odd_weights_and_calls_do_no_harm)
{
  DeficitRr rr;
  uint32_t both[2] = {1200, 1500};

  deficit_rr_init (&rr, NAN);
  ck_assert_double_eq (rr.weight[0], 0.5);
  deficit_rr_set_weight (&rr, -3);
  ck_assert_double_eq (rr.weight[0], 0);
  deficit_rr_set_weight (&rr, 7);
  ck_assert_double_eq (rr.weight[1], 0);
  deficit_rr_on_served (&rr, DEFICIT_RR_NONE, 1000);
  deficit_rr_on_served (&rr, 2, 1000);
  for (int i = 0; i < 1000; i++)
    deficit_rr_on_served (&rr, 1, UINT32_MAX);
  deficit_rr_set_weight (&rr, 0.5);
  ck_assert_int_eq (deficit_rr_next (&rr, both), 0);
  ck_assert (isfinite (rr.deficit[0]) && isfinite (rr.deficit[1]));
}
END_TEST

/* Queue 0 has a third. While it is empty the other sends 6000 bytes: 3000 are its due, 2000 of them kept. When it comes
   with 1000-byte packets, two go ahead; from then on one in three is its own. Nothing is kept where that is not set. */
START_TEST (an_empty_queue_saves_up)
{
  static const unsigned ahead[] = {2, 0};

  for (int without = 0; without < 2; without++) {
    DeficitRr rr;
    unsigned first = 0, of_30 = 0;

    deficit_rr_init (&rr, 1.0 / 3);
    if (!without)
      deficit_rr_set_saving (&rr, 0, 2000);
    for (int i = 0; i < 6; i++) {
      ck_assert_int_eq (deficit_rr_next (&rr, (uint32_t[]){0, 1000}), 1);
      deficit_rr_on_served (&rr, 1, 1000);
    }
    while (deficit_rr_next (&rr, (uint32_t[]){1000, 1000}) == 0) {
      deficit_rr_on_served (&rr, 0, 1000);
      first++;
    }
    for (int i = 0; i < 30; i++) {
      int queue = deficit_rr_next (&rr, (uint32_t[]){1000, 1000});

      of_30 += queue == 0;
      deficit_rr_on_served (&rr, queue, 1000);
    }
    ck_assert_uint_eq (first, ahead[without]);
    ck_assert_uint_ge (of_30, 9);
    ck_assert_uint_le (of_30, 11);
  }
}
END_TEST

CC_TEST_MAIN ("deficitrr", bytes_follow_the_weights_within_a_packet, counts_bytes_rather_than_packets,
    serves_whatever_there_is, an_empty_queue_saves_nothing_up, weights_change_while_it_runs, tiny_weights_take_no_time,
    odd_weights_and_calls_do_no_harm, an_empty_queue_saves_up)
