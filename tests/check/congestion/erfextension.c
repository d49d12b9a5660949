/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "erfextension.h"
#include "cctest.h"
#include "ccrandom.h"
#include "rtpextension.h"

#include <math.h>
#include <string.h>

static uint8_t data[ERF_EXTENSION_SIZE];

static ErfExtension
parsed (void)
{
  ErfExtension value;

  ck_assert (erf_extension_parse (data, sizeof data, &value));
  return value;
}

START_TEST (test_golden_bytes)
{
  erf_extension_write_unset (data);
  ck_assert_mem_eq (data, "\xff\xff\xff\x00\x00\x10", 6);
  ck_assert (!parsed ().set);
  /* 1 Mb/s: 250000 x 2^2, 250000 = 0x3d090; 2 << 18 | 0x3d090 = 0x0bd090 */
  erf_extension_write (data, 125000, 0xcafe);
  ck_assert_mem_eq (data, "\x0b\xd0\x90\xca\xfe\x10", 6);
  ck_assert (parsed ().set);
  ck_assert_double_eq (parsed ().rate_Bps, 125000);
  ck_assert_uint_eq (parsed ().hop, 0xcafe);
}
END_TEST

/* 262143 bit/s is the last exact one; 262145 takes one bit of exponent and loses the odd bit/s. */
START_TEST (test_rounds_down)
{
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 1);

  erf_extension_write (data, 262143 / 8.0, 1);
  ck_assert_mem_eq (data, "\x03\xff\xff", 3);
  ck_assert_double_eq (parsed ().rate_Bps, 262143 / 8.0);
  erf_extension_write (data, 262145 / 8.0, 1);
  ck_assert_mem_eq (data, "\x06\x00\x00", 3);
  ck_assert_double_eq (parsed ().rate_Bps, 262144 / 8.0);
  for (int i = 0; i < 10000; i++) {
    double rate = exp (cc_random_uniform (&random, log (1000), log (1e12)));
    erf_extension_write (data, rate, 1);
    ck_assert_double_le (parsed ().rate_Bps, rate);
    /* one bit/s, or 2^-17 where the mantissa is cut */
    ck_assert_double_ge (parsed ().rate_Bps, rate * (1 - 1.0 / 131072) - 0.125);
  }
}
END_TEST

/* 2^64 - 1 bit/s is all ones in 18 bits, times 2^46; "unset" stays apart from it. */
START_TEST (test_saturates)
{
  const double rates[] = {1e30, HUGE_VAL, 2305843009213693952.0};

  for (int i = 0; i < 3; i++) {
    erf_extension_write (data, rates[i], 1);
    ck_assert_mem_eq (data, "\xbb\xff\xff", 3);
    ck_assert (parsed ().set);
  }
  erf_extension_write (data, -1, 1);
  ck_assert_mem_eq (data, "\0\0\0", 3);
  erf_extension_write (data, NAN, 1);
  ck_assert_mem_eq (data, "\0\0\0", 3);
  ck_assert (parsed ().set);
}
END_TEST

START_TEST (test_parses_what_it_knows)
{
  ErfExtension value = {.hop = 77};
  uint8_t longer[7] = {0};

  erf_extension_write (longer, 125000, 1);
  ck_assert (!erf_extension_parse (longer, 7, &value));
  ck_assert (!erf_extension_parse (longer, 5, &value));
  longer[5] = 0x20;
  ck_assert (!erf_extension_parse (longer, 6, &value));
  ck_assert_int_eq (erf_extension_lower (longer, 6, 1000, 2), ERF_ABSENT);
  ck_assert_uint_eq (value.hop, 77);
  /* reserved bits are not looked at */
  longer[5] = 0x1f;
  ck_assert (erf_extension_parse (longer, 6, &value));
  /* exponent 63, mantissa 2: beyond 64 bits; not unset */
  memcpy (longer, "\xfc\x00\x02", 3);
  ck_assert (erf_extension_parse (longer, 6, &value));
  ck_assert (value.set && value.rate_Bps > 2e18);
}
END_TEST

