/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "avpfaggregate.h"
#include "cctest.h"

#include <math.h>
#include <stdlib.h>

#define START (1000 * CC_SECOND)
#define SIZE 128
#define HEADERS 28
#define BW 1000.0
#define LOCALS 4
#define MEMBERS 20
/* the shortest draw: T = 0.5 Td / (e - 1.5) */
#define LOW (0.5 / 1.21828182845904523536)

/* Four of twenty members, each 20 x 128/(0.75 x 1000) = 3.413 s apart. */
typedef struct {
  AvpfTiming timing[LOCALS];
  AvpfReporter local[LOCALS];
  CcPcg32 pcg;
} Endpoint;

static void
endpoint (Endpoint *e, AvpfTimingParams *p)
{
  p->rtcp_bw_Bps = BW;
  p->initial_size = SIZE;
  for (unsigned i = 0; i < LOCALS; i++) {
    avpf_timing_init (&e->timing[i], p, START);
    avpf_timing_set_members (&e->timing[i], MEMBERS, 0, false, START);
    e->timing[i].initial = false;
    e->timing[i].tp = START;
    e->timing[i].tn = START + (1 + i) * CC_SECOND;
    e->local[i] = (AvpfReporter){.timing = &e->timing[i], .report_size = SIZE - HEADERS};
  }
}

static const double Td = MEMBERS * SIZE / (0.75 * BW);

/* Every draw the smallest, so that reconsideration changes nothing. */
static void
plain_endpoint (Endpoint *e)
{
  AvpfTimingParams p;

  avpf_timing_params_init (&p);
  p.group = true;
  endpoint (e, &p);
}

static AvpfTimingParams
random_params (Endpoint *e)
{
  AvpfTimingParams p;

  avpf_timing_params_init (&p);
  p.group = true;
  p.random = cc_pcg32_init (&e->pcg, 3);
  return p;
}

START_TEST (test_choice_is_in_the_order_of_tn)
{
  Endpoint e;

  plain_endpoint (&e);
  e.timing[1].tn = START + 9 * CC_SECOND;
  /* 28 + 3 x 100 bytes: two besides the first, the nearest ones */
  ck_assert_uint_eq (avpf_aggregate_choose (e.local, LOCALS, 0, HEADERS, HEADERS + 3 * (SIZE - HEADERS)), 3);
  ck_assert (e.local[0].chosen && !e.local[1].chosen && e.local[2].chosen && e.local[3].chosen);
}
END_TEST

START_TEST (test_choice_ends_with_what_does_not_fit)
{
  Endpoint e;

  plain_endpoint (&e);
  /* one byte short of a second report */
  ck_assert_uint_eq (avpf_aggregate_choose (e.local, LOCALS, 2, HEADERS, HEADERS + 2 * (SIZE - HEADERS) - 1), 1);
  ck_assert (e.local[2].chosen && !e.local[0].chosen);
  /* the first goes whatever its size */
  ck_assert_uint_eq (avpf_aggregate_choose (e.local, LOCALS, 2, HEADERS, 0), 1);
  ck_assert_uint_eq (avpf_aggregate_choose (e.local, LOCALS, LOCALS, HEADERS, 1500), 0);
  ck_assert_uint_eq (avpf_aggregate_choose (e.local, LOCALS, 0, HEADERS, 1500), LOCALS);
}
END_TEST

START_TEST (test_who_leaves_or_is_silent_does_not_ride)
{
  Endpoint e;

  plain_endpoint (&e);
  ck_assert_int_eq (avpf_timing_leave (&e.timing[1], SIZE, START), AVPF_LEAVE_SILENTLY);
  avpf_timing_set_bandwidth (&e.timing[2], 0);
  ck_assert_uint_eq (avpf_aggregate_choose (e.local, LOCALS, 0, HEADERS, 1500), 2);
  ck_assert (e.local[3].chosen);
}
END_TEST

/* b=RR:0: a receiver that is no sender has no interval, and must not ride with one that is. */
START_TEST (test_receivers_without_a_share_do_not_ride)
{
  AvpfTimingParams p;
  Endpoint e;

  avpf_timing_params_init (&p);
  p.sender_share = 1;
  endpoint (&e, &p);
  for (unsigned i = 0; i < LOCALS; i++)
    avpf_timing_set_members (&e.timing[i], MEMBERS, 2, i < 2, START);
  ck_assert_uint_eq (avpf_aggregate_choose (e.local, LOCALS, 0, HEADERS, 1500), 2);
  ck_assert (e.local[1].chosen);
}
END_TEST

