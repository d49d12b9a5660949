/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rasvbr.h"
#include "cctest.h"

#include <math.h>

#define FPS 30
#define FRAME (CC_SECOND / FPS)

/* --- per GOP ------------------------------------------------------------------------------------------------------ */

/* MPEG-4 scale, q = 8, GOPs of 12 frames in 0.4 s: r = 30000 bytes a GOP, b = 45000. */
static void
gop_init (Rasvbr *s, RasvbrCoupling coupling)
{
  QuantizerScale scale;
  RasvbrParams params;

  quantizer_scale_mpeg4 (&scale);
  rasvbr_params_init (&params, &scale);
  params.interval = RASVBR_PER_GOP;
  params.coupling = coupling;
  params.nominal = 8;
  params.rate_Bps = 75000;
  rasvbr_init (s, &params);
}

static void
gop_frames (Rasvbr *s, int n, double bytes_of_gop)
{
  for (int i = 0; i < n; i++)
    rasvbr_on_frame (s, (uint32_t)(bytes_of_gop / 12), s->gop_frame == 0, s->Q, s->stats.frames * FRAME);
}

/* GOP 1: R = 40000 at Q = 8. X = min (45000, 0 + 40000); e1 = 1 - (1 - 8/9)^5 = 0.9999831;
   R^ = 30000 + 10000 (1 - e1) = 30000.17; Q = 8 * 40000 / 30000.17 = 10.67.
   GOP 2: 24000 at 11. X = 40000 - 30000 + 24000; R_open = 24000 * 11 / 8 = 33000; e1 = 1 - (1 - 34/45)^5 = 0.9991272;
   R^ = 30000 + 3000 (1 - e1) = 30002.62; Q = 8 * 33000 / 30002.62 = 8.80.
   GOP 3: 20000 at 9 (as multiples of 12: 19992). X = 34000 - 30000 + 19992 = 23992; R_open = 19992 * 9 / 8 = 22491;
   e2 = (23992 / 45000)^5 = 0.043080; R^ = e2 22491 + (1 - e2) 30000 = 29676.5; Q = 8 * 22491 / 29676.5 = 6.06. */
START_TEST (test_equations_1_and_2)
{
  Rasvbr s;

  gop_init (&s, RASVBR_DIRECT);
  gop_frames (&s, 12, 39996);
  ck_assert_double_eq_tol (s.X, 39996, 1);
  ck_assert_double_eq_tol (s.e1, 0.9999831, 1e-6);
  ck_assert_double_eq_tol (s.R_open, 39996, 1);
  ck_assert_double_eq_tol (s.R_hat, 30000.17, 1);
  ck_assert_int_eq (rasvbr_next (&s, true), 11);
  gop_frames (&s, 12, 24000);
  ck_assert_double_eq_tol (s.X, 33996, 2);
  ck_assert_double_eq_tol (s.R_open, 33000, 2);
  ck_assert_double_eq_tol (s.e1, 0.99912, 2e-5);
  ck_assert_double_eq_tol (s.R_hat, 30002.6, 1);
  ck_assert_int_eq (rasvbr_next (&s, true), 9);
  gop_frames (&s, 12, 20000);
  ck_assert_double_eq_tol (s.X, 23988, 3);
  ck_assert_double_eq_tol (s.R_open, 22491, 2);
  ck_assert_double_eq_tol (s.e2, 0.04304, 1e-4);
  ck_assert_double_eq_tol (s.R_hat, 29676.8, 2);
  ck_assert_int_eq (rasvbr_next (&s, false), 6);
  ck_assert_uint_eq (s.stats.gops, 3);
}
END_TEST

/* After 3 of 12 frames 20000 bytes a GOP: r' = 30000 * 3/12 + 20000 * 9/12 = 22500, b' = 45000 * 3/12 + 30000 * 9/12 =
   33750. X = min (33750, 39996 - 22500 + 9996 = 27492); with 20004 it would be 37500. */
