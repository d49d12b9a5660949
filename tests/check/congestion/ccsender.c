/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ccsenderpackets.h"
#include "ccsenderrate.h"
#include "rtcpbytes.h"
#include "cctest.h"
#include <math.h>
#include <string.h>

#define RING 512
#define SEGMENT 1460.0
#define PAYLOAD 972 /* + 28 of UDP and IP: 1000 bytes on the wire */
#define WIRE 1000
#define kbps(x) ((x)*1e3 / 8)

static CcSender s;
static CcPacket ring[RING];
static CcSenderParams params;
static CcTime now;
static uint32_t frame;
static CcPcg32 pcg;

static void
setup (CcMode mode)
{
  cc_sender_params_init (&params);
  params.mode = mode;
  params.start_Bps = kbps (800);
  params.min_Bps = kbps (50);
  params.max_Bps = kbps (4000);
  params.buffer.max_delay = 10 * CC_SECOND;
  params.random = cc_pcg32_init (&pcg, 1);
  now = 1000 * CC_SECOND;
  frame = 0;
  cc_sender_init (&s, &params, ring, RING, now);
}

static void
push_frame_of (unsigned packets, uint32_t size_bytes)
{
  CcPacket packet = {.size_bytes = size_bytes, .frame = ++frame, .captured_at = CC_TIME_NONE};

  for (unsigned i = 0; i < packets; i++) {
    packet.frame_end = i + 1 == packets;
    ck_assert (cc_sender_push (&s, &packet, now));
  }
}

static void
push_frame (unsigned packets)
{
  push_frame_of (packets, PAYLOAD);
}

/* What a host does until `until`; returns how many packets left, the times of the first ones in at. */
static unsigned
run (CcTime until, CcTime *at, unsigned n_at)
{
  unsigned sent = 0;
  CcPacket packet;

  for (;;) {
    CcSenderVerdict verdict = cc_sender_pull (&s, now, &packet);
    CcTime next;

    if (verdict == CC_SENDER_SEND) {
      if (sent < n_at)
        at[sent] = now;
      sent++;
    }
    if (verdict != CC_SENDER_WAIT)
      continue;
    next = cc_sender_next_timeout (&s);
    ck_assert_uint_gt (next, now); /* or the host would spin */
    if (next > until) {
      now = until;
      return sent;
    }
    now = next;
    cc_sender_on_timeout (&s, now);
  }
}

static void
report (double rate_Bps, double capacity_Bps, double p, CcDuration rtt)
{
  RtpRttSendts stamp;
  TfrcReport tfrc = {.X_recv = s.sent.Bps, .p = p};
  PathReport path = {.rate_Bps = rate_Bps, .capacity_Bps = capacity_Bps};

  cc_sender_stamp (&s, s.admission.last_sent_at, &stamp);
  tfrc.t_i_us = stamp.sent_at_us;
  tfrc.t_delay = cc_time_since (now, s.admission.last_sent_at) > rtt ? now - s.admission.last_sent_at - rtt : 0;
  cc_sender_on_tfrc_report (&s, &tfrc, now);
  cc_sender_on_path_report (&s, &path, now);
}

/* A frame of 40 ms, and a report on it. */
static void
exchange (unsigned packets, double path_Bps)
{
  push_frame (packets);
  run (now + 40 * CC_MSECOND, NULL, 0);
  report (path_Bps, 0, 0, 30 * CC_MSECOND);
}

/* Frames at 25 per second that use what is allowed, with reports every 40 ms, for n frames. */
static void
converse (double path_Bps, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    exchange ((unsigned)ceil (fmin (s.rate_Bps, path_Bps) / 25 / WIRE), path_Bps);
}

/* One rate for all: what is sent again, a packet in eleven, is taken off what the encoder may have. */
START_TEST (test_packets_sent_again_are_paid_for)
{
  CcPacket again = {.size_bytes = PAYLOAD, .resent = true, .captured_at = CC_TIME_NONE};
  CcSenderStatus status, free;

  setup (CC_MODE_LOW_DELAY);
  for (unsigned i = 0; i < 200; i++) {
    push_frame (4);
    if (i % 5 < 2)
      ck_assert (cc_sender_push (&s, &again, now));
    run (now + 40 * CC_MSECOND, NULL, 0);
    report (kbps (1000), 0, 0, 30 * CC_MSECOND);
  }
  cc_sender_status (&s, now, &free);
  s.params.pays_resent = true;
  cc_sender_status (&s, now, &status);
  /* 10 packets of 1000 bytes a second */
  ck_assert_double_eq_tol (status.media_Bps, free.media_Bps * (1 - kbps (80) / s.rate_Bps), kbps (20));
  ck_assert_double_lt (status.media_Bps, 0.96 * free.media_Bps);
  ck_assert_double_lt (status.encoder_Bps, 0.96 * free.encoder_Bps);
}
END_TEST

/* Before any has left, and not once more when it leaves. */
START_TEST (test_redundancy_is_paid_for)
{
  CcPacket sum = {.size_bytes = PAYLOAD, .resent = true, .repair = true, .captured_at = CC_TIME_NONE};
  CcSenderStatus free, status;

  setup (CC_MODE_LOW_DELAY);
  s.params.pays_resent = true;
  converse (kbps (1000), 50);
  cc_sender_status (&s, now, &free);
  cc_sender_set_redundancy (&s, 0.25);
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.media_Bps, 0.8 * free.media_Bps, kbps (10));
  for (unsigned i = 0; i < 50; i++) {
    push_frame (4);
    ck_assert (cc_sender_push (&s, &sum, now));
    run (now + 40 * CC_MSECOND, NULL, 0);
    report (kbps (1000), 0, 0, 30 * CC_MSECOND);
  }
  ck_assert_double_eq (s.sent.resent_Bps, 0);
  cc_sender_set_redundancy (&s, NAN);
  ck_assert_double_eq (s.redundancy, 0);
}
END_TEST

/* What waits has 150 ms less half a round trip: what is left of that. */
START_TEST (test_room)
{
  uint32_t empty;

  setup (CC_MODE_LOW_DELAY);
  cc_sender_set_limits (&s, 1, kbps (500));
  cc_sender_set_max_delay (&s, 150 * CC_MSECOND);
  empty = cc_sender_room (&s);
  ck_assert_uint_gt (empty, 2 * PAYLOAD);
  push_frame (2);
  ck_assert_uint_eq (cc_sender_room (&s), empty - 2 * PAYLOAD);
  push_frame (100);
  ck_assert_uint_eq (cc_sender_room (&s), 0);
}
END_TEST

START_TEST (test_repeats_what_may_be_on_its_way_where_nothing_waits)
{
  CcDuration R;

  setup (CC_MODE_LOW_DELAY);
  cc_sender_set_limits (&s, 1, kbps (500));
  cc_sender_set_max_delay (&s, 150 * CC_MSECOND);
  ck_assert (cc_sender_may_repeat (&s, PAYLOAD, 0)); /* no round trip is known */
  R = s.tfrc.R = 100 * CC_MSECOND;
  ck_assert (cc_sender_may_repeat (&s, PAYLOAD, R / 4));
  push_frame (100);
  ck_assert (!cc_sender_may_repeat (&s, PAYLOAD, R / 4));
  ck_assert (cc_sender_may_repeat (&s, PAYLOAD, R));
}
END_TEST

START_TEST (test_starts_at_the_start_rate)
{
  CcSenderStatus status;
  CcTime at[4];

  setup (CC_MODE_LOW_DELAY);
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.rate_Bps, kbps (800), 1);
  ck_assert_int_eq (status.limit, CC_LIMIT_START);
  ck_assert_int_eq (status.owner, RATE_OWNER_START);
  ck_assert_uint_eq (status.rtt, 0);
  /* Once there is credit, a frame leaves at 1.5 x 100 kB/s: 1000 bytes every 6.67 ms. */
  run (now + 100 * CC_MSECOND, NULL, 0);
  push_frame (1);
  run (now + 100 * CC_MSECOND, NULL, 0);
  push_frame (4);
  ck_assert_uint_eq (run (now + CC_SECOND / 4, at, 4), 4);
  /* But for 5 ms of slots saved before. */
  for (unsigned i = 2; i < 4; i++)
    ck_assert_double_eq_tol (cc_seconds (at[i] - at[i - 1]), 1 / 150.0, 0.0003);
}
END_TEST

/* Speed of a frame by the rate allowed, 100 kB/s at first, where the path told that capacity so long ago. */
static double
frame_gain (double capacity_Bps, CcDuration ago)
{
  PathReport path = {.rate_Bps = kbps (800), .capacity_Bps = capacity_Bps};
  CcSenderStatus status;
  CcTime at[4];

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (800), 20);
  cc_sender_on_path_report (&s, &path, now);
  run (now + ago, NULL, 0);
  push_frame (1);
  run (now + 100 * CC_MSECOND, NULL, 0);
  push_frame (4);
  cc_sender_status (&s, now, &status);
  ck_assert_uint_eq (run (now + CC_SECOND / 2, at, 4), 4);
  return 2000 / cc_seconds (at[3] - at[1]) / status.rate_Bps;
}

START_TEST (test_a_frame_leaves_faster_beside_others)
{
  const CcDuration soon = 50 * CC_MSECOND;
  double gain, interval;

  ck_assert_double_eq_tol (frame_gain (0, soon), 1.5, 0.05);
  gain = frame_gain (kbps (900), soon);
  interval = cc_seconds (s.frames.interval);
  ck_assert_double_eq_tol (gain, 0.9 / 0.8 * interval / (interval - 0.008), 0.05); /* a queue of 8 ms, no more */
  ck_assert_double_eq_tol (frame_gain (kbps (1120), soon), 1.12 / 0.9 * gain, 0.05);
  ck_assert_double_eq_tol (frame_gain (kbps (4000), soon), 2.0, 0.05);
  ck_assert_double_eq (frame_gain (kbps (4000), 3 * CC_SECOND), frame_gain (0, 3 * CC_SECOND));
}
END_TEST

