/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrcsender.h"
#include "cctest.h"

#include <math.h>
#include <string.h>

#define MS CC_MSECOND
#define T0 (5 * CC_SECOND)
static const CcDuration R = 100 * MS;
#define S 1460.0
#define W_INIT 4380.0 /* min (4*1460, max (2*1460, 4380)) */

static TfrcSender t;

static void
reset (double initial_Bps, bool oscillation_prevention)
{
  TfrcSenderParams params;

  tfrc_sender_params_init (&params);
  params.initial_Bps = initial_Bps;
  params.oscillation_prevention = oscillation_prevention;
  tfrc_sender_init (&t, &params, T0);
}

static TfrcFeedbackResult
feedback (CcTime t_recvdata, CcTime now, double X_recv, double p)
{
  TfrcFeedback f = {.received_at = now, .t_recvdata = t_recvdata, .X_recv = X_recv, .p = p};

  return tfrc_sender_on_feedback (&t, &f);
}

static void
sent (CcTime now, bool not_limited)
{
  tfrc_sender_on_sent (&t, (uint32_t)S, not_limited, now);
}

/* One round trip: a packet at `now`, its report R later. */
static void
round_trip (CcTime now, bool not_limited, double X_recv, double p)
{
  sent (now, not_limited);
  ck_assert_int_eq (feedback (now, now + R, X_recv, p), TFRC_FEEDBACK_OK);
}

/* A packet at `now`, its report a round trip of `length` later. */
static void
round_trip_of (CcDuration length, CcTime now)
{
  sent (now, true);
  ck_assert_int_eq (feedback (now, now + length, 1e4, 0), TFRC_FEEDBACK_OK);
}

/* Up to the first report, which arrives at T0 + R. */
static void
start (void)
{
  reset (0, false);
  round_trip (T0, true, 0, 0);
}

static double
equation (double p)
{
  return tfrc_throughput (S, 0.1, p, TFRC_RTO_4R);
}

/* RFC 5348 4.2: one packet per second, 2 s. */
START_TEST (test_start)
{
  reset (0, true);
  ck_assert_double_eq (tfrc_sender_rate (&t), S);
  ck_assert_uint_eq (tfrc_sender_next_timeout (&t), T0 + 2 * CC_SECOND);
}
END_TEST

/* The first sample replaces step 4: neither the equation nor a doubling. The timer is still that of X = s: 2s/X = 2 s.
 */
START_TEST (test_first_report)
{
  reset (0, true);
  round_trip (T0, true, 0, 0.5);
  ck_assert_uint_eq (t.R, R);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), W_INIT / 0.1, 1e-6);
  ck_assert_double_eq_tol (tfrc_sender_pace_rate (&t), W_INIT / 0.1, 1e-6);
  ck_assert_uint_eq (t.tld, T0 + R);
  ck_assert_int_eq (t.limit, TFRC_START);
  ck_assert_uint_eq (tfrc_sender_next_timeout (&t), T0 + R + 2 * CC_SECOND);
}
END_TEST

START_TEST (test_initial_window)
{
  static const struct {
    double mss, window;
  } golden[] = {{500, 2000}, {1095, 4380}, {1200, 4380}, {1460, 4380}, {2190, 4380}, {4000, 8000}};

  for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
    TfrcSenderParams params;
    tfrc_sender_params_init (&params);
    params.mss = golden[i].mss;
    tfrc_sender_init (&t, &params, T0);
    round_trip (T0, true, 0, 0);
    ck_assert_double_eq_tol (tfrc_sender_rate (&t), golden[i].window / 0.1, 1e-6);
  }
}
END_TEST

/* 20 kB/s is below W_init/R = 43.8 kB/s, 60 kB/s above. */
START_TEST (test_a_start_rate_is_no_ceiling_and_not_taken_back)
{
  reset (20e3, true);
  ck_assert_double_eq (tfrc_sender_rate (&t), 20e3);
  round_trip (T0, true, 0, 0);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 43.8e3, 1e-6);
  reset (60e3, true);
  round_trip (T0, true, 0, 0);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 60e3, 1e-6);
  ck_assert_double_eq_tol (t.recover_rate, 43.8e3, 1e-6);
}
END_TEST