START_TEST (test_equation_3_a_rate_in_mid_gop)
{
  Rasvbr s;

  for (int full = 0; full < 2; full++) {
    gop_init (&s, RASVBR_DIRECT);
    gop_frames (&s, 12, 39996);
    gop_frames (&s, 3, full ? 20004 : 9996);
    rasvbr_on_rate (&s, 50000, 0);
    gop_frames (&s, 9, full ? 20004 : 9996);
    ck_assert_double_eq_tol (s.X, full ? 33750 : 27492, 2);
    ck_assert_double_eq_tol (rasvbr_bucket (&s), 30000, 1e-6); /* the next GOP's */
  }
}
END_TEST

/* Feedbacks of 75000 with 0 and 50 packets waiting: r = 75000 (1 + exp (-0.5)) / 2 = 60244.9 bytes/s, 24098 a GOP,
   b'' = 0.6 * 60244.9 = 36147. X = min (b'', 39996 - 24098 + 9996 = 25894). */
START_TEST (test_equation_4_the_backlog_decays_the_rate)
{
  Rasvbr s;

  gop_init (&s, RASVBR_BACKLOG);
  gop_frames (&s, 12, 39996);
  rasvbr_on_rate (&s, 75000, 0);
  gop_frames (&s, 6, 9996);
  rasvbr_on_rate (&s, 75000, 50);
  ck_assert_double_eq_tol (rasvbr_leak_rate (&s), 60244.9, 0.1);
  ck_assert_double_eq_tol (rasvbr_bucket (&s), 36147, 0.1);
  gop_frames (&s, 6, 9996);
  ck_assert_double_eq_tol (s.X, 25894, 2);
  /* no feedback in a GOP: the last one holds, 75000 exp (-0.5) */
  ck_assert_double_eq_tol (rasvbr_leak_rate (&s), 45489.8, 0.1);
}
END_TEST

/* The picture's GOP takes c / Q bytes: R_open > r, so R settles where (1 - e1) (R_open - r) is nothing. */
START_TEST (test_per_gop_settles_at_the_rate)
{
  static const double complexity[] = {100000, 200000, 400000};

  for (size_t k = 0; k < 3; k++) {
    Rasvbr s;
    double sum = 0;
    gop_init (&s, RASVBR_DIRECT);
    for (int gop = 0; gop < 60; gop++) {
      double R = 12 * floor (complexity[k] * 2 / s.Q / 12);
      gop_frames (&s, 12, R);
      sum += gop >= 20 ? R : 0;
    }
    /* Q = 6.7, 13.3, 26.7: between whole values the rate is missed by up to half a value */
    ck_assert_double_eq_tol (sum / 40 / 30000, 1, 0.08);
  }
}
END_TEST

START_TEST (test_a_key_frame_ends_a_gop)
{
  Rasvbr s;

  gop_init (&s, RASVBR_DIRECT);
  gop_frames (&s, 6, 60000);
  rasvbr_on_frame (&s, 10000, true, s.Q, 6 * FRAME);
  /* 30000 in half a GOP would have been 60000 in one */
  ck_assert_uint_eq (s.stats.gops, 1);
  ck_assert_double_eq_tol (s.R_open, 60000, 2);
  ck_assert_double_eq_tol (s.X, 30000, 1); /* b' is a rate's, whatever the GOP's length */
}
END_TEST

/* --- per frame ---------------------------------------------------------------------------------------------------- */

/* A picture whose frames take size / step^slope, key frames `key` times that. */
typedef struct {
  Rasvbr s;
  double size, slope, key, noise;
  int distance, n;
  double sent, deepest;
} Camera;

static void
camera_init (Camera *c, double rate_Bps, int distance)
{
  QuantizerScale scale;
  RasvbrParams params;

  quantizer_scale_vp8 (&scale);
  rasvbr_params_init (&params, &scale);
  params.rate_Bps = rate_Bps;
  params.key_distance = distance;
  rasvbr_init (&c->s, &params);
  c->size = 100000;
  c->slope = 1.1;
  c->key = 5;
  c->noise = 0;
  c->distance = distance;
  c->n = 0;
  c->sent = c->deepest = 0;
}

