/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpegquality.h"
#include "cctest.h"

#include <math.h>
#include <string.h>

/* A picture whose JPEG size is ln size = detail - slope * ln (mean quantizer). */
typedef struct {
  JpegQuality j;
  double detail, slope, size;
  int quality;
} Camera;

static void
camera_init (Camera *c, double detail, double slope, int quality)
{
  JpegQualityParams params;

  jpeg_quality_params_init (&params);
  jpeg_quality_init (&c->j, &params, quality);
  c->detail = detail;
  c->slope = slope;
  c->quality = quality;
}

static double
camera_frame (Camera *c, double target)
{
  c->size = exp (c->detail - c->slope * c->j.x[c->quality]);
  jpeg_quality_on_frame (&c->j, c->size, exp (c->j.x[c->quality]), target);
  c->quality = jpeg_quality_next (&c->j, target);
  return c->size / target;
}

START_TEST (test_five_frames_to_the_target_whatever_the_picture)
{
  for (double slope = 0.4; slope <= 1.15; slope += 0.1)
    for (double detail = 10.5; detail < 12.8; detail += 0.25)
      for (int quality = 10; quality <= 90; quality += 20) {
        Camera c;
        double off = 0;
        camera_init (&c, detail, slope, quality);
        for (int i = 0; i < 6; i++)
          off = camera_frame (&c, 8000);
        /* within 15 %, at the end of the scale, or the next step of quality would be too much */
        ck_assert_msg ((off > 0.85 && off < 1.15) || (off < 1 && c.quality == 95) || (off > 1 && c.quality == 5) ||
                           (off < 1 && exp (c.detail - c.slope * c.j.x[c.quality + 1]) > 8000),
            "slope %g detail %g quality %d: %g at q %d", slope, detail, quality, off, c.quality);
      }
}
END_TEST

/* The history that brings interpolation through the last three samples to a halt: they lie on a line, or fall
   together. */
START_TEST (test_constant_and_collinear_histories_do_not_stick)
{
  static const double after[] = {11.2, 12.4};

  for (size_t k = 0; k < 2; k++) {
    Camera c;
    double off = 0;
    camera_init (&c, 11.8, 0.7, 50);
    for (int i = 0; i < 500; i++) /* the very same frame, 500 times */
      camera_frame (&c, 8000);
    c.detail = after[k];
    for (int i = 0; i < 6; i++)
      off = camera_frame (&c, 8000);
    ck_assert_double_eq_tol (off, 1, 0.15);
  }
}
END_TEST

START_TEST (test_collinear_samples_do_not_stick)
{
  Camera c;
  double off = 0;
  int before;

  camera_init (&c, 11.8, 0.7, 50);
  /* sizes fall as the quality is raised by equal steps, three times on one line of the wrong sign */
  for (int i = 0; i < 3; i++)
    jpeg_quality_on_frame (&c.j, 12000 - 2000 * i, exp (c.j.x[40 + 10 * i]), 8000);
  before = jpeg_quality_next (&c.j, 8000);
  c.quality = before;
  for (int i = 0; i < 6; i++)
    off = camera_frame (&c, 8000);
  ck_assert_double_eq_tol (off, 1, 0.15);
}
END_TEST

START_TEST (test_a_target_that_moves_is_followed_from_a_quiet_state)
{
  Camera c;
  double off = 0;

  camera_init (&c, 11.8, 0.7, 50);
  for (int i = 0; i < 100; i++)
    camera_frame (&c, 8000);
  for (int i = 0; i < 6; i++)
    off = camera_frame (&c, 16000);
  ck_assert_double_eq_tol (off, 1, 0.15);
  for (int i = 0; i < 6; i++)
    off = camera_frame (&c, 7000);
  ck_assert_double_eq_tol (off, 1, 0.15);
}
END_TEST

START_TEST (test_monotone_growth_does_not_exceed_again_and_again)
{
  /* detail grows by 5 % a frame for 30 frames: 4.3-fold */
  Camera c;
  int over = 0, run = 0, longest = 0;

  camera_init (&c, 11, 0.7, 50);
  for (int i = 0; i < 20; i++)
    camera_frame (&c, 8000);
  for (int i = 0; i < 30; i++) {
    c.detail += log (1.05);
    if (camera_frame (&c, 8000) > 1) {
      over++;
      run++;
    } else {
      run = 0;
    }
    longest = run > longest ? run : longest;
  }
  ck_assert_int_le (longest, 2);
  ck_assert_int_le (over, 6);
}
END_TEST

