/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "avpftiming.h"
#include "cctest.h"

#include <math.h>
#include <stddef.h>

#define START (1000 * CC_SECOND)
#define SIZE 128
#define BW 250.0
/* T = Td x [0.5, 1.5) / (e - 1.5) */
#define LOW (0.5 / 1.21828182845904523536)
#define HIGH (1.5 / 1.21828182845904523536)

static CcPcg32 pcg;

static AvpfTimingParams
params (bool avpf, bool group)
{
  AvpfTimingParams p;

  avpf_timing_params_init (&p);
  p.rtcp_bw_Bps = BW;
  p.avpf = avpf;
  p.group = group;
  p.initial_size = SIZE;
  p.random = cc_pcg32_init (&pcg, 11);
  return p;
}

static AvpfTiming
timing (const AvpfTimingParams *p, unsigned members, unsigned senders, bool we_sent)
{
  AvpfTiming t;

  avpf_timing_init (&t, p, START);
  avpf_timing_set_members (&t, members, senders, we_sent, START);
  return t;
}

/* Two parties, one sender: 1 <= 0.25 x 2 is false, so both share the pool: Td = 2 x 128/250 = 1.024 s. */
static AvpfTiming
two_party (const AvpfTimingParams *p)
{
  return timing (p, 2, 1, false);
}

static const double Td2 = 2 * SIZE / BW;

static AvpfVerdict
step (AvpfTiming *t, CcTime *now)
{
  AvpfVerdict verdict;

  *now = avpf_timing_next_timeout (t);
  verdict = avpf_timing_on_timeout (t, *now);
  avpf_timing_on_sent (t, verdict, SIZE, *now);
  return verdict;
}

static CcTime
next_packet (AvpfTiming *t, AvpfVerdict *verdict)
{
  CcTime now;

  while ((*verdict = step (t, &now)) == AVPF_NOTHING) {
  }
  return now;
}

START_TEST (test_deterministic_interval)
{
  AvpfTimingParams p = params (true, true);
  static const struct {
    unsigned members, senders;
    bool we_sent;
    double Td;
  } cases[] = {
      /* 1 <= 8/4: a sender has 0.25 x 250 B/s for itself, 7 receivers 0.75 x 250 */
      {8, 1, true, SIZE / (0.25 * BW)},
      {8, 1, false, 7 * SIZE / (0.75 * BW)},
      {8, 2, false, 6 * SIZE / (0.75 * BW)},
      /* 3 > 8/4: one pool */
      {8, 3, true, 8 * SIZE / BW},
      {8, 3, false, 8 * SIZE / BW},
      {2, 1, true, 2 * SIZE / BW},
      {2, 2, true, 2 * SIZE / BW},
  };

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AvpfTiming t = timing (&p, cases[i].members, cases[i].senders, cases[i].we_sent);
    ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), fmax (cases[i].Td, 1), 1e-8);
  }
}
END_TEST

/* The minimum before and after the first packet: AVP 2.5 and 5 s, AVPF group 1 s and 0, AVPF point to point 0 and 0. */
START_TEST (test_minimum_interval)
{
  for (int mode = 0; mode < 3; mode++) {
    static const double before[] = {2.5, 1, 0}, after[] = {5, 0, 0};
    AvpfTimingParams p = params (mode > 0, mode == 1);
    AvpfTiming t;
    AvpfVerdict verdict;

    p.rtcp_bw_Bps = 1e6;
    t = two_party (&p);
    ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), fmax (before[mode], 2 * SIZE / 1e6), 1e-8);
    next_packet (&t, &verdict);
    ck_assert_int_eq (verdict, AVPF_SEND_REGULAR);
    ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), fmax (after[mode], 2 * SIZE / 1e6), 1e-8);
  }
}
END_TEST

/* Td 5 s: [2.052, 6.156] s, both ends reached; `initial` ends with the first packet, so the first gap has 5 s too. */
START_TEST (test_support_of_the_interval)
{
  AvpfTimingParams p = params (false, true);
  double low = 100, high = 0, first_low = 100, first_high = 0;

  p.rtcp_bw_Bps = 1e6;
  for (int i = 0; i < 20000; i++) {
    AvpfTiming t;
    AvpfVerdict verdict;
    double first, gap;
    CcTime at;

    avpf_timing_init (&t, &p, START);
    first = cc_seconds (t.tn - START);
    first_low = fmin (first, first_low);
    first_high = fmax (first, first_high);
    at = next_packet (&t, &verdict);
    gap = cc_seconds (t.tn - at);
    low = fmin (gap, low);
    high = fmax (gap, high);
  }
  ck_assert (first_low >= 2.5 * LOW - 1e-8 && first_low < 2.5 * LOW + 0.002);
  ck_assert (first_high <= 2.5 * HIGH && first_high > 2.5 * HIGH - 0.002);
  ck_assert (low >= 5 * LOW - 1e-8 && low < 5 * LOW + 0.004);
  ck_assert (high <= 5 * HIGH && high > 5 * HIGH - 0.004);
  ck_assert_double_eq_tol (5 * LOW, 2.052, 0.001);
  ck_assert_double_eq_tol (5 * HIGH, 6.156, 0.001);
}
END_TEST

