/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "paqmouter.h"
#include "ccrandom.h"
#include "cctest.h"

#include <math.h>
#include <string.h>

#define STEP_MS 5
#define STEPS_A_FRAME 8 /* 25 frames/s */
#define MAX_FLOWS 64
#define HISTORY 1024 /* steps of signalled rates, for the delay */

/* One flow: frames at 25/s, the first of each group `key` times as long as the others, RTT late in doing as told. */
typedef struct {
  bool on;
  double limit_Bps; /* 0: none */
  double rate_Bps;  /* under ECF: its own */
  unsigned phase;   /* steps */
} Flow;

/* A link with a queue under the loop, in virtual time. */
typedef struct {
  PaqmOuter outer;
  Flow flows[MAX_FLOWS];
  int n;
  double capacity_Bps, rtt, group_s, key;
  bool count_flows; /* the loop is told how many there are */
  double R[HISTORY];
  double backlog; /* bytes, at most 0.5 s worth: the rest is lost */
  unsigned step;
  /* since clear () */
  double arrived, R_sum, R_squares, backlog_sum, backlog_most, R_least, R_most;
  unsigned samples;
} Link;

static void
start_link (Link *l, double capacity_Bps, double rtt, const PaqmOuterParams *params)
{
  memset (l, 0, sizeof *l);
  l->capacity_Bps = capacity_Bps;
  l->rtt = rtt;
  l->key = 1;
  l->group_s = 1;
  l->count_flows = true;
  paqm_outer_init (&l->outer, params);
  paqm_outer_set_tau1 (&l->outer, cc_duration (rtt));
}

static int
flows_on (const Link *l)
{
  int n = 0;

  for (int i = 0; i < l->n; i++)
    n += l->flows[i].on;
  return n;
}

static void
join (Link *l, int flows, double limit_Bps)
{
  for (; flows > 0; flows--) {
    l->flows[l->n] = (Flow){.on = true, .limit_Bps = limit_Bps, .phase = (unsigned)l->n * 37, .rate_Bps = 1e5};
    l->n++;
  }
}

static void
leave (Link *l, int flows)
{
  for (int i = 0; i < l->n && flows > 0; i++) {
    flows -= l->flows[i].on;
    l->flows[i].on = false;
  }
}

static double
frame_weight (const Link *l, const Flow *flow)
{
  unsigned frames = (unsigned)lround (l->group_s * 25), frame = (l->step + flow->phase) / STEPS_A_FRAME % frames;

  return (frame == 0 ? l->key : 1) * frames / (frames - 1 + l->key);
}

static double
rate_now (const Link *l, const Flow *flow)
{
  unsigned late = (unsigned)lround (l->rtt * 1000 / STEP_MS);
  double rate = l->outer.params.follow_ecf ? flow->rate_Bps : l->R[(l->step + HISTORY - late) % HISTORY];

  return flow->limit_Bps > 0 ? fmin (rate, flow->limit_Bps) : rate;
}

static CcTime
link_time (const Link *l)
{
  return CC_SECOND + l->step * (STEP_MS * CC_MSECOND);
}

static void
send_frames (Link *l)
{
  for (int i = 0; i < l->n; i++) {
    const Flow *flow = &l->flows[i];

    if (flow->on && (l->step + flow->phase) % STEPS_A_FRAME == 0) {
      double bytes = rate_now (l, flow) * STEPS_A_FRAME * STEP_MS / 1000 * frame_weight (l, flow);

      l->backlog += bytes;
      l->arrived += bytes;
      paqm_outer_on_arrival (&l->outer, (uint32_t)bytes, link_time (l));
    }
  }
}

/* ECF acts at once here; erf: through l->R. */
static void
take_ecf (Link *l)
{
  const PaqmEcf *ecf = &l->outer.ecf;

  for (int i = 0; i < l->n; i++) {
    Flow *flow = &l->flows[i];

    flow->rate_Bps = ecf->decrease ? flow->rate_Bps * ecf->ratio : flow->rate_Bps + ecf->increase_Bps;
  }
}

