/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fecencoder.h"
#include "cctest.h"
#include "fecstream.h"
#include "gf256.h"

#define MS CC_MSECOND

static FecEncoder encoder;
static uint8_t payload[1500];

static void
leave (uint32_t number, CcTime now)
{
  uint8_t packet[FEC_STREAM_MAX];
  size_t size = fec_stream_packet (packet, number);

  fec_encoder_on_packet (&encoder, packet, size, (uint16_t)number, now);
}

static FecHead
repair (CcTime now)
{
  FecHead head = {0};
  size_t size = fec_encoder_repair (&encoder, payload, sizeof payload, now);

  if (size > 0)
    ck_assert (fec_head_parse (&head, payload, size));
  return head;
}

/* Over one packet it is that packet, times its coefficient. */
START_TEST (test_a_sum_of_one)
{
  uint8_t packet[FEC_STREAM_MAX], symbol[FEC_SYMBOL_MAX], coefficient;
  size_t size = fec_stream_packet (packet, 5);
  FecHead head;

  fec_encoder_init (&encoder, 100 * MS, 77);
  ck_assert_uint_eq (repair (0).n, 0);
  leave (5, 0);
  head = repair (0);
  ck_assert_uint_eq (head.n, 1);
  ck_assert_uint_eq ((uint16_t)head.first, 5);
  ck_assert_uint_eq (head.key, 77);
  fec_coefficients (&coefficient, 77, 1);
  fec_symbol_make (symbol, packet, size, 5);
  gf256_scale (symbol, size + 2, coefficient);
  ck_assert_mem_eq (payload + FEC_HEAD_BYTES, symbol, size + 2);
  ck_assert_uint_eq (repair (0).key, 78);
  ck_assert_uint_eq (fec_encoder_repair (&encoder, payload, size, 0), 0);
}
END_TEST

/* Over several it is as long as the longest, and each of them times its own coefficient; number 65536 is the third. */
START_TEST (test_a_sum_of_several)
{
  uint8_t packet[FEC_STREAM_MAX], symbol[FEC_SYMBOL_MAX], sum[FEC_SYMBOL_MAX] = {0}, coefficients[5];
  size_t longest = 0, size;

  fec_encoder_init (&encoder, 100 * MS, 9);
  fec_coefficients (coefficients, 9, 5);
  for (uint32_t i = 0; i < 5; i++) {
    leave (65534 + i, 0);
    size = fec_symbol_make (symbol, packet, fec_stream_packet (packet, 65534 + i), (uint16_t)(65534 + i));
    longest = size > longest ? size : longest;
    gf256_add_multiplied (sum, symbol, size, coefficients[i]);
  }
  ck_assert_uint_eq (fec_encoder_repair (&encoder, payload, FEC_HEAD_BYTES + longest - 1, 0), 0);
  ck_assert_uint_eq (fec_encoder_repair (&encoder, payload, FEC_HEAD_BYTES + longest, 0), FEC_HEAD_BYTES + longest);
  ck_assert_mem_eq (payload + FEC_HEAD_BYTES, sum, longest);
}
END_TEST

/* By age, by number, and over the end of the numbers. */
START_TEST (test_the_window)
{
  FecHead head;

  fec_encoder_init (&encoder, 100 * MS, 0);
  for (uint32_t i = 0; i < 20; i++)
    leave (65530 + i, i * 10 * MS);
  head = repair (190 * MS);
  ck_assert_uint_eq (head.n, 11);
  ck_assert_uint_eq ((uint16_t)head.first, (uint16_t)(65530 + 9));
  fec_encoder_set_span (&encoder, 50 * MS);
  ck_assert_uint_eq (repair (190 * MS).n, 6);
  ck_assert_uint_eq (repair (10 * CC_SECOND).n, 1);
  for (uint32_t i = 20; i < 300; i++)
    leave (65530 + i, 10 * CC_SECOND);
  ck_assert_uint_eq (repair (10 * CC_SECOND).n, FEC_WINDOW);
}
END_TEST

START_TEST (test_gaps_begin_anew)
{
  uint8_t packet[1500] = {0x80, 96};

  fec_encoder_init (&encoder, 100 * MS, 0);
  leave (1, 0);
  leave (2, 0);
  ck_assert_uint_eq (repair (0).n, 2);
  leave (4, 0);
  ck_assert_uint_eq (repair (0).n, 1);
  fec_encoder_on_packet (&encoder, packet, sizeof packet, 5, 0);
  ck_assert_uint_eq (repair (0).n, 0);
  leave (6, 0);
  ck_assert_uint_eq (repair (0).n, 1);
}
END_TEST

CC_TEST_MAIN ("fecencoder", test_a_sum_of_one, test_a_sum_of_several, test_the_window, test_gaps_begin_anew)
