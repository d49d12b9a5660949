/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "inetchecksum.h"
#include "cctest.h"
#include "ccrandom.h"

#include <string.h>

/* RFC 1071, computed anew over all bytes */
static uint16_t
whole_checksum (const uint8_t *bytes, size_t size)
{
  uint32_t sum = 0;

  for (size_t i = 0; i < size; i += 2)
    sum += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
  while (sum >> 16)
    sum = (sum & 0xffff) + (sum >> 16);
  return (uint16_t)~sum;
}

/* RFC 1624 4: HC = 0xDD2F, m = 0x5555, m' = 0x3285; the sum is 0x0000, not 0xFFFF as by eq. 2. */
START_TEST (test_published_example)
{
  ck_assert_uint_eq (inet_checksum_update (0xdd2f, (const uint8_t *)"\x55\x55", (const uint8_t *)"\x32\x85", 2), 0);
}
END_TEST

START_TEST (test_like_anew)
{
  uint8_t bytes[64], before[64];
  CcPcg32 pcg;
  CcRandom random = cc_pcg32_init (&pcg, 1);

  for (int round = 0; round < 10000; round++) {
    size_t at = 2 * (size_t)cc_random_uniform (&random, 0, 32),
           size = 2 * (1 + (size_t)cc_random_uniform (&random, 0, 3));
    uint16_t checksum;

    for (size_t i = 0; i < sizeof bytes; i++)
      bytes[i] = (uint8_t)random.next (random.user);
    if (at + size > sizeof bytes)
      continue;
    memcpy (before, bytes, sizeof bytes);
    checksum = whole_checksum (bytes, sizeof bytes);
    for (size_t i = at; i < at + size; i++)
      bytes[i] = (uint8_t)random.next (random.user);
    ck_assert_uint_eq (
        inet_checksum_update (checksum, before + at, bytes + at, size), whole_checksum (bytes, sizeof bytes));
  }
}
END_TEST

START_TEST (test_udp_has_a_zero_of_its_own)
{
  /* none */
  ck_assert_uint_eq (inet_checksum_update_udp (0, (const uint8_t *)"\x55\x55", (const uint8_t *)"\x32\x85", 2), 0);
  /* the published example ends at 0, which would say none */
  ck_assert_uint_eq (
      inet_checksum_update_udp (0xdd2f, (const uint8_t *)"\x55\x55", (const uint8_t *)"\x32\x85", 2), 0xffff);
  /* ~0x1234 + ~1 + 2 = 0xedcb + 0xfffe + 2 = 0xedcc after the carry; its complement is one less */
  ck_assert_uint_eq (inet_checksum_update_udp (0x1234, (const uint8_t *)"\0\1", (const uint8_t *)"\0\2", 2), 0x1233);
}
END_TEST

CC_TEST_MAIN ("inetchecksum", test_published_example, test_like_anew, test_udp_has_a_zero_of_its_own)
