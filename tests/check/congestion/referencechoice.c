/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "referencechoice.h"
#include "ccrandom.h"
#include "cctest.h"

#include <string.h>

#define PICTURES 3000

/* An encoder and a receiver `delay` pictures apart, there and back; the receiver's own truth is kept beside. */
typedef struct {
  ReferenceChoice c;
  CcPcg32 pcg;
  CcRandom random;
  double loss, silence; /* of pictures; of verdicts */
  unsigned delay;
  bool lost[PICTURES], whole[PICTURES]; /* whole: arrived, and so did all it was predicted from */
  uint64_t in_buffer[REFERENCE_BUFFERS];
  unsigned keys, damaged, seen, longest, run, oldest_reference;
} Call;

static void
call_init (Call *call, ReferenceMode mode, unsigned delay, double loss, uint64_t seed)
{
  memset (call, 0, sizeof *call);
  memset (&call->c, 0xaa, sizeof call->c); /* whatever was there before */
  reference_choice_init (&call->c, mode);
  call->random = cc_pcg32_init (&call->pcg, seed);
  call->delay = delay;
  call->loss = loss;
}

/* The receiver decodes what comes, whatever it was predicted from. */
static void
receive (Call *call, uint64_t n, const ReferencePlan *plan)
{
  bool whole = !call->lost[n];

  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++)
    if ((plan->from & REFERENCE_BIT (b)) != 0) {
      whole = whole && call->whole[call->in_buffer[b]];
      if (n - call->in_buffer[b] > call->oldest_reference)
        call->oldest_reference = (unsigned)(n - call->in_buffer[b]);
    }
  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++)
    if ((plan->into & REFERENCE_BIT (b)) != 0)
      call->in_buffer[b] = n;
  call->whole[n] = whole;
  call->run = whole ? 0 : call->run + 1;
  call->longest = call->run > call->longest ? call->run : call->longest;
  call->seen += !call->lost[n];
  call->damaged += !whole && !call->lost[n];
}

static void
picture (Call *call, bool lost)
{
  uint64_t n = call->c.next;
  ReferencePlan plan;

  if (n >= call->delay && cc_random_uniform (&call->random, 0, 1) >= call->silence)
    reference_choice_on_verdict (&call->c, n - call->delay, !call->lost[n - call->delay]);
  plan = reference_choice_plan (&call->c);
  call->keys += plan.key;
  call->lost[n] = lost;
  ck_assert_uint_eq (reference_choice_on_picture (&call->c, &plan, plan.key), n);
  receive (call, n, &plan);
}

static void
call_run (Call *call, unsigned pictures)
{
  for (unsigned i = 0; i < pictures; i++)
    picture (call, i > 0 && cc_random_uniform (&call->random, 0, 1) < call->loss);
}

START_TEST (test_without_loss_nack_mode_predicts_from_the_last_picture_and_from_all_others)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 9, 0, 1);
  call_run (&call, 100);
  for (unsigned i = 0; i < 50; i++) {
    ReferencePlan plan = reference_choice_plan (&call.c);

    ck_assert_uint_eq (plan.from, REFERENCE_ALL);
    ck_assert_uint_eq (plan.into & REFERENCE_BIT (REFERENCE_LAST), REFERENCE_BIT (REFERENCE_LAST));
    picture (&call, false);
  }
  ck_assert_uint_eq (call.keys, 1);
  ck_assert_uint_eq (call.damaged, 0);
  ck_assert_uint_eq (call.c.stats.repairs, 0);
  /* one of the spare buffers is under way for a round trip, the other one keeps what was good then */
  ck_assert_uint_le (call.oldest_reference, 2 * 9 + 2);
}
END_TEST

START_TEST (test_nack_mode_mends_a_loss_when_it_hears_of_it)
{
  for (unsigned delay = 1; delay <= 30; delay += 7) {
    static Call call;

    call_init (&call, REFERENCE_NACK, delay, 0, 1);
    call_run (&call, 200);
    picture (&call, true);
    call_run (&call, 200);
    ck_assert_uint_eq (call.keys, 1);
    ck_assert_uint_eq (call.longest, delay);
    ck_assert_uint_eq (call.damaged, delay - 1);
    ck_assert_uint_eq (call.c.stats.repairs, 1);
  }
}
END_TEST

