/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpegscan.h"
#include "cctest.h"
#include "jpegpicture.h"

typedef struct {
  CcPcg32 pcg;
  Picture p;
  JpegHeader header;
  uint8_t out[PICTURE_BYTES];
  size_t ends[PICTURE_MCUS];
} Fixture;

static void
fixture_init (Fixture *f, JpegSampling sampling, unsigned interval, uint64_t seed)
{
  CcRandom random = cc_pcg32_init (&f->pcg, seed);

  picture_init (&f->p, 100, 60, sampling, interval, 40, &random);
  ck_assert_int_eq (jpeg_header_parse (f->p.bytes, f->p.size, &f->header), JPEG_OK);
}

static size_t
cut (Fixture *f, unsigned interval, size_t capacity)
{
  JpegForm form = f->p.form;

  form.interval = interval;
  return jpeg_scan_cut (&f->header, f->p.bytes + f->p.scan, f->p.size - f->p.scan, &form, f->out, capacity, f->ends);
}

START_TEST (test_coefficients_are_read_as_written)
{
  Fixture f;

  for (uint64_t seed = 1; seed <= 20; seed++) {
    fixture_init (&f, seed & 1 ? JPEG_420 : JPEG_422, (unsigned)(seed % 5) * 3, seed);
    picture_same (&f.p, &f.header, f.p.bytes + f.p.scan, f.p.size - f.p.scan);
  }
}
END_TEST

/* Whatever intervals it had before: the coefficients stay, each interval stands alone, and ends are where they say. */
START_TEST (test_a_scan_cut_anew_is_the_same_picture)
{
  static const unsigned intervals[] = {0, 1, 4, 7, 28, 100};
  Fixture f;

  for (size_t from = 0; from < 6; from++)
    for (size_t to = 0; to < 6; to++) {
      JpegForm form;
      size_t size, begin = 0;

      fixture_init (&f, JPEG_420, intervals[from], 5);
      size = cut (&f, intervals[to], sizeof f.out);
      ck_assert_uint_gt (size, 0);
      ck_assert_uint_le (size, sizeof f.out);
      f.header.form.interval = intervals[to];
      picture_same (&f.p, &f.header, f.out, size);
      form = f.header.form;
      for (unsigned i = 0; i < jpeg_scan_intervals (&form); begin = f.ends[i++]) {
        bool last = i + 1 == jpeg_scan_intervals (&form);
        size_t length = f.ends[i] - begin - (last ? 0 : 2);

        ck_assert (jpeg_scan_fits (&form, jpeg_scan_mcus_of (&form, i), f.out + begin, length));
        if (!last)
          ck_assert_uint_eq (f.out[f.ends[i] - 1], 0xd0 + i % 8);
      }
      ck_assert_uint_eq (begin, size);
    }
}
END_TEST

START_TEST (test_what_does_not_fit_is_counted)
{
  Fixture f;
  size_t size;

  fixture_init (&f, JPEG_420, 0, 1);
  size = cut (&f, 4, sizeof f.out);
  f.out[100] = 77;
  ck_assert_uint_eq (cut (&f, 4, 100), size);
  ck_assert_uint_eq (f.out[100], 77);
}
END_TEST

/* An encoder's own Huffman tables, of equal lengths here, become the usual ones. */
START_TEST (test_other_huffman_tables)
{
  uint8_t counts[16] = {0}, symbols[256], wide[16] = {0};
  const JpegHuffmanSpec *ac = jpeg_huffman_usual (true, false);
  JpegScanWriter w;
  Fixture f;
  size_t size;

  fixture_init (&f, JPEG_420, 0, 3);
  for (unsigned i = 0; i < 12; i++)
    symbols[i] = (uint8_t)(11 - i);
  counts[3] = 12;
  wide[8] = 162;
  jpeg_scan_writer_init (&w, &f.p.form, f.p.bytes + f.p.scan, sizeof f.p.bytes - f.p.scan);
  for (unsigned i = 0; i < 2; i++) {
    ck_assert (jpeg_huffman_init (&f.header.dc[i], counts, symbols, 12));
    ck_assert (jpeg_huffman_init (&f.header.ac[i], wide, ac->symbols, 162));
    w.dc[i] = f.header.dc[i];
    w.ac[i] = f.header.ac[i];
  }
  for (unsigned i = 0; i < jpeg_form_mcus (&f.p.form); i++)
    ck_assert (jpeg_scan_write (&w, &f.p.mcu[i]));
  jpeg_scan_restart (&w);
  f.p.size = f.p.scan + w.bits.size;
  size = cut (&f, 7, sizeof f.out);
  ck_assert_uint_gt (size, 0);
  f.p.form.interval = 7;
  jpeg_header_init (&f.header, &f.p.form);
  picture_same (&f.p, &f.header, f.out, size);
}
END_TEST

