/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrcreceiver.h"
#include "cctest.h"

#include <math.h>
#include <string.h>

#define MS CC_MSECOND
#define T0 (5 * CC_SECOND)

static TfrcReceiver r;
static TfrcReport report;

static void
reset (CcDuration min_window, unsigned reports_per_rtt)
{
  static TfrcReceiverParams params; /* padding defined: tests compare whole structures */

  tfrc_receiver_params_init (&params);
  params.loss_history.history_discounting = false;
  params.min_window = min_window;
  params.reports_per_rtt = reports_per_rtt;
  tfrc_receiver_init (&r, &params);
  memset (&report, 0, sizeof report);
}

/* One of 1000 bytes. */
static bool
packet (uint64_t seq, CcTime at, CcDuration R)
{
  TfrcPacket p = {.seq = seq, .size_bytes = 1000, .arrived_at = at, .R = R, .t_i_us = (uint32_t)seq};

  return tfrc_receiver_on_packet (&r, &p);
}

/* The first packet at T0 and its report. */
static void
start (CcDuration R)
{
  ck_assert (packet (1, T0, R));
  ck_assert (tfrc_receiver_report (&r, T0, &report));
}

/* Packets first..last, number n at T0 + (n - 1) 10 ms, reporting whenever due. Returns the number of reports. */
static unsigned
run (uint64_t first, uint64_t last, CcDuration R)
{
  unsigned reports = 0;

  for (uint64_t seq = first; seq <= last; seq++) {
    CcTime now = T0 + (seq - 1) * 10 * MS, timer = tfrc_receiver_next_timeout (&r);
    if (timer <= now && tfrc_receiver_on_timeout (&r, timer)) {
      ck_assert (tfrc_receiver_report (&r, timer, &report));
      reports++;
    }
    if (packet (seq, now, R)) {
      ck_assert (tfrc_receiver_report (&r, now, &report));
      reports++;
    }
  }
  return reports;
}

START_TEST (test_nothing_before_the_first_packet)
{
  reset (0, 1);
  ck_assert (!tfrc_receiver_report (&r, T0, &report));
  ck_assert (tfrc_receiver_next_timeout (&r) == CC_TIME_NONE);
  ck_assert (!tfrc_receiver_on_timeout (&r, T0));
  ck_assert (!tfrc_receiver_report_due (&r));
}
END_TEST

/* RFC 5348 6.3 */
START_TEST (test_the_first_packet_reports_at_once)
{
  reset (0, 1);
  start (100 * MS);
  ck_assert_double_eq (report.X_recv, 0);
  ck_assert_double_eq (report.p, 0);
  ck_assert_uint_eq (report.t_i_us, 1);
  ck_assert_uint_eq (tfrc_receiver_next_timeout (&r), T0 + 100 * MS);
  ck_assert (!tfrc_receiver_report_due (&r));
}
END_TEST

START_TEST (test_every_packet_reports_until_the_round_trip_is_known)
{
  reset (0, 1);
  start (0);
  for (uint64_t seq = 2; seq < 10; seq++) {
    ck_assert (packet (seq, T0 + seq * 10 * MS, 0));
    ck_assert (tfrc_receiver_next_timeout (&r) == CC_TIME_NONE);
    ck_assert (tfrc_receiver_report (&r, T0 + seq * 10 * MS, &report));
    ck_assert_double_eq (report.X_recv, 0);
  }
  packet (10, T0 + 100 * MS, 50 * MS);
  tfrc_receiver_report (&r, T0 + 100 * MS, &report);
  ck_assert (!packet (11, T0 + 110 * MS, 50 * MS));
  ck_assert_uint_eq (tfrc_receiver_next_timeout (&r), T0 + 150 * MS);
}
END_TEST

/* 1000 B each 10 ms: 100 kB/s, one report each 100 ms. */
START_TEST (test_one_report_a_round_trip)
{
  reset (0, 1);
  start (100 * MS);
  ck_assert_uint_eq (run (2, 102, 100 * MS), 10);
  ck_assert_double_eq_tol (report.X_recv, 100e3, 1);
  ck_assert_double_eq (report.p, 0);
}
END_TEST

