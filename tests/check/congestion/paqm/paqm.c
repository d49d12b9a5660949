/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqm.h"
#include "cctest.h"

#include <math.h>
#include <string.h>

#define RING 16384
#define MAX_FLOWS 40
#define MEDIA_PACKET 1000
#define ELASTIC_PACKET 1500

typedef struct {
  uint32_t size[RING];
  CcTime at[RING];
  unsigned head, tail;
} Fifo;

/* Media: sends what it was told one RTT ago. Elastic: a window, plus one packet per RTT, halved at a mark or loss. */
typedef struct {
  PaqmClass cls;
  bool on, ect, l4s, deaf; /* deaf: a fixed rate whatever it is told, but for follow_ecf */
  double rate_Bps, window, credit;
  CcTime calm_until; /* reacts once per RTT */
} Flow;

/* One link in virtual time, 1 ms steps. */
typedef struct {
  Paqm paqm;
  Fifo fifo[PAQM_CLASSES];
  Flow flows[MAX_FLOWS];
  int n;
  double capacity_Bps, budget;
  CcDuration rtt;
  double group_s, key; /* media: a group's first 40 ms at that many times the rate of the others; 0: smooth */
  double told[1024];   /* R by ms */
  CcTime now;
  CcPcg32 pcg;
  /* since clear () */
  double sent[PAQM_CLASSES], delay_sum[PAQM_CLASSES], delay_most[PAQM_CLASSES], packets[PAQM_CLASSES];
  double flow_sent[MAX_FLOWS], R_sum, R_squares;
  unsigned steps;
  PaqmStats from;
  CcTime cleared_at;
} Path;

static PaqmParams
defaults (double capacity_Bps)
{
  PaqmParams params;

  paqm_params_init (&params);
  params.capacity_Bps = capacity_Bps;
  return params;
}

static void
clear (Path *l)
{
  memset (l->sent, 0, sizeof l->sent);
  memset (l->delay_sum, 0, sizeof l->delay_sum);
  memset (l->delay_most, 0, sizeof l->delay_most);
  memset (l->packets, 0, sizeof l->packets);
  memset (l->flow_sent, 0, sizeof l->flow_sent);
  l->R_sum = l->R_squares = l->steps = 0;
  paqm_get_stats (&l->paqm, &l->from);
  l->cleared_at = l->now;
}

static void
start (Path *l, PaqmParams params, double capacity_Bps, CcDuration rtt)
{
  memset (l, 0, sizeof *l);
  params.random = cc_pcg32_init (&l->pcg, 11);
  paqm_init (&l->paqm, &params);
  l->capacity_Bps = capacity_Bps;
  l->rtt = rtt;
  l->now = CC_SECOND;
}

static void
add (Path *l, int flows, PaqmClass cls, bool ect)
{
  for (; flows > 0; flows--)
    l->flows[l->n++] = (Flow){.cls = cls, .on = true, .ect = ect, .window = 10, .credit = 97 * l->n % 1000};
}

/* Groups of flows begin apart, by 0.37 s each. */
static double
picture_weight (const Path *l, int i)
{
  double frames = l->group_s / 0.04;

  if (!(l->group_s > 0) || l->flows[i].cls != PAQM_MEDIA)
    return 1;
  return (fmod (cc_seconds (l->now) + 0.37 * i, l->group_s) < 0.04 ? l->key : 1) * frames / (frames - 1 + l->key);
}

static double
flow_rate (const Path *l, const Flow *flow)
{
  if (flow->deaf)
    return flow->rate_Bps;
  if (flow->cls == PAQM_ELASTIC)
    return flow->window * ELASTIC_PACKET / cc_seconds (l->rtt);
  return l->told[(l->now - l->rtt) / CC_MSECOND % 1024];
}

static void
react (const Path *l, Flow *flow)
{
  if (l->now < flow->calm_until)
    return;
  flow->window = fmax (1, flow->window / 2);
  flow->calm_until = l->now + l->rtt;
}

static void
offer (Path *l, int i, uint32_t size)
{
  Flow *flow = &l->flows[i];
  PaqmArrival a = {.cls = flow->cls,
      .flow = (uint64_t)i * 0x9e3779b97f4a7c15u,
      .size_bytes = size,
      .ect = flow->ect,
      .l4s = flow->l4s};
  PaqmVerdict verdict = paqm_on_arrival (&l->paqm, &a, l->now);
  Fifo *fifo = &l->fifo[paqm_queue (&l->paqm, flow->cls)];

  if (verdict != PAQM_ENQUEUE)
    react (l, flow);
  if (verdict == PAQM_DROP)
    return;
  ck_assert_uint_lt (fifo->tail - fifo->head, RING);
  fifo->size[fifo->tail % RING] = size;
  fifo->at[fifo->tail++ % RING] = l->now;
  l->flow_sent[i] += size;
}

static void
send_flows (Path *l)
{
  for (int i = 0; i < l->n; i++) {
    Flow *flow = &l->flows[i];
    uint32_t size = flow->cls == PAQM_MEDIA ? MEDIA_PACKET : ELASTIC_PACKET;

    if (!flow->on)
      continue;
    flow->credit += flow_rate (l, flow) / 1000 * picture_weight (l, i);
    flow->window += 0.001 / cc_seconds (l->rtt);
    for (; flow->credit >= size; flow->credit -= size)
      offer (l, i, size);
  }
}

static uint32_t
head_of (const Fifo *fifo)
{
  return fifo->head == fifo->tail ? 0 : fifo->size[fifo->head % RING];
}