/* Not 2s/X = 49 ms after each expiry. */
START_TEST (test_a_start_rate_unanswered_is_halved_every_two_seconds)
{
  reset (60e3, true);
  for (int i = 1; i <= 3; i++) {
    sent (t.nofeedback_at - CC_SECOND, true);
    ck_assert_uint_eq (tfrc_sender_next_timeout (&t), T0 + (CcTime)i * 2 * CC_SECOND);
    tfrc_sender_on_timeout (&t, t.nofeedback_at);
    ck_assert_double_eq (tfrc_sender_rate (&t), 60e3 / (1 << i));
  }
}
END_TEST

/* RFC 5348 4.1, the MSS being the first of the packets: (1460 + 500)/2, (1460 + 500 + 500)/3; then over 64. */
START_TEST (test_mean_segment_size)
{
  reset (0, true);
  tfrc_sender_on_sent (&t, 500, true, T0);
  ck_assert_double_eq_tol (t.s, 980, 1e-9);
  tfrc_sender_on_sent (&t, 500, true, T0);
  ck_assert_double_eq_tol (t.s, 820, 1e-9);
  for (int i = 0; i < 1000; i++)
    tfrc_sender_on_sent (&t, 500, true, T0);
  tfrc_sender_on_sent (&t, 1140, true, T0);
  ck_assert_double_eq_tol (t.s, 510, 0.01);
}
END_TEST

/* R = 0.9*100 + 0.1*200 = 110 ms; t_delay is taken off. */
START_TEST (test_round_trip_filter)
{
  TfrcFeedback f = {.received_at = T0 + 600 * MS, .t_recvdata = T0 + 300 * MS, .t_delay = 100 * MS, .X_recv = 1e4};

  start ();
  sent (T0 + 300 * MS, true);
  ck_assert_int_eq (tfrc_sender_on_feedback (&t, &f), TFRC_FEEDBACK_OK);
  ck_assert_uint_eq (t.R, 110 * MS);
  ck_assert_double_eq_tol (t.initial_rate, W_INIT / 0.11, 1e-6);
}
END_TEST

/* What a queue of seconds has made of R goes with it, however rare reports have become. */
START_TEST (test_a_round_trip_that_is_over_goes_at_once)
{
  CcDuration before;

  start ();
  for (unsigned i = 0; i < 60; i++)
    round_trip_of (4 * CC_SECOND, T0 + (i + 1) * CC_SECOND);
  ck_assert_uint_gt (t.R, 3900 * MS);
  round_trip_of (R, T0 + 65 * CC_SECOND);
  before = t.R;
  round_trip_of (R, T0 + 65 * CC_SECOND + 199 * MS); /* less than two round trips: one step */
  ck_assert_uint_eq (t.R, (9 * before + R) / 10);
  round_trip_of (R, T0 + 67 * CC_SECOND);
  ck_assert_uint_lt (t.R, 600 * MS);
  ck_assert_double_eq_tol (t.R_sqmean, sqrt (cc_seconds (t.R)), 0.2);
  before = t.R;
  round_trip_of (before / 2 + MS, T0 + 70 * CC_SECOND); /* no less than half: RFC 5348's, however long ago */
  ck_assert_uint_eq (t.R, (9 * before + before / 2 + MS) / 10);
}
END_TEST

/* Infinity is in the set for two round trips: the first small X_recv does not clamp the start. */
START_TEST (test_slow_start_doubles_once_a_round_trip)
{
  const double X0 = W_INIT / 0.1;

  start ();
  round_trip (T0 + R, true, 1000, 0);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 2 * X0, 1e-6);
  sent (T0 + R + 50 * MS, true);
  ck_assert_int_eq (feedback (T0 + R + 50 * MS, T0 + R + 150 * MS, 1000, 0), TFRC_FEEDBACK_OK);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 2 * X0, 1e-6);
  ck_assert_int_eq (t.limit, TFRC_SLOW_START);
}
END_TEST

/* The flag goes after 2R; from then on twice the largest of the last X_recv. At T0 + 4R: 2*60 kB/s < 2 X. */
START_TEST (test_slow_start_is_bounded_by_twice_the_receive_rate)
{
  start ();
  round_trip (T0 + R, true, 43.8e3, 0);
  round_trip (T0 + 2 * R, true, 87.6e3, 0);
  ck_assert (t.X_recv_infinite);
  round_trip (T0 + 3 * R, true, 60e3, 0);
  ck_assert (!t.X_recv_infinite);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 2 * 87.6e3, 1e-6);
  ck_assert_int_eq (t.limit, TFRC_RECEIVE_RATE);
}
END_TEST

