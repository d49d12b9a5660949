/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpfeedback.h"
#include "cctest.h"

#include <math.h>
#include <string.h>

/* t_delay 20 ms = 20000 us = 0x4e20; X_recv 125000 = 0x1e848; p = 1/64: 2^32/64 = 2^26. */
START_TEST (test_tfrc_golden_bytes)
{
  static const uint8_t golden[16] = {0xde, 0xad, 0xbe, 0xef, 0, 0, 0x4e, 0x20, 0, 0x01, 0xe8, 0x48, 0x04, 0, 0, 0};
  TfrcReport report = {.t_i_us = 0xdeadbeef, .t_delay = 20 * CC_MSECOND, .X_recv = 125000, .p = 1.0 / 64}, back;
  uint8_t fci[16];

  ck_assert_uint_eq (rtcp_fb_tfrc_write (fci, 16, &report), 16);
  ck_assert_mem_eq (fci, golden, 16);
  ck_assert (rtcp_fb_tfrc_parse (fci, 16, &back));
  ck_assert_uint_eq (back.t_i_us, report.t_i_us);
  ck_assert_uint_eq (back.t_delay, report.t_delay);
  ck_assert (back.X_recv == report.X_recv && back.p == report.p);
  ck_assert_uint_eq (rtcp_fb_tfrc_write (fci, 15, &report), 0);
  ck_assert (!rtcp_fb_tfrc_parse (fci, 15, &back) && !rtcp_fb_tfrc_parse (fci, 20, &back));
}
END_TEST

static uint32_t
p_on_the_wire (double p)
{
  TfrcReport report = {.p = p};
  uint8_t fci[16];

  rtcp_fb_tfrc_write (fci, 16, &report);
  return (uint32_t)fci[12] << 24 | (uint32_t)fci[13] << 16 | (uint32_t)fci[14] << 8 | fci[15];
}

START_TEST (test_tfrc_p_keeps_its_ends)
{
  ck_assert_uint_eq (p_on_the_wire (0), 0);
  ck_assert_uint_eq (p_on_the_wire (1e-12), 1);
  ck_assert_uint_eq (p_on_the_wire (1), 0xffffffff);
  ck_assert_uint_eq (p_on_the_wire (7), 0xffffffff);
  ck_assert_uint_eq (p_on_the_wire (-1), 0);
  ck_assert_uint_eq (p_on_the_wire (NAN), 0);
}
END_TEST

/* Peers that scale by 2^32 - 1 differ by one in the last place at most, either way. */
START_TEST (test_tfrc_p_against_the_other_scale)
{
  for (int i = 0; i <= 1000; i++) {
    double p = i / 1000.0;
    uint32_t theirs = (uint32_t)(p * 4294967295.0), ours = p_on_the_wire (p);
    uint8_t fci[16] = {
        [12] = theirs >> 24, [13] = theirs >> 16 & 0xff, [14] = theirs >> 8 & 0xff, [15] = theirs & 0xff};
    TfrcReport back;

    ck_assert (ours - theirs <= 1);
    ck_assert (rtcp_fb_tfrc_parse (fci, 16, &back));
    ck_assert_double_eq_tol (back.p, theirs / 4294967295.0, 1.001 / 4294967296.0);
  }
}
END_TEST

START_TEST (test_tfrc_saturates)
{
  TfrcReport report = {.t_delay = 5000 * CC_SECOND, .X_recv = 1e12};
  uint8_t fci[16];

  rtcp_fb_tfrc_write (fci, 16, &report);
  ck_assert_mem_eq (fci + 4, "\xff\xff\xff\xff\xff\xff\xff\xff", 8);
}
END_TEST

/* 1 Mb/s = 1000000 = 250000 x 2^2, 250000 = 0x3d090 < 2^18: exponent 2, so (2 << 18 | 0x3d090) = 0x0bd090. */
START_TEST (test_remb_golden_bytes)
{
  static const uint8_t golden[12] = {'R', 'E', 'M', 'B', 1, 0x0b, 0xd0, 0x90, 0x11, 0x22, 0x33, 0x44};
  RtcpRemb remb = {.bitrate_bps = 1000000, .n_ssrcs = 1, .ssrcs = {0x11223344}}, back;
  uint8_t fci[12];

  ck_assert_uint_eq (rtcp_fb_remb_write (fci, 12, &remb), 12);
  ck_assert_mem_eq (fci, golden, 12);
  ck_assert (rtcp_fb_remb_parse (fci, 12, &back));
  ck_assert_uint_eq (back.bitrate_bps, 1000000);
  ck_assert_uint_eq (back.n_ssrcs, 1);
  ck_assert_uint_eq (back.ssrcs[0], 0x11223344);
  ck_assert_uint_eq (rtcp_fb_remb_write (fci, 11, &remb), 0);
}
END_TEST

