/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpeghuffman.h"
#include "cctest.h"

#include <string.h>

static JpegBitWriter
writer (uint8_t *out, size_t capacity)
{
  return (JpegBitWriter){out, capacity, 0, 0, 0};
}

START_TEST (test_every_symbol_is_read_as_written)
{
  for (int t = 0; t < 4; t++) {
    const JpegHuffmanSpec *spec = jpeg_huffman_usual (t & 1, t >> 1);
    uint8_t out[512];
    JpegBitWriter w = writer (out, sizeof out);
    JpegBitReader r;
    JpegHuffman h;

    jpeg_huffman_init_usual (&h, t & 1, t >> 1);
    ck_assert_uint_eq (spec->n_symbols, t & 1 ? 162 : 12);
    for (unsigned i = 0; i < spec->n_symbols; i++)
      ck_assert (jpeg_huffman_write (&h, &w, spec->symbols[i]));
    jpeg_bits_flush (&w);
    ck_assert_uint_le (w.size, sizeof out);
    jpeg_bits_begin (&r, out, w.size);
    for (unsigned i = 0; i < spec->n_symbols; i++)
      ck_assert_int_eq (jpeg_huffman_read (&h, &r), spec->symbols[i]);
    ck_assert (jpeg_bits_at_end (&r));
    ck_assert_int_eq (jpeg_huffman_read (&h, &r), -1);
  }
}
END_TEST

/* T.81 tables K.3 and K.5 print the codes. */
START_TEST (test_codes_as_printed)
{
  JpegHuffman h;

  jpeg_huffman_init_usual (&h, false, false);
  ck_assert_uint_eq (h.code[0], 0);
  ck_assert_uint_eq (h.length[0], 2);
  ck_assert_uint_eq (h.code[11], 0x1fe);
  ck_assert_uint_eq (h.length[11], 9);
  jpeg_huffman_init_usual (&h, true, false);
  ck_assert_uint_eq (h.code[0], 0xa); /* end of block: 1010 */
  ck_assert_uint_eq (h.length[0], 4);
  ck_assert_uint_eq (h.code[0xf0], 0x7f9); /* 11111111001 */
  ck_assert_uint_eq (h.length[0xf0], 11);
  ck_assert_uint_eq (h.code[0xfa], 0xfffe);
  jpeg_huffman_init_usual (&h, true, true);
  ck_assert_uint_eq (h.code[0xf0], 0x3fa);
  ck_assert_uint_eq (h.length[0xf0], 10);
}
END_TEST

START_TEST (test_what_has_no_code_is_neither_written_nor_read)
{
  static const uint8_t ones[] = {0xff, 0, 0xff, 0, 0xff, 0};
  uint8_t out[8];
  JpegBitWriter w = writer (out, sizeof out);
  JpegBitReader r;
  JpegHuffman h;

  jpeg_huffman_init_usual (&h, false, false);
  ck_assert (!jpeg_huffman_write (&h, &w, 12));
  ck_assert_uint_eq (w.size, 0);
  jpeg_bits_begin (&r, ones, sizeof ones);
  ck_assert_int_eq (jpeg_huffman_read (&h, &r), -1);
  jpeg_bits_begin (&r, ones, 0);
  ck_assert_int_eq (jpeg_huffman_read (&h, &r), -1);
}
END_TEST

START_TEST (test_tables_that_are_none)
{
  uint8_t counts[16] = {0}, symbols[256] = {0};
  JpegHuffman h;

  ck_assert (!jpeg_huffman_init (&h, counts, symbols, 0)); /* empty */
  counts[0] = 2;
  ck_assert (!jpeg_huffman_init (&h, counts, symbols, 2)); /* the code of ones only is taken */
  counts[0] = 1;
  ck_assert (jpeg_huffman_init (&h, counts, symbols, 1));
  ck_assert (!jpeg_huffman_init (&h, counts, symbols, 2)); /* more symbols than codes */
  counts[1] = 2;
  ck_assert (!jpeg_huffman_init (&h, counts, symbols, 3)); /* more codes than there are */
  memset (counts, 255, sizeof counts);
  ck_assert (!jpeg_huffman_init (&h, counts, symbols, 16 * 255));
}
END_TEST

/* A marker ends the bits, whatever stands behind it; a stuffed byte does not. */
START_TEST (test_bits_end_at_a_marker)
{
  static const uint8_t data[] = {0xff, 0x00, 0x12, 0xff, 0xd3, 0x55};
  JpegBitReader r;

  jpeg_bits_begin (&r, data, sizeof data);
  ck_assert_uint_eq (jpeg_bits_peek (&r, 16), 0xff12);
  ck_assert (jpeg_bits_skip (&r, 16));
  ck_assert (jpeg_bits_at_end (&r));
  ck_assert_ptr_eq (r.at, data + 3);
  ck_assert (!jpeg_bits_skip (&r, 1));
  jpeg_bits_begin (&r, data, 3); /* cut off behind 0x12 */
  ck_assert (jpeg_bits_skip (&r, 8));
  ck_assert (!jpeg_bits_at_end (&r));
}
END_TEST

START_TEST (test_writer_counts_what_does_not_fit)
{
  uint8_t out[4] = {9, 9, 9, 9};
  JpegBitWriter w = writer (out, 2);

  jpeg_bits_write (&w, 0xffff, 16);
  jpeg_bits_write (&w, 1, 3);
  jpeg_bits_flush (&w);
  ck_assert_uint_eq (w.size, 5);
  ck_assert_uint_eq (out[0], 0xff);
  ck_assert_uint_eq (out[1], 0);
  ck_assert_uint_eq (out[2], 9);
  w = writer (out, 4);
  jpeg_bits_write (&w, 1, 3);
  jpeg_bits_flush (&w);
  ck_assert_uint_eq (out[0], 0x3f); /* 001, filled up with ones */
}
END_TEST

CC_TEST_MAIN ("jpeghuffman", test_every_symbol_is_read_as_written, test_codes_as_printed,
    test_what_has_no_code_is_neither_written_nor_read, test_tables_that_are_none, test_bits_end_at_a_marker,
    test_writer_counts_what_does_not_fit)
