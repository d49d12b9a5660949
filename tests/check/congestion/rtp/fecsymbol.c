/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fecsymbol.h"
#include "cctest.h"
#include "fecstream.h"

START_TEST (test_there_and_back)
{
  uint8_t packet[FEC_STREAM_MAX], symbol[FEC_SYMBOL_MAX];
  size_t size = fec_stream_packet (packet, 70000), got;
  const uint8_t *back;

  ck_assert_uint_eq (fec_symbol_make (symbol, packet, size, (uint16_t)70000), size + 2);
  back = fec_symbol_packet (symbol, size + 2, FEC_STREAM_SSRC, (uint16_t)70000, &got);
  ck_assert_uint_eq (got, size);
  ck_assert_mem_eq (back, packet, size);
  ck_assert_ptr_null (fec_symbol_packet (symbol, size + 1, FEC_STREAM_SSRC, (uint16_t)70000, &got));
  ck_assert_ptr_null (fec_symbol_packet (symbol, size + 2, FEC_STREAM_SSRC + 1, (uint16_t)70000, &got));
  ck_assert_ptr_null (fec_symbol_packet (symbol, size + 2, FEC_STREAM_SSRC, 1, &got));
  ck_assert_ptr_null (fec_symbol_packet (symbol, 1, FEC_STREAM_SSRC, 1, &got));
}
END_TEST

/* Another number, an extension less: what routers and the sender write there is not in it. */
START_TEST (test_extensions_are_left_out)
{
  static const uint8_t packet[] = {0x91, 0xe0, 0, 7, 0, 0, 0, 9, 0xfe, 0xed, 0, 1, 1, 2, 3, 4, 0xbe, 0xde, 0, 1, 0x10,
      0xaa, 0, 0, 'd', 'a', 't', 'a'};
  static const uint8_t expected[] = {
      0, 20, 0x81, 0xe0, 0, 5, 0, 0, 0, 9, 0xfe, 0xed, 0, 1, 1, 2, 3, 4, 'd', 'a', 't', 'a'};
  uint8_t symbol[FEC_SYMBOL_MAX];

  ck_assert_uint_eq (fec_symbol_make (symbol, packet, sizeof packet, 5), sizeof expected);
  ck_assert_mem_eq (symbol, expected, sizeof expected);
}
END_TEST

START_TEST (test_what_does_not_fit)
{
  uint8_t packet[1500] = {0x80, 96}, symbol[FEC_SYMBOL_MAX];

  ck_assert_uint_eq (fec_symbol_make (symbol, packet, FEC_SYMBOL_MAX - 2, 0), FEC_SYMBOL_MAX);
  ck_assert_uint_eq (fec_symbol_make (symbol, packet, FEC_SYMBOL_MAX - 1, 0), 0);
  ck_assert_uint_eq (fec_symbol_make (symbol, packet, 11, 0), 0);
}
END_TEST

START_TEST (test_the_head)
{
  static const uint8_t golden[] = {0x12, 0x34, 0xf0, 0x80, 0, 1, 0x11, 0x70, 0};
  uint8_t data[FEC_HEAD_BYTES + FEC_SYMBOL_MAX + 1] = {0};
  FecHead head = {.key = 0x1234, .n = 128, .first = 70000}, read;

  fec_head_write (data, &head);
  ck_assert_mem_eq (data, golden, sizeof golden);
  ck_assert (fec_head_parse (&read, data, sizeof golden));
  ck_assert (fec_head_parse (&read, data, sizeof data - 1));
  ck_assert (!fec_head_parse (&read, data, sizeof data));
  ck_assert_uint_eq (read.key, head.key);
  ck_assert_uint_eq (read.n, head.n);
  ck_assert_uint_eq (read.first, head.first);
  ck_assert (!fec_head_parse (&read, data, FEC_HEAD_BYTES));
  data[3] = 0x81; /* more packets than a window has */
  ck_assert (!fec_head_parse (&read, data, sizeof golden));
  data[3] = 0;
  ck_assert (!fec_head_parse (&read, data, sizeof golden));
  data[2] = 0xe0; /* another density */
  data[3] = 4;
  ck_assert (!fec_head_parse (&read, data, sizeof golden));
}
END_TEST

/* The low bytes of RFC 8682's numbers for key 1. */
START_TEST (test_coefficients)
{
  static const uint8_t expected[] = {2545341989u & 0xff, 981918433u & 0xff, 3715302833u & 0xff, 2387538352u & 0xff};
  uint8_t coefficients[FEC_WINDOW];

  fec_coefficients (coefficients, 1, FEC_WINDOW);
  ck_assert_mem_eq (coefficients, expected, sizeof expected);
  for (uint16_t key = 0; key < 50; key++) {
    fec_coefficients (coefficients, key, FEC_WINDOW);
    ck_assert_ptr_null (memchr (coefficients, 0, sizeof coefficients));
  }
}
END_TEST

CC_TEST_MAIN ("fecsymbol", test_there_and_back, test_extensions_are_left_out, test_what_does_not_fit, test_the_head,
    test_coefficients)