/* What is lost before the encoder has heard of the first loss is mended by the same picture. */
START_TEST (test_losses_within_a_round_trip_are_one_repair)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 10, 0, 1);
  call_run (&call, 100);
  picture (&call, true);
  call_run (&call, 4);
  picture (&call, true);
  call_run (&call, 100);
  ck_assert_uint_eq (call.longest, 10);
  ck_assert_uint_eq (call.c.stats.repairs, 1);
}
END_TEST

START_TEST (test_a_repair_that_is_lost_is_made_again)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 5, 0, 1);
  call_run (&call, 100);
  picture (&call, true);
  call_run (&call, 4);
  picture (&call, true);
  call_run (&call, 100);
  ck_assert_uint_eq (call.longest, 10);
  ck_assert_uint_eq (call.keys, 1);
}
END_TEST

START_TEST (test_ack_mode_never_predicts_from_what_may_be_damaged)
{
  for (unsigned delay = 1; delay <= 30; delay += 7) {
    static Call call;

    call_init (&call, REFERENCE_ACK, delay, 0.1, delay);
    call_run (&call, PICTURES);
    ck_assert_uint_eq (call.keys, 1);
    ck_assert_uint_eq (call.damaged, 0);
    ck_assert_uint_ge (call.oldest_reference, delay);
  }
}
END_TEST

/* Two pictures under way, half a round trip apart. */
START_TEST (test_ack_mode_predicts_from_a_picture_of_one_round_trip_and_a_half)
{
  static Call call;
  unsigned oldest = 0;

  call_init (&call, REFERENCE_ACK, 20, 0, 1);
  call_run (&call, 200);
  for (unsigned i = 0; i < 100; i++) {
    ReferencePlan plan = reference_choice_plan (&call.c);
    uint64_t newest = 0;

    for (unsigned b = 0; b < REFERENCE_BUFFERS; b++)
      if ((plan.from & REFERENCE_BIT (b)) != 0 && call.in_buffer[b] > newest)
        newest = call.in_buffer[b];
    if (call.c.next - newest > oldest)
      oldest = (unsigned)(call.c.next - newest);
    picture (&call, false);
  }
  ck_assert_uint_le (oldest, 20 + 11);
}
END_TEST

START_TEST (test_key_pictures_stay_away_at_any_loss)
{
  static Call call;

  for (unsigned percent = 1; percent <= 30; percent += 29)
    for (int mode = REFERENCE_AUTO; mode <= REFERENCE_ACK; mode++)
      for (uint64_t seed = 1; seed <= (uint64_t)scaled (10); seed++) {
        call_init (&call, (ReferenceMode)mode, 10, percent / 100., seed);
        call_run (&call, PICTURES);
        ck_assert_msg (call.keys == 1, "%u keys at %u %%, mode %d, seed %u", call.keys, percent, mode, (unsigned)seed);
      }
}
END_TEST

/* Verdicts get lost, too: NACK mode takes silence for arrival, ACK mode waits for the next candidate. */
START_TEST (test_silence_on_some_pictures_stops_nothing)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 10, 0, 1);
  call.silence = 0.3;
  call_run (&call, 1000);
  ck_assert_uint_le (call.oldest_reference, 60);
  ck_assert_uint_ne (reference_choice_plan (&call.c).from & REFERENCE_BIT (REFERENCE_LAST), 0);
  call_init (&call, REFERENCE_ACK, 10, 0.05, 1);
  call.silence = 0.3;
  call_run (&call, 1000);
  ck_assert_uint_eq (call.damaged, 0);
  ck_assert_uint_eq (call.keys, 1);
}
END_TEST

START_TEST (test_the_key_picture_lost_asks_for_another)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 10, 0, 1);
  picture (&call, true);
  call_run (&call, 10);
  ck_assert_uint_eq (call.keys, 2);
  ck_assert (call.whole[call.c.next - 1]);
  call_init (&call, REFERENCE_ACK, 10, 0, 1);
  picture (&call, true);
  call_run (&call, 10);
  ck_assert_uint_eq (call.keys, 2);
}
END_TEST

