/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "circuitbreaker.h"
#include "cctest.h"
#include <math.h>

#define PACKET 1000
#define T0 (1000 * CC_SECOND)
#define STEP (100 * CC_MSECOND)

static CircuitBreaker c;
static CircuitBreakerParams params;
static CcTime now;
static uint32_t frame;

static void
setup (void)
{
  circuit_breaker_params_init (&params);
  circuit_breaker_init (&c, &params);
  now = T0;
  frame = 0;
}

static void
send_packet (void)
{
  if (!circuit_breaker_ceases (&c))
    circuit_breaker_on_sent (&c, PACKET, frame++, now);
}

static void
report (double fraction_lost, bool progress, CcDuration Tr, double sent_Bps)
{
  CircuitReport block = {.fraction_lost = fraction_lost, .packets = progress, .Tr = Tr};

  circuit_breaker_on_report (&c, &block, sent_Bps, now);
}

static void
pass (CcDuration span)
{
  now += span;
  circuit_breaker_on_timeout (&c, now);
}

/* A packet each 100 ms and, with each `interval`, a report, for so long or until the circuit is no more in `state`. */
static CcDuration
call (CcDuration most, CircuitState state, CcDuration interval, double lost, bool progress, CcDuration Tr, double Bps)
{
  CcTime begin = now, next = now;

  while (now < begin + most && c.state == state) {
    send_packet ();
    if (interval > 0 && now >= next) {
      report (lost, progress, Tr, Bps);
      next = now + interval;
    }
    pass (STEP);
  }
  return now - begin;
}

START_TEST (test_media_timeout_in_reports)
{
  /* ceil (5 max (Tf, Tr, Tdr) / Tdr): 5 x 5/5; 5 x 0.1/0.05; 5 x 10/5 */
  ck_assert_uint_eq (circuit_media_timeout (0.02, 0.1, 5), 5);
  ck_assert_uint_eq (circuit_media_timeout (0.033, 0.1, 0.05), 10);
  ck_assert_uint_eq (circuit_media_timeout (10, 0.1, 5), 10);
}
END_TEST

START_TEST (test_cb_interval_in_reports)
{
  /* ceil (3 min (max (10 G Tf, 10 Tr, 3 Tdr), max (15, 3 Td)) / (3 Tdr)) */
  ck_assert_uint_eq (circuit_cb_interval (1, 0.02, 0.1, 5, 5), 3);           /* 3 min (15, 15) / 15 */
  ck_assert_uint_eq (circuit_cb_interval (1, 1 / 30.0, 0.1, 1, 1), 3);       /* 3 min (3, 15) / 3 */
  ck_assert_uint_eq (circuit_cb_interval (30, 1 / 30.0, 0.1, 1, 1), 10);     /* 3 min (10, 15) / 3 */
  ck_assert_uint_eq (circuit_cb_interval (1, 1 / 30.0, 0.3, 0.36, 0.36), 9); /* 3 min (3, 15) / 1.08 = 8.3 */
  ck_assert_uint_eq (circuit_cb_interval (10, 0.1, 0.3, 0.36, 5), 28);       /* 3 min (10, 15) / 1.08 = 27.8 */
}
END_TEST

START_TEST (test_ten_times_tcp)
{
  /* 10 x 1000 / (0.1 sqrt (2 x 0.06 / 3)) = 10^5 / 0.2 */
  ck_assert_double_eq_tol (circuit_congestion_limit (1000, 0.1, 0.06), 500e3, 1);
  ck_assert (isinf (circuit_congestion_limit (1000, 0.1, 0)));
}
END_TEST

/* 4.1: 3 Td = 15 s after the first packet of which nothing is told, 0.9 s before. */
START_TEST (test_rtcp_timeout)
{
  setup ();
  call (3 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0, true, 0, 10e3);
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
  ck_assert_double_eq_tol (cc_seconds (call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3)), 14.1, 0.2);
  ck_assert_int_eq (c.reason, CIRCUIT_RTCP_TIMEOUT);
  ck_assert (circuit_breaker_ceases (&c));
}
END_TEST