START_TEST (test_slow_start_never_falls_below_the_initial_rate)
{
  start ();
  for (unsigned i = 1; i < 8; i++)
    round_trip (T0 + i * R, true, 100, 0);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), W_INIT / 0.1, 1e-6);
}
END_TEST

/* p = 0.01: 164 kB/s. */
START_TEST (test_equation)
{
  start ();
  for (unsigned i = 1; i < 5; i++)
    round_trip (T0 + i * R, true, 150e3, 0.01);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 164005, 10);
  ck_assert_int_eq (t.limit, TFRC_EQUATION);
  ck_assert_uint_eq (t.RTO, 4 * R);
}
END_TEST

START_TEST (test_twice_the_receive_rate_limits_the_equation)
{
  start ();
  for (unsigned i = 1; i < 6; i++)
    round_trip (T0 + i * R, true, 30e3, 0.01);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 60e3, 1e-6);
  ck_assert_int_eq (t.limit, TFRC_RECEIVE_RATE);
}
END_TEST

/* One packet each 64 s. */
START_TEST (test_floor)
{
  start ();
  for (unsigned i = 1; i < 6; i++)
    round_trip (T0 + i * R, true, 1, 1);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), S / 64, 1e-9);
}
END_TEST

/* Data limited throughout: the largest X_recv stays, however little arrives. */
START_TEST (test_a_data_limited_interval_does_not_lower_the_limit)
{
  start ();
  for (unsigned i = 1; i < 6; i++)
    round_trip (T0 + i * R, true, 80e3, 0.01);
  for (unsigned i = 6; i < 50; i++)
    round_trip (T0 + i * R, false, 5e3, 0.01);
  ck_assert_double_eq_tol (t.X_recv_set[0].value, 80e3, 1e-6);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 160e3, 1e-6);
}
END_TEST

/* Loss while data limited: the set halves (80 -> 40 kB/s), X_recv counts 0.85, and the limit is not doubled. p = 0.001
   gives 560 kB/s. */
START_TEST (test_loss_while_data_limited)
{
  start ();
  for (unsigned i = 1; i < 6; i++)
    round_trip (T0 + i * R, true, 80e3, 0);
  for (unsigned i = 6; i < 9; i++)
    round_trip (T0 + i * R, false, 20e3, 0);
  round_trip (T0 + 9 * R, false, 20e3, 0.001);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 40e3, 1e-6);
  round_trip (T0 + 10 * R, false, 20e3, 0.001);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 80e3, 1e-6);
  round_trip (T0 + 11 * R, false, 60e3, 0.002);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 0.85 * 60e3, 1e-6);
}
END_TEST

/* Infinity is no number: halved and maximised away it leaves 0.85 X_recv. */
START_TEST (test_loss_while_data_limited_with_infinity_in_the_set)
{
  start ();
  t.NotLimited1 = 0;
  sent (T0 + R + 50 * MS, false);
  t.t_new = T0 + R;
  feedback (T0 + R + 50 * MS, T0 + 2 * R + 50 * MS, 20e3, 0.001);
  ck_assert (!t.X_recv_infinite);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 17e3, 1e-6);
}
END_TEST

/* A report of X_recv = 0 is never data limited. */
START_TEST (test_nothing_received_is_not_data_limited)
{
  start ();
  round_trip (T0 + 2 * R, false, 0, 0);
  ck_assert_uint_eq (t.n_X_recv, 1);
  ck_assert (t.X_recv_infinite);
}
END_TEST

/* Sending pairs at the full rate is not data limited: one instant of it in the interval is enough. */
START_TEST (test_one_instant_makes_the_interval_not_data_limited)
{
  start ();
  for (unsigned i = 1; i < 6; i++)
    round_trip (T0 + i * R, true, 80e3, 0.01);
  for (unsigned i = 6; i < 12; i++) {
    sent (T0 + i * R - 10 * MS, true);
    round_trip (T0 + i * R, false, 5e3, 0.01);
  }
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 10e3, 1e-6);
}
END_TEST

/* RFC 5348 8.2.1 with reports further apart than R: of two such instants only the second, 150 ms after the last report,
   lies in the R = 100 ms before the packet echoed, sent at 200 ms. */
