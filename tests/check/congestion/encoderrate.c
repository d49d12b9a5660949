/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoderrate.h"
#include "cctest.h"

#include <math.h>

#define FRAME (CC_SECOND / 25)

/* An encoder that makes `gain` times what it is asked, `lag` frames late, into a buffer the network drains. */
typedef struct {
  EncoderRate e;
  CcTime now;
  double gain, asked_bps, history[8];
  int lag;
  double queue_bytes, network_bps;
} Loop;

static void
loop_init (Loop *l, double start_bps)
{
  EncoderRateParams params;

  encoder_rate_params_init (&params);
  *l = (Loop){.now = 5 * CC_SECOND, .gain = 1, .asked_bps = start_bps};
  encoder_rate_init (&l->e, &params);
  encoder_rate_set_start (&l->e, start_bps, l->now);
  for (int i = 0; i < 8; i++)
    l->history[i] = start_bps;
}

static void
loop_frame (Loop *l, int report)
{
  double bytes;

  for (int i = 7; i > 0; i--)
    l->history[i] = l->history[i - 1];
  l->history[0] = l->asked_bps;
  bytes = l->gain * l->history[l->lag] / 8 / 25;
  l->now += FRAME;
  encoder_rate_on_bytes (&l->e, (uint32_t)bytes, true, false, l->now);
  l->queue_bytes = fmax (0, l->queue_bytes - l->network_bps / 8 / 25) + bytes;
  if (report)
    encoder_rate_on_allowed (&l->e, l->network_bps, l->queue_bytes, 0, l->now);
  encoder_rate_update (&l->e, l->now, &l->asked_bps);
}

static void
loop_run (Loop *l, int frames)
{
  for (int i = 0; i < frames; i++)
    loop_frame (l, i % 5 == 0);
}

/* 10 s at 1 Mbit/s with an encoder that makes `gain` of what it is asked. */
static void
loop_settle (Loop *l, double gain)
{
  loop_init (l, 97e4);
  l->gain = gain;
  l->network_bps = 1e6;
  loop_run (l, 250);
}

START_TEST (test_nothing_is_set_before_the_network_has_spoken)
{
  Loop l;
  double bps = -1;

  loop_init (&l, 5e5);
  ck_assert (!encoder_rate_update (&l.e, l.now + CC_SECOND, &bps));
  ck_assert_double_eq (bps, -1);
  ck_assert_double_eq (encoder_rate_wanted (&l.e, NULL), 5e5);
}
END_TEST

START_TEST (test_allowed_less_margin)
{
  Loop l;
  EncoderRateLimit limit;

  loop_init (&l, 5e5);
  encoder_rate_on_allowed (&l.e, 1e6, 0, 0, l.now);
  /* 1e6 (1 - 0.03) */
  ck_assert_double_eq_tol (encoder_rate_wanted (&l.e, &limit), 970e3, 1);
  ck_assert_int_eq (limit, ENCODER_RATE_LIMIT_ALLOWED);
  /* 1e6 (1 - 0.1) */
  encoder_rate_on_path_limit (&l.e, true);
  ck_assert_double_eq_tol (encoder_rate_wanted (&l.e, &limit), 900e3, 1);
  ck_assert_int_eq (limit, ENCODER_RATE_LIMIT_ALLOWED);
  encoder_rate_on_path_limit (&l.e, false);
  ck_assert_double_eq_tol (encoder_rate_wanted (&l.e, NULL), 970e3, 1);
}
END_TEST

START_TEST (test_backlog_is_drained_in_its_time)
{
  Loop l;
  EncoderRateLimit limit;

  loop_init (&l, 97e4);
  l.network_bps = 1e6;
  loop_run (&l, 50);
  /* 25 fps: the usual backlog is (1.5 * 40 + 30) ms * 125 kB/s = 11250 bytes. 15000 are 3750 too many:
     970e3 - 8 * 3750 / 0.3 = 870e3, times the correction */
  encoder_rate_on_allowed (&l.e, 1e6, 15000, 0, l.now);
  ck_assert_double_eq_tol (encoder_rate_wanted (&l.e, &limit), 870e3 * l.e.correction, 1e3);
  ck_assert_int_eq (limit, ENCODER_RATE_LIMIT_BACKLOG);
  /* never below half: 485e3 */
  encoder_rate_on_allowed (&l.e, 1e6, 1e6, 0, l.now);
  ck_assert_double_eq_tol (encoder_rate_wanted (&l.e, NULL), 485e3 * l.e.correction, 1e3);
}
END_TEST