START_TEST (test_other_reports_count_against_the_rtcp_timeout)
{
  setup ();
  for (unsigned i = 0; i < 60; i++) {
    send_packet ();
    circuit_breaker_on_feedback (&c, true, now);
    pass (CC_SECOND);
  }
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
}
END_TEST

START_TEST (test_a_pause_is_no_timeout)
{
  setup ();
  send_packet ();
  for (unsigned i = 0; i < 60; i++)
    pass (CC_SECOND);
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
  /* and what is sent then has its time */
  ck_assert_double_eq_tol (cc_seconds (call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3)), 15, 0.2);
}
END_TEST

START_TEST (test_a_peer_that_may_know_no_rtcp)
{
  setup ();
  params.needs_rtcp = true;
  circuit_breaker_init (&c, &params);
  ck_assert_uint_eq (call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3) / CC_SECOND, 60);
  report (0, true, 0, 10e3);
  ck_assert_uint_le (call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3), 16 * CC_SECOND);
}
END_TEST

/* 4.2: Tf = 0.1 s, Tr = 0.1 s, Tdr = 1 s: five intervals of 1 s, however many reports come in them. */
START_TEST (test_media_timeout)
{
  setup ();
  call (3 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0, true, 0, 10e3);
  ck_assert_double_eq_tol (
      cc_seconds (call (60 * CC_SECOND, CIRCUIT_CLOSED, 200 * CC_MSECOND, 0, false, 0, 10e3)), 5, 0.3);
  ck_assert_int_eq (c.reason, CIRCUIT_MEDIA_TIMEOUT);
}
END_TEST

START_TEST (test_progress_cancels_the_media_timeout)
{
  setup ();
  for (unsigned i = 0; i < 20; i++) {
    call (4 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0, false, 0, 10e3);
    report (0, true, 0, 10e3);
  }
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
}
END_TEST

/* A frame in 4 s: 5 x 4 / 1 intervals. */
START_TEST (test_media_timeout_of_slow_frames)
{
  CcTime begin;

  setup ();
  for (unsigned i = 0; i < 4; i++) {
    send_packet ();
    pass (4 * CC_SECOND);
    report (0, true, 0, 10e3);
  }
  begin = now;
  while (c.state == CIRCUIT_CLOSED && now < begin + 60 * CC_SECOND) {
    send_packet ();
    for (unsigned i = 0; i < 4; i++) {
      report (0, false, 0, 10e3);
      pass (CC_SECOND);
    }
  }
  ck_assert_int_eq (c.reason, CIRCUIT_MEDIA_TIMEOUT);
  ck_assert_double_eq_tol (cc_seconds (now - begin), 20, 4.1);
}
END_TEST

/* RFC 8083 4.2: of what is worked out with each report without progress the largest holds, also where frames come
   faster since. */
START_TEST (test_the_larger_media_timeout_is_kept)
{
  setup ();
  for (unsigned i = 0; i < 4; i++) {
    send_packet ();
    pass (4 * CC_SECOND);
    report (0, true, 0, 10e3);
  }
  report (0, false, 0, 10e3);
  ck_assert_double_eq_tol (cc_seconds (call (60 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0, false, 0, 10e3)), 20, 0.3);
  ck_assert_int_eq (c.reason, CIRCUIT_MEDIA_TIMEOUT);
}
END_TEST

/* 4.3: s = 1000, Tr = 0.4 s, p = 0.06: 10 X = 10^4 / (0.4 x 0.2) = 125 kB/s. CB_INTERVAL = ceil (3 x 4 / 3) = 4 of 1 s,
   and more than that have to have come. */
