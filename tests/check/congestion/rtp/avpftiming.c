/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "avpftiming.h"
#include "cctest.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define START (1000 * CC_SECOND)
#define SIZE 128
#define BW 250.0
/* T = Td x [0.5, 1.5) / (e - 1.5) */
#define LOW (0.5 / 1.21828182845904523536)
#define HIGH (1.5 / 1.21828182845904523536)

/* ck_assert for hot loops: check writes each assertion down. */
#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition))                                                                                                  \
      ck_abort_msg ("%s", #condition);                                                                                 \
  } while (0)

static CcPcg32 pcg;

static double
tolerance (double exact)
{
  return slow_machine () ? 10 * exact : exact;
}

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

static double
mean_gap (AvpfTiming *t, int packets)
{
  AvpfVerdict verdict;
  CcTime first = next_packet (t, &verdict), last = first;

  for (int n = 0; n < packets; n++)
    last = next_packet (t, &verdict);
  return cc_seconds (last - first) / packets;
}

/* What e - 3/2 is for: with reconsideration the mean gap is Td, in any group, whatever the shares. */
START_TEST (test_mean_interval_is_Td)
{
  static const struct {
    unsigned members, senders;
    bool avpf, we_sent;
    double share;
  } cases[] = {
      {2, 1, true, false, 0.25},
      {2, 1, false, true, 0.25},
      {2, 2, true, true, 0.5},
      {3, 0, true, false, 0.25},
      {10, 2, true, true, 0.5},
      {20, 1, true, false, 0.25},
      {20, 1, false, true, 0.25},
      {100, 4, true, false, 0.1},
      {200, 60, true, false, 0.25},
      {1000, 1, true, false, 0.25},
      {1000, 1, true, true, 0.01},
      {1000, 1000, false, true, 0},
      {1000, 10, true, true, 1},
  };

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AvpfTimingParams p = params (cases[i].avpf, cases[i].members > 2);
    AvpfTiming t;
    double Td, mean;

    p.sender_share = cases[i].share;
    p.random = cc_pcg32_init (&pcg, 100 + i);
    t = timing (&p, cases[i].members, cases[i].senders, cases[i].we_sent);
    t.initial = false;
    Td = cc_seconds (avpf_timing_interval (&t));
    mean = mean_gap (&t, scaled (60000));
    ck_assert_msg (fabs (mean / Td - 1) < tolerance (0.01), "case %zu: %g of %g s", i, mean, Td);
  }
}
END_TEST

/* Without unconditional reconsideration U (0.5, 1.5) has the mean 1 by itself; unconditional and uncompensated it is
   0.5 + (e - 2) = e - 3/2. */
START_TEST (test_compensation_only_where_it_applies)
{
  static const struct {
    AvpfReconsideration mode;
    bool uncompensated;
    double mean, low, high;
  } cases[] = {
      {AVPF_RECONSIDER_UNCONDITIONAL, false, 1, LOW, HIGH},
      {AVPF_RECONSIDER_UNCONDITIONAL, true, 1.21828, 0.5, 1.5},
      {AVPF_RECONSIDER_CONDITIONAL, false, 1, 0.5, 1.5},
      {AVPF_RECONSIDER_CONDITIONAL, true, 1, 0.5, 1.5},
      {AVPF_RECONSIDER_NONE, false, 1, 0.5, 1.5},
  };

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AvpfTimingParams p = params (true, false);
    AvpfTiming t;
    AvpfVerdict verdict;
    double low = 10, high = 0;

    p.reconsideration = cases[i].mode;
    p.uncompensated = cases[i].uncompensated;
    t = two_party (&p);
    ck_assert_double_eq_tol (mean_gap (&t, scaled (40000)) / Td2, cases[i].mean, tolerance (0.01));
    for (int n = 0; n < 2000; n++) {
      CcTime last = next_packet (&t, &verdict);
      low = fmin (low, cc_seconds (t.T_rr) / Td2);
      high = fmax (high, cc_seconds (t.tn - last) / Td2);
    }
    ck_assert (low >= cases[i].low - 1e-8 && low < cases[i].low + 0.02);
    ck_assert (high <= cases[i].high && high > cases[i].high - 0.02);
  }
}
END_TEST

/* Conditional: only where the number of members is another than when T was drawn. With 8 receivers where there was one
   T is 0.5 x 8 x 0.683 s = 2.7 s at least, longer than any T drawn for one, 1.5 x 0.683 s. */