/* All fire alone at START + 1..4 s, and reconsideration would leave them there (LOW x Td = 1.4 s, below all but the
   first, which sends). tp = the mean, START + 2.5 s; tn = tp + LOW x Td. */
START_TEST (test_tp_is_the_mean_of_the_effective_times)
{
  Endpoint e;

  plain_endpoint (&e);
  avpf_aggregate_choose (e.local, LOCALS, 0, HEADERS, 1500);
  avpf_aggregate_on_sent (e.local, LOCALS, 0, HEADERS + LOCALS * (SIZE - HEADERS), START + CC_SECOND);
  for (unsigned i = 0; i < LOCALS; i++) {
    double size = SIZE + (107 - SIZE) / 16.0; /* 428 bytes by 4 */
    ck_assert_double_eq_tol (cc_seconds (e.timing[i].tp - START), 2.5, 1e-6);
    ck_assert_double_eq_tol (cc_seconds (e.timing[i].tn - e.timing[i].tp), LOW * Td * size / SIZE, 1e-6);
    ck_assert_uint_eq (e.timing[i].regular_sent, 1);
  }
}
END_TEST

typedef struct {
  const double *u;
  unsigned at, n;
} Script;

static uint32_t
scripted (void *user)
{
  Script *script = user;

  return (uint32_t)(script->u[script->at++ % script->n] * 4294967296.0);
}

/* Local 1 would be reconsidered at tn = START + 2 s: T of 0.5 + 0.75 = 1.25 Td/1.218 = 3.502 s puts it off to START +
   3.502 s, where 0.5 + 0.25 = 0.75 Td/1.218 = 2.101 s lets it go. tp = (1 + 3.502)/2. */
START_TEST (test_riders_are_reconsidered)
{
  static const double u[] = {0.75, 0.25};
  Script script = {.u = u, .n = 2};
  Endpoint e;

  plain_endpoint (&e);
  e.timing[1].params.random = (CcRandom){.next = scripted, .user = &script};
  ck_assert_uint_eq (avpf_aggregate_choose (e.local, 2, 0, HEADERS, 1500), 2);
  avpf_aggregate_on_sent (e.local, 2, 0, 228, START + CC_SECOND);
  ck_assert_double_eq_tol (cc_seconds (e.timing[0].tp - START), (1 + 1.25 * Td * 2 * LOW) / 2, 1e-6);
  ck_assert_uint_eq (e.timing[1].tp, e.timing[0].tp);
}
END_TEST

/* The same with conditional reconsideration and nobody new: tn stands. */
START_TEST (test_riders_go_by_their_mode)
{
  Endpoint e;

  plain_endpoint (&e);
  e.timing[1].params.reconsideration = AVPF_RECONSIDER_CONDITIONAL;
  e.timing[1].pmembers = MEMBERS;
  e.timing[1].tn = START + 1;
  avpf_aggregate_choose (e.local, 2, 0, HEADERS, 1500);
  avpf_aggregate_on_sent (e.local, 2, 0, 228, START + CC_SECOND);
  /* tn lies behind: what is overdue would have gone now */
  ck_assert_uint_eq (e.timing[0].tp, START + CC_SECOND);
}
END_TEST

START_TEST (test_a_rider_takes_its_feedback_along)
{
  Endpoint e;

  plain_endpoint (&e);
  ck_assert (avpf_timing_request_feedback (&e.timing[1], CC_SECOND, START));
  e.timing[1].allow_early = false;
  avpf_aggregate_choose (e.local, 2, 0, HEADERS, 1500);
  avpf_aggregate_on_sent (e.local, 2, 0, 228, START + CC_SECOND);
  ck_assert_uint_eq (e.timing[1].te, CC_TIME_NONE);
  ck_assert (e.timing[1].allow_early);
  ck_assert_uint_eq (e.timing[1].cancelled, 0);
}
END_TEST

/* T_rr_interval: a rider's report is a full one, the first's only where it was due. */
START_TEST (test_a_rider_sends_a_full_report)
{
  Endpoint e;

  plain_endpoint (&e);
  e.timing[0].t_rr_last = START;
  e.timing[0].full_due = false;
  avpf_aggregate_choose (e.local, 2, 0, HEADERS, 1500);
  avpf_aggregate_on_sent (e.local, 2, 0, 228, START + CC_SECOND);
  ck_assert_uint_eq (e.timing[0].t_rr_last, START);
  ck_assert_uint_eq (e.timing[1].t_rr_last, START + CC_SECOND);
}
END_TEST

