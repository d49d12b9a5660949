/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrclosshistory.h"
#include "cctest.h"

#include <math.h>

#define MS CC_MSECOND
#define R (100 * MS)

static TfrcLossHistory h;

static void
reset (bool history_discounting)
{
  TfrcLossHistoryParams params;

  tfrc_loss_history_params_init (&params);
  params.history_discounting = history_discounting;
  tfrc_loss_history_init (&h, &params);
}

static void
setup (void)
{
  reset (false);
}

static unsigned
at (uint64_t seq, CcTime time)
{
  return tfrc_loss_history_on_packet (&h, seq, time, R, false);
}

/* Packets first..last, one each 10 ms, number n at 10 n ms. */
static unsigned
run (uint64_t first, uint64_t last)
{
  unsigned changes = 0;

  for (uint64_t seq = first; seq <= last; seq++)
    changes |= at (seq, seq * 10 * MS);
  return changes;
}

static void
set_intervals (const double *lengths, unsigned n)
{
  reset (h.params.history_discounting);
  for (unsigned i = 0; i < n; i++)
    h.intervals[i] = (TfrcInterval){.length = lengths[i], .discount = 1};
  h.n_intervals = n;
}

static double
mean_of (const double *lengths, unsigned n)
{
  set_intervals (lengths, n);
  return 1 / tfrc_loss_history_p (&h);
}

/* RFC 5348 5.4. Closed intervals only: (100 + 50 + 80 + 20 + 0.8*60 + 0.6*40 + 0.4*30 + 0.2*10)/6 = 336/6 = 56; the
   open one of 5 would lower it. With 300 open: (300 + 100 + 50 + 80 + 0.8*20 + 0.6*60 + 0.4*40 + 0.2*30)/6 = 604/6. */
START_TEST (test_weighted_mean)
{
  const double short_open[] = {5, 100, 50, 80, 20, 60, 40, 30, 10};
  const double long_open[] = {300, 100, 50, 80, 20, 60, 40, 30, 10};

  ck_assert_double_eq_tol (mean_of (short_open, 9), 56, 1e-9);
  ck_assert_double_eq_tol (mean_of (long_open, 9), 604.0 / 6, 1e-9);
}
END_TEST

START_TEST (test_one_closed_interval)
{
  ck_assert_double_eq_tol (mean_of ((double[]){7, 50}, 2), 50, 1e-9);
  ck_assert_double_eq_tol (mean_of ((double[]){80, 50}, 2), 80, 1e-9);
}
END_TEST

/* RFC 5348 5.5: the mean of the closed ones is 56, 300 > 112, DF = 112/300. T0 = 300 + DF (604 - 300), W0 = 1 + 5 DF.
 */
START_TEST (test_discounting)
{
  const double lengths[] = {300, 100, 50, 80, 20, 60, 40, 30, 10};
  double DF = 112.0 / 300;

  reset (true);
  ck_assert_double_eq_tol (mean_of (lengths, 9), (300 + DF * 304) / (1 + 5 * DF), 1e-9);
}
END_TEST

/* THRESHOLD is 0.25, not RFC 3448's 0.5. 10000 > 2*56: DF = max (112/10000, 0.25). */
START_TEST (test_discounting_has_a_floor)
{
  const double lengths[] = {10000, 100, 50, 80, 20, 60, 40, 30, 10};

  reset (true);
  ck_assert_double_eq_tol (mean_of (lengths, 9), (10000 + 0.25 * 304) / (1 + 5 * 0.25), 1e-9);
}
END_TEST

/* DF = 1 as long as the open interval is at most twice the mean; just above, at 130, DF = 112/130. */
START_TEST (test_no_discount_below_twice_the_mean)
{
  const double at_twice[] = {112, 100, 50, 80, 20, 60, 40, 30, 10};
  const double above[] = {130, 100, 50, 80, 20, 60, 40, 30, 10};
  double DF = 112.0 / 130;

  reset (true);
  ck_assert_double_eq_tol (mean_of (at_twice, 9), (112 + 304) / 6.0, 1e-9);
  ck_assert_double_eq_tol (mean_of (above, 9), (130 + DF * 304) / (1 + 5 * DF), 1e-9);
}
END_TEST

