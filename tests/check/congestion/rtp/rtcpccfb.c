/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rtcpccfb.h"
#include "cctest.h"

#include <string.h>

#define MS CC_MSECOND
#define NOW (100 * CC_SECOND)

static ArrivalHistory a, b;
static RtcpCcfbWriter w;
static uint8_t body[2000];

static void
reset (size_t capacity)
{
  arrival_history_init (&a, 0);
  arrival_history_init (&b, 0);
  memset (body, 0xee, sizeof body);
  rtcp_ccfb_begin (&w, body, capacity, NOW);
}

/* 65534 arrived 125 ms before the report: 128/1024 s = 0x080, with R 0x8080. 65535 did not arrive. 0 arrived 62.5 ms
   before, 64 = 0x040, ECT(0): R | 10 << 13 = 0xc000, so 0xc040. 1 arrived 1 ms before, CE: floor (1.024) = 1, 0xe001;
   2 at the report: 0x8000. Five reports: 16 bits of padding. The SSRC stands where the media SSRC would. */
START_TEST (test_golden_bytes)
{
  static const uint8_t golden[] = {0x11, 0x22, 0x33, 0x44, 0xff, 0xfe, 0, 5, 0x80, 0x80, 0, 0, 0xc0, 0x40, 0xe0, 0x01,
      0x80, 0, 0, 0, 0xca, 0xfe, 0xba, 0xbe};

  reset (sizeof golden);
  arrival_history_on_packet (&a, 65534, ARRIVAL_NOT_ECT, NOW - 125 * MS);
  arrival_history_on_packet (&a, 0, ARRIVAL_ECT_0, NOW - 62500 * CC_USECOND);
  arrival_history_on_packet (&a, 1, ARRIVAL_CE, NOW - MS);
  arrival_history_on_packet (&a, 2, ARRIVAL_NOT_ECT, NOW);
  ck_assert (rtcp_ccfb_add (&w, 0x11223344, &a));
  ck_assert_uint_eq (rtcp_ccfb_end (&w, 0xcafebabe), sizeof golden);
  ck_assert_mem_eq (body, golden, sizeof golden);
}
END_TEST

START_TEST (test_golden_bytes_read)
{
  static const uint8_t golden[] = {
      0x11, 0x22, 0x33, 0x44, 0xff, 0xfe, 0, 3, 0x80, 0x80, 0x7f, 0xff, 0xe0, 0x01, 0, 0, 0xca, 0xfe, 0xba, 0xbe};
  RtcpCcfbReader r;
  RtcpCcfbBlock block;
  RtcpCcfbMetric m;

  ck_assert (rtcp_ccfb_open (&r, golden, sizeof golden));
  ck_assert_uint_eq (r.rts, 0xcafebabe);
  ck_assert (rtcp_ccfb_next (&r, &block));
  ck_assert_uint_eq (block.ssrc, 0x11223344);
  ck_assert_uint_eq (block.begin_seq, 65534);
  ck_assert_uint_eq (block.num_reports, 3); /* the count, not the distance to the last */
  m = rtcp_ccfb_metric (&block, 0);
  ck_assert (m.received && m.ecn == 0);
  ck_assert_uint_eq (rtcp_ccfb_arrival (&m, NOW), NOW - 125 * MS);
  m = rtcp_ccfb_metric (&block, 1); /* not received: the rest is ignored */
  ck_assert (!m.received && m.ecn == 0);
  ck_assert_uint_eq (rtcp_ccfb_arrival (&m, NOW), CC_TIME_NONE);
  m = rtcp_ccfb_metric (&block, 2);
  ck_assert (m.received && m.ecn == ARRIVAL_CE && m.ato == 1);
  ck_assert (!rtcp_ccfb_next (&r, &block));
}
END_TEST

