/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources that send packets of 1250 bytes (10000 bit) or, where the rate asks for less, fractions of their credit every
   millisecond; a period of 0.6 s (tau1 + tau2). */
#include "flowstrikes.h"
#include "cctest.h"
#include "ccrandom.h"

#include <math.h>
#include <stdio.h>

#define PERIOD (600 * CC_MSECOND)
#define STEP CC_MSECOND
#define PACKET 1250
#define Mbps(x) ((x)*1e6 / 8)
#define FLOWS 1001

typedef struct {
  double rate_Bps, peak_Bps; /* of a group's first tenth, where above 0: the rest of it makes up for it */
  CcDuration group, offset;
  double credit, offered, passed;
  unsigned struck_periods;
} Source;

static FlowStrikes s;
static Source sources[FLOWS];
static unsigned used; /* of them */
static CcTime now;

static void
setup (unsigned n)
{
  FlowStrikesParams params;

  flow_strikes_params_init (&params);
  params.key = 0x5eed;
  flow_strikes_init (&s, &params);
  used = n;
  for (unsigned i = 0; i < FLOWS; i++)
    sources[i] = (Source){0};
  now = CC_SECOND;
}

static double
rate_at (const Source *f)
{
  CcDuration phase;

  if (!(f->peak_Bps > 0))
    return f->rate_Bps;
  phase = (now + f->offset) % f->group;
  return phase < f->group / 10 ? f->peak_Bps : (f->rate_Bps - 0.1 * f->peak_Bps) / 0.9;
}

static void
send (unsigned i)
{
  Source *f = &sources[i];

  f->credit += rate_at (f) * cc_seconds (STEP);
  while (f->credit >= PACKET) {
    f->credit -= PACKET;
    f->offered += PACKET;
    if (flow_strikes_on_packet (&s, 1000 + i, PACKET, now))
      f->passed += PACKET;
  }
}

static void
run (double R_Bps, CcDuration span)
{
  for (CcTime end = now + span; now < end; now += STEP) {
    for (unsigned i = 0; i < used; i++)
      send (i);
    if ((now - CC_SECOND) % PERIOD == PERIOD - STEP) {
      flow_strikes_on_period (&s, R_Bps, now);
      for (unsigned i = 0; i < used; i++)
        sources[i].struck_periods += flow_strikes_is_struck (&s, 1000 + i);
    }
  }
}

static void
forget_bytes (void)
{
  for (unsigned i = 0; i < used; i++)
    sources[i].offered = sources[i].passed = 0;
}

/* R is 1 Mb/s. The first period tells R only; then four strikes: struck after 3 s. From then on 0.95 R passes, and the
   bucket's 100 ms of R once. The good ones lose nothing. */
START_TEST (test_ill_source_beside_good_ones)
{
  setup (10);
  sources[0].rate_Bps = Mbps (10);
  for (int i = 1; i < 10; i++)
    sources[i].rate_Bps = Mbps (1);
  run (Mbps (1), 5 * PERIOD - STEP);
  ck_assert (!flow_strikes_is_struck (&s, 1000));
  run (Mbps (1), STEP);
  ck_assert (flow_strikes_is_struck (&s, 1000));
  forget_bytes ();
  run (Mbps (1), 30 * CC_SECOND);
  ck_assert_double_eq_tol (sources[0].passed / 30, 0.95 * Mbps (1), 0.01 * Mbps (1));
  for (int i = 1; i < 10; i++) {
    ck_assert_double_eq (sources[i].passed, sources[i].offered);
    ck_assert_uint_eq (sources[i].struck_periods, 0);
  }
  ck_assert_uint_eq (s.struck, 1);
  ck_assert_uint_eq (s.struck_ever, 1);
  ck_assert_double_eq (sources[0].offered - sources[0].passed + 0.0, (double)s.dropped_bytes);
}
END_TEST

/* Just within and just beyond the margin of 25 %. At 1.4 R the excess grows by 0.15 R: 2 s of R are there after 13.3 s;
   at 1.2 R never. */
