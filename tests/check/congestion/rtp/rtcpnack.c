/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpnack.h"
#include "cctest.h"

/* 100 = 0x64 is the PID. 101 and 103 set bits 0 and 2, 116 bit 15: 0x8005. 117 is 17 on: a second entry, no BLP. */
START_TEST (test_golden_bytes)
{
  static const uint8_t golden[] = {0, 0x64, 0x80, 0x05, 0, 0x75, 0, 0};
  static const uint16_t seqs[] = {100, 101, 103, 116, 117};
  uint8_t fci[12];
  uint16_t back[8];
  size_t taken, n;

  ck_assert_uint_eq (rtcp_nack_write (fci, sizeof fci, seqs, 5, &taken), sizeof golden);
  ck_assert_uint_eq (taken, 5);
  ck_assert_mem_eq (fci, golden, sizeof golden);
  ck_assert (rtcp_nack_parse (golden, sizeof golden, back, 8, &n));
  ck_assert_uint_eq (n, 5);
  ck_assert_mem_eq (back, seqs, sizeof seqs);
}
END_TEST

/* 65534, 65535, 0, 14: distances 1, 2 and 16, so bits 0, 1 and 15: 0x8003. 15 is 17 on. */
START_TEST (test_wraps)
{
  static const uint8_t golden[] = {0xff, 0xfe, 0x80, 0x03, 0, 15, 0, 0};
  static const uint16_t seqs[] = {65534, 65535, 0, 14, 15};
  uint8_t fci[8];
  uint16_t back[5];
  size_t n;

  ck_assert_uint_eq (rtcp_nack_write (fci, sizeof fci, seqs, 5, NULL), sizeof golden);
  ck_assert_mem_eq (fci, golden, sizeof golden);
  ck_assert (rtcp_nack_parse (fci, sizeof fci, back, 5, &n));
  ck_assert_uint_eq (n, 5);
  ck_assert_mem_eq (back, seqs, sizeof seqs);
}
END_TEST

START_TEST (test_an_equal_number_is_written_once)
{
  static const uint16_t seqs[] = {7, 7, 8, 8};
  uint8_t fci[8];
  uint16_t back[17];
  size_t taken, n;

  ck_assert_uint_eq (rtcp_nack_write (fci, sizeof fci, seqs, 4, &taken), 4);
  ck_assert_uint_eq (taken, 4);
  ck_assert (rtcp_nack_parse (fci, 4, back, 17, &n));
  ck_assert_uint_eq (n, 2);
  ck_assert (back[0] == 7 && back[1] == 8);
}
END_TEST

/* 0, 100, 200, ... need an entry each; 10 bytes hold two of them. */
START_TEST (test_writes_what_fits)
{
  static const uint16_t seqs[] = {0, 100, 200, 300};
  uint8_t fci[10];
  size_t taken;

  ck_assert_uint_eq (rtcp_nack_write (fci, 10, seqs, 4, &taken), 8);
  ck_assert_uint_eq (taken, 2);
  ck_assert_uint_eq (rtcp_nack_write (fci, 3, seqs, 4, &taken), 0);
  ck_assert_uint_eq (taken, 0);
  ck_assert_uint_eq (rtcp_nack_write (fci, 10, seqs, 0, &taken), 0);
}
END_TEST

START_TEST (test_refuses_lengths)
{
  static const uint8_t fci[12] = {0};
  uint16_t seqs[4] = {9};
  size_t n = 99;

  ck_assert (!rtcp_nack_parse (fci, 0, seqs, 4, &n));
  for (size_t size = 1; size < 12; size++)
    ck_assert_int_eq (rtcp_nack_parse (fci, size, seqs, 0, &n), size % 4 == 0);
  n = 99;
  ck_assert (!rtcp_nack_parse (fci, 11, seqs, 4, &n));
  ck_assert (n == 99 && seqs[0] == 9);
}
END_TEST

/* Two full entries are 34 numbers. */
START_TEST (test_expansion_is_bounded)
{
  static const uint8_t fci[8] = {0, 0, 0xff, 0xff, 1, 0, 0xff, 0xff};
  uint16_t seqs[35];
  size_t n;

  seqs[20] = 7777;
  ck_assert (rtcp_nack_parse (fci, 8, seqs, 20, &n));
  ck_assert (n == 20 && seqs[19] == 258 && seqs[20] == 7777);
  ck_assert (rtcp_nack_parse (fci, 8, seqs, 35, &n));
  ck_assert (n == 34 && seqs[33] == 272);
}
END_TEST

START_TEST (test_round_trip_of_all_patterns)
{
  for (uint32_t blp = 0; blp < 65536; blp++) {
    uint16_t seqs[RTCP_NACK_PER_ENTRY] = {65530}, back[RTCP_NACK_PER_ENTRY];
    uint8_t fci[4];
    size_t count = 1, n;

    for (unsigned i = 0; i < 16; i++)
      if (blp >> i & 1)
        seqs[count++] = (uint16_t)(65530 + 1 + i);
    ck_assert_uint_eq (rtcp_nack_write (fci, 4, seqs, count, NULL), 4);
    ck_assert_uint_eq ((unsigned)(fci[2] << 8 | fci[3]), blp);
    ck_assert (rtcp_nack_parse (fci, 4, back, RTCP_NACK_PER_ENTRY, &n));
    ck_assert_uint_eq (n, count);
    ck_assert_mem_eq (back, seqs, 2 * n);
  }
}
END_TEST

CC_TEST_MAIN ("rtcpnack", test_golden_bytes, test_wraps, test_an_equal_number_is_written_once, test_writes_what_fits,
    test_refuses_lengths, test_expansion_is_bounded, CC_TEST_LONG (test_round_trip_of_all_patterns))