/* ---- picture loss indications ---- */

START_TEST (test_an_indication_from_who_tells_nothing_else_needs_a_key_picture)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, PICTURES, 0, 1);
  call_run (&call, 50);
  ck_assert (reference_choice_on_picture_loss (&call.c));
  reference_choice_want_key (&call.c);
  picture (&call, false);
  ck_assert_uint_eq (call.keys, 2);
  call_run (&call, 10);
  ck_assert_uint_eq (call.keys, 2);
}
END_TEST

/* The verdict on a lost picture got lost: the receiver knows that something is wrong, the encoder does not. */
START_TEST (test_an_indication_is_answered_from_what_was_acknowledged)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 8, 0, 1);
  call_run (&call, 100);
  picture (&call, true);
  call_run (&call, 7);
  call.silence = 1;
  picture (&call, false);
  call.silence = 0;
  call_run (&call, 2);
  ck_assert (!call.whole[call.c.next - 1]);
  ck_assert (!reference_choice_on_picture_loss (&call.c));
  picture (&call, false);
  ck_assert (call.whole[call.c.next - 1]);
  ck_assert (!reference_choice_on_picture_loss (&call.c)); /* the answer is under way */
  call_run (&call, 20);
  ck_assert_uint_eq (call.keys, 1);
  ck_assert (reference_choice_on_picture_loss (&call.c)); /* it came, and is asked for again: a decoder that began */
}
END_TEST

/* The first news behind an answer is that it came. */
START_TEST (test_an_answer_that_arrived_has_not_helped)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 8, 0, 1);
  call_run (&call, 100);
  ck_assert (!reference_choice_on_picture_loss (&call.c));
  call_run (&call, 8);
  ck_assert (!reference_choice_on_picture_loss (&call.c));
  call_run (&call, 1);
  ck_assert (reference_choice_on_picture_loss (&call.c));
  ck_assert_uint_eq (call.c.stats.pictures, 109);
}
END_TEST

START_TEST (test_an_indication_after_another_loss_is_a_new_one)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 8, 0, 1);
  call_run (&call, 100);
  ck_assert (!reference_choice_on_picture_loss (&call.c));
  call_run (&call, 50);
  picture (&call, true);
  call_run (&call, 9);
  ck_assert (!reference_choice_on_picture_loss (&call.c));
}
END_TEST

/* ---- numbers ---- */

START_TEST (test_pictures_are_found_by_the_low_bits_of_their_numbers)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 5, 0, 1);
  ck_assert (reference_choice_find (&call.c, 0, 6) == REFERENCE_NO_PICTURE);
  call_run (&call, 1000);
  ck_assert_uint_eq (reference_choice_find (&call.c, 999, 15), 999);
  ck_assert_uint_eq (reference_choice_find (&call.c, 998 & 63, 6), 998);
  ck_assert_uint_eq (reference_choice_find (&call.c, 1000 & 63, 6), 1000 - 64);
  ck_assert (reference_choice_find (&call.c, 1000, 15) == REFERENCE_NO_PICTURE);
  ck_assert (reference_choice_find (&call.c, 100, 15) == REFERENCE_NO_PICTURE);
  ck_assert (reference_choice_find (&call.c, 743, 32) == REFERENCE_NO_PICTURE);
  ck_assert_uint_eq (reference_choice_find (&call.c, 744, 32), 744);
}
END_TEST

START_TEST (test_nonsense_from_the_network_is_counted_and_does_nothing)
{
  static Call call;
  ReferencePlan before, after;

  call_init (&call, REFERENCE_NACK, 5, 0, 1);
  call_run (&call, 300);
  before = reference_choice_plan (&call.c);
  reference_choice_on_verdict (&call.c, REFERENCE_NO_PICTURE, false);
  reference_choice_on_verdict (&call.c, 300, false);
  reference_choice_on_verdict (&call.c, 3, false);
  reference_choice_on_verdict (&call.c, 290, false); /* told before that it arrived */
  after = reference_choice_plan (&call.c);
  ck_assert_uint_eq (call.c.stats.ignored, 4);
  ck_assert_uint_eq (before.from, after.from);
  ck_assert_uint_eq (before.into, after.into);
  ck_assert (!after.key);
}
END_TEST