/* RFC 8108 5.3.1: 328 bytes, two reports: 164 for each, also for the locals that did not report:
   128 + (164 - 128)/16 = 130.25. */
START_TEST (test_average_size_is_a_report_s)
{
  Endpoint e;

  plain_endpoint (&e);
  avpf_aggregate_choose (e.local, LOCALS, 0, HEADERS, 228);
  avpf_aggregate_on_sent (e.local, LOCALS, 0, 328, START + CC_SECOND);
  for (unsigned i = 0; i < LOCALS; i++)
    ck_assert (e.timing[i].avg_rtcp_size == 130.25);
  ck_assert_uint_eq (avpf_aggregate_div_size (100, 0), 100);
  ck_assert_uint_eq (avpf_aggregate_div_size (100, 1), 100);
  ck_assert_uint_eq (avpf_aggregate_div_size (100, 3), 33);
  ck_assert_uint_eq (avpf_aggregate_div_size (101, 3), 34);
}
END_TEST

START_TEST (test_next_is_the_first_timeout)
{
  Endpoint e;

  plain_endpoint (&e);
  ck_assert_uint_eq (avpf_aggregate_next (e.local, LOCALS), 0);
  e.timing[0].tn = START + 10 * CC_SECOND;
  ck_assert_uint_eq (avpf_aggregate_next (e.local, LOCALS), 1);
  ck_assert (avpf_timing_request_feedback (&e.timing[3], CC_SECOND, START));
  ck_assert_uint_eq (avpf_aggregate_next (e.local, LOCALS), 3);
  for (unsigned i = 0; i < LOCALS; i++)
    avpf_timing_leave (&e.timing[i], SIZE, START);
  ck_assert_uint_eq (avpf_aggregate_next (e.local, LOCALS), LOCALS);
}
END_TEST

/* n sources of the endpoint among 20 members, riding where they can: packets per source and their mean distance. */
static double
mean_interval (unsigned n, uint32_t max_size, unsigned *packets)
{
  Endpoint e;
  AvpfTimingParams p = random_params (&e);
  CcTime now = START, end = START + (CcTime)scaled (400000) * CC_SECOND;
  uint64_t reports = 0;

  endpoint (&e, &p);
  *packets = 0;
  while (now < end) {
    unsigned first = avpf_aggregate_next (e.local, n);
    CcTime then = now;
    unsigned count;

    now = avpf_timing_next_timeout (&e.timing[first]);
    /* ck_assert would write a hundred thousand lines */
    if (now < then)
      ck_abort_msg ("time goes back");
    if (avpf_timing_on_timeout (&e.timing[first], now) != AVPF_SEND_REGULAR)
      continue;
    count = avpf_aggregate_choose (e.local, n, first, 0, max_size);
    /* a size per report that leaves the average alone */
    avpf_aggregate_on_sent (e.local, n, first, count * SIZE, now);
    reports += count;
    (*packets)++;
  }
  return cc_seconds (now - START) * n / reports;
}

/* Riding must not change how often each source reports (RFC 8108 5.3.2), only how many packets that takes. */
START_TEST (test_aggregation_keeps_the_rate)
{
  double tolerance = slow_machine () ? 0.1 : 0.01;
  unsigned alone, paired, all;

  double alone_interval = mean_interval (LOCALS, SIZE - HEADERS, &alone) / Td;
  double paired_interval = mean_interval (LOCALS, 2 * (SIZE - HEADERS), &paired) / Td;
  double all_interval = mean_interval (LOCALS, 1500, &all) / Td;
  ck_assert_double_eq_tol (alone_interval, 1, tolerance);
  ck_assert_double_eq_tol (paired_interval, 1, tolerance);
  ck_assert_double_eq_tol (all_interval, 1, tolerance);
  ck_assert_double_eq_tol (alone / (double)paired, 2, 0.1);
  ck_assert_double_eq_tol (alone / (double)all, LOCALS, 0.2);
}
END_TEST

CC_TEST_MAIN ("avpfaggregate", test_choice_is_in_the_order_of_tn, test_choice_ends_with_what_does_not_fit,
    test_who_leaves_or_is_silent_does_not_ride, test_receivers_without_a_share_do_not_ride,
    test_tp_is_the_mean_of_the_effective_times, test_riders_are_reconsidered, test_riders_go_by_their_mode,
    test_a_rider_takes_its_feedback_along, test_a_rider_sends_a_full_report, test_average_size_is_a_report_s,
    test_next_is_the_first_timeout, test_aggregation_keeps_the_rate)
