/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "jpegstrips.h"
#include "cctest.h"
#include "jpegpicture.h"

#define STRIPS 4

typedef struct {
  CcPcg32 pcg;
  Picture a, b; /* one after the other */
  JpegStrip strip[STRIPS];
  JpegStrips s;
  uint8_t out[PICTURE_BYTES];
} Fixture;

static void
fixture_init (Fixture *f, int quality_a, int quality_b)
{
  CcRandom random = cc_pcg32_init (&f->pcg, 7);

  picture_init (&f->a, 100, 60, JPEG_420, 7, quality_a, &random);
  picture_init (&f->b, 100, 60, JPEG_420, 7, quality_b, &random);
  jpeg_strips_init (&f->s, f->strip, STRIPS);
}

static uint8_t *
put (Fixture *f, Picture *p, unsigned i)
{
  size_t begin = i > 0 ? p->ends[i - 1] : 0;

  return jpeg_strips_put (&f->s, i, p->bytes + p->scan + begin, p->ends[i] - 2 - begin, &p->form.quantizers);
}

static size_t
split (Picture *p, unsigned from, size_t begin, size_t end, JpegSpan *spans)
{
  return jpeg_strips_split (p->bytes + p->scan + begin, end - begin, from, spans, STRIPS - from);
}

START_TEST (test_chunks_are_split_at_their_markers)
{
  Fixture f;
  JpegSpan spans[STRIPS];

  fixture_init (&f, 40, 40);
  for (unsigned from = 0; from < STRIPS; from++)
    for (unsigned to = from; to < STRIPS; to++) {
      size_t begin = from > 0 ? f.a.ends[from - 1] : 0, expected = begin;

      ck_assert_uint_eq (split (&f.a, from, begin, f.a.ends[to], spans), to - from + 1);
      for (unsigned i = from; i <= to; i++, expected = f.a.ends[i - 1]) {
        ck_assert_uint_eq (begin + spans[i - from].begin, expected);
        ck_assert_uint_eq (expected + spans[i - from].size + 2, f.a.ends[i]);
      }
      /* without the marker behind it; with one in front */
      ck_assert_uint_eq (split (&f.a, from, begin, f.a.ends[to] - 2, spans), to - from + 1);
      if (from > 0) {
        ck_assert_uint_eq (split (&f.a, from, begin - 2, f.a.ends[to], spans), to - from + 1);
        ck_assert_uint_eq (spans[0].begin, 2);
        ck_assert_uint_eq (spans[0].size, f.a.ends[from] - begin - 2);
      }
    }
}
END_TEST

START_TEST (test_chunks_that_are_wrong)
{
  static const uint8_t cut_off[] = {1, 2, 0xff}, twice[] = {1, 0xff, 0xd0, 0xff, 0xd1, 2},
                       other[] = {1, 0xff, 0xc4, 0, 2}, end[] = {1, 0xff, 0xd9, 2}, stuffed[] = {1, 0xff, 0, 2};
  JpegSpan spans[STRIPS];
  Fixture f;

  fixture_init (&f, 40, 40);
  ck_assert_uint_eq (split (&f.a, 0, 0, f.a.ends[3], spans), 4);
  ck_assert_uint_eq (split (&f.a, 1, 0, f.a.ends[2], spans), 0); /* another's numbers */
  ck_assert_uint_eq (jpeg_strips_split (f.a.bytes + f.a.scan, f.a.ends[3], 0, spans, 3), 0);
  ck_assert_uint_eq (jpeg_strips_split (cut_off, sizeof cut_off, 0, spans, 4), 0);
  ck_assert_uint_eq (jpeg_strips_split (twice, sizeof twice, 0, spans, 4), 0);
  ck_assert_uint_eq (jpeg_strips_split (other, sizeof other, 0, spans, 4), 0);
  ck_assert_uint_eq (jpeg_strips_split (end, sizeof end, 0, spans, 4), 0);
  ck_assert_uint_eq (jpeg_strips_split (stuffed, sizeof stuffed, 0, spans, 4), 1);
  ck_assert_uint_eq (jpeg_strips_split (stuffed, 0, 0, spans, 4), 0);
  ck_assert_uint_eq (jpeg_strips_split (stuffed, 1, 0, spans, 4), 1);
  ck_assert_uint_eq (jpeg_strips_split (stuffed, 3, 0, spans, 4), 1);
  ck_assert_uint_eq (jpeg_strips_split (stuffed, 2, 0, spans, 4), 0);
}
END_TEST

