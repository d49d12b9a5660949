/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrcpacketreport.h"
#include "cctest.h"

#include <string.h>

#define MS CC_MSECOND
#define T0 (5 * CC_SECOND)
#define SKEW (1000 * CC_SECOND) /* the receiver's clock is ahead by this */
#define FIRST 70000

static const CcDuration R = 100 * MS;
static TfrcPacketReport r;
static TfrcFeedback feedback;

static void
reset (void)
{
  TfrcLossHistoryParams params;

  tfrc_loss_history_params_init (&params);
  tfrc_packet_report_init (&r, &params, TFRC_RTO_4R);
  memset (&feedback, 0, sizeof feedback);
}

/* Number FIRST + i leaves at T0 + 10 i ms, 1000 bytes, and arrives 40 ms later. */
static void
send_packets (unsigned first, unsigned last)
{
  for (unsigned i = first; i <= last; i++)
    tfrc_packet_report_on_sent (&r, FIRST + i, 1000, T0 + i * 10 * MS);
}

static bool
report (unsigned first, unsigned last, unsigned lost_from, unsigned lost_to)
{
  TfrcPacketStatus status[1000];
  unsigned n = 0;

  for (unsigned i = first; i <= last; i++, n++)
    status[n] = (TfrcPacketStatus){
        .seq = FIRST + i, .received = i < lost_from || i > lost_to, .arrived_at = SKEW + T0 + i * 10 * MS + 40 * MS};
  return tfrc_packet_report_on_report (&r, status, n, CC_TIME_NONE, R, 1000, T0 + last * 10 * MS + 80 * MS, &feedback);
}

START_TEST (test_rate_and_echo)
{
  reset ();
  send_packets (0, 99);
  ck_assert (report (0, 49, 999, 0));
  ck_assert_uint_eq (feedback.t_recvdata, T0 + 490 * MS);
  ck_assert_uint_eq (feedback.t_delay, 0);
  ck_assert_uint_eq (feedback.received_at, T0 + 570 * MS);
  ck_assert_double_eq_tol (feedback.X_recv, 100e3, 1);
  ck_assert_double_eq (feedback.p, 0);
}
END_TEST

/* The report left 30 ms after the packet arrived. */
START_TEST (test_delay_of_a_report_with_its_own_time)
{
  TfrcPacketStatus status = {FIRST + 5, true, SKEW + T0 + 90 * MS, false};

  reset ();
  send_packets (0, 9);
  ck_assert (tfrc_packet_report_on_report (&r, &status, 1, SKEW + T0 + 120 * MS, R, 1000, T0 + 160 * MS, &feedback));
  ck_assert_uint_eq (feedback.t_delay, 30 * MS);
  ck_assert_uint_eq (feedback.t_recvdata, T0 + 50 * MS);
}
END_TEST

/* 10 packets per R: X_target = 100 kB/s, p = 0.01217272. */
START_TEST (test_a_reported_loss_is_lost)
{
  reset ();
  send_packets (0, 99);
  report (0, 49, 999, 0);
  report (50, 99, 60, 60);
  ck_assert_uint_eq (r.history.loss_events, 1);
  ck_assert_uint_eq (r.history.lost_packets, 1);
  ck_assert_double_eq_tol (feedback.p, 0.01217272, 1e-5);
  ck_assert_uint_eq (r.history.intervals[0].start_at, T0 + 600 * MS);
}
END_TEST

START_TEST (test_two_later_packets_are_not_enough)
{
  reset ();
  send_packets (0, 99);
  report (0, 52, 50, 50);
  ck_assert_double_eq (feedback.p, 0);
  report (53, 53, 999, 0);
  ck_assert_double_gt (feedback.p, 0);
}
END_TEST

/* The report on 20..39 was lost on its way: those packets are unknown, not lost. */
START_TEST (test_a_lost_report_is_no_loss)
{
  reset ();
  send_packets (0, 99);
  report (0, 19, 999, 0);
  report (40, 99, 999, 0);
  ck_assert_uint_eq (r.unknown, 20);
  ck_assert_uint_eq (r.history.lost_packets, 0);
  ck_assert_double_eq (feedback.p, 0);
  ck_assert (report (20, 39, 999, 0));
  ck_assert_double_eq (feedback.p, 0);
  ck_assert_uint_eq (feedback.t_recvdata, T0 + 990 * MS);
}
END_TEST

START_TEST (test_losses_behind_an_unknown_range)
{
  reset ();
  send_packets (0, 99);
  report (0, 19, 999, 0);
  report (40, 99, 50, 54);
  ck_assert_uint_eq (r.history.lost_packets, 5);
  ck_assert_uint_eq (r.history.loss_events, 1);
}
END_TEST

/* Overlapping reports: what an earlier one called lost may arrive, what arrived stays. */
START_TEST (test_a_later_report_takes_a_loss_back)
{
  reset ();
  send_packets (0, 99);
  report (0, 59, 50, 50);
  ck_assert_double_gt (feedback.p, 0);
  ck_assert (report (45, 62, 999, 0));
  ck_assert_double_eq (feedback.p, 0);
  ck_assert (!report (45, 62, 45, 62));
  ck_assert_uint_eq (r.history.lost_packets, 0);
}
END_TEST

