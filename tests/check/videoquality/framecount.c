/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "framecount.h"

#include "cctest.h"

static FrameCount f;

/* Captured 33 ms apart. */
static FrameVerdict
show (uint32_t number)
{
  return frame_count_on_picture (&f, number, 1000 + 33 * (uint64_t)number);
}

START_TEST (test_in_order)
{
  frame_count_init (&f);
  for (uint32_t i = 70; i < 170; i++)
    ck_assert_int_eq (show (i), FRAME_NEW);
  ck_assert_uint_eq (f.displayed, 100);
  ck_assert_uint_eq (f.lost + f.repeated + f.out_of_order + f.restarts, 0);
}
END_TEST

START_TEST (test_lost_and_repeated)
{
  frame_count_init (&f);
  show (0);
  show (1);
  show (5); /* 2, 3, 4 are lost */
  ck_assert_uint_eq (f.lost, 3);
  ck_assert_int_eq (show (5), FRAME_REPEATED);
  ck_assert_int_eq (show (1), FRAME_REPEATED);
  ck_assert_int_eq (show (3), FRAME_OUT_OF_ORDER);
  ck_assert_int_eq (show (3), FRAME_REPEATED);
  ck_assert_uint_eq (f.lost, 2);
  ck_assert_uint_eq (f.displayed, 4);
  ck_assert_uint_eq (f.repeated, 3);
  ck_assert_uint_eq (f.out_of_order, 1);
}
END_TEST

/* 64 back nothing is known any more. */
START_TEST (test_far_behind)
{
  frame_count_init (&f);
  show (0);
  show (200);
  ck_assert_uint_eq (f.lost, 199);
  ck_assert_int_eq (show (137), FRAME_OUT_OF_ORDER); /* 63 back */
  ck_assert_uint_eq (f.lost, 198);
  ck_assert_int_eq (show (136), FRAME_OUT_OF_ORDER);
  ck_assert_uint_eq (f.lost, 198);
}
END_TEST

/* What was sent before the first shown was never counted lost. */
START_TEST (test_before_the_first)
{
  frame_count_init (&f);
  show (10);
  show (12); /* 11 is lost */
  ck_assert_int_eq (show (9), FRAME_OUT_OF_ORDER);
  ck_assert_uint_eq (f.lost, 1);
  ck_assert_int_eq (show (11), FRAME_OUT_OF_ORDER);
  ck_assert_uint_eq (f.lost, 0);
  ck_assert_int_eq (frame_count_on_picture (&f, 5, 100000), FRAME_RESTART);
  ck_assert_int_eq (frame_count_on_picture (&f, 7, 100066), FRAME_NEW);
  ck_assert_int_eq (frame_count_on_picture (&f, 4, 99967), FRAME_OUT_OF_ORDER);
  ck_assert_uint_eq (f.lost, 1);
  ck_assert_int_eq (frame_count_on_picture (&f, 6, 100033), FRAME_OUT_OF_ORDER);
  ck_assert_uint_eq (f.lost, 0);
}
END_TEST

START_TEST (test_wrap)
{
  frame_count_init (&f);
  frame_count_on_picture (&f, UINT32_MAX, 1);
  ck_assert_int_eq (frame_count_on_picture (&f, 0, 2), FRAME_NEW);
  ck_assert_int_eq (frame_count_on_picture (&f, 2, 4), FRAME_NEW);
  ck_assert_uint_eq (f.lost, 1);
}
END_TEST