/* After a long interval the older ones stay discounted for good. First loss at 20 (synthetic interval 20), second at
   420: the open interval was 403 = 423 - 20 when number 423 showed the loss, plus one: 404 > 40, DF = max (40/404,
   0.25). */
START_TEST (test_an_event_makes_the_discount_last)
{
  reset (true);
  run (1, 19);
  run (21, 419);
  tfrc_loss_history_set_first_interval (&h, 20);
  run (421, 423);
  ck_assert_uint_eq (h.n_intervals, 3);
  ck_assert_double_eq (h.intervals[1].discount, 1);
  ck_assert_double_eq (h.intervals[2].discount, 0.25);
  ck_assert_double_eq_tol (1 / tfrc_loss_history_p (&h), (400 + 20 * 0.25) / 1.25, 1e-9);
}
END_TEST

START_TEST (test_no_loss_no_rate)
{
  ck_assert_double_eq (tfrc_loss_history_p (&h), 0);
  ck_assert_uint_eq (run (1, 100), TFRC_LOSS_NOTHING);
  ck_assert_double_eq (tfrc_loss_history_p (&h), 0);
}
END_TEST

START_TEST (test_lost_at_the_third_higher_packet)
{
  run (1, 9);
  ck_assert_uint_eq (run (11, 12), TFRC_LOSS_NOTHING);
  ck_assert_uint_eq (run (13, 13), TFRC_LOSS_NEW_EVENT | TFRC_LOSS_FIRST_EVENT);
  ck_assert_uint_eq (h.lost_packets, 1);
}
END_TEST

/* Any three: 12, 14 and 16 with further holes between them. */
START_TEST (test_the_three_need_not_be_in_a_row)
{
  run (1, 10);
  ck_assert_uint_eq (at (12, 120 * MS), TFRC_LOSS_NOTHING);
  ck_assert_uint_eq (at (14, 140 * MS), TFRC_LOSS_NOTHING);
  ck_assert (at (16, 160 * MS) & TFRC_LOSS_NEW_EVENT);
  ck_assert_uint_eq (h.lost_packets, 1);
}
END_TEST

/* A late packet is a higher number to the holes below it too: 10 and 12 missing, then 13, 14, 12. */
START_TEST (test_late_packets_count_for_the_holes_below_them)
{
  run (1, 9);
  at (11, 110 * MS);
  at (13, 130 * MS);
  ck_assert (at (12, 135 * MS) & TFRC_LOSS_NEW_EVENT);
  ck_assert_uint_eq (h.lost_packets, 1);
  ck_assert_uint_eq (h.n_holes, 1);
}
END_TEST

START_TEST (test_reordering_by_two_is_no_loss)
{
  run (1, 9);
  run (12, 12);
  at (10, 125 * MS);
  at (11, 126 * MS);
  ck_assert_uint_eq (run (13, 50), TFRC_LOSS_NOTHING);
  ck_assert_uint_eq (h.late_packets, 2);
  ck_assert_double_eq (tfrc_loss_history_p (&h), 0);
}
END_TEST

START_TEST (test_duplicates_change_nothing)
{
  run (1, 9);
  at (11, 110 * MS);
  for (int i = 0; i < 5; i++)
    ck_assert_uint_eq (at (11, 111 * MS), TFRC_LOSS_DUPLICATE);
  ck_assert_uint_eq (at (3, 112 * MS), TFRC_LOSS_DUPLICATE);
  ck_assert_uint_eq (h.duplicates, 6);
  ck_assert_uint_eq (h.lost_packets, 0);
}
END_TEST

/* I_0 = S_C - S_A + 1: 10 lost, 13 the newest. */
START_TEST (test_open_interval_counts_the_lost_packet_and_the_newest)
{
  run (1, 9);
  run (11, 13);
  ck_assert_double_eq (h.intervals[0].length, 4);
  ck_assert_uint_eq (h.intervals[0].start_seq, 10);
  run (14, 20);
  ck_assert_double_eq (h.intervals[0].length, 11);
}
END_TEST

