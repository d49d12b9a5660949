/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picturestep.h"
#include "cctest.h"

#include <math.h>

#define TICK (100 * CC_MSECOND)

/* 720p30: 1/2 (360p) below 461 kb/s and back at 691; 270p below 115 and back at 173; 180p below 65 and back at 97. */
typedef struct {
  PictureStep s;
  CcTime now;
  int changes;
  double made;
} Call;

static void
begin_with (Call *c, const PictureStepParams *params, double kbps)
{
  PictureFormat source = {1280, 720, 30, 1};
  PictureLadderParams ladder_params;
  PictureLadder ladder;

  picture_ladder_params_init (&ladder_params);
  ck_assert (picture_ladder_build (&ladder, &source, &ladder_params));
  picture_step_init (&c->s, params);
  picture_step_set_ladder (&c->s, &ladder, 1000 * kbps, 0);
  c->now = 0;
  c->changes = 0;
  c->made = 0;
}

static void
begin (Call *c, double kbps)
{
  PictureStepParams params;

  picture_step_params_init (&params);
  begin_with (c, &params, kbps);
}

static void
last (Call *c, double kbps, double seconds)
{
  for (CcTime end = c->now + cc_duration (seconds); c->now < end; c->now += TICK)
    c->changes += picture_step_on_rate (&c->s, 1000 * kbps, c->made, c->now);
}

static int
height (const Call *c)
{
  return picture_step_format (&c->s)->height;
}

/* Seconds until the height is `wanted`; -1: not within 100 s. */
static double
until (Call *c, double kbps, int wanted)
{
  CcTime from = c->now;

  for (int i = 0; i < 1000; i++) {
    if (height (c) == wanted)
      return cc_seconds (c->now - from);
    last (c, kbps, 0.1);
  }
  return -1;
}

START_TEST (test_a_call_begins_with_what_its_rate_is_enough_for)
{
  static const struct {
    double kbps;
    int height;
  } cells[] = {{4000, 720}, {692, 720}, {690, 360}, {300, 360}, {172, 270}, {96, 180}, {1, 180}, {0, 720}};

  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    Call c;
    begin (&c, cells[i].kbps);
    ck_assert_msg (height (&c) == cells[i].height, "%g kb/s: %d", cells[i].kbps, height (&c));
  }
}
END_TEST

START_TEST (test_a_little_too_little_has_to_last_a_second)
{
  Call c;

  begin (&c, 2000);
  last (&c, 450, 0.9);
  last (&c, 500, 0.1); /* between both thresholds: that was no need */
  last (&c, 450, 0.9);
  ck_assert_int_eq (height (&c), 720);
  last (&c, 450, 0.3);
  ck_assert_int_eq (height (&c), 360);
}
END_TEST

START_TEST (test_a_deep_fall_does_not_wait_and_passes_rungs)
{
  Call c;

  begin (&c, 2000);
  ck_assert_double_le (until (&c, 150, 270), 0.1);
  ck_assert_int_eq (c.changes, 1);
}
END_TEST

START_TEST (test_the_way_up_waits_five_seconds_and_takes_one_step)
{
  Call c;
  double took;

  begin (&c, 50);
  took = until (&c, 2000, 720);
  ck_assert_msg (took > 4.9 && took < 5.3, "%g s", took);
  ck_assert_int_eq (c.changes, 1);
}
END_TEST

START_TEST (test_between_the_thresholds_nothing_steps)
{
  Call low, high;

  begin (&low, 300);
  begin (&high, 2000);
  last (&low, 600, 100);
  last (&high, 600, 100);
  ck_assert_int_eq (low.changes + high.changes, 0);
  ck_assert_int_eq (height (&low), 360);
  ck_assert_int_eq (height (&high), 720);
}
END_TEST

/* 2 Mb/s, 200 kb/s, 2 Mb/s: one step each way. */
START_TEST (test_a_fall_and_back_is_two_steps)
{
  Call c;

  begin (&c, 2000);
  last (&c, 2000, 20);
  last (&c, 200, 20);
  ck_assert_int_eq (height (&c), 360);
  last (&c, 2000, 20);
  ck_assert_int_eq (height (&c), 720);
  ck_assert (c.s.downs == 1 && c.s.ups == 1);
}
END_TEST