static int
camera_frame (Camera *c)
{
  bool key = c->n == 0 || (c->distance > 0 && c->n % c->distance == 0);
  int value = rasvbr_next (&c->s, key);
  double step = quantizer_scale_step (&c->s.params.scale, value);
  double bytes = c->size * pow (step, -c->slope) * (key ? c->key : 1) * exp (c->n & 1 ? c->noise : -c->noise);

  rasvbr_on_frame (&c->s, (uint32_t)bytes, key, value, c->n++ * FRAME);
  c->sent += floor (bytes);
  c->deepest = fmax (c->deepest, c->s.level);
  return value;
}

static void
camera_forget (Camera *c)
{
  c->sent = c->deepest = 0;
  c->s.stats.overflows = 0;
}

START_TEST (test_per_frame_keeps_the_rate_whatever_the_picture)
{
  static const int distances[] = {0, 12, 60, 300};

  for (size_t k = 0; k < 4; k++)
    for (double slope = 0.5; slope < 2; slope += 0.3)
      for (double need = 10; need <= 100; need *= 3) { /* the step that just makes the rate */
        Camera c;
        camera_init (&c, 75000, distances[k]);
        c.slope = slope;
        c.size = 2500 * pow (need, slope);
        for (int i = 0; i < 300; i++)
          camera_frame (&c);
        camera_forget (&c);
        for (int i = 0; i < 600; i++)
          camera_frame (&c);
        ck_assert_msg (fabs (c.sent / (20 * 75000) - 1) < 0.02, "distance %d slope %g need %g: %g", distances[k], slope,
            need, c.sent / (20 * 75000));
        ck_assert_uint_eq (c.s.stats.overflows, 0);
      }
}
END_TEST

START_TEST (test_per_frame_does_not_swing)
{
  for (double slope = 0.5; slope <= 3; slope += 0.25)
    for (double noise = 0; noise < 0.15; noise += 0.1) {
      Camera c;
      int lowest = 63, highest = 0;
      camera_init (&c, 75000, 0);
      c.slope = slope;
      c.noise = noise;
      c.size = 2500 * pow (40, slope);
      for (int i = 0; i < 400; i++) {
        int value = camera_frame (&c);
        if (i >= 100) {
          lowest = value < lowest ? value : lowest;
          highest = value > highest ? value : highest;
        }
      }
      /* 40 lies between two values; +-10 % of noise moves it by no more than one besides */
      ck_assert_msg (highest - lowest <= 2, "slope %g noise %g: %d to %d", slope, noise, lowest, highest);
    }
}
END_TEST

START_TEST (test_a_cut_is_taken_up_within_the_bucket)
{
  Camera c;

  camera_init (&c, 75000, 0);
  c.size = 2500 * pow (15, 1.1);
  for (int i = 0; i < 150; i++)
    camera_frame (&c);
  camera_forget (&c);
  c.size *= 6;
  for (int i = 0; i < 18; i++) /* as long as b / r */
    camera_frame (&c);
  ck_assert_double_lt (c.deepest, rasvbr_bucket (&c.s));
  for (int i = 0; i < 60; i++)
    camera_frame (&c);
  ck_assert_double_lt (fabs (c.s.level), 0.15 * rasvbr_bucket (&c.s));
}
END_TEST