START_TEST (test_lowest_wins)
{
  erf_extension_write_unset (data);
  ck_assert_int_eq (erf_extension_lower (data, 6, NAN, 9), ERF_KEPT);
  ck_assert_int_eq (erf_extension_lower (data, 6, HUGE_VAL, 9), ERF_KEPT);
  ck_assert (!parsed ().set);
  ck_assert_int_eq (erf_extension_lower (data, 6, 200000, 1), ERF_LOWERED);
  ck_assert_int_eq (erf_extension_lower (data, 6, 300000, 2), ERF_KEPT);
  ck_assert_int_eq (erf_extension_lower (data, 6, 200000, 2), ERF_KEPT);
  ck_assert_uint_eq (parsed ().hop, 1);
  ck_assert_int_eq (erf_extension_lower (data, 6, 100000, 3), ERF_LOWERED);
  ck_assert_double_eq (parsed ().rate_Bps, 100000);
  ck_assert_uint_eq (parsed ().hop, 3);
  /* below what the mantissa tells apart: no lower as written */
  ck_assert_int_eq (erf_extension_lower (data, 6, 100000.1, 4), ERF_KEPT);
}
END_TEST

/* In any order of hops the least comes out, and whose it is. */
START_TEST (test_several_hops)
{
  const double rates[4] = {50000, 400000, 60000, 3e6};

  for (unsigned first = 0; first < 4; first++) {
    erf_extension_write_unset (data);
    for (unsigned i = 0; i < 4; i++)
      erf_extension_lower (data, 6, rates[(first + i) % 4], (uint16_t)((first + i) % 4));
    ck_assert_double_eq (parsed ().rate_Bps, 50000);
    ck_assert_uint_eq (parsed ().hop, 0);
  }
}
END_TEST

static void
check_block (uint16_t profile, const void *bytes, size_t size, unsigned id, size_t offset)
{
  uint8_t block[32], before[32];

  memcpy (block, bytes, size);
  memcpy (before, bytes, size);
  ck_assert_int_eq (erf_extension_lower_in_block (profile, block, size, id, 125000, 0xcafe), ERF_LOWERED);
  /* nothing but the element has changed */
  memcpy (before + offset, "\x0b\xd0\x90\xca\xfe\x10", 6);
  ck_assert_mem_eq (block, before, size);
  ck_assert_int_eq (erf_extension_lower_in_block (profile, block, size, id, 125001, 1), ERF_KEPT);
  ck_assert_int_eq (erf_extension_lower_in_block (profile, block, size, id + 1, 1, 1), ERF_ABSENT);
  ck_assert_int_eq (erf_extension_lower_in_block (0x1234, block, size, id, 1, 1), ERF_ABSENT);
  /* cut within the element: malformed, nothing is touched */
  ck_assert_int_eq (erf_extension_lower_in_block (profile, block, offset + 5, id, 1, 1), ERF_ABSENT);
  ck_assert_mem_eq (block, before, size);
}

START_TEST (test_in_a_block)
{
  check_block (0xBEDE, "\xa5\xff\xff\xff\0\0\x10\0", 8, 10, 1);
  check_block (0xBEDE, "\x10\xaa\0\xa5\xff\xff\xff\0\0\x10\x30\x01", 12, 10, 4);
  check_block (0x1000, "\x0a\x06\xff\xff\xff\0\0\x10", 8, 10, 2);
  check_block (0x1000, "\x01\x00\xc8\x06\xff\xff\xff\0\0\x10\0\0", 12, 200, 4);
}
END_TEST

/* A router may add what a sender left out. */
START_TEST (test_added_where_missing)
{
  uint8_t block[12] = {0};
  uint16_t profile = 0;

  erf_extension_write (data, 125000, 0xcafe);
  ck_assert_uint_eq (
      rtp_ext_put (0xBEDE, NULL, 0, ERF_EXTENSION_ID, data, sizeof data, block, sizeof block, &profile), 8);
  ck_assert_uint_eq (profile, 0xBEDE);
  ck_assert_mem_eq (block, "\xa5\x0b\xd0\x90\xca\xfe\x10\0", 8);
}
END_TEST

CC_TEST_MAIN ("erfextension", test_golden_bytes, CC_TEST_LONG (test_rounds_down), test_saturates,
    test_parses_what_it_knows, test_lowest_wins, test_several_hops, test_in_a_block, test_added_where_missing)