START_TEST (test_a_key_frame_burst_leaves_within_half_a_second)
{
  Loop l;
  double before;
  int frames = 0;

  loop_init (&l, 97e4);
  l.network_bps = 1e6;
  loop_run (&l, 100);
  before = l.queue_bytes;
  /* 200 ms worth of bytes at once. Without a reaction they take 25000 / (0.03 * 125000) = 6.7 s */
  l.queue_bytes += 25000;
  encoder_rate_on_bytes (&l.e, 25000, true, true, l.now);
  while (l.queue_bytes > before + 125000 * 0.09 && frames < 100) {
    loop_frame (&l, frames % 5 == 0);
    frames++;
  }
  ck_assert_int_le (frames, 13);
  ck_assert_uint_eq (l.e.key_frames, 1);
}
END_TEST

START_TEST (test_backlog_is_followed_between_reports)
{
  Loop l;

  loop_init (&l, 97e4);
  encoder_rate_on_allowed (&l.e, 1e6, 20000, 0, l.now);
  encoder_rate_on_bytes (&l.e, 1000, true, false, l.now);
  ck_assert_double_eq_tol (l.e.backlog_bytes, 21000, 1);
  /* 40 ms at 125 kB/s drain 5000, the frame adds 3000 */
  encoder_rate_on_bytes (&l.e, 3000, true, false, l.now + FRAME);
  ck_assert_double_eq_tol (l.e.backlog_bytes, 19000, 1);
}
END_TEST

START_TEST (test_frame_budget)
{
  Loop l;
  EncoderRateLimit limit;

  loop_init (&l, 97e4);
  l.network_bps = 1e6;
  loop_run (&l, 50);
  /* 3750 bytes a frame of 40 ms: 750 kbit/s */
  encoder_rate_on_allowed (&l.e, 1e6, 0, 3750, l.now);
  ck_assert_double_eq_tol (encoder_rate_wanted (&l.e, &limit) / l.e.correction, 750e3, 1e3);
  ck_assert_int_eq (limit, ENCODER_RATE_LIMIT_FRAME_BUDGET);
  encoder_rate_on_allowed (&l.e, 1e6, 0, 100000, l.now);
  encoder_rate_wanted (&l.e, &limit);
  ck_assert_int_eq (limit, ENCODER_RATE_LIMIT_ALLOWED);
  /* never more than a frame in time */
  encoder_rate_on_allowed (&l.e, 1e6, 0, 1000, l.now);
  ck_assert_double_eq (encoder_rate_frame_target (&l.e), 1000);
}
END_TEST

START_TEST (test_minimum_is_kept_strictly_and_beats_all)
{
  Loop l;
  EncoderRateLimit limit;

  loop_init (&l, 5e5);
  l.e.params.min_bps = 2e5;
  l.e.params.max_bps = 8e5;
  encoder_rate_on_allowed (&l.e, 1e4, 1e6, 10, l.now);
  ck_assert_double_eq (encoder_rate_wanted (&l.e, &limit), 2e5);
  ck_assert_int_eq (limit, ENCODER_RATE_LIMIT_MIN);
  l.e.correction = 0.7;
  ck_assert_double_eq (encoder_rate_wanted (&l.e, NULL), 2e5);
  encoder_rate_on_allowed (&l.e, 1e9, 0, 0, l.now);
  ck_assert_double_eq (encoder_rate_wanted (&l.e, &limit), 8e5);
  ck_assert_int_eq (limit, ENCODER_RATE_LIMIT_MAX);
}
END_TEST

START_TEST (test_a_fall_is_set_at_once_a_rise_waits)
{
  Loop l;
  double bps;

  loop_init (&l, 97e4);
  encoder_rate_on_allowed (&l.e, 5e5, 0, 0, l.now);
  ck_assert (encoder_rate_update (&l.e, l.now, &bps));
  ck_assert_double_eq_tol (bps, 485e3, 1);
  encoder_rate_on_allowed (&l.e, 1e6, 0, 0, l.now);
  ck_assert (!encoder_rate_update (&l.e, l.now + 90 * CC_MSECOND, &bps));
  ck_assert (encoder_rate_update (&l.e, l.now + 100 * CC_MSECOND, &bps));
  /* a change of 0.5 % is none */
  encoder_rate_on_allowed (&l.e, 1.005e6, 0, 0, l.now);
  ck_assert (!encoder_rate_update (&l.e, l.now + 10 * CC_SECOND, &bps));
}
END_TEST