START_TEST (test_a_new_rate_holds_at_once)
{
  Camera c;

  camera_init (&c, 75000, 0);
  for (int i = 0; i < 150; i++)
    camera_frame (&c);
  rasvbr_on_rate (&c.s, 25000, 0);
  ck_assert_double_lt (rasvbr_target (&c.s, false), 0.4 * 2500);
  for (int i = 0; i < 30; i++)
    camera_frame (&c);
  camera_forget (&c);
  for (int i = 0; i < 300; i++)
    camera_frame (&c);
  ck_assert_double_eq_tol (c.sent / (10 * 25000), 1, 0.02);
  /* a backlog counts where it is coupled: 25000 exp (-20 / 100) = 20468 */
  c.s.params.coupling = RASVBR_BACKLOG;
  rasvbr_on_rate (&c.s, 25000, 20);
  ck_assert_double_eq_tol (rasvbr_leak_rate (&c.s), 20468, 1);
}
END_TEST

/* A key frame of 20 times another would take 20 * 2500 = 50000, more than b = 45000 */
START_TEST (test_a_key_frame_too_large_is_made_coarser)
{
  Camera c;
  int other;

  camera_init (&c, 75000, 0);
  c.key = 20;
  for (int i = 0; i < 300; i++)
    camera_frame (&c);
  other = rasvbr_next (&c.s, false);
  ck_assert_int_gt (rasvbr_next (&c.s, true), other);
  ck_assert_double_le (rasvbr_target (&c.s, true), 0.85 * rasvbr_bucket (&c.s));
  c.key = 5;
  for (int i = 0; i < 8; i++) { /* the model of key frames learns from key frames only */
    c.n = 0;
    camera_frame (&c);
    for (int k = 0; k < 60; k++)
      camera_frame (&c);
  }
  ck_assert_int_lt (rasvbr_next (&c.s, true), rasvbr_next (&c.s, false));
}
END_TEST

/* With every frame a key frame there is one kind of frames, of the rate's share each. */
START_TEST (test_all_key_frames)
{
  QuantizerScale scale;
  RasvbrParams params;
  Rasvbr s;
  double sent = 0;

  quantizer_scale_jpeg (&scale);
  rasvbr_params_init (&params, &scale);
  params.lowest = 5;
  params.highest = 95;
  params.rate_Bps = 300000;
  params.key_distance = 1;
  rasvbr_init (&s, &params);
  ck_assert_int_eq (rasvbr_next (&s, true), 67); /* the scale falls: 100 - 33 */
  for (int i = 0; i < 300; i++) {
    int value = rasvbr_next (&s, true);
    double bytes = 10000 * pow (quantizer_scale_step (&scale, value) / 30, -0.7);
    rasvbr_on_frame (&s, (uint32_t)bytes, true, value, i * FRAME);
    sent += i >= 60 ? bytes : 0;
  }
  ck_assert_double_eq_tol (sent / (8 * 300000), 1, 0.02);
}
END_TEST

START_TEST (test_bucket_in_bytes_and_the_rate_for_encoders_without_quantizer)
{
  Camera c;

  camera_init (&c, 75000, 0);
  c.s.params.bucket_bytes = 9000;
  ck_assert_double_eq (rasvbr_bucket (&c.s), 9000);
  ck_assert_double_eq (rasvbr_rate (&c.s), 75000);
  rasvbr_on_frame (&c.s, 5500, true, 20, 0);
  /* L = 5500 less 2500 until the next frame: 75000 (1 - 3000 / 9000) */
  ck_assert_double_eq_tol (rasvbr_rate (&c.s), 50000, 1);
  rasvbr_on_frame (&c.s, 60000, true, 20, FRAME);
  ck_assert_double_eq (rasvbr_rate (&c.s), 37500);
  ck_assert_uint_eq (c.s.stats.overflows, 1);
  /* left unused: L = 2000 less 2500, 75000 (1 + 2 x 500 / 9000); at most an eighth of b */
  camera_init (&c, 75000, 0);
  c.s.params.bucket_bytes = 9000;
  rasvbr_on_frame (&c.s, 2000, true, 20, 0);
  ck_assert_double_eq_tol (rasvbr_rate (&c.s), 75000 * (1 + 2 * 500. / 9000), 1);
  rasvbr_on_frame (&c.s, 1, false, 20, FRAME);
  ck_assert_double_eq_tol (rasvbr_rate (&c.s), 1.25 * 75000, 1);
}
END_TEST