/* What is coded now may be so much, s of the rate. One and a half of 33 ms may be saved. */
static double
frame_budget_s (CcMode mode, CcDuration max_delay)
{
  CcSenderStatus status;

  setup (mode);
  cc_sender_set_max_delay (&s, max_delay);
  cc_sender_status (&s, now, &status);
  return status.frame_budget_bytes / status.rate_Bps * cc_sender_wire_factor (&s);
}

START_TEST (test_a_frame_may_be_what_leaves_in_time)
{
  ck_assert_double_eq_tol (frame_budget_s (CC_MODE_LOW_DELAY, 30 * CC_MSECOND), 1.5 * 0.030, 0.001);
  ck_assert_double_eq_tol (frame_budget_s (CC_MODE_LOW_DELAY, 150 * CC_MSECOND), 0.150 + 0.050, 0.001);
  ck_assert_double_eq_tol (frame_budget_s (CC_MODE_RFC5348, 150 * CC_MSECOND), 0.150, 0.001);
}
END_TEST

START_TEST (test_a_key_frame_leaves_at_the_rate)
{
  CcTime start;

  setup (CC_MODE_LOW_DELAY);
  run (now + CC_SECOND / 2, NULL, 0);
  start = now;
  push_frame (50);
  run (now + 300 * CC_MSECOND, NULL, 0);
  /* 50 ms of credit at most, and a train: 300 ms of 100 kB/s give 30 packets, 5 and 3 beyond that. */
  ck_assert_uint_ge (s.sent.packets, 28);
  ck_assert_uint_le (s.sent.packets, 38);
  while (s.sent.packets < 50)
    run (now + 10 * CC_MSECOND, NULL, 0);
  ck_assert_double_ge (cc_seconds (now - start), 0.42);
  ck_assert_double_le (cc_seconds (now - start), 0.51);
}
END_TEST

/* Packets that leave of 56 frames of 4 kB, one each 36 ms, 100 kB/s allowed, by the path or because no more is wanted
   of it, with that much queue on the path. */
static uint64_t
leave_of_224 (CcDuration queue_delay, double path_Bps)
{
  PathReport path = {.rate_Bps = path_Bps, .queue_delay = queue_delay};
  uint64_t before;

  setup (CC_MODE_LOW_DELAY);
  cc_sender_set_limits (&s, kbps (100), kbps (800));
  converse (path_Bps, 20);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (800), 1);
  before = s.sent.packets;
  for (unsigned i = 0; i < 56; i++) {
    cc_sender_on_path_report (&s, &path, now);
    s.admission.answered_at = now;
    push_frame (4);
    run (now + 36 * CC_MSECOND, NULL, 0);
  }
  return s.sent.packets - before;
}

/* Of 111 kB/s all but the last frame leave at 1.2 x the rate; at the rate 202 in 2.016 s, 60 ms of credit and a train.
 */
START_TEST (test_a_backlog_leaves_sooner_where_no_queue_stands)
{
  ck_assert_uint_ge (leave_of_224 (11 * CC_MSECOND, kbps (800)), 219);
  ck_assert_uint_le (leave_of_224 (13 * CC_MSECOND, kbps (800)), 211);
  ck_assert_uint_ge (leave_of_224 (11 * CC_MSECOND, kbps (900)), 219);
  ck_assert_uint_le (leave_of_224 (13 * CC_MSECOND, kbps (900)), 211);
}
END_TEST

/* An encoder makes four times what is wanted, of a path that carries five times that: a second of debt, which is due
   when the path's capacity is not known any more. Frames wait for it; packets of sound, one each 20 ms, only for those
   in front of them. */
START_TEST (test_what_goes_first_waits_for_no_debt)
{
  PathReport path = {.rate_Bps = kbps (4000), .capacity_Bps = kbps (4000)};
  CcPacket first = {.size_bytes = 172, .resent = true};

  setup (CC_MODE_LOW_DELAY);
  cc_sender_set_limits (&s, kbps (100), kbps (800));
  converse (path.rate_Bps, 20);
  for (unsigned i = 0; i < 50; i++) {
    cc_sender_on_path_report (&s, &path, now);
    s.admission.answered_at = now;
    push_frame (16);
    run (now + 40 * CC_MSECOND, NULL, 0);
  }
  path.capacity_Bps = 0;
  cc_sender_on_path_report (&s, &path, now);
  run (now + 20 * CC_MSECOND, NULL, 0);
  for (unsigned i = 0; i < 25; i++) {
    s.admission.answered_at = now;
    ck_assert (cc_sender_push (&s, &first, now));
    ck_assert_uint_eq (run (now + 20 * CC_MSECOND, NULL, 0), 1);
  }
}
END_TEST

START_TEST (test_follows_the_path_rate_within_limits)
{
  CcSenderStatus status;

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (600), 10);
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.rate_Bps, kbps (600), 1);
  ck_assert_int_eq (status.limit, CC_LIMIT_DELAY);
  ck_assert (status.rtt > 0 && status.rtt <= 30 * CC_MSECOND + CC_USECOND);
  /* Headers of UDP, IP and RTP with its extension taken off: (972 - 24)/1000. */
  ck_assert_double_eq_tol (status.media_Bps, kbps (600) * 0.948, kbps (1));
  ck_assert_double_eq_tol (status.encoder_Bps, 0.97 * status.media_Bps, kbps (5));
  cc_sender_set_limits (&s, kbps (100), kbps (300));
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.rate_Bps, kbps (300), 1);
  converse (kbps (10), 5);
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.rate_Bps, kbps (100), 1);
  ck_assert_int_eq (status.limit, CC_LIMIT_MIN);
  ck_assert_int_eq (status.owner, RATE_OWNER_MIN);
  cc_sender_set_limits (&s, kbps (100), kbps (250));
  converse (kbps (3000), 50);
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.rate_Bps, kbps (250), 1);
  ck_assert_int_eq (status.limit, CC_LIMIT_MAX);
  ck_assert_int_eq (status.owner, RATE_OWNER_MAX);
}
END_TEST

/* Of a TCP with segments of 1460 bytes, which counts fewer packets between two loss events, bytes/s. */
static double
tcp_throughput (double p)
{
  return tfrc_throughput (SEGMENT, cc_seconds (s.tfrc.R), p * SEGMENT / s.tfrc.s, TFRC_RTO_4R);
}

START_TEST (test_equation_is_the_upper_bound)
{
  double X;

  setup (CC_MODE_LOW_DELAY);
  for (unsigned i = 0; i < 50; i++) {
    push_frame (3);
    run (now + 40 * CC_MSECOND, NULL, 0);
    report (kbps (2000), 0, 0.05, 30 * CC_MSECOND);
  }
  /* Units: the equation gives RTP bytes/s, the rate is wire bytes/s. */
  X = tcp_throughput (0.05) * WIRE / PAYLOAD;
  ck_assert_int_eq (s.limit, CC_LIMIT_EQUATION);
  ck_assert_int_eq (s.owner, RATE_OWNER_LOSS);
  ck_assert_double_eq_tol (s.rate_Bps, X, 0.03 * X);
  ck_assert_double_lt (X, tfrc_throughput (SEGMENT, cc_seconds (s.tfrc.R), 0.05, TFRC_RTO_4R) * WIRE / PAYLOAD);
}
END_TEST

/* The equation rules at p = 0.003. */
static void
lose_little_over_400_ms (void)
{
  setup (CC_MODE_LOW_DELAY);
  for (unsigned i = 0; i < 20; i++) {
    push_frame (70);
    run (now + 900 * CC_MSECOND, NULL, 0);
    report (kbps (2000), 0, 0.003, 400 * CC_MSECOND);
  }
}

/* Over 400 ms a Cubic has 1.6 times a Reno's rate at p = 0.003. */
START_TEST (test_as_much_as_cubic)
{
  double X;

  lose_little_over_400_ms ();
  X = cubic_throughput (SEGMENT, cc_seconds (s.tfrc.R), 0.003 * SEGMENT / s.tfrc.s);
  ck_assert_double_gt (X, 1.5 * tcp_throughput (0.003));
  ck_assert_int_eq (s.limit, CC_LIMIT_EQUATION);
  ck_assert_double_eq_tol (s.rate_Bps, X * WIRE / PAYLOAD, 0.01 * X);
}
END_TEST

/* A TCP's queue overflows now and then: many packets, one event. The circuit breaker counts reports in a row: over 20 %
   of loss in each it would leave a third. */
START_TEST (test_loss_in_a_burst_is_one_event)
{
  double before;

  lose_little_over_400_ms ();
  before = s.rate_Bps;
  cc_sender_on_path_report (&s, &(PathReport){.rate_Bps = kbps (2000), .loss = 0.2}, now);
  ck_assert_double_eq (s.rate_Bps, before);
  cc_sender_on_path_report (&s, &(PathReport){.rate_Bps = kbps (2000), .loss = 0.2, .excused = 0.2}, now);
  ck_assert_double_lt (s.rate_Bps, before);
}
END_TEST

/* A call that then loses p, of which the receiver excuses some. */
static void
lose (double rate_Bps, double p, double excused, double tolerance, CcDuration R)
{
  PathReport path = {.rate_Bps = rate_Bps, .loss = p, .excused = excused};

  setup (CC_MODE_LOW_DELAY);
  converse (rate_Bps, 100);
  cc_sender_set_loss_tolerance (&s, tolerance);
  report (rate_Bps, 0, p, R);
  cc_sender_on_path_report (&s, &path, now);
}

/* p = 0.05 of which the receiver excuses all but 0.04 of 0.05: the equation over 0.2 p; over p where nothing is
   tolerated; over p - 0.01 p/0.05 where 0.01 is. */
START_TEST (test_loss_that_is_no_congestion)
{
  const double tolerance[] = {0.1, 0, 0.01}, share[] = {0.2, 1, 0.8};

  for (unsigned i = 0; i < 3; i++) {
    double X;

    lose (kbps (3000), 0.05, 0.04, tolerance[i], 30 * CC_MSECOND);
    X = tcp_throughput (share[i] * 0.05) * WIRE / PAYLOAD;
    ck_assert_double_eq_tol (s.rate_Bps, fmin (X, kbps (3000)), 1);
  }
}
END_TEST

