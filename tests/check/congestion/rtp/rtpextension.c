/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtpextension.h"
#include "cctest.h"

#include <string.h>

#define ONE 0xBEDE
#define TWO 0x1000

/* 50 ms = 50000 us = 0x00c350 in 24 bits, then 0x12345678. */
static const uint8_t stamp_bytes[7] = {0x00, 0xc3, 0x50, 0x12, 0x34, 0x56, 0x78};
static const RtpRttSendts stamp = {.rtt = 50 * CC_MSECOND, .sent_at_us = 0x12345678};

START_TEST (test_stamp_golden_bytes)
{
  uint8_t data[7];
  RtpRttSendts back;

  rtp_ext_rtt_sendts_write (data, &stamp);
  ck_assert_mem_eq (data, stamp_bytes, 7);
  ck_assert (rtp_ext_rtt_sendts_parse (data, 7, &back));
  ck_assert_uint_eq (back.rtt, stamp.rtt);
  ck_assert_uint_eq (back.sent_at_us, stamp.sent_at_us);
}
END_TEST

/* 24 bits of us end at 16.777215 s; 0 is kept for "unknown". */
START_TEST (test_stamp_saturates)
{
  RtpRttSendts v = {.rtt = 17 * CC_SECOND};
  uint8_t data[7];

  rtp_ext_rtt_sendts_write (data, &v);
  ck_assert_mem_eq (data, "\xff\xff\xff", 3);
  v.rtt = 1;
  rtp_ext_rtt_sendts_write (data, &v);
  ck_assert_mem_eq (data, "\0\0\1", 3);
  v.rtt = 0;
  rtp_ext_rtt_sendts_write (data, &v);
  ck_assert_mem_eq (data, "\0\0\0", 3);
}
END_TEST

START_TEST (test_stamp_takes_seven_bytes_only)
{
  RtpRttSendts v = stamp;

  ck_assert (!rtp_ext_rtt_sendts_parse (stamp_bytes, 6, &v));
  ck_assert (!rtp_ext_rtt_sendts_parse (stamp_bytes, 8, &v));
  ck_assert_uint_eq (v.sent_at_us, 0x12345678);
}
END_TEST

/* One-byte form: {id 3, L = 7 - 1}, 1 + 7 bytes, no padding; with the 4 of the header 12. */
START_TEST (test_put_into_a_packet_without_extension)
{
  static const uint8_t golden[8] = {0x36, 0x00, 0xc3, 0x50, 0x12, 0x34, 0x56, 0x78};
  uint8_t out[32];
  uint16_t profile = 0;

  ck_assert_uint_eq (rtp_ext_growth (0, NULL, 0, 3, 7), 12);
  ck_assert_uint_eq (rtp_ext_put (0, NULL, 0, 3, stamp_bytes, 7, out, 8, &profile), 8);
  ck_assert_uint_eq (profile, ONE);
  ck_assert_mem_eq (out, golden, 8);
  ck_assert_uint_eq (rtp_ext_put (0, NULL, 0, 3, stamp_bytes, 7, out, 7, &profile), 0);
}
END_TEST

/* Two-byte form: {id 15, 7}, 2 + 7 bytes, 3 of padding; with the header 16. */
START_TEST (test_id_above_14_takes_the_two_byte_form)
{
  static const uint8_t golden[12] = {15, 7, 0x00, 0xc3, 0x50, 0x12, 0x34, 0x56, 0x78, 0, 0, 0};
  uint8_t out[32];
  uint16_t profile = 0;

  ck_assert_uint_eq (rtp_ext_growth (0, NULL, 0, 15, 7), 16);
  ck_assert_uint_eq (rtp_ext_put (0, NULL, 0, 15, stamp_bytes, 7, out, sizeof out, &profile), 12);
  ck_assert_uint_eq (profile, TWO);
  ck_assert_mem_eq (out, golden, 12);
}
END_TEST

/* Ids 1 (1 byte) and 5 (3 bytes), a pad byte between them. */
static const uint8_t one_byte_block[8] = {0x10, 0xaa, 0x00, 0x52, 1, 2, 3, 0x00};

START_TEST (test_find)
{
  const uint8_t *block = one_byte_block;
  size_t size = 0;

  ck_assert_ptr_eq (rtp_ext_find (ONE, block, 8, 1, &size), block + 1);
  ck_assert_uint_eq (size, 1);
  ck_assert_ptr_eq (rtp_ext_find (ONE, block, 8, 5, &size), block + 4);
  ck_assert_uint_eq (size, 3);
  ck_assert_ptr_null (rtp_ext_find (ONE, block, 8, 3, &size));
  ck_assert_ptr_null (rtp_ext_find (0xabcd, block, 8, 1, &size));
  ck_assert_ptr_null (rtp_ext_find (ONE, NULL, 0, 1, &size));
}
END_TEST

START_TEST (test_put_keeps_the_others)
{
  static const uint8_t golden[16] = {0x10, 0xaa, 0x52, 1, 2, 3, 0x36, 0x00, 0xc3, 0x50, 0x12, 0x34, 0x56, 0x78, 0, 0};
  uint8_t out[16];
  uint16_t profile;

  ck_assert_uint_eq (rtp_ext_growth (ONE, one_byte_block, 8, 3, 7), 8);
  ck_assert_uint_eq (rtp_ext_put (ONE, one_byte_block, 8, 3, stamp_bytes, 7, out, 16, &profile), 16);
  ck_assert_uint_eq (profile, ONE);
  ck_assert_mem_eq (out, golden, 16);
}
END_TEST

