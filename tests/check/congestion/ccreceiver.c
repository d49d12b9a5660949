/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccreceiver.h"
#include "cctest.h"

#define RTT (100 * CC_MSECOND)
#define SPACING (10 * CC_MSECOND)

static CcReceiver r;
static CcArrival next;
static CcTime now;

static void
setup (uint16_t first_seq, uint32_t first_stamp_us)
{
  CcReceiverParams params;

  cc_receiver_params_init (&params);
  cc_receiver_init (&r, &params);
  now = 7 * CC_SECOND;
  next = (CcArrival){.seq = first_seq, .size_bytes = 1000, .has_stamp = true, .stamp = {RTT, first_stamp_us}};
}

/* Three packets a frame, 10 ms apart. */
static bool
arrive (CcDuration queue)
{
  bool wanted;

  next.arrived_at = now + queue;
  next.rtp_timestamp = next.seq / 3;
  wanted = cc_receiver_on_packet (&r, &next);
  next.seq++;
  next.stamp.sent_at_us += SPACING / CC_USECOND;
  now += SPACING;
  return wanted;
}

START_TEST (test_nothing_to_report_without_a_stamp)
{
  CcReport report = {.path.rate_Bps = 42};

  setup (0, 0);
  next.has_stamp = false;
  for (unsigned i = 0; i < 100; i++)
    ck_assert (!arrive (0));
  ck_assert (!cc_receiver_report (&r, now, &report));
  ck_assert_double_eq (report.path.rate_Bps, 42);
  ck_assert_uint_eq (cc_receiver_next_timeout (&r), CC_TIME_NONE);
  next.has_stamp = true;
  ck_assert (arrive (0));
  ck_assert (cc_receiver_report (&r, now, &report));
  ck_assert_uint_eq (report.tfrc.t_i_us, next.stamp.sent_at_us - SPACING / CC_USECOND);
  ck_assert_uint_eq (report.tfrc.t_delay, SPACING);
}
END_TEST

START_TEST (test_one_report_a_round_trip)
{
  unsigned reports = 0;
  CcReport report;

  setup (0, 0);
  for (unsigned i = 0; i < 1000; i++) {
    bool wanted = arrive (0);

    wanted |= cc_receiver_next_timeout (&r) <= now && cc_receiver_on_timeout (&r, now);
    reports += wanted && cc_receiver_report (&r, now, &report);
  }
  /* 10 s at one per 100 ms, rounded up to the arrivals that carry them. */
  ck_assert_uint_ge (reports, 85);
  ck_assert_uint_le (reports, 102);
  ck_assert_double_eq_tol (report.tfrc.X_recv, 100000, 5000);
  ck_assert_double_eq (report.tfrc.p, 0);
  ck_assert_double_eq_tol (report.path.receive_Bps, 102800, 1400); /* 28 of UDP and IP to each 1000 */
}
END_TEST

START_TEST (test_asks_once_and_waits_for_leave)
{
  setup (0, 0);
  while (!arrive (0))
    ;
  /* The report may have to wait for its turn: no call may be due in the past meanwhile. */
  for (unsigned i = 0; i < 100; i++) {
    arrive (0);
    while (cc_receiver_next_timeout (&r) <= now) {
      CcTime before = cc_receiver_next_timeout (&r);
      cc_receiver_on_timeout (&r, now);
      ck_assert_uint_gt (cc_receiver_next_timeout (&r), before);
    }
    ck_assert (cc_receiver_on_timeout (&r, now));
  }
}
END_TEST

/* p after an outage of which the packets, one each 10 ms, were sent. */
static double
p_after_at (CcDuration R, CcDuration outage)
{
  CcReport report = {0};

  setup (0, 0);
  next.stamp.rtt = R;
  for (unsigned i = 0; i < 500; i++)
    if (arrive (0))
      cc_receiver_report (&r, now, &report);
  next.seq += (uint16_t)(outage / SPACING);
  next.stamp.sent_at_us += outage / CC_USECOND;
  now += outage;
  for (unsigned i = 0; i < 100; i++)
    if (arrive (0))
      cc_receiver_report (&r, now, &report);
  return report.tfrc.p;
}

static double
p_after (CcDuration outage)
{
  return p_after_at (RTT, outage);
}