START_TEST (test_bad_input)
{
  static const double bad[] = {0, -1, NAN, INFINITY};
  QuantizerScale scale;
  RasvbrParams params;
  Rasvbr s;

  quantizer_scale_vp8 (&scale);
  rasvbr_params_init (&params, &scale);
  params.lowest = -5;
  params.highest = 900;
  params.nominal = 900;
  params.bucket_s = NAN;
  params.bucket_bytes = -1;
  params.rate_Bps = NAN;
  params.gop_frames = 0;
  params.decay = 0;
  params.key_ratio = NAN;
  params.frame_s = NAN;
  rasvbr_init (&s, &params);
  ck_assert_int_eq (rasvbr_next (&s, true), 63);
  for (size_t i = 0; i < 4; i++) {
    rasvbr_on_rate (&s, bad[i], 0);
    ck_assert (isfinite (rasvbr_leak_rate (&s)) && rasvbr_leak_rate (&s) > 0);
  }
  rasvbr_on_frame (&s, 0, true, 63, 0);
  ck_assert_uint_eq (s.stats.rejected, 5);
  s.params.coupling = RASVBR_BACKLOG;
  rasvbr_on_rate (&s, 1000, NAN);
  rasvbr_on_rate (&s, 1000, -1);
  ck_assert_uint_eq (s.stats.rejected, 7);
  rasvbr_on_rate (&s, 1000, 1e300);
  ck_assert_double_ge (rasvbr_leak_rate (&s), 1);
  for (int i = 0; i < 50; i++) { /* time that stands still or turns back */
    rasvbr_on_frame (&s, UINT32_MAX, i & 1, -7 + 40 * i, i & 2 ? 0 : CC_SECOND);
    ck_assert_int_ge (rasvbr_next (&s, i & 1), 0);
    ck_assert_int_le (rasvbr_next (&s, i & 1), 63);
    ck_assert (isfinite (rasvbr_rate (&s)) && isfinite (rasvbr_target (&s, true)) && isfinite (rasvbr_fullness (&s)));
  }
}
END_TEST

START_TEST (test_bounds_change_while_it_runs)
{
  Camera c;
  RasvbrParams params;

  camera_init (&c, 75000, 0);
  for (int i = 0; i < 100; i++)
    camera_frame (&c);
  params = c.s.params;
  params.lowest = 50;
  rasvbr_set_params (&c.s, &params);
  ck_assert_int_eq (rasvbr_next (&c.s, false), 50);
  params.interval = RASVBR_PER_GOP;
  rasvbr_set_params (&c.s, &params);
  ck_assert_int_ge (rasvbr_next (&c.s, false), 50);
  ck_assert_double_eq (c.s.rate_Bps, 75000);
}
END_TEST

/* --- recorded frame sizes ----------------------------------------------------------------------------------------- */

/* Foreman, 352x288, the first 36 frames by an MPEG-4 part 2 encoder at quantiser_scale 3, 6, 12 and 24, GOPs of 12. */
static const uint16_t recorded[4][36] = {
    {15858, 6953, 6723, 6638, 7101, 6907, 6013, 6940, 6948, 7325, 7406, 7392, 16443, 8562, 8394, 8383, 8175, 7988, 7904,
        7496, 7449, 6879, 7584, 7321, 17107, 7970, 7134, 5575, 5968, 5441, 6673, 7166, 7412, 7327, 7271, 7277},
    {9337, 2350, 2415, 2380, 2649, 2517, 2171, 2350, 2532, 2644, 2703, 2645, 9755, 3170, 3220, 3284, 3029, 3029, 2845,
        2600, 2510, 2269, 2582, 2525, 10067, 2699, 2401, 1714, 1839, 1689, 2031, 2358, 2642, 2578, 2541, 2575},
    {5304, 809, 947, 916, 1053, 998, 823, 930, 1021, 1112, 1097, 1033, 5519, 1166, 1294, 1297, 1189, 1202, 1048, 926,
        899, 917, 1002, 1039, 5680, 915, 859, 592, 577, 617, 683, 816, 956, 1020, 1060, 1016},
    {3069, 403, 469, 459, 521, 460, 435, 460, 521, 545, 578, 530, 3163, 564, 593, 591, 522, 523, 455, 403, 427, 475,
        535, 519, 3250, 452, 371, 264, 249, 240, 313, 352, 449, 535, 541, 535}};