static void
serve (Path *l)
{
  int queue = 0;

  for (l->budget += l->capacity_Bps / 1000; l->budget > 0;) {
    uint32_t heads[PAQM_CLASSES] = {head_of (&l->fifo[0]), head_of (&l->fifo[1])};
    Fifo *fifo;
    double delay;

    queue = paqm_next (&l->paqm, heads);
    if (queue == DEFICIT_RR_NONE)
      break;
    fifo = &l->fifo[queue];
    delay = cc_seconds (l->now - fifo->at[fifo->head++ % RING]);
    l->budget -= heads[queue];
    l->sent[queue] += heads[queue];
    l->delay_sum[queue] += delay;
    l->delay_most[queue] = fmax (l->delay_most[queue], delay);
    l->packets[queue]++;
    paqm_on_departure (&l->paqm, queue, heads[queue], l->now);
  }
  if (queue == DEFICIT_RR_NONE)
    l->budget = 0;
}

/* At once; tau1 leaves time for more. */
static void
follow_ecf (Path *l)
{
  PaqmFeedback f;

  paqm_get_feedback (&l->paqm, &f);
  for (int i = 0; i < l->n && l->paqm.params.outer.follow_ecf && f.valid; i++)
    if (l->flows[i].cls == PAQM_MEDIA)
      l->flows[i].rate_Bps =
          f.ecf.decrease ? l->flows[i].rate_Bps * f.ecf.ratio : l->flows[i].rate_Bps + f.ecf.increase_Bps;
}

static void
run (Path *l, double seconds)
{
  clear (l);
  for (CcTime end = l->now + cc_duration (seconds); l->now < end; l->now += CC_MSECOND) {
    PaqmFeedback feedback;

    paqm_get_feedback (&l->paqm, &feedback);
    l->told[l->now / CC_MSECOND % 1024] = fmin (feedback.R_Bps, 2 * l->capacity_Bps);
    l->R_sum += l->paqm.outer.R;
    l->R_squares += l->paqm.outer.R * l->paqm.outer.R;
    l->steps++;
    send_flows (l);
    serve (l);
    if (paqm_next_timeout (&l->paqm) <= l->now && paqm_on_timeout (&l->paqm, l->now))
      follow_ecf (l);
  }
}

static double
seconds (const Path *l)
{
  return cc_seconds (l->now - l->cleared_at);
}

static uint64_t
lost (const Path *l, PaqmClass cls)
{
  PaqmStats s;

  paqm_get_stats (&l->paqm, &s);
  return s.dropped[cls] - l->from.dropped[cls] + s.tail_dropped[cls] - l->from.tail_dropped[cls];
}

static double
mean_delay (const Path *l, int queue)
{
  return l->packets[queue] > 0 ? l->delay_sum[queue] / l->packets[queue] : 0;
}

/* 4 calls and 4 TCP on 8 Mb/s: half each; media nearly without queue or loss, elastic marked, not dropped, around N* =
   100 ms of its part. */
START_TEST (classes_share_by_flows)
{
  static Path l;
  PaqmParams params = defaults (1e6);

  params.target_delay[PAQM_MEDIA] = 30 * CC_MSECOND;
  params.target_delay[PAQM_ELASTIC] = 100 * CC_MSECOND;
  start (&l, params, 1e6, 50 * CC_MSECOND);
  add (&l, 4, PAQM_MEDIA, false);
  add (&l, 4, PAQM_ELASTIC, true);
  run (&l, 20);
  run (&l, 60);
  /* 0.95 of the half is what media may have; TCP takes what is left over */
  ck_assert_double_eq_tol (l.sent[PAQM_MEDIA] / seconds (&l), 0.475e6, 0.02e6);
  ck_assert_double_ge ((l.sent[0] + l.sent[1]) / seconds (&l), 0.97e6);
  ck_assert_double_lt (mean_delay (&l, PAQM_MEDIA), 0.010);
  ck_assert_double_lt (l.delay_most[PAQM_MEDIA], 0.040);
  ck_assert_uint_eq (lost (&l, PAQM_MEDIA), 0);
  ck_assert_uint_eq (lost (&l, PAQM_ELASTIC), 0);
  ck_assert_uint_gt (l.paqm.stats.marked[PAQM_ELASTIC], l.from.marked[PAQM_ELASTIC]);
  ck_assert_double_lt (mean_delay (&l, PAQM_ELASTIC), 0.150);
  for (int i = 0; i < 4; i++)
    ck_assert_double_eq_tol (l.flow_sent[i] / seconds (&l), 0.475e6 / 4, 0.05 * 0.475e6 / 4);
}
END_TEST

/* The same without ECN: dropped instead, as many as TCP needs to notice. */
START_TEST (without_ecn_elastic_is_dropped)
{
  static Path l;

  start (&l, defaults (1e6), 1e6, 50 * CC_MSECOND);
  add (&l, 4, PAQM_ELASTIC, false);
  run (&l, 20);
  run (&l, 60);
  ck_assert_uint_gt (lost (&l, PAQM_ELASTIC), 0);
  ck_assert_uint_eq (l.paqm.stats.marked[PAQM_ELASTIC], 0);
  ck_assert_double_ge (l.sent[PAQM_ELASTIC] / seconds (&l), 0.97e6);
  ck_assert_uint_eq (l.paqm.stats.tail_dropped[PAQM_ELASTIC], l.from.tail_dropped[PAQM_ELASTIC]);
}
END_TEST