START_TEST (test_congestion)
{
  setup ();
  for (unsigned i = 0; i < 60; i++) /* the mean of Tr gets there */
    report (0, true, 400 * CC_MSECOND, 10e3);
  ck_assert_uint_eq (
      call (60 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0.06, true, 400 * CC_MSECOND, 120e3), 60 * CC_SECOND);
  setup ();
  for (unsigned i = 0; i < 60; i++)
    report (0.06, true, 400 * CC_MSECOND, 10e3);
  ck_assert_double_eq_tol (
      cc_seconds (call (60 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0.06, true, 400 * CC_MSECOND, 130e3)), 4, 0.3);
  ck_assert_int_eq (c.reason, CIRCUIT_CONGESTION);
}
END_TEST

/* Whoever keeps to it does not open it while losses stay as they are. */
START_TEST (test_what_may_be_sent_is_told)
{
  setup ();
  ck_assert (isinf (circuit_breaker_limit_Bps (&c)));
  for (unsigned i = 0; i < 60; i++)
    report (0, true, 400 * CC_MSECOND, 10e3);
  call (20 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0.06, true, 400 * CC_MSECOND, 10e3);
  ck_assert_double_eq_tol (circuit_breaker_limit_Bps (&c), 125e3, 2e3);
  for (unsigned i = 0; i < 60; i++)
    call (CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0.06, true, 400 * CC_MSECOND, 0.99 * circuit_breaker_limit_Bps (&c));
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
  circuit_breaker_set_action (&c, CIRCUIT_OFF);
  ck_assert (isinf (circuit_breaker_limit_Bps (&c)));
}
END_TEST

/* A queue of seconds that an outage left is no round trip any more once it is gone. */
START_TEST (test_a_round_trip_that_is_over_limits_nothing)
{
  setup ();
  call (20 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0.06, true, 4 * CC_SECOND, PACKET);
  ck_assert_double_lt (circuit_breaker_limit_Bps (&c), 20e3);
  call (2 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0.06, true, 100 * CC_MSECOND, PACKET);
  ck_assert_double_gt (circuit_breaker_limit_Bps (&c), 250e3);
}
END_TEST

/* One interval alone, over 11 s: 0.3 in it are 0.03 of all, and 10 X falls from nothing to 10^4 / (1.1 sqrt (0.02)) =
   64 kB/s. Who sent more when it was told and goes on below is within it; who does not is not. */
START_TEST (test_smaller_packets_are_not_given_less)
{
  setup ();
  call (10 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0.06, true, 400 * CC_MSECOND, PACKET);
  double limit_Bps = circuit_breaker_limit_Bps (&c);

  for (unsigned n = 0; n < 200; n++)
    circuit_breaker_on_sent (&c, PACKET / 10, frame++, now);
  ck_assert_double_lt (c.s, PACKET / 5);
  ck_assert_double_eq_tol (circuit_breaker_limit_Bps (&c), limit_Bps, 1e-3 * limit_Bps);
}
END_TEST

START_TEST (test_what_an_interval_tells_is_obeyed_in_the_next)
{
  for (unsigned i = 0; i < 2; i++) {
    setup ();
    for (unsigned n = 0; n < 60; n++)
      report (0, true, 1100 * CC_MSECOND, 100e3);
    call (20 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0, true, 1100 * CC_MSECOND, 100e3);
    call (CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0.3, true, 1100 * CC_MSECOND, 100e3);
    ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
    ck_assert_double_lt (circuit_breaker_limit_Bps (&c), 80e3);
    call (3 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0.1, true, 1100 * CC_MSECOND, i ? 100e3 : 30e3);
    ck_assert_int_eq (c.state, i ? CIRCUIT_OPEN : CIRCUIT_CLOSED);
  }
}
END_TEST

/* By time: 0.24 for one second in four is 0.06. */
START_TEST (test_congestion_weighs_by_time)
{
  unsigned i;

  setup ();
  for (i = 0; i < 60; i++)
    report (0, true, 400 * CC_MSECOND, 10e3);
  for (i = 0; i < 12 && c.state == CIRCUIT_CLOSED; i++)
    call (CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, i % 4 == 3 ? 0.24 : 0, true, 400 * CC_MSECOND, 120e3);
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
  for (i = 0; i < 12 && c.state == CIRCUIT_CLOSED; i++)
    call (CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, i % 4 == 3 ? 0.24 : 0, true, 400 * CC_MSECOND, 130e3);
  ck_assert_int_eq (c.reason, CIRCUIT_CONGESTION);
}
END_TEST

