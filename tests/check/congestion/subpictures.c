/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "subpictures.h"
#include "cctest.h"

#include <string.h>

#define WIDTH 16
#define HEIGHT 12
#define STRIDE 20

typedef struct {
  SubpicturesPattern pattern;
  uint8_t in[STRIDE * HEIGHT], out[STRIDE * HEIGHT], bytes[SUBPICTURES_MAX][STRIDE * HEIGHT];
  SubpicturesPlane whole, merged, parts[SUBPICTURES_MAX];
} Picture;

static void
picture_init (Picture *p, SubpicturesPattern pattern, unsigned dx, unsigned dy)
{
  unsigned width, height;

  memset (p, 0, sizeof *p);
  p->pattern = pattern;
  for (unsigned y = 0; y < HEIGHT; y++)
    for (unsigned x = 0; x < WIDTH; x++)
      p->in[y * STRIDE + x] = (uint8_t)(10 + dx * x + dy * y);
  p->whole = (SubpicturesPlane){p->in, STRIDE, WIDTH, HEIGHT};
  p->merged = (SubpicturesPlane){p->out, STRIDE, WIDTH, HEIGHT};
  subpictures_size (pattern, WIDTH, HEIGHT, &width, &height);
  for (unsigned i = 0; i < subpictures_count (pattern); i++) {
    p->parts[i] = (SubpicturesPlane){p->bytes[i], STRIDE, width, height};
    subpictures_split (pattern, &p->whole, i, &p->parts[i]);
  }
}

/* Largest difference; edge: how many samples at the rim are left out. */
static int
error_of (const Picture *p, unsigned edge)
{
  int worst = 0;

  for (unsigned y = edge; y < HEIGHT - edge; y++)
    for (unsigned x = edge; x < WIDTH - edge; x++) {
      int e = abs (p->in[y * STRIDE + x] - p->out[y * STRIDE + x]);

      worst = e > worst ? e : worst;
    }
  return worst;
}

START_TEST (test_all_parts_make_the_picture)
{
  Picture p;

  for (int pattern = SUBPICTURES_LINES; pattern <= SUBPICTURES_QUAD; pattern++) {
    picture_init (&p, (SubpicturesPattern)pattern, 7, 5);
    subpictures_merge (p.pattern, p.parts, &p.merged);
    ck_assert_int_eq (error_of (&p, 0), 0);
    for (unsigned y = 0; y < HEIGHT; y++) /* beyond the width nothing is touched */
      for (unsigned x = WIDTH; x < STRIDE; x++)
        ck_assert_uint_eq (p.out[y * STRIDE + x], 0);
  }
}
END_TEST

START_TEST (test_parts_hold_the_samples_of_their_pattern)
{
  Picture p;

  picture_init (&p, SUBPICTURES_LINES, 1, 16);
  ck_assert_uint_eq (p.parts[1].data[STRIDE + 3], p.in[3 * STRIDE + 3]);
  picture_init (&p, SUBPICTURES_CHECKERBOARD, 1, 16);
  ck_assert_uint_eq (p.parts[0].data[0], p.in[0]);
  ck_assert_uint_eq (p.parts[0].data[STRIDE], p.in[STRIDE + 1]);
  ck_assert_uint_eq (p.parts[1].data[STRIDE + 2], p.in[STRIDE + 4]);
  picture_init (&p, SUBPICTURES_QUAD, 1, 16);
  ck_assert_uint_eq (p.parts[3].data[STRIDE + 2], p.in[3 * STRIDE + 5]);
}
END_TEST

/* Any plane (slope both ways) is restored from its neighbours but at the rim, whatever part is missing. */
START_TEST (test_missing_parts_of_a_slope_are_restored)
{
  Picture p;

  for (int pattern = SUBPICTURES_LINES; pattern <= SUBPICTURES_QUAD; pattern++)
    for (unsigned missing = 0; missing < subpictures_count ((SubpicturesPattern)pattern); missing++) {
      picture_init (&p, (SubpicturesPattern)pattern, 3, 4);
      p.parts[missing].data = NULL;
      subpictures_merge (p.pattern, p.parts, &p.merged);
      ck_assert_int_le (error_of (&p, 1), 0);
      ck_assert_int_le (error_of (&p, 0), 7);
    }
}
END_TEST

START_TEST (test_one_part_alone_makes_a_picture)
{
  Picture p;

  for (unsigned kept = 0; kept < 4; kept++) {
    picture_init (&p, SUBPICTURES_QUAD, 3, 4);
    for (unsigned i = 0; i < 4; i++)
      if (i != kept)
        p.parts[i].data = NULL;
    subpictures_merge (p.pattern, p.parts, &p.merged);
    ck_assert_int_le (error_of (&p, 1), 0);
    ck_assert_int_le (error_of (&p, 0), 7);
  }
}
END_TEST

START_TEST (test_the_four_beside_count_twice)
{
  Picture p;

  picture_init (&p, SUBPICTURES_QUAD, 0, 0);
  p.in[4 * STRIDE + 3] = p.in[4 * STRIDE + 5] = 130; /* beside (4, 4): one third of the weight in all */
  for (unsigned i = 0; i < 4; i++)
    subpictures_split (p.pattern, &p.whole, i, &p.parts[i]);
  p.parts[0].data = NULL;
  subpictures_merge (p.pattern, p.parts, &p.merged);
  ck_assert_uint_eq (p.out[4 * STRIDE + 4], 10 + 120 * 4 / 12);
}
END_TEST

START_TEST (test_nothing_leaves_the_picture_as_it_was)
{
  Picture p;

  picture_init (&p, SUBPICTURES_QUAD, 3, 4);
  memset (p.out, 99, sizeof p.out);
  memset (p.parts, 0, sizeof p.parts);
  subpictures_merge (p.pattern, p.parts, &p.merged);
  ck_assert_uint_eq (p.out[5 * STRIDE + 5], 99);
}
END_TEST

CC_TEST_MAIN ("subpictures", test_all_parts_make_the_picture, test_parts_hold_the_samples_of_their_pattern,
    test_missing_parts_of_a_slope_are_restored, test_one_part_alone_makes_a_picture, test_the_four_beside_count_twice,
    test_nothing_leaves_the_picture_as_it_was)