static void
start_with_marks (Path *l, bool l4s, double rate_Bps)
{
  PaqmParams params = defaults (1e6);

  params.strikes = false;
  params.ecn_media = true;
  start (l, params, 1e6, 50 * CC_MSECOND);
  add (l, 1, PAQM_MEDIA, true);
  l->flows[0].l4s = l4s;
  l->flows[0].deaf = true;
  l->flows[0].rate_Bps = rate_Bps;
}

/* Up to 25 kB come to wait, of N* = 35 kB: no reason to mark what may be marked where it would be dropped. */
START_TEST (ect_1_is_marked_at_once)
{
  static Path l;

  start_with_marks (&l, false, 1.05e6);
  run (&l, 0.5);
  ck_assert_uint_eq (l.paqm.stats.marked[PAQM_MEDIA], 0);
  start_with_marks (&l, true, 0.9e6);
  run (&l, 0.5);
  ck_assert_uint_eq (l.paqm.stats.marked[PAQM_MEDIA], 0);
  start_with_marks (&l, true, 1.05e6);
  run (&l, 0.5);
  ck_assert_uint_gt (l.paqm.stats.marked[PAQM_MEDIA], 50);
  ck_assert_uint_eq (lost (&l, PAQM_MEDIA), 0);
}
END_TEST

/* A flow that answers the fraction of marks alone, by the low-delay law of its path: a tenth of N* stands. */
START_TEST (marks_at_once_keep_the_queue_short)
{
  static Path l;
  double delay = 0, sent = 0;

  start_with_marks (&l, true, 0.5e6);
  for (int i = 0; i < 800; i++) {
    double m;

    run (&l, 0.05);
    m = (double)(l.paqm.stats.marked[PAQM_MEDIA] - l.from.marked[PAQM_MEDIA]) /
        (double)(l.paqm.stats.arrived[PAQM_MEDIA] - l.from.arrived[PAQM_MEDIA]);
    l.flows[0].rate_Bps *= 1 + 0.25 * (0.06 - 0.35 * m);
    delay += i < 200 ? 0 : mean_delay (&l, PAQM_MEDIA) / 600;
    sent += i < 200 ? 0 : l.sent[PAQM_MEDIA];
  }
  ck_assert_double_lt (delay, 0.006);
  ck_assert_double_gt (sent / 30, 0.9e6);
  ck_assert_uint_eq (l.paqm.stats.dropped[PAQM_MEDIA], 0);
}
END_TEST

/* Without strikes: a media flow of 1.5 x its part that does not listen: the elastic part stays, the backlog is held at
 * N* by 1 - u*. */
START_TEST (deaf_media_is_held_to_its_part)
{
  static Path l;
  PaqmParams params = defaults (1e6);

  params.strikes = false;
  start (&l, params, 1e6, 50 * CC_MSECOND);
  add (&l, 1, PAQM_MEDIA, false);
  add (&l, 1, PAQM_ELASTIC, true);
  l.flows[0].deaf = true;
  l.flows[0].rate_Bps = 0.75e6;
  run (&l, 20);
  run (&l, 40);
  ck_assert_double_eq_tol (l.sent[PAQM_ELASTIC] / seconds (&l), 0.5e6, 0.03e6);
  ck_assert_double_eq_tol ((double)lost (&l, PAQM_MEDIA) / (seconds (&l) * 750), 1.0 / 3, 0.03);
  ck_assert_double_eq_tol (mean_delay (&l, PAQM_MEDIA), 35e3 / 0.5e6, 0.02);
}
END_TEST

/* One flow of 10 Mb/s that does not listen beside four calls and TCP on 8 Mb/s: struck, and the calls keep 90 % of
   their sixth, as if it were not there to more than its share. */
START_TEST (strikes_protect_those_who_listen)
{
  static Path l;

  start (&l, defaults (1e6), 1e6, 50 * CC_MSECOND);
  add (&l, 4, PAQM_MEDIA, false);
  add (&l, 1, PAQM_ELASTIC, true);
  run (&l, 10);
  add (&l, 1, PAQM_MEDIA, false);
  l.flows[5].deaf = true;
  l.flows[5].rate_Bps = 1.25e6;
  run (&l, 10);
  run (&l, 40);
  for (int i = 0; i < 4; i++)
    ck_assert_double_ge (l.flow_sent[i] / seconds (&l), 0.9 * 0.95e6 / 6);
  ck_assert_double_le (l.flow_sent[5] / seconds (&l), 1.05 * 0.95e6 / 6);
  ck_assert_double_lt (mean_delay (&l, PAQM_MEDIA), 0.01);
  ck_assert_uint_gt (l.paqm.stats.strike_dropped, l.from.strike_dropped);
  ck_assert_uint_eq (lost (&l, PAQM_MEDIA), 0);
}
END_TEST

/* Media may take what elastic flows leave: one small packet each half second counts as a flow, but leaves all. Without
   strikes, as this flow does not listen. Told is on its way to 0.95 of what is not
   twice the trickle. */
