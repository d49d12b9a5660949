/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "playoutdelay.h"
#include "cctest.h"

#define FRAME (CC_SECOND / 30)

typedef struct {
  PlayoutDelay d;
  uint64_t picture;
  CcTime now;
  unsigned late; /* pictures that were */
} Player;

static void
begin (Player *p)
{
  PlayoutDelayParams params;

  playout_delay_params_init (&params);
  *p = (Player){.now = CC_SECOND};
  playout_delay_init (&p->d, &params);
}

static void
show (Player *p, double late_ms)
{
  CcDuration lateness = (CcDuration)(late_ms * CC_MSECOND);

  playout_delay_on_packet (&p->d, p->picture++, lateness, p->now);
  p->late += lateness > p->d.delay;
  p->now += FRAME;
}

/* Every so many pictures one is late, and those behind it with it. */
static void
show_with_losses (Player *p, unsigned pictures, unsigned every, double answer_ms)
{
  double late = 0;

  for (unsigned i = 0; i < pictures; i++) {
    late = every > 0 && i % every == 0 ? answer_ms : late > 33 ? late - 33 : 0;
    show (p, late > 5 ? late : 5);
  }
}

/* ---- tests ---- */

START_TEST (test_nothing_late_is_played_a_step_behind)
{
  Player p;

  begin (&p);
  ck_assert_uint_eq (p.d.delay, 100 * CC_MSECOND);
  show_with_losses (&p, 90, 0, 0);
  ck_assert_uint_eq (p.d.delay, PLAYOUT_DELAY_STEP);
}
END_TEST

/* One at a time and half a second apart, so that nobody sees them. */
START_TEST (test_falls_in_steps)
{
  Player p;
  CcDuration before, begun;

  begin (&p);
  begun = p.now;
  for (unsigned i = 0; i < 90; i++) {
    before = p.d.delay;
    show (&p, 5);
    ck_assert (p.d.delay == before || p.d.delay + PLAYOUT_DELAY_STEP == before);
    ck_assert_uint_ge (p.d.delay + cc_time_since (p.now, begun) / 25, 100 * CC_MSECOND);
  }
}
END_TEST

/* Answers to requests: a fifth of the pictures is worth 200 ms. */
START_TEST (test_what_is_late_often_is_waited_for)
{
  Player p;

  begin (&p);
  show_with_losses (&p, 300, 20, 130);
  p.late = 0;
  show_with_losses (&p, 600, 20, 130);
  ck_assert_uint_eq (p.late, 0);
  ck_assert_uint_eq (p.d.delay, 140 * CC_MSECOND);
}
END_TEST

/* One picture of a hundred is worth 10 ms, not 300. */
START_TEST (test_what_is_late_now_and_then_is_not)
{
  Player p;

  begin (&p);
  show_with_losses (&p, 900, 0, 0);
  for (unsigned i = 0; i < 900; i++) {
    show (&p, i % 100 == 50 ? 310 : 5);
    ck_assert_uint_eq (p.d.delay, PLAYOUT_DELAY_STEP);
  }
}
END_TEST

START_TEST (test_rises_at_once)
{
  Player p;

  begin (&p);
  show_with_losses (&p, 900, 0, 0);
  for (unsigned i = 0; i < 60; i++)
    show (&p, 150);
  ck_assert_uint_eq (p.d.delay, 160 * CC_MSECOND);
}
END_TEST

START_TEST (test_forgets_what_is_over)
{
  Player p;

  begin (&p);
  show_with_losses (&p, 300, 20, 130);
  ck_assert_uint_eq (p.d.delay, 140 * CC_MSECOND);
  show_with_losses (&p, 30 * 25, 0, 0);
  ck_assert_uint_eq (p.d.delay, PLAYOUT_DELAY_STEP);
}
END_TEST

/* The first picture is a key picture, and takes long. */
START_TEST (test_a_large_first_picture_is_not_followed)
{
  Player p;

  begin (&p);
  show (&p, 350);
  show (&p, 5);
  ck_assert_uint_eq (p.d.delay, 100 * CC_MSECOND);
}
END_TEST

START_TEST (test_grows_no_further_than_said)
{
  Player p;

  begin (&p);
  show_with_losses (&p, 300, 1, 390);
  ck_assert_uint_eq (p.d.delay, 400 * CC_MSECOND);
  begin (&p);
  show_with_losses (&p, 300, 1, 450); /* no delay that may be helps */
  ck_assert_uint_eq (p.d.delay, PLAYOUT_DELAY_STEP);
}
END_TEST

/* What came last of a picture counts, once for each. */
START_TEST (test_packets_of_a_picture_are_one)
{
  Player p;

  begin (&p);
  for (unsigned i = 0; i < 300; i++, p.picture++, p.now += FRAME) {
    playout_delay_on_packet (&p.d, p.picture, 5 * CC_MSECOND, p.now);
    playout_delay_on_packet (&p.d, p.picture, 55 * CC_MSECOND, p.now);
    playout_delay_on_packet (&p.d, p.picture, 25 * CC_MSECOND, p.now);
  }
  ck_assert_uint_eq (p.d.delay, 60 * CC_MSECOND);
}
END_TEST

CC_TEST_MAIN ("playoutdelay", test_nothing_late_is_played_a_step_behind, test_falls_in_steps,
    test_what_is_late_often_is_waited_for, test_what_is_late_now_and_then_is_not, test_rises_at_once,
    test_forgets_what_is_over, test_a_large_first_picture_is_not_followed, test_grows_no_further_than_said,
    test_packets_of_a_picture_are_one)