/* What e - 3/2 is for: with reconsideration the mean gap is Td. */
START_TEST (test_mean_interval_is_Td)
{
  static const struct {
    unsigned members, senders;
    bool avpf;
  } cases[] = {{2, 1, true}, {2, 1, false}, {20, 1, true}, {200, 60, true}};

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AvpfTimingParams p = params (cases[i].avpf, cases[i].members > 2);
    AvpfTiming t = timing (&p, cases[i].members, cases[i].senders, false);
    AvpfVerdict verdict;
    CcTime first = next_packet (&t, &verdict), last = first;
    double Td = cc_seconds (avpf_timing_interval (&t));

    for (int n = 0; n < 100000; n++)
      last = next_packet (&t, &verdict);
    ck_assert_double_eq_tol (cc_seconds (last - first) / 100000 / Td, 1, 0.01);
  }
}
END_TEST

typedef enum { NEVER, ALWAYS, AT_RANDOM, LATE_IN_THE_INTERVAL } Requests;

static const double slow_Td = 20 * SIZE / BW;

static CcTime
next_request (Requests requests, CcTime now, CcRandom *random)
{
  switch (requests) {
  case NEVER:
    return CC_TIME_NONE;
  case ALWAYS:
    return now;
  case AT_RANDOM:
    return now + cc_duration (cc_random_uniform (random, 0, 2 * slow_Td));
  default:
    return now + cc_duration (0.8 * slow_Td);
  }
}

/* 1000 hours at Td = 10.24 s. This participant's share is half of the bandwidth. The gaps have a spread of 0.2 Td, so
   that the mean of 350000 of them is exact to 0.034 %; three times that is let pass. No two early packets are closer
   than the shortest interval. */
START_TEST (test_long_run_share)
{
  for (int requests = NEVER; requests <= LATE_IN_THE_INTERVAL; requests++) {
    AvpfTimingParams p = params (true, false);
    AvpfTiming t;
    CcPcg32 other;
    CcRandom random = cc_pcg32_init (&other, 12);
    CcTime now = START, request = next_request (requests, now, &random), last_early = 0,
           end = START + 3600000 * CC_SECOND;
    uint64_t packets = 0;
    double share;

    p.rtcp_bw_Bps = BW / 10;
    t = two_party (&p);
    while (now < end) {
      AvpfVerdict verdict;
      while (request <= avpf_timing_next_timeout (&t)) {
        avpf_timing_request_feedback (&t, 10 * CC_SECOND, request);
        request = requests == ALWAYS ? CC_TIME_NONE : next_request (requests, request, &random);
      }
      verdict = step (&t, &now);
      if (verdict == AVPF_NOTHING)
        continue;
      packets++;
      request = next_request (requests, now, &random);
      if (verdict != AVPF_SEND_EARLY)
        continue;
      ck_assert (now - last_early >= cc_duration (LOW * slow_Td));
      last_early = now;
    }
    share = packets * SIZE / cc_seconds (now - START) / (BW / 20);
    ck_assert_msg (share <= 1.001, "requests %d: share %g", requests, share);
    ck_assert_msg (share >= 0.9, "requests %d: share %g", requests, share);
    ck_assert (requests == NEVER ? t.early_sent == 0 : t.early_sent > packets / 5);
  }
}
END_TEST

/* RFC 4585 3.5.2 step 6 with every draw the smallest, so that reconsideration adds nothing: tn = tp + 2 T_rr from the
   old tp, then tp = the old tn; allow_early is back at the new tn. */