/* 3 s without an arrival are one loss, with or without a report in between, and 0.3 s are not: 30 events within 3 R. */
START_TEST (test_an_outage_is_one_loss)
{
  for (unsigned i = 0; i < 2; i++) {
    reset ();
    send_packets (0, 499);
    report (0, 99, 999, 0);
    if (i)
      report (100, 250, 100, 250);
    report (i ? 251 : 100, 449, i ? 251 : 100, 399);
    ck_assert_uint_eq (r.history.loss_events, 1);
    ck_assert_uint_eq (r.history.lost_packets, 1);
    report (450, 499, 460, 460); /* and the next is one more */
    ck_assert_uint_eq (r.history.loss_events, 2);
    ck_assert_uint_eq (r.history.lost_packets, 2);
    ck_assert (!report (300, 310, 999, 0) || r.history.lost_packets == 2); /* late ones change nothing */
    ck_assert_uint_eq (r.history.loss_events, 2);
  }
  reset ();
  send_packets (0, 299);
  report (0, 99, 999, 0);
  report (100, 199, 100, 129);
  ck_assert_uint_eq (r.history.lost_packets, 30);
  ck_assert_uint_eq (r.history.loss_events, 3);
}
END_TEST

START_TEST (test_nothing_new)
{
  reset ();
  send_packets (0, 99);
  ck_assert (!report (0, 9, 0, 9));
  ck_assert (report (0, 19, 999, 0));
  ck_assert (!report (0, 19, 999, 0));
  ck_assert (!tfrc_packet_report_on_report (&r, NULL, 0, CC_TIME_NONE, R, 1000, T0, &feedback));
}
END_TEST

START_TEST (test_packets_never_sent_are_ignored)
{
  TfrcPacketStatus status[] = {{FIRST + 100, true, SKEW, false}, {1, true, SKEW, true}, {0, true, 0, true},
      {UINT64_MAX, true, UINT64_MAX, true}};

  reset ();
  send_packets (0, 99);
  ck_assert (!tfrc_packet_report_on_report (&r, status, 4, CC_TIME_NONE, R, 1000, T0 + R, &feedback));
  ck_assert_uint_eq (r.ignored, 4);
  ck_assert_uint_eq (r.history.loss_events, 0);
}
END_TEST

START_TEST (test_forgotten_packets_are_ignored)
{
  reset ();
  send_packets (0, TFRC_PACKET_REPORT_SLOTS + 99);
  ck_assert (!report (0, 99, 999, 0));
  ck_assert_uint_eq (r.ignored, 100);
  ck_assert (report (100, 149, 999, 0));
}
END_TEST

START_TEST (test_absurd_arrival_times)
{
  TfrcPacketStatus status[] = {{FIRST, true, UINT64_MAX, false}, {FIRST + 1, true, 0, false}};

  reset ();
  send_packets (0, 9);
  ck_assert (tfrc_packet_report_on_report (&r, status, 2, CC_TIME_NONE, R, 1000, T0 + R, &feedback));
  ck_assert_double_ge (feedback.X_recv, 0);
  ck_assert_double_le (feedback.X_recv, 2 * 1000 / 0.1);
  ck_assert (tfrc_packet_report_on_report (
      &r, &(TfrcPacketStatus){FIRST + 2, true, SKEW, false}, 1, CC_TIME_NONE, 0, 0, T0 + R, &feedback));
  ck_assert_double_ge (feedback.X_recv, 0);
}
END_TEST

/* The whole loop: 9 s at 1000 B per 10 ms, 40 ms each way, a report each R, each 50th packet lost. The sender sees R =
   80 ms and p = 1/50. */
START_TEST (test_with_the_sender)
{
  TfrcSenderParams params;
  TfrcSender t;

  reset ();
  tfrc_sender_params_init (&params);
  tfrc_sender_init (&t, &params, T0);
  for (unsigned i = 0; i < 900; i++) {
    send_packets (i, i);
    tfrc_sender_on_sent (&t, 1000, true, T0 + i * 10 * MS);
    if (i % 10 == 9 && i > 18) {
      unsigned last = i - 8, first = last - 9;
      unsigned lost = (last / 50) * 50;
      report (first, last, lost >= first ? lost : 999, lost >= first ? lost : 0);
      ck_assert_int_eq (tfrc_sender_on_feedback (&t, &feedback), TFRC_FEEDBACK_OK);
    }
  }
  ck_assert_uint_eq (t.R, 80 * MS);
  ck_assert_double_eq_tol (t.p, 1 / 50.0, 1e-6);
}
END_TEST

CC_TEST_MAIN ("tfrcpacketreport", test_rate_and_echo, test_delay_of_a_report_with_its_own_time,
    test_a_reported_loss_is_lost, test_two_later_packets_are_not_enough, test_a_lost_report_is_no_loss,
    test_losses_behind_an_unknown_range, test_a_later_report_takes_a_loss_back, test_an_outage_is_one_loss,
    test_nothing_new, test_packets_never_sent_are_ignored, test_forgotten_packets_are_ignored,
    test_absurd_arrival_times, test_with_the_sender)