/* Number 10 lies between 9 at 90 ms and 12 at 120 ms: 90 + 30 * 1/3 = 100 ms; 11: 110 ms. */
START_TEST (test_nominal_times_are_interpolated)
{
  run (1, 9);
  run (12, 14);
  ck_assert_uint_eq (h.intervals[0].start_at, 100 * MS);
}
END_TEST

/* The neighbour below is the last arrival before anything above, here the late number 5 at 100 ms: number 10 of the
   hole 10..11 at 100 + (130 - 100) (10 - 5)/(12 - 5) = 121.43 ms. */
START_TEST (test_the_neighbour_below_is_the_last_to_arrive)
{
  run (1, 4);
  run (6, 7);
  at (8, 80 * MS);
  at (9, 90 * MS);
  at (5, 100 * MS);
  at (12, 130 * MS);
  run (14, 15);
  ck_assert_uint_eq (h.intervals[0].start_seq, 10);
  ck_assert_uint_eq (h.intervals[0].start_at, 100 * MS + 30 * MS * 5 / 7);
}
END_TEST

/* R = 100 ms, a packet each 10 ms: losses at 100 and 200 ms (T_new = T_old + R) are one event, at 100 and 210 two. */
START_TEST (test_events_are_grouped_by_the_first_loss)
{
  run (1, 9);
  run (11, 19);
  ck_assert_uint_eq (run (21, 23), TFRC_LOSS_NOTHING);
  ck_assert_uint_eq (h.loss_events, 1);
  setup ();
  run (1, 9);
  run (11, 20);
  ck_assert_uint_eq (run (22, 24), TFRC_LOSS_NEW_EVENT);
  ck_assert_uint_eq (h.loss_events, 2);
  ck_assert_double_eq (h.intervals[1].length, 11);
}
END_TEST

/* Losses at 100, 180, 260 ms: the last is within R of the one before but not of the first. */
START_TEST (test_an_event_does_not_last_for_ever)
{
  run (1, 9);
  run (11, 17);
  run (19, 25);
  run (27, 30);
  ck_assert_uint_eq (h.loss_events, 2);
  ck_assert_uint_eq (h.intervals[0].start_seq, 26);
}
END_TEST

/* 10..50 missing, a packet each 10 ms: events at 100, 210, 320, 430 ms. */
START_TEST (test_a_long_burst_is_several_events)
{
  run (1, 9);
  run (51, 53);
  ck_assert_uint_eq (h.loss_events, 4);
  ck_assert_uint_eq (h.lost_packets, 41);
  ck_assert_uint_eq (h.intervals[0].start_seq, 43);
  for (int i = 1; i <= 3; i++)
    ck_assert_double_eq (h.intervals[i].length, 11);
}
END_TEST

/* Three packets missing around a pause of 2 s: nominal times 590, 1090 and 1590 ms by the letter of 5.2, so three
   events at R = 100 ms though they may have been lost together. */
START_TEST (test_losses_around_a_pause_spread_over_it)
{
  run (1, 9);
  at (13, 2090 * MS);
  at (14, 2091 * MS);
  ck_assert (at (15, 2092 * MS) & TFRC_LOSS_NEW_EVENT);
  ck_assert_uint_eq (h.loss_events, 3);
  ck_assert_uint_eq (h.intervals[2].start_at, 590 * MS);
  ck_assert_uint_eq (h.intervals[0].start_at, 1590 * MS);
}
END_TEST

START_TEST (test_losses_join_while_the_round_trip_is_unknown)
{
  for (uint64_t seq = 1; seq < 1000; seq += 2)
    tfrc_loss_history_on_packet (&h, seq, seq * 10 * MS, 0, false);
  ck_assert_uint_eq (h.loss_events, 1);
}
END_TEST

/* n + 1 intervals are kept: events each 20 packets (200 ms), the first interval 1000. After the ninth event the eighth
   closed one is the synthetic 1000: (7 intervals of 20, weights 5.8; 1000 at 0.2)/6. */