START_TEST (test_the_second_instant_counts)
{
  const CcTime f = T0 + 2 * R;

  start ();
  round_trip (T0 + R, true, 80e3, 0);
  sent (f + MS, true);
  sent (f + 150 * MS, true);
  sent (f + 200 * MS, false);
  feedback (f + 200 * MS, f + 300 * MS, 5e3, 0);
  ck_assert_double_eq (t.X_recv_set[0].value, 5e3);
}
END_TEST

/* The instant at 50 ms lies behind the packet echoed at 120 ms (sent at 20 ms): it is kept for the report after that,
   though two more follow by then. */
START_TEST (test_an_instant_waits_for_the_report_that_covers_it)
{
  const CcTime f = T0 + 2 * R;

  start ();
  round_trip (T0 + R, true, 80e3, 0);
  sent (f + 10 * MS, true);
  sent (f + 20 * MS, false);
  sent (f + 50 * MS, true);
  feedback (f + 20 * MS, f + 120 * MS, 80e3, 0);
  sent (f + 100 * MS, false);
  sent (f + 130 * MS, true);
  sent (f + 140 * MS, true);
  feedback (f + 100 * MS, f + 200 * MS, 5e3, 0);
  ck_assert_double_eq (t.X_recv_set[0].value, 5e3);
}
END_TEST

/* The set forgets after 2R and holds three. */
START_TEST (test_receive_rates_age)
{
  start ();
  for (unsigned i = 1; i < 8; i++)
    round_trip (T0 + i * R, true, i < 4 ? 100e3 : 50e3, 0.001);
  ck_assert_uint_eq (t.n_X_recv, 3);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), 100e3, 1e-6);
}
END_TEST

/* RFC 5348 4.5: with R_sqmean = sqrt (0.1) and a sample of 400 ms: 0.9 sqrt (0.1) + 0.1 sqrt (0.4) = 0.9*0.316228 +
   0.1*0.632456 = 0.347851; X_inst = X * 0.347851/0.632456 = 0.55 X. */
START_TEST (test_oscillation_prevention)
{
  reset (0, true);
  round_trip (T0, true, 0, 0);
  sent (T0 + R, true);
  feedback (T0 + R, T0 + 5 * R, 1e5, 0.01);
  ck_assert_double_eq_tol (tfrc_sender_pace_rate (&t) / tfrc_sender_rate (&t), 0.55, 1e-6);
  start ();
  sent (T0 + R, true);
  feedback (T0 + R, T0 + 5 * R, 1e5, 0.01);
  ck_assert_double_eq (tfrc_sender_pace_rate (&t), tfrc_sender_rate (&t));
}
END_TEST

/* No sample, sending: 1460, 730 ... B/s, 2, 4, 8 ... 128 s, at least a packet each 64 s. */
START_TEST (test_no_feedback_at_all)
{
  CcTime at = T0;

  reset (0, true);
  for (int i = 1; i < 10; i++) {
    at += (CcTime)(1 << (i < 7 ? i : 7)) * CC_SECOND;
    ck_assert_uint_eq (tfrc_sender_next_timeout (&t), at);
    sent (at - CC_SECOND, true);
    tfrc_sender_on_timeout (&t, at);
    ck_assert_double_eq (tfrc_sender_rate (&t), fmax (S / (1 << i), S / 64));
    ck_assert_int_eq (t.limit, TFRC_NO_FEEDBACK);
  }
}
END_TEST

START_TEST (test_idle_before_the_first_sample_keeps_the_rate)
{
  reset (0, true);
  for (int i = 0; i < 5; i++)
    tfrc_sender_on_timeout (&t, t.nofeedback_at);
  ck_assert_double_eq (tfrc_sender_rate (&t), S);
  ck_assert_int_eq (t.limit, TFRC_START);
}
END_TEST

START_TEST (test_early_timeouts_change_nothing)
{
  TfrcSender before;

  start ();
  before = t;
  tfrc_sender_on_timeout (&t, t.nofeedback_at - 1);
  ck_assert_mem_eq (&before, &t, sizeof t);
}
END_TEST

START_TEST (test_a_very_late_timeout_counts_once)
{
  start ();
  sent (T0 + 2 * R, true);
  tfrc_sender_on_timeout (&t, T0 + 3600 * CC_SECOND);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), W_INIT / 0.2, 1e-6);
  ck_assert_uint_gt (tfrc_sender_next_timeout (&t), T0 + 3600 * CC_SECOND);
}
END_TEST