START_TEST (test_heaviest)
{
  setup (0);
  flow_strikes_on_packet (&s, 1, 1000, now);
  flow_strikes_on_packet (&s, 2, 3000, now);
  flow_strikes_on_packet (&s, 3, 2000, now);
  flow_strikes_on_period (&s, HUGE_VAL, now + 500 * CC_MSECOND);
  ck_assert_double_eq_tol (s.heaviest_Bps, 6000, 1e-6); /* 3000 in 0.5 s */
  flow_strikes_on_period (&s, HUGE_VAL, now + CC_SECOND);
  ck_assert_double_eq (s.heaviest_Bps, 0);
}
END_TEST

START_TEST (test_margin)
{
  setup (2);
  sources[0].rate_Bps = Mbps (1.2);
  sources[1].rate_Bps = Mbps (1.4);
  run (Mbps (1), 13 * CC_SECOND);
  ck_assert_uint_eq (s.struck_ever, 0);
  run (Mbps (1), 2 * CC_SECOND);
  ck_assert (flow_strikes_is_struck (&s, 1001));
  run (Mbps (1), 100 * CC_SECOND);
  ck_assert_uint_eq (sources[0].struck_periods, 0);
}
END_TEST

/* Who obeys is free again after eight periods, 4.8 s; whoever relapses is struck again. */
START_TEST (test_behaving_again)
{
  setup (1);
  sources[0].rate_Bps = Mbps (5);
  run (Mbps (1), 20 * PERIOD);
  ck_assert (flow_strikes_is_struck (&s, 1000));
  sources[0].rate_Bps = Mbps (1);
  run (Mbps (1), 7 * PERIOD);
  ck_assert (flow_strikes_is_struck (&s, 1000));
  run (Mbps (1), PERIOD);
  ck_assert (!flow_strikes_is_struck (&s, 1000));
  ck_assert_uint_eq (s.released, 1);
  ck_assert_uint_eq (s.struck, 0);
  forget_bytes ();
  run (Mbps (1), 10 * PERIOD);
  ck_assert_double_eq (sources[0].passed, sources[0].offered);
  sources[0].rate_Bps = Mbps (5);
  run (Mbps (1), 5 * PERIOD);
  ck_assert (flow_strikes_is_struck (&s, 1000));
  /* gone without a word: its place is free in the end */
  sources[0].rate_Bps = 0;
  run (Mbps (1), 60 * PERIOD);
  ck_assert_uint_eq (s.struck, 0);
  for (int i = 0; i < FLOW_STRIKES_ENTRIES; i++)
    ck_assert_double_eq (s.entries[i].weight, 0);
}
END_TEST

/* Groups of 0.5, 1, 2 and 10 s whose first tenth has 20, 50 and 70 % of the bytes, at R on average, any phase: nobody
   is struck in ten minutes. The excess of a group of 10 s with 70 % at its start is (7 - 1.25) s x R: beyond the
   default tolerance, so that one is left to a tolerance of 10 s. */
START_TEST (test_groups_of_pictures_are_no_offence)
{
  const CcDuration groups[] = {CC_SECOND / 2, CC_SECOND, 2 * CC_SECOND, 10 * CC_SECOND};
  const double heads[] = {0.2, 0.5, 0.7};

  for (int tolerant = 0; tolerant < 2; tolerant++) {
    setup (96);
    s.params.tolerance = tolerant ? 10 * CC_SECOND : 2 * CC_SECOND;
    for (unsigned i = 0; i < 96; i++) {
      unsigned group = i % 4, head = i / 4 % 3;
      if (group == 3 && head > 0 && !tolerant)
        continue;
      sources[i] = (Source){.rate_Bps = Mbps (1),
          .peak_Bps = Mbps (10) * heads[head],
          .group = groups[group],
          .offset = i / 12 * groups[group] / 8};
    }
    run (Mbps (1), (tolerant ? 60 : 600) * CC_SECOND);
    ck_assert_uint_eq (s.struck_ever, 0);
    ck_assert_uint_eq (s.dropped, 0);
  }
}
END_TEST