START_TEST (test_nine_intervals_are_kept)
{
  const double mean = (20 * 5.8 + 1000 * 0.2) / 6;

  run (1, 19);
  for (uint64_t event = 1; event <= 8; event++) {
    run (event * 20 + 1, event * 20 + 19);
    tfrc_loss_history_set_first_interval (&h, 1000);
  }
  ck_assert_uint_eq (h.n_intervals, 9);
  ck_assert_double_eq_tol (1 / tfrc_loss_history_p (&h), mean, 1e-9);
  run (181, 199);
  ck_assert_uint_eq (h.n_intervals, 9);
  ck_assert_double_eq_tol (1 / tfrc_loss_history_p (&h), 20, 1e-9);
}
END_TEST

START_TEST (test_first_interval_is_real_and_stays)
{
  run (1, 9);
  run (11, 13);
  tfrc_loss_history_set_first_interval (&h, 82.151);
  ck_assert_double_eq_tol (1 / tfrc_loss_history_p (&h), 82.151, 1e-9);
  run (14, 29);
  run (31, 33);
  ck_assert_double_eq (h.intervals[2].length, 82.151);
  ck_assert_double_eq (h.intervals[1].length, 20);
}
END_TEST

START_TEST (test_first_interval_is_at_least_one_packet)
{
  run (1, 9);
  run (11, 13);
  tfrc_loss_history_set_first_interval (&h, NAN);
  ck_assert_double_eq (h.intervals[1].length, 1);
  ck_assert_double_le (tfrc_loss_history_p (&h), 1);
}
END_TEST

/* The only loss comes back: as if nothing had happened. */
START_TEST (test_the_only_loss_filled)
{
  run (1, 9);
  run (11, 15);
  ck_assert_double_gt (tfrc_loss_history_p (&h), 0);
  ck_assert_uint_eq (at (10, 155 * MS), TFRC_LOSS_HOLE_FILLED);
  ck_assert_double_eq (tfrc_loss_history_p (&h), 0);
  ck_assert_uint_eq (h.lost_packets, 0);
  ck_assert_uint_eq (h.loss_events, 0);
  run (16, 29);
  ck_assert_uint_eq (run (31, 33), TFRC_LOSS_NEW_EVENT | TFRC_LOSS_FIRST_EVENT);
}
END_TEST

/* Events at 10, 40, 70; 40 comes back: the intervals 10..40 and 40..70 become one of 60. */
START_TEST (test_filling_merges_two_intervals)
{
  run (1, 9);
  run (11, 39);
  run (41, 69);
  run (71, 75);
  ck_assert_uint_eq (h.loss_events, 3);
  ck_assert_uint_eq (at (40, 760 * MS), TFRC_LOSS_HOLE_FILLED);
  ck_assert_uint_eq (h.loss_events, 2);
  ck_assert_uint_eq (h.n_intervals, 3);
  ck_assert_double_eq (h.intervals[1].length, 60);
  ck_assert_double_eq (h.intervals[0].length, 6);
}
END_TEST

/* 10 and 12 lost in one event; 10 comes back: the event begins at 12. */
START_TEST (test_filling_moves_the_event_to_its_next_loss)
{
  run (1, 9);
  run (11, 11);
  run (13, 20);
  ck_assert_uint_eq (h.intervals[0].start_seq, 10);
  at (10, 205 * MS);
  ck_assert_uint_eq (h.intervals[0].start_seq, 12);
  ck_assert_uint_eq (h.intervals[0].start_at, 120 * MS);
  ck_assert_uint_eq (h.loss_events, 1);
}
END_TEST

/* Events at 100 ms (10, with 15) and 210 ms (21). Without 10 the event begins at 150 ms and takes 210 ms in. */
START_TEST (test_filling_groups_the_later_events_anew)
{
  run (1, 9);
  run (11, 14);
  run (16, 20);
  run (22, 30);
  ck_assert_uint_eq (h.loss_events, 2);
  at (10, 305 * MS);
  ck_assert_uint_eq (h.loss_events, 1);
  ck_assert_uint_eq (h.intervals[0].start_seq, 15);
  ck_assert_uint_eq (h.n_intervals, 2);
}
END_TEST

/* A packet numbered inside a gap, not at its start: the events of both parts keep their places. 5000 ms is far above
   any sequence number, so that mixing the two up would show. */