START_TEST (test_conditional_reconsideration)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t;
  CcTime now;

  p.reconsideration = AVPF_RECONSIDER_CONDITIONAL;
  avpf_timing_init (&t, &p, START);
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_REGULAR);
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_REGULAR);
  avpf_timing_set_members (&t, 8, 0, false, now);
  ck_assert_int_eq (step (&t, &now), AVPF_NOTHING);
  ck_assert_uint_eq (t.deferred, 1);
  ck_assert_uint_eq (t.pmembers, 8);
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_REGULAR);
  /* one more is enough: of twenty such draws some put off */
  for (unsigned i = 9; i < 29; i++) {
    avpf_timing_set_members (&t, i, 0, false, now);
    step (&t, &now);
    ck_assert_uint_eq (t.pmembers, i);
  }
  ck_assert (t.deferred > 1);
}
END_TEST

/* RFC 1889: what was planned goes, whoever joined or left. */
START_TEST (test_no_reconsideration)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t;
  CcTime now, tn;

  p.reconsideration = AVPF_RECONSIDER_NONE;
  t = timing (&p, 2, 0, false);
  tn = t.tn;
  avpf_timing_set_members (&t, 1000, 0, false, START);
  avpf_timing_set_members (&t, 500, 0, false, START);
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_REGULAR);
  ck_assert_uint_eq (now, tn);
  tn = t.tn;
  avpf_timing_set_members (&t, 2, 0, false, now);
  ck_assert_uint_eq (t.tn, tn);
}
END_TEST

START_TEST (test_the_mode_can_change_at_any_time)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = two_party (&p);
  CcTime now;

  avpf_timing_set_members (&t, 1000, 1, false, START);
  ck_assert_int_eq (step (&t, &now), AVPF_NOTHING);
  t.params.reconsideration = AVPF_RECONSIDER_NONE;
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_REGULAR);
  t.params.reconsideration = AVPF_RECONSIDER_UNCONDITIONAL;
  avpf_timing_set_members (&t, 100000, 1, false, now);
  ck_assert_int_eq (step (&t, &now), AVPF_NOTHING);
}
END_TEST

/* RFC 3550 6.2: 360/(kb/s): 72 kb/s gives the 5 s that hold anyway, 144 kb/s half of them. */
START_TEST (test_reduced_minimum)
{
  ck_assert_uint_eq (avpf_timing_reduced_minimum (144e3 / 8), 2500 * CC_MSECOND);
  ck_assert_uint_eq (avpf_timing_reduced_minimum (360e3 / 8), CC_SECOND);
  ck_assert_uint_eq (avpf_timing_reduced_minimum (72e3 / 8), 5 * CC_SECOND);
  ck_assert_uint_eq (avpf_timing_reduced_minimum (64e3 / 8), 5 * CC_SECOND);
  ck_assert_uint_eq (avpf_timing_reduced_minimum (0), 5 * CC_SECOND);
  ck_assert_uint_eq (avpf_timing_reduced_minimum (-1), 5 * CC_SECOND);
  ck_assert_uint_eq (avpf_timing_reduced_minimum (NAN), 5 * CC_SECOND);
}
END_TEST

/* Multicast: for active senders only; unicast: for all. Half of it before the first packet, like the 5 s; timeouts keep
   to 5 s. T_min itself is a parameter too. */
START_TEST (test_who_may_use_the_reduced_minimum)
{
  static const struct {
    bool group, we_sent;
    double T_min;
  } cases[] = {{true, true, 1}, {true, false, 4}, {false, true, 1}, {false, false, 1}};

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    AvpfTimingParams p = params (false, cases[i].group);
    AvpfTiming t;

    p.rtcp_bw_Bps = 1e6;
    p.T_min = 4 * CC_SECOND;
    p.T_min_reduced = avpf_timing_reduced_minimum (360e3 / 8);
    t = timing (&p, 2, 1, cases[i].we_sent);
    ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), cases[i].T_min / 2, 1e-8);
    t.initial = false;
    ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), cases[i].T_min, 1e-8);
    ck_assert_uint_eq (avpf_timing_member_timeout (&t), 25 * CC_SECOND);
    ck_assert_uint_eq (avpf_timing_sender_timeout (&t), 10 * CC_SECOND);
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
           end = START + (CcTime)scaled (3600000) * CC_SECOND;
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
      REQUIRE (now - last_early >= cc_duration (LOW * slow_Td));
      last_early = now;
    }
    share = packets * SIZE / cc_seconds (now - START) / (BW / 20);
    ck_assert_msg (share <= 1 + tolerance (0.001), "requests %d: share %g", requests, share);
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

/* With an interval that does not change, the slot behind an early packet never comes before tp + 2 T_rr: RFC 4585
   3.5.2 (6), to the letter or with the stricter slot, and reconsideration only adds to it. */