/* On for 1.2 s, off for 1.2 s at 10 R: half the periods are below R, which does not help: the mean is 5 R. */
START_TEST (test_on_and_off_is_no_way_out)
{
  setup (1);
  for (int i = 0; i < 20; i++) {
    sources[0].rate_Bps = i % 2 ? 0 : Mbps (10);
    run (Mbps (1), 2 * PERIOD);
  }
  ck_assert (flow_strikes_is_struck (&s, 1000));
  ck_assert_uint_ge (sources[0].struck_periods, 30);
}
END_TEST

/* Ten join ten: R is halved, and a flow that follows two periods late is not struck. */
START_TEST (test_time_to_follow)
{
  setup (10);
  for (int i = 0; i < 10; i++)
    sources[i].rate_Bps = Mbps (2);
  run (Mbps (2), 10 * PERIOD);
  run (Mbps (1), 2 * PERIOD);
  for (int i = 0; i < 10; i++)
    sources[i].rate_Bps = Mbps (1);
  run (Mbps (1), 50 * PERIOD);
  ck_assert_uint_eq (s.struck_ever, 0);
}
END_TEST

/* 10-40 packets of flows that never were before each millisecond, 50 Mb/s, and 150 good flows. An ill one that comes
   into that finds a place within a second, is struck four periods later at most, and keeps it. */
START_TEST (test_flood_of_flow_ids)
{
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 3);
  uint64_t made_up = 1000000;
  unsigned periods = 0, lost = 0;

  setup (150);
  for (int i = 1; i < 150; i++)
    sources[i].rate_Bps = Mbps (1);
  for (int i = 0; i < 20000; i++) {
    sources[0].rate_Bps = i < 6000 ? 0 : Mbps (10);
    unsigned ids = (unsigned)cc_random_uniform (&random, 10, 40);
    while (ids-- > 0)
      flow_strikes_on_packet (&s, made_up++, 100 + ids % 400, now);
    run (Mbps (1), STEP);
    periods += i % 600 == 599;
    lost += i % 600 == 599 && periods > 10 + 2 + 4 && !flow_strikes_is_struck (&s, 1000);
  }
  ck_assert_uint_eq (lost, 0);
  ck_assert_uint_eq (s.struck_ever, 1);
  ck_assert_uint_gt (s.displaced, 10000);
  for (int i = 1; i < 150; i++)
    ck_assert_double_eq (sources[i].passed, sources[i].offered);
}
END_TEST

/* 31 flows for each set of eight places, all at R, and one at 10 R that comes later: it is found within 10 s, and
 * nobody else. */
START_TEST (test_one_in_a_thousand)
{
  for (unsigned ill = 0; ill < 5; ill++) {
    setup (1001);
    for (unsigned i = 0; i < used; i++)
      sources[i].rate_Bps = i == ill ? 0 : Mbps (1);
    run (Mbps (1), 5 * CC_SECOND);
    sources[ill].rate_Bps = Mbps (10);
    run (Mbps (1), 10 * CC_SECOND);
    ck_assert (flow_strikes_is_struck (&s, 1000 + ill));
    ck_assert_uint_eq (s.struck_ever, 1);
  }
}
END_TEST

/* Who falls silent, to be displaced by others, is still struck when it comes back: 16 flows a set, and for six periods
   the ill one is the lightest of its own. */
START_TEST (test_struck_keep_their_place)
{
  setup (501);
  sources[0].rate_Bps = Mbps (3);
  run (Mbps (1), 6 * PERIOD);
  ck_assert (flow_strikes_is_struck (&s, 1000));
  for (unsigned i = 1; i < used; i++)
    sources[i].rate_Bps = Mbps (1.2);
  run (Mbps (1), 8 * PERIOD);
  ck_assert (flow_strikes_is_struck (&s, 1000));
  sources[0].rate_Bps = 0;
  run (Mbps (1), 6 * PERIOD);
  ck_assert (flow_strikes_is_struck (&s, 1000));
}
END_TEST