/* At p = 0.3 a TCP waits for time-outs most of the time; counted in its segments p were so large that less is left than
   with the packets as they are. */
START_TEST (test_time_outs_count_packets_as_they_are)
{
  double X;

  lose (kbps (3000), 0.4, 0.1, 0.1, 30 * CC_MSECOND);
  X = tfrc_throughput (s.tfrc.s, cc_seconds (s.tfrc.R), 0.3, TFRC_RTO_4R);
  ck_assert_double_gt (X, 1.1 * tcp_throughput (0.3));
  ck_assert_double_eq_tol (s.rate_Bps, X * WIRE / PAYLOAD, 1);
}
END_TEST

/* An excuse raises the rate to no more than twice what arrives (X_recv), nor beyond 0.8 of 10 s/(R sqrt (2p/3)), what
   RFC 8083 4.3 lets a flow send at all of its loss. */
START_TEST (test_excuses_have_bounds)
{
  double R;

  lose (kbps (3900), 0.5, 0.5, 1, 300 * CC_MSECOND);
  R = cc_seconds (s.tfrc.R);
  ck_assert_double_le (s.rate_Bps, 0.8 * 10 * s.tfrc.s / (R * sqrt (1 / 3.0)) * WIRE / PAYLOAD + 1);
  ck_assert_double_le (s.rate_Bps, 2 * tfrc_sender_X_recv (&s.tfrc) * WIRE / PAYLOAD + 1);
  ck_assert_double_gt (s.rate_Bps, s.tfrc.X_Bps * WIRE / PAYLOAD);
}
END_TEST

/* The rate to begin with may change until a report has come; then what was reported counts. */
START_TEST (test_start)
{
  const double nonsense[] = {0, -1, NAN};

  setup (CC_MODE_LOW_DELAY);
  cc_sender_set_start (&s, kbps (1500), now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (1500), 1e-6);
  cc_sender_set_start (&s, kbps (9000), now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (4000), 1e-6); /* the maximum */
  cc_sender_set_start (&s, kbps (500), now);
  for (unsigned i = 0; i < 3; i++)
    cc_sender_set_start (&s, nonsense[i], now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (500), 1e-6);
  converse (kbps (600), 10);
  cc_sender_set_start (&s, kbps (3000), now);
  ck_assert_double_le (s.rate_Bps, kbps (600) + 1);
}
END_TEST

START_TEST (test_nonsense_does_not_raise_the_rate)
{
  const double nonsense[] = {NAN, INFINITY, -1, 0, -INFINITY};
  TfrcReport tfrc = {.X_recv = 1e9, .p = 0};
  RtpRttSendts stamp;
  double before;

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (600), 30);
  before = s.rate_Bps;
  for (unsigned i = 0; i < 5; i++) {
    cc_sender_on_path_report (&s, &(PathReport){.rate_Bps = nonsense[i]}, now);
    cc_sender_on_explicit_rate (&s, 1, nonsense[i], now);
  }
  ck_assert_uint_eq (s.bad_reports, 10);
  ck_assert_double_eq (s.rate_Bps, before);
  cc_sender_on_path_report (&s, &(PathReport){.rate_Bps = before, .loss = NAN}, now);
  cc_sender_on_path_report (&s, &(PathReport){.rate_Bps = before, .loss = 0.1, .excused = NAN}, now);
  ck_assert_uint_eq (s.bad_reports, 12);
  ck_assert_double_eq (s.rate_Bps, before);
  /* Stamps never sent: from the future, and from before the first packet. */
  cc_sender_stamp (&s, now, &stamp);
  for (int64_t off = -100000000; off <= 100000000; off += 200000000) {
    tfrc.t_i_us = stamp.sent_at_us + (uint32_t)off;
    cc_sender_on_tfrc_report (&s, &tfrc, now);
  }
  ck_assert_uint_eq (s.bad_reports, 14);
  ck_assert_double_eq (s.rate_Bps, before);
  /* A huge rate: no more than three times what was sent. */
  cc_sender_on_path_report (&s, &(PathReport){.rate_Bps = 1e12}, now);
  ck_assert_double_le (s.rate_Bps, fmax (before, 3 * s.sent.Bps));
  ck_assert_double_gt (s.rate_Bps, 2.9 * s.sent.Bps);
  cc_sender_on_explicit_rate (&s, 1, 1e12, now);
  ck_assert_double_le (s.rate_Bps, fmax (before, 3 * s.sent.Bps));
}
END_TEST

/* Of a rate of which less than a third is sent the application is the limit. */
START_TEST (test_who_sends_little_is_the_limit)
{
  CcSenderStatus status;

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (600), 50);
  exchange (3, kbps (1500));
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.rate_Bps, kbps (1500), 1);
  ck_assert_int_eq (status.limit, CC_LIMIT_DELAY);
  for (unsigned i = 0; i < 50; i++)
    exchange (1, kbps (1500));
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.rate_Bps, kbps (1500), 1);
  ck_assert_int_eq (status.limit, CC_LIMIT_APPLICATION);
  ck_assert_int_eq (status.owner, RATE_OWNER_APPLICATION);
}
END_TEST

START_TEST (test_explicit_rate_lowers_and_expires)
{
  setup (CC_MODE_LOW_DELAY);
  converse (kbps (600), 10);
  cc_sender_on_explicit_rate (&s, 1, kbps (200), now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (200), 1);
  ck_assert_int_eq (s.limit, CC_LIMIT_EXPLICIT_RATE);
  ck_assert_int_eq (s.owner, RATE_OWNER_ROUTER);
  converse (kbps (600), 20); /* 0.8 s */
  ck_assert_int_eq (s.limit, CC_LIMIT_EXPLICIT_RATE);
  converse (kbps (600), 50); /* 2 s more */
  ck_assert_int_eq (s.limit, CC_LIMIT_DELAY);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (600), 1);
}
END_TEST

START_TEST (test_explicit_rate_alone_steers)
{
  setup (CC_MODE_LOW_DELAY);
  /* A receiver that knows REMB and nothing else: no silence, no halving. */
  for (unsigned i = 0; i < 100; i++) {
    push_frame (3);
    run (now + 40 * CC_MSECOND, NULL, 0);
    if (i % 25 == 0)
      cc_sender_on_explicit_rate (&s, 1, kbps (500), now);
  }
  ck_assert_double_eq_tol (s.rate_Bps, kbps (500), 1);
}
END_TEST

/* The least of the latest of each that tells, whether receiver or router. */
START_TEST (test_least_explicit_rate)
{
  CcSenderStatus status;

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (600), 30);
  cc_sender_on_explicit_rate (&s, 1, kbps (500), now);
  cc_sender_on_router_rate (&s, 2, kbps (400), now);
  cc_sender_on_router_rate (&s, 3, kbps (450), now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (400), 1);
  cc_sender_on_router_rate (&s, 2, kbps (480), now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (450), 1);
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.explicit_Bps, kbps (450), 1);
  /* who falls silent for 2 s, five intervals of 40 ms being less, is forgotten */
  for (unsigned i = 0; i < 3; i++) {
    converse (kbps (600), 20);
    cc_sender_on_router_rate (&s, 2, kbps (480), now);
  }
  ck_assert_double_eq_tol (s.rate_Bps, kbps (480), 1);
  ck_assert_int_eq (s.limit, CC_LIMIT_EXPLICIT_RATE);
  converse (kbps (600), 51);
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq (status.explicit_Bps, 0);
  ck_assert_int_eq (s.limit, CC_LIMIT_DELAY);
}
END_TEST

/* The first word of a router instead of the 800 kb/s set: downwards at once; upwards as far as the receiver's path rate
   goes, which has seen the trains, and up to 8 x 800. */
START_TEST (test_router_rate_is_the_start_rate)
{
  setup (CC_MODE_LOW_DELAY);
  cc_sender_on_router_rate (&s, 1, kbps (200), now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (200), 1);
  ck_assert_int_eq (s.limit, CC_LIMIT_EXPLICIT_RATE);
  setup (CC_MODE_LOW_DELAY);
  push_frame (3);
  run (now + 40 * CC_MSECOND, NULL, 0);
  cc_sender_on_router_rate (&s, 1, kbps (3000), now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (800), 1); /* nobody has confirmed it */
  report (kbps (1700), 0, 0, 30 * CC_MSECOND);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (1700), 1);
  push_frame (1);
  run (now + 40 * CC_MSECOND, NULL, 0);
  report (kbps (3500), 0, 0, 30 * CC_MSECOND);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (3000), 1);
  /* once only: the next one is a bound, and what was not sent was not tried */
  setup (CC_MODE_LOW_DELAY);
  cc_sender_on_router_rate (&s, 1, kbps (100), now);
  cc_sender_on_router_rate (&s, 1, kbps (4000), now);
  report (kbps (4000), 0, 0, 30 * CC_MSECOND);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (100), 1);
  /* to the letter of RFC 5348: an upper bound and nothing else */
  setup (CC_MODE_RFC5348);
  cc_sender_on_router_rate (&s, 1, kbps (4000), now);
  ck_assert_int_ne (s.limit, CC_LIMIT_EXPLICIT_RATE);
  ck_assert_double_lt (s.rate_Bps, kbps (800));
}
END_TEST

/* 8 x 100 kB/s: 1000 bytes every 1.25 ms, where routers are asked; see the first test for where not. */
START_TEST (test_first_packets_probe)
{
  CcTime at[6];

  setup (CC_MODE_LOW_DELAY);
  s.params.probe = true;
  push_frame (6);
  ck_assert_uint_eq (run (now + 30 * CC_MSECOND, at, 6), 6);
  for (unsigned i = 1; i < 6; i++)
    ck_assert_double_eq_tol (cc_seconds (at[i] - at[i - 1]), 0.00125, 0.0003);
}
END_TEST

/* Nothing that routers or their forgers say brings the rate out of [min, max], lifts it above what the receiver
   reports, or stops time; nor does a flood of them push the least one out. */