/* RFC 5348 6.3.1: one event, and the first interval is what gives X_recv: 100 kB/s of 1000 bytes at 0.1 s are 10
   packets an R, p = 0.01217. As they are, 30 R without a packet are 30 events. */
START_TEST (test_an_outage_is_one_loss)
{
  ck_assert_double_gt (p_after (3 * CC_SECOND), 0.005);
  ck_assert_double_lt (p_after (3 * CC_SECOND), 0.0122 * 1.05);
  ck_assert_double_gt (p_after (TFRC_OUTAGE - 5 * SPACING), 0.02); /* as RFC 5348 5.2 has it */
  /* of 4 R and more: at R = 0.3 s the same 0.9 s are three events and not one */
  ck_assert_double_gt (
      p_after_at (300 * CC_MSECOND, 900 * CC_MSECOND), 1.5 * p_after_at (300 * CC_MSECOND, 1500 * CC_MSECOND));
}
END_TEST

START_TEST (test_sequence_and_stamp_wrap)
{
  CcReport report;

  setup (65500, UINT32_MAX - 500000);
  for (unsigned i = 0; i < 200; i++)
    arrive (0);
  ck_assert (cc_receiver_report (&r, now, &report));
  ck_assert_double_eq (report.tfrc.p, 0);
  ck_assert_uint_eq (report.path.queue_delay, 0);
  ck_assert_uint_eq (r.restarts, 0);
}
END_TEST

START_TEST (test_restart_of_the_sender)
{
  CcReport report;

  for (unsigned kind = 0; kind < 3; kind++) {
    setup (10000, 0);
    for (unsigned i = 0; i < 100; i++)
      arrive (0);
    if (kind == 0)
      next.seq += 4000;
    else if (kind == 1)
      next.seq -= 4000;
    else
      next.stamp.rtt = 0;
    next.stamp.sent_at_us = 123;
    arrive (0);
    ck_assert_uint_eq (r.restarts, 1);
    ck_assert (cc_receiver_report (&r, now, &report));
    ck_assert_double_eq (report.tfrc.p, 0);
    for (unsigned i = 0; i < 100; i++)
      arrive (0);
    ck_assert_uint_eq (r.restarts, 1);
  }
  /* 2900 lost are a loss. */
  setup (0, 0);
  for (unsigned i = 0; i < 100; i++)
    arrive (0);
  next.seq += 2900;
  for (unsigned i = 0; i < 5; i++)
    arrive (0);
  ck_assert_uint_eq (r.restarts, 0);
  ck_assert (cc_receiver_report (&r, now, &report));
  ck_assert_double_gt (report.tfrc.p, 0);
}
END_TEST

START_TEST (test_late_packet_from_before_the_round_trip_was_known_is_no_restart)
{
  CcArrival late;

  setup (10, 0);
  next.stamp.rtt = 0;
  arrive (0);
  late = next;
  next.seq++;
  next.stamp.rtt = RTT;
  arrive (0);
  late.arrived_at = now;
  cc_receiver_on_packet (&r, &late);
  ck_assert_uint_eq (r.restarts, 0);
}
END_TEST

START_TEST (test_odd_packets)
{
  CcArrival copy;
  CcReport report;

  setup (0, 0);
  for (unsigned i = 0; i < 300; i++) {
    next.size_bytes = i % 10 == 0 ? 1 : 1000;
    copy = next;
    arrive (0);
    copy.arrived_at = now;
    if (i % 7 == 0)
      cc_receiver_on_packet (&r, &copy);
  }
  ck_assert (cc_receiver_report (&r, now, &report));
  ck_assert_double_eq (report.tfrc.p, 0);
  ck_assert_uint_eq (r.restarts, 0);
  ck_assert (report.path.rate_Bps >= r.params.path.min_Bps && report.path.rate_Bps <= r.params.path.max_Bps);
}
END_TEST