START_TEST (unused_parts_are_used)
{
  static Path l;
  PaqmParams params = defaults (1e6);
  PaqmFeedback f;

  params.strikes = false;
  params.inner[PAQM_MEDIA].target_bytes = 3000;
  start (&l, params, 1e6, 50 * CC_MSECOND);
  add (&l, 1, PAQM_MEDIA, false);
  add (&l, 1, PAQM_ELASTIC, false);
  l.flows[0].deaf = l.flows[1].deaf = true;
  l.flows[0].rate_Bps = 0.9e6;
  l.flows[1].rate_Bps = 3e3;
  run (&l, 5);
  run (&l, 20);
  ck_assert_double_eq (l.paqm.stats.flows[PAQM_ELASTIC], 1);
  ck_assert_double_eq (l.paqm.stats.c_Bps[PAQM_MEDIA], 0.5e6);
  ck_assert_uint_eq (lost (&l, PAQM_MEDIA), 0);
  paqm_get_feedback (&l.paqm, &f);
  ck_assert_double_ge (f.R_Bps, 0.75e6);
  ck_assert_double_le (f.R_Bps, 0.95e6);
  /* TCP that uses more than half of its part gets all of it */
  l.flows[1].rate_Bps = 0.3e6;
  run (&l, 1);
  ck_assert_double_eq (l.paqm.stats.lent_Bps, 0);
}
END_TEST

/* Media sends a hundredth of 1 Mbyte/s, elastic flows more than all of it; then 20 packets of media at once, N*. Kept
   for it are (burst - 1) N*: with 2 they have the link to themselves for 20 ms, with 1 half of it. */
START_TEST (unused_turns_are_kept)
{
  static Path l;

  for (int burst = 1; burst <= 2; burst++) {
    PaqmParams params = defaults (1e6);

    params.burst = burst;
    params.inner[PAQM_MEDIA].target_bytes = 20e3;
    start (&l, params, 1e6, 50 * CC_MSECOND);
    add (&l, 1, PAQM_MEDIA, false);
    add (&l, 1, PAQM_ELASTIC, false);
    l.flows[0].deaf = l.flows[1].deaf = true;
    l.flows[0].rate_Bps = 10e3;
    l.flows[1].rate_Bps = 1.2e6;
    run (&l, 2);
    l.flows[0].rate_Bps = 0;
    for (int i = 0; i < 20; i++)
      offer (&l, 0, MEDIA_PACKET);
    run (&l, 0.02);
    ck_assert_double_eq_tol (l.sent[PAQM_MEDIA], burst * 10e3, 1.5e3);
  }
}
END_TEST

/* Ten flows that limit themselves to 20 kbyte/s on 1 Mbyte/s of their own: R stays at 1.1 c/flows, and goes to twice
   what the heaviest sends when one sends 80; that fades with 3 s. */
START_TEST (heaviest_flow_bounds_the_rate)
{
  static Path l;
  double heaviest[] = {20e3, 80e3, 20e3}, R[] = {1.1 * 95e3, 160e3, 1.1 * 95e3};

  start (&l, defaults (1e6), 1e6, 50 * CC_MSECOND);
  add (&l, 10, PAQM_MEDIA, false);
  for (int i = 0; i < 10; i++) {
    l.flows[i].deaf = true;
    l.flows[i].rate_Bps = 20e3;
  }
  for (int i = 0; i < 3; i++) {
    l.flows[0].rate_Bps = heaviest[i];
    run (&l, 15);
    ck_assert_double_eq_tol (l.paqm.outer.R, R[i], 0.03 * R[i]);
  }
}
END_TEST

/* The whole link (utilisation 1): the media backlog is kept at the outer loop's N*, 20 kbyte of 1 Mbyte/s. */
START_TEST (full_links_keep_their_backlog)
{
  static Path l;
  PaqmParams params = defaults (1e6);

  params.outer.utilisation = 1;
  params.outer.target_bytes = 20e3;
  start (&l, params, 1e6, 50 * CC_MSECOND);
  add (&l, 8, PAQM_MEDIA, false);
  run (&l, 20);
  run (&l, 30);
  ck_assert_double_eq_tol (mean_delay (&l, PAQM_MEDIA), 0.020, 0.005);
  ck_assert_double_ge (l.sent[PAQM_MEDIA] / seconds (&l), 0.995e6);
}
END_TEST

/* N* in time: 30 ms of half of 1 Mbyte/s, 100 ms of the other half; a tenth for the outer loop; two packets at least.
 */
START_TEST (targets_follow_capacity)
{
  static Path l;
  PaqmParams params = defaults (1e6);

  params.target_delay[PAQM_MEDIA] = 30 * CC_MSECOND;
  params.target_delay[PAQM_ELASTIC] = 100 * CC_MSECOND;
  start (&l, params, 1e6, 50 * CC_MSECOND);
  add (&l, 1, PAQM_MEDIA, false);
  add (&l, 1, PAQM_ELASTIC, true);
  run (&l, 1);
  ck_assert_double_eq (l.paqm.inner[PAQM_MEDIA].params.target_bytes, 15e3);
  ck_assert_double_eq (l.paqm.outer.params.target_bytes, 1.5e3);
  ck_assert_double_eq (l.paqm.inner[PAQM_ELASTIC].params.target_bytes, 50e3);
  paqm_set_capacity (&l.paqm, 0.1e6, l.now);
  ck_assert_double_eq (l.paqm.inner[PAQM_MEDIA].params.target_bytes, 3e3);
  paqm_set_capacity (&l.paqm, 100e6, l.now);
  ck_assert_double_eq (l.paqm.inner[PAQM_MEDIA].params.target_bytes, 0.8 * 100000);
}
END_TEST

