/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpjpeg.h"
#include "cctest.h"

#include <string.h>

static const uint8_t data[] = {1, 2, 3};

/* RFC 2435 3.1: the bytes by hand. */
START_TEST (test_golden_bytes)
{
  static const uint8_t plain[] = {0, 0, 0, 0, 1, 75, 44, 36};
  static const uint8_t restart[] = {0, 0x01, 0x02, 0x03, 65, 5, 44, 36, 0, 22, 0xc1, 0x02};
  RtpJpegHead head = {.type = 1, .Q = 75, .width = 352, .height = 288};
  uint8_t out[RTP_JPEG_HEADER_BYTES];

  ck_assert_uint_eq (rtp_jpeg_write (out, &head), sizeof plain);
  ck_assert_mem_eq (out, plain, sizeof plain);
  head = (RtpJpegHead){.offset = 0x10203,
      .type = 65,
      .Q = 5,
      .width = 345,
      .height = 281,
      .interval = 22,
      .F = true,
      .L = true,
      .count = 0x102};
  ck_assert_uint_eq (rtp_jpeg_write (out, &head), sizeof restart);
  ck_assert_mem_eq (out, restart, sizeof restart);
}
END_TEST

START_TEST (test_what_is_written_is_read)
{
  uint8_t out[RTP_JPEG_HEADER_BYTES + sizeof data], tables[RTP_JPEG_TABLES_BYTES];

  memset (tables, 7, sizeof tables);
  for (unsigned i = 0; i < 16; i++) {
    RtpJpegHead head = {.offset = i & 1 ? 1 << 20 : 0,
        .type = i & 2 ? 64 : 0,
        .Q = i & 4 ? 255 : 30,
        .width = 2040,
        .height = 8,
        .interval = i & 2 ? 65535 : 0,
        .F = i & 2 && i & 8,
        .L = i & 2 && !(i & 8),
        .count = i & 2 ? 0x3ffe : 0,
        .tables = tables};
    size_t n = rtp_jpeg_write (out, &head);
    RtpJpegHead back;

    ck_assert_uint_le (n, RTP_JPEG_HEADER_BYTES);
    memcpy (out + n, data, sizeof data);
    ck_assert (rtp_jpeg_parse (out, n + sizeof data, &back));
    ck_assert_uint_eq (back.offset, head.offset);
    ck_assert_uint_eq (back.type, head.type);
    ck_assert_uint_eq (back.Q, head.Q);
    ck_assert_uint_eq (back.width, 2040);
    ck_assert_uint_eq (back.height, 8);
    ck_assert_uint_eq (back.interval, head.interval);
    ck_assert (back.F == head.F && back.L == head.L && back.count == head.count);
    ck_assert_uint_eq (back.size, sizeof data);
    ck_assert_mem_eq (back.data, data, sizeof data);
    if (head.Q == 255 && head.offset == 0)
      ck_assert_mem_eq (back.tables, tables, sizeof tables);
    else
      ck_assert_ptr_null (back.tables);
    for (size_t size = 0; size <= n; size++)
      ck_assert (!rtp_jpeg_parse (out, size, &back));
  }
}
END_TEST

START_TEST (test_what_is_refused)
{
  static const struct {
    unsigned at, value;
  } rows[] = {{0, 1}, {4, 2}, {4, 66}, {4, 128}, {4, 129}, {5, 0}, {5, 100}, {5, 127}, {6, 0}, {7, 0}, {9, 0}, {13, 1},
      {14, 1}, {15, 64}, {15, 0}, {20, 0}};
  RtpJpegHead head = {.type = 65, .Q = 255, .width = 64, .height = 64, .interval = 1}, back;
  uint8_t tables[RTP_JPEG_TABLES_BYTES], out[RTP_JPEG_HEADER_BYTES + 1], changed[sizeof out];

  memset (tables, 1, sizeof tables);
  head.tables = tables;
  ck_assert_uint_eq (rtp_jpeg_write (out, &head), RTP_JPEG_HEADER_BYTES);
  out[RTP_JPEG_HEADER_BYTES] = 0;
  ck_assert (rtp_jpeg_parse (out, sizeof out, &back));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    memcpy (changed, out, sizeof out);
    changed[rows[i].at] = (uint8_t)rows[i].value;
    ck_assert_msg (!rtp_jpeg_parse (changed, sizeof out, &back), "row %zu", i);
  }
  out[5] = 128; /* tables that stay may be left out */
  out[15] = 0;
  ck_assert (rtp_jpeg_parse (out, sizeof out, &back));
  ck_assert_ptr_null (back.tables);
}
END_TEST