START_TEST (test_an_encoder_may_make_key_pictures_of_its_own)
{
  static Call call;
  ReferencePlan plan;

  call_init (&call, REFERENCE_NACK, 5, 0, 1);
  call_run (&call, 50);
  plan = reference_choice_plan (&call.c);
  reference_choice_on_picture (&call.c, &plan, true);
  for (unsigned b = 0; b < REFERENCE_BUFFERS; b++) {
    ck_assert_uint_eq (call.c.buffers[b].picture, 50);
    ck_assert_int_eq (reference_choice_health (&call.c, b), PICTURE_PENDING);
  }
}
END_TEST

START_TEST (test_the_mode_may_change)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 10, 0.1, 3);
  call_run (&call, 500);
  reference_choice_set_mode (&call.c, REFERENCE_ACK);
  call_run (&call, 20);
  call.damaged = 0;
  call_run (&call, 500);
  ck_assert_uint_eq (call.damaged, 0);
  reference_choice_set_mode (&call.c, REFERENCE_NACK);
  call_run (&call, 500);
  ck_assert_uint_eq (call.keys, 1);
}
END_TEST

START_TEST (test_auto_mode_acknowledges_where_losses_come_within_a_round_trip)
{
  static Call call;

  call_init (&call, REFERENCE_AUTO, 10, 0.02, 1);
  call_run (&call, 600);
  ck_assert_int_eq (call.c.in_force, REFERENCE_NACK);
  call.loss = 0.15;
  call_run (&call, 300);
  ck_assert_int_eq (call.c.in_force, REFERENCE_ACK);
  call.damaged = 0;
  call_run (&call, 600);
  ck_assert_uint_eq (call.damaged, 0);
  call.loss = 0;
  call_run (&call, 300);
  ck_assert_int_eq (call.c.in_force, REFERENCE_NACK);
  ck_assert_uint_eq (call.keys, 1);
  call_init (&call, REFERENCE_AUTO, 1, 0.15, 1); /* the same loss, heard of at once */
  call_run (&call, 600);
  ck_assert_int_eq (call.c.in_force, REFERENCE_NACK);
}
END_TEST

START_TEST (test_what_the_sender_left_out_is_passed_at_once)
{
  static Call call;

  call_init (&call, REFERENCE_NACK, 10, 0, 1);
  call_run (&call, 100);
  picture (&call, true);
  reference_choice_on_skipped (&call.c);
  picture (&call, false);
  ck_assert (call.whole[call.c.next - 1]);
  call_run (&call, 8);
  ck_assert (call.whole[call.c.next - 1]);
  ck_assert (!reference_choice_on_picture_loss (&call.c)); /* that was no answer to an indication */
}
END_TEST

CC_TEST_MAIN ("referencechoice", test_without_loss_nack_mode_predicts_from_the_last_picture_and_from_all_others,
    test_nack_mode_mends_a_loss_when_it_hears_of_it, test_losses_within_a_round_trip_are_one_repair,
    test_a_repair_that_is_lost_is_made_again, CC_TEST_LONG (test_ack_mode_never_predicts_from_what_may_be_damaged),
    test_ack_mode_predicts_from_a_picture_of_one_round_trip_and_a_half,
    CC_TEST_LONG (test_key_pictures_stay_away_at_any_loss), test_silence_on_some_pictures_stops_nothing,
    test_the_key_picture_lost_asks_for_another, test_an_indication_from_who_tells_nothing_else_needs_a_key_picture,
    test_an_indication_is_answered_from_what_was_acknowledged, test_an_answer_that_arrived_has_not_helped,
    test_an_indication_after_another_loss_is_a_new_one, test_pictures_are_found_by_the_low_bits_of_their_numbers,
    test_nonsense_from_the_network_is_counted_and_does_nothing, test_an_encoder_may_make_key_pictures_of_its_own,
    test_the_mode_may_change, test_auto_mode_acknowledges_where_losses_come_within_a_round_trip,
    test_what_the_sender_left_out_is_passed_at_once)