START_TEST (test_a_whole_picture_is_written_as_it_was)
{
  Fixture f;

  fixture_init (&f, 40, 40);
  for (unsigned i = 0; i < STRIPS; i++) {
    ck_assert (!jpeg_strips_ready (&f.s));
    ck_assert_ptr_null (put (&f, &f.a, i));
  }
  ck_assert (jpeg_strips_ready (&f.s));
  ck_assert_uint_eq (jpeg_strips_write (&f.s, &f.a.form, f.out, sizeof f.out), f.a.size);
  ck_assert_mem_eq (f.out, f.a.bytes, f.a.size);
}
END_TEST

/* Strip 2 of the second picture is lost: the first one's stands in, in the second one's steps. */
START_TEST (test_what_is_missing_is_of_the_picture_before)
{
  static const int qualities[][2] = {{40, 40}, {60, 20}, {20, 60}};
  Fixture f;
  JpegHeader header;

  for (size_t k = 0; k < 3; k++) {
    size_t size, begin;

    fixture_init (&f, qualities[k][0], qualities[k][1]);
    for (unsigned i = 0; i < STRIPS; i++)
      put (&f, &f.a, i);
    jpeg_strips_next (&f.s);
    ck_assert (!jpeg_strips_ready (&f.s)); /* nothing of it has come yet */
    for (unsigned i = 0; i < STRIPS; i++)
      if (i != 2)
        ck_assert_ptr_nonnull (put (&f, &f.b, i));
    ck_assert (jpeg_strips_ready (&f.s));
    ck_assert_uint_eq (f.s.fresh, 3);
    size = jpeg_strips_write (&f.s, &f.b.form, f.out, sizeof f.out);
    ck_assert_int_eq (jpeg_header_parse (f.out, size, &header), JPEG_OK);
    ck_assert_mem_eq (&header.form, &f.b.form, sizeof header.form);
    begin = f.b.scan + f.b.ends[1];
    ck_assert_mem_eq (f.out, f.b.bytes, begin); /* strips 0 and 1 */
    ck_assert_mem_eq (
        f.out + size - (f.b.ends[3] - f.b.ends[2]), f.b.bytes + f.b.scan + f.b.ends[2], f.b.ends[3] - f.b.ends[2]);
    if (k == 0) {
      ck_assert_mem_eq (f.out + begin, f.a.bytes + f.a.scan + f.a.ends[1], f.a.ends[2] - f.a.ends[1]);
    } else {
      uint8_t strip[PICTURE_BYTES];
      size_t n = jpeg_scan_requantize (
          &f.b.form, &f.a.form.quantizers, 7, f.strip[2].data, f.strip[2].size, strip, sizeof strip);

      ck_assert_uint_eq (n + 2, size - begin - (f.b.ends[3] - f.b.ends[2]));
      ck_assert_mem_eq (f.out + begin, strip, n);
    }
  }
}
END_TEST

/* A strip that stands in keeps its own steps, however many pictures it stands in. */
START_TEST (test_standing_in_changes_nothing)
{
  Fixture f;
  size_t size;

  fixture_init (&f, 70, 10);
  for (unsigned i = 0; i < STRIPS; i++)
    put (&f, &f.a, i);
  for (unsigned k = 0; k < 5; k++) {
    jpeg_strips_next (&f.s);
    put (&f, &f.b, 0);
    ck_assert (jpeg_strips_ready (&f.s)); /* one of it is enough */
    jpeg_strips_write (&f.s, &f.b.form, f.out, sizeof f.out);
  }
  jpeg_strips_next (&f.s);
  put (&f, &f.a, 0);
  size = jpeg_strips_write (&f.s, &f.a.form, f.out, sizeof f.out);
  ck_assert_uint_eq (size, f.a.size);
  ck_assert_mem_eq (f.out, f.a.bytes, size);
}
END_TEST

START_TEST (test_what_does_not_fit_is_counted)
{
  Fixture f;

  fixture_init (&f, 60, 20);
  for (unsigned i = 0; i < STRIPS; i++)
    put (&f, &f.a, i);
  for (size_t capacity = 0; capacity < f.a.size; capacity += 97) { /* in other steps, and as they are */
    JpegForm form = capacity % 2 ? f.a.form : f.b.form;
    size_t size = jpeg_strips_write (&f.s, &form, f.out, sizeof f.out);

    memset (f.out, 99, sizeof f.out);
    ck_assert_uint_eq (jpeg_strips_write (&f.s, &form, f.out, capacity), size);
    ck_assert_uint_eq (f.out[capacity], 99);
  }
}
END_TEST

CC_TEST_MAIN ("jpegstrips", test_chunks_are_split_at_their_markers, test_chunks_that_are_wrong,
    test_a_whole_picture_is_written_as_it_was, test_what_is_missing_is_of_the_picture_before,
    test_standing_in_changes_nothing, test_what_does_not_fit_is_counted)