START_TEST (test_the_slot_after_an_early_packet)
{
  for (int literal = 0; literal < 2; literal++) {
    AvpfTimingParams p = params (true, false);
    AvpfTiming t;
    double gaps = 0;
    int n = scaled (20000);

    p.literal_early_slot = literal;
    t = two_party (&p);
    for (int i = 0; i < n; i++) {
      AvpfVerdict verdict;
      CcTime last = next_packet (&t, &verdict), now, due;
      REQUIRE (avpf_timing_request_feedback (&t, 0, last + 1));
      due = t.tp + 2 * t.T_rr;
      REQUIRE (step (&t, &now) == AVPF_SEND_EARLY);
      REQUIRE (t.tn >= due);
      REQUIRE (!literal || t.tn == due);
      now = next_packet (&t, &verdict);
      REQUIRE (verdict == AVPF_SEND_REGULAR);
      REQUIRE (now >= due);
      gaps += cc_seconds (now - last);
    }
    /* two packets a gap: the stricter slot makes that 2 Td at least, the literal one about 2 Td/1.1 */
    ck_assert_double_ge (gaps / n / Td2, (literal ? 1.7 : 2) - tolerance (0.02));
  }
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

/* The host is late and both are due: one packet, the regular one, if reconsideration lets it go; else the early one. */
START_TEST (test_a_late_host_sends_one_packet)
{
  for (int grown = 0; grown < 2; grown++) {
    AvpfTimingParams p = params (true, true);
    AvpfTiming t = timing (&p, 20, 1, false);
    AvpfVerdict verdict;
    CcTime now = next_packet (&t, &verdict);

    ck_assert (avpf_timing_request_feedback (&t, 100 * CC_SECOND, now));
    avpf_timing_set_members (&t, grown ? 100000 : 20, 1, false, now);
    now = t.tn + 100 * CC_SECOND;
    verdict = avpf_timing_on_timeout (&t, now);
    ck_assert_int_eq (verdict, grown ? AVPF_SEND_EARLY : AVPF_SEND_REGULAR);
    avpf_timing_on_sent (&t, verdict, SIZE, now);
    ck_assert (avpf_timing_next_timeout (&t) > now);
  }
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

/* T_dither_max = l T_rr. l = 0: no wait; l = 2: past tn at once, so all feedback waits for the regular packet. */
START_TEST (test_dither_factor)
{
  static const double factors[] = {0, 0.1, 0.25, 0.9, 2};

  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
    AvpfTimingParams p = params (true, true);
    double most = 0;

    p.dither_factor = factors[i];
    for (int n = 0; n < 500; n++) {
      AvpfTiming t = timing (&p, 20, 1, false);
      AvpfVerdict verdict;
      CcTime now = next_packet (&t, &verdict);
      double T_dither_max = factors[i] * cc_seconds (t.T_rr);
      ck_assert_double_eq_tol (cc_seconds (avpf_timing_dither_max (&t)), T_dither_max, 1e-8);
      ck_assert (avpf_timing_request_feedback (&t, 1000 * CC_SECOND, now));
      ck_assert ((t.te == CC_TIME_NONE) == (factors[i] > 1));
      ck_assert (t.feedback_stored == (factors[i] > 1));
      if (t.te == CC_TIME_NONE)
        continue;
      ck_assert (t.te - now <= avpf_timing_dither_max (&t));
      most = fmax (most, cc_seconds (t.te - now) / cc_seconds (t.T_rr));
    }
    ck_assert (factors[i] > 1 || most > 0.95 * factors[i] || factors[i] == 0);
  }
}
END_TEST

START_TEST (test_feedback_is_counted)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = timing (&p, 20, 1, false);
  AvpfVerdict verdict;
  CcTime now = next_packet (&t, &verdict);

  ck_assert (!avpf_timing_request_feedback (&t, 0, now));
  ck_assert_uint_eq (t.discarded, 1);
  /* nothing there, nothing cancelled */
  avpf_timing_cancel_feedback (&t);
  ck_assert_uint_eq (t.cancelled, 0);
  ck_assert (avpf_timing_request_feedback (&t, 100 * CC_SECOND, now));
  avpf_timing_cancel_feedback (&t);
  ck_assert_uint_eq (t.cancelled, 1);
  ck_assert_uint_eq (t.stored, 0);
  ck_assert (avpf_timing_request_feedback (&t, 100 * CC_SECOND, t.tn));
  ck_assert_uint_eq (t.stored, 1);
  /* merged, not stored again */
  ck_assert (avpf_timing_request_feedback (&t, 100 * CC_SECOND, t.tn));
  ck_assert_uint_eq (t.stored, 1);
  avpf_timing_cancel_feedback (&t);
  ck_assert_uint_eq (t.cancelled, 2);
  /* sending is no cancelling */
  ck_assert (avpf_timing_request_feedback (&t, 100 * CC_SECOND, now));
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_EARLY);
  ck_assert_uint_eq (t.cancelled, 2);
  ck_assert_uint_eq (t.early_sent, 1);
}
END_TEST