/* Nine reports on 10 packets each, none lost, and one on the 90 of a burst, half lost, are as one that has a quarter of
   180 lost; a mean of the ten were 0.05. */
START_TEST (test_reports_of_an_interval_weigh_by_packets)
{
  setup ();
  for (unsigned i = 0; i < 40; i++) {
    CircuitReport block = {.fraction_lost = i % 10 == 4 ? 0.5 : 0, .packets = i % 10 == 4 ? 90 : 10};

    send_packet ();
    circuit_breaker_on_report (&c, &block, 1e3, now);
    pass (STEP);
  }
  ck_assert_double_eq_tol (circuit_breaker_limit_Bps (&c), circuit_congestion_limit (PACKET, 0.1, 0.25), 1);
}
END_TEST

START_TEST (test_ten_percent_are_no_reason)
{
  setup ();
  /* 10 X = 10^4 / (0.06 sqrt (0.2 / 3)) = 645 kB/s */
  ck_assert_uint_eq (
      call (120 * CC_SECOND, CIRCUIT_CLOSED, 500 * CC_MSECOND, 0.1, true, 60 * CC_MSECOND, 400e3), 120 * CC_SECOND);
}
END_TEST

/* 4.4 */
START_TEST (test_usability)
{
  setup ();
  ck_assert_uint_eq (
      call (120 * CC_SECOND, CIRCUIT_CLOSED, 500 * CC_MSECOND, 0.49, true, 60 * CC_MSECOND, 10e3), 120 * CC_SECOND);
  setup ();
  ck_assert_double_eq_tol (
      cc_seconds (call (60 * CC_SECOND, CIRCUIT_CLOSED, 500 * CC_MSECOND, 0.6, true, 60 * CC_MSECOND, 10e3)), 10, 1.1);
  ck_assert_int_eq (c.reason, CIRCUIT_USABILITY);
}
END_TEST

/* The report after an outage of 8 s tells of one interval. */
START_TEST (test_an_outage_that_is_over_is_usable)
{
  setup ();
  call (20 * CC_SECOND, CIRCUIT_CLOSED, 500 * CC_MSECOND, 0, true, 60 * CC_MSECOND, 10e3);
  call (8 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, true, 0, 10e3);
  report (0.99, true, 60 * CC_MSECOND, 10e3);
  call (20 * CC_SECOND, CIRCUIT_CLOSED, 500 * CC_MSECOND, 0, true, 60 * CC_MSECOND, 10e3);
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
}
END_TEST

/* 4.5: after a timeout each wait is twice the last, 15, 30, 60, 60 s, and a try of which nobody tells lasts 3 x Tdr. */
START_TEST (test_tries_on_a_dead_path_are_few)
{
  const double wait[] = {15, 30, 60, 60};

  setup ();
  call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3);
  for (unsigned i = 0; i < 4; i++) {
    ck_assert_double_eq_tol (cc_seconds (call (300 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3)), wait[i], 0.2);
    ck_assert_double_eq_tol (cc_seconds (call (60 * CC_SECOND, CIRCUIT_TRYING, 0, 0, false, 0, 10e3)), 3, 0.2);
  }
}
END_TEST

/* But when RTCP comes, as soon as it took to open it. */
START_TEST (test_tries_again_when_rtcp_comes)
{
  setup ();
  call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3);
  call (300 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3);
  call (300 * CC_SECOND, CIRCUIT_TRYING, 0, 0, false, 0, 10e3);
  call (16 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3);
  ck_assert_int_eq (c.state, CIRCUIT_OPEN);
  circuit_breaker_on_rtcp (&c, false, now);
  pass (0);
  ck_assert_int_eq (c.state, CIRCUIT_TRYING);
  ck_assert (!circuit_breaker_ceases (&c));
  send_packet ();
  circuit_breaker_on_feedback (&c, false, now);
  ck_assert_int_eq (c.state, CIRCUIT_TRYING);
  circuit_breaker_on_feedback (&c, true, now);
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
}
END_TEST

