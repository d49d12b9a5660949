/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "framemodel.h"
#include "cctest.h"

#include <math.h>

START_TEST (test_one_frame_is_known_at_once)
{
  FrameModel m;

  frame_model_init (&m);
  ck_assert_double_eq (frame_model_bytes (&m, 10), 0);
  ck_assert_double_eq (frame_model_step (&m, 1000), 0);
  ck_assert (frame_model_on_frame (&m, 4000, 10));
  /* bytes in inverse proportion to the step, equation 2 of paper E: 4000 at 10 is 2000 at 20 */
  ck_assert_double_eq_tol (frame_model_bytes (&m, 10), 4000, 1e-6);
  ck_assert_double_eq_tol (frame_model_bytes (&m, 20), 2000, 1e-6);
  ck_assert_double_eq_tol (frame_model_step (&m, 1000), 40, 1e-9);
}
END_TEST

START_TEST (test_noise_is_averaged_and_a_jump_is_believed)
{
  FrameModel m;

  frame_model_init (&m);
  frame_model_on_frame (&m, 4000, 10);
  frame_model_on_frame (&m, 4400, 10); /* ln 1.1 times 0.35: 1.0339 */
  ck_assert_double_eq_tol (frame_model_bytes (&m, 10), 4000 * pow (1.1, 0.35), 1e-6);
  frame_model_init (&m);
  frame_model_on_frame (&m, 4000, 10);
  frame_model_on_frame (&m, 16000, 10); /* ln 4 times 0.8: factor 3.03 */
  ck_assert_double_eq_tol (frame_model_bytes (&m, 10), 4000 * pow (4, 0.8), 1e-6);
}
END_TEST

START_TEST (test_learns_the_slope_within_bounds)
{
  static const double slopes[] = {0.3, 0.8, 1.4, 3};

  for (size_t k = 0; k < sizeof slopes / sizeof *slopes; k++) {
    FrameModel m;
    frame_model_init (&m);
    for (int i = 0; i < 200; i++)
      frame_model_on_frame (&m, 1e5 * pow (i & 1 ? 20 : 10, -slopes[k]), i & 1 ? 20 : 10);
    ck_assert_double_eq_tol (m.b, fmin (1.6, fmax (0.6, slopes[k])), 0.01);
  }
}
END_TEST

/* The control that asks for the step of a target, on a codec of another elasticity than the model's: no oscillation up
   to 1 - 0.35 s / 0.6 > -1, an elasticity s of 3.4 at the least slope. */
START_TEST (test_in_a_loop_it_converges)
{
  for (double slope = 0.4; slope <= 3; slope += 0.2) {
    FrameModel m;
    double step = 10, bytes = 0;
    frame_model_init (&m);
    for (int i = 0; i < 60; i++) {
      bytes = 1e5 * pow (step, -slope);
      frame_model_on_frame (&m, bytes, step);
      step = frame_model_step (&m, 3000);
    }
    ck_assert_msg (fabs (bytes / 3000 - 1) < 0.02, "slope %g: %g", slope, bytes);
  }
}
END_TEST

START_TEST (test_bad_input_is_ignored)
{
  FrameModel m;
  static const double bad[] = {0, -1, NAN, INFINITY};

  frame_model_init (&m);
  frame_model_on_frame (&m, 4000, 10);
  for (size_t i = 0; i < 4; i++) {
    ck_assert (!frame_model_on_frame (&m, bad[i], 10));
    ck_assert (!frame_model_on_frame (&m, 4000, bad[i]));
    ck_assert_double_eq (frame_model_bytes (&m, bad[i]), 0);
    ck_assert_double_eq (frame_model_step (&m, bad[i]), 0);
  }
  ck_assert_double_eq_tol (frame_model_bytes (&m, 10), 4000, 1e-6);
}
END_TEST

CC_TEST_MAIN ("framemodel", test_one_frame_is_known_at_once, test_noise_is_averaged_and_a_jump_is_believed,
    test_learns_the_slope_within_bounds, test_in_a_loop_it_converges, test_bad_input_is_ignored)