/* RFC 4585 3.5.2 (5): cancelled feedback leaves tn, allow_early and the bandwidth untouched. */
START_TEST (test_suppressed_feedback_costs_nothing)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = timing (&p, 20, 1, false);
  AvpfVerdict verdict;
  CcTime now = next_packet (&t, &verdict), tp = t.tp, tn = t.tn;

  ck_assert (avpf_timing_request_feedback (&t, 100 * CC_SECOND, now));
  avpf_timing_cancel_feedback (&t);
  ck_assert_uint_eq (t.tp, tp);
  ck_assert_uint_eq (t.tn, tn);
  ck_assert (t.allow_early);
  ck_assert (avpf_timing_request_feedback (&t, 100 * CC_SECOND, now));
  ck_assert (t.te != CC_TIME_NONE);
}
END_TEST

START_TEST (test_postponed_feedback_waits_for_the_regular_packet)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = timing (&p, 20, 1, false);
  AvpfVerdict verdict;
  CcTime now = next_packet (&t, &verdict);

  avpf_timing_postpone_feedback (&t);
  ck_assert (!t.feedback_stored);
  ck_assert (avpf_timing_request_feedback (&t, 100 * CC_SECOND, now));
  avpf_timing_postpone_feedback (&t);
  ck_assert_uint_eq (avpf_timing_next_timeout (&t), t.tn);
  ck_assert (t.feedback_stored);
  ck_assert_uint_eq (t.stored, 1);
  next_packet (&t, &verdict);
  ck_assert_int_eq (verdict, AVPF_SEND_REGULAR);
  ck_assert (!t.feedback_stored);
}
END_TEST

/* In a group early feedback waits for U (0, 1) x T_rr/2; what cannot wait so long is not sent. */
/* What is kept back leaves the early packet to others, and is reason enough for a regular one. */
START_TEST (test_what_is_kept_back_leaves_early_packets_alone)
{
  AvpfTimingParams p = params (true, false);
  AvpfVerdict verdict;
  AvpfTiming t;
  CcTime now;

  p.T_rr_interval = 1000 * CC_SECOND;
  p.random = (CcRandom){0};
  t = two_party (&p);
  now = next_packet (&t, &verdict);
  avpf_timing_store_feedback (&t);
  ck_assert (avpf_timing_request_feedback (&t, 0, now + t.T_rr / 4));
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_EARLY);
  ck_assert (!t.kept_back);
  now = next_packet (&t, &verdict);
  ck_assert_uint_gt (now, START + 100 * CC_SECOND); /* nothing but the report of T_rr_interval */
  avpf_timing_store_feedback (&t);
  ck_assert_uint_eq (t.te, CC_TIME_NONE);
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_REGULAR);
}
END_TEST

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

/* The old pmembers counts, not the number before the last change: 10 at the draw, 100 since, then 5: x 0.5. */
START_TEST (test_reverse_reconsideration_goes_by_pmembers)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = timing (&p, 10, 0, false);
  AvpfVerdict verdict;
  CcTime tc, tn;

  tc = next_packet (&t, &verdict);
  tn = t.tn;
  avpf_timing_set_members (&t, 100, 0, false, tc);
  avpf_timing_set_members (&t, 50, 0, false, tc);
  ck_assert_uint_eq (t.tn, tn);
  avpf_timing_set_members (&t, 5, 0, false, tc);
  ck_assert_double_eq_tol (cc_seconds (t.tn - tc), 0.5 * cc_seconds (tn - tc), 1e-6);
  /* T_rr shrinks with them, and so does T_dither_max */
  ck_assert_double_eq_tol (cc_seconds (t.T_rr), 0.5 * cc_seconds (tn - tc), 1e-6);
  /* one by one: 5 -> 4 -> 2 as 5 -> 2 */
  avpf_timing_set_members (&t, 4, 0, false, tc);
  avpf_timing_set_members (&t, 2, 0, false, tc);
  ck_assert_double_eq_tol (cc_seconds (t.tn - tc), 0.2 * cc_seconds (tn - tc), 1e-6);
}
END_TEST

/* After an early packet tp lies ahead; what is ahead stays ahead. */
START_TEST (test_reverse_reconsideration_of_a_tp_ahead)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = timing (&p, 10, 0, false);
  AvpfVerdict verdict;
  CcTime now = next_packet (&t, &verdict), tp;

  ck_assert (avpf_timing_request_feedback (&t, 100 * CC_SECOND, now));
  ck_assert_int_eq (step (&t, &now), AVPF_SEND_EARLY);
  tp = t.tp;
  ck_assert (tp > now);
  avpf_timing_set_members (&t, 5, 0, false, now);
  ck_assert_double_eq_tol (cc_seconds (t.tp - now), 0.5 * cc_seconds (tp - now), 1e-6);
  ck_assert_double_eq_tol (cc_seconds (t.tn - t.tp), cc_seconds (t.T_rr), 1e-6);
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