START_TEST (test_early_packet_costs_the_next_slot)
{
  AvpfTimingParams p = params (true, false);
  AvpfVerdict verdict;
  CcDuration T;
  AvpfTiming t;
  CcTime now, tp, tn;

  p.random = (CcRandom){0};
  t = two_party (&p);
  now = next_packet (&t, &verdict);
  T = t.T_rr;
  tp = t.tp;
  tn = t.tn;
  ck_assert_double_eq_tol (cc_seconds (T), LOW * Td2, 1e-8);
  ck_assert (avpf_timing_request_feedback (&t, 0, now + T / 2));
  ck_assert_uint_eq (avpf_timing_next_timeout (&t), now + T / 2);
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_EARLY);
  ck_assert_uint_eq (t.tn, tp + 2 * T);
  ck_assert_uint_eq (t.tp, tn);
  ck_assert (!t.allow_early);
  ck_assert (!avpf_timing_request_feedback (&t, 0, now + 1));
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_REGULAR);
  ck_assert_uint_eq (now, tp + 2 * T);
  ck_assert (t.allow_early);
}
END_TEST

START_TEST (test_requests_merge)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t = two_party (&p);
  AvpfVerdict verdict;
  CcTime now = next_packet (&t, &verdict);

  for (int i = 0; i < 5; i++)
    ck_assert (avpf_timing_request_feedback (&t, 0, now + 1));
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_EARLY);
  /* the next one is stored for the regular packet, and takes the others in whatever their patience */
  ck_assert (avpf_timing_request_feedback (&t, 10 * CC_SECOND, now));
  ck_assert (avpf_timing_request_feedback (&t, 0, now));
  next_packet (&t, &verdict);
  ck_assert_int_eq (verdict, AVPF_SEND_REGULAR);
  ck_assert (!t.feedback_stored);
  ck_assert_uint_eq (t.early_sent, 1);
}
END_TEST

/* A request after tn (the host is late) goes with the regular packet. */
START_TEST (test_due_regular_packet_takes_the_feedback)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t = two_party (&p);

  ck_assert (avpf_timing_request_feedback (&t, 0, t.tn + 1));
  ck_assert_uint_eq (t.te, CC_TIME_NONE);
  ck_assert (t.feedback_stored);
}
END_TEST

/* Members have left, and the regular packet is due before the early one: it goes, with the feedback. */
START_TEST (test_a_regular_packet_due_first_takes_the_early_feedback)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = timing (&p, 20, 1, false);
  AvpfVerdict verdict;
  CcTime now = next_packet (&t, &verdict);

  ck_assert (avpf_timing_request_feedback (&t, CC_SECOND * 100, now));
  t.tn = t.te - 1;
  t.tp = 0;
  now = t.te;
  ck_assert_int_eq (avpf_timing_on_timeout (&t, now), AVPF_SEND_REGULAR);
  avpf_timing_on_sent (&t, AVPF_SEND_REGULAR, SIZE, now);
  ck_assert_uint_eq (t.te, CC_TIME_NONE);
  ck_assert (t.allow_early);
}
END_TEST

START_TEST (test_avp_has_no_early_packets)
{
  AvpfTimingParams p = params (false, false);
  AvpfTiming t = two_party (&p);

  ck_assert (!avpf_timing_request_feedback (&t, 0, START));
  ck_assert (avpf_timing_request_feedback (&t, 10 * CC_SECOND, START));
  ck_assert_uint_eq (t.te, CC_TIME_NONE);
}
END_TEST

/* In a group early feedback waits for U (0, 1) x T_rr/2; what cannot wait so long is not sent. */
START_TEST (test_group_dithers)
{
  AvpfTimingParams p = params (true, true);
  CcDuration most = 0;

  for (int i = 0; i < 1000; i++) {
    AvpfTiming t = timing (&p, 20, 1, false);
    AvpfVerdict verdict;
    CcTime now = next_packet (&t, &verdict);

    ck_assert (!avpf_timing_request_feedback (&t, t.T_rr / 2 - 1, now));
    ck_assert (avpf_timing_request_feedback (&t, t.T_rr / 2, now));
    ck_assert (t.te >= now && t.te - now <= t.T_rr / 2);
    most = t.te - now > most ? t.te - now : most;
    avpf_timing_cancel_feedback (&t);
    ck_assert_uint_eq (avpf_timing_next_timeout (&t), t.tn);
  }
  ck_assert (most > 0);
}
END_TEST

/* trr-int 4 s over Td 0.1 s: full reports every [2, 6] s and a slot more, 4 s on average and up to a slot; never are
   early packets held up by it. */