/* An outage of 16 s costs 16 s. */
START_TEST (test_a_silence_that_ends_is_tried_at_once)
{
  setup ();
  call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3);
  call (CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3);
  ck_assert_int_eq (c.state, CIRCUIT_OPEN);
  circuit_breaker_on_rtcp (&c, false, now);
  ck_assert_int_eq (c.state, CIRCUIT_TRYING);
  ck_assert_uint_eq (c.restarts, 1);
}
END_TEST

/* Packets that waited for the path all the while are news; after loss they say nothing. */
START_TEST (test_what_was_under_way_says_that_there_is_a_way)
{
  const struct {
    double lost;
    bool progress;
    CcDuration interval;
    CircuitReason reason;
    CircuitState state;
    unsigned restarts;
  } cases[] = {{0, false, CC_SECOND, CIRCUIT_MEDIA_TIMEOUT, CIRCUIT_CLOSED, 1},
      {0, false, 0, CIRCUIT_RTCP_TIMEOUT, CIRCUIT_CLOSED, 1},
      {0.6, true, CC_SECOND, CIRCUIT_USABILITY, CIRCUIT_OPEN, 0}};

  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned feedback = 0; feedback < 2; feedback++) {
      setup ();
      call (60 * CC_SECOND, CIRCUIT_CLOSED, cases[i].interval, cases[i].lost, cases[i].progress, 0, 10e3);
      ck_assert_int_eq (c.reason, cases[i].reason);
      call (CC_SECOND / 2, CIRCUIT_OPEN, 0, 0, false, 0, 10e3);
      ck_assert_int_eq (c.state, CIRCUIT_OPEN);
      if (feedback)
        circuit_breaker_on_feedback (&c, true, now);
      else
        report (0, true, 0, 10e3);
      ck_assert_int_eq (c.state, cases[i].state);
      ck_assert_uint_eq (c.restarts, cases[i].restarts);
    }
}
END_TEST

/* A receiver who is heard again, and hears nothing: 3 s of what it sends are no more than 3 s, though its RTCP, 5 s
   apart, is not heard in them. */
START_TEST (test_the_end_of_a_silence_is_news_once)
{
  setup ();
  call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3);
  call (20 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3);
  call (20 * CC_SECOND, CIRCUIT_TRYING, 0, 0, false, 0, 10e3);
  circuit_breaker_on_rtcp (&c, false, now); /* after a try by time, too */
  ck_assert_uint_eq (c.restarts, 2);
  call (20 * CC_SECOND, CIRCUIT_TRYING, 0, 0, false, 0, 10e3);
  ck_assert_int_eq (c.state, CIRCUIT_OPEN);
  for (unsigned i = 0; i < 2; i++) {
    circuit_breaker_on_rtcp (&c, false, now);
    call (5 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3);
    ck_assert_int_eq (c.state, CIRCUIT_OPEN);
  }
}
END_TEST

/* RTCP all the while: as soon as it took to open it, each time; without, each wait is twice the last. */
START_TEST (test_rtcp_keeps_the_tries_close)
{
  for (unsigned heard = 0; heard < 2; heard++) {
    setup ();
    call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3);
    call (60 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3);
    circuit_breaker_on_rtcp (&c, false, now);
    call (60 * CC_SECOND, CIRCUIT_TRYING, 0, 0, false, 0, 10e3);
    pass (STEP);
    if (heard)
      circuit_breaker_on_rtcp (&c, false, now);
    ck_assert_double_eq_tol (
        cc_seconds (call (60 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3)), heard ? 15 : 30, 0.3);
  }
}
END_TEST