START_TEST (test_falling_path_rate_asks_early)
{
  CcReport report;
  CcTime last = 0, asked = 0, from;

  setup (0, 0);
  for (unsigned i = 0; i < 500; i++)
    if (arrive (0) && cc_receiver_report (&r, now, &report))
      last = now;
  /* A frame takes 30 ms; from here on packets take 25 ms each: the queue grows by 1.5 s a second. */
  from = now;
  for (unsigned i = 0; i < 40 && asked == 0; i++)
    if (arrive (i * 15 * CC_MSECOND) && r.urgent)
      asked = next.arrived_at;
  ck_assert_uint_gt (asked, 0);
  /* The queueing delay passes 45 ms with the fourth packet, JUMP_TIME later it counts. */
  ck_assert_uint_lt (asked - from, 250 * CC_MSECOND);
  ck_assert_uint_ge (asked - last, CC_RECEIVER_URGENT_GAP);
  ck_assert (cc_receiver_report (&r, asked, &report));
  ck_assert (!r.urgent);
}
END_TEST

/* Redundancy of a third: a third more is received, no packet of the flow is larger or more, and none is lost by it. */
START_TEST (test_what_comes_beside_is_of_the_rate)
{
  CcReport alone, report;

  setup (0, 0);
  for (unsigned i = 0; i < 300; i++)
    arrive (0);
  ck_assert (cc_receiver_report (&r, now, &alone));
  for (unsigned i = 0; i < 300; i++) {
    if (i % 3 == 0)
      cc_receiver_on_beside (&r, 1000);
    arrive (0);
  }
  ck_assert (cc_receiver_report (&r, now, &report));
  ck_assert_double_eq_tol (report.tfrc.X_recv, alone.tfrc.X_recv * 4 / 3, 0.05 * alone.tfrc.X_recv);
  ck_assert_double_eq_tol (r.tfrc.s, 1000, 1);
  ck_assert_double_eq (report.tfrc.p, 0);
}
END_TEST

/* RFC 9331 4.3: of ECT(1) the fraction counts, and the rate comes down in proportion; no loss event, as of ECT(0). */
static double
rate_with_marks (ArrivalEcn ect, unsigned marked_of_10)
{
  CcReport report = {0};

  setup (0, 0);
  for (unsigned i = 0; i < 600; i++) {
    next.ecn = i >= 300 && i % 10 < marked_of_10 ? ARRIVAL_CE : ect;
    while (cc_receiver_next_timeout (&r) <= now)
      cc_receiver_on_timeout (&r, now);
    if (arrive (0))
      cc_receiver_report (&r, now, &report);
  }
  ck_assert_int_eq (report.tfrc.p > 0, ect == ARRIVAL_ECT_0 && marked_of_10 > 0);
  return report.path.rate_Bps;
}

START_TEST (test_marks_of_ect_1_are_no_losses)
{
  double none = rate_with_marks (ARRIVAL_ECT_1, 0), some = rate_with_marks (ARRIVAL_ECT_1, 4),
         more = rate_with_marks (ARRIVAL_ECT_1, 8);

  ck_assert_double_lt (some, 0.9 * none);
  ck_assert_double_lt (more, 0.8 * some);
  ck_assert_double_eq (rate_with_marks (ARRIVAL_ECT_0, 2), rate_with_marks (ARRIVAL_ECT_0, 0));
}
END_TEST

START_TEST (test_reports_tell_which_ecn_bits_have_come)
{
  CcReport report;

  setup (0, 0);
  next.ecn = ARRIVAL_ECT_1;
  arrive (0);
  next.ecn = ARRIVAL_CE;
  arrive (0);
  ck_assert (cc_receiver_report (&r, now, &report));
  ck_assert_uint_eq (report.path.ecn, ARRIVAL_ECN_BIT (ARRIVAL_ECT_1) | ARRIVAL_ECN_BIT (ARRIVAL_CE));
  next.ecn = ARRIVAL_NOT_ECT;
  arrive (0);
  ck_assert (cc_receiver_report (&r, now, &report));
  ck_assert_uint_eq (report.path.ecn, ARRIVAL_ECN_BIT (ARRIVAL_NOT_ECT));
}
END_TEST

static void
arrive_some (unsigned packets, unsigned lose_every)
{
  CcReport report;

  for (unsigned i = 1; i <= packets; i++) {
    if (lose_every > 0 && i % lose_every == 0) {
      next.seq++;
      next.stamp.sent_at_us += SPACING / CC_USECOND;
      now += SPACING;
    }
    while (cc_receiver_next_timeout (&r) <= now)
      cc_receiver_on_timeout (&r, now);
    if (arrive (0))
      cc_receiver_report (&r, now, &report);
  }
}

