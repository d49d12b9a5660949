/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pictureladder.h"
#include "cctest.h"

#include <limits.h>

static PictureLadder
ladder_of (int width, int height, int fps, PictureKeep keep)
{
  PictureFormat source = {width, height, fps, 1};
  PictureLadderParams params;
  PictureLadder l;

  picture_ladder_params_init (&params);
  params.keep = keep;
  ck_assert (picture_ladder_build (&l, &source, &params));
  return l;
}

static void
assert_rung (const PictureLadder *l, int rung, int width, int height, int fps_den)
{
  const PictureFormat *f = &l->rungs[rung];

  ck_assert_msg (rung < l->count && f->width == width && f->height == height && f->fps_den == fps_den,
      "rung %d of %d: %dx%d, 1/%d", rung, l->count, f->width, f->height, f->fps_den);
}

START_TEST (test_size_gives_way_first_then_the_frame_rate)
{
  PictureLadder l = ladder_of (1280, 720, 30, PICTURE_KEEP_FRAME_RATE);

  ck_assert_int_eq (l.count, 6);
  assert_rung (&l, 0, 1280, 720, 1);
  assert_rung (&l, 1, 640, 360, 1);
  assert_rung (&l, 2, 480, 270, 1);
  assert_rung (&l, 3, 320, 180, 1);
  assert_rung (&l, 4, 320, 180, 2);
  assert_rung (&l, 5, 320, 180, 3);
}
END_TEST

START_TEST (test_of_text_the_frame_rate_gives_way_first)
{
  PictureLadder l = ladder_of (1280, 720, 30, PICTURE_KEEP_SIZE);

  ck_assert_int_eq (l.count, 6);
  assert_rung (&l, 1, 1280, 720, 2);
  assert_rung (&l, 2, 1280, 720, 3);
  assert_rung (&l, 3, 640, 360, 3);
  assert_rung (&l, 5, 320, 180, 3);
}
END_TEST

START_TEST (test_a_portrait_is_measured_by_its_shorter_side)
{
  PictureLadder l = ladder_of (720, 1280, 10, PICTURE_KEEP_FRAME_RATE);

  ck_assert_int_eq (l.count, 4);
  assert_rung (&l, 3, 180, 320, 1);
}
END_TEST

/* x264enc refuses 480x270 of two fields. */
START_TEST (test_fields_have_even_heights)
{
  PictureFormat source = {1280, 720, 30, 1};
  PictureLadderParams params;
  PictureLadder l;

  picture_ladder_params_init (&params);
  params.interlaced = true;
  ck_assert (picture_ladder_build (&l, &source, &params));
  assert_rung (&l, 1, 640, 360, 1);
  assert_rung (&l, 2, 480, 272, 1);
  assert_rung (&l, 3, 320, 180, 1);
  for (int height = 16; height < 1100; height++) {
    source.height = height;
    ck_assert (picture_ladder_build (&l, &source, &params));
    for (int rung = 1; rung < l.count; rung++)
      ck_assert_int_eq (l.rungs[rung].height == height ? 0 : l.rungs[rung].height % 4, 0);
  }
}
END_TEST

START_TEST (test_a_small_slow_source_keeps_what_it_has)
{
  PictureLadder l = ladder_of (176, 144, 15, PICTURE_KEEP_FRAME_RATE);

  ck_assert_int_eq (l.count, 1);
  assert_rung (&l, 0, 176, 144, 1);
}
END_TEST

START_TEST (test_an_unknown_frame_rate_is_not_stepped)
{
  PictureFormat source = {640, 480, 0, 1};
  PictureLadderParams params;
  PictureLadder l;

  picture_ladder_params_init (&params);
  ck_assert (picture_ladder_build (&l, &source, &params));
  ck_assert_int_eq (l.count, 3);
  for (int i = 0; i < l.count; i++)
    ck_assert (l.rungs[i].fps_num == 0 && l.rungs[i].fps_den == 1);
  ck_assert_double_eq (picture_format_pixels (&source), 640 * 480 * 30.0);
}
END_TEST

START_TEST (test_nothing_to_scale_is_refused)
{
  PictureLadderParams params;
  PictureLadder l;

  picture_ladder_params_init (&params);
  ck_assert (!picture_ladder_build (&l, &(PictureFormat){0, 720, 30, 1}, &params));
  ck_assert_int_eq (l.count, 0);
  ck_assert (!picture_ladder_build (&l, &(PictureFormat){1280, -2, 30, 1}, &params));
}
END_TEST

START_TEST (test_the_lowest_rung_of_all)
{
  PictureFormat source = {4096, 2304, 240, 1};
  PictureLadder l;

  ck_assert (picture_ladder_build (&l, &source, &(PictureLadderParams){PICTURE_KEEP_FRAME_RATE, 16, 1, false}));
  ck_assert_int_eq (l.count, 10);
  assert_rung (&l, 5, 512, 288, 1);
  assert_rung (&l, 9, 512, 288, 6);
}
END_TEST

/* Whatever comes out of caps: even sides, each rung cheaper, no more than the most. */
START_TEST (test_every_source_has_a_ladder_that_falls)
{
  static const int sides[] = {1, 2, 16, 99, 144, 353, 1080, 2160, 32768, INT_MAX};
  static const PictureFormat rates[] = {{0, 0, 30, 1}, {0, 0, 30000, 1001}, {0, 0, 240, 1}, {0, 0, 1, 2},
      {0, 0, INT_MAX, INT_MAX}, {0, 0, 30, 0}, {0, 0, -1, 5}};
  PictureLadderParams params;
  PictureLadder l;

  picture_ladder_params_init (&params);
  params.min_side = 16;
  params.min_fps = 0.1;
  for (size_t w = 0; w < sizeof sides / sizeof *sides; w++)
    for (size_t h = 0; h < sizeof sides / sizeof *sides; h++)
      for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
        for (int keep = 0; keep < 2; keep++) {
          PictureFormat source = {sides[w], sides[h], rates[r].fps_num, rates[r].fps_den};
          params.keep = keep;
          ck_assert (picture_ladder_build (&l, &source, &params));
          ck_assert (l.count >= 1 && l.count <= PICTURE_LADDER_MOST);
          for (int i = 1; i < l.count; i++) {
            ck_assert (picture_format_pixels (&l.rungs[i]) < picture_format_pixels (&l.rungs[i - 1]));
            ck_assert (l.rungs[i].width == source.width || l.rungs[i].width % 2 == 0);
            ck_assert (l.rungs[i].height == source.height || l.rungs[i].height % 2 == 0);
          }
        }
}
END_TEST

CC_TEST_MAIN ("pictureladder", test_size_gives_way_first_then_the_frame_rate,
    test_of_text_the_frame_rate_gives_way_first, test_a_portrait_is_measured_by_its_shorter_side,
    test_fields_have_even_heights, test_a_small_slow_source_keeps_what_it_has,
    test_an_unknown_frame_rate_is_not_stepped, test_nothing_to_scale_is_refused, test_the_lowest_rung_of_all,
    test_every_source_has_a_ladder_that_falls)