static void
clear (Link *l)
{
  l->arrived = l->R_sum = l->R_squares = l->backlog_sum = l->backlog_most = l->R_most = 0;
  l->R_least = HUGE_VAL;
  l->samples = 0;
}

static void
note (Link *l)
{
  double R = l->outer.R;

  l->R_sum += R;
  l->R_squares += R * R;
  l->R_least = fmin (l->R_least, R);
  l->R_most = fmax (l->R_most, R);
  l->backlog_sum += l->backlog;
  l->backlog_most = fmax (l->backlog_most, l->backlog);
  l->samples++;
}

static void
run (Link *l, double seconds)
{
  clear (l);
  paqm_outer_start (&l->outer, l->capacity_Bps, l->count_flows ? flows_on (l) : 0);
  for (int i = 0; i < seconds * 1000 / STEP_MS; i++) {
    l->R[l->step % HISTORY] = l->outer.R;
    send_frames (l);
    l->backlog = fmin (l->backlog, 0.5 * l->capacity_Bps);
    l->backlog = fmax (0, l->backlog - l->capacity_Bps * STEP_MS / 1000);
    paqm_outer_on_backlog (&l->outer, l->backlog, link_time (l));
    if (paqm_outer_next_timeout (&l->outer) <= link_time (l) &&
        paqm_outer_on_timeout (&l->outer, l->capacity_Bps, l->count_flows ? flows_on (l) : 0, link_time (l)))
      take_ecf (l);
    note (l);
    l->step++;
  }
}

static double
use (const Link *l)
{
  return l->arrived / (l->samples * STEP_MS / 1000. * l->capacity_Bps);
}

static double
mean_R (const Link *l)
{
  return l->R_sum / l->samples;
}

static double
cov_R (const Link *l)
{
  return sqrt (fmax (0, l->R_squares / l->samples / mean_R (l) / mean_R (l) - 1));
}

static PaqmOuterParams
defaults (void)
{
  PaqmOuterParams params;

  paqm_outer_params_init (&params);
  return params;
}

/* Numbers by hand. c = 0.95 x 1e6; one flow sends a packet each 10 ms so that `r` arrives, N* 3500, queue `backlog`. */
static PaqmOuter
one_period (PaqmOuterParams params, double tau1, double r, double backlog, double flows)
{
  PaqmOuter outer;
  CcTime now = CC_SECOND, end;

  paqm_outer_init (&outer, &params);
  paqm_outer_set_tau1 (&outer, cc_duration (tau1));
  paqm_outer_start (&outer, 1e6, flows);
  paqm_outer_on_arrival (&outer, 0, now);
  end = paqm_outer_next_timeout (&outer);
  for (; now < end; now += 10 * CC_MSECOND) {
    bool early = now < CC_SECOND + cc_duration (tau1);

    /* what comes within tau1 is not measured */
    paqm_outer_on_arrival (&outer, (uint32_t)(early ? 99999 : r / 100), now);
    paqm_outer_on_backlog (&outer, early ? 1e6 : backlog, now);
  }
  ck_assert (!paqm_outer_on_timeout (&outer, 1e6, flows, end - 1));
  ck_assert (paqm_outer_on_timeout (&outer, 1e6, flows, end));
  return outer;
}

/* 10 flows, R = 95000, d = 0.6. Less than c: N = c/R = 10, R + (0.75 (950000 - 900000) + 0.35 (3500 - 6500)/0.6)/10.
   More: N = r/R = 2 x 10, R + (0.75 (950000 - 1900000) + 0.35 (3500 - 33500)/0.6)/20. */