/* Half is lost for two seconds, and it is told why. */
START_TEST (test_excused_losses_are_none)
{
  uint16_t first;
  double before, p;

  setup (65000, 0);
  arrive_some (600, 0);
  first = next.seq;
  before = r.path.rate_Bps;
  arrive_some (100, 2);
  p = r.tfrc.p;
  ck_assert_double_gt (p, 0);
  now += 2 * SPACING; /* the law may have reported just now */
  ck_assert (cc_receiver_excuse (&r, first, (uint16_t)(next.seq - 1), now));
  ck_assert_double_eq (r.tfrc.p, 0);
  ck_assert_double_ge (r.path.rate_Bps, before);
  ck_assert (r.tfrc.report_due);
  arrive_some (100, 2);
  ck_assert_double_gt (r.tfrc.p, p / 2); /* what comes later is answered as ever */
}
END_TEST

/* Told of everything, all the time. */
START_TEST (test_who_always_excuses_is_not_believed)
{
  setup (0, 0);
  arrive_some (600, 0);
  for (unsigned s = 0; s < 20; s++) {
    arrive_some (100, 10);
    cc_receiver_excuse (&r, (uint16_t)(next.seq - 110), (uint16_t)(next.seq - 1), now);
  }
  ck_assert_uint_eq (r.excuse.granted, 1);
  ck_assert_double_gt (tfrc_loss_history_p (&r.tfrc.history), 0.05);
}
END_TEST

/* Numbers before an outage were others. */
START_TEST (test_an_outage_is_not_excused)
{
  setup (0, 0);
  arrive_some (600, 0);
  next.seq += 100;
  now += CC_SECOND;
  next.stamp.sent_at_us += 1000000;
  arrive_some (10, 0);
  ck_assert_double_gt (r.tfrc.p, 0);
  ck_assert (!cc_receiver_excuse (&r, 600, 705, now));
  ck_assert_double_gt (r.tfrc.p, 0);
}
END_TEST

START_TEST (test_odd_excuses)
{
  cc_receiver_init (&r, &r.params);
  ck_assert (!cc_receiver_excuse (&r, 1, 2, CC_SECOND)); /* of nothing */
  setup (0, 0);
  arrive_some (2000, 100);
  for (unsigned i = 0; i < 65536; i += 7)
    cc_receiver_excuse (&r, (uint16_t)(next.seq + 600 + i), (uint16_t)(next.seq + i % 1500), now);
  ck_assert_uint_le (r.excuse.granted, 100); /* the same range again */
  ck_assert_double_gt (tfrc_loss_history_p (&r.tfrc.history), 0);
}
END_TEST

/* Bounded, and forgotten where it is not told again. */
START_TEST (test_a_weight_is_believed_for_a_while)
{
  setup (0, 0);
  arrive_some (100, 0);
  cc_receiver_on_weight (&r, 2, now);
  ck_assert_double_eq (r.path.view.weight, 2);
  arrive_some (1000, 0);
  cc_receiver_on_weight (&r, 1e9, now);
  ck_assert_double_eq (r.path.view.weight, 4);
  arrive_some (CC_RECEIVER_WEIGHT_LIFE / SPACING - 1, 0);
  ck_assert_double_eq (r.path.view.weight, 4);
  arrive_some (3, 0);
  ck_assert_double_eq (r.path.view.weight, 1);
}
END_TEST

CC_TEST_MAIN ("ccreceiver", test_nothing_to_report_without_a_stamp, test_one_report_a_round_trip,
    test_asks_once_and_waits_for_leave, test_an_outage_is_one_loss, test_sequence_and_stamp_wrap,
    test_restart_of_the_sender, test_late_packet_from_before_the_round_trip_was_known_is_no_restart, test_odd_packets,
    test_falling_path_rate_asks_early, test_what_comes_beside_is_of_the_rate, test_marks_of_ect_1_are_no_losses,
    test_reports_tell_which_ecn_bits_have_come, test_excused_losses_are_none, test_who_always_excuses_is_not_believed,
    test_an_outage_is_not_excused, test_odd_excuses, test_a_weight_is_believed_for_a_while)