START_TEST (test_absurd_router_rates)
{
  const double absurd[] = {0, -1, NAN, INFINITY, 1e-300, 1e12, 1e300};

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (600), 30);
  for (unsigned i = 0; i < 7; i++) {
    cc_sender_on_router_rate (&s, i, absurd[i], now);
    ck_assert_double_ge (s.rate_Bps, kbps (50));
    ck_assert_double_le (s.rate_Bps, kbps (600) + 1);
  }
  ck_assert_uint_eq (s.bad_reports, 4);
  ck_assert_double_eq (s.rate_Bps, kbps (50)); /* the floor */
  converse (kbps (600), 120);
  ck_assert_int_eq (s.limit, CC_LIMIT_DELAY); /* no longer than it is repeated */
  cc_sender_on_router_rate (&s, 5, kbps (300), now);
  for (uint32_t from = 100; from < 100000; from++)
    cc_sender_on_router_rate (&s, from, 1e12, now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (300), 1);
  ck_assert_uint_gt (s.bounds.explicit_rates.displaced, 0);
}
END_TEST

/* Those who are not the receiver lower the rate and nothing else: their word is no start rate, lifts nothing where no
   path rate comes, and takes no place of the receiver's, though they call themselves by its name. */
START_TEST (test_bounds_only_lower)
{
  setup (CC_MODE_LOW_DELAY);
  cc_sender_on_rate_bound (&s, 1, kbps (4000), now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (800), 1);
  ck_assert_double_eq (s.probed_Bps, 0);
  for (unsigned i = 0; i < 20; i++) {
    push_frame (3);
    run (now + 40 * CC_MSECOND, NULL, 0);
    cc_sender_on_receiver_report (&s, 0, 40 * CC_MSECOND, now);
    cc_sender_on_rate_bound (&s, 1, 1e12, now);
  }
  ck_assert_double_le (s.rate_Bps, kbps (800) * 1.06); /* 0.8 s of what receiver reports allow */
  cc_sender_on_explicit_rate (&s, 1, kbps (300), now);
  cc_sender_on_rate_bound (&s, 1, kbps (700), now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (300), 1);
  cc_sender_on_rate_bound (&s, 1, kbps (200), now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (200), 1);
  ck_assert_int_eq (s.limit, CC_LIMIT_EXPLICIT_RATE);
  cc_sender_on_rate_bound (&s, 1, 0, now);
  cc_sender_on_rate_bound (&s, 1, NAN, now);
  ck_assert_uint_eq (s.bad_reports, 2);
  cc_sender_on_rate_bound (&s, 1, 1e-300, now);
  ck_assert_double_eq (s.rate_Bps, kbps (50)); /* the floor */
  for (uint32_t from = 100; from < 200; from++)
    cc_sender_on_rate_bound (&s, from, kbps (600), now);
  ck_assert_double_eq (s.rate_Bps, kbps (50));
  ck_assert_uint_eq (cc_sender_next_timeout (&s) == CC_TIME_NONE, 0);
  converse (kbps (600), 60); /* 2.4 s */
  ck_assert_int_eq (s.limit, CC_LIMIT_DELAY);
}
END_TEST

/* A router is no receiver: its word does not keep a flow alive that nobody takes. */
START_TEST (test_router_rate_is_no_sign_of_life)
{
  setup (CC_MODE_LOW_DELAY);
  converse (kbps (600), 30);
  for (unsigned i = 0; i < 500; i++) {
    if (s.buffer.count < 10)
      push_frame (1);
    run (now + 40 * CC_MSECOND, NULL, 0);
    cc_sender_on_router_rate (&s, 1, kbps (500), now);
  }
  ck_assert_double_le (s.rate_Bps, kbps (60));
}
END_TEST

/* Frames at 25 per second that use what is allowed, with a receiver report every 5 s, for n of those. */
static void
converse_plain (double fraction_lost, CcDuration R, unsigned n)
{
  for (unsigned i = 0; i < 125 * n; i++) {
    if (s.buffer.count < 10)
      push_frame ((unsigned)ceil (s.rate_Bps / 25 / WIRE));
    run (now + 40 * CC_MSECOND, NULL, 0);
    if (i % 125 == 124)
      cc_sender_on_receiver_report (&s, fraction_lost, R, now);
  }
}

/* plainrate.h: 30 % each 5 s, none with the first report, while no loss and no queue speaks against it; what is in
   use, 800 x 1.3^3, in the end backs off once to 0.85 of itself. Pushed in whole packets, up to a frame's 8 % more or
   less is sent. */
START_TEST (test_plain_receiver_reports_let_the_rate_grow)
{
  double before;

  setup (CC_MODE_LOW_DELAY);
  cc_sender_on_receiver_report (&s, 0, 50 * CC_MSECOND, now);
  ck_assert_int_eq (s.limit, CC_LIMIT_START);
  for (unsigned i = 1; i <= 3; i++) {
    converse_plain (0, 50 * CC_MSECOND, 1);
    ck_assert_double_eq_tol (s.rate_Bps, kbps (800) * pow (1.3, i), 1);
    ck_assert_int_eq (s.limit, CC_LIMIT_DELAY);
  }
  before = s.rate_Bps;
  converse_plain (0, 90 * CC_MSECOND, 2); /* jitter, or the beginning of a queue */
  ck_assert_double_eq_tol (s.rate_Bps, before, 1);
  converse_plain (0, 250 * CC_MSECOND, 1);
  ck_assert_double_ge (s.rate_Bps, 0.78 * before);
  ck_assert_double_le (s.rate_Bps, 0.85 * before + 1);
  converse_plain (0, 50 * CC_MSECOND, 20);
  ck_assert_double_eq (s.rate_Bps, kbps (4000));
}
END_TEST

START_TEST (test_plain_receiver_reports_cease)
{
  setup (CC_MODE_LOW_DELAY);
  cc_sender_set_circuit_action (&s, CIRCUIT_OFF);
  cc_sender_on_receiver_report (&s, 0, 0, now);
  /* 3 x 5 s are no silence yet; beyond, the timer halves every 2 s. */
  for (unsigned i = 0; i < 14 * 25 + 1500; i++) {
    if (s.buffer.count < 10)
      push_frame (1);
    run (now + 40 * CC_MSECOND, NULL, 0);
    if (i < 14 * 25)
      ck_assert_double_eq_tol (s.rate_Bps, kbps (800), 1);
  }
  ck_assert_int_eq (s.limit, CC_LIMIT_MIN);
  converse_plain (0, 50 * CC_MSECOND, 1);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (800), 1); /* 50 kb/s of media: nothing to grow for */
}
END_TEST

/* RFC 5348 3.1 with s = 972, R = 0.2, p = 0.1: 972 / (0.2 sqrt (0.0666667) + 0.8 x 3 sqrt (0.0375) x 0.1 x 1.32)
   = 972 / (0.0516398 + 0.0613473) = 8602.7 bytes/s, x 1000/972 on the wire: 70.8 kb/s. */
START_TEST (test_plain_receiver_reports_bound_by_the_equation)
{
  setup (CC_MODE_LOW_DELAY);
  converse_plain (0.1, 200 * CC_MSECOND, 1);
  ck_assert_double_gt (s.rate_Bps, kbps (100)); /* one report is not believed at once */
  converse_plain (0.1, 200 * CC_MSECOND, 30);
  ck_assert_double_eq_tol (s.rate_Bps, 8850.5, 60);
  ck_assert_int_eq (s.limit, CC_LIMIT_EQUATION);
  /* R unknown: the last known one stays */
  converse_plain (0.1, 0, 2);
  ck_assert_double_eq_tol (s.rate_Bps, 8850.5, 60);
  cc_sender_on_explicit_rate (&s, 1, kbps (600), now);
  ck_assert_double_eq_tol (s.rate_Bps, 8850.5, 60);
  converse_plain (0, 200 * CC_MSECOND, 40);
  ck_assert_double_ge (s.rate_Bps, kbps (800));
}
END_TEST

START_TEST (test_plain_receiver_reports_give_way_to_tfrc)
{
  uint64_t bad;

  setup (CC_MODE_LOW_DELAY);
  bad = s.bad_reports;
  cc_sender_on_receiver_report (&s, NAN, 0, now);
  cc_sender_on_receiver_report (&s, 1.1, 0, now);
  cc_sender_on_receiver_report (&s, 0.5, 11 * CC_SECOND, now);
  ck_assert_uint_eq (s.bad_reports, bad + 3);
  ck_assert_double_eq (s.plain.p, 0);
  cc_sender_on_receiver_report (&s, 1, 0, now);
  ck_assert_double_lt (s.rate_Bps, kbps (100));
  converse (kbps (1600), 100);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (1600), 1);
  cc_sender_on_receiver_report (&s, 1, 200 * CC_MSECOND, now);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (1600), 1);
}
END_TEST

/* R 30 ms, reports each 40 ms: what has been under way for 310 ms is not on a path that serves. Then a packet each
   100 ms, until a report tells of one of them. */
static bool
pauses (void)
{
  CcSenderStatus status;

  cc_sender_status (&s, now, &status);
  return status.pause;
}

START_TEST (test_sends_little_behind_what_is_not_answered)
{
  unsigned before, late;

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (1600), 100);
  before = 0;
  for (unsigned i = 0; i < 7; i++) {
    push_frame (8);
    before += run (now + 40 * CC_MSECOND, NULL, 0);
  }
  ck_assert_uint_ge (before, 54);
  push_frame (8);
  run (now + 80 * CC_MSECOND, NULL, 0);
  ck_assert (pauses ());
  push_frame (80);
  late = run (now + 300 * CC_MSECOND, NULL, 0);
  ck_assert_uint_ge (late, 2);
  ck_assert_uint_le (late, 4);
  report (kbps (1600), 0, 0, 30 * CC_MSECOND);
  ck_assert_uint_gt (run (now + 100 * CC_MSECOND, NULL, 0), 15);
  ck_assert (!pauses ());
}
END_TEST