/* Gain 1/16: 128 + (448 - 128)/16 = 148; then our own: 148 + (52 - 148)/16 = 142. A packet of no size is none. */
START_TEST (test_average_size)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t = two_party (&p);

  avpf_timing_on_received (&t, 448);
  ck_assert (t.avg_rtcp_size == 148);
  avpf_timing_request_feedback (&t, 0, START);
  avpf_timing_on_sent (&t, AVPF_SEND_EARLY, 52, START);
  ck_assert (t.avg_rtcp_size == 142);
  avpf_timing_on_received (&t, 0);
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

/* RFC 3556: b=RS and b=RR as they are; 1 sender and 7 receivers. */
START_TEST (test_shares_given_separately)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t;

  avpf_timing_params_set_shares (&p, 100, 300);
  ck_assert (p.rtcp_bw_Bps == 400 && p.sender_share == 0.25);
  t = timing (&p, 8, 1, true);
  t.initial = false;
  ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), SIZE / 100.0, 1e-8);
  t.we_sent = false;
  ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), 7 * SIZE / 300.0, 1e-8);
  /* 1 <= 8 x 0.6 */
  avpf_timing_set_shares (&t, 240, 160);
  ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), 7 * SIZE / 160.0, 1e-8);
  /* RS:0: a sender is no more than 0 x 8, so all share what there is */
  avpf_timing_set_shares (&t, 0, 300);
  ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), 8 * SIZE / 300.0, 1e-8);
  t.we_sent = true;
  ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), 8 * SIZE / 300.0, 1e-8);
  avpf_timing_set_shares (&t, 0, 0);
  ck_assert (avpf_timing_interval (&t) > 100000000 * CC_SECOND);
  avpf_timing_params_set_shares (&p, NAN, -1);
  ck_assert (p.rtcp_bw_Bps == 0 && p.sender_share == 0.25);
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

/* RR:0 and this one begins to send: there was no interval to move forward, so it starts now. */
START_TEST (test_a_silent_receiver_becomes_a_sender)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t;

  p.sender_share = 1;
  t = timing (&p, 5, 0, false);
  avpf_timing_set_members (&t, 5, 1, true, START + 100 * CC_SECOND);
  ck_assert_uint_eq (t.tp, START);
  ck_assert (t.tn >= START + 100 * CC_SECOND + cc_duration (LOW) && t.tn < START + 102 * CC_SECOND);
  /* nobody reports but senders; silence is measured by the fixed minimum then */
  ck_assert_uint_eq (avpf_timing_member_timeout (&t), 25 * CC_SECOND);
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

START_TEST (test_params_out_of_range)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t;

  p.rtcp_bw_Bps = NAN;
  p.sender_share = -1;
  p.dither_factor = NAN;
  p.initial_size = INFINITY;
  avpf_timing_init (&t, &p, START);
  ck_assert (t.params.rtcp_bw_Bps == 0 && t.params.sender_share == 0.25);
  ck_assert (t.params.dither_factor == 0.5 && t.avg_rtcp_size == 128);
}
END_TEST

/* A simulation holds a million of them. */
START_TEST (test_state_is_small)
{
  ck_assert_uint_le (sizeof (AvpfTiming), 256);
}
END_TEST

/* RFC 4585 3.3 has this example: 256 kb/s, 5 % of it RTCP, 3/4 of that for receivers, 30 packets/s with 5 % loss = 3
   losses in T = 2 s, 120 bytes a packet: 6 to 7 receivers. */
START_TEST (test_group_size_threshold)
{
  double receivers_Bps = 256e3 / 8 * 0.05 * 0.75;
  double n = avpf_timing_immediate_receivers (receivers_Bps, 2 * CC_SECOND, 120, 30 * 2 * 0.05);

  ck_assert (n > 6 && n < 7);
  ck_assert_double_eq_tol (n, 1200 * 2 / (120.0 * 3), 1e-9);
  ck_assert (isinf (avpf_timing_immediate_receivers (receivers_Bps, 2 * CC_SECOND, 120, 0)));
}
END_TEST

/* The same for one participant of a group: 6 receivers react to each loss, 7 may be early, and where half an interval
   is more than feedback may take only regular reports are left. */