START_TEST (explicit_rate_by_equation_3)
{
  PaqmOuter outer = one_period (defaults (), 0.1, 900e3, 6500, 10);

  ck_assert_double_eq_tol (outer.r_hat, 900e3, 1);
  ck_assert_double_eq_tol (outer.N_hat, 10, 1e-9);
  ck_assert_double_eq_tol (outer.R, 95e3 + (0.75 * 50e3 - 0.35 * 3000 / 0.6) / 10, 1);
  outer = one_period (defaults (), 0.1, 1900e3, 33500, 10);
  ck_assert_double_eq_tol (outer.N_hat, 20, 1e-9);
  ck_assert_double_eq_tol (outer.R, 95e3 + (-0.75 * 950e3 - 0.35 * 30e3 / 0.6) / 20, 1);
}
END_TEST

/* tau1 = 0.1, tau2 = 0.5: eq. 1 has d/tau2 = 1.2; as in eq. 3 it has 1. Decrease: r'/r; increase: (r' - r)/10. */
START_TEST (aggregate_rate_by_equation_1)
{
  PaqmOuterParams params = defaults ();
  double change = 0.75 * (950e3 - 1100e3) + 0.35 * (3500 - 15500) / 0.6;
  PaqmOuter outer = one_period (params, 0.1, 1100e3, 15500, 10);

  ck_assert (outer.ecf.decrease);
  ck_assert_double_eq_tol (outer.ecf.ratio, 1 + change / 1100e3, 1e-9);
  params.literal_ecf = true;
  outer = one_period (params, 0.1, 1100e3, 15500, 10);
  ck_assert_double_eq_tol (outer.ecf.ratio, 1 + 1.2 * change / 1100e3, 1e-9);
  outer = one_period (params, 0.1, 800e3, 3500, 10);
  ck_assert (!outer.ecf.decrease);
  ck_assert_double_eq_tol (outer.ecf.increase_Bps, 1.2 * 0.75 * 150e3 / 10, 1e-6);
  /* tau1 = 0.8: alpha would count 2.6 times, which no beta makes stable */
  outer = one_period (params, 0.8, 800e3, 3500, 10);
  ck_assert_double_eq_tol (outer.ecf.increase_Bps, 0.75 * 150e3 / 10, 1e-6);
  /* never below a tenth */
  outer = one_period (defaults (), 0.1, 9e6, 1e6, 10);
  ck_assert (outer.ecf.decrease && outer.ecf.ratio >= 0.1 && outer.ecf.ratio < 1);
  params.alpha = 2;
  outer = one_period (params, 0.5, 50e6, 1e6, 10);
  ck_assert_double_eq (outer.ecf.ratio, 0.1);
}
END_TEST

/* r a little above c, for ever: five ratios above 0.96, then 0.96, then again. */
START_TEST (sixth_small_decrease_is_a_large_one)
{
  PaqmOuterParams params = defaults ();
  PaqmOuter outer;
  CcTime now = CC_SECOND;
  double ratios[12];

  params.utilisation = 1;
  paqm_outer_init (&outer, &params);
  paqm_outer_start (&outer, 1e6, 10);
  for (int i = 0; i < 12; now += 10 * CC_MSECOND) {
    paqm_outer_on_arrival (&outer, 10100, now);
    paqm_outer_on_backlog (&outer, 3500, now);
    if (paqm_outer_on_timeout (&outer, 1e6, 10, now))
      ratios[i++] = outer.ecf.ratio;
  }
  for (int i = 0; i < 12; i++)
    if (i % 6 == 5)
      ck_assert_double_eq (ratios[i], 0.96);
    else
      ck_assert_double_gt (ratios[i], 0.96);
}
END_TEST