/* p = 0, sending: X/2. */
START_TEST (test_timeout_without_loss)
{
  start ();
  round_trip (T0 + R, true, 43.8e3, 0);
  sent (T0 + 2 * R, true);
  tfrc_sender_on_timeout (&t, t.nofeedback_at);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), W_INIT / 0.1, 1e-6);
}
END_TEST

/* Data limited but sending is not idle: halved even below recover_rate. */
START_TEST (test_data_limited_is_not_idle)
{
  start ();
  for (int i = 0; i < 3; i++) {
    sent (t.nofeedback_at - 10 * MS, false);
    tfrc_sender_on_timeout (&t, t.nofeedback_at);
  }
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), W_INIT / 0.1 / 8, 1e-6);
}
END_TEST

/* Idle, p = 0: kept from X < 2 recover_rate on. 16 W_init/R halves to 8, 4, 2, 1 and stays: 2 is not below 2. */
START_TEST (test_idle_without_loss)
{
  start ();
  t.X = 16 * W_INIT / 0.1;
  for (int i = 0; i < 10; i++)
    tfrc_sender_on_timeout (&t, t.nofeedback_at);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), W_INIT / 0.1, 1e-6);
}
END_TEST

/* Up to X_recv = 150 kB/s and p = 0.01 (X_Bps = 164 kB/s). */
static void
run_at_one_percent (double X_recv)
{
  start ();
  for (unsigned i = 1; i < 6; i++)
    round_trip (T0 + i * R, true, X_recv, 0.01);
}

/* p > 0, X_Bps <= 2 X_recv: the limit becomes X_Bps/2, stored as X_Bps/4; so X is halved once, not twice. */
START_TEST (test_timeout_halves_the_equation_rate)
{
  run_at_one_percent (150e3);
  sent (T0 + 6 * R, true);
  tfrc_sender_on_timeout (&t, t.nofeedback_at);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), equation (0.01) / 2, 1e-3);
  ck_assert_double_eq_tol (t.X_recv_set[0].value, equation (0.01) / 4, 1e-3);
  ck_assert_uint_eq (t.n_X_recv, 1);
}
END_TEST

/* p > 0, X_Bps > 2 X_recv: the limit was 2 X_recv and becomes X_recv; expiry by expiry it halves. */
START_TEST (test_timeout_halves_the_receive_rate_limit)
{
  run_at_one_percent (40e3);
  for (int i = 0; i < 3; i++) {
    sent (t.nofeedback_at - MS, true);
    tfrc_sender_on_timeout (&t, t.nofeedback_at);
    ck_assert_double_eq_tol (tfrc_sender_rate (&t), 40e3 / (1 << i), 1e-3);
    ck_assert_int_eq (t.limit, TFRC_NO_FEEDBACK);
  }
}
END_TEST

/* Idle, p > 0: kept once X_recv < recover_rate = 43.8 kB/s. The limit of 300 kB/s falls to 82 kB/s (set {41 kB/s}). */
START_TEST (test_idle_with_loss)
{
  run_at_one_percent (150e3);
  for (int i = 0; i < 10; i++)
    tfrc_sender_on_timeout (&t, t.nofeedback_at);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), equation (0.01) / 2, 1e-3);
}
END_TEST

/* After an idle time X climbs from the set by doubling, back to X_Bps. */
START_TEST (test_restart_after_idle)
{
  CcTime now = T0 + 20 * CC_SECOND;

  run_at_one_percent (150e3);
  while (t.nofeedback_at < now)
    tfrc_sender_on_timeout (&t, t.nofeedback_at);
  for (unsigned i = 0; i < 4; i++)
    round_trip (now + i * R, true, tfrc_sender_rate (&t), 0.01);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), equation (0.01), 1e-3);
}
END_TEST

START_TEST (test_timeouts_stop_at_the_floor)
{
  run_at_one_percent (40e3);
  for (int i = 0; i < 40; i++) {
    sent (t.nofeedback_at - MS, true);
    tfrc_sender_on_timeout (&t, t.nofeedback_at);
    ck_assert_double_ge (tfrc_sender_rate (&t), S / 64 - 1e-9);
  }
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), S / 64, 1e-9);
  ck_assert_uint_eq (t.RTO, 128 * CC_SECOND);
}
END_TEST

