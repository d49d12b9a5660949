/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpsizeloss.h"
#include "cctest.h"

#include <string.h>

static const uint8_t golden[RTCP_SIZE_LOSS_SIZE] = {'S', 'I', 'Z', 'E', 0x10, 0, 0, 0, 0xff, 0xf0, 0, 0x10};

START_TEST (test_bytes)
{
  RtcpSizeLoss loss = {0xfff0, 0x10}, read = {0};
  uint8_t fci[RTCP_SIZE_LOSS_SIZE];

  ck_assert_uint_eq (rtcp_size_loss_write (fci, sizeof fci, &loss), sizeof golden);
  ck_assert_mem_eq (fci, golden, sizeof golden);
  ck_assert (rtcp_size_loss_parse (golden, sizeof golden, &read));
  ck_assert_uint_eq (read.first, 0xfff0);
  ck_assert_uint_eq (read.last, 0x10);
  ck_assert_uint_eq (rtcp_size_loss_write (fci, sizeof fci - 1, &loss), 0);
}
END_TEST

START_TEST (test_what_is_not_understood_is_ignored)
{
  uint8_t fci[RTCP_SIZE_LOSS_SIZE + 4] = {0};
  RtcpSizeLoss read = {7, 7};

  memcpy (fci, golden, sizeof golden);
  ck_assert (!rtcp_size_loss_parse (fci, sizeof golden - 1, &read));
  ck_assert (!rtcp_size_loss_parse (fci, sizeof golden + 4, &read));
  fci[4] = 0x20;
  ck_assert (!rtcp_size_loss_parse (fci, sizeof golden, &read));
  fci[4] = 0x1f; /* reserved: whatever it is */
  ck_assert (rtcp_size_loss_parse (fci, sizeof golden, &read));
  fci[0] = 's';
  ck_assert (!rtcp_size_loss_parse (fci, sizeof golden, &read));
  ck_assert_uint_eq (read.first, 0xfff0);
}
END_TEST

CC_TEST_MAIN ("rtcpsizeloss", test_bytes, test_what_is_not_understood_is_ignored)