START_TEST (periods_are_tau1_and_tau2)
{
  PaqmOuterParams params = defaults ();
  PaqmOuter outer;

  paqm_outer_init (&outer, &params);
  paqm_outer_set_tau1 (&outer, 100 * CC_MSECOND);
  ck_assert_uint_eq (paqm_outer_next_timeout (&outer), CC_TIME_NONE);
  paqm_outer_on_arrival (&outer, 1000, 5 * CC_SECOND);
  ck_assert_uint_eq (paqm_outer_next_timeout (&outer), 5600 * CC_MSECOND);
  /* the running period keeps its length */
  paqm_outer_set_tau1 (&outer, 300 * CC_MSECOND);
  ck_assert_uint_eq (paqm_outer_next_timeout (&outer), 5600 * CC_MSECOND);
  ck_assert (paqm_outer_on_timeout (&outer, 1e6, 1, 5600 * CC_MSECOND));
  ck_assert_uint_eq (paqm_outer_next_timeout (&outer), 6400 * CC_MSECOND);
  paqm_outer_set_tau1 (&outer, 3600 * CC_SECOND);
  paqm_outer_on_timeout (&outer, 1e6, 1, 6400 * CC_MSECOND);
  ck_assert_uint_eq (paqm_outer_next_timeout (&outer), 6400 * CC_MSECOND + 5500 * CC_MSECOND);
}
END_TEST

/* Smooth flows: 0.95 of the link, the same R at any round-trip time and count. */
START_TEST (smooth_flows_fill_the_link)
{
  static Link l;
  static const double rtts[] = {0.005, 0.1, 0.4, 0.8};
  PaqmOuterParams params = defaults ();

  for (size_t i = 0; i < 4; i++)
    for (int n = 1; n <= 50; n += 7) {
      start_link (&l, 1e6, rtts[i], &params);
      l.count_flows = i % 2;
      join (&l, n, 0);
      run (&l, 40);
      run (&l, 20);
      ck_assert_double_eq_tol (use (&l), 0.95, 0.02);
      ck_assert_double_lt (cov_R (&l), 0.01);
      /* nothing but the frames themselves waits: all at once at worst */
      ck_assert_double_lt (l.backlog_most, 1.1 * 1e6 / 25);
    }
}
END_TEST

/* Groups of 2 s and 10 s with key frames ten times as long against tau2 = 0.5 s. Their bytes queue, whatever R does:
   one flow's key frame takes 0.4 s of its rate on top. R must not swing with them: it stays within a tenth of its mean
   where the last tau2 alone makes it swing by a quarter and more. */
START_TEST (long_groups_of_pictures_do_not_swing_the_rate)
{
  static Link l;
  PaqmOuterParams params = defaults (), paper = params;

  paper.paper_window = true;
  for (double group = 2; group < 11; group += 8)
    for (int n = 4; n <= 32; n *= 2) {
      double cov, use_of;

      start_link (&l, 1e6, 0.1, &params);
      l.group_s = group;
      l.key = 10;
      join (&l, n, 0);
      run (&l, 30);
      run (&l, 60);
      cov = cov_R (&l);
      use_of = use (&l);
      ck_assert_double_lt (cov, 0.06);
      ck_assert_double_gt (use_of, 0.88);
      ck_assert_double_lt (use_of, 0.97);
      start_link (&l, 1e6, 0.1, &paper);
      l.group_s = group;
      l.key = 10;
      join (&l, n, 0);
      run (&l, 30);
      run (&l, 60);
      ck_assert_msg (
          cov < 0.75 * cov_R (&l), "group %g s, %d flows: %g, with the paper's window %g", group, n, cov, cov_R (&l));
    }
}
END_TEST

/* Within 4 s, 7 periods, R is within 10 % of the new share, counted or not. */
static void
expect_share (Link *l, double share)
{
  run (l, 4);
  run (l, 1);
  ck_assert_msg (fabs (mean_R (l) / share - 1) < 0.1, "%g instead of %g", mean_R (l), share);
}

START_TEST (joins_and_leaves_settle_in_a_few_periods)
{
  static Link l;
  PaqmOuterParams params = defaults ();

  for (int counted = 0; counted < 2; counted++)
    for (double group = 0.4; group < 11; group *= 5) {
      start_link (&l, 1e6, 0.1, &params);
      l.count_flows = counted;
      l.group_s = group;
      l.key = 2;
      join (&l, 5, 0);
      run (&l, 30);
      join (&l, 5, 0);
      expect_share (&l, 95e3);
      run (&l, 30);
      leave (&l, 6);
      expect_share (&l, 950e3 / 4);
      l.capacity_Bps = 0.5e6;
      expect_share (&l, 475e3 / 4);
      l.capacity_Bps = 2e6;
      expect_share (&l, 1900e3 / 4);
    }
}
END_TEST