START_TEST (test_the_encoder_is_not_flooded)
{
  Loop l;
  double bps;

  loop_init (&l, 97e4);
  /* up and down by 10 % at every frame of 10 s */
  for (int i = 0; i < 250; i++) {
    l.now += FRAME;
    encoder_rate_on_allowed (&l.e, i & 1 ? 1e6 : 0.9e6, 0, 0, l.now);
    encoder_rate_update (&l.e, l.now, &bps);
  }
  ck_assert_uint_le (l.e.changes, 100);
  ck_assert_uint_ge (l.e.changes, 20);
}
END_TEST

START_TEST (test_a_costly_change_is_rare)
{
  Loop l;
  double bps;

  loop_init (&l, 97e4);
  l.e.params.costly = true;
  for (int i = 0; i < 250; i++) {
    l.now += FRAME;
    encoder_rate_on_allowed (&l.e, i & 1 ? 1e6 : 0.9e6, 0, 0, l.now);
    encoder_rate_update (&l.e, l.now, &bps);
  }
  /* at most one in 2 s */
  ck_assert_uint_le (l.e.changes, 5);
  /* its own key frame's backlog must not bring about the next change */
  l.e.changes = 0;
  encoder_rate_on_allowed (&l.e, l.e.set_bps / 0.97, 1e5, 0, l.now);
  ck_assert (!encoder_rate_update (&l.e, l.now + CC_SECOND, &bps));
  /* but a large fall is not put off */
  encoder_rate_on_allowed (&l.e, 3e5, 0, 0, l.now);
  ck_assert (encoder_rate_update (&l.e, l.now + CC_SECOND, &bps));
}
END_TEST

START_TEST (test_a_systematic_error_is_corrected)
{
  static const double gains[] = {1.25, 1.1, 0.92};

  for (size_t i = 0; i < sizeof gains / sizeof *gains; i++) {
    Loop l;
    loop_settle (&l, gains[i]);
    ck_assert_double_eq_tol (l.asked_bps * l.gain, 970e3, 0.02 * 970e3);
    ck_assert_double_eq_tol (encoder_rate_produced (&l.e), 970e3, 0.03 * 970e3);
  }
}
END_TEST

START_TEST (test_the_correction_is_bounded)
{
  Loop l;

  loop_settle (&l, 3);
  ck_assert_double_eq_tol (l.e.correction, 0.7, 1e-9);
  /* a timid encoder: x264enc makes 0.79 of it of videotestsrc's picture at 500 kbit/s */
  loop_settle (&l, 0.75);
  ck_assert_double_eq_tol (l.e.correction, 1.15, 1e-9);
}
END_TEST

START_TEST (test_a_quiet_picture_is_no_error)
{
  static const double gains[] = {0.3, 0.6};

  for (size_t i = 0; i < sizeof gains / sizeof *gains; i++) {
    Loop l;
    loop_settle (&l, gains[i]);
    ck_assert_double_eq_tol (l.e.correction, 1, 1e-9);
  }
}
END_TEST

START_TEST (test_the_lag_of_a_step_is_no_error)
{
  Loop l;

  loop_init (&l, 97e4);
  l.lag = 6; /* 240 ms */
  l.network_bps = 1e6;
  loop_run (&l, 100);
  l.network_bps = 2e5;
  for (int i = 0; i < 100; i++) {
    loop_frame (&l, i % 5 == 0);
    /* 240 ms at 970 instead of 194 kbit/s are 186 kbit too many: of the next second's they would be nearly all */
    ck_assert_double_ge (l.e.correction, 0.9);
  }
  ck_assert_double_eq_tol (l.e.correction, 1, 0.05);
  ck_assert_double_eq_tol (l.asked_bps, 194e3, 0.08 * 194e3);
}
END_TEST

/* Half as much again as it is asked; the other one has no picture for 0.2 s after each tenth, and seems to make no more
   than it is asked. */
