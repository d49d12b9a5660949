/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fecplan.h"
#include "ccrandom.h"
#include "cctest.h"
#include "fecdecoder.h"
#include "fecdose.h"
#include "fecencoder.h"
#include "rtcpbytes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MS CC_MSECOND
#define FRAME (33 * MS)
#define PACKETS 4
#define MOST 80000

static FecPlan plan;

static FecView
view_of (double loss, double burst, CcDuration most)
{
  return (FecView){
      .loss = loss, .burst = burst, .frame_packets = PACKETS, .frame_interval = FRAME, .most = most, .unanswered = 1};
}

static void
plan_for (const FecView *view)
{
  FecPlanParams params;

  fec_plan_params_init (&params);
  fec_plan_init (&plan, &params);
  fec_plan_update (&plan, view);
}

START_TEST (test_nothing_lost_nothing_spent)
{
  FecView view = view_of (0, 1, 400 * MS);

  plan_for (&view);
  ck_assert_double_eq (plan.share, 0);
  ck_assert_uint_eq (plan.wait, 0);
  ck_assert_double_eq (plan.failing, 1);
}
END_TEST

/* Without sums a frame that is hit stays so, and one in 1 - (1 - p)^n is hit; bursts hit fewer. */
START_TEST (test_without_sums)
{
  FecView view = view_of (0.05, 1 / 0.95, 400 * MS);
  FecOutcome o;

  fec_plan_outcome (&view, 0, &o);
  ck_assert_double_eq_tol (o.hit, 1 - pow (0.95, PACKETS), 1e-6);
  ck_assert_double_eq_tol (o.late[FEC_PLAN_FRAMES], o.hit, 1e-9);
  view.burst = 4;
  fec_plan_outcome (&view, 0, &o);
  ck_assert_double_lt (o.hit, 0.11);
  ck_assert_double_gt (o.hit, 0.06);
}
END_TEST

START_TEST (test_more_loss_more_sums)
{
  static const double losses[] = {0.005, 0.02, 0.05, 0.1, 0.2};
  double before = 0;

  for (unsigned i = 0; i < sizeof losses / sizeof *losses; i++) {
    FecView view = view_of (losses[i], 1, 350 * MS);

    plan_for (&view);
    ck_assert_msg (plan.share >= before && plan.share > losses[i], "%g for %g", plan.share, losses[i]);
    ck_assert_double_le (plan.lost, 0.01);
    ck_assert_uint_le (plan.wait, 350 * MS);
    before = plan.share;
  }
}
END_TEST

/* Where an answer is here before anybody notices, sums are not worth their rate. */
START_TEST (test_short_round_trips_need_none)
{
  FecView view = view_of (0.02, 1, 400 * MS);

  view.answer = 35 * MS;
  view.unanswered = 0.001;
  plan_for (&view);
  ck_assert_double_eq (plan.share, 0);
  view.answer = 320 * MS;
  plan_for (&view);
  ck_assert_double_gt (plan.share, 0);
  ck_assert_double_lt (plan.failing, 0.4);
}
END_TEST

/* Answers within two frames, and nearly all: sums are worth it for what need not be sent again. */
START_TEST (test_what_is_sent_again_costs)
{
  FecView view = view_of (0.1, 1 / 0.9, 380 * MS);

  view.answer = 60 * MS;
  view.unanswered = 0.01;
  plan_for (&view);
  ck_assert_double_gt (plan.share, view.loss);
  view.loss = 0.02;
  plan_for (&view);
  ck_assert_double_eq (plan.share, 0);
}
END_TEST

/* Where sums are too dear: a frame that is hit, and those behind it, are late until the answer has come. */
START_TEST (test_what_requests_leave)
{
  FecView view = view_of (0.05, 1 / 0.95, 400 * MS);
  FecPlanParams params;
  double hit = 1 - pow (0.95, PACKETS), behind = 40.0 / 33;

  fec_plan_params_init (&params);
  params.rate_dB = 1e6;
  fec_plan_init (&plan, &params);
  view.answer = 100 * MS;
  view.unanswered = 0.1;
  fec_plan_update (&plan, &view);
  ck_assert_double_eq (plan.share, 0);
  ck_assert_double_eq_tol (plan.late, 1 - pow (1 - hit, behind), 1e-6);
  ck_assert_double_eq_tol (plan.lost, 0.1 * hit, 1e-6);
  ck_assert_double_eq (plan.failing, 1);
  ck_assert_double_eq_tol (plan.delay, hit * (0.100 + 0.067 + 0.034 + 0.001), 0.15 * plan.delay);
  view.answer = 50 * MS;
  fec_plan_update (&plan, &view);
  ck_assert_double_eq (plan.late, 0);
  ck_assert_double_gt (plan.delay, 0.05 * hit);
}
END_TEST

/* As many frames as are needed and two to spare, and no more than a window reaches. */
START_TEST (test_the_wait)
{
  FecView view = view_of (0.02, 1, 350 * MS);

  plan_for (&view);
  ck_assert_uint_eq (plan.wait, 7 * FRAME);
  view.loss = 0.1;
  view.burst = 4;
  plan_for (&view);
  ck_assert_uint_eq (plan.wait, view.most);
  view.frame_packets = 60;
  plan_for (&view);
  ck_assert_double_gt (plan.share, 0);
  ck_assert_uint_le (plan.wait, 4 * FRAME);
}
END_TEST

/* A little more or less of the same loss is no reason to change. */
START_TEST (test_plans_stay)
{
  FecView view = view_of (0.05, 1, 400 * MS);
  double share;
  unsigned changes = 0;

  plan_for (&view);
  share = plan.share;
  for (unsigned i = 0; i < 100; i++) {
    view.loss = i % 2 ? 0.048 : 0.052;
    fec_plan_update (&plan, &view);
    changes += plan.share != share;
    share = plan.share;
  }
  ck_assert_uint_le (changes, 1);
}
END_TEST