START_TEST (test_filling_the_middle_of_a_burst)
{
  run (1, 9);
  run (20, 25);
  ck_assert_uint_eq (at (15, 5000 * MS), TFRC_LOSS_HOLE_FILLED);
  ck_assert_uint_eq (h.lost_packets, 9);
  ck_assert_uint_eq (h.n_holes, 2);
  ck_assert_uint_eq (h.holes[0].last_seq, 14);
  ck_assert_uint_eq (h.holes[1].first_seq, 16);
  ck_assert_uint_eq (h.intervals[0].start_seq, 10);
  ck_assert_uint_eq (h.holes[1].before_seq, 9);
}
END_TEST

/* Filling every lost packet of several events leaves none, in whatever order. */
START_TEST (test_filling_everything_in_reverse)
{
  run (1, 9);
  run (40, 60);
  ck_assert_uint_gt (h.loss_events, 1);
  for (uint64_t seq = 39; seq >= 10; seq--)
    at (seq, 700 * MS);
  ck_assert_uint_eq (h.loss_events, 0);
  ck_assert_uint_eq (h.lost_packets, 0);
  ck_assert_uint_eq (h.n_holes, 0);
  ck_assert_double_eq (tfrc_loss_history_p (&h), 0);
}
END_TEST

START_TEST (test_a_mark_is_an_event_at_once)
{
  run (1, 9);
  ck_assert_uint_eq (
      tfrc_loss_history_on_packet (&h, 10, 103 * MS, R, true), TFRC_LOSS_NEW_EVENT | TFRC_LOSS_FIRST_EVENT);
  ck_assert_uint_eq (h.intervals[0].start_seq, 10);
  ck_assert_uint_eq (h.intervals[0].start_at, 103 * MS);
  ck_assert_uint_eq (h.marks, 1);
  ck_assert_uint_eq (h.lost_packets, 0);
}
END_TEST

START_TEST (test_the_first_packet_may_be_marked)
{
  unsigned changes = tfrc_loss_history_on_packet (&h, 10, 100 * MS, R, true);

  ck_assert_uint_eq (changes, TFRC_LOSS_NEW_EVENT | TFRC_LOSS_FIRST_EVENT);
  ck_assert_double_eq (tfrc_loss_history_p (&h), 1);
}
END_TEST

/* 9, 11, 12 with a mark: the event begins at 10. */
START_TEST (test_a_mark_drags_the_open_holes_in)
{
  run (1, 9);
  run (11, 11);
  tfrc_loss_history_on_packet (&h, 12, 120 * MS, R, true);
  ck_assert_uint_eq (h.intervals[0].start_seq, 10);
  ck_assert_uint_eq (h.loss_events, 1);
  at (10, 125 * MS);
  ck_assert_uint_eq (h.intervals[0].start_seq, 12);
  ck_assert_uint_eq (h.loss_events, 1);
}
END_TEST

START_TEST (test_marks_within_a_round_trip_are_one_event)
{
  for (uint64_t seq = 1; seq <= 11; seq++)
    tfrc_loss_history_on_packet (&h, seq, seq * 10 * MS, R, true);
  ck_assert_uint_eq (h.loss_events, 1);
  tfrc_loss_history_on_packet (&h, 12, 120 * MS, R, true);
  ck_assert_uint_eq (h.loss_events, 2);
}
END_TEST

/* A late marked packet stays the loss it was, at 300 ms, and cannot be taken back any more. */
START_TEST (test_a_late_mark_remains_a_loss)
{
  run (1, 9);
  run (11, 29);
  run (31, 59);
  run (61, 65);
  tfrc_loss_history_on_packet (&h, 30, 655 * MS, R, true);
  ck_assert_uint_eq (h.loss_events, 3);
  ck_assert_uint_eq (h.lost_packets, 2);
  ck_assert_uint_eq (h.intervals[1].start_seq, 30);
  ck_assert_uint_eq (h.intervals[1].start_at, 300 * MS);
  ck_assert_uint_eq (at (30, 656 * MS), TFRC_LOSS_DUPLICATE);
  ck_assert_uint_eq (h.loss_events, 3);
}
END_TEST