START_TEST (test_a_pause_hides_no_error)
{
  Loop l, paused;

  loop_init (&l, 5e5);
  l.gain = 1.5;
  l.network_bps = 5e5;
  paused = l;
  for (int i = 0; i < 250; i++) {
    loop_frame (&l, i % 5 == 0);
    if (i % 10 == 9) {
      paused.now += CC_SECOND / 5;
      encoder_rate_on_pause (&paused.e, paused.now + FRAME);
    }
    loop_frame (&paused, i % 5 == 0);
  }
  ck_assert_double_eq_tol (paused.e.interval_s, 0.04, 1e-6);
  ck_assert_double_gt (encoder_rate_made (&l.e), 1.3);
  ck_assert_double_eq_tol (encoder_rate_made (&paused.e), encoder_rate_made (&l.e), 0.05);
  ck_assert_double_le (paused.e.backlog_bytes, l.e.backlog_bytes);
}
END_TEST

START_TEST (test_an_encoder_that_does_not_follow_is_found_out)
{
  Loop l;
  int frames = 0;

  loop_init (&l, 97e4);
  l.network_bps = 1e6;
  loop_run (&l, 250);
  ck_assert (!encoder_rate_not_followed (&l.e));
  l.network_bps = 2e5;
  while (!encoder_rate_not_followed (&l.e) && frames < 500) {
    l.gain = 970e3 / l.asked_bps; /* it stays where it was */
    loop_frame (&l, frames % 5 == 0);
    frames++;
  }
  /* 0.6 s to settle, 3 s of proof, with some room for the means */
  ck_assert_int_ge (frames, 75);
  ck_assert_int_le (frames, 125);
}
END_TEST

/* At its coarsest it makes 80 kbit/s; what it made beyond what was asked it pays back by half of what is asked. */
static double
debtor_frame (Loop *l, double *debt)
{
  double asked = l->asked_bps / 25, made = fmax (asked, 80e3 / 25);

  if (*debt > 0)
    made = fmax (80e3 / 25, asked / 2);
  *debt = fmax (0, *debt + made - asked);
  l->gain = made / asked;
  loop_frame (l, true);
  return made * 25;
}

static double
after_the_floor (CcDuration max_debt)
{
  Loop l;
  double debt = 0, made = 0;

  loop_init (&l, 290e3);
  l.e.params.max_debt = max_debt;
  for (int i = 0; i < 200; i++) {
    l.network_bps = i >= 50 && i < 150 ? 20e3 : 300e3;
    l.queue_bytes = 0; /* the sender drops what is late */
    made = debtor_frame (&l, &debt);
  }
  return made;
}

START_TEST (test_an_encoder_is_not_driven_into_debt)
{
  /* 4 s at 80 instead of 20 * 0.97 * 0.7 kbit/s are 265 kbit; half of 291 kbit/s pays 145 a second, so that 2 s later
     (and 0.6 s of them with the old correction) it is still paying */
  ck_assert_double_lt (after_the_floor (0), 0.6 * 291e3);
  ck_assert_double_gt (after_the_floor (300 * CC_MSECOND), 0.9 * 291e3);
}
END_TEST

START_TEST (test_an_encoder_that_can_go_lower_is_made_to)
{
  Loop l;

  loop_init (&l, 970e3);
  l.e.params.max_debt = 300 * CC_MSECOND;
  l.lag = 7; /* 280 ms at 970 instead of 194 kbit/s: 217 kbit of debt, 58 are allowed */
  l.network_bps = 1e6;
  loop_run (&l, 100);
  l.network_bps = 2e5;
  for (int i = 0; i < 75; i++) {
    l.queue_bytes = 0;
    loop_frame (&l, true);
  }
  ck_assert_double_lt (l.asked_bps, 1.1 * 194e3);
}
END_TEST

START_TEST (test_pieces_of_a_frame_are_one_frame)
{
  Loop l;

  loop_init (&l, 97e4);
  for (int i = 0; i < 51; i++) {
    l.now += FRAME;
    encoder_rate_on_bytes (&l.e, 3000, true, i == 0, l.now);
    encoder_rate_on_bytes (&l.e, 2000, false, i == 0, l.now);
  }
  ck_assert_uint_eq (l.e.frames, 51);
  ck_assert_uint_eq (l.e.key_frames, 1);
  /* 5000 bytes in 40 ms */
  ck_assert_double_eq_tol (encoder_rate_produced (&l.e), 1e6, 1e3);
  ck_assert_double_eq_tol (l.e.key_bytes, 5000, 1e-9);
}
END_TEST