/* Four calls, each c/4; the fifth one's first packet makes it c/5, for itself as well. */
START_TEST (newcomers_count_at_once)
{
  static Path l;
  PaqmArrival a = {.cls = PAQM_MEDIA, .flow = 12345, .size_bytes = 1000};
  PaqmFeedback before, after;

  for (int estimated = 0; estimated < 2; estimated++) {
    PaqmParams params = defaults (1e6);

    params.count = estimated ? FLOW_COUNT_ESTIMATED : FLOW_COUNT_EXACT;
    start (&l, params, 1e6, 50 * CC_MSECOND);
    add (&l, 4, PAQM_MEDIA, false);
    run (&l, 10);
    paqm_get_feedback (&l.paqm, &before);
    ck_assert_double_eq_tol (before.R_Bps, 0.95e6 / 4, 0.01e6);
    paqm_on_arrival (&l.paqm, &a, l.now);
    paqm_get_feedback (&l.paqm, &after);
    ck_assert_double_eq_tol (after.R_Bps / before.R_Bps, 0.8, 1e-3);
    ck_assert_double_eq_tol (l.paqm.stats.flows[PAQM_MEDIA], 5, 0.01);
  }
}
END_TEST

/* 1 Mbyte/s, 4 calls: half, then twice the capacity; 6 more calls; elastic comes: R is the new share after 5 s, and the
   media queue short. */
START_TEST (shares_follow_capacity_and_flows)
{
  static Path l;
  PaqmFeedback f;

  start (&l, defaults (1e6), 1e6, 100 * CC_MSECOND);
  add (&l, 4, PAQM_MEDIA, false);
  run (&l, 10);
  for (int i = 0; i < 4; i++) {
    static const double capacity[] = {0.5e6, 2e6, 2e6, 2e6}, media[] = {4, 4, 10, 10}, elastic[] = {0, 0, 0, 5};

    l.capacity_Bps = capacity[i];
    paqm_set_capacity (&l.paqm, capacity[i], l.now);
    if (i == 2)
      add (&l, 6, PAQM_MEDIA, false);
    if (i == 3)
      add (&l, 5, PAQM_ELASTIC, true);
    run (&l, 5);
    paqm_get_feedback (&l.paqm, &f);
    ck_assert (f.valid);
    ck_assert_double_eq_tol (f.R_Bps / (0.95 * capacity[i] / (media[i] + elastic[i])), 1, 0.1);
    run (&l, 5);
    ck_assert_double_lt (mean_delay (&l, PAQM_MEDIA), 0.015);
  }
}
END_TEST

/* Four calls with key frames five times as long every 2 s and 10 s, beside TCP. R holds still, nothing is lost, TCP
   keeps its half. The key frames wait: 0.37 s apart, with 0.05 of the part left to drain them, the four of 10 s add up
   to 4 x 4 x 0.04 s x 1/4 of the part, 160 ms at most. */
START_TEST (long_groups_of_pictures_do_no_harm)
{
  static Path l;

  for (double group = 2; group < 11; group += 8) {
    PaqmParams params = defaults (1e6);

    params.inner[PAQM_MEDIA].target_bytes = 80e3;
    params.outer.target_bytes = 8e3;
    start (&l, params, 1e6, 50 * CC_MSECOND);
    l.group_s = group;
    l.key = 5;
    add (&l, 4, PAQM_MEDIA, false);
    add (&l, 4, PAQM_ELASTIC, true);
    run (&l, 30);
    run (&l, 60);
    ck_assert_double_lt (sqrt (fmax (0, l.R_squares * l.steps / (l.R_sum * l.R_sum) - 1)), 0.03);
    ck_assert_double_lt (mean_delay (&l, PAQM_MEDIA), 0.03);
    ck_assert_double_lt (l.delay_most[PAQM_MEDIA], 0.16);
    ck_assert_uint_eq (lost (&l, PAQM_MEDIA), 0);
    ck_assert_uint_eq (l.paqm.stats.strike_dropped, 0);
    ck_assert_double_ge (l.sent[PAQM_ELASTIC] / seconds (&l), 0.49e6);
    ck_assert_double_ge (l.sent[PAQM_MEDIA] / seconds (&l), 0.44e6);
  }
}
END_TEST

/* Four calls whose key frames of seven times a frame's bytes come at the same time each 2 s, N* 15000 bytes: the
   paper's law drops some of them, with a burst of two N* they wait. */
START_TEST (bursts_of_those_who_follow_wait)
{
  static Path l;
  uint64_t lost_with[2];

  for (int i = 0; i < 2; i++) {
    PaqmParams params = defaults (1e6);

    params.inner[PAQM_MEDIA].target_bytes = 15e3;
    params.outer.target_bytes = 1.5e3;
    params.burst = i + 1;
    start (&l, params, 1e6, 50 * CC_MSECOND);
    l.group_s = 2;
    l.key = 7;
    add (&l, 4, PAQM_MEDIA, false);
    add (&l, 4, PAQM_ELASTIC, true);
    run (&l, 20);
    run (&l, 40);
    lost_with[i] = lost (&l, PAQM_MEDIA);
  }
  ck_assert_uint_gt (lost_with[0], 0);
  ck_assert_uint_eq (lost_with[1], 0);
}
END_TEST

/* Flows that follow ECF: from 40 and 200 kbyte/s to the media half, fair in the end (0.96 each sixth period of 0.6 s:
   in 250 s 0.96^69 = 0.06 of the difference is left), and not struck for what R would have been. */