START_TEST (test_mode)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t;

  p.rtcp_bw_Bps = 256e3 / 8 * 0.05;
  p.initial_size = 120;
  t = timing (&p, 1 + 6, 1, false);
  ck_assert_int_eq (avpf_timing_mode (&t, 3, 2 * CC_SECOND, CC_SECOND), AVPF_MODE_IMMEDIATE);
  t = timing (&p, 1 + 7, 1, false);
  ck_assert_int_eq (avpf_timing_mode (&t, 3, 2 * CC_SECOND, CC_SECOND), AVPF_MODE_EARLY);
  ck_assert_int_eq (avpf_timing_mode (&t, 3, 2 * CC_SECOND, t.T_rr / 2 - 1), AVPF_MODE_REGULAR);
  /* 2.857 packets in 2 s: the border itself is immediate */
  ck_assert_int_eq (avpf_timing_mode (&t, 2.85, 2 * CC_SECOND, 0), AVPF_MODE_IMMEDIATE);
  t.params.avpf = false;
  ck_assert_int_eq (avpf_timing_mode (&t, 1, 2 * CC_SECOND, CC_SECOND), AVPF_MODE_REGULAR);
  t.params.avpf = true;
  avpf_timing_set_bandwidth (&t, 0);
  ck_assert_int_eq (avpf_timing_mode (&t, 0, 2 * CC_SECOND, CC_SECOND), AVPF_MODE_REGULAR);
}
END_TEST

static AvpfTiming
sender_of (const AvpfTimingParams *p, unsigned members)
{
  AvpfTiming t = timing (p, members, 1, true);
  AvpfVerdict verdict;

  next_packet (&t, &verdict);
  return t;
}

/* RFC 3550 6.3.7: who never sent anything MUST NOT send BYE; RTP counts as well as RTCP. */
START_TEST (test_no_bye_of_the_silent)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = timing (&p, 200, 1, false);

  ck_assert_int_eq (avpf_timing_leave (&t, SIZE, START), AVPF_LEAVE_SILENTLY);
  ck_assert_uint_eq (avpf_timing_next_timeout (&t), CC_TIME_NONE);
  t = timing (&p, 10, 1, true);
  avpf_timing_set_members (&t, 10, 0, false, START);
  ck_assert_int_eq (avpf_timing_leave (&t, SIZE, START), AVPF_LEAVE_NOW);
  p.rtcp_bw_Bps = 0;
  t = timing (&p, 10, 1, true);
  ck_assert_int_eq (avpf_timing_leave (&t, SIZE, START), AVPF_LEAVE_SILENTLY);
}
END_TEST

START_TEST (test_bye_at_once_below_fifty)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = sender_of (&p, 49);

  ck_assert_int_eq (avpf_timing_leave (&t, SIZE, t.tp), AVPF_LEAVE_NOW);
  avpf_timing_on_sent (&t, AVPF_SEND_BYE, SIZE, t.tp);
  /* nothing is due any more, whatever comes */
  avpf_timing_set_members (&t, 2, 1, true, t.tp);
  ck_assert (!avpf_timing_request_feedback (&t, 100 * CC_SECOND, t.tp));
  ck_assert_uint_eq (avpf_timing_next_timeout (&t), CC_TIME_NONE);
  ck_assert_int_eq (avpf_timing_on_timeout (&t, t.tn + 100 * CC_SECOND), AVPF_NOTHING);
  ck_assert_int_eq (avpf_timing_leave (&t, SIZE, t.tp), AVPF_LEAVE_SILENTLY);
  t = sender_of (&p, 50);
  ck_assert_int_eq (avpf_timing_leave (&t, SIZE, t.tp), AVPF_LEAVE_BACKED_OFF);
  ck_assert_int_eq (avpf_timing_leave (&t, SIZE, t.tp), AVPF_LEAVE_BACKED_OFF);
}
END_TEST

/* As if it joined: one member, initial, no sender, the BYE's own size: Td = max (2.5 s, 200/(0.75 x 250) = 1.067 s), or
   with AVPF and its first minimum of 1 s 1.067 s. */
START_TEST (test_back_off_starts_anew)
{
  for (int avpf = 0; avpf < 2; avpf++) {
    AvpfTimingParams p = params (avpf, false);
    AvpfTiming t = sender_of (&p, 60);
    CcTime now = t.tp + CC_SECOND;

    avpf_timing_leave (&t, 200, now);
    ck_assert_uint_eq (t.tp, now);
    ck_assert_uint_eq (t.members, 1);
    ck_assert_uint_eq (t.pmembers, 1);
    ck_assert_uint_eq (t.senders, 0);
    ck_assert (t.initial && !t.we_sent);
    ck_assert (t.avg_rtcp_size == 200);
    ck_assert_double_eq_tol (cc_seconds (avpf_timing_interval (&t)), avpf ? 200 / (0.75 * BW) : 2.5, 1e-8);
    ck_assert (cc_seconds (t.tn - now) >= LOW * (avpf ? 1 : 2.5));
  }
}
END_TEST