/* R is a tenth of what it should be: with a count of flows (N = flows) it is there after 3 periods. */
START_TEST (counted_flows_find_their_share_soon)
{
  static Link l;
  PaqmOuterParams params = defaults ();

  start_link (&l, 1e6, 0.1, &params);
  join (&l, 40, 0);
  run (&l, 10);
  leave (&l, 36);
  run (&l, 2.4);
  ck_assert_double_eq_tol (l.outer.R, 950e3 / 4, 0.1 * 950e3 / 4);
}
END_TEST

/* Joins, 10 s apart, have shown changes of 0.2 and more; as many that leave, each a change no larger, are noticed all
   the same where flows are counted: 4 s later R is within 5 % of the new share. */
START_TEST (who_leaves_is_noticed_where_flows_are_counted)
{
  static Link l;
  PaqmOuterParams params = defaults ();

  start_link (&l, 1e6, 0.06, &params);
  for (int n = 1; n <= 5; n++) {
    join (&l, 1, 0);
    run (&l, 10);
  }
  for (int n = 4; n >= 1; n--) {
    leave (&l, 1);
    run (&l, 4);
    ck_assert_double_eq_tol (l.outer.R, 950e3 / n, 0.05 * 950e3 / n);
    run (&l, 6);
  }
}
END_TEST

/* L4: one newcomer after the other beside flows whose groups of pictures call for a long average. It is taken to have
   come with its share; else r would lag behind, R not fall far enough, and the queue grow while they come. */
START_TEST (newcomers_are_counted_in_what_is_averaged)
{
  static Link l;
  PaqmOuterParams params = defaults ();
  double most = 0;

  start_link (&l, 5e6, 0.05, &params);
  l.key = 4;
  join (&l, 16, 0);
  run (&l, 40);
  for (int i = 0; i < 40; i++) {
    join (&l, 1, 0);
    run (&l, 0.25);
    most = fmax (most, use (&l));
  }
  ck_assert_double_lt (most, 1.1);
  ck_assert_double_lt (l.backlog_most, 0.01 * l.capacity_Bps);
  ck_assert_double_eq_tol (l.outer.R, 4750e3 / 56, 0.06 * 4750e3 / 56);
}
END_TEST

/* Ten flows of 20 kbyte/s each on 1 Mbyte/s use 0.2 of it. R ends at c. Beyond 1.1 c/flows it grows by 1.08 a period;
   when four of the flows take what they may, the link is theirs, not overloaded for long. */
START_TEST (unused_shares_do_not_run_away)
{
  static Link l;
  PaqmOuterParams params = defaults ();
  double R;

  start_link (&l, 1e6, 0.1, &params);
  join (&l, 10, 20e3);
  run (&l, 1.2);
  R = l.outer.R;
  ck_assert_double_le (R, 1.101 * 1.08 * 95e3);
  for (int i = 0; i < 8; i++, R = l.outer.R) {
    run (&l, 0.6);
    ck_assert_double_le (l.outer.R, 1.081 * fmax (R, 95e3 * 1.1 / 1.08));
  }
  run (&l, 60);
  ck_assert_double_eq (l.outer.R, 950e3);
  for (int i = 0; i < 4; i++)
    l.flows[i].limit_Bps = 0;
  run (&l, 5);
  run (&l, 20);
  ck_assert_double_eq_tol (mean_R (&l), (950e3 - 6 * 20e3) / 4, 0.05 * 950e3 / 4);
  ck_assert_double_eq_tol (use (&l), 0.95, 0.02);
}
END_TEST