/* R = 1 ms: 4R and 2s/X are far below 20 ms. */
START_TEST (test_smallest_timeout)
{
  reset (0, false);
  for (unsigned i = 0; i < 10; i++) {
    sent (T0 + i * MS, true);
    feedback (T0 + i * MS, T0 + (i + 1) * MS, 1e6, 0);
  }
  ck_assert_uint_eq (t.RTO, 20 * MS);
}
END_TEST

/* Reports each 500 ms at R = 10 ms, as RTCP has it: the timer must outlive four of them, and no expiry halves X. */
START_TEST (test_reports_slower_than_the_round_trip)
{
  reset (0, false);
  for (unsigned i = 1; i <= 600; i++) {
    CcTime now = T0 + i * 10 * MS;
    sent (now, true);
    if (i % 50 == 0) {
      ck_assert_int_eq (feedback (now - 10 * MS, now, 100e3, 0.0), TFRC_FEEDBACK_OK);
    } else if (now >= tfrc_sender_next_timeout (&t)) {
      tfrc_sender_on_timeout (&t, now);
    }
  }
  ck_assert_uint_eq (t.nofeedback_expiries, 0);
  ck_assert_uint_ge (t.RTO, 4 * 490 * MS);
  ck_assert_uint_le (t.RTO, 4 * 500 * MS);
}
END_TEST

/* A long silence is no slow report. */
START_TEST (test_silence_does_not_lengthen_the_timeout)
{
  run_at_one_percent (150e3);
  for (unsigned i = 1; i < 5; i++)
    round_trip (T0 + i * 20 * CC_SECOND, true, 150e3, 0.01);
  ck_assert_uint_eq (t.RTO, 4 * R);
}
END_TEST

START_TEST (test_tiny_round_trips_are_clamped)
{
  reset (0, true);
  sent (T0, true);
  ck_assert_int_eq (feedback (T0, T0 + 1, 0, 0), TFRC_FEEDBACK_OK);
  ck_assert_uint_eq (t.R, 100 * CC_USECOND);
  ck_assert_double_eq_tol (tfrc_sender_rate (&t), W_INIT / 100e-6, 1);
}
END_TEST

static void
refused (CcTime t_recvdata, CcTime now, CcDuration t_delay, double X_recv, double p)
{
  TfrcFeedback f = {now, t_recvdata, t_delay, X_recv, p};
  TfrcSender before = t;

  ck_assert_int_eq (tfrc_sender_on_feedback (&t, &f), TFRC_FEEDBACK_INVALID);
  before.invalid_feedbacks++;
  ck_assert_mem_eq (&before, &t, sizeof t);
}

START_TEST (test_absurd_reports_are_refused)
{
  const CcTime last = T0 + 6 * R, now = T0 + 7 * R;

  run_at_one_percent (40e3);
  sent (last, true);
  refused (last, now, 0, 40e3, -0.001);
  refused (last, now, 0, 40e3, 1.001);
  refused (last, now, 0, 40e3, NAN);
  refused (last, now, 0, 40e3, HUGE_VAL);
  refused (last, now, 0, -1, 0);
  refused (last, now, 0, NAN, 0);
  refused (last, now, 0, HUGE_VAL, 0);
  refused (last, now, 0, 1e300, 0);
  refused (last, now, R, 40e3, 0);
  refused (last, now, R + 1, 40e3, 0);
  refused (last, now, CC_TIME_NONE, 40e3, 0);
  refused (last, last, 0, 40e3, 0);
  refused (last, last - MS, 0, 40e3, 0);
  refused (last, last + 10 * CC_SECOND + 1, 0, 40e3, 0);
  ck_assert_int_eq (feedback (last, now, 40e3, 0.01), TFRC_FEEDBACK_OK);
}
END_TEST

START_TEST (test_echoes_of_packets_never_sent_are_refused)
{
  reset (0, true);
  refused (T0, T0 + R, 0, 1e6, 0);
  sent (T0 + 10 * MS, true);
  refused (T0 + 12 * MS, T0 + R, 0, 1e6, 0);
  refused (T0 + 2 * R, T0 + R, 0, 1e6, 0);
  refused (T0 - 10 * MS, T0 + R, 0, 1e6, 0);
  refused (0, T0 + R, 0, 1e6, 0);
  refused (CC_TIME_NONE, T0 + R, 0, 1e6, 0);
  ck_assert_int_eq (feedback (T0 + 10 * MS, T0 + R, 1e6, 0), TFRC_FEEDBACK_OK);
}
END_TEST