static RtpJpegPlace
place (RtpJpegChunk *c, uint32_t offset, size_t size, bool F, bool L, unsigned count, bool *complete)
{
  RtpJpegHead head = {.offset = offset, .size = size, .interval = 1, .F = F, .L = L, .count = (uint16_t)count};

  return rtp_jpeg_chunk_place (c, &head, false, complete);
}

START_TEST (test_chunks_of_one_packet_and_of_several)
{
  RtpJpegChunk c = {0};
  bool complete;

  ck_assert_int_eq (place (&c, 0, 100, true, true, 0, &complete), RTP_JPEG_BEGINS);
  ck_assert (complete);
  ck_assert_int_eq (place (&c, 100, 100, true, false, 2, &complete), RTP_JPEG_BEGINS);
  ck_assert (!complete);
  ck_assert_int_eq (place (&c, 200, 50, false, false, 2, &complete), RTP_JPEG_GOES_ON);
  ck_assert (!complete);
  ck_assert_int_eq (place (&c, 250, 50, false, true, 2, &complete), RTP_JPEG_GOES_ON);
  ck_assert (complete);
  /* nothing goes on with a chunk that has ended */
  ck_assert_int_eq (place (&c, 300, 50, false, true, 2, &complete), RTP_JPEG_USELESS);
  ck_assert (!complete);
}
END_TEST

START_TEST (test_a_gap_makes_the_rest_of_a_chunk_useless)
{
  RtpJpegChunk c = {0};
  bool complete;

  place (&c, 0, 100, true, false, 0, &complete);
  ck_assert_int_eq (place (&c, 200, 100, false, false, 0, &complete), RTP_JPEG_USELESS);
  ck_assert_int_eq (place (&c, 300, 100, false, true, 0, &complete), RTP_JPEG_USELESS);
  ck_assert (!complete);
  ck_assert_int_eq (place (&c, 400, 100, true, true, 9, &complete), RTP_JPEG_BEGINS);
  ck_assert (complete);
  place (&c, 500, 100, true, false, 10, &complete); /* another chunk's end, at the same place */
  ck_assert_int_eq (place (&c, 600, 100, false, true, 11, &complete), RTP_JPEG_USELESS);
}
END_TEST

/* Without restart markers, or with a count that says so, the whole picture is one chunk. */
START_TEST (test_whole_pictures)
{
  for (int k = 0; k < 2; k++) {
    RtpJpegHead head = {.size = 100, .interval = k ? 5 : 0, .F = k, .L = k, .count = k ? RTP_JPEG_WHOLE : 0};
    RtpJpegChunk c = {0};
    bool complete;

    ck_assert_int_eq (rtp_jpeg_chunk_place (&c, &head, false, &complete), RTP_JPEG_BEGINS);
    ck_assert (!complete);
    ck_assert_uint_eq (c.first, 0);
    head.offset = 100;
    ck_assert_int_eq (rtp_jpeg_chunk_place (&c, &head, false, &complete), RTP_JPEG_GOES_ON);
    head.offset = 200;
    ck_assert_int_eq (rtp_jpeg_chunk_place (&c, &head, true, &complete), RTP_JPEG_GOES_ON);
    ck_assert (complete);
    ck_assert_int_eq (rtp_jpeg_chunk_place (&c, &head, true, &complete), RTP_JPEG_USELESS);
  }
}
END_TEST

START_TEST (test_packets_are_filled_with_whole_intervals)
{
  static const size_t ends[] = {400, 900, 1000, 2600, 2700};

  ck_assert_uint_eq (rtp_jpeg_chunk_intervals (ends, 5, 0, 1000), 3);
  ck_assert_uint_eq (rtp_jpeg_chunk_intervals (ends, 5, 0, 999), 2);
  ck_assert_uint_eq (rtp_jpeg_chunk_intervals (ends, 5, 3, 1000), 1); /* 1600 bytes: in several packets */
  ck_assert_uint_eq (rtp_jpeg_chunk_intervals (ends, 5, 4, 1000), 1);
  ck_assert_uint_eq (rtp_jpeg_chunk_intervals (ends, 5, 3, 1700), 2);
}
END_TEST

CC_TEST_MAIN ("rtpjpeg", test_golden_bytes, test_what_is_written_is_read, test_what_is_refused,
    test_chunks_of_one_packet_and_of_several, test_a_gap_makes_the_rest_of_a_chunk_useless, test_whole_pictures,
    test_packets_are_filled_with_whole_intervals)