START_TEST (test_a_late_mark_in_an_open_hole_is_an_event)
{
  run (1, 9);
  at (11, 110 * MS);
  ck_assert (tfrc_loss_history_on_packet (&h, 10, 112 * MS, R, true) & TFRC_LOSS_NEW_EVENT);
  ck_assert_uint_eq (h.intervals[0].start_seq, 10);
  ck_assert_uint_eq (h.intervals[0].start_at, 100 * MS);
  ck_assert_uint_eq (h.lost_packets, 0);
}
END_TEST

/* 65536 packets jumped over in 100 s at R = 1 ms: 1/R apart, spacing 100 s/65537 = 1.5259 ms, so each lost packet is an
   event. Only the last nine can matter. */
START_TEST (test_a_jump_costs_no_loop_per_packet)
{
  run (1, 9);
  tfrc_loss_history_on_packet (&h, 10 + 65536, 90 * MS + 100 * CC_SECOND, MS, false);
  tfrc_loss_history_on_packet (&h, 11 + 65536, 91 * MS + 100 * CC_SECOND, MS, false);
  tfrc_loss_history_on_packet (&h, 12 + 65536, 92 * MS + 100 * CC_SECOND, MS, false);
  ck_assert_uint_eq (h.loss_events, 65536);
  ck_assert_uint_eq (h.lost_packets, 65536);
  ck_assert_uint_eq (h.n_intervals, 9);
  for (int i = 1; i < 9; i++)
    ck_assert_double_eq (h.intervals[i].length, 1);
}
END_TEST

/* As far as a 64-bit number allows: 2^40 packets in 1000 s, R = 1 us. The test's time limit is the claim. */
START_TEST (test_an_absurd_jump_ends)
{
  const uint64_t far = (uint64_t)1 << 40;

  run (1, 9);
  for (uint64_t i = 0; i < 3; i++)
    tfrc_loss_history_on_packet (&h, far + i, 1000 * CC_SECOND + i, CC_USECOND, false);
  ck_assert_uint_eq (h.n_intervals, 9);
  ck_assert_double_gt (tfrc_loss_history_p (&h), 0);
  ck_assert_double_le (tfrc_loss_history_p (&h), 1);
}
END_TEST

/* 200 holes: only the last 64 can still be filled. */
START_TEST (test_holes_are_bounded)
{
  for (uint64_t seq = 1; seq <= 401; seq += 2)
    at (seq, seq * 10 * MS);
  run (402, 404);
  ck_assert_uint_eq (h.n_holes, TFRC_MAX_HOLES);
  ck_assert_uint_eq (h.lost_packets, 200);
  ck_assert_uint_eq (at (2, 4050 * MS), TFRC_LOSS_DUPLICATE);
  ck_assert_uint_eq (at (400, 4060 * MS), TFRC_LOSS_HOLE_FILLED);
  ck_assert_uint_eq (h.lost_packets, 199);
}
END_TEST

/* A gap 10..209 into which every second packet turns up late falls into more parts than are remembered. The lowest part
   is settled, later packets for it count as seen; nothing but 207 and 209, with fewer than three packets above, is
   open.
 */
START_TEST (test_the_oldest_hole_is_settled_when_full)
{
  run (1, 9);
  at (210, 100 * MS);
  ck_assert_uint_eq (h.holes[0].later, 1);
  for (uint64_t seq = 208; seq > 10; seq -= 2)
    at (seq, 101 * MS);
  ck_assert_uint_le (h.n_holes, TFRC_MAX_HOLES);
  ck_assert_uint_gt (h.duplicates, 0);
  ck_assert_uint_eq (h.lost_packets, 200 - h.late_packets - 2);
  ck_assert_uint_ge (h.loss_events, 1);
}
END_TEST

/* Losses in every place of a range, some before and behind it, and a mark. */
static void
lose_some (bool without)
{
  static const uint64_t gone[] = {20, 21, 40, 41, 42, 43, 60, 75, 90};

  setup ();
  for (uint64_t seq = 1, i = 0; seq <= 120; seq++) {
    bool lost = i < sizeof gone / sizeof *gone && gone[i] == seq;

    i += lost;
    if (!lost || (without && seq >= 42 && seq <= 80))
      tfrc_loss_history_on_packet (&h, seq, seq * 10 * MS, R, seq == 70);
  }
}