/* ---- against the code itself ---- */

static struct {
  FecEncoder encoder;
  FecDecoder decoder;
  CcTime whole[MOST / PACKETS]; /* when the last packet of a frame was there */
  unsigned missing[MOST / PACKETS];
} call;
static CcPcg32 seeded;

typedef struct {
  double begin, end;
  bool in_burst;
  CcRandom random;
} Path;

static bool
loses (Path *p)
{
  p->in_burst = cc_random_uniform (&p->random, 0, 1) < (p->in_burst ? 1 - p->end : p->begin);
  return p->in_burst;
}

static void
arrive (uint32_t number, CcTime now)
{
  if (--call.missing[number / PACKETS] == 0)
    call.whole[number / PACKETS] = now;
}

static void
take (uint32_t last, CcTime now)
{
  uint8_t out[100];

  while (fec_decoder_take (&call.decoder, out, sizeof out) > 0)
    arrive (last + (uint32_t)(int16_t)(rtcp_get_u16 (out + 2) - (uint16_t)last), now);
}

static void
send (Path *p, uint32_t number, CcTime now)
{
  uint8_t packet[20] = {0x80, 96};

  rtcp_put_u16 (packet + 2, (uint16_t)number);
  rtcp_put_u32 (packet + 12, number);
  fec_encoder_on_packet (&call.encoder, packet, sizeof packet, (uint16_t)number, now);
  if (loses (p))
    return;
  fec_decoder_on_packet (&call.decoder, packet, sizeof packet);
  arrive (number, now);
  take (number, now);
}

static void
send_sum (Path *p, uint32_t number, CcTime now)
{
  uint8_t sum[100];
  size_t size = fec_encoder_repair (&call.encoder, sum, sizeof sum, now);

  if (size == 0 || loses (p))
    return;
  fec_decoder_on_sum (&call.decoder, sum, size);
  take (number, now);
}

static void
send_frame (Path *p, FecDose *dose, uint32_t f)
{
  call.whole[f] = CC_TIME_NONE;
  call.missing[f] = PACKETS;
  for (unsigned i = 0; i < PACKETS; i++) {
    FecDosePacket packet = {.frame_end = i == PACKETS - 1, .size_bytes = 1000, .room_bytes = 100000};
    CcTime now = f * FRAME + i * MS;

    send (p, f * PACKETS + i, now);
    for (unsigned k = fec_dose_on_packet (dose, &packet); k > 0; k--)
      send_sum (p, f * PACKETS + i, now + MS);
  }
}

/* Shares of the frames that were late, and not whole for a player that waits as the plan says. */
static void
play (const FecView *v, double *late, double *lost)
{
  double end = 1 / v->burst;
  Path path = {.begin = v->loss * end / (1 - v->loss), .end = end, .random = cc_pcg32_init (&seeded, 11)};
  unsigned frames = (unsigned)scaled (MOST / PACKETS), n_late = 0, n_lost = 0;
  CcTime shown = 0;
  FecDose dose;

  fec_encoder_init (&call.encoder, plan.wait, 1);
  fec_decoder_init (&call.decoder, 0);
  fec_dose_init (&dose);
  fec_dose_set_share (&dose, plan.share);
  for (unsigned f = 0; f < frames; f++)
    send_frame (&path, &dose, f);
  for (unsigned f = 0; f < frames - FEC_PLAN_FRAMES; f++) {
    CcTime given_up = f * FRAME + plan.wait, whole = call.whole[f] < given_up ? call.whole[f] : given_up;

    shown = whole > shown ? whole : shown;
    n_late += shown > f * FRAME + PACKETS * MS + plan.params.patience;
    n_lost += call.whole[f] > given_up;
  }
  *late = (double)n_late / frames;
  *lost = (double)n_lost / frames;
  if (getenv ("FEC_PLAN_VERBOSE") != NULL)
    printf ("%4g %4.2g: share %.3f wait %3g ms, late %.4f (%.4f), lost %.5f (%.5f)\n", v->loss, v->burst, plan.share,
        (double)plan.wait / MS, *late, plan.late, *lost, plan.lost);
}

/* The paths of docs/repair.md at a round trip of 300 ms. */
START_TEST (test_frames_are_late_and_lost_as_expected)
{
  static const struct {
    double loss, burst;
  } paths[] = {{0.02, 1 / 0.98}, {0.05, 1 / 0.95}, {0.1, 1 / 0.9}, {0.2, 1 / 0.8}, {0.02, 4}, {0.05, 4}, {0.1, 4}};

  double slack = slow_machine () ? 3 : 1;

  for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
    FecView view = view_of (paths[i].loss, paths[i].burst, 350 * MS);
    double late, lost;

    plan_for (&view);
    play (&view, &late, &lost);
    ck_assert_msg (fabs (late - plan.late) <= slack * (0.005 + 0.3 * plan.late), "%g %g: %g late, not %g", view.loss,
        view.burst, late, plan.late);
    ck_assert_msg (fabs (lost - plan.lost) <= slack * (0.002 + 0.5 * plan.lost), "%g %g: %g lost, not %g", view.loss,
        view.burst, lost, plan.lost);
  }
}
END_TEST

CC_TEST_MAIN ("fecplan", test_nothing_lost_nothing_spent, test_without_sums, test_more_loss_more_sums,
    test_short_round_trips_need_none, test_what_is_sent_again_costs, test_what_requests_leave, test_the_wait,
    CC_TEST_LONG (test_plans_stay), CC_TEST_LONG (test_frames_are_late_and_lost_as_expected))