/* 9 or 10 packets lie within 100 ms, 2 or 3 within 25. */
START_TEST (test_k_reports_a_round_trip_still_measure_over_one)
{
  reset (0, 4);
  start (100 * MS);
  ck_assert_uint_eq (run (2, 102, 100 * MS), 40);
  ck_assert_double_eq_tol (report.X_recv, 95e3, 5001);
}
END_TEST

START_TEST (test_t_delay)
{
  reset (0, 1);
  start (100 * MS);
  packet (2, T0 + 70 * MS, 100 * MS);
  tfrc_receiver_report (&r, T0 + 100 * MS, &report);
  ck_assert_uint_eq (report.t_delay, 30 * MS);
  ck_assert_uint_eq (report.t_i_us, 2);
}
END_TEST

/* A late packet neither rejuvenates nor ages the echo, nor brings its old R back. */
START_TEST (test_the_newest_number_is_echoed)
{
  reset (0, 1);
  start (100 * MS);
  packet (3, T0 + 70 * MS, 120 * MS);
  packet (2, T0 + 90 * MS, 80 * MS);
  tfrc_receiver_report (&r, T0 + 100 * MS, &report);
  ck_assert_uint_eq (report.t_i_us, 3);
  ck_assert_uint_eq (report.t_delay, 30 * MS);
  ck_assert_uint_eq (r.R, 120 * MS);
}
END_TEST

/* Over the last 100 ms though the last report is 10 ms old: 10 packets less the lost one, number 51 at 500 ms. The
   third one above it comes at 530 ms. */
START_TEST (test_an_expedited_report_measures_over_a_round_trip)
{
  reset (0, 1);
  start (100 * MS);
  run (2, 50, 100 * MS);
  packet (52, T0 + 510 * MS, 100 * MS);
  packet (53, T0 + 520 * MS, 100 * MS);
  tfrc_receiver_report (&r, T0 + 520 * MS, &report);
  ck_assert (packet (54, T0 + 530 * MS, 100 * MS));
  tfrc_receiver_report (&r, T0 + 530 * MS, &report);
  ck_assert_double_eq_tol (report.X_recv, 90e3, 1);
  ck_assert_double_gt (report.p, 0);
}
END_TEST

/* The round trip of the previous report, at 300 ms, counts: 50 ms then, 200 ms now. After a pause of 40 ms two packets
   of 1000 B lie within 50 ms; within 200 ms 17 would. */
START_TEST (test_the_window_is_the_round_trip_at_the_previous_report)
{
  reset (0, 1);
  start (50 * MS);
  run (2, 31, 50 * MS);
  packet (32, T0 + 340 * MS, 200 * MS);
  tfrc_receiver_report (&r, T0 + 340 * MS, &report);
  ck_assert_double_eq_tol (report.X_recv, 2 * 1000 / 0.05, 1);
  ck_assert_uint_eq (tfrc_receiver_next_timeout (&r), T0 + 540 * MS);
}
END_TEST

/* A report held back for 300 ms by the feedback timing counts all that arrived since the last: 30 packets. */
START_TEST (test_a_late_report_covers_all_since_the_last)
{
  reset (0, 1);
  start (20 * MS);
  run (2, 11, 20 * MS);
  tfrc_receiver_report (&r, T0 + 100 * MS, &report);
  for (uint64_t seq = 12; seq <= 41; seq++)
    packet (seq, T0 + (seq - 1) * 10 * MS, 20 * MS);
  tfrc_receiver_report (&r, T0 + 400 * MS, &report);
  ck_assert_double_eq_tol (report.X_recv, 30 * 1000 / 0.3, 1);
}
END_TEST