/* 0x3ffff x 2^63 does not fit 64 bits. */
START_TEST (test_remb_saturates)
{
  static const uint8_t huge[8] = {'R', 'E', 'M', 'B', 0, 0xff, 0xff, 0xff};
  RtcpRemb remb = {.bitrate_bps = UINT64_MAX}, back;
  uint8_t fci[8];

  ck_assert (rtcp_fb_remb_parse (huge, 8, &back));
  ck_assert_uint_eq (back.bitrate_bps, UINT64_MAX);
  /* 2^64 - 1 rounds down to (2^18 - 1) x 2^46 */
  ck_assert_uint_eq (rtcp_fb_remb_write (fci, 8, &remb), 8);
  ck_assert (rtcp_fb_remb_parse (fci, 8, &back));
  ck_assert_uint_eq (back.bitrate_bps, 0x3ffffull << 46);
}
END_TEST

/* 18 bits of mantissa: at most 2^-17 below, never above. */
START_TEST (test_remb_rounds_down)
{
  for (uint64_t rate = 1; rate < UINT64_MAX / 5; rate += rate / 3 + 1) {
    RtcpRemb remb = {.bitrate_bps = rate}, back;
    uint8_t fci[8];

    rtcp_fb_remb_write (fci, 8, &remb);
    ck_assert (rtcp_fb_remb_parse (fci, 8, &back));
    ck_assert (back.bitrate_bps <= rate && (double)back.bitrate_bps > (double)rate * (1 - 1.0 / 131072) - 1);
  }
}
END_TEST

START_TEST (test_remb_counts_its_ssrcs)
{
  uint8_t fci[8 + 4 * 255] = {'R', 'E', 'M', 'B', 255, 0, 0, 1};
  RtcpRemb remb = {.bitrate_bps = 7};

  ck_assert (!rtcp_fb_remb_parse (fci, sizeof fci - 1, &remb));
  ck_assert_uint_eq (remb.bitrate_bps, 7);
  ck_assert (rtcp_fb_remb_parse (fci, sizeof fci, &remb));
  ck_assert_uint_eq (remb.n_ssrcs, RTCP_FB_REMB_MAX_SSRCS);
  fci[3] = 'X';
  ck_assert (!rtcp_fb_remb_parse (fci, sizeof fci, &remb));
}
END_TEST

/* Rate 2 Gb/s = 2e9 = 62500000 x 2^5, 62500000 = 0x3b9aca0 < 2^26: 5 << 26 | 0x3b9aca0 = 0x17b9aca0.
   Capacity 50 Mb/s = 0x2faf080, exponent 0. Queue 30 ms = 30000 us = 0x7530. */
START_TEST (test_path_golden_bytes)
{
  static const uint8_t golden[24] = {'P', 'A', 'T', 'H', 0x11, 0, 0, 0, 0xca, 0xfe, 0, 1, 0x17, 0xb9, 0xac, 0xa0, 0x02,
      0xfa, 0xf0, 0x80, 0, 0, 0x75, 0x30};
  RtcpPath path = {.kind = RTCP_PATH_ERF,
      .hop = 0xcafe0001,
      .rate_bps = 2000000000,
      .capacity_bps = 50000000,
      .queue_delay = 30 * CC_MSECOND};
  RtcpPath back;
  uint8_t fci[24];

  ck_assert_uint_eq (rtcp_fb_path_write (fci, 24, &path), 24);
  ck_assert_mem_eq (fci, golden, 24);
  ck_assert (rtcp_fb_path_parse (fci, 24, &back));
  ck_assert_int_eq (back.kind, path.kind);
  ck_assert_uint_eq (back.hop, path.hop);
  ck_assert_uint_eq (back.rate_bps, path.rate_bps);
  ck_assert_uint_eq (back.capacity_bps, path.capacity_bps);
  ck_assert_uint_eq (back.queue_delay, path.queue_delay);
  ck_assert_uint_eq (rtcp_fb_path_write (fci, 23, &path), 0);
}
END_TEST