START_TEST (aggregate_feedback_is_followed)
{
  static Path l;
  PaqmParams params = defaults (1e6);

  params.outer.follow_ecf = true;
  start (&l, params, 1e6, 50 * CC_MSECOND);
  add (&l, 4, PAQM_MEDIA, false);
  add (&l, 4, PAQM_ELASTIC, true);
  for (int i = 0; i < 4; i++) {
    l.flows[i].deaf = true;
    l.flows[i].rate_Bps = i == 0 ? 200e3 : 40e3;
  }
  run (&l, 250);
  run (&l, 30);
  ck_assert_double_eq_tol (l.sent[PAQM_MEDIA] / seconds (&l), 0.475e6, 0.025e6);
  for (int i = 0; i < 4; i++)
    ck_assert_double_eq_tol (l.flow_sent[i] / seconds (&l), 0.475e6 / 4, 0.1 * 0.475e6 / 4);
  ck_assert_uint_eq (l.paqm.stats.strike_dropped, 0);
  ck_assert_uint_eq (lost (&l, PAQM_MEDIA), 0);
}
END_TEST

/* To another target, gain and discipline and back, with packets waiting: they stay counted, and R stays. */
START_TEST (parameters_change_live)
{
  static Path l;
  PaqmParams params;
  double R, backlog;

  start (&l, defaults (1e6), 1e6, 50 * CC_MSECOND);
  add (&l, 4, PAQM_MEDIA, false);
  add (&l, 4, PAQM_ELASTIC, true);
  run (&l, 10);
  R = l.paqm.outer.R;
  backlog = l.paqm.stats.backlog_bytes[PAQM_ELASTIC];
  ck_assert_double_gt (backlog, 0);
  params = l.paqm.params;
  params.discipline = PAQM_DISCIPLINE_FIFO;
  params.outer.alpha = 0.6;
  params.count = FLOW_COUNT_ESTIMATED;
  params.inner[PAQM_ELASTIC].target_bytes = 20e3;
  ck_assert (paqm_set_params (&l.paqm, &params, l.now));
  ck_assert_double_eq (l.paqm.stats.backlog_bytes[PAQM_ELASTIC], backlog);
  ck_assert_uint_eq (paqm_next_timeout (&l.paqm), CC_TIME_NONE);
  run (&l, 0.5);
  ck_assert_uint_eq (l.fifo[1].tail - l.fifo[1].head, 0);
  params.discipline = PAQM_DISCIPLINE_PAQM;
  ck_assert (paqm_set_params (&l.paqm, &params, l.now));
  ck_assert_double_eq_tol (l.paqm.outer.R, R, 0.01 * R);
  run (&l, 10);
  run (&l, 10);
  ck_assert_double_eq_tol (l.sent[PAQM_MEDIA] / seconds (&l), 0.475e6, 0.03e6);
  ck_assert_double_lt (mean_delay (&l, PAQM_ELASTIC), 0.08);
  /* -m ln (1 - 4/m), m = 16384: no whole number */
  ck_assert_double_ne (l.paqm.stats.flows[PAQM_MEDIA], 4);
  ck_assert_double_eq_tol (l.paqm.stats.flows[PAQM_MEDIA], 4, 0.01);
}
END_TEST

/* Nobody says what the link carries. Nothing is told until it was full once; then what departs tells. */
START_TEST (capacity_is_measured_where_unknown)
{
  static Path l;
  PaqmFeedback f;

  start (&l, defaults (0), 1e6, 50 * CC_MSECOND);
  paqm_get_feedback (&l.paqm, &f);
  ck_assert (isinf (f.R_Bps) && !f.valid);
  add (&l, 4, PAQM_MEDIA, false);
  add (&l, 4, PAQM_ELASTIC, true);
  run (&l, 20);
  run (&l, 30);
  ck_assert_double_eq_tol (l.paqm.stats.capacity_Bps, 1e6, 0.05e6);
  ck_assert_double_ge ((l.sent[0] + l.sent[1]) / seconds (&l), 0.93e6);
  ck_assert_double_lt (mean_delay (&l, PAQM_MEDIA), 0.03);
  ck_assert_double_eq_tol (l.sent[PAQM_MEDIA] / seconds (&l), 0.475e6, 0.05e6);
  /* who sends little says nothing of it */
  for (int i = 0; i < 8; i++) {
    l.flows[i].deaf = true;
    l.flows[i].rate_Bps = 0.04e6;
  }
  run (&l, 15);
  ck_assert_double_ge (l.paqm.stats.capacity_Bps, 0.9e6);
  for (int i = 0; i < 8; i++)
    l.flows[i].deaf = false;
  l.capacity_Bps = 0.4e6;
  run (&l, 10);
  run (&l, 10);
  ck_assert_double_eq_tol (l.paqm.stats.capacity_Bps, 0.4e6, 0.04e6);
  ck_assert_double_lt (mean_delay (&l, PAQM_MEDIA), 0.05);
}
END_TEST

/* Measured round-trip times set tau1: the period is their mean plus tau2. */
START_TEST (round_trips_set_the_period)
{
  static Path l;
  CcTime first, second;

  start (&l, defaults (1e6), 1e6, 50 * CC_MSECOND);
  for (int i = 0; i < 500; i++)
    paqm_on_rtt (&l.paqm, (i % 2 ? 150 : 250) * CC_MSECOND);
  paqm_on_rtt (&l.paqm, 0);
  paqm_on_rtt (&l.paqm, 6 * CC_SECOND);
  ck_assert_uint_eq (l.paqm.stats.ignored_rtts, 2);
  add (&l, 1, PAQM_MEDIA, false);
  while (!paqm_on_timeout (&l.paqm, l.now))
    run (&l, 0.01);
  first = l.now;
  do
    run (&l, 0.001);
  while (l.paqm.feedbacks == 1);
  second = l.now;
  ck_assert_double_eq_tol (cc_seconds (second - first), 0.7, 0.02);
}
END_TEST

