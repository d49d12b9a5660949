/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpweight.h"
#include "cctest.h"

#include <math.h>
#include <string.h>

static const uint8_t golden[RTCP_WEIGHT_SIZE] = {'W', 'G', 'H', 'T', 0x10, 0, 0x02, 0x80};

START_TEST (test_bytes)
{
  uint8_t fci[RTCP_WEIGHT_SIZE];
  double weight = 0;

  ck_assert_uint_eq (rtcp_weight_write (fci, sizeof fci, 2.5), sizeof golden);
  ck_assert_mem_eq (fci, golden, sizeof golden);
  ck_assert (rtcp_weight_parse (golden, sizeof golden, &weight));
  ck_assert_double_eq (weight, 2.5);
  ck_assert_uint_eq (rtcp_weight_write (fci, sizeof fci - 1, 2.5), 0);
}
END_TEST

START_TEST (test_what_does_not_fit_saturates)
{
  const double given[] = {-3, NAN, 1e9, 0.001}, told[] = {0, 0, 0xffff / 256.0, 0};

  for (unsigned i = 0; i < 4; i++) {
    uint8_t fci[RTCP_WEIGHT_SIZE];
    double weight = -1;

    rtcp_weight_write (fci, sizeof fci, given[i]);
    ck_assert (rtcp_weight_parse (fci, sizeof fci, &weight));
    ck_assert_double_eq (weight, told[i]);
  }
}
END_TEST

START_TEST (test_what_is_not_understood_is_ignored)
{
  uint8_t fci[RTCP_WEIGHT_SIZE + 4] = {0};
  double weight = 7;

  memcpy (fci, golden, sizeof golden);
  ck_assert (!rtcp_weight_parse (fci, sizeof golden - 1, &weight));
  ck_assert (!rtcp_weight_parse (fci, sizeof golden + 4, &weight));
  fci[4] = 0x20;
  ck_assert (!rtcp_weight_parse (fci, sizeof golden, &weight));
  fci[0] = 'w';
  fci[4] = 0x10;
  ck_assert (!rtcp_weight_parse (fci, sizeof golden, &weight));
  ck_assert_double_eq (weight, 7);
  memcpy (fci, golden, sizeof golden);
  fci[4] = 0x1f; /* reserved: whatever it is */
  fci[5] = 0xff;
  ck_assert (rtcp_weight_parse (fci, sizeof golden, &weight));
}
END_TEST

CC_TEST_MAIN ("rtcpweight", test_bytes, test_what_does_not_fit_saturates, test_what_is_not_understood_is_ignored)