/* 0.05 x 4096 = 204.8, rounded 205 = 0x0cd; 0.04 x 4096 = 163.84, 164 = 0x0a4. */
START_TEST (test_path_tells_of_loss)
{
  RtcpPath path = {.kind = RTCP_PATH_END_TO_END, .rate_bps = 1000, .loss = 0.05, .excused = 0.04}, back;
  const double nonsense[] = {NAN, -1, 2, INFINITY}, read[] = {0, 0, 4095 / 4096.0, 4095 / 4096.0};
  uint8_t fci[24];

  rtcp_fb_path_write (fci, 24, &path);
  ck_assert_uint_eq (fci[5], 0x0c);
  ck_assert_uint_eq (fci[6], 0xd0);
  ck_assert_uint_eq (fci[7], 0xa4);
  ck_assert (rtcp_fb_path_parse (fci, 24, &back));
  ck_assert_double_eq (back.loss, 205 / 4096.0);
  ck_assert_double_eq (back.excused, 164 / 4096.0);
  for (unsigned i = 0; i < 4; i++) {
    path.loss = nonsense[i];
    rtcp_fb_path_write (fci, 24, &path);
    ck_assert (rtcp_fb_path_parse (fci, 24, &back));
    ck_assert_double_eq (back.loss, read[i]);
    ck_assert_int_eq (back.kind, RTCP_PATH_END_TO_END);
  }
}
END_TEST

/* In the place of the hop, which only routers have. */
START_TEST (test_path_tells_who_set_the_rate)
{
  RtcpPath path = {.kind = RTCP_PATH_END_TO_END, .rate_bps = 1000, .owner = RATE_OWNER_OTHERS, .hop = 7}, back;
  uint8_t fci[24];

  rtcp_fb_path_write (fci, 24, &path);
  ck_assert_uint_eq (fci[11], 5);
  ck_assert (rtcp_fb_path_parse (fci, 24, &back));
  ck_assert_int_eq (back.owner, RATE_OWNER_OTHERS);
  ck_assert_uint_eq (back.hop, 0);
  fci[9] = 1;
  ck_assert (rtcp_fb_path_parse (fci, 24, &back));
  ck_assert_int_eq (back.owner, RATE_OWNER_UNKNOWN);
  path.kind = RTCP_PATH_ERF;
  rtcp_fb_path_write (fci, 24, &path);
  ck_assert (rtcp_fb_path_parse (fci, 24, &back));
  ck_assert_int_eq (back.owner, RATE_OWNER_UNKNOWN);
  ck_assert_uint_eq (back.hop, 7);
}
END_TEST

START_TEST (test_path_refuses_what_it_does_not_know)
{
  RtcpPath path = {.kind = RTCP_PATH_ECF, .rate_bps = 1}, back = {.hop = 99};
  uint8_t fci[24];

  rtcp_fb_path_write (fci, 24, &path);
  ck_assert (!rtcp_fb_path_parse (fci, 23, &back));
  fci[4] = 0x13;
  ck_assert (!rtcp_fb_path_parse (fci, 24, &back));
  fci[4] = 0x21;
  ck_assert (!rtcp_fb_path_parse (fci, 24, &back));
  ck_assert_uint_eq (back.hop, 99);
  /* whatever it says of loss */
  fci[4] = 0x12;
  memset (fci + 5, 0xff, 3);
  ck_assert (rtcp_fb_path_parse (fci, 24, &back));
}
END_TEST

/* Above the owner. */
START_TEST (test_path_tells_which_ecn_bits_have_come)
{
  RtcpPath path = {.kind = RTCP_PATH_END_TO_END, .rate_bps = 1000, .owner = RATE_OWNER_L4S, .ecn = 0xb}, back;
  uint8_t fci[24];

  rtcp_fb_path_write (fci, 24, &path);
  ck_assert_uint_eq (fci[8], 0xb0);
  ck_assert (rtcp_fb_path_parse (fci, 24, &back));
  ck_assert_uint_eq (back.ecn, 0xb);
  ck_assert_int_eq (back.owner, RATE_OWNER_L4S);
  path.kind = RTCP_PATH_ERF;
  rtcp_fb_path_write (fci, 24, &path);
  ck_assert (rtcp_fb_path_parse (fci, 24, &back));
  ck_assert_uint_eq (back.ecn, 0);
}
END_TEST

CC_TEST_MAIN ("rtcpfeedback", test_tfrc_golden_bytes, test_tfrc_p_keeps_its_ends, test_tfrc_p_against_the_other_scale,
    test_tfrc_saturates, test_remb_golden_bytes, test_remb_saturates, test_remb_rounds_down, test_remb_counts_its_ssrcs,
    test_path_golden_bytes, test_path_tells_of_loss, test_path_tells_who_set_the_rate,
    test_path_refuses_what_it_does_not_know, test_path_tells_which_ecn_bits_have_come)
