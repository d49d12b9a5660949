/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpegheader.h"
#include "cctest.h"

#include <string.h>

typedef struct {
  JpegForm form;
  uint8_t bytes[JPEG_HEADER_BYTES];
  size_t size;
  JpegHeader parsed;
} Fixture;

static void
fixture_init (Fixture *f, JpegSampling sampling, unsigned interval)
{
  memset (f, 0, sizeof *f);
  f->form = (JpegForm){353, 290, sampling, {{{0}}}, interval};
  jpeg_quantizers_of (30, &f->form.quantizers);
  f->size = jpeg_header_write (f->bytes, &f->form);
}

static uint8_t *
segment (Fixture *f, unsigned marker, unsigned nth)
{
  for (size_t at = 2; at < f->size; at += 2 + (size_t)(f->bytes[at + 2] << 8 | f->bytes[at + 3]))
    if (f->bytes[at + 1] == marker && nth-- == 0)
      return f->bytes + at + 4;
  ck_abort_msg ("no such segment");
  return NULL;
}

static JpegProblem
parse (Fixture *f)
{
  return jpeg_header_parse (f->bytes, f->size, &f->parsed);
}

START_TEST (test_what_is_written_is_read)
{
  for (unsigned i = 0; i < 4; i++) {
    Fixture f;
    JpegHeader made;

    fixture_init (&f, i & 1 ? JPEG_420 : JPEG_422, i & 2 ? 300 : 0);
    ck_assert_uint_le (f.size, JPEG_HEADER_BYTES);
    ck_assert_int_eq (parse (&f), JPEG_OK);
    ck_assert_mem_eq (&f.parsed.form, &f.form, sizeof f.form);
    ck_assert_uint_eq (f.parsed.scan, f.size);
    for (unsigned c = 0; c < 3; c++)
      ck_assert (f.parsed.dc_of[c] == (c > 0) && f.parsed.ac_of[c] == (c > 0));
    for (unsigned t = 0; t < 2; t++) {
      ck_assert_mem_eq (&f.parsed.dc[t].spec, jpeg_huffman_usual (false, t), sizeof (JpegHuffmanSpec));
      ck_assert_mem_eq (&f.parsed.ac[t].spec, jpeg_huffman_usual (true, t), sizeof (JpegHuffmanSpec));
    }
    jpeg_header_init (&made, &f.form); /* the same without writing it */
    made.scan = f.size;
    ck_assert_mem_eq (&made, &f.parsed, sizeof made);
  }
}
END_TEST

START_TEST (test_sizes)
{
  JpegForm form = {353, 290, JPEG_420, {{{0}}}, 0};

  ck_assert_uint_eq (jpeg_form_mcus_wide (&form), 23);
  ck_assert_uint_eq (jpeg_form_mcus (&form), 23 * 19);
  ck_assert_uint_eq (jpeg_form_mcu_blocks (&form), 6);
  ck_assert_uint_eq (jpeg_form_component (&form, 3), 0);
  ck_assert_uint_eq (jpeg_form_component (&form, 4), 1);
  ck_assert_uint_eq (jpeg_form_component (&form, 5), 2);
  form.sampling = JPEG_422;
  ck_assert_uint_eq (jpeg_form_mcus (&form), 23 * 37);
  ck_assert_uint_eq (jpeg_form_mcu_blocks (&form), 4);
  ck_assert_uint_eq (jpeg_form_component (&form, 1), 0);
  ck_assert_uint_eq (jpeg_form_component (&form, 3), 2);
}
END_TEST

START_TEST (test_whatever_it_is_cut_off_at)
{
  Fixture f;

  fixture_init (&f, JPEG_420, 20);
  for (size_t size = 0; size < f.size; size++)
    ck_assert_int_eq (jpeg_header_parse (f.bytes, size, &f.parsed), JPEG_CUT_OFF);
  for (unsigned at = 0; at < 2; at++) { /* no beginning */
    fixture_init (&f, JPEG_420, 20);
    f.bytes[at] ^= 1;
    ck_assert_int_eq (parse (&f), JPEG_CUT_OFF);
  }
}
END_TEST