START_TEST (test_trr_interval_thins_out_regular_packets)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t;
  AvpfVerdict verdict;
  CcTime now, last, first;

  p.rtcp_bw_Bps = 2 * SIZE / 0.1;
  p.T_rr_interval = 4 * CC_SECOND;
  t = two_party (&p);
  first = last = next_packet (&t, &verdict);
  for (int i = 0; i < 20000; i++) {
    double gap;
    now = next_packet (&t, &verdict);
    ck_assert_int_eq (verdict, AVPF_SEND_REGULAR);
    gap = cc_seconds (now - last);
    ck_assert (gap >= 2 && gap <= 6 + HIGH * 0.1);
    last = now;
  }
  ck_assert_double_eq_tol (cc_seconds (last - first) / 20000, 4.05, 0.05);
  ck_assert (t.suppressed > 20000 * 30);
  ck_assert (avpf_timing_request_feedback (&t, 0, last));
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_EARLY);
  ck_assert_uint_eq (now, last);
}
END_TEST

/* RFC 4585 3.5.3 2b: stored feedback goes at tn, and does not count as a full report. */
START_TEST (test_trr_interval_lets_stored_feedback_pass)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t;
  AvpfVerdict verdict;
  CcTime now, full;

  p.T_rr_interval = 1000 * CC_SECOND;
  t = two_party (&p);
  full = next_packet (&t, &verdict);
  ck_assert (avpf_timing_request_feedback (&t, 0, full));
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_EARLY);
  ck_assert (avpf_timing_request_feedback (&t, 10 * CC_SECOND, now));
  now = next_packet (&t, &verdict);
  ck_assert_int_eq (verdict, AVPF_SEND_REGULAR);
  ck_assert (now < full + 4 * CC_SECOND);
  ck_assert_uint_eq (t.t_rr_last, full);
}
END_TEST

/* RFC 4585 3.5.2 step 6: the slot behind an early packet gives early feedback back also where T_rr_interval leaves its
   regular packet out. */
START_TEST (test_a_suppressed_slot_allows_early_packets_again)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t;
  AvpfVerdict verdict;
  CcTime now;

  p.T_rr_interval = 1000 * CC_SECOND;
  t = two_party (&p);
  now = next_packet (&t, &verdict);
  ck_assert (avpf_timing_request_feedback (&t, 0, now));
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_EARLY);
  while (t.suppressed == 0)
    ck_assert_int_eq (step (&t, &now), AVPF_NOTHING);
  ck_assert (t.allow_early);
  ck_assert (avpf_timing_request_feedback (&t, 0, now));
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_EARLY);
}
END_TEST

/* RFC 3550 6.3.4: 10 -> 4 members at tc: both distances x 0.4. */
START_TEST (test_reverse_reconsideration)
{
  AvpfTimingParams p = params (false, true);
  AvpfTiming t = timing (&p, 10, 0, false);
  AvpfVerdict verdict;
  CcTime tc, tp, tn;

  next_packet (&t, &verdict);
  tp = t.tp;
  tn = t.tn;
  tc = tp + (tn - tp) / 3;
  ck_assert_uint_eq (t.pmembers, 10);
  avpf_timing_set_members (&t, 4, 0, false, tc);
  ck_assert_double_eq_tol (cc_seconds (t.tn - tc), 0.4 * cc_seconds (tn - tc), 1e-6);
  ck_assert_double_eq_tol (cc_seconds (tc - t.tp), 0.4 * cc_seconds (tc - tp), 1e-6);
  ck_assert_uint_eq (t.pmembers, 4);
  /* growing moves nothing: that is for reconsideration at tn */
  tn = t.tn;
  avpf_timing_set_members (&t, 10, 0, false, tc);
  ck_assert_uint_eq (t.tn, tn);
}
END_TEST

/* RFC 3550 6.3.8: one of 8 begins to send; Td falls from 7 x 128/(0.75 x 250) to 128/(0.25 x 250) s, by 3/7, and so
   does what is left to wait. */
START_TEST (test_becoming_a_sender_brings_the_report_forward)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = timing (&p, 8, 0, false);
  CcTime now = t.tp + (t.tn - t.tp) / 4, tn = t.tn;

  avpf_timing_set_members (&t, 8, 1, true, now);
  ck_assert_double_eq_tol (cc_seconds (t.tn - now), 3 / 7.0 * cc_seconds (tn - now), 1e-6);
  tn = t.tn;
  avpf_timing_set_members (&t, 8, 1, true, now);
  avpf_timing_set_members (&t, 8, 0, false, now);
  ck_assert_uint_eq (t.tn, tn);
}
END_TEST