/* 8189/1024 s = 7.9970703 s is the last that can be told. */
START_TEST (test_offsets)
{
  const CcDuration last = 7997070312; /* 8189 x 1e9 / 1024 = 7997070312.5 */
  RtcpCcfbMetric over = {true, 0, RTCP_CCFB_ATO_OVER}, unknown = {true, 0, RTCP_CCFB_ATO_UNKNOWN},
                 early = {true, 0, 1024};

  ck_assert_uint_eq (rtcp_ccfb_ato (NOW, NOW), 0);
  ck_assert_uint_eq (rtcp_ccfb_ato (NOW - 976562, NOW), 0); /* 1/1024 s = 976562.5 ns */
  ck_assert_uint_eq (rtcp_ccfb_ato (NOW - 976563, NOW), 1);
  ck_assert_uint_eq (rtcp_ccfb_ato (NOW - last, NOW), 8188);
  ck_assert_uint_eq (rtcp_ccfb_ato (NOW - last - 1, NOW), 0x1ffe);
  ck_assert_uint_eq (rtcp_ccfb_ato (NOW - 50 * CC_SECOND, NOW), 0x1ffe);
  ck_assert_uint_eq (rtcp_ccfb_ato (0, UINT64_MAX - 1), 0x1ffe);
  ck_assert_uint_eq (rtcp_ccfb_ato (NOW + 1, NOW), 0x1fff);
  ck_assert_uint_eq (rtcp_ccfb_arrival (&over, NOW), CC_TIME_NONE);
  ck_assert_uint_eq (rtcp_ccfb_arrival (&unknown, NOW), CC_TIME_NONE);
  ck_assert_uint_eq (rtcp_ccfb_arrival (&early, CC_SECOND / 2), CC_TIME_NONE);
  ck_assert_uint_eq (rtcp_ccfb_arrival (&early, CC_SECOND), 0);
}
END_TEST

/* Each block is padded for itself. */
START_TEST (test_several_streams)
{
  static const uint8_t golden[] = {
      0, 0, 0, 1, 0, 7, 0, 1, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 9, 0, 2, 0x80, 0, 0x80, 0, 0, 0, 0, 3};

  reset (sizeof body);
  arrival_history_on_packet (&a, 7, ARRIVAL_NOT_ECT, NOW);
  arrival_history_on_packet (&b, 9, ARRIVAL_NOT_ECT, NOW);
  arrival_history_on_packet (&b, 10, ARRIVAL_NOT_ECT, NOW);
  ck_assert (rtcp_ccfb_add (&w, 1, &a) && rtcp_ccfb_add (&w, 2, &b));
  ck_assert_uint_eq (rtcp_ccfb_end (&w, 3), sizeof golden);
  ck_assert_mem_eq (body, golden, sizeof golden);
}
END_TEST

START_TEST (test_no_blocks)
{
  static const uint8_t rts[] = {1, 2, 3, 4};
  RtcpCcfbReader r;
  RtcpCcfbBlock block;

  reset (4);
  ck_assert (rtcp_ccfb_add (&w, 1, &a)); /* nothing was ever received: no block */
  ck_assert_uint_eq (rtcp_ccfb_end (&w, 0x01020304), 4);
  ck_assert_mem_eq (body, rts, 4);
  ck_assert (rtcp_ccfb_open (&r, rts, 4));
  ck_assert_uint_eq (r.rts, 0x01020304);
  ck_assert (!rtcp_ccfb_next (&r, &block));
  reset (3);
  ck_assert_uint_eq (rtcp_ccfb_end (&w, 0x01020304), 0);
}
END_TEST

/* RFC 8888 3.1: a stream of which nothing came since the last report. */
START_TEST (test_empty_block)
{
  static const uint8_t golden[] = {0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 3};
  RtcpCcfbReader r;
  RtcpCcfbBlock block;

  reset (sizeof golden);
  arrival_history_on_packet (&a, 7, ARRIVAL_NOT_ECT, NOW);
  arrival_history_on_packet (&a, 8, ARRIVAL_NOT_ECT, NOW);
  arrival_history_reported (&a, 2);
  ck_assert (rtcp_ccfb_add (&w, 1, &a));
  ck_assert_uint_eq (rtcp_ccfb_end (&w, 3), sizeof golden);
  ck_assert_mem_eq (body, golden, sizeof golden);
  ck_assert (rtcp_ccfb_open (&r, golden, sizeof golden));
  ck_assert (rtcp_ccfb_next (&r, &block));
  ck_assert_uint_eq (block.num_reports, 0);
}
END_TEST