START_TEST (test_scans_that_are_wrong)
{
  Fixture f;
  uint8_t *marker;

  fixture_init (&f, JPEG_420, 4, 2);
  marker = f.p.bytes + f.p.scan + f.p.ends[0] - 1;
  *marker = 0xd1; /* its number is another */
  ck_assert_uint_eq (cut (&f, 4, sizeof f.out), 0);
  *marker = 0x00; /* it is none */
  ck_assert_uint_eq (cut (&f, 4, sizeof f.out), 0);
  *marker = 0xd0;
  ck_assert_uint_gt (cut (&f, 4, sizeof f.out), 0);
  f.p.size = f.p.scan + f.p.ends[3];
  ck_assert_uint_eq (cut (&f, 4, sizeof f.out), 0);
  f.p.size = f.p.scan;
  ck_assert_uint_eq (cut (&f, 4, sizeof f.out), 0);
}
END_TEST

/* A marker may be filled up in front; of a scan that is cut off no byte behind its end is read. */
START_TEST (test_markers_filled_up_and_scans_cut_off)
{
  Fixture f;
  uint8_t *marker;
  size_t last, size;

  fixture_init (&f, JPEG_420, 7, 2);
  last = f.p.ends[3] - 2;
  for (unsigned less = 2; less < 20; less++) {
    f.p.size = f.p.scan + last - less;
    ck_assert_uint_eq (cut (&f, 7, sizeof f.out), 0);
  }
  f.p.size = f.p.scan + f.p.ends[3];
  marker = f.p.bytes + f.p.scan + f.p.ends[0] - 2;
  memmove (marker + 2, marker, f.p.ends[3] - f.p.ends[0] + 2);
  memset (marker, 0xff, 2);
  f.p.size += 2;
  size = cut (&f, 7, sizeof f.out);
  ck_assert_uint_gt (size, 0);
  f.header.form.interval = 7;
  picture_same (&f.p, &f.header, f.out, size);
}
END_TEST

/* Zeroes that run over the end of a block; a code that the table has and JPEG has not. */
START_TEST (test_blocks_that_are_none)
{
  JpegForm form = {16, 8, JPEG_422, {{{0}}}, 0};
  JpegScanWriter w;
  uint8_t out[64];

  jpeg_quantizers_of (50, &form.quantizers);
  for (unsigned runs = 3; runs <= 4; runs++) {
    jpeg_scan_writer_init (&w, &form, out, sizeof out);
    for (unsigned b = 0; b < 4; b++) {
      jpeg_huffman_write (&w.dc[b > 1], &w.bits, 0);
      for (unsigned i = 0; i < runs && b == 0; i++)
        jpeg_huffman_write (&w.ac[0], &w.bits, 0xf0);
      if (b == 0 && runs == 3) {
        jpeg_huffman_write (&w.ac[0], &w.bits, 0xe1); /* 14 zeroes, and the last coefficient */
        jpeg_bits_write (&w.bits, 1, 1);
      } else if (b > 0) {
        jpeg_huffman_write (&w.ac[b > 1], &w.bits, 0);
      }
    }
    jpeg_scan_restart (&w);
    ck_assert (jpeg_scan_fits (&form, 1, out, w.bits.size) == (runs == 3));
    ck_assert_uint_eq (
        jpeg_scan_requantize (&form, &form.quantizers, 2, out, w.bits.size, NULL, 0), 0); /* there is one */
  }
}
END_TEST

START_TEST (test_an_interval_fits_as_it_is_and_not_otherwise)
{
  Fixture f;
  const uint8_t *scan;
  size_t size;

  fixture_init (&f, JPEG_420, 7, 4);
  scan = f.p.bytes + f.p.scan;
  size = f.p.ends[0] - 2;
  ck_assert (jpeg_scan_fits (&f.p.form, 7, scan, size));
  ck_assert (!jpeg_scan_fits (&f.p.form, 8, scan, size));
  ck_assert (!jpeg_scan_fits (&f.p.form, 6, scan, size));
  ck_assert (!jpeg_scan_fits (&f.p.form, 7, scan, size - 1));
  ck_assert (!jpeg_scan_fits (&f.p.form, 7, scan, size + 2));
  ck_assert (!jpeg_scan_fits (&f.p.form, 7, scan, 0));
}
END_TEST