/* A thousand join while the packet waits: Td goes from 1.024 s to 999 x 128/(0.75 x 250) = 682 s. */
START_TEST (test_reconsideration_puts_off)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = two_party (&p);
  CcTime now;

  avpf_timing_set_members (&t, 1000, 1, false, START);
  ck_assert_int_eq (step (&t, &now), AVPF_NOTHING);
  ck_assert_uint_eq (t.deferred, 1);
  ck_assert_double_ge (cc_seconds (t.tn - START), LOW * 999 * SIZE / (0.75 * BW));
}
END_TEST

/* tp + T <= tc: equality sends. Every draw is the smallest, so T at tn is the T that made tn. */
START_TEST (test_equality_sends)
{
  AvpfTimingParams p = params (true, false);
  AvpfVerdict verdict;
  AvpfTiming t;
  CcTime now;

  p.random = (CcRandom){0};
  t = two_party (&p);
  next_packet (&t, &verdict);
  ck_assert_int_eq (avpf_timing_on_timeout (&t, t.tn - 1), AVPF_NOTHING);
  for (int i = 0; i < 10; i++)
    ck_assert_int_eq (step (&t, &now), AVPF_SEND_REGULAR);
}
END_TEST

/* Gain 1/16: 128 + (448 - 128)/16 = 148; then our own: 148 + (52 - 148)/16 = 142. */
START_TEST (test_average_size)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t = two_party (&p);

  avpf_timing_on_received (&t, 448);
  ck_assert (t.avg_rtcp_size == 148);
  avpf_timing_request_feedback (&t, 0, START);
  avpf_timing_on_sent (&t, AVPF_SEND_EARLY, 52, START);
  ck_assert (t.avg_rtcp_size == 142);
}
END_TEST

START_TEST (test_bandwidth_change)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t = two_party (&p);
  CcDuration T = t.tn - t.tp;

  avpf_timing_set_bandwidth (&t, 4 * BW);
  ck_assert_double_eq_tol (cc_seconds (t.tn - t.tp), cc_seconds (T) / 4, 1e-8);
  avpf_timing_set_bandwidth (&t, BW);
  ck_assert_double_eq_tol (cc_seconds (t.tn - t.tp), cc_seconds (T), 1e-7);
  avpf_timing_set_bandwidth (&t, 0);
  ck_assert (avpf_timing_next_timeout (&t) > START + 100000000 * CC_SECOND);
  ck_assert (!avpf_timing_request_feedback (&t, CC_SECOND, START));
  avpf_timing_set_bandwidth (&t, BW);
  ck_assert (avpf_timing_next_timeout (&t) < START + 2 * CC_SECOND);
}
END_TEST

/* RFC 3556 with RR:0: receivers say nothing, and nothing is divided by zero. */
START_TEST (test_no_share_for_receivers)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t;

  p.sender_share = 1;
  t = timing (&p, 5, 1, false);
  ck_assert (avpf_timing_interval (&t) > 100000000 * CC_SECOND);
  t = timing (&p, 5, 1, true);
  ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), 1, 1e-9);
}
END_TEST

/* RFC 8108 7.1.4: 5 x max (5 s, Td), with Td as a receiver has it, whatever T_rr_interval: 5 x 7 x 128/(0.75 x 25) =
   239 s; the sender's own Td would be 128/(0.25 x 25) = 20.5 s. */
START_TEST (test_member_timeout)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t;

  p.T_rr_interval = 100 * CC_SECOND;
  t = two_party (&p);
  ck_assert_uint_eq (avpf_timing_member_timeout (&t), 25 * CC_SECOND);
  p.rtcp_bw_Bps = BW / 10;
  t = timing (&p, 8, 1, true);
  ck_assert_double_eq_tol (cc_seconds (avpf_timing_member_timeout (&t)), 5 * 7 * SIZE / (0.75 * BW / 10), 1e-6);
}
END_TEST

CC_TEST_MAIN ("avpftiming", test_deterministic_interval, test_minimum_interval, test_support_of_the_interval,
    test_mean_interval_is_Td, test_long_run_share, test_early_packet_costs_the_next_slot, test_requests_merge,
    test_due_regular_packet_takes_the_feedback, test_a_regular_packet_due_first_takes_the_early_feedback,
    test_avp_has_no_early_packets, test_group_dithers, test_trr_interval_thins_out_regular_packets,
    test_trr_interval_lets_stored_feedback_pass, test_a_suppressed_slot_allows_early_packets_again,
    test_reverse_reconsideration, test_becoming_a_sender_brings_the_report_forward, test_reconsideration_puts_off,
    test_equality_sends, test_average_size, test_bandwidth_change, test_no_share_for_receivers, test_member_timeout)