/* One byte is another: which makes it something that RTP cannot carry, or nothing at all. */
START_TEST (test_what_cannot_be_carried)
{
  static const struct {
    unsigned marker, nth, at, value;
    JpegProblem problem;
  } rows[] = {
      {0xc0, 0, 0, 12, JPEG_NOT_BASELINE}, /* bits a sample */
      {0xc0, 0, 2, 0, JPEG_CUT_OFF},       /* height 34 */
      {0xc0, 0, 7, 0x11, JPEG_SAMPLING},   /* 4:4:4 */
      {0xc0, 0, 7, 0x12, JPEG_SAMPLING},   /* 4:4:0 */
      {0xc0, 0, 10, 0x12, JPEG_SAMPLING},  /* as libavcodec writes 4:2:2 */
      {0xc0, 0, 13, 0x21, JPEG_SAMPLING},
      {0xc0, 0, 5, 1, JPEG_SAMPLING},     /* grey */
      {0xc0, 0, 5, 4, JPEG_CUT_OFF},      /* more components than there is room for */
      {0xc0, 0, 8, 2, JPEG_TABLES},       /* no such quantizer */
      {0xc0, 0, 14, 0, JPEG_TABLES},      /* the second of colour has another one */
      {0xdb, 0, 0, 0x10, JPEG_TABLES},    /* 16 bits */
      {0xdb, 0, 5, 0, JPEG_TABLES},       /* a step of 0 */
      {0xdb, 1, 0, 4, JPEG_TABLES},       /* number 4 */
      {0xc4, 0, 0, 0x20, JPEG_TABLES},    /* class 2 */
      {0xc4, 0, 0, 0x02, JPEG_TABLES},    /* number 2 */
      {0xc4, 0, 2, 99, JPEG_TABLES},      /* more symbols than there are */
      {0xda, 0, 0, 1, JPEG_NOT_BASELINE}, /* one component alone */
      {0xda, 0, 1, 2, JPEG_NOT_BASELINE}, /* another order */
      {0xda, 0, 8, 5, JPEG_NOT_BASELINE}, /* progressive */
      {0xda, 0, 9, 0x10, JPEG_NOT_BASELINE},
      {0xda, 0, 2, 0x20, JPEG_TABLES}, /* no such Huffman table */
      {0xda, 0, 4, 0x12, JPEG_TABLES},
  };

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    Fixture f;

    fixture_init (&f, JPEG_420, 0);
    segment (&f, rows[i].marker, rows[i].nth)[rows[i].at] = (uint8_t)rows[i].value;
    if (rows[i].problem == JPEG_CUT_OFF && rows[i].at == 2)
      segment (&f, 0xc0, 0)[1] = 0;
    ck_assert_msg (parse (&f) == rows[i].problem, "row %zu: %d", i, parse (&f));
  }
}
END_TEST

START_TEST (test_other_processes)
{
  static const struct {
    uint8_t marker;
    JpegProblem problem;
  } rows[] = {{0xc2, JPEG_NOT_BASELINE}, {0xc1, JPEG_NOT_BASELINE}, {0xcc, JPEG_NOT_BASELINE},
      {0xcf, JPEG_NOT_BASELINE}, {0xe0, JPEG_CUT_OFF}, {0xc8, JPEG_CUT_OFF}};

  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    Fixture f;

    fixture_init (&f, JPEG_420, 0); /* the frame is another, or none: then the scan has none */
    segment (&f, 0xc0, 0)[-3] = rows[i].marker;
    ck_assert_msg (parse (&f) == rows[i].problem, "row %zu", i);
  }
}
END_TEST

/* Comments, APP0, bytes in front of a marker are passed; tables of Huffman may be left out. */
START_TEST (test_what_is_of_no_account)
{
  static const uint8_t comment[] = {0xff, 0xfe, 0, 4, 'h', 'i', 0xff};
  uint8_t bytes[JPEG_HEADER_BYTES + sizeof comment];
  Fixture f;
  size_t tables;

  fixture_init (&f, JPEG_420, 0);
  memcpy (bytes, f.bytes, 2);
  memcpy (bytes + 2, comment, sizeof comment);
  memcpy (bytes + 2 + sizeof comment, f.bytes + 2, f.size - 2);
  ck_assert_int_eq (jpeg_header_parse (bytes, f.size + sizeof comment, &f.parsed), JPEG_OK);
  ck_assert_uint_eq (f.parsed.scan, f.size + sizeof comment);
  tables = (size_t)(segment (&f, 0xda, 0) - segment (&f, 0xc4, 0));
  memmove (segment (&f, 0xc4, 0) - 4, segment (&f, 0xda, 0) - 4, 14);
  f.size -= tables;
  ck_assert_int_eq (parse (&f), JPEG_OK);
  ck_assert_uint_eq (f.parsed.ac[1].length[0xf0], 10);
}
END_TEST

CC_TEST_MAIN ("jpegheader", test_what_is_written_is_read, test_sizes, test_whatever_it_is_cut_off_at,
    test_what_cannot_be_carried, test_other_processes, test_what_is_of_no_account)
