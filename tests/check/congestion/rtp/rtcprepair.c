/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcprepair.h"
#include "cctest.h"

#include <string.h>

static const uint8_t golden[RTCP_REPAIR_SIZE] = {'R', 'E', 'P', 'R', 0x11, 127, 0, 0, 0xca, 0xfe, 0, 1};

START_TEST (test_bytes)
{
  RtcpRepair repair = {.kind = RTCP_REPAIR_RTX, .payload_type = 127, .ssrc = 0xcafe0001}, read;
  uint8_t fci[RTCP_REPAIR_SIZE];

  ck_assert_uint_eq (rtcp_repair_write (fci, sizeof fci, &repair), sizeof golden);
  ck_assert_mem_eq (fci, golden, sizeof golden);
  ck_assert (rtcp_repair_parse (golden, sizeof golden, &read));
  ck_assert_uint_eq (read.kind, RTCP_REPAIR_RTX);
  ck_assert_uint_eq (read.payload_type, 127);
  ck_assert_uint_eq (read.ssrc, 0xcafe0001);
  ck_assert_uint_eq (rtcp_repair_write (fci, sizeof fci - 1, &repair), 0);
}
END_TEST

static bool
reads_with (unsigned at, uint8_t value, size_t size)
{
  uint8_t fci[RTCP_REPAIR_SIZE + 4] = {0};
  RtcpRepair read;

  memcpy (fci, golden, sizeof golden);
  fci[at] = value;
  return rtcp_repair_parse (fci, size, &read);
}

START_TEST (test_what_is_not_understood_is_ignored)
{
  ck_assert (reads_with (0, 'R', RTCP_REPAIR_SIZE));
  ck_assert (!reads_with (0, 'r', RTCP_REPAIR_SIZE));
  ck_assert (!reads_with (4, 0x21, RTCP_REPAIR_SIZE));
  ck_assert (!reads_with (4, 0x12, RTCP_REPAIR_SIZE));
  ck_assert (!reads_with (4, 0x13, RTCP_REPAIR_SIZE));
  ck_assert (!reads_with (0, 'R', RTCP_REPAIR_SIZE - 1));
  ck_assert (!reads_with (0, 'R', RTCP_REPAIR_SIZE + 4));
}
END_TEST

/* RFC 5761 4: with these and the marker a packet would look like RTCP; and there are no more than 128. */
START_TEST (test_payload_types)
{
  ck_assert (reads_with (5, 63, RTCP_REPAIR_SIZE));
  ck_assert (!reads_with (5, 64, RTCP_REPAIR_SIZE));
  ck_assert (!reads_with (5, 95, RTCP_REPAIR_SIZE));
  ck_assert (reads_with (5, 96, RTCP_REPAIR_SIZE));
  ck_assert (!reads_with (5, 128, RTCP_REPAIR_SIZE));
}
END_TEST

/* A quarter of a sum per packet, 300 ms. */
static const uint8_t golden_fec[RTCP_REPAIR_FEC_SIZE] = {
    'R', 'E', 'P', 'R', 0x12, 126, 0, 0, 0xca, 0xfe, 0, 1, 0, 64, 1, 44};

START_TEST (test_sums)
{
  RtcpRepair repair = {
      .kind = RTCP_REPAIR_FEC, .payload_type = 126, .ssrc = 0xcafe0001, .share = 0.25, .span = 300 * CC_MSECOND};
  uint8_t fci[RTCP_REPAIR_SIZE_MAX];
  RtcpRepair read;

  ck_assert_uint_eq (rtcp_repair_write (fci, sizeof fci, &repair), sizeof golden_fec);
  ck_assert_mem_eq (fci, golden_fec, sizeof golden_fec);
  ck_assert (rtcp_repair_parse (golden_fec, sizeof golden_fec, &read));
  ck_assert_uint_eq (read.kind, RTCP_REPAIR_FEC);
  ck_assert_double_eq (read.share, 0.25);
  ck_assert_uint_eq (read.span, 300 * CC_MSECOND);
  ck_assert (!rtcp_repair_parse (golden_fec, sizeof golden_fec - 1, &read));
  ck_assert_uint_eq (rtcp_repair_write (fci, sizeof fci - 1, &repair), 0);
  repair.share = 1e9;
  repair.span = CC_TIME_NONE;
  rtcp_repair_write (fci, sizeof fci, &repair);
  ck_assert_uint_eq (fci[12] & fci[13] & fci[14] & fci[15], 0xff);
}
END_TEST

CC_TEST_MAIN ("rtcprepair", test_sums, test_bytes, test_what_is_not_understood_is_ignored, test_payload_types)