/* Silence: the timer runs out once, then the next packet reports at once, with one packet per round trip. */
START_TEST (test_the_end_of_a_silence_reports_at_once)
{
  reset (0, 1);
  start (100 * MS);
  run (2, 11, 100 * MS);
  ck_assert (tfrc_receiver_on_timeout (&r, T0 + 200 * MS));
  tfrc_receiver_report (&r, T0 + 200 * MS, &report);
  ck_assert (!tfrc_receiver_on_timeout (&r, T0 + 300 * MS));
  ck_assert (tfrc_receiver_next_timeout (&r) == CC_TIME_NONE);
  ck_assert (packet (12, T0 + 10 * CC_SECOND, 100 * MS));
  tfrc_receiver_report (&r, T0 + 10 * CC_SECOND, &report);
  ck_assert_double_eq_tol (report.X_recv, 10e3, 1);
  ck_assert (!packet (13, T0 + 10 * CC_SECOND + MS, 100 * MS));
  ck_assert_uint_eq (tfrc_receiver_next_timeout (&r), T0 + 10 * CC_SECOND + 100 * MS);
}
END_TEST

START_TEST (test_x_recv_is_never_below_one_packet_per_report)
{
  reset (0, 1);
  start (100 * MS);
  tfrc_receiver_on_timeout (&r, T0 + 100 * MS);
  packet (2, T0 + CC_SECOND, 100 * MS);
  tfrc_receiver_report (&r, T0 + 3 * CC_SECOND, &report);
  ck_assert_double_eq_tol (report.X_recv, 1000 / 2.1, 1);
}
END_TEST

START_TEST (test_early_timeouts_change_nothing)
{
  TfrcReceiver before;

  reset (0, 1);
  start (100 * MS);
  packet (2, T0 + 50 * MS, 100 * MS);
  before = r;
  ck_assert (!tfrc_receiver_on_timeout (&r, T0 + 99 * MS));
  ck_assert_mem_eq (&before, &r, sizeof r);
}
END_TEST

START_TEST (test_a_due_report_stays_due)
{
  reset (0, 1);
  start (100 * MS);
  packet (2, T0 + 50 * MS, 100 * MS);
  ck_assert (tfrc_receiver_on_timeout (&r, T0 + 100 * MS));
  ck_assert_uint_gt (tfrc_receiver_next_timeout (&r), T0 + 100 * MS);
  ck_assert (tfrc_receiver_report_due (&r));
  ck_assert (packet (3, T0 + 110 * MS, 100 * MS));
  tfrc_receiver_report (&r, T0 + 120 * MS, &report);
  ck_assert (!tfrc_receiver_report_due (&r));
}
END_TEST

/* Without data a report repeats itself, the delay apart. */
START_TEST (test_a_report_without_data_repeats_the_last)
{
  TfrcReport again;

  reset (0, 1);
  start (100 * MS);
  run (2, 51, 100 * MS);
  tfrc_receiver_report (&r, T0 + 500 * MS, &report);
  ck_assert (tfrc_receiver_report (&r, T0 + 4 * CC_SECOND, &again));
  ck_assert_double_eq (again.X_recv, report.X_recv);
  ck_assert_double_eq (again.p, report.p);
  ck_assert_uint_eq (again.t_i_us, report.t_i_us);
  ck_assert_uint_eq (again.t_delay, report.t_delay + 3500 * MS);
}
END_TEST

/* RFC 5348 6.3.1: 100 kB/s of 1000 B at R = 100 ms are 10 packets per round trip, so p = 0.01217272 and I_1 = 82.151.
   The first report stays the measured rate. */
START_TEST (test_first_interval)
{
  reset (0, 1);
  start (100 * MS);
  run (2, 101, 100 * MS);
  packet (103, T0 + 1020 * MS, 100 * MS);
  packet (104, T0 + 1030 * MS, 100 * MS);
  ck_assert (packet (105, T0 + 1040 * MS, 100 * MS));
  tfrc_receiver_report (&r, T0 + 1040 * MS, &report);
  ck_assert_double_eq_tol (1 / report.p, 82.151, 0.01);
  ck_assert_double_eq_tol (report.X_recv, 90e3, 1);
}
END_TEST