/* Only BYEs count as members and into the average size, from whomever. */
START_TEST (test_back_off_counts_only_byes)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = sender_of (&p, 60);
  AvpfVerdict verdict = AVPF_NOTHING;
  CcTime now = t.tp, left = now;

  avpf_timing_leave (&t, 200, now);
  avpf_timing_on_received (&t, 1000);
  avpf_timing_set_members (&t, 60, 3, true, now);
  ck_assert (!avpf_timing_request_feedback (&t, 1000 * CC_SECOND, now));
  ck_assert_uint_eq (t.members, 1);
  ck_assert (t.avg_rtcp_size == 200);
  avpf_timing_on_received_bye (&t, 360);
  ck_assert_uint_eq (t.members, 2);
  ck_assert (t.avg_rtcp_size == 210);
  for (int i = 0; i < 98; i++)
    avpf_timing_on_received_bye (&t, 210);
  /* reconsidered: 100 x 210/(0.75 x 250) = 112 s */
  ck_assert_int_eq (step (&t, &now), AVPF_NOTHING);
  ck_assert (t.tn >= left + cc_duration (LOW * 112));
  while (verdict == AVPF_NOTHING)
    verdict = step (&t, &now);
  ck_assert_int_eq (verdict, AVPF_SEND_BYE);
  ck_assert_uint_eq (avpf_timing_next_timeout (&t), CC_TIME_NONE);
  ck_assert_uint_eq (t.regular_sent, 1);
  /* and back again */
  avpf_timing_init (&t, &p, now);
  ck_assert (avpf_timing_next_timeout (&t) < now + 2 * CC_SECOND);
}
END_TEST

/* A BYE received by a member changes its average only: the table tells of members. */
START_TEST (test_bye_of_another)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t = timing (&p, 20, 1, false);

  avpf_timing_on_received_bye (&t, 448);
  ck_assert (t.avg_rtcp_size == 148);
  ck_assert_uint_eq (t.members, 20);
}
END_TEST

/* Where RR:0 leaves a receiver nothing, who was a sender still says BYE with what there is. */
START_TEST (test_back_off_without_a_share_for_receivers)
{
  AvpfTimingParams p = params (true, true);
  AvpfTiming t;

  p.sender_share = 1;
  t = sender_of (&p, 60);
  ck_assert_int_eq (avpf_timing_leave (&t, SIZE, t.tp), AVPF_LEAVE_BACKED_OFF);
  ck_assert (avpf_timing_next_timeout (&t) < t.tp + 2 * CC_SECOND);
}
END_TEST

/* Whatever is asked for and whenever: between two early packets of one participant lies the slot of a regular one, used
   or left out, and no two are closer than the shortest interval. */
START_TEST (test_one_early_packet_a_slot)
{
  for (int run = 0; run < 8; run++) {
    AvpfTimingParams p = params (true, run & 1);
    AvpfTiming t;
    CcPcg32 other;
    CcRandom random = cc_pcg32_init (&other, 100 + run);
    CcTime now = START, request = START, last = 0;
    uint64_t slots = UINT64_MAX;
    double Td;

    p.T_rr_interval = run & 2 ? 20 * CC_SECOND : 0;
    p.literal_early_slot = run & 4;
    t = timing (&p, run & 1 ? 10 : 2, 1, false);
    t.initial = false;
    Td = cc_seconds (avpf_timing_interval (&t));
    for (int i = 0; i < scaled (50000); i++) {
      if (request <= avpf_timing_next_timeout (&t)) {
        avpf_timing_request_feedback (&t, cc_duration (cc_random_uniform (&random, 0, Td)), request);
        request += cc_duration (cc_random_uniform (&random, 0, 0.3 * Td));
        continue;
      }
      if (step (&t, &now) != AVPF_SEND_EARLY)
        continue;
      REQUIRE (slots != t.regular_sent + t.suppressed);
      REQUIRE (now - last >= cc_duration (LOW * Td) - 1);
      slots = t.regular_sent + t.suppressed;
      last = now;
    }
    ck_assert_uint_gt (t.early_sent, (uint64_t)scaled (50000) / 500);
  }
}
END_TEST

/* Bandwidth beyond all measure: T never falls below a microsecond. */
START_TEST (test_time_always_passes)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t;
  CcTime now = START, then;

  p.rtcp_bw_Bps = 1e18;
  t = two_party (&p);
  for (int i = 0; i < 1000; i++) {
    then = now;
    step (&t, &now);
    ck_assert (i == 0 || now >= then + CC_USECOND);
  }
}
END_TEST