/* Each coefficient is the nearest multiple of the new step, or as large as may be. */
START_TEST (test_steps_of_another_size)
{
  static const int qualities[][2] = {{40, 40}, {40, 5}, {5, 90}, {90, 30}};
  Fixture f;

  for (size_t i = 0; i < 4; i++) {
    JpegQuantizers from;
    JpegForm form;
    JpegScanReader r;
    JpegMcu mcu;
    size_t size;

    fixture_init (&f, JPEG_420, 0, 10 + i);
    jpeg_quantizers_of (qualities[i][0], &from);
    form = f.header.form;
    jpeg_quantizers_of (qualities[i][1], &form.quantizers);
    size = jpeg_scan_requantize (
        &form, &from, jpeg_form_mcus (&form), f.p.bytes + f.p.scan, f.p.size - f.p.scan - 2, f.out, sizeof f.out);
    ck_assert_uint_gt (size, 0);
    ck_assert (jpeg_scan_fits (&form, jpeg_form_mcus (&form), f.out, size));
    jpeg_scan_reader_init (&r, &f.header, f.out, size);
    for (unsigned m = 0; m < jpeg_form_mcus (&form); m++) {
      ck_assert (jpeg_scan_read (&r, &mcu));
      for (unsigned b = 0; b < 6; b++)
        for (unsigned k = 0; k < JPEG_BLOCK; k++) {
          int q = form.quantizers.table[b > 3][k], meant = f.p.mcu[m].block[b][k] * from.table[b > 3][k];
          int is = mcu.block[b][k] * q;

          if (abs (mcu.block[b][k]) < 1023)
            ck_assert_int_le (2 * abs (is - meant), q);
          else
            ck_assert (abs (meant) >= abs (is) - q / 2 && (meant < 0) == (is < 0));
        }
    }
  }
}
END_TEST

START_TEST (test_what_is_out_of_range_is_not_written)
{
  JpegForm form = {16, 16, JPEG_420, {{{0}}}, 0};
  JpegScanWriter w;
  JpegMcu mcu;
  uint8_t out[64];

  memset (&mcu, 0, sizeof mcu);
  jpeg_scan_writer_init (&w, &form, out, sizeof out);
  mcu.block[0][63] = 1024; /* 11 bits: no symbol of AC */
  ck_assert (!jpeg_scan_write (&w, &mcu));
  jpeg_scan_writer_init (&w, &form, out, sizeof out);
  mcu.block[0][63] = 1023;
  ck_assert (jpeg_scan_write (&w, &mcu));
  mcu.block[4][0] = -1024; /* of a picture that is black */
  ck_assert (jpeg_scan_write (&w, &mcu));
  jpeg_scan_restart (&w);
  ck_assert (jpeg_scan_fits (&form, 2, out, w.bits.size));
  mcu.block[5][0] = -32768;
  ck_assert (!jpeg_scan_write (&w, &mcu));
}
END_TEST

/* The sum of differences is a coefficient that no picture has. */
START_TEST (test_what_is_out_of_range_is_not_read)
{
  JpegForm form = {32, 16, JPEG_420, {{{0}}}, 0};
  JpegScanWriter w;
  JpegMcu mcu;
  uint8_t out[256];

  memset (&mcu, 0, sizeof mcu);
  jpeg_scan_writer_init (&w, &form, out, sizeof out);
  mcu.block[4][0] = 1023;
  ck_assert (jpeg_scan_write (&w, &mcu));
  w.before[1] = 0;
  ck_assert (jpeg_scan_write (&w, &mcu));
  jpeg_scan_restart (&w);
  ck_assert (!jpeg_scan_fits (&form, 2, out, w.bits.size));
}
END_TEST

START_TEST (test_intervals_of_a_picture)
{
  JpegForm form = {100, 60, JPEG_420, {{{0}}}, 0}; /* 7 x 4 */

  ck_assert_uint_eq (jpeg_scan_intervals (&form), 1);
  ck_assert_uint_eq (jpeg_scan_mcus_of (&form, 0), 28);
  form.interval = 7;
  ck_assert_uint_eq (jpeg_scan_intervals (&form), 4);
  ck_assert_uint_eq (jpeg_scan_mcus_of (&form, 3), 7);
  form.interval = 9;
  ck_assert_uint_eq (jpeg_scan_intervals (&form), 4);
  ck_assert_uint_eq (jpeg_scan_mcus_of (&form, 2), 9);
  ck_assert_uint_eq (jpeg_scan_mcus_of (&form, 3), 1);
}
END_TEST

CC_TEST_MAIN ("jpegscan", test_coefficients_are_read_as_written, test_a_scan_cut_anew_is_the_same_picture,
    test_what_does_not_fit_is_counted, test_other_huffman_tables, test_scans_that_are_wrong,
    test_markers_filled_up_and_scans_cut_off, test_blocks_that_are_none,
    test_an_interval_fits_as_it_is_and_not_otherwise, test_steps_of_another_size,
    test_what_is_out_of_range_is_not_written, test_what_is_out_of_range_is_not_read, test_intervals_of_a_picture)
