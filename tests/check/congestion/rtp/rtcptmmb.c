/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcptmmb.h"
#include "cctest.h"

/* 1 Mb/s = 125000 x 2^3, 125000 = 0x1e848 < 2^17: 3 << 26 | 0x1e848 << 9 | 40 = 0x0c000000 | 0x03d09000 | 0x28.
   35 kb/s = 0x88b8, exponent 0, overhead 511: 0x88b8 << 9 | 0x1ff = 0x011171ff. */
START_TEST (test_golden_bytes)
{
  static const uint8_t golden[16] = {
      0x11, 0x22, 0x33, 0x44, 0x0f, 0xd0, 0x90, 0x28, 0x55, 0x66, 0x77, 0x88, 0x01, 0x11, 0x71, 0xff};
  RtcpTmmb entries[] = {{0x11223344, 1000000, 40}, {0x55667788, 35000, 511}};
  uint8_t fci[16];

  ck_assert_uint_eq (rtcp_tmmb_write (fci, 16, entries, 2), 16);
  ck_assert_mem_eq (fci, golden, 16);
  ck_assert_uint_eq (rtcp_tmmb_count (16), 2);
  for (unsigned i = 0; i < 2; i++) {
    RtcpTmmb back = rtcp_tmmb_entry (fci, i);

    ck_assert_uint_eq (back.ssrc, entries[i].ssrc);
    ck_assert_uint_eq (back.bitrate_bps, entries[i].bitrate_bps);
    ck_assert_uint_eq (back.overhead_bytes, entries[i].overhead_bytes);
  }
  ck_assert_uint_eq (rtcp_tmmb_write (fci, 15, entries, 2), 0);
  ck_assert_uint_eq (rtcp_tmmb_write (fci, 16, entries, 0), 0);
  ck_assert_uint_eq (rtcp_tmmb_count (0), 0);
  ck_assert_uint_eq (rtcp_tmmb_count (12), 0);
}
END_TEST

/* (2^17 - 1) x 2^63 does not fit 64 bits; (2^17 - 1) x 2^47 does. */
START_TEST (test_saturates)
{
  uint8_t huge[8] = {0, 0, 0, 0, 0xff, 0xff, 0xfe, 0}, most[8] = {0, 0, 0, 0, 0xbf, 0xff, 0xfe, 0};
  RtcpTmmb entry = {0, UINT64_MAX, 600};
  uint8_t fci[8];

  ck_assert_uint_eq (rtcp_tmmb_entry (huge, 0).bitrate_bps, UINT64_MAX);
  ck_assert_uint_eq (rtcp_tmmb_entry (most, 0).bitrate_bps, 0x1ffffull << 47);
  ck_assert_uint_eq (rtcp_tmmb_write (fci, 8, &entry, 1), 8);
  ck_assert_uint_eq (rtcp_tmmb_entry (fci, 0).bitrate_bps, 0x1ffffull << 47);
  ck_assert_uint_eq (rtcp_tmmb_entry (fci, 0).overhead_bytes, 511);
  huge[4] = 0xfc; /* exponent 63, mantissa 0 */
  huge[5] = huge[6] = 0;
  ck_assert_uint_eq (rtcp_tmmb_entry (huge, 0).bitrate_bps, 0);
}
END_TEST

/* 17 bits of mantissa: less than 2^-16 below, never above. */
START_TEST (test_rounds_down)
{
  for (uint64_t rate = 1; rate < UINT64_MAX / 5; rate += rate / 3 + 1) {
    uint64_t rounded = rtcp_tmmb_rounded (rate);

    ck_assert (rounded <= rate && (double)rounded > (double)rate * (1 - 1.0 / 65536) - 1);
    ck_assert_uint_eq (rtcp_tmmb_rounded (rounded), rounded);
  }
  ck_assert_uint_eq (rtcp_tmmb_rounded (131071), 131071);
  ck_assert_uint_eq (rtcp_tmmb_rounded (131073), 131072);
}
END_TEST

CC_TEST_MAIN ("rtcptmmb", test_golden_bytes, test_saturates, test_rounds_down)