/* As above, with the heaviest at 80 kbyte/s: R ends at twice that; at 20 kbyte/s: at 1.1 c/flows = 104.5. */
START_TEST (heaviest_flow_bounds_the_rate)
{
  static Link l;
  PaqmOuterParams params = defaults ();

  start_link (&l, 1e6, 0.1, &params);
  join (&l, 10, 20e3);
  paqm_outer_set_heaviest (&l.outer, 80e3);
  run (&l, 60);
  ck_assert_double_eq (l.outer.R, 160e3);
  paqm_outer_set_heaviest (&l.outer, 20e3);
  run (&l, 1);
  ck_assert_double_eq_tol (l.outer.R, 104.5e3, 1e-6);
  paqm_outer_set_heaviest (&l.outer, NAN);
  run (&l, 60);
  ck_assert_double_eq (l.outer.R, 950e3);
}
END_TEST

/* Ten flows told 95 kbyte/s each: 900 is as told, 1900 is twice that. Nothing is known before a period has ended, or of
   an unknown number. */
START_TEST (who_sends_more_than_told_does_not_follow)
{
  PaqmOuterParams params = defaults ();
  PaqmOuter outer = one_period (params, 0.1, 900e3, 3500, 10);

  ck_assert (paqm_outer_is_followed (&outer));
  outer = one_period (params, 0.1, 1900e3, 3500, 10);
  ck_assert (!paqm_outer_is_followed (&outer));
  outer = one_period (params, 0.1, 900e3, 3500, 0);
  ck_assert (!paqm_outer_is_followed (&outer));
  paqm_outer_init (&outer, &params);
  paqm_outer_start (&outer, 1e6, 10);
  ck_assert (!paqm_outer_is_followed (&outer));
  params.follow_ecf = true;
  outer = one_period (params, 0.1, 900e3, 3500, 10);
  ck_assert (paqm_outer_is_followed (&outer));
  outer = one_period (params, 0.1, 1900e3, 3500, 10);
  ck_assert (!paqm_outer_is_followed (&outer));
}
END_TEST

/* As above up to R = 200 kbyte/s; then packets are lost, once a period: of what R has above c/flows = 95000 half is
   left each time, and the link is not full, so that eq. 3 alone would not fall. Below c/flows loss takes nothing. */
START_TEST (loss_takes_back_what_is_above_the_share)
{
  static Link l;
  PaqmOuterParams params = defaults ();
  double R;

  start_link (&l, 1e6, 0.1, &params);
  join (&l, 10, 20e3);
  while (l.outer.R < 200e3 && l.step < 20000)
    run (&l, 0.6);
  ck_assert_double_ge (l.outer.R, 200e3);
  for (int i = 0; i < 5; i++) {
    uint64_t period = l.outer.periods;

    R = l.outer.R;
    paqm_outer_on_loss (&l.outer);
    while (l.outer.periods == period)
      run (&l, 0.005);
    ck_assert_double_eq_tol (l.outer.R - 95e3, (R - 95e3) / 2, 1);
  }
  R = l.outer.R = 50e3;
  paqm_outer_on_loss (&l.outer);
  run (&l, 0.6);
  ck_assert_double_ge (l.outer.R, R);
}
END_TEST