/* Two-byte heads: {1, 1} aa, {5, 3} 1 2 3, {20, 7} ...: 3 + 5 + 9 = 17 bytes, 3 of padding. */
START_TEST (test_put_moves_to_the_two_byte_form)
{
  static const uint8_t golden[20] = {
      1, 1, 0xaa, 5, 3, 1, 2, 3, 20, 7, 0x00, 0xc3, 0x50, 0x12, 0x34, 0x56, 0x78, 0, 0, 0};
  uint8_t out[20];
  uint16_t profile;
  size_t size;

  ck_assert_uint_eq (rtp_ext_growth (ONE, one_byte_block, 8, 20, 7), 12);
  ck_assert_uint_eq (rtp_ext_put (ONE, one_byte_block, 8, 20, stamp_bytes, 7, out, 20, &profile), 20);
  ck_assert_uint_eq (profile, TWO);
  ck_assert_mem_eq (out, golden, 20);
  ck_assert_ptr_eq (rtp_ext_find (profile, out, 20, 20, &size), out + 10);
}
END_TEST

START_TEST (test_put_overwrites_in_place)
{
  uint8_t block[8], out[8];
  uint16_t profile;

  ck_assert_uint_eq (rtp_ext_growth (ONE, one_byte_block, 8, 5, 3), 0);
  ck_assert_uint_eq (rtp_ext_put (ONE, one_byte_block, 8, 5, (const uint8_t *)"\7\10\11", 3, out, 8, &profile), 8);
  memcpy (block, one_byte_block, 8);
  memcpy (block + 4, "\7\10\11", 3);
  ck_assert_mem_eq (out, block, 8);
}
END_TEST

/* The application bits of 0x100X stay; a two-byte block stays one for small ids. */
START_TEST (test_two_byte_block_keeps_its_form)
{
  static const uint8_t block[4] = {200, 0, 0, 0}, golden[12] = {200, 0, 3, 7, 0x00, 0xc3, 0x50, 0x12, 0x34, 0x56, 0x78};
  uint8_t out[12];
  uint16_t profile;
  size_t size = 9;

  ck_assert_ptr_eq (rtp_ext_find (0x1005, block, 4, 200, &size), block + 2);
  ck_assert_uint_eq (size, 0);
  ck_assert_uint_eq (rtp_ext_put (0x1005, block, 4, 3, stamp_bytes, 7, out, 12, &profile), 12);
  ck_assert_uint_eq (profile, 0x1005);
  ck_assert_mem_eq (out, golden, 12);
}
END_TEST

/* RFC 8285 4.2: id 15 ends the walk, id 0 with a length too; an element past the end spoils the whole block. */
START_TEST (test_malformed_blocks)
{
  static const uint8_t fifteen[4] = {0x10, 0xaa, 0xf0, 0x20}, pad_with_length[4] = {0x10, 0xaa, 0x01, 0x20};
  static const uint8_t past_end[4] = {0x10, 0xaa, 0x53, 1}, half_head[4] = {1, 1, 0xaa, 7};
  size_t size;

  ck_assert_ptr_nonnull (rtp_ext_find (ONE, fifteen, 4, 1, &size));
  ck_assert_ptr_null (rtp_ext_find (ONE, fifteen, 4, 2, &size));
  ck_assert_ptr_nonnull (rtp_ext_find (ONE, pad_with_length, 4, 1, &size));
  ck_assert_ptr_null (rtp_ext_find (ONE, pad_with_length, 4, 2, &size));
  ck_assert_ptr_null (rtp_ext_find (ONE, past_end, 4, 1, &size));
  ck_assert_ptr_null (rtp_ext_find (TWO, half_head, 4, 1, &size));
}
END_TEST

START_TEST (test_put_into_malformed_or_foreign_blocks)
{
  static const uint8_t past_end[4] = {0x10, 0xaa, 0x53, 1};
  uint8_t out[16];
  uint16_t profile;

  ck_assert_uint_eq (rtp_ext_put (ONE, past_end, 4, 3, stamp_bytes, 7, out, 16, &profile), 8);
  ck_assert_uint_eq (out[0], 0x36);
  ck_assert_uint_eq (rtp_ext_put (0xabcd, past_end, 4, 3, stamp_bytes, 7, out, 16, &profile), 0);
  ck_assert_uint_eq (rtp_ext_put (ONE, past_end, 4, 0, stamp_bytes, 7, out, 16, &profile), 0);
  ck_assert_uint_eq (rtp_ext_put (ONE, past_end, 4, 256, stamp_bytes, 7, out, 16, &profile), 0);
}
END_TEST

START_TEST (test_transport_wide_number)
{
  uint8_t data[4] = {0, 0, 0x80, 1};
  uint16_t number = 7;

  rtp_ext_twcc_write (data, 0xabcd);
  ck_assert_mem_eq (data, "\xab\xcd\x80\1", 4);
  ck_assert (rtp_ext_twcc_parse (data, 2, &number));
  ck_assert_uint_eq (number, 0xabcd);
  number = 7;
  ck_assert (!rtp_ext_twcc_parse (data, 1, &number));
  ck_assert_uint_eq (number, 7);
  ck_assert (rtp_ext_twcc_parse (data, 4, &number)); /* version 02 */
  ck_assert_uint_eq (number, 0xabcd);
}
END_TEST

CC_TEST_MAIN ("rtpextension", test_stamp_golden_bytes, test_stamp_saturates, test_stamp_takes_seven_bytes_only,
    test_put_into_a_packet_without_extension, test_id_above_14_takes_the_two_byte_form, test_find,
    test_put_keeps_the_others, test_put_moves_to_the_two_byte_form, test_put_overwrites_in_place,
    test_two_byte_block_keeps_its_form, test_malformed_blocks, test_put_into_malformed_or_foreign_blocks,
    test_transport_wide_number)
