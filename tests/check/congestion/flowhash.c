/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flowhash.h"
#include "cctest.h"

/* The vectors of the reference implementation: key 00 01 .. 0f, message 00 01 .. (n - 1); n = 15 is in the paper's
   appendix A, n = 0 the first of its list. */
START_TEST (test_published_vectors)
{
  const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  uint8_t message[15];

  for (uint8_t i = 0; i < 15; i++)
    message[i] = i;
  ck_assert_uint_eq (flow_hash (key, message, 15), 0xa129ca6149be45e5);
  ck_assert_uint_eq (flow_hash (key, message, 0), 0x726fdb47dd0e0e31);
}
END_TEST

START_TEST (test_key_and_size_count)
{
  const uint64_t key[2] = {1, 2}, other[2] = {1, 3};
  const uint8_t zeroes[16] = {0};

  ck_assert_uint_ne (flow_hash (key, zeroes, 8), flow_hash (other, zeroes, 8));
  ck_assert_uint_ne (flow_hash (key, zeroes, 8), flow_hash (key, zeroes, 9));
}
END_TEST

/* 64 k consecutive ids in 256 places: 256 each on average, standard deviation 16; six of them are 96. */
START_TEST (test_consecutive_ids_are_spread)
{
  for (unsigned shift = 0; shift < 64; shift += 8) {
    unsigned places[256] = {0};
    for (uint64_t id = 0; id < 65536; id++)
      places[flow_hash_spread (id, 0x1234567) >> shift & 255]++;
    for (unsigned i = 0; i < 256; i++)
      ck_assert_uint_le (places[i] > 256 ? places[i] - 256 : 256 - places[i], 96);
  }
}
END_TEST

/* The same for SSRCs; with another key they fall elsewhere, 1 in 256 by chance. */
START_TEST (test_consecutive_ssrcs_are_spread)
{
  const uint64_t key[2] = {1, 2}, other[2] = {1, 3};

  for (unsigned shift = 0; shift < 64; shift += 8) {
    unsigned places[256] = {0}, same = 0;
    for (uint32_t ssrc = 0; ssrc < 65536; ssrc++) {
      unsigned place = flow_hash_ssrc (key, ssrc) >> shift & 255;
      places[place]++;
      same += place == (flow_hash_ssrc (other, ssrc) >> shift & 255);
    }
    for (unsigned i = 0; i < 256; i++)
      ck_assert_uint_le (places[i] > 256 ? places[i] - 256 : 256 - places[i], 96);
    ck_assert_uint_le (same > 256 ? same - 256 : 256 - same, 96);
  }
}
END_TEST

CC_TEST_MAIN ("flowhash", test_published_vectors, test_key_and_size_count, test_consecutive_ids_are_spread,
    test_consecutive_ssrcs_are_spread)