/* An encoder that makes twice what is allowed, on a path that would carry five times as much: a second of the rate is
   lent, after that it is kept to. */
START_TEST (test_no_more_than_the_maximum_leaves)
{
  unsigned packets = 0;

  setup (CC_MODE_LOW_DELAY);
  cc_sender_set_max_delay (&s, 150 * CC_MSECOND);
  cc_sender_set_limits (&s, kbps (50), kbps (800));
  for (unsigned i = 0; i < 500; i++) {
    unsigned sent;

    push_frame (8);
    sent = run (now + 40 * CC_MSECOND, NULL, 0);
    packets += i >= 100 ? sent : 0;
    report (kbps (4000), kbps (4000), 0, 30 * CC_MSECOND);
  }
  ck_assert_int_eq (s.limit, CC_LIMIT_MAX);
  ck_assert_double_eq_tol (packets / 16.0, 100, 3);
}
END_TEST

/* A receiver that speaks when a frame has ended owes nothing before: a frame of 1.5 s leaves at the rate. Its end is
   answered or not as any other. */
START_TEST (test_a_long_frame_is_not_answered_before_its_end)
{
  setup (CC_MODE_LOW_DELAY);
  converse (kbps (1600), 100);
  s.admission.whole_frames = true;
  push_frame (300);
  ck_assert_uint_gt (run (now + 1400 * CC_MSECOND, NULL, 0), 275);
  ck_assert (!pauses ());
  run (now + 300 * CC_MSECOND, NULL, 0);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (1600), 1);
  for (unsigned i = 0; i < 20; i++) {
    push_frame (8);
    run (now + 40 * CC_MSECOND, NULL, 0);
  }
  ck_assert (pauses ());
  ck_assert_double_lt (s.rate_Bps, kbps (1600));
}
END_TEST

static void
push_sound (void)
{
  CcPacket packet = {.size_bytes = 120, .frame = ++frame, .resent = true, .captured_at = CC_TIME_NONE};

  ck_assert (cc_sender_push (&s, &packet, now));
}

/* A minute without pictures: of the sound alone, which ends no frames, report blocks are all that comes. When these
   cease as well nobody is there. */
START_TEST (test_sound_beside_a_muted_picture)
{
  unsigned sent = 0;

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (1600), 100);
  s.admission.whole_frames = true;
  for (unsigned i = 0; i < 3000; i++) {
    push_sound ();
    sent += run (now + 20 * CC_MSECOND, NULL, 0);
    if (i % 250 == 0)
      cc_sender_on_receiver_report (&s, 0, 30 * CC_MSECOND, now);
    ck_assert_double_gt (s.rate_Bps, kbps (800));
  }
  ck_assert_uint_ge (sent, 2999);
  for (unsigned i = 0; i < 1000; i++) {
    push_sound ();
    run (now + 20 * CC_MSECOND, NULL, 0);
  }
  ck_assert_int_eq (s.limit, CC_LIMIT_CIRCUIT_BREAKER);
}
END_TEST

START_TEST (test_silence_halves_down_to_a_trickle_and_recovers)
{
  unsigned trickle;
  CcTime silent_at;

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (1600), 100);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (1600), 1);
  silent_at = now;
  while (s.limit != CC_LIMIT_MIN && now < silent_at + 60 * CC_SECOND) {
    push_frame (2);
    run (now + 40 * CC_MSECOND, NULL, 0);
  }
  ck_assert_int_eq (s.limit, CC_LIMIT_MIN);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (50), 1);
  ck_assert_uint_gt (now - silent_at, CC_SECOND / 2);
  /* 50 kb/s: six packets of 1000 bytes a second, for ever. */
  trickle = 0;
  for (unsigned i = 0; i < 250; i++) {
    push_frame (1);
    trickle += run (now + 40 * CC_MSECOND, NULL, 0);
  }
  ck_assert_uint_ge (trickle, 50);
  converse (kbps (1600), 150);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (1600), 1);
}
END_TEST

/* A receiver whose regular RTCP repeats what it last said, once a second, or somebody who replays it. */
START_TEST (test_the_same_report_again_is_no_sign_of_life)
{
  PathReport path = {.rate_Bps = kbps (1600)};
  RtpRttSendts stamp;
  TfrcReport tfrc = {.p = 0};

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (1600), 100);
  cc_sender_stamp (&s, s.admission.last_sent_at, &stamp);
  tfrc.t_i_us = stamp.sent_at_us;
  tfrc.X_recv = s.sent.Bps;
  cc_sender_on_tfrc_report (&s, &tfrc, now);
  for (unsigned i = 0; i < 100; i++) {
    push_frame (2);
    run (now + 40 * CC_MSECOND, NULL, 0);
    if (i % 25 == 0) {
      cc_sender_on_tfrc_report (&s, &tfrc, now);
      cc_sender_on_path_report (&s, &path, now);
    }
  }
  ck_assert_double_lt (s.rate_Bps, kbps (200));
  path.rate_Bps = kbps (20);
  cc_sender_on_path_report (&s, &path, now);
  ck_assert_double_eq_tol (s.path.report.rate_Bps, kbps (20), 1);
  converse (kbps (1600), 150);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (1600), 1);
}
END_TEST

START_TEST (test_no_report_ever)
{
  setup (CC_MODE_LOW_DELAY);
  cc_sender_set_circuit_action (&s, CIRCUIT_OFF);
  for (unsigned i = 0; i < 1500; i++) {
    push_frame (1);
    run (now + 40 * CC_MSECOND, NULL, 0);
    ck_assert_double_ge (s.rate_Bps, kbps (50));
    ck_assert_double_le (s.rate_Bps, kbps (800));
  }
  ck_assert_int_eq (s.limit, CC_LIMIT_MIN);
}
END_TEST

/* RFC 8083 4.1: after 15 s of silence nothing leaves, and frames are given up; 4.5: RTCP, and 15 s later it is tried,
   with a key unit. */
START_TEST (test_ceases_on_a_dead_path)
{
  CcPacket packet;
  CcTime at;

  setup (CC_MODE_LOW_DELAY);
  converse (kbps (800), 50);
  at = now;
  for (unsigned i = 0; i < 1000 && !circuit_breaker_ceases (&s.circuit); i++) {
    push_frame (1);
    run (now + 40 * CC_MSECOND, NULL, 0);
  }
  ck_assert_double_eq_tol (cc_seconds (now - at), 15, 0.2);
  ck_assert_int_eq (s.limit, CC_LIMIT_CIRCUIT_BREAKER);
  ck_assert_int_eq (s.owner, RATE_OWNER_CIRCUIT_BREAKER);
  push_frame (1);
  ck_assert_int_eq (cc_sender_pull (&s, now, &packet), CC_SENDER_DISCARD);
  ck_assert (!cc_sender_take_key_unit_wanted (&s));
  ck_assert_uint_eq (run (now + 14 * CC_SECOND, NULL, 0), 0);
  ck_assert (circuit_breaker_ceases (&s.circuit));
  ck_assert (!cc_sender_take_key_unit_wanted (&s)); /* whoever asks meanwhile uses up nothing */
  cc_sender_on_rtcp (&s, now);
  ck_assert (cc_sender_take_key_unit_wanted (&s));
  push_frame (1);
  ck_assert_uint_eq (run (now + 40 * CC_MSECOND, NULL, 0), 1);
  report (kbps (800), 0, 0, 30 * CC_MSECOND);
  ck_assert_int_eq (s.circuit.state, CIRCUIT_CLOSED);
}
END_TEST

/* 4.3: a long path that loses a quarter has less rate, and goes on. */
START_TEST (test_stays_below_what_would_open_the_circuit)
{
  CircuitReport bad = {.fraction_lost = 0.24, .packets = 10, .Tr = 1200 * CC_MSECOND};

  setup (CC_MODE_LOW_DELAY);
  s.params.min_Bps = kbps (1);
  for (unsigned i = 0; i < 60; i++) {
    converse (kbps (800), 25);
    cc_sender_on_report_block (&s, &bad, now);
  }
  ck_assert_int_eq (s.circuit.state, CIRCUIT_CLOSED);
  ck_assert_int_eq (s.limit, CC_LIMIT_CIRCUIT_BREAKER);
  ck_assert_double_eq_tol (s.rate_Bps, 0.8 * circuit_breaker_limit_Bps (&s.circuit), 1);
}
END_TEST

/* 4.4: tried at a tenth of what was sent. */
START_TEST (test_tries_at_a_tenth_after_loss)
{
  CircuitReport bad = {.fraction_lost = 0.6, .packets = 10, .Tr = 30 * CC_MSECOND};
  double sent = 0;

  setup (CC_MODE_LOW_DELAY);
  s.params.min_Bps = kbps (1);
  for (unsigned i = 0; i < 15 && s.circuit.state == CIRCUIT_CLOSED; i++) {
    converse (kbps (800), 25);
    sent = s.sent.Bps;
    cc_sender_on_report_block (&s, &bad, now);
  }
  ck_assert_int_eq (s.circuit.reason, CIRCUIT_USABILITY);
  run (now + 10 * CC_SECOND, NULL, 0);
  ck_assert_int_eq (s.circuit.state, CIRCUIT_TRYING);
  converse (kbps (800), 1);
  ck_assert_double_eq_tol (s.rate_Bps, sent / 10, 1);
  ck_assert_int_eq (s.limit, CC_LIMIT_CIRCUIT_BREAKER);
}
END_TEST

/* After a silence half of the rate before is tried at once, and all of it, less 0.5 s of 10, when 0.5 s have passed. */
START_TEST (test_resumes_after_a_silence)
{
  setup (CC_MODE_LOW_DELAY);
  s.params.start_Bps = kbps (100);
  for (unsigned i = 0; i < 20 && s.rate_Bps < kbps (1990); i++)
    converse (kbps (2000), 25);
  ck_assert_double_gt (s.rate_Bps, kbps (1990));
  for (unsigned i = 0; i < 100; i++) {
    push_frame (1);
    run (now + 40 * CC_MSECOND, NULL, 0);
  }
  ck_assert_double_lt (s.rate_Bps, kbps (60));
  for (unsigned i = 0; i < 14; i++) { /* an encoder that follows late makes 200 kb/s */
    exchange (1, kbps (2000));
    if (i < 12) {
      ck_assert_double_gt (s.rate_Bps, kbps (890));
      ck_assert_double_lt (s.rate_Bps, kbps (1300)); /* what is sent anew may be tried beyond that half */
    }
  }
  ck_assert_double_gt (s.rate_Bps, kbps (1850));
}
END_TEST