/* A capacity that swings around the thresholds for two minutes. */
static int
swing (const PictureStepParams *params, double low, double high, double period)
{
  Call c;

  begin_with (&c, params, high);
  for (int i = 0; i < 120 / period; i++) {
    last (&c, low, period / 2);
    last (&c, high, period / 2);
  }
  return c.changes;
}

START_TEST (test_a_rate_that_swings_makes_no_storm)
{
  PictureStepParams params;

  picture_step_params_init (&params);
  ck_assert_int_le (swing (&params, 500, 1000, 1), 0);  /* within the hysteresis */
  ck_assert_int_le (swing (&params, 400, 1000, 1), 0);  /* never long enough */
  ck_assert_int_le (swing (&params, 400, 1000, 8), 1);  /* too short above */
  ck_assert_int_le (swing (&params, 400, 1000, 14), 5); /* long enough: then the wait doubles */
  ck_assert_int_le (swing (&params, 200, 2000, 14), 5);
}
END_TEST

/* Each number is needed: without it, more steps of the same swings, or a slower fall. */
START_TEST (test_every_number_is_needed)
{
  PictureStepParams params, without;
  Call c;

  picture_step_params_init (&params);
  without = params;
  without.hysteresis = 1;
  ck_assert_int_ge (swing (&without, 600, 1000, 14), swing (&params, 600, 1000, 14) + 3);
  without = params;
  without.short_after = 0;
  ck_assert_int_ge (
      swing (&without, 400, 1000, 14) + swing (&without, 400, 1000, 1), 1 + swing (&params, 400, 1000, 1));
  without = params;
  without.ample_after = without.ample_most = 0;
  ck_assert_int_ge (swing (&without, 400, 1000, 8), swing (&params, 400, 1000, 8) + 10);
  without = params;
  without.ample_most = without.ample_after;
  ck_assert_int_ge (swing (&without, 400, 1000, 14), 2 * swing (&params, 400, 1000, 14));
  without = params;
  without.deep = INFINITY;
  begin_with (&c, &without, 2000);
  ck_assert_double_ge (until (&c, 150, 270), 0.9);
}
END_TEST

START_TEST (test_a_step_up_that_lasts_makes_the_next_one_quick_again)
{
  Call c;

  begin (&c, 2000);
  for (int i = 0; i < 4; i++) { /* in vain again and again */
    last (&c, 200, 1);
    ck_assert_double_ge (until (&c, 2000, 720), 4.9);
  }
  ck_assert_double_ge (cc_seconds (c.s.ample_wait), 20);
  last (&c, 2000, 90);
  last (&c, 200, 1);
  ck_assert_double_le (until (&c, 2000, 720), 5.2);
}
END_TEST

/* An encoder that is at its coarsest and still makes `made` of what it is asked for at this rung. */
START_TEST (test_an_encoder_that_cannot_keep_its_rate_gets_smaller_pictures)
{
  Call c;

  begin (&c, 300);
  c.made = 1.5;
  last (&c, 300, 2.9);
  ck_assert_int_eq (height (&c), 360); /* a key frame is no overrun */
  last (&c, 300, 1.3);
  ck_assert_int_eq (height (&c), 270);
  c.made = 1;
  last (&c, 300, 15); /* 360p would have enough, if it were not for these pictures */
  ck_assert_int_eq (height (&c), 270);
  last (&c, 300, 60);
  ck_assert_int_eq (height (&c), 360);
}
END_TEST

/* In a straight line, and with other pictures at once. */
START_TEST (test_what_was_learned_is_forgotten)
{
  Call c;
  CcTime at;

  begin (&c, 300);
  c.made = 1.5;
  until (&c, 300, 270);
  at = c.s.learned_at;
  ck_assert_double_gt (c.s.learned_bpp, 0.025);
  ck_assert_double_eq_tol (picture_step_need_bpp (&c.s, at), c.s.learned_bpp, 1e-12);
  ck_assert_double_eq_tol (
      picture_step_need_bpp (&c.s, at + 15 * CC_SECOND), 0.75 * c.s.learned_bpp + 0.25 * 0.025, 1e-12);
  ck_assert_double_eq_tol (picture_step_need_bpp (&c.s, at + 60 * CC_SECOND), 0.025, 1e-12);
  picture_step_set_ladder (&c.s, &c.s.ladder, 300e3, at);
  ck_assert_double_eq_tol (picture_step_need_bpp (&c.s, at), 0.025, 1e-12);
}
END_TEST