START_TEST (test_what_is_excused_counts_as_come)
{
  double p, before;
  uint64_t lost;

  lose_some (true);
  p = tfrc_loss_history_p (&h);
  lost = h.lost_packets;
  lose_some (false);
  before = tfrc_loss_history_p (&h);
  ck_assert_uint_eq (tfrc_loss_history_excuse (&h, 42, 80, R), TFRC_LOSS_HOLE_FILLED);
  ck_assert_double_lt (tfrc_loss_history_p (&h), before);
  ck_assert_double_eq_tol (tfrc_loss_history_p (&h), p, 1e-9);
  ck_assert_uint_eq (h.lost_packets, lost);
  ck_assert_uint_eq (tfrc_loss_history_excuse (&h, 42, 80, R), TFRC_LOSS_NOTHING);
}
END_TEST

START_TEST (test_excused_is_the_only_loss)
{
  run (1, 50);
  run (56, 100);
  ck_assert_uint_eq (h.lost_packets, 5);
  ck_assert_uint_eq (tfrc_loss_history_excuse (&h, 53, 53, R), TFRC_LOSS_HOLE_FILLED);
  ck_assert_uint_eq (h.lost_packets, 4);
  ck_assert_double_gt (tfrc_loss_history_p (&h), 0);
  ck_assert_uint_eq (tfrc_loss_history_excuse (&h, 51, 55, R), TFRC_LOSS_HOLE_FILLED);
  ck_assert_double_eq (tfrc_loss_history_p (&h), 0);
  ck_assert_uint_eq (h.n_holes, 0);
  run (104, 150); /* is answered as the first */
  ck_assert_double_gt (tfrc_loss_history_p (&h), 0);
}
END_TEST

START_TEST (test_time_running_backwards_is_harmless)
{
  run (1, 9);
  for (uint64_t seq = 11; seq < 100; seq += 2)
    at (seq, (100 - seq) * MS);
  ck_assert_double_ge (tfrc_loss_history_p (&h), 0);
  ck_assert_double_le (tfrc_loss_history_p (&h), 1);
}
END_TEST

int
main (void)
{
  const TTest *tests[] = {test_weighted_mean, test_one_closed_interval, test_discounting, test_discounting_has_a_floor,
      test_no_discount_below_twice_the_mean, test_an_event_makes_the_discount_last, test_no_loss_no_rate,
      test_lost_at_the_third_higher_packet, test_the_three_need_not_be_in_a_row,
      test_late_packets_count_for_the_holes_below_them, test_reordering_by_two_is_no_loss,
      test_duplicates_change_nothing, test_open_interval_counts_the_lost_packet_and_the_newest,
      test_nominal_times_are_interpolated, test_the_neighbour_below_is_the_last_to_arrive,
      test_events_are_grouped_by_the_first_loss, test_an_event_does_not_last_for_ever,
      test_a_long_burst_is_several_events, test_losses_around_a_pause_spread_over_it,
      test_losses_join_while_the_round_trip_is_unknown, test_nine_intervals_are_kept,
      test_first_interval_is_real_and_stays, test_first_interval_is_at_least_one_packet, test_the_only_loss_filled,
      test_filling_merges_two_intervals, test_filling_moves_the_event_to_its_next_loss,
      test_filling_groups_the_later_events_anew, test_filling_the_middle_of_a_burst, test_filling_everything_in_reverse,
      test_a_mark_is_an_event_at_once, test_the_first_packet_may_be_marked, test_a_mark_drags_the_open_holes_in,
      test_marks_within_a_round_trip_are_one_event, test_a_late_mark_remains_a_loss,
      test_a_late_mark_in_an_open_hole_is_an_event, test_a_jump_costs_no_loop_per_packet, test_an_absurd_jump_ends,
      test_holes_are_bounded, test_what_is_excused_counts_as_come, test_excused_is_the_only_loss,
      test_the_oldest_hole_is_settled_when_full, test_time_running_backwards_is_harmless};
  Suite *suite = suite_create ("tfrclosshistory");
  TCase *tcase = tcase_create ("tfrclosshistory");
  SRunner *runner = srunner_create (suite);
  int failed;

  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, setup, NULL);
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
    tcase_add_test (tcase, tests[i]);
  suite_add_tcase (suite, tcase);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