START_TEST (test_rfc5348_paces_at_the_instantaneous_rate)
{
  CcTime at[6];
  double X;

  setup (CC_MODE_RFC5348);
  for (unsigned i = 0; i < 100; i++) {
    push_frame (4);
    run (now + 40 * CC_MSECOND, NULL, 0);
    report (kbps (100), 0, 0.01, 30 * CC_MSECOND); /* the path rate is not of this mode */
  }
  X = tfrc_sender_pace_rate (&s.tfrc) * WIRE / PAYLOAD;
  ck_assert_double_eq_tol (s.rate_Bps, fmin (X, kbps (4000)), 1);
  run (now + CC_SECOND, NULL, 0);
  X = s.rate_Bps;
  push_frame (6);
  ck_assert_uint_eq (run (now + CC_SECOND, at, 6), 6);
  /* But for 5 ms of slots saved before. */
  for (unsigned i = 3; i < 6; i++)
    ck_assert_double_eq_tol (cc_seconds (at[i] - at[i - 1]), WIRE / X, 0.0005);
}
END_TEST

/* RFC 5348 8.2.1: the data is not the limit as long as a packet waits when another leaves. */
START_TEST (test_a_packet_that_waits_is_not_limited_by_data)
{
  CcTime at[2];

  setup (CC_MODE_RFC5348);
  push_frame (1);
  ck_assert_uint_eq (run (now + CC_SECOND, NULL, 0), 1);
  ck_assert_uint_eq (s.tfrc.NotLimited1, 0);
  push_frame (2);
  ck_assert_uint_eq (run (now + 2 * CC_SECOND, at, 2), 2);
  ck_assert_uint_eq (s.tfrc.NotLimited1, at[0]);
  ck_assert_uint_eq (s.tfrc.NotLimited2, 0);
}
END_TEST

/* Nothing was sent before the first packet, so nothing can echo it. */
START_TEST (test_stamps_from_before_the_first_packet_are_refused)
{
  RtpRttSendts stamp;
  TfrcReport tfrc = {.X_recv = 1e5};

  setup (CC_MODE_LOW_DELAY);
  run (now + CC_SECOND, NULL, 0);
  cc_sender_stamp (&s, now - 10 * CC_MSECOND, &stamp);
  push_frame (1);
  run (now + 50 * CC_MSECOND, NULL, 0);
  tfrc.t_i_us = stamp.sent_at_us;
  cc_sender_on_tfrc_report (&s, &tfrc, now);
  ck_assert_uint_eq (s.bad_reports, 1);
  ck_assert_uint_eq (s.tfrc.feedbacks, 0);
}
END_TEST

/* Who sends nothing gets no reports: that is no silence of the receiver's. The path rate expires after 2 s, and what
   TFRC allows takes its place; no halving goes into it. */
START_TEST (test_a_pause_is_no_silence)
{
  setup (CC_MODE_LOW_DELAY);
  converse (kbps (600), 50);
  run (now + 10 * CC_SECOND, NULL, 0);
  ck_assert_uint_gt (s.tfrc.nofeedback_expiries, 0);
  ck_assert_double_eq (s.silence.scale, 1);
}
END_TEST

/* RTCP once a second at R = 30 ms: the no-feedback timer runs out between reports and must not count; three intervals
   without one are silence. */
START_TEST (test_slow_reports_are_no_silence)
{
  setup (CC_MODE_LOW_DELAY);
  for (unsigned i = 0; i < 500; i++) {
    push_frame (3);
    run (now + 40 * CC_MSECOND, NULL, 0);
    if (i % 25 == 24)
      report (kbps (600), 0, 0, 30 * CC_MSECOND);
    ck_assert_double_eq (s.silence.scale, 1);
  }
  for (unsigned i = 0; i < 200; i++) {
    push_frame (3);
    run (now + 40 * CC_MSECOND, NULL, 0);
  }
  ck_assert_double_lt (s.silence.scale, 1);
}
END_TEST

/* A path report holds for five intervals of reports, within 2 and 20 s. */
START_TEST (test_path_reports_expire)
{
  static const CcDuration interval[] = {100 * CC_MSECOND, CC_SECOND, 10 * CC_SECOND},
                          holds[] = {2 * CC_SECOND, 5 * CC_SECOND, 20 * CC_SECOND};
  const PathReport path = {.rate_Bps = kbps (600), .queue_delay = 7 * CC_MSECOND};
  CcSenderStatus status;

  for (unsigned i = 0; i < 3; i++) {
    setup (CC_MODE_LOW_DELAY);
    cc_sender_on_path_report (&s, &path, now);
    now += interval[i];
    cc_sender_on_path_report (&s, &path, now);
    cc_sender_status (&s, now + holds[i] - CC_MSECOND, &status);
    ck_assert_uint_eq (status.queue_delay, 7 * CC_MSECOND);
    cc_sender_status (&s, now + holds[i], &status);
    ck_assert_uint_eq (status.queue_delay, 0);
  }
}
END_TEST

START_TEST (test_burst_control_spreads_a_frame_over_its_period)
{
  CcTime at[10], start;

  setup (CC_MODE_BURST_CONTROL);
  for (unsigned i = 0; i < 50; i++) {
    push_frame (10);
    start = now;
    ck_assert_uint_eq (run (now + 40 * CC_MSECOND, at, 10), 10);
  }
  /* 0.95 x 40 ms over ten packets: 3.8 ms apart, +-1 %; the last leaves 34.2 ms after the first. */
  ck_assert_double_eq_tol (cc_seconds (at[9] - at[0]), 0.0342, 0.004);
  ck_assert_uint_lt (at[0] - start, 5 * CC_MSECOND);
  ck_assert_int_eq (s.limit, CC_LIMIT_MAX);
}
END_TEST

/* 25 frames a second in three slices of 40 bytes, 68 on the wire: 75 x 52 bytes of headers are 31.2 of 100 kb/s, and
   the rest is the encoder's, which fills these packets first. 16/68 of the rate would keep them as small for ever.
   Large packets: by their share of headers, (972 - 24)/1000, as more of them are needed for more. */
START_TEST (test_small_packets_may_grow)
{
  CcSenderStatus status;

  setup (CC_MODE_LOW_DELAY);
  push_frame_of (3, 40);
  run (now + 40 * CC_MSECOND, NULL, 0);
  cc_sender_status (&s, now, &status); /* not known yet how many leave */
  ck_assert_double_eq_tol (status.media_Bps, status.rate_Bps * 16 / 68, 1);
  for (unsigned i = 0; i < 250; i++) {
    push_frame_of (3, 40);
    run (now + 40 * CC_MSECOND, NULL, 0);
    report (kbps (100), 0, 0, 30 * CC_MSECOND);
  }
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.rate_Bps, kbps (100), kbps (0.1));
  ck_assert_double_eq_tol (status.media_Bps, kbps (100 - 31.2), kbps (2));
  for (unsigned i = 0; i < 250; i++) {
    if (i % 5 == 0)
      push_frame (1);
    run (now + 40 * CC_MSECOND, NULL, 0);
    report (kbps (100), 0, 0, 30 * CC_MSECOND);
  }
  cc_sender_status (&s, now, &status);
  ck_assert_double_eq_tol (status.media_Bps, kbps (100) * 0.948, kbps (0.5));
}
END_TEST

START_TEST (test_stamps_and_status)
{
  RtpRttSendts a, b;
  CcSenderStatus status;

  setup (CC_MODE_LOW_DELAY);
  cc_sender_stamp (&s, now, &a);
  cc_sender_stamp (&s, now + 5000 * CC_SECOND, &b);
  ck_assert_uint_eq (b.sent_at_us - a.sent_at_us, (uint32_t)5000000000u);
  ck_assert_uint_eq (a.rtt, 0);
  push_frame (20);
  cc_sender_status (&s, now, &status);
  ck_assert_uint_eq (status.backlog_bytes, 20 * PAYLOAD);
  ck_assert_double_eq_tol (cc_seconds (status.backlog_delay), 0.2, 0.01);
  ck_assert_uint_gt (status.frame_budget_bytes, 0);
  ck_assert_double_lt (status.encoder_Bps, 0.8 * status.media_Bps); /* the backlog has to leave as well */
  for (int limit = 0; limit <= CC_LIMIT_APPLICATION; limit++)
    for (int other = 0; other < limit; other++)
      ck_assert_str_ne (cc_limit_name (limit), cc_limit_name (other));
  ck_assert_str_eq (cc_limit_name ((CcLimit)99), "unknown");
}
END_TEST

START_TEST (test_late_frames_are_discarded_whole)
{
  CcPacket packet;
  unsigned discarded = 0, sent = 0;

  setup (CC_MODE_LOW_DELAY);
  cc_sender_set_max_delay (&s, 100 * CC_MSECOND);
  for (unsigned i = 0; i < 10; i++)
    push_frame (5);
  now += CC_SECOND;
  for (CcTime end = now + CC_SECOND; now < end; now += CC_MSECOND)
    for (;;) {
      CcSenderVerdict verdict = cc_sender_pull (&s, now, &packet);
      discarded += verdict == CC_SENDER_DISCARD;
      sent += verdict == CC_SENDER_SEND;
      if (verdict == CC_SENDER_WAIT)
        break;
    }
  ck_assert_uint_eq (sent + discarded, 50);
  ck_assert_uint_ge (discarded, 40);
  ck_assert_uint_eq (discarded % 5, 0);
  ck_assert_uint_eq (s.packets_dropped, discarded);
  ck_assert (cc_sender_take_key_unit_wanted (&s));
  ck_assert (!cc_sender_take_key_unit_wanted (&s));
}
END_TEST