START_TEST (test_scene_cuts)
{
  Camera c;
  double sum = 0;

  camera_init (&c, 11, 0.7, 50);
  for (int cut = 0; cut < 10; cut++) {
    int over = 0;
    c.detail = cut & 1 ? 11 : 12.2; /* 3.3 times the bytes */
    for (int i = 0; i < 25; i++) {
      double off = camera_frame (&c, 8000);
      over += off > 1;
      if (i >= 5)
        ck_assert_msg (off > 0.85 && off < 1.15, "cut %d frame %d: %g", cut, i, off);
      sum += off;
    }
    ck_assert_int_le (over, 3);
  }
  ck_assert_double_eq_tol (sum / 250, 1, 0.1);
}
END_TEST

START_TEST (test_noise_keeps_the_mean)
{
  /* +-10 % of alternating noise, the worst for a control that follows each frame */
  Camera c;
  double sum = 0;

  camera_init (&c, 11.8, 0.8, 50);
  for (int i = 0; i < 200; i++) {
    c.detail = 11.8 + (i & 1 ? 0.1 : -0.1);
    sum += i >= 100 ? camera_frame (&c, 8000) : 0 * camera_frame (&c, 8000);
  }
  ck_assert_double_gt (sum / 100, 0.75);
  ck_assert_double_lt (sum / 100, 1.05);
}
END_TEST

START_TEST (test_out_of_reach_ends_at_the_end_of_the_scale_and_comes_back)
{
  Camera c;
  double off = 0;

  camera_init (&c, 14, 0.7, 50);
  for (int i = 0; i < 50; i++)
    camera_frame (&c, 1000);
  ck_assert_int_eq (c.quality, 5);
  c.detail = 11.8;
  for (int i = 0; i < 8; i++)
    off = camera_frame (&c, 8000);
  ck_assert_double_eq_tol (off, 1, 0.15);
}
END_TEST

START_TEST (test_nothing_known_changes_nothing)
{
  Camera c;

  camera_init (&c, 11, 0.7, 60);
  ck_assert_int_eq (jpeg_quality_next (&c.j, 8000), 60);
  jpeg_quality_on_frame (&c.j, 0, 0, 8000);
  jpeg_quality_on_frame (&c.j, NAN, NAN, 8000);
  ck_assert_int_eq (jpeg_quality_next (&c.j, 8000), 60);
  jpeg_quality_on_frame (&c.j, 9000, 0, 8000);
  ck_assert_int_eq (jpeg_quality_next (&c.j, 0), 60);
}
END_TEST

START_TEST (test_quantizer_read_from_the_image)
{
  uint8_t image[2 + 4 + 4 + 2 + 65 * 2 + 4] = {0xff, 0xd8, 0xff, 0xe0, 0, 4, 'J', 'F', 0xff, 0xdb, 0, 2 + 65 * 2};
  uint8_t *tables = image + 12;

  tables[0] = 1; /* chrominance first */
  memset (tables + 1, 99, 64);
  tables[65] = 0;
  memset (tables + 66, 20, 32);
  memset (tables + 98, 30, 32);
  ck_assert_double_eq (jpeg_quality_quantizer (image, sizeof image), 25);
  /* cut short anywhere: no reading beyond, no value */
  for (size_t size = 0; size < 12 + 130; size++)
    ck_assert_double_eq (jpeg_quality_quantizer (image, size), 0);
  image[11] = 3; /* a segment too short for a table */
  ck_assert_double_eq (jpeg_quality_quantizer (image, sizeof image), 0);
}
END_TEST

/* SOI 2, APP0 4 and DQT's marker and length 4, one table of 65, SOS 2 + 8, scan 20: all but the table and the scan. */
START_TEST (test_what_rtp_leaves_out)
{
  uint8_t image[2 + 4 + 4 + 65 + 10 + 20] = {0xff, 0xd8, 0xff, 0xe0, 0, 2, 0xff, 0xdb, 0, 67};
  uint8_t *scan = image + 10 + 65;

  scan[0] = 0xff;
  scan[1] = 0xda;
  scan[3] = 8;
  ck_assert_uint_eq (jpeg_quality_left_out (image, sizeof image), sizeof image - 65 - 20);
  for (size_t size = 0; size < sizeof image - 20; size++)
    ck_assert_uint_eq (jpeg_quality_left_out (image, size), 0);
  scan[1] = 0xdd;
  ck_assert_uint_eq (jpeg_quality_left_out (image, sizeof image), 0);
}
END_TEST

CC_TEST_MAIN ("jpegquality", test_five_frames_to_the_target_whatever_the_picture,
    test_constant_and_collinear_histories_do_not_stick, test_collinear_samples_do_not_stick,
    test_a_target_that_moves_is_followed_from_a_quiet_state, test_monotone_growth_does_not_exceed_again_and_again,
    test_scene_cuts, test_noise_keeps_the_mean, test_out_of_reach_ends_at_the_end_of_the_scale_and_comes_back,
    test_nothing_known_changes_nothing, test_quantizer_read_from_the_image, test_what_rtp_leaves_out)