/* A sender that begins anew, at the same number too; and numbers that nobody has sent. */
START_TEST (test_restart)
{
  frame_count_init (&f);
  show (100);
  ck_assert_int_eq (frame_count_on_picture (&f, 0, 100000), FRAME_RESTART);
  ck_assert_int_eq (frame_count_on_picture (&f, 1, 100033), FRAME_NEW);
  ck_assert_int_eq (frame_count_on_picture (&f, 1, 200000), FRAME_RESTART);
  ck_assert_int_eq (frame_count_on_picture (&f, 3000000000u, 5), FRAME_RESTART);
  ck_assert_int_eq (frame_count_on_picture (&f, 3000036001u, 6), FRAME_RESTART);
  ck_assert_int_eq (frame_count_on_picture (&f, 3000035700u, 4), FRAME_RESTART); /* 301 back */
  ck_assert_uint_eq (f.lost, 0);
  ck_assert_uint_eq (f.restarts, 5);
  ck_assert_uint_eq (f.displayed, 7);
}
END_TEST

/* Numbers that were worked out may be wrong by one or two, and are no new beginning; nor is the right one after them.
 */
START_TEST (test_worked_out)
{
  frame_count_init (&f);
  show (10);
  ck_assert_int_eq (frame_count_on_picture (&f, 12, 0), FRAME_NEW);
  ck_assert_int_eq (frame_count_on_picture (&f, 12, 0), FRAME_REPEATED);
  ck_assert_uint_eq (f.lost, 1);
  ck_assert_int_eq (show (12), FRAME_NEW); /* the one before was 11 */
  ck_assert_uint_eq (f.lost, 0);
  ck_assert_int_eq (show (12), FRAME_REPEATED);
  ck_assert_int_eq (frame_count_on_picture (&f, 15, 0), FRAME_NEW);
  ck_assert_int_eq (show (14), FRAME_NEW);
  ck_assert_int_eq (show (16), FRAME_NEW);
  ck_assert_uint_eq (f.restarts, 0);
  ck_assert_uint_eq (f.displayed, 6);
  ck_assert_uint_eq (f.lost, 1); /* 15 */
  ck_assert_int_eq (frame_count_on_picture (&f, 5, 1000000), FRAME_RESTART);
}
END_TEST

/* Half as many pictures a second while stamps cannot be read: 100 to 130 pass as 100 to 160, and then 135 is read. */
START_TEST (test_worked_out_too_high)
{
  frame_count_init (&f);
  for (uint32_t i = 90; i <= 100; i++)
    show (i);
  ck_assert_int_eq (show (97), FRAME_REPEATED);
  for (uint32_t i = 102; i <= 160; i += 2)
    ck_assert_int_eq (frame_count_on_picture (&f, i, 0), FRAME_NEW);
  ck_assert_uint_eq (f.lost, 30);
  ck_assert_int_eq (show (135), FRAME_NEW);
  ck_assert_uint_eq (f.lost, 4); /* of 101 to 134 30 were shown */
  for (uint32_t i = 136; i < 170; i++)
    ck_assert_int_eq (show (i), FRAME_NEW);
  ck_assert_uint_eq (f.displayed, 11 + 30 + 35);
  ck_assert_uint_eq (f.lost, 4);
  ck_assert_uint_eq (f.restarts + f.out_of_order, 0);
  ck_assert_uint_eq (f.repeated, 1);
}
END_TEST

/* The losses before stay. */
START_TEST (test_worked_out_after_losses)
{
  frame_count_init (&f);
  show (10);
  show (15);
  for (uint32_t i = 17; i <= 21; i += 2)
    frame_count_on_picture (&f, i, 0);
  ck_assert_int_eq (show (19), FRAME_NEW);
  ck_assert_uint_eq (f.lost, 4);
  frame_count_on_picture (&f, 21, 0);
  ck_assert_int_eq (show (22), FRAME_NEW); /* worked out right, for all one knows */
  ck_assert_uint_eq (f.lost, 5);
  ck_assert_int_eq (show (20), FRAME_OUT_OF_ORDER);
  ck_assert_uint_eq (f.lost, 4);
}
END_TEST

CC_TEST_MAIN ("framecount", test_in_order, test_lost_and_repeated, test_far_behind, test_before_the_first, test_wrap,
    test_restart, test_worked_out, test_worked_out_too_high, test_worked_out_after_losses)