/* Who hears nothing for long forgets us, and says nothing until it hears us again. */
START_TEST (test_three_intervals_are_a_silence)
{
  const CcDuration silences[] = {14800 * CC_MSECOND, 15 * CC_SECOND};

  for (unsigned i = 0; i < 2; i++) {
    setup ();
    call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3);
    circuit_breaker_on_rtcp (&c, false, now);
    call (60 * CC_SECOND, CIRCUIT_TRYING, 0, 0, false, 0, 10e3);
    circuit_breaker_on_rtcp (&c, false, now);
    call (silences[i], CIRCUIT_OPEN, 0, 0, false, 0, 10e3);
    ck_assert_int_eq (c.state, CIRCUIT_OPEN);
    circuit_breaker_on_rtcp (&c, false, now);
    ck_assert_int_eq (c.state, i == 0 ? CIRCUIT_OPEN : CIRCUIT_TRYING);
  }
}
END_TEST

/* RTCP that goes on all the while, and reports on nothing of it, is no news. */
START_TEST (test_tries_are_no_closer_than_what_opened_it)
{
  setup ();
  call (10 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3);
  circuit_breaker_on_rtcp (&c, false, now);
  call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3);
  circuit_breaker_on_rtcp (&c, false, now);
  ck_assert_double_eq_tol (cc_seconds (call (60 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3)), 15, 0.2);
  call (60 * CC_SECOND, CIRCUIT_TRYING, 0, 0, false, 0, 10e3);
  ck_assert_int_eq (c.state, CIRCUIT_OPEN);
  ck_assert_uint_eq (c.openings, 2);
  ck_assert_uint_eq (c.restarts, 1);
}
END_TEST

/* After 10 s it tries; three intervals tell whether to go on, and if not, it is as long to the next. */
START_TEST (test_tries_again_after_loss)
{
  setup ();
  call (60 * CC_SECOND, CIRCUIT_CLOSED, 500 * CC_MSECOND, 0.6, true, 60 * CC_MSECOND, 10e3);
  ck_assert_double_eq_tol (cc_seconds (call (60 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3)), 10, 0.2);
  ck_assert_double_eq_tol (
      cc_seconds (call (60 * CC_SECOND, CIRCUIT_TRYING, 500 * CC_MSECOND, 0.6, true, 60 * CC_MSECOND, 10e3)), 2.5, 0.7);
  ck_assert_int_eq (c.state, CIRCUIT_OPEN);
  ck_assert_double_eq_tol (cc_seconds (call (60 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3)), 3, 0.2);
  ck_assert_double_eq_tol (
      cc_seconds (call (60 * CC_SECOND, CIRCUIT_TRYING, 500 * CC_MSECOND, 0.1, true, 60 * CC_MSECOND, 10e3)), 2.5, 0.7);
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
}
END_TEST

/* CB_INTERVAL, 4 of 10 round trips, and one more. The 4 s without a frame are no frame interval: 15 s else. */
START_TEST (test_tries_again_after_congestion)
{
  setup ();
  call (60 * CC_SECOND, CIRCUIT_CLOSED, CC_SECOND, 0.06, true, 400 * CC_MSECOND, 130e3);
  ck_assert_int_eq (c.reason, CIRCUIT_CONGESTION);
  ck_assert_double_eq_tol (cc_seconds (call (60 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3)), 4, 0.2);
  ck_assert_double_eq_tol (
      cc_seconds (call (60 * CC_SECOND, CIRCUIT_TRYING, CC_SECOND, 0, true, 400 * CC_MSECOND, 10e3)), 4, 0.3);
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
}
END_TEST

/* What opens at half and more closes below a quarter; between them the try goes on. */
START_TEST (test_a_try_needs_clearly_less_loss)
{
  setup ();
  call (60 * CC_SECOND, CIRCUIT_CLOSED, 500 * CC_MSECOND, 0.6, true, 60 * CC_MSECOND, 10e3);
  call (60 * CC_SECOND, CIRCUIT_OPEN, 0, 0, false, 0, 10e3);
  ck_assert_uint_eq (
      call (20 * CC_SECOND, CIRCUIT_TRYING, 500 * CC_MSECOND, 0.4, true, 60 * CC_MSECOND, 10e3), 20 * CC_SECOND);
  call (5 * CC_SECOND, CIRCUIT_TRYING, 500 * CC_MSECOND, 0.2, true, 60 * CC_MSECOND, 10e3);
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
}
END_TEST