/* R falls at once in proportion, before anything is measured. */
START_TEST (joins_that_are_counted_act_at_once)
{
  static Link l;
  PaqmOuterParams params = defaults ();
  double R;

  start_link (&l, 1e6, 0.1, &params);
  join (&l, 4, 0);
  run (&l, 20);
  R = l.outer.R;
  paqm_outer_set_share (&l.outer, 1e6, 8, link_time (&l));
  ck_assert_double_eq_tol (l.outer.R, R / 2, 1e-6);
  /* who leaves leaves it so; and a link that shrinks with them as elastic flows would have it */
  paqm_outer_set_share (&l.outer, 1e6, 4, link_time (&l));
  ck_assert_double_eq_tol (l.outer.R, R / 2, 1e-6);
  paqm_outer_set_share (&l.outer, 0.5e6, 2, link_time (&l));
  ck_assert_double_eq_tol (l.outer.R, R / 2, 1e-6);
  /* the link alone: both ways */
  paqm_outer_set_share (&l.outer, 1e6, 2, link_time (&l));
  ck_assert_double_eq_tol (l.outer.R, R, 1e-6);
  paqm_outer_set_share (&l.outer, 0.5e6, 2, link_time (&l));
  paqm_outer_set_share (&l.outer, 1e6, 8, link_time (&l));
  ck_assert_double_eq_tol (l.outer.R, R / 4, 1e-6);
  join (&l, 4, 0);
  run (&l, 20);
  ck_assert_double_lt (l.backlog_most, 1e6 / 10);
  ck_assert_double_eq_tol (mean_R (&l), 950e3 / 8, 0.05 * 950e3 / 8);
}
END_TEST

/* Rates start apart, 100 and 300 kbyte/s, or 3, with a full link. A cut by 0.04 each sixth period of 0.5 s takes as
   much of the difference: in 200 s, 0.96^67 = 0.065 of it are left. */
START_TEST (aggregate_feedback_is_fair_in_the_end)
{
  static Link l;
  PaqmOuterParams params = defaults ();
  double least = HUGE_VAL, most = 0;

  params.follow_ecf = true;
  start_link (&l, 1e6, 0, &params);
  join (&l, 4, 0);
  l.flows[0].rate_Bps = 300e3;
  run (&l, 200);
  run (&l, 20);
  ck_assert_double_eq_tol (use (&l), 0.95, 0.03);
  for (int i = 0; i < l.n; i++) {
    least = fmin (least, l.flows[i].rate_Bps);
    most = fmax (most, l.flows[i].rate_Bps);
  }
  ck_assert_double_lt (most / least, 1.2);
}
END_TEST

/* A parking lot as fluid: three links of 1 Mbyte/s, one long flow over all, a short one on each. */
typedef struct {
  PaqmOuter outer[3];
  double long_Bps, short_Bps[3], told[3]; /* told: what the long one would send by each link alone */
} Lot;

static double
changed (const PaqmEcf *ecf, double rate)
{
  return ecf->decrease ? rate * ecf->ratio : rate + ecf->increase_Bps;
}

/* by_link: the long flow has a rate for each link, within twice what it sends, and sends the least; else each link's
   change applies to what it sends. */
static void
run_lot (Lot *l, double long_Bps, double seconds, bool by_link)
{
  PaqmOuterParams params = defaults ();

  params.follow_ecf = true;
  *l = (Lot){.long_Bps = long_Bps};
  for (int i = 0; i < 3; i++) {
    paqm_outer_init (&l->outer[i], &params);
    paqm_outer_set_tau1 (&l->outer[i], (CcDuration)(50 + 7 * i) * CC_MSECOND);
    paqm_outer_start (&l->outer[i], 1e6, 2);
    l->told[i] = long_Bps;
    l->short_Bps[i] = 950e3 - long_Bps;
  }
  for (CcTime now = CC_SECOND; now < CC_SECOND + cc_duration (seconds); now += 10 * CC_MSECOND)
    for (int i = 0; i < 3; i++) {
      paqm_outer_on_arrival (&l->outer[i], (uint32_t)((l->long_Bps + l->short_Bps[i]) / 100), now);
      paqm_outer_on_backlog (&l->outer[i], params.target_bytes, now);
      if (!paqm_outer_on_timeout (&l->outer[i], 1e6, 2, now))
        continue;
      l->short_Bps[i] = changed (&l->outer[i].ecf, l->short_Bps[i]);
      l->told[i] = changed (&l->outer[i].ecf, by_link ? fmin (l->told[i], 2 * l->long_Bps) : l->long_Bps);
      l->long_Bps = fmin (l->told[0], fmin (l->told[1], l->told[2]));
    }
}