/* FIFO: everything into one queue, tail drop at its limit, no mark, no feedback, nothing to wait for. */
START_TEST (fifo_is_a_fifo)
{
  Paqm paqm;
  PaqmParams params = defaults (1e6);
  PaqmArrival media = {.cls = PAQM_MEDIA, .size_bytes = 1000},
              elastic = {.cls = PAQM_ELASTIC, .size_bytes = 1000, .ect = true};
  uint32_t heads[PAQM_CLASSES] = {1000, 0};
  PaqmFeedback f;

  params.discipline = PAQM_DISCIPLINE_FIFO;
  params.fifo_limit_bytes = 10000;
  paqm_init (&paqm, &params);
  ck_assert_int_eq (paqm_queue (&paqm, PAQM_ELASTIC), 0);
  for (int i = 0; i < 10; i++)
    ck_assert_int_eq (paqm_on_arrival (&paqm, i % 2 ? &media : &elastic, CC_SECOND), PAQM_ENQUEUE);
  ck_assert_int_eq (paqm_on_arrival (&paqm, &media, CC_SECOND), PAQM_DROP);
  ck_assert_int_eq (paqm_on_arrival (&paqm, &elastic, CC_SECOND), PAQM_DROP);
  ck_assert_int_eq (paqm_next (&paqm, heads), 0);
  paqm_on_departure (&paqm, 0, 1000, CC_SECOND);
  ck_assert_int_eq (paqm_on_arrival (&paqm, &elastic, CC_SECOND), PAQM_ENQUEUE);
  ck_assert_uint_eq (paqm_next_timeout (&paqm), CC_TIME_NONE);
  ck_assert (!paqm_on_timeout (&paqm, 100 * CC_SECOND));
  paqm_get_feedback (&paqm, &f);
  ck_assert (isinf (f.R_Bps) && !f.valid);
  ck_assert_uint_eq (paqm.stats.tail_dropped[PAQM_MEDIA] + paqm.stats.tail_dropped[PAQM_ELASTIC], 2);
}
END_TEST

/* An empty queue takes what is longer than its limit, or it would never leave. */
START_TEST (tail_drop_spares_the_only_packet)
{
  Paqm paqm;
  PaqmParams params = defaults (1e6);
  PaqmArrival big = {.cls = PAQM_MEDIA, .size_bytes = 60000};

  params.inner[PAQM_MEDIA].target_bytes = params.limit_bytes[PAQM_MEDIA] = 3000;
  paqm_init (&paqm, &params);
  ck_assert_int_eq (paqm_on_arrival (&paqm, &big, CC_SECOND), PAQM_ENQUEUE);
  big.size_bytes = 100;
  ck_assert_int_eq (paqm_on_arrival (&paqm, &big, CC_SECOND), PAQM_DROP);
  paqm_on_flush (&paqm);
  ck_assert_int_eq (paqm_on_arrival (&paqm, &big, CC_SECOND), PAQM_ENQUEUE);
}
END_TEST

/* No timer runs without packets, and the next flow gets the link as it is. */
START_TEST (silence_stops_the_clock)
{
  static Path l;
  PaqmFeedback f;

  start (&l, defaults (1e6), 1e6, 50 * CC_MSECOND);
  ck_assert_uint_eq (paqm_next_timeout (&l.paqm), CC_TIME_NONE);
  paqm_on_rtt (&l.paqm, 200 * CC_MSECOND);
  add (&l, 20, PAQM_MEDIA, false);
  run (&l, 5);
  ck_assert_uint_ne (paqm_next_timeout (&l.paqm), CC_TIME_NONE);
  for (int i = 0; i < l.n; i++)
    l.flows[i].on = false;
  run (&l, 2.1);
  ck_assert_uint_eq (paqm_next_timeout (&l.paqm), CC_TIME_NONE);
  l.flows[0].on = true;
  run (&l, 0.1);
  paqm_get_feedback (&l.paqm, &f);
  ck_assert_double_eq (f.R_Bps, 0.95e6);
  /* round-trip times are known still */
  ck_assert_uint_eq (l.paqm.outer.tau1, 200 * CC_MSECOND);
}
END_TEST

/* Asking changes nothing. */
START_TEST (queries_are_pure)
{
  static Path l, copy;
  PaqmFeedback f;
  PaqmStats s;

  start (&l, defaults (1e6), 1e6, 50 * CC_MSECOND);
  add (&l, 3, PAQM_MEDIA, false);
  run (&l, 1);
  copy = l;
  paqm_next_timeout (&l.paqm);
  paqm_get_feedback (&l.paqm, &f);
  paqm_get_stats (&l.paqm, &s);
  ck_assert_mem_eq (&copy.paqm, &l.paqm, sizeof l.paqm);
  ck_assert_uint_eq (s.arrived[PAQM_MEDIA], l.paqm.stats.arrived[PAQM_MEDIA]);
}
END_TEST