/* 0.6 in every second report, and nothing new in between, are 0.6. */
START_TEST (test_reports_on_nothing_new_tell_of_no_loss)
{
  unsigned i;

  setup ();
  for (i = 0; i < 120 && c.state == CIRCUIT_CLOSED; i++) {
    send_packet ();
    report (i % 2 ? 0.6 : 0, i % 2, 60 * CC_MSECOND, 10e3);
    pass (250 * CC_MSECOND);
  }
  ck_assert_int_eq (c.reason, CIRCUIT_USABILITY);
  ck_assert_uint_le (i, 48); /* 12 s */
}
END_TEST

START_TEST (test_warns_and_goes_on)
{
  setup ();
  circuit_breaker_set_action (&c, CIRCUIT_WARN);
  call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3);
  ck_assert_int_eq (c.state, CIRCUIT_OPEN);
  ck_assert (!circuit_breaker_ceases (&c));
  report (0, true, 0, 10e3);
  ck_assert_int_eq (c.state, CIRCUIT_CLOSED);
}
END_TEST

START_TEST (test_off)
{
  setup ();
  circuit_breaker_set_action (&c, CIRCUIT_OFF);
  ck_assert_uint_eq (call (120 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3), 120 * CC_SECOND);
  ck_assert_uint_eq (circuit_breaker_next_timeout (&c), CC_TIME_NONE);
  /* set while it is open, it closes it */
  setup ();
  call (60 * CC_SECOND, CIRCUIT_CLOSED, 0, 0, false, 0, 10e3);
  circuit_breaker_set_action (&c, CIRCUIT_OFF);
  ck_assert (!circuit_breaker_ceases (&c));
}
END_TEST

START_TEST (test_names_and_nonsense)
{
  setup ();
  report (NAN, true, 0, 10e3);
  report (1.5, true, 0, 10e3);
  ck_assert_uint_eq (c.n_losses, 0);
  ck_assert_str_eq (circuit_reason_name (CIRCUIT_USABILITY), "media-usability");
  ck_assert_str_eq (circuit_state_name (CIRCUIT_TRYING), "trying");
  ck_assert_str_eq (circuit_state_name ((CircuitState)7), "unknown");
}
END_TEST

CC_TEST_MAIN ("circuitbreaker", test_media_timeout_in_reports, test_cb_interval_in_reports, test_ten_times_tcp,
    test_rtcp_timeout, test_other_reports_count_against_the_rtcp_timeout, test_a_pause_is_no_timeout,
    test_a_peer_that_may_know_no_rtcp, test_media_timeout, test_progress_cancels_the_media_timeout,
    test_media_timeout_of_slow_frames, test_the_larger_media_timeout_is_kept, test_congestion,
    test_what_may_be_sent_is_told, test_a_round_trip_that_is_over_limits_nothing,
    test_smaller_packets_are_not_given_less, test_what_an_interval_tells_is_obeyed_in_the_next,
    test_congestion_weighs_by_time, test_reports_of_an_interval_weigh_by_packets, test_ten_percent_are_no_reason,
    test_usability, test_an_outage_that_is_over_is_usable, test_tries_on_a_dead_path_are_few,
    test_tries_again_when_rtcp_comes, test_a_silence_that_ends_is_tried_at_once,
    test_what_was_under_way_says_that_there_is_a_way, test_the_end_of_a_silence_is_news_once,
    test_rtcp_keeps_the_tries_close, test_three_intervals_are_a_silence, test_tries_are_no_closer_than_what_opened_it,
    test_tries_again_after_loss, test_tries_again_after_congestion, test_a_try_needs_clearly_less_loss,
    test_reports_on_nothing_new_tell_of_no_loss, test_warns_and_goes_on, test_off, test_names_and_nonsense)