/* Between and beyond the four on the straight line through two of them, in logarithms. */
static double
recorded_bytes (int frame, int q)
{
  int lower = q < 6 ? 0 : q < 12 ? 1 : 2;
  double at = log2 (q / (3.0 * (1 << lower)));

  return recorded[lower][frame % 36] * pow ((double)recorded[lower + 1][frame % 36] / recorded[lower][frame % 36], at);
}

typedef struct {
  double rate, delay; /* of r; mean seconds until a frame has left a queue drained at r */
  int lowest, highest;
} Replay;

static Replay
replay (RasvbrInterval interval, double rate_Bps)
{
  Replay result = {0, 0, 31, 1};
  QuantizerScale scale;
  RasvbrParams params;
  Rasvbr s;
  double queue = 0;

  quantizer_scale_mpeg4 (&scale);
  rasvbr_params_init (&params, &scale);
  params.interval = interval;
  params.nominal = 6;
  params.rate_Bps = rate_Bps;
  params.key_distance = 12;
  rasvbr_init (&s, &params);
  for (int i = 0; i < 600; i++) {
    int value = rasvbr_next (&s, i % 12 == 0);
    double bytes = floor (recorded_bytes (i, value));
    rasvbr_on_frame (&s, (uint32_t)bytes, i % 12 == 0, value, i * FRAME);
    if (interval == RASVBR_PER_GOP && i == 11) /* the golden GOP, below */
      ck_assert_int_eq (s.Q, 9);
    queue = fmax (0, queue - rate_Bps / FPS) + bytes;
    result.rate += bytes / (600 / FPS * rate_Bps);
    result.delay += queue / rate_Bps / 600;
    result.lowest = value < result.lowest ? value : result.lowest;
    result.highest = value > result.highest ? value : result.highest;
  }
  return result;
}

/* The first GOP at 6 takes 36693 bytes where 25000 are r: X = 36693 of b = 37500, e1 = 1, Q = 6 * 36693 / 25000 = 8.8.
 */
START_TEST (test_recorded_frames)
{
  Replay gop = replay (RASVBR_PER_GOP, 62500), frame = replay (RASVBR_PER_FRAME, 62500);

  ck_assert_double_eq_tol (frame.rate, 1, 0.02);
  ck_assert_double_eq_tol (gop.rate, 1, 0.05);
  ck_assert_double_lt (frame.delay, 0.6 * gop.delay);
  /* 6 makes 700 kbit/s of them and 12 makes 320, where 500 are r: some 8.5, key frames three quarters of that, the
     others what is left of the rate */
  ck_assert_int_ge (frame.lowest, 6);
  ck_assert_int_le (frame.highest, 14);
}
END_TEST

CC_TEST_MAIN ("rasvbr", test_equations_1_and_2, test_equation_3_a_rate_in_mid_gop,
    test_equation_4_the_backlog_decays_the_rate, test_per_gop_settles_at_the_rate, test_a_key_frame_ends_a_gop,
    test_per_frame_keeps_the_rate_whatever_the_picture, test_per_frame_does_not_swing,
    test_a_cut_is_taken_up_within_the_bucket, test_a_new_rate_holds_at_once, test_a_key_frame_too_large_is_made_coarser,
    test_all_key_frames, test_bucket_in_bytes_and_the_rate_for_encoders_without_quantizer, test_bad_input,
    test_bounds_change_while_it_runs, test_recorded_frames)