/* The largest X_recv so far counts, not the latest: 100 kB/s, then 10 kB/s. */
START_TEST (test_first_interval_from_the_largest_rate)
{
  CcTime now = T0 + 1010 * MS;

  reset (0, 1);
  start (100 * MS);
  run (2, 101, 100 * MS);
  for (uint64_t seq = 102; seq <= 109; seq++, now += 100 * MS) {
    if (packet (seq < 106 ? seq : seq + 1, now, 100 * MS))
      tfrc_receiver_report (&r, now, &report);
    if (tfrc_receiver_on_timeout (&r, now))
      tfrc_receiver_report (&r, now, &report);
  }
  ck_assert_double_eq_tol (1 / report.p, 82.151, 0.01);
}
END_TEST

/* At least half a packet per round trip: p = 0.20642890. Marked right at the start there is no rate yet. */
START_TEST (test_first_interval_floor)
{
  TfrcPacket marked = {.seq = 1, .size_bytes = 1000, .arrived_at = T0, .R = 100 * MS, .ce = true};

  reset (0, 1);
  ck_assert (tfrc_receiver_on_packet (&r, &marked));
  tfrc_receiver_report (&r, T0, &report);
  ck_assert_double_eq_tol (report.p, 0.20642890, 1e-6);
  ck_assert_double_eq (report.X_recv, 0);
}
END_TEST

/* 24 kbit/s of audio on a LAN: less than the equation gives at p = 1. */
START_TEST (test_a_slow_flow_over_a_short_path_ends)
{
  reset (0, 1);
  start (MS);
  for (uint64_t seq = 3; seq < 100; seq += 2)
    if (packet (seq, T0 + seq * 333 * MS, MS))
      tfrc_receiver_report (&r, T0 + seq * 333 * MS, &report);
  ck_assert_double_gt (report.p, 0);
  ck_assert_double_le (report.p, 1);
}
END_TEST

/* A loss reports at once, and so does its return; p is back at 0. */
START_TEST (test_a_loss_taken_back_reports)
{
  reset (0, 1);
  start (100 * MS);
  run (2, 50, 100 * MS);
  packet (52, T0 + 510 * MS, 100 * MS);
  packet (53, T0 + 520 * MS, 100 * MS);
  ck_assert (packet (54, T0 + 530 * MS, 100 * MS));
  tfrc_receiver_report (&r, T0 + 530 * MS, &report);
  ck_assert_double_gt (report.p, 0);
  ck_assert (packet (51, T0 + 540 * MS, 100 * MS));
  tfrc_receiver_report (&r, T0 + 541 * MS, &report);
  ck_assert_double_eq (report.p, 0);
}
END_TEST

/* A second loss of the same event does not raise p: no report. */
START_TEST (test_no_report_for_a_further_loss_of_the_event)
{
  reset (0, 1);
  start (100 * MS);
  run (2, 50, 100 * MS);
  packet (52, T0 + 510 * MS, 100 * MS);
  packet (54, T0 + 530 * MS, 100 * MS);
  ck_assert (packet (55, T0 + 540 * MS, 100 * MS));
  tfrc_receiver_report (&r, T0 + 540 * MS, &report);
  ck_assert (!packet (56, T0 + 550 * MS, 100 * MS));
  ck_assert_uint_eq (r.history.lost_packets, 2);
}
END_TEST

/* RFC 5348 6.1 step 3 asks for a risen p. Nine events 20 packets apart fill the history, so that the one that ends an
   interval of 100 moves it on without a change of the mean: what counted as I_0 counts as I_1. */
START_TEST (test_no_report_for_an_event_that_does_not_raise_p)
{
  uint64_t first = 2;
  double p;

  reset (0, 1);
  start (100 * MS);
  for (uint64_t lost = 40; lost <= 300; lost += lost < 200 ? 20 : 100) {
    run (first, lost - 1, 100 * MS);
    first = lost + 1;
  }
  p = r.p;
  ck_assert_uint_eq (r.history.loss_events, 9);
  for (uint64_t n = 301; n <= 303; n++)
    ck_assert (!packet (n, T0 + (n - 1) * 10 * MS, 100 * MS));
  ck_assert_uint_eq (r.history.loss_events, 10);
  ck_assert_double_lt (r.p, p);
}
END_TEST