START_TEST (parameters_are_refused_with_a_reason)
{
  PaqmParams good = defaults (1e6), bad;
  Paqm paqm;

  ck_assert_ptr_null (paqm_params_refusal (&good));
#define REFUSED(change)                                                                                                \
  do {                                                                                                                 \
    bad = good;                                                                                                        \
    bad.change;                                                                                                        \
    ck_assert_ptr_nonnull (paqm_params_refusal (&bad));                                                                \
    paqm_init (&paqm, &bad);                                                                                           \
    ck_assert_ptr_null (paqm_params_refusal (&paqm.params));                                                           \
    ck_assert (!paqm_set_params (&paqm, &bad, 0));                                                                     \
  } while (0)
  REFUSED (outer.alpha = 1.7);
  REFUSED (outer.beta = 0.8);
  REFUSED (outer.alpha = NAN);
  bad = good;
  bad.outer.alpha = 1.7;
  bad.unstable = true;
  ck_assert_ptr_null (paqm_params_refusal (&bad));
  paqm_init (&paqm, &bad);
  ck_assert_double_eq (paqm.outer.params.alpha, 1.7);
  bad.outer.alpha = 2.1;
  ck_assert_ptr_nonnull (paqm_params_refusal (&bad));
  REFUSED (outer.tau2 = 0);
  REFUSED (outer.utilisation = 1.1);
  REFUSED (outer.floor_Bps = 0);
  REFUSED (outer.ceiling_Bps = 1);
  REFUSED (outer.target_bytes = -1);
  REFUSED (inner[PAQM_MEDIA].target_bytes = 2e5);
  REFUSED (inner[PAQM_ELASTIC].gamma = 0);
  REFUSED (inner[PAQM_MEDIA].K = 2);
  REFUSED (inner[PAQM_MEDIA].dT = 0);
  REFUSED (target_delay[PAQM_MEDIA] = 11 * CC_SECOND);
  REFUSED (burst = 0.5);
  REFUSED (burst = NAN);
  REFUSED (limit_bytes[PAQM_ELASTIC] = 0);
  REFUSED (fifo_limit_bytes = 0);
  REFUSED (capacity_Bps = -1);
  REFUSED (capacity_Bps = NAN);
  REFUSED (tau1 = 6 * CC_SECOND);
  REFUSED (flow_life = 0);
  /* eq. 1 to the letter depends on tau2/d: 0.5/0.6 will do, 0.5/1.3 will not; as eq. 3 both do */
  bad = good;
  bad.outer.literal_ecf = true;
  ck_assert_ptr_null (paqm_params_refusal (&bad));
  bad.tau1 = 800 * CC_MSECOND;
  ck_assert_ptr_nonnull (paqm_params_refusal (&bad));
  bad.outer.literal_ecf = false;
  ck_assert_ptr_null (paqm_params_refusal (&bad));
}
END_TEST

/* Calls in any order with any numbers: verdicts and rates stay sane. */
START_TEST (nonsense_is_survived)
{
  Paqm paqm;
  PaqmParams params = defaults (0);
  CcPcg32 pcg;
  CcTime now = 0;

  params.random = cc_pcg32_init (&pcg, 2);
  paqm_init (&paqm, &params);
  for (int i = 0; i < scaled (200000); i++) {
    uint32_t r = params.random.next (params.random.user);
    PaqmArrival a = {.cls = (PaqmClass)(r % 4), .flow = r, .size_bytes = r % 7 ? r % 3000 : r, .ect = r & 64};
    PaqmFeedback f;

    switch (r >> 28) {
    case 0:
      paqm_set_capacity (&paqm, r % 3 ? pow (10, r % 20) : NAN, now);
      break;
    case 1:
      if (r % 64 == 0)
        paqm_on_flush (&paqm);
      break;
    case 2:
      now = cc_time_add (now, r % 9 ? r % 100000000 : (CcDuration)r << 24);
      break;
    case 3:
      now -= now > 1000000 && r % 5 == 0 ? 1000000 : 0; /* a clock that goes back */
      break;
    case 4:
      paqm_on_departure (&paqm, (int)(r % 4) - 1, r, now);
      break;
    case 5:
      paqm_on_rtt (&paqm, r);
      break;
    default:
      paqm_on_arrival (&paqm, &a, now);
    }
    paqm_on_timeout (&paqm, now);
    paqm_get_feedback (&paqm, &f);
    if (!(f.R_Bps >= params.outer.floor_Bps) || !(paqm.stats.backlog_bytes[0] >= 0) ||
        !(paqm.inner[0].u_star >= 0 && paqm.inner[0].u_star <= 1) || !isfinite (f.ecf.increase_Bps))
      ck_abort_msg ("step %d: R %g backlog %g u* %g", i, f.R_Bps, paqm.stats.backlog_bytes[0], paqm.inner[0].u_star);
  }
  ck_assert_uint_gt (paqm.feedbacks, (unsigned)scaled (100));
}
END_TEST

CC_TEST_MAIN ("paqm", CC_TEST_LONG (classes_share_by_flows), CC_TEST_LONG (without_ecn_elastic_is_dropped),
    CC_TEST_LONG (deaf_media_is_held_to_its_part), strikes_protect_those_who_listen,
    CC_TEST_LONG (full_links_keep_their_backlog), targets_follow_capacity, newcomers_count_at_once,
    CC_TEST_LONG (capacity_is_measured_where_unknown), CC_TEST_LONG (long_groups_of_pictures_do_no_harm),
    CC_TEST_LONG (bursts_of_those_who_follow_wait), CC_TEST_LONG (aggregate_feedback_is_followed),
    parameters_change_live, CC_TEST_LONG (unused_parts_are_used), unused_turns_are_kept, heaviest_flow_bounds_the_rate,
    CC_TEST_LONG (shares_follow_capacity_and_flows), round_trips_set_the_period, ect_1_is_marked_at_once,
    CC_TEST_LONG (marks_at_once_keep_the_queue_short), fifo_is_a_fifo, tail_drop_spares_the_only_packet,
    silence_stops_the_clock, queries_are_pure, parameters_are_refused_with_a_reason, nonsense_is_survived)