START_TEST (test_a_moment_of_overrun_is_no_reason)
{
  Call c;

  begin (&c, 300);
  last (&c, 300, 10);
  for (int i = 0; i < 20; i++) {
    c.made = 3;
    last (&c, 300, 0.9);
    c.made = 1.1;
    last (&c, 300, 0.1);
  }
  c.made = NAN;
  last (&c, 300, 10);
  ck_assert_int_eq (c.changes, 0);
}
END_TEST

START_TEST (test_an_overrun_at_the_lowest_rung_changes_nothing)
{
  Call c;

  begin (&c, 5);
  c.made = 9;
  last (&c, 5, 50);
  ck_assert_int_eq (c.changes, 0);
}
END_TEST

/* Without them: down by the key frame of a step, by a busy moment; back at once, again and again. */
START_TEST (test_what_overruns_teach_is_needed)
{
  PictureStepParams params, without;
  Call c;

  picture_step_params_init (&params);
  without = params;
  without.settle = 0;
  begin_with (&c, &without, 300);
  c.made = 1.5;
  last (&c, 300, 1.5);
  ck_assert_int_eq (height (&c), 270);
  without = params;
  without.forget_after = CC_SECOND;
  for (int i = 0; i < 2; i++) {
    begin_with (&c, i ? &params : &without, 300);
    for (int t = 0; t < 600; t++) {
      c.made = height (&c) == 360 ? 1.5 : 1;
      last (&c, 300, 0.1);
    }
    ck_assert_msg (i ? c.changes <= 3 : c.changes >= 6, "%d: %d steps in a minute", i, c.changes);
  }
}
END_TEST

START_TEST (test_an_unknown_rate_changes_nothing)
{
  static const double rates[] = {0, -1, NAN};
  Call c;

  begin (&c, 2000);
  for (size_t i = 0; i < 3; i++)
    last (&c, rates[i], 20);
  ck_assert_int_eq (c.changes, 0);
  picture_step_init (&c.s, &c.s.params);
  ck_assert (picture_step_format (&c.s) == NULL);
  ck_assert (!picture_step_on_rate (&c.s, 1e6, 0, 0));
}
END_TEST

START_TEST (test_parameters_out_of_range_are_taken_for_the_nearest)
{
  PictureStepParams params;
  Call c;

  picture_step_params_init (&params);
  params.enough_bpp = NAN;
  params.hysteresis = params.deep = params.overrun = -3;
  begin_with (&c, &params, 2000);
  last (&c, 0.001, 10);
  c.made = 0.9; /* no overrun, whatever is set */
  last (&c, 2000, 10);
  ck_assert_int_eq (height (&c), 720);
  params.enough_bpp = 0.1; /* twice what 2 Mb/s are for 720p30 */
  picture_step_set_params (&c.s, &params);
  last (&c, 2000, 10);
  ck_assert_int_eq (height (&c), 360);
  ck_assert_double_eq (picture_step_full_bps (&c.s), 0.1 * 1280 * 720 * 30);
}
END_TEST

START_TEST (test_every_state_has_a_name)
{
  for (int state = PICTURE_STEP_STEADY; state <= PICTURE_STEP_AMPLE; state++)
    ck_assert_ptr_nonnull (picture_step_state_name (state));
}
END_TEST

CC_TEST_MAIN ("picturestep", test_a_call_begins_with_what_its_rate_is_enough_for,
    test_a_little_too_little_has_to_last_a_second, test_a_deep_fall_does_not_wait_and_passes_rungs,
    test_the_way_up_waits_five_seconds_and_takes_one_step, test_between_the_thresholds_nothing_steps,
    test_a_fall_and_back_is_two_steps, test_a_rate_that_swings_makes_no_storm, test_every_number_is_needed,
    test_a_step_up_that_lasts_makes_the_next_one_quick_again,
    test_an_encoder_that_cannot_keep_its_rate_gets_smaller_pictures, test_what_was_learned_is_forgotten,
    test_a_moment_of_overrun_is_no_reason, test_an_overrun_at_the_lowest_rung_changes_nothing,
    test_what_overruns_teach_is_needed, test_an_unknown_rate_changes_nothing,
    test_parameters_out_of_range_are_taken_for_the_nearest, test_every_state_has_a_name)
