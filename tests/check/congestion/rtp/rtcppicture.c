/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcppicture.h"
#include "cctest.h"

#include <string.h>

/* Macroblocks 1 to 11 of picture 5: 1 << 19 | 11 << 6 | 5 = 0x80000 + 0x2c0 + 5 = 0x000802c5. The largest of all three:
   13, 13 and 6 ones. */
START_TEST (test_sli_golden_bytes)
{
  static const uint8_t golden[] = {0, 0x08, 0x02, 0xc5, 0xff, 0xff, 0xff, 0xff};
  static const RtcpSli slices[] = {{1, 11, 5}, {8191, 8191, 63}};
  RtcpSli back[3];
  uint8_t fci[8];
  size_t n;

  ck_assert_uint_eq (rtcp_sli_write (fci, 8, slices, 2), 8);
  ck_assert_mem_eq (fci, golden, 8);
  ck_assert (rtcp_sli_parse (fci, 8, back, 3, &n));
  ck_assert_uint_eq (n, 2);
  for (size_t i = 0; i < n; i++)
    ck_assert (back[i].first == slices[i].first && back[i].number == slices[i].number &&
               back[i].picture_id == slices[i].picture_id);
  ck_assert_uint_eq (rtcp_sli_write (fci, 7, slices, 2), 0);
}
END_TEST

START_TEST (test_sli_refuses_what_does_not_fit_its_fields)
{
  static const RtcpSli wrong[] = {{0, 1, 0}, {1, 0, 0}, {8192, 1, 0}, {1, 8192, 0}, {1, 1, 64}};
  uint8_t fci[8];

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_uint_eq (rtcp_sli_write (fci, 8, &wrong[i], 1), 0);
  ck_assert_uint_eq (rtcp_sli_write (fci, 8, wrong, 0), 0);
}
END_TEST

/* The middle one starts at macroblock 0, which there is not. */
START_TEST (test_sli_leaves_impossible_entries_out)
{
  static const uint8_t fci[] = {0, 0x08, 0x02, 0xc5, 0, 0, 0x02, 0xc5, 0, 0x10, 0x02, 0xc5};
  RtcpSli back[3];
  size_t n = 99;

  ck_assert (rtcp_sli_parse (fci, 12, back, 3, &n));
  ck_assert (n == 2 && back[0].first == 1 && back[1].first == 2);
  ck_assert (rtcp_sli_parse (fci, 12, back, 1, &n));
  ck_assert_uint_eq (n, 1);
  n = 99;
  ck_assert (!rtcp_sli_parse (fci, 0, back, 3, &n) && !rtcp_sli_parse (fci, 6, back, 3, &n));
  ck_assert_uint_eq (n, 99);
}
END_TEST

/* 15 bits 1011 0011 1100 010 of payload type 96 = 0x60: 16 + 15 = 31, one bit of padding; 0xb3, then 1100010 and the
   padding bit, 0xc4. */
START_TEST (test_rpsi_golden_bytes)
{
  static const uint8_t golden[] = {1, 0x60, 0xb3, 0xc4};
  /* what lies behind the 15 bits is not sent */
  RtcpRpsi rpsi = {.payload_type = 96, .n_bits = 15, .bits = {0xb3, 0xc5, 0xff}}, back;
  uint8_t fci[4];

  ck_assert_uint_eq (rtcp_rpsi_write (fci, 4, &rpsi), 4);
  ck_assert_mem_eq (fci, golden, 4);
  ck_assert (rtcp_rpsi_parse (fci, 4, &back));
  ck_assert (back.payload_type == 96 && back.n_bits == 15 && back.bits[0] == 0xb3 && back.bits[1] == 0xc4);
  ck_assert_uint_eq (rtcp_rpsi_write (fci, 3, &rpsi), 0);
}
END_TEST

/* PB counts bits: 8 bits of string leave 8 of padding, 16 none, 17 leave 31. */
START_TEST (test_rpsi_padding_is_in_bits)
{
  static const struct {
    uint16_t n_bits;
    uint8_t pb;
    size_t size;
  } cases[] = {{1, 15, 4}, {8, 8, 4}, {16, 0, 4}, {17, 31, 8}, {48, 0, 8}, {512, 16, 68}};

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    RtcpRpsi rpsi = {.n_bits = cases[i].n_bits}, back;
    uint8_t fci[RTCP_RPSI_MAX_SIZE];

    memset (rpsi.bits, 0xff, sizeof rpsi.bits);
    ck_assert_uint_eq (rtcp_rpsi_write (fci, sizeof fci, &rpsi), cases[i].size);
    ck_assert_uint_eq (fci[0], cases[i].pb);
    ck_assert (rtcp_rpsi_parse (fci, cases[i].size, &back));
    ck_assert_uint_eq (back.n_bits, cases[i].n_bits);
  }
}
END_TEST

START_TEST (test_rpsi_refuses)
{
  uint8_t fci[72] = {0};
  RtcpRpsi rpsi = {.payload_type = 128, .n_bits = 8}, back = {.n_bits = 77};

  ck_assert_uint_eq (rtcp_rpsi_write (fci, 72, &rpsi), 0);
  rpsi = (RtcpRpsi){.n_bits = 0};
  ck_assert_uint_eq (rtcp_rpsi_write (fci, 72, &rpsi), 0);
  rpsi.n_bits = 513;
  ck_assert_uint_eq (rtcp_rpsi_write (fci, 72, &rpsi), 0);
  ck_assert (!rtcp_rpsi_parse (fci, 0, &back) && !rtcp_rpsi_parse (fci, 6, &back));
  fci[0] = 32;
  ck_assert (!rtcp_rpsi_parse (fci, 8, &back));
  fci[0] = 16;
  ck_assert (!rtcp_rpsi_parse (fci, 4, &back));
  fci[0] = 0;
  ck_assert (!rtcp_rpsi_parse (fci, 72, &back));
  ck_assert_uint_eq (back.n_bits, 77);
}
END_TEST

/* RFC 4585 6.3.3.2: the bit in front of the payload type is zero and ignored. */
START_TEST (test_rpsi_ignores_the_reserved_bit)
{
  static const uint8_t fci[] = {0, 0xe0, 1, 2};
  RtcpRpsi back;

  ck_assert (rtcp_rpsi_parse (fci, 4, &back));
  ck_assert_uint_eq (back.payload_type, 96);
}
END_TEST

CC_TEST_MAIN ("rtcppicture", test_sli_golden_bytes, test_sli_refuses_what_does_not_fit_its_fields,
    test_sli_leaves_impossible_entries_out, test_rpsi_golden_bytes, test_rpsi_padding_is_in_bits, test_rpsi_refuses,
    test_rpsi_ignores_the_reserved_bit)