/* Equal at first, the long flow is worn down: it takes the decreases of three full links and the least of their
   increases. With a rate for each link both come to 475 kbyte/s, from far apart too, the difference fading by 0.96 in
   six periods of 0.56 s: 0.03 of 750 kbyte/s are left after 300 s. */
START_TEST (aggregate_feedback_wears_long_paths_down)
{
  static Lot l;

  run_lot (&l, 475e3, 200, false);
  ck_assert_double_lt (l.long_Bps, 0.25 * l.short_Bps[0]);
  run_lot (&l, 100e3, 300, true);
  for (int i = 0; i < 3; i++)
    ck_assert_double_gt (l.long_Bps, 0.9 * l.short_Bps[i]);
}
END_TEST

/* 100 flows of at least 30 kb/s do not fit into 1 Mb/s: R stays at the floor, and comes back. */
START_TEST (floor_and_ceiling_hold)
{
  static Link l;
  PaqmOuterParams params = defaults ();

  start_link (&l, 125e3, 0.1, &params);
  join (&l, 64, 0);
  run (&l, 20);
  ck_assert_double_eq (l.outer.R, 3750);
  ck_assert_double_eq (l.R_least, 3750);
  params.ceiling_Bps = 1e5;
  start_link (&l, 1e6, 0.1, &params);
  join (&l, 1, 0);
  run (&l, 20);
  ck_assert_double_eq (l.outer.R, 1e5);
}
END_TEST

START_TEST (nonsense_is_survived)
{
  PaqmOuterParams bad = {
      .alpha = NAN, .beta = -1, .tau2 = 0, .utilisation = 3, .target_bytes = NAN, .floor_Bps = -1, .ceiling_Bps = NAN};
  PaqmOuter outer;
  static const double c[] = {0, -1, NAN, 1e-9, 1e14, 1e6, 1e-9, 1e6};
  static const double flows[] = {0, -1, NAN, 1e300, 1e-300, 1, HUGE_VAL, 1};

  paqm_outer_init (&outer, &bad);
  ck_assert_double_eq (outer.params.alpha, 0.75);
  ck_assert_double_eq (outer.params.utilisation, 0.95);
  ck_assert_uint_eq (outer.params.tau2, CC_SECOND / 2);
  for (int i = 0; i < 64; i++) {
    CcTime now = (CcTime)(i + 1) * CC_SECOND;

    paqm_outer_on_arrival (&outer, i % 3 ? UINT32_MAX : 0, now);
    paqm_outer_on_backlog (&outer, i % 5 ? NAN : 1e12, now);
    paqm_outer_set_share (&outer, c[i / 8], flows[i % 8], now);
    paqm_outer_on_timeout (&outer, c[i % 8], flows[i / 8], now);
    ck_assert (isfinite (outer.R) && outer.R >= 0);
    ck_assert (isfinite (outer.ecf.increase_Bps) && outer.ecf.increase_Bps >= 0);
    ck_assert (!outer.ecf.decrease || (outer.ecf.ratio >= 0.1 && outer.ecf.ratio < 1));
  }
}
END_TEST

CC_TEST_MAIN ("paqmouter", explicit_rate_by_equation_3, aggregate_rate_by_equation_1,
    sixth_small_decrease_is_a_large_one, periods_are_tau1_and_tau2, smooth_flows_fill_the_link,
    long_groups_of_pictures_do_not_swing_the_rate, joins_and_leaves_settle_in_a_few_periods,
    counted_flows_find_their_share_soon, who_leaves_is_noticed_where_flows_are_counted,
    newcomers_are_counted_in_what_is_averaged, unused_shares_do_not_run_away, heaviest_flow_bounds_the_rate,
    who_sends_more_than_told_does_not_follow, loss_takes_back_what_is_above_the_share,
    joins_that_are_counted_act_at_once, aggregate_feedback_is_fair_in_the_end, aggregate_feedback_wears_long_paths_down,
    floor_and_ceiling_hold, nonsense_is_survived)