static void
any_call (AvpfTiming *t, const CcRandom *random, CcTime now)
{
  static const double bandwidths[] = {0, 1e-9, 1, 250, 1e6, 1e18, INFINITY, NAN, -5};
  static const unsigned numbers[] = {0, 1, 2, 3, 49, 50, 1000, UINT32_MAX};
  double bw = bandwidths[(int)cc_random_uniform (random, 0, 9)],
         other = bandwidths[(int)cc_random_uniform (random, 0, 9)];
  unsigned n = numbers[(int)cc_random_uniform (random, 0, 8)], senders = numbers[(int)cc_random_uniform (random, 0, 8)];

  switch ((int)cc_random_uniform (random, 0, 12)) {
  case 0:
    avpf_timing_set_bandwidth (t, bw);
    break;
  case 1:
    avpf_timing_set_shares (t, bw, other);
    break;
  case 2:
  case 3:
    avpf_timing_set_members (t, n, senders, cc_random_uniform (random, 0, 1) < 0.5, now);
    break;
  case 4:
    avpf_timing_on_received (t, n);
    break;
  case 5:
    avpf_timing_on_received_bye (t, n);
    break;
  case 6:
    avpf_timing_cancel_feedback (t);
    break;
  case 7:
    avpf_timing_postpone_feedback (t);
    break;
  case 8:
    if (cc_random_uniform (random, 0, 1) < 0.01)
      avpf_timing_leave (t, n, now);
    break;
  case 9:
    t->params.reconsideration = n % 3;
    break;
  default:
    avpf_timing_request_feedback (t, n * CC_MSECOND, now);
  }
}

/* Whatever is called with whatever: after a timeout the next one lies ahead, and no value ceases to be a number. */
START_TEST (test_any_order_of_calls)
{
  CcPcg32 other;
  CcRandom random = cc_pcg32_init (&other, 61);

  for (int run = 0; run < scaled (2000); run++) {
    AvpfTimingParams p = params (run & 1, run & 2);
    AvpfTiming t;
    CcTime now = START;

    p.T_rr_interval = run & 4 ? CC_SECOND : 0;
    p.dither_factor = run % 5 * 0.4;
    avpf_timing_init (&t, &p, now);
    for (int i = 0; i < 200; i++) {
      AvpfVerdict verdict;
      now += cc_duration (pow (10, cc_random_uniform (&random, -9, 2)));
      any_call (&t, &random, now);
      verdict = avpf_timing_on_timeout (&t, now);
      avpf_timing_on_sent (&t, verdict, 100, now);
      REQUIRE (avpf_timing_next_timeout (&t) > now);
      REQUIRE (isfinite (t.avg_rtcp_size) && t.avg_rtcp_size > 0);
      REQUIRE (t.params.sender_share >= 0 && t.params.sender_share <= 1 && isfinite (t.params.rtcp_bw_Bps));
      REQUIRE (avpf_timing_member_timeout (&t) >= 25 * CC_SECOND);
    }
  }
}
END_TEST

/* A moment of boundless bandwidth leaves a usable interval behind. */
START_TEST (test_bandwidth_without_bounds)
{
  AvpfTimingParams p = params (true, false);
  AvpfTiming t = two_party (&p);

  avpf_timing_set_bandwidth (&t, INFINITY);
  avpf_timing_set_bandwidth (&t, BW);
  ck_assert (avpf_timing_next_timeout (&t) < START + 2 * CC_SECOND);
}
END_TEST

CC_TEST_MAIN ("avpftiming", test_deterministic_interval, test_minimum_interval, test_support_of_the_interval,
    test_mean_interval_is_Td, test_compensation_only_where_it_applies, test_conditional_reconsideration,
    test_no_reconsideration, test_the_mode_can_change_at_any_time, test_reduced_minimum,
    test_who_may_use_the_reduced_minimum, test_long_run_share, test_early_packet_costs_the_next_slot,
    test_the_slot_after_an_early_packet, test_requests_merge, test_due_regular_packet_takes_the_feedback,
    test_a_regular_packet_due_first_takes_the_early_feedback, test_a_late_host_sends_one_packet,
    test_avp_has_no_early_packets, test_dither_factor, test_feedback_is_counted, test_suppressed_feedback_costs_nothing,
    test_postponed_feedback_waits_for_the_regular_packet, test_what_is_kept_back_leaves_early_packets_alone,
    test_group_dithers, CC_TEST_LONG (test_trr_interval_thins_out_regular_packets),
    test_trr_interval_lets_stored_feedback_pass, test_a_suppressed_slot_allows_early_packets_again,
    test_reverse_reconsideration, test_reverse_reconsideration_goes_by_pmembers,
    test_reverse_reconsideration_of_a_tp_ahead, test_becoming_a_sender_brings_the_report_forward,
    test_reconsideration_puts_off, test_equality_sends, test_average_size, test_bandwidth_change,
    test_shares_given_separately, test_no_share_for_receivers, test_a_silent_receiver_becomes_a_sender,
    test_member_timeout, test_params_out_of_range, test_state_is_small, test_group_size_threshold, test_mode,
    test_no_bye_of_the_silent, test_bye_at_once_below_fifty, test_back_off_starts_anew, test_back_off_counts_only_byes,
    test_bye_of_another, test_back_off_without_a_share_for_receivers, test_one_early_packet_a_slot,
    test_time_always_passes, test_any_order_of_calls, test_bandwidth_without_bounds)