/* 12 bytes of head and timestamp leave 12 for 6 reports of the 15: three messages. */
START_TEST (test_split)
{
  const uint16_t begin[] = {100, 106, 112}, count[] = {6, 6, 3};
  RtcpCcfbReader r;
  RtcpCcfbBlock block;
  ArrivalRange range;

  reset (25);
  for (uint16_t i = 0; i < 15; i++)
    arrival_history_on_packet (&a, 100 + i, ARRIVAL_NOT_ECT, NOW);
  for (unsigned i = 0; i < 3; i++) {
    ck_assert (arrival_history_range (&a, &range));
    rtcp_ccfb_begin (&w, body, 25, NOW);
    ck_assert (rtcp_ccfb_add (&w, 1, &a));
    ck_assert (rtcp_ccfb_open (&r, body, rtcp_ccfb_end (&w, 0)));
    ck_assert (rtcp_ccfb_next (&r, &block));
    ck_assert_uint_eq (block.begin_seq, begin[i]);
    ck_assert_uint_eq (block.num_reports, count[i]);
  }
  ck_assert (!arrival_history_range (&a, &range));
  /* a second block that has no room at all is left for the next message */
  reset (4 + 12 + 8 + 3);
  arrival_history_on_packet (&a, 1, ARRIVAL_NOT_ECT, NOW);
  arrival_history_on_packet (&b, 1, ARRIVAL_NOT_ECT, NOW);
  ck_assert (rtcp_ccfb_add (&w, 1, &a));
  ck_assert (!rtcp_ccfb_add (&w, 2, &b));
  ck_assert_uint_eq (rtcp_ccfb_end (&w, 0), 16);
  ck_assert (arrival_history_range (&b, &range));
}
END_TEST

/* A packet that arrived late is told with all that was told before: received stays received. */
START_TEST (test_overlapping_reports_stay_true)
{
  RtcpCcfbReader r;
  RtcpCcfbBlock block;

  reset (sizeof body);
  for (uint16_t i = 0; i < 6; i++)
    if (i != 3)
      arrival_history_on_packet (&a, i, ARRIVAL_NOT_ECT, NOW - 10 * MS);
  ck_assert (rtcp_ccfb_add (&w, 1, &a));
  arrival_history_on_packet (&a, 3, ARRIVAL_NOT_ECT, NOW);
  rtcp_ccfb_begin (&w, body, sizeof body, NOW + 20 * MS);
  ck_assert (rtcp_ccfb_add (&w, 1, &a));
  ck_assert (rtcp_ccfb_open (&r, body, rtcp_ccfb_end (&w, 0)));
  ck_assert (rtcp_ccfb_next (&r, &block));
  ck_assert_uint_eq (block.begin_seq, 3);
  ck_assert_uint_eq (block.num_reports, 3);
  for (unsigned i = 0; i < 3; i++)
    ck_assert (rtcp_ccfb_metric (&block, i).received);
  ck_assert_uint_eq (rtcp_ccfb_metric (&block, 0).ato, 20);
  ck_assert_uint_eq (rtcp_ccfb_metric (&block, 1).ato, 30);
}
END_TEST

START_TEST (test_malformed)
{
  uint8_t bad[16 + 4] = {0, 0, 0, 1, 0, 7, 0, 3};
  static uint8_t huge[8 + 2 * 65536 + 4] = {0, 0, 0, 1, 0, 0, 0x40, 0x02};
  RtcpCcfbReader r;

  ck_assert (!rtcp_ccfb_open (&r, bad, 0));
  ck_assert (!rtcp_ccfb_open (&r, bad, 2));
  ck_assert (!rtcp_ccfb_open (&r, bad, 8));  /* head without its reports */
  ck_assert (!rtcp_ccfb_open (&r, bad, 14)); /* no multiple of 4 */
  ck_assert (!rtcp_ccfb_open (&r, bad, 16));
  ck_assert (rtcp_ccfb_open (&r, bad, 20));
  bad[7] = 5;
  ck_assert (!rtcp_ccfb_open (&r, bad, 20));
  ck_assert (!rtcp_ccfb_open (&r, huge, 8 + 2 * 16386 + 4)); /* 16386 reports */
  huge[7] = 0;
  ck_assert (rtcp_ccfb_open (&r, huge, 8 + 2 * 16384 + 4));
}
END_TEST

CC_TEST_MAIN ("rtcpccfb", test_golden_bytes, test_golden_bytes_read, test_offsets, test_several_streams, test_no_blocks,
    test_empty_block, test_split, test_overlapping_reports_stay_true, test_malformed)