/* A receiver that knows RFC 8888 or TWCC and nothing of TFRC, behind a link: 25 ms each way, 300 ms of queue. Its clock
   is another; it reports every 50 ms. */
#define STEP (250 * CC_USECOND)
#define ONE_WAY (25 * CC_MSECOND)
#define CLOCK_AHEAD (12345 * CC_SECOND)
#define FRAME_INTERVAL (33333 * CC_USECOND)
#define IN_FLIGHT 4096
#define SSRC 0x5eed

typedef enum { BY_CCFB, BY_TWCC } Kind;

static struct {
  Kind kind;
  double link_Bps;
  CcTime clock;        /* ahead of ours by */
  unsigned lose_every; /* packets; 0: none */
  CcTime free_at;
  struct {
    CcTime at;
    uint16_t seq;
    bool lost;
  } flying[IN_FLIGHT];
  unsigned head, tail;
  ArrivalHistory history;
  uint8_t report[2000];
  size_t report_size;
  CcTime report_at;
  uint8_t fb_pkt_count;
  uint16_t seq;
  CcTime next_frame, next_report;
  double queue_s; /* sum, of packets */
  double worst_s;
  uint64_t delivered_bytes, delivered, dropped;
} net;
static CcPacketFeedback feedback;

static void
net_init (Kind kind, double link_Bps)
{
  CcPacketFeedbackParams feedback_params;

  setup (CC_MODE_LOW_DELAY);
  s.params.start_Bps = s.rate_Bps = kbps (300);
  memset (&net, 0, sizeof net);
  net.kind = kind;
  net.link_Bps = link_Bps;
  net.clock = CLOCK_AHEAD;
  net.seq = 65000;
  net.next_frame = net.next_report = now;
  arrival_history_init (&net.history, 0);
  cc_sender_packet_feedback_params (&s, &feedback_params);
  cc_packet_feedback_init (&feedback, &feedback_params);
}

static void
net_send (const CcPacket *packet)
{
  CcTime begin = net.free_at > now ? net.free_at : now;
  double queue = cc_seconds (begin - now);
  uint16_t number = net.kind == BY_TWCC ? cc_packet_feedback_number (&feedback) : net.seq;

  cc_packet_feedback_on_sent (&feedback, SSRC, net.seq++, packet->size_bytes, packet->frame, now);
  if (queue > 0.3) {
    net.dropped++;
    return;
  }
  net.queue_s += queue;
  net.worst_s = fmax (net.worst_s, queue);
  net.free_at = begin + cc_duration ((packet->size_bytes + 28) / net.link_Bps);
  net.flying[net.tail % IN_FLIGHT].at = net.free_at + ONE_WAY;
  net.flying[net.tail % IN_FLIGHT].lost = net.lose_every > 0 && net.seq % net.lose_every == 0;
  net.flying[net.tail++ % IN_FLIGHT].seq = number;
  net.delivered++;
  net.delivered_bytes += packet->size_bytes + 28;
}

/* 16.16 s */
static uint32_t
rts_of (CcTime at)
{
  return (uint32_t)((at / CC_SECOND << 16) + ((at % CC_SECOND << 16) / CC_SECOND));
}

static void
net_report (void)
{
  CcTime theirs = now + net.clock;
  RtcpCcfbWriter writer;

  net.next_report += 50 * CC_MSECOND;
  if (net.kind == BY_TWCC) {
    net.report_size = rtcp_twcc_write (net.report, sizeof net.report, &net.history, net.fb_pkt_count);
    net.fb_pkt_count += net.report_size > 0;
  } else {
    rtcp_ccfb_begin (&writer, net.report, sizeof net.report, theirs);
    rtcp_ccfb_add (&writer, SSRC, &net.history);
    net.report_size = rtcp_ccfb_end (&writer, rts_of (theirs));
  }
  net.report_at = now + ONE_WAY;
}

static void
net_deliver_report (void)
{
  RtcpCcfbReader ccfb;
  RtcpTwccReader twcc;

  if (net.report_size > 0 && net.kind == BY_TWCC) {
    ck_assert (rtcp_twcc_open (&twcc, net.report, net.report_size));
    cc_sender_on_twcc (&s, &feedback, &twcc, now);
  } else if (net.report_size > 0) {
    ck_assert (rtcp_ccfb_open (&ccfb, net.report, net.report_size));
    cc_sender_on_ccfb (&s, &feedback, &ccfb, now);
  }
  net.report_at = 0;
}

/* An encoder that does as it is told. */
static void
net_encode (void)
{
  CcSenderStatus status;

  cc_sender_status (&s, now, &status);
  push_frame ((unsigned)fmax (1, floor (status.encoder_Bps * cc_seconds (FRAME_INTERVAL) / PAYLOAD + 0.5)));
  net.next_frame += FRAME_INTERVAL;
}

static void
net_run (CcDuration span)
{
  CcPacket packet;
  CcSenderVerdict verdict;

  net.queue_s = net.worst_s = 0;
  net.delivered_bytes = net.delivered = net.dropped = 0;
  for (CcTime until = now + span; now < until; now += STEP) {
    for (; net.head < net.tail && net.flying[net.head % IN_FLIGHT].at <= now; net.head++)
      if (!net.flying[net.head % IN_FLIGHT].lost)
        arrival_history_on_packet (&net.history, net.flying[net.head % IN_FLIGHT].seq, ARRIVAL_NOT_ECT,
            net.flying[net.head % IN_FLIGHT].at + net.clock);
    if (net.report_at > 0 && now >= net.report_at)
      net_deliver_report ();
    if (now >= net.next_report)
      net_report ();
    if (now >= net.next_frame)
      net_encode ();
    if (cc_sender_next_timeout (&s) <= now)
      cc_sender_on_timeout (&s, now);
    while ((verdict = cc_sender_pull (&s, now, &packet)) != CC_SENDER_WAIT)
      if (verdict == CC_SENDER_SEND)
        net_send (&packet);
  }
}

static void
expect_link_in_use (double link_Bps, CcDuration span)
{
  double use, queue;

  net_run (span);
  use = (double)net.delivered_bytes / cc_seconds (span) / link_Bps;
  queue = net.queue_s / (double)net.delivered;
  ck_assert_msg (use > 0.8 && use <= 1, "use %.3f", use);
  ck_assert_msg (queue < 0.04 && net.worst_s < 0.15, "queue %.3f s, at most %.3f s", queue, net.worst_s);
  ck_assert_uint_eq (net.dropped, 0);
}

/* And runs the law by what it is told to be worth. */
START_TEST (test_a_weight_counts_where_reports_of_packets_come)
{
  net_init (BY_TWCC, kbps (1000));
  net_run (CC_SECOND);
  ck_assert_double_eq (feedback.path.view.weight, 1);
  cc_sender_set_weight (&s, 3);
  net_run (CC_SECOND);
  ck_assert_double_eq (feedback.path.view.weight, 3);
  net_run (10 * CC_SECOND);
  expect_link_in_use (kbps (1000), 20 * CC_SECOND);
}
END_TEST

START_TEST (test_packet_reports_alone_steer)
{
  const Kind kinds[] = {BY_CCFB, BY_TWCC};

  for (unsigned i = 0; i < 2; i++) {
    net_init (kinds[i], kbps (1000));
    net_run (10 * CC_SECOND);
    expect_link_in_use (kbps (1000), 50 * CC_SECOND);
    ck_assert_int_eq (s.limit, CC_LIMIT_DELAY);
    ck_assert_uint_gt (s.packet_reports, 1000);
    ck_assert_uint_eq (s.bad_reports + feedback.nonsense + cc_packet_feedback_unknown (&feedback), 0);
    ck_assert_double_eq (s.tfrc.p, 0);
    /* 25 ms each way, 8 ms on the link, and TWCC does not say how long a report waited */
    ck_assert_uint_ge (s.tfrc.R, 50 * CC_MSECOND);
    ck_assert_uint_le (s.tfrc.R, 160 * CC_MSECOND);
    net.link_Bps = kbps (500);
    net_run (10 * CC_SECOND);
    expect_link_in_use (kbps (500), 20 * CC_SECOND);
    net.link_Bps = kbps (2000);
    net_run (20 * CC_SECOND);
    expect_link_in_use (kbps (2000), 20 * CC_SECOND);
  }
}
END_TEST

/* One in 60 is lost, and all of it counts: the rate of a TCP over the p and R measured here is the bound. */
START_TEST (test_packet_reports_tell_of_losses)
{
  double X;

  for (unsigned kind = 0; kind < 2; kind++) {
    net_init ((Kind)kind, kbps (4000));
    net.lose_every = 60;
    cc_sender_set_loss_tolerance (&s, 0);
    net_run (60 * CC_SECOND);
    /* eight intervals of 60 packets */
    ck_assert_double_eq_tol (s.tfrc.p, 1 / 60.0, 0.0035);
    X = tcp_throughput (s.tfrc.p) * WIRE / PAYLOAD;
    ck_assert_int_eq (s.limit, CC_LIMIT_EQUATION);
    ck_assert_double_eq_tol (s.rate_Bps, X, 0.05 * X);
  }
}
END_TEST

/* The same where a tenth may be lost without congestion: the link of 1 Mb/s is used, where the equation would leave
   some 600 kb/s of it (RFC 5348 3.1 at p = 1/29, R = 80 ms, 1000 bytes). */
START_TEST (test_packet_reports_excuse_losses)
{
  for (unsigned kind = 0; kind < 2; kind++) {
    net_init ((Kind)kind, kbps (1000));
    net.lose_every = 29; /* not always the same packet of a frame */
    net_run (30 * CC_SECOND);
    net_run (30 * CC_SECOND);
    ck_assert_double_gt ((double)net.delivered_bytes / 30, 0.75 * kbps (1000));
    ck_assert_double_gt (s.rate_Bps, s.tfrc.X_Bps);
    ck_assert_double_lt (net.queue_s / (double)net.delivered, 0.04);
  }
}
END_TEST