/* Two periods at 100 R are no four strikes. What they exceeded R by counts up to 8 s of R (and a period's budget, 0.75
   s), which takes 35 s at R to use up; then it is forgotten. */
START_TEST (test_excess_is_bounded)
{
  setup (1);
  sources[0].rate_Bps = Mbps (1);
  run (Mbps (1), 2 * PERIOD);
  sources[0].rate_Bps = Mbps (100);
  run (Mbps (1), 2 * PERIOD);
  sources[0].rate_Bps = Mbps (1);
  run (Mbps (1), 60 * PERIOD);
  sources[0].rate_Bps = Mbps (100);
  run (Mbps (1), 2 * PERIOD);
  ck_assert_uint_eq (s.struck_ever, 0);
  /* sooner, the two count */
  sources[0].rate_Bps = Mbps (1);
  run (Mbps (1), 20 * PERIOD);
  sources[0].rate_Bps = Mbps (100);
  run (Mbps (1), 2 * PERIOD);
  ck_assert_uint_eq (s.struck_ever, 1);
}
END_TEST

/* Twenty times as many ill ones as one set holds: struck but for those that find no place, which pass unwatched. */
START_TEST (test_all_ill)
{
  setup (200);
  for (unsigned i = 0; i < used; i++)
    sources[i].rate_Bps = Mbps (5);
  run (Mbps (1), 60 * PERIOD);
  ck_assert_uint_ge (s.struck, 150);
  printf ("%u of %u struck\n", s.struck, used);
  for (unsigned i = 0; i < used; i++)
    if (!flow_strikes_is_struck (&s, 1000 + i))
      ck_assert_uint_gt (s.unwatched, 0);
}
END_TEST

START_TEST (test_without_a_rate_nobody_is_judged)
{
  const double none[] = {HUGE_VAL, 0, -1, NAN};

  setup (1);
  sources[0].rate_Bps = Mbps (10);
  for (int i = 0; i < 4; i++)
    run (none[i], 10 * PERIOD);
  ck_assert_uint_eq (s.struck_ever, 0);
  run (Mbps (1), 10 * PERIOD);
  ck_assert_uint_eq (s.struck, 1);
  /* not known any more: nothing is dropped */
  run (NAN, 2 * PERIOD);
  forget_bytes ();
  run (NAN, 10 * PERIOD);
  ck_assert_double_eq (sources[0].passed, sources[0].offered);
}
END_TEST

START_TEST (test_params_are_checked)
{
  FlowStrikesParams params = {.margin = -1, .keep = NAN, .tolerance = 61 * CC_SECOND, .strikes = 0, .behaved = 256};

  flow_strikes_init (&s, &params);
  ck_assert_double_eq (s.params.margin, 0.25);
  ck_assert_double_eq (s.params.keep, 0.95);
  ck_assert_uint_eq (s.params.tolerance, 2 * CC_SECOND);
  ck_assert_uint_eq (s.params.strikes, 4);
  ck_assert_uint_eq (s.params.behaved, 8);
  flow_strikes_on_period (&s, 1000, 0);
  flow_strikes_on_packet (&s, 1, 100, CC_SECOND);
  flow_strikes_on_period (&s, 1000, CC_SECOND + CC_MSECOND);
  ck_assert (isinf (s.R));
}
END_TEST

CC_TEST_MAIN ("flowstrikes", test_ill_source_beside_good_ones, test_heaviest, test_margin, test_behaving_again,
    CC_TEST_LONG (test_groups_of_pictures_are_no_offence), test_on_and_off_is_no_way_out, test_time_to_follow,
    test_flood_of_flow_ids, CC_TEST_LONG (test_one_in_a_thousand), test_struck_keep_their_place, test_excess_is_bounded,
    CC_TEST_LONG (test_all_ill), test_without_a_rate_nobody_is_judged, test_params_are_checked)