/* Timestamps travel in microseconds: an echo may lie up to one below the start. */
START_TEST (test_echoes_are_as_precise_as_their_timestamps)
{
  TfrcSenderParams params;

  tfrc_sender_params_init (&params);
  tfrc_sender_init (&t, &params, T0 + 700);
  sent (T0 + 700, true);
  ck_assert_int_eq (feedback (T0, T0 + R, 0, 0), TFRC_FEEDBACK_OK);
}
END_TEST

START_TEST (test_old_reports_are_ignored)
{
  TfrcSender before;

  run_at_one_percent (40e3);
  before = t;
  ck_assert_int_eq (feedback (T0 + 4 * R, T0 + 6 * R + 50 * MS, 90e3, 0), TFRC_FEEDBACK_OLD);
  before.old_feedbacks++;
  ck_assert_mem_eq (&before, &t, sizeof t);
}
END_TEST

/* A regular RTCP packet repeats the last report though nothing arrives: that must not hold the no-feedback timer off.
 */
START_TEST (test_repeated_reports_do_not_hold_the_timer_off)
{
  TfrcFeedback f = {.t_recvdata = T0 + 5 * R, .X_recv = 40e3, .p = 0.01};

  run_at_one_percent (40e3);
  for (unsigned i = 1; i < 10; i++) {
    sent (T0 + 6 * R + i * 50 * MS, true);
    f.received_at = T0 + 6 * R + i * 50 * MS;
    f.t_delay = i * 50 * MS;
    ck_assert_int_eq (tfrc_sender_on_feedback (&t, &f), TFRC_FEEDBACK_OLD);
    tfrc_sender_on_timeout (&t, f.received_at);
  }
  ck_assert_uint_eq (t.nofeedback_expiries, 1);
}
END_TEST

/* A late packet may take a loss back without a newer one to echo. */
START_TEST (test_the_same_echo_with_news_counts)
{
  run_at_one_percent (150e3);
  ck_assert_int_eq (feedback (T0 + 5 * R, T0 + 6 * R + MS, 150e3, 0.005), TFRC_FEEDBACK_OK);
  ck_assert_double_eq (t.p, 0.005);
}
END_TEST

CC_TEST_MAIN ("tfrcsender", test_start, test_first_report, test_initial_window,
    test_a_start_rate_is_no_ceiling_and_not_taken_back, test_a_start_rate_unanswered_is_halved_every_two_seconds,
    test_mean_segment_size, test_round_trip_filter, test_a_round_trip_that_is_over_goes_at_once,
    test_slow_start_doubles_once_a_round_trip, test_slow_start_is_bounded_by_twice_the_receive_rate,
    test_slow_start_never_falls_below_the_initial_rate, test_equation, test_twice_the_receive_rate_limits_the_equation,
    test_floor, test_a_data_limited_interval_does_not_lower_the_limit, test_loss_while_data_limited,
    test_loss_while_data_limited_with_infinity_in_the_set, test_nothing_received_is_not_data_limited,
    test_one_instant_makes_the_interval_not_data_limited, test_the_second_instant_counts,
    test_an_instant_waits_for_the_report_that_covers_it, test_receive_rates_age, test_oscillation_prevention,
    test_no_feedback_at_all, test_idle_before_the_first_sample_keeps_the_rate, test_early_timeouts_change_nothing,
    test_a_very_late_timeout_counts_once, test_timeout_without_loss, test_data_limited_is_not_idle,
    test_idle_without_loss, test_timeout_halves_the_equation_rate, test_timeout_halves_the_receive_rate_limit,
    test_idle_with_loss, test_restart_after_idle, test_timeouts_stop_at_the_floor, test_smallest_timeout,
    test_reports_slower_than_the_round_trip, test_silence_does_not_lengthen_the_timeout,
    test_tiny_round_trips_are_clamped, test_absurd_reports_are_refused, test_echoes_of_packets_never_sent_are_refused,
    test_echoes_are_as_precise_as_their_timestamps, test_old_reports_are_ignored,
    test_repeated_reports_do_not_hold_the_timer_off, test_the_same_echo_with_news_counts)