START_TEST (test_packet_reports_give_way_to_tfrc)
{
  uint64_t taken;

  net_init (BY_CCFB, kbps (1000));
  net_run (10 * CC_SECOND);
  ck_assert (s.path.is_ours);
  taken = s.packet_reports;
  for (unsigned i = 0; i < 10; i++) {
    report (kbps (200), 0, 0, 60 * CC_MSECOND);
    net_run (CC_SECOND / 10);
  }
  ck_assert_uint_eq (s.packet_reports, taken);
  ck_assert (!s.path.is_ours);
  ck_assert_double_eq_tol (s.rate_Bps, kbps (200), 1);
  /* 2 s without one: the others count again */
  net_run (10 * CC_SECOND);
  ck_assert_uint_gt (s.packet_reports, taken);
  ck_assert (s.path.is_ours);
}
END_TEST

/* All of 2000 numbers arrived `ato` before the report. */
static void
tell_lies (uint32_t rts, uint16_t begin, uint16_t ato)
{
  static uint8_t body[12 + 2 * 2000];
  RtcpCcfbReader reader;

  rtcp_put_u32 (body, SSRC);
  rtcp_put_u16 (body + 4, begin);
  rtcp_put_u16 (body + 6, 2000);
  for (unsigned i = 0; i < 2000; i++)
    rtcp_put_u16 (body + 8 + 2 * i, 0x8000 | ato);
  rtcp_put_u32 (body + sizeof body - 4, rts);
  ck_assert (rtcp_ccfb_open (&reader, body, sizeof body));
  cc_sender_on_ccfb (&s, &feedback, &reader, now);
}

START_TEST (test_packet_reports_of_nonsense_do_not_raise_the_rate)
{
  uint32_t rts;
  double before;

  net_init (BY_CCFB, kbps (1000));
  net_run (20 * CC_SECOND);
  rts = rts_of (now + net.clock);
  before = s.rate_Bps;
  /* packets never sent */
  tell_lies (rts, (uint16_t)(net.seq + 10), 10);
  ck_assert_uint_eq (cc_packet_feedback_unknown (&feedback), 2000);
  ck_assert_double_eq (s.rate_Bps, before);
  /* on a clock that ran ahead by a minute, and by an hour, or that went back */
  tell_lies (rts + (60 << 16), (uint16_t)(net.seq - 2000), 0);
  tell_lies (rts + (3600 << 16), (uint16_t)(net.seq - 2000), 0);
  tell_lies (rts - (60 << 16), (uint16_t)(net.seq - 2000), 0);
  ck_assert_uint_eq (feedback.nonsense, 3);
  ck_assert_double_eq (s.rate_Bps, before);
  /* 7 s before the report: those that left in the last 7 s cannot have, and the others are known */
  tell_lies (rts, (uint16_t)(net.seq - 2000), 7 * 1024);
  ck_assert_uint_gt (feedback.nonsense, 100);
  ck_assert_double_eq (s.rate_Bps, before);
  /* an honest report is as good as before */
  net_run (10 * CC_SECOND);
  expect_link_in_use (kbps (1000), 20 * CC_SECOND);
}
END_TEST

/* The receiver's clock is set, by an hour either way: some reports are refused, then it goes on from the rate it has.
 */
START_TEST (test_packet_reports_after_a_clock_step)
{
  const CcTime clocks[] = {CLOCK_AHEAD - 3600 * CC_SECOND, CLOCK_AHEAD + 3600 * CC_SECOND};

  for (unsigned i = 0; i < 4; i++) {
    double before;

    net_init (i < 2 ? BY_CCFB : BY_TWCC, kbps (1000));
    net_run (20 * CC_SECOND);
    before = s.rate_Bps;
    net.clock = clocks[i % 2];
    net_run (150 * CC_MSECOND);
    ck_assert_uint_gt (feedback.nonsense, 0);
    ck_assert_double_le (s.rate_Bps, 1.1 * before); /* a report was on its way */
    for (unsigned j = 0; j < 100; j++) {
      net_run (10 * CC_MSECOND);
      ck_assert_double_le (s.rate_Bps, 1.6 * before);
    }
    ck_assert_uint_eq (feedback.strange, 0);
    net_run (10 * CC_SECOND);
    expect_link_in_use (kbps (1000), 20 * CC_SECOND);
  }
}
END_TEST

/* 16.16 s of RFC 8888 wrap every 65536 s, 24 bits of 64 ms every 1073741.824 s: here 10 s after the start. */
START_TEST (test_packet_reports_over_a_wrap)
{
  const CcTime wraps[] = {65536 * CC_SECOND, ((CcTime)1 << 24) * RTCP_TWCC_REFERENCE};

  for (unsigned kind = 0; kind < 2; kind++) {
    net_init ((Kind)kind, kbps (1000));
    net.clock = wraps[kind] - now - 10 * CC_SECOND;
    net_run (9 * CC_SECOND);
    expect_link_in_use (kbps (1000), 20 * CC_SECOND);
    ck_assert_uint_eq (feedback.nonsense, 0);
    ck_assert_uint_gt (s.packet_reports, 550);
  }
}
END_TEST

/* Every second one first; all once one has come; spaced evenly once one is marked. */
START_TEST (test_l4s)
{
  PathReport path = {.rate_Bps = kbps (800), .ecn = ARRIVAL_ECN_BIT (ARRIVAL_ECT_1)};
  CcTime at[8];

  setup (CC_MODE_LOW_DELAY);
  cc_sender_set_ecn (&s, ARRIVAL_ECT_1);
  ck_assert_int_eq (cc_sender_next_ecn (&s), ARRIVAL_ECT_1);
  ck_assert_int_eq (cc_sender_next_ecn (&s), ARRIVAL_NOT_ECT);
  converse (kbps (800), 5);
  cc_sender_on_path_report (&s, &path, now);
  ck_assert_int_eq (cc_sender_next_ecn (&s), ARRIVAL_ECT_1);
  ck_assert_int_eq (cc_sender_next_ecn (&s), ARRIVAL_ECT_1);
  path.ecn = ARRIVAL_ECN_BIT (ARRIVAL_CE);
  cc_sender_on_path_report (&s, &path, now);
  now += CC_SECOND;
  cc_sender_on_timeout (&s, now);
  push_frame (8);
  run (now + CC_SECOND, at, 8);
  for (unsigned i = 2; i < 8; i++)
    ck_assert_double_eq_tol (cc_seconds (at[i] - at[i - 1]), WIRE / kbps (800) / 1.03, 1e-3);
}
END_TEST

/* Nobody answers the fraction of marks elsewhere. */
START_TEST (test_l4s_is_for_low_delay)
{
  setup (CC_MODE_RFC5348);
  cc_sender_set_ecn (&s, ARRIVAL_ECT_1);
  ck_assert_int_eq (cc_sender_next_ecn (&s), ARRIVAL_ECT_0);
  cc_sender_set_mode (&s, CC_MODE_LOW_DELAY, now);
  ck_assert_int_eq (cc_sender_next_ecn (&s), ARRIVAL_ECT_1);
}
END_TEST

CC_TEST_MAIN ("ccsender", test_packets_sent_again_are_paid_for, test_a_weight_counts_where_reports_of_packets_come,
    test_redundancy_is_paid_for, test_room, test_repeats_what_may_be_on_its_way_where_nothing_waits,
    test_starts_at_the_start_rate, test_a_frame_leaves_faster_beside_others, test_a_frame_may_be_what_leaves_in_time,
    test_a_key_frame_leaves_at_the_rate, test_a_backlog_leaves_sooner_where_no_queue_stands,
    test_what_goes_first_waits_for_no_debt, test_follows_the_path_rate_within_limits, test_equation_is_the_upper_bound,
    test_as_much_as_cubic, test_loss_in_a_burst_is_one_event, test_start, test_nonsense_does_not_raise_the_rate,
    test_who_sends_little_is_the_limit, test_explicit_rate_lowers_and_expires, test_explicit_rate_alone_steers,
    test_least_explicit_rate, test_router_rate_is_the_start_rate, test_first_packets_probe,
    CC_TEST_LONG (test_absurd_router_rates), test_bounds_only_lower, test_router_rate_is_no_sign_of_life,
    test_sends_little_behind_what_is_not_answered, test_no_more_than_the_maximum_leaves,
    test_a_long_frame_is_not_answered_before_its_end, test_sound_beside_a_muted_picture,
    test_silence_halves_down_to_a_trickle_and_recovers, test_the_same_report_again_is_no_sign_of_life,
    test_no_report_ever, test_ceases_on_a_dead_path, test_stays_below_what_would_open_the_circuit,
    test_tries_at_a_tenth_after_loss, test_resumes_after_a_silence,
    CC_TEST_LONG (test_plain_receiver_reports_let_the_rate_grow), test_plain_receiver_reports_cease,
    CC_TEST_LONG (test_plain_receiver_reports_bound_by_the_equation), test_plain_receiver_reports_give_way_to_tfrc,
    test_rfc5348_paces_at_the_instantaneous_rate, test_a_packet_that_waits_is_not_limited_by_data,
    test_stamps_from_before_the_first_packet_are_refused, test_a_pause_is_no_silence, test_slow_reports_are_no_silence,
    test_path_reports_expire, test_burst_control_spreads_a_frame_over_its_period, test_small_packets_may_grow,
    test_stamps_and_status, test_late_frames_are_discarded_whole, CC_TEST_LONG (test_packet_reports_alone_steer),
    CC_TEST_LONG (test_packet_reports_tell_of_losses), test_packet_reports_excuse_losses,
    test_loss_that_is_no_congestion, test_time_outs_count_packets_as_they_are, test_excuses_have_bounds,
    test_packet_reports_give_way_to_tfrc, test_packet_reports_of_nonsense_do_not_raise_the_rate,
    CC_TEST_LONG (test_packet_reports_after_a_clock_step), CC_TEST_LONG (test_packet_reports_over_a_wrap), test_l4s,
    test_l4s_is_for_low_delay)