START_TEST (test_key_units_are_bounded_by_their_cost)
{
  Loop l;

  loop_init (&l, 2e5);
  ck_assert_uint_eq (encoder_rate_key_spacing (&l.e, CC_SECOND), CC_SECOND);
  encoder_rate_on_bytes (&l.e, 15000, true, true, l.now);
  encoder_rate_on_bytes (&l.e, 1000, true, false, l.now + FRAME);
  /* 15000 * 8 bit / (0.3 * 200 kbit/s) = 2 s */
  ck_assert_double_eq_tol (cc_seconds (encoder_rate_key_spacing (&l.e, CC_SECOND)), 2, 1e-6);
  l.e.key_bytes = 1e9;
  ck_assert_uint_eq (encoder_rate_key_spacing (&l.e, CC_SECOND), 5 * CC_SECOND);
}
END_TEST

/* 25 frames/s are 40 ms each, 10 are 100. */
START_TEST (test_the_buffer_holds_three_frames)
{
  Loop l;

  loop_init (&l, 1e6);
  loop_run (&l, 8);
  ck_assert_uint_eq (encoder_rate_buffer_time (&l.e, 640 * 480), 0);
  loop_run (&l, 1);
  ck_assert_double_eq_tol (cc_seconds (encoder_rate_buffer_time (&l.e, 640 * 480)), 0.12, 1e-6);
  for (int i = 0; i < 60; i++)
    encoder_rate_on_bytes (&l.e, 1000, true, false, l.now += CC_SECOND / 10);
  ck_assert_double_eq_tol (cc_seconds (encoder_rate_buffer_time (&l.e, 640 * 480)), 0.3, 1e-3);
}
END_TEST

/* Of 640x480 that is 18 kbit. */
START_TEST (test_the_buffer_holds_a_coarse_picture)
{
  Loop l;

  loop_init (&l, 1e6);
  loop_run (&l, 9);
  encoder_rate_set_start (&l.e, 60e3, l.now);
  ck_assert_double_eq_tol (cc_seconds (encoder_rate_buffer_time (&l.e, 640 * 480)), 0.3072, 1e-6);
  ck_assert_double_eq_tol (cc_seconds (encoder_rate_buffer_time (&l.e, 0)), 0.12, 1e-6);
}
END_TEST

START_TEST (test_nonsense_is_refused)
{
  Loop l;

  loop_init (&l, 5e5);
  encoder_rate_on_allowed (&l.e, 1e6, 0, 0, l.now);
  encoder_rate_on_allowed (&l.e, NAN, 0, 0, l.now);
  encoder_rate_on_allowed (&l.e, -1, 0, 0, l.now);
  encoder_rate_on_allowed (&l.e, 1e6, INFINITY, 0, l.now);
  ck_assert_uint_eq (l.e.rejected, 3);
  ck_assert_double_eq_tol (encoder_rate_wanted (&l.e, NULL), 970e3, 1);
  /* time that goes back is no time */
  encoder_rate_on_bytes (&l.e, 1000, true, false, l.now);
  encoder_rate_on_bytes (&l.e, 1000, true, false, l.now - CC_SECOND);
  ck_assert (isfinite (encoder_rate_wanted (&l.e, NULL)));
  ck_assert_str_eq (encoder_rate_limit_name ((EncoderRateLimit)77), "unknown");
}
END_TEST

CC_TEST_MAIN ("encoderrate", test_nothing_is_set_before_the_network_has_spoken, test_allowed_less_margin,
    test_backlog_is_drained_in_its_time, test_a_key_frame_burst_leaves_within_half_a_second,
    test_backlog_is_followed_between_reports, test_frame_budget, test_minimum_is_kept_strictly_and_beats_all,
    test_a_fall_is_set_at_once_a_rise_waits, test_the_encoder_is_not_flooded, test_a_costly_change_is_rare,
    test_a_systematic_error_is_corrected, test_the_correction_is_bounded, test_a_quiet_picture_is_no_error,
    test_the_lag_of_a_step_is_no_error, test_a_pause_hides_no_error, test_an_encoder_that_does_not_follow_is_found_out,
    test_an_encoder_is_not_driven_into_debt, test_an_encoder_that_can_go_lower_is_made_to,
    test_pieces_of_a_frame_are_one_frame, test_key_units_are_bounded_by_their_cost, test_the_buffer_holds_three_frames,
    test_the_buffer_holds_a_coarse_picture, test_nonsense_is_refused)
