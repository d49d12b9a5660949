/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpegquantizers.h"
#include "cctest.h"

/* RFC 2435, appendix A, by hand: 16 and 17 are the first of K.1, K.2; 99 the last. */
START_TEST (test_scale_of_quality)
{
  static const struct {
    int quality, first, first_colour, last;
  } rows[] = {{1, 255, 255, 255}, {10, 80, 85, 255}, {25, 32, 34, 198}, {49, 16, 17, 101}, {50, 16, 17, 99},
      {75, 8, 9, 50}, {99, 1, 1, 2}, {100, 1, 1, 1}, {0, 255, 255, 255}, {101, 1, 1, 1}};
  JpegQuantizers q;

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    jpeg_quantizers_of (rows[i].quality, &q);
    ck_assert_int_eq (q.table[0][0], rows[i].first);
    ck_assert_int_eq (q.table[1][0], rows[i].first_colour);
    ck_assert_int_eq (q.table[0][63], rows[i].last);
    ck_assert_int_eq (q.table[1][63], rows[i].last);
  }
}
END_TEST

/* Sums of the tables as T.81 prints them, and a few numbers in their places. */
START_TEST (test_tables_are_those_of_annex_k_in_zigzag_order)
{
  static const int places[][3] = {{0, 1, 11}, {0, 2, 12}, {0, 3, 14}, {0, 9, 14}, {0, 35, 72}, {0, 53, 62},
      {0, 62, 103}, {1, 1, 18}, {1, 3, 24}, {1, 6, 47}, {1, 10, 99}, {1, 11, 66}, {1, 12, 56}};
  JpegQuantizers q;
  int sum[2] = {0, 0};

  jpeg_quantizers_of (50, &q);
  for (int i = 0; i < JPEG_BLOCK; i++) {
    sum[0] += q.table[0][i];
    sum[1] += q.table[1][i];
  }
  ck_assert_int_eq (q.table[0][41], 69);
  ck_assert_int_eq (sum[0], 3688);
  ck_assert_int_eq (sum[1], 5505);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    ck_assert_int_eq (q.table[places[i][0]][places[i][1]], places[i][2]);
}
END_TEST

/* 69 * 121 / 100 = 83.49 */
START_TEST (test_steps_are_rounded)
{
  JpegQuantizers q;

  jpeg_quantizers_of (41, &q);
  ck_assert_int_eq (q.table[0][41], 83);
  jpeg_quantizers_of (1, &q);
  ck_assert_int_eq (jpeg_quantizers_find (&q), 1);
}
END_TEST

START_TEST (test_tables_are_found_again)
{
  JpegQuantizers q, back;

  for (int quality = 1; quality <= JPEG_Q_MAX; quality++) {
    jpeg_quantizers_of (quality, &q);
    jpeg_quantizers_of (jpeg_quantizers_find (&q), &back);
    ck_assert (jpeg_quantizers_equal (&q, &back));
    q.table[1][63] ^= 1;
    ck_assert_int_eq (jpeg_quantizers_find (&q), 0);
  }
  jpeg_quantizers_of (100, &q);
  ck_assert_int_eq (jpeg_quantizers_find (&q), 0);
}
END_TEST

CC_TEST_MAIN ("jpegquantizers", test_scale_of_quality, test_tables_are_those_of_annex_k_in_zigzag_order,
    test_steps_are_rounded, test_tables_are_found_again)