START_TEST (test_duplicates_do_not_count)
{
  reset (0, 1);
  start (100 * MS);
  run (2, 11, 100 * MS);
  tfrc_receiver_report (&r, T0 + 100 * MS, &report);
  for (int i = 0; i < 100; i++)
    ck_assert (!packet (11, T0 + 110 * MS, 100 * MS));
  ck_assert_uint_eq (r.bytes, 11 * 1000);
  ck_assert (!tfrc_receiver_on_timeout (&r, T0 + 200 * MS));
}
END_TEST

/* R = 10 ms, a frame of 4 packets each 40 ms: over R it is 400 kB/s or nothing, over 120 ms it is 100 kB/s. */
START_TEST (test_a_wider_window_evens_frames_out)
{
  reset (120 * MS, 1);
  start (10 * MS);
  for (uint64_t frame = 0; frame < 25; frame++)
    for (uint64_t i = 0; i < 4; i++) {
      CcTime now = T0 + frame * 40 * MS + i * CC_MSECOND;
      if (packet (2 + frame * 4 + i, now, 10 * MS) || tfrc_receiver_on_timeout (&r, now)) {
        tfrc_receiver_report (&r, now, &report);
        if (frame > 4)
          ck_assert_double_eq_tol (report.X_recv, 100e3, 34e3);
      }
    }
}
END_TEST

/* At the start the wide window would count time before the flow: two packets in 20 ms are 100 kB/s. */
START_TEST (test_a_wider_window_does_not_dilute_the_start)
{
  reset (500 * MS, 1);
  start (10 * MS);
  packet (2, T0 + 10 * MS, 10 * MS);
  packet (3, T0 + 20 * MS, 10 * MS);
  tfrc_receiver_report (&r, T0 + 20 * MS, &report);
  ck_assert_double_eq_tol (report.X_recv, 100e3, 1);
}
END_TEST

START_TEST (test_absurd_round_trips_are_clamped)
{
  reset (0, 1);
  packet (1, T0, 1);
  ck_assert_uint_eq (r.R, 100 * CC_USECOND);
  packet (2, T0, 1000 * CC_SECOND);
  ck_assert_uint_eq (r.R, 10 * CC_SECOND);
}
END_TEST

/* 100 000 packets of 1000 B, one each 10 us: 100 MB/s out of 64 slots. */
START_TEST (test_high_rates)
{
  reset (0, 1);
  start (10 * MS);
  for (uint64_t seq = 2; seq < 100000; seq++) {
    CcTime now = T0 + seq * 10 * CC_USECOND;
    packet (seq, now, 10 * MS);
    if (tfrc_receiver_on_timeout (&r, now)) {
      tfrc_receiver_report (&r, now, &report);
      if (seq > 2000)
        ck_assert_double_eq_tol (report.X_recv, 100e6, 1e6);
    }
  }
}
END_TEST

CC_TEST_MAIN ("tfrcreceiver", test_nothing_before_the_first_packet, test_the_first_packet_reports_at_once,
    test_every_packet_reports_until_the_round_trip_is_known, test_one_report_a_round_trip,
    test_k_reports_a_round_trip_still_measure_over_one, test_t_delay, test_the_newest_number_is_echoed,
    test_an_expedited_report_measures_over_a_round_trip, test_the_window_is_the_round_trip_at_the_previous_report,
    test_a_late_report_covers_all_since_the_last, test_the_end_of_a_silence_reports_at_once,
    test_x_recv_is_never_below_one_packet_per_report, test_early_timeouts_change_nothing, test_a_due_report_stays_due,
    test_a_report_without_data_repeats_the_last, test_first_interval, test_first_interval_from_the_largest_rate,
    test_first_interval_floor, test_a_slow_flow_over_a_short_path_ends, test_a_loss_taken_back_reports,
    test_no_report_for_a_further_loss_of_the_event, test_no_report_for_an_event_that_does_not_raise_p,
    test_duplicates_do_not_count, test_a_wider_window_evens_frames_out, test_a_wider_window_does_not_dilute_the_start,
    test_absurd_round_trips_are_clamped, test_high_rates)
